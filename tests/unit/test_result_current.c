/* result.h: which results of a study count when some were measured again. */
#include "result/result.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define RUNS 8

static struct result *run_of(const char *phase, const char *length, const char *repeat,
                             const char *side, enum result_state state)
{
    struct result *r = result_new();
    assert_non_null(r);
    snprintf(r->phase, sizeof r->phase, "%s", phase);
    r->state = state;
    if (length)
        assert_int_equal(result_fact_put(&r->options, "length_bytes", length, ""), 0);
    if (repeat)
        assert_int_equal(result_fact_put(&r->options, "repeat", repeat, ""), 0);
    if (side)
        assert_int_equal(result_fact_put(&r->options, "side", side, ""), 0);
    return r;
}

static void expect(struct result **results, unsigned n, const char *want)
{
    bool counts[RUNS];
    assert_int_equal(result_current(results, n, counts), 0);
    for (unsigned i = 0; i < n; i++) {
        if (counts[i] != (want[i] == '1'))
            fail_msg("run %u of %s", i, want);
        result_free(results[i]);
    }
}

static void the_last_whole_one_of_a_turn_counts(void **state)
{
    struct result *results[] = {
        run_of("write", "2", "1", NULL, RESULT_COMPLETE),
        run_of("read", "2", "1", NULL, RESULT_INCOMPLETE),
        run_of("write", "2", "1", NULL, RESULT_COMPLETE),
        run_of("read", "2", "1", NULL, RESULT_COMPLETE),
        run_of("write", "2", "1", NULL, RESULT_INCOMPLETE),
    };
    (void)state;
    expect(results, 5, "00110");
}

static void of_stopped_ones_the_last_counts(void **state)
{
    struct result *results[] = {
        run_of("write", "2", "1", NULL, RESULT_INCOMPLETE),
        run_of("write", "2", "1", NULL, RESULT_INCOMPLETE),
    };
    (void)state;
    expect(results, 2, "01");
}

static void other_turns_stand_beside(void **state)
{
    struct result *results[] = {
        run_of("write", "2", "1", "1", RESULT_COMPLETE),
        run_of("write", "2", "1", "2", RESULT_COMPLETE),
        run_of("write", "2", "2", "1", RESULT_COMPLETE),
        run_of("write", "4", "1", "1", RESULT_COMPLETE),
        run_of("read", "2", "1", "1", RESULT_COMPLETE),
    };
    (void)state;
    expect(results, 5, "11111");
}

/* Runs of io are not repeats of anything. */
static void what_is_no_repeat_always_counts(void **state)
{
    struct result *results[] = {
        run_of("mixed", NULL, NULL, NULL, RESULT_COMPLETE),
        run_of("mixed", NULL, NULL, NULL, RESULT_COMPLETE),
        run_of("mixed", NULL, NULL, NULL, RESULT_INCOMPLETE),
    };
    (void)state;
    expect(results, 3, "111");
}

/* Runs of several workload files have no length that tells them apart; all but the last were lost. */
static void runs_of_scripts_are_turns_of_their_own(void **state)
{
    static const char *const script[] = {"1", "1", "2", "1"};
    static const char *const run[] = {"1", "2", "1", "2"};
    struct result *results[4];
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        results[i] = run_of("", NULL, "1", NULL, RESULT_COMPLETE);
        assert_int_equal(result_fact_put(&results[i]->options, "script", script[i], ""), 0);
        assert_int_equal(result_fact_put(&results[i]->options, "script_run", run[i], ""), 0);
    }
    expect(results, 4, "1011");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_of_scripts_are_turns_of_their_own),
        cmocka_unit_test(the_last_whole_one_of_a_turn_counts),
        cmocka_unit_test(of_stopped_ones_the_last_counts),
        cmocka_unit_test(other_turns_stand_beside),
        cmocka_unit_test(what_is_no_repeat_always_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
