/* Rows of names: how many files can be made, looked at and removed a second. A point is one pass over as many names
 * as take about its time. */
#include "study/limits_study_priv.h"

#include "clk/clk.h"

#include <math.h>
#include <sys/param.h>

#define FILES_FIRST  1024
#define FILES_MODEL  8192 /* at the most: more of them say nothing new */
#define FILES_STAT   4096 /* likewise: they are looked at over and over, and have to be made */
#define MAKING_TIMES 4

struct names {
    struct limits_study *l;
    struct limits_job *job;
    struct study_row row;
    struct limits_times times;
    uint32_t files;    /* of the next pass */
    uint32_t there;    /* made so far */
    double made_per_s; /* on the side, by this machine's clock; 0 not known */
};

static uint32_t files_most(const struct names *n)
{
    if (n->job->row->op == OP_STAT)
        return FILES_STAT;
    return n->job->site->s.caps.own_clock ? FILES_MODEL : LIMITS_NAMES_FILES;
}

/* By the rate of the pass before as many as take a point's time, each stream some; and no more than are made
 * in a few times that. */
static void choose_files(struct names *n, uint32_t streams, double rate)
{
    unsigned rounds = n->job->row->op == OP_STAT ? LIMITS_STAT_ROUNDS : 1;
    double point_s = (double)n->times.point_ns / 1e9;
    double want = rate > 0 ? rate * point_s / rounds : FILES_FIRST;
    if (n->made_per_s > 0 && !n->job->site->s.caps.own_clock)
        want = fmin(want, n->made_per_s * point_s * MAKING_TIMES);
    uint32_t files = (uint32_t)fmin(want, files_most(n));
    n->files = MIN(MAX(files, 4 * streams), files_most(n));
}

static int aside(struct names *n, enum op_kind op, uint32_t files, const char *doing,
                 struct err *err)
{
    const struct limits_site *site = n->job->site;
    struct plan *plan = NULL;
    struct limits_load load = {.streams = MIN(LIMITS_FILE_STREAMS, files), .clients = 1};
    if (files == 0)
        return 0;
    int rc = limits_plan_names(site, op, files, &load, &plan, err);
    uint64_t begun_ns = clk_monotonic_ns();
    if (rc == 0)
        rc = limits_prepare(n->job->site, plan, doing, err);
    if (rc == 0 && op == OP_CREATE)
        n->made_per_s = files * 1e9 / (double)(clk_monotonic_ns() - begun_ns + 1);
    return rc;
}

/* So that the pass finds names where it needs some, and none where it makes them. */
static int make_ready(struct names *n, struct err *err)
{
    bool makes = n->job->row->op == OP_CREATE;
    int rc = 0;
    if (n->there >= n->files && n->job->row->op == OP_STAT)
        return 0;
    rc = aside(n, OP_UNLINK, n->there, "removing", err);
    n->there = 0;
    if (rc == 0 && !makes && !study_check_stop(&n->job->site->s)) {
        rc = aside(n, OP_CREATE, n->files, "making files", err);
        n->there = n->files;
    }
    return rc;
}

/* A first pass of too few names would be over before it tells anything: how long does a small one take? */
static int try_out(struct names *n, double *rate, struct err *err)
{
    enum op_kind op = n->job->row->op;
    unsigned rounds = op == OP_STAT ? LIMITS_STAT_ROUNDS : 1;
    n->files = FILES_FIRST;
    if (n->job->site->s.caps.own_clock)
        return 0;
    int rc = make_ready(n, err);
    uint64_t begun_ns = clk_monotonic_ns();
    if (rc == 0)
        rc = aside(n, op, n->files, "trying it out", err);
    n->there = op == OP_UNLINK ? 0 : n->files;
    *rate = n->files * 1e9 * rounds / (double)(clk_monotonic_ns() - begun_ns + 1);
    return rc;
}

static int pass(struct names *n, struct limits_load *load, double *rate, struct err *err)
{
    const struct limits_site *site = n->job->site;
    struct plan *plan = NULL;
    load->clients = limits_clients(n->l, site, load->streams);
    choose_files(n, load->streams, *rate);
    limits_say(n->l, n->job, load);
    int rc = make_ready(n, err);
    if (rc < 0 || study_check_stop(&n->job->site->s))
        return rc;
    n->job->set.files = n->files;
    rc = limits_plan_names(site, n->job->row->op, n->files, load, &plan, err);
    if (rc == 0)
        rc = limits_point(n->l, n->job, load, plan, &n->row, rate, err);
    if (n->job->row->op != OP_STAT)
        n->there = n->job->row->op == OP_CREATE ? n->files : 0;
    return rc;
}

int limits_names_run(struct limits_study *l, struct limits_job *job, struct err *err)
{
    struct names n = {.l = l, .job = job};
    struct study *s = &job->site->s;
    struct limits_ramp r;
    uint32_t most = MIN(limits_streams_most(job), FILES_FIRST), streams;
    double rate = 0;

    limits_instrument(job);
    limits_times(l, job, &n.times);
    limits_ramp_begin(&r, MIN(MAX(job->streams_from, 1), most), most);
    if (n.times.hurried)
        limits_ramp_hurry(&r);
    int rc = try_out(&n, &rate, err);
    while (rc == 0 && !study_check_stop(s) && (streams = limits_ramp_next(&r)) > 0 &&
           !limits_ramp_cut(l, &r)) {
        struct limits_load load = {.streams = streams,
                                   .step = limits_ramp_refines(&r) ? "refine" : "ramp"};
        rc = pass(&n, &load, &rate, err);
        if (rc == 0)
            limits_ramp_add(&r, streams, rate);
    }
    for (unsigned i = 0; rc == 0 && !limits_finals_enough(l, &n.times, i) && !study_check_stop(s);
         i++) {
        struct limits_load load = {
            .streams = limits_ramp_top(&r), .step = "final", .ended = limits_end_of(job, &r)};
        rc = pass(&n, &load, &rate, err);
    }
    if (rc == 0 && !study_check_stop(s))
        rc = aside(&n, OP_UNLINK, n.there, "removing", err);
    study_row_done(s, &n.row);
    return rc;
}
