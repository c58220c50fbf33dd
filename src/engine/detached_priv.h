/* engine/detached_priv.h — ops that their stream does not wait for.
 * Shape    a stream's step takes a free one (detached_begin), the worker offers it and the stream goes on
 *          when the target has it (detached_handed); when it has come back (detached_complete) it is
 *          free again. A stream without a free one waits, and so does one that joins them, or that
 *          closes the file that they are done to.
 * Units    ns on the run's clock, bytes.
 * Limits   as many as the plan's group says, each with its own buffer, made before the gate.
 * Errors   of the op, counted in the run with its path.
 * Threads  the worker's; held_since_ns is read by the watchdog, too.
 * Source   tests/truth/test_wml_detached.c. */
#ifndef LOADLINE_ENGINE_DETACHED_PRIV_H
#define LOADLINE_ENGINE_DETACHED_PRIV_H

#include "engine/stream_priv.h"

/* An op that its stream does not wait for. */
struct detached {
    struct op op; /* its `user` is this */
    _Atomic uint64_t held_since_ns;
    uint64_t issued_ns;
    uint64_t want;
    struct stream *stream;
    struct slot *slot;
    struct slot of; /* as it was when the op began: which file */
    uint32_t step;
    bool handed; /* the target has it, and the stream has gone on */
    bool was_held;
    struct stream_left left;
    unsigned char *buf;
    struct detached *next; /* of those that are free */
};

/* Ops of its streams that nobody waits for. */
struct worker_detached {
    struct detached *all;
    unsigned n;
    unsigned out;  /* not free */
    uint64_t full; /* how often a stream waited for a free one */
};

static inline bool op_is_detached(const struct op *op)
{
    return (op->flags & OP_FLAG_DETACHED) != 0;
}
/* The step's op into one that is free, or the stream waits for one. */
enum advance detached_begin(struct worker *w, struct stream *s, const struct plan_step *step);
/* The target has it: the sample of handing over, and the stream is at the next step. */
void detached_handed(struct worker *w, struct detached *d);
/* It has come back. true: its stream goes on now. */
bool detached_complete(struct worker *w, struct detached *d);
/* PLAN_JOIN. */
enum advance detached_join(struct worker *w, struct stream *s, const struct plan_step *step);
/* What is left of it if the run ends now. */
struct stream_left detached_left_now(const struct run *run, const struct detached *d, bool held);
void detached_path(const struct run *run, const struct detached *d, char *buf, size_t room);

#endif
