#include "report/compare_forms_priv.h"

#include <string.h>

static unsigned count_judged(const struct compare_pair *pair, const struct gate *gate,
                             enum gate_word word)
{
    unsigned n = 0;

    for (unsigned i = 0; i < pair->judged; i++)
        n += pair->judgement[i].gate == gate && pair->judgement[i].word == word;
    return n;
}

static bool alike(const struct gate_judgement *a, const struct gate_judgement *b)
{
    return a->gate == b->gate && a->word == b->word && strcmp(a->why, b->why) == 0;
}

static bool said_before(const struct compare_pair *pair, unsigned at)
{
    for (unsigned i = 0; i < at; i++) {
        if (alike(&pair->judgement[i], &pair->judgement[at]))
            return true;
    }
    return false;
}

/* One line for all rows of which the same is said. */
static void put_judgement(struct text *out, const struct compare_pair *pair, unsigned at,
                          unsigned width)
{
    static const char *const label[] = {"pass", "FAIL", "cannot tell"};
    const struct gate_judgement *first = &pair->judgement[at];
    const struct gate_judgement *last = first;
    unsigned n = 0;

    for (unsigned i = at; i < pair->judged; i++) {
        if (!alike(&pair->judgement[i], first))
            continue;
        last = &pair->judgement[i];
        n++;
    }
    if (n > 1)
        report_fact(out, width, label[first->word], "%u rows, %s to %s: %s", n, first->row->name,
                    last->row->name, first->why);
    else
        report_fact(out, width, label[first->word], "%s: %s", first->row->name, first->why);
}

static void put_judged(struct text *out, const struct compare_pair *pair, const struct gate *gate,
                       enum gate_word word, unsigned width)
{
    for (unsigned i = 0; i < pair->judged; i++) {
        const struct gate_judgement *judgement = &pair->judgement[i];

        if (judgement->gate == gate && judgement->word == word && !said_before(pair, i))
            put_judgement(out, pair, i, width);
    }
}

/* What failed and what nobody can tell, row by row; what passed only as a number, unless wide. */
static void put_gate(struct text *out, const struct compare_pair *pair, const struct gate *gate,
                     unsigned width)
{
    unsigned passed = count_judged(pair, gate, GATE_PASS);

    report_fact(out, width, "fail if", "%s", gate->text);
    put_judged(out, pair, gate, GATE_FAIL, width);
    put_judged(out, pair, gate, GATE_CANNOT, width);
    if (report_is_wide(width))
        put_judged(out, pair, gate, GATE_PASS, width);
    else if (passed > 0)
        report_fact(out, width, report_gate_word(GATE_PASS), "%u of %u rows", passed,
                    passed + count_judged(pair, gate, GATE_FAIL) +
                        count_judged(pair, gate, GATE_CANNOT));
}

void report_compare_gates(struct text *out, const struct compare_pair *pair, unsigned width)
{
    for (unsigned i = 0; i < pair->judged; i++) {
        const struct gate *gate = pair->judgement[i].gate;

        if (i > 0 && gate == pair->judgement[i - 1].gate)
            continue;
        text_add(out, "\n");
        put_gate(out, pair, gate, width);
    }
}

/* A table of a study has means over all repeats, which are a little less. */
static void put_means(struct text *out, const struct comparison *c, unsigned width)
{
    static const char *const unit[] = {"runs", "runs that took turns",
                                       "studies, each the mean of its repeats", "runs"};

    report_fact(out, width, "A, B", "geometric means over n %s", unit[c->noise]);
}

void report_compare_text(struct text *out, const struct compare_pair *pair,
                         const struct compare_style *style)
{
    const struct comparison *c = &pair->comparison;
    const struct report_style page = {.format = style->format, .wide = style->wide};
    unsigned width = report_width(&page);

    if (report_is_md(width))
        report_title(out, width, "%s against %s", c->b.name, c->a.name);
    report_compare_sides(out, c, width);
    report_compare_setups(out, c, width);
    report_compare_noise(out, c, width);
    for (unsigned m = 0; m < style->metrics; m++)
        report_compare_table(out, c, style->metric[m], width);
    text_add(out, "\n");
    put_means(out, c, width);
    for (unsigned m = 0; m < style->metrics; m++)
        report_compare_summary(out, c, style->metric[m], width);
    report_compare_reasons(out, c, style, width);
    report_compare_trust(out, c, width);
    report_compare_gates(out, pair, width);
}
