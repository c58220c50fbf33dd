/* One row: its value, its knee, its state, out of its points. */
#include "verdict/ceilings_priv.h"

#include "stats/knee.h"
#include "stats/spread.h"
#include "verdict/findings_priv.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUIET_FRAC 0.5

const struct result_line *ceiling_line(const struct result *r)
{
    const char *name = ceiling_option(r, "line");

    if (*name)
        return result_line_find(r, name);
    return r->lines > 0 ? &r->line[0] : NULL;
}

/* X·R/N − 1, over all that streams do; of names a part is in no line. What was done in the window counts whole, so that
 * what began before it stands for what is under way at its end. */
static double little_frac(const struct result *r)
{
    double streams = result_fact_number(&r->options, "streams", NAN);
    double failed = result_fact_number(&r->own, "failed_time_frac", 0);
    double inside_ns = 0;

    for (unsigned i = 0; i < r->lines; i++)
        inside_ns += (double)r->line[i].sum.service.sum;
    return inside_ns / (streams * (double)r->elapsed_ns) + failed - 1;
}

void ceiling_point_of(const struct result *r, enum ceiling_metric metric, struct ceiling_point *out)
{
    const struct result_line *line = ceiling_line(r);
    const struct hist *times = ceiling_times(r);

    *out =
        (struct ceiling_point){.streams = (uint32_t)result_fact_number(&r->options, "streams", 0),
                               .rate = NAN,
                               .little_frac = NAN,
                               .step = ceiling_option(r, "step"),
                               .result = r};
    /* Of a run with a wrong byte no number counts. */
    if (!line || r->elapsed_ns == 0 || r->state == RESULT_VOID)
        return;
    double moved = (double)(metric == CEILING_BYTES ? line->sum.bytes : line->sum.ops);
    out->rate = moved * 1e9 / (double)r->elapsed_ns;
    out->p50_ns = hist_quantile(times, 0.50);
    out->p99_ns = hist_quantile(times, 0.99);
    if (!ceiling_option_is(r, "claim", "names"))
        out->little_frac = little_frac(r);
}

static bool is_step(const struct ceiling_point *p, const char *step)
{
    return strcmp(p->step, step) == 0;
}

/* Is it a whole run at a load of the curve? */
static bool counts(const struct ceiling_point *p)
{
    return p->rate > 0 && !is_step(p, "prove") && p->result->state == RESULT_COMPLETE;
}

static bool is_final(const struct ceiling_point *p)
{
    return is_step(p, "final") && counts(p);
}

static int rank(const struct ceiling_point *p)
{
    return is_step(p, "prove") ? 2 : is_step(p, "final");
}

static int by_streams(const void *a, const void *b)
{
    const struct ceiling_point *p = a, *q = b;

    if (rank(p) != rank(q))
        return rank(p) - rank(q);
    if (p->streams != q->streams)
        return p->streams < q->streams ? -1 : 1;
    return p->result->run < q->result->run ? -1 : p->result->run > q->result->run;
}

/* Without finals the best point stands for them; of a latency there is no better one than the last. */
static const struct ceiling_point *best_point(const struct ceiling *c)
{
    const struct ceiling_point *best = NULL;

    for (unsigned i = 0; i < c->points; i++) {
        const struct ceiling_point *p = &c->point[i];
        if (counts(p) && (!best || c->metric == CEILING_LATENCY || p->rate > best->rate))
            best = p;
    }
    return best;
}

bool ceiling_is_value(const struct ceiling *c, const struct ceiling_point *p)
{
    return c->finals > 0 ? is_final(p) : p == best_point(c);
}

static int latency_of(struct ceiling *c)
{
    struct hist *pooled = calloc(1, sizeof *pooled);

    if (!pooled)
        return -ENOMEM;
    for (unsigned i = 0; i < c->points; i++)
        if (ceiling_is_value(c, &c->point[i]))
            hist_merge(pooled, ceiling_times(c->point[i].result));
    ceiling_latency_of(pooled, &c->latency);
    free(pooled);
    return 0;
}

static int value_of(struct ceiling *c)
{
    double *values = malloc((c->points + 1) * sizeof *values);
    struct spread spread;
    size_t n = 0;

    if (!values)
        return -ENOMEM;
    for (unsigned i = 0; i < c->points; i++) {
        const struct ceiling_point *p = &c->point[i];
        if (ceiling_is_value(c, p))
            values[n++] = c->metric == CEILING_LATENCY ? (double)p->p50_ns : p->rate;
    }
    int rc = spread_of(values, n, &spread);
    free(values);
    if (rc < 0)
        return rc;
    c->value = c->metric == CEILING_LATENCY ? (double)c->latency.p50_ns : spread.mean;
    c->half = spread.has_interval ? spread.half_95 : NAN;
    return 0;
}

/* The finals are one point of the curve, at their mean. */
static int knee_streams_of(struct ceiling *c)
{
    struct knee_point *curve = malloc((c->points + 1) * sizeof *curve);
    struct knee knee;
    unsigned n = 0;

    if (!curve)
        return -ENOMEM;
    for (unsigned i = 0; i < c->points; i++)
        if (counts(&c->point[i]) && !is_final(&c->point[i]))
            curve[n++] = (struct knee_point){c->point[i].streams, c->point[i].rate};
    if (c->finals > 0 && c->metric != CEILING_LATENCY)
        curve[n++] = (struct knee_point){c->top_streams, c->value};
    c->knee_streams = knee_of(curve, n, &knee) ? curve[knee.knee].load : c->top_streams;
    free(curve);
    return 0;
}

/* Results that tell of how a row ended tell it in their options, and a stopped one in its reason. */
static void state_of(struct ceiling *c, const struct ceiling_point *best, bool proven)
{
    const struct result *last = c->points > 0 ? c->point[c->points - 1].result : NULL;

    c->state = CEILING_FOUND;
    if (c->finals == 0) {
        c->state = CEILING_INCOMPLETE;
        for (unsigned i = 0; i < c->points; i++)
            if (c->point[i].result->state != RESULT_COMPLETE)
                last = c->point[i].result;
        snprintf(c->why, sizeof c->why, "%s",
                 last && last->reason && *last->reason ? last->reason : "no final run");
    } else if (!proven) {
        c->state = CEILING_NOT_PROVEN;
        snprintf(c->why, sizeof c->why, "%s", c->proof);
    } else if (ceiling_option_is(best->result, "starved", "yes")) {
        c->state = CEILING_STARVED;
        snprintf(c->why, sizeof c->why, "the working set is too small to prove the place%s%s",
                 *c->proof ? ": " : "", c->proof);
    } else if (c->metric != CEILING_LATENCY &&
               ceiling_option_is(best->result, "ramp_end", "rising")) {
        c->state = CEILING_RISING;
        snprintf(c->why, sizeof c->why, "%u streams, the most there may be, still gave more",
                 c->most_streams);
    } else if (c->metric != CEILING_LATENCY && ceiling_option_is(best->result, "ramp_end", "cut")) {
        c->state = CEILING_RISING;
        snprintf(c->why, sizeof c->why, "its time was over when %u streams still gave more",
                 c->most_streams);
    }
}

static void count_points(struct ceiling *c)
{
    for (unsigned i = 0; i < c->points; i++) {
        const struct ceiling_point *p = &c->point[i];
        if (!is_step(p, "prove") && p->streams > c->most_streams)
            c->most_streams = p->streams;
        if (is_final(p)) {
            c->finals++;
            c->top_streams = p->streams;
        }
    }
}

/* Of the finals the one in the middle: the one that findings are of. */
static const struct ceiling_point *middle_of(const struct ceiling *c)
{
    const struct ceiling_point *middle = NULL;
    double nearest = INFINITY;

    for (unsigned i = 0; i < c->points; i++) {
        const struct ceiling_point *p = &c->point[i];
        double at = c->metric == CEILING_LATENCY ? (double)p->p50_ns : p->rate;
        if (ceiling_is_value(c, p) && fabs(at - c->value) < nearest) {
            nearest = fabs(at - c->value);
            middle = p;
        }
    }
    return middle;
}

/* Little load of the same row, to tell what is full whatever is asked. */
static const struct result *quiet_of(const struct ceiling *c)
{
    const struct ceiling_point *quiet = NULL;

    for (unsigned i = 0; c->metric != CEILING_LATENCY && i < c->points; i++) {
        const struct ceiling_point *p = &c->point[i];
        if (counts(p) && p->rate <= QUIET_FRAC * c->value && (!quiet || p->rate < quiet->rate))
            quiet = p;
    }
    return quiet ? quiet->result : NULL;
}

static bool finds(const struct result *r, const struct result *quiet, const char *rule)
{
    struct finding found[FINDINGS_MAX];
    unsigned n = findings_among(r, quiet, found);

    while (n > 0 && strcmp(found[n - 1].rule, rule) != 0)
        n--;
    return n > 0;
}

/* Most of the finals have to say the same: one of them alone may have met something. */
static bool is_of_most(const struct ceiling *c, const struct result *quiet, const char *rule)
{
    unsigned n = 0, all = 0;

    for (unsigned i = 0; i < c->points; i++)
        if (ceiling_is_value(c, &c->point[i])) {
            all++;
            n += finds(c->point[i].result, quiet, rule);
        }
    return 2 * n > all;
}

static void findings_of_row(struct ceiling *c, const struct result *base)
{
    const struct result *quiet = quiet_of(c);

    c->findings = findings_among(base, quiet, c->finding);
    for (unsigned i = 0; i < c->findings; i++)
        if (c->finding[i].weight == FINDING_LIMITS && !is_of_most(c, quiet, c->finding[i].rule))
            c->finding[i].weight = FINDING_NOTES;
    for (unsigned i = 0; i < c->points; i++) {
        struct finding found[FINDINGS_MAX];
        const struct ceiling_point *p = &c->point[i];
        unsigned n = is_step(p, "prove") ? findings_changed(base, p->result, found) : 0;
        for (unsigned k = 0; k < n && c->findings < FINDINGS_MAX; k++)
            c->finding[c->findings++] = found[k];
    }
    c->limiter = findings_limiter(c->finding, c->findings);
}

int ceiling_finish(struct ceiling *c)
{
    qsort(c->point, c->points, sizeof *c->point, by_streams);
    count_points(c);
    c->half = NAN;
    c->place_frac = NAN;
    const struct ceiling_point *best = best_point(c);

    if (!best) {
        c->value = NAN;
        state_of(c, best, true);
        return 0;
    }
    if (c->finals == 0)
        c->top_streams = best->streams;
    int rc = latency_of(c);
    if (rc == 0)
        rc = value_of(c);
    if (rc == 0)
        rc = knee_streams_of(c);
    if (rc < 0)
        return rc;
    best = middle_of(c);
    bool proven = ceiling_place_of(c);
    state_of(c, best, proven);
    findings_of_row(c, best->result);
    return 0;
}
