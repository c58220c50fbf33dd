/* plan.h, engine.h: a window that opens when the rate is steady, and sums each period. */
#include "engine/engine_priv.h"
#include "truth/waiting.h"

#define MEASURE_NS (4 * (uint64_t)SEC_NS)

/* ---- the rule ---- */

static void within_range_and_slope(void **state)
{
    (void)state;
    static const uint64_t even[] = {100, 100, 100, 100, 100};
    static const uint64_t noisy[] = {100, 104, 99, 103, 98};
    static const uint64_t rising[] = {90, 95, 100, 105, 110};
    static const uint64_t none[] = {0, 0, 0, 0, 0};
    /* In range; its line rises by 1.2 times the range. */
    static const uint64_t step[] = {96, 96, 100, 104, 104};
    assert_true(steady_rule(even, 0.001));
    assert_true(steady_rule(noisy, 0.06));
    assert_false(steady_rule(noisy, 0.05));
    assert_true(steady_rule(rising, 0.21));
    assert_false(steady_rule(rising, 0.19));
    assert_false(steady_rule(step, 0.085));
    assert_true(steady_rule(step, 0.1));
    assert_false(steady_rule(none, 0.5));
}

/* ---- windows ---- */

struct opening {
    double frac;
    uint64_t warmup_ns;
    uint64_t max_ns;
    double rate_per_s; /* 0: closed loop */
    uint32_t streams;
};

static struct plan_builder *opening(struct opening o, uint64_t measure_ns)
{
    const struct plan_window window = {.warmup_ns = o.warmup_ns,
                                       .measure_ns = measure_ns,
                                       .steady_frac = o.frac,
                                       .steady_max_ns = o.max_ns};
    struct plan_builder *b = truth_reads((struct reads){
        .streams = o.streams, .rate_per_s = o.rate_per_s, .measure_ns = measure_ns, .seed = 4});
    plan_window(b, &window);
    return b;
}

/* At the first interval edge behind its shortest warm-up. */
static void an_even_rate_opens_the_window_after_the_shortest_warm_up(void **state)
{
    (void)state;
    struct measured m;
    const struct opening o = {
        .frac = 0.02, .warmup_ns = SEC_NS, .max_ns = 60 * (uint64_t)SEC_NS, .streams = 8};
    truth_run(&m, opening(o, MEASURE_NS), VIRTUAL_1MS);
    assert_int_equal(m.out.end, ENGINE_DONE);
    assert_true(m.out.notes.steady_found);
    assert_int_equal(m.out.window_open_ns, 1100 * MS_NS);
    assert_int_equal(m.out.elapsed_ns, MEASURE_NS);
    assert_int_equal(m.out.window_close_ns, 1100 * MS_NS + MEASURE_NS);
    assert_in_range(truth_line(&m, "read")->samples, 31992, 32000);
    assert_streams_sum_to_lines(&m);
    truth_fini(&m);
}

/* A stall of 0.5 s begins at 0.7 s: the parts that it lies in are never steady. */
static void a_rate_that_is_not_even_yet_is_waited_for(void **state)
{
    (void)state;
    struct measured m;
    const struct opening o = {
        .frac = 0.02, .warmup_ns = SEC_NS, .max_ns = 60 * (uint64_t)SEC_NS, .streams = 8};
    truth_run(&m, opening(o, MEASURE_NS),
              "fault:null:?latency=fixed:1ms&stall=500ms@700ms&clock=virtual");
    assert_true(m.out.notes.steady_found);
    /* From 1.2 s or 1.4 s on five parts of 0.2 s, and on to the next edge. */
    assert_in_range(m.out.window_open_ns, 2300 * MS_NS, 2500 * MS_NS);
    assert_int_equal(m.out.elapsed_ns, MEASURE_NS);
    truth_fini(&m);
}

static void a_rate_that_is_never_even_is_measured_in_the_end(void **state)
{
    (void)state;
    struct measured m;
    const struct opening o = {
        .frac = 0.0001, .warmup_ns = SEC_NS, .max_ns = 7 * (uint64_t)SEC_NS, .streams = 2};
    truth_run(&m, opening(o, MEASURE_NS), "fault:null:?latency=exp:1ms&clock=virtual");
    assert_int_equal(m.out.end, ENGINE_DONE);
    assert_false(m.out.notes.steady_found);
    assert_int_equal(m.out.window_open_ns, 7 * (uint64_t)SEC_NS);
    assert_int_equal(m.out.elapsed_ns, MEASURE_NS);
    truth_fini(&m);
}

/* Arrivals that were taken before the window was moved are those of the window nevertheless. */
static void arrivals_are_those_of_the_window_as_it_came_to_be(void **state)
{
    (void)state;
    struct measured m;
    const struct opening o = {.frac = 0.02,
                              .warmup_ns = SEC_NS,
                              .max_ns = 60 * (uint64_t)SEC_NS,
                              .rate_per_s = 1000,
                              .streams = 50};
    truth_run(&m, opening(o, MEASURE_NS), VIRTUAL_1MS);
    assert_true(m.out.notes.steady_found);
    assert_int_equal(m.out.arrivals, 4000);
    assert_int_equal(truth_line(&m, "read")->samples + m.out.unfinished,
                     4000 + m.out.backlog_at_open);
    assert_in_range(m.out.backlog_at_open, 0, 1);
    truth_fini(&m);
}

/* A stream that waits for longer than the window first seemed to last is there when it moves. */
static void those_who_wait_are_told_that_the_window_has_moved(void **state)
{
    (void)state;
    struct measured m;
    const struct plan_window window = {.warmup_ns = SEC_NS,
                                       .measure_ns = SEC_NS,
                                       .steady_frac = 0.5,
                                       .steady_max_ns = 3600 * (uint64_t)SEC_NS};
    struct plan_builder *b = flow_begin(SEC_NS);
    plan_window(b, &window);
    flow_group(b, "g", 1);
    flow_op(b, "op", 0);
    flow_end(b, 0);
    flow_group(b, "late", 1);
    flow_step(b, "delay", "delay",
              (struct plan_step){.kind = PLAN_DELAY, .value = 7200 * (uint64_t)SEC_NS});
    flow_end(b, 0);
    truth_run_job(&m, b, "null:", (struct engine_job){.workers = 2});
    assert_int_equal(m.out.end, ENGINE_DONE);
    assert_true(m.out.notes.steady_found);
    assert_int_equal(m.out.elapsed_ns, SEC_NS);
    assert_int_equal(m.out.window_close_ns - m.out.window_open_ns, SEC_NS);
    assert_true(ops_of(&m, "op") > 0);
    truth_fini(&m);
}

/* ---- periods ---- */

static struct {
    unsigned n;
    uint64_t elapsed_ns[20];
    uint64_t samples[20];
} told;

static void take_period(void *ctx, const struct engine_period *period)
{
    (void)ctx;
    assert_true(told.n < TRUTH_COUNT(told.elapsed_ns));
    told.elapsed_ns[told.n] = period->elapsed_ns;
    told.samples[told.n++] = period->total->line[0].samples;
}

static void each_period_is_told_what_the_window_has_come_to(void **state)
{
    (void)state;
    struct measured m;
    const struct plan_window window = {
        .warmup_ns = 500 * MS_NS, .measure_ns = MEASURE_NS, .period_ns = SEC_NS};
    struct plan_builder *b = truth_reads((struct reads){.streams = 2, .seed = 4});
    plan_window(b, &window);
    memset(&told, 0, sizeof told);
    truth_run_job(&m, b, VIRTUAL_1MS, (struct engine_job){.period = take_period});
    assert_int_equal(m.out.end, ENGINE_DONE);
    assert_int_equal(told.n, 3);
    for (unsigned i = 0; i < told.n; i++) {
        assert_int_equal(told.elapsed_ns[i], (i + 1) * (uint64_t)SEC_NS);
        assert_in_range(told.samples[i], (i + 1) * 2000 - 2, (i + 1) * 2000 + 2);
    }
    truth_fini(&m);
}

/* Between threads, too: a sum is that of all that was taken by then. */
static void sums_of_several_workers_rise(void **state)
{
    (void)state;
    struct measured m;
    const struct plan_window window = {
        .measure_ns = SEC_NS, .interval_ns = 10 * MS_NS, .period_ns = 100 * MS_NS};
    struct plan_builder *b = truth_reads((struct reads){.streams = 8});
    plan_window(b, &window);
    memset(&told, 0, sizeof told);
    truth_run_job(&m, b, "null:", (struct engine_job){.workers = 2, .period = take_period});
    assert_int_equal(m.out.end, ENGINE_DONE);
    assert_in_range(told.n, 1, 9);
    for (unsigned i = 1; i < told.n; i++) {
        assert_true(told.elapsed_ns[i] > told.elapsed_ns[i - 1]);
        assert_true(told.samples[i] >= told.samples[i - 1]);
    }
    assert_true(told.samples[told.n - 1] <= truth_line(&m, "read")->samples);
    truth_fini(&m);
}

static void stop_when_all_are_told(void *ctx, const struct engine_period *period)
{
    if (period->total->line[0].samples == 100)
        atomic_store((atomic_int *)ctx, 1);
}

/* What a thread had done before it waited was told when it had done something more. */
static void what_is_done_is_told_while_who_did_it_waits(void **state)
{
    (void)state;
    static const char *const address[] = {"null:", "fault:null:?latency=fixed:1us"};
    for (unsigned i = 0; i < TRUTH_COUNT(address); i++) {
        struct measured m;
        atomic_int stop = 0;
        const struct plan_window window = {.measure_ns = 20 * (uint64_t)SEC_NS,
                                           .interval_ns = 10 * MS_NS,
                                           .period_ns = 50 * MS_NS};
        struct plan_builder *b = plan_new(4);
        plan_window(b, &window);
        flow_group(b, "g", 1);
        flow_op(b, "op", 0);
        t_add(b, t_loop(0, 100, 0));
        flow_step(b, "wait", "delay",
                  (struct plan_step){.kind = PLAN_DELAY, .value = 3600 * (uint64_t)SEC_NS});
        flow_end(b, 1);
        const struct engine_job job = {
            .workers = 1, .stop = &stop, .period = stop_when_all_are_told, .ctx = &stop};
        truth_run_job(&m, b, address[i], job);
        assert_ops(&m, "op", 100);
        assert_int_equal(m.out.end, ENGINE_STOPPED);
        truth_fini(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(within_range_and_slope),
        cmocka_unit_test(an_even_rate_opens_the_window_after_the_shortest_warm_up),
        cmocka_unit_test(a_rate_that_is_not_even_yet_is_waited_for),
        cmocka_unit_test(a_rate_that_is_never_even_is_measured_in_the_end),
        cmocka_unit_test(arrivals_are_those_of_the_window_as_it_came_to_be),
        cmocka_unit_test(those_who_wait_are_told_that_the_window_has_moved),
        cmocka_unit_test(each_period_is_told_what_the_window_has_come_to),
        cmocka_unit_test(sums_of_several_workers_rise),
        cmocka_unit_test(what_is_done_is_told_while_who_did_it_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
