#include "engine/engine_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

static struct engine_error *error_of_kind(const struct engine_outcome *out,
                                          const struct engine_error *kind)
{
    for (unsigned i = 0; i < out->errors; i++)
        if (engine_same_error(&out->error[i], kind))
            return &out->error[i];
    return NULL;
}

static int add_error(struct engine_outcome *out, const struct engine_error *from)
{
    struct engine_error error = *from;
    struct engine_error *have = error_of_kind(out, &error);
    if (!have && out->errors >= ENGINE_KINDS_MAX - 1) { /* as in a worker */
        engine_error_other(&error);
        have = error_of_kind(out, &error);
    }
    if (have) {
        uint64_t count = have->count + error.count;
        if (error.first_ns < have->first_ns)
            *have = error;
        have->count = count;
        return 0;
    }
    struct engine_error *more = realloc(out->error, (out->errors + 1) * sizeof *more);
    if (!more)
        return -ENOMEM;
    out->error = more;
    more[out->errors++] = error;
    return 0;
}

static void add_stream(struct run *run, const struct stream *s, unsigned at)
{
    run->out->stream[at] = (struct engine_stream){
        .ops = s->ops, .bytes = s->bytes, .client = s->op.client, .group = s->group};
}

void outcome_add_errors(struct run *run, const struct worker *w)
{
    for (unsigned i = 0; i < w->errors; i++)
        if (add_error(run->out, &w->error[i]) < 0)
            run->collect_error = -ENOMEM;
}

/* Returns when it ended. */
static uint64_t add_worker(struct run *run, const struct worker *w, unsigned *at)
{
    run->out->notes.detached_full += w->detached.full;
    struct engine_outcome *out = run->out;
    bool gone = atomic_load_explicit(&w->gone, memory_order_acquire);
    if (gone || left_is_held(w)) {
        outcome_add_errors(run, w);
        out->notes.failed_ns += w->reap.failed_ns;
        out->arrivals += w->arrivals.taken;
        out->backlog_at_open += w->arrivals.backlog;
    }
    if (!gone)
        return run->stalled_ns;
    for (unsigned i = 0; i < w->streams; i++)
        add_stream(run, &w->stream[i], (*at)++);
    out->cpu_user_ns += w->cpu_user_ns;
    out->cpu_sys_ns += w->cpu_sys_ns;
    out->reap_gap_max_ns = MAX(out->reap_gap_max_ns, run->caps.blocking ? 0 : w->reap.gap_max_ns);
    out->blocks_kept += w->samples.kept;
    for (unsigned i = 0; i < w->calls.n; i++)
        if (calls_add(out, w->calls.call[i].name, w->calls.call[i].time) < 0)
            run->collect_error = -ENOMEM;
    if (w->mismatch.found && !out->mismatch.found)
        out->mismatch = w->mismatch;
    return w->end_ns;
}

/* The window's end has ended streams, some of them before it, since nothing would have come to them any
 * more; else they ended by themselves, and so did what was measured. */
static bool was_cut(const struct run *run)
{
    if (atomic_load(&run->sync->ending.claimed))
        return false;
    for (unsigned i = 0; i < run->workers; i++)
        if (run->worker[i].park.cut)
            return true;
    return false;
}

void outcome_fill(struct run *run)
{
    struct engine_outcome *out = run->out;
    uint64_t end_ns = run->gate_ns;
    unsigned streams = 0;
    for (unsigned i = 0; i < run->workers; i++) {
        uint64_t worker_ns = add_worker(run, &run->worker[i], &streams);
        end_ns = MAX(end_ns, worker_ns);
    }
    out->streams = streams;
    out->workers = run->workers;
    ending_tell(run);
    if (out->mismatch.found)
        out->end = ENGINE_MISMATCH;
    bool whole = run_close(run) != UINT64_MAX && out->end == ENGINE_DONE && was_cut(run);
    uint64_t close_ns = whole ? run_close(run) : MIN(end_ns, run_close(run));
    uint64_t open_ns = MIN(run_open(run), close_ns);
    left_fill(run, open_ns, close_ns);
    out->window_open_ns = open_ns - run->gate_ns;
    out->window_close_ns = close_ns - run->gate_ns;
    out->elapsed_ns = close_ns - open_ns;
    if (run->window_opened)
        out->counted_ns = close_ns - MIN(MAX(run->looked_ns, open_ns), close_ns);
    out->pass_ns[0] = out->elapsed_ns;
    out->clock_drift_ppm = clk_drift_ppm(&run->clk);
    precise_end(run);
    touched_fill(run);
}

static int merge_streams(struct engine_outcome *into, const struct engine_outcome *from)
{
    if (into->streams < from->streams) {
        struct engine_stream *more = realloc(into->stream, from->streams * sizeof *more);
        if (!more)
            return -ENOMEM;
        memset(more + into->streams, 0, (from->streams - into->streams) * sizeof *more);
        into->stream = more;
        into->streams = from->streams;
    }
    for (unsigned i = 0; i < from->streams; i++) {
        into->stream[i].ops += from->stream[i].ops;
        into->stream[i].bytes += from->stream[i].bytes;
        into->stream[i].client = from->stream[i].client;
        into->stream[i].group = from->stream[i].group;
    }
    return 0;
}

static int merge_passes(struct engine_outcome *into, const struct engine_outcome *from)
{
    uint64_t *more = realloc(into->pass_ns, (into->passes + from->passes) * sizeof *more);
    if (!more)
        return -ENOMEM;
    memcpy(more + into->passes, from->pass_ns, from->passes * sizeof *more);
    into->pass_ns = more;
    into->passes += from->passes;
    return 0;
}

static int copy_facts(struct engine_facts *into, const struct engine_facts *from)
{
    int rc = 0;
    for (unsigned i = 0; i < from->n && rc == 0; i++)
        rc = facts_put(into, from->fact[i].key, from->fact[i].value, from->fact[i].unit);
    return rc;
}

static int merge_first(struct engine_outcome *into, const struct engine_outcome *from)
{
    into->lines = from->lines;
    into->clock = from->clock;
    into->workers = from->workers;
    into->memory_bytes = from->memory_bytes;
    into->window_open_ns = from->window_open_ns;
    into->notes.steady_found = from->notes.steady_found;
    into->total = samples_block_new(from->lines);
    series_init(&into->series, from->lines, from->series.width_ns);
    if (!into->total)
        return -ENOMEM;
    int rc = copy_facts(&into->facts, &from->facts);
    if (rc == 0)
        rc = copy_facts(&into->metrics_open, &from->metrics_open);
    return rc < 0 ? rc : copy_facts(&into->metrics_close, &from->metrics_close);
}

static void merge_in_flight(struct engine_in_flight *into, const struct engine_in_flight *from)
{
    into->ops += from->ops;
    into->sum_ns += from->sum_ns;
    into->detached_ns += from->detached_ns;
    if (from->oldest_ns <= into->oldest_ns)
        return;
    into->oldest_ns = from->oldest_ns;
    into->oldest_line = from->oldest_line;
}

static void merge_notes(struct engine_notes *into, const struct engine_notes *from)
{
    if (into->ended_by[0] == '\0')
        memcpy(into->ended_by, from->ended_by, sizeof into->ended_by);
    into->steady_found &= from->steady_found;
    into->precise_frac = MAX(into->precise_frac, from->precise_frac);
    into->detached_full += from->detached_full;
    into->failed_ns += from->failed_ns;
}

static void merge_numbers(struct engine_outcome *into, const struct engine_outcome *from)
{
    if (into->end == ENGINE_DONE)
        into->end = from->end;
    into->elapsed_ns += from->elapsed_ns;
    into->window_close_ns += from->window_close_ns;
    if (!into->mismatch.found)
        into->mismatch = from->mismatch;
    if (!into->stuck.found)
        into->stuck = from->stuck;
    merge_notes(&into->notes, &from->notes);
    into->arrivals += from->arrivals;
    into->unfinished += from->unfinished;
    into->backlog_at_open += from->backlog_at_open;
    merge_in_flight(&into->in_flight, &from->in_flight);
    into->cpu_user_ns += from->cpu_user_ns;
    into->cpu_sys_ns += from->cpu_sys_ns;
    into->reap_gap_max_ns = MAX(into->reap_gap_max_ns, from->reap_gap_max_ns);
    into->blocks_kept += from->blocks_kept;
    into->samples_lost += from->samples_lost;
    into->counted_ns += from->counted_ns;
    into->touched_blocks = MAX(into->touched_blocks, from->touched_blocks);
    if (from->clock_drift_ppm * from->clock_drift_ppm >
        into->clock_drift_ppm * into->clock_drift_ppm)
        into->clock_drift_ppm = from->clock_drift_ppm;
}

int engine_outcome_merge(struct engine_outcome *into, const struct engine_outcome *from)
{
    int rc = into->passes == 0 ? merge_first(into, from) : 0;
    if (rc == 0)
        rc = merge_passes(into, from);
    if (rc == 0)
        rc = merge_streams(into, from);
    if (rc == 0)
        rc = series_append(&into->series, &from->series);
    if (rc == 0)
        rc = facts_sum(&into->counters, &from->counters);
    if (rc == 0)
        rc = facts_sum(&into->truth, &from->truth);
    for (unsigned i = 0; i < from->calls.n && rc == 0; i++)
        rc = calls_add(into, from->calls.kind[i].name, &from->calls.kind[i].time);
    for (unsigned i = 0; i < from->errors && rc == 0; i++)
        rc = add_error(into, &from->error[i]);
    if (rc == 0) {
        samples_block_merge(into->total, from->total);
        merge_numbers(into, from);
    }
    return rc;
}

void engine_outcome_fini(struct engine_outcome *out)
{
    free(out->pass_ns);
    samples_block_free(out->total);
    series_fini(&out->series);
    free(out->stream);
    free(out->error);
    free(out->calls.kind);
    facts_fini(&out->facts);
    facts_fini(&out->counters);
    facts_fini(&out->truth);
    facts_fini(&out->metrics_open);
    facts_fini(&out->metrics_close);
    memset(out, 0, sizeof *out);
}

const struct samples_line *engine_outcome_line(const struct engine_outcome *out,
                                               const struct plan *plan, const char *name)
{
    for (unsigned i = 0; i < plan->lines && i < out->lines; i++)
        if (strcmp(plan->line[i].name, name) == 0)
            return &out->total->line[i];
    return NULL;
}

uint64_t engine_error_count(const struct engine_outcome *out)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < out->errors; i++)
        n += out->error[i].count;
    return n;
}
