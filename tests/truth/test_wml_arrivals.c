/* plan/step.h: PLAN_LIMIT whole: an event is the due time of the next flowop, of that alone and of all of it. */
#include "truth/waiting.h"

#define RUN_NS (10 * (uint64_t)SEC_NS)
#define RATE   10

static uint16_t events(struct plan_builder *b, double rate_per_s)
{
    const struct plan_schedule schedule = {.arrival = PLAN_ARRIVAL_CONSTANT,
                                           .rate_per_s = rate_per_s};
    return plan_add_schedule(b, &schedule);
}

static void add_event(struct plan_builder *b, uint16_t schedule)
{
    flow_step(b, "limit", "eventlimit",
              (struct plan_step){.kind = PLAN_LIMIT, .whole = true, .schedule = schedule});
}

static void add_due(struct plan_builder *b)
{
    plan_line_open_loop(b, plan_add_line(b, "op", OP_NOP, true));
    flow_op(b, "op", 0);
}

static void add_sync(struct plan_builder *b, const char *name, enum plan_step_kind kind,
                     uint64_t value)
{
    flow_step(b, name, name, (struct plan_step){.kind = kind, .value = value});
}

/* Files of four pieces, each of which takes 1 ms, three files for an event: the response of those that
 * were not due was that of their last piece. */
static void a_flowop_of_many_ops_responds_with_the_last_and_is_due_with_the_first(void **state)
{
    (void)state;
    struct measured m;
    struct plan_builder *b = flow_begin(RUN_NS);
    const struct fileset_spec set = {
        .shape = FILESET_FLAT, .trees = 1, .files = 1, .size_bytes = 16384};
    plan_add_set(b, &set);
    plan_begin_group(b, "g", 1, 1);
    t_add(b, t_pick(PLAN_UNIT_FILE, PLAN_ORDER_STRIDE, 0));
    t_add(b, t_op(OP_OPEN, PLAN_NO_LINE, 0));
    plan_step_to(b, 0, 2);
    plan_end_section(b);
    add_event(b, events(b, RATE));
    struct plan_step read = t_io(OP_READ, plan_add_line(b, "read", OP_READ, true), 4096);
    read.whole = true;
    for (unsigned i = 0; i < 3; i++)
        t_add(b, read);
    flow_end(b, 0);
    truth_run(&m, b, VIRTUAL_1MS);
    const struct samples_line *line = truth_line(&m, "read");
    assert_int_equal(m.out.arrivals, RATE * 10);
    assert_int_equal(line->samples, 3 * RATE * 10);
    assert_int_equal(hist_min(&line->service), 4 * MS_NS);
    assert_int_equal(hist_min(&line->response), 4 * MS_NS);
    assert_int_equal(line->response.max, 4 * MS_NS);
    truth_fini(&m);
}

/* What stands between an event and its flowop took the stream's time: the event was counted once more after
 * it, and the time was told as our being late. */
static void what_a_stream_does_for_an_event_is_no_lateness(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum plan_step_kind kind;
        unsigned times; /* as many as leave the stream no turn of its own */
    } of[] = {{"hog", PLAN_HOG, 1}, {"delay", PLAN_DELAY, 1}, {"wakeup", PLAN_WAKE, 200}};
    for (unsigned i = 0; i < TRUTH_COUNT(of); i++) {
        struct measured m;
        struct plan_builder *b = flow_begin(RUN_NS);
        plan_add_event(b);
        flow_group(b, "g", 1);
        add_event(b, events(b, RATE));
        for (unsigned k = 0; k < of[i].times; k++)
            add_sync(b, of[i].name, of[i].kind, MS_NS);
        add_due(b);
        flow_end(b, 0);
        truth_run(&m, b, VIRTUAL_1MS);
        assert_int_equal(m.out.arrivals, RATE * 10);
        assert_ops(&m, "op", RATE * 10);
        if (hist_count(&m.out.total->lateness) > 0)
            assert_int_equal(m.out.total->lateness.max, 0);
        truth_fini(&m);
    }
}

/* The others of the run have their time; events that nobody was there for any more were told as waiting
 * until its end. */
static void nobody_waits_for_events_when_all_who_took_them_are_done(void **state)
{
    (void)state;
    static const enum plan_quit quit[] = {PLAN_QUIT_TIMEOUT, PLAN_QUIT_ALLDONE};
    for (unsigned i = 0; i < TRUTH_COUNT(quit); i++) {
        struct measured m;
        struct plan_builder *b = flow_begin(RUN_NS);
        plan_quit(b, quit[i]);
        uint16_t schedule = events(b, 100);
        flow_group(b, "few", 2);
        add_event(b, schedule);
        add_due(b);
        flow_end(b, 50);
        flow_group(b, "many", 1);
        flow_op(b, "other", 0);
        flow_end(b, 0);
        truth_run(&m, b, VIRTUAL_1MS);
        assert_int_equal(m.out.elapsed_ns, RUN_NS);
        assert_ops(&m, "op", 100);
        assert_int_equal(m.out.arrivals, 100);
        assert_int_equal(m.out.unfinished, 0);
        assert_int_equal(truth_line(&m, "op")->response.max, MS_NS);
        truth_fini(&m);
    }
}

/* One of two goes on, ten times too slow. */
static void one_who_takes_them_still_is_who_they_wait_for(void **state)
{
    (void)state;
    struct measured m;
    struct plan_builder *b = flow_begin(RUN_NS);
    uint16_t schedule = events(b, 10000);
    flow_group(b, "few", 1);
    add_event(b, schedule);
    flow_op(b, "short", 0);
    flow_end(b, 50);
    flow_group(b, "many", 1);
    add_event(b, schedule);
    add_due(b);
    flow_end(b, 0);
    truth_run(&m, b, VIRTUAL_1MS);
    assert_int_equal(m.out.arrivals, 100000);
    assert_int_equal(ops_of(&m, "op") + ops_of(&m, "short") + m.out.unfinished, 100000);
    truth_fini(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flowop_of_many_ops_responds_with_the_last_and_is_due_with_the_first),
        cmocka_unit_test(what_a_stream_does_for_an_event_is_no_lateness),
        cmocka_unit_test(nobody_waits_for_events_when_all_who_took_them_are_done),
        cmocka_unit_test(one_who_takes_them_still_is_who_they_wait_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
