/* report/limits_report_priv.h — the ladder of ceilings as it is printed: what its forms share.
 * Shape    a view is the ceilings of one study with what was published of each target.
 * Units    as struct ceiling.                     Threads  values; results are borrowed. */
#ifndef LOADLINE_REPORT_LIMITS_REPORT_PRIV_H
#define LOADLINE_REPORT_LIMITS_REPORT_PRIV_H

#include "report/limits_published.h"
#include "report/report_priv.h"
#include "verdict/ceilings.h"

#define LIMITS_SIDES_MAX 4

struct limits_view {
    struct ceilings *c;
    struct result *const *results;
    unsigned n;
    unsigned width;
    struct limits_published *published[LIMITS_SIDES_MAX]; /* NULL: none of that target; allocated */
};

/* -EINVAL, -ENOMEM. To be finished in any case. */
__attribute__((warn_unused_result)) int limits_view_init(struct limits_view *v,
                                                         struct result *const *results, unsigned n,
                                                         const struct report_style *style,
                                                         struct err *err);
void limits_view_fini(struct limits_view *v);

/* The first result of a target; NULL. */
const struct result *limits_result_of(const struct limits_view *v, unsigned target);
const struct ceiling *limits_row_of(const struct limits_view *v, unsigned target,
                                    const char *protocol, const char *row);
/* Calls `take` with each row there is, all targets together, in the order of the ladder: the first ceiling of it. */
void limits_each_row(const struct limits_view *v,
                     void (*take)(void *ctx, const struct limits_view *v, const struct ceiling *),
                     void *ctx);
bool limits_has_value(const struct ceiling *c);
/* The value is the least that the target can give: something else stopped first. */
bool limits_lower_bound(const struct ceiling *c);
/* The bytes may have come from elsewhere than the row says. */
bool limits_unproven(const struct ceiling *c);
const char *limits_title(const struct ceiling *c);
const struct limits_published_row *limits_published_beside(const struct limits_view *v,
                                                           const struct ceiling *c);
/* By how much the value is above (or below) the published one, of a band the end that is farther off; NAN. */
double limits_off_frac(const struct limits_published_row *row, const struct ceiling *c);

/* limits_cells.c. All return buf. */
char *limits_cell_value(char buf[CELL_MAX], enum ceiling_metric metric, double value);
char *limits_cell_band(char buf[CELL_MAX], double low_ns, double high_ns);
char *limits_cell_of(char buf[CELL_MAX], const struct ceiling *c); /* with its ">" or "?" */
char *limits_cell_band_of(char buf[CELL_MAX],
                          const struct ceiling *c); /* p5 to p95, with its "?" */
char *limits_cell_half(char buf[CELL_MAX], const struct ceiling *c);
char *limits_cell_published(char buf[CELL_MAX], const struct limits_published_row *row,
                            enum ceiling_metric metric);
char *limits_cell_off(char buf[CELL_MAX], double off_frac);
char *limits_cell_share(char buf[CELL_MAX], double frac); /* never rounded up */
/* "client core 3", "unknown", "STARVED": what stands in the last column. */
const char *limits_cell_stopped(const struct ceiling *c);

const char *limits_metric_name(enum ceiling_metric metric); /* "bytes" "ops" "latency" */
const char *limits_metric_unit(enum ceiling_metric metric); /* "bytes/s" "/s" "ns" */
/* What was opened for the row, with what its rig adds. */
const char *limits_address(const struct limits_view *v, const struct ceiling *c);

void limits_table(struct text *out, const struct limits_view *v);
void limits_details(struct text *out, const struct limits_view *v);
void limits_about_writes(struct text *out, const struct limits_view *v);
void limits_quick(struct text *out, const struct limits_view *v);
void limits_csv(struct text *out, const struct limits_view *v);
__attribute__((warn_unused_result)) int limits_json(struct text *out, const struct limits_view *v,
                                                    struct err *err);
/* The study, or one run of it. */
__attribute__((warn_unused_result)) int report_limits(struct text *out,
                                                      struct result *const *results, unsigned n,
                                                      const struct report_style *style,
                                                      struct err *err);

#endif
