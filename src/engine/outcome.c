#include "engine/engine_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

static int add_error(struct engine_outcome *out, const struct engine_error *error)
{
    for (unsigned i = 0; i < out->errors; i++) {
        struct engine_error *have = &out->error[i];
        if (have->op != error->op || have->code != error->code)
            continue;
        uint64_t count = have->count + error->count;
        if (error->first_ns < have->first_ns)
            *have = *error;
        have->count = count;
        return 0;
    }
    struct engine_error *more = realloc(out->error, (out->errors + 1) * sizeof *more);
    if (!more)
        return -ENOMEM;
    out->error = more;
    more[out->errors++] = *error;
    return 0;
}

/* Where the window really opened and closed, and what was dealt out since. */
struct ending {
    struct run *run;
    uint64_t open_ns;
    uint64_t close_ns;
    uint64_t dealt[PLAN_LINES_MAX]; /* arrivals given to a line that nobody had come to */
};

/* The open-loop line that is furthest behind its share of the samples; PLAN_NO_LINE: there is none. */
static uint16_t line_behind(const struct run *run, const uint64_t *dealt)
{
    const struct samples_block *total = run->out->total;
    uint16_t best = PLAN_NO_LINE;
    for (uint16_t i = 0; i < total->lines; i++) {
        if (!run->plan->line[i].open_loop)
            continue;
        if (best == PLAN_NO_LINE ||
            (double)(total->line[i].samples + 1) * (double)(dealt[best] + 1) >
                (double)(total->line[best].samples + 1) * (double)(dealt[i] + 1))
            best = i;
    }
    return best;
}

/* Arrivals that fell due before the end and were not done then waited at least until it. */
static void add_overdue(struct ending *e, uint16_t line, uint64_t due_ns, uint64_t arrivals)
{
    struct engine_outcome *out = e->run->out;
    if (due_ns < e->open_ns) {
        out->backlog_at_open += arrivals;
        return;
    }
    out->unfinished += arrivals;
    if (line == PLAN_NO_LINE) {
        line = line_behind(e->run, e->dealt);
        if (line == PLAN_NO_LINE)
            return;
        e->dealt[line] += arrivals;
    }
    hist_record_n(&out->total->line[line].response, e->close_ns - due_ns, arrivals);
}

static void add_under_way(struct ending *e, uint64_t issued_ns, const struct stream_left *left)
{
    struct engine_in_flight *f = &e->run->out->in_flight;
    if (issued_ns >= e->close_ns)
        return;
    uint64_t age_ns = left->before_ns + e->close_ns - issued_ns;
    f->ops++;
    f->sum_ns += MIN(age_ns, e->close_ns - e->open_ns);
    if (age_ns > f->oldest_ns) {
        f->oldest_ns = age_ns;
        f->oldest_line = left->line;
    }
}

static void add_left(struct ending *e, const struct stream *s, const struct stream_left *left)
{
    if (left->what == LEFT_OP)
        add_under_way(e, s->issued_ns, left);
    else if (left->what == LEFT_ARRIVAL && s->due_ns < e->close_ns)
        add_overdue(e, left->line, s->due_ns, 1);
    else if (left->what == LEFT_ARRIVAL && s->due_ns >= e->run->open_ns)
        e->run->out->arrivals--; /* taken, and the run ended before it fell due */
}

/* Arrivals that no stream ever took. */
static void add_untaken(struct ending *e, struct schedule *schedule)
{
    uint64_t gate_ns = e->run->gate_ns;
    uint64_t due_ns;
    uint64_t arrivals;
    while (schedule_rest(schedule, e->close_ns - gate_ns, &due_ns, &arrivals)) {
        if (gate_ns + due_ns >= e->open_ns)
            e->run->out->arrivals += arrivals;
        add_overdue(e, PLAN_NO_LINE, gate_ns + due_ns, arrivals);
    }
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

/* A worker left behind writes no more: its op was held when it was told to drop everything. */
static bool is_held(const struct worker *w)
{
    for (unsigned i = 0; i < w->streams; i++)
        if (atomic_load_explicit(&w->stream[i].held_since_ns, memory_order_acquire) != 0)
            return true;
    return false;
}

/* Returns when it ended. */
static uint64_t add_worker(struct run *run, const struct worker *w, unsigned *at)
{
    struct engine_outcome *out = run->out;
    bool gone = atomic_load_explicit(&w->gone, memory_order_acquire);
    if (gone || is_held(w)) {
        outcome_add_errors(run, w);
        out->arrivals += w->arrivals;
        out->backlog_at_open += w->backlog;
    }
    if (!gone)
        return run->stalled_ns;
    for (unsigned i = 0; i < w->streams; i++)
        add_stream(run, &w->stream[i], (*at)++);
    out->cpu_user_ns += w->cpu_user_ns;
    out->cpu_sys_ns += w->cpu_sys_ns;
    out->reap_gap_max_ns = MAX(out->reap_gap_max_ns, run->caps.blocking ? 0 : w->reap_gap_max_ns);
    out->blocks_kept += w->samples.kept;
    if (w->mismatch.found && !out->mismatch.found)
        out->mismatch = w->mismatch;
    return w->end_ns;
}

/* A stream that was dropped did not note it itself. */
static struct stream_left left_by(const struct worker *w, const struct stream *s, bool gone)
{
    if (s->state == STREAM_ENDED || (gone && !w->dropped))
        return s->left;
    bool held =
        gone ? s->was_held : atomic_load_explicit(&s->held_since_ns, memory_order_acquire) != 0;
    return stream_left_now(w->run, s, held);
}

static void add_all_left(struct ending *e)
{
    const struct run *run = e->run;
    for (unsigned i = 0; i < run->workers; i++) {
        const struct worker *w = &run->worker[i];
        bool gone = atomic_load_explicit(&w->gone, memory_order_acquire);
        if (!gone && !is_held(w))
            continue;
        for (unsigned k = 0; k < w->streams; k++) {
            const struct stream *s = &w->stream[k];
            struct stream_left left = left_by(w, s, gone);
            add_left(e, s, &left);
        }
    }
    /* A schedule has no end of its own: of a plan that was done to its end nothing is left. */
    if (run->close_ns != UINT64_MAX || run->out->end != ENGINE_DONE)
        for (unsigned i = 0; i < run->plan->schedules; i++)
            add_untaken(e, &run->schedule[i]);
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
    if (out->mismatch.found)
        out->end = ENGINE_MISMATCH;
    bool whole = run->close_ns != UINT64_MAX && out->end == ENGINE_DONE;
    uint64_t close_ns = whole ? run->close_ns : MIN(end_ns, run->close_ns);
    uint64_t open_ns = MIN(run->open_ns, close_ns);
    add_all_left(&(struct ending){.run = run, .open_ns = open_ns, .close_ns = close_ns});
    out->window_open_ns = open_ns - run->gate_ns;
    out->window_close_ns = close_ns - run->gate_ns;
    out->elapsed_ns = close_ns - open_ns;
    out->pass_ns[0] = out->elapsed_ns;
    out->clock_drift_ppm = clk_drift_ppm(&run->clk);
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

static int merge_first(struct engine_outcome *into, const struct engine_outcome *from)
{
    into->lines = from->lines;
    into->clock = from->clock;
    into->workers = from->workers;
    into->memory_bytes = from->memory_bytes;
    into->window_open_ns = from->window_open_ns;
    into->total = samples_block_new(from->lines);
    series_init(&into->series, from->lines, from->series.width_ns);
    if (!into->total)
        return -ENOMEM;
    for (unsigned i = 0; i < from->facts.n; i++) {
        const struct engine_fact *fact = &from->facts.fact[i];
        int rc = facts_put(&into->facts, fact->key, fact->value, fact->unit);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static void merge_in_flight(struct engine_in_flight *into, const struct engine_in_flight *from)
{
    into->ops += from->ops;
    into->sum_ns += from->sum_ns;
    if (from->oldest_ns <= into->oldest_ns)
        return;
    into->oldest_ns = from->oldest_ns;
    into->oldest_line = from->oldest_line;
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
    into->arrivals += from->arrivals;
    into->unfinished += from->unfinished;
    into->backlog_at_open += from->backlog_at_open;
    merge_in_flight(&into->in_flight, &from->in_flight);
    into->cpu_user_ns += from->cpu_user_ns;
    into->cpu_sys_ns += from->cpu_sys_ns;
    into->reap_gap_max_ns = MAX(into->reap_gap_max_ns, from->reap_gap_max_ns);
    into->blocks_kept += from->blocks_kept;
    into->samples_lost += from->samples_lost;
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
    facts_fini(&out->facts);
    facts_fini(&out->counters);
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
