/* target/wake_priv.h — how a session without completions of its own waits and is woken.
 * Shape    wake_init … wake_wait by the session's thread, wake_set by any thread.
 * Units    until_ns is CLOCK_MONOTONIC, UINT64_MAX: no limit.
 * Limits   sticky: a wake that nobody waits for ends the next wait, once. No lock, no memory.
 * Threads  as said above.
 * Source   tests/conform/test_conform.c. */
#ifndef LOADLINE_TARGET_WAKE_PRIV_H
#define LOADLINE_TARGET_WAKE_PRIV_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum wake_why {
    WAKE_ASKED = 1, /* by `wake` of the target's table */
    WAKE_DONE = 2,  /* an op that another thread did */
};

struct wake {
    _Atomic uint32_t set; /* of enum wake_why */
    int event_fd;         /* what is waited for instead of the word; -1: none */
};

/* Also asks the kernel to end this thread's waits on the nanosecond and not within 50 us: paced
 * ops start when they are due. */
void wake_init(struct wake *w);
/* For a session that waits for descriptors: an eventfd of its own becomes readable when it is woken. */
int wake_init_event(struct wake *w);
void wake_fini_event(struct wake *w);
void wake_set(struct wake *w);
/* From a helper of the session; only wake_wait_why tells it from a wake that was asked for. */
void wake_set_done(struct wake *w);

/* True when woken, false when until_ns has passed. */
bool wake_wait(struct wake *w, uint64_t until_ns);
/* What there was, and is not any more; 0 when until_ns has passed. */
uint32_t wake_wait_why(struct wake *w, uint64_t until_ns);

/* What there is, without waiting, and it is not there any more. */
static inline uint32_t wake_take_why(struct wake *w)
{
    return atomic_load_explicit(&w->set, memory_order_relaxed) != 0
               ? atomic_exchange_explicit(&w->set, 0, memory_order_acquire)
               : 0;
}

/* By the session's thread: a wake that was taken stays to be found, before it waits again. */
static inline void wake_put_back(struct wake *w)
{
    atomic_fetch_or_explicit(&w->set, WAKE_ASKED, memory_order_relaxed);
}

/* Takes a wake that is there. */
static inline bool wake_take(struct wake *w)
{
    return wake_take_why(w) != 0;
}

#endif
