/* target/blocking_priv.h — a session that is driven by blocking calls on descriptors: one op of its own
 * at a time, which submit does, and beside it detached ones, which helpers do.
 * Shape    struct blocking is the first member of a target's session. blocking_init, then
 *          blocking_help once the session's descriptor table is what it will be … blocking_close.
 *          READ and WRITE are done here, every other op by the `run` of the target. blocking_submit,
 *          blocking_reap and blocking_wake go into the target's table.
 * Limits   HELPERS_MAX threads a session; more detached ops wait their turn.
 * Errors   negative errno.                       Threads  as target.h says.
 * Source   tests/conform/test_contract.c, test_detached.c. */
#ifndef LOADLINE_TARGET_BLOCKING_PRIV_H
#define LOADLINE_TARGET_BLOCKING_PRIV_H

#include "target/target.h"
#include "target/wake_priv.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Threads that do the detached ops of a session. More ops than that wait their turn: a machine with
 * hundreds of workers would otherwise have thousands of threads for them. */
#define HELPERS_MAX 16

struct helpers;

struct blocking {
    struct op *done;         /* finished, not yet reaped */
    struct helpers *helpers; /* NULL: it takes no detached ops */
    int64_t (*run)(struct blocking *b, struct op *op);
    bool read_only; /* `run` gets the WRITEs, too */
    struct wake wake;
};

void blocking_init(struct blocking *b, int64_t (*run)(struct blocking *b, struct op *op));
/* Gets ready for so many detached ops; the threads are added to *threads. */
int blocking_help(struct blocking *b, unsigned detached_max, atomic_uint *threads, struct err *err);
void blocking_close(struct blocking *b);
int blocking_submit(struct session *s, struct op *const ops[], unsigned n);
int blocking_reap(struct session *s, struct op *done[], unsigned min, unsigned max,
                  uint64_t until_ns);
void blocking_wake(struct session *s);

static inline int64_t posix_result(int64_t rc)
{
    return rc < 0 ? -errno : rc;
}

/* The timed calls, without libc's cancellation points: in a program with threads these cost two locked
 * instructions a call, though no thread here is ever cancelled. Registers must be 64 bits wide. */
_Static_assert(sizeof(long) == 8, "file offsets are passed in one register");

static inline int64_t posix_pread(int fd, void *buf, uint64_t len, uint64_t off)
{
    return posix_result(syscall(SYS_pread64, fd, buf, len, off));
}

static inline int64_t posix_pwrite(int fd, const void *buf, uint64_t len, uint64_t off)
{
    return posix_result(syscall(SYS_pwrite64, fd, buf, len, off));
}

static inline int64_t posix_shut(int fd)
{
    return posix_result(syscall(SYS_close, fd));
}

/* ---- helpers.c: helpers are threads that share the session's descriptor table ---- */

/* `most` ops held at once, by as many helpers, HELPERS_MAX at most; called by the session's thread
 * once its table is its own. What is finished sets WAKE_DONE in `wake`. */
int helpers_start(unsigned most, struct wake *wake, struct helpers **out, struct err *err);
/* Waits for the ops that a helper has begun, and forgets those that none has. */
void helpers_stop(struct helpers *h);
unsigned helpers_threads(const struct helpers *h);
/* False: `most` are held. */
bool helpers_give(struct helpers *h, struct op *op);
/* Finished ops, in the order they were finished; returns how many, 0 … max. */
unsigned helpers_take(struct helpers *h, struct op *done[], unsigned max);
bool helpers_idle(const struct helpers *h); /* none is held */

#endif
