/* The ramp of one row: from one stream on until more of them give no more, then what the top really gives. */
#include "study/limits_study_priv.h"

#include "clk/clk.h"
#include "verdict/findings.h"

#include <string.h>
#include <sys/param.h>

#define ASIDE_PERCENT    20
#define RAMP_LEAST       6
#define STEADY_FRAC      0.10
#define PRECISE_FRAC     0.005
#define MODEL_PARTS      20        /* of the least window there: what batch means are made of */
#define MODEL_LEAST_NS   40000000u /* of virtual time */
#define MODEL_LEAST_OPS  2000      /* per window, by the rate of the point before … */
#define MODEL_TURNS      4         /* … and so many of each stream, while it warms up */
#define BUFFER_TURNS     8
#define MODEL_FIRST_NS   400000000u
#define INTERVAL_STEP_NS 1000000u

uint32_t limits_clients(const struct limits_study *l, const struct limits_site *site,
                        uint32_t streams)
{
    uint32_t clients = l->o->clients ? l->o->clients : site->clients;
    return MAX(MIN(clients, streams), 1);
}

uint32_t limits_streams_most(const struct limits_job *job)
{
    uint32_t most =
        job->site->s.caps.one_file || job->site->shared ? job->site->streams_most : job->set.files;
    if (job->row->place == LIMITS_NAMES)
        most = job->site->streams_most;
    if (job->row->latency)
        return 1;
    return job->streams_to ? MIN(job->streams_to, most) : MIN(job->site->streams_most, most);
}

/* What runs cost beside their windows: opening files, asking about caches, rates that are not steady soon. */
static uint64_t usable_ns(const struct limits_study *l)
{
    return l->o->budget_ns / 100 * (100 - ASIDE_PERCENT);
}

void limits_times(struct limits_study *l, const struct limits_job *job, struct limits_times *out)
{
    const struct limits_budget budget = {.total_ns = usable_ns(l),
                                         .spent_ns = clk_monotonic_ns() - l->begun_ns,
                                         .rows_left = MAX(l->jobs_left, 1)};
    uint64_t left_ns = budget.spent_ns < budget.total_ns ? budget.total_ns - budget.spent_ns : 0;
    l->row_until_ns = l->begun_ns + budget.spent_ns + left_ns / budget.rows_left;
    uint32_t most = limits_streams_most(job);
    if (job->site->s.caps.own_clock)
        limits_times_of_model(job->row, l->o->quick, out);
    else
        limits_budget_row(&budget, limits_budget_points(job->row, job->streams_from, most),
                          l->o->quick, out);
}

bool limits_late(const struct limits_study *l)
{
    return !(l->at && l->at->caps.own_clock) && clk_monotonic_ns() > l->row_until_ns;
}

/* Refinement goes first, then loads above those that have shown no end of it. */
bool limits_ramp_cut(const struct limits_study *l, const struct limits_ramp *r)
{
    return limits_late(l) && (limits_ramp_refines(r) || r->n >= RAMP_LEAST);
}

bool limits_finals_enough(const struct limits_study *l, const struct limits_times *times,
                          unsigned n)
{
    return n >= times->finals || (n >= LIMITS_FINALS_LEAST && limits_late(l));
}

/* Where time was over before the knee was found as near as it could be, the way up says how it ended. */
enum limits_ramp_end limits_end_of(const struct limits_job *job, const struct limits_ramp *r)
{
    enum limits_ramp_end end = limits_ramp_ended(r);
    if (job->row->latency)
        return LIMITS_RAMP_FIXED;
    if (end != LIMITS_RAMP_GOES_ON)
        return end;
    for (unsigned i = 0; i < r->n; i++)
        if (r->point[i].load > limits_ramp_top(r))
            return LIMITS_RAMP_FLAT;
    return limits_ramp_top(r) < r->to ? LIMITS_RAMP_CUT : LIMITS_RAMP_RISING;
}

uint64_t limits_left_ns(const struct limits_study *l)
{
    uint64_t spent = clk_monotonic_ns() - l->begun_ns;
    if (l->at && l->at->caps.own_clock)
        return 0;
    return spent < l->o->budget_ns ? l->o->budget_ns - spent : 1;
}

/* How many ops it takes until what buffers still take does not count, compared with what they have passed on. */
static double ops_of_buffers(const struct limits_job *job, const struct limits_load *load)
{
    bool buffers = job->row->op == OP_WRITE && !job->row->synchronous && !job->set.direct;
    return buffers ? (double)job->site->dirty_bytes * BUFFER_TURNS / (double)load->io_bytes : 0;
}

/* Of virtual time as much as it takes: by the rate so far, 0 not known. */
static void model_window(const struct limits_times *times, const struct limits_job *job,
                         const struct limits_load *load, double rate, struct plan_window *w)
{
    double each_ns = rate > 0 ? 1e9 / rate : 0;
    double ops = MAX(ops_of_buffers(job, load), MODEL_LEAST_OPS);
    uint64_t least = rate > 0 ? (uint64_t)(each_ns * ops) : MODEL_FIRST_NS;
    uint64_t turns = (uint64_t)(each_ns * load->streams * MODEL_TURNS);
    w->precise_min_ns = MIN(MAX(least, MODEL_LEAST_NS), times->point_ns);
    w->interval_ns = study_round_up(MAX(w->precise_min_ns / MODEL_PARTS, 1), INTERVAL_STEP_NS);
    w->precise_min_ns = study_round_up(w->precise_min_ns, w->interval_ns);
    w->warmup_ns = MAX(turns, w->precise_min_ns);
    w->measure_ns = study_round_up(MAX(times->point_ns, w->precise_min_ns), w->interval_ns);
    w->precise_frac = PRECISE_FRAC;
}

void limits_window(const struct limits_times *times, const struct limits_job *job,
                   struct limits_load *load, double rate)
{
    struct plan_window *w = &load->window;
    memset(w, 0, sizeof *w);
    if (job->site->s.caps.own_clock) {
        model_window(times, job, load, rate, w);
        return;
    }
    bool counts = strcmp(load->step, "final") == 0 || strcmp(load->step, "prove") == 0;
    w->measure_ns = counts ? times->final_ns : times->point_ns;
    w->warmup_ns = times->warm_ns;
    w->interval_ns = study_interval_ns(w->measure_ns);
    w->steady_frac = STEADY_FRAC;
    w->steady_max_ns = MAX(times->steady_ns, times->warm_ns);
}

static void settle(const struct limits_study *l, const struct limits_job *job,
                   const struct limits_times *times, double rate, struct limits_load *load)
{
    load->clients = limits_clients(l, job->site, load->streams);
    load->io_bytes = limits_row_io(job->row, &job->site->where);
    limits_window(times, job, load, rate);
}

static int point(struct limits_study *l, const struct limits_job *job, struct limits_load *load,
                 struct study_row *row, double *rate, struct err *err)
{
    struct plan *plan = NULL;
    limits_say(l, job, load);
    int rc = limits_fill(job, load->io_bytes, err);
    if (rc < 0 || study_check_stop(&job->site->s))
        return rc;
    rc = limits_plan_point(job, load, &plan, err);
    if (rc == 0 && (rc = study_check_memory(&job->site->s, plan, 0, err)) < 0)
        plan_free(plan);
    return rc == 0 ? limits_point(l, job, load, plan, row, rate, err) : rc;
}

static int ramp(struct limits_study *l, const struct limits_job *job,
                const struct limits_times *times, struct limits_ramp *r, struct study_row *row,
                struct err *err)
{
    double rate = 0;
    uint32_t streams;
    int rc = 0;
    while (rc == 0 && !study_check_stop(&job->site->s) && (streams = limits_ramp_next(r)) > 0 &&
           !limits_ramp_cut(l, r)) {
        struct limits_load load = {.streams = streams,
                                   .step = limits_ramp_refines(r) ? "refine" : "ramp"};
        settle(l, job, times, rate, &load);
        rc = point(l, job, &load, row, &rate, err);
        if (rc == 0)
            limits_ramp_add(r, streams, rate);
    }
    return rc;
}

static double top_rate(const struct limits_ramp *r)
{
    double top = 0;
    for (unsigned i = 0; i < r->n; i++)
        top = MAX(top, r->point[i].rate);
    return top;
}

static int finals(struct limits_study *l, const struct limits_job *job,
                  const struct limits_times *times, const struct limits_ramp *r,
                  struct study_row *row, struct err *err)
{
    double rate = top_rate(r);
    int rc = 0;
    for (unsigned i = 0;
         rc == 0 && !limits_finals_enough(l, times, i) && !study_check_stop(&job->site->s); i++) {
        struct limits_load load = {
            .streams = limits_ramp_top(r), .step = "final", .ended = limits_end_of(job, r)};
        settle(l, job, times, rate, &load);
        rc = point(l, job, &load, row, &rate, err);
    }
    return rc;
}

/* A ramp that still rises is stopped by that, and what is full stops it. */
static bool is_known(const struct limits_ramp *r, const struct study_row *row)
{
    struct finding found[FINDINGS_MAX];
    unsigned n = row->n > 0 ? findings_of(row->result[row->n - 1], found) : 0;
    return limits_ramp_ended(r) == LIMITS_RAMP_RISING || findings_limiter(found, n) != NULL;
}

/* Where nothing that was watched is full: what comes of the finals with one thing changed? */
static int prove(struct limits_study *l, const struct limits_job *job,
                 const struct limits_times *times, const struct limits_ramp *r,
                 struct study_row *row, struct err *err)
{
    struct limits_change change[LIMITS_CHANGES_MAX];
    uint32_t streams = limits_ramp_top(r);
    double rate = top_rate(r);
    unsigned n = limits_changes(job->row, &job->site->where, streams,
                                limits_clients(l, job->site, streams), change);
    int rc = 0;
    if (l->o->quick || times->hurried || limits_late(l) || is_known(r, row))
        return 0;
    for (unsigned i = 0; rc == 0 && i < n && !study_check_stop(&job->site->s); i++) {
        struct limits_load load = {.streams = streams,
                                   .clients = change[i].clients,
                                   .io_bytes = change[i].io_bytes,
                                   .step = "prove",
                                   .changed = change[i].changed};
        limits_window(times, job, &load, rate);
        rc = point(l, job, &load, row, &rate, err);
    }
    return rc;
}

int limits_row_run(struct limits_study *l, struct limits_job *job, struct err *err)
{
    struct study_row row = {0};
    struct limits_times times;
    struct limits_ramp r;
    int rc = limits_lay_out(l, job->site, err);

    if (rc == 0 && !study_check_stop(&job->site->s))
        rc = limits_find_cache(l, job->site, err);
    if (rc < 0 || job->fit != LIMITS_RUNS)
        return rc;
    uint32_t most = limits_streams_most(job);
    limits_instrument(job);
    if (!study_check_stop(&job->site->s))
        rc = limits_warm(l, job, err);
    limits_times(l, job, &times);
    limits_ramp_begin(&r, MIN(MAX(job->streams_from, 1), most), most);
    if (times.hurried)
        limits_ramp_hurry(&r);
    if (rc == 0 && !job->row->latency)
        rc = ramp(l, job, &times, &r, &row, err);
    if (rc == 0 && !study_check_stop(&job->site->s))
        rc = finals(l, job, &times, &r, &row, err);
    if (rc == 0 && !study_check_stop(&job->site->s))
        rc = prove(l, job, &times, &r, &row, err);
    study_row_done(&job->site->s, &row);
    return rc;
}
