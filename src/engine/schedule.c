#include "engine/schedule_priv.h"

#include "base/rng.h"

#include <math.h>

void schedule_init(struct schedule *schedule, const struct plan_schedule *plan, uint64_t seed)
{
    schedule->arrival = plan->arrival;
    schedule->gap = 1e9 * (1 << SCHEDULE_FRACTION_BITS) / plan->rate_per_s;
    schedule->seed = seed;
    atomic_store(&schedule->next, 0);
}

/* The gap after an arrival depends on nothing but the seed and that arrival, so whichever stream takes
 * it, the schedule is the same: one word is all its state. */
static uint64_t gap_after(const struct schedule *schedule, uint64_t due)
{
    double gap = schedule->gap;
    if (schedule->arrival == PLAN_ARRIVAL_POISSON) {
        uint64_t u = mix64_pair(schedule->seed, due) >> 11;
        gap *= -log(((double)u + 1.0) * 0x1p-53);
    }
    return gap < 1.0 ? 1 : (uint64_t)(gap + 0.5);
}

uint64_t schedule_take(struct schedule *schedule)
{
    uint64_t due = atomic_load_explicit(&schedule->next, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&schedule->next, &due,
                                                  due + gap_after(schedule, due),
                                                  memory_order_relaxed, memory_order_relaxed)) {
    }
    return due >> SCHEDULE_FRACTION_BITS;
}

bool schedule_rest(struct schedule *schedule, uint64_t until_ns, uint64_t *due_ns,
                   uint64_t *arrivals)
{
    uint64_t due = atomic_load_explicit(&schedule->next, memory_order_relaxed);
    uint64_t until = until_ns << SCHEDULE_FRACTION_BITS;
    if (due >= until)
        return false;
    double left = (double)(until - due) / schedule->gap;
    double bundle = floor(left / SCHEDULE_REST_MAX);
    *due_ns = due >> SCHEDULE_FRACTION_BITS;
    *arrivals = 1;
    if (bundle < 2) {
        schedule_take(schedule);
        return true;
    }
    *arrivals = (uint64_t)bundle;
    atomic_store_explicit(&schedule->next, due + (uint64_t)(bundle * schedule->gap + 0.5),
                          memory_order_relaxed);
    return true;
}
