/* target/blocking_priv.h — a session that is driven by blocking calls on descriptors: one op of its own
 * at a time, which submit does, and beside it detached ones, which helpers do.
 * Shape    struct blocking is the first member of a target's session. blocking_init, then
 *          blocking_help once the session's descriptor table is what it will be … blocking_close.
 *          READ and WRITE are done here, every other op by the `run` of the target, which its own
 *          submit hands to blocking_submit. blocking_reap and blocking_wake go into the target's table.
 * Limits   HELPERS_MAX threads a session; more detached ops wait their turn.
 * Errors   negative errno.                       Threads  as target.h says.
 * Source   tests/conform/test_contract.c, test_detached.c. */
#ifndef LOADLINE_TARGET_BLOCKING_PRIV_H
#define LOADLINE_TARGET_BLOCKING_PRIV_H

#include "target/call_priv.h"
#include "target/target.h"
#include "target/wake_priv.h"

#include <stdatomic.h>

/* Threads that do the detached ops of a session. More ops than that wait their turn: a machine with
 * hundreds of workers would otherwise have thousands of threads for them. */
#define HELPERS_MAX 16

struct helpers;

struct blocking {
    struct op *done;         /* finished, not yet reaped */
    struct helpers *helpers; /* NULL: it takes no detached ops */
    bool read_only;          /* `run` gets the WRITEs, too */
    struct wake wake;
};

/* What the target does with an op that moves nothing: its `res`. */
typedef int64_t blocking_run(struct blocking *b, struct op *op);

void blocking_init(struct blocking *b);
/* Gets ready for so many detached ops; the threads are added to *threads. */
int blocking_help(struct blocking *b, unsigned detached_max, atomic_uint *threads, struct err *err);
void blocking_close(struct blocking *b);
int blocking_reap(struct session *s, struct op *done[], unsigned min, unsigned max,
                  uint64_t until_ns);
void blocking_wake(struct session *s);

/* ---- helpers.c: helpers are threads that share the session's descriptor table ---- */

/* What they do with an op: its `res`. NULL: they READ and WRITE. */
typedef int64_t helpers_run(struct op *op);
/* `most` ops held at once, by as many helpers, HELPERS_MAX at most; called by the session's thread
 * once its table is its own. What is finished sets WAKE_DONE in `wake`. */
int helpers_start(unsigned most, helpers_run *run, struct wake *wake, struct helpers **out,
                  struct err *err);
/* Waits for the ops that a helper has begun, and forgets those that none has. */
void helpers_stop(struct helpers *h);
unsigned helpers_threads(const struct helpers *h);
/* False: `most` are held. */
bool helpers_give(struct helpers *h, struct op *op);
/* Finished ops, in the order they were finished; returns how many, 0 … max. */
unsigned helpers_take(struct helpers *h, struct op *done[], unsigned max);
bool helpers_idle(const struct helpers *h); /* none is held */

/* ---- submit ---- */

static inline bool blocking_moves(const struct blocking *b, const struct op *op)
{
    return op->kind == OP_READ || (op->kind == OP_WRITE && !b->read_only);
}

static inline void blocking_do(struct blocking *b, struct op *op, blocking_run *run)
{
    op->extra = 0;
    if (!blocking_moves(b, op))
        op->res = run(b, op);
    else if (op->kind == OP_READ)
        op->res = posix_pread((int)op->handle, op->buf, op->len, op->off);
    else
        op->res = posix_pwrite((int)op->handle, op->buf, op->len, op->off);
    b->done = op;
}

/* The submit of a target, with its `run` where it can be part of it: one op of the session's own, and any
 * number for its helpers. */
static inline int blocking_submit(struct session *s, struct op *const ops[], unsigned n,
                                  blocking_run *run)
{
    struct blocking *b = (struct blocking *)s;
    unsigned taken = 0;

    for (; taken < n; taken++) {
        struct op *op = ops[taken];

        if (b->helpers != NULL && (op->flags & OP_FLAG_DETACHED) && blocking_moves(b, op)) {
            if (!helpers_give(b->helpers, op))
                break;
        } else if (b->done != NULL) {
            break;
        } else {
            blocking_do(b, op, run);
        }
    }
    return (int)taken;
}

#endif
