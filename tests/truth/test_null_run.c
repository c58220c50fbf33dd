/* engine.h on the target that does nothing: sums agree, many streams share few
 * workers, runs end. */
#include "truth/truth.h"

#include <stdatomic.h>
#include <time.h>

static void assert_done(const struct measured *m)
{
    assert_int_equal(m->out.end, ENGINE_DONE);
    assert_int_equal(m->out.errors, 0);
    assert_int_equal(m->out.samples_lost, 0);
    assert_streams_sum_to_lines(m);
}

/* ---- sums ---- */

/* With one op a flowop, ops are samples; every op moves its block; streams sum to the line. */
static void ops_samples_and_bytes_agree(void **state)
{
    (void)state;
    for (unsigned workers = 1; workers <= 4; workers++) {
        struct measured m;
        truth_run_job(&m, truth_reads((struct reads){.streams = 7, .measure_ns = 500 * MS_NS}),
                      "null:", (struct engine_job){.workers = workers});
        const struct samples_line *line = truth_line(&m, "read");
        assert_done(&m);
        assert_true(line->samples > 0);
        assert_int_equal(line->ops, line->samples);
        assert_int_equal(line->bytes, line->ops * 4096);
        assert_int_equal(m.out.workers, workers);
        assert_int_equal(m.out.streams, 7);
        assert_int_equal(m.out.elapsed_ns, 500 * MS_NS);
        truth_fini(&m);
    }
}

static void intervals_sum_to_the_totals(void **state)
{
    (void)state;
    struct measured m;
    truth_run_job(&m,
                  truth_reads((struct reads){.streams = 8,
                                             .warmup_ns = 20 * MS_NS,
                                             .measure_ns = 60 * MS_NS,
                                             .interval_ns = 10 * MS_NS}),
                  "null:", (struct engine_job){.workers = 2});
    assert_done(&m);
    assert_true(m.out.series.used <= 8);
    assert_int_equal(truth_interval_samples(&m, 0, 20 * MS_NS, UINT64_MAX),
                     truth_line(&m, "read")->samples);
    truth_fini(&m);
}

/* No more workers than streams. */
static void workers_are_never_idle_for_lack_of_streams(void **state)
{
    (void)state;
    struct measured m;
    truth_run_job(&m, truth_reads((struct reads){.streams = 2, .measure_ns = 5 * MS_NS}),
                  "null:", (struct engine_job){.workers = 64});
    assert_int_equal(m.out.workers, 2);
    assert_done(&m);
    truth_fini(&m);
}

/* Two groups with lines of their own, clients in equal blocks. */
static void groups_keep_their_lines_and_clients_apart(void **state)
{
    (void)state;
    const struct fileset_spec spec = {
        .shape = FILESET_FLAT, .trees = 1, .files = 8, .size_bytes = 4096};
    struct plan_builder *b = plan_new(1);
    plan_add_set(b, &spec);
    for (unsigned g = 0; g < 2; g++) {
        uint16_t line = plan_add_line(b, g ? "second" : "first", OP_NOP, false);
        plan_begin_group(b, g ? "second" : "first", g ? 6 : 4, g ? 3 : 2);
        plan_end_section(b);
        t_add(b, t_op(OP_NOP, line, 0));
        t_add(b, t_loop(0, g ? 50 : 20, 0));
        plan_end_section(b);
        plan_end_section(b);
    }
    struct measured m;
    truth_run_job(&m, b, "null:", (struct engine_job){.workers = 3});
    assert_done(&m);
    assert_int_equal(truth_line(&m, "first")->samples, 4 * 20);
    assert_int_equal(truth_line(&m, "second")->samples, 6 * 50);
    assert_null(engine_outcome_line(&m.out, m.plan, "third"));
    static const uint32_t client[] = {0, 0, 1, 1, 0, 0, 1, 1, 2, 2};
    for (unsigned i = 0; i < 10; i++) {
        assert_int_equal(m.out.stream[i].group, i >= 4);
        assert_int_equal(m.out.stream[i].client, client[i]);
        assert_int_equal(m.out.stream[i].ops, i >= 4 ? 50 : 20);
    }
    truth_fini(&m);
}

/* ---- many streams ---- */

/* 10,000 streams on one core must work. Each does its 20 reads, no more. */
static void ten_thousand_streams_on_one_worker_complete(void **state)
{
    (void)state;
    const struct fileset_spec spec = {
        .shape = FILESET_FLAT, .trees = 1, .files = 10000, .size_bytes = 4096};
    struct plan_builder *b = plan_new(1);
    plan_add_set(b, &spec);
    uint16_t line = plan_add_line(b, "read", OP_READ, false);
    plan_begin_group(b, "many", 10000, 1);
    t_add(b, t_pick(PLAN_UNIT_FILE, PLAN_ORDER_STRIDE, 0));
    t_add(b, t_op(OP_OPEN, PLAN_NO_LINE, 0));
    plan_step_to(b, 0, 2);
    plan_end_section(b);
    t_add(b, t_io(OP_READ, line, 4096));
    t_add(b, t_loop(0, 20, 0));
    plan_end_section(b);
    t_add(b, t_op(OP_CLOSE, PLAN_NO_LINE, 0));
    plan_end_section(b);
    struct measured m;
    truth_run(&m, b, "null:");
    assert_done(&m);
    assert_int_equal(m.out.workers, 1);
    assert_int_equal(truth_line(&m, "read")->samples, 200000);
    for (unsigned i = 0; i < 10000; i++)
        assert_int_equal(m.out.stream[i].ops, 20);
    truth_fini(&m);
}

/* And evenly: with a window no stream is more than one round ahead of another. */
static void ten_thousand_streams_take_turns(void **state)
{
    (void)state;
    uint64_t least = UINT64_MAX, most = 0;
    struct measured m;
    truth_run(&m, truth_reads((struct reads){.streams = 10000, .measure_ns = SEC_NS}),
              "fault:null:?latency=fixed:7ms&clock=virtual");
    for (unsigned i = 0; i < m.out.streams; i++) {
        least = m.out.stream[i].ops < least ? m.out.stream[i].ops : least;
        most = m.out.stream[i].ops > most ? m.out.stream[i].ops : most;
    }
    assert_int_equal(m.out.streams, 10000);
    assert_int_equal(least, SEC_NS / (7 * MS_NS));
    assert_int_equal(most, least);
    truth_fini(&m);
}

static void rated_streams_take_turns_at_one_schedule(void **state)
{
    (void)state;
    struct measured m;
    truth_run_job(&m,
                  truth_reads((struct reads){.streams = 1000,
                                             .rate_per_s = 50000,
                                             .arrival = PLAN_ARRIVAL_POISSON,
                                             .measure_ns = 60 * MS_NS,
                                             .interval_ns = 20 * MS_NS}),
                  "null:", (struct engine_job){.workers = 2});
    const struct samples_line *line = truth_line(&m, "read");
    assert_int_equal(m.out.arrivals, line->samples + m.out.unfinished);
    assert_int_equal(hist_count(&line->response), m.out.arrivals);
    assert_int_equal(m.out.end, ENGINE_DONE);
    truth_fini(&m);
}

/* What was wrong: lateness was put where the interval before it was counted, so what fell due on the
 * window's opening edge was left out. Ten arrivals a second, each on the edge of an interval; what is
 * issued in the window is done in it. */
static void lateness_is_counted_in_the_interval_it_was_seen_in(void **state)
{
    (void)state;
    struct measured m;
    truth_run(&m,
              truth_reads((struct reads){.streams = 5,
                                         .rate_per_s = 10,
                                         .warmup_ns = 200 * MS_NS,
                                         .measure_ns = 400 * MS_NS,
                                         .interval_ns = 100 * MS_NS}),
              "null:");
    assert_true(truth_line(&m, "read")->samples >= 1);
    assert_int_equal(hist_count(&m.out.total->lateness), truth_line(&m, "read")->samples);
    truth_fini(&m);
}

/* ---- memory ---- */

/* Memory is known before, and a plan above the limit is refused. */
static void a_plan_above_the_memory_limit_is_refused(void **state)
{
    (void)state;
    struct reads r = {.streams = 1000, .measure_ns = MS_NS};
    struct plan *plan = truth_freeze(truth_reads(r), "null:");
    struct target_caps caps = truth_caps("null:");
    uint64_t need = engine_memory(plan, &caps, 1);
    plan_free(plan);
    struct err err = truth_refused(
        truth_reads(r), "null:", (struct engine_job){.max_memory_bytes = need - 1, .workers = 1});
    assert_int_equal(err.code, -ENOMEM);
    assert_non_null(strstr(err.text, "1000 streams"));
    assert_non_null(strstr(err.text, "--max-memory"));
    struct measured m;
    truth_run_job(&m, truth_reads(r),
                  "null:", (struct engine_job){.max_memory_bytes = need, .workers = 1});
    assert_int_equal(m.out.memory_bytes, need);
    truth_fini(&m);
}

/* ---- ends ---- */

static void an_address_that_cannot_be_opened_refuses_the_run(void **state)
{
    (void)state;
    struct plan *plan = truth_freeze(truth_reads((struct reads){.measure_ns = MS_NS}), "null:");
    static const struct {
        const char *address;
        int code;
    } bad[] = {{"nonsense:", -EINVAL}, {"/nowhere/at/all", -ENOENT}, {"null:x", -EINVAL}};
    for (unsigned i = 0; i < TRUTH_COUNT(bad); i++) {
        struct engine_job job = {.plan = plan, .address = bad[i].address, .place = ""};
        struct engine_outcome out;
        struct err err = {0};
        assert_int_equal(engine_run(&job, &out, &err), bad[i].code);
        assert_true(strlen(err.text) > 0);
    }
    plan_free(plan);
}

struct watcher {
    atomic_int stop;
    unsigned calls;
    unsigned stop_at;
    struct engine_progress last;
    bool gate[2];
    unsigned gates;
};

static void watch_progress(void *ctx, const struct engine_progress *progress)
{
    struct watcher *w = ctx;
    assert_true(progress->ops >= w->last.ops);
    assert_true(progress->bytes >= w->last.bytes);
    assert_true(progress->elapsed_ns >= w->last.elapsed_ns);
    w->last = *progress;
    if (++w->calls == w->stop_at)
        atomic_store(&w->stop, 1);
}

static void watch_gate(void *ctx, bool open)
{
    struct watcher *w = ctx;
    assert_true(w->gates < 2);
    w->gate[w->gates++] = open;
}

static void run_watched(struct measured *m, struct watcher *w, struct plan_builder *b,
                        const char *address)
{
    truth_run_job(m, b, address,
                  (struct engine_job){.stop = &w->stop,
                                      .progress = watch_progress,
                                      .gate = watch_gate,
                                      .ctx = w,
                                      .workers = 2});
    assert_int_equal(w->gates, 2);
    assert_true(w->gate[0]);
    assert_false(w->gate[1]);
}

/* ENGINE_STOPPED: results up to then. The window is an hour, so that only the flag can end it. */
static void the_stop_flag_ends_a_run_with_the_results_so_far(void **state)
{
    (void)state;
    static const char *const address[] = {"null:", "fault:null:?clock=virtual&latency=exp:1ms"};
    for (unsigned i = 0; i < 2; i++) {
        struct watcher w = {.stop_at = 2};
        struct measured m;
        run_watched(&m, &w,
                    truth_reads((struct reads){.streams = 10,
                                               .measure_ns = 3600 * (uint64_t)SEC_NS,
                                               .interval_ns = 50 * MS_NS}),
                    address[i]);
        assert_int_equal(m.out.end, ENGINE_STOPPED);
        assert_true(truth_line(&m, "read")->samples > 0);
        assert_int_equal(m.out.errors, 0);
        assert_true(m.out.elapsed_ns > 0 && m.out.elapsed_ns < 3600 * (uint64_t)SEC_NS);
        assert_int_equal(m.out.elapsed_ns, m.out.window_close_ns - m.out.window_open_ns);
        assert_streams_sum_to_lines(&m);
        truth_fini(&m);
    }
}

/* Streams that wait for an arrival an hour away are woken by it. */
static void the_stop_flag_wakes_streams_that_wait_for_arrivals(void **state)
{
    (void)state;
    struct watcher w = {.stop_at = 2};
    struct measured m;
    run_watched(&m, &w,
                truth_reads((struct reads){.streams = 20,
                                           .rate_per_s = 1.0 / 3600,
                                           .measure_ns = 36000 * (uint64_t)SEC_NS,
                                           .interval_ns = 3600 * (uint64_t)SEC_NS}),
                "null:");
    assert_int_equal(m.out.end, ENGINE_STOPPED);
    assert_int_equal(truth_line(&m, "read")->samples, 1);
    assert_int_equal(m.out.unfinished, 0);
    truth_fini(&m);
}

/* A flag that is set before the run stops it at once. */
static void a_flag_set_beforehand_stops_the_run_at_once(void **state)
{
    (void)state;
    struct watcher w = {.stop = 1};
    struct measured m;
    run_watched(&m, &w,
                truth_reads((struct reads){.streams = 2, .measure_ns = 3600 * (uint64_t)SEC_NS}),
                "null:");
    assert_int_equal(m.out.end, ENGINE_STOPPED);
    assert_streams_sum_to_lines(&m);
    truth_fini(&m);
}

/* engine.h: progress is called while the gate is open, with numbers that only grow. */
static void progress_adds_up_to_the_totals(void **state)
{
    (void)state;
    struct watcher w = {0};
    struct measured m;
    run_watched(&m, &w,
                truth_reads((struct reads){.streams = 3, .measure_ns = 5 * (uint64_t)SEC_NS}),
                "fault:null:?latency=fixed:1ms&error=EIO@read:10&clock=virtual");
    assert_int_equal(w.calls, 25);
    /* Every 200 ms from the first boundary of an interval on. */
    assert_int_equal(w.last.elapsed_ns, 4900 * (uint64_t)MS_NS);
    assert_int_equal(w.last.ops, truth_interval_samples(&m, 0, 0, w.last.elapsed_ns));
    assert_int_equal(w.last.bytes, w.last.ops * 4096);
    assert_int_equal(w.last.errors, 1);
    truth_fini(&m);
}

/* ---- a late collector ---- */

static void sleep_once(void *ctx, const struct engine_progress *progress)
{
    unsigned *slept = ctx;
    (void)progress;
    if ((*slept)++ == 0)
        nanosleep(&(struct timespec){.tv_nsec = 400 * MS_NS}, NULL);
}

/* What was wrong: a collector that slept over the opening of the window left its first interval in
 * a block of the warm-up, so that the line lacked what its streams had done. */
static void a_late_collector_loses_nothing_of_the_window(void **state)
{
    (void)state;
    unsigned slept = 0;
    struct measured m;
    truth_run_job(
        &m,
        truth_reads((struct reads){.streams = 2,
                                   .warmup_ns = 20 * MS_NS,
                                   .measure_ns = 1000 * MS_NS,
                                   .interval_ns = 10 * MS_NS}),
        "null:", (struct engine_job){.progress = sleep_once, .ctx = &slept, .workers = 2});
    assert_true(slept > 0);
    assert_true(m.out.blocks_kept > 0);
    assert_streams_sum_to_lines(&m);
    assert_int_equal(truth_interval_samples(&m, 0, 20 * MS_NS, UINT64_MAX),
                     truth_line(&m, "read")->samples);
    truth_fini(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ops_samples_and_bytes_agree),
        cmocka_unit_test(intervals_sum_to_the_totals),
        cmocka_unit_test(workers_are_never_idle_for_lack_of_streams),
        cmocka_unit_test(groups_keep_their_lines_and_clients_apart),
        cmocka_unit_test(ten_thousand_streams_on_one_worker_complete),
        cmocka_unit_test(ten_thousand_streams_take_turns),
        cmocka_unit_test(rated_streams_take_turns_at_one_schedule),
        cmocka_unit_test(lateness_is_counted_in_the_interval_it_was_seen_in),
        cmocka_unit_test(a_plan_above_the_memory_limit_is_refused),
        cmocka_unit_test(an_address_that_cannot_be_opened_refuses_the_run),
        cmocka_unit_test(the_stop_flag_ends_a_run_with_the_results_so_far),
        cmocka_unit_test(the_stop_flag_wakes_streams_that_wait_for_arrivals),
        cmocka_unit_test(a_flag_set_beforehand_stops_the_run_at_once),
        cmocka_unit_test(progress_adds_up_to_the_totals),
        cmocka_unit_test(a_late_collector_loses_nothing_of_the_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
