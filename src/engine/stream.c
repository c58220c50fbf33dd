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
    s->flow = (struct flow){0};
}

static const struct fileset *slot_set(const struct worker *w, const struct slot *slot)
{
    return &w->run->map.set[slot->set];
}

static uint64_t slot_key(const struct worker *w, const struct slot *slot)
{
    return fileset_file_key(slot_set(w, slot), slot->tree, slot->index);
}

/* FLAT sets have one tree, so OWN deals out its files in equal shares. */
static bool pick_own(const struct fileset *set, uint32_t number, uint32_t streams,
                     uint64_t n_per_tree, struct slot *slot)
{
    if (set->spec.shape == FILESET_FLAT) {
        uint64_t first = (uint64_t)((unsigned __int128)n_per_tree * number / streams);
        uint64_t stop = (uint64_t)((unsigned __int128)n_per_tree * (number + 1) / streams);
        if (slot->next >= stop - first)
            return false;
        slot->tree = 0;
        slot->index = first + slot->next++;
        return true;
    }
    if (n_per_tree == 0)
        return false;
    uint64_t tree = number + slot->next / n_per_tree * streams;
    if (tree >= set->spec.trees)
        return false;
    slot->tree = (uint32_t)tree;
    slot->index = slot->next++ % n_per_tree;
    return true;
}

static bool pick_stride(const struct fileset *set, uint32_t number, uint32_t streams,
                        uint64_t n_per_tree, struct slot *slot)
{
    uint64_t all = number + slot->next * streams;
    if (n_per_tree == 0 || all / n_per_tree >= set->spec.trees)
        return false;
    slot->tree = (uint32_t)(all / n_per_tree);
    slot->index = all % n_per_tree;
    slot->next++;
    return true;
}

static bool pick(const struct worker *w, const struct stream *s, const struct plan_step *step,
                 struct slot *slot)
{
    const struct fileset *set = &w->run->map.set[step->set];
    uint32_t streams = w->run->plan->group[s->group].streams;
    uint64_t n = step->unit == PLAN_UNIT_FILE  ? set->files_per_tree
                 : step->unit == PLAN_UNIT_DIR ? set->dirs_per_tree
                                               : 1;
    slot->set = step->set;
    slot->unit = (uint8_t)step->unit;
    slot->pos = 0;
    slot->size = set->spec.size_bytes;
    slot->block_bytes = 0;
    if (step->order == PLAN_ORDER_LISTED)
        return walk_pick(s->walk, set, slot);
    return step->order == PLAN_ORDER_OWN ? pick_own(set, s->number, streams, n, slot)
                                         : pick_stride(set, s->number, streams, n, slot);
}

/* What the op is done to: a directory, a name in one, or an open file. */
static void aim(const struct worker *w, struct stream *s, const struct slot *slot)
{
    const struct fileset *set = slot_set(w, slot);
    s->op.handle = slot->handle;
    s->op.leaf = NULL;
    switch (slot->unit) {
    case PLAN_UNIT_FILE:
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

/* Divided once and kept: between two ops nothing would take as long as a division. */
static uint64_t blocks_in(struct slot *slot, uint64_t io_bytes)
{
    if (slot->block_bytes != io_bytes) {
        slot->block_bytes = io_bytes;
        slot->blocks = slot->size / io_bytes;
    }
    return slot->blocks;
}

static void place_io(const struct worker *w, struct stream *s, const struct plan_step *step,
                     struct slot *slot)
{
    struct op *op = &s->op;
    op->len = step->io_bytes;
    if (step->whole) {
        op->off = s->flow.off;
        if (op->len > slot->size - op->off)
            op->len = slot->size - op->off;
    } else if (step->where == PLAN_AT_UNIFORM) {
        op->off = rng_below(&s->rng, blocks_in(slot, step->io_bytes)) * step->io_bytes;
    } else {
        if (slot->size - slot->pos < step->io_bytes)
            slot->pos = 0;
        op->off = slot->pos;
        slot->pos += step->io_bytes;
    }
    s->want = op->len;
    /* The end of a file that is no multiple of the block: ask for the whole block, get less. */
    if (op->len < step->io_bytes && step->op == OP_READ && w->run->plan->instrument.direct)
        op->len = step->io_bytes;
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
    if (needs_handle(step->op)) {
        op->handle = slot->handle;
    } else if (step->op != OP_NOP) {
        aim(w, s, slot);
        w->stale = true;
    }
    switch (step->op) {
    case OP_READ:
    case OP_WRITE:
        place_io(w, s, step, slot);
        if (step->op == OP_WRITE && !w->run->caps.keeps_nothing) {
            content_fill(&w->run->content, slot_key(w, slot), slot->size,
                         step->whole ? CONTENT_WRITTEN_ONCE : ++s->generation, op->off, s->buf,
                         op->len);
            w->stale = true;
        }
        break;
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

static bool over(const struct worker *w)
{
    if (w->phase == PHASE_BODY && w->now >= w->run->close_ns)
        return true;
    return w->phase != PHASE_TEARDOWN &&
           atomic_load_explicit(&w->run->halt, memory_order_relaxed) != HALT_NONE;
}

static enum advance end(struct stream *s)
{
    s->state = STREAM_ENDED;
    return ADVANCE_ENDED;
}

/* Takes an arrival; false when the window has no more of them. */
static bool arrive(struct worker *w, struct stream *s, const struct plan_step *step)
{
    struct run *run = w->run;
    s->due_ns = run->gate_ns + schedule_take(&run->schedule[step->schedule]);
    if (s->due_ns >= run->close_ns)
        return false;
    s->due_set = true;
    if (s->due_ns >= run->open_ns)
        w->arrivals.taken++;
    return true;
}

/* false: the flowop is skipped, since what it needs open could not be opened; that has been counted. */
static bool begin_flowop(struct worker *w, struct stream *s, const struct plan_step *step,
                         enum advance *next)
{
    if (over(w)) {
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
            pc = pick(w, s, step, &s->slot[step->slot]) ? pc + 1 : step->to;
            break;
        case PLAN_ARRIVE:
            if (over(w) || !arrive(w, s, step))
                return end(s);
            s->pc = ++pc;
            if (s->due_ns > w->now && s->due_ns > (w->now = clk_now(&w->clk))) {
                s->idle_wait = true;
                s->state = STREAM_TIMED;
                return ADVANCE_TIMED;
            }
            break;
        case PLAN_BRANCH:
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
            return end(s);
        case PLAN_OP:
            break; /* above */
        }
    }
    worker_record_error(w, s, (enum op_kind)steps[s->pc].op, -EBADF);
    return end(s);
}

static void sample(struct worker *w, struct stream *s, const struct plan_step *step,
                   const struct flow *flow)
{
    struct run *run = w->run;
    if (w->now >= run->close_ns)
        return;
    struct samples_line *line = worker_sample(w, flow, step->line);
    /* Inside the window only what fell due in it: its backlog is told apart. */
    if (run->plan->line[step->line].open_loop &&
        (s->due_ns >= run->open_ns || w->now < run->open_ns))
        hist_record(&line->response, w->now - s->due_ns);
    if (w->now >= run->open_ns) {
        s->ops += flow->ops;
        s->bytes += flow->bytes;
    }
}

static void verify(struct worker *w, struct stream *s, const struct slot *slot, uint64_t len)
{
    int64_t at =
        content_check(&w->run->content, slot_key(w, slot), slot->size, s->op.off, s->buf, len);
    w->stale = true;
    if (at < 0 || w->mismatch.found)
        return;
    w->mismatch.found = true;
    w->mismatch.off = s->op.off + (uint64_t)at;
    w->mismatch.len = len;
    stream_path(w->run, s, w->mismatch.path, sizeof w->mismatch.path);
    atomic_store(&w->run->halt, HALT_END);
}

/* READ and WRITE: adds up what was moved; returns the error that too few bytes mean, or 0. */
static int moved(struct worker *w, struct stream *s, const struct plan_step *step,
                 struct flow *flow, bool *more)
{
    const struct slot *slot = &s->slot[step->slot];
    uint64_t got = (uint64_t)s->op.res < s->want ? (uint64_t)s->op.res : s->want;
    flow->bytes += got;
    flow->off = s->op.off + got;
    if (step->verify)
        verify(w, s, slot, got);
    if (got < s->want && (step->op == OP_READ || !step->whole || got == 0))
        return -ENODATA;
    *more = step->whole && flow->off < slot->size;
    return 0;
}

/* Takes the answer of one op into its flowop. Returns a negative errno when the flowop has failed. */
static int answer(struct worker *w, struct stream *s, const struct plan_step *step,
                  struct flow *flow, bool *more)
{
    struct slot *slot = &s->slot[step->slot];
    if (step->op == OP_CLOSE)
        slot->open = false;
    if (s->op.res < 0) {
        int code = (int)s->op.res;
        return step->absent_ok && (code == -ENOENT || code == -EEXIST) ? 0 : code;
    }
    flow->ops++;
    flow->extra += s->op.extra;
    switch (step->op) {
    case OP_READ:
    case OP_WRITE:
        return moved(w, s, step, flow, more);
    case OP_OPEN:
    case OP_CREATE:
        slot->open = true;
        slot->handle = s->op.handle;
        slot->pos = 0;
        return 0;
    case OP_READDIR: /* what it moves is no payload */
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
    if (w->now >= run->close_ns)
        s->left = stream_left_of(s, line, s->issued_ns < run->close_ns);
    else if (s->due_set && s->due_ns < run->open_ns && w->now >= run->open_ns)
        w->arrivals.backlog++;
}

void stream_complete(struct worker *w, struct stream *s)
{
    const struct plan_step *step = &w->run->plan->step[s->pc];
    struct flow flow = s->flow;
    bool more = false;
    atomic_store_explicit(&s->held_since_ns, 0, memory_order_relaxed);
    s->state = STREAM_RUN;
    flow.service_ns += w->now - s->issued_ns;
    int code = answer(w, s, step, &flow, &more);
    if (more) {
        s->flow = flow;
        return;
    }
    if (w->phase == PHASE_BODY && (w->now >= w->run->close_ns || s->due_set))
        note_edges(w, s, step->line);
    if (code < 0)
        worker_record_error(w, s, s->op.kind, code);
    else if (step->line != PLAN_NO_LINE && w->phase == PHASE_BODY)
        sample(w, s, step, &flow);
    s->due_set = false;
    s->flow = (struct flow){0};
    s->pc++;
}
