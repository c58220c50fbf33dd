/* cli/since.h — a point in time as people give it: a date, or how long ago.
 * Shape    since_parse is the parser of an option.
 * Units    wall-clock ns since 1970; a date is local time, its first moment.
 * Limits   2026-11-01, with 15:04 or 15:04:05 behind it after a blank or a T; or an age with its unit,
 *          as base/units.h has times.
 * Errors   -EINVAL with words.                   Threads  main thread: it asks for the time zone.
 * Source   tests/cli/test_list.py. */
#ifndef LOADLINE_CLI_SINCE_H
#define LOADLINE_CLI_SINCE_H

#include "base/err.h"

#define SINCE_ACCEPTS                                                                              \
    "a date such as 2026-11-01, with a time such as 2026-11-01T15:04, or an age such as 7d or 12h"

/* *(uint64_t *)value. */
int since_parse(const char *text, void *value, struct err *err);

#endif
