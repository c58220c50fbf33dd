#include "verdict/compare_priv.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool same_unit(const struct unit *a, const struct unit *b)
{
    return a->repeat == b->repeat && strcmp(a->study_id, b->study_id) == 0;
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

double unit_value(const struct unit *unit)
{
    return exp(unit->log_sum / unit->runs);
}

/* Values of 0 stay in as log 0, so that whoever judges sees them. */
static void add(struct units *u, const struct row_run *run, enum rows_metric metric, bool by_study)
{
    const struct unit like = {.study_id = run->result->study_id,
                              .repeat = by_study ? 0 : run->repeat};
    /* Without a number of its own each run is a unit. */
    struct unit *unit = by_study || run->repeat > 0 ? find(u, &like) : NULL;

    if (!unit) {
        unit = &u->unit[u->n++];
        *unit = like;
    }
    bool rate = metric == ROWS_OPS || metric == ROWS_BYTES || metric == ROWS_TIME;
    unit->runs++;
    unit->log_sum += log(run->value[metric]);
    unit->within_sum += rate ? run->within_frac * run->within_frac : NAN;
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
        v.value[i] = unit_value(&u->unit[i]);
        v.within_frac[i] = sqrt(u->unit[i].within_sum) / u->unit[i].runs;
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
