/* cli/published_limits.h — what --published of limits and show names.
 * Errors   -EINVAL neither a shipped name nor a file of that form, with words; what the file says.
 * Threads  no state. */
#ifndef LOADLINE_CLI_PUBLISHED_LIMITS_H
#define LOADLINE_CLI_PUBLISHED_LIMITS_H

#include "report/limits_published.h"

__attribute__((warn_unused_result)) int
published_limits_load(const char *word, struct limits_published *out, struct err *err);

#endif
