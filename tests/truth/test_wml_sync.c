/* plan/step.h: what streams do to each other, in exact numbers, in virtual time: events, semaphores,
 * credits, and that nobody waits for ever. */
#include "truth/waiting.h"

/* ---- events ---- */

/* Two that take turns: each wakes the other and waits. Every pass of both is two ops, one after the
 * other. */
static void two_that_wake_each_other_take_turns(void **state)
{
    (void)state;
    struct measured m;
    struct plan_builder *b = flow_begin(SEC_NS);
    uint16_t left = plan_add_event(b), right = plan_add_event(b);
    flow_group(b, "left", 1);
    flow_op(b, "left-op", 0);
    flow_step(b, "left-wake", "wakeup", (struct plan_step){.kind = PLAN_WAKE, .object = right});
    flow_step(b, "left-block", "block", (struct plan_step){.kind = PLAN_BLOCK, .object = left});
    flow_end(b, 0);
    flow_group(b, "right", 1);
    flow_step(b, "right-block", "block", (struct plan_step){.kind = PLAN_BLOCK, .object = right});
    flow_op(b, "right-op", 0);
    flow_step(b, "right-wake", "wakeup", (struct plan_step){.kind = PLAN_WAKE, .object = left});
    flow_end(b, 0);
    truth_run(&m, b, VIRTUAL_1MS);
    assert_int_equal(m.out.end, ENGINE_DONE);
    assert_int_equal(m.out.elapsed_ns, SEC_NS);
    assert_in_range(ops_of(&m, "left-op"), 499, 500);
    assert_in_range(ops_of(&m, "right-op"), 499, 500);
    assert_in_range(ops_of(&m, "left-block"), 499, 500);
    assert_int_equal(ops_of(&m, "left-wake"), ops_of(&m, "left-op"));
    /* Each waits as long as the other's op takes. */
    assert_int_equal(hist_quantile(&truth_line(&m, "left-block")->service, 1), MS_NS);
    assert_int_equal(hist_quantile(&truth_line(&m, "left-wake")->service, 1), 0);
    assert_streams_sum_to_lines(&m);
    truth_fini(&m);
}

/* One op per stream woken; a signal that finds nobody is lost. */
static void a_signal_wakes_all_who_wait_and_no_one_later(void **state)
{
    (void)state;
    struct measured m;
    struct plan_builder *b = flow_begin(0);
    uint16_t event = plan_add_event(b);
    flow_group(b, "waker", 1);
    flow_step(b, "lost", "wakeup", (struct plan_step){.kind = PLAN_WAKE, .object = event});
    flow_op(b, "op", 0);
    flow_step(b, "wake", "wakeup", (struct plan_step){.kind = PLAN_WAKE, .object = event});
    flow_end(b, 1);
    flow_group(b, "sleepers", 50);
    flow_step(b, "block", "block", (struct plan_step){.kind = PLAN_BLOCK, .object = event});
    flow_end(b, 1);
    truth_run(&m, b, VIRTUAL_1MS);
    assert_int_equal(m.out.end, ENGINE_DONE);
    assert_ops(&m, "lost", 0);
    assert_ops(&m, "wake", 50);
    assert_ops(&m, "block", 50);
    assert_int_equal(m.out.elapsed_ns, MS_NS);
    truth_fini(&m);
}

/* ---- semaphores ---- */

struct posting {
    uint32_t posters;
    uint32_t waiters;
    uint64_t credits;
    uint64_t take; /* by each wait */
    bool blocking;
};

/* Posters post one by one and do nothing else; waiters take `take` of them and do an op each time. */
static struct plan_builder *posting(struct posting p, uint64_t measure_ns, uint32_t waits)
{
    struct plan_builder *b = flow_begin(measure_ns);
    uint16_t sem = plan_add_semaphore(b, p.credits);
    flow_group(b, "waiters", p.waiters);
    flow_op(b, "op", 0);
    flow_step(b, "wait", "semblock",
              (struct plan_step){.kind = PLAN_SEM_WAIT, .object = sem, .value = p.take});
    flow_end(b, waits);
    flow_group(b, "posters", p.posters);
    flow_step(b, "post", "sempost",
              (struct plan_step){
                  .kind = PLAN_SEM_POST, .object = sem, .value = 1, .blocking = p.blocking});
    flow_end(b, 0);
    return b;
}

/* So many posts run ahead: the credits there were, and those of every pass that has begun. When no
 * further pass will come, posting has come to its end. */
static void blocking_posts_run_ahead_by_the_credits(void **state)
{
    (void)state;
    static const struct posting of[] = {
        {.posters = 1, .waiters = 1, .credits = 1000, .take = 3200, .blocking = true},
        {.posters = 7, .waiters = 1, .credits = 5, .take = 1, .blocking = true},
        {.posters = 3, .waiters = 1, .credits = 0, .take = 10, .blocking = true},
    };
    for (unsigned i = 0; i < TRUTH_COUNT(of); i++) {
        struct measured m;
        truth_run(&m, posting(of[i], 0, 100), VIRTUAL_1MS);
        assert_int_equal(m.out.end, ENGINE_STALLED);
        assert_ops(&m, "wait", 100);
        assert_ops(&m, "post", of[i].credits + 100 * of[i].take);
        assert_streams_sum_to_lines(&m);
        truth_fini(&m);
    }
}

/* Every instance gets every post, and a post that blocks waits for each of them. */
static void each_waiting_stream_has_a_semaphore_of_its_own(void **state)
{
    (void)state;
    struct measured m;
    struct plan_builder *b = flow_begin(0);
    uint16_t sem = plan_add_semaphore(b, 0);
    flow_group(b, "waiters", 12);
    flow_step(b, "wait", "semblock",
              (struct plan_step){.kind = PLAN_SEM_WAIT, .object = sem, .value = 5});
    flow_end(b, 20);
    flow_group(b, "posters", 4);
    flow_op(b, "op", 0);
    flow_step(
        b, "post", "sempost",
        (struct plan_step){.kind = PLAN_SEM_POST, .object = sem, .value = 1, .blocking = true});
    flow_end(b, 25);
    truth_run(&m, b, VIRTUAL_1MS);
    assert_int_equal(m.out.end, ENGINE_DONE);
    assert_ops(&m, "post", 100);
    assert_ops(&m, "wait", 12 * 20);
    truth_fini(&m);
}

/* 200 shadows, 10 database writers and a log writer, as oltp has them. No number of posts or passes is
 * lost, however they meet. */
static void shadows_writers_and_a_log_writer(void **state)
{
    (void)state;
    struct measured m;
    struct plan_builder *b = flow_begin(10 * (uint64_t)SEC_NS);
    uint16_t log = plan_add_semaphore(b, 1000), db = plan_add_semaphore(b, 2000);
    flow_group(b, "lgwr", 1);
    flow_op(b, "lg-write", 0);
    flow_step(b, "lg-block", "semblock",
              (struct plan_step){.kind = PLAN_SEM_WAIT, .object = log, .value = 3200});
    flow_end(b, 0);
    flow_group(b, "dbwr", 10);
    flow_op(b, "db-write", 0);
    flow_step(b, "db-block", "semblock",
              (struct plan_step){.kind = PLAN_SEM_WAIT, .object = db, .value = 1000});
    flow_end(b, 0);
    flow_group(b, "shadow", 200);
    flow_op(b, "read", 0);
    flow_step(
        b, "post-lg", "sempost",
        (struct plan_step){.kind = PLAN_SEM_POST, .object = log, .value = 1, .blocking = true});
    flow_step(
        b, "post-db", "sempost",
        (struct plan_step){.kind = PLAN_SEM_POST, .object = db, .value = 1, .blocking = true});
    flow_end(b, 0);
    truth_run(&m, b, VIRTUAL_1MS);
    assert_int_equal(m.out.end, ENGINE_DONE);
    /* Nothing ever blocks for long: 200 reads a ms. */
    assert_in_range(ops_of(&m, "read"), 1990000, 2000000);
    assert_in_range(ops_of(&m, "post-lg"), ops_of(&m, "read") - 200, ops_of(&m, "read"));
    assert_in_range(ops_of(&m, "post-db"), ops_of(&m, "post-lg") - 200, ops_of(&m, "post-lg"));
    assert_in_range(ops_of(&m, "lg-block"), ops_of(&m, "post-lg") / 3200 - 1,
                    ops_of(&m, "post-lg") / 3200);
    assert_in_range(ops_of(&m, "db-block"), 10 * (ops_of(&m, "post-db") / 1000) - 10,
                    10 * (ops_of(&m, "post-db") / 1000));
    assert_streams_sum_to_lines(&m);
    truth_fini(&m);
}

/* No limit on number or value. */
static void semaphores_have_no_limit(void **state)
{
    (void)state;
    struct measured m;
    struct plan_builder *b = flow_begin(0);
    uint16_t sem[300];
    for (unsigned i = 0; i < TRUTH_COUNT(sem); i++)
        sem[i] = plan_add_semaphore(b, 0);
    flow_group(b, "waiters", 3);
    for (unsigned i = 0; i < TRUTH_COUNT(sem); i++)
        flow_step(b, "wait", "semblock",
                  (struct plan_step){
                      .kind = PLAN_SEM_WAIT, .object = sem[i], .value = UINT64_C(1) << 40});
    flow_end(b, 1);
    flow_group(b, "poster", 1);
    flow_op(b, "op", 0);
    for (unsigned i = 0; i < TRUTH_COUNT(sem); i++)
        flow_step(b, "post", "sempost",
                  (struct plan_step){
                      .kind = PLAN_SEM_POST, .object = sem[i], .value = UINT64_C(1) << 40});
    flow_end(b, 1);
    truth_run(&m, b, VIRTUAL_1MS);
    assert_int_equal(m.out.end, ENGINE_DONE);
    assert_ops(&m, "wait", 900);
    assert_ops(&m, "post", 300);
    truth_fini(&m);
}

/* ---- nobody waits for ever ---- */

static void who_waits_for_somebody_gone_is_named_at_once(void **state)
{
    (void)state;
    static const uint64_t measure_ns[] = {0, 3600 * (uint64_t)SEC_NS};
    for (unsigned i = 0; i < TRUTH_COUNT(measure_ns); i++) {
        struct measured m;
        struct plan_builder *b = flow_begin(measure_ns[i]);
        uint16_t sem = plan_add_semaphore(b, 0), event = plan_add_event(b);
        flow_group(b, "waiters", 1);
        flow_step(b, "lg-block", "semblock",
                  (struct plan_step){.kind = PLAN_SEM_WAIT, .object = sem, .value = 3200});
        flow_end(b, 0);
        flow_group(b, "sleepers", 3);
        flow_step(b, "sleep", "block", (struct plan_step){.kind = PLAN_BLOCK, .object = event});
        flow_end(b, 0);
        flow_group(b, "posters", 2);
        flow_op(b, "op", 0);
        flow_step(b, "post", "sempost",
                  (struct plan_step){.kind = PLAN_SEM_POST, .object = sem, .value = 1});
        flow_end(b, 100);
        truth_run(&m, b, VIRTUAL_1MS);
        assert_int_equal(m.out.end, ENGINE_STALLED);
        assert_true(m.out.stuck.found);
        assert_string_equal(m.out.stuck.what, "nobody is left to end the wait of semblock lg-block "
                                              "of 1 stream, block sleep of 3 streams");
        assert_true(m.out.stuck.waiting);
        assert_int_equal(m.out.stuck.workers, 0);
        assert_ops(&m, "post", 200);
        assert_int_equal(m.out.elapsed_ns, 100 * MS_NS);
        truth_fini(&m);
    }
}

/* While others run it is waiting, until the window ends. */
static void waiting_beside_others_lasts_as_long_as_the_window(void **state)
{
    (void)state;
    struct measured m;
    struct plan_builder *b = flow_begin(SEC_NS);
    uint16_t event = plan_add_event(b);
    flow_group(b, "sleepers", 3);
    flow_step(b, "sleep", "block", (struct plan_step){.kind = PLAN_BLOCK, .object = event});
    flow_end(b, 0);
    flow_group(b, "runners", 1);
    flow_op(b, "op", 0);
    flow_end(b, 0);
    truth_run(&m, b, VIRTUAL_1MS);
    assert_int_equal(m.out.end, ENGINE_DONE);
    assert_int_equal(m.out.elapsed_ns, SEC_NS);
    assert_ops(&m, "sleep", 0);
    truth_fini(&m);
}

/* Arrivals are over, for this window: the one who waits does not wait for ever. */
static void waiting_for_arrivals_that_are_over_is_no_stall(void **state)
{
    (void)state;
    struct measured m;
    struct plan_builder *b = flow_begin(SEC_NS);
    uint16_t event = plan_add_event(b);
    const struct plan_schedule schedule = {.rate_per_s = 10};
    uint16_t arrivals = plan_add_schedule(b, &schedule);
    flow_group(b, "sleepers", 1);
    flow_step(b, "sleep", "block", (struct plan_step){.kind = PLAN_BLOCK, .object = event});
    flow_end(b, 0);
    flow_group(b, "runners", 1);
    t_add(b, (struct plan_step){.kind = PLAN_ARRIVE, .schedule = arrivals});
    flow_op(b, "op", 0);
    flow_end(b, 0);
    truth_run(&m, b, VIRTUAL_1MS);
    assert_int_equal(m.out.end, ENGINE_DONE);
    assert_int_equal(m.out.elapsed_ns, SEC_NS);
    assert_ops(&m, "op", 10);
    truth_fini(&m);
}

/* ---- time ---- */

static void a_delay_takes_its_time_and_a_hog_a_ns_for_each_store(void **state)
{
    (void)state;
    struct measured m;
    struct plan_builder *b = flow_begin(SEC_NS);
    flow_group(b, "g", 3);
    flow_step(b, "delay", "delay", (struct plan_step){.kind = PLAN_DELAY, .value = 7 * MS_NS});
    flow_step(b, "hog", "hog", (struct plan_step){.kind = PLAN_HOG, .value = 2 * MS_NS});
    flow_op(b, "op", 0);
    flow_end(b, 0);
    truth_run(&m, b, VIRTUAL_1MS);
    assert_int_equal(m.out.end, ENGINE_DONE);
    assert_ops(&m, "delay", 3 * 100);
    assert_ops(&m, "hog", 3 * 100);
    assert_in_range(ops_of(&m, "op"), 3 * 99, 3 * 100);
    assert_int_equal(hist_quantile(&truth_line(&m, "delay")->service, 0.5), 7 * MS_NS);
    assert_int_equal(hist_quantile(&truth_line(&m, "hog")->service, 0.5), 2 * MS_NS);
    truth_fini(&m);
}

/* A wait that is longer than the window ends with it. */
static void the_window_ends_every_wait(void **state)
{
    (void)state;
    struct measured m;
    struct plan_builder *b = flow_begin(SEC_NS);
    flow_group(b, "g", 2);
    flow_op(b, "op", 0);
    flow_step(b, "delay", "delay",
              (struct plan_step){.kind = PLAN_DELAY, .value = 3600 * (uint64_t)SEC_NS});
    flow_end(b, 0);
    truth_run(&m, b, VIRTUAL_1MS);
    assert_int_equal(m.out.end, ENGINE_DONE);
    assert_int_equal(m.out.elapsed_ns, SEC_NS);
    assert_ops(&m, "op", 2);
    assert_ops(&m, "delay", 0);
    truth_fini(&m);
}

/* Steps that take no time are no way to stop it. */
static void time_goes_on_over_steps_that_take_none(void **state)
{
    (void)state;
    struct measured m;
    struct plan_builder *b = flow_begin(10 * MS_NS);
    uint16_t event = plan_add_event(b), sem = plan_add_semaphore(b, 0);
    flow_group(b, "g", 1);
    flow_step(b, "wake", "wakeup", (struct plan_step){.kind = PLAN_WAKE, .object = event});
    flow_step(b, "post", "sempost",
              (struct plan_step){.kind = PLAN_SEM_POST, .object = sem, .value = 1});
    flow_end(b, 0);
    flow_group(b, "runners", 1);
    flow_op(b, "op", 0);
    flow_end(b, 0);
    truth_run(&m, b, VIRTUAL_1MS);
    assert_int_equal(m.out.end, ENGINE_DONE);
    assert_in_range(ops_of(&m, "op"), 9, 10);
    assert_in_range(ops_of(&m, "post"), 10000, 1000000);
    truth_fini(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_that_wake_each_other_take_turns),
        cmocka_unit_test(a_signal_wakes_all_who_wait_and_no_one_later),
        cmocka_unit_test(blocking_posts_run_ahead_by_the_credits),
        cmocka_unit_test(each_waiting_stream_has_a_semaphore_of_its_own),
        cmocka_unit_test(shadows_writers_and_a_log_writer),
        cmocka_unit_test(semaphores_have_no_limit),
        cmocka_unit_test(who_waits_for_somebody_gone_is_named_at_once),
        cmocka_unit_test(waiting_beside_others_lasts_as_long_as_the_window),
        cmocka_unit_test(waiting_for_arrivals_that_are_over_is_no_stall),
        cmocka_unit_test(a_delay_takes_its_time_and_a_hog_a_ns_for_each_store),
        cmocka_unit_test(the_window_ends_every_wait),
        cmocka_unit_test(time_goes_on_over_steps_that_take_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
