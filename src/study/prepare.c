#include "study/evidence_priv.h"
#include "study/study_priv.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define STORED_FILES       64
#define STORED_LEAST_BYTES 4096

/* Pages that the probe did not see come would be counted as none. */
static bool sees_pages(const struct study *s)
{
    return s->witness.pages_seen && study_can(s, OP_RESIDENT);
}

void study_cache_begin(const struct study *s, struct study_run *run)
{
    enum plan_cache mode = s->instrument.cache;
    struct result_cache *cache = &run->cache;

    *cache = (struct result_cache){0};
    snprintf(cache->mode, sizeof cache->mode, "%s", plan_cache_name(mode));
    cache->applies = run->reads && !s->caps.keeps_nothing;
    /* What lies in the cache says nothing about reads that pass it by. */
    cache->resident_known = cache->applies && sees_pages(s) && mode != PLAN_CACHE_DIRECT;
    /* In memory nothing is ever on its way to anywhere. */
    cache->dirty_known = run->writes && sees_pages(s) && mode != PLAN_CACHE_RAM;
}

struct swept {
    bool whole; /* every file took part */
    uint64_t bytes;
    uint64_t extra;
    bool tells_dirty;
};

/* mincore knows what is in the cache, not what of it is dirty. */
static bool tells_dirty(const struct engine_facts *facts)
{
    for (unsigned i = 0; i < facts->n; i++)
        if (strcmp(facts->fact[i].key, "resident_by") == 0)
            return strcmp(facts->fact[i].value, "mincore") != 0;
    return true;
}

/* Takes the plan. */
static int sweep_by(struct study *s, struct plan *plan, const char *place,
                    struct fileset_state *const *state, struct swept *swept, struct err *err)
{
    struct engine_outcome out = {0};
    int rc = study_engine_on(s, plan, place, state, &out, err);
    if (rc < 0)
        goto out;
    swept->whole = out.end == ENGINE_DONE && out.errors == 0;
    if (out.end != ENGINE_DONE) {
        study_judge(s, plan, &out, false);
    } else if (out.errors > 0 && !s->warned.cache) {
        s->warned.cache = true;
        study_warn(s, "this machine's cache: %s of %s: %s; cache proof is incomplete",
                   op_kind_name(out.error[0].op), out.error[0].first_path,
                   err_name(out.error[0].code));
    }
    swept->tells_dirty = tells_dirty(&out.facts);
    swept->bytes = out.total->line[0].bytes;
    swept->extra = out.total->line[0].extra;
out:
    engine_outcome_fini(&out);
    study_drop_plan(s, plan);
    return rc;
}

static int sweep(struct study *s, const struct fileset_spec *spec, const char *place,
                 enum study_sweep what, struct swept *swept, struct err *err)
{
    struct plan *plan = NULL;
    int rc = study_plan_sweep(s, spec, what, &plan, err);
    return rc == 0 ? sweep_by(s, plan, place, NULL, swept, err) : rc;
}

/* For direct reads too: pages that are there already would hide those that a fallback leaves. */
bool study_empties_cache(const struct study *s)
{
    bool of_model = study_models_cache(s) && s->instrument.cache == PLAN_CACHE_UNCACHED;
    return of_model || s->instrument.cache == PLAN_CACHE_DROP ||
           s->instrument.cache == PLAN_CACHE_DIRECT || s->instrument.cache == PLAN_CACHE_UNVERIFIED;
}

static int empty_cache(struct study *s, const struct fileset_spec *spec, const char *place,
                       struct err *err)
{
    struct swept swept = {0};
    /* Dirty pages cannot be dropped. */
    int rc = site_sync(s->site, err);
    if (rc == 0 && study_can(s, OP_EVICT))
        rc = sweep(s, spec, place, STUDY_SWEEP_EVICT, &swept, err);
    return rc;
}

static bool asks_direct(const struct study *s)
{
    return s->instrument.cache == PLAN_CACHE_DIRECT && sees_pages(s);
}

/* Of a set that is wholly in the cache nothing more can come into it. */
static int ask_before_direct(struct study *s, const struct fileset_spec *spec, const char *place,
                             struct study_direct *direct, bool first, struct err *err)
{
    struct swept swept = {0};
    int rc = sweep(s, spec, place, STUDY_SWEEP_RESIDENT, &swept, err);
    bool tells = swept.whole && swept.bytes < fileset_spec_bytes(spec);
    direct->known = (first || direct->known) && tells;
    direct->before_bytes = swept.bytes;
    return rc;
}

static int ask_resident(struct study *s, const struct fileset_spec *spec, const char *place,
                        struct result_cache *cache, struct err *err)
{
    struct swept swept = {0};
    int rc = sweep(s, spec, place, STUDY_SWEEP_RESIDENT, &swept, err);
    if (rc < 0)
        return rc;
    /* One pass that could not be asked leaves the sum unknown. */
    cache->resident_known = swept.whole;
    cache->resident_bytes += swept.bytes;
    cache->asked_bytes += fileset_spec_bytes(spec);
    return 0;
}

int study_prepare_read(struct study *s, const struct fileset_spec *spec, const char *place,
                       struct study_run *run, struct err *err)
{
    bool first = run->sum.passes == 0;
    int rc = study_empties_cache(s) ? empty_cache(s, spec, place, err) : 0;
    if (rc < 0 || s->over)
        return rc;
    if (asks_direct(s))
        return ask_before_direct(s, spec, place, &run->direct, first, err);
    return run->cache.resident_known ? ask_resident(s, spec, place, &run->cache, err) : 0;
}

int study_after_read(struct study *s, const struct fileset_spec *spec, const char *place,
                     struct study_run *run, struct err *err)
{
    struct study_direct *direct = &run->direct;
    struct swept swept = {0};

    direct->known &= !s->over;
    if (!direct->known)
        return 0;
    int rc = sweep(s, spec, place, STUDY_SWEEP_RESIDENT, &swept, err);
    direct->known = rc == 0 && swept.whole;
    direct->set_bytes += fileset_spec_bytes(spec);
    if (swept.bytes > direct->before_bytes)
        direct->cached_bytes += swept.bytes - direct->before_bytes;
    return rc;
}

/* What is not synced may have no place on the device yet (in memory all has its place at once);
 * what is shorter than a block may lie in the inode. */
void study_ask_stored(struct study *s, const struct fileset_spec *spec, const char *place,
                      struct site_stored *stored)
{
    struct err err;

    bool settled = study_empties_cache(s) || s->instrument.cache == PLAN_CACHE_RAM;
    if (!settled || spec->size_bytes < STORED_LEAST_BYTES ||
        site_ask_stored(s->site, &s->shape, place, STORED_FILES, stored, &err) < 0)
        return;
    double frac = evidence_stored_frac(stored);
    if (frac < 0 || frac >= EVIDENCE_STORED_FRAC || s->warned.stored)
        return;
    s->warned.stored = true;
    study_warn(
        s,
        spec->compress_centi > 0
            ? "files occupy %.0f %% of their size: the target compresses them, as --compress "
              "wants it to"
            : "files occupy %.0f %% of their size: sparse or compressed, so reads may not "
              "reach a device",
        100 * frac);
}

int study_prepare_write(struct study *s, struct err *err)
{
    return s->instrument.cache == PLAN_CACHE_KEEP ? 0 : site_sync(s->site, err);
}

int study_ask_dirty(struct study *s, const struct fileset_spec *spec, const char *place,
                    struct result_cache *cache, struct err *err)
{
    struct plan *plan = NULL;
    cache->dirty_known &= !s->over;
    if (!cache->dirty_known)
        return 0;
    int rc = study_plan_sweep(s, spec, STUDY_SWEEP_RESIDENT, &plan, err);
    return rc == 0 ? study_ask_dirty_by(s, plan, place, NULL, cache, &(uint64_t){0}, err) : rc;
}

int study_ask_dirty_by(struct study *s, struct plan *plan, const char *place,
                       struct fileset_state *const *state, struct result_cache *cache,
                       uint64_t *there_bytes, struct err *err)
{
    struct swept swept = {0};
    int rc = sweep_by(s, plan, place, state, &swept, err);
    cache->dirty_known = rc == 0 && swept.whole && swept.tells_dirty;
    cache->dirty_bytes += swept.extra;
    *there_bytes += swept.bytes;
    return rc;
}
