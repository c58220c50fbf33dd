/* What an answer of the target means: bytes, an error, a further op of the flowop, a sample. */
#include "engine/engine_priv.h"

#include <errno.h>

static void sample(struct worker *w, struct stream *s, const struct plan_step *step,
                   const struct flow *flow)
{
    struct run *run = w->run;
    if (w->now >= run_close(run))
        return;
    struct samples_line *line = worker_sample(w, flow, step->line);
    /* Inside the window only what fell due in it: its backlog is told apart. */
    if (run->plan->line[step->line].open_loop &&
        (s->due_ns >= run_open(run) || w->now < run_open(run)))
        hist_record(&line->response, w->now - s->due_ns);
    if (w->now >= run_open(run)) {
        s->ops += flow->ops;
        s->bytes += flow->bytes;
    }
}

/* true: the flowop has further files to open or to close. */
static bool file_turned(struct slot *slot, uint16_t op)
{
    if (slot->unit != PLAN_UNIT_ALL)
        return false;
    if (op == OP_CLOSE)
        return --slot->next > 0;
    slot->handles[slot->next] = slot->handle;
    return ++slot->next < slot->files;
}

/* What fewer bytes than asked mean. */
static int short_of(const struct plan_step *step, uint64_t got)
{
    if (step->to_end)
        return 0;
    if (step->partial && (got > 0 || step->at.where == PLAN_AT_POSITION))
        return 0;
    return step->op == OP_WRITE && step->whole && got > 0 ? 0 : -ENODATA;
}

/* Where the next op at the slot's position goes. */
static void move_position(struct slot *slot, const struct plan_step *step, uint64_t stop,
                          uint64_t got)
{
    if (step->whole ? step->on || step->to_end : step->at.where == PLAN_AT_POSITION)
        slot->pos = got == 0 && step->op == OP_READ && !step->whole ? 0 : stop;
}

/* READ, WRITE and APPEND: adds up what was moved; returns the error that too few bytes mean, or 0. */
static int moved(struct worker *w, struct stream *s, const struct plan_step *step,
                 struct flow *flow, bool *more)
{
    struct slot *slot = stream_slot(s, step->slot);
    uint64_t got = (uint64_t)s->op.res < s->want ? (uint64_t)s->op.res : s->want;
    flow->bytes += got;
    flow->off = s->op.off + got;
    if (w->room.touched)
        touched_add(w, s, slot, got);
    if (step->verify)
        check_note(w, s, slot, got);
    if (step->plain && got == s->want)
        return 0;
    move_position(slot, step, flow->off, got);
    if (got < s->want) {
        int code = short_of(step, got);
        if (code < 0)
            return code;
    }
    *more = step->whole && flow->off < flow->stop && (got > 0 || !step->to_end);
    return 0;
}

/* Takes the answer of one op into its flowop. Returns a negative errno when the flowop has failed. */
static int answer(struct worker *w, struct stream *s, const struct plan_step *step,
                  struct flow *flow, bool *more)
{
    struct slot *slot = stream_slot(s, step->slot);
    bool moves = step->op == OP_READ || step->op == OP_WRITE || step->op == OP_APPEND;
    if (moves && s->op.res >= 0) {
        flow->ops++;
        flow->extra += s->op.extra;
        return moved(w, s, step, flow, more);
    }
    if (step->op == OP_CLOSE) {
        *more = file_turned(slot, OP_CLOSE);
        slot->open = *more;
        if (slot->counted) {
            slot_closed(w, slot);
            w->stale = true;
        }
    }
    if (s->op.res < 0) {
        int code = (int)s->op.res;
        return step->absent_ok && (code == -ENOENT || code == -EEXIST) ? 0 : code;
    }
    flow->ops++;
    flow->extra += s->op.extra;
    switch (step->op) {
    case OP_OPEN:
    case OP_CREATE:
        slot->open = true;
        slot->handle = s->op.handle;
        slot->pos = slot->first;
        *more = file_turned(slot, step->op);
        return 0;
    case OP_READDIR: /* what it moves is no payload */
        if (!s->walk)
            flow->extra += walk_listed_bytes(s, flow->ops == 1);
        *more = walk_take(w, s, slot_set(w, slot), &flow->off);
        return 0;
    default:
        flow->bytes += (uint64_t)s->op.res;
        return 0;
    }
}

/* The op has come back where the window counts it otherwise than by a sample. */
static void note_edges(struct worker *w, struct stream *s, uint16_t line)
{
    const struct run *run = w->run;
    if (w->now >= run_close(run))
        s->left = stream_left_of(s, line, s->issued_ns < run_close(run));
    else if (s->due_set && s->due_ns < run_open(run) && w->now >= run_open(run))
        w->arrivals.backlog++;
}

/* In no sample, yet time that the target had and not we. */
static void note_failed(struct worker *w, const struct flow *flow)
{
    if (w->phase == PHASE_BODY && w->now >= run_open(w->run) && w->now < run_close(w->run))
        w->reap.failed_ns += flow->service_ns;
}

void stream_finish(struct worker *w, struct stream *s, const struct plan_step *step,
                   const struct flow *flow, int code)
{
    if (w->phase == PHASE_BODY && (w->now >= run_close(w->run) || s->due_set))
        note_edges(w, s, step->line);
    if (code < 0) {
        note_failed(w, flow);
        worker_record_error(w, s, s->op.kind, code);
    } else if (step->line != PLAN_NO_LINE && w->phase == PHASE_BODY) {
        sample(w, s, step, flow);
    }
    stream_count(w, s, step->counts, 1, flow->bytes);
    s->due_set = false;
    s->flow = (struct flow){0};
    s->pc++;
}

/* What was taken for the op is free again, as it is now. */
static inline void settle(struct worker *w, const struct stream *s, const struct plan_step *step,
                          int code)
{
    struct slot *slot = stream_slot(s, step->slot);
    if (slot->use == FILESET_USE_ANY)
        return;
    w->stale |= slot->use != FILESET_USE_OPEN; /* that one is settled when it is closed */
    slot_settle(w, slot, code >= 0);
}

/* All that was asked, inside the window, in a closed loop: what nearly all plain ops come to. One op is all
 * the flowop, so none of it has to be kept and none cleared. */
static inline bool complete_plain(struct worker *w, struct stream *s, const struct plan_step *step)
{
    if (!step->plain || step->verify || s->op.res != (int64_t)s->want || s->due_set ||
        step->line == PLAN_NO_LINE || w->phase != PHASE_BODY || w->now >= run_close(w->run))
        return false;
    const struct flow flow = {
        .service_ns = w->now - s->issued_ns, .bytes = s->want, .extra = s->op.extra, .ops = 1};
    sample(w, s, step, &flow);
    if (w->room.touched)
        touched_add(w, s, stream_slot(s, step->slot), flow.bytes);
    stream_count(w, s, step->counts, 1, flow.bytes);
    s->pc++;
    return true;
}

void stream_complete(struct worker *w, struct stream *s)
{
    const struct plan_step *step = &w->run->plan->step[s->pc];
    atomic_store_explicit(&s->held_since_ns, 0, memory_order_relaxed);
    s->state = STREAM_RUN;
    if (complete_plain(w, s, step))
        return;
    struct flow flow = s->flow;
    bool more = false;
    flow.service_ns += w->now - s->issued_ns;
    int code = answer(w, s, step, &flow, &more);
    if (more) {
        if (code < 0) /* of the files to be closed: the others still are */
            worker_record_error(w, s, s->op.kind, code);
        s->flow = flow;
        return;
    }
    if (!step->plain && step->op != OP_NOP)
        settle(w, s, step, code);
    stream_finish(w, s, step, &flow, code);
}
