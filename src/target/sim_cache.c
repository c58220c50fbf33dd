/* What a look-up costs is what of the table is not in the processor's cache: the slot, and for LRU its two
 * neighbours in the list. So links are in the slots and not in an array beside them, and the neighbours are asked for
 * at a hit and moved some hits later, or before anything else is done to the list. */
#include "target/sim_cache_priv.h"

#include <errno.h>
#include <sys/mman.h>

#define SMALL_EXTENTS_MAX (1u << 20)
#define SLOTS_MAX         ((1u << 26) - 1)

static uint32_t home_of(const struct sim_cache *c, uint64_t key)
{
    return (uint32_t)(((unsigned __int128)mix64(key) * c->slots) >> 64);
}

static uint32_t next_slot(const struct sim_cache *c, uint32_t i)
{
    return i + 1 < c->slots ? i + 1 : 0;
}

/* Where it is, or the empty slot where it would be. */
static uint32_t find(const struct sim_cache *c, uint64_t key)
{
    uint32_t i = home_of(c, key);

    while (c->slot[i].key != key && c->slot[i].key != 0)
        i = next_slot(c, i);
    return i;
}

/* Empty slots. In large pages where there are some: a look-up goes anywhere. */
static struct sim_cache_slot *table_new(uint64_t bytes)
{
    void *table = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (table == MAP_FAILED)
        return NULL;
    madvise(table, bytes, MADV_HUGEPAGE);
    return table;
}

static uint64_t table_bytes(const struct sim_cache *c)
{
    return (c->slots + (uint64_t)1) * sizeof *c->slot;
}

int sim_cache_init(struct sim_cache *c, uint64_t bytes, uint32_t extent_bytes,
                   enum sim_replace replace, struct rng *rng)
{
    uint64_t whole = bytes / extent_bytes;
    uint64_t units = bytes / (extent_bytes / SIM_CACHE_UNITS);
    uint64_t small = units < SMALL_EXTENTS_MAX ? units : SMALL_EXTENTS_MAX;
    uint64_t extents = whole > small ? whole : small;

    *c = (struct sim_cache){.rng = replace == SIM_REPLACE_RANDOM ? rng : NULL};
    if (units == 0)
        return 0;
    uint64_t slots = extents + extents / 2 + 2;
    if (slots > SLOTS_MAX)
        return -EINVAL;
    c->slots = (uint32_t)slots;
    struct sim_cache_slot *slot = table_new(table_bytes(c));
    if (slot == NULL)
        return -ENOMEM;
    c->slot = slot;
    c->extents_max = (uint32_t)extents;
    c->room_units = units;
    slot[slots].other = c->slots;
    slot[slots].at = c->slots & SLOTS_MAX;
    return 0;
}

void sim_cache_fini(struct sim_cache *c)
{
    if (c->slot != NULL)
        munmap(c->slot, table_bytes(c));
}

static void link_first(struct sim_cache *c, uint32_t i)
{
    struct sim_cache_slot *ends = &c->slot[c->slots];

    c->slot[i].other = c->slots;
    c->slot[i].at = ends->at;
    c->slot[ends->at].other = i;
    ends->at = i & SLOTS_MAX;
}

static void unlink_slot(struct sim_cache *c, uint32_t i)
{
    c->slot[c->slot[i].other].at = c->slot[i].at;
    c->slot[c->slot[i].at].other = c->slot[i].other;
}

/* The extent in slot `from` is in `to` from now on. */
static void shift(struct sim_cache *c, uint32_t from, uint32_t to)
{
    struct sim_cache_slot *slot = c->slot;

    slot[to].key = slot[from].key;
    slot[to].at = slot[from].at;
    slot[to].more_units = slot[from].more_units;
    if (c->rng != NULL) {
        slot[slot[to].at].other = to;
        return;
    }
    slot[to].other = slot[from].other;
    slot[slot[to].other].at = to & SLOTS_MAX;
    slot[slot[to].at].other = to;
}

static void move_first(struct sim_cache *c)
{
    for (uint32_t k = 0; k < c->hits; k++) {
        uint32_t i = c->hit[k];
        if (c->slot[i].other == c->slots)
            continue;
        unlink_slot(c, i);
        link_first(c, i);
    }
    c->hits = 0;
}

static void take_out(struct sim_cache *c, uint32_t i)
{
    struct sim_cache_slot *slot = c->slot;

    move_first(c);
    c->used_units -= slot[i].more_units + 1u;
    c->extents--;
    if (c->rng == NULL) {
        unlink_slot(c, i);
    } else {
        uint32_t last = slot[c->extents].other;
        slot[slot[i].at].other = last;
        slot[last].at = slot[i].at;
    }
    for (uint32_t j = next_slot(c, i); slot[j].key != 0; j = next_slot(c, j)) {
        uint32_t home = home_of(c, slot[j].key);
        bool between = i <= j ? i < home && home <= j : i < home || home <= j;
        if (between)
            continue;
        shift(c, j, i);
        i = j;
    }
    slot[i].key = 0;
}

static void make_recent(struct sim_cache *c, uint32_t i)
{
    if (c->rng != NULL)
        return;
    __builtin_prefetch(&c->slot[c->slot[i].other]);
    __builtin_prefetch(&c->slot[c->slot[i].at]);
    if (c->hits == SIM_CACHE_LATE)
        move_first(c);
    c->hit[c->hits++] = i;
}

void sim_cache_foresee(const struct sim_cache *c, uint64_t key)
{
    if (c->extents > 0)
        __builtin_prefetch(&c->slot[home_of(c, key)], 1);
}

bool sim_cache_hit(struct sim_cache *c, uint64_t key)
{
    if (c->extents == 0)
        return false;
    uint32_t i = find(c, key);
    if (c->slot[i].key == 0)
        return false;
    make_recent(c, i);
    return true;
}

bool sim_cache_grow(struct sim_cache *c, uint64_t key, unsigned units)
{
    if (c->extents == 0)
        return false;
    uint32_t i = find(c, key);
    struct sim_cache_slot *slot = &c->slot[i];
    if (slot->key == 0)
        return false;
    if (units > slot->more_units + 1u) {
        c->used_units += units - 1 - slot->more_units;
        slot->more_units = (units - 1) & (SIM_CACHE_UNITS - 1);
    }
    make_recent(c, i);
    return true;
}

bool sim_cache_fits(const struct sim_cache *c, unsigned units)
{
    return c->extents < c->extents_max && c->used_units + units <= c->room_units;
}

bool sim_cache_give(struct sim_cache *c, unsigned units, struct sim_extent *out)
{
    if (c->extents == 0 || sim_cache_fits(c, units))
        return false;
    move_first(c);
    uint32_t i =
        c->rng != NULL ? c->slot[rng_below(c->rng, c->extents)].other : c->slot[c->slots].other;
    out->key = c->slot[i].key;
    out->units = c->slot[i].more_units + 1u;
    take_out(c, i);
    return true;
}

void sim_cache_put(struct sim_cache *c, uint64_t key, unsigned units)
{
    uint32_t i = find(c, key);
    struct sim_cache_slot *slot = &c->slot[i];

    move_first(c);
    slot->key = key;
    slot->more_units = (units - 1) & (SIM_CACHE_UNITS - 1);
    c->used_units += units;
    if (c->rng != NULL) {
        slot->at = c->extents & SLOTS_MAX;
        c->slot[c->extents].other = i;
    } else {
        link_first(c, i);
    }
    c->extents++;
}

static void drop_by_sweep(struct sim_cache *c, uint64_t first_key, uint64_t last_key)
{
    for (uint32_t i = 0; i < c->slots;)
        if (c->slot[i].key >= first_key && c->slot[i].key <= last_key)
            take_out(c, i); /* and look at what has been shifted here */
        else
            i++;
}

void sim_cache_drop(struct sim_cache *c, uint32_t file, uint64_t first, uint64_t last)
{
    if (c->extents == 0 || first > last)
        return;
    if (last - first > c->slots / 4) {
        drop_by_sweep(c, sim_extent_key(file, first), sim_extent_key(file, last));
        return;
    }
    for (uint64_t extent = first; extent <= last; extent++) {
        uint32_t i = find(c, sim_extent_key(file, extent));
        if (c->slot[i].key != 0)
            take_out(c, i);
    }
}
