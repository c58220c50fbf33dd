#include "engine/engine_priv.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* A body whose ops are all skipped (their slot could not be opened) must not spin for ever. */
#define STEPS_WITHOUT_OP 100000

void stream_enter(struct stream *s, uint32_t pc)
{
    s->pc = pc;
    s->state = STREAM_RUN;
    s->due_set = false;
    s->idle_wait = false;
    s->wait.begun = false;
    s->flow = (struct flow){0};
}

/* What the op is done to: a directory, a name in one, or an open file. */
static void aim(const struct worker *w, struct stream *s, const struct slot *slot)
{
    const struct fileset *set = slot_set(w, slot);
    s->op.handle = slot->handle;
    s->op.leaf = NULL;
    switch (slot->unit) {
    case PLAN_UNIT_FILE:
    case PLAN_UNIT_ALL:
        s->op.node = fileset_file(set, slot->tree, slot->index, s->leaf);
        s->op.leaf = s->leaf;
        break;
    case PLAN_UNIT_DIR:
        s->op.node = fileset_dir_node(set, slot->tree, slot->index);
        break;
    default:
        s->op.node = fileset_root_node(set, slot->tree);
    }
}

static bool needs_handle(uint16_t op)
{
    return ((1u << OP_READ | 1u << OP_WRITE | 1u << OP_APPEND | 1u << OP_FSYNC | 1u << OP_TRUNCATE |
             1u << OP_FALLOCATE | 1u << OP_DISCARD | 1u << OP_CLOSE | 1u << OP_EVICT |
             1u << OP_RESIDENT) >>
            op) &
           1u;
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

static inline void place_io(struct worker *w, struct stream *s, const struct plan_step *step,
                            struct slot *slot)
{
    struct op *op = &s->op;
    op->len = step->io_bytes;
    op->handle = slot->handle;
    if (step->whole) {
        op->off = s->flow.off;
        if (op->len > slot->size - op->off)
            op->len = slot->size - op->off;
    } else if (slot->unit == PLAN_UNIT_FILE && step->at.where <= PLAN_AT_UNIFORM) {
        op->off = own_place(s, step, slot);
    } else {
        op->off = place_find(s, step, slot);
        if (slot->unit == PLAN_UNIT_ALL)
            op->handle = slot->handles[slot->index];
        /* A draw by Zipf's law takes as long as three readings of the clock; the handle is one of
         * many, and mostly in no cache of the processor. */
        w->stale |= step->at.where == PLAN_AT_ZIPF || slot->unit == PLAN_UNIT_ALL;
    }
    s->want = op->len;
    /* The end of a file that is no multiple of the block: ask for the whole block, get less. */
    if (op->len < step->io_bytes && step->op == OP_READ && w->run->plan->instrument.direct)
        op->len = step->io_bytes;
}

/* OPEN and CLOSE go through all files, one at a time, and come back the way they went. */
static void turn_to_file(struct slot *slot, uint16_t op)
{
    if (op == OP_OPEN || op == OP_CREATE) {
        slot->index = slot->next;
    } else if (op == OP_CLOSE) {
        slot->index = slot->next - 1;
        slot->handle = slot->handles[slot->index];
    }
}

static void prepare_io(struct worker *w, struct stream *s, const struct plan_step *step,
                       struct slot *slot)
{
    struct op *op = &s->op;
    place_io(w, s, step, slot);
    if (step->op != OP_WRITE || w->run->caps.keeps_nothing)
        return;
    content_fill(&w->run->content, slot_key(w, slot), slot->size,
                 step->whole ? CONTENT_WRITTEN_ONCE : ++s->generation, op->off, s->buf, op->len);
    w->stale = true;
}

static void prepare_op(struct worker *w, struct stream *s, const struct plan_step *step)
{
    struct slot *slot = &s->slot[step->slot];
    struct op *op = &s->op;
    op->kind = (enum op_kind)step->op;
    op->flags = step->op_flags;
    op->off = 0;
    op->len = 0;
    op->extra = 0;
    s->want = 0;
    /* First, and without the jump through a table that the others take. */
    if (step->op == OP_READ || step->op == OP_WRITE) {
        prepare_io(w, s, step, slot);
        return;
    }
    if (slot->unit == PLAN_UNIT_ALL)
        turn_to_file(slot, step->op);
    if (needs_handle(step->op)) {
        op->handle = slot->handle;
    } else if (step->op != OP_NOP) {
        aim(w, s, slot);
        w->stale = true;
    }
    switch (step->op) {
    case OP_TRUNCATE:
    case OP_FALLOCATE:
    case OP_RESIDENT:
        op->len = slot->size;
        break;
    case OP_READDIR:
        op->off = s->flow.off;
        op->len = step->io_bytes;
        if (s->walk && s->flow.ops == 0)
            walk_begin(s->walk, slot);
        break;
    default:
        break;
    }
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

/* false: the flowop is skipped, since what it needs open could not be opened; that has been counted. */
static bool begin_flowop(struct worker *w, struct stream *s, const struct plan_step *step,
                         enum advance *next)
{
    if (stream_over(w)) {
        if (s->due_set)
            s->left = stream_left_of(s, step->line, false);
        *next = end(s);
    } else {
        if (needs_handle(step->op) && !s->slot[step->slot].open)
            return false;
        prepare_op(w, s, step);
        s->state = STREAM_HELD;
        *next = ADVANCE_HELD;
    }
    return true;
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
            enum advance next;
            s->pc = pc++;
            if (begin_flowop(w, s, step, &next))
                return next;
            continue;
        }
        switch (step->kind) {
        case PLAN_PICK:
            w->stale = true;
            pc = place_pick(w, s, step) ? pc + 1 : step->to;
            break;
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
            if (step->count != 0 && ++s->loop[step->loop] >= step->count) {
                s->loop[step->loop] = 0;
                pc++;
            } else {
                pc = step->to;
            }
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
