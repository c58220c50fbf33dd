#include "base/text.h"
#include "base/units.h"
#include "verdict/change_words.h"
#include "verdict/gate.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_TOLD 4
#define WORDS_MAX 48

/* ---- words ---- */

static const char *value_words(char buf[WORDS_MAX], enum rows_metric metric, double value)
{
    char words[UNITS_PRINT_MAX];
    double whole = fmin(round(value), 1.8e19);

    if (metric == ROWS_OPS)
        snprintf(buf, WORDS_MAX, "%.*f/s", value < 100 ? 2 : 0, value);
    else if (metric == ROWS_BYTES)
        snprintf(buf, WORDS_MAX, "%s/s", units_print_bytes(words, (uint64_t)whole));
    else
        snprintf(buf, WORDS_MAX, "%s", units_print_ns(words, (uint64_t)whole));
    return buf;
}

/* ---- a change ---- */

/* How much worse a change is; below 0 it is better. */
static double worse(const struct gate *gate, double frac)
{
    return gate->above ? frac : -frac;
}

static enum gate_word judge_change(const struct gate *gate, const struct change *change)
{
    double bad_end = worse(gate, gate->above ? change->high : change->low);

    if (worse(gate, change->frac) > gate->threshold)
        return change_is_seen(change) ? GATE_FAIL : GATE_CANNOT;
    return bad_end <= gate->threshold || change->half_frac <= gate->threshold ? GATE_PASS
                                                                              : GATE_CANNOT;
}

static void tell_change(const struct gate *gate, const struct change *change,
                        struct gate_judgement *out)
{
    static const char *const words[] = {"no more than", "more than", "and the gate is"};
    char frac[CHANGE_WORDS_MAX], interval[CHANGE_WORDS_MAX], threshold[CHANGE_WORDS_MAX];

    snprintf(out->why, sizeof out->why, "%s %s (95 %%: %s), %s %s%s",
             rows_metric_name(gate->metric), change_words(frac, change->frac),
             change_words_interval(interval, change->low, change->high), words[out->word],
             change_words(threshold, gate->above ? gate->threshold : -gate->threshold),
             out->word == GATE_CANNOT ? ": too wide to tell" : "");
}

/* ---- a limit ---- */

static enum gate_word judge_limit(const struct gate *gate, const struct change *change)
{
    double bad_end = gate->above ? change->high_b : change->low_b;
    double good_end = gate->above ? change->low_b : change->high_b;
    bool all_beyond = gate->above ? good_end > gate->threshold : good_end < gate->threshold;
    bool all_within = gate->above ? bad_end <= gate->threshold : bad_end >= gate->threshold;

    return all_beyond ? GATE_FAIL : all_within ? GATE_PASS : GATE_CANNOT;
}

static void tell_limit(const struct gate *gate, const struct change *change,
                       struct gate_judgement *out)
{
    static const char *const words[2][3] = {{"not below", "below", "too wide to tell from"},
                                            {"not above", "above", "too wide to tell from"}};
    char value[WORDS_MAX], low[WORDS_MAX], high[WORDS_MAX], limit[WORDS_MAX];

    snprintf(out->why, sizeof out->why, "%s %s (95 %%: %s … %s), %s %s",
             rows_metric_name(gate->metric), value_words(value, gate->metric, change->mean_b),
             value_words(low, gate->metric, change->low_b),
             value_words(high, gate->metric, change->high_b), words[gate->above][out->word],
             value_words(limit, gate->metric, gate->threshold));
}

/* ---- rows ---- */

static bool can_have(const struct compare_row *row, enum rows_metric metric)
{
    const struct compare_cell *cell = &row->cell[metric];

    return cell->n_a + cell->n_b > 0 || (metric != ROWS_TIME && metric < ROWS_METRICS);
}

static bool names(const struct gate *gate, const struct compare_row *row)
{
    return gate->all_rows || rows_same_name(gate->row, row->name);
}

static void judge_row(const struct gate *gate, const struct compare_row *row,
                      struct gate_judgement *out)
{
    const struct compare_cell *cell = &row->cell[gate->metric];

    *out = (struct gate_judgement){.gate = gate, .row = row, .word = GATE_CANNOT};
    if (cell->word == COMPARE_NOT || cell->word == COMPARE_CANNOT) {
        snprintf(out->why, sizeof out->why, "%s: %s: %s", rows_metric_name(gate->metric),
                 compare_word_name(cell->word), cell->reason);
        return;
    }
    out->word =
        gate->relative ? judge_change(gate, &cell->change) : judge_limit(gate, &cell->change);
    if (gate->relative)
        tell_change(gate, &cell->change, out);
    else
        tell_limit(gate, &cell->change, out);
}

static int no_such_row(const struct gate *gate, const struct comparison *c, struct err *err)
{
    struct text names;

    text_init(&names);
    for (unsigned i = 0; i < c->rows && i < ROWS_TOLD; i++)
        text_addf(&names, "%s\"%s\"", i > 0 ? ", " : "", c->row[i].name);
    if (c->rows > ROWS_TOLD)
        text_addf(&names, " and %u more", c->rows - ROWS_TOLD);
    int rc = err_set(err, -EINVAL, "gate \"%s\": there is no row \"%s\"; there are %s", gate->text,
                     gate->row, names.s);
    text_fini(&names);
    return rc;
}

static int no_such_metric(const struct gate *gate, struct err *err)
{
    return err_set(err, -EINVAL,
                   "gate \"%s\": %s %s; it is the time of a tree, of dirtest and readtest",
                   gate->text, gate->all_rows ? "no row has" : "that row has no",
                   rows_metric_name(gate->metric));
}

int gate_judge(const struct gate *gate, const struct comparison *comparison,
               struct gate_judgement **out, unsigned *n, struct err *err)
{
    struct gate_judgement *list = calloc(comparison->rows + 1, sizeof *list);
    unsigned named = 0, spoken = 0;

    if (!list)
        return err_set(err, -ENOMEM, "no memory to judge a gate");
    for (unsigned i = 0; i < comparison->rows; i++) {
        const struct compare_row *row = &comparison->row[i];
        if (!names(gate, row))
            continue;
        named++;
        if (can_have(row, gate->metric))
            judge_row(gate, row, &list[spoken++]);
    }
    if (spoken == 0) {
        free(list);
        return named == 0 ? no_such_row(gate, comparison, err) : no_such_metric(gate, err);
    }
    *out = list;
    *n = spoken;
    return 0;
}
