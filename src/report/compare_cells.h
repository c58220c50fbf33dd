/* report/compare_cells.h — values of a metric as people read them.
 * Shape    into the caller's buffer, which they return.
 * Units    files/s or ops/s, KiB/s of trees and MiB/s of io stand in the head of a column; times bring
 *          their own.
 * Limits   what is not known is "-".             Threads  no state. */
#ifndef LOADLINE_REPORT_COMPARE_CELLS_H
#define LOADLINE_REPORT_COMPARE_CELLS_H

#include "verdict/rows.h"

#define REPORT_VALUE_MAX 48

/* "files/s" of trees, "ops/s", "KiB/s", "MiB/s"; "" where each value has its own. */
const char *report_metric_unit(enum rows_metric metric, bool trees);
char *report_metric_value(char buf[REPORT_VALUE_MAX], enum rows_metric metric, bool trees,
                          double value);

#endif
