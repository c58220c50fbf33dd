/* report/report.h — results as text, Markdown, CSV or JSON.
 * Shape    a list of results of one study in, text out; streaming tables for a study in progress:
 *          report_tree_head, then report_tree_row with all results of the row that is complete, then
 *          report_tree_foot with all results: together the same as report_study (CSV has its
 *          records row by row then, not run by run). In the classic form the rows of reading after
 *          writing come as a table of their own in the foot; JSON comes whole in the foot.
 * Units    every number is printed with its unit, in the cell or in the column's head. KiB is 1024.
 * Limits   text: ≤ 80 columns unless wide; a longer name loses its middle; control characters print
 *          as '?'. Markdown: the same tables and lists in GitHub's flavour, nothing shortened. A missing
 *          value is "-" (CSV: empty), what could not be verified "n/v".
 * Errors   -EINVAL results that do not belong together, -EBADMSG a result that was changed after it
 *          was sealed (JSON); out of memory shows in text.failed.
 * Threads  no state.
 * Source   tests/golden/report; tests/unit/test_classic.c recomputes the 160 published rows. */
#ifndef LOADLINE_REPORT_REPORT_H
#define LOADLINE_REPORT_REPORT_H

#include "base/err.h"
#include "base/text.h"
#include "result/result.h"

#include <stdbool.h>

struct limits_published;

enum report_format { REPORT_TEXT, REPORT_JSON, REPORT_CSV, REPORT_MD };

struct report_style {
    enum report_format format;
    bool wide;
    bool classic;   /* dirtest and readtest: the form of 2001, specs b.8 */
    bool filebench; /* run: the lines that filebench prints */
    /* Their times count from here; 0: from where each run begins. */
    uint64_t filebench_from_wall_ns;
    bool told;    /* what a study tells on its way belongs to the answer */
    bool one_run; /* limits: a run by itself, not the table that it is a point of */
    /* limits: to stand beside the numbers; NULL: those that were published of the model at hand, if any. */
    const struct limits_published *published;
};

/* Format by file suffix (.txt .json .csv .md); -EINVAL names the suffixes there are. */
__attribute__((warn_unused_result)) int report_format_of(const char *path, enum report_format *out,
                                                         struct err *err);

/* Head of a tree table, from what results there are; n > 0. */
void report_tree_head(struct text *out, struct result *const *results, unsigned n,
                      const struct report_style *style);
/* One row: all repeats of one length and phase, on all targets. */
void report_tree_row(struct text *out, struct result *const *repeats, unsigned n,
                     const struct report_style *style);
/* What stands under the table: units, cache proof, what was not verified, overhead. */
void report_tree_foot(struct text *out, struct result *const *results, unsigned n,
                      const struct report_style *style);

/* The whole study at once: `show`, `-o`, and the end of `io`. */
__attribute__((warn_unused_result)) int report_study(struct text *out,
                                                     struct result *const *results, unsigned n,
                                                     const struct report_style *style,
                                                     struct err *err);

/* What a run of a workload file has come to so far. */
void report_period(struct text *out, const struct result *so_far, const struct report_style *style);

/* KiB/s of the 2001 posts: floor(files · len · 1000 / (1024 · ms)); 0 when ms is 0. */
uint64_t report_classic_kib_per_s(uint64_t files, uint64_t length_bytes, uint64_t elapsed_ms);
/* "10.5", "15.75", "21": files · len / 1024, exact, trailing zeros dropped. */
void report_classic_space(char *buf, size_t room, uint64_t files, uint64_t length_bytes);

#endif
