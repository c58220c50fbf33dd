/* study/limits_priv.h, limits_ramp.c: doublings until two gain less than 3 %, then loads around the knee. */
#include "study/limits_priv.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/param.h>

#include <cmocka.h>

typedef double (*curve)(uint32_t streams);

/* Runs it against a curve; what was asked is left in *r. */
static void ramp(struct limits_ramp *r, uint32_t from, uint32_t to, curve of)
{
    uint32_t next;
    limits_ramp_begin(r, from, to);
    while ((next = limits_ramp_next(r)) != 0) {
        assert_true(next >= r->from && next <= r->to);
        for (unsigned i = 0; i < r->n; i++)
            assert_int_not_equal(r->point[i].load, next);
        assert_int_equal(limits_ramp_ended(r), LIMITS_RAMP_GOES_ON);
        limits_ramp_add(r, next, of(next));
        assert_true(r->n < LIMITS_POINTS_MAX);
    }
}

static void asked(const struct limits_ramp *r, const uint32_t *load, unsigned n)
{
    assert_int_equal(r->n, n);
    for (unsigned i = 0; i < n; i++)
        assert_int_equal(r->point[i].load, load[i]);
}

static double ten_servers(uint32_t n)
{
    return 100.0 * MIN(n, 10);
}

static void doubles_until_two_gain_nothing_and_looks_for_the_knee(void **state)
{
    const uint32_t load[] = {1, 2, 4, 8, 16, 32, 64, 12, 10, 9};
    struct limits_ramp r;
    (void)state;
    ramp(&r, 1, 4096, ten_servers);
    asked(&r, load, 10);
    assert_int_equal(limits_ramp_ended(&r), LIMITS_RAMP_FLAT);
    assert_int_equal(limits_ramp_top(&r), 10);
}

static double forever(uint32_t n)
{
    return n;
}

static void the_most_streams_that_still_gave_more_are_no_ceiling(void **state)
{
    struct limits_ramp r;
    (void)state;
    ramp(&r, 1, 24, forever);
    assert_int_equal(limits_ramp_ended(&r), LIMITS_RAMP_RISING);
    assert_int_equal(limits_ramp_top(&r), 24);
    assert_int_equal(r.point[5].load, 24); /* the last step is as long as there are streams */
    ramp(&r, 1, 24, ten_servers);
    assert_int_equal(limits_ramp_ended(&r), LIMITS_RAMP_FLAT);
}

static double little_more(uint32_t n)
{
    return pow(n, log2(1.04)); /* 4 % a doubling */
}

static double too_little_more(uint32_t n)
{
    return pow(n, log2(1.02));
}

/* A last step shorter than a doubling is held to its share of the 3 %. */
static void a_gain_is_measured_by_the_doubling(void **state)
{
    struct limits_ramp r;
    (void)state;
    ramp(&r, 8, 11, little_more);
    assert_int_equal(limits_ramp_ended(&r), LIMITS_RAMP_RISING);
    ramp(&r, 1, 4096, little_more);
    assert_int_equal(limits_ramp_ended(&r), LIMITS_RAMP_RISING);
    ramp(&r, 8, 11, too_little_more);
    assert_int_equal(limits_ramp_ended(&r), LIMITS_RAMP_FLAT);
    ramp(&r, 1, 4096, too_little_more);
    assert_int_equal(limits_ramp_ended(&r), LIMITS_RAMP_FLAT);
}

static double dips_at_four(uint32_t n)
{
    return n == 4 ? 100 : ten_servers(n);
}

static void one_doubling_without_gain_does_not_end_it(void **state)
{
    struct limits_ramp r;
    (void)state;
    ramp(&r, 1, 4096, dips_at_four);
    assert_int_equal(limits_ramp_top(&r), 10);
}

static double dips_at_sixteen(uint32_t n)
{
    return n == 16 ? 100 : 100.0 * MIN(n, 8);
}

/* Gained is what is more than all before, not what makes good for a dip. */
static void what_comes_back_from_a_dip_is_no_gain(void **state)
{
    struct limits_ramp r;
    uint32_t most = 0;
    (void)state;
    ramp(&r, 1, 4096, dips_at_sixteen);
    for (unsigned i = 0; i < r.n; i++)
        most = MAX(most, r.point[i].load);
    assert_int_equal(most, 32);
}

/* Best at 24, between two doublings that both give less than 97 % of it. */
static double peaked(uint32_t n)
{
    return n <= 24 ? n : n <= 32 ? 72.0 - 2 * n : 1;
}

static void a_peak_between_doublings_is_found(void **state)
{
    struct limits_ramp r;
    (void)state;
    ramp(&r, 1, 4096, peaked);
    assert_true(limits_ramp_top(&r) > 20 && limits_ramp_top(&r) <= 25);
}

static double queue(uint32_t n)
{
    return (double)n / (n + 140 - 1); /* 140 balanced stations: the most is 1 */
}

static void a_ramp_that_ends_has_come_within_two_per_cent(void **state)
{
    struct limits_ramp r;
    double best = 0;
    (void)state;
    ramp(&r, 1, 1 << 16, queue);
    assert_int_equal(limits_ramp_ended(&r), LIMITS_RAMP_FLAT);
    for (unsigned i = 0; i < r.n; i++)
        best = fmax(best, r.point[i].rate);
    assert_true(best > 0.98);
    assert_true(queue(limits_ramp_top(&r)) > 0.98);
}

static void a_fixed_load_is_one_point(void **state)
{
    struct limits_ramp r;
    (void)state;
    ramp(&r, 20, 20, forever);
    assert_int_equal(r.n, 1);
    assert_int_equal(limits_ramp_ended(&r), LIMITS_RAMP_FIXED);
    assert_int_equal(limits_ramp_top(&r), 20);
}

static double nothing(uint32_t n)
{
    (void)n;
    return NAN;
}

static void points_without_a_rate_end_it(void **state)
{
    struct limits_ramp r;
    (void)state;
    ramp(&r, 1, 4096, nothing);
    assert_true(r.n >= 3);
    assert_int_equal(limits_ramp_ended(&r), LIMITS_RAMP_FLAT);
}

static void says_which_points_are_between(void **state)
{
    struct limits_ramp r;
    unsigned between = 0;
    (void)state;
    limits_ramp_begin(&r, 1, 4096);
    for (uint32_t next; (next = limits_ramp_next(&r)) != 0;) {
        bool refines = limits_ramp_refines(&r);
        assert_int_equal(refines, r.n >= 7);
        between += refines;
        limits_ramp_add(&r, next, ten_servers(next));
    }
    assert_int_equal(between, 3);
    assert_false(limits_ramp_refines(&r));
}

static void in_a_hurry_doublings_are_enough(void **state)
{
    struct limits_ramp r;
    (void)state;
    limits_ramp_begin(&r, 1, 4096);
    limits_ramp_hurry(&r);
    for (uint32_t next; (next = limits_ramp_next(&r)) != 0;)
        limits_ramp_add(&r, next, ten_servers(next));
    assert_int_equal(r.n, 7);
    assert_int_equal(limits_ramp_ended(&r), LIMITS_RAMP_FLAT);
    assert_int_equal(limits_ramp_top(&r), 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubles_until_two_gain_nothing_and_looks_for_the_knee),
        cmocka_unit_test(the_most_streams_that_still_gave_more_are_no_ceiling),
        cmocka_unit_test(a_gain_is_measured_by_the_doubling),
        cmocka_unit_test(one_doubling_without_gain_does_not_end_it),
        cmocka_unit_test(what_comes_back_from_a_dip_is_no_gain),
        cmocka_unit_test(a_peak_between_doublings_is_found),
        cmocka_unit_test(a_ramp_that_ends_has_come_within_two_per_cent),
        cmocka_unit_test(a_fixed_load_is_one_point),
        cmocka_unit_test(points_without_a_rate_end_it),
        cmocka_unit_test(in_a_hurry_doublings_are_enough),
        cmocka_unit_test(says_which_points_are_between),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
