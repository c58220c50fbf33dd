#include "engine/engine_priv.h"

#include <sys/param.h>

struct stream_left stream_left_of(const struct stream *s, uint16_t line, bool issued)
{
    struct stream_left left = {.line = line, .before_ns = s->flow.service_ns};
    if (s->due_set)
        left.what = LEFT_ARRIVAL;
    else if (issued && line != PLAN_NO_LINE)
        left.what = LEFT_OP;
    return left;
}

struct stream_left stream_left_now(const struct run *run, const struct stream *s, bool held)
{
    const struct plan_step *step = &run->plan->step[s->pc];
    bool at_op = s->state == STREAM_HELD && step->kind == PLAN_OP;
    struct stream_left left = stream_left_of(s, at_op ? step->line : PLAN_NO_LINE, at_op && held);
    if (left.what == LEFT_ARRIVAL && s->state == STREAM_TIMED && s->idle_wait)
        left.what = LEFT_WAITING;
    return left;
}

/* A worker left behind writes no more: its op was held when it was told to drop everything. */
bool left_is_held(const struct worker *w)
{
    for (unsigned i = 0; i < w->streams; i++)
        if (atomic_load_explicit(&w->stream[i].held_since_ns, memory_order_acquire) != 0)
            return true;
    for (unsigned i = 0; i < w->detached.n; i++)
        if (atomic_load_explicit(&w->detached.all[i].held_since_ns, memory_order_acquire) != 0)
            return true;
    return false;
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

/* Its time inside the window. */
static uint64_t add_under_way(struct ending *e, uint64_t issued_ns, const struct stream_left *left)
{
    struct engine_in_flight *f = &e->run->out->in_flight;
    if (issued_ns >= e->close_ns)
        return 0;
    uint64_t age_ns = left->before_ns + e->close_ns - issued_ns;
    uint64_t inside_ns = MIN(age_ns, e->close_ns - e->open_ns);
    f->ops++;
    f->sum_ns += inside_ns;
    if (age_ns > f->oldest_ns) {
        f->oldest_ns = age_ns;
        f->oldest_line = left->line;
    }
    return inside_ns;
}

static void add_left(struct ending *e, const struct stream *s, const struct stream_left *left)
{
    if (left->what == LEFT_OP)
        (void)add_under_way(e, s->issued_ns, left);
    else if (left->what != LEFT_NOTHING && left->what != LEFT_DONE && s->due_ns < e->close_ns) {
        /* The run ended between its falling due and anybody's looking. */
        e->run->out->arrivals += left->what == LEFT_WAITING && s->due_ns >= e->open_ns;
        add_overdue(e, left->line, s->due_ns, 1);
    }
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

/* Of the others nobody waits for what was not taken: it was an allowance. */
static bool takes_arrivals(const struct plan *plan, const struct plan_group *group,
                           unsigned schedule)
{
    for (uint32_t i = group->body; i < group->teardown; i++) {
        const struct plan_step *step = &plan->step[i];
        if (step->schedule == schedule &&
            (step->kind == PLAN_ARRIVE || (step->kind == PLAN_LIMIT && step->whole)))
            return true;
    }
    return false;
}

/* Whether anybody would have taken more of its arrivals: not when all who did had come to their end. */
static bool is_awaited(const struct run *run, unsigned schedule)
{
    const struct plan *plan = run->plan;
    uint32_t group = UINT32_MAX;
    bool takes = false;
    for (unsigned i = 0; i < run->workers; i++) {
        const struct worker *w = &run->worker[i];
        bool gone = atomic_load_explicit(&w->gone, memory_order_acquire);
        for (unsigned k = 0; k < w->streams; k++) {
            const struct stream *s = &w->stream[k];
            if (s->group != group) {
                group = s->group;
                takes = takes_arrivals(plan, &plan->group[group], schedule);
            }
            if (takes && !(gone && s->left.what == LEFT_DONE))
                return true;
        }
    }
    return false;
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

static void add_detached(struct ending *e, const struct worker *w, bool gone)
{
    for (unsigned i = 0; i < w->detached.n; i++) {
        const struct detached *d = &w->detached.all[i];
        bool held =
            gone ? d->was_held : atomic_load_explicit(&d->held_since_ns, memory_order_acquire) != 0;
        struct stream_left left =
            gone && !w->dropped ? d->left : detached_left_now(w->run, d, held);
        if (left.what == LEFT_OP)
            e->run->out->in_flight.detached_ns += add_under_way(e, d->issued_ns, &left);
    }
}

static void add_all_left(struct ending *e)
{
    const struct run *run = e->run;
    for (unsigned i = 0; i < run->workers; i++) {
        const struct worker *w = &run->worker[i];
        bool gone = atomic_load_explicit(&w->gone, memory_order_acquire);
        if (!gone && !left_is_held(w))
            continue;
        for (unsigned k = 0; k < w->streams; k++) {
            const struct stream *s = &w->stream[k];
            struct stream_left left = left_by(w, s, gone);
            add_left(e, s, &left);
        }
        add_detached(e, w, gone);
    }
    /* A schedule has no end of its own: of a plan that was done to its end nothing is left. */
    if (run_close(run) != UINT64_MAX || run->out->end != ENGINE_DONE)
        for (unsigned i = 0; i < run->plan->schedules; i++)
            if (is_awaited(run, i))
                add_untaken(e, &run->schedule[i]);
}

void left_fill(struct run *run, uint64_t open_ns, uint64_t close_ns)
{
    struct ending ending = {.run = run, .open_ns = open_ns, .close_ns = close_ns};
    add_all_left(&ending);
}
