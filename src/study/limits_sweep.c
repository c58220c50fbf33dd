/* How large a server's cache is, where nobody says so: one stream's small reads, of ever larger parts of the files. */
#include "study/limits_study_priv.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/param.h>

#define LEAST_BYTES    ((uint64_t)64 << 20)
#define SWEEP_WARM_NS  200000000u
#define SWEEP_POINT_NS 1000000000u
#define SWEEP_IO_BYTES 4096

static const struct limits_row *row_of_sweep(void)
{
    for (unsigned i = 0; i < limits_ladder_rows; i++)
        if (strcmp(limits_ladder[i].id, "read-4k-cache") == 0)
            return &limits_ladder[i];
    return &limits_ladder[0];
}

/* One size: read once, so that it is in the cache if there is room, then by chance. */
static int try_size(struct limits_study *l, struct limits_job *job, uint64_t bytes,
                    struct study_row *row, uint64_t *p95_ns, struct err *err)
{
    struct limits_load load = {
        .streams = 1, .clients = 1, .io_bytes = SWEEP_IO_BYTES, .step = "size"};
    struct plan *plan = NULL;
    double rate;
    uint64_t unit = (uint64_t)SWEEP_IO_BYTES * job->set.files;
    job->set.bytes = MAX(bytes / unit, 1) * unit;
    load.window = (struct plan_window){.warmup_ns = SWEEP_WARM_NS,
                                       .measure_ns = SWEEP_POINT_NS,
                                       .interval_ns = study_interval_ns(SWEEP_POINT_NS)};
    limits_say(l, job, &load);
    int rc = limits_warm(l, job, err);
    if (rc < 0 || study_check_stop(&job->site->s))
        return rc;
    rc = limits_plan_point(job, &load, &plan, err);
    if (rc == 0)
        rc = limits_point(l, job, &load, plan, row, &rate, err);
    if (rc < 0 || row->n == 0)
        return rc;
    const struct result_line *line = result_line_find(row->result[row->n - 1], "read");
    *p95_ns = line ? hist_quantile(&line->sum.service, 0.95) : 0;
    return 0;
}

static int sweep(struct limits_study *l, struct limits_site *site, struct err *err)
{
    struct limits_job job = {.row = row_of_sweep(), .site = site};
    struct study_row row = {0};
    struct limits_sweep s;
    uint64_t bytes, p95_ns = 0;
    int rc = 0;
    job.set.files = site->spec.files;
    snprintf(job.set.place, sizeof job.set.place, "server RAM, or what is behind it");
    limits_instrument(&job);
    limits_sweep_begin(&s, LEAST_BYTES, fileset_spec_bytes(&site->spec));
    while (rc == 0 && !study_check_stop(&site->s) && (bytes = limits_sweep_next(&s)) > 0) {
        rc = try_size(l, &job, bytes, &row, &p95_ns, err);
        if (rc == 0)
            limits_sweep_add(&s, bytes, p95_ns);
    }
    study_row_done(&site->s, &row);
    site->sizes.cache_bytes = limits_sweep_knee(&s);
    return rc;
}

/* The shared files of a target lie behind the same cache as its others. */
static bool found_beside(const struct limits_study *l, struct limits_site *site)
{
    for (unsigned i = 0; i < l->sites; i++) {
        const struct limits_site *other = l->site[i];
        if (other == site || other->sweeps || other->side != site->side ||
            strcmp(other->address, site->address) != 0)
            continue;
        site->sizes.cache_bytes = other->sizes.cache_bytes;
        return true;
    }
    return false;
}

int limits_find_cache(struct limits_study *l, struct limits_site *site, struct err *err)
{
    if (!site->sweeps)
        return 0;
    int rc = found_beside(l, site) ? 0 : sweep(l, site, err);
    site->sweeps = false;
    if (site->sizes.cache_bytes == 0)
        study_warn(&site->s,
                   "%s: reads of up to %" PRIu64 " MiB all take the same time: the size of the "
                   "server's cache is not known (--server-cache)",
                   site->typed, fileset_spec_bytes(&site->spec) >> 20);
    limits_jobs_settle(l, site);
    return rc;
}
