/* engine_priv.h, watch.c: an op is stuck when it is old, unless the whole process stood still. What was
 * wrong: SIGSTOP for longer than --stall ended a healthy run as stalled. */
#include "engine/engine_priv.h"
#include "truth/truth.h"

#define S_NS UINT64_C(1000000000)

static uint64_t now_ns;

static uint64_t now(void *ctx)
{
    (void)ctx;
    return now_ns;
}

static unsigned stuck_at(struct run *run, uint64_t at_ns)
{
    now_ns = at_ns;
    watch_look(run, at_ns);
    return watch_stuck(run);
}

static void begin(struct run *run, struct worker *w, struct stream *s, const struct engine_job *job)
{
    memset(run, 0, sizeof *run);
    memset(w, 0, sizeof *w);
    memset(s, 0, sizeof *s);
    run->job = job;
    run->worker = w;
    run->workers = 1;
    w->stream = s;
    w->streams = 1;
    clk_scripted(&run->clk, now, NULL);
    atomic_store(&s->held_since_ns, 10 * S_NS);
}

static void an_old_op_is_stuck(void **state)
{
    (void)state;
    static struct run run;
    static struct worker w;
    static struct stream s;
    const struct engine_job job = {.stall_ns = 3 * S_NS};
    begin(&run, &w, &s, &job);
    for (uint64_t t = 10; t < 13; t++)
        assert_int_equal(stuck_at(&run, t * S_NS), 0);
    assert_int_equal(stuck_at(&run, 13 * S_NS), 1);
    atomic_store(&s.held_since_ns, 0);
    assert_int_equal(stuck_at(&run, 14 * S_NS), 0);
}

static void time_that_stood_still_does_not_count(void **state)
{
    (void)state;
    static struct run run;
    static struct worker w;
    static struct stream s;
    const struct engine_job job = {.stall_ns = 3 * S_NS};
    begin(&run, &w, &s, &job);
    assert_int_equal(stuck_at(&run, 11 * S_NS), 0);
    assert_int_equal(stuck_at(&run, 60 * S_NS), 0);
    for (uint64_t t = 61; t < 63; t++)
        assert_int_equal(stuck_at(&run, t * S_NS), 0);
    assert_int_equal(stuck_at(&run, 63 * S_NS), 1);
}

/* What was wrong: Ctrl-C in an outage was heeded only after --stall, which may be minutes. */
static void a_run_that_is_to_stop_waits_less(void **state)
{
    (void)state;
    static struct run run;
    static struct worker w;
    static struct stream s;
    atomic_int stop = 0;
    const struct engine_job job = {.stall_ns = 600 * S_NS, .stop = &stop};
    for (int blocking = 0; blocking < 2; blocking++) {
        atomic_store(&stop, 0);
        begin(&run, &w, &s, &job);
        run.caps.blocking = blocking != 0;
        for (uint64_t t = 10; t < 30; t++)
            assert_int_equal(stuck_at(&run, t * S_NS), 0);
        atomic_store(&stop, 1);
        for (uint64_t t = 30; t < 35; t++)
            assert_int_equal(stuck_at(&run, t * S_NS), 0);
        assert_int_equal(stuck_at(&run, 35 * S_NS), !blocking);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_old_op_is_stuck),
        cmocka_unit_test(time_that_stood_still_does_not_count),
        cmocka_unit_test(a_run_that_is_to_stop_waits_less),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
