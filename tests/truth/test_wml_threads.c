/* plan/step.h, sync_priv.h: streams of several workers wait for each other: one each on a blocking target,
 * many each on an asynchronous one. Also under ThreadSanitizer. */
#include "truth/waiting.h"

static struct truth_dir dir;

static int make_dir(void **state)
{
    (void)state;
    truth_dir_make(&dir);
    return 0;
}

static int remove_dir(void **state)
{
    (void)state;
    truth_dir_remove(&dir);
    return 0;
}

static const char *const address[] = {"null:", dir.path};

static void run_on(struct measured *m, struct plan_builder *b, unsigned target)
{
    truth_run_job(m, b, address[target], (struct engine_job){.workers = 3});
}

/* Passes of `left` and `right`, in turn. */
static void turns_taken_across_threads(void **state)
{
    (void)state;
    for (unsigned i = 0; i < TRUTH_COUNT(address); i++) {
        struct measured m;
        struct plan_builder *b = flow_begin(0);
        uint16_t left = plan_add_semaphore(b, 0), right = plan_add_semaphore(b, 0);
        flow_group(b, "left", 1);
        flow_step(b, "to-right", "sempost",
                  (struct plan_step){.kind = PLAN_SEM_POST, .object = right, .value = 1});
        flow_step(b, "left", "semblock",
                  (struct plan_step){.kind = PLAN_SEM_WAIT, .object = left, .value = 1});
        flow_end(b, 2000);
        flow_group(b, "right", 1);
        flow_step(b, "right", "semblock",
                  (struct plan_step){.kind = PLAN_SEM_WAIT, .object = right, .value = 1});
        flow_step(b, "to-left", "sempost",
                  (struct plan_step){.kind = PLAN_SEM_POST, .object = left, .value = 1});
        flow_end(b, 2000);
        run_on(&m, b, i);
        assert_int_equal(m.out.end, ENGINE_DONE);
        assert_ops(&m, "left", 2000);
        assert_ops(&m, "right", 2000);
        assert_int_equal(m.out.samples_lost, 0);
        truth_fini(&m);
    }
}

/* Every post is taken once, every credit too, whoever meets whom. */
static void posts_and_credits_are_neither_lost_nor_doubled(void **state)
{
    (void)state;
    enum { POSTERS = 16, POSTS = 500, WAITERS = 4, TAKE = 20 };
    for (unsigned i = 0; i < TRUTH_COUNT(address); i++) {
        struct measured m;
        struct plan_builder *b = flow_begin(0);
        uint16_t sem = plan_add_semaphore(b, 3);
        flow_group(b, "waiters", WAITERS);
        flow_step(b, "wait", "semblock",
                  (struct plan_step){.kind = PLAN_SEM_WAIT, .object = sem, .value = TAKE});
        flow_end(b, POSTERS * POSTS / TAKE);
        flow_group(b, "posters", POSTERS);
        flow_op(b, "op", 0);
        flow_step(
            b, "post", "sempost",
            (struct plan_step){.kind = PLAN_SEM_POST, .object = sem, .value = 1, .blocking = true});
        flow_end(b, POSTS);
        run_on(&m, b, i);
        assert_int_equal(m.out.end, ENGINE_DONE);
        assert_ops(&m, "post", POSTERS * POSTS);
        assert_ops(&m, "wait", WAITERS * POSTERS * POSTS / TAKE);
        truth_fini(&m);
    }
}

/* One more pass than there are posts for. */
static void the_last_to_stop_finds_that_nobody_is_left(void **state)
{
    (void)state;
    for (unsigned i = 0; i < TRUTH_COUNT(address); i++) {
        for (unsigned times = 0; times < 20; times++) {
            struct measured m;
            struct plan_builder *b = flow_begin(0);
            uint16_t sem = plan_add_semaphore(b, 0);
            flow_group(b, "waiters", 5);
            flow_step(b, "wait", "semblock",
                      (struct plan_step){.kind = PLAN_SEM_WAIT, .object = sem, .value = 1});
            flow_end(b, 41);
            flow_group(b, "posters", 4);
            flow_op(b, "op", 0);
            flow_step(b, "post", "sempost",
                      (struct plan_step){.kind = PLAN_SEM_POST, .object = sem, .value = 1});
            flow_end(b, 10);
            run_on(&m, b, i);
            assert_int_equal(m.out.end, ENGINE_STALLED);
            assert_string_equal(m.out.stuck.what,
                                "nobody is left to end the wait of semblock wait of 5 streams");
            assert_ops(&m, "wait", 5 * 40);
            truth_fini(&m);
        }
    }
}

/* Sleepers, and a waker that wakes as often as it can. */
static struct plan_builder *sleepers_and_waker(uint64_t measure_ns)
{
    struct plan_builder *b = flow_begin(measure_ns);
    uint16_t event = plan_add_event(b);
    flow_group(b, "sleepers", 8);
    flow_step(b, "sleep", "block", (struct plan_step){.kind = PLAN_BLOCK, .object = event});
    flow_end(b, 0);
    flow_group(b, "waker", 1);
    flow_op(b, "op", 0);
    flow_step(b, "wake", "wakeup", (struct plan_step){.kind = PLAN_WAKE, .object = event});
    flow_end(b, 0);
    return b;
}

static void sleepers_are_woken_until_the_window_ends(void **state)
{
    (void)state;
    for (unsigned i = 0; i < TRUTH_COUNT(address); i++) {
        struct measured m;
        run_on(&m, sleepers_and_waker(100 * MS_NS), i);
        assert_int_equal(m.out.end, ENGINE_DONE);
        assert_int_equal(m.out.elapsed_ns, 100 * MS_NS);
        assert_true(ops_of(&m, "wake") > 0);
        assert_true(ops_of(&m, "sleep") <= ops_of(&m, "wake"));
        assert_true(ops_of(&m, "sleep") + 8 >= ops_of(&m, "wake"));
        assert_streams_sum_to_lines(&m);
        truth_fini(&m);
    }
}

/* ---- stop ---- */

static atomic_int stop;

static void stop_now(void *ctx, bool open)
{
    (void)ctx;
    if (open)
        atomic_store(&stop, 1);
}

static void stop_ends_those_who_wait_for_others_and_for_a_time(void **state)
{
    (void)state;
    for (unsigned i = 0; i < TRUTH_COUNT(address); i++) {
        struct measured m;
        struct plan_builder *b = flow_begin(0);
        uint16_t event = plan_add_event(b);
        flow_group(b, "sleepers", 20);
        flow_step(b, "sleep", "block", (struct plan_step){.kind = PLAN_BLOCK, .object = event});
        flow_end(b, 0);
        flow_group(b, "slow", 2);
        flow_step(b, "delay", "delay",
                  (struct plan_step){.kind = PLAN_DELAY, .value = 3600 * (uint64_t)SEC_NS});
        flow_end(b, 0);
        atomic_store(&stop, 0);
        truth_run_job(&m, b, address[i],
                      (struct engine_job){.workers = 3, .stop = &stop, .gate = stop_now});
        assert_int_equal(m.out.end, ENGINE_STOPPED);
        assert_ops(&m, "sleep", 0);
        assert_ops(&m, "delay", 0);
        truth_fini(&m);
    }
}

/* ---- hogs ---- */

/* However long a hog takes: the window ends it. */
static void a_hog_ends_with_the_run(void **state)
{
    (void)state;
    for (unsigned i = 0; i < TRUTH_COUNT(address); i++) {
        struct measured m;
        struct plan_builder *b = flow_begin(20 * MS_NS);
        flow_group(b, "g", 5);
        flow_step(b, "hog", "hog",
                  (struct plan_step){.kind = PLAN_HOG, .value = UINT64_C(1) << 60});
        flow_op(b, "op", 0);
        flow_end(b, 0);
        run_on(&m, b, i);
        assert_int_equal(m.out.end, ENGINE_DONE);
        assert_ops(&m, "hog", 0);
        assert_true(m.out.cpu_user_ns > 0);
        truth_fini(&m);
    }
}

/* Hogs that would take years, and a stream of the same worker that is done with its ops beside them. */
static void a_hog_does_not_keep_others_of_its_worker_from_their_ops(void **state)
{
    (void)state;
    struct measured m;
    struct plan_builder *b = flow_begin(0);
    plan_quit(b, PLAN_QUIT_FIRSTDONE);
    flow_group(b, "hogs", 2);
    flow_step(b, "hog", "hog", (struct plan_step){.kind = PLAN_HOG, .value = UINT64_C(1) << 60});
    flow_end(b, 0);
    flow_group(b, "others", 1);
    flow_op(b, "op", 0);
    flow_end(b, 100000);
    truth_run_job(&m, b, "null:", (struct engine_job){.workers = 1});
    assert_int_equal(m.out.end, ENGINE_DONE);
    assert_ops(&m, "op", 100000);
    assert_ops(&m, "hog", 0);
    truth_fini(&m);
}

static void hogs_are_done_as_often_as_asked(void **state)
{
    (void)state;
    for (unsigned i = 0; i < TRUTH_COUNT(address); i++) {
        struct measured m;
        struct plan_builder *b = flow_begin(0);
        flow_group(b, "g", 30);
        flow_op(b, "op", 0);
        flow_step(b, "hog", "hog", (struct plan_step){.kind = PLAN_HOG, .value = 1000});
        flow_end(b, 100);
        run_on(&m, b, i);
        assert_int_equal(m.out.end, ENGINE_DONE);
        assert_ops(&m, "hog", 3000);
        assert_ops(&m, "op", 3000);
        assert_true(truth_line(&m, "hog")->service.sum > 0);
        truth_fini(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_taken_across_threads),
        cmocka_unit_test(posts_and_credits_are_neither_lost_nor_doubled),
        cmocka_unit_test(the_last_to_stop_finds_that_nobody_is_left),
        cmocka_unit_test(sleepers_are_woken_until_the_window_ends),
        cmocka_unit_test(stop_ends_those_who_wait_for_others_and_for_a_time),
        cmocka_unit_test(a_hog_ends_with_the_run),
        cmocka_unit_test(a_hog_does_not_keep_others_of_its_worker_from_their_ops),
        cmocka_unit_test(hogs_are_done_as_often_as_asked),
    };
    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
