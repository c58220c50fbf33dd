/* engine.h, samples.h: what the engine makes of a target's answers, and of the time they take. */
#include "truth/ledger.h"

/* ---- answers ---- */

static int64_t fail_eio(const struct op *op)
{
    return op->kind == OP_OPEN ? -EIO : 0;
}

/* After an open that failed, steps that need the handle are passed over; and a body of nothing
 * else ends instead of spinning for ever. */
static void ops_on_a_file_that_did_not_open_are_passed_over(void **state)
{
    (void)state;
    struct plan_builder *b = begin(&one_file, 1, 1);
    uint16_t line = plan_add_line(b, "line", OP_READ, false);
    plan_end_section(b);
    t_add(b, t_pick(PLAN_UNIT_FILE, PLAN_ORDER_STRIDE, 0));
    t_add(b, t_op(OP_OPEN, line, 0));
    t_add(b, t_io(OP_READ, line, 1));
    t_add(b, t_loop(2, 0, 0));
    plan_step_to(b, 0, 4);
    plan_end_section(b);
    plan_end_section(b);
    bench_make(truth_freeze(b, "null:"));
    ledger.answer = fail_eio;
    bench_run();
    assert_int_equal(ledger.n, 1);
    assert_int_equal(bench_line(line)->samples, 0);
    assert_int_equal(bench.worker.errors, 2);
    assert_int_equal(bench.worker.error[0].op, OP_OPEN);
    assert_int_equal(bench.worker.error[0].code, -EIO);
    assert_string_equal(bench.worker.error[0].first_path, "f0");
    assert_int_equal(bench.worker.error[1].code, -EBADF);
    bench_free();
}

static int64_t absent(const struct op *op)
{
    return op->kind == OP_MKDIR ? -EEXIST : -ENOENT;
}

/* absent_ok: -ENOENT and -EEXIST are no errors; without it they are. */
static void what_may_be_absent_is_no_error(void **state)
{
    (void)state;
    const struct fileset_spec spec = {
        .shape = FILESET_TREE, .trees = 1, .levels = 1, .branches = 1, .files = 1, .size_bytes = 1};
    for (int ok = 0; ok <= 1; ok++) {
        struct plan_builder *b = begin(&spec, 1, 1);
        uint16_t line = plan_add_line(b, "line", OP_MKDIR, false);
        struct plan_step make = t_op(OP_MKDIR, line, 0);
        struct plan_step remove_it = t_op(OP_RMDIR, line, 0);
        make.absent_ok = remove_it.absent_ok = ok;
        plan_end_section(b);
        t_add(b, t_pick(PLAN_UNIT_DIR, PLAN_ORDER_OWN, 0));
        t_add(b, make);
        t_add(b, remove_it);
        plan_step_to(b, 0, 3);
        plan_end_section(b);
        plan_end_section(b);
        bench_make(truth_freeze(b, "null:"));
        ledger.answer = absent;
        bench_run();
        assert_int_equal(ledger.n, 2);
        assert_int_equal(bench.worker.errors, ok ? 0 : 2);
        assert_int_equal(bench_line(line)->samples, ok ? 2 : 0);
        bench_free();
    }
}

static int64_t half(const struct op *op)
{
    return op->kind == OP_READ || op->kind == OP_WRITE ? (int64_t)op->len / 2 : 0;
}

/* engine.h: -ENODATA, fewer bytes than asked. What moved too little is no sample. */
static void fewer_bytes_than_asked_is_an_error(void **state)
{
    (void)state;
    static const enum op_kind kinds[] = {OP_READ, OP_WRITE};
    for (unsigned i = 0; i < 2; i++) {
        struct plan_builder *b = on_open_file(4096, 1, t_io(kinds[i], 0, 4096), 3);
        bench_make(truth_freeze(b, "null:"));
        ledger.answer = half;
        bench_run();
        assert_int_equal(bench.worker.errors, 1);
        assert_int_equal(bench.worker.error[0].code, -ENODATA);
        assert_int_equal(bench.worker.error[0].count, 3);
        assert_int_equal(bench_line(0)->samples, 0);
        assert_int_equal(bench_line(0)->bytes, 0);
        bench_free();
    }
}

/* A whole file that is written in shorter pieces than asked goes on from where it stands. */
static void a_whole_write_goes_on_after_short_pieces(void **state)
{
    (void)state;
    struct plan_step write = t_io(OP_WRITE, 0, 4096);
    write.whole = true;
    struct plan_builder *b = on_open_file(1024, 1, write, 1);
    bench_make(truth_freeze(b, "null:"));
    ledger.answer = half;
    bench_run();
    uint64_t off = 0;
    for (unsigned i = 1; i + 1 < ledger.n; i++) {
        assert_int_equal(ledger.op[i].off, off);
        off += ledger.op[i].len / 2;
    }
    /* The last byte cannot be halved: nothing moves any more. */
    assert_int_equal(off, 1023);
    assert_int_equal(bench.worker.errors, 1);
    assert_int_equal(bench.worker.error[0].code, -ENODATA);
    bench_free();
}

/* target.h: submit takes the first k; the rest is offered again, and nothing twice. */
static void ops_that_the_target_does_not_take_are_offered_again(void **state)
{
    (void)state;
    struct plan_builder *b = on_open_file(4096, 13, t_io(OP_READ, 0, 4096), 11);
    bench_make(truth_freeze(b, "null:"));
    ledger.room = 3;
    bench_run();
    assert_int_equal(ledger.n, 13 + 13 * 11);
    assert_int_equal(bench_line(0)->samples, 13 * 11);
    for (unsigned i = 0; i < 13; i++)
        assert_int_equal(bench.worker.stream[i].ops, 11);
    assert_int_equal(bench.worker.errors, 0);
    bench_free();
}

/* A session that refuses everything: every op fails with its error, is counted, and the run ends. */
static void a_session_that_refuses_fails_every_op(void **state)
{
    (void)state;
    struct plan_builder *b = begin(&one_file, 5, 1);
    uint16_t line = plan_add_line(b, "line", OP_NOP, false);
    plan_end_section(b);
    t_add(b, t_op(OP_NOP, line, 0));
    t_add(b, t_loop(0, 7, 0));
    plan_end_section(b);
    plan_end_section(b);
    bench_make(truth_freeze(b, "null:"));
    ledger.refuse = -ENOTCONN;
    bench_run();
    assert_int_equal(bench.worker.errors, 1);
    assert_int_equal(bench.worker.error[0].code, -ENOTCONN);
    assert_int_equal(bench.worker.error[0].count, 5 * 7);
    assert_int_equal(atomic_load(&bench.worker.live_errors), 5 * 7);
    assert_int_equal(bench_line(line)->samples, 0);
    bench_free();
}

/* The 49th kind of error and what follows are counted with the 48th: none is left out. */
static int64_t fail_with_its_offset(const struct op *op)
{
    return op->kind == OP_READ ? -(int64_t)(1 + op->off / 512) : 0;
}

static void no_error_is_left_uncounted(void **state)
{
    (void)state;
    struct plan_builder *b = on_open_file(60 * 512, 1, t_io(OP_READ, 0, 512), 120);
    uint64_t count = 0;
    bench_make(truth_freeze(b, "null:"));
    ledger.answer = fail_with_its_offset;
    bench_run();
    assert_int_equal(bench.worker.errors, ENGINE_ERRORS_MAX);
    for (unsigned i = 0; i < bench.worker.errors; i++)
        count += bench.worker.error[i].count;
    assert_int_equal(count, 120);
    bench_free();
}

/* ---- time ---- */

/* samples.h: lateness is issued − due while the stream was idle. Here the clock is read again only
 * after 1 us, so an idle stream is never late, and a busy one's wait is response and not lateness. */
static void waiting_for_a_free_stream_is_not_our_lateness(void **state)
{
    (void)state;
    struct plan_builder *b = truth_reads(
        (struct reads){.rate_per_s = 4e6, .measure_ns = MS_NS, .interval_ns = MS_NS, .block = 1});
    run_plan(b);
    const struct samples_line *line = bench_line(0);
    assert_true(line->response.max > 500 * OP_NS);
    assert_int_equal(line->service.max, OP_NS);
    assert_int_equal(samples_current(&bench.worker.samples)->lateness.max, 0);
    bench_free();
}

/* Our own delay between waking and issuing is told: here the target keeps the worker 5 us longer
 * than it asked for. */
static int reap_late(struct session *s, struct op *done[], unsigned min, unsigned max,
                     uint64_t until_ns)
{
    return ledger_reap(s, done, min, max, ledger.held_n == 0 ? until_ns + 5000 : until_ns);
}

static void waking_late_is_our_lateness(void **state)
{
    (void)state;
    struct target_table late = ledger_target;
    struct plan_builder *b = truth_reads((struct reads){
        .rate_per_s = 10000, .measure_ns = 10 * MS_NS, .interval_ns = 10 * MS_NS, .block = 1});
    late.reap = reap_late;
    bench_make(truth_freeze(b, "null:"));
    bench.run.table = &late;
    bench_run();
    const struct samples_line *line = bench_line(0);
    const struct hist *lateness = &samples_current(&bench.worker.samples)->lateness;
    assert_int_equal(line->samples, 100);
    assert_int_equal(hist_count(lateness), 99); /* the first one is due as the gate opens */
    assert_int_equal(hist_min(lateness), 5000);
    assert_int_equal(lateness->max, 5000);
    assert_int_equal(line->service.max, OP_NS);
    assert_int_equal(line->response.max, 5000 + OP_NS);
    bench.run.table = &ledger_target;
    bench_free();
}

/* plan.h: an arrival is the next flowop's due time, and no other's: what follows is due when issued. */
static void an_arrival_is_for_one_flowop(void **state)
{
    (void)state;
    const struct plan_schedule schedule = {.rate_per_s = 1e6 / 5};
    struct plan_builder *b = begin(&one_file, 1, 1);
    uint16_t first = plan_add_line(b, "first", OP_NOP, true);
    uint16_t second = plan_add_line(b, "second", OP_NOP, true);
    plan_window(b, &(struct plan_window){.measure_ns = MS_NS, .interval_ns = MS_NS});
    plan_end_section(b);
    t_add(b, (struct plan_step){.kind = PLAN_ARRIVE, .schedule = plan_add_schedule(b, &schedule)});
    t_add(b, t_op(OP_NOP, first, 0));
    t_add(b, t_op(OP_NOP, second, 0));
    t_add(b, t_loop(0, 0, 0));
    plan_end_section(b);
    plan_end_section(b);
    run_plan(b);
    assert_int_equal(bench_line(first)->samples, 200);
    assert_int_equal(bench_line(second)->samples, 200);
    assert_int_equal(bench_line(first)->response.max, OP_NS);
    assert_int_equal(bench_line(second)->response.max, OP_NS);
    bench_free();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ops_on_a_file_that_did_not_open_are_passed_over),
        cmocka_unit_test(what_may_be_absent_is_no_error),
        cmocka_unit_test(fewer_bytes_than_asked_is_an_error),
        cmocka_unit_test(a_whole_write_goes_on_after_short_pieces),
        cmocka_unit_test(ops_that_the_target_does_not_take_are_offered_again),
        cmocka_unit_test(a_session_that_refuses_fails_every_op),
        cmocka_unit_test(no_error_is_left_uncounted),
        cmocka_unit_test(waiting_for_a_free_stream_is_not_our_lateness),
        cmocka_unit_test(waking_late_is_our_lateness),
        cmocka_unit_test(an_arrival_is_for_one_flowop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
