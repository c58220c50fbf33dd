/* spread.h: mean and median with their 95 % intervals, against published numbers. */
#include "stats/spread.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

static void assert_close(double got, double expected, double within)
{
    if (!(fabs(got - expected) <= within))
        fail_msg("%.9g is not %.9g within %g", got, expected, within);
}

/* Upper 2.5 % points as printed to three decimals in the NIST/SEMATECH e-Handbook, 1.3.6.7.2. */
static void test_t_quantiles_are_the_published_ones(void **state)
{
    (void)state;
    static const struct {
        size_t df;
        double t;
    } published[] = {{1, 12.706}, {2, 4.303},  {3, 3.182},  {4, 2.776},  {5, 2.571},  {6, 2.447},
                     {7, 2.365},  {8, 2.306},  {9, 2.262},  {10, 2.228}, {11, 2.201}, {12, 2.179},
                     {13, 2.160}, {14, 2.145}, {15, 2.131}, {16, 2.120}, {17, 2.110}, {18, 2.101},
                     {19, 2.093}, {20, 2.086}, {21, 2.080}, {22, 2.074}, {23, 2.069}, {24, 2.064},
                     {25, 2.060}, {26, 2.056}, {27, 2.052}, {28, 2.048}, {29, 2.045}, {30, 2.042},
                     {31, 2.040}, {40, 2.021}, {50, 2.009}, {60, 2.000}, {80, 1.990}, {100, 1.984}};
    for (size_t i = 0; i < COUNT(published); i++)
        assert_close(spread_t95(published[i].df), published[i].t, 0.0005);
    assert_close(spread_t95(SIZE_MAX), 1.959963985, 1e-8);
}

/* Independent of table and expansion: the distribution function of t for whole degrees of freedom
 * is a finite sum (Abramowitz and Stegun 26.7.3, 26.7.4). */
static double two_sided(double t, unsigned df)
{
    double angle = atan(t / sqrt(df));
    double c2 = cos(angle) * cos(angle);
    double term = df % 2 ? cos(angle) : 1;
    double sum = df > 1 ? term : 0;
    for (unsigned k = df % 2 ? 3 : 2; k + 1 < df; k += 2) {
        term *= c2 * (k - 1) / k;
        sum += term;
    }
    return df % 2 ? M_2_PI * (angle + sin(angle) * sum) : sin(angle) * sum;
}

static void test_t_quantiles_hold_95_percent(void **state)
{
    (void)state;
    for (unsigned df = 1; df < 400; df++)
        assert_close(two_sided(spread_t95(df), df), 0.95, df <= 30 ? 1e-7 : 5e-9);
}

/* Cushny and Peebles' sleep data as in Student's paper of 1908: mean 1.58, s 1.23; R's t.test gives
 * the interval 0.7001142 … 2.4598858. */
static void test_mean_interval_of_students_own_data(void **state)
{
    (void)state;
    static const double hours[] = {1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4};
    struct spread s;
    assert_int_equal(spread_of(hours, COUNT(hours), &s), 0);
    assert_int_equal(s.n, 10);
    assert_close(s.mean, 1.58, 1e-12);
    assert_close(s.stddev, 1.229995, 1e-6);
    assert_true(s.has_interval);
    assert_close(s.mean - s.half_95, 0.7001142, 1e-6);
    assert_close(s.mean + s.half_95, 2.4598858, 1e-6);
    assert_close(s.median, 1.3, 1e-12);
    assert_true(s.min == 0.0 && s.max == 4.6);
    assert_true(s.has_median_interval);
    assert_true(s.median_low == 0.8 && s.median_high == 2.4); /* 2nd and 9th */
}

/* 1 … n in falling order, so that a value is its own rank and sorting is needed. */
static void median_ranks(size_t n, struct spread *s)
{
    static double values[5000];
    for (size_t i = 0; i < n; i++)
        values[i] = (double)(n - i);
    assert_int_equal(spread_of(values, n, s), 0);
}

/* Ranks of the 95 % interval of the median, as in the tables of the sign test. */
static void test_median_interval_ranks_are_the_published_ones(void **state)
{
    (void)state;
    static const struct {
        size_t n;
        unsigned low;
        unsigned high;
    } published[] = {{6, 1, 6},   {7, 1, 7},    {8, 1, 8},    {9, 2, 8},    {10, 2, 9},
                     {11, 2, 10}, {12, 3, 10},  {15, 4, 12},  {17, 5, 13},  {20, 6, 15},
                     {25, 8, 18}, {30, 10, 21}, {50, 18, 33}, {100, 40, 61}};
    for (size_t i = 0; i < COUNT(published); i++) {
        struct spread s;
        median_ranks(published[i].n, &s);
        assert_true(s.has_median_interval);
        assert_true(s.median_low == published[i].low);
        assert_true(s.median_high == published[i].high);
        assert_true(s.median == (double)(published[i].n + 1) / 2);
    }
}

static void test_median_interval_needs_six_values(void **state)
{
    (void)state;
    for (size_t n = 1; n < 6; n++) {
        struct spread s;
        median_ranks(n, &s);
        assert_false(s.has_median_interval);
        assert_true(s.median == (double)(n + 1) / 2);
    }
}

/* 2^-5000 is no double; the normal approximation gives the ranks 2500.5 ± 0.98 · √5000. */
static void test_median_interval_of_many_values(void **state)
{
    (void)state;
    struct spread s;
    median_ranks(5000, &s);
    assert_true(s.has_median_interval);
    assert_close(s.median_low, 2500.5 - 0.98 * sqrt(5000), 1);
    assert_close(s.median_high, 2500.5 + 0.98 * sqrt(5000), 1);
}

static void test_one_value_has_no_interval(void **state)
{
    (void)state;
    struct spread s;
    const double value = 17.5;
    assert_int_equal(spread_of(&value, 1, &s), 0);
    assert_false(s.has_interval);
    assert_true(s.mean == 17.5 && s.median == 17.5 && s.min == 17.5 && s.max == 17.5);
    assert_true(s.stddev == 0);
}

static void test_two_values(void **state)
{
    (void)state;
    struct spread s;
    const double values[] = {10, 12};
    assert_int_equal(spread_of(values, 2, &s), 0);
    assert_true(s.has_interval);
    assert_close(s.stddev, sqrt(2), 1e-12);
    assert_close(s.half_95, 12.706205, 1e-5); /* t · √2 / √2 */
}

static void test_small_spread_of_large_values_survives(void **state)
{
    (void)state;
    struct spread s;
    const double values[] = {1e15 + 1, 1e15 + 2, 1e15 + 3};
    assert_int_equal(spread_of(values, 3, &s), 0);
    assert_close(s.stddev, 1, 1e-9);
    assert_true(s.mean == 1e15 + 2);
}

static void test_what_is_no_number_is_refused(void **state)
{
    (void)state;
    struct spread s = {.n = 99};
    const double nan_in[] = {1, NAN, 2};
    const double inf_in[] = {1, INFINITY};
    assert_int_equal(spread_of(nan_in, 0, &s), -EINVAL);
    assert_int_equal(spread_of(nan_in, 3, &s), -EINVAL);
    assert_int_equal(spread_of(inf_in, 2, &s), -EINVAL);
    assert_int_equal(s.n, 99);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_t_quantiles_are_the_published_ones),
        cmocka_unit_test(test_t_quantiles_hold_95_percent),
        cmocka_unit_test(test_mean_interval_of_students_own_data),
        cmocka_unit_test(test_median_interval_ranks_are_the_published_ones),
        cmocka_unit_test(test_median_interval_needs_six_values),
        cmocka_unit_test(test_median_interval_of_many_values),
        cmocka_unit_test(test_one_value_has_no_interval),
        cmocka_unit_test(test_two_values),
        cmocka_unit_test(test_small_spread_of_large_values_survives),
        cmocka_unit_test(test_what_is_no_number_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
