/* report/compare_report.h — sides held against each other, as text, CSV, JSON, Markdown and JUnit.
 * Shape    pairs of sides with what conditions made of them in; text out. Text: who, what differs
 *          and what is the same, where the noise comes from; per metric a table of rows and one
 *          summary; then the conditions.
 * Units    in the head of a column or in its cells; changes in per cent, signed (CSV, JSON:
 *          fractions, ns, bytes).
 * Limits   ≤ 80 columns unless wide. No interval, no value: "-" (CSV: empty, JSON: null).
 * Errors   out of memory shows in text.failed.   Threads  no state.
 * Source   tests/golden/report/compare_*.exact. */
#ifndef LOADLINE_REPORT_COMPARE_REPORT_H
#define LOADLINE_REPORT_COMPARE_REPORT_H

#include "report/report.h"
#include "verdict/compare.h"
#include "verdict/gate.h"

struct compare_pair {
    struct comparison comparison;
    unsigned judged;
    struct gate_judgement *judgement; /* [judged], of one gate together */
};

struct compare_style {
    enum report_format format;
    bool wide;
    unsigned metrics;
    enum rows_metric metric[ROWS_METRICS]; /* in the order of the tables */
};

/* What a judgement nobody can make counts as. */
enum compare_undecided { COMPARE_UNDECIDED_SAID, COMPARE_UNDECIDED_PASS, COMPARE_UNDECIDED_FAIL };

void report_compare(struct text *out, const struct compare_pair *pair, unsigned pairs,
                    const struct compare_style *style);
/* A test suite per pair, a test case per row and condition. Nobody can tell: an error, or as
 * `undecided` says a skipped test or a failure. */
void report_compare_junit(struct text *out, const struct compare_pair *pair, unsigned pairs,
                          enum compare_undecided undecided);

#endif
