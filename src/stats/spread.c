#include "stats/spread.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TABLE_DF 30

/* Two-sided 95 % quantiles for 1 … 30 degrees of freedom, from the closed form of the distribution
 * for whole degrees of freedom (Abramowitz and Stegun 26.7.3, 26.7.4). */
static const double t95_table[TABLE_DF] = {
    12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004,
    2.262157,  2.228139, 2.200985, 2.178813, 2.160369, 2.144787, 2.131450, 2.119905,
    2.109816,  2.100922, 2.093024, 2.085963, 2.079614, 2.073873, 2.068658, 2.063899,
    2.059539,  2.055529, 2.051831, 2.048407, 2.045230, 2.042272,
};

/* Cornish-Fisher expansion around the normal quantile z (Abramowitz and Stegun 26.7.5), off by less
 * than 1e-7 above the table. */
static double t95_expansion(double df)
{
    const double z = 1.959963984540054;
    const double z3 = z * z * z;
    const double z5 = z3 * z * z;
    const double z7 = z5 * z * z;
    const double z9 = z7 * z * z;
    double g1 = (z3 + z) / 4;
    double g2 = (5 * z5 + 16 * z3 + 3 * z) / 96;
    double g3 = (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / 384;
    double g4 = (79 * z9 + 776 * z7 + 1482 * z5 - 1920 * z3 - 945 * z) / 92160;
    return z + (g1 + (g2 + (g3 + g4 / df) / df) / df) / df;
}

double spread_t95(size_t df)
{
    if (df == 0)
        return INFINITY;
    return df <= TABLE_DF ? t95_table[df - 1] : t95_expansion((double)df);
}

static int compare_double(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool all_finite(const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

/* Welford's running form: no sum that could lose the small differences between large values. */
static void fill_mean(const double *values, size_t n, struct spread *out)
{
    double squares = 0;
    for (size_t i = 0; i < n; i++) {
        double delta = values[i] - out->mean;
        out->mean += delta / (double)(i + 1);
        squares += delta * (values[i] - out->mean);
    }
    if (n < 2)
        return;
    out->stddev = sqrt(squares / (double)(n - 1));
    out->half_95 = spread_t95(n - 1) * out->stddev / sqrt((double)n);
    out->has_interval = true;
}

/* The largest k for which the k-th value from below and from above enclose the median with 95 %:
 * 2 · P(fewer than k of n fair coins) ≤ 5 %. 0 when there is none. Logarithms, since 2^-n is no
 * double for large n. */
static size_t median_rank(size_t n)
{
    double log_term = -(double)n * log(2);
    double below = 0;
    for (size_t k = 0; k < n; k++) {
        below += exp(log_term);
        if (2 * below > 0.05)
            return k;
        log_term += log((double)(n - k) / (double)(k + 1));
    }
    return 0;
}

static void fill_order(const double *sorted, size_t n, struct spread *out)
{
    out->min = sorted[0];
    out->max = sorted[n - 1];
    out->median = n % 2 ? sorted[n / 2] : sorted[n / 2 - 1] / 2 + sorted[n / 2] / 2;
    size_t k = median_rank(n);
    if (k == 0)
        return;
    out->median_low = sorted[k - 1];
    out->median_high = sorted[n - k];
    out->has_median_interval = true;
}

int spread_of(const double *values, size_t n, struct spread *out)
{
    if (n == 0 || !all_finite(values, n))
        return -EINVAL;
    double *sorted = malloc(n * sizeof *sorted);
    if (!sorted)
        return -ENOMEM;
    memcpy(sorted, values, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare_double);
    *out = (struct spread){.n = n};
    fill_mean(values, n, out);
    fill_order(sorted, n, out);
    free(sorted);
    return 0;
}
