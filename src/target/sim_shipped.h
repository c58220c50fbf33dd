/* target/sim_shipped.h — the modelled storage systems that are part of the program.
 * Shape    a table by name, made of profiles/ by cmake/workloads.cmake.
 * Limits   a text ends with a NUL.
 * Errors   none; false: no such one.             Threads  constant. */
#ifndef LOADLINE_TARGET_SIM_SHIPPED_H
#define LOADLINE_TARGET_SIM_SHIPPED_H

#include <stdbool.h>

/* The i-th in order of name; false behind the last. */
bool sim_shipped(unsigned i, const char **name, const char **text);
/* Its text; NULL when there is none of that name. */
const char *sim_shipped_text(const char *name);
/* What its `title` says, into buf [room]. Returns buf. */
char *sim_shipped_title(const char *text, char *buf, unsigned room);

#endif
