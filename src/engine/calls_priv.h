/* engine/calls_priv.h — how long the target's own calls took, as far as they ended in the window.
 * Shape    calls_begin before a worker's body, calls_turn where it has read the clock, calls_end behind its
 *          last op; calls_add gathers what workers have, and what several passes have.
 * Units    ns.
 * Limits   ENGINE_CALLS_MAX kinds, of a target that makes more the first ones. Calls that were under way when
 *          the window opened count with their whole time, as ops do.
 * Errors   -ENOMEM.
 * Threads  the worker's; calls_add whoever owns the outcome, while the sessions are still open.
 * Source   tests/unit/test_calls_window.c. */
#ifndef LOADLINE_ENGINE_CALLS_PRIV_H
#define LOADLINE_ENGINE_CALLS_PRIV_H

#include "stats/hist.h"

#include <stdbool.h>
#include <stdint.h>

#define ENGINE_CALLS_MAX 32

struct engine_outcome;
struct worker;

struct worker_calls {
    bool tells;       /* the target makes some, and the body is not over */
    uint64_t open_ns; /* as the session was told last */
    uint64_t close_ns;
    unsigned n;
    struct worker_call {
        const char *name;
        const struct hist *time; /* the session's, which is still open */
    } call[ENGINE_CALLS_MAX];
};

void calls_begin(struct worker *w);
void calls_end(struct worker *w);
/* The window may have moved. */
void calls_turn(struct worker *w);
__attribute__((warn_unused_result)) int calls_add(struct engine_outcome *out, const char *name,
                                                  const struct hist *time);

#endif
