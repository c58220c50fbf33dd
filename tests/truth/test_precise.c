/* plan.h, engine.h: a window that closes when its rate is precise, on a clock of the target's own. */
#include "engine/engine_priv.h"
#include "truth/waiting.h"

#include <math.h>

#define MOST_NS (1000 * (uint64_t)SEC_NS)

static struct plan_builder *until_precise(double frac, uint64_t min_ns, uint64_t measure_ns,
                                          uint32_t streams)
{
    const struct plan_window window = {.warmup_ns = 100 * MS_NS,
                                       .measure_ns = measure_ns,
                                       .interval_ns = 10 * MS_NS,
                                       .precise_frac = frac,
                                       .precise_min_ns = min_ns};
    struct plan_builder *b = truth_reads((struct reads){.streams = streams, .seed = 4});
    plan_window(b, &window);
    return b;
}

/* ---- the rule ---- */

/* Twenty parts of 95 and 105: s = 5·√(20/19), t = 2.093, half = t·s/√20 = 2.4008. */
static void half_of_the_interval_is_students(void **state)
{
    uint64_t ops[PRECISE_PARTS];
    bool tied;
    (void)state;
    for (unsigned i = 0; i < PRECISE_PARTS; i++)
        ops[i] = i % 2 ? 105 : 95;
    assert_true(fabs(precise_half(ops, &tied) - 0.024008) < 1e-5);
    assert_false(tied);
}

/* The same values, those below the mean first: a drift, and no spread of independent parts. */
static void parts_that_follow_each_other_say_nothing(void **state)
{
    uint64_t ops[PRECISE_PARTS];
    bool tied;
    (void)state;
    for (unsigned i = 0; i < PRECISE_PARTS; i++)
        ops[i] = i < 10 ? 95 : 105;
    assert_true(precise_half(ops, &tied) < 0.025);
    assert_true(tied);
    memset(ops, 0, sizeof ops);
    assert_true(isinf(precise_half(ops, &tied)));
}

/* ---- windows ---- */

/* At the first interval edge behind the least that it may take. */
static void an_even_rate_closes_the_window_at_once(void **state)
{
    struct measured m;
    (void)state;
    truth_run(&m, until_precise(0.005, SEC_NS, MOST_NS, 8), VIRTUAL_1MS);
    assert_int_equal(m.out.end, ENGINE_DONE);
    assert_int_equal(m.out.window_open_ns, 100 * MS_NS);
    assert_int_equal(m.out.elapsed_ns, SEC_NS + 10 * MS_NS);
    assert_true(m.out.notes.precise_frac >= 0 && m.out.notes.precise_frac < 0.0001);
    assert_in_range(truth_line(&m, "read")->samples, 8 * 1009, 8 * 1010);
    assert_streams_sum_to_lines(&m);
    truth_fini(&m);
}

static void a_rate_that_is_never_precise_is_measured_to_the_end(void **state)
{
    struct measured m;
    (void)state;
    truth_run(&m, until_precise(0.0001, SEC_NS, 4 * (uint64_t)SEC_NS, 2),
              "fault:null:?latency=exp:1ms&clock=virtual");
    assert_int_equal(m.out.elapsed_ns, 4 * (uint64_t)SEC_NS);
    /* Of 8,000 intervals of a Poisson stream: 1.96/√8,000, about. */
    assert_true(m.out.notes.precise_frac > 0.01 && m.out.notes.precise_frac < 0.05);
    assert_streams_sum_to_lines(&m);
    truth_fini(&m);
}

/* Four streams of exponential times of 1 ms: 4,000 a second, and nothing else. What the run says of itself has to
 * hold: of 60 runs that stopped by themselves nearly all lie within what was asked. */
static void what_is_said_to_be_precise_is(void **state)
{
    enum { RUNS = 60 };
    const double frac = 0.02;
    unsigned within = 0;
    (void)state;
    for (unsigned i = 0; i < RUNS; i++) {
        struct measured m;
        char address[96];
        snprintf(address, sizeof address, "fault:null:?latency=exp:1ms&clock=virtual&seed=%u", i);
        truth_run(&m, until_precise(frac, SEC_NS, MOST_NS, 4), address);
        assert_true(m.out.elapsed_ns < MOST_NS / 10);
        assert_true(m.out.notes.precise_frac <= frac);
        double rate = (double)truth_line(&m, "read")->ops * 1e9 / (double)m.out.elapsed_ns;
        within += fabs(rate / 4000 - 1) <= frac;
        truth_fini(&m);
    }
    assert_true(within >= RUNS * 9 / 10);
}

/* ---- what is refused ---- */

static void refused(const char *address, double frac, uint64_t min_ns, uint64_t measure_ns,
                    const char *words)
{
    struct target_caps caps = truth_caps(address);
    struct plan *plan = NULL;
    struct err err = {0};
    assert_true(plan_freeze(until_precise(frac, min_ns, measure_ns, 1), &caps, &plan, &err) < 0);
    if (!strstr(err.text, words))
        fail_msg("'%s' is not in '%s'", words, err.text);
}

static void windows_that_cannot_be(void **state)
{
    (void)state;
    refused("null:", 0.005, SEC_NS, MOST_NS, "only on a clock of the target's own");
    refused(VIRTUAL_1MS, -0.1, SEC_NS, MOST_NS, "above 0 and at most 1");
    refused(VIRTUAL_1MS, (double)NAN, SEC_NS, MOST_NS, "above 0 and at most 1");
    refused(VIRTUAL_1MS, 0.005, 2 * MOST_NS, MOST_NS, "the longest window is shorter");
    refused(VIRTUAL_1MS, 0.005, 0, 0, "has a longest time");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_of_the_interval_is_students),
        cmocka_unit_test(parts_that_follow_each_other_say_nothing),
        cmocka_unit_test(an_even_rate_closes_the_window_at_once),
        cmocka_unit_test(a_rate_that_is_never_precise_is_measured_to_the_end),
        cmocka_unit_test(what_is_said_to_be_precise_is),
        cmocka_unit_test(windows_that_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
