#include "stats/trend.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PAIRS_MAX (TREND_EXACT_MAX * (TREND_EXACT_MAX - 1) / 2)

static long rising_less_falling(const double *values, size_t n)
{
    long s = 0;

    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            s += (values[j] > values[i]) - (values[j] < values[i]);
    return s;
}

/* Sum of t(t−1)(2t+5) over groups of t equal values; 0 without ties. Each value v stands for its
 * share of the group it is in. */
static double ties_term(const double *values, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++) {
        double t = 0;
        for (size_t j = 0; j < n; j++)
            t += values[j] == values[i];
        sum += (t - 1) * (2 * t + 5);
    }
    return sum;
}

/* Share of the n! orders in which at most k pairs are inverted: adding the m-th value puts 0 … m−1
 * new inversions into each order of the m−1 before it, all alike often. */
static double inversions_share(size_t n, long k)
{
    double share[PAIRS_MAX + 1] = {1};

    for (size_t m = 2; m <= n; m++) {
        double next[PAIRS_MAX + 1] = {0};
        for (size_t i = 0; i <= PAIRS_MAX; i++)
            for (size_t add = 0; add < m && add <= i; add++)
                next[i] += share[i - add] / (double)m;
        memcpy(share, next, sizeof share);
    }
    double sum = 0;
    for (long i = 0; i <= k; i++)
        sum += share[i];
    return sum;
}

static double p_exact(long s, size_t n)
{
    long pairs = (long)(n * (n - 1) / 2);

    return fmin(1, 2 * inversions_share(n, (pairs - labs(s)) / 2));
}

static double s_variance(const double *values, size_t n)
{
    double count = (double)n;

    return (count * (count - 1) * (2 * count + 5) - ties_term(values, n)) / 18;
}

static double p_normal(long s, double var)
{
    if (s == 0 || var <= 0)
        return 1;
    return erfc((double)(labs(s) - 1) / sqrt(2 * var));
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* NAN: no memory. */
static double median_slope(const double *values, size_t n)
{
    size_t pairs = n * (n - 1) / 2, at = 0;
    double *slope = malloc((pairs + 1) * sizeof *slope);
    double median = NAN;

    for (size_t i = 0; slope && i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            slope[at++] = (values[j] - values[i]) / (double)(j - i);
    if (slope && pairs > 0) {
        qsort(slope, pairs, sizeof *slope, by_size);
        median = (slope[(pairs - 1) / 2] + slope[pairs / 2]) / 2;
    } else if (slope) {
        median = 0;
    }
    free(slope);
    return median;
}

static bool all_finite(const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(values[i]))
            return false;
    return n > 0;
}

int trend_of(const double *values, size_t n, struct trend *out)
{
    if (!all_finite(values, n))
        return -EINVAL;
    struct trend t = {
        .s = rising_less_falling(values, n), .p = 1, .slope = median_slope(values, n)};
    if (isnan(t.slope))
        return -ENOMEM;
    bool exact = n <= TREND_EXACT_MAX && ties_term(values, n) == 0;
    if (n >= TREND_MIN)
        t.p = exact ? p_exact(t.s, n) : p_normal(t.s, s_variance(values, n));
    t.found = t.p < TREND_P;
    *out = t;
    return 0;
}

int trend_of_two(const double *a, size_t n_a, const double *b, size_t n_b, struct trend *out)
{
    struct trend ta, tb;
    int rc = trend_of(a, n_a, &ta);

    if (rc == 0)
        rc = trend_of(b, n_b, &tb);
    if (rc < 0)
        return rc;
    *out = (struct trend){.s = ta.s + tb.s, .p = 1};
    out->slope = fabs(ta.slope) > fabs(tb.slope) ? ta.slope : tb.slope;
    if (n_a >= TREND_MIN && n_b >= TREND_MIN)
        out->p = p_normal(out->s, s_variance(a, n_a) + s_variance(b, n_b));
    out->found = out->p < TREND_P;
    return 0;
}
