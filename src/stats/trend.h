/* stats/trend.h — whether values in the order of their measuring go one way.
 * Shape    an array in, the Mann-Kendall statistic, its two-sided p and the slope out. trend_of_two
 *          asks whether two series go the same way, whatever lies between them.
 * Units    slope: of the values, per step.
 * Limits   exact for n ≤ TREND_EXACT_MAX without ties, else the normal approximation with
 *          corrections for ties and continuity; n < TREND_MIN has no trend (p = 1). Two series
 *          always by the approximation, and both need TREND_MIN.
 * Errors   -EINVAL: n = 0 or a value that is not finite; -ENOMEM.      Threads  no state.
 * Source   Mann 1945, Kendall 1975; the exact tail counts permutations by their inversions. Slope:
 *          Theil 1950, Sen 1968. Two series: Hirsch, Slack and Smith 1982, who add up seasons.
 *          tests/unit/test_trend.c holds published tail probabilities. */
#ifndef LOADLINE_STATS_TREND_H
#define LOADLINE_STATS_TREND_H

#include <stdbool.h>
#include <stddef.h>

#define TREND_MIN       5
#define TREND_EXACT_MAX 10
#define TREND_P         0.05

struct trend {
    long s; /* pairs that rise less pairs that fall */
    double p;
    double slope; /* median over all pairs; 0 for n = 1 */
    bool found;   /* n ≥ TREND_MIN and p < TREND_P */
};

__attribute__((warn_unused_result)) int trend_of(const double *values, size_t n, struct trend *out);
/* Slope: the steeper of the two. */
__attribute__((warn_unused_result)) int trend_of_two(const double *a, size_t n_a, const double *b,
                                                     size_t n_b, struct trend *out);

#endif
