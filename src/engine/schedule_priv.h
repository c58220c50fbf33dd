/* engine/schedule_priv.h — when the arrivals of an open loop fall due.
 * Shape    schedule_init, then schedule_take from any worker; after the run schedule_rest for what
 *          nobody took.
 * Units    ns since the gate; inside, 2^-10 ns, so that a rate does not drift.
 * Limits   the set of due times depends on plan and seed only, not on who takes which. 208 days.
 * Threads  schedule_take from any; schedule_rest by one, after them.
 * Source   tests/unit/test_schedule.c. */
#ifndef LOADLINE_ENGINE_SCHEDULE_PRIV_H
#define LOADLINE_ENGINE_SCHEDULE_PRIV_H

#include "plan/plan.h"

#include <stdatomic.h>

#define ENGINE_CACHE_LINE      64
#define SCHEDULE_FRACTION_BITS 10
#define SCHEDULE_REST_MAX      1000000u /* arrivals told one by one; more of them in bundles */

/* Its one changing word is alone on its cache line. */
struct schedule {
    _Alignas(ENGINE_CACHE_LINE) _Atomic uint64_t next; /* since the gate, in 2^-10 ns */
    uint64_t seed;
    double gap; /* mean, in 2^-10 ns */
    enum plan_arrival arrival;
};

void schedule_init(struct schedule *schedule, const struct plan_schedule *plan, uint64_t seed);

/* Takes the next arrival: ns since the gate. */
uint64_t schedule_take(struct schedule *schedule);
/* Takes the next `amount` of them, which need not be whole: when the last of them falls due, or the one
 * that it is a part of. */
uint64_t schedule_take_many(struct schedule *schedule, double amount);

/* Takes the next one before until_ns, and with it as many as *arrivals says, all due about then: one
 * while no more than SCHEDULE_REST_MAX are left, else an equal part of them. false: none is left. */
bool schedule_rest(struct schedule *schedule, uint64_t until_ns, uint64_t *due_ns,
                   uint64_t *arrivals);

#endif
