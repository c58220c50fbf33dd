#include "result/result.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct place {
    const struct result *result;
    double length_bytes;
    double side;
    double script; /* of workload files: which, and which run in it */
    double script_run;
    double repeat; /* -1: not one of several, so nothing takes its place */
    unsigned at;
    bool counts;
};

static struct place place_of(const struct result *r, unsigned at)
{
    return (struct place){.result = r,
                          .length_bytes = result_fact_number(&r->options, "length_bytes", 0),
                          .side = result_fact_number(&r->options, "side", 0),
                          .script = result_fact_number(&r->options, "script", 0),
                          .script_run = result_fact_number(&r->options, "script_run", 0),
                          .repeat = result_fact_number(&r->options, "repeat", -1),
                          .at = at};
}

static int order(double a, double b)
{
    return (a > b) - (a < b);
}

static int compare_turn(const struct place *a, const struct place *b)
{
    int by = strcmp(a->result->phase, b->result->phase);
    if (by == 0)
        by = order(a->length_bytes, b->length_bytes);
    if (by == 0)
        by = order(a->side, b->side);
    if (by == 0)
        by = order(a->script, b->script);
    if (by == 0)
        by = order(a->script_run, b->script_run);
    return by ? by : order(a->repeat, b->repeat);
}

/* Of one turn the one that counts comes last. */
static int compare(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    bool x_stopped = x->result->state == RESULT_INCOMPLETE;
    bool y_stopped = y->result->state == RESULT_INCOMPLETE;
    int by = compare_turn(x, y);

    if (by == 0 && x_stopped != y_stopped)
        by = x_stopped ? -1 : 1;
    return by ? by : order(x->at, y->at);
}

static int compare_at(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return order(x->at, y->at);
}

int result_current(struct result *const *results, unsigned n, bool *counts)
{
    struct place *place = calloc(n + 1, sizeof *place);
    if (!place)
        return -ENOMEM;
    for (unsigned i = 0; i < n; i++)
        place[i] = place_of(results[i], i);
    qsort(place, n, sizeof *place, compare);
    for (unsigned i = 0; i < n; i++)
        place[i].counts =
            place[i].repeat < 0 || i + 1 == n || compare_turn(&place[i], &place[i + 1]) != 0;
    qsort(place, n, sizeof *place, compare_at);
    for (unsigned i = 0; i < n; i++)
        counts[i] = place[i].counts;
    free(place);
    return 0;
}
