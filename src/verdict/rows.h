/* verdict/rows.h — what results can be compared by: rows with a name, and metrics of a row.
 * Shape    results in, one row per name out, with one value per run. A run of dirtest or readtest
 *          is one row, "4 KiB write"; a run of io is a row per line, "read", "write", and "all"
 *          where there are several. A run of a workload file is a row per flowop, "varmail readfile1",
 *          and "varmail" for all of them; of the second run in one file "varmail run 2". History, compare
 *          and gates name rows by these words.
 * Units    ops and bytes per second; ns for times.
 *          Of a tree: ops are whole files, time is that of one tree, and the quantiles are those of
 *          the flowop that the row is named by, write or read (its lookup, create, open, fsync and
 *          close show in ops and time).
 *          Of a workload: ops are flowops, and "time" is there where it ended by itself. Waiting, think time
 *          and limits are no rows; all together has no times of asynchronous writes, which are
 *          those of handing over.
 *          Of io: quantiles are of response where arrivals have a rate, else of service.
 * Limits   ROWS_NAME_MAX. Order: phases and lines by first appearance, lengths rising. A quantile
 *          needs as many samples as leave one above it: p50 2, p95 20, p99 100, p99.9 1000. A result
 *          that is given twice counts once.
 * Errors   -ENOMEM.                              Threads  values. Results are borrowed.
 * Source   tests/unit/test_rows.c. */
#ifndef LOADLINE_VERDICT_ROWS_H
#define LOADLINE_VERDICT_ROWS_H

#include "result/result.h"

#include <stdbool.h>

#define ROWS_NAME_MAX 64

enum rows_metric {
    ROWS_OPS,   /* "ops" */
    ROWS_BYTES, /* "bytes" */
    ROWS_TIME,  /* "time": for rows that are a fixed amount of work */
    ROWS_P50,   /* "p50" */
    ROWS_P95,
    ROWS_P99,
    ROWS_P999, /* "p99.9" */
    ROWS_MAX,
    ROWS_METRICS
};

/* "ops", "p99.9". */
const char *rows_metric_name(enum rows_metric metric);
/* The whole of name[0 … len), or -EINVAL with words that list the metrics. */
__attribute__((warn_unused_result)) int rows_metric_find(const char *name, size_t len,
                                                         enum rows_metric *out, struct err *err);
/* Is more better? */
bool rows_metric_more_is_better(enum rows_metric metric);
/* What a value of it may be off by, alike in all runs: the half width of a histogram's bucket. */
double rows_metric_resolution_frac(enum rows_metric metric);

/* One run's share in a row. */
struct row_run {
    const struct result *result;
    double value[ROWS_METRICS]; /* NaN: the run has no such value, or too few samples for it */
    double within_frac; /* relative standard error of ops within the run, from its intervals; NaN */
    unsigned repeat;    /* 0: not one of several */
    unsigned side;      /* which of several targets of its study it is of; 0: there was one */
};

struct row {
    char name[ROWS_NAME_MAX];
    char workload_hash[65]; /* of the first run */
    bool one_workload;      /* all runs have that hash */
    bool
        told; /* what other rows tell: added up, or the flowops of a workload. No summary counts it */
    unsigned n;
    struct row_run *run; /* in the order of their beginning */
};

struct rows {
    unsigned n;
    struct row *row;
};

__attribute__((warn_unused_result)) int rows_of(struct result *const *results, unsigned n,
                                                struct rows *out);
void rows_fini(struct rows *rows);
/* NULL when there is none. Names are compared without regard to case and runs of blanks. */
const struct row *rows_find(const struct rows *rows, const char *name);
bool rows_same_name(const char *a, const char *b);

#endif
