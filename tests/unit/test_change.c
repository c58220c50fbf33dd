/* change.h: changes and intervals against values computed by hand. */
#include "stats/change.h"

#include "stats/spread.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void assert_close(double got, double wanted, double error)
{
    if (!(fabs(got - wanted) <= error))
        fail_msg("%.9g is not within %g of %.9g", got, error, wanted);
}

/* Values whose logarithms are the given ones. */
struct logs {
    double value[32];
    size_t n;
};

static struct logs of_logs(const double *logs, size_t n)
{
    struct logs out = {.n = n};
    for (size_t i = 0; i < n; i++)
        out.value[i] = exp(logs[i]);
    return out;
}

static struct change change(const struct logs *a, const struct logs *b)
{
    const struct change_side side_a = {.value = a->value, .n = a->n};
    const struct change_side side_b = {.value = b->value, .n = b->n};
    struct change out;
    assert_int_equal(change_of(&side_a, &side_b, &out), 0);
    return out;
}

/* Student's sleep data, as logarithms: Welch by R gives t = 1.8608, df = 17.776, and the 95 %
 * interval of the difference -0.2054832 … 3.3654832. */
static const double sleep_a[] = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
static const double sleep_b[] = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};

static void welch_is_the_published_one(void **state)
{
    (void)state;
    struct logs a = of_logs(sleep_a, 10), b = of_logs(sleep_b, 10);
    struct change c = change(&a, &b);
    assert_int_equal(c.noise, CHANGE_NOISE_RUNS);
    assert_close(c.df, 17.776, 0.001);
    assert_close(log(c.mean_a), 0.75, 1e-12);
    assert_close(log(c.mean_b), 2.33, 1e-12);
    assert_close(log1p(c.frac), 1.58, 1e-12);
    assert_close(log1p(c.low), -0.2054832, 2e-5);
    assert_close(log1p(c.high), 3.3654832, 2e-5);
    assert_close(log1p(c.half_frac), (3.3654832 + 0.2054832) / 2, 2e-5);
    assert_false(change_is_seen(&c));
}

/* The same data in pairs, by R: df = 9, interval of the difference 0.7001142 … 2.4598858. */
static void pairs_are_the_published_ones(void **state)
{
    (void)state;
    struct logs a = of_logs(sleep_a, 10), b = of_logs(sleep_b, 10);
    const struct change_side side_a = {.value = a.value, .n = 10};
    const struct change_side side_b = {.value = b.value, .n = 10};
    struct change c;
    assert_int_equal(change_of_pairs(&side_a, &side_b, &c), 0);
    assert_int_equal(c.noise, CHANGE_NOISE_PAIRS);
    assert_true(c.df == 9);
    assert_close(log1p(c.low), 0.7001142, 1e-6);
    assert_close(log1p(c.high), 2.4598858, 1e-6);
    assert_true(change_is_seen(&c));
}

/* The prediction interval of one more run: mean ± t(n−1)·s·√(1 + 1/n). */
static void one_new_run_is_judged_by_the_spread_of_the_baseline(void **state)
{
    (void)state;
    const double logs[] = {0.01, -0.01, 0.03, -0.02, 0.00, 0.02, -0.03, 0.01, -0.01, 0.00};
    const double new_log = 0.08;
    for (size_t n = CHANGE_RUNS_MIN; n <= COUNT(logs); n++) {
        struct logs a = of_logs(logs, n), b = of_logs(&new_log, 1);
        struct spread s;
        assert_int_equal(spread_of(logs, n, &s), 0);
        struct change c = change(&a, &b);
        double half = spread_t95(n - 1) * s.stddev * sqrt(1 + 1 / (double)n);
        assert_close(log1p(c.low), new_log - s.mean - half, 1e-12);
        assert_close(log1p(c.high), new_log - s.mean + half, 1e-12);
        assert_close(log(c.high_b), new_log + spread_t95(n - 1) * s.stddev, 1e-12);
        assert_true(c.df == (double)(n - 1));
    }
}

static void four_runs_are_no_baseline(void **state)
{
    (void)state;
    struct logs a = of_logs(sleep_a, 4), b = of_logs(sleep_b, 10);
    struct change c = change(&a, &b);
    assert_int_equal(c.noise, CHANGE_NOISE_UNKNOWN);
    assert_true(isnan(c.low) && isnan(c.high) && isnan(c.half_frac));
    assert_true(isnan(c.low_b) && isnan(c.high_b) && c.df == 0);
    assert_close(log(c.mean_b), 2.33, 1e-12);
    assert_false(change_is_seen(&c));
}

static void one_run_each_has_a_change_and_no_interval(void **state)
{
    (void)state;
    const double values[] = {100, 110};
    const struct change_side a = {.value = &values[0], .n = 1};
    const struct change_side b = {.value = &values[1], .n = 1};
    struct change c;
    assert_int_equal(change_of(&a, &b, &c), 0);
    assert_close(c.frac, 0.10, 1e-12);
    assert_int_equal(c.noise, CHANGE_NOISE_UNKNOWN);
    assert_int_equal(change_of_pairs(&a, &b, &c), 0);
    assert_int_equal(c.noise, CHANGE_NOISE_UNKNOWN);
}

/* Three runs of b that lie further apart than a's ever did are not lent a's quietness. */
static void few_runs_keep_their_own_spread_where_it_is_larger(void **state)
{
    (void)state;
    const double quiet[] = {0.00, 0.01, -0.01, 0.00, 0.01};
    const double wild[] = {0.3, 0.0, -0.3};
    struct logs a = of_logs(quiet, 5), b = of_logs(wild, 3);
    struct spread sa, sb;
    assert_int_equal(spread_of(quiet, 5, &sa), 0);
    assert_int_equal(spread_of(wild, 3, &sb), 0);
    struct change c = change(&a, &b);
    double se = sqrt(sa.stddev * sa.stddev / 5 + sb.stddev * sb.stddev / 3);
    assert_close(log1p(c.high) - log1p(c.frac), spread_t95(4) * se, 1e-12);
}

static double half_with(double within_a, double within_b)
{
    const double logs[] = {0.00, 0.01, -0.01, 0.00, 0.01};
    const double new_log = 0;
    double w_a[] = {within_a, within_a, within_a, within_a, within_a};
    struct logs a = of_logs(logs, 5), b = of_logs(&new_log, 1);
    const struct change_side side_a = {.value = a.value, .within_frac = w_a, .n = 5};
    const struct change_side side_b = {.value = b.value, .within_frac = &within_b, .n = 1};
    struct change c;
    assert_int_equal(change_of(&side_a, &side_b, &c), 0);
    return log1p(c.half_frac);
}

/* A short run against long ones: what it is noisier within itself is added; a long one against
 * short ones gains nothing; what is not known changes nothing. */
static void noise_within_the_run_is_added(void **state)
{
    (void)state;
    const double logs[] = {0.00, 0.01, -0.01, 0.00, 0.01};
    struct spread s;
    assert_int_equal(spread_of(logs, 5, &s), 0);
    double var = s.stddev * s.stddev;
    double plain = spread_t95(4) * sqrt(var / 5 + var);
    assert_close(half_with(0.01, 0.01), plain, 1e-12);
    assert_close(half_with(0.01, 0.03), spread_t95(4) * sqrt(var / 5 + var + 0.0008), 1e-12);
    assert_close(half_with(0.03, 0.01), plain, 1e-12);
    assert_close(half_with(NAN, 0.03), plain, 1e-12);
    assert_close(half_with(0.03, NAN), plain, 1e-12);
}

/* Two sides that repeat exactly, a bucket's width apart, are not told apart. */
static void resolution_is_not_averaged_away(void **state)
{
    (void)state;
    const double a_values[] = {1000, 1000, 1000, 1000, 1000, 1000};
    const double b_values[] = {1007, 1007, 1007, 1007, 1007, 1007};
    struct change_side a = {.value = a_values, .n = 6};
    struct change_side b = {.value = b_values, .n = 6};
    struct change c;
    assert_int_equal(change_of(&a, &b, &c), 0);
    assert_true(change_is_seen(&c));
    a.resolution_frac = b.resolution_frac = 1.0 / 256;
    assert_int_equal(change_of(&a, &b, &c), 0);
    assert_false(change_is_seen(&c));
    assert_close(log1p(c.half_frac), 2.0 / 256, 1e-8);
}

/* Two ways to reckon a rate may differ in the last digit. */
static void values_alike_but_for_rounding_are_no_change(void **state)
{
    (void)state;
    double values[64];
    for (unsigned i = 0; i < 64; i++)
        values[i] = i < 32 ? 3.3 : 3.3 * (1 + 1e-13);
    for (size_t n = CHANGE_RUNS_MIN; n < 32; n++) {
        const struct change_side a = {.value = values, .n = n};
        const struct change_side b = {.value = values + 32, .n = n + 1};
        struct change c;
        assert_int_equal(change_of(&a, &b, &c), 0);
        assert_true(c.frac != 0);
        assert_false(change_is_seen(&c));
        assert_true(c.half_frac < 1e-8);
    }
}

static void what_has_no_logarithm_is_refused(void **state)
{
    (void)state;
    static const double bad[] = {0, -1, NAN, INFINITY};
    const double good[] = {1, 2};
    struct change c = {.df = 99};
    for (size_t i = 0; i < COUNT(bad); i++) {
        const double with_bad[] = {1, bad[i]};
        const struct change_side a = {.value = good, .n = 2};
        const struct change_side b = {.value = with_bad, .n = 2};
        const struct change_side none = {.value = good, .n = 0};
        assert_int_equal(change_of(&a, &b, &c), -EINVAL);
        assert_int_equal(change_of(&b, &a, &c), -EINVAL);
        assert_int_equal(change_of_pairs(&a, &b, &c), -EINVAL);
        assert_int_equal(change_of(&a, &none, &c), -EINVAL);
        assert_int_equal(change_of_pairs(&a, &none, &c), -EINVAL);
    }
    assert_true(c.df == 99);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(welch_is_the_published_one),
        cmocka_unit_test(pairs_are_the_published_ones),
        cmocka_unit_test(one_new_run_is_judged_by_the_spread_of_the_baseline),
        cmocka_unit_test(four_runs_are_no_baseline),
        cmocka_unit_test(one_run_each_has_a_change_and_no_interval),
        cmocka_unit_test(few_runs_keep_their_own_spread_where_it_is_larger),
        cmocka_unit_test(noise_within_the_run_is_added),
        cmocka_unit_test(resolution_is_not_averaged_away),
        cmocka_unit_test(values_alike_but_for_rounding_are_no_change),
        cmocka_unit_test(what_has_no_logarithm_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
