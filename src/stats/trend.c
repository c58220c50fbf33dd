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

static double p_normal(long s, size_t n, double ties)
{
    double var = ((double)n * ((double)n - 1) * (2 * (double)n + 5) - ties) / 18;

    if (s == 0 || var <= 0)
        return 1;
    return erfc((double)(labs(s) - 1) / sqrt(2 * var));
}

int trend_of(const double *values, size_t n, struct trend *out)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(values[i]))
            return -EINVAL;
    if (n == 0)
        return -EINVAL;
    double ties = ties_term(values, n);
    *out = (struct trend){.s = rising_less_falling(values, n), .p = 1};
    if (n >= TREND_MIN)
        out->p = n <= TREND_EXACT_MAX && ties == 0 ? p_exact(out->s, n) : p_normal(out->s, n, ties);
    out->found = out->p < TREND_P;
    return 0;
}
