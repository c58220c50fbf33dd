/* target/uring_ring_priv.h — one io_uring: what the kernel offers of it, and its two queues.
 * Shape    uring_offer tells once what there is, or in words why there is nothing; then per session
 *          uring_ring_open … uring_next … uring_enter … uring_seen, uring_ring_close. liburing sets it up;
 *          the queues are written and read here, in line.
 * Units    ns of CLOCK_MONOTONIC, bytes.
 * Limits   a submission is with the kernel only after uring_enter, which uring_next calls where the
 *          queue is full. user_data is the caller's.
 * Errors   negative errno, and words where there is an err.
 * Threads  a ring belongs to the thread that opened it.
 * Source   io_uring_setup(2), io_uring_enter(2); tests/unit/test_uring_ring.c. */
#ifndef LOADLINE_TARGET_URING_RING_PRIV_H
#define LOADLINE_TARGET_URING_RING_PRIV_H

#include "base/err.h"
#include "target/call_priv.h"

#include <liburing.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Younger than the headers of some systems that this is built on. */
#define URING_OP_INSTALL      54u       /* Linux 6.8: a registered file gets a descriptor */
#define URING_OP_TRUNCATE     55u       /* Linux 6.9 */
#define URING_ENTER_ABS_TIMER (1u << 5) /* Linux 6.12 */

/* What this kernel has, beyond what is always needed. */
struct uring_offer {
    unsigned setup; /* IORING_SETUP_* */
    bool has_install;
    bool has_truncate;
    bool abs_timer;
};

struct uring_ring {
    struct io_uring io;
    bool open;
    int enter_fd;
    unsigned enter_flags;
    bool abs_timer;
    /* The queue of submissions: our end of it. */
    unsigned *sq_head;
    unsigned *sq_tail;
    unsigned sq_mask;
    unsigned tail;      /* written, perhaps not yet told */
    unsigned submitted; /* the kernel has taken */
    struct io_uring_sqe *sqe;
    /* The queue of completions. */
    unsigned *cq_head;
    unsigned *cq_tail;
    unsigned cq_mask;
    unsigned head;
    struct io_uring_cqe *cqe;
};

/* Tries a small ring. `address` is what the words say to use instead. */
__attribute__((warn_unused_result)) int uring_offer(const char *address, struct uring_offer *out,
                                                    struct err *err);
/* What a refusal means: `disabled` is what kernel.io_uring_disabled says, -1: nothing. */
int uring_refused(const char *address, int code, int disabled, struct err *err);

/* For so many submissions under way at once; more of them wait in the kernel. */
__attribute__((warn_unused_result)) int uring_ring_open(struct uring_ring *r,
                                                        const struct uring_offer *offer,
                                                        unsigned most, struct err *err);
void uring_ring_close(struct uring_ring *r);

/* Tells the kernel all that is new, waits for at least `wait` completions or until until_ns has passed;
 * UINT64_MAX: no limit. 0, -ETIME, or an error of the ring's own. */
int uring_enter(struct uring_ring *r, unsigned wait, uint64_t until_ns);

static inline unsigned uring_unsubmitted(const struct uring_ring *r)
{
    return r->tail - r->submitted;
}

/* The next submission, all zeros. */
static inline struct io_uring_sqe *uring_next(struct uring_ring *r)
{
    struct io_uring_sqe *sqe;

    while (r->tail - __atomic_load_n(r->sq_head, __ATOMIC_ACQUIRE) > r->sq_mask)
        (void)uring_enter(r, 0, UINT64_MAX);
    sqe = &r->sqe[r->tail++ & r->sq_mask];
    memset(sqe, 0, sizeof *sqe);
    return sqe;
}

/* The oldest completion; NULL: there is none. It is the kernel's again after uring_seen. */
static inline const struct io_uring_cqe *uring_first(const struct uring_ring *r)
{
    return r->head != __atomic_load_n(r->cq_tail, __ATOMIC_ACQUIRE) ? &r->cqe[r->head & r->cq_mask]
                                                                    : NULL;
}

static inline void uring_seen(struct uring_ring *r)
{
    __atomic_store_n(r->cq_head, ++r->head, __ATOMIC_RELEASE);
}

#endif
