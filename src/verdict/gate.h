/* verdict/gate.h — a condition that fails a build: 'p99 +10%', 'row:4 KiB write.p99 > 20ms'.
 * Shape    text → gate_parse → gate_judge over a comparison → one judgement per row it speaks of.
 *          [row:NAME.]METRIC and then either a signed change in per cent or > or < and a limit.
 * Units    per cent for changes, those of the metric for limits: "20ms", "5000/s", "100m/s". A bare
 *          number is a rate; a time says its unit.
 * Limits   the sign must be that of "worse": 'ops -5%', 'p99 +10%'; a limit lies on that side too,
 *          and speaks of side b.
 *          FAIL: worse by more than that, and the interval excludes no change (a limit: excludes
 *          the limit). PASS: the bad end of the interval is within it, or the change is and the
 *          interval is narrow enough to have seen more. Else CANNOT: a row that is not comparable,
 *          drifts, or whose noise is unknown, always is.
 *          A gate without a row speaks of all rows; rows that cannot have the metric (time, where
 *          the work is not fixed) are left out.
 * Errors   -EINVAL with words: what is wrong and what is accepted, including rows and metrics that
 *          the comparison does not have, and a limit that is too large; -ENOMEM.
 * Threads  values.
 * Source   tests/unit/test_gate.c, tests/fuzz/fuzz_gate.c. */
#ifndef LOADLINE_VERDICT_GATE_H
#define LOADLINE_VERDICT_GATE_H

#include "verdict/compare.h"

struct gate {
    const char *text; /* as typed; borrowed */
    bool all_rows;
    char row[ROWS_NAME_MAX];
    enum rows_metric metric;
    bool relative;
    double threshold; /* a fraction, always positive, of a change; else in the metric's unit */
    bool above;       /* worse is above the threshold, else below */
};

enum gate_word { GATE_PASS, GATE_FAIL, GATE_CANNOT };

struct gate_judgement {
    const struct gate *gate;
    const struct compare_row *row;
    enum gate_word word;
    char why[320]; /* "p99 +14.1% (95 %: +9.0 … +19.2%), more than +10.0%" */
};

__attribute__((warn_unused_result)) int gate_parse(const char *text, struct gate *out,
                                                   struct err *err);
/* *out: the caller's to free(). */
__attribute__((warn_unused_result)) int gate_judge(const struct gate *gate,
                                                   const struct comparison *comparison,
                                                   struct gate_judgement **out, unsigned *n,
                                                   struct err *err);

#endif
