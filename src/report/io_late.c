/* How late loadline itself was. */
#include "report/report_priv.h"

/* Names the quantile of lateness that is the largest part of that of response; NULL: none is too
 * large. In the tail as well: a p99.9 of ours is not the target's. */
static const char *late_quantile(const struct hist *lateness, const struct hist *response)
{
    static const struct {
        const char *name;
        double q;
    } checked[] = {{"p50", 0.5}, {"p99", 0.99}, {"p99.9", 0.999}};
    const char *worst = NULL;
    double most = REPORT_OWN_DELAY_FRAC;

    for (size_t i = 0; i < sizeof checked / sizeof checked[0]; i++) {
        double late_ns = (double)hist_quantile(lateness, checked[i].q);
        double response_ns = (double)hist_quantile(response, checked[i].q);

        if (late_ns <= most * response_ns)
            continue;
        most = late_ns / response_ns;
        worst = checked[i].name;
    }
    return worst;
}

void report_about_lateness(struct text *out, const struct result *r, const struct hist *response,
                           unsigned width)
{
    char p50[CELL_MAX], p99[CELL_MAX], p999[CELL_MAX], max[CELL_MAX];
    const char *late = late_quantile(&r->lateness, response);

    if (hist_count(&r->lateness) == 0) {
        report_fact(out, width, "own lateness", "none seen: no arrival found a free stream");
        return;
    }
    report_fact(out, width, "own lateness", "p50 %s, p99 %s, p99.9 %s, max %s%s%s%s",
                report_cell_ns(p50, hist_quantile(&r->lateness, 0.5)),
                report_cell_ns(p99, hist_quantile(&r->lateness, 0.99)),
                report_cell_ns(p999, hist_quantile(&r->lateness, 0.999)),
                report_cell_ns(max, r->lateness.max), late ? "; LATE: its " : "", late ? late : "",
                late ? " is above 10 % of response's, so loadline itself is in these numbers" : "");
}

void report_about_delay(struct text *out, const struct result *r, unsigned width)
{
    char gap[CELL_MAX];

    if (report_about_own_delay(r))
        report_fact(
            out, width, "own delay",
            "%s was the longest time without looking for completions: above 10 %% of "
            "service p50",
            report_cell_ns(gap, (uint64_t)result_fact_number(&r->own, "reap_gap_max_ns", 0)));
}
