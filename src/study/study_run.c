#include "study/study_priv.h"

#include "base/units.h"
#include "clk/clk.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A clock of the target's own is not this machine's time, and what happens to it meanwhile is nothing
 * to that time. */
static bool heeds_disturbance(const struct study *s)
{
    return s->measured && !s->caps.own_clock;
}

static void on_gate(void *ctx, bool open)
{
    struct study *s = ctx;
    if (s->measured && open)
        s->measured->watch.gate_ns = clk_monotonic_ns();
    if (!heeds_disturbance(s))
        return;
    const struct study_view *view = machine_view(s->common->view);
    struct study_run *run = s->measured;
    if (open) {
        run->gate_wall_ns = run->gate_wall_ns ? run->gate_wall_ns : clk_wall_ns();
        disturb_begin(view, &s->cpus, &run->disturbed);
        machine_cpu_begin(view, &run->cpu);
    } else {
        machine_cpu_sample(view, &run->cpu);
        disturb_end(view, &s->cpus, &run->disturbed);
    }
}

static void on_edge(void *ctx, bool open)
{
    struct study *s = ctx;
    if (s->measured)
        study_watch_edge(s, open);
}

static void on_progress(void *ctx, const struct engine_progress *progress)
{
    struct study *s = ctx;
    if (heeds_disturbance(s)) {
        const struct study_view *view = machine_view(s->common->view);
        disturb_sample(view, &s->cpus, &s->measured->disturbed);
        machine_cpu_sample(view, &s->measured->cpu);
    }
    study_show_rates(ctx, progress);
}

static void on_period(void *ctx, const struct engine_period *period)
{
    struct study *s = ctx;
    if (s->measured && s->measured->period)
        s->measured->period(s, period);
}

int study_engine(struct study *s, const struct plan *plan, const char *place,
                 struct engine_outcome *out, struct err *err)
{
    return study_engine_on(s, plan, place, NULL, out, err);
}

int study_engine_on(struct study *s, const struct plan *plan, const char *place,
                    struct fileset_state *const *state, struct engine_outcome *out, struct err *err)
{
    const struct engine_job job = {
        .plan = plan,
        .state = state,
        .address = s->common->target,
        .place = place,
        .stop = s->common->stop,
        .stall_ns = s->common->stall_ns,
        .workers = s->common->workers,
        .max_memory_bytes = s->common->max_memory_bytes,
        .preparing = s->measured == NULL,
        .gate = on_gate,
        .edge = on_edge,
        .progress = on_progress,
        .period = on_period,
        .aside_ns = s->watch.probe ? study_watch_cpu_ns : NULL,
        .ctx = s,
    };
    s->gauge.last_ns = 0;
    s->gauge.last_ops = 0;
    s->gauge.last_bytes = 0;
    int rc = engine_run(&job, out, err);
    s->hangs.op |= rc == -ETIMEDOUT; /* a setup step that does not return */
    s->hangs.worker |= out->stuck.workers > 0;
    return rc;
}

void study_drop_plan(const struct study *s, struct plan *plan)
{
    if (!s->hangs.worker)
        plan_free(plan);
}

/* Every following run would fail in the same way. EFBIG is the limit of the file system or of the
 * shell (ulimit -f) on one file, and later files are as large or larger. */
static bool is_lasting(int code)
{
    return code == -ENOSPC || code == -EDQUOT || code == -EROFS || code == -EFBIG;
}

static const struct engine_error *lasting_error(const struct engine_outcome *out)
{
    for (unsigned i = 0; i < out->errors; i++)
        if (is_lasting(out->error[i].code))
            return &out->error[i];
    return NULL;
}

void study_mismatch_text(const struct engine_mismatch *m, char *buf, size_t room)
{
    snprintf(buf, room, "%s: wrong byte at offset %" PRIu64 ", in a read of %" PRIu64 " bytes",
             m->path, m->off, m->len);
}

/* Kinds of errors stand in the order of their kinds. */
static const struct engine_error *first_error(const struct engine_outcome *out)
{
    const struct engine_error *first = &out->error[0];
    for (unsigned i = 1; i < out->errors; i++)
        if (out->error[i].first_ns < first->first_ns)
            first = &out->error[i];
    return first;
}

void study_error_text(const struct study *s, const struct plan *plan, const struct engine_error *e,
                      char *buf, size_t room)
{
    char quota[96] = "";
    bool met_quota = e->code == -EDQUOT;
    if (met_quota)
        study_quota_words(s, quota, sizeof quota);
    bool of_flowop = e->line != PLAN_NO_LINE;
    snprintf(buf, room, "%s%s%s of %s: %s%s%s", of_flowop ? plan->line[e->line].name : "",
             of_flowop ? ": " : "", op_kind_name(e->op), e->first_path, err_name(e->code),
             met_quota ? ": " : "", quota);
}

void study_ended_text(const struct study *s, const struct plan *plan,
                      const struct engine_outcome *out, char *buf, size_t room)
{
    char text[ERR_TEXT_MAX];

    snprintf(buf, room, "%s", out->notes.ended_by);
    if (out->end != ENGINE_FAILED || out->errors == 0)
        return;
    study_error_text(s, plan, first_error(out), text, sizeof text);
    snprintf(buf, room, "%s; the first error was %s", out->notes.ended_by, text);
}

static void judge_errors(struct study *s, const struct plan *plan, const struct engine_outcome *out,
                         bool writing)
{
    const struct engine_error *e = writing ? lasting_error(out) : NULL;
    char text[ERR_TEXT_MAX];

    study_error_text(s, plan, e ? e : first_error(out), text, sizeof text);
    if (e)
        study_mark(s, STUDY_INCOMPLETE, true, "%s; every further run would fail too", text);
    else
        study_mark(s, STUDY_INVALID, false, "%s", text);
}

void study_judge(struct study *s, const struct plan *plan, const struct engine_outcome *out,
                 bool writing)
{
    char text[ERR_TEXT_MAX];

    if (out->mismatch.found) {
        study_mismatch_text(&out->mismatch, text, sizeof text);
        study_mark(s, STUDY_INVALID, true, "%s", text);
    }
    if (out->end == ENGINE_STALLED)
        study_mark(s, STUDY_INCOMPLETE, true, "stalled: %s", out->stuck.what);
    s->hangs.op |= (out->end == ENGINE_STALLED && !out->stuck.waiting) || out->stuck.workers > 0;
    if (out->end == ENGINE_STOPPED)
        study_mark(s, STUDY_INCOMPLETE, true, "stopped");
    if (out->end == ENGINE_RAN_OUT || out->end == ENGINE_FAILED) {
        study_ended_text(s, plan, out, text, sizeof text);
        study_mark(s, STUDY_INCOMPLETE, false, "%s", text);
    }
    if (out->errors > 0)
        judge_errors(s, plan, out, writing);
}

static int measure(struct study *s, struct study_run *run, const struct plan *plan,
                   const char *place, bool writing, struct engine_outcome *out, struct err *err)
{
    if (run->begun_wall_ns == 0)
        run->begun_wall_ns = clk_wall_ns();
    study_watch_fini(&run->watch); /* of the pass before */
    s->measured = run;
    int rc = study_engine_on(s, plan, place, run->state, out, err);
    s->measured = NULL;
    if (rc < 0)
        return rc;
    study_judge(s, plan, out, writing);
    return study_watch_done(s, run, plan, out, err);
}

int study_run_pass(struct study *s, struct study_run *run, struct plan *plan, const char *place,
                   bool writing, struct err *err)
{
    struct engine_outcome out = {0};

    int rc = measure(s, run, plan, place, writing, &out, err);
    if (rc < 0) {
        study_drop_plan(s, plan);
        return rc;
    }
    rc = engine_outcome_merge(&run->sum, &out);
    if (rc < 0)
        err_set(err, rc, "no memory to pool the passes of a run");
    engine_outcome_fini(&out);
    if (run->plan)
        study_drop_plan(s, plan);
    else
        run->plan = plan;
    return rc;
}

int study_run_once(struct study *s, struct study_run *run, struct plan *plan, const char *place,
                   struct err *err)
{
    run->plan = plan;
    return measure(s, run, plan, place, false, &run->sum, err);
}

void study_run_fini(const struct study *s, struct study_run *run)
{
    study_drop_plan(s, run->plan);
    engine_outcome_fini(&run->sum);
    study_watch_fini(&run->watch);
}
