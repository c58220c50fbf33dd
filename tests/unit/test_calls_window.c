/* calls_priv.h: the target's own calls are counted from the opening of the window to its close. */
#include "unit/worker_rig.h"

/* The null target, as one that makes a call for each op. */
static struct {
    const struct target_table *real;
    struct run *run;
    unsigned told;
    uint64_t open_ns; /* as it was told */
    uint64_t close_ns;
    uint64_t last_close_ns;
    struct hist time;
    struct hist other; /* stays empty */
} made;

static void made_window(struct session *s, uint64_t open_ns, uint64_t close_ns)
{
    (void)s;
    made.told++;
    made.last_close_ns = made.close_ns;
    made.open_ns = open_ns;
    made.close_ns = close_ns;
}

static const struct hist *made_calls(struct session *s, unsigned i, const char **name)
{
    (void)s;
    *name = i == 0 ? "READ" : "WRITE";
    return i == 0 ? &made.time : i == 1 ? &made.other : NULL;
}

static int made_submit(struct session *s, struct op *const ops[], unsigned n)
{
    int taken = made.real->submit(s, ops, n);
    uint64_t now_ns = clk_now(&made.run->clk);
    for (int i = 0; i < taken && now_ns >= made.open_ns && now_ns < made.close_ns; i++)
        hist_record(&made.time, 5000);
    return taken;
}

static void begin(struct rig *rig)
{
    memset(&made, 0, sizeof made);
    rig_begin(rig, truth_reads((struct reads){.measure_ns = SEC_NS, .streams = 3}));
    made.real = rig->real;
    made.run = &rig->run;
    rig->table.submit = made_submit;
    rig->table.calls_window = made_window;
    rig->table.calls = made_calls;
    rig_set_up(rig, 0, rig->plan->streams);
}

/* The body, from a gate that opens now, with a window from open_ms to close_ms behind it. */
static void body(struct rig *rig, uint64_t open_ms, uint64_t close_ms)
{
    struct run *run = &rig->run;
    run->gate_ns = clk_now(&run->clk);
    run->open_ns = run->gate_ns + open_ms * MS_NS;
    run->close_ns = run->gate_ns + close_ms * MS_NS;
    run->close_interval = UINT64_MAX;
    atomic_store(&run->busy, 2);
    worker_body(rig->worker);
}

/* The session knows both edges before its first op, so that a reply it waited for across one of them counts as the
 * op does; what follows the body is in no account. */
static void calls_of_the_window_are_counted(void **state)
{
    (void)state;
    struct rig rig;
    begin(&rig);
    body(&rig, 30, 60);
    assert_int_equal(made.told, 2);
    assert_int_equal(made.last_close_ns, rig.run.close_ns);
    assert_int_equal(made.close_ns, 0);
    assert_int_equal(rig.worker->calls.n, 2);
    assert_ptr_equal(rig.worker->calls.call[0].time, &made.time);
    assert_true(hist_count(&made.time) > 0);
    assert_string_equal(rig.worker->calls.call[1].name, "WRITE");
    rig_fini(&rig);
}

/* A run that is over before its window opens has counted nothing. */
static void a_window_that_never_opened_has_none(void **state)
{
    (void)state;
    struct rig rig;
    begin(&rig);
    atomic_store(&rig.run.halt, HALT_END);
    body(&rig, 1000, 2000);
    assert_int_equal(hist_count(&made.time), 0);
    rig_fini(&rig);
}

/* calls_add: by name, over workers and passes; a kind of which none was made is left out. */
static void outcomes_pool_by_name(void **state)
{
    (void)state;
    struct engine_outcome from = {.passes = 0};
    struct hist *time = calloc(1, sizeof *time);
    assert_non_null(time);
    assert_int_equal(calls_add(&from, "READ", time), 0);
    assert_int_equal(from.calls.n, 0);
    hist_record(time, 100);
    assert_int_equal(calls_add(&from, "READ", time), 0);
    assert_int_equal(calls_add(&from, "LOOKUP", time), 0);
    assert_int_equal(calls_add(&from, "READ", time), 0);
    assert_int_equal(from.calls.n, 2);
    assert_string_equal(from.calls.kind[0].name, "READ");
    assert_int_equal(hist_count(&from.calls.kind[0].time), 2);
    assert_int_equal(hist_count(&from.calls.kind[1].time), 1);
    free(from.calls.kind);
    free(time);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_of_the_window_are_counted),
        cmocka_unit_test(a_window_that_never_opened_has_none),
        cmocka_unit_test(outcomes_pool_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
