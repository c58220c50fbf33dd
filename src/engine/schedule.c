#include "engine/engine_priv.h"

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
