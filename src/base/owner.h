/* base/owner.h — which process something belongs to, told apart from a later one of its number.
 * Shape    owner_of a process of this machine, kept somewhere; owner_life asks about it later.
 * Units    started_ticks: clock ticks since boot, as field 22 of /proc/PID/stat.
 * Limits   a process on another machine, or in another PID namespace, cannot be asked about.
 * Errors   none: what cannot be read stays empty, and then nothing is certain.
 * Threads  no state.
 * Source   tests/unit/test_owner.c. */
#ifndef LOADLINE_BASE_OWNER_H
#define LOADLINE_BASE_OWNER_H

#include <stdint.h>

struct owner {
    char host[65];
    char boot[37];      /* /proc/sys/kernel/random/boot_id */
    char pid_space[32]; /* the PID namespace: numbers mean nothing in another one */
    uint64_t pid;
    uint64_t started_ticks;
};

enum owner_life {
    OWNER_LIVE,
    OWNER_GONE,
    OWNER_OTHER_BOOT, /* gone if it was this machine, but another one may have the same name */
    OWNER_UNKNOWN,    /* it cannot be asked from here */
};

void owner_of(uint64_t pid, struct owner *out);
enum owner_life owner_life(const struct owner *owner);

#endif
