/* When the window opens, where a plan lets the rate decide, and what it has come to each period. */
#include "engine/engine_priv.h"

#include <math.h>
#include <sys/param.h>

#define PARTS     STEADY_PARTS
#define MARGIN_NS 5000000u /* every worker has read the new edge by then */
#define LAG_NS    25000000u

/* The least-squares line through the parts rises or falls by no more than the range allows, over all
 * of them; both in the mean of the parts. */
bool steady_rule(const uint64_t ops[PARTS], double frac)
{
    double sum = 0, low = INFINITY, high = 0, slope = 0, squares = 0;
    for (unsigned i = 0; i < PARTS; i++) {
        double x = i - (PARTS - 1) / 2.0;
        double y = (double)ops[i];
        sum += y;
        low = fmin(low, y);
        high = fmax(high, y);
        slope += x * y;
        squares += x * x;
    }
    double mean = sum / PARTS;
    double drift = fabs(slope / squares) * (PARTS - 1);
    return sum > 0 && high - low <= frac * mean && drift <= frac * mean;
}

void steady_begin(struct run *run)
{
    const struct plan_window *window = &run->plan->window;
    uint64_t warmup = window->warmup_ns / window->interval_ns;
    run->steady.part_intervals = MAX((warmup + PARTS - 1) / PARTS, 1);
    run->steady.parts = PARTS;
}

void steady_add(struct run *run, const struct samples_block *block)
{
    struct steady *steady = &run->steady;
    uint64_t part = block->interval / steady->part_intervals;
    for (; steady->newest < part; steady->newest++)
        steady->ops[(steady->newest + 1) % STEADY_RING] = 0;
    if (part + STEADY_RING <= steady->newest)
        return; /* later than anybody looks */
    for (unsigned i = 0; i < block->lines; i++)
        steady->ops[part % STEADY_RING] += block->line[i].ops;
}

/* Moves the window ahead to the next interval edge. */
static void open_next(struct run *run, uint64_t now)
{
    const struct plan_window *window = &run->plan->window;
    uint64_t margin_ns = run->caps.own_clock ? 0 : MARGIN_NS;
    uint64_t interval = (now + margin_ns - run->gate_ns) / window->interval_ns + 1;
    if (interval >= run->open_interval)
        return;
    uint64_t ahead = run->open_interval - interval;
    uint64_t ahead_ns = ahead * window->interval_ns;
    run->open_interval = interval;
    if (window->measure_ns > 0) {
        run->close_interval -= ahead;
        atomic_store(&run->close_ns, run->close_ns - ahead_ns);
    }
    atomic_store(&run->open_ns, run->open_ns - ahead_ns);
    run_wake(run); /* whoever waits until the window closes waits too long */
}

void steady_poll(struct run *run, uint64_t now)
{
    const struct plan_window *window = &run->plan->window;
    struct steady *steady = &run->steady;
    if (window->steady_frac <= 0 || run->out->notes.steady_found || now >= run->open_ns)
        return;
    /* One interval late, for workers that publish when their next op comes back. */
    uint64_t lag = run->caps.own_clock ? 0 : 1;
    uint64_t intervals = (now - run->gate_ns) / window->interval_ns;
    while (!run->out->notes.steady_found &&
           intervals >= steady->parts * steady->part_intervals + lag) {
        uint64_t last[PARTS];
        for (unsigned i = 0; i < PARTS; i++)
            last[i] = steady->ops[(steady->parts - PARTS + i) % STEADY_RING];
        run->out->notes.steady_found = steady_rule(last, window->steady_frac);
        steady->parts++;
    }
    if (run->out->notes.steady_found)
        open_next(run, now);
}

void period_poll(struct run *run, uint64_t now)
{
    const struct plan_window *window = &run->plan->window;
    uint64_t lag_ns = run->caps.own_clock ? 0 : MIN(window->interval_ns / 2, LAG_NS);
    if (!run->job->period || window->period_ns == 0 || now < run->open_ns + lag_ns ||
        now >= run->close_ns || atomic_load(&run->halt) != HALT_NONE)
        return;
    /* What was taken so far ends at an interval edge. */
    uint64_t intervals = (now - lag_ns - run->open_ns) / window->interval_ns;
    uint64_t elapsed_ns = intervals * window->interval_ns;
    if (elapsed_ns / window->period_ns <= run->periods_told)
        return;
    run->periods_told = elapsed_ns / window->period_ns;
    const struct engine_period period = {
        .open_ns = run->open_ns - run->gate_ns, .elapsed_ns = elapsed_ns, .total = run->out->total};
    run->job->period(run->job->ctx, &period);
}
