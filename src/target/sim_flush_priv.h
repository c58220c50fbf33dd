/* target/sim_flush_priv.h — the inside of a modelled store: its parts, and how dirty data gets to the disks.
 * Shape    struct sim_store is caches, dirty data, disks and the stations between. The flusher (sim_flush.c) has a
 *          number of jobs; each takes dirty extents through path and disks, as an event of the net. It is
 *          looked after (sim_flush_pump) whenever something has become dirty or a job is done.
 * Limits   extents are written when they have been dirty for a second, sooner above half the limit or when somebody
 *          waits. With [disks] write_cache a job takes the oldest, whatever their place, a row of stripes or so;
 *          without, the oldest and what lies dirty around it in the same file.
 * Errors   none.      Threads  single owner. */
#ifndef LOADLINE_TARGET_SIM_FLUSH_PRIV_H
#define LOADLINE_TARGET_SIM_FLUSH_PRIV_H

#include "target/sim_cache_priv.h"
#include "target/sim_dirty_priv.h"
#include "target/sim_disks_priv.h"
#include "target/sim_store_priv.h"

struct sim_waiters {
    struct sim_waiter *first;
    struct sim_waiter *last;
};

/* One write-back under way. */
struct sim_flush_job {
    struct sim_event event; /* first, so that it leads here */
    struct sim_store *store;
    struct sim_flush_job *next_free;
    struct sim_waiter *waiter; /* without dirty data: whose write it is */
    uint32_t first;            /* extents taken, in their order; SIM_DIRTY_NONE with a waiter's */
    uint32_t file;             /* a waiter's place */
    uint64_t off;
    uint64_t bytes;
    enum sim_disk_start start;
};

struct sim_flush {
    struct sim_event timer; /* first in the store's `flush`, which leads to the store */
    bool timer_set;
    uint64_t timer_ns;
    struct sim_flush_job *job;
    struct sim_flush_job *free;
    unsigned jobs;
    unsigned on_path; /* jobs, of path's servers and their queue */
    unsigned on_path_max;
    uint64_t job_bytes; /* what one takes at most, about */
    uint64_t paced_ns;  /* no job before it, for drain */
    uint64_t synced_ns; /* when the last write past the flusher is on the disks */
    struct sim_waiters writes;
    struct sim_waiters settles;
    struct sim_waiters lands;
    uint32_t flights; /* jobs begun */
    uint64_t waits;
    uint64_t wait_ns;
};

struct sim_store {
    struct sim_flush flush; /* first */
    struct sim_profile profile;
    struct sim_net *net;
    struct sim_cache dram;
    struct sim_cache flash;
    struct sim_dirty dirty;
    struct sim_disk_array disks;
    int path; /* stations; < 0: none */
    int flash_devices;
    int log;
    uint64_t *size; /* of files, as far as the store has seen; UINT64_MAX: not known */
    uint32_t sizes;
    bool sizes_short; /* there was no memory for one: of files behind `sizes` nothing is known */
    struct sim_store_sum sum;
};

__attribute__((warn_unused_result)) int sim_flush_init(struct sim_store *s);
void sim_flush_fini(struct sim_store *s);
void sim_flush_pump(struct sim_store *s);
/* Dirty data has become less: whoever waits for that goes on. */
void sim_flush_release(struct sim_store *s);

/* Keys of the first and the last extent of a place, which is not empty. */
struct sim_place {
    uint64_t first;
    uint64_t last;
};

static inline struct sim_place sim_place_of(const struct sim_store *s, uint32_t file, uint64_t off,
                                            uint64_t bytes)
{
    return (struct sim_place){
        .first = sim_extent_key(file, off / s->profile.extent_bytes),
        .last = sim_extent_key(file, (off + bytes - 1) / s->profile.extent_bytes)};
}

static inline bool sim_place_has(struct sim_place p, uint64_t key)
{
    return key >= p.first && key <= p.last;
}

void sim_waiters_add(struct sim_waiters *list, struct sim_waiter *w);
/* The first, of a list that is not empty. */
struct sim_waiter *sim_waiters_take(struct sim_waiters *list);
/* Whether it was there. */
bool sim_waiters_forget(struct sim_waiters *list, const struct sim_waiter *w);

/* Books a write of the path at the present. */
uint64_t sim_path_write(struct sim_store *s, uint64_t bytes);
/* What flies of an extent, added to what sim_disks_write will write. */
void sim_flush_add_runs(struct sim_store *s, const struct sim_dirty_extent *e);
/* Into DRAM, and into dirty data where there is any. */
void sim_store_take(struct sim_store *s, uint32_t file, uint64_t off, uint64_t len);

#endif
