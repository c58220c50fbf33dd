/* cli/shipped.h — workload files that are part of the program.
 * Shape    a constant table by name, made of workloads/ by cmake/workloads.cmake.
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

const struct shipped_workload *shipped_find(const char *name);
/* Its first line of comment, without the name and what stands between: what it models. buf [room]; returns buf. */
const char *shipped_brief(const struct shipped_workload *w, char *buf, size_t room);

#endif
