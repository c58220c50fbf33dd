/* Visits of flash, path, log and, for what must be stable at once, disks. */
#include "target/sim_flush_priv.h"

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* One visit for each extent, so that devices work side by side. */
uint64_t sim_store_flash(struct sim_store *s, const struct sim_found *found)
{
    const struct sim_flash *flash = &s->profile.flash;
    uint64_t leaves = sim_net_now(s->net);

    for (uint64_t rest = found->bytes[SIM_TIER_FLASH]; rest > 0;) {
        uint64_t bytes = rest < s->profile.extent_bytes ? rest : s->profile.extent_bytes;
        uint64_t service = sim_time_draw(&flash->read, sim_net_rng(s->net)) +
                           sim_bytes_ns(bytes, flash->read_bytes_s);
        leaves = later(leaves, sim_net_visit(s->net, (unsigned)s->flash_devices, service));
        rest -= bytes;
    }
    s->sum.flash_read_bytes += found->bytes[SIM_TIER_FLASH];
    return leaves;
}

uint64_t sim_store_disks(struct sim_store *s, const struct sim_found *found)
{
    return sim_disks_read(&s->disks, found->file, found->disk_off, found->bytes[SIM_TIER_DISK],
                          found->sequential ? SIM_DISK_FOLLOWS : SIM_DISK_SEEKS);
}

uint64_t sim_store_path(struct sim_store *s, const struct sim_found *found)
{
    const struct sim_way *path = &s->profile.path;
    uint64_t bytes = found->bytes[SIM_TIER_DISK];

    if (s->path < 0 || bytes == 0)
        return sim_net_now(s->net);
    return sim_net_visit(s->net, (unsigned)s->path,
                         path->op_ns + sim_bytes_ns(bytes, path->read_bytes_s));
}

uint64_t sim_path_write(struct sim_store *s, uint64_t bytes)
{
    const struct sim_way *path = &s->profile.path;

    if (s->path < 0)
        return sim_net_now(s->net);
    if (path->mirrored)
        bytes = sim_disks_physical(&s->disks, bytes);
    return sim_net_visit(s->net, (unsigned)s->path,
                         path->op_ns + sim_bytes_ns(bytes, path->write_bytes_s));
}

/* ---- sync ---- */

uint64_t sim_store_log(struct sim_store *s, uint64_t bytes)
{
    const struct sim_log *log = &s->profile.log;

    if (s->log < 0)
        return sim_net_now(s->net);
    s->sum.log_writes++;
    s->sum.log_bytes += bytes;
    return sim_net_visit(s->net, (unsigned)s->log,
                         sim_time_draw(&log->write, sim_net_rng(s->net)) +
                             sim_bytes_ns(bytes, log->write_bytes_s));
}

/* The file's dirty extents, those that overlap with the place unless `all`, taken and written. What already flies
 * has been waited for, see sim_store_land. */
static uint64_t write_out(struct sim_store *s, struct sim_dirty_file *file, uint64_t off,
                          uint64_t bytes, bool all)
{
    struct sim_place place = sim_place_of(s, file->number, off, bytes);
    uint64_t written = 0;
    uint64_t leaves = sim_net_now(s->net);
    uint32_t next;

    for (uint32_t i = file->first; i != SIM_DIRTY_NONE; i = next) {
        struct sim_dirty_extent *e = &s->dirty.extent[i];
        next = e->file_next;
        if (!e->queued || (!all && !sim_place_has(place, e->key)))
            continue;
        sim_dirty_take(&s->dirty, i);
        written += (uint64_t)__builtin_popcountll(e->flying) * sim_dirty_block_bytes(&s->dirty);
        if (!s->profile.disks.write_cache)
            sim_flush_add_runs(s, e);
        sim_dirty_clean(&s->dirty, i, 0);
    }
    if (written == 0)
        return leaves;
    leaves = later(leaves, sim_path_write(s, written));
    if (!s->profile.disks.write_cache)
        return later(leaves, sim_disks_write(&s->disks, SIM_DISK_SEEKS));
    for (uint64_t rest = written; rest > 0;) {
        uint64_t part = rest < s->flush.job_bytes ? rest : s->flush.job_bytes;
        leaves = later(leaves, sim_disks_gather(&s->disks, part, SIM_DISK_SEEKS));
        rest -= part;
    }
    return leaves;
}

uint64_t sim_store_sync(struct sim_store *s, uint32_t file, uint64_t off, uint64_t bytes)
{
    struct sim_dirty_file *dirty = sim_dirty_file_of(&s->dirty, file);
    uint64_t leaves;

    if (s->log >= 0) {
        leaves = sim_store_log(s, bytes);
        if (dirty != NULL)
            dirty->unstable_bytes -= bytes < dirty->unstable_bytes ? bytes : dirty->unstable_bytes;
        return leaves;
    }
    if (dirty == NULL || bytes == 0)
        return sim_net_now(s->net);
    leaves = write_out(s, dirty, off, bytes, bytes >= dirty->unstable_bytes);
    s->flush.synced_ns = later(s->flush.synced_ns, leaves);
    sim_flush_release(s);
    return leaves;
}

uint64_t sim_store_dirty(const struct sim_store *s, uint32_t file)
{
    const struct sim_dirty_file *dirty = sim_dirty_file_of(&s->dirty, file);

    return dirty != NULL ? dirty->unstable_bytes : 0;
}

void sim_store_sum(const struct sim_store *s, struct sim_store_sum *out)
{
    *out = s->sum;
    out->disk_read_bytes = s->disks.sum.read_bytes;
    out->disk_written_bytes = s->disks.sum.written_bytes;
    out->disk_reads = s->disks.sum.reads;
    out->disk_writes = s->disks.sum.writes;
    out->dirty_bytes = s->dirty.bytes;
    out->dirty_waits = s->flush.waits;
    out->dirty_wait_ns = s->flush.wait_ns;
}
