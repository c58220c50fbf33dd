/* cli/watchdog.h — ends the program when preparing or cleaning up waits for an op that does not return.
 * Shape    watchdog_begin … watchdog_end around a study or a cleaning. The engine watches the ops of its
 *          runs itself.
 * Units    stall_ns; 0: never. Once stopping is asked for, 10 s when that is less.
 * Errors   -errno when there can be no thread.
 * Threads  one of its own; it says which op, and ends with CLI_NOT_VALID. What was stored is kept. */
#ifndef LOADLINE_CLI_WATCHDOG_H
#define LOADLINE_CLI_WATCHDOG_H

#include "fileset/site.h"

#include <pthread.h>

struct watchdog {
    const struct site_watch *watch;
    const char *const *target; /* all of the study: each may keep something */
    unsigned targets;
    uint64_t stall_ns;
    pthread_t thread;
    atomic_bool over;
    bool begun;
};

__attribute__((warn_unused_result)) int watchdog_begin(struct watchdog *dog,
                                                       const struct site_watch *watch,
                                                       const char *const *target, unsigned targets,
                                                       uint64_t stall_ns);
void watchdog_end(struct watchdog *dog);

/* Whether the target has been asked anything beyond being opened. */
bool watchdog_saw_ops(const struct site_watch *watch);

#endif
