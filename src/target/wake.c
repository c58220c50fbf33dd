#include "target/wake_priv.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void wake_init(struct wake *w)
{
    atomic_init(&w->set, 0);
    w->event_fd = -1;
    if (gettid() != getpid())
        prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
}

int wake_init_event(struct wake *w)
{
    wake_init(w);
    w->event_fd = eventfd(0, EFD_CLOEXEC);
    return w->event_fd < 0 ? -errno : 0;
}

void wake_fini_event(struct wake *w)
{
    if (w->event_fd >= 0)
        close(w->event_fd);
    w->event_fd = -1;
}

static void set(struct wake *w, uint32_t why)
{
    /* Whoever sleeps saw 0, so only the change from 0 needs the system call. */
    if (atomic_fetch_or_explicit(&w->set, why, memory_order_release) != 0)
        return;
    if (w->event_fd >= 0)
        (void)eventfd_write(w->event_fd, 1);
    else
        syscall(SYS_futex, &w->set, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void wake_set(struct wake *w)
{
    set(w, WAKE_ASKED);
}

void wake_set_done(struct wake *w)
{
    set(w, WAKE_DONE);
}

bool wake_wait(struct wake *w, uint64_t until_ns)
{
    return wake_wait_why(w, until_ns) != 0;
}

uint32_t wake_wait_why(struct wake *w, uint64_t until_ns)
{
    struct timespec until = {.tv_sec = (time_t)(until_ns / 1000000000u),
                             .tv_nsec = (long)(until_ns % 1000000000u)};
    bool timed_out = false;

    for (;;) {
        uint32_t why = wake_take_why(w);

        if (why != 0 || timed_out)
            return why;
        long rc = syscall(SYS_futex, &w->set, FUTEX_WAIT_BITSET_PRIVATE, 0,
                          until_ns == UINT64_MAX ? NULL : &until, NULL, FUTEX_BITSET_MATCH_ANY);
        timed_out = rc < 0 && errno == ETIMEDOUT;
    }
}
