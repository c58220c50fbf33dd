/* stats/spread.h — what n repeats say about a value.
 * Shape    an array of values in, mean and interval out.
 * Units    those of the values.
 * Limits   n = 1 gives no interval; the median's interval only for n ≥ 6 (order statistics).
 * Errors   -EINVAL: n = 0 or a value that is not finite; -ENOMEM.     Threads  no state.
 * Source   mean ± t·s/√n, two-sided 95 %, Student's t by its quantile table up to 30 degrees of
 *          freedom and the Cornish-Fisher expansion above; tests/unit/test_spread.c holds published
 *          quantiles. */
#ifndef LOADLINE_STATS_SPREAD_H
#define LOADLINE_STATS_SPREAD_H

#include <stdbool.h>
#include <stddef.h>

struct spread {
    size_t n;
    double mean;
    double min;
    double max;
    double median;
    double stddev;  /* of the sample (n − 1); 0 for n = 1 */
    double half_95; /* half width of the 95 % interval of the mean; see has_interval */
    bool has_interval;
    double median_low; /* 95 % order-statistic interval of the median; see has_median_interval */
    double median_high;
    bool has_median_interval;
};

__attribute__((warn_unused_result)) int spread_of(const double *values, size_t n,
                                                  struct spread *out);

/* Two-sided 95 % quantile of Student's t with df ≥ 1 degrees of freedom. */
double spread_t95(size_t df);

#endif
