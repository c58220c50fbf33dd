/* Which rows are asked of which system: of each target as typed, in each protocol that a model has, and of a
 * model as the rig of that row wants it. */
#include "study/limits_study_priv.h"

#include "base/units.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#define BLOCK_BYTES      4096
#define FILE_LEAST_BYTES ((uint64_t)1 << 20)

/* What the base of a side tells of the others. */
struct ladder {
    unsigned side;
    const char *typed;
    struct limits_site *base;
    const struct result_facts *facts;
    char protocol[16];
    char address[LIMITS_ADDRESS_MAX];
};

static bool wanted(const struct limits_options *o, const struct limits_row *row)
{
    for (unsigned i = 0; i < o->onlys; i++)
        if (strcmp(o->only[i], row->id) == 0)
            return true;
    return o->onlys == 0;
}

/* Four that a chat message has room for: of disks where they can be had in a minute, else of what is before them. */
static bool is_quick(const struct limits_row *row, const struct limits_where *where)
{
    static const char *const disk[] = {"stream-read-disk", "stream-write-disk", "read-4k-disk",
                                       "write-4k-disk"};
    static const char *const other[] = {"stream-read-cache", "stream-write-disk", "read-4k-cache",
                                        "write-512-sync"};
    const char *const *id = where->direct ? disk : other;
    for (unsigned i = 0; i < 4; i++)
        if (strcmp(id[i], row->id) == 0)
            return true;
    return false;
}

/* Small random reads from behind a cache are of the whole set, whoever asks: a stream with files of its own would
 * get all of them into the cache, and spin there while the others wait for disks. */
static bool is_shared(const struct limits_row *row, const struct limits_where *where)
{
    return row->op == OP_READ && row->place == LIMITS_DISK && !row->sequential && !where->local;
}

/* A parameter more; "streams=" is none of the model's. */
static void add_params(char address[LIMITS_ADDRESS_MAX], const char *rig, struct limits_job *job)
{
    char one[256];
    for (const char *at = rig; *at != '\0';) {
        size_t len = strcspn(at, "& ");
        size_t used = strlen(address);
        snprintf(one, sizeof one, "%.*s", (int)len, at);
        if (strncmp(one, "streams=", 8) == 0)
            job->streams_from = job->streams_to = (uint32_t)strtoul(one + 8, NULL, 10);
        else if (len > 0)
            snprintf(address + used, LIMITS_ADDRESS_MAX - used, "%c%s",
                     strchr(address, '?') ? '&' : '?', one);
        at += len + (at[len] != '\0');
    }
}

static int find_site(struct limits_study *l, const struct ladder *d, struct limits_job *job,
                     struct err *err)
{
    char address[LIMITS_ADDRESS_MAX], key[64];
    snprintf(address, sizeof address, "%s", d->address);
    snprintf(key, sizeof key, "rig.%s.%s", d->protocol, job->row->id);
    const char *rig = result_fact_get(d->facts, key);
    if (rig)
        add_params(address, rig, job);
    bool shared = is_shared(job->row, &d->base->where);
    return limits_site_get(l, d->side, d->typed, address, shared, &job->site, err);
}

static void take_streams(const struct limits_options *o, struct limits_job *job)
{
    if (o->streams_from > 0)
        job->streams_from = o->streams_from;
    if (o->streams_to > 0)
        job->streams_to = o->streams_to;
}

static int add_job(struct limits_study *l, const struct ladder *d, const struct limits_row *row,
                   struct err *err)
{
    struct limits_job *more = realloc(l->job, (l->jobs + 1) * sizeof *more);
    if (!more)
        return err_set(err, -ENOMEM, "no memory for one more row");
    l->job = more;
    struct limits_job *job = &l->job[l->jobs];
    *job = (struct limits_job){.row = row};
    int rc = find_site(l, d, job, err);
    if (rc < 0)
        return rc;
    take_streams(l->o, job);
    l->jobs++;
    return 0;
}

static int add_ladder(struct limits_study *l, const struct ladder *d, struct err *err)
{
    int rc = 0;
    for (unsigned i = 0; rc == 0 && i < limits_ladder_rows; i++) {
        const struct limits_row *row = &limits_ladder[i];
        bool quick = !l->o->quick || l->o->onlys > 0 || is_quick(row, &d->base->where);
        if (wanted(l->o, row) && quick)
            rc = add_job(l, d, row, err);
    }
    return rc;
}

static bool is_default(const struct ladder *d)
{
    return strcmp(d->protocol, d->base->protocol) == 0;
}

/* Each protocol of a model, unless the address says which. */
static int add_protocols(struct limits_study *l, struct ladder *d, struct err *err)
{
    const char *words = result_fact_get(d->facts, "model_protocols");
    bool one = !words || strstr(d->typed, "protocol=") != NULL ||
               strcmp(d->base->s.instrument.scheme, "sim") != 0;
    int rc = 0;
    snprintf(d->protocol, sizeof d->protocol, "%s", d->base->protocol);
    snprintf(d->address, sizeof d->address, "%s", d->typed);
    if (one)
        return add_ladder(l, d, err);
    for (const char *at = words; rc == 0 && *at != '\0';) {
        size_t len = strcspn(at, " ");
        struct limits_job none = {0};
        char param[32];
        snprintf(d->protocol, sizeof d->protocol, "%.*s", (int)len, at);
        snprintf(d->address, sizeof d->address, "%s", d->typed);
        snprintf(param, sizeof param, "protocol=%s", d->protocol);
        if (!is_default(d))
            add_params(d->address, param, &none);
        rc = add_ladder(l, d, err);
        at += len + (at[len] != '\0');
    }
    return rc;
}

static int add_side(struct limits_study *l, unsigned side, const char *typed, struct err *err)
{
    struct ladder d = {.side = side, .typed = typed};
    struct result *told = result_new();
    int rc = told ? 0 : err_set(err, -ENOMEM, "no memory for facts");
    if (rc == 0)
        rc = limits_site_get(l, side, typed, typed, false, &d.base, err);
    if (rc == 0 && study_describe(&d.base->s, &told->target_facts) < 0)
        rc = err_set(err, -ENOMEM, "no memory for facts");
    if (rc == 0) {
        d.facts = &told->target_facts;
        rc = add_protocols(l, &d, err);
    }
    result_free(told);
    return rc;
}

/* ---- sets, and the files that hold the largest ---- */

static void fit(struct limits_job *job, uint32_t files)
{
    struct limits_site *site = job->site;
    job->fit = limits_row_fit(job->row, &site->where, &site->sizes, job->why);
    if (job->fit == LIMITS_RUNS)
        limits_row_set(job->row, &site->where, &site->sizes, files, &job->set);
}

static bool is_of_files(const struct limits_job *job, const struct limits_site *site)
{
    return job->site == site && job->row->place != LIMITS_NAMES && !job->row->latency;
}

/* As many as the longest ramp has streams. A ramp that is bounded needs no more, nor one in order: many streams of
 * that are no longer any order. And none is so short that it holds nothing. */
static uint32_t files_of(const struct limits_study *l, const struct limits_site *site)
{
    uint32_t most = 0;
    if (site->s.caps.one_file)
        return 1;
    if (site->shared)
        return LIMITS_FILE_STREAMS;
    for (unsigned i = 0; i < l->jobs; i++) {
        const struct limits_job *job = &l->job[i];
        uint32_t bound = job->row->sequential ? LIMITS_STREAMS_FEW : site->streams_most;
        if (is_of_files(job, site))
            most = MAX(most, job->streams_to ? job->streams_to : bound);
    }
    uint64_t room = MAX(site->sizes.max_bytes / FILE_LEAST_BYTES, 1);
    return (uint32_t)MIN(MIN(MAX(most, LIMITS_FILE_STREAMS), site->streams_most), room);
}

void limits_jobs_settle(struct limits_study *l, struct limits_site *site)
{
    uint32_t files = site->laid_out ? site->spec.files : files_of(l, site);
    uint64_t file_bytes = BLOCK_BYTES;
    for (unsigned i = 0; i < l->jobs; i++) {
        struct limits_job *job = &l->job[i];
        if (job->site != site)
            continue;
        fit(job, files);
        bool longer = limits_row_lengthens(job->row, &site->where);
        if (job->fit == LIMITS_RUNS && job->set.files > 0 && !longer)
            file_bytes = MAX(file_bytes, job->set.bytes / job->set.files);
    }
    if (site->laid_out)
        return;
    if (site->sweeps) /* no row knows yet how much it wants */
        file_bytes = MAX(file_bytes, site->sizes.max_bytes / files);
    site->spec = (struct fileset_spec){.shape = FILESET_FLAT,
                                       .trees = 1,
                                       .files = files,
                                       .size_bytes = study_round_up(file_bytes, BLOCK_BYTES),
                                       .content_key = 1};
    if (site->s.caps.one_file)
        site->spec.size_bytes = file_bytes;
}

uint64_t limits_site_bytes(const struct limits_study *l, const struct limits_site *site)
{
    uint64_t bytes = fileset_spec_bytes(&site->spec), most = bytes;
    for (unsigned i = 0; i < l->jobs; i++) {
        const struct limits_job *job = &l->job[i];
        uint64_t had = site->spec.size_bytes * job->set.files;
        if (job->site == site && job->fit == LIMITS_RUNS && job->set.bytes > had)
            most = MAX(most, bytes + job->set.bytes - had);
    }
    return most;
}

int limits_jobs_make(struct limits_study *l, struct err *err)
{
    int rc = add_side(l, 1, l->common->target, err);
    for (unsigned i = 0; rc == 0 && i < l->common->more_targets; i++)
        rc = add_side(l, i + 2, l->common->more_target[i], err);
    for (unsigned i = 0; rc == 0 && i < l->sites; i++)
        limits_jobs_settle(l, l->site[i]);
    return rc;
}
