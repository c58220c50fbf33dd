/* What was wrong: a processor that was away for seven rounds of 40 ms was taken for an engine that does no
 * op, and what loadline costs was refused. */
#include "study/overhead_priv.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void rounds_go_on_until_one_counts(void **state)
{
    (void)state;
    for (unsigned done = 0; done < OVERHEAD_ROUNDS; done++)
        assert_true(overhead_goes_on(done, 40));
    assert_false(overhead_goes_on(OVERHEAD_ROUNDS, 40));
    assert_true(overhead_goes_on(OVERHEAD_ROUNDS, INFINITY));
    assert_true(overhead_goes_on(OVERHEAD_ROUNDS_MAX - 1, INFINITY));
    assert_false(overhead_goes_on(OVERHEAD_ROUNDS_MAX - 1, 40));
    assert_false(overhead_goes_on(OVERHEAD_ROUNDS_MAX, INFINITY));
}

/* What was wrong: of a round with an op or two most of the cost was that of beginning it, and it was told
 * as that of an op. */
static void a_round_with_few_ops_leaves_the_best(void **state)
{
    (void)state;
    struct overhead_cost cost = {
        .address = "fault:null:?latency=fixed:1ms&clock=virtual",
        .spec = {.shape = FILESET_FLAT, .trees = 1, .files = 1, .size_bytes = 65536},
        .streams = 1,
        .block = 1};
    struct err err = {0};
    double best_ns = INFINITY;

    assert_int_equal(overhead_round(&cost, &best_ns, &err), 0);
    assert_true(isinf(best_ns));
    assert_int_equal(overhead_need_rounds(best_ns, &err), -ETIME);
    assert_non_null(strstr(err.text, "100 rounds of 40 ms"));
    best_ns = 40;
    assert_int_equal(overhead_round(&cost, &best_ns, &err), 0);
    assert_true(best_ns == 40);
    assert_int_equal(overhead_need_rounds(best_ns, &err), 0);
    cost.address = "fault:null:?latency=fixed:100us&clock=virtual";
    best_ns = INFINITY;
    assert_int_equal(overhead_round(&cost, &best_ns, &err), 0);
    assert_false(isinf(best_ns));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_go_on_until_one_counts),
        cmocka_unit_test(a_round_with_few_ops_leaves_the_best),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
