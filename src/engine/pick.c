/* Which file or directory a stream takes next: by its share, by a listing, or by the set's state. */
#include "engine/engine_priv.h"
#include "fileset/grown.h"

#include <errno.h>

static uint32_t trees_of(const struct fileset *set)
{
    return set->spec.shape == FILESET_TREE ? set->spec.trees : 1;
}

/* FLAT and GROWN sets have one tree, so OWN deals out its files in equal shares. */
static bool pick_own(const struct fileset *set, uint32_t number, uint32_t streams,
                     uint64_t n_per_tree, struct slot *slot)
{
    if (set->spec.shape != FILESET_TREE) {
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
    if (tree >= trees_of(set))
        return false;
    slot->tree = (uint32_t)tree;
    slot->index = slot->next++ % n_per_tree;
    return true;
}

static bool pick_stride(const struct fileset *set, uint32_t number, uint32_t streams,
                        uint64_t n_per_tree, struct slot *slot)
{
    uint64_t all = number + slot->next * streams;
    if (n_per_tree == 0 || all / n_per_tree >= trees_of(set))
        return false;
    slot->tree = (uint32_t)(all / n_per_tree);
    slot->index = all % n_per_tree;
    slot->next++;
    return true;
}

/* All of all streams, each of which has its share of whole blocks, the largest that the group moves; or as
 * many as fall to the stream. */
static bool pick_all(const struct plan_group *group, const struct stream *s,
                     const struct plan_step *step, uint32_t files, struct slot *slot)
{
    uint64_t unit = group->buffer_bytes ? group->buffer_bytes : 1;
    uint64_t blocks = slot->size * files / unit;
    uint64_t number = s->number;
    slot->tree = 0;
    slot->index = 0;
    slot->next = 0;
    slot->files = files;
    slot->stride = 1;
    if (step->order == PLAN_ORDER_STRIDE) {
        slot->stride = group->streams;
        slot->files = (files - s->number - 1) / group->streams + 1; /* at least one: plan_check */
        slot->stop = slot->size * slot->files;
        return true;
    }
    slot->first = (uint64_t)((unsigned __int128)blocks * number / group->streams) * unit;
    slot->stop = (uint64_t)((unsigned __int128)blocks * (number + 1) / group->streams) * unit;
    slot->pos = slot->first;
    return true;
}

/* What was picked before: the other members go with the file, and those about it are not known. */
static void fill(const struct fileset *set, const struct plan_step *step, struct slot *slot)
{
    slot->set = step->set;
    slot->unit = (uint8_t)step->unit;
    slot->pos = 0;
    slot->first = 0;
    slot->size = set->spec.size_bytes;
    slot->stop = slot->size;
    slot->file = step->unit == PLAN_UNIT_FILE;
}

/* Of a grown set each file has its own size. */
static void fill_size(const struct fileset *set, struct slot *slot)
{
    if (set->spec.shape != FILESET_GROWN || slot->unit != PLAN_UNIT_FILE)
        return;
    slot->size = fileset_file_bytes(set, slot->tree, slot->index);
    slot->stop = slot->size;
}

static uint64_t units_per_tree(const struct fileset *set, enum plan_unit unit)
{
    switch (unit) {
    case PLAN_UNIT_FILE:
        return set->files_per_tree;
    case PLAN_UNIT_DIR:
        return set->dirs_per_tree;
    case PLAN_UNIT_LEAF:
        return set->spec.grown ? grown_leafs(set->spec.grown) : 0;
    default:
        return 1;
    }
}

/* ---- by the set's state ---- */

/* A set's directories are numbered from its root, which is none of its tree's. */
static uint64_t slot_number(const struct fileset *set, const struct slot *slot)
{
    switch (slot->unit) {
    case PLAN_UNIT_ROOT:
        return slot->tree * (set->dirs_per_tree + 1);
    case PLAN_UNIT_DIR:
        return slot->tree * (set->dirs_per_tree + 1) + slot->index + 1;
    case PLAN_UNIT_LEAF:
        return slot->index;
    default:
        return slot->tree * set->files_per_tree + slot->index;
    }
}

static void put_number(const struct fileset *set, struct slot *slot, uint64_t number)
{
    uint64_t per_tree = slot->unit == PLAN_UNIT_DIR    ? set->dirs_per_tree + 1
                        : slot->unit == PLAN_UNIT_LEAF ? UINT64_MAX
                                                       : set->files_per_tree;
    slot->tree = set->spec.shape == FILESET_TREE ? (uint32_t)(number / per_tree) : 0;
    slot->index = number - slot->tree * per_tree;
    if (slot->unit != PLAN_UNIT_DIR)
        return;
    if (slot->index == 0)
        slot->unit = PLAN_UNIT_ROOT;
    else
        slot->index--;
}

static int take_of_slot(const struct worker *w, struct stream *s, const struct plan_step *step,
                        uint64_t *number)
{
    struct slot *from = &s->slot[step->from];
    if (!from->file || from->set != step->set)
        return -ENOENT;
    *number = slot_number(slot_set(w, from), from);
    int rc = fileset_state_take_file(w->run->state[step->set], step->use, *number,
                                     from->open && from->counted ? 1 : 0);
    if (rc == 0 && step->use == FILESET_USE_DELETE)
        from->file = false;
    return rc;
}

static int take(const struct worker *w, struct stream *s, const struct plan_step *step,
                uint64_t *number)
{
    struct fileset_state *state = w->run->state[step->set];
    const struct fileset *set = &w->run->map.set[step->set];
    uint64_t units = units_per_tree(set, step->unit) * trees_of(set) +
                     (step->unit == PLAN_UNIT_DIR ? trees_of(set) : 0);
    uint64_t from = FILESET_FROM_CURSOR;
    if (units == 0)
        return -ENOENT;
    if (step->order == PLAN_ORDER_DRAWN)
        from = draw_count(&w->run->plan->draw[step->draw - 1], &s->rng) % units;
    else if (step->order == PLAN_ORDER_ROUND_OWN)
        from = s->turns.cursor[step->cursor] % units;
    int rc = fileset_state_take(state, step->use, from, number);
    if (rc == 0 && step->order == PLAN_ORDER_ROUND_OWN)
        s->turns.cursor[step->cursor] = *number + 1;
    return rc;
}

static enum pick pick_used(const struct worker *w, struct stream *s, const struct plan_step *step)
{
    struct slot *slot = stream_slot(s, step->slot);
    const struct fileset *set = &w->run->map.set[step->set];
    uint64_t number = 0;
    int rc = step->order == PLAN_ORDER_SLOT ? take_of_slot(w, s, step, &number)
                                            : take(w, s, step, &number);
    if (rc == -EAGAIN)
        return PICK_AGAIN;
    if (rc < 0)
        return rc == -EBUSY ? PICK_BUSY : PICK_NONE;
    fill(set, step, slot);
    put_number(set, slot, number);
    fill_size(set, slot);
    slot->use = (uint8_t)step->use;
    return PICK_TAKEN;
}

void slot_settle(const struct worker *w, struct slot *slot, bool worked)
{
    enum fileset_use use = (enum fileset_use)slot->use;
    slot->use = FILESET_USE_ANY;
    fileset_state_done(w->run->state[slot->set], use, slot_number(slot_set(w, slot), slot), worked);
    slot->counted = worked && (use == FILESET_USE_OPEN || use == FILESET_USE_CREATE);
}

void slot_closed(const struct worker *w, struct slot *slot)
{
    slot->counted = false;
    fileset_state_close(w->run->state[slot->set], slot_number(slot_set(w, slot), slot));
}

/* ---- by its share, or a listing ---- */

static bool pick_dealt(const struct worker *w, struct stream *s, const struct plan_step *step,
                       struct slot *slot)
{
    const struct fileset *set = &w->run->map.set[step->set];
    const struct plan_group *group = &w->run->plan->group[s->group];
    uint64_t n = units_per_tree(set, step->unit);
    fill(set, step, slot);
    if (step->unit == PLAN_UNIT_ALL)
        return pick_all(group, s, step, set->spec.files, slot);
    if (step->order == PLAN_ORDER_LISTED)
        return walk_pick(s->walk, set, slot);
    if (step->order == PLAN_ORDER_OWN ? !pick_own(set, s->number, group->streams, n, slot)
                                      : !pick_stride(set, s->number, group->streams, n, slot))
        return false;
    fill_size(set, slot);
    return true;
}

/* Does it exist before the run? A set without a state is whole. */
static bool exists(const struct worker *w, const struct slot *slot)
{
    const struct fileset_state *state = w->run->state[slot->set];
    uint64_t number = slot_number(slot_set(w, slot), slot);
    if (!state)
        return true;
    return slot->unit == PLAN_UNIT_LEAF ? fileset_state_leaf_exists(state, number)
                                        : fileset_state_file_exists(state, number);
}

enum pick stream_pick(const struct worker *w, struct stream *s, const struct plan_step *step)
{
    struct slot *slot = stream_slot(s, step->slot);
    if (step->use > FILESET_USE_INITIAL)
        return pick_used(w, s, step);
    do
        if (!pick_dealt(w, s, step, slot))
            return PICK_NONE;
    while (step->use == FILESET_USE_INITIAL && !exists(w, slot));
    return PICK_TAKEN;
}
