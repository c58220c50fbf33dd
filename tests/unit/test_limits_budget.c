/* study/limits_priv.h, limits_budget.c: all rows that are left fit into what is left. */
#include "study/limits_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define S UINT64_C(1000000000)

static const struct limits_row ramped = {.op = OP_READ, .place = LIMITS_CACHE};
static const struct limits_row latency = {.op = OP_READ, .place = LIMITS_LOG, .latency = true};

static void rows_fit_into_the_budget(void **state)
{
    struct limits_budget b = {.total_ns = 900 * S, .rows_left = 13};
    struct limits_times times;
    (void)state;
    for (b.rows_left = 13; b.rows_left > 0; b.rows_left--) {
        unsigned points = limits_budget_points(b.rows_left % 5 ? &ramped : &latency, 1, 256);
        limits_budget_row(&b, points, false, &times);
        assert_int_equal(times.finals, LIMITS_FINALS);
        assert_true(times.warm_ns >= S / 4 && times.point_ns >= S / 2);
        assert_true(times.final_ns >= times.point_ns && times.steady_ns >= times.warm_ns);
        b.spent_ns += limits_budget_about(&times, points);
    }
    assert_true(b.spent_ns <= b.total_ns * 96 / 100);
    assert_true(b.spent_ns >= b.total_ns * 70 / 100);
}

static void a_row_that_was_short_leaves_more_to_the_next(void **state)
{
    struct limits_budget b = {.total_ns = 600 * S, .rows_left = 10};
    struct limits_times first, next, late;
    (void)state;
    limits_budget_row(&b, 12, false, &first);
    b.rows_left = 9;
    b.spent_ns = 10 * S;
    limits_budget_row(&b, 12, false, &next);
    assert_true(next.point_ns > first.point_ns);
    b.spent_ns = 200 * S;
    limits_budget_row(&b, 12, false, &late);
    assert_true(late.point_ns < first.point_ns);
}

static void what_is_used_up_leaves_the_least_and_not_nothing(void **state)
{
    const struct limits_budget b = {.total_ns = 60 * S, .spent_ns = 90 * S, .rows_left = 3};
    struct limits_times times;
    (void)state;
    limits_budget_row(&b, 12, false, &times);
    assert_int_equal(times.point_ns, S * 12 / 100);
    assert_int_equal(times.finals, 3); /* an interval wants so many */
    assert_true(times.hurried);
    assert_int_equal(limits_budget_layout(&b, 1e9), 0);
}

/* What preparing its runs takes is part of a row's share. */
static void twelve_rows_fit_into_a_minute_and_a_half(void **state)
{
    struct limits_budget b = {.total_ns = 90 * S, .spent_ns = 20 * S, .rows_left = 12};
    struct limits_times times;
    (void)state;
    for (; b.rows_left > 0; b.rows_left--) {
        limits_budget_row(&b, 13, false, &times);
        b.spent_ns += limits_budget_about(&times, 13);
    }
    assert_true(b.spent_ns <= 90 * S);
}

static void four_rows_fit_into_half_a_minute(void **state)
{
    struct limits_budget b = {.total_ns = 30 * S, .rows_left = 4};
    struct limits_times times;
    (void)state;
    for (; b.rows_left > 0; b.rows_left--) {
        limits_budget_row(&b, 9, true, &times);
        assert_int_equal(times.finals, 1);
        b.spent_ns += limits_budget_about(&times, 9);
    }
    assert_true(b.spent_ns <= 30 * S);
}

static void points_of_a_ramp(void **state)
{
    (void)state;
    assert_int_equal(limits_budget_points(&latency, 1, 256), 0);
    assert_int_equal(limits_budget_points(&ramped, 20, 20), 1);
    assert_int_equal(limits_budget_points(&ramped, 2, 1), 1); /* fewer files than streams */
    assert_int_equal(limits_budget_points(&ramped, 1, 4), 7);
    assert_true(limits_budget_points(&ramped, 1, 4096) <= 13);
}

static void laying_out_takes_a_third(void **state)
{
    const struct limits_budget b = {.total_ns = 900 * S, .spent_ns = 100 * S};
    (void)state;
    assert_int_equal(limits_budget_layout(&b, 1e6), 200000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_fit_into_the_budget),
        cmocka_unit_test(a_row_that_was_short_leaves_more_to_the_next),
        cmocka_unit_test(what_is_used_up_leaves_the_least_and_not_nothing),
        cmocka_unit_test(twelve_rows_fit_into_a_minute_and_a_half),
        cmocka_unit_test(four_rows_fit_into_half_a_minute),
        cmocka_unit_test(points_of_a_ramp),
        cmocka_unit_test(laying_out_takes_a_third),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
