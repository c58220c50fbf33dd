/* engine_priv.h: what a worker does before the gate opens. */
#include "engine/worker_priv.h"
#include "truth/truth.h"

#include <sys/mman.h>

struct rig {
    struct engine_job job;
    struct run run;
    struct worker *worker;
};

/* One worker of a run through the null target, set up as one of `workers`. */
static void rig_set_up(struct rig *rig, unsigned workers)
{
    struct err err = {0};
    struct run *run = &rig->run;
    struct plan *plan =
        truth_freeze(truth_reads((struct reads){.rate_per_s = 10, .measure_ns = SEC_NS}), "null:");
    memset(rig, 0, sizeof *rig);
    run->job = &rig->job;
    run->plan = plan;
    run->workers = workers;
    assert_int_equal(target_find("null:", &run->table, &run->rest, &err), 0);
    assert_int_equal(run->table->caps(run->rest, &run->caps, &err), 0);
    assert_int_equal(run->table->open(run->rest, &run->target, &err), 0);
    assert_int_equal(clk_open(&run->clk, &err), 0);
    assert_int_equal(fileset_map_init(&run->map, "", plan->set, plan->sets, &err), 0);
    run->touch_samples = engine_touches_samples(run);
    rig->worker = aligned_alloc(_Alignof(struct worker), sizeof *rig->worker);
    assert_non_null(rig->worker);
    memset(rig->worker, 0, sizeof *rig->worker);
    assert_int_equal(worker_init(rig->worker, run, 0, plan->streams), 0);
    worker_setup(rig->worker);
    assert_int_equal(rig->worker->err.code, 0);
}

static void rig_fini(struct rig *rig)
{
    worker_finish(rig->worker);
    worker_fini(rig->worker);
    free(rig->worker);
    fileset_map_fini(&rig->run.map);
    rig->run.table->close(rig->run.target);
    plan_free((struct plan *)(uintptr_t)rig->run.plan);
}

static bool is_resident(const void *at)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    unsigned char resident;
    assert_int_equal(mincore((void *)((uintptr_t)at & ~(page - 1)), 1, &resident), 0);
    return resident & 1;
}

static unsigned resident_buckets(const struct hist *h, uint64_t low, uint64_t high)
{
    unsigned n = is_resident(&h->sum) && is_resident(&h->touched);
    for (unsigned b = hist_bucket(low); b <= hist_bucket(high); b++)
        n += is_resident(&h->n[b]);
    return n;
}

#define ALL_BUCKETS (1 + hist_bucket(16000000) - hist_bucket(256) + 1)

/* What was wrong: the first op of each latency paid for a page of our own, inside the gate. */
static void where_latencies_are_counted_is_there_before_the_gate(void **state)
{
    (void)state;
    struct rig rig;
    rig_set_up(&rig, 1);
    for (unsigned i = 0; i < 2; i++) {
        const struct samples_block *block = rig.worker->samples.block[i];
        const struct samples_line *line = &block->line[0];
        assert_true(is_resident(&line->ops) && is_resident(&line->samples));
        assert_int_equal(resident_buckets(&line->service, 256, 16000000), ALL_BUCKETS);
        assert_int_equal(resident_buckets(&line->response, 256, 16000000), ALL_BUCKETS);
        assert_int_equal(resident_buckets(&block->lateness, 256, 16000000), ALL_BUCKETS);
        assert_int_equal(hist_count(&line->service), 0);
        assert_false(is_resident(&line->service.n[HIST_BUCKETS - 2 * 128]));
    }
    rig_fini(&rig);
}

/* Ten thousand threads do not take memory for it. */
static void many_workers_take_no_memory_for_it(void **state)
{
    (void)state;
    struct rig rig;
    rig_set_up(&rig, 10000);
    assert_false(
        is_resident(&rig.worker->samples.block[1]->line[0].service.n[hist_bucket(1000000)]));
    rig_fini(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(where_latencies_are_counted_is_there_before_the_gate),
        cmocka_unit_test(many_workers_take_no_memory_for_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
