#include "study/device_look_priv.h"

#include "target/catalog.h"
#include "target/target.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#define PROBE_BYTES ((uint64_t)256 * 1024)
#define PAGE_BYTES  4096u

struct device_look {
    const struct target_table *table;
    struct target *target;
    struct session *session;
};

void study_device_close(struct study *s)
{
    struct device_look *look = s->device;
    if (!look)
        return;
    if (look->session)
        look->table->session_close(look->session);
    if (look->target)
        look->table->close(look->target);
    free(look);
    s->device = NULL;
}

static int look_open(struct study *s, struct err *err)
{
    const struct session_spec spec = {.ops_max = 1, .handles_max = 2, .dirs_max = 8};
    struct device_look *look = calloc(1, sizeof *look);
    const char *rest;
    if (!look)
        return err_set(err, -ENOMEM, "no memory to look at %s", s->common->target);
    s->device = look;
    int rc = target_find(s->common->target, &look->table, &rest, err);
    if (rc == 0)
        rc = look->table->open(rest, &look->target, err);
    if (rc == 0)
        rc = look->table->session_open(look->target, &spec, &look->session, err);
    if (rc < 0)
        study_device_close(s);
    return rc;
}

static int64_t on_handle(struct device_look *look, enum op_kind kind, uint64_t handle, void *buf,
                         uint64_t len, uint64_t *extra)
{
    struct op op = {.kind = kind, .handle = handle, .buf = buf, .len = len};
    int64_t rc = target_do(look->table, look->session, &op);
    if (extra)
        *extra = op.extra;
    return rc;
}

static int open_device(struct device_look *look, uint32_t flags, uint64_t *handle)
{
    struct op op = {.kind = OP_OPEN, .flags = flags | OP_FLAG_READ, .leaf = "device"};
    int rc = (int)target_do(look->table, look->session, &op);
    *handle = op.handle;
    return rc;
}

static void close_device(struct device_look *look, uint64_t handle)
{
    (void)on_handle(look, OP_CLOSE, handle, NULL, 0, NULL);
}

/* ---- the witnesses ---- */

struct told {
    bool read_known;
    uint64_t read_bytes;
    bool tells_dirty;
    struct site_witness *witness;
};

static void note(void *ctx, const char *key, const char *value, const char *unit)
{
    struct told *told = ctx;
    struct site_witness *w = told->witness;
    (void)unit;
    if (strcmp(key, "read_bytes") == 0)
        told->read_known = sscanf(value, "%" SCNu64, &told->read_bytes) == 1;
    else if (strcmp(key, "resident_by") == 0)
        told->tells_dirty = strcmp(value, "cachestat") == 0;
    else if (w && strcmp(key, "device_backed_by") == 0)
        snprintf(w->backed_by, sizeof w->backed_by, "%s", value);
}

static struct told counters(struct device_look *look)
{
    struct told told = {.witness = NULL};
    const struct target_sink sink = {.put = note, .ctx = &told};
    look->table->counters(look->target, &sink);
    return told;
}

static struct told facts(struct device_look *look, struct site_witness *w)
{
    struct told told = {.witness = w};
    const struct target_sink sink = {.put = note, .ctx = &told};
    look->table->describe(look->target, &sink);
    return told;
}

/* Past the cache, so that each byte of it must be counted. */
static bool reads_counted(struct device_look *look, void *buf, uint64_t bytes)
{
    uint64_t handle;
    if (open_device(look, OP_FLAG_DIRECT, &handle) < 0)
        return false;
    struct told before = counters(look);
    int64_t got = on_handle(look, OP_READ, handle, buf, bytes, NULL);
    struct told after = counters(look);
    uint64_t moved = after.read_bytes - before.read_bytes;
    close_device(look, handle);
    return before.read_known && after.read_known && got > 0 && moved >= (uint64_t)got / 10 * 9 &&
           moved <= 2 * (uint64_t)got;
}

/* One page is read and must be seen to be there. To ask mincore of a large device takes minutes. */
static bool pages_seen(struct device_look *look, void *buf)
{
    uint64_t handle;
    if (!facts(look, NULL).tells_dirty || open_device(look, OP_FLAG_RANDOM, &handle) < 0)
        return false;
    bool seen = on_handle(look, OP_READ, handle, buf, PAGE_BYTES, NULL) == PAGE_BYTES &&
                on_handle(look, OP_RESIDENT, handle, NULL, PAGE_BYTES, NULL) == PAGE_BYTES;
    close_device(look, handle);
    return seen;
}

static int try_witnesses(struct study *s, struct device_look *look, struct err *err)
{
    struct site_witness *w = &s->witness;
    void *buf = aligned_alloc(PAGE_BYTES, PROBE_BYTES);
    if (!buf)
        return err_set(err, -ENOMEM, "no memory for a probe of the cache");
    *w = (struct site_witness){.cache = SITE_CACHE_UNVERIFIED};
    (void)facts(look, w);
    /* What has left this cache lies in another one of this machine: all witnesses pass it by. */
    if (w->backed_by[0] == '\0') {
        w->pages_seen = pages_seen(look, buf);
        w->reads_counted = reads_counted(look, buf, MIN(PROBE_BYTES, s->caps.file_bytes));
    }
    free(buf);
    return 0;
}

int study_settle_device(struct study *s, enum study_client_cache asked, struct err *err)
{
    int rc = look_open(s, err);
    if (rc == 0)
        rc = try_witnesses(s, s->device, err);
    s->instrument.cache = asked == STUDY_CACHE_KEEP ? PLAN_CACHE_KEEP
                          : s->witness.pages_seen   ? PLAN_CACHE_DROP
                                                    : PLAN_CACHE_UNVERIFIED;
    return rc;
}

/* ---- before and after a run ---- */

static int ask(struct study *s, bool empty, uint64_t bytes, uint64_t *resident, uint64_t *dirty,
               struct err *err)
{
    struct device_look *look = s->device;
    uint64_t handle;
    int64_t got = open_device(look, 0, &handle);
    if (got < 0)
        return err_sys(err, (int)got, "cannot open %s", s->common->target);
    if (empty)
        got = on_handle(look, OP_FSYNC, handle, NULL, 0, NULL);
    if (got >= 0 && empty)
        got = on_handle(look, OP_EVICT, handle, NULL, 0, NULL);
    if (got >= 0)
        got = on_handle(look, OP_RESIDENT, handle, NULL, bytes, dirty);
    *resident = got >= 0 ? (uint64_t)got : 0;
    close_device(look, handle);
    return got >= 0 ? 0 : err_sys(err, (int)got, "this machine's cache of %s", s->common->target);
}

int study_device_empty(struct study *s, uint64_t bytes, struct result_cache *cache, struct err *err)
{
    uint64_t resident;
    uint64_t dirty;
    int rc = ask(s, true, bytes, &resident, &dirty, err);
    if (rc < 0 || !cache->resident_known)
        return rc;
    cache->resident_bytes += resident;
    cache->asked_bytes += bytes;
    return 0;
}

int study_device_dirty(struct study *s, uint64_t bytes, struct result_cache *cache, struct err *err)
{
    uint64_t resident;
    uint64_t dirty = 0;
    int rc = ask(s, false, bytes, &resident, &dirty, err);
    cache->dirty_known = rc == 0;
    cache->dirty_bytes += dirty;
    return rc;
}

void study_device_describe(const struct study *s, const struct target_sink *sink)
{
    if (s->device)
        s->device->table->describe(s->device->target, sink);
}
