#include "verdict/compare.h"

#include "stats/trend.h"
#include "verdict/compare_priv.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A difference is told in spite of a drift when it is so many times what the drift would explain
 * if it went on at its pace from the one side through the other. Below 1 a drift is taken for a
 * difference; far above it the false alarms of the trend test cost differences that are there. */
#define DRIFT_FACTOR 1.5

const char *compare_word_name(enum compare_word word)
{
    static const char *const names[] = {"better", "worse", "within noise", "cannot tell",
                                        "not comparable"};
    return names[word];
}

const char *compare_noise_words(enum compare_noise noise)
{
    static const char *const words[] = {
        "noise between runs unknown: it takes five runs of the first side, or turns",
        "noise from runs that took turns",
        "noise from studies of the first side; a study counts once, as the mean of its repeats",
        "noise from repeats of the first side; it says nothing about other hours"};
    return words[noise];
}

/* ---- a cell ---- */

/* Values of two sides as logarithms, in the order of their measuring. */
struct logs {
    double *a;
    double *b;
    double *ratio; /* of sides that took turns, else NULL */
};

static void logs_fini(struct logs *logs)
{
    free(logs->a);
    free(logs->b);
    free(logs->ratio);
}

static int logs_of(const struct side_values *a, const struct side_values *b, bool turns,
                   struct logs *out)
{
    struct logs logs = {.a = calloc(a->n, sizeof *logs.a),
                        .b = calloc(b->n, sizeof *logs.b),
                        .ratio = turns ? calloc(a->n, sizeof *logs.ratio) : NULL};

    if (!logs.a || !logs.b || (turns && !logs.ratio)) {
        logs_fini(&logs);
        return -ENOMEM;
    }
    for (unsigned i = 0; i < a->n; i++)
        logs.a[i] = log(a->value[i]);
    for (unsigned i = 0; i < b->n; i++)
        logs.b[i] = log(b->value[i]);
    for (unsigned i = 0; turns && i < a->n; i++)
        logs.ratio[i] = logs.b[i] - logs.a[i];
    *out = logs;
    return 0;
}

/* What took turns drifts together; what is left to see is whether the differences do. */
static int drift_of_turns(const struct logs *logs, struct compare_cell *cell, double *explained)
{
    struct trend trend;
    int rc = trend_of(logs->ratio, cell->n_a, &trend);

    if (rc < 0 || !trend.found)
        return rc;
    cell->drifts_a = cell->drifts_b = true;
    *explained = fabs(trend.slope) * (cell->n_a - 1);
    return 0;
}

/* Going on at its pace from the one side through the other, a drift moves the middle of n_a runs to
 * that of n_b: (n_a + n_b) / 2 steps. */
static int drift_apart(const struct logs *logs, struct compare_cell *cell, double *explained)
{
    double steps = (cell->n_a + cell->n_b) / 2.0;
    struct trend a, b, both;
    int rc = trend_of(logs->a, cell->n_a, &a);

    if (rc == 0)
        rc = trend_of(logs->b, cell->n_b, &b);
    if (rc == 0)
        rc = trend_of_two(logs->a, cell->n_a, logs->b, cell->n_b, &both);
    if (rc < 0)
        return rc;
    cell->drifts_a = a.found || both.found;
    cell->drifts_b = b.found || both.found;
    if (cell->drifts_a)
        *explained = fabs(a.slope) * steps;
    if (cell->drifts_b)
        *explained = fmax(*explained, fabs(b.slope) * steps);
    return 0;
}

static int find_drift(const struct side_values *a, const struct side_values *b, bool turns,
                      struct compare_cell *cell, double *explained)
{
    struct logs logs;
    int rc = logs_of(a, b, turns, &logs);

    if (rc < 0)
        return rc;
    rc = turns ? drift_of_turns(&logs, cell, explained) : drift_apart(&logs, cell, explained);
    logs_fini(&logs);
    return rc;
}

static enum compare_word word_of(const struct change *change, enum rows_metric metric,
                                 double explained)
{
    if (change->noise == CHANGE_NOISE_UNKNOWN)
        return COMPARE_CANNOT;
    if (explained > 0 && fabs(log1p(change->frac)) <= DRIFT_FACTOR * explained)
        return COMPARE_CANNOT;
    if (!change_is_seen(change))
        return COMPARE_NOISE;
    bool more = change->frac > 0;
    return more == rows_metric_more_is_better(metric) ? COMPARE_BETTER : COMPARE_WORSE;
}

int compare_judge(const struct side_values *a, const struct side_values *b, bool turns,
                  enum rows_metric metric, struct compare_cell *cell)
{
    double resolution = rows_metric_resolution_frac(metric);
    const struct change_side side_a = {a->value, a->within_frac, a->n, resolution};
    const struct change_side side_b = {b->value, b->within_frac, b->n, resolution};
    double explained = 0;

    cell->word = COMPARE_NOT;
    int rc = turns ? change_of_pairs(&side_a, &side_b, &cell->change)
                   : change_of(&side_a, &side_b, &cell->change);
    if (rc == -EINVAL) /* nothing on one side, or a value of 0 */
        return 0;
    if (rc == 0)
        rc = find_drift(a, b, turns, cell, &explained);
    if (rc == 0)
        cell->word = word_of(&cell->change, metric, explained);
    return rc;
}

static int judge_units(const struct units *a, const struct units *b, bool turns,
                       enum rows_metric metric, struct compare_cell *cell)
{
    struct side_values va = {0}, vb = {0};
    int rc = side_values_of(a, &va);

    if (rc == 0)
        rc = side_values_of(b, &vb);
    if (rc == 0)
        rc = compare_judge(&va, &vb, turns, metric, cell);
    side_values_fini(&va);
    side_values_fini(&vb);
    return rc;
}

static int fill_cell(const struct comparison *c, const struct row_pair *pair,
                     enum rows_metric metric, struct compare_cell *cell)
{
    bool by_study = c->noise == COMPARE_FROM_STUDIES;
    bool turns = c->noise == COMPARE_FROM_TURNS;
    struct units a = {0}, b = {0};
    int rc = pair->a ? units_of(pair->a, metric, by_study, &a) : 0;

    if (rc == 0 && pair->b)
        rc = units_of(pair->b, metric, by_study, &b);
    if (rc == 0 && turns && pair->a && pair->b)
        units_pair(&a, &b);
    cell->n_a = a.n;
    cell->n_b = b.n;
    cell->word = COMPARE_NOT;
    if (rc == 0 && a.n > 0 && b.n > 0)
        rc = judge_units(&a, &b, turns, metric, cell);
    units_fini(&a);
    units_fini(&b);
    return rc;
}

/* ---- a row ---- */

static void tell_cannot(const struct comparison *c, const struct compare_cell *cell,
                        struct compare_row *row)
{
    bool turns = c->noise == COMPARE_FROM_TURNS;

    if (cell->change.noise == CHANGE_NOISE_UNKNOWN && turns)
        snprintf(row->reason, sizeof row->reason, "one pair: it takes two to know the noise");
    else if (cell->change.noise == CHANGE_NOISE_UNKNOWN)
        snprintf(row->reason, sizeof row->reason, "n = %u: it takes %d runs of %.60s, or turns",
                 cell->n_a, CHANGE_RUNS_MIN, c->a.name);
    else if (turns)
        snprintf(row->reason, sizeof row->reason, "their difference drifts from turn to turn");
    else
        snprintf(row->reason, sizeof row->reason, "drifts: %.60s%s%.60s",
                 cell->drifts_a ? c->a.name : "", cell->drifts_a && cell->drifts_b ? ", " : "",
                 cell->drifts_b ? c->b.name : "");
}

static int fill_row(const struct comparison *c, const struct row_pair *pair,
                    struct compare_row *row)
{
    bool comparable = compare_reason(c, pair, row);

    snprintf(row->name, sizeof row->name, "%s", (pair->a ? pair->a : pair->b)->name);
    for (unsigned m = 0; m < ROWS_METRICS; m++) {
        struct compare_cell *cell = &row->cell[m];
        int rc = fill_cell(c, pair, (enum rows_metric)m, cell);
        if (rc < 0)
            return rc;
        if (!comparable)
            cell->word = COMPARE_NOT;
        if (cell->word == COMPARE_CANNOT && row->reason[0] == '\0')
            tell_cannot(c, cell, row);
    }
    return 0;
}

/* Rows in the order of a, then what only b has. */
static struct row_pair *pair_rows(const struct rows *a, const struct rows *b, unsigned *n)
{
    struct row_pair *pair = calloc(a->n + b->n + 1, sizeof *pair);

    *n = 0;
    for (unsigned i = 0; pair && i < a->n; i++)
        pair[(*n)++] = (struct row_pair){&a->row[i], rows_find(b, a->row[i].name)};
    for (unsigned i = 0; pair && i < b->n; i++)
        if (!rows_find(a, b->row[i].name))
            pair[(*n)++] = (struct row_pair){NULL, &b->row[i]};
    return pair;
}

static int fill_rows(struct comparison *c, const struct rows *a, const struct rows *b)
{
    struct row_pair *pair = pair_rows(a, b, &c->rows);
    int rc = 0;

    c->row = calloc(c->rows + 1, sizeof *c->row);
    if (!pair || !c->row)
        rc = -ENOMEM;
    for (unsigned i = 0; rc == 0 && i < c->rows; i++)
        rc = fill_row(c, &pair[i], &c->row[i]);
    if (rc == 0)
        rc = compare_summarise(c, pair);
    free(pair);
    return rc;
}

/* ---- the whole ---- */

static unsigned studies_of(const struct compare_side *side)
{
    unsigned studies = 0;

    for (unsigned i = 0; i < side->n; i++) {
        unsigned j = 0;
        while (j < i && strcmp(side->results[j]->study_id, side->results[i]->study_id) != 0)
            j++;
        studies += j == i;
    }
    return studies;
}

/* Which of several targets of its study a result is of; 0 where it had one. */
static double turn_of(const struct result *r)
{
    return result_fact_number(&r->options, "side", 0);
}

/* Is each side one of the targets of one and the same study, and not the same one? */
static bool took_turns(const struct compare_side *a, const struct compare_side *b)
{
    const struct result *first_a = a->results[0], *first_b = b->results[0];

    for (unsigned i = 0; i < a->n + b->n; i++) {
        const struct result *r = i < a->n ? a->results[i] : b->results[i - a->n];
        const struct result *first = i < a->n ? first_a : first_b;
        if (strcmp(r->study_id, first_a->study_id) != 0 || turn_of(r) != turn_of(first))
            return false;
    }
    return turn_of(first_a) > 0 && turn_of(first_b) > 0 && turn_of(first_a) != turn_of(first_b);
}

static unsigned most_runs(const struct rows *rows)
{
    unsigned most = 0;

    for (unsigned i = 0; i < rows->n; i++)
        most = rows->row[i].n > most ? rows->row[i].n : most;
    return most;
}

static enum compare_noise noise_of(const struct comparison *c, const struct rows *a)
{
    if (took_turns(&c->a, &c->b))
        return COMPARE_FROM_TURNS;
    if (studies_of(&c->a) >= CHANGE_RUNS_MIN)
        return COMPARE_FROM_STUDIES;
    return most_runs(a) >= CHANGE_RUNS_MIN ? COMPARE_FROM_REPEATS : COMPARE_FROM_NOTHING;
}

static int check_sides(const struct compare_side *a, const struct compare_side *b, struct err *err)
{
    const char *empty = a->n == 0 ? a->name : b->name;

    if (a->n > 0 && b->n > 0)
        return 0;
    return err_set(err, -EINVAL, "%.100s has no results to compare", empty);
}

int compare_of(const struct compare_side *a, const struct compare_side *b, struct comparison *out,
               struct err *err)
{
    struct comparison c = {.a = *a, .b = *b};
    struct rows rows_a = {0}, rows_b = {0};
    int rc = check_sides(a, b, err);

    if (rc < 0)
        return rc;
    rc = rows_of(a->results, a->n, &rows_a);
    if (rc == 0)
        rc = rows_of(b->results, b->n, &rows_b);
    if (rc == 0) {
        c.noise = noise_of(&c, &rows_a);
        rc = fill_rows(&c, &rows_a, &rows_b);
    }
    if (rc == 0)
        rc = compare_setups(&c);
    rows_fini(&rows_a);
    rows_fini(&rows_b);
    if (rc < 0) {
        compare_fini(&c);
        return err_set(err, rc, "no memory to compare");
    }
    *out = c;
    return 0;
}

void compare_fini(struct comparison *c)
{
    for (unsigned i = 0; i < c->setups; i++) {
        free(c->setup[i].what);
        free(c->setup[i].a);
        free(c->setup[i].b);
    }
    free(c->setup);
    free(c->row);
    *c = (struct comparison){0};
}
