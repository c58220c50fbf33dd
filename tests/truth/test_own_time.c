/* What was wrong: a place among shared files, a choice among several sizes, taking an arrival that was due
 * already, counting with all of a process and noting an error were billed to the target. stream.c: work of ours lies before the reading of the clock
 * that an op begins with. */
#include "truth/ledger.h"

#define OPS   2000u
#define BLOCK 4096u

static unsigned readings;

static uint64_t counted_now(void *ctx)
{
    (void)ctx;
    readings++;
    return ledger.now_ns;
}

static bool fails;

static int64_t no_memory(const struct op *op)
{
    return op->kind == OP_READ ? -ENOMEM : 0;
}

/* Readings of the clock for each op: 1 where its end is the beginning of the next one, 2 where that
 * was read anew. */
static double readings_each(struct plan_builder *b)
{
    bench_make(truth_freeze(b, "null:"));
    clk_scripted(&bench.run.clk, counted_now, NULL);
    bench.worker.clk = bench.run.clk;
    readings = 0;
    ledger.answer = fails ? no_memory : NULL;
    bench_run();
    uint64_t ops = bench.worker.errors > 0 ? bench.worker.error[0].count : 0;
    for (unsigned i = 0; i < bench.run.plan->lines; i++)
        ops += bench_line(i)->samples;
    assert_in_range(ops, OPS - 1, OPS);
    bench_free();
    return (double)readings / OPS;
}

static struct plan_step read_at(enum plan_where where)
{
    struct plan_step read = t_io(OP_READ, 0, BLOCK);
    read.at = (struct plan_place){.where = where, .skew = 1.1, .hot_ops = 90, .hot_blocks = 10};
    return read;
}

static void a_place_in_a_file_of_its_own(void **state)
{
    static const enum plan_where cheap[] = {PLAN_AT_NEXT, PLAN_AT_UNIFORM, PLAN_AT_HOT};
    (void)state;
    for (unsigned i = 0; i < TRUTH_COUNT(cheap); i++)
        assert_true(readings_each(on_open_file(100 * BLOCK, 1, read_at(cheap[i]), OPS)) < 1.1);
    double zipf = readings_each(on_open_file(100 * BLOCK, 1, read_at(PLAN_AT_ZIPF), OPS));
    assert_true(zipf > 1.9);
}

/* Begun, with one file or all of `files` open and a window of OPS ops. */
static struct plan_builder *opened(uint32_t files, bool rated)
{
    const struct fileset_spec spec = {
        .shape = FILESET_FLAT, .trees = 1, .files = files, .size_bytes = 100 * BLOCK};
    const uint64_t all_ns = (uint64_t)OPS * OP_NS;
    const struct plan_window window = {.measure_ns = all_ns, .interval_ns = all_ns};
    struct plan_builder *b = begin(&spec, 1, 1);
    plan_window(b, &window);
    plan_add_line(b, "line", OP_READ, rated);
    t_add(b, t_pick(files > 1 ? PLAN_UNIT_ALL : PLAN_UNIT_FILE, PLAN_ORDER_OWN, 0));
    t_add(b, t_op(OP_OPEN, PLAN_NO_LINE, 0));
    plan_step_to(b, 0, 2);
    plan_end_section(b);
    return b;
}

static struct plan_builder *closed(struct plan_builder *b)
{
    plan_end_section(b);
    plan_end_section(b);
    return b;
}

static void a_place_in_files_that_are_shared(void **state)
{
    static const enum plan_where any[] = {PLAN_AT_NEXT, PLAN_AT_UNIFORM, PLAN_AT_HOT};
    (void)state;
    for (unsigned i = 0; i < TRUTH_COUNT(any); i++) {
        struct plan_builder *b = opened(3, false);
        t_add(b, read_at(any[i]));
        t_add(b, t_loop(0, 0, 0));
        assert_true(readings_each(closed(b)) > 1.9);
    }
}

/* Each choice is a branch past the op before it: the first half of the ops takes one draw, the others
 * two. */
static void a_choice_among_several(void **state)
{
    (void)state;
    for (unsigned choices = 2; choices <= 3; choices++) {
        struct plan_builder *b = opened(1, false);
        for (unsigned i = 0; i < choices; i++) {
            struct plan_step branch = {.kind = PLAN_BRANCH, .chance = 1u << 31};
            if (i + 1 < choices)
                plan_step_to(b, t_add(b, branch), 3 * i + 3);
            t_add(b, read_at(PLAN_AT_UNIFORM));
            t_add(b, t_loop(0, 0, 0));
        }
        double each = readings_each(closed(b));
        assert_true(choices == 2 ? each < 1.1 : each > 1.4 && each < 1.6);
    }
}

static void an_arrival_that_is_late(void **state)
{
    const struct plan_schedule schedule = {.rate_per_s = 1e9 / 10};
    struct plan_step arrive = {.kind = PLAN_ARRIVE};
    struct plan_builder *b = opened(1, true);
    (void)state;
    arrive.schedule = plan_add_schedule(b, &schedule);
    t_add(b, arrive);
    t_add(b, read_at(PLAN_AT_UNIFORM));
    t_add(b, t_loop(0, 0, 0));
    assert_true(readings_each(closed(b)) > 1.9);
}

/* Of the stream's own it is an addition, of all threads a cache line that they fight for. */
static void a_count_of_the_process(void **state)
{
    (void)state;
    for (unsigned process = 0; process <= 1; process++) {
        struct plan_builder *b = opened(1, false);
        struct plan_step read = read_at(PLAN_AT_UNIFORM);
        (void)plan_add_counter(b, false, process);
        read.counts = 1;
        t_add(b, read);
        t_add(b, t_loop(0, 0, 0));
        double each = readings_each(closed(b));
        assert_true(process ? each > 1.9 : each < 1.1);
    }
}

static void an_error(void **state)
{
    struct plan_builder *b = opened(1, false);
    (void)state;
    t_add(b, read_at(PLAN_AT_UNIFORM));
    t_add(b, t_loop(0, 0, 0));
    fails = true;
    assert_true(readings_each(closed(b)) > 1.9);
    fails = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_place_in_a_file_of_its_own),
        cmocka_unit_test(a_place_in_files_that_are_shared),
        cmocka_unit_test(a_choice_among_several),
        cmocka_unit_test(an_arrival_that_is_late),
        cmocka_unit_test(a_count_of_the_process),
        cmocka_unit_test(an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
