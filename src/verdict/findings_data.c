/* Whether the bytes of a row are what its name says. */
#include "verdict/findings_priv.h"

#include "verdict/ceilings_priv.h"

#include <stdio.h>
#include <string.h>

#define CACHED_FRAC 0.02 /* docs/measuring.md, Cache proof */
/* A band from p5 to p95 leaves so much out. */
#define BAND_FRAC   0.95
#define STORED_FRAC 0.99 /* check 37; docs/measuring.md, Checks */
/* Content that nothing makes smaller has 7.99; what lz4 shrinks by a tenth has less than this (check 37). */
#define ENTROPY_BITS 7.5
/* Of the blocks that so many ops must have met; the count itself is off by up to 2 % (check 39). */
#define TOUCHED_FRAC 0.9
#define TOUCHED_IO   4096

static bool claims(const struct scene *s, const char *place)
{
    return strcmp(s->claim, place) == 0;
}

static bool claims_device(const struct scene *s)
{
    return claims(s, "disk") || claims(s, "flash") || claims(s, "log");
}

static bool elsewhere(const struct scene *s, struct finding *f)
{
    char proof[sizeof((struct ceiling *)NULL)->proof] = "";
    double frac;

    if (ceiling_place_of_run(s->r, &frac, proof))
        return false;
    snprintf(f->words, sizeof f->words, "the bytes are not all %s %.40s", s->writes ? "to" : "from",
             ceiling_option(s->r, "place"));
    snprintf(f->evidence, sizeof f->evidence, "%.95s", proof);
    return true;
}

static bool cache_misses(const struct scene *s, struct finding *f)
{
    if (!claims(s, "cache") || !elsewhere(s, f))
        return false;
    snprintf(f->advice, sizeof f->advice, "say how large the cache is: --server-cache");
    return true;
}

static bool not_from_there(const struct scene *s, struct finding *f)
{
    return claims_device(s) && elsewhere(s, f);
}

/* Of a model, flash reads are timed apart. */
static bool mixed_band(const struct scene *s, struct finding *f)
{
    char proof[sizeof((struct ceiling *)NULL)->proof] = "";
    double frac;

    if (s->modelled || !claims(s, "flash") || !ceiling_place_of_run(s->r, &frac, proof) ||
        !(frac < BAND_FRAC))
        return false;
    snprintf(f->words, sizeof f->words, "an end of the band is not of the flash: see the modes");
    snprintf(f->evidence, sizeof f->evidence, "%.95s", proof);
    return true;
}

/* What reads have left in this machine's memory, or found there. */
static bool page_cache(const struct scene *s, struct finding *f)
{
    double cached = scene_counter(s, "direct_cached_bytes") / scene_counter(s, "direct_set_bytes");
    double share = NAN;

    if (s->modelled || s->writes || !claims_device(s) || !s->moves)
        return false;
    if (s->local && !result_cache_share(s->r, &share))
        share = NAN;
    double frac = fmax(share, cached);
    if (!(frac > CACHED_FRAC))
        return false;
    snprintf(f->words, sizeof f->words, "read from this machine's page cache, not from a device");
    snprintf(f->evidence, sizeof f->evidence, "%.1f %% of the bytes", 100 * fmin(frac, 1));
    return true;
}

static bool memory_disk(const struct scene *s, struct finding *f)
{
    static const char *const in_memory[] = {"tmpfs", "ramfs"};
    const char *fs = scene_target(s, "fs_type"), *behind = scene_target(s, "device_backed_by");
    bool memory = *behind != '\0';

    for (unsigned i = 0; i < sizeof in_memory / sizeof *in_memory; i++)
        memory = memory || strcmp(fs, in_memory[i]) == 0;
    if (!s->local || !memory || !claims_device(s))
        return false;
    snprintf(f->words, sizeof f->words, "there is no disk: memory of this machine serves it");
    snprintf(f->evidence, sizeof f->evidence,
             *behind ? "below it is %.60s" : "the file system is %.60s", *behind ? behind : fs);
    return true;
}

static bool sparse(const struct scene *s, struct finding *f)
{
    double size = result_fact_number(&s->r->target_facts, "sample_size_bytes", NAN);
    double stored = result_fact_number(&s->r->target_facts, "sample_stored_bytes", NAN);

    if (s->modelled || claims(s, "names") || !(stored < STORED_FRAC * size))
        return false;
    snprintf(f->words, sizeof f->words, "the files are sparse, or compressed where they are kept");
    snprintf(f->evidence, sizeof f->evidence, "what was looked at occupies %.1f %% of its size",
             100 * stored / size);
    snprintf(f->advice, sizeof f->advice, "such reads may come from no disk at all");
    return true;
}

static bool compressible(const struct scene *s, struct finding *f)
{
    double bits = result_fact_number(&s->r->own, "content_entropy_bits_per_byte", NAN);

    if (!s->moves || !(bits < ENTROPY_BITS))
        return false;
    snprintf(f->words, sizeof f->words, "the content compresses");
    snprintf(f->evidence, sizeof f->evidence,
             "%.2f of 8 bits a byte: what compresses it moves less", bits);
    return true;
}

static bool preconditioned(const struct scene *s, struct finding *f)
{
    if (s->modelled || !s->writes || !claims(s, "disk") ||
        !scene_option_is(s, "preconditioned", "no"))
        return false;
    snprintf(f->words, sizeof f->words,
             "not preconditioned: a first fill may be faster than later ones");
    snprintf(f->advice, sizeof f->advice, "--precondition");
    return true;
}

/* Distinct bytes that the window must have met: in order all there are, drawn at random so many as chance leaves. */
static double must_touch(const struct scene *s, double set)
{
    double moved = s->bytes * s->seconds;

    return scene_option_is(s, "pattern", "seq") ? fmin(moved, set) : set * -expm1(-moved / set);
}

static bool touched(const struct scene *s, struct finding *f)
{
    double set = scene_option(s, "working_set_bytes");
    double seen = scene_counter(s, "touched_bytes");
    double must = must_touch(s, set);

    if (!s->moves || !(scene_option(s, "io_bytes") >= TOUCHED_IO) || !(seen > 0) ||
        !(seen < TOUCHED_FRAC * must))
        return false;
    snprintf(f->words, sizeof f->words, "the working set is smaller than it is said to be");
    snprintf(f->evidence, sizeof f->evidence,
             "%.0f distinct bytes were met, of %.0f that so many ops meet of %.0f", seen, must,
             set);
    return true;
}

const struct rule findings_data_rules[] = {
    {"cache-misses", FINDING_DOUBTS, cache_misses},
    {"not-from-there", FINDING_DOUBTS, not_from_there},
    {"mixed-band", FINDING_DOUBTS, mixed_band},
    {"page-cache", FINDING_DOUBTS, page_cache},
    {"memory-disk", FINDING_DOUBTS, memory_disk},
    {"sparse", FINDING_DOUBTS, sparse},
    {"compressible", FINDING_DOUBTS, compressible},
    {"touched", FINDING_DOUBTS, touched},
    {"not-preconditioned", FINDING_NOTES, preconditioned},
    {NULL, FINDING_NOTES, NULL},
};
