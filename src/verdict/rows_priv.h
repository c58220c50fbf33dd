/* verdict/rows_priv.h — the values of one run in one row.
 * Shape    row_values_tree for a result that is one row; row_values_line for one line of a result,
 *          or all of them together.
 * Units    as verdict/rows.h.
 * Errors   -ENOMEM.                              Threads  no state.
 * Source   tests/unit/test_rows.c. */
#ifndef LOADLINE_VERDICT_ROWS_PRIV_H
#define LOADLINE_VERDICT_ROWS_PRIV_H

#include "verdict/rows.h"

#define ROW_ALL_LINES UINT32_MAX

/* Is the result one row, of a fixed amount of work? */
bool row_is_tree(const struct result *r);

/* Is it of a workload file, whose lines are flowops? */
bool row_is_workload(const struct result *r);
/* Does the line have a row, and count in that of all of them? Waiting, think time and limits do not. */
bool row_has_line(const struct result *r, uint32_t line);

void row_values_tree(const struct result *r, struct row_run *out);
__attribute__((warn_unused_result)) int row_values_line(const struct result *r, uint32_t line,
                                                        struct row_run *out);

#endif
