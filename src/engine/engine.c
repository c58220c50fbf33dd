#include "base/units.h"
#include "engine/worker_priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STACK_BYTES   (256u << 10)
#define SETUP_POLL_NS 50000000u

static int refuse_memory(const struct run *run, struct err *err)
{
    uint64_t need = engine_memory(run->plan, &run->caps, run->job->workers);
    uint64_t limit = run->job->max_memory_bytes;
    if (limit == 0)
        limit = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 4;
    run->out->memory_bytes = need;
    if (need <= limit)
        return 0;
    char a[UNITS_PRINT_MAX];
    char b[UNITS_PRINT_MAX];
    return err_set(
        err, -ENOMEM,
        "the plan needs %s of memory for %u streams, the limit is %s: use fewer streams, "
        "a smaller block, or --max-memory",
        units_print_bytes(a, need), run->plan->streams, units_print_bytes(b, limit));
}

static int open_clock(struct run *run, struct err *err)
{
    if (run->caps.own_clock && run->table->now) {
        clk_scripted(&run->clk, run->table->now, run->target);
        return 0;
    }
    return clk_open(&run->clk, err);
}

static bool needs_content(const struct plan *plan)
{
    for (unsigned i = 0; i < plan->steps; i++)
        if (plan->step[i].kind == PLAN_OP &&
            (plan->step[i].op == OP_WRITE || plan->step[i].op == OP_APPEND || plan->step[i].verify))
            return true;
    return false;
}

/* Everything that stands before the workers. */
static int open_target(struct run *run, struct err *err)
{
    const struct engine_job *job = run->job;
    int rc = target_find(job->address, &run->table, &run->rest, err);
    if (rc == 0)
        rc = run->table->caps(run->rest, &run->caps, err);
    if (rc == 0)
        rc = refuse_memory(run, err);
    if (rc == 0)
        rc = fileset_map_init(&run->map, job->place ? job->place : "", run->plan->set,
                              run->plan->sets, err);
    if (rc == 0)
        rc = states_new(run, err);
    if (rc < 0)
        return rc;
    if (needs_content(run->plan) && !run->caps.keeps_nothing && !run->caps.keeps_no_data) {
        rc = content_open(&run->content, run->plan->seed, run->plan->set[0].compress_centi);
        if (rc < 0)
            return err_sys(err, rc, "the block that file content is made from");
    }
    rc = run->table->open(run->rest, &run->target, err);
    if (rc < 0)
        return rc;
    return open_clock(run, err);
}

static int make_schedules(struct run *run)
{
    const struct plan *plan = run->plan;
    if (plan->schedules == 0)
        return 0;
    run->schedule =
        aligned_alloc(_Alignof(struct schedule), plan->schedules * sizeof(struct schedule));
    if (!run->schedule)
        return -ENOMEM;
    for (unsigned i = 0; i < plan->schedules; i++)
        schedule_init(&run->schedule[i], &plan->schedule[i], mix64_pair(plan->seed, i));
    return 0;
}

static int make_workers(struct run *run)
{
    unsigned n = run_worker_count(run);
    uint32_t streams = run->plan->streams;
    run->worker = aligned_alloc(_Alignof(struct worker), n * sizeof(struct worker));
    if (!run->worker)
        return -ENOMEM;
    memset(run->worker, 0, n * sizeof *run->worker);
    run->workers = n;
    run->touch_samples = engine_touches_samples(run);
    for (unsigned i = 0; i < n; i++) {
        unsigned first = (unsigned)((uint64_t)streams * i / n);
        unsigned stop = (unsigned)((uint64_t)streams * (i + 1) / n);
        int rc = worker_init(&run->worker[i], run, first, stop - first);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int make_outcome(struct run *run)
{
    struct engine_outcome *out = run->out;
    const struct plan *plan = run->plan;
    out->passes = 1;
    out->lines = plan->lines;
    out->streams = plan->streams;
    out->clock = clk_source_name(run->clk.source);
    series_init(&out->series, plan->lines, plan->window.interval_ns);
    out->total = samples_block_new(plan->lines);
    out->pass_ns = calloc(1, sizeof *out->pass_ns);
    out->stream = calloc(plan->streams, sizeof *out->stream);
    return out->total && out->pass_ns && out->stream ? 0 : -ENOMEM;
}

static int start_threads(struct run *run)
{
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    int rc = 0;
    for (unsigned i = 0; i < run->workers && rc == 0; i++) {
        struct worker *w = &run->worker[i];
        rc = -pthread_create(&w->thread, &attr, worker_main, w);
        w->started = rc == 0;
    }
    pthread_attr_destroy(&attr);
    return rc;
}

static unsigned started(const struct run *run)
{
    unsigned n = 0;
    for (unsigned i = 0; i < run->workers; i++)
        n += run->worker[i].started;
    return n;
}

/* The streams go on to no further step of their setup; the run is then one without ops. */
static void heed_stop(struct run *run)
{
    if (!run->job->stop || atomic_load(run->job->stop) == 0)
        return;
    run->out->end = ENGINE_STOPPED;
    atomic_store(&run->halt, HALT_END);
}

/* false: a setup step hangs. */
static bool wait_set_up(struct run *run)
{
    uint32_t waiting;
    while ((waiting = atomic_load_explicit(&run->waiting, memory_order_acquire)) < started(run)) {
        gate_wait(&run->waiting, waiting, SETUP_POLL_NS);
        heed_stop(run);
        if (watch_stalled(run)) {
            run->out->end = ENGINE_STALLED;
            atomic_store(&run->halt, HALT_DROP);
            return false;
        }
    }
    return true;
}

static int setup_failure(const struct run *run, struct err *err)
{
    for (unsigned i = 0; i < run->workers; i++) {
        if (run->worker[i].err.code < 0) {
            if (err)
                *err = run->worker[i].err;
            return run->worker[i].err.code;
        }
    }
    return 0;
}

static void set_window(struct run *run)
{
    const struct plan_window *window = &run->plan->window;
    run->gate_ns = clk_now(&run->clk);
    uint64_t warmup_ns = window->steady_frac > 0 ? window->steady_max_ns : window->warmup_ns;
    run->open_interval = warmup_ns / window->interval_ns;
    run->open_ns = run->gate_ns + warmup_ns;
    run->close_ns = UINT64_MAX;
    run->close_interval = UINT64_MAX;
    if (window->measure_ns > 0) {
        run->close_ns = run->open_ns + window->measure_ns;
        run->close_interval = run->open_interval + window->measure_ns / window->interval_ns;
    }
    steady_begin(run);
    run->watch.next_ns = run->gate_ns;
    run->next_progress_ns = run->gate_ns;
}

/* Returns what cpu_tell asks for. */
static uint64_t open_gate(struct run *run)
{
    /* Now, since some facts are facts of the sessions. */
    struct target_sink sink = facts_sink(&run->out->facts);
    run->table->describe(run->target, &sink);
    atomic_store(&run->busy, run->workers);
    if (run->job->gate)
        run->job->gate(run->job->ctx, true);
    if (run->plan->window.warmup_ns == 0 && run->plan->window.steady_frac <= 0)
        collect_open_window(run); /* reading them takes time that is not the target's */
    set_window(run);
    return cpu_others_ns(run);
}

static void shut_gate(struct run *run, uint64_t others_before_ns)
{
    uint64_t others_ns = cpu_others_ns(run) - others_before_ns;
    if (run->job->gate)
        run->job->gate(run->job->ctx, false);
    collect_rest(run);
    outcome_fill(run);
    cpu_tell(run, others_ns);
}

/* Waits until the teardowns are over. false: an op of theirs, or closing, does not return. */
static bool wait_closed(struct run *run)
{
    uint64_t limit = run->job->stall_ns ? run->job->stall_ns : UINT64_MAX;
    uint64_t busy_ns = clk_monotonic_ns(); /* when an op was last seen at the target */
    uint32_t waiting;
    while ((waiting = atomic_load_explicit(&run->waiting, memory_order_acquire)) > 0) {
        uint64_t now = clk_monotonic_ns();
        if (watch_holds(run))
            busy_ns = now;
        if (watch_stalled(run) || now - busy_ns >= limit)
            return false;
        gate_wait(&run->waiting, waiting, SETUP_POLL_NS);
    }
    return true;
}

/* What was measured is complete, yet whoever reads it has to know what was left behind. */
static void tell_unclosed(struct run *run)
{
    struct engine_stuck *stuck = &run->out->stuck;
    run->abandoned = true;
    atomic_store(&run->halt, HALT_DROP);
    if (run->out->end != ENGINE_MISMATCH)
        run->out->end = ENGINE_STALLED;
    if (stuck->found)
        return;
    stuck->found = true;
    stuck->age_ns = run->job->stall_ns;
    snprintf(stuck->what, sizeof stuck->what, "closing a session has not returned");
}

static unsigned unclosed(const struct run *run)
{
    unsigned n = 0;
    for (unsigned i = 0; i < run->workers; i++)
        n += run->worker[i].started &&
             !atomic_load_explicit(&run->worker[i].closed, memory_order_acquire);
    return n;
}

/* Until all but those stuck in a call are closed: they were told to drop everything, and may be at a
 * step of the plan still. */
static void wait_others(struct run *run)
{
    uint64_t give_up_ns = clk_monotonic_ns() + GIVE_UP_NS;
    while (unclosed(run) > (run->caps.blocking ? watch_stuck(run) : 0) &&
           clk_monotonic_ns() < give_up_ns)
        gate_wait(&run->waiting, atomic_load(&run->waiting), SETUP_POLL_NS);
    run->out->stuck.workers = unclosed(run);
}

/* Threads whose session is closed can be joined; of those that are not, nothing may be freed. */
static void finish_threads(struct run *run)
{
    atomic_store_explicit(&run->gate, GATE_FINISH, memory_order_release);
    gate_wake(&run->gate);
    if (!run->abandoned && !wait_closed(run))
        tell_unclosed(run);
    if (run->abandoned) {
        wait_others(run);
        run->abandoned = run->out->stuck.workers > 0; /* else all sessions let go of their ops */
    }
    for (unsigned i = 0; i < run->workers; i++) {
        struct worker *w = &run->worker[i];
        if (!w->started)
            continue;
        if (run->abandoned && !atomic_load_explicit(&w->closed, memory_order_acquire)) {
            pthread_detach(w->thread);
            continue;
        }
        pthread_join(w->thread, NULL);
        outcome_add_errors(run, w);
    }
}

static int run_threads(struct run *run, struct err *err)
{
    int rc = start_threads(run);
    if (rc < 0)
        err_sys(err, rc, "thread %u of %u", started(run) + 1, run->workers);
    bool ready = wait_set_up(run);
    if (rc == 0 && !ready) {
        rc = err_set(err, -ETIMEDOUT, "before the run: %s", run->out->stuck.what);
        run->abandoned = true;
    }
    if (rc == 0)
        rc = setup_failure(run, err);
    if (rc == 0) {
        uint64_t others_ns = open_gate(run);
        atomic_store(&run->left, run->workers);
        atomic_store_explicit(&run->gate, GATE_OPEN, memory_order_release);
        gate_wake(&run->gate);
        collect_until_left(run);
        hogs_stop(run); /* the last thing a helper does is to wake a session, which is still open */
        shut_gate(run, others_ns);
    }
    finish_threads(run);
    return rc;
}

/* A target that brings its own clock moves it only in reap: everything on one thread. */
static int run_inline(struct run *run, struct err *err)
{
    struct worker *w = &run->worker[0];
    worker_setup(w);
    int rc = setup_failure(run, err);
    if (rc == 0) {
        uint64_t others_ns = open_gate(run);
        worker_body(w);
        atomic_store(&w->gone, true);
        shut_gate(run, others_ns);
    }
    worker_finish(w);
    outcome_add_errors(run, w);
    return rc;
}

static void close_run(struct run *run)
{
    if (run->abandoned)
        return; /* threads in the kernel still hold all of it */
    for (unsigned i = 0; i < run->workers; i++)
        worker_fini(&run->worker[i]);
    if (run->target)
        run->table->close(run->target);
    content_close(&run->content);
    fileset_map_fini(&run->map);
    facts_before_fini(&run->before);
    free(run->worker);
    free(run->schedule);
    sync_free(run);
    states_free(run);
    free(run);
}

int engine_run(const struct engine_job *job, struct engine_outcome *out, struct err *err)
{
    struct run *run = aligned_alloc(_Alignof(struct run), sizeof *run);
    if (!run)
        return err_set(err, -ENOMEM, "no memory for the run");
    memset(run, 0, sizeof *run);
    memset(out, 0, sizeof *out);
    run->job = job;
    run->plan = job->plan;
    run->out = out;
    int rc = open_target(run, err);
    if (rc < 0)
        goto out;
    rc = make_outcome(run);
    if (rc == 0)
        rc = make_schedules(run);
    if (rc == 0)
        rc = sync_new(run);
    if (rc == 0)
        rc = make_workers(run);
    if (rc == 0)
        rc = hogs_start(run);
    if (rc < 0) {
        err_sys(err, rc, "memory for %u streams", run->plan->streams);
        goto out;
    }
    rc = run->caps.own_clock ? run_inline(run, err) : run_threads(run, err);
    if (rc == 0 && (run->collect_error < 0 || out->facts.failed)) {
        rc = err_set(err, -ENOMEM, "no memory to keep what was measured");
    }
out:
    hogs_stop(run);
    if (rc < 0)
        engine_outcome_fini(out);
    close_run(run);
    return rc;
}
