#include "engine/engine_priv.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void gate_wait(_Atomic uint32_t *word, uint32_t while_value, uint64_t timeout_ns)
{
    struct timespec ts = {.tv_sec = (time_t)(timeout_ns / 1000000000u),
                          .tv_nsec = (long)(timeout_ns % 1000000000u)};
    if (atomic_load_explicit(word, memory_order_acquire) == while_value)
        syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, while_value,
                timeout_ns == UINT64_MAX ? NULL : &ts, NULL, 0);
}

void gate_wake(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}
