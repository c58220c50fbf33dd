#include "target/sim_things_priv.h"

#include "base/rng.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SLAB_THINGS (1u << SIM_THINGS_SLAB_BITS)
#define HEADS_FIRST 1024u

int sim_things_init(struct sim_things *t)
{
    *t = (struct sim_things){
        .heads = HEADS_FIRST, .free_first = SIM_NOTHING, .free_last = SIM_NOTHING};
    t->slab = calloc(SIM_THINGS_MAX / SLAB_THINGS, sizeof(struct sim_thing *));
    t->head = malloc(HEADS_FIRST * sizeof *t->head);
    if (t->slab == NULL || t->head == NULL) {
        sim_things_fini(t);
        return -ENOMEM;
    }
    memset(t->head, 0xff, HEADS_FIRST * sizeof *t->head);
    return 0;
}

void sim_things_fini(struct sim_things *t)
{
    for (uint32_t i = 0; t->slab != NULL && i < t->used; i += SLAB_THINGS)
        free(t->slab[i / SLAB_THINGS]);
    free(t->slab);
    free(t->head);
    sim_leaves_fini(&t->leaves);
}

/* ---- the table of names ---- */

static uint64_t key_of(uint32_t dir, const char *leaf, size_t len)
{
    uint64_t key = mix64(dir);

    for (uint64_t part; len > 0; leaf += sizeof part) {
        size_t n = len < sizeof part ? len : sizeof part;
        part = n;
        memcpy(&part, leaf, n);
        key = mix64(key ^ part);
        len -= n;
    }
    return key;
}

static uint32_t *slot_of(const struct sim_things *t, uint32_t dir, const char *leaf, size_t len)
{
    return &t->head[key_of(dir, leaf, len) & (t->heads - 1)];
}

static uint32_t *slot_of_thing(const struct sim_things *t, const struct sim_thing *thing)
{
    return slot_of(t, thing->parent, sim_leaves_at(&t->leaves, thing->leaf), thing->leaf_len);
}

uint32_t sim_things_find(const struct sim_things *t, uint32_t dir, const char *leaf, size_t len)
{
    uint32_t number = *slot_of(t, dir, leaf, len);

    while (number != SIM_NOTHING) {
        const struct sim_thing *thing = sim_thing_at(t, number);
        if (thing->parent == dir && thing->leaf_len == len &&
            memcmp(sim_leaves_at(&t->leaves, thing->leaf), leaf, len) == 0)
            break;
        number = thing->chain;
    }
    return number;
}

/* Where there is no memory for more slots, the chains become longer. */
static void grow_table(struct sim_things *t)
{
    uint32_t heads = 2 * t->heads;
    uint32_t *head = malloc(heads * sizeof *head);

    if (head == NULL)
        return;
    memset(head, 0xff, heads * sizeof *head);
    free(t->head);
    t->head = head;
    t->heads = heads;
    for (uint32_t i = 0; i < t->used; i++) {
        struct sim_thing *thing = sim_thing_at(t, i);
        if (!thing->lives || thing->parent == SIM_NOTHING)
            continue;
        uint32_t *slot = slot_of_thing(t, thing);
        thing->chain = *slot;
        *slot = i;
    }
}

/* ---- numbers ---- */

static int64_t new_number(struct sim_things *t)
{
    if (t->frees > SIM_THINGS_REST) {
        uint32_t number = t->free_first;
        t->free_first = sim_thing_at(t, number)->chain;
        t->frees--;
        return number;
    }
    if (t->used == SIM_THINGS_MAX)
        return -ENOMEM;
    if (t->used % SLAB_THINGS == 0) {
        t->slab[t->used / SLAB_THINGS] = calloc(SLAB_THINGS, sizeof(struct sim_thing));
        if (t->slab[t->used / SLAB_THINGS] == NULL)
            return -ENOMEM;
    }
    return t->used++;
}

int64_t sim_things_make(struct sim_things *t, enum target_type type)
{
    int64_t number = new_number(t);

    if (number >= 0)
        *sim_thing_at(t, (uint32_t)number) = (struct sim_thing){
            .parent = SIM_NOTHING, .last = SIM_NOTHING, .type = (uint8_t)type, .lives = true};
    if (number >= 0 && type == TARGET_TYPE_DIR)
        sim_thing_at(t, (uint32_t)number)->first = SIM_NOTHING;
    return number;
}

void sim_things_free(struct sim_things *t, uint32_t number)
{
    *sim_thing_at(t, number) = (struct sim_thing){.chain = SIM_NOTHING};
    if (t->frees++ == 0)
        t->free_first = number;
    else
        sim_thing_at(t, t->free_last)->chain = number;
    t->free_last = number;
}

/* ---- places ---- */

int sim_things_enter(struct sim_things *t, uint32_t number, uint32_t dir, const char *leaf,
                     size_t len)
{
    int64_t kept = sim_leaves_keep(&t->leaves, leaf, len);

    if (kept < 0)
        return -ENOMEM;
    if (sim_thing_at(t, number)->parent != SIM_NOTHING)
        sim_things_leave(t, number);
    if (t->listed >= t->heads)
        grow_table(t);
    struct sim_thing *thing = sim_thing_at(t, number);
    struct sim_thing *parent = sim_thing_at(t, dir);
    uint32_t *slot = slot_of(t, dir, leaf, len);
    thing->leaf = (uint32_t)kept;
    thing->leaf_len = (uint16_t)len;
    thing->parent = dir;
    thing->chain = *slot;
    *slot = number;
    t->listed++;
    thing->serial = ++parent->size;
    thing->before = parent->last;
    thing->after = SIM_NOTHING;
    if (parent->last != SIM_NOTHING)
        sim_thing_at(t, parent->last)->after = number;
    else
        parent->first = number;
    parent->last = number;
    return 0;
}

void sim_things_leave(struct sim_things *t, uint32_t number)
{
    struct sim_thing *thing = sim_thing_at(t, number);
    struct sim_thing *parent = sim_thing_at(t, thing->parent);
    uint32_t *link = slot_of_thing(t, thing);

    while (*link != number)
        link = &sim_thing_at(t, *link)->chain;
    *link = thing->chain;
    t->listed--;
    *(thing->before != SIM_NOTHING ? &sim_thing_at(t, thing->before)->after : &parent->first) =
        thing->after;
    *(thing->after != SIM_NOTHING ? &sim_thing_at(t, thing->after)->before : &parent->last) =
        thing->before;
    sim_leaves_drop(&t->leaves, thing->leaf, thing->leaf_len);
    thing->parent = SIM_NOTHING;
}
