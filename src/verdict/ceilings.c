/* Sorts results into targets and rows. */
#include "verdict/ceilings_priv.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is known while the table grows. */
struct sorter {
    struct ceilings *c;
    unsigned room;
    /* Of each target: whose it is. */
    const char **study_id;
    const char **side;
    /* Protocols in the order in which they were met. */
    char (*protocol)[sizeof((struct ceiling *)NULL)->protocol];
    unsigned protocols;
};

static int grown(void **array, unsigned n, size_t size)
{
    void *more = realloc(*array, (n + 1) * size);

    if (!more)
        return -ENOMEM;
    *array = more;
    return 0;
}

static int target_of(struct sorter *s, const struct result *r, unsigned *out)
{
    const char *side = ceiling_option(r, "side");
    const char *address = ceiling_option(r, "address");
    unsigned n = s->c->targets;

    for (*out = 0; *out < n; (*out)++)
        if (strcmp(s->study_id[*out], r->study_id) == 0 && strcmp(s->side[*out], side) == 0)
            return 0;
    if (grown((void **)&s->study_id, n, sizeof *s->study_id) < 0 ||
        grown((void **)&s->side, n, sizeof *s->side) < 0 ||
        grown((void **)&s->c->target, n, sizeof *s->c->target) < 0)
        return -ENOMEM;
    s->study_id[n] = r->study_id;
    s->side[n] = side;
    s->c->target[n] = strdup(*address || !r->target ? address : r->target);
    if (!s->c->target[n])
        return -ENOMEM;
    s->c->targets++;
    return 0;
}

static int meet_protocol(struct sorter *s, const char *protocol)
{
    for (unsigned i = 0; i < s->protocols; i++)
        if (strcmp(s->protocol[i], protocol) == 0)
            return 0;
    if (grown((void **)&s->protocol, s->protocols, sizeof *s->protocol) < 0)
        return -ENOMEM;
    snprintf(s->protocol[s->protocols++], sizeof *s->protocol, "%s", protocol);
    return 0;
}

/* The row, a new one where there is none; NULL: no memory. */
static struct ceiling *row_of(struct sorter *s, unsigned target, const char *protocol,
                              const char *row)
{
    for (unsigned i = 0; i < s->c->n; i++) {
        struct ceiling *c = &s->c->row[i];
        if (c->target == target && strcmp(c->row, row) == 0 && strcmp(c->protocol, protocol) == 0)
            return c;
    }
    if (meet_protocol(s, protocol) < 0 ||
        grown((void **)&s->c->row, s->c->n, sizeof *s->c->row) < 0)
        return NULL;
    struct ceiling *c = &s->c->row[s->c->n++];
    *c = (struct ceiling){
        .target = target, .metric = CEILING_OPS, .value = NAN, .half = NAN, .place_frac = NAN};
    snprintf(c->protocol, sizeof c->protocol, "%s", protocol);
    snprintf(c->row, sizeof c->row, "%s", row);
    return c;
}

static enum ceiling_metric metric_of(const struct result *r)
{
    if (ceiling_option_is(r, "metric", "bytes"))
        return CEILING_BYTES;
    return ceiling_option_is(r, "metric", "latency") ? CEILING_LATENCY : CEILING_OPS;
}

static int add_point(struct sorter *s, unsigned target, const struct result *r)
{
    struct ceiling *c = row_of(s, target, ceiling_option(r, "protocol"), ceiling_option(r, "row"));

    if (!c || grown((void **)&c->point, c->points, sizeof *c->point) < 0)
        return -ENOMEM;
    c->metric = metric_of(r);
    ceiling_point_of(r, c->metric, &c->point[c->points++]);
    return 0;
}

static const char *behind(const char *text, const char *head)
{
    size_t len = strlen(head);

    return strncmp(text, head, len) == 0 ? text + len : NULL;
}

/* skip.PROTOCOL.ROW: a row that has points is none, whatever was thought of it before. */
static int add_skip(struct sorter *s, unsigned target, const struct result_fact *fact)
{
    static const char skipped[] = "skipped: ", not_applicable[] = "not applicable: ";
    char protocol[sizeof((struct ceiling *)NULL)->protocol];
    const char *rest = behind(fact->key, "skip.");
    const char *row = rest ? strrchr(rest, '.') : NULL;

    if (!row)
        return 0;
    snprintf(protocol, sizeof protocol, "%.*s", (int)(row - rest), rest);
    struct ceiling *c = row_of(s, target, protocol, row + 1);
    if (!c)
        return -ENOMEM;
    if (c->points > 0)
        return 0;
    const char *why = behind(fact->value, skipped);
    c->state = why ? CEILING_SKIPPED : CEILING_NOT_APPLICABLE;
    if (!why)
        why = behind(fact->value, not_applicable);
    snprintf(c->why, sizeof c->why, "%s", why ? why : fact->value);
    return 0;
}

static int take(struct sorter *s, const struct result *r)
{
    unsigned target;
    int rc = target_of(s, r, &target);

    /* Runs that looked for the size of a cache are no point of any row. */
    if (rc == 0 && *ceiling_option(r, "row") && !ceiling_option_is(r, "step", "size"))
        rc = add_point(s, target, r);
    return rc;
}

static int take_skips(struct sorter *s, const struct result *r)
{
    unsigned target;
    int rc = target_of(s, r, &target);

    for (unsigned i = 0; rc == 0 && i < r->options.n; i++)
        rc = add_skip(s, target, &r->options.fact[i]);
    return rc;
}

static unsigned protocol_rank(const struct sorter *s, const char *protocol)
{
    unsigned i = 0;

    while (i < s->protocols && strcmp(s->protocol[i], protocol) != 0)
        i++;
    return i;
}

static int by_ladder(const void *a, const void *b, void *sorter)
{
    const struct ceiling *p = a, *q = b;
    unsigned of_p = protocol_rank(sorter, p->protocol), of_q = protocol_rank(sorter, q->protocol);

    if (of_p != of_q)
        return of_p < of_q ? -1 : 1;
    if (ceiling_rank(p->row) != ceiling_rank(q->row))
        return ceiling_rank(p->row) < ceiling_rank(q->row) ? -1 : 1;
    return p->target < q->target ? -1 : p->target > q->target;
}

/* Rows stay where they are from here on: limiters point into them. */
static int finish(struct sorter *s)
{
    struct ceilings *c = s->c;

    qsort_r(c->row, c->n, sizeof *c->row, by_ladder, s);
    for (unsigned i = 0; i < c->n; i++) {
        struct ceiling *row = &c->row[i];
        int rc = row->points > 0 ? ceiling_finish(row) : 0;
        if (rc < 0)
            return rc;
        bool found = !isnan(row->value);
        c->found += found;
        c->at_client += found && row->limiter && row->limiter->at_client;
    }
    return 0;
}

int ceilings_of(struct result *const *results, unsigned n, struct ceilings **out, struct err *err)
{
    struct sorter s = {.c = calloc(1, sizeof *s.c)};
    int rc = s.c ? 0 : -ENOMEM;

    for (unsigned i = 0; rc == 0 && i < n; i++)
        rc = strcmp(results[i]->study, "limits") == 0
                 ? take(&s, results[i])
                 : err_set(err, -EINVAL, "%.16s.%u is a run of %.16s, not of limits",
                           results[i]->study_id, results[i]->run, results[i]->study);
    for (unsigned i = 0; rc == 0 && i < n; i++)
        rc = take_skips(&s, results[i]);
    if (rc == 0)
        rc = finish(&s);
    if (rc == 0)
        *out = s.c;
    else
        ceilings_free(s.c);
    free(s.study_id);
    free(s.side);
    free(s.protocol);
    return rc == -ENOMEM ? err_set(err, rc, "no memory for the table of ceilings") : rc;
}

void ceilings_free(struct ceilings *c)
{
    if (!c)
        return;
    for (unsigned i = 0; i < c->targets; i++)
        free(c->target[i]);
    for (unsigned i = 0; i < c->n; i++)
        free(c->row[i].point);
    free(c->target);
    free(c->row);
    free(c);
}
