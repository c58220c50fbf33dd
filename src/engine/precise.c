/* When the window closes, where a plan wants its rate no more precise than so. */
#include "engine/engine_priv.h"
#include "stats/spread.h"

#include <math.h>
#include <string.h>
#include <sys/param.h>

#define PARTS PRECISE_PARTS
#define BINS  PRECISE_BINS
#define TIED                                                                                       \
    0.4 /* correlation of parts that follow each other: they are too short to tell anything */
#define LATER 1.25 /* every look can be wrong, so there are few: each at a window so much longer */
#define NEVER INFINITY

/* Batch means (Law and Carson, 1979): the parts of a window that is long enough are as good as independent of each
 * other, whatever holds single ops together, and their spread is that of the rate. */
double precise_half(const uint64_t ops[PARTS], bool *tied)
{
    double sum = 0, squares = 0, products = 0;
    for (unsigned i = 0; i < PARTS; i++)
        sum += (double)ops[i];
    double mean = sum / PARTS;
    for (unsigned i = 0; i < PARTS; i++) {
        double d = (double)ops[i] - mean;
        squares += d * d;
        if (i > 0)
            products += d * ((double)ops[i - 1] - mean);
    }
    *tied = products > TIED * squares;
    if (sum == 0)
        return NEVER;
    return spread_t95(PARTS - 1) * sqrt(squares / (PARTS - 1) / PARTS) / mean;
}

static void fold(struct precise *p)
{
    for (unsigned i = 0; i < BINS / 2; i++)
        p->ops[i] = p->ops[2 * i] + p->ops[2 * i + 1];
    memset(p->ops + BINS / 2, 0, BINS / 2 * sizeof p->ops[0]);
    p->bin_intervals *= 2;
}

void precise_add(struct run *run, const struct samples_block *block)
{
    struct precise *p = &run->precise;
    if (run->plan->window.precise_frac <= 0)
        return;
    uint64_t interval = block->interval - run->open_interval;
    p->bin_intervals = MAX(p->bin_intervals, 1);
    while (interval / p->bin_intervals >= BINS)
        fold(p);
    for (unsigned i = 0; i < block->lines; i++)
        p->ops[interval / p->bin_intervals] += block->line[i].ops;
}

/* Of the first whole parts that so many intervals hold. */
static double half_of(const struct precise *p, uint64_t intervals, bool *tied)
{
    uint64_t ops[PARTS] = {0};
    uint64_t each = intervals / MAX(p->bin_intervals, 1) / PARTS;
    for (uint64_t i = 0; i < MIN(each * PARTS, BINS); i++)
        ops[i / each] += p->ops[i];
    return precise_half(ops, tied);
}

/* As with a window that opens: the next edge to come, behind all that was counted. */
static void close_next(struct run *run, uint64_t now)
{
    uint64_t interval_ns = run->plan->window.interval_ns;
    uint64_t interval = (now - run->gate_ns) / interval_ns + 1;
    if (interval >= run->close_interval)
        return;
    run->close_interval = interval;
    atomic_store(&run->close_ns, run->gate_ns + interval * interval_ns);
    run_wake(run);
}

void precise_poll(struct run *run, uint64_t now)
{
    const struct plan_window *window = &run->plan->window;
    struct precise *p = &run->precise;
    if (window->precise_frac <= 0 || p->found || now < run->open_ns || now >= run->close_ns)
        return;
    uint64_t intervals = (now - run->open_ns) / window->interval_ns;
    if (intervals < p->next || intervals * window->interval_ns < window->precise_min_ns ||
        intervals < PARTS * MAX(p->bin_intervals, 1))
        return;
    bool tied;
    run->out->notes.precise_frac = half_of(p, intervals, &tied);
    p->found = !tied && run->out->notes.precise_frac <= window->precise_frac;
    p->next = (uint64_t)((double)intervals * LATER) + 1;
    if (p->found)
        close_next(run, now);
}

void precise_end(struct run *run)
{
    const struct plan_window *window = &run->plan->window;
    bool tied;
    if (window->precise_frac <= 0 || run->precise.found)
        return;
    double half = half_of(&run->precise, run->out->elapsed_ns / window->interval_ns, &tied);
    run->out->notes.precise_frac = isfinite(half) ? half : 1;
}
