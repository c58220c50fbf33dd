/* engine.h: whoever runs the engine is told where the window opens and closes, and what a modelled server told of
 * itself there. */
#include "clk/clk.h"
#include "truth/waiting.h"

#include <math.h>

static struct {
    unsigned n;
    bool open[4];
    uint64_t at_ns[4];
    bool gate;
} told;

static void on_gate(void *ctx, bool open)
{
    (void)ctx;
    told.gate = open;
}

static void on_edge(void *ctx, bool open)
{
    (void)ctx;
    assert_true(told.n < TRUTH_COUNT(told.open));
    assert_true(told.gate);
    told.open[told.n] = open;
    told.at_ns[told.n++] = clk_monotonic_ns();
}

static void run_told(struct measured *m, struct plan_builder *b, const char *address,
                     struct engine_job job)
{
    memset(&told, 0, sizeof told);
    job.workers = 1;
    job.gate = on_gate;
    job.edge = on_edge;
    truth_run_job(m, b, address, job);
}

/* Inside the gate, once each; between them passes what the window lasts. */
static void both_edges_are_told_once(void **state)
{
    static const uint64_t warmup_ns[] = {0, 100 * MS_NS};
    (void)state;
    for (unsigned i = 0; i < TRUTH_COUNT(warmup_ns); i++) {
        struct measured m;
        run_told(&m,
                 truth_reads((struct reads){.warmup_ns = warmup_ns[i], .measure_ns = 200 * MS_NS}),
                 "null:", (struct engine_job){0});
        assert_int_equal(told.n, 2);
        assert_true(told.open[0] && !told.open[1]);
        assert_true(told.at_ns[1] - told.at_ns[0] >= 150 * MS_NS);
        truth_fini(&m);
    }
}

static void preparing_has_no_window(void **state)
{
    struct measured m;
    (void)state;
    run_told(&m, truth_reads((struct reads){.measure_ns = 10 * MS_NS}),
             "null:", (struct engine_job){.preparing = true});
    assert_int_equal(told.n, 0);
    truth_fini(&m);
}

/* One that was stopped in its warm-up has closed nothing, and counted nothing: it told counts since the
 * beginning as if they were the window's. */
static void a_window_that_never_opened_does_not_close(void **state)
{
    struct measured m;
    atomic_int stop = 1;
    (void)state;
    run_told(&m,
             truth_reads((struct reads){.warmup_ns = 60 * (uint64_t)SEC_NS,
                                        .measure_ns = 60 * (uint64_t)SEC_NS}),
             "fault:null:?error=EIO@op:1000000000", (struct engine_job){.stop = &stop});
    assert_int_equal(m.out.end, ENGINE_STOPPED);
    assert_int_equal(told.n, 0);
    assert_int_equal(m.out.counters.n, 0);
    assert_int_equal(m.out.counted_ns, 0);
    truth_fini(&m);
}

static double metric(const struct engine_facts *facts, const char *beginning)
{
    double sum = 0;
    for (unsigned i = 0; i < facts->n; i++)
        if (strncmp(facts->fact[i].key, beginning, strlen(beginning)) == 0)
            sum += strtod(facts->fact[i].value, NULL);
    return sum;
}

static struct plan_builder *writes(uint32_t streams)
{
    const struct plan_window window = {.warmup_ns = SEC_NS, .measure_ns = SEC_NS};
    const struct fileset_spec spec = {
        .shape = FILESET_FLAT, .trees = 1, .files = streams, .size_bytes = 1 << 20};
    struct plan_builder *b = plan_new(4);
    plan_window(b, &window);
    plan_add_set(b, &spec);
    uint16_t line = plan_add_line(b, "write", OP_WRITE, false);
    plan_begin_group(b, "writes", streams, 1);
    t_add(b, t_pick(PLAN_UNIT_FILE, PLAN_ORDER_STRIDE, 0));
    t_add(b, t_op(OP_CREATE, PLAN_NO_LINE, 0));
    plan_step_to(b, 0, 2);
    plan_end_section(b);
    t_add(b, t_io(OP_WRITE, line, 8192));
    t_add(b, t_loop(0, 0, 0));
    plan_end_section(b);
    plan_end_section(b);
    return b;
}

/* The calls that a modelled server says it has served are those of the window, give or take what was under way. */
static void a_modelled_server_tells_of_the_window(void **state)
{
    static const char calls[] = "node_nfsd_requests_total{method=\"Write\"";
    struct measured m;
    (void)state;
    run_told(&m, writes(4), "sim:linux-nfs-10g", (struct engine_job){0});
    double before = metric(&m.out.metrics_open, calls);
    double served = metric(&m.out.metrics_close, calls) - before;
    double ops = (double)truth_line(&m, "write")->ops;
    assert_int_equal(told.n, 2);
    assert_true(before > 0);
    assert_true(ops > 100);
    assert_true(served >= ops - 4 && served <= ops + 4);
    truth_fini(&m);
}

/* 4 streams of 11 files of 64 blocks, dealt out: in order every block, again and again, and at random, too. */
static double blocks_touched(enum plan_where where, uint64_t io_bytes, uint64_t block_bytes)
{
    const struct plan_window window = {.warmup_ns = 100 * MS_NS,
                                       .measure_ns = 2 * (uint64_t)SEC_NS};
    const struct fileset_spec spec = {
        .shape = FILESET_FLAT, .trees = 1, .files = 11, .size_bytes = 64 * 8192};
    struct plan_builder *b = plan_new(4);
    struct measured m;
    struct plan_step read = t_io(OP_READ, 0, io_bytes);
    read.at.where = where;
    plan_window(b, &window);
    plan_touched(b, block_bytes);
    plan_add_set(b, &spec);
    plan_add_line(b, "read", OP_READ, false);
    plan_begin_group(b, "reads", 4, 1);
    t_add(b, t_pick(PLAN_UNIT_ALL, PLAN_ORDER_STRIDE, 0));
    t_add(b, t_op(OP_OPEN, PLAN_NO_LINE, 0));
    plan_step_to(b, 0, 2);
    plan_end_section(b);
    t_add(b, read);
    t_add(b, t_loop(0, 0, 0));
    plan_end_section(b);
    plan_end_section(b);
    truth_run(&m, b, VIRTUAL_1MS);
    double blocks = m.out.touched_blocks;
    assert_true(truth_line(&m, "read")->ops > 7000);
    truth_fini(&m);
    return blocks;
}

static void distinct_blocks_are_counted_once(void **state)
{
    (void)state;
    assert_true(fabs(blocks_touched(PLAN_AT_NEXT, 8192, 8192) / (11 * 64) - 1) < 0.02);
    assert_true(fabs(blocks_touched(PLAN_AT_UNIFORM, 8192, 8192) / (11 * 64) - 1) < 0.02);
    assert_true(fabs(blocks_touched(PLAN_AT_UNIFORM, 8192, 4096) / (11 * 128) - 1) < 0.02);
    assert_true(fabs(blocks_touched(PLAN_AT_UNIFORM, 512, 8192) / (11 * 64) - 1) < 0.02);
    assert_true(blocks_touched(PLAN_AT_NEXT, 8192, 0) == 0);
}

static void others_tell_no_metrics(void **state)
{
    struct measured m;
    (void)state;
    run_told(&m, truth_reads((struct reads){.measure_ns = 10 * MS_NS}),
             "null:", (struct engine_job){0});
    assert_int_equal(m.out.metrics_open.n + m.out.metrics_close.n, 0);
    truth_fini(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_edges_are_told_once),
        cmocka_unit_test(preparing_has_no_window),
        cmocka_unit_test(a_window_that_never_opened_does_not_close),
        cmocka_unit_test(a_modelled_server_tells_of_the_window),
        cmocka_unit_test(others_tell_no_metrics),
        cmocka_unit_test(distinct_blocks_are_counted_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
