#include "verdict/compare_priv.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define CHANCE_FRAC 0.05

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Sorts in place. */
static double median_of(double *value, unsigned n)
{
    if (n == 0)
        return NAN;
    qsort(value, n, sizeof *value, by_size);
    return (value[(n - 1) / 2] + value[n / 2]) / 2;
}

static bool is_told(const struct row_pair *pair)
{
    return (pair->a && pair->a->told) || (pair->b && pair->b->told);
}

static bool counts(const struct comparison *c, const struct row_pair *pairs, unsigned row,
                   enum rows_metric metric)
{
    return c->row[row].cell[metric].word != COMPARE_NOT && !is_told(&pairs[row]);
}

/* Words, mean change and what can be seen. */
static int count_rows(const struct comparison *c, const struct row_pair *pairs,
                      enum rows_metric metric, struct compare_summary *out)
{
    double *seen = calloc(c->rows + 1, sizeof *seen);
    unsigned known = 0;
    double log_sum = 0;

    if (!seen)
        return -ENOMEM;
    for (unsigned i = 0; i < c->rows; i++) {
        const struct compare_cell *cell = &c->row[i].cell[metric];
        out->word[cell->word] += cell->n_a + cell->n_b > 0 && !is_told(&pairs[i]);
        if (!counts(c, pairs, i, metric))
            continue;
        out->rows++;
        log_sum += log1p(cell->change.frac);
        if (cell->change.noise != CHANGE_NOISE_UNKNOWN)
            seen[known++] = cell->change.half_frac;
        out->by_chance += cell->word != COMPARE_CANNOT ? CHANCE_FRAC : 0;
    }
    out->frac = out->rows > 0 ? expm1(log_sum / out->rows) : NAN;
    out->seen_frac = median_of(seen, known);
    out->low = out->high = NAN;
    free(seen);
    return 0;
}

/* Adds a row's values to those of all rows; *same turns false where it has not the same units. */
static int add_row(const struct row *row, enum rows_metric metric, bool by_study, bool first,
                   struct units *all, bool *same)
{
    struct units u;
    int rc = units_of(row, metric, by_study, &u);

    if (rc < 0)
        return rc;
    if (first) {
        *all = u;
        for (unsigned i = 0; i < u.n; i++)
            u.unit[i] = (struct unit){.study_id = u.unit[i].study_id,
                                      .side = u.unit[i].side,
                                      .repeat = u.unit[i].repeat,
                                      .runs = 1,
                                      .mean = u.unit[i].mean,
                                      .within_var = NAN};
        return 0;
    }
    *same = *same && u.n == all->n;
    for (unsigned i = 0; *same && i < all->n; i++) {
        const struct unit *unit = units_find(&u, &all->unit[i]);
        *same = unit != NULL;
        if (unit)
            unit_take(&all->unit[i], unit->mean, NAN);
    }
    units_fini(&u);
    return 0;
}

static int judge_all(const struct comparison *c, enum rows_metric metric, struct units *a,
                     struct units *b, struct compare_summary *out)
{
    bool turns = c->noise == COMPARE_FROM_TURNS;
    struct side_values va = {0}, vb = {0};
    struct compare_cell cell = {.n_a = 0};

    if (turns)
        units_pair(a, b);
    if (a->n == 0 || b->n == 0)
        return 0;
    cell.n_a = a->n;
    cell.n_b = b->n;
    int rc = side_values_of(a, &va);
    if (rc == 0)
        rc = side_values_of(b, &vb);
    if (rc == 0)
        rc = compare_judge(&va, &vb, turns, metric, &cell);
    if (rc == 0 &&
        (cell.word == COMPARE_BETTER || cell.word == COMPARE_WORSE || cell.word == COMPARE_NOISE)) {
        out->has_interval = true;
        out->frac = cell.change.frac;
        out->low = cell.change.low;
        out->high = cell.change.high;
    }
    side_values_fini(&va);
    side_values_fini(&vb);
    return rc;
}

static int put_interval(const struct comparison *c, const struct row_pair *pairs,
                        enum rows_metric metric, struct compare_summary *out)
{
    bool by_study = c->noise == COMPARE_FROM_STUDIES;
    struct units a = {0}, b = {0};
    bool first = true, same = true;
    int rc = 0;

    for (unsigned i = 0; rc == 0 && same && i < c->rows; i++) {
        if (!counts(c, pairs, i, metric))
            continue;
        rc = add_row(pairs[i].a, metric, by_study, first, &a, &same);
        if (rc == 0)
            rc = add_row(pairs[i].b, metric, by_study, first, &b, &same);
        first = false;
    }
    if (rc == 0 && same && !first)
        rc = judge_all(c, metric, &a, &b, out);
    units_fini(&a);
    units_fini(&b);
    return rc;
}

int compare_summarise(struct comparison *c, const struct row_pair *pairs)
{
    for (unsigned m = 0; m < ROWS_METRICS; m++) {
        int rc = count_rows(c, pairs, (enum rows_metric)m, &c->summary[m]);
        if (rc == 0)
            rc = put_interval(c, pairs, (enum rows_metric)m, &c->summary[m]);
        if (rc < 0)
            return rc;
    }
    return 0;
}
