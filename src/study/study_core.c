#include "study/device_look_priv.h"
#include "study/study_priv.h"

#include "base/units.h"
#include "clk/clk.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define ID_LETTERS 8

/* Letters that are not taken for one another when read aloud or from paper. The last is none of
 * those that tell the sides of a study apart, for file systems that take B for b. */
static int new_id(char id[RESULT_ID_MAX], struct err *err)
{
    static const char letters[] = "abcdefghjkmnpqrstuvwxyz23456789";
    static const char last[] = "efghjkmnpqrstuvwxyz23456789";
    unsigned char random[ID_LETTERS];
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return err_sys(err, -errno, "no random numbers for an id");
    for (unsigned i = 0; i < ID_LETTERS; i++)
        id[i] = letters[random[i] % (sizeof letters - 1)];
    id[ID_LETTERS - 1] = last[random[ID_LETTERS - 1] % (sizeof last - 1)];
    id[ID_LETTERS] = '\0';
    return 0;
}

/* A study that is gone on with keeps its id, and counts its runs on. */
static int take_id(struct study *s, struct err *err)
{
    const struct study_past *past = s->common->past;
    if (!past)
        return new_id(s->id, err);
    snprintf(s->id, sizeof s->id, "%s", past->id);
    s->runs = s->runs_before = past->last_run;
    return 0;
}

int study_check_resolve(enum study_resolve resolve, const char *target,
                        const struct target_caps *caps, struct err *err)
{
    if (resolve == STUDY_RESOLVE_ONCE || caps->resolves)
        return 0;
    return err_set(
        err, -EINVAL,
        "--resolve every-time: %s is not asked by a client of loadline's own, so the way "
        "to a name is not its to walk",
        target);
}

/* A model is gone with the process that reckons it. */
static int check_kept(const struct study *s, struct err *err)
{
    if (!s->caps.keeps_no_data)
        return 0;
    if (strcmp(s->kind, "readtest") == 0)
        return err_set(err, -EINVAL,
                       "readtest reads what an earlier study kept, and %s is there only while "
                       "loadline runs; dirtest reads back what it wrote",
                       s->common->target);
    if (s->common->keep)
        return err_set(err, -EINVAL,
                       "--keep: %s is there only while loadline runs, nothing on it can be kept",
                       s->common->target);
    return 0;
}

int study_open(struct study *s, const char *kind, const struct study_common *common,
               const struct study_sink *sink, struct err *err)
{
    const struct target_table *table;
    const char *rest;

    memset(s, 0, sizeof *s);
    s->common = common;
    s->sink = sink;
    s->kind = kind;
    s->gauge.begun_ns = clk_monotonic_ns();
    int rc = target_find(common->target, &table, &rest, err);
    if (rc == 0)
        rc = target_caps_of(common->target, &s->caps, err);
    if (rc == 0)
        rc = study_check_resolve(common->resolve, common->target, &s->caps, err);
    if (rc == 0)
        rc = check_kept(s, err);
    if (rc == 0)
        rc = take_id(s, err);
    if (rc < 0)
        return rc;
    snprintf(s->instrument.scheme, sizeof s->instrument.scheme, "%s", table->scheme);
    s->instrument.resolve_always = common->resolve == STUDY_RESOLVE_EVERY_TIME;
    machine_read(machine_view(common->view), &s->machine);
    disturb_cpus_allowed(&s->cpus);
    /* Where there is but one file no directory can be ours. */
    return s->caps.one_file ? 0 : site_open(common->target, common->watch, &s->site, err);
}

int study_need_directory(const struct study *s, struct err *err)
{
    if (!s->caps.one_file)
        return 0;
    return err_set(err, -ENOTDIR,
                   "%s is a block device, and %s measures files in a directory; loadline io and "
                   "loadline run can measure a device",
                   s->common->target, s->kind);
}

void study_close(struct study *s)
{
    if (s->site)
        site_close(s->site);
    study_device_close(s);
    study_watch_end(s);
    site_shape_fini(&s->shape);
}

int study_shape(struct study *s, const struct fileset_spec *spec, const uint64_t *length_bytes,
                unsigned lengths, unsigned repeats, unsigned trees_max, struct err *err)
{
    struct site_shape *shape = &s->shape;
    memset(shape, 0, sizeof *shape);
    shape->length_bytes = calloc(lengths ? lengths : 1, sizeof *shape->length_bytes);
    if (!shape->length_bytes)
        return err_set(err, -ENOMEM, "no memory for %u lengths", lengths);
    if (lengths > 0)
        memcpy(shape->length_bytes, length_bytes, lengths * sizeof *length_bytes);
    shape->lengths = lengths;
    snprintf(shape->id, sizeof shape->id, "%s", s->id);
    snprintf(shape->study, sizeof shape->study, "%s", s->kind);
    shape->seed = s->common->seed;
    shape->spec = *spec;
    shape->repeats = repeats;
    shape->trees_max = trees_max;
    shape->made_wall_ns = clk_wall_ns();
    /* No other process can ask about what lives in this one's model; and its marker, which takes time there by its
     * length, is the same whatever this process's number and machine. */
    if (!s->caps.keeps_no_data)
        owner_of((uint64_t)getpid(), &shape->owner);
    return 0;
}

bool study_can(const struct study *s, enum op_kind op)
{
    return (s->caps.op_kinds & 1u << op) != 0;
}

static enum plan_cache cache_of(enum site_cache found)
{
    switch (found) {
    case SITE_CACHE_DROP:
        return PLAN_CACHE_DROP;
    case SITE_CACHE_DIRECT:
        return PLAN_CACHE_DIRECT;
    case SITE_CACHE_RAM:
        return PLAN_CACHE_RAM;
    case SITE_CACHE_UNCACHED:
        return PLAN_CACHE_UNCACHED;
    case SITE_CACHE_NONE:
        return PLAN_CACHE_NONE;
    case SITE_CACHE_UNVERIFIED:
        break;
    }
    return PLAN_CACHE_UNVERIFIED;
}

/* Where there is nothing behind the cache, or nothing at all, nothing can be kept in it. */
static bool is_without_cache(enum site_cache cache)
{
    return cache == SITE_CACHE_RAM || cache == SITE_CACHE_NONE || cache == SITE_CACHE_UNCACHED;
}

bool study_models_cache(const struct study *s)
{
    return s->caps.own_clock && study_can(s, OP_EVICT);
}

int study_settle_cache(struct study *s, enum study_client_cache asked, struct err *err)
{
    bool keep = asked == STUDY_CACHE_KEEP;
    struct site_witness *witness = &s->witness;
    int rc = site_cache_probe(s->site, &s->shape, keep, witness, err);
    if (rc < 0)
        return rc;
    s->instrument.cache = cache_of(witness->cache);
    if (keep && (study_models_cache(s) || !is_without_cache(witness->cache)))
        s->instrument.cache = PLAN_CACHE_KEEP;
    /* What has left this cache lies in another one of this machine, and all witnesses pass it by. */
    if (witness->backed_by[0] != '\0')
        witness->pages_seen = witness->reads_counted = false;
    return 0;
}

static uint64_t quarter_of_memory(const struct study *s)
{
    return s->machine.memory_bytes / 4;
}

int study_check_memory(const struct study *s, const struct plan *plan, uint64_t beside_bytes,
                       struct err *err)
{
    uint64_t may = s->common->max_memory_bytes;
    uint64_t need = engine_memory(plan, &s->caps, s->common->workers) + beside_bytes;
    char need_text[UNITS_PRINT_MAX], may_text[UNITS_PRINT_MAX];

    if (may == 0)
        may = quarter_of_memory(s);
    if (need <= may)
        return 0;
    return err_set(err, -ENOMEM,
                   "the largest run needs %s of memory and may take %s: fewer streams or files, "
                   "smaller blocks, or --max-memory",
                   units_print_bytes(need_text, need), units_print_bytes(may_text, may));
}
