/* One address under `limits`: what it is, how large its caches are as far as anybody says, and our directory on it. */
#include "study/device_look_priv.h"
#include "study/limits_study_priv.h"

#include "base/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#define DIRECT_LEAST_BYTES 512
#define SWEEP_CACHES       8 /* of a cache that is found at all, all files are about so many */
#define MODEL_BYTES_MAX    ((uint64_t)1 << 40)
#define QUICK_BYTES_MAX    ((uint64_t)1 << 30)
#define SPARE_FRAC         10 /* of the space that is free: so much may be taken unasked */

uint64_t limits_fact_bytes(const struct result_facts *facts, const char *key)
{
    double value = result_fact_number(facts, key, 0);
    return value > 0 ? (uint64_t)value : 0;
}

static bool says(const struct result_facts *facts, const char *key, const char *begin)
{
    const char *value = result_fact_get(facts, key);
    return value && strncmp(value, begin, strlen(begin)) == 0;
}

static const char *protocol_of(const struct limits_site *site, const struct result_facts *facts)
{
    const char *model = result_fact_get(facts, "model_protocol");
    if (model)
        return model;
    if (site->s.caps.one_file)
        return "block";
    if (site->s.caps.keeps_nothing)
        return "null";
    if (says(facts, "fs_type", "nfs"))
        return says(facts, "transport", "rdma") ? "nfs-rdma" : "nfs";
    if (says(facts, "fs_type", "cifs") || says(facts, "fs_type", "smb"))
        return "smb";
    return "local";
}

static bool is_mount(const struct limits_site *site)
{
    return !site->s.caps.uncached && !site->s.caps.own_clock && !site->where.local;
}

static void find_where(struct limits_site *site, const struct result_facts *facts)
{
    const struct target_caps *caps = &site->s.caps;
    struct limits_where *w = &site->where;

    snprintf(site->protocol, sizeof site->protocol, "%s", protocol_of(site, facts));
    w->protocol = site->protocol;
    w->own_clock = caps->own_clock;
    w->one_file = caps->one_file;
    w->local = caps->own_clock
                   ? study_models_cache(&site->s)
                   : strcmp(w->protocol, "local") == 0 || caps->one_file || caps->keeps_nothing;
    w->in_memory = says(facts, "fs_type", "tmpfs") || says(facts, "fs_type", "ramfs");
    w->op_kinds = caps->op_kinds;
    w->writes = !caps->one_file || says(facts, "device_writing", "yes");
    w->direct = w->local && !w->in_memory && !caps->keeps_nothing;
    w->block_bytes = MAX(caps->direct_align_bytes, DIRECT_LEAST_BYTES);
    if (is_mount(site))
        site->mount = true;
    site->clients = (uint32_t)limits_fact_bytes(facts, "model_clients");
    site->dirty_bytes = limits_fact_bytes(facts, "model_dirty_bytes");
    site->streams_most = caps->blocking ? LIMITS_STREAMS_FEW : LIMITS_STREAMS_MANY;
}

/* What this machine may keep of files: all of its memory but a quarter, or what its control group leaves. */
static uint64_t machine_cache_bytes(const struct limits_site *site)
{
    const struct study_view *view = machine_view(site->s.common->view);
    long long limit = machine_number(view->sys, "fs/cgroup/memory.max", -1);
    if (limit <= 0)
        limit = machine_number(view->sys, "fs/cgroup/memory/memory.limit_in_bytes", -1);
    uint64_t bytes = site->s.machine.memory_bytes;
    if (limit > 0)
        bytes = MIN(bytes, (uint64_t)limit);
    return bytes / 4 * 3;
}

static void cache_is(struct limits_sizes *sizes, uint64_t bytes, const char *from)
{
    sizes->cache_bytes = bytes;
    snprintf(sizes->cache_from, sizeof sizes->cache_from, "%s", bytes > 0 ? from : "");
}

static void find_sizes(const struct limits_study *l, struct limits_site *site,
                       const struct result_facts *facts)
{
    struct limits_sizes *sizes = &site->sizes;
    if (site->s.caps.own_clock) {
        cache_is(sizes, limits_fact_bytes(facts, "model_dram_bytes"), "model");
        if (l->o->server_cache_bytes > 0)
            cache_is(sizes, l->o->server_cache_bytes, "given");
        sizes->flash_bytes = limits_fact_bytes(facts, "model_flash_bytes");
        snprintf(sizes->flash_from, sizeof sizes->flash_from, "model");
    } else if (site->where.local) {
        cache_is(sizes, machine_cache_bytes(site), "machine");
    } else {
        cache_is(sizes, l->o->server_cache_bytes, "given");
        site->sweeps = sizes->cache_bytes == 0 && !l->o->quick;
        sizes->flash_bytes = l->o->server_flash_bytes;
        snprintf(sizes->flash_from, sizeof sizes->flash_from, "given");
    }
    if (sizes->flash_bytes == 0)
        sizes->flash_from[0] = '\0';
}

static uint64_t free_bytes(const struct limits_site *site)
{
    struct target_space space;
    if (site->s.caps.keeps_nothing || !site->s.site || site_space(site->s.site, &space) < 0)
        return UINT64_MAX;
    if (study_quota_binds(&space.quota_bytes, space.free_bytes))
        return space.quota_bytes.left;
    return space.free_bytes;
}

static int ask_bytes(const struct limits_study *l, const struct limits_site *site, uint64_t most,
                     struct err *err)
{
    char question[ERR_TEXT_MAX];
    char wanted[UNITS_PRINT_MAX], unasked[UNITS_PRINT_MAX];
    units_print_bytes(wanted, l->o->max_bytes);
    units_print_bytes(unasked, most / STUDY_DIRECT_BYTES * STUDY_DIRECT_BYTES);
    snprintf(question, sizeof question,
             "%s: files of up to %s in all, where %s would be taken unasked: go on?", site->typed,
             wanted, unasked);
    bool yes =
        l->o->yes || l->o->dry_run || (l->sink->ask && l->sink->ask(l->sink->ctx, question) > 0);
    return yes ? 0
               : err_set(err, -EINVAL,
                         "--max-bytes %s: more than %s on %s, a tenth of what is free or 64 GiB, "
                         "needs %s",
                         wanted, unasked, site->typed,
                         l->o->quick ? "an answer on the terminal, or `loadline limits --yes`"
                                     : "--yes");
}

/* On a device nothing is laid out, so there is nothing to spare. */
static int find_max(const struct limits_study *l, struct limits_site *site, struct err *err)
{
    uint64_t most = site->s.caps.own_clock ? MODEL_BYTES_MAX
                                           : MIN(LIMITS_BYTES_MAX, free_bytes(site) / SPARE_FRAC);
    if (site->s.caps.one_file) {
        site->sizes.max_bytes = site->s.caps.file_bytes;
        if (l->o->max_bytes > 0)
            site->sizes.max_bytes = MIN(site->sizes.max_bytes, l->o->max_bytes);
        return 0;
    }
    site->sizes.max_bytes = l->o->quick ? MIN(most, QUICK_BYTES_MAX) : most;
    if (l->o->max_bytes > 0)
        site->sizes.max_bytes = l->o->max_bytes;
    bool asks = l->o->max_bytes > most && !site->s.caps.own_clock && !site->s.caps.keeps_nothing;
    return asks ? ask_bytes(l, site, most, err) : 0;
}

static int look(const struct limits_study *l, struct limits_site *site, struct err *err)
{
    struct result *told = result_new();
    int rc = told ? 0 : err_set(err, -ENOMEM, "no memory for facts");
    if (rc == 0 && site->s.caps.one_file)
        rc = study_settle_device(&site->s, STUDY_CACHE_DROP, err);
    if (rc == 0 && study_describe(&site->s, &told->target_facts) < 0)
        rc = err_set(err, -ENOMEM, "no memory for facts");
    if (rc == 0) {
        find_where(site, &told->target_facts);
        find_sizes(l, site, &told->target_facts);
        rc = find_max(l, site, err);
    }
    if (rc == 0 && site->sweeps) /* until it is found: no row may count on it */
        cache_is(&site->sizes, site->sizes.max_bytes / SWEEP_CACHES, "sweep");
    result_free(told);
    return rc;
}

/* One looks for all that are measured in turn. */
static int watch(const struct limits_study *l, struct limits_site *site, struct err *err)
{
    for (unsigned i = 0; i < l->sites && !site->s.caps.own_clock; i++)
        if (l->site[i]->s.watch.probe) {
            study_watch_share(&site->s, &l->site[i]->s);
            return 0;
        }
    return study_watch_begin(&site->s, err);
}

static int open_site(struct limits_study *l, struct limits_site *site, struct err *err)
{
    const struct limits_options *o = l->o;
    site->common = *l->common;
    site->common.model_metrics = o->server_metrics && strcmp(o->server_metrics, "model") == 0;
    site->common.server_metrics = site->common.model_metrics ? NULL : o->server_metrics;
    site->common.server_csv = o->server_csv;
    site->common.hook_start = o->hook_start;
    site->common.hook_end = o->hook_end;
    site->common.target = site->address;
    site->common.more_targets = 0;
    int rc = study_open(&site->s, "limits", &site->common, l->sink, err);
    if (rc < 0)
        return rc;
    if (site->common.model_metrics && !site->s.caps.own_clock)
        return err_set(err, -EINVAL,
                       "--server-metrics model: %s is no modelled system; give the address of an "
                       "exporter, http://HOST:9100/metrics",
                       site->typed);
    site->s.gauge.begun_ns = l->begun_ns;
    site->s.gauge.own_clock = site->s.caps.own_clock;
    memcpy(site->s.id, l->site[0]->s.id, sizeof site->s.id);
    rc = watch(l, site, err);
    return rc < 0 ? rc : look(l, site, err);
}

int limits_site_get(struct limits_study *l, unsigned side, const char *typed, const char *address,
                    bool shared, struct limits_site **out, struct err *err)
{
    for (unsigned i = 0; i < l->sites; i++)
        if (l->site[i]->side == side && l->site[i]->shared == shared &&
            strcmp(l->site[i]->address, address) == 0) {
            *out = l->site[i];
            return 0;
        }
    struct limits_site *site = l->sites < LIMITS_SITES_MAX ? calloc(1, sizeof *site) : NULL;
    if (!site)
        return err_set(err, -ENOMEM, "no room for one more system to measure");
    l->site[l->sites++] = site;
    site->side = side;
    site->shared = shared;
    site->typed = typed;
    snprintf(site->address, sizeof site->address, "%s", address);
    *out = site;
    return open_site(l, site, err);
}

/* ---- our directory ---- */

/* The least piece that direct I/O takes there; where it takes none, rows that need it are no rows. */
static void try_direct(struct limits_site *site)
{
    struct limits_where *w = &site->where;
    struct err refused;
    if (!w->direct || site->s.caps.own_clock)
        return;
    for (w->block_bytes = DIRECT_LEAST_BYTES; w->block_bytes <= STUDY_DIRECT_BYTES;
         w->block_bytes *= STUDY_DIRECT_BYTES / DIRECT_LEAST_BYTES)
        if (site_direct_probe(site->s.site, &site->s.shape, w->block_bytes, &refused) == 0)
            return;
    w->direct = false;
    w->block_bytes = 0;
}

/* Several targets may be one directory, and the shared files of one are beside its others. */
static unsigned side_of(const struct limits_site *site)
{
    return site->shared ? SITE_SIDES_MAX + 1 - site->side : site->side;
}

static int make_directory(const struct limits_study *l, struct limits_site *site, struct err *err)
{
    struct study *s = &site->s;
    struct fileset_spec most = site->spec;
    uint64_t room_bytes;
    uint64_t longer_bytes = limits_site_bytes(l, site) - fileset_spec_bytes(&site->spec);
    most.files = MAX(most.files, LIMITS_NAMES_FILES);
    int rc = study_check_space(s, study_set_bytes(&site->spec) + longer_bytes, most.files, "",
                               "a smaller --max-bytes", &room_bytes, err);
    if (rc == 0)
        rc = study_shape(s, &most, NULL, 0, 0, 0, err);
    if (rc == 0 && side_of(site) > 1)
        site_side_id(s->id, side_of(site), s->shape.id);
    if (rc == 0)
        rc = site_begin(s->site, &s->shape, err);
    if (rc < 0)
        return rc;
    s->on_site = true;
    site_place(&s->shape, 0, 0, 0, site->place, sizeof site->place);
    rc = site_make_place(s->site, site->place, err);
    if (rc == 0)
        rc = study_settle_cache(s, STUDY_CACHE_DROP, err);
    if (rc == 0)
        try_direct(site);
    return rc;
}

int limits_site_begin(struct limits_study *l, struct limits_site *site, struct err *err)
{
    int rc = site->begun || site->s.caps.one_file ? 0 : make_directory(l, site, err);
    if (rc == 0 && !site->begun) {
        site->begun = true;
        site->settled = site->s.instrument.cache;
        study_tell_caveats(&site->s, true, true, true);
        limits_jobs_settle(l, site);
    }
    return rc;
}

void limits_site_turn(struct limits_study *l, struct limits_site *site)
{
    if (l->at)
        study_hand_over(l->at, &site->s);
    l->at = &site->s;
}
