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

#include <stdint.h>

#define ENGINE_CALLS_MAX 32

struct engine_outcome;
struct worker;

enum calls_state {
    CALLS_NONE, /* the target makes none, or the window is over */
    CALLS_BEFORE,
    CALLS_COUNTED,
};

struct worker_calls {
    uint8_t state;
    unsigned n;
    struct worker_call {
        const char *name;
        const struct hist *time; /* the session's, which is still open */
    } call[ENGINE_CALLS_MAX];
};

void calls_begin(struct worker *w);
void calls_end(struct worker *w);
/* At the edges of the window; calls_turn only where there may be one. */
void calls_edge(struct worker *w);
__attribute__((warn_unused_result)) int calls_add(struct engine_outcome *out, const char *name,
                                                  const struct hist *time);

#endif
