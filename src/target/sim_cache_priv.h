/* target/sim_cache_priv.h — which extents a modelled cache holds.
 * Shape    sim_cache_hit looks an extent up and makes it the most recent; sim_cache_give gives up one where
 *          room is needed, sim_cache_put then puts the new one in. An extent of a small file is smaller than
 *          others and takes only its own room.
 * Units    bytes; room is counted in units of 1/64 of an extent. A key is sim_extent_key of file and place.
 * Limits   24 bytes of memory an extent, 40 million extents. Small files: as many extents as 64 times what
 *          whole ones would be, 1 million at most where whole ones are fewer.
 * Errors   -ENOMEM; -EINVAL for a cache of more extents than that.
 * Threads  single owner.
 * Source   tests/unit/test_sim_cache.c; open addressing with linear probing and removal by shifting back
 *          (Knuth, 6.4, algorithm R), the list of recency inside the table. */
#ifndef LOADLINE_TARGET_SIM_CACHE_PRIV_H
#define LOADLINE_TARGET_SIM_CACHE_PRIV_H

#include "base/rng.h"
#include "target/sim_profile_priv.h"

#include <stdbool.h>
#include <stdint.h>

#define SIM_CACHE_UNITS 64 /* of one extent */
#define SIM_CACHE_LATE  32 /* hits whose place in the list is not yet mended */

struct sim_cache_slot {
    uint64_t key; /* 0: empty */
    /* LRU: slots of the more and the less recent one. Random: `other` of slot i is the slot of the i-th
     * extent, whatever is in slot i itself, and `at` is which extent of that order is here. */
    uint32_t other;
    uint32_t at : 26;
    uint32_t more_units : 6; /* less one */
};

struct sim_cache {
    struct sim_cache_slot *slot; /* [slots + 1]; the last is where the list begins and ends */
    struct rng *rng;             /* NULL: LRU */
    uint64_t room_units;
    uint64_t used_units;
    uint32_t slots;
    uint32_t extents;
    uint32_t extents_max; /* 0: no cache */
    uint32_t hits;
    uint32_t hit[SIM_CACHE_LATE]; /* slots, in order */
};

struct sim_extent {
    uint64_t key;
    unsigned units;
};

static inline uint64_t sim_extent_key(uint32_t file, uint64_t extent)
{
    return (file + (uint64_t)1) << 32 | (uint32_t)extent;
}

/* Of a larger one two extents would have one key. */
static inline uint64_t sim_file_bytes_max(uint32_t extent_bytes)
{
    return UINT32_MAX * (uint64_t)extent_bytes;
}

/* `rng` is for random replacement and outlives the cache. */
__attribute__((warn_unused_result)) int sim_cache_init(struct sim_cache *c, uint64_t bytes,
                                                       uint32_t extent_bytes,
                                                       enum sim_replace replace, struct rng *rng);
void sim_cache_fini(struct sim_cache *c);

/* It will be looked up soon: the processor fetches its place meanwhile. */
void sim_cache_foresee(const struct sim_cache *c, uint64_t key);
bool sim_cache_hit(struct sim_cache *c, uint64_t key);
/* As sim_cache_hit, and the extent has at least `units` from now on. */
bool sim_cache_grow(struct sim_cache *c, uint64_t key, unsigned units);
/* Gives one up if `units` more would be too much. */
bool sim_cache_give(struct sim_cache *c, unsigned units, struct sim_extent *out);
/* It is not there yet, and room has been made. */
void sim_cache_put(struct sim_cache *c, uint64_t key, unsigned units);
/* Whether `units` more fit without anything being given up. */
bool sim_cache_fits(const struct sim_cache *c, unsigned units);
/* Of one file, extents first … last (inclusive). */
void sim_cache_drop(struct sim_cache *c, uint32_t file, uint64_t first, uint64_t last);

#endif
