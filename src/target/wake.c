#include "target/wake_priv.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void wake_init(struct wake *w)
{
    atomic_init(&w->set, 0);
    if (gettid() != getpid())
        prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
}

void wake_set(struct wake *w)
{
    /* Whoever sleeps saw 0, so only the change from 0 needs the system call. */
    if (atomic_exchange_explicit(&w->set, 1, memory_order_release) == 0)
        syscall(SYS_futex, &w->set, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

bool wake_wait(struct wake *w, uint64_t until_ns)
{
    struct timespec until = {.tv_sec = (time_t)(until_ns / 1000000000u),
                             .tv_nsec = (long)(until_ns % 1000000000u)};
    bool timed_out = false;

    for (;;) {
        if (wake_take(w))
            return true;
        if (timed_out)
            return false;
        long rc = syscall(SYS_futex, &w->set, FUTEX_WAIT_BITSET_PRIVATE, 0,
                          until_ns == UINT64_MAX ? NULL : &until, NULL, FUTEX_BITSET_MATCH_ANY);
        timed_out = rc < 0 && errno == ETIMEDOUT;
    }
}
