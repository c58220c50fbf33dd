/* target/sim_store_priv.h — what a modelled server does with bytes: DRAM and flash caches, dirty data, log, disks.
 * Shape    a file is a number that the caller gives (names are sim_names_priv.h's). Reading: sim_store_look says
 *          from which tier each byte comes and keeps the caches; then, each at its own time, sim_store_flash,
 *          sim_store_disks and sim_store_path visit the stations for what was found and say when it is left.
 *          Writing: sim_store_write takes bytes as dirty, now or, at the dirty limit, later (a waiter is
 *          fired); a flusher of the store's own brings them to the disks through path and disks.
 * Units    bytes, ns of the net's clock.
 * Limits   caches know extents (profile.extent_bytes); a part of one read is all of it read from disk into the cache, as
 *          a file system's record. Placement is a function of file and place: stripes go round the sets, files begin
 *          at a set drawn from their number. Memory is bounded by the caches' sizes: 24 bytes an extent at most.
 * Errors   -ENOMEM on making; nothing fails after it (an extent that there is no memory for is not cached).
 * Threads  single owner.
 * Source   tests/unit/test_sim_cache.c, test_sim_disks.c, tests/truth/test_sim_store.c. */
#ifndef LOADLINE_TARGET_SIM_STORE_PRIV_H
#define LOADLINE_TARGET_SIM_STORE_PRIV_H

#include "target/sim_profile_priv.h"

struct sim_store;

enum sim_tier { SIM_TIER_DRAM, SIM_TIER_FLASH, SIM_TIER_DISK, SIM_TIERS };

/* One read, as found. bytes of whole extents for flash and disk, of the op for DRAM and all of a direct one. */
struct sim_found {
    uint32_t file;
    uint64_t off;
    uint64_t len;
    bool sequential;
    bool direct; /* DRAM is not looked into and keeps nothing of it; just these bytes are read */
    uint64_t bytes[SIM_TIERS];
    enum sim_tier slowest;
    uint64_t disk_off; /* the store's own: the first extent that comes from disk */
};

struct sim_waiter {
    struct sim_event event; /* fired when the write has been taken; filled in by the caller */
    uint32_t file;
    uint64_t off;
    uint64_t len;
    /* The store's own. */
    struct sim_waiter *next;
    uint64_t mark;
};

/* Totals since it was made. */
struct sim_store_sum {
    uint64_t disk_read_bytes; /* at the disks: parity and copies included */
    uint64_t disk_written_bytes;
    uint64_t disk_reads; /* visits of disks */
    uint64_t disk_writes;
    uint64_t flash_read_bytes;
    uint64_t flash_written_bytes;
    uint64_t log_writes;
    uint64_t log_bytes;
    uint64_t dram_hits; /* extents looked up */
    uint64_t flash_hits;
    uint64_t misses;
    uint64_t dirty_bytes; /* at present */
    uint64_t dirty_waits; /* writes that met the limit */
    uint64_t dirty_wait_ns;
};

__attribute__((warn_unused_result)) int sim_store_new(const struct sim_profile *p,
                                                      struct sim_net *net, struct sim_store **out,
                                                      struct err *err);
void sim_store_free(struct sim_store *s);

/* A read of it is on its way. Changes nothing. */
void sim_store_foresee(const struct sim_store *s, uint32_t file, uint64_t off);
void sim_store_look(struct sim_store *s, struct sim_found *found);
/* At the present; the time when all is there. 0 bytes: the present. */
uint64_t sim_store_flash(struct sim_store *s, const struct sim_found *found);
uint64_t sim_store_disks(struct sim_store *s, const struct sim_found *found);
uint64_t sim_store_path(struct sim_store *s, const struct sim_found *found);

/* true: taken now, and w is not used. */
bool sim_store_write(struct sim_store *s, struct sim_waiter *w);
/* Before sim_store_sync: true when nothing of the place is on its way to the disks that would have to be waited for;
 * else w is fired when it is there. */
bool sim_store_land(struct sim_store *s, struct sim_waiter *w);
/* What makes `bytes` of a file stable: a write of the log device, or, where there is none, the file's dirty bytes
 * written to the disks themselves, positioning included. Departure. */
uint64_t sim_store_sync(struct sim_store *s, uint32_t file, uint64_t off, uint64_t bytes);
/* A write of the log device that is of no file's bytes. Departure; without a log, the present. */
uint64_t sim_store_log(struct sim_store *s, uint64_t bytes);
/* Dirty bytes of the file. */
uint64_t sim_store_dirty(const struct sim_store *s, uint32_t file);

/* Bytes that are there beforehand, put into caches as far as they have room. */
void sim_store_present(struct sim_store *s, uint32_t file, uint64_t len, bool in_dram,
                       bool in_flash);
/* Leaves DRAM; what is dirty is written nevertheless. */
void sim_store_evict(struct sim_store *s, uint32_t file);
/* From `size` on the file is gone: its extents leave the caches, its dirty bytes need not be written. */
void sim_store_cut(struct sim_store *s, uint32_t file, uint64_t size);
/* Everything dirty is on the disks: fired then; at once (true) when nothing is. */
bool sim_store_settle(struct sim_store *s, struct sim_waiter *w);

/* A write, settle or land that has not been fired yet will not be: it waits no longer, or its event is not asked for. */
void sim_store_forget(struct sim_store *s, struct sim_waiter *w);

void sim_store_sum(const struct sim_store *s, struct sim_store_sum *out);

#endif
