/* Which file a stream takes next, and where in it an op goes. */
#include "engine/engine_priv.h"

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

/* The share is one of whole blocks, the largest that the group moves. */
static bool pick_all(const struct plan_group *group, uint32_t number, struct slot *slot)
{
    uint64_t unit = group->buffer_bytes ? group->buffer_bytes : 1;
    uint64_t blocks = slot->stop / unit;
    slot->tree = 0;
    slot->index = 0;
    slot->next = 0;
    slot->first = (uint64_t)((unsigned __int128)blocks * number / group->streams) * unit;
    slot->stop = (uint64_t)((unsigned __int128)blocks * (number + 1) / group->streams) * unit;
    slot->pos = slot->first;
    return true;
}

bool place_pick(const struct worker *w, struct stream *s, const struct plan_step *step)
{
    struct slot *slot = &s->slot[step->slot];
    const struct fileset *set = &w->run->map.set[step->set];
    const struct plan_group *group = &w->run->plan->group[s->group];
    uint32_t streams = group->streams;
    uint64_t n = step->unit == PLAN_UNIT_FILE  ? set->files_per_tree
                 : step->unit == PLAN_UNIT_DIR ? set->dirs_per_tree
                                               : 1;
    slot->set = step->set;
    slot->unit = (uint8_t)step->unit;
    slot->pos = 0;
    slot->first = 0;
    slot->size = set->spec.size_bytes;
    slot->stop = slot->size;
    if (step->unit == PLAN_UNIT_ALL) {
        slot->stop = slot->size * set->spec.files;
        return pick_all(group, s->number, slot);
    }
    if (step->order == PLAN_ORDER_LISTED)
        return walk_pick(s->walk, set, slot);
    return step->order == PLAN_ORDER_OWN ? pick_own(set, s->number, streams, n, slot)
                                         : pick_stride(set, s->number, streams, n, slot);
}

static uint64_t hot_block(struct stream *s, const struct plan_place *at)
{
    if (rng_below(&s->rng, 100) < at->hot_ops)
        return rng_below(&s->rng, at->hot);
    return at->hot + rng_below(&s->rng, at->blocks - at->hot);
}

/* Of all that fit into the slot's file or files. */
static uint64_t random_block(struct stream *s, const struct plan_place *at)
{
    switch (at->where) {
    case PLAN_AT_ZIPF:
        return scatter_place(&at->scatter, zipf_draw(&at->zipf, &s->rng) - 1);
    case PLAN_AT_HOT:
        return hot_block(s, at);
    default:
        return rng_below(&s->rng, at->blocks);
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
        slot->index = file;
        return at % slot->size;
    }
    block = random_block(s, &step->at);
    if (slot->unit != PLAN_UNIT_ALL)
        return block * step->io_bytes;
    file = block / step->at.per_file;
    slot->index = file;
    return (block - file * step->at.per_file) * step->io_bytes;
}
