/* The band and the modes of pooled times. */
#include "verdict/ceilings_priv.h"

#include <string.h>
#include <sys/param.h>

/* Modes are looked for in steps of 1/8 of a power of two: finer ones have hills of chance. */
#define STEP_BUCKETS 16
#define STEPS        (HIST_BUCKETS / STEP_BUCKETS)
/* A hill is one of its own when the way to a higher one goes down to half of it, and a twentieth of all values
 * are in it. */
#define VALLEY_FRAC 0.5
#define LEAST_FRAC  0.05

static const struct hist *called(const struct result *r, const char *name)
{
    for (unsigned i = 0; i < r->calls.n; i++)
        if (strcmp(r->calls.kind[i].name, name) == 0 && hist_count(&r->calls.kind[i].time) > 0)
            return &r->calls.kind[i].time;
    return NULL;
}

const struct hist *ceiling_times(const struct result *r)
{
    const struct result_line *line = ceiling_line(r);
    const struct hist *served = NULL;

    if (result_modelled(r) && ceiling_option_is(r, "metric", "latency"))
        served = called(r, ceiling_option_is(r, "claim", "log") ? "synchronous write"
                                                                : "read from flash");
    if (served)
        return served;
    return line ? &line->sum.service : NULL;
}

/* Values of a step, with half of its neighbours' beside them. */
static double smooth(const uint64_t step[STEPS], unsigned i)
{
    double left = i > 0 ? (double)step[i - 1] : 0;
    double right = i + 1 < STEPS ? (double)step[i + 1] : 0;

    return (double)step[i] / 2 + (left + right) / 4;
}

/* From `at` away in one direction, until what follows is higher (of equal ones the first counts): how low the way
 * goes, and where it is lowest. Where nothing is higher the way ends at the end, in 0. */
static unsigned valley(const uint64_t step[STEPS], unsigned at, int direction, double *lowest)
{
    double top = smooth(step, at);
    unsigned where = at;

    *lowest = top;
    for (int i = (int)at + direction; i >= 0 && i < STEPS; i += direction) {
        double height = smooth(step, (unsigned)i);
        if (direction < 0 ? height >= top : height > top)
            return where;
        if (height < *lowest) {
            *lowest = height;
            where = (unsigned)i;
        }
    }
    *lowest = 0;
    return direction < 0 ? 0 : STEPS - 1;
}

static bool is_mode(const uint64_t step[STEPS], unsigned at, uint64_t all)
{
    double top = smooth(step, at), left, right;
    uint64_t inside = 0;

    if (top <= 0)
        return false;
    unsigned first = valley(step, at, -1, &left);
    unsigned last = valley(step, at, 1, &right);

    if (left > VALLEY_FRAC * top || right > VALLEY_FRAC * top)
        return false;
    for (unsigned i = first; i <= last; i++)
        inside += step[i];
    return (double)inside >= LEAST_FRAC * (double)all;
}

static uint64_t heaviest(const struct hist *h, unsigned step)
{
    unsigned best = step * STEP_BUCKETS;

    for (unsigned b = best; b < (step + 1) * STEP_BUCKETS; b++)
        if (h->n[b] > h->n[best])
            best = b;
    return hist_bucket_low(best) + (hist_bucket_high(best) - hist_bucket_low(best)) / 2;
}

void ceiling_latency_of(const struct hist *pooled, struct ceiling_latency *out)
{
    uint64_t step[STEPS] = {0};

    *out = (struct ceiling_latency){.p5_ns = hist_quantile(pooled, 0.05),
                                    .p50_ns = hist_quantile(pooled, 0.50),
                                    .p95_ns = hist_quantile(pooled, 0.95),
                                    .p99_ns = hist_quantile(pooled, 0.99)};
    for (unsigned b = 0; b < STEPS * STEP_BUCKETS; b++)
        step[b / STEP_BUCKETS] += pooled->n[b];
    for (unsigned i = 0; i < STEPS && out->modes < CEILING_MODES_MAX; i++)
        if (is_mode(step, i, hist_count(pooled)))
            out->mode_ns[out->modes++] = heaviest(pooled, i);
}
