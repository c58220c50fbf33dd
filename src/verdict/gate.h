/* verdict/gate.h — a condition that fails a build: 'p99 +10%', 'row:4 KiB write.p99 > 20ms'.
 * Shape    text → gate_parse → gate_judge over a comparison → one judgement per row it speaks of.
 * Units    per cent for changes, those of the metric for limits ("20ms", "5000/s", "100m").
 * Limits   the sign must be that of "worse": 'ops -5%', 'p99 +10%'. A limit speaks of side b.
 *          FAIL: worse by more than that, and the interval excludes no change (a limit: excludes
 *          the limit). PASS: not so, and the interval is narrow enough to have seen it. Else CANNOT.
 *          A row that is not comparable is CANNOT.
 * Errors   -EINVAL with words: what is wrong and what is accepted, including rows and metrics that
 *          the comparison does not have; -ENOMEM.
 * Threads  values.
 * Source   tests/unit/test_gate.c. */
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
    bool above;       /* a limit: fails above it, else below */
};

enum gate_word { GATE_PASS, GATE_FAIL, GATE_CANNOT };

struct gate_judgement {
    const struct gate *gate;
    const struct compare_row *row;
    enum gate_word word;
    char why[200]; /* "p99 +14 % (95 %: +9 … +19 %), more than +10 %" */
};

__attribute__((warn_unused_result)) int gate_parse(const char *text, struct gate *out,
                                                   struct err *err);
/* *out: the caller's to free(). */
__attribute__((warn_unused_result)) int gate_judge(const struct gate *gate,
                                                   const struct comparison *comparison,
                                                   struct gate_judgement **out, unsigned *n,
                                                   struct err *err);

#endif
