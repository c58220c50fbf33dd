/* What a flowop asks of the target next: to what it is done, how much, where, and what is written. */
#include "engine/engine_priv.h"

#include <sys/param.h>

static bool needs_handle(const struct plan_step *step)
{
    static const uint32_t with_handle =
        1u << OP_READ | 1u << OP_WRITE | 1u << OP_APPEND | 1u << OP_FSYNC | 1u << OP_TRUNCATE |
        1u << OP_FALLOCATE | 1u << OP_DISCARD | 1u << OP_CLOSE | 1u << OP_EVICT | 1u << OP_RESIDENT;
    return (with_handle >> step->op & 1u) != 0 ||
           (step->op == OP_STAT && (step->op_flags & OP_FLAG_HANDLE) != 0);
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
    case PLAN_UNIT_LEAF:
        s->op.node = fileset_leaf_node(set, slot->index);
        break;
    default:
        s->op.node = fileset_root_node(set, slot->tree);
    }
}

/* OPEN and CLOSE go through all files, one at a time, and come back the way they went. */
static void turn_to_file(const struct stream *s, struct slot *slot, uint16_t op)
{
    if (op == OP_OPEN || op == OP_CREATE) {
        slot_turn_to(s, slot, slot->next);
    } else if (op == OP_CLOSE) {
        slot_turn_to(s, slot, slot->next - 1);
        slot->handle = slot->handles[slot->next - 1];
    }
}

/* ---- how much ---- */

static uint64_t nominal_bytes(const struct stream *s, const struct plan_step *step,
                              const struct slot *slot)
{
    const struct slot *from = &s->slot[step->from];
    return step->from_slot && from->file ? from->size : slot->size;
}

static uint64_t aligned(const struct plan_step *step, uint64_t bytes)
{
    return step->align > 1 ? (bytes + step->align - 1) / step->align * step->align : bytes;
}

static uint64_t size_of(const struct worker *w, struct stream *s, const struct plan_step *step,
                        const struct slot *slot)
{
    switch (step->size) {
    case PLAN_SIZE_DRAWN:
        return aligned(step, draw_count(&w->run->plan->draw[step->draw - 1], &s->rng));
    case PLAN_SIZE_BELOW:
        return aligned(step, rng_below(&s->rng, step->io_bytes));
    case PLAN_SIZE_FILE:
        return aligned(step, nominal_bytes(s, step, slot));
    default:
        return step->io_bytes;
    }
}

/* A memory of many such buffers: any of them. */
static unsigned char *buffer_for(const struct worker *w, struct stream *s, uint64_t len)
{
    uint64_t pool = w->run->plan->group[s->group].pool_bytes;
    if (s->detached.handing || pool == 0 || len == 0 || len > pool || s->buf == NULL)
        return s->buf;
    return s->buf + rng_below(&s->rng, pool / len) * len;
}

/* ---- where ---- */

static void begin_whole(const struct worker *w, struct stream *s, const struct plan_step *step,
                        const struct slot *slot)
{
    struct flow *flow = &s->flow;
    flow->piece = size_of(w, s, step, slot);
    if (flow->piece == 0)
        flow->piece = step->io_bytes;
    flow->off = step->on ? slot->pos : 0;
    /* What keeps nothing has no end of its own to come to. */
    flow->stop = step->to_end && !w->run->caps.keeps_nothing
                     ? UINT64_MAX
                     : flow->off + nominal_bytes(s, step, slot);
}

/* The last piece is as long as the rest. Past the cache it is read as long as the others, and less
 * comes back; and it is written in whole sectors. */
static void place_whole(const struct worker *w, struct stream *s, const struct plan_step *step,
                        const struct slot *slot)
{
    struct flow *flow = &s->flow;
    if (flow->piece == 0)
        begin_whole(w, s, step, slot);
    s->op.off = flow->off;
    s->want = MIN(flow->piece, flow->stop - flow->off);
    s->op.len = step->op == OP_READ && step->align > 1 ? flow->piece : aligned(step, s->want);
}

static uint64_t own_uniform(struct stream *s, const struct plan_step *step, const struct slot *slot,
                            uint64_t len)
{
    uint64_t bytes = step->at.limit_bytes > 0 ? step->at.limit_bytes : slot->size;
    uint64_t blocks = bytes / len;
    return blocks > 0 ? rng_below(&s->rng, blocks) * len : 0;
}

static void place_piece(const struct worker *w, struct stream *s, const struct plan_step *step,
                        struct slot *slot)
{
    struct op *op = &s->op;
    op->len = size_of(w, s, step, slot);
    s->want = op->len;
    if (step->op == OP_APPEND || op->len == 0)
        return;
    if (step->at.where == PLAN_AT_POSITION)
        op->off = slot->pos;
    else if (step->at.where == PLAN_AT_UNIFORM && step->at.blocks == 0)
        op->off = own_uniform(s, step, slot, op->len);
    else
        op->off = place_find(s, step, slot);
    op->handle = slot->handle;
}

/* ---- what is written ---- */

/* Nobody knows where an append will lie, and what lies behind a file's nominal end is no part of what
 * could be checked: there all sectors are stamped, and each write is another one. An append goes on
 * as a file of its own would begin. */
void stream_content(struct worker *w, struct stream *s, const struct plan_step *step,
                    const struct slot *slot)
{
    struct op *op = &s->op;
    uint64_t key = slot_key(w, slot);
    uint64_t bytes = UINT64_MAX;
    uint64_t generation = CONTENT_WRITTEN_ONCE;
    uint64_t off = op->off;
    w->stale = true;
    if (step->op == OP_APPEND) {
        key = mix64_pair(key, ++s->generation);
        off = 0;
    } else {
        if (op->off + op->len <= slot->size)
            bytes = slot->size;
        if (bytes == UINT64_MAX || !step->whole || step->on)
            generation = ++s->generation;
        if (step->whole && op->off == 0 && s->want == s->flow.stop)
            op->flags |= OP_FLAG_ALL;
    }
    content_fill(&w->run->content, key, bytes, generation, off, op->buf, op->len);
    op->flags |= OP_FLAG_ORIGIN;
    op->origin[0] = key;
    op->origin[1] = bytes;
    op->origin[2] = generation;
}

static enum prepared prepare_io(struct worker *w, struct stream *s, const struct plan_step *step,
                                struct slot *slot)
{
    struct op *op = &s->op;
    op->handle = slot->handle;
    if (step->whole)
        place_whole(w, s, step, slot);
    else
        place_piece(w, s, step, slot);
    if (s->want == 0 && !step->whole)
        return PREPARED_NOTHING;
    op->buf = w->run->caps.keeps_no_data ? NULL : buffer_for(w, s, op->len);
    /* A draw by Zipf's law takes as long as three readings of the clock; the handle of one file of many
     * is mostly in no cache of the processor. */
    w->stale |= step->at.where == PLAN_AT_ZIPF || slot->unit == PLAN_UNIT_ALL ||
                step->size == PLAN_SIZE_DRAWN;
    if (step->op != OP_READ && w->run->content.block)
        stream_content(w, s, step, slot);
    return PREPARED_OP;
}

static void prepare_directory(const struct worker *w, struct stream *s,
                              const struct plan_step *step, const struct slot *slot)
{
    (void)w;
    s->op.buf = s->buf;
    s->op.off = s->flow.off;
    s->op.len = step->io_bytes;
    if (s->walk && s->flow.ops == 0)
        walk_begin(s->walk, slot);
}

enum prepared stream_prepare(struct worker *w, struct stream *s, const struct plan_step *step)
{
    struct slot *slot = stream_slot(s, step->slot);
    struct op *op = &s->op;
    if (needs_handle(step) && !slot->open)
        return PREPARED_CLOSED;
    op->kind = (enum op_kind)step->op;
    op->flags = step->op_flags;
    op->off = 0;
    op->len = 0;
    op->extra = 0;
    s->want = 0;
    if (step->op == OP_READ || step->op == OP_WRITE || step->op == OP_APPEND)
        return prepare_io(w, s, step, slot);
    if (slot->unit == PLAN_UNIT_ALL)
        turn_to_file(s, slot, step->op);
    if (needs_handle(step)) {
        op->handle = slot->handle;
    } else if (step->op != OP_NOP) {
        aim(w, s, slot);
        w->stale = true;
    }
    op->buf = NULL; /* what STAT finds nobody looks at */
    if (step->op == OP_READDIR)
        prepare_directory(w, s, step, slot);
    else if (step->op == OP_TRUNCATE || step->op == OP_FALLOCATE || step->op == OP_RESIDENT)
        op->len = step->to_end ? INT64_MAX : slot->size;
    return PREPARED_OP;
}
