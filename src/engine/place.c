/* Where in a file or in several an op goes. */
#include "engine/engine_priv.h"

static uint64_t hot_block(struct stream *s, const struct plan_place *at)
{
    if (rng_below(&s->rng, 100) < at->hot_ops)
        return rng_below(&s->rng, at->hot);
    return at->hot + rng_below(&s->rng, at->blocks - at->hot);
}

/* Of all that fit into the slot's file or files; only evenly drawn ones keep to some of them. */
static uint64_t random_block(struct stream *s, const struct plan_place *at, const struct slot *slot)
{
    switch (at->where) {
    case PLAN_AT_ZIPF:
        return scatter_place(&at->scatter, zipf_draw(&at->zipf, &s->rng) - 1);
    case PLAN_AT_HOT:
        return hot_block(s, at);
    default:
        return rng_below(&s->rng,
                         slot->unit == PLAN_UNIT_ALL ? at->per_file * slot->files : at->blocks);
    }
}

/* The position in all files, moved on; an op lies in one of them, whatever sizes the others have. */
static uint64_t next_place(struct slot *slot, uint64_t io_bytes)
{
    uint64_t rest = slot->size - slot->pos % slot->size;
    if (rest < io_bytes)
        slot->pos += rest;
    if (slot->pos > slot->stop || slot->stop - slot->pos < io_bytes)
        slot->pos = slot->first;
    slot->pos += io_bytes;
    return slot->pos - io_bytes;
}

uint64_t place_find(struct stream *s, const struct plan_step *step, struct slot *slot)
{
    uint64_t file, block;
    if (step->at.where == PLAN_AT_NEXT) {
        uint64_t at = next_place(slot, step->io_bytes);
        file = at / slot->size;
        slot_turn_to(s, slot, file);
        slot->handle = slot->handles[file];
        return at % slot->size;
    }
    block = random_block(s, &step->at, slot);
    if (slot->unit != PLAN_UNIT_ALL)
        return block * step->io_bytes;
    file = block / step->at.per_file;
    slot_turn_to(s, slot, file);
    slot->handle = slot->handles[file];
    return (block - file * step->at.per_file) * step->io_bytes;
}
