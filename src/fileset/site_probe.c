/* Whether this machine's cache can be kept out of reading: tried, never assumed from the name of
 * the file system. */
#include "fileset/site_priv.h"

#include "base/rng.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#define PROBE_BYTES ((size_t)256 * 1024)
#define PROBE_ALIGN 4096 /* direct I/O wants aligned memory */

struct probe {
    struct site *site;
    const char *leaf; /* in the directory we are in */
    bool own;         /* made by us: may be made again */
    uint64_t bytes;   /* of the file, PROBE_BYTES at the most are read */
    uint64_t piece;   /* read and written at once */
    unsigned char *buf;
};

static int open_probe(struct probe *p, uint32_t flags, uint64_t *handle)
{
    struct op op = {.kind = OP_OPEN,
                    .flags = OP_FLAG_READ | flags,
                    .node = site_node(p->site),
                    .leaf = p->leaf};
    int rc = (int)site_do_op(p->site, &op);

    if (rc == 0)
        *handle = op.handle;
    return rc;
}

/* The length asked for is whole pages even where the file's is not: direct I/O takes no other. */
static int read_probe(struct probe *p, uint64_t handle)
{
    for (uint64_t done = 0; done < p->bytes;) {
        int64_t n = site_do(p->site, (struct op){.kind = OP_READ,
                                                 .handle = handle,
                                                 .buf = p->buf,
                                                 .off = done,
                                                 .len = MIN(p->piece, PROBE_BYTES - done)});
        if (n <= 0)
            return n < 0 ? (int)n : -ENODATA;
        done += (uint64_t)n;
    }
    return 0;
}

static int64_t resident(struct probe *p, uint64_t handle)
{
    return site_do(p->site, (struct op){.kind = OP_RESIDENT, .handle = handle, .len = p->bytes});
}

static int unlink_probe(struct probe *p)
{
    return (int)site_do(
        p->site, (struct op){.kind = OP_UNLINK, .node = site_node(p->site), .leaf = p->leaf});
}

static int write_probe(struct probe *p, uint32_t flags)
{
    struct op create = {
        .kind = OP_CREATE, .flags = flags, .node = site_node(p->site), .leaf = p->leaf};
    int64_t rc = unlink_probe(p);
    struct rng rng;

    if (rc < 0 && rc != -ENOENT)
        return (int)rc;
    rc = site_do_op(p->site, &create);
    if (rc < 0)
        return (int)rc;
    rng_seed(&rng, 1);
    for (size_t at = 0; at < p->bytes; at += sizeof(uint64_t)) {
        uint64_t word = rng_next(&rng);
        memcpy(p->buf + at, &word, sizeof word);
    }
    for (size_t done = 0; rc >= 0 && done < p->bytes; done += (size_t)rc) {
        rc = site_do(p->site, (struct op){.kind = OP_WRITE,
                                          .handle = create.handle,
                                          .buf = p->buf + done,
                                          .off = done,
                                          .len = MIN(p->piece, p->bytes - done)});
        if (rc == 0)
            rc = -ENOSPC;
    }
    if (rc >= 0)
        rc = site_do(p->site, (struct op){.kind = OP_SYNCFS, .node = site_node(p->site)});
    site_let_go(p->site, create.handle);
    return rc < 0 ? (int)rc : 0;
}

/* ---- the second witness ---- */

struct device_bytes {
    bool told;
    uint64_t bytes;
};

static void note_device_bytes(void *ctx, const char *key, const char *value, const char *unit)
{
    struct device_bytes *read = ctx;

    (void)unit;
    if (strcmp(key, "read_bytes") == 0)
        read->told = sscanf(value, "%" SCNu64, &read->bytes) == 1;
}

static struct device_bytes device_bytes(struct site *site)
{
    struct device_bytes read = {0};
    const struct target_sink sink = {.put = note_device_bytes, .ctx = &read};

    if (site->table->counters != NULL)
        site->table->counters(site->target, &sink);
    return read;
}

/* Of what is not in the cache. Some file systems never count (FUSE), some count what came out of a
 * cache of their own (ZFS). Reading ahead may fetch more than was asked for. */
static int read_counted(struct probe *p, uint64_t handle, bool *counted)
{
    struct device_bytes before = device_bytes(p->site);
    int rc = read_probe(p, handle);
    struct device_bytes after = device_bytes(p->site);
    uint64_t moved = after.bytes - before.bytes;

    *counted = rc == 0 && before.told && after.told && p->bytes >= PROBE_ALIGN &&
               moved >= p->bytes / 10 * 9 && moved <= 2 * p->bytes;
    return rc;
}

/* ---- the first ---- */

/* Pages must be seen to come before their absence proves anything: a file system with a cache of its
 * own (ZFS, overlayfs) never shows any, and would pass for dropped and for direct. */
static void try_drop(struct probe *p, struct site_witness *out)
{
    uint64_t handle = 0;

    if (open_probe(p, 0, &handle) < 0)
        return;
    out->pages_seen = read_probe(p, handle) == 0 && resident(p, handle) > 0;
    if (site_do(p->site, (struct op){.kind = OP_EVICT, .handle = handle}) == 0) {
        if (out->pages_seen && resident(p, handle) == 0)
            out->cache = SITE_CACHE_DROP;
        (void)read_counted(p, handle, &out->reads_counted);
    }
    site_let_go(p->site, handle);
}

/* Proves nothing on a file that is wholly cached already, so our own one is made anew without the
 * cache. */
static bool direct_works(struct probe *p, struct site_witness *out)
{
    uint64_t handle = 0;
    int64_t before;
    int64_t after;

    if ((p->own && write_probe(p, OP_FLAG_DIRECT) < 0) ||
        open_probe(p, OP_FLAG_DIRECT, &handle) < 0)
        return false;
    before = resident(p, handle);
    after = read_counted(p, handle, &out->reads_counted) == 0 ? resident(p, handle) : -1;
    site_let_go(p->site, handle);
    return before >= 0 && (uint64_t)before < p->bytes && after >= 0 && after <= before;
}

static void try_file(struct probe *p, struct site_witness *out)
{
    try_drop(p, out);
    if (out->cache != SITE_CACHE_DROP && out->pages_seen && direct_works(p, out))
        out->cache = SITE_CACHE_DIRECT;
}

/* ---- a file that is there already ---- */

/* The place with the longest files among those there are. Nothing there proves nothing. */
static int longest_place(struct site *site, const struct site_shape *shape, char *buf,
                         char leaf[FILESET_LEAF_MAX])
{
    const struct target_dirent *entry;
    struct site_list list;
    uint64_t longest = 0;
    uint64_t bytes;
    int rc;

    leaf[0] = '\0';
    site_list_start(&list, site, site_node(site), buf);
    while ((rc = site_list_next(&list, &entry)) > 0) {
        if (entry->type != TARGET_TYPE_DIR || !site_place_ok(shape, entry->name, &bytes) ||
            (leaf[0] != '\0' && bytes <= longest))
            continue;
        longest = bytes;
        memcpy(leaf, entry->name, entry->name_len + 1u);
    }
    return rc;
}

static int probe_existing(struct probe *p, const struct site_shape *shape, struct site_witness *out)
{
    unsigned depth = p->site->depth;
    char place[FILESET_LEAF_MAX];
    struct target_stat st = {0};
    int rc = shape->sets > 0 ? -ENOENT : longest_place(p->site, shape, (char *)p->buf, place);

    if (rc == -ENOENT) /* no file of sets is known by its name alone */
        return 0;
    if (rc < 0 || place[0] == '\0')
        return rc;
    site_enter(p->site, place);
    if (shape->spec.shape == FILESET_TREE) {
        site_enter(p->site, "t00");
        site_enter(p->site, "d0");
    }
    p->leaf = "f0";
    rc = site_stat(p->site, p->leaf, &st);
    p->bytes = st.size_bytes < PROBE_BYTES ? st.size_bytes : PROBE_BYTES;
    if (rc == 0 && st.type == TARGET_TYPE_FILE)
        try_file(p, out);
    while (p->site->depth > depth)
        site_leave(p->site);
    return rc == -ENOENT ? 0 : rc;
}

/* ---- */

struct about {
    char fs_type[32];
    char backed_by[sizeof((struct site_witness *)0)->backed_by];
};

static void note_about(void *ctx, const char *key, const char *value, const char *unit)
{
    struct about *about = ctx;

    (void)unit;
    if (strcmp(key, "fs_type") == 0)
        snprintf(about->fs_type, sizeof about->fs_type, "%s", value);
    else if (strcmp(key, "device_backed_by") == 0)
        snprintf(about->backed_by, sizeof about->backed_by, "%s", value);
}

static struct about ask_about(struct site *site)
{
    struct about about = {.fs_type = ""};
    const struct target_sink sink = {.put = note_about, .ctx = &about};

    site->table->describe(site->target, &sink);
    return about;
}

static bool is_memory(const struct about *about)
{
    return strcmp(about->fs_type, "tmpfs") == 0 || strcmp(about->fs_type, "ramfs") == 0;
}

static bool may_not_write(int rc)
{
    return rc == -EROFS || rc == -EACCES || rc == -EPERM;
}

static int probe_here(struct probe *p, const struct site_shape *shape, bool keep,
                      struct site_witness *out)
{
    int rc = write_probe(p, 0);

    p->own = rc == 0;
    if (rc == 0)
        try_file(p, out);
    if (!may_not_write(rc))
        (void)unlink_probe(p);
    else
        rc = keep ? 0 : probe_existing(p, shape, out);
    return rc;
}

static int probe_open(struct probe *p, struct site *site, const struct site_shape *shape,
                      struct err *err)
{
    *p = (struct probe){
        .site = site, .leaf = SITE_PROBE, .bytes = PROBE_BYTES, .piece = PROBE_BYTES};
    p->buf = aligned_alloc(PROBE_ALIGN, PROBE_BYTES);
    if (p->buf == NULL)
        return err_set(err, -ENOMEM, "no memory for a probe of the cache");
    site_enter_id(site, shape->id);
    return 0;
}

static void probe_close(struct probe *p)
{
    site_leave(p->site);
    free(p->buf);
}

int site_cache_probe(struct site *site, const struct site_shape *shape, bool keep,
                     struct site_witness *out, struct err *err)
{
    const uint32_t asks = 1u << OP_EVICT | 1u << OP_RESIDENT;
    struct probe probe;
    struct about about;
    char path[SITE_PATH_MAX];
    int rc = site_need_ours(site, shape, err);

    if (rc < 0)
        return rc;
    about = ask_about(site);
    *out = (struct site_witness){.cache = SITE_CACHE_UNVERIFIED};
    memcpy(out->backed_by, about.backed_by, sizeof out->backed_by);
    if (site->caps.keeps_nothing)
        out->cache = SITE_CACHE_NONE;
    else if (site->caps.uncached)
        out->cache = SITE_CACHE_UNCACHED;
    else if (is_memory(&about))
        *out = (struct site_witness){.cache = SITE_CACHE_RAM, .pages_seen = true};
    if (out->cache != SITE_CACHE_UNVERIFIED || (site->caps.op_kinds & asks) != asks)
        return 0;
    rc = probe_open(&probe, site, shape, err);
    if (rc < 0)
        return rc;
    rc = probe_here(&probe, shape, keep, out);
    if (rc < 0)
        err_sys(err, rc, "cannot try the cache of this machine on a file in %s",
                site_where(site, NULL, path));
    probe_close(&probe);
    return rc;
}

/* ---- O_DIRECT that was asked for ---- */

/* Some file systems take what they cannot do through the cache instead and say nothing (btrfs below
 * its sector, ext4 with data=journal): then pages are there afterwards. */
static int move_direct(struct probe *p, bool *cached)
{
    uint64_t handle = 0;
    int rc = write_probe(p, OP_FLAG_DIRECT);

    if (rc == 0)
        rc = open_probe(p, OP_FLAG_DIRECT, &handle);
    if (rc < 0)
        return rc;
    rc = read_probe(p, handle);
    *cached = rc == 0 && resident(p, handle) > 0;
    site_let_go(p->site, handle);
    return rc;
}

int site_direct_probe(struct site *site, const struct site_shape *shape, uint64_t unit_bytes,
                      struct err *err)
{
    struct probe probe;
    struct about about;
    char path[SITE_PATH_MAX];
    bool cached = false;
    int rc = site_need_ours(site, shape, err);

    if (rc < 0 || site->caps.keeps_nothing || site->caps.uncached)
        return rc;
    rc = probe_open(&probe, site, shape, err);
    if (rc < 0)
        return rc;
    about = ask_about(site);
    probe.piece = MIN(unit_bytes, SITE_UNIT_MAX);
    probe.bytes = 2 * probe.piece; /* the second piece lies where only this unit aligns */
    rc = move_direct(&probe, &cached);
    if (rc == -EINVAL || rc == -EOPNOTSUPP)
        rc = err_set(err, -EOPNOTSUPP,
                     "direct refused by %s: %s takes no O_DIRECT of %" PRIu64
                     " bytes (%s); leave --direct out",
                     about.fs_type[0] != '\0' ? about.fs_type : "the target",
                     site_where(site, NULL, path), probe.piece, err_name(rc));
    else if (cached && !is_memory(&about))
        rc = err_set(err, -EOPNOTSUPP,
                     "direct refused by %s: O_DIRECT of %" PRIu64
                     " bytes goes through the page cache there; larger blocks, or leave --direct "
                     "out",
                     about.fs_type[0] != '\0' ? about.fs_type : "the target", probe.piece);
    else if (rc < 0 && !may_not_write(rc))
        err_sys(err, rc, "cannot try O_DIRECT in %s", site_where(site, NULL, path));
    else
        rc = 0;
    (void)unlink_probe(&probe);
    probe_close(&probe);
    return rc;
}
