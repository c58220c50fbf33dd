/* report/io_report_priv.h — the report of io: one run, or several of one study.
 * Shape    io_text.c puts it together; io_asked.c what was asked for; io_table.c rates and latencies;
 *          io_late.c, io_series.c the rest.
 * Units    ns, bytes, ops.                       Threads  no state. */
#ifndef LOADLINE_REPORT_IO_REPORT_PRIV_H
#define LOADLINE_REPORT_IO_REPORT_PRIV_H

#include "report/report_priv.h"

/* All lines of some runs together; or one line of them. */
struct io_sum {
    uint64_t ops;
    uint64_t bytes;
    bool open_loop;
    struct hist service;
    struct hist response; /* of closed-loop lines: their service */
};

/* line NULL: all of them. NULL: no memory. */
struct io_sum *io_sum_of(struct result *const *results, unsigned n, const char *line);

/* Of all runs, one after the other. */
double io_per_second(struct result *const *results, unsigned n, double what);

void report_io_table(struct text *out, struct result *const *results, unsigned n, unsigned width);

#endif
