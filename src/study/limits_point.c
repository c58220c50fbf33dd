/* One point of a curve: a run, and its result. */
#include "study/device_look_priv.h"
#include "study/limits_study_priv.h"

#include <errno.h>
#include <string.h>

static bool is_final(const struct limits_load *load)
{
    return strcmp(load->step, "final") == 0 || strcmp(load->step, "prove") == 0;
}

/* What is asked of the cache before and after takes longer than a short point: of finals it is asked. */
static int before(const struct limits_job *job, struct study_run *run,
                  const struct limits_load *load, struct err *err)
{
    struct limits_site *site = job->site;
    const struct fileset_spec spec = limits_spec(site, &job->set);
    if (job->row->place == LIMITS_NAMES)
        return 0;
    if (!is_final(load) || site->s.caps.keeps_nothing || site->s.caps.own_clock) {
        run->cache.resident_known = run->cache.dirty_known = false;
        return 0;
    }
    if (!site->s.caps.one_file) {
        int rc = run->writes ? site_sync(site->s.site, err) : 0;
        return rc == 0 ? study_prepare_read(&site->s, &spec, site->place, run, err) : rc;
    }
    bool keep = site->s.instrument.cache == PLAN_CACHE_KEEP;
    run->cache.resident_known &= !keep;
    return keep ? 0 : study_device_empty(&site->s, spec.size_bytes, &run->cache, err);
}

static int after(const struct limits_job *job, struct study_run *run,
                 const struct limits_load *load, struct err *err)
{
    struct limits_site *site = job->site;
    const struct fileset_spec spec = limits_spec(site, &job->set);
    if (job->row->place == LIMITS_NAMES || !is_final(load) || site->s.caps.own_clock)
        return 0;
    if (!site->s.caps.one_file) {
        int rc = study_ask_dirty(&site->s, &spec, site->place, &run->cache, err);
        return rc == 0 ? study_after_read(&site->s, &spec, site->place, run, err) : rc;
    }
    run->cache.dirty_known &= !site->s.over;
    return run->cache.dirty_known ? study_device_dirty(&site->s, spec.size_bytes, &run->cache, err)
                                  : 0;
}

static double rate_of(const struct result *r, const struct limits_row *row)
{
    const struct result_line *line = result_line_find(r, op_kind_name(row->op));
    double s = (double)(r->window_close_ns - r->window_open_ns) / 1e9;
    return line && s > 0 ? (double)line->sum.ops / s : 0;
}

/* Nothing but errors: whoever asked for the next point would get them again. */
static void heed_death(struct limits_site *site, const struct result *r, double rate)
{
    if (rate > 0 || r->errors == 0)
        return;
    study_mark(&site->s, STUDY_INCOMPLETE, true, "%s: %s of %s: %s, and nothing else",
               site->address, r->error[0].op, r->error[0].first_path, r->error[0].code);
}

static int deliver(struct limits_study *l, const struct limits_job *job,
                   const struct limits_load *load, struct study_run *run, struct study_row *row,
                   double *rate, struct err *err)
{
    struct result *r = NULL;
    bool steady = run->sum.notes.steady_found || load->window.steady_frac <= 0;
    int rc = study_result(&job->site->s, run, &r, err);
    if (rc < 0)
        return rc;
    if (limits_put_options(l, job, load, steady, r) < 0) {
        result_free(r);
        return err_set(err, -ENOMEM, "no memory for a result");
    }
    *rate = rate_of(r, job->row);
    heed_death(job->site, r, *rate);
    return study_deliver(&job->site->s, r, row, err);
}

int limits_point(struct limits_study *l, const struct limits_job *job,
                 const struct limits_load *load, struct plan *plan, struct study_row *row,
                 double *rate, struct err *err)
{
    struct limits_site *site = job->site;
    struct study_run run = {.phase = "",
                            .reads = job->row->op == OP_READ,
                            .writes = job->row->op == OP_WRITE,
                            .piece_bytes = load->io_bytes,
                            .stored = site->stored};
    study_cache_begin(&site->s, &run);
    int rc = before(job, &run, load, err);
    if (rc < 0 || study_check_stop(&site->s)) {
        plan_free(plan);
        goto out;
    }
    rc = study_run_pass(&site->s, &run, plan, site->place, run.writes, err);
    if (rc == 0)
        rc = after(job, &run, load, err);
    /* A stop before the window opened leaves nothing to be told. */
    if (rc == 0 && run.sum.window_close_ns > run.sum.window_open_ns)
        rc = deliver(l, job, load, &run, row, rate, err);
out:
    study_run_fini(&site->s, &run);
    return rc;
}
