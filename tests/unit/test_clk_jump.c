/* clk/clk_jump.h: what is taken for a jump of time, from readings as the clocks give them. */
#include "clk/clk_jump.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define MS  1000000
#define SEC 1000000000

static const struct clk_moment start = {
    .monotonic_ns = 5ull * SEC, .boottime_ns = 9ull * SEC, .wall_ns = 1700000000ull * SEC};

/* The three clocks went on by this much. */
static struct clk_jump after(int64_t monotonic, int64_t boottime, int64_t wall)
{
    struct clk_moment end = start;

    end.monotonic_ns += (uint64_t)monotonic;
    end.boottime_ns += (uint64_t)boottime;
    end.wall_ns += (uint64_t)wall;
    return clk_jump_between(&start, &end);
}

static void expect(struct clk_jump jump, uint64_t suspended_ns, int64_t stepped_ns)
{
    assert_true(jump.known);
    assert_int_equal(jump.suspended_ns, suspended_ns);
    assert_true(jump.stepped_ns == stepped_ns);
}

static void clocks_that_go_together_have_not_jumped(void **state)
{
    (void)state;
    expect(after(0, 0, 0), 0, 0);
    expect(after(86400ll * SEC, 86400ll * SEC, 86400ll * SEC), 0, 0);
    /* Readings are not taken at the same instant. */
    expect(after(SEC, SEC + 20000, SEC + 40000), 0, 0);
}

/* A date that is brought right slowly moves by milliseconds at the most. */
static void milliseconds_are_no_jump(void **state)
{
    (void)state;
    expect(after(SEC, SEC, SEC + 9 * MS), 0, 0);
    expect(after(SEC, SEC, SEC - 9 * MS), 0, 0);
    expect(after(SEC, SEC + 9 * MS, SEC + 9 * MS), 0, 0);
    expect(after(SEC, SEC, SEC + 10 * MS), 0, 10 * MS);
    expect(after(SEC, SEC, SEC - 10 * MS), 0, -10 * MS);
    expect(after(SEC, SEC + 10 * MS, SEC + 10 * MS), 10 * MS, 0);
}

/* The date goes on in the machine's sleep, which is no step of it. */
static void sleep_and_steps_are_told_apart(void **state)
{
    (void)state;
    expect(after(SEC, 61ll * SEC, 61ll * SEC), 60ull * SEC, 0);
    expect(after(SEC, SEC, -3599ll * SEC), 0, -3600ll * SEC);
    expect(after(SEC, 61ll * SEC, 63ll * SEC), 60ull * SEC, 2ll * SEC);
}

static void a_reading_that_took_long_proves_nothing(void **state)
{
    struct clk_moment end = start;

    (void)state;
    end.wall_ns += 30 * MS;
    end.gap_ns = 30 * MS;
    assert_false(clk_jump_between(&start, &end).known);
    assert_false(clk_jump_between(&end, &start).known);
    assert_int_equal(clk_jump_between(&start, &end).stepped_ns, 0);
}

static void this_machine_stands_still_for_none(void **state)
{
    struct clk_moment a, b;

    (void)state;
    clk_moment_read(&a);
    clk_moment_read(&b);
    assert_true(a.monotonic_ns > 0 && b.monotonic_ns >= a.monotonic_ns);
    assert_true(a.boottime_ns > 0 && a.wall_ns > 1000000000ull * SEC);
    assert_int_equal(clk_jump_between(&a, &b).suspended_ns, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clocks_that_go_together_have_not_jumped),
        cmocka_unit_test(milliseconds_are_no_jump),
        cmocka_unit_test(sleep_and_steps_are_told_apart),
        cmocka_unit_test(a_reading_that_took_long_proves_nothing),
        cmocka_unit_test(this_machine_stands_still_for_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
