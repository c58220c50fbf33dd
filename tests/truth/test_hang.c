/* It never hangs. An op of a real directory that does not return ends the run
 * with the results so far; its thread is left behind and does no harm, not even when it comes back. */
#include "truth/trees.h"

#include <time.h>

#define STALL_NS ((uint64_t)SEC_NS)

/* What a run leaves behind is never freed: the thread that holds it may still come back. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:engine_run";
}

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

static const char *address(const char *faults)
{
    static char text[160];
    snprintf(text, sizeof text, "fault:%s?%s", dir.path, faults);
    return text;
}

/* Writes FILES files one after the other: create, write, close. */
static struct plan_builder *write_files(uint32_t files)
{
    const struct fileset_spec spec = {
        .shape = FILESET_FLAT, .trees = 1, .files = files, .size_bytes = TREE_PIECE};
    struct plan_builder *b = tree_begin(&spec);
    plan_begin_group(b, "write", 1, 1);
    plan_end_section(b);
    struct plan_step pick = t_pick(PLAN_UNIT_FILE, PLAN_ORDER_OWN, 1);
    pick.to = 5;
    t_add(b, pick);
    t_add(b, t_op(OP_CREATE, tree_line(b, OP_CREATE), 1));
    tree_add_whole(b, OP_WRITE, false);
    t_add(b, t_op(OP_CLOSE, tree_line(b, OP_CLOSE), 1));
    t_add(b, t_loop(0, 0, 0));
    plan_end_section(b);
    plan_end_section(b);
    return b;
}

static void run_hanging(struct measured *m, struct plan_builder *b, const char *faults)
{
    truth_run_job(m, b, address(faults), (struct engine_job){.stall_ns = STALL_NS});
    assert_int_equal(m->out.end, ENGINE_STALLED);
    assert_true(m->out.stuck.found);
    assert_int_equal(m->out.stuck.workers, 1);
}

/* What was wrong: the elapsed time was 0 although files had been written, and the errors that the
 * stuck worker had met before were dropped. */
static void the_only_stream_hangs(void **state)
{
    (void)state;
    struct measured m;
    run_hanging(&m, write_files(1000), "error=EIO@write:2&hang=write:5");
    assert_non_null(strstr(m.out.stuck.what, "write of f4 by stream 0 has not returned for "));
    assert_true(m.out.stuck.age_ns >= STALL_NS);
    assert_true(m.out.elapsed_ns >= STALL_NS);
    assert_int_equal(m.out.errors, 1);
    assert_int_equal(m.out.error[0].op, OP_WRITE);
    assert_int_equal(m.out.error[0].code, -EIO);
    assert_string_equal(m.out.error[0].first_path, "f1");
    /* What is in no published block is at least counted. */
    uint64_t samples = 0;
    for (unsigned i = 0; i < m.out.series.used; i++)
        for (unsigned l = 0; l < m.out.lines; l++)
            samples += series_at(&m.out.series, i, l)->samples;
    /* What was wrong: the finished ops of the stream that hangs were lost with its block. */
    assert_int_equal(samples, 5 + 3 + 4);
    assert_int_equal(m.out.samples_lost, 0);
    truth_fini(&m);
}

/* The others are told to stop, leave, and all they did is in the result. */
static void one_of_several_hangs(void **state)
{
    (void)state;
    const struct fileset_spec spec = tree_small(TREE_PIECE);
    struct measured m;
    run_hanging(&m, tree_write(&spec), "hang=create:20");
    assert_non_null(strstr(m.out.stuck.what, "create of t0"));
    assert_int_equal(m.out.streams, 1);
    assert_true(m.out.stream[0].ops > 0);
    truth_fini(&m);
}

/* What was measured is whole when only the teardown hangs; it was not told at all before. */
static void a_teardown_hangs(void **state)
{
    (void)state;
    struct measured m;
    struct plan_builder *b = write_files(3);
    struct measured first;
    truth_run(&first, b, dir.path);
    truth_fini(&first);
    const struct fileset_spec spec = {
        .shape = FILESET_FLAT, .trees = 1, .files = 1, .size_bytes = TREE_PIECE};
    b = tree_begin(&spec);
    struct plan_step read = t_io(OP_READ, tree_line(b, OP_READ), 512);
    read.slot = 1;
    plan_begin_group(b, "read", 1, 1);
    t_add(b, t_pick(PLAN_UNIT_FILE, PLAN_ORDER_OWN, 1));
    t_add(b, t_op(OP_OPEN, PLAN_NO_LINE, 1));
    plan_step_to(b, 0, 2);
    plan_end_section(b);
    t_add(b, read);
    t_add(b, t_loop(0, 50, 0));
    plan_end_section(b);
    t_add(b, t_op(OP_CLOSE, PLAN_NO_LINE, 1));
    plan_end_section(b);
    run_hanging(&m, b, "hang=close:1");
    assert_non_null(strstr(m.out.stuck.what, "close of f0 by stream 0"));
    assert_int_equal(truth_line(&m, "read")->samples, 50);
    assert_int_equal(m.out.samples_lost, 0);
    assert_streams_sum_to_lines(&m);
    truth_fini(&m);
}

static void a_setup_hangs(void **state)
{
    (void)state;
    const struct fileset_spec spec = tree_small(TREE_PIECE);
    struct err err = truth_refused(tree_write(&spec), address("hang=mkdir:2"),
                                   (struct engine_job){.stall_ns = STALL_NS});
    assert_int_equal(err.code, -ETIMEDOUT);
    assert_non_null(strstr(err.text, "before the run: mkdir of t0"));
}

/* engine.h: the plan is the caller's. An op that comes back long after engine_run has returned finds
 * it freed; it must not look (address sanitizer would see it). */
static void an_op_comes_back_when_nobody_waits_any_more(void **state)
{
    (void)state;
    struct measured m;
    run_hanging(&m, write_files(1000), "stall=5s@0s");
    assert_non_null(strstr(m.out.stuck.what, "write of f0"));
    truth_fini(&m);
    nanosleep(&(struct timespec){.tv_sec = 4, .tv_nsec = 500 * MS_NS}, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define ON_DISK(test) cmocka_unit_test_setup_teardown(test, make_dir, remove_dir)
        ON_DISK(the_only_stream_hangs),
        ON_DISK(one_of_several_hangs),
        ON_DISK(a_teardown_hangs),
        ON_DISK(a_setup_hangs),
        ON_DISK(an_op_comes_back_when_nobody_waits_any_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
