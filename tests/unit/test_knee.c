/* knee.h: the top of a curve, and the least load that gives 97 % of it. */
#include "stats/knee.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void the_knee_is_the_least_load_with_97_percent_of_the_top(void **state)
{
    (void)state;
    const struct knee_point curve[] = {{1, 100}, {2, 200},  {4, 390},  {8, 969},
                                       {6, 971}, {16, 985}, {32, 1000}};
    struct knee k;
    assert_true(knee_of(curve, COUNT(curve), &k));
    assert_int_equal(k.top, 6);
    assert_int_equal(k.knee, 4);
}

static void points_of_one_load_and_curves_that_fall_again(void **state)
{
    (void)state;
    const struct knee_point curve[] = {{8, 500}, {4, 990}, {4, 1000}, {16, 1000}, {2, 960}};
    struct knee k;
    assert_true(knee_of(curve, COUNT(curve), &k));
    assert_int_equal(k.top, 2);
    assert_int_equal(k.knee, 2);
}

static void a_curve_without_a_rate_has_none(void **state)
{
    (void)state;
    const struct knee_point none[] = {{1, 0}, {2, NAN}};
    const struct knee_point one[] = {{1, NAN}, {2, 5}, {4, NAN}};
    struct knee k;
    assert_false(knee_of(none, 0, &k));
    assert_false(knee_of(none, COUNT(none), &k));
    assert_true(knee_of(one, COUNT(one), &k));
    assert_int_equal(k.top, 1);
    assert_int_equal(k.knee, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_knee_is_the_least_load_with_97_percent_of_the_top),
        cmocka_unit_test(points_of_one_load_and_curves_that_fall_again),
        cmocka_unit_test(a_curve_without_a_rate_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
