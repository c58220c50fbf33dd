/* report/compare_forms_priv.h — what the forms of a comparison share.
 * Shape    cells into the caller's buffer; parts of the text into a struct text.
 * Threads  no state. */
#ifndef LOADLINE_REPORT_COMPARE_FORMS_PRIV_H
#define LOADLINE_REPORT_COMPARE_FORMS_PRIV_H

#include "report/compare_cells.h"
#include "report/compare_report.h"
#include "report/report_priv.h"

/* compare_cells.c. Those with a buf return it. */
bool report_compares_trees(const struct comparison *c);
bool report_has_interval(const struct change *change);
const char *report_gate_word(enum gate_word word); /* "pass" "fail" "cannot tell" */
const char *report_noise_word(enum change_noise noise);

/* compare_setup.c */
void report_compare_sides(struct text *out, const struct comparison *c, unsigned width);
void report_compare_setups(struct text *out, const struct comparison *c, unsigned width);
void report_compare_noise(struct text *out, const struct comparison *c, unsigned width);

/* compare_trust.c: quiet when nothing speaks against either side. */
void report_compare_trust(struct text *out, const struct comparison *c, unsigned width);

/* compare_text.c, compare_table.c: text and Markdown. */
void report_compare_text(struct text *out, const struct compare_pair *pair,
                         const struct compare_style *style);
void report_compare_table(struct text *out, const struct comparison *c, enum rows_metric metric,
                          unsigned width);
void report_compare_summary(struct text *out, const struct comparison *c, enum rows_metric metric,
                            unsigned width);
/* Of what the style shows: a metric that is not in a table needs no reason. */
void report_compare_reasons(struct text *out, const struct comparison *c,
                            const struct compare_style *style, unsigned width);
void report_compare_gates(struct text *out, const struct compare_pair *pair, unsigned width);
/* The other forms. */
void report_compare_csv_head(struct text *out);
void report_compare_csv(struct text *out, const struct compare_pair *pair,
                        const struct compare_style *style);
void report_compare_json(struct text *out, const struct compare_pair *pair,
                         const struct compare_style *style);

#endif
