#include "report/compare_forms_priv.h"
#include "verdict/instrument.h"

#include <stdio.h>
#include <string.h>

/* Columns of the list of what differs. */
enum { START_WHAT = 2, START_A = 26, START_B = 53, END_B = 80, WIDE = 58 };

/* More names than this and only their number is told. */
#define NAMES_MAX 3

static bool study_seen(const struct compare_side *side, unsigned at)
{
    for (unsigned i = 0; i < at; i++) {
        if (strcmp(side->results[i]->study_id, side->results[at]->study_id) == 0)
            return true;
    }
    return false;
}

static void put_side(struct text *out, const char *label, const struct compare_side *side,
                     unsigned width)
{
    const struct result *first = side->results[0];
    uint64_t from = first->begun_wall_ns, to = from;
    char begun[CELL_MAX], ended[CELL_MAX], dates[2 * CELL_MAX] = "";
    unsigned studies = 0;

    for (unsigned i = 0; i < side->n; i++) {
        uint64_t at = side->results[i]->begun_wall_ns;

        studies += !study_seen(side, i);
        from = at < from ? at : from;
        to = at > to ? at : to;
    }
    report_cell_date(begun, from);
    report_cell_date(ended, to);
    if (from > 0 && strncmp(begun, ended, 10) != 0)
        snprintf(dates, sizeof dates, ", %.10s to %.10s", begun, ended);
    else if (from > 0)
        snprintf(dates, sizeof dates, ", %.16s UTC", begun);
    report_fact(out, width, label, "%s: %s, %u stud%s, %u run%s%s", side->name, first->study,
                studies, studies == 1 ? "y" : "ies", side->n, side->n == 1 ? "" : "s", dates);
}

void report_compare_sides(struct text *out, const struct comparison *c, unsigned width)
{
    put_side(out, "A", &c->a, width);
    put_side(out, "B", &c->b, width);
    if (c->shared > 0)
        report_fact(out, width, "left out", "%u run%s of %s", c->shared, c->shared == 1 ? "" : "s",
                    c->own == c->a.results ? "A that B has too" : "B that A has too");
}

/* Lengths name the rows, which are told one by one. */
static bool told_here(const struct compare_setup *setup)
{
    return setup->differs && strcmp(setup->what, "length_bytes") != 0;
}

static void put_differences(struct text *out, const struct comparison *c, unsigned width)
{
    struct report_columns columns = report_columns_begin(out, width);
    unsigned more = width > REPORT_WIDTH ? WIDE : 0;

    report_columns_left(&columns, 0, "differs");
    report_columns_left(&columns, START_A, "A");
    report_columns_left(&columns, START_B + more, "B");
    report_columns_head_end(&columns);
    for (unsigned i = 0; i < c->setups; i++) {
        const struct compare_setup *setup = &c->setup[i];

        if (!told_here(setup))
            continue;
        report_columns_short(&columns, START_WHAT, START_A - 1, setup->what);
        report_columns_short(&columns, START_A, START_B + more - 1, report_or_dash(setup->a));
        report_columns_short(&columns, START_B + more, END_B + 2 * more, report_or_dash(setup->b));
        report_columns_end(&columns);
    }
    text_add(out, "\n");
}

static bool any_differs(const struct comparison *c)
{
    for (unsigned i = 0; i < c->setups; i++) {
        if (told_here(&c->setup[i]))
            return true;
    }
    return false;
}

/* "options (19)", or with few or in --wide "options: threads 16, levels 3". */
static void add_group(struct text *words, const struct comparison *c, unsigned at, bool wide)
{
    const char *group = c->setup[at].group;
    const char *between = ": ";
    unsigned n = 0;

    for (unsigned i = at; i < c->setups; i++)
        n += !c->setup[i].differs && strcmp(c->setup[i].group, group) == 0;
    text_addf(words, "%s%s", words->len ? "; " : "", group);
    if (n > NAMES_MAX && !wide) {
        text_addf(words, " (%u)", n);
        return;
    }
    for (unsigned i = at; i < c->setups; i++) {
        const struct compare_setup *setup = &c->setup[i];

        if (setup->differs || strcmp(setup->group, group) != 0)
            continue;
        text_addf(words, "%s%s %s", between, strcmp(setup->what, group) == 0 ? "" : setup->what,
                  report_or_dash(setup->a));
        between = ", ";
    }
}

static bool group_seen(const struct comparison *c, unsigned at)
{
    for (unsigned i = 0; i < at; i++) {
        if (!c->setup[i].differs && strcmp(c->setup[i].group, c->setup[at].group) == 0)
            return true;
    }
    return false;
}

/* Of sides that were not asked alike no number says which target is the better one. */
static void about_instruments(struct text *out, const struct comparison *c, unsigned width)
{
    char words[INSTRUMENT_WORDS_MAX];

    for (unsigned a = 0; a < c->a.n; a++)
        for (unsigned b = 0; b < c->b.n; b++)
            if (instrument_differs(c->a.results[a], "A", c->b.results[b], "B", words)) {
                report_fact(out, width, "NOT ALIKE", "%s", words);
                return;
            }
}

void report_compare_setups(struct text *out, const struct comparison *c, unsigned width)
{
    struct text same;

    text_add(out, "\n");
    about_instruments(out, c, width);
    if (any_differs(c))
        put_differences(out, c, width);
    else
        report_fact(out, width, "differs", "nothing that is known");
    text_init(&same);
    for (unsigned i = 0; i < c->setups; i++) {
        if (!c->setup[i].differs && !group_seen(c, i))
            add_group(&same, c, i, report_is_wide(width));
    }
    if (same.len > 0)
        report_fact(out, width, "same", "%s", same.s);
    out->failed = out->failed || same.failed;
    text_fini(&same);
}

void report_compare_noise(struct text *out, const struct comparison *c, unsigned width)
{
    bool how = c->noise == COMPARE_FROM_NOTHING && !report_not_stated(c->a.results[0]);

    /* What was published once will not be measured again. */
    report_fact(out, width, "noise", "%s%s", compare_noise_words(c->noise),
                how ? " (loadline baseline set NAME LABEL; loadline dirtest A B --repeat 5)" : "");
}
