/* trend.h: the statistic of Mann and Kendall, and tail probabilities as published. */
#include "stats/trend.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct trend trend(const double *values, size_t n)
{
    struct trend t;
    assert_int_equal(trend_of(values, n, &t), 0);
    return t;
}

static void assert_close(double got, double wanted, double error)
{
    if (!(fabs(got - wanted) <= error))
        fail_msg("%.9g is not within %g of %.9g", got, error, wanted);
}

static void rising_pairs_less_falling_ones(void **state)
{
    (void)state;
    const double rising[] = {1, 2, 3, 4, 5};
    const double falling[] = {5, 4, 3, 2, 1};
    const double mixed[] = {3, 1, 4, 1, 5, 9, 2, 6};
    assert_int_equal(trend(rising, 5).s, 10);
    assert_int_equal(trend(falling, 5).s, -10);
    assert_int_equal(trend(mixed, COUNT(mixed)).s, 11);
}

/* One-sided tails of Kendall's S: Hollander and Wolfe, table A.30; here both sides. */
static void tails_are_the_published_ones(void **state)
{
    (void)state;
    static const struct {
        double values[8];
        size_t n;
        long s;
        double one_tail;
    } published[] = {
        {{1, 2, 3, 4, 5}, 5, 10, 0.0083},
        {{1, 2, 3, 5, 4}, 5, 8, 0.042},
        {{2, 1, 3, 5, 4}, 5, 6, 0.117},
        {{1, 2, 3, 4, 5, 6}, 6, 15, 0.0014},
        {{1, 2, 3, 4, 6, 5}, 6, 13, 0.0083},
        {{2, 1, 3, 4, 6, 5}, 6, 11, 0.028},
        {{1, 2, 3, 4, 5, 7, 6, 8}, 8, 26, 0.0002},
        {{2, 1, 4, 3, 6, 5, 8, 7}, 8, 20, 0.0071},
    };
    for (size_t i = 0; i < COUNT(published); i++) {
        struct trend t = trend(published[i].values, published[i].n);
        assert_int_equal(t.s, published[i].s);
        assert_close(t.p, 2 * published[i].one_tail, 0.001);
    }
}

/* All 120 orders of five: p is the share of orders that are at least as much of a trend. */
static void p_is_the_share_of_orders(void **state)
{
    (void)state;
    long s[120];
    double p[120];
    unsigned n = 0;
    for (unsigned code = 0; code < 3125; code++) {
        double v[5];
        unsigned seen = 0;
        for (unsigned i = 0, rest = code; i < 5; i++, rest /= 5) {
            v[i] = rest % 5;
            seen |= 1u << rest % 5;
        }
        if (seen != 31)
            continue;
        s[n] = trend(v, 5).s;
        p[n++] = trend(v, 5).p;
    }
    assert_int_equal(n, 120);
    for (unsigned i = 0; i < n; i++) {
        unsigned as_much = 0;
        for (unsigned j = 0; j < n; j++)
            as_much += labs(s[j]) >= labs(s[i]);
        assert_close(p[i], as_much / 120.0, 1e-12);
    }
}

static void with_five_only_a_strict_order_is_a_trend(void **state)
{
    (void)state;
    const double strict[] = {1, 2, 3, 4, 5};
    const double swapped[] = {1, 2, 3, 5, 4};
    assert_true(trend(strict, 5).found);
    assert_false(trend(swapped, 5).found);
}

static void fewer_than_five_have_no_trend(void **state)
{
    (void)state;
    const double rising[] = {1, 2, 3, 4};
    for (size_t n = 1; n < TREND_MIN; n++) {
        assert_true(trend(rising, n).p == 1);
        assert_false(trend(rising, n).found);
    }
}

/* Ties: variance (n(n−1)(2n+5) − Σ t(t−1)(2t+5)) / 18 = (950 − 2·1·9 − 3·2·11) / 18 for one pair
 * and one three alike of ten. */
static void ties_shrink_the_variance(void **state)
{
    (void)state;
    const double values[] = {1, 2, 2, 3, 4, 4, 4, 5, 6, 7};
    double var = (10 * 9 * 25 - 2 * 1 * 9 - 3 * 2 * 11) / 18.0;
    struct trend t = trend(values, COUNT(values));
    assert_int_equal(t.s, 45 - 1 - 3);
    assert_close(t.p, erfc((41 - 1) / sqrt(2 * var)), 1e-12);
}

static void equal_values_have_no_trend(void **state)
{
    (void)state;
    const double flat[] = {7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7};
    assert_true(trend(flat, 5).p == 1);
    assert_true(trend(flat, 12).p == 1);
}

/* The exact tail and the approximation meet where one takes over from the other. */
static void above_ten_the_normal_takes_over(void **state)
{
    (void)state;
    double values[11];
    for (unsigned i = 0; i < 11; i++)
        values[i] = i % 2 ? i : 10.5 - i;
    struct trend t = trend(values, 11);
    double z = (double)(labs(t.s) - 1) / sqrt(11 * 10 * 27 / 18.0);
    assert_close(t.p, t.s ? erfc(z / sqrt(2)) : 1, 1e-12);
}

/* Theil and Sen: one value far off does not turn the slope. */
static void the_slope_is_the_median_of_all_slopes(void **state)
{
    (void)state;
    const double straight[] = {10, 12, 14, 16, 18};
    const double spoilt[] = {10, 12, 14, 16, 1800};
    const double one[] = {3};
    assert_close(trend(straight, 5).slope, 2, 1e-12);
    assert_close(trend(spoilt, 5).slope, 2, 1e-12);
    assert_true(trend(one, 1).slope == 0);
}

/* S = 8 of five is no trend (p = 0.083); twice the same is: S = 16, variance 2 · 50 / 3. */
static void two_series_that_go_the_same_way_are_a_trend_together(void **state)
{
    (void)state;
    const double rising[] = {1, 2, 3, 5, 4};
    const double again[] = {30, 10, 40, 50, 60};
    const double falling[] = {4, 5, 3, 2, 1};
    struct trend t;
    assert_int_equal(trend_of_two(rising, 5, again, 5, &t), 0);
    assert_int_equal(t.s, 16);
    assert_close(t.p, erfc(15 / sqrt(2 * 100 / 3.0)), 1e-12);
    assert_true(t.found);
    assert_close(t.slope, 10, 1e-12);
    assert_int_equal(trend_of_two(rising, 5, falling, 5, &t), 0);
    assert_false(t.found);
    assert_int_equal(trend_of_two(rising, 5, again, 4, &t), 0);
    assert_true(t.p == 1);
}

static void what_is_no_number_is_refused(void **state)
{
    (void)state;
    const double values[] = {1, NAN, 3};
    struct trend t = {.s = 99};
    assert_int_equal(trend_of(values, 3, &t), -EINVAL);
    assert_int_equal(trend_of(values, 0, &t), -EINVAL);
    assert_int_equal(trend_of_two(values, 1, values, 3, &t), -EINVAL);
    assert_int_equal(t.s, 99);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rising_pairs_less_falling_ones),
        cmocka_unit_test(tails_are_the_published_ones),
        cmocka_unit_test(p_is_the_share_of_orders),
        cmocka_unit_test(with_five_only_a_strict_order_is_a_trend),
        cmocka_unit_test(fewer_than_five_have_no_trend),
        cmocka_unit_test(ties_shrink_the_variance),
        cmocka_unit_test(equal_values_have_no_trend),
        cmocka_unit_test(above_ten_the_normal_takes_over),
        cmocka_unit_test(the_slope_is_the_median_of_all_slopes),
        cmocka_unit_test(two_series_that_go_the_same_way_are_a_trend_together),
        cmocka_unit_test(what_is_no_number_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
