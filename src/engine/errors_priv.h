/* engine/errors_priv.h — what makes errors one kind, and how many kinds there are.
 * Shape    op, code and line; the last place is for all that have none of their own.
 * Limits   ENGINE_ERRORS_MAX kinds a worker, ENGINE_KINDS_MAX an outcome, the last one included.
 * Threads  no state. */
#ifndef LOADLINE_ENGINE_ERRORS_PRIV_H
#define LOADLINE_ENGINE_ERRORS_PRIV_H

#include "engine/engine.h"

#define ENGINE_ERRORS_MAX 48
#define ENGINE_KINDS_MAX  1024 /* a result holds no more */

static inline bool engine_same_error(const struct engine_error *a, const struct engine_error *b)
{
    return a->op == b->op && a->code == b->code && a->line == b->line;
}

/* Makes it the kind of all that there is no place for. */
static inline void engine_error_other(struct engine_error *error)
{
    error->op = OP_NOP;
    error->code = ENGINE_ERROR_OTHER;
    error->line = PLAN_NO_LINE;
}

#endif
