/* unit/worker_rig.h — one worker of a run, on the test's own thread, in front of a target that the test may
 * change.
 * Shape    rig_begin, change rig.table or rig.run.caps, rig_set_up … rig_fini.
 * Errors   anything unexpected fails the test.            Threads  the test's own. */
#ifndef LOADLINE_TESTS_WORKER_RIG_H
#define LOADLINE_TESTS_WORKER_RIG_H

#include "engine/worker_priv.h"
#include "truth/truth.h"

struct rig {
    struct engine_job job;
    struct engine_outcome out;
    struct run run;
    struct target_table table; /* starts as that of the null target */
    const struct target_table *real;
    struct worker *worker;
    struct plan *plan;
};

static inline void rig_begin(struct rig *rig, struct plan_builder *b)
{
    struct err err = {0};
    struct run *run = &rig->run;
    memset(rig, 0, sizeof *rig);
    rig->plan = truth_freeze(b, "null:");
    run->job = &rig->job;
    run->out = &rig->out;
    run->plan = rig->plan;
    run->workers = 1;
    assert_int_equal(target_find("null:", &rig->real, &run->rest, &err), 0);
    rig->table = *rig->real;
    run->table = &rig->table;
    assert_int_equal(run->table->caps(run->rest, &run->caps, &err), 0);
    assert_int_equal(run->table->open(run->rest, &run->target, &err), 0);
    assert_int_equal(clk_open(&run->clk, &err), 0);
    assert_int_equal(fileset_map_init(&run->map, "", rig->plan->set, rig->plan->sets, &err), 0);
}

/* Of the plan's streams those from `first` on. Runs their setup. */
static inline void rig_set_up(struct rig *rig, unsigned first, unsigned streams)
{
    struct run *run = &rig->run;
    assert_int_equal(sync_new(run), 0);
    rig->worker = aligned_alloc(_Alignof(struct worker), sizeof *rig->worker);
    assert_non_null(rig->worker);
    memset(rig->worker, 0, sizeof *rig->worker);
    assert_int_equal(worker_init(rig->worker, run, first, streams), 0);
    run->worker = rig->worker;
    worker_setup(rig->worker);
    assert_int_equal(rig->worker->err.code, 0);
}

static inline void rig_fini(struct rig *rig)
{
    worker_finish(rig->worker);
    worker_fini(rig->worker);
    free(rig->worker);
    sync_free(&rig->run);
    fileset_map_fini(&rig->run.map);
    content_close(&rig->run.content);
    rig->table.close(rig->run.target);
    plan_free(rig->plan);
}

#endif
