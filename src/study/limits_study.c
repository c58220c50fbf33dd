/* `limits` as a whole: opens, plans, says what it will do, and goes row by row. */
#include "study/limits_study_priv.h"

#include "clk/clk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int run_job(struct limits_study *l, struct limits_job *job, struct err *err)
{
    limits_site_turn(l, job->site);
    int rc = limits_site_begin(l, job->site, err);
    /* What the directory told may have changed what there is to be measured. */
    if (rc < 0 || job->fit != LIMITS_RUNS || study_check_stop(&job->site->s))
        return rc;
    return job->row->place == LIMITS_NAMES ? limits_names_run(l, job, err)
                                           : limits_row_run(l, job, err);
}

static void count_left(struct limits_study *l)
{
    l->jobs_left = 0;
    for (unsigned i = 0; i < l->jobs; i++)
        l->jobs_left += l->job[i].fit == LIMITS_RUNS && !l->job[i].done;
}

/* Names first: they want an empty directory, all the others the files in it. */
static int run_all(struct limits_study *l, struct err *err)
{
    int rc = 0;
    for (unsigned turn = 0; turn < 2; turn++)
        for (unsigned i = 0; rc == 0 && i < l->jobs; i++) {
            struct limits_job *job = &l->job[i];
            bool names = job->row->place == LIMITS_NAMES;
            if (job->fit != LIMITS_RUNS || names != (turn == 0) || (l->at && l->at->over))
                continue;
            count_left(l);
            rc = run_job(l, job, err);
            job->done = true;
        }
    return rc;
}

static int check_any(struct limits_study *l, struct err *err)
{
    count_left(l);
    for (unsigned i = 0; i < l->jobs; i++)
        l->job[i].site->used |= l->job[i].fit == LIMITS_RUNS;
    if (l->jobs_left > 0)
        return 0;
    const struct limits_job *first = l->jobs > 0 ? &l->job[0] : NULL;
    return err_set(err, -EINVAL, "%s: nothing to measure%s%s%s%s", l->common->target,
                   first ? "; " : "", first ? first->row->id : "", first ? ": " : "",
                   first ? first->why : "");
}

static void tidy(struct limits_study *l)
{
    for (unsigned i = 0; i < l->sites; i++) {
        limits_site_turn(l, l->site[i]);
        study_tidy(&l->site[i]->s, "", 1);
    }
}

static void close_all(struct limits_study *l)
{
    for (unsigned i = 0; i < l->sites; i++) {
        study_close(&l->site[i]->s);
        free(l->site[i]);
    }
    free(l->job);
}

/* After the first result a failure is an incomplete study. */
static int forgive(struct limits_study *l, int rc, const struct err *err)
{
    return l->at ? study_forgive(l->at, rc, err) : rc;
}

int study_limits(const struct study_common *common, const struct limits_options *options,
                 const struct study_sink *sink, struct err *err)
{
    struct limits_study l = {
        .common = common, .o = options, .sink = sink, .begun_ns = clk_monotonic_ns()};
    int rc = limits_options_check(options, err);
    if (rc < 0)
        return rc;
    rc = limits_jobs_make(&l, err);
    if (rc == 0)
        rc = check_any(&l, err);
    if (rc == 0)
        rc = limits_announce(&l, err);
    if (rc == 0 && !options->dry_run) {
        rc = forgive(&l, run_all(&l, err), err);
        tidy(&l);
    }
    if (rc == 0)
        study_ended(l.at ? l.at : &l.site[0]->s);
    close_all(&l);
    return rc;
}
