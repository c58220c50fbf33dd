/* cli/shipped.h — workload files and suites that are part of the program.
 * Shape    a constant tables by name, made of workloads/ by cmake/workloads.cmake.
 * Limits   a text ends with a NUL that `len` does not count.
 * Errors   none; NULL: no such name.             Threads  constant. */
#ifndef LOADLINE_CLI_SHIPPED_H
#define LOADLINE_CLI_SHIPPED_H

#include <stddef.h>

struct shipped_workload {
    const char *name;
    const unsigned char *text;
    size_t len;
};

/* By name, rising. */
extern const struct shipped_workload shipped_workload[];
extern const unsigned shipped_workloads;

/* The suites, likewise. */
extern const struct shipped_workload shipped_suite[];
extern const unsigned shipped_suites;

const struct shipped_workload *shipped_find(const char *name);
const struct shipped_workload *shipped_suite_find(const char *name);
/* All of them: workloads, then suites. NULL behind the last. */
const struct shipped_workload *shipped_any(unsigned i);
/* Its first line of comment, without the name and what stands between: what it models. buf [room]; returns buf. */
const char *shipped_brief(const struct shipped_workload *w, char *buf, size_t room);

#endif
