/* engine/detached_priv.h, plan/step.h: ops that their stream does not wait for, in exact numbers in
 * virtual time, and on files. */
#include "truth/truth.h"

#define VIRTUAL_1MS "fault:null:?latency=fixed:1ms&clock=virtual"
#define FILES       4u
#define FILE_BYTES  65536u
#define BLOCK       4096u

struct wish {
    uint32_t streams; /* 0: 1 */
    uint32_t most;    /* detached at once */
    uint32_t writes;  /* of each stream, one behind the other */
    uint32_t passes;  /* of the list; 0: until the window's end */
    uint64_t left;    /* per cent that the join leaves; above 100: no join */
    uint64_t measure_ns;
    bool close; /* in the list, behind the writes */
};

static struct plan_step detached_write(struct plan_builder *b)
{
    struct plan_step write = t_io(OP_WRITE, plan_add_line(b, "write", OP_WRITE, false), BLOCK);
    write.at.where = PLAN_AT_UNIFORM;
    write.detached = true;
    write.done_line = plan_add_line(b, "write.done", OP_WRITE, false);
    plan_line_type(b, write.done_line, "done");
    return write;
}

/* Opens a file each, then again and again: the writes, the join. */
static struct plan_builder *writes(struct wish w)
{
    const struct plan_window window = {.measure_ns = w.measure_ns, .interval_ns = 100 * MS_NS};
    const struct fileset_spec set = {
        .shape = FILESET_FLAT, .trees = 1, .files = FILES, .size_bytes = FILE_BYTES};
    struct plan_builder *b = plan_new(1);
    struct plan_step open = t_op(OP_CREATE, PLAN_NO_LINE, 0);
    open.op_flags = OP_FLAG_MAY_EXIST;
    plan_window(b, &window);
    plan_add_set(b, &set);
    struct plan_step write = detached_write(b);
    plan_begin_group(b, "g", w.streams ? w.streams : 1, 1);
    plan_group_detached(b, w.most);
    t_add(b, t_pick(PLAN_UNIT_FILE, PLAN_ORDER_STRIDE, 0));
    t_add(b, open);
    plan_end_section(b);
    for (uint32_t i = 0; i < w.writes; i++)
        t_add(b, write);
    if (w.left <= 100)
        t_add(b, (struct plan_step){.kind = PLAN_JOIN,
                                    .value = w.left,
                                    .line = plan_add_line(b, "join", OP_NOP, false)});
    if (w.close)
        t_add(b, t_op(OP_CLOSE, plan_add_line(b, "close", OP_CLOSE, false), 0));
    if (w.passes != 1)
        t_add(b, t_loop(0, w.passes, 0));
    plan_end_section(b);
    t_add(b, (struct plan_step){.kind = PLAN_JOIN, .line = PLAN_NO_LINE});
    t_add(b, t_op(OP_CLOSE, PLAN_NO_LINE, 0));
    plan_end_section(b);
    return b;
}

static void assert_ops(const struct measured *m, const char *line, uint64_t ops)
{
    assert_int_equal(truth_line(m, line)->ops, ops);
    assert_int_equal(truth_line(m, line)->samples, ops);
}

static uint64_t longest_ns(const struct measured *m, const char *line)
{
    return hist_quantile(&truth_line(m, line)->service, 1);
}

/* Ten writes go out at the same moment, and all are back one millisecond later: handing over takes no
 * time, an op 1 ms, and the join as long as it. */
static void handing_over_takes_no_time_and_the_op_its_own(void **state)
{
    (void)state;
    struct measured m;
    truth_run(&m, writes((struct wish){.most = 16, .writes = 10, .passes = 3}), VIRTUAL_1MS);
    assert_int_equal(m.out.end, ENGINE_DONE);
    assert_int_equal(m.out.elapsed_ns, 3 * MS_NS);
    assert_ops(&m, "write", 30);
    assert_ops(&m, "write.done", 30);
    assert_ops(&m, "join", 3);
    assert_int_equal(longest_ns(&m, "write"), 0);
    assert_int_equal(longest_ns(&m, "write.done"), MS_NS);
    assert_int_equal(longest_ns(&m, "join"), MS_NS);
    assert_int_equal(m.out.notes.detached_full, 0);
    /* The bytes were counted when they were handed over, and are in no sum again. */
    assert_int_equal(truth_line(&m, "write")->bytes, 30 * BLOCK);
    assert_int_equal(m.out.stream[0].bytes, 30 * BLOCK);
    assert_int_equal(m.out.stream[0].ops, 33);
    truth_fini(&m);
}

/* Where only four may be out, each further one waits for one to come back: 10 take 3 ms. */
static void a_step_without_a_free_one_waits_and_is_counted(void **state)
{
    (void)state;
    struct measured m;
    truth_run(&m, writes((struct wish){.most = 4, .writes = 10, .passes = 1}), VIRTUAL_1MS);
    assert_int_equal(m.out.elapsed_ns, 3 * MS_NS);
    assert_ops(&m, "write.done", 10);
    assert_int_equal(longest_ns(&m, "write.done"), MS_NS);
    assert_int_equal(longest_ns(&m, "write"), 0);
    assert_int_equal(m.out.notes.detached_full, 2);
    truth_fini(&m);
}

/* With at most half of five left it waits for three; it goes on when the first come back, which here
 * all do at once. */
static void a_join_waits_for_its_share(void **state)
{
    (void)state;
    struct measured m;
    truth_run(&m, writes((struct wish){.most = 8, .writes = 5, .passes = 1, .left = 100}),
              VIRTUAL_1MS);
    assert_int_equal(longest_ns(&m, "join"), 0);
    assert_ops(&m, "join", 1);
    truth_fini(&m);
    truth_run(&m, writes((struct wish){.most = 8, .writes = 5, .passes = 1, .left = 50}),
              VIRTUAL_1MS);
    assert_int_equal(longest_ns(&m, "join"), MS_NS);
    truth_fini(&m);
}

/* What was out when the list ended is waited for, and counted. */
static void the_run_ends_when_the_last_one_is_back(void **state)
{
    (void)state;
    struct measured m;
    truth_run(&m,
              writes((struct wish){.streams = 3, .most = 8, .writes = 2, .passes = 1, .left = 101}),
              VIRTUAL_1MS);
    assert_int_equal(m.out.end, ENGINE_DONE);
    assert_ops(&m, "write.done", 6);
    truth_fini(&m);
}

/* A window that closes on ops of 40 ms: those that are out are told as under way. */
static void what_the_window_cuts_off_is_under_way(void **state)
{
    (void)state;
    struct measured m;
    truth_run(&m,
              writes((struct wish){.most = 8, .writes = 8, .left = 0, .measure_ns = 100 * MS_NS}),
              "fault:null:?latency=fixed:40ms&clock=virtual");
    assert_ops(&m, "write", 24);
    assert_ops(&m, "write.done", 16);
    assert_int_equal(m.out.in_flight.ops, 8);
    assert_int_equal(m.out.in_flight.oldest_ns, 20 * MS_NS);
    assert_int_equal(m.out.in_flight.sum_ns, 8 * 20 * MS_NS);
    assert_int_equal(m.out.in_flight.detached_ns, m.out.in_flight.sum_ns);
    assert_string_equal(m.plan->line[m.out.in_flight.oldest_line].name, "write.done");
    truth_fini(&m);
}

/* Their errors are those of the run, with the file's name; the others go on. */
static void errors_are_counted_with_their_file(void **state)
{
    (void)state;
    struct measured m;
    truth_run(&m, writes((struct wish){.most = 8, .writes = 8, .passes = 1}),
              "fault:null:?error=ENOSPC@write:3&latency=fixed:1ms&clock=virtual");
    assert_ops(&m, "write", 8);
    assert_int_equal(m.out.errors, 1);
    assert_int_equal(m.out.error[0].code, -ENOSPC);
    assert_int_equal(m.out.error[0].op, OP_WRITE);
    assert_string_equal(m.out.error[0].first_path, "f0");
    assert_int_equal(truth_line(&m, "write.done")->samples + engine_error_count(&m.out), 8);
    truth_fini(&m);
}

/* The watchdog sees an op that nobody waits for, and names it. */
static void one_that_does_not_come_back_ends_the_run(void **state)
{
    (void)state;
    struct measured m;
    truth_run_job(
        &m, writes((struct wish){.most = 8, .writes = 8, .left = 101, .measure_ns = 100 * SEC_NS}),
        "fault:null:?hang=op:6&latency=fixed:1ms&clock=virtual",
        (struct engine_job){.stall_ns = 2 * SEC_NS});
    assert_int_equal(m.out.end, ENGINE_STALLED);
    assert_true(m.out.stuck.found);
    assert_non_null(strstr(m.out.stuck.what, "write of f0 by stream 0"));
    truth_fini(&m);
}

/* A file is closed when what is written to it has been, so that nothing goes to the next file that has
 * its number. */
static void a_close_waits_for_what_is_out(void **state)
{
    (void)state;
    struct measured m;
    truth_run(
        &m, writes((struct wish){.most = 8, .writes = 5, .passes = 1, .left = 101, .close = true}),
        VIRTUAL_1MS);
    assert_ops(&m, "write.done", 5);
    assert_ops(&m, "close", 1);
    assert_int_equal(longest_ns(&m, "close"), MS_NS); /* its own time, not that of waiting */
    assert_int_equal(m.out.elapsed_ns, 2 * MS_NS);
    assert_int_equal(engine_error_count(&m.out), 0);
    truth_fini(&m);
}

static void on_files_the_helpers_write(void **state)
{
    (void)state;
    struct truth_dir dir;
    struct measured m;
    truth_dir_make(&dir);
    truth_run(
        &m, writes((struct wish){.streams = 4, .most = 8, .writes = 20, .passes = 50, .left = 50}),
        dir.path);
    assert_int_equal(m.out.end, ENGINE_DONE);
    assert_int_equal(engine_error_count(&m.out), 0);
    assert_ops(&m, "write", 4000);
    assert_ops(&m, "write.done", 4000);
    assert_int_equal(truth_line(&m, "write.done")->bytes, 4000 * BLOCK);
    truth_fini(&m);
    truth_dir_remove(&dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handing_over_takes_no_time_and_the_op_its_own),
        cmocka_unit_test(a_step_without_a_free_one_waits_and_is_counted),
        cmocka_unit_test(a_join_waits_for_its_share),
        cmocka_unit_test(the_run_ends_when_the_last_one_is_back),
        cmocka_unit_test(what_the_window_cuts_off_is_under_way),
        cmocka_unit_test(errors_are_counted_with_their_file),
        cmocka_unit_test(one_that_does_not_come_back_ends_the_run),
        cmocka_unit_test(a_close_waits_for_what_is_out),
        cmocka_unit_test(on_files_the_helpers_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
