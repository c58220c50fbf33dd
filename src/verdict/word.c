#include "stats/trend.h"
#include "verdict/compare_priv.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

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
    cell->alone_a = a.found;
    cell->alone_b = b.found;
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
