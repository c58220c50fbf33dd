/* Whether this machine's cache can be kept out of reading: tried, never assumed from the name of
 * the file system. */
#include "fileset/site_priv.h"

#include "base/rng.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PROBE_BYTES ((size_t)256 * 1024)
#define PROBE_ALIGN 4096 /* direct I/O wants aligned memory */

struct probe {
    struct site *site;
    const char *leaf; /* in the directory we are in */
    bool own;         /* made by us: may be made again */
    uint64_t bytes;   /* of the file, PROBE_BYTES at the most are read */
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
                                                 .len = PROBE_BYTES - done});
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
    for (size_t at = 0; at < PROBE_BYTES; at += sizeof(uint64_t)) {
        uint64_t word = rng_next(&rng);
        memcpy(p->buf + at, &word, sizeof word);
    }
    for (size_t done = 0; rc >= 0 && done < PROBE_BYTES; done += (size_t)rc) {
        rc = site_do(p->site, (struct op){.kind = OP_WRITE,
                                          .handle = create.handle,
                                          .buf = p->buf + done,
                                          .off = done,
                                          .len = PROBE_BYTES - done});
        if (rc == 0)
            rc = -ENOSPC;
    }
    if (rc >= 0)
        rc = site_do(p->site, (struct op){.kind = OP_SYNCFS, .node = site_node(p->site)});
    site_let_go(p->site, create.handle);
    return rc < 0 ? (int)rc : 0;
}

/* Pages must be seen to come before their absence proves anything: a file system with a cache of its
 * own (ZFS) never shows any, and would pass for dropped and for direct. */
static enum site_cache try_drop(struct probe *p, bool *seen)
{
    enum site_cache cache = SITE_CACHE_UNVERIFIED;
    uint64_t handle;

    *seen = false;
    if (open_probe(p, 0, &handle) < 0)
        return cache;
    *seen = read_probe(p, handle) == 0 && resident(p, handle) > 0;
    if (*seen && site_do(p->site, (struct op){.kind = OP_EVICT, .handle = handle}) == 0 &&
        resident(p, handle) == 0)
        cache = SITE_CACHE_DROP;
    site_let_go(p->site, handle);
    return cache;
}

/* Proves nothing on a file that is wholly cached already, so our own one is made anew without the
 * cache. */
static bool direct_works(struct probe *p)
{
    uint64_t handle;
    int64_t before;
    int64_t after;

    if ((p->own && write_probe(p, OP_FLAG_DIRECT) < 0) ||
        open_probe(p, OP_FLAG_DIRECT, &handle) < 0)
        return false;
    before = resident(p, handle);
    after = read_probe(p, handle) == 0 ? resident(p, handle) : -1;
    site_let_go(p->site, handle);
    return before >= 0 && (uint64_t)before < p->bytes && after >= 0 && after <= before;
}

static enum site_cache try_file(struct probe *p)
{
    bool seen;
    enum site_cache cache = try_drop(p, &seen);

    return cache != SITE_CACHE_DROP && seen && direct_works(p) ? SITE_CACHE_DIRECT : cache;
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

static int probe_existing(struct probe *p, const struct site_shape *shape, enum site_cache *out)
{
    unsigned depth = p->site->depth;
    char place[FILESET_LEAF_MAX];
    struct target_stat st = {0};
    int rc = longest_place(p->site, shape, (char *)p->buf, place);

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
        *out = try_file(p);
    while (p->site->depth > depth)
        site_leave(p->site);
    return rc == -ENOENT ? 0 : rc;
}

/* ---- */

static void note_memory(void *ctx, const char *key, const char *value, const char *unit)
{
    bool *memory = ctx;

    (void)unit;
    if (strcmp(key, "fs_type") == 0)
        *memory = strcmp(value, "tmpfs") == 0 || strcmp(value, "ramfs") == 0;
}

static bool is_memory(struct site *site)
{
    bool memory = false;
    const struct target_sink sink = {.put = note_memory, .ctx = &memory};

    site->table->describe(site->target, &sink);
    return memory;
}

static int probe_here(struct probe *p, const struct site_shape *shape, enum site_cache *out)
{
    int rc = write_probe(p, 0);

    p->own = rc == 0;
    if (rc == 0)
        *out = try_file(p);
    if (rc != -EROFS && rc != -EACCES && rc != -EPERM)
        (void)unlink_probe(p);
    else
        rc = probe_existing(p, shape, out);
    return rc;
}

int site_cache_probe(struct site *site, const struct site_shape *shape, enum site_cache *out,
                     struct err *err)
{
    const uint32_t asks = 1u << OP_EVICT | 1u << OP_RESIDENT;
    struct probe probe = {.site = site, .leaf = SITE_PROBE, .bytes = PROBE_BYTES};
    char path[SITE_PATH_MAX];
    int rc = site_need_ours(site, shape, err);

    if (rc < 0)
        return rc;
    *out = SITE_CACHE_UNVERIFIED;
    if (site->caps.keeps_nothing)
        *out = SITE_CACHE_NONE;
    else if (is_memory(site))
        *out = SITE_CACHE_RAM;
    if (*out != SITE_CACHE_UNVERIFIED || (site->caps.op_kinds & asks) != asks)
        return 0;
    probe.buf = aligned_alloc(PROBE_ALIGN, PROBE_BYTES);
    if (probe.buf == NULL)
        return err_set(err, -ENOMEM, "no memory for a probe of the cache");
    site_enter_id(site, shape->id);
    rc = probe_here(&probe, shape, out);
    if (rc < 0)
        err_sys(err, rc, "cannot try the cache of this machine on a file in %s",
                site_where(site, NULL, path));
    site_leave(site);
    free(probe.buf);
    return rc;
}
