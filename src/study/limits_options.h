/* study/limits_options.h — what the search for ceilings can be asked for.
 * Shape    a value filled in by whoever asks; study_limits (study.h) runs it.
 * Units    bytes, ns.
 * Limits   checked by limits_options_check: -EINVAL with words that name the option.
 * Threads  a value.
 * Source   tests/unit/test_limits_rows.c, tests/truth/test_study_limits.c. */
#ifndef LOADLINE_STUDY_LIMITS_OPTIONS_H
#define LOADLINE_STUDY_LIMITS_OPTIONS_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

#define LIMITS_ROWS_MAX     16
#define LIMITS_BUDGET_NS    (UINT64_C(900) * 1000000000u)
#define LIMITS_BYTES_MAX    (UINT64_C(64) << 30)
#define LIMITS_STREAMS_MANY 4096 /* upper bound where streams are no threads */
#define LIMITS_STREAMS_FEW  256  /* where they are */
#define LIMITS_FINALS       5
#define LIMITS_FINALS_LEAST 3 /* where time is short: an interval wants so many */

struct limits_options {
    uint64_t budget_ns; /* in all, laying out included */
    uint64_t max_bytes; /* on the target; 0: the lesser of LIMITS_BYTES_MAX (`quick`: 1 GiB) and a
                           tenth of what is free */
    uint32_t streams_from; /* 0: 1 */
    uint32_t streams_to;   /* 0: as the target allows; equal to streams_from: no ramp */
    uint32_t clients;      /* that streams are dealt out to; 0: as the target has them, else 1 */
    const char *only[LIMITS_ROWS_MAX]; /* ids of rows; borrowed */
    unsigned onlys;                    /* 0: all */
    uint64_t server_cache_bytes;       /* 0: found out */
    uint64_t server_flash_bytes;       /* 0: none known */
    const char *server_metrics;        /* URL; "model": what a modelled server tells; NULL */
    const char *server_csv;
    const char
        *hook_start; /* run when a measured window opens and has closed, by the sink's `hook` */
    const char *hook_end;
    bool precondition; /* overwrite twice before rows that write */
    bool quick;        /* the four rows of `quick`, one short final each */
    bool dry_run;      /* plan and announce, touch nothing */
    bool yes;          /* more than max_bytes without a question */
};

__attribute__((warn_unused_result)) int limits_options_check(const struct limits_options *o,
                                                             struct err *err);

/* Ids of all rows in the order of the ladder; NULL behind the last. */
const char *limits_row_id(unsigned i);

#endif
