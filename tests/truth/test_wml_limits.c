/* plan/step.h: rates and ends, in exact numbers, in virtual time: limits by events, ops and bytes, and what
 * ends a stream or a run. */
#include "truth/waiting.h"

#define RUN_NS (10 * (uint64_t)SEC_NS)

/* ---- limits ---- */

static uint16_t events(struct plan_builder *b, double rate_per_s, enum plan_arrival arrival)
{
    const struct plan_schedule schedule = {.arrival = arrival, .rate_per_s = rate_per_s};
    return plan_add_schedule(b, &schedule);
}

static void add_limit(struct plan_builder *b, uint16_t schedule, uint16_t counter)
{
    flow_step(b, "limit", "iopslimit",
              (struct plan_step){.kind = PLAN_LIMIT, .schedule = schedule, .object = counter});
}

/* However many threads share it, the rate is that of the events: each op is charged once. */
static void ops_are_limited_once_each_over_all_threads(void **state)
{
    (void)state;
    static const uint32_t streams[] = {1, 4, 50};
    for (unsigned i = 0; i < TRUTH_COUNT(streams); i++) {
        struct measured m;
        struct plan_builder *b = flow_begin(RUN_NS);
        uint16_t schedule = events(b, 500, PLAN_ARRIVAL_CONSTANT);
        flow_group(b, "g", streams[i]);
        uint16_t counter = plan_add_counter(b, false, false);
        flow_op(b, "op", 1);
        add_limit(b, schedule, counter);
        flow_end(b, 0);
        truth_run(&m, b, VIRTUAL_1MS);
        assert_int_equal(m.out.end, ENGINE_DONE);
        assert_int_equal(m.out.elapsed_ns, RUN_NS);
        assert_in_range(ops_of(&m, "op"), 5000, 5000 + streams[i]);
        assert_in_range(ops_of(&m, "limit"), ops_of(&m, "op") - streams[i], ops_of(&m, "op"));
        assert_int_equal(m.out.arrivals, 0); /* an allowance, and no load that has to be carried */
        assert_int_equal(m.out.unfinished, 0);
        /* As smooth as the schedule: 50 in each tenth of a second. */
        for (uint64_t at = 0; at < RUN_NS; at += 100 * MS_NS)
            assert_in_range(truth_interval_samples(&m, 0, at, at + 100 * MS_NS), 48,
                            50 + streams[i]);
        truth_fini(&m);
    }
}

/* Two that are counted in each pass, and one that is not. */
static void what_counts_is_what_is_limited(void **state)
{
    (void)state;
    struct measured m;
    struct plan_builder *b = flow_begin(RUN_NS);
    uint16_t schedule = events(b, 100, PLAN_ARRIVAL_CONSTANT);
    flow_group(b, "g", 3);
    uint16_t counter = plan_add_counter(b, false, false);
    flow_op(b, "first", 1);
    flow_op(b, "free", 0);
    flow_op(b, "second", 1);
    add_limit(b, schedule, counter);
    flow_end(b, 0);
    truth_run(&m, b, VIRTUAL_1MS);
    assert_in_range(ops_of(&m, "first"), 500, 503);
    assert_in_range(ops_of(&m, "second"), 500, 503);
    assert_in_range(ops_of(&m, "free"), 500, 503);
    truth_fini(&m);
}

/* One event is 1 MiB, in parts too. */
static void bytes_are_limited_in_parts_of_an_event(void **state)
{
    (void)state;
    static const uint64_t block[] = {4096, 65536, 3 << 20};
    for (unsigned i = 0; i < TRUTH_COUNT(block); i++) {
        struct measured m;
        struct plan_builder *b = flow_begin(RUN_NS);
        const struct fileset_spec set = {
            .shape = FILESET_FLAT, .trees = 1, .files = 20, .size_bytes = 8 << 20};
        uint16_t schedule = events(b, 12, PLAN_ARRIVAL_CONSTANT);
        plan_add_set(b, &set);
        plan_begin_group(b, "g", 20, 1);
        t_add(b, t_pick(PLAN_UNIT_FILE, PLAN_ORDER_STRIDE, 0));
        t_add(b, t_op(OP_OPEN, PLAN_NO_LINE, 0));
        plan_step_to(b, 0, 2);
        plan_end_section(b);
        uint16_t counter = plan_add_counter(b, true, false);
        struct plan_step read = t_io(OP_READ, plan_add_line(b, "read", OP_READ, false), block[i]);
        read.counts = 1;
        t_add(b, read);
        add_limit(b, schedule, counter);
        flow_end(b, 0);
        truth_run(&m, b, VIRTUAL_1MS);
        uint64_t bytes = truth_line(&m, "read")->bytes;
        assert_int_equal(m.out.end, ENGINE_DONE);
        assert_in_range(bytes, UINT64_C(120) << 20, (UINT64_C(120) << 20) + 22 * block[i]);
        truth_fini(&m);
    }
}

static struct plan_builder *event_limited(enum plan_arrival arrival, double rate, uint32_t streams)
{
    struct plan_builder *b = flow_begin(RUN_NS);
    uint16_t schedule = events(b, rate, arrival);
    flow_group(b, "g", streams);
    flow_step(b, "limit", "eventlimit",
              (struct plan_step){.kind = PLAN_LIMIT, .whole = true, .schedule = schedule});
    flow_op(b, "op", 0);
    plan_line_open_loop(b, plan_add_line(b, "op", OP_NOP, true));
    flow_end(b, 0);
    return b;
}

/* As an arrival: response counts from when it was due, whether or not a stream was free. */
static void an_event_is_the_next_flowops_due_time(void **state)
{
    (void)state;
    struct measured m;
    truth_run(&m, event_limited(PLAN_ARRIVAL_CONSTANT, 500, 4), VIRTUAL_1MS);
    assert_int_equal(m.out.end, ENGINE_DONE);
    assert_int_equal(m.out.arrivals, 5000);
    assert_in_range(m.out.unfinished, 0, 1);
    assert_int_equal(ops_of(&m, "op") + m.out.unfinished, 5000);
    assert_int_equal(hist_quantile(&truth_line(&m, "op")->response, 0.99), MS_NS);
    truth_fini(&m);

    /* A tenth of what is asked: the rest waits. */
    truth_run(&m, event_limited(PLAN_ARRIVAL_CONSTANT, 10000, 1), VIRTUAL_1MS);
    assert_int_equal(m.out.arrivals, 100000);
    assert_int_equal(ops_of(&m, "op") + m.out.unfinished, 100000);
    assert_in_range(ops_of(&m, "op"), 9999, 10000);
    assert_int_equal(hist_count(&truth_line(&m, "op")->response), 100000);
    truth_fini(&m);
}

/* Ten at once, a second's worth each second. */
static void tens_come_together(void **state)
{
    (void)state;
    struct measured m;
    truth_run(&m, event_limited(PLAN_ARRIVAL_TENS, 10, 15), VIRTUAL_1MS);
    assert_int_equal(m.out.end, ENGINE_DONE);
    for (uint64_t at = 0; at < RUN_NS; at += 100 * MS_NS)
        assert_int_equal(truth_interval_samples(&m, 1, at, at + 100 * MS_NS),
                         at > 0 && at % SEC_NS == 0 ? 10 : 0);
    assert_int_equal(m.out.arrivals, 90);
    assert_int_equal(m.out.unfinished, 0);
    truth_fini(&m);
}

/* ---- counts that end ---- */

static struct plan_step finish_at(uint16_t counter, uint64_t value)
{
    return (struct plan_step){.kind = PLAN_FINISH, .object = counter, .value = value, .counts = 1};
}

/* The end counts itself, after it has looked: an open, then an append and a look each time. */
static void a_count_of_all_flowops_includes_its_own(void **state)
{
    (void)state;
    struct measured m;
    struct plan_builder *b = flow_begin(RUN_NS);
    flow_group(b, "g", 1);
    uint16_t counter = plan_add_counter(b, false, true);
    flow_op(b, "open", 1);
    flow_op(b, "append", 1);
    flow_step(b, "finish", "finishoncount", finish_at(counter, 100));
    t_add(b, t_loop(1, 0, 0));
    plan_end_section(b);
    plan_end_section(b);
    truth_run(&m, b, VIRTUAL_1MS);
    assert_int_equal(m.out.end, ENGINE_DONE);
    assert_ops(&m, "append", 50);
    assert_ops(&m, "finish", 49);
    assert_int_equal(m.out.elapsed_ns, 51 * MS_NS);
    assert_streams_sum_to_lines(&m);
    truth_fini(&m);
}

struct sharing {
    uint32_t first_streams;
    uint32_t second_streams;
    uint32_t processes;
    bool process; /* the counter is */
    uint64_t ops; /* of all */
};

/* A count without a target is that of the process, of all its threads; one with it the thread's own. */
static void a_count_is_of_the_process_or_of_the_thread(void **state)
{
    (void)state;
    static const struct sharing of[] = {
        {.first_streams = 1, .second_streams = 0, .processes = 1, .process = true, .ops = 1000},
        {.first_streams = 4, .second_streams = 0, .processes = 1, .process = true, .ops = 1000},
        {.first_streams = 4, .second_streams = 6, .processes = 1, .process = true, .ops = 1000},
        {.first_streams = 4, .second_streams = 6, .processes = 2, .process = true, .ops = 2000},
        {.first_streams = 4, .second_streams = 0, .processes = 1, .process = false, .ops = 4000},
        {.first_streams = 4, .second_streams = 0, .processes = 2, .process = false, .ops = 4000},
    };
    for (unsigned i = 0; i < TRUTH_COUNT(of); i++) {
        struct measured m;
        struct plan_builder *b = flow_begin(RUN_NS);
        for (unsigned k = 0; k < (of[i].second_streams ? 2 : 1); k++) {
            flow_group(b, k ? "second" : "first", k ? of[i].second_streams : of[i].first_streams);
            plan_group_processes(b, 0, of[i].processes);
            uint16_t counter = plan_add_counter(b, false, of[i].process);
            flow_op(b, "op", 1);
            struct plan_step finish = finish_at(counter, 1000);
            finish.counts = 0;
            flow_step(b, "finish", "finishoncount", finish);
            flow_end(b, 0);
        }
        truth_run(&m, b, VIRTUAL_1MS);
        assert_int_equal(m.out.end, ENGINE_DONE);
        /* Others have an op under way when the count is reached. */
        uint32_t streams = of[i].first_streams + of[i].second_streams;
        assert_in_range(ops_of(&m, "op"), of[i].ops,
                        of[i].ops + (of[i].process ? streams - of[i].processes : 0));
        truth_fini(&m);
    }
}

/* Above, not at. */
static void bytes_end_it_when_they_are_more(void **state)
{
    (void)state;
    struct measured m;
    struct plan_builder *b = flow_begin(RUN_NS);
    const struct fileset_spec set = {
        .shape = FILESET_FLAT, .trees = 1, .files = 1, .size_bytes = 1 << 20};
    plan_add_set(b, &set);
    plan_begin_group(b, "g", 1, 1);
    t_add(b, t_pick(PLAN_UNIT_FILE, PLAN_ORDER_STRIDE, 0));
    t_add(b, t_op(OP_OPEN, PLAN_NO_LINE, 0));
    plan_step_to(b, 0, 2);
    plan_end_section(b);
    uint16_t counter = plan_add_counter(b, true, true);
    struct plan_step read = t_io(OP_READ, plan_add_line(b, "read", OP_READ, false), 4096);
    read.counts = 1;
    t_add(b, read);
    flow_step(b, "finish", "finishonbytes", finish_at(counter, 100 * 4096));
    flow_end(b, 0);
    truth_run(&m, b, VIRTUAL_1MS);
    assert_int_equal(m.out.end, ENGINE_DONE);
    assert_ops(&m, "read", 101);
    assert_ops(&m, "finish", 100);
    truth_fini(&m);
}

/* ---- what is done when there is nothing left to do ---- */

/* One does five ops and is at its end, two go on. */
static void run_out(struct measured *m, enum plan_quit quit, enum plan_step_kind how)
{
    struct plan_builder *b = flow_begin(RUN_NS);
    const struct fileset_spec set = {
        .shape = FILESET_FLAT, .trees = 1, .files = 1, .size_bytes = 1};
    plan_quit(b, quit);
    plan_add_set(b, &set);
    flow_group(b, "short", 1);
    uint16_t counter = plan_add_counter(b, false, false);
    flow_op(b, "few", 1);
    t_add(b, t_loop(0, 5, 0));
    flow_step(b, "out", "createfile",
              (struct plan_step){.kind = how, .object = counter, .value = 5});
    flow_end(b, 1);
    flow_group(b, "long", 2);
    flow_op(b, "many", 0);
    flow_end(b, 0);
    truth_run(m, b, VIRTUAL_1MS);
    assert_ops(m, "few", 5);
}

static void a_set_that_has_run_out_ends_a_run_with_a_time(void **state)
{
    (void)state;
    struct measured m;
    run_out(&m, PLAN_QUIT_TIMEOUT, PLAN_OUT);
    assert_int_equal(m.out.end, ENGINE_RAN_OUT);
    assert_non_null(strstr(m.out.notes.ended_by, "createfile out finds nothing more in fileset "));
    assert_int_equal(m.out.elapsed_ns, 5 * MS_NS);
    assert_in_range(ops_of(&m, "many"), 8, 10);
    truth_fini(&m);
}

static void a_count_that_is_reached_ends_its_stream(void **state)
{
    (void)state;
    static const enum plan_quit quit[] = {PLAN_QUIT_TIMEOUT, PLAN_QUIT_ALLDONE};
    for (unsigned i = 0; i < TRUTH_COUNT(quit); i++) {
        struct measured m;
        run_out(&m, quit[i], PLAN_FINISH);
        assert_int_equal(m.out.end, ENGINE_DONE);
        assert_string_equal(m.out.notes.ended_by, "");
        assert_int_equal(m.out.elapsed_ns, RUN_NS);
        assert_in_range(ops_of(&m, "many"), 19998, 20000);
        truth_fini(&m);
    }
}

static void the_first_that_is_done_ends_the_run(void **state)
{
    (void)state;
    static const enum plan_step_kind how[] = {PLAN_OUT, PLAN_FINISH, PLAN_END};
    for (unsigned i = 0; i < TRUTH_COUNT(how); i++) {
        struct measured m;
        run_out(&m, PLAN_QUIT_FIRSTDONE, how[i]);
        assert_int_equal(m.out.end, ENGINE_DONE);
        assert_string_equal(m.out.notes.ended_by, "");
        assert_int_equal(m.out.elapsed_ns, 5 * MS_NS);
        assert_in_range(ops_of(&m, "many"), 8, 10);
        truth_fini(&m);
    }
}

/* A stream whose allowance lies behind the end has nothing to come any more, long before it: that was told
 * as the window's whole length. */
static void the_first_that_is_done_ends_the_run_for_those_without_allowance_too(void **state)
{
    (void)state;
    struct measured m;
    struct plan_builder *b = flow_begin(RUN_NS);
    plan_quit(b, PLAN_QUIT_FIRSTDONE);
    uint16_t schedule = events(b, 1, PLAN_ARRIVAL_CONSTANT);
    flow_group(b, "limited", 1);
    uint16_t counter = plan_add_counter(b, false, false);
    flow_op(b, "op", 1);
    t_add(b, t_loop(0, 100, 0));
    add_limit(b, schedule, counter);
    flow_end(b, 1);
    flow_group(b, "short", 1);
    flow_op(b, "few", 0);
    flow_end(b, 1000);
    truth_run(&m, b, VIRTUAL_1MS);
    assert_int_equal(m.out.end, ENGINE_DONE);
    assert_ops(&m, "op", 100);
    assert_ops(&m, "few", 1000);
    assert_int_equal(m.out.elapsed_ns, SEC_NS);
    truth_fini(&m);
}

static void a_set_that_has_run_out_ends_only_its_stream_when_all_have_to_be_done(void **state)
{
    (void)state;
    struct measured m;
    run_out(&m, PLAN_QUIT_ALLDONE, PLAN_OUT);
    assert_int_equal(m.out.end, ENGINE_DONE);
    assert_int_equal(m.out.elapsed_ns, RUN_NS);
    assert_in_range(ops_of(&m, "many"), 19998, 20000);
    truth_fini(&m);
}

/* A time is the longest it may take; what is done before is measured as long as it took. */
static void a_run_that_is_done_before_its_time_took_as_long_as_it_did(void **state)
{
    (void)state;
    struct measured m;
    struct plan_builder *b = flow_begin(RUN_NS);
    plan_quit(b, PLAN_QUIT_ALLDONE);
    flow_group(b, "g", 16);
    flow_op(b, "op", 0);
    flow_end(b, 625);
    truth_run(&m, b, VIRTUAL_1MS);
    assert_int_equal(m.out.end, ENGINE_DONE);
    assert_ops(&m, "op", 10000); /* from the gate on, none is lost */
    assert_int_equal(m.out.elapsed_ns, 625 * MS_NS);
    assert_int_equal(m.out.window_close_ns, 625 * MS_NS);
    assert_streams_sum_to_lines(&m);
    truth_fini(&m);
}

static void what_cannot_be_ends_the_run_with_words(void **state)
{
    (void)state;
    struct measured m;
    struct plan_builder *b = flow_begin(RUN_NS);
    uint16_t text = plan_add_text(b, "flowop open1 attempted to open without closing on fd 1");
    flow_group(b, "g", 3);
    flow_op(b, "op", 0);
    t_add(b, (struct plan_step){.kind = PLAN_FAIL, .value = text});
    flow_end(b, 0);
    truth_run(&m, b, VIRTUAL_1MS);
    assert_int_equal(m.out.end, ENGINE_FAILED);
    assert_string_equal(m.out.notes.ended_by,
                        "flowop open1 attempted to open without closing on fd 1");
    assert_in_range(ops_of(&m, "op"), 1, 3);
    truth_fini(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ops_are_limited_once_each_over_all_threads),
        cmocka_unit_test(what_counts_is_what_is_limited),
        cmocka_unit_test(bytes_are_limited_in_parts_of_an_event),
        cmocka_unit_test(an_event_is_the_next_flowops_due_time),
        cmocka_unit_test(tens_come_together),
        cmocka_unit_test(a_count_of_all_flowops_includes_its_own),
        cmocka_unit_test(a_count_is_of_the_process_or_of_the_thread),
        cmocka_unit_test(bytes_end_it_when_they_are_more),
        cmocka_unit_test(a_set_that_has_run_out_ends_a_run_with_a_time),
        cmocka_unit_test(a_count_that_is_reached_ends_its_stream),
        cmocka_unit_test(the_first_that_is_done_ends_the_run),
        cmocka_unit_test(the_first_that_is_done_ends_the_run_for_those_without_allowance_too),
        cmocka_unit_test(a_set_that_has_run_out_ends_only_its_stream_when_all_have_to_be_done),
        cmocka_unit_test(a_run_that_is_done_before_its_time_took_as_long_as_it_did),
        cmocka_unit_test(what_cannot_be_ends_the_run_with_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
