/* report/run_report_priv.h — the report of workload files: a part for each run of the script.
 * Shape    run_text.c puts it together; run_table.c rates and latencies of the flowops;
 *          run_filebench.c the layout that filebench prints; array_table.c the eight figures of the
 *          test of 2008.
 * Units    ns, bytes, executions of flowops.     Threads  no state. */
#ifndef LOADLINE_REPORT_RUN_REPORT_PRIV_H
#define LOADLINE_REPORT_RUN_REPORT_PRIV_H

#include "report/report_priv.h"
#include "result/flowops.h"

/* All repeats of one run of one script. */
struct run_part {
    const struct result **repeat;
    unsigned n;
    unsigned number; /* of the parts, from 1 */
};

/* Calls `take` with each part, in the order of their first results. -ENOMEM. */
__attribute__((warn_unused_result)) int
run_parts_each(struct result *const *results, unsigned n,
               void (*take)(void *ctx, const struct run_part *part), void *ctx);
/* "varmail", "varmail run 2". */
const char *run_part_name(char buf[CELL_MAX], const struct run_part *part);
/* The sum over its repeats. */
struct result_flowops run_part_sum(const struct run_part *part);

void report_array_table(struct text *out, struct result *const *results, unsigned n,
                        unsigned width);
void report_run_table(struct text *out, const struct run_part *part, unsigned width);

#endif
