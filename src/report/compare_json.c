#include "base/words.h"
#include "report/compare_forms_priv.h"

#include <math.h>
#include <string.h>

static void word(struct text *out, const char *key, const char *value)
{
    text_addf(out, "\"%s\":", key);
    text_add_json_string(out, report_or_empty(value));
}

/* JSON knows no infinity: what is no number is null. */
static void number(struct text *out, const char *key, bool known, double value)
{
    if (known && isfinite(value))
        text_addf(out, ",\"%s\":%.9g", key, value);
    else
        text_addf(out, ",\"%s\":null", key);
}

static const char *yes(bool value)
{
    return value ? "true" : "false";
}

static void put_side(struct text *out, const char *key, const struct compare_side *side)
{
    text_addf(out, "\"%s\":{", key);
    word(out, "name", side->name);
    text_add(out, ",\"runs\":[");
    for (unsigned i = 0; i < side->n; i++)
        text_addf(out, "%s\"%s.%u\"", i ? "," : "", side->results[i]->study_id,
                  side->results[i]->run);
    text_add(out, "]},\n");
}

static void put_setups(struct text *out, const struct comparison *c)
{
    text_add(out, "\"setup\":[");
    for (unsigned i = 0; i < c->setups; i++) {
        const struct compare_setup *setup = &c->setup[i];

        text_add(out, i ? ",\n {" : "\n {");
        word(out, "group", setup->group);
        text_add(out, ",");
        word(out, "what", setup->what);
        text_add(out, ",");
        word(out, "a", setup->a);
        text_add(out, ",");
        word(out, "b", setup->b);
        text_addf(out, ",\"differs\":%s}", yes(setup->differs));
    }
    text_add(out, "],\n");
}

static void put_cell(struct text *out, const struct compare_row *row, enum rows_metric metric)
{
    const struct compare_cell *cell = &row->cell[metric];
    const struct change *change = &cell->change;
    bool both = cell->word != COMPARE_NOT;
    bool interval = both && report_has_interval(change);

    text_addf(out, "\"%s\":{\"n_a\":%u,\"n_b\":%u", rows_metric_name(metric), cell->n_a, cell->n_b);
    number(out, "mean_a", cell->n_a > 0, change->mean_a);
    number(out, "mean_b", cell->n_b > 0, change->mean_b);
    number(out, "change_frac", both, change->frac);
    number(out, "low_frac", interval, change->low);
    number(out, "high_frac", interval, change->high);
    number(out, "half_frac", interval, change->half_frac);
    text_add(out, ",");
    word(out, "noise", both ? report_noise_word(change->noise) : "");
    text_addf(out, ",\"drifts_a\":%s,\"drifts_b\":%s,", yes(cell->drifts_a), yes(cell->drifts_b));
    word(out, "word", compare_word_name(cell->word));
    text_add(out, ",");
    word(out, "reason", cell->reason);
    text_add(out, "}");
}

static void put_rows(struct text *out, const struct comparison *c,
                     const struct compare_style *style)
{
    text_add(out, "\"rows\":[");
    for (unsigned i = 0; i < c->rows; i++) {
        const struct compare_row *row = &c->row[i];

        text_add(out, i ? ",\n {" : "\n {");
        word(out, "row", row->name);
        text_addf(out, ",\"comparable\":%s,", yes(row->comparable));
        word(out, "reason", row->reason);
        for (unsigned m = 0; m < style->metrics; m++) {
            text_add(out, ",");
            put_cell(out, row, style->metric[m]);
        }
        text_add(out, "}");
    }
    text_add(out, "],\n");
}

static void put_summary(struct text *out, const struct comparison *c, enum rows_metric metric)
{
    const struct compare_summary *s = &c->summary[metric];

    text_addf(out, "\"%s\":{\"rows\":%u", rows_metric_name(metric), s->rows);
    for (unsigned w = 0; w <= COMPARE_NOT; w++)
        text_addf(out, ",\"%s\":%u", compare_word_name((enum compare_word)w), s->word[w]);
    number(out, "change_frac", s->rows > 0, s->frac);
    number(out, "low_frac", s->has_interval, s->low);
    number(out, "high_frac", s->has_interval, s->high);
    number(out, "seen_frac", true, s->seen_frac);
    number(out, "by_chance", true, s->by_chance);
    text_add(out, "}");
}

static void put_judgements(struct text *out, const struct compare_pair *pair)
{
    text_add(out, "\"conditions\":[");
    for (unsigned i = 0; i < pair->judged; i++) {
        const struct gate_judgement *judgement = &pair->judgement[i];

        text_add(out, i ? ",\n {" : "\n {");
        word(out, "fail_if", judgement->gate->text);
        text_add(out, ",");
        word(out, "row", judgement->row->name);
        text_add(out, ",");
        word(out, "word", report_gate_word(judgement->word));
        text_add(out, ",");
        word(out, "why", judgement->why);
        text_add(out, "}");
    }
    text_add(out, "]");
}

void report_compare_json(struct text *out, const struct compare_pair *pair,
                         const struct compare_style *style)
{
    const struct comparison *c = &pair->comparison;

    text_add(out, "{");
    put_side(out, "a", &c->a);
    put_side(out, "b", &c->b);
    text_addf(out, "\"shared_runs\":%u,\n", c->shared);
    word(out, "noise", compare_noise_words(c->noise));
    text_add(out, ",\n");
    put_setups(out, c);
    put_rows(out, c, style);
    text_add(out, "\"summary\":{");
    for (unsigned m = 0; m < style->metrics; m++) {
        text_add(out, m ? ",\n " : "\n ");
        put_summary(out, c, style->metric[m]);
    }
    text_add(out, "},\n");
    put_judgements(out, pair);
    text_add(out, "}");
}
