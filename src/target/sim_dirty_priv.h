/* target/sim_dirty_priv.h — what a modelled server has taken and not yet written to its disks.
 * Shape    sim_dirty_add marks bytes of an extent; whoever writes back takes extents (sim_dirty_take), oldest first
 *          or by place, and says when their bytes are on the disks (sim_dirty_clean). An extent that is
 *          written to meanwhile is dirty again behind that.
 * Units    bytes, counted in blocks of 1/64 of an extent; ms since some beginning.
 * Limits   a fixed number of extents, with as many files; sim_dirty_room says whether there is still room.
 *          Memory per extent that may be dirty: 120 bytes.
 * Errors   -ENOMEM on making.
 * Threads  single owner.
 * Source   tests/unit/test_sim_dirty.c. */
#ifndef LOADLINE_TARGET_SIM_DIRTY_PRIV_H
#define LOADLINE_TARGET_SIM_DIRTY_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#define SIM_DIRTY_NONE UINT32_MAX

struct sim_dirty_extent {
    uint64_t key;      /* sim_extent_key */
    uint64_t blocks;   /* dirty, a bit each */
    uint64_t flying;   /* being written */
    uint32_t file;     /* number in file[] */
    uint32_t since_ms; /* when it joined the queue */
    uint32_t next;     /* of the queue, what has been taken, or what is free */
    uint32_t previous; /* of the queue */
    uint32_t file_next;
    uint32_t file_previous;
    uint32_t chain;  /* others of its bucket */
    uint32_t flight; /* the taker's: which of its write-backs has what flies */
    bool queued;
};

struct sim_dirty_file {
    uint32_t number;
    uint32_t first; /* its extents */
    uint32_t last;
    uint32_t chain; /* others of its bucket, or what is free */
    uint64_t dirty_bytes;
    uint64_t unstable_bytes; /* written since a sync */
    uint64_t continues;      /* key of the extent at which the last write-back of it ended */
};

struct sim_dirty {
    struct sim_dirty_extent *extent; /* [max] */
    struct sim_dirty_file *file;     /* [max] */
    uint32_t *extent_bucket;         /* [mask + 1] */
    uint32_t *file_bucket;
    uint32_t mask;
    uint32_t max;
    uint32_t used;
    uint32_t free_extent;
    uint32_t free_file;
    uint32_t oldest; /* of the queue */
    uint32_t newest;
    uint32_t extent_bytes;
    uint64_t bytes;       /* dirty and flying */
    uint64_t taken_bytes; /* ever added */
};

__attribute__((warn_unused_result)) int sim_dirty_init(struct sim_dirty *d, uint32_t extents,
                                                       uint32_t extent_bytes);
void sim_dirty_fini(struct sim_dirty *d);

bool sim_dirty_room(const struct sim_dirty *d, uint64_t len);
/* Of one file. What there is no room for is not kept. */
void sim_dirty_add(struct sim_dirty *d, uint32_t file, uint64_t off, uint64_t len, uint32_t now_ms);
/* The extent's number when it waits to be written, else SIM_DIRTY_NONE. */
uint32_t sim_dirty_queued(const struct sim_dirty *d, uint64_t key);
bool sim_dirty_has(const struct sim_dirty *d, uint64_t key); /* dirty or flying */
/* The file's, NULL when it has none. */
struct sim_dirty_file *sim_dirty_file_of(const struct sim_dirty *d, uint32_t file);

/* A queued one: its dirty blocks fly. */
void sim_dirty_take(struct sim_dirty *d, uint32_t extent);
/* What flew is on the disks. */
void sim_dirty_clean(struct sim_dirty *d, uint32_t extent, uint32_t now_ms);
/* From `size` on need not be written; what flies is let be. */
void sim_dirty_cut(struct sim_dirty *d, uint32_t file, uint64_t size);

static inline uint64_t sim_dirty_block_bytes(const struct sim_dirty *d)
{
    return d->extent_bytes / 64;
}

#endif
