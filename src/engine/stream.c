#include "engine/engine_priv.h"

#include <errno.h>

/* A body whose ops are all skipped (their slot could not be opened) must not spin for ever. */
#define STEPS_WITHOUT_OP 100000

#define ASK_AGAIN_NS 20000u /* an op takes about as long */
#define OWN_CLOCK_NS 1000u  /* on a clock that only ops move, time has to go on nevertheless */

void stream_enter(struct stream *s, uint32_t pc)
{
    s->pc = pc;
    s->state = STREAM_RUN;
    s->due_set = false;
    s->idle_wait = false;
    s->wait.begun = false;
    s->turns.each_next = 0;
    s->flow = (struct flow){0};
}

/* In the stream's own file, evenly or in order: what nearly all runs ask, without a call. */
static inline uint64_t own_place(struct stream *s, const struct plan_step *step, struct slot *slot)
{
    if (step->at.where == PLAN_AT_UNIFORM)
        return rng_below(&s->rng, step->at.blocks) * step->io_bytes;
    if (slot->size - slot->pos < step->io_bytes)
        slot->pos = 0;
    slot->pos += step->io_bytes;
    return slot->pos - step->io_bytes;
}

static inline void prepare_plain(struct worker *w, struct stream *s, const struct plan_step *step,
                                 struct slot *slot)
{
    struct op *op = &s->op;
    op->kind = (enum op_kind)step->op;
    op->flags = step->op_flags;
    op->extra = 0;
    op->handle = slot->handle;
    op->buf = s->buf;
    op->off = own_place(s, step, slot);
    op->len = step->io_bytes;
    s->want = step->io_bytes;
    if (step->op == OP_WRITE && w->run->content.block)
        stream_content(w, s, step, slot);
}

static enum advance end(struct stream *s)
{
    s->state = STREAM_ENDED;
    return ADVANCE_ENDED;
}

/* Takes an arrival and waits for it, unless the window has no more of them. */
static enum advance arrive(struct worker *w, struct stream *s, const struct plan_step *step)
{
    struct run *run = w->run;
    if (stream_over(w))
        return end(s);
    s->due_ns = run->gate_ns + schedule_take(&run->schedule[step->schedule]);
    if (s->due_ns >= run_close(run)) {
        w->park.cut = true;
        return end(s);
    }
    s->due_set = true;
    s->pc++;
    /* Due already: taking it, among all who take, must not be billed to the target. */
    w->stale |= s->due_ns <= w->now;
    if (s->due_ns <= w->now || s->due_ns <= (w->now = clk_now(&w->clk))) {
        count_arrival(w, s);
        return ADVANCE_ON;
    }
    s->idle_wait = true;
    s->wait.until_ns = s->due_ns;
    s->state = STREAM_TIMED;
    return ADVANCE_TIMED;
}

/* The stream comes back to where it is after a while, and others get their turn. */
static enum advance later(const struct worker *w, struct stream *s, uint64_t ns)
{
    s->idle_wait = false;
    s->wait.until_ns = w->now + (w->run->caps.own_clock ? OWN_CLOCK_NS : ns);
    s->state = STREAM_TIMED;
    return ADVANCE_TIMED;
}

/* Has its op in s->op, or is skipped when nothing it could be done to is open. */
static enum advance begin_other(struct worker *w, struct stream *s, const struct plan_step *step)
{
    const struct flow nothing = {0};
    if (step->detached)
        return detached_begin(w, s, step);
    if (step->op == OP_CLOSE && stream_slot(s, step->slot)->detached > 0) {
        s->idle_wait = false;
        s->state = STREAM_PARKED; /* what is written to a closed file would go elsewhere */
        return ADVANCE_PARKED;
    }
    switch (stream_prepare(w, s, step)) {
    case PREPARED_OP:
        s->state = STREAM_HELD;
        return ADVANCE_HELD;
    case PREPARED_NOTHING:
        s->due_ns = s->due_set ? s->due_ns : w->now;
        stream_finish(w, s, step, &nothing, 0);
        return later(w, s, 0); /* a list of nothing else has to end, too */
    case PREPARED_CLOSED:
        break;
    }
    return ADVANCE_ON;
}

/* Nothing is taken for an op that will not be. */
static void give_back(const struct worker *w, const struct stream *s, const struct plan_step *step)
{
    struct slot *slot = stream_slot(s, step->slot);
    if (step->op != OP_NOP && slot->use != FILESET_USE_ANY)
        slot_settle(w, slot, false);
}

static inline enum advance begin_flowop(struct worker *w, struct stream *s,
                                        const struct plan_step *step)
{
    if (stream_over(w)) {
        if (s->due_set)
            s->left = stream_left_of(s, step->line, false);
        give_back(w, s, step);
        return end(s);
    }
    if (!step->plain)
        return begin_other(w, s, step);
    struct slot *slot = stream_slot(s, step->slot);
    if (!slot->open)
        return ADVANCE_ON;
    prepare_plain(w, s, step, slot);
    s->state = STREAM_HELD;
    return ADVANCE_HELD;
}

/* The stream is at the step behind it, or where that sends it. */
static enum advance pick(struct worker *w, struct stream *s, const struct plan_step *step,
                         uint32_t *pc)
{
    w->stale = true;
    switch (stream_pick(w, s, step)) {
    case PICK_TAKEN:
        ++*pc;
        return ADVANCE_ON;
    case PICK_NONE:
        *pc = step->to;
        return ADVANCE_ON;
    case PICK_BUSY:
        *pc = step->skip;
        return ADVANCE_ON;
    case PICK_AGAIN:
        break;
    }
    s->pc = *pc;
    if (!stream_over(w))
        return later(w, s, ASK_AGAIN_NS);
    if (s->due_set)
        s->left = stream_left_now(w->run, s, false);
    return end(s);
}

static uint32_t loop(struct stream *s, const struct plan_step *step, uint32_t pc)
{
    uint32_t *n = &s->turns.loop[step->loop];
    if (step->count == 0)
        return step->to;
    if (step->count == PLAN_LOOP_COUNTED)
        return --*n > 0 ? step->to : pc + 1;
    if (++*n < step->count)
        return step->to;
    *n = 0;
    return pc + 1;
}

/* What no plan has that only reads, writes and walks. */
static enum advance other_step(struct worker *w, struct stream *s, const struct plan_step *step,
                               uint32_t *pc)
{
    switch (step->kind) {
    case PLAN_TURN:
    case PLAN_EACH:
    case PLAN_IF_OPEN:
    case PLAN_IF_FILE:
    case PLAN_COUNT:
    case PLAN_JOIN:
        return stream_slots_step(w, s, step, pc);
    default:
        return stream_sync_step(w, s, step, pc);
    }
}

enum advance stream_advance(struct worker *w, struct stream *s)
{
    const struct plan_step *steps = w->run->plan->step;
    uint32_t pc = s->pc; /* goes back to s->pc only where others may look */
    for (unsigned n = 0; n < STEPS_WITHOUT_OP; n++) {
        const struct plan_step *step = &steps[pc];
        /* All that lies between two ops of a plain loop, without the jump through a table. */
        if (step->kind == PLAN_LOOP && step->count == 0)
            step = &steps[pc = step->to];
        if (step->kind == PLAN_OP) {
            s->pc = pc++;
            enum advance next = begin_flowop(w, s, step);
            if (next != ADVANCE_ON)
                return next;
            continue;
        }
        switch (step->kind) {
        case PLAN_PICK: {
            enum advance next = pick(w, s, step, &pc);
            if (next != ADVANCE_ON)
                return next;
            break;
        }
        case PLAN_ARRIVE: {
            s->pc = pc;
            enum advance next = arrive(w, s, step);
            pc++;
            if (next != ADVANCE_ON)
                return next;
            break;
        }
        case PLAN_BRANCH:
            w->stale |= n > 0; /* several draws take as long as a reading of the clock */
            pc = (uint32_t)(rng_next(&s->rng) >> 32) < step->chance ? step->to : pc + 1;
            break;
        case PLAN_LOOP:
            pc = loop(s, step, pc);
            break;
        case PLAN_END:
            ending_of_stream(w, s, NULL);
            return end(s);
        case PLAN_OP:
            break; /* above */
        default: {
            enum advance next = other_step(w, s, step, &pc);
            if (next != ADVANCE_ON)
                return next;
        }
        }
    }
    worker_record_error(w, s, (enum op_kind)steps[s->pc].op, -EBADF);
    return end(s);
}
