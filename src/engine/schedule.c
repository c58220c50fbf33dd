#include "engine/schedule_priv.h"

#include "base/rng.h"

#include <math.h>

#define DRAWN_MAX 1000.0 /* one by one; of more the mean is near enough */

void schedule_init(struct schedule *schedule, const struct plan_schedule *plan, uint64_t seed)
{
    schedule->arrival = plan->arrival;
    schedule->gap = 1e9 * (1 << SCHEDULE_FRACTION_BITS) / plan->rate_per_s;
    if (plan->arrival == PLAN_ARRIVAL_TENS) /* so that ten gaps are ten arrivals */
        schedule->gap = fmax(floor(schedule->gap + 0.5), 1.0);
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

/* Ten of them come together, when the last of the ten would; they are one gap apart in `next`. */
static uint64_t when(const struct schedule *schedule, uint64_t due)
{
    if (schedule->arrival == PLAN_ARRIVAL_TENS) {
        uint64_t ten = 10 * gap_after(schedule, due);
        due = (due / ten + 1) * ten;
    }
    return due >> SCHEDULE_FRACTION_BITS;
}

uint64_t schedule_take(struct schedule *schedule)
{
    uint64_t due = atomic_load_explicit(&schedule->next, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&schedule->next, &due,
                                                  due + gap_after(schedule, due),
                                                  memory_order_relaxed, memory_order_relaxed)) {
    }
    return when(schedule, due);
}

/* Where `due` has come to behind so many arrivals; *last: where the last of them was. */
static uint64_t behind(const struct schedule *schedule, uint64_t due, double amount, uint64_t *last)
{
    double drawn = 0;
    *last = due;
    for (; schedule->arrival == PLAN_ARRIVAL_POISSON && drawn + 1 <= amount && drawn < DRAWN_MAX;
         drawn++) {
        *last = due;
        due += gap_after(schedule, due);
    }
    double rest = amount - drawn;
    if (rest <= 0)
        return due;
    double gap = schedule->arrival == PLAN_ARRIVAL_POISSON && rest < 1
                     ? (double)gap_after(schedule, due)
                     : schedule->gap;
    *last = rest > 1 ? due + (uint64_t)((rest - 1) * gap + 0.5) : drawn > 0 ? *last : due;
    return due + (uint64_t)(rest * gap + 0.5);
}

uint64_t schedule_take_many(struct schedule *schedule, double amount)
{
    uint64_t last;
    uint64_t due = atomic_load_explicit(&schedule->next, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&schedule->next, &due,
                                                  behind(schedule, due, amount, &last),
                                                  memory_order_relaxed, memory_order_relaxed)) {
    }
    return when(schedule, last);
}

bool schedule_rest(struct schedule *schedule, uint64_t until_ns, uint64_t *due_ns,
                   uint64_t *arrivals)
{
    uint64_t due = atomic_load_explicit(&schedule->next, memory_order_relaxed);
    uint64_t until = until_ns << SCHEDULE_FRACTION_BITS;
    if (when(schedule, due) >= until_ns)
        return false;
    double left = (double)(until - due) / schedule->gap;
    double bundle = floor(left / SCHEDULE_REST_MAX);
    *due_ns = when(schedule, due);
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
