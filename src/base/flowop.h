/* base/flowop.h — the kinds of flowops by name, and what each of them counts as.
 * Shape    a table; the names are those of the workload language, and "open", "create", "close" … of
 *          what the other studies do.
 * Limits   names are at most FLOWOP_NAME_MAX − 1 characters.
 * Threads  constant.
 * Source   specs 11; tests/unit/test_flowop.c. */
#ifndef LOADLINE_BASE_FLOWOP_H
#define LOADLINE_BASE_FLOWOP_H

#include <stdbool.h>

#define FLOWOP_NAME_MAX 16
#define FLOWOP_DONE     "done" /* a detached op's time at the target, beside its own line */

enum flowop_class {
    FLOWOP_IO,    /* in the sums of a report, with its latency */
    FLOWOP_AIO,   /* in the sums, without: its latency is that of handing over */
    FLOWOP_SYNC,  /* between streams: in its own line only */
    FLOWOP_OTHER, /* think time, limits: in its own line only */
};

enum flowop_moves { FLOWOP_MOVES_NOTHING, FLOWOP_READS, FLOWOP_WRITES };

struct flowop_type {
    const char *name;
    enum flowop_class counts_as;
    enum flowop_moves moves;
};

/* NULL: unknown, which counts as FLOWOP_IO that moves nothing. */
const struct flowop_type *flowop_find(const char *name);
bool flowop_reads(const char *name);
bool flowop_writes(const char *name);
enum flowop_class flowop_class(const char *name);

#endif
