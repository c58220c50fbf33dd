#include "verdict/compare_priv.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool same_unit(const struct unit *a, const struct unit *b)
{
    return a->repeat == b->repeat && a->side == b->side && strcmp(a->study_id, b->study_id) == 0;
}

static struct unit *find(const struct units *u, const struct unit *like)
{
    for (unsigned i = 0; i < u->n; i++)
        if (same_unit(&u->unit[i], like))
            return &u->unit[i];
    return NULL;
}

const struct unit *units_find(const struct units *u, const struct unit *like)
{
    return find(u, like);
}

void unit_take(struct unit *unit, double log_value, double within_var)
{
    double delta = log_value - unit->mean;
    double runs = ++unit->runs;

    if (isinf(log_value) || isinf(unit->mean)) { /* a value of 0: so is their mean */
        unit->mean = -INFINITY;
        return;
    }
    unit->mean += delta / runs;
    unit->squares += delta * (log_value - unit->mean);
    unit->within_var += (within_var - unit->within_var) / runs;
}

/* A value of 0 stays in, as the logarithm it has, so that whoever judges sees it. */
static void add(struct units *u, const struct row_run *run, enum rows_metric metric, bool by_study)
{
    const struct unit like = {.study_id = run->result->study_id,
                              .side = by_study ? 0 : run->side,
                              .repeat = by_study ? 0 : run->repeat};
    bool rate = metric == ROWS_OPS || metric == ROWS_BYTES || metric == ROWS_TIME;
    double within_frac = rate ? run->within_frac : NAN;
    /* Without a number of its own each run is a unit. */
    struct unit *unit = by_study || run->repeat > 0 ? find(u, &like) : NULL;

    if (!unit) {
        unit = &u->unit[u->n++];
        *unit = like;
    }
    unit_take(unit, log(run->value[metric]), within_frac * within_frac);
}

int units_of(const struct row *row, enum rows_metric metric, bool by_study, struct units *out)
{
    struct units u = {.unit = calloc(row->n + 1, sizeof *u.unit)};

    if (!u.unit)
        return -ENOMEM;
    for (unsigned i = 0; i < row->n; i++) {
        const struct row_run *run = &row->run[i];
        if (!isnan(run->value[metric]) && compare_run_is_good(run->result))
            add(&u, run, metric, by_study);
    }
    *out = u;
    return 0;
}

static void add_squares(const struct units *u, double *squares, double *df)
{
    for (unsigned i = 0; i < u->n; i++) {
        *squares += u->unit[i].squares;
        *df += u->unit[i].runs - 1;
    }
}

static void set_within(struct units *u, double var)
{
    for (unsigned i = 0; i < u->n; i++)
        u->unit[i].within_var = var / u->unit[i].runs;
}

void units_pool_within(struct units *a, struct units *b)
{
    double squares = 0, df = 0;

    add_squares(a, &squares, &df);
    add_squares(b, &squares, &df);
    if (df == 0)
        return;
    set_within(a, squares / df);
    set_within(b, squares / df);
}

void units_fini(struct units *u)
{
    free(u->unit);
    *u = (struct units){0};
}

static const struct unit *partner(const struct units *u, const struct unit *of)
{
    for (unsigned i = 0; i < u->n && of->repeat > 0; i++)
        if (u->unit[i].repeat == of->repeat)
            return &u->unit[i];
    return NULL;
}

/* Both in the order of a. */
void units_pair(struct units *a, struct units *b)
{
    struct units all = *b;
    unsigned n = 0;

    for (unsigned i = 0; i < a->n; i++) {
        if (!partner(b, &a->unit[i]))
            continue;
        a->unit[n++] = a->unit[i];
    }
    a->n = n;
    for (unsigned i = 0; i < n; i++) {
        size_t at = (size_t)(partner(&all, &a->unit[i]) - all.unit);
        struct unit found = all.unit[at];
        all.unit[at] = all.unit[i];
        all.unit[i] = found;
    }
    b->n = n;
}

int side_values_of(const struct units *u, struct side_values *out)
{
    struct side_values v = {.n = u->n,
                            .value = calloc(u->n + 1, sizeof *v.value),
                            .within_frac = calloc(u->n + 1, sizeof *v.within_frac)};

    if (!v.value || !v.within_frac) {
        side_values_fini(&v);
        return -ENOMEM;
    }
    for (unsigned i = 0; i < u->n; i++) {
        v.value[i] = exp(u->unit[i].mean);
        v.within_frac[i] = sqrt(u->unit[i].within_var);
    }
    *out = v;
    return 0;
}

void side_values_fini(struct side_values *v)
{
    free(v->value);
    free(v->within_frac);
    *v = (struct side_values){0};
}
