/* engine.h: errors of ops are data in the outcome; an op that does not return ends the run with the
 * results so far. In virtual time, so that what went wrong, and when, is known. */
#include "truth/truth.h"

#define ADDRESS_MAX 128

/* ---- a plan of known ops: 1 OPEN in setup, then CREATE, WRITE, CLOSE … of FILES files ---- */

#define FILES    5u
#define BODY_OPS (3 * FILES)
#define OP_NS    MS_NS

static struct plan_builder *write_files(void)
{
    const struct fileset_spec spec = {
        .shape = FILESET_FLAT, .trees = 1, .files = FILES, .size_bytes = 4096};
    struct plan_builder *b = plan_new(1);
    plan_add_set(b, &spec);
    uint16_t create = plan_add_line(b, "create", OP_CREATE, false);
    uint16_t write = plan_add_line(b, "write", OP_WRITE, false);
    uint16_t close = plan_add_line(b, "close", OP_CLOSE, false);
    struct plan_step pick = t_pick(PLAN_UNIT_FILE, PLAN_ORDER_OWN, 0);
    struct plan_step whole = t_io(OP_WRITE, write, 4096);
    whole.whole = true;
    pick.to = 5;
    plan_begin_group(b, "files", 1, 1);
    plan_end_section(b);
    t_add(b, pick);
    t_add(b, t_op(OP_CREATE, create, 0));
    t_add(b, whole);
    t_add(b, t_op(OP_CLOSE, close, 0));
    t_add(b, t_loop(0, 0, 0));
    plan_end_section(b);
    plan_end_section(b);
    return b;
}

static void run_files(struct measured *m, const char *faults)
{
    char address[ADDRESS_MAX];
    snprintf(address, sizeof address, "fault:null:?latency=fixed:1ms&clock=virtual&%s", faults);
    truth_run_job(m, write_files(), address, (struct engine_job){.stall_ns = 2 * (uint64_t)SEC_NS});
}

static uint64_t all_samples(const struct measured *m)
{
    return truth_line(m, "create")->samples + truth_line(m, "write")->samples +
           truth_line(m, "close")->samples;
}

static void assert_error(const struct measured *m, unsigned i, enum op_kind op, int code,
                         const char *path, uint64_t first_ns)
{
    const struct engine_error *e = &m->out.error[i];
    assert_true(i < m->out.errors);
    assert_int_equal(e->op, op);
    assert_int_equal(e->code, code);
    assert_int_equal(e->count, 1);
    assert_string_equal(e->first_path, path);
    assert_int_equal(e->first_ns, first_ns);
}

/* ---- the k-th op fails, for every k ---- */

/* Counted once with op, errno, path and time; what does not depend on it is done all the same. */
static void the_kth_op_fails_for_every_k(void **state)
{
    (void)state;
    static const enum op_kind order[] = {OP_CREATE, OP_WRITE, OP_CLOSE};
    /* A file that was not made is neither written nor closed: those ops are never asked for. */
    static const unsigned fewer[] = {2, 0, 0};
    for (unsigned k = 1; k <= BODY_OPS; k++) {
        struct measured m;
        char faults[64], path[16];
        snprintf(faults, sizeof faults, "error=ENOSPC@op:%u", k);
        snprintf(path, sizeof path, "f%u", (k - 1) / 3);
        run_files(&m, faults);
        unsigned kind = (k - 1) % 3;
        assert_int_equal(m.out.end, ENGINE_DONE);
        assert_int_equal(m.out.errors, 1);
        assert_int_equal(engine_error_count(&m.out), 1);
        assert_error(&m, 0, order[kind], -ENOSPC, path, k * OP_NS);
        assert_int_equal(all_samples(&m), BODY_OPS - 1 - fewer[kind]);
        assert_int_equal(truth_line(&m, "write")->bytes, truth_line(&m, "write")->samples * 4096);
        assert_streams_sum_to_lines(&m);
        truth_fini(&m);
    }
}

static void an_error_behind_the_last_op_never_happens(void **state)
{
    (void)state;
    struct measured m;
    run_files(&m, "error=EIO@op:16");
    assert_int_equal(m.out.errors, 0);
    assert_int_equal(all_samples(&m), BODY_OPS);
    assert_int_equal(m.out.elapsed_ns, BODY_OPS * OP_NS);
    truth_fini(&m);
}

/* Several kinds are kept apart, one kind is counted together with its first. */
static void errors_are_counted_by_op_and_errno(void **state)
{
    (void)state;
    struct measured m;
    run_files(&m, "error=EIO@write:2&error=EIO@write:4&error=EDQUOT@write:5&error=EIO@close:3");
    assert_int_equal(m.out.errors, 3);
    assert_int_equal(engine_error_count(&m.out), 4);
    assert_int_equal(m.out.error[0].op, OP_WRITE);
    assert_int_equal(m.out.error[0].code, -EIO);
    assert_int_equal(m.out.error[0].count, 2);
    assert_string_equal(m.out.error[0].first_path, "f1");
    assert_error(&m, 1, OP_CLOSE, -EIO, "f2", 9 * OP_NS);
    assert_error(&m, 2, OP_WRITE, -EDQUOT, "f4", 14 * OP_NS);
    truth_fini(&m);
}

/* ---- by flowop ---- */

static uint16_t append_line(struct plan_builder *b, const char *name)
{
    uint16_t line = plan_add_line(b, name, OP_APPEND, false);
    plan_line_type(b, line, "appendfile");
    return line;
}

/* Twice append1 and append2 to an open file: it is said which of them failed. */
static void two_flowops_of_one_op_are_told_apart(void **state)
{
    (void)state;
    const struct fileset_spec spec = {
        .shape = FILESET_FLAT, .trees = 1, .files = 1, .size_bytes = 4096};
    const char *address = "fault:null:?latency=fixed:1ms&clock=virtual&error=ENOSPC@append:2"
                          "&error=ENOSPC@append:4&error=ENOSPC@append:3";
    struct plan_builder *b = plan_new(1);
    struct measured m;
    plan_add_set(b, &spec);
    uint16_t first = append_line(b, "append1"), second = append_line(b, "append2");
    plan_begin_group(b, "threads", 1, 1);
    t_add(b, t_pick(PLAN_UNIT_FILE, PLAN_ORDER_STRIDE, 0));
    t_add(b, t_op(OP_OPEN, PLAN_NO_LINE, 0));
    plan_end_section(b);
    t_add(b, t_io(OP_APPEND, first, 4096));
    t_add(b, t_io(OP_APPEND, second, 4096));
    t_add(b, t_loop(0, 2, 0));
    plan_end_section(b);
    plan_end_section(b);
    truth_run_job(&m, b, address, (struct engine_job){.stall_ns = 2 * (uint64_t)SEC_NS});
    assert_int_equal(m.out.errors, 2);
    assert_int_equal(m.out.error[0].line, second);
    assert_int_equal(m.out.error[0].count, 2);
    assert_int_equal(m.out.error[0].first_ns, 2 * OP_NS);
    assert_int_equal(m.out.error[1].line, first);
    assert_int_equal(m.out.error[1].first_ns, 3 * OP_NS);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(m.out.error[i].op, OP_APPEND);
        assert_int_equal(m.out.error[i].code, -ENOSPC);
    }
    truth_fini(&m);
}

/* ---- setup and teardown ---- */

/* engine.h: -errno and words when a setup step failed. */
static void an_error_in_setup_refuses_the_run(void **state)
{
    (void)state;
    const char *address = "fault:null:?error=EACCES@op:2&clock=virtual";
    struct err err = truth_refused(truth_reads((struct reads){.streams = 3, .measure_ns = SEC_NS}),
                                   address, (struct engine_job){.stall_ns = SEC_NS});
    assert_int_equal(err.code, -EACCES);
    assert_string_equal(err.text, "open of f1: Permission denied");
}

/* What was wrong: a stop was seen only when every file had been opened. Here the 50th open of 20 ms
 * each fails, and would refuse the run. */
static void a_stop_in_setup_is_heeded(void **state)
{
    (void)state;
    struct measured m;
    atomic_int stop = 1;
    struct plan_builder *b = plan_new(1);
    const struct fileset_spec spec = {
        .shape = FILESET_FLAT, .trees = 1, .files = 50, .size_bytes = 4096};
    plan_window(b, &(struct plan_window){.measure_ns = SEC_NS, .interval_ns = 100 * MS_NS});
    plan_add_set(b, &spec);
    uint16_t line = plan_add_line(b, "stat", OP_STAT, false);
    struct plan_step pick = t_pick(PLAN_UNIT_FILE, PLAN_ORDER_OWN, 0);
    pick.to = 3;
    plan_begin_group(b, "g", 1, 1);
    t_add(b, pick);
    t_add(b, t_op(OP_STAT, PLAN_NO_LINE, 0));
    t_add(b, t_loop(0, 0, 0));
    plan_end_section(b);
    t_add(b, t_op(OP_STAT, line, 0));
    t_add(b, t_loop(0, 0, 0));
    plan_end_section(b);
    plan_end_section(b);
    truth_run_job(&m, b, "fault:null:?latency=fixed:20ms&error=EIO@stat:50",
                  (struct engine_job){.workers = 1, .stop = &stop});
    assert_int_equal(m.out.end, ENGINE_STOPPED);
    assert_int_equal(truth_line(&m, "stat")->samples, 0);
    truth_fini(&m);
}

static void an_error_in_setup_refuses_a_threaded_run_too(void **state)
{
    (void)state;
    struct err err =
        truth_refused(truth_reads((struct reads){.streams = 3, .measure_ns = SEC_NS}),
                      "fault:null:?error=EACCES@op:2", (struct engine_job){.workers = 1});
    assert_int_equal(err.code, -EACCES);
    assert_string_equal(err.text, "open of f1: Permission denied");
}

/* What was wrong: an error of a teardown, such as a close that tells of lost writes, was dropped. */
static void errors_of_the_teardown_are_told(void **state)
{
    (void)state;
    static const char *const address[] = {"fault:null:?error=EDQUOT@close:2&clock=virtual",
                                          "fault:null:?error=EDQUOT@close:2&latency=fixed:1ms"};
    for (unsigned i = 0; i < 2; i++) {
        struct measured m;
        truth_run(&m, truth_reads((struct reads){.streams = 3, .measure_ns = 20 * MS_NS}),
                  address[i]);
        assert_int_equal(m.out.end, ENGINE_DONE);
        assert_int_equal(m.out.errors, 1);
        assert_int_equal(m.out.error[0].op, OP_CLOSE);
        assert_int_equal(m.out.error[0].code, -EDQUOT);
        assert_int_equal(m.out.error[0].count, 1);
        assert_string_equal(m.out.error[0].first_path, "f1");
        assert_true(m.out.error[0].first_ns >= 20 * MS_NS);
        truth_fini(&m);
    }
}

/* ---- short I/O ---- */

/* A whole write goes on after a short piece: one op more, the same bytes, no error. */
static void a_short_write_is_finished(void **state)
{
    (void)state;
    struct measured m;
    run_files(&m, "short=1000@op:3");
    const struct samples_line *line = truth_line(&m, "write");
    assert_int_equal(m.out.errors, 0);
    assert_int_equal(line->samples, FILES);
    assert_int_equal(line->ops, FILES + 1);
    assert_int_equal(line->bytes, FILES * 4096);
    assert_int_equal(line->service.max, 2 * OP_NS);
    assert_int_equal(m.out.elapsed_ns, (BODY_OPS + 1) * OP_NS);
    truth_fini(&m);
}

/* A short read is not what was asked for: -ENODATA, and its bytes do not count. */
static void a_short_read_is_an_error(void **state)
{
    (void)state;
    struct measured m;
    truth_run(&m, truth_reads((struct reads){.measure_ns = SEC_NS}),
              "fault:null:?short=1000@op:7&latency=fixed:1ms&clock=virtual");
    assert_int_equal(m.out.errors, 1);
    assert_error(&m, 0, OP_READ, -ENODATA, "f0", 7 * OP_NS);
    const struct samples_line *line = truth_line(&m, "read");
    assert_int_equal(line->bytes, line->samples * 4096);
    assert_int_equal(line->samples, 999 - 1);
    truth_fini(&m);
}

/* ---- a lost session ---- */

static void a_lost_session_fails_everything_and_the_run_ends(void **state)
{
    (void)state;
    struct measured m;
    run_files(&m, "dead=op:8");
    assert_int_equal(m.out.end, ENGINE_DONE);
    assert_int_equal(all_samples(&m), 7);
    /* Op 8 is the write of f2, then its close; f3 and f4 cannot be made. */
    assert_int_equal(m.out.errors, 3);
    assert_int_equal(engine_error_count(&m.out), 4);
    assert_int_equal(m.out.error[0].op, OP_WRITE);
    assert_string_equal(m.out.error[0].first_path, "f2");
    assert_int_equal(m.out.error[1].op, OP_CLOSE);
    assert_int_equal(m.out.error[2].op, OP_CREATE);
    assert_int_equal(m.out.error[2].count, 2);
    assert_string_equal(m.out.error[2].first_path, "f3");
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(m.out.error[i].code, -EIO);
    truth_fini(&m);
}

static void a_session_lost_with_many_ops_held_fails_each_of_them(void **state)
{
    (void)state;
    struct measured m;
    truth_run(&m,
              truth_reads((struct reads){
                  .streams = 100, .rate_per_s = 1000, .measure_ns = 10 * (uint64_t)SEC_NS}),
              "fault:null:?dead=op:2100&latency=fixed:5ms&clock=virtual");
    uint64_t samples = truth_line(&m, "read")->samples;
    assert_int_equal(m.out.end, ENGINE_DONE);
    assert_int_equal(m.out.arrivals, 10000);
    assert_in_range(samples, 1990, 2000);
    /* 100 closes of the teardown fail as well. */
    assert_int_equal(samples + engine_error_count(&m.out) + m.out.unfinished, 10000 + 100);
    truth_fini(&m);
}

/* ---- an op that does not return ---- */

/* ENGINE_STALLED names it; what was done before is kept, and the time is that until it was found. */
static void a_hanging_op_ends_the_run_with_the_results_so_far(void **state)
{
    (void)state;
    struct measured m;
    run_files(&m, "hang=op:8");
    assert_int_equal(m.out.end, ENGINE_STALLED);
    assert_true(m.out.stuck.found);
    assert_non_null(strstr(m.out.stuck.what, "write of f2 by stream 0 has not returned for 2"));
    assert_in_range(m.out.stuck.age_ns, 2 * (uint64_t)SEC_NS, 2300 * (uint64_t)MS_NS);
    assert_int_equal(m.out.stuck.workers, 0);
    assert_int_equal(all_samples(&m), 7);
    assert_int_equal(m.out.samples_lost, 0);
    assert_int_equal(m.out.elapsed_ns, m.out.window_close_ns);
    assert_in_range(m.out.elapsed_ns, 2007 * (uint64_t)MS_NS, 2400 * (uint64_t)MS_NS);
    assert_streams_sum_to_lines(&m);
    truth_fini(&m);
}

/* The k-th op hangs, for every k: it is found, and what came before is there. */
static void the_kth_op_hangs_for_every_k(void **state)
{
    (void)state;
    static const char *const names[] = {"create", "write", "close"};
    for (unsigned k = 1; k <= BODY_OPS; k++) {
        struct measured m;
        char faults[64], words[64];
        snprintf(faults, sizeof faults, "hang=op:%u", k);
        snprintf(words, sizeof words, "%s of f%u by stream 0", names[(k - 1) % 3], (k - 1) / 3);
        run_files(&m, faults);
        assert_int_equal(m.out.end, ENGINE_STALLED);
        assert_non_null(strstr(m.out.stuck.what, words));
        assert_int_equal(all_samples(&m), k - 1);
        truth_fini(&m);
    }
}

/* Other streams go on until the watchdog has found the one. */
static void a_hanging_op_does_not_hide_what_others_do(void **state)
{
    (void)state;
    struct measured m;
    truth_run_job(&m,
                  truth_reads((struct reads){.streams = 4, .measure_ns = 20 * (uint64_t)SEC_NS}),
                  "fault:null:?hang=op:6&latency=fixed:1ms&clock=virtual",
                  (struct engine_job){.stall_ns = 5 * (uint64_t)SEC_NS});
    assert_int_equal(m.out.end, ENGINE_STALLED);
    assert_non_null(strstr(m.out.stuck.what, "read of f1 by stream 1"));
    assert_in_range(truth_line(&m, "read")->samples, 3 * 4999 + 1, 3 * 5300);
    assert_int_equal(m.out.stream[1].ops, 0);
    assert_true(m.out.stream[0].ops >= 4999);
    assert_streams_sum_to_lines(&m);
    truth_fini(&m);
}

/* A stall shorter than the limit is measured, not reported. */
static void a_stall_below_the_limit_is_an_ordinary_latency(void **state)
{
    (void)state;
    struct measured m;
    truth_run_job(&m, truth_reads((struct reads){.measure_ns = 10 * (uint64_t)SEC_NS}),
                  "fault:null:?stall=4s@1s&latency=fixed:1ms&clock=virtual",
                  (struct engine_job){.stall_ns = 5 * (uint64_t)SEC_NS});
    assert_int_equal(m.out.end, ENGINE_DONE);
    assert_false(m.out.stuck.found);
    assert_in_range(truth_line(&m, "read")->service.max, 4 * (uint64_t)SEC_NS,
                    4 * (uint64_t)SEC_NS + MS_NS);
    truth_fini(&m);
}

/* Threads of real time: the run ends although the target never answers; nothing is left behind. */
static void a_hanging_op_of_a_threaded_target_is_found(void **state)
{
    (void)state;
    struct measured m;
    truth_run_job(&m,
                  truth_reads((struct reads){.streams = 4, .measure_ns = 3600u * (uint64_t)SEC_NS}),
                  "fault:null:?hang=op:9&latency=fixed:1ms",
                  (struct engine_job){.stall_ns = 2 * (uint64_t)SEC_NS, .workers = 2});
    assert_int_equal(m.out.end, ENGINE_STALLED);
    assert_non_null(strstr(m.out.stuck.what, "read of f"));
    assert_int_equal(m.out.stuck.workers, 0);
    assert_int_equal(m.out.streams, 4);
    assert_true(truth_line(&m, "read")->samples >= 4);
    assert_true(m.out.elapsed_ns >= 2 * (uint64_t)SEC_NS);
    assert_streams_sum_to_lines(&m);
    truth_fini(&m);
}

static void a_setup_that_hangs_refuses_the_run(void **state)
{
    (void)state;
    struct err err = truth_refused(truth_reads((struct reads){.streams = 2, .measure_ns = SEC_NS}),
                                   "fault:null:?hang=op:2&clock=virtual",
                                   (struct engine_job){.stall_ns = SEC_NS});
    assert_int_equal(err.code, -ETIMEDOUT);
}

/* ---- the closing sync ---- */

static struct plan_builder *write_files_and_sync(void)
{
    struct plan_builder *b = write_files();
    plan_sync_at_end(b, plan_add_line(b, "sync", OP_SYNCFS, false));
    return b;
}

/* plan.h: one SYNCFS after the last stream, inside the elapsed time, in totals and intervals. */
static void the_closing_sync_is_part_of_the_time(void **state)
{
    (void)state;
    struct measured m;
    truth_run(&m, write_files_and_sync(), "fault:null:?latency=fixed:1ms&clock=virtual");
    const struct samples_line *sync = truth_line(&m, "sync");
    assert_int_equal(sync->samples, 1);
    assert_int_equal(sync->ops, 1);
    assert_int_equal(sync->service.max, OP_NS);
    assert_int_equal(m.out.elapsed_ns, (BODY_OPS + 1) * OP_NS);
    assert_int_equal(truth_interval_samples(&m, 3, 0, UINT64_MAX), 1);
    truth_fini(&m);
}

static void a_closing_sync_that_fails_is_an_error(void **state)
{
    (void)state;
    struct measured m;
    truth_run(&m, write_files_and_sync(),
              "fault:null:?latency=fixed:1ms&clock=virtual&error=EIO@syncfs:1");
    assert_int_equal(m.out.errors, 1);
    assert_error(&m, 0, OP_SYNCFS, -EIO, ".", (BODY_OPS + 1) * OP_NS);
    assert_int_equal(truth_line(&m, "sync")->samples, 0);
    truth_fini(&m);
}

/* What was wrong: the run hung with it. */
static void a_closing_sync_that_hangs_ends_the_run(void **state)
{
    (void)state;
    static const char *const address[] = {"fault:null:?clock=virtual&hang=syncfs:1",
                                          "fault:null:?hang=syncfs:1"};
    for (unsigned i = 0; i < 2; i++) {
        struct measured m;
        truth_run_job(&m, write_files_and_sync(), address[i],
                      (struct engine_job){.stall_ns = 2 * (uint64_t)SEC_NS});
        assert_int_equal(m.out.end, ENGINE_STALLED);
        assert_non_null(strstr(m.out.stuck.what, "syncfs of . by stream 0"));
        assert_int_equal(m.out.stuck.workers, 0);
        assert_int_equal(all_samples(&m), BODY_OPS);
        assert_int_equal(truth_line(&m, "sync")->samples, 0);
        truth_fini(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_kth_op_fails_for_every_k),
        cmocka_unit_test(an_error_behind_the_last_op_never_happens),
        cmocka_unit_test(errors_are_counted_by_op_and_errno),
        cmocka_unit_test(two_flowops_of_one_op_are_told_apart),
        cmocka_unit_test(an_error_in_setup_refuses_the_run),
        cmocka_unit_test(a_stop_in_setup_is_heeded),
        cmocka_unit_test(an_error_in_setup_refuses_a_threaded_run_too),
        cmocka_unit_test(errors_of_the_teardown_are_told),
        cmocka_unit_test(a_short_write_is_finished),
        cmocka_unit_test(a_short_read_is_an_error),
        cmocka_unit_test(a_lost_session_fails_everything_and_the_run_ends),
        cmocka_unit_test(a_session_lost_with_many_ops_held_fails_each_of_them),
        cmocka_unit_test(a_hanging_op_ends_the_run_with_the_results_so_far),
        cmocka_unit_test(the_kth_op_hangs_for_every_k),
        cmocka_unit_test(a_hanging_op_does_not_hide_what_others_do),
        cmocka_unit_test(a_stall_below_the_limit_is_an_ordinary_latency),
        cmocka_unit_test(a_hanging_op_of_a_threaded_target_is_found),
        cmocka_unit_test(a_setup_that_hangs_refuses_the_run),
        cmocka_unit_test(the_closing_sync_is_part_of_the_time),
        cmocka_unit_test(a_closing_sync_that_fails_is_an_error),
        cmocka_unit_test(a_closing_sync_that_hangs_ends_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
