/* cli/history.h — one row over many studies.
 * Shape    history_open → history_add_stored, or history_add_named in the order wanted →
 *          history_check → history_compare → history_print; history_close in any case.
 * Limits   of the store the newest `last` studies that have the row, told oldest first.
 * Errors   -EINVAL no study has the row: all rows there are are named on stderr; -ENOENT there is no
 *          study; those of cli/select.h.
 * Threads  main thread.
 * Source   tests/cli/test_history.py. */
#ifndef LOADLINE_CLI_HISTORY_H
#define LOADLINE_CLI_HISTORY_H

#include "cli/select.h"

#include "base/text.h"
#include "report/report.h"
#include "verdict/compare.h"

/* One study's part in it. */
struct history_entry {
    struct selection selection;
    unsigned n;       /* runs with a value, complete and without errors */
    double mean;      /* of the metric; NaN: none */
    double half_frac; /* of the 95 % interval of the mean; < 0: none, or they drift */
    bool compared;
    struct compare_cell cell; /* against the one before, or the baseline */
};

struct history {
    struct selector selector;
    const char *row;          /* as typed */
    char name[ROWS_NAME_MAX]; /* as compare prints it */
    enum rows_metric metric;
    unsigned last;
    unsigned n;
    struct history_entry *entry; /* oldest first after history_check */
    bool newest_first;
    const char *baseline; /* what each was compared with; NULL: the one before */
    unsigned studies;     /* looked at */
    struct text rows;     /* names of rows that there are, a line each */
    bool trees;           /* the values are of files */
};

void history_open(struct history *h, const char *db, const char *row, enum rows_metric metric,
                  unsigned last);
void history_close(struct history *h);
__attribute__((warn_unused_result)) int
history_add_stored(struct history *h, const struct store_filter *filter, struct err *err);
__attribute__((warn_unused_result)) int history_add_named(struct history *h, const char *word,
                                                          struct err *err);
__attribute__((warn_unused_result)) int history_check(struct history *h, struct err *err);
/* baseline NULL: each with the one before it. */
__attribute__((warn_unused_result)) int history_compare(struct history *h, const char *baseline,
                                                        struct err *err);
void history_print(struct text *out, const struct history *h, enum report_format format, bool wide,
                   bool utf8);

#endif
