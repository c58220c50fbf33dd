/* What lies on a target before a point is measured: the files, and what caches have of them. */
#include "study/device_look_priv.h"
#include "study/io_priv.h"
#include "study/limits_study_priv.h"

#include "base/units.h"
#include "clk/clk.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/param.h>

#define PRECONDITION_PASSES 2
#define PILOT_BYTES         ((uint64_t)128 << 20)
#define PILOT_WORTH_BYTES   ((uint64_t)1 << 30)

int limits_prepare(struct limits_site *site, struct plan *plan, const char *doing, struct err *err)
{
    struct engine_outcome out = {0};
    char text[ERR_TEXT_MAX];
    int rc = study_engine(&site->s, plan, site->place, &out, err);
    if (rc == 0)
        study_judge(&site->s, plan, &out, true);
    if (rc == 0 && out.errors > 0) {
        study_error_text(&site->s, plan, &out.error[0], text, sizeof text);
        rc = err_set(err, out.error[0].code, "%s: %s", doing, text);
    }
    engine_outcome_fini(&out);
    study_drop_plan(&site->s, plan);
    return rc;
}

/* While the instrument is the settled one: a row's own might say that nothing can be known. */
static void ask_stored(struct limits_site *site)
{
    site->s.instrument.cache = site->settled;
    study_ask_stored(&site->s, &site->spec, site->place, &site->stored);
}

/* How fast files come to be there decides how large they can be in the time there is. */
static int pilot(struct limits_study *l, struct limits_site *site, struct err *err)
{
    struct fileset_spec few = site->spec;
    const struct limits_load load = {.streams = LIMITS_FILE_STREAMS, .clients = 1};
    struct plan *plan = NULL;
    uint64_t begun_ns = clk_monotonic_ns();
    few.files = LIMITS_FILE_STREAMS;
    few.size_bytes = MIN(site->spec.size_bytes, PILOT_BYTES / few.files);
    int rc = io_plan_layout(&site->s, &few, &plan, err);
    if (rc == 0)
        rc = limits_prepare(site, plan, "laying out", err);
    if (rc == 0 && !site->s.over)
        rc = site_sync(site->s.site, err);
    if (rc < 0 || study_check_stop(&site->s))
        return rc;
    const struct limits_budget budget = {.total_ns = l->o->budget_ns,
                                         .spent_ns = clk_monotonic_ns() - l->begun_ns,
                                         .rows_left = l->jobs_left};
    double rate =
        (double)fileset_spec_bytes(&few) * 1e9 / (double)(clk_monotonic_ns() - begun_ns + 1);
    uint64_t most = MAX(limits_budget_layout(&budget, rate), fileset_spec_bytes(&few));
    site->sizes.max_bytes = MIN(site->sizes.max_bytes, most);
    limits_jobs_settle(l, site);
    rc = limits_plan_names(site, OP_UNLINK, few.files, &load, &plan, err);
    return rc == 0 ? limits_prepare(site, plan, "removing", err) : rc;
}

static int write_once(const struct limits_job *job, struct err *err)
{
    struct plan *plan = NULL;
    int rc = limits_plan_pass(job, OP_WRITE, &plan, err);
    return rc == 0 ? limits_prepare(job->site, plan, "writing once", err) : rc;
}

/* A model's first files, for the rows that want longer ones than there have to be of all. */
static int lengthen(const struct limits_study *l, const struct limits_site *site, struct err *err)
{
    uint64_t size = site->spec.size_bytes;
    int rc = 0;
    for (unsigned i = 0; rc == 0 && i < l->jobs && !site->s.over; i++) {
        const struct limits_job *job = &l->job[i];
        bool longer = job->site == site && job->fit == LIMITS_RUNS && job->set.files > 0 &&
                      job->set.bytes / job->set.files > size;
        if (longer)
            rc = write_once(job, err);
        if (longer)
            size = job->set.bytes / job->set.files;
    }
    return rc;
}

int limits_lay_out(struct limits_study *l, struct limits_site *site, struct err *err)
{
    char bytes[UNITS_PRINT_MAX];
    struct plan *plan = NULL;
    const struct target_caps *caps = &site->s.caps;
    if (site->laid_out || caps->keeps_nothing || caps->one_file)
        return 0;
    site->s.instrument.cache = site->settled;
    site->s.instrument.direct = false;
    if (!caps->own_clock && fileset_spec_bytes(&site->spec) > PILOT_WORTH_BYTES) {
        study_say(&site->s, limits_left_ns(l), "trying out how fast files can be written");
        int rc = pilot(l, site, err);
        if (rc < 0 || study_check_stop(&site->s))
            return rc;
    }
    study_say(&site->s, limits_left_ns(l), "laying out %" PRIu32 " files, %s", site->spec.files,
              units_print_bytes(bytes, limits_site_bytes(l, site)));
    site->s.gauge.goal_bytes = limits_site_bytes(l, site);
    int rc = io_plan_layout(&site->s, &site->spec, &plan, err);
    if (rc == 0)
        rc = limits_prepare(site, plan, "laying out", err);
    if (rc == 0 && !site->s.over)
        rc = lengthen(l, site, err);
    if (rc == 0 && !site->s.over)
        rc = site_sync(site->s.site, err);
    if (rc < 0 || site->s.over)
        return rc;
    site->laid_out = true;
    ask_stored(site);
    return 0;
}

int limits_fill(const struct limits_job *job, uint64_t io_bytes, struct err *err)
{
    uint64_t dirty_bytes = job->site->dirty_bytes;
    struct plan *plan = NULL;
    bool sync = job->set.direct || job->row->synchronous; /* these wait for more than buffers */
    if (job->row->op != OP_WRITE || dirty_bytes == 0 || sync)
        return 0;
    int rc = limits_plan_fill(job, io_bytes, dirty_bytes + dirty_bytes / 4, &plan, err);
    return rc == 0 ? limits_prepare(job->site, plan, "filling buffers", err) : rc;
}

static int read_once(const struct limits_job *job, struct err *err)
{
    struct plan *plan = NULL;
    int rc = limits_plan_pass(job, OP_READ, &plan, err);
    return rc == 0 ? limits_prepare(job->site, plan, "reading once", err) : rc;
}

int limits_warm(struct limits_study *l, const struct limits_job *job, struct err *err)
{
    const struct limits_row *row = job->row;
    bool cached = row->place == LIMITS_CACHE || row->place == LIMITS_FLASH;
    unsigned writes = row->op == OP_WRITE && l->o->precondition ? PRECONDITION_PASSES : 0;
    int rc = 0;
    if (job->site->s.caps.keeps_nothing || (!cached && writes == 0))
        return 0;
    study_say(&job->site->s, limits_left_ns(l), "%s %s: %s", job->site->protocol, row->id,
              cached ? "reading once, to fill the cache" : "overwriting all of it twice");
    if (cached)
        rc = read_once(job, err);
    for (unsigned i = 0; rc == 0 && i < writes && !study_check_stop(&job->site->s); i++)
        rc = write_once(job, err);
    return rc;
}
