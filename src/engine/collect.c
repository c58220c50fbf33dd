#include "engine/engine_priv.h"

#include <errno.h>
#include <sys/param.h>
#include <time.h>

#define POLL_NS        25000000u
#define PROGRESS_NS    200000000u
#define STALL_CHECK_NS 250000000u

static bool inside(const struct run *run, uint64_t interval)
{
    return interval >= run->open_interval && interval < run->close_interval;
}

static void add_block(struct run *run, struct worker *w, const struct samples_block *block)
{
    /* On a clock of its own a worker may turn once more at the very end of the run. */
    int rc = block->interval < run->close_interval ? series_add(&run->out->series, block) : 0;
    if (rc < 0)
        run->collect_error = rc;
    if (inside(run, block->interval)) {
        samples_block_merge(run->out->total, block);
        precise_add(run, block);
    }
    steady_add(run, block);
    for (unsigned i = 0; i < block->lines; i++) {
        w->collected += block->line[i].samples;
        run->collected_samples += block->line[i].samples;
        run->collected_bytes += block->line[i].bytes;
    }
}

static void take(struct run *run, struct worker *w)
{
    struct samples_block *block = samples_take(&w->samples);
    if (!block)
        return;
    add_block(run, w, block);
    samples_give(&w->samples, block);
}

typedef void teller(struct target *t, const struct target_sink *sink);

static void tell(struct run *run, teller *of, struct engine_facts *out)
{
    struct target_sink sink = facts_sink(out);
    if (of)
        of(run->target, &sink);
    if (out->failed)
        run->collect_error = -ENOMEM;
}

static void tell_edge(struct run *run, bool open)
{
    if (run->job->edge && !run->job->preparing)
        run->job->edge(run->job->ctx, open);
}

/* The window's own counters start where it opens. */
void collect_open_window(struct run *run)
{
    if (run->window_opened)
        return;
    run->window_opened = true;
    run->looked_ns = clk_now(&run->clk);
    tell(run, run->table->counters, &run->before.counters);
    tell(run, run->table->truth, &run->before.truth);
    tell(run, run->table->metrics, &run->out->metrics_open);
    tell_edge(run, true);
}

static void add_difference(struct run *run, teller *of, const struct engine_facts *before,
                           struct engine_facts *out)
{
    struct engine_facts after = {0};
    tell(run, of, &after);
    int rc = facts_difference(out, before, &after);
    if (rc < 0)
        run->collect_error = rc;
    facts_fini(&after);
}

static void close_window(struct run *run)
{
    if (run->window_closed)
        return;
    run->window_closed = true;
    if (!run->window_opened)
        return;
    add_difference(run, run->table->counters, &run->before.counters, &run->out->counters);
    add_difference(run, run->table->truth, &run->before.truth, &run->out->truth);
    tell(run, run->table->metrics, &run->out->metrics_close);
    tell_edge(run, false);
}

static void report_progress(struct run *run, uint64_t now)
{
    if (!run->job->progress || now < run->next_progress_ns)
        return;
    run->next_progress_ns = now + PROGRESS_NS;
    struct engine_progress progress = {.elapsed_ns = now - run->gate_ns,
                                       .ops = run->collected_samples,
                                       .bytes = run->collected_bytes};
    for (unsigned i = 0; i < run->workers; i++)
        progress.errors += atomic_load_explicit(&run->worker[i].live_errors, memory_order_relaxed);
    run->job->progress(run->job->ctx, &progress);
}

void run_wake(struct run *run)
{
    for (unsigned i = 0; i < run->workers; i++)
        if (run->worker[i].session)
            run->table->wake(run->worker[i].session);
}

void run_halt(struct run *run, enum halt halt)
{
    atomic_store(&run->halt, halt);
    run_wake(run);
}

void collect_poll(struct run *run)
{
    uint64_t now = clk_now(&run->clk);
    for (unsigned i = 0; i < run->workers; i++)
        take(run, &run->worker[i]);
    steady_poll(run, now);
    precise_poll(run, now);
    if (now >= run->open_ns)
        collect_open_window(run);
    period_poll(run, now);
    if (now >= run->close_ns)
        close_window(run);
    report_progress(run, now);
    if (run->job->stop && atomic_load(run->job->stop) != 0 && run->out->end == ENGINE_DONE)
        run->out->end = ENGINE_STOPPED;
    if (now >= run->watch.next_ns) {
        run->watch.next_ns = now + STALL_CHECK_NS;
        if (run->out->end != ENGINE_STALLED && watch_stalled(run)) {
            run->out->end = ENGINE_STALLED;
            run->stalled_ns = now;
        }
    }
    /* Again at every poll: a mismatch halts without waking the others. */
    if (run->out->end == ENGINE_STALLED)
        run_halt(run, HALT_DROP);
    else if (run->out->end != ENGINE_DONE || atomic_load(&run->halt) != HALT_NONE)
        run_halt(run, HALT_END);
}

void collect_rest(struct run *run)
{
    for (unsigned i = 0; i < run->workers; i++) {
        struct worker *w = &run->worker[i];
        take(run, w);
        /* One that is held writes no more: what it had done before counts. */
        if (atomic_load_explicit(&w->gone, memory_order_acquire) || left_is_held(w))
            add_block(run, w, samples_current(&w->samples));
        else
            run->out->samples_lost +=
                atomic_load_explicit(&w->live_samples, memory_order_relaxed) - w->collected;
    }
    close_window(run);
}

static uint64_t next_poll(const struct run *run, uint64_t now)
{
    uint64_t wait = MIN(POLL_NS, run->plan->window.interval_ns / 2 + 1);
    if (now < run->open_ns)
        wait = MIN(wait, run->open_ns - now);
    else if (now < run->close_ns)
        wait = MIN(wait, run->close_ns - now);
    return wait;
}

void collect_until_left(struct run *run)
{
    uint64_t give_up_ns = UINT64_MAX;
    uint32_t left;
    while ((left = atomic_load_explicit(&run->left, memory_order_acquire)) > 0) {
        uint64_t now = clk_now(&run->clk);
        if (run->out->end == ENGINE_STALLED && give_up_ns == UINT64_MAX)
            give_up_ns = now + GIVE_UP_NS;
        if (now >= give_up_ns)
            break;
        gate_wait(&run->left, left, next_poll(run, now));
        collect_poll(run);
    }
    run->abandoned = left > 0;
}
