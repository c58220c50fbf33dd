/* What a server's memory and devices do with a read or a write. An extent that is missing is in DRAM from the look-up
 * on, not from the disks' answer on: whoever asks for it meanwhile does not wait. */
#include "target/sim_flush_priv.h"

#include <errno.h>
#include <stdlib.h>

#define DIRTY_EXTENTS_MIN 65536u
#define FILES_MAX         (1u << 27) /* of known size */

/* ---- making ---- */

static int station(struct sim_net *net, const char *name, unsigned servers, enum sim_spread spread)
{
    struct sim_station_spec spec = {
        .servers = servers, .spread = spread, .slow_by = 1, .slow_of = 1};

    for (size_t i = 0; name[i] != '\0'; i++)
        spec.name[i] = name[i];
    return sim_net_station(net, &spec);
}

static int make_stations(struct sim_store *s)
{
    const struct sim_profile *p = &s->profile;
    bool path = p->path.read_bytes_s > 0 || p->path.write_bytes_s > 0 || p->path.op_ns > 0;

    s->path = s->flash_devices = s->log = -1;
    if (path) {
        s->path =
            station(s->net, "path", p->path.servers > 0 ? p->path.servers : 1, p->path.spread);
        if (s->path < 0)
            return s->path;
    }
    if (p->flash.on) {
        s->flash_devices =
            station(s->net, "flash", p->flash.devices > 0 ? p->flash.devices : 1, SIM_FIXED);
        if (s->flash_devices < 0)
            return s->flash_devices;
    }
    if (p->log.on)
        s->log = station(s->net, "log", p->log.devices > 0 ? p->log.devices : 1, SIM_FIXED);
    return p->log.on && s->log < 0 ? s->log : 0;
}

static int make_caches(struct sim_store *s)
{
    const struct sim_profile *p = &s->profile;
    struct rng *rng = sim_net_rng(s->net);
    uint64_t flash_bytes = p->flash.on ? p->flash.bytes : 0;
    int rc = sim_cache_init(&s->dram, p->dram.bytes, p->extent_bytes, p->dram.replace, rng);

    if (rc == 0)
        rc = sim_cache_init(&s->flash, flash_bytes, p->extent_bytes, p->flash.replace, rng);
    return rc;
}

static int make_dirty(struct sim_store *s)
{
    const struct sim_dram *dram = &s->profile.dram;
    uint64_t most = dram->dirty_limit_bytes < dram->bytes ? dram->dirty_limit_bytes : dram->bytes;

    return sim_dirty_init(&s->dirty, (uint32_t)(most / s->profile.extent_bytes) + DIRTY_EXTENTS_MIN,
                          s->profile.extent_bytes);
}

static int make_parts(struct sim_store *s)
{
    int rc = make_dirty(s);

    if (rc == 0)
        rc = make_stations(s);
    if (rc == 0)
        rc = sim_disks_init(&s->disks, &s->profile, s->net);
    return rc == 0 ? sim_flush_init(s) : rc;
}

int sim_store_new(const struct sim_profile *p, struct sim_net *net, struct sim_store **out,
                  struct err *err)
{
    struct sim_store *s = calloc(1, sizeof *s);

    if (s == NULL)
        return err_set(err, -ENOMEM, "no memory for the caches of %s", p->name);
    s->profile = *p;
    s->net = net;
    int rc = make_caches(s);
    if (rc == -EINVAL)
        err_set(err, rc,
                "%s: a cache has more than 40 million extents of %u bytes; a larger extent or a "
                "smaller cache can be modelled",
                p->name, p->extent_bytes);
    if (rc == -ENOMEM)
        err_set(err, rc, "no memory for the caches of %s", p->name);
    if (rc == 0) {
        rc = make_parts(s);
        if (rc < 0)
            err_sys(err, rc, "%s: cannot make its disks and what is before them", p->name);
    }
    if (rc < 0) {
        sim_store_free(s);
        return rc;
    }
    *out = s;
    return 0;
}

void sim_store_free(struct sim_store *s)
{
    if (s == NULL)
        return;
    sim_flush_fini(s);
    sim_disks_fini(&s->disks);
    sim_dirty_fini(&s->dirty);
    sim_cache_fini(&s->dram);
    sim_cache_fini(&s->flash);
    free(s->size);
    free(s);
}

/* ---- sizes ---- */

/* Room for the file in size[], as far as there is memory. */
static bool size_room(struct sim_store *s, uint32_t file)
{
    bool was_short = s->sizes_short;
    if (file < s->sizes)
        return true;
    s->sizes_short = true; /* unless there is room */
    if (file >= FILES_MAX)
        return false;
    uint32_t sizes = s->sizes > 0 ? s->sizes : 1024;
    while (sizes <= file)
        sizes *= 2;
    uint64_t *size = realloc(s->size, sizes * sizeof *size);
    if (size == NULL)
        return false;
    for (uint32_t i = s->sizes; i < sizes; i++)
        size[i] = 0;
    s->size = size;
    s->sizes = sizes;
    s->sizes_short = was_short;
    return true;
}

static uint64_t known_size(const struct sim_store *s, uint32_t file)
{
    return file < s->sizes ? s->size[file] : UINT64_MAX;
}

/* Of what may be in a cache. Nothing is of a file that never came here: removing 10,000 empty files swept through
 * all of a cache for each. */
static uint64_t held_size(const struct sim_store *s, uint32_t file)
{
    return file >= s->sizes && !s->sizes_short ? 0 : known_size(s, file);
}

static void size_at_least(struct sim_store *s, uint32_t file, uint64_t size)
{
    if (size_room(s, file) && s->size[file] < size)
        s->size[file] = size;
}

/* Of a file that is read before anything was said of it, extents are whole. */
static void size_read(struct sim_store *s, uint32_t file, uint64_t extent, uint64_t until)
{
    if (known_size(s, file) < until || file >= s->sizes)
        size_at_least(s, file, (extent + 1) * s->profile.extent_bytes);
}

/* Bytes of an extent, whole units. */
static unsigned units_of(const struct sim_store *s, uint32_t file, uint64_t extent)
{
    uint64_t unit = s->profile.extent_bytes / SIM_CACHE_UNITS;
    uint64_t from = extent * s->profile.extent_bytes;
    uint64_t size = known_size(s, file);

    if (size >= from + s->profile.extent_bytes)
        return SIM_CACHE_UNITS;
    return size > from ? (unsigned)((size - from + unit - 1) / unit) : 1;
}

/* ---- caches ---- */

static void flash_put(struct sim_store *s, const struct sim_extent *extent)
{
    struct sim_extent gone;

    if (s->flash.extents_max == 0 || sim_cache_grow(&s->flash, extent->key, extent->units))
        return;
    while (sim_cache_give(&s->flash, extent->units, &gone))
        ;
    sim_cache_put(&s->flash, extent->key, extent->units);
    s->sum.flash_written_bytes +=
        extent->units * (uint64_t)(s->profile.extent_bytes / SIM_CACHE_UNITS);
}

/* It is not there yet. */
static void dram_put(struct sim_store *s, uint64_t key, unsigned units)
{
    struct sim_extent gone = {.key = key, .units = units};

    if (s->dram.extents_max == 0) {
        flash_put(s, &gone);
        return;
    }
    while (sim_cache_give(&s->dram, units, &gone))
        flash_put(s, &gone);
    sim_cache_put(&s->dram, key, units);
}

static void look_beyond_dram(struct sim_store *s, struct sim_found *found, uint64_t extent,
                             uint64_t bytes)
{
    uint64_t key = sim_extent_key(found->file, extent);
    unsigned units = units_of(s, found->file, extent);
    uint64_t whole = units * (uint64_t)(s->profile.extent_bytes / SIM_CACHE_UNITS);

    if (sim_dirty_has(&s->dirty, key)) {
        s->sum.dram_hits++;
        found->bytes[SIM_TIER_DRAM] += bytes;
    } else if (sim_cache_hit(&s->flash, key)) {
        s->sum.flash_hits++;
        found->bytes[SIM_TIER_FLASH] += whole;
    } else {
        s->sum.misses++;
        if (found->bytes[SIM_TIER_DISK] == 0)
            found->disk_off = extent * s->profile.extent_bytes;
        found->bytes[SIM_TIER_DISK] += whole;
    }
    dram_put(s, key, units);
}

static void look_past_dram(struct sim_store *s, struct sim_found *found, uint64_t off,
                           uint64_t bytes)
{
    uint64_t key = sim_extent_key(found->file, off / s->profile.extent_bytes);

    if (sim_cache_hit(&s->flash, key)) {
        s->sum.flash_hits++;
        found->bytes[SIM_TIER_FLASH] += bytes;
        return;
    }
    s->sum.misses++;
    if (found->bytes[SIM_TIER_DISK] == 0)
        found->disk_off = off;
    found->bytes[SIM_TIER_DISK] += bytes;
}

void sim_store_foresee(const struct sim_store *s, uint32_t file, uint64_t off)
{
    sim_cache_foresee(&s->dram, sim_extent_key(file, off / s->profile.extent_bytes));
}

void sim_store_look(struct sim_store *s, struct sim_found *found)
{
    uint64_t size = s->profile.extent_bytes;
    uint64_t off = found->off;
    uint64_t end = off + found->len;

    for (unsigned i = 0; i < SIM_TIERS; i++)
        found->bytes[i] = 0;
    while (off < end) {
        uint64_t extent = off / size;
        uint64_t until = (extent + 1) * size < end ? (extent + 1) * size : end;
        if (found->direct) {
            look_past_dram(s, found, off, until - off);
        } else if (sim_cache_hit(&s->dram, sim_extent_key(found->file, extent))) {
            s->sum.dram_hits++;
            found->bytes[SIM_TIER_DRAM] += until - off;
        } else {
            size_read(s, found->file, extent, until);
            look_beyond_dram(s, found, extent, until - off);
        }
        off = until;
    }
    found->slowest = found->bytes[SIM_TIER_DISK] > 0    ? SIM_TIER_DISK
                     : found->bytes[SIM_TIER_FLASH] > 0 ? SIM_TIER_FLASH
                                                        : SIM_TIER_DRAM;
}

void sim_store_take(struct sim_store *s, uint32_t file, uint64_t off, uint64_t len)
{
    uint64_t size = s->profile.extent_bytes;

    if (len == 0)
        return;
    size_at_least(s, file, off + len);
    for (uint64_t extent = off / size; extent <= (off + len - 1) / size; extent++) {
        uint64_t key = sim_extent_key(file, extent);
        unsigned units = units_of(s, file, extent);
        if (!sim_cache_grow(&s->dram, key, units))
            dram_put(s, key, units);
    }
    if (s->profile.dram.dirty_limit_bytes > 0)
        sim_dirty_add(&s->dirty, file, off, len, (uint32_t)(sim_net_now(s->net) / 1000000));
}

void sim_store_present(struct sim_store *s, uint32_t file, uint64_t len, bool in_dram,
                       bool in_flash)
{
    uint64_t extents = (len + s->profile.extent_bytes - 1) / s->profile.extent_bytes;

    size_at_least(s, file, len);
    for (uint64_t i = 0; i < extents && (in_dram || in_flash); i++) {
        struct sim_extent extent = {.key = sim_extent_key(file, i), .units = units_of(s, file, i)};
        in_dram = in_dram && sim_cache_fits(&s->dram, extent.units);
        in_flash = in_flash && sim_cache_fits(&s->flash, extent.units);
        if (in_dram && !sim_cache_grow(&s->dram, extent.key, extent.units))
            sim_cache_put(&s->dram, extent.key, extent.units);
        if (in_flash && !sim_cache_grow(&s->flash, extent.key, extent.units))
            sim_cache_put(&s->flash, extent.key, extent.units);
    }
}

static uint64_t last_extent(const struct sim_store *s, uint64_t known_bytes)
{
    uint64_t extent_bytes = s->profile.extent_bytes;

    return known_bytes == UINT64_MAX ? UINT32_MAX : (known_bytes + extent_bytes - 1) / extent_bytes;
}

void sim_store_evict(struct sim_store *s, uint32_t file)
{
    sim_cache_drop(&s->dram, file, 0, last_extent(s, held_size(s, file)));
}

void sim_store_cut(struct sim_store *s, uint32_t file, uint64_t size)
{
    uint64_t extent_bytes = s->profile.extent_bytes;
    uint64_t known = held_size(s, file);
    uint64_t first = (size + extent_bytes - 1) / extent_bytes;
    uint64_t last = last_extent(s, known);

    if (known > size) {
        sim_cache_drop(&s->dram, file, first, last);
        sim_cache_drop(&s->flash, file, first, last);
        if (file < s->sizes)
            s->size[file] = size;
    }
    sim_dirty_cut(&s->dirty, file, size);
    sim_flush_release(s);
}
