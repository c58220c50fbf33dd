/* One run of a script: its cache, its plan as this target is measured, its result. */
#include "study/device_look_priv.h"
#include "study/script_study_priv.h"

#include "base/flowop.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

/* ---- what the plan has there ---- */

/* The plan was made before anyone had looked at the target. */
static int fit_plan(struct script_study *x, struct plan *plan, struct fileset_state **state,
                    struct err *err)
{
    for (unsigned i = 0; i < plan->sets; i++) {
        int set = script_set_of(x, &plan->set[i]);
        state[i] = set < 0 ? NULL : x->live[set].state;
        if (set >= 0 && !state[i])
            return err_set(err, -EINVAL, "%s was not made before the run",
                           x->script->set[set].name);
        if (set >= 0)
            plan->set[i].grown = script_grown(x, (unsigned)set);
        if (state[i])
            fileset_state_reset(state[i]);
    }
    return plan_reinstrument(plan, &x->s.instrument, err);
}

/* As it was frozen, for whoever frees it after the trees of others are gone. */
static void unfit_plan(const struct script_study *x, struct plan *plan)
{
    for (unsigned i = 0; i < plan->sets; i++) {
        int set = script_set_of(x, &plan->set[i]);
        if (set >= 0)
            plan->set[i].grown = x->script->set[set].grown;
    }
}

static bool lines_do(const struct plan *plan, bool (*what)(const char *name))
{
    for (unsigned i = 0; i < plan->lines; i++)
        if (what(plan->line[i].type[0] ? plan->line[i].type
                                       : op_kind_name((enum op_kind)plan->line[i].op)))
            return true;
    return false;
}

/* What a slot holds shows only as it runs: of the sets that are picked from, the one with the smallest
 * files. */
static uint64_t mean_file_bytes(const struct script_study *x, const struct plan *plan)
{
    uint64_t least = UINT64_MAX;
    for (unsigned i = 0; i < plan->steps; i++) {
        const struct plan_step *step = &plan->step[i];
        if (step->kind != PLAN_PICK || step->unit != PLAN_UNIT_FILE)
            continue;
        int set = script_set_of(x, &plan->set[step->set]);
        const struct grown *g = set < 0 ? NULL : script_grown(x, (unsigned)set);
        if (g && grown_files(g) > 0)
            least = MIN(least, grown_bytes(g) / grown_files(g));
    }
    return least == UINT64_MAX ? 0 : least;
}

/* The least that a read asks for. */
static uint64_t piece_bytes(const struct script_study *x, const struct plan *plan)
{
    uint64_t least = UINT64_MAX;
    for (unsigned i = 0; i < plan->steps; i++) {
        const struct plan_step *step = &plan->step[i];
        if (step->kind != PLAN_OP || step->op != OP_READ)
            continue;
        uint64_t piece = step->io_bytes;
        if (step->whole || step->size == PLAN_SIZE_FILE)
            piece = MIN(piece ? piece : UINT64_MAX, mean_file_bytes(x, plan));
        least = MIN(least, piece);
    }
    return least == UINT64_MAX ? 0 : least;
}

/* ---- this machine's cache ---- */

/* Sizes at the start are asked for as nominal: what is longer by now has more in the cache than that. */
static int ask_resident(struct script_study *x, unsigned set, struct result_cache *cache,
                        struct err *err)
{
    struct samples_line sum = {.ops = 0};
    int rc = script_do(x, set, SCRIPT_RESIDENT, &sum, err);
    const struct grown *g = script_grown(x, set);
    uint64_t files = grown_files(g);
    double there = (double)fileset_state_existing(x->live[set].state);
    cache->resident_bytes += sum.bytes;
    cache->asked_bytes += files ? (uint64_t)((double)grown_bytes(g) * there / (double)files) : 0;
    return rc;
}

static int prepare_set(struct script_study *x, unsigned set, struct result_cache *cache,
                       struct err *err)
{
    int rc = 0;
    if (!x->live[set].state)
        return 0;
    if (study_can(&x->s, OP_EVICT))
        rc = script_do(x, set, SCRIPT_EVICT, NULL, err);
    if (rc == 0 && cache->resident_known)
        rc = ask_resident(x, set, cache, err);
    return rc;
}

/* Of a script on a block device there is one set, or none is used. */
static uint64_t device_bytes(const struct script_study *x)
{
    return x->script->sets > 0 ? x->script->set[0].spec.size_bytes : 0;
}

/* What was written to make the files is not to be this run's work, whatever stays in the cache. */
static int prepare(struct script_study *x, struct study_run *run, struct err *err)
{
    study_cache_begin(&x->s, run);
    if (x->s.caps.one_file) {
        run->cache.resident_known &= study_empties_cache(&x->s);
        return study_empties_cache(&x->s)
                   ? study_device_empty(&x->s, device_bytes(x), &run->cache, err)
                   : 0;
    }
    if (!script_has_site(x) || x->s.caps.keeps_nothing) {
        run->cache.resident_known = run->cache.dirty_known = false;
        return 0;
    }
    script_say(x, "preparing %s", x->script->name);
    int rc = site_sync(x->s.site, err);
    /* However many files there are: whoever wants them out of the cache has asked for it. */
    bool asks = study_empties_cache(&x->s);
    run->cache.resident_known &= asks;
    for (unsigned i = 0; rc == 0 && asks && i < x->script->sets && !study_check_stop(&x->s); i++)
        rc = prepare_set(x, i, &run->cache, err);
    return rc;
}

/* What is dirty is written out meanwhile: of more files than that the answer would be of a later time. */
#define DIRTY_FILES_MAX 10000

static bool few_files(const struct script_study *x)
{
    uint64_t files = 0;
    for (unsigned i = 0; i < x->script->sets; i++)
        files += x->live[i].state ? fileset_state_existing(x->live[i].state) : 0;
    return files <= DIRTY_FILES_MAX;
}

/* A block that is written over and over is dirty once, so what could be is the files; they may have
 * grown beyond what they were made with. */
static int ask_dirty(struct script_study *x, struct result_cache *cache, struct err *err)
{
    uint64_t made_bytes = 0, there_bytes = 0;
    int rc = 0;
    cache->dirty_known &= !x->s.over && few_files(x);
    if (x->s.caps.one_file) {
        x->could_be_dirty_bytes = device_bytes(x);
        return cache->dirty_known ? study_device_dirty(&x->s, device_bytes(x), cache, err) : 0;
    }
    for (unsigned i = 0; rc == 0 && cache->dirty_known && i < x->script->sets; i++) {
        struct fileset_state *const state[] = {x->live[i].state};
        struct plan *plan = NULL;
        if (!state[0] || fileset_state_existing(state[0]) == 0)
            continue;
        made_bytes += grown_bytes(script_grown(x, i));
        rc = script_plan(x, i, SCRIPT_DIRTY, &plan, err);
        if (rc == 0)
            rc = study_ask_dirty_by(&x->s, plan, x->place, state, cache, &there_bytes, err);
    }
    x->could_be_dirty_bytes = MAX(made_bytes, there_bytes);
    return rc;
}

/* ---- the sums so far ---- */

/* The sums begin anew with each report: what was told before is taken out. */
static void since_last(struct script_study *x, const struct engine_period *period, struct result *r)
{
    struct samples_block *told = x->told;
    for (unsigned i = 0; told && i < r->lines; i++)
        samples_line_subtract(&r->line[i].sum, &told->line[i]);
    r->window_open_ns += x->told_ns;
    r->elapsed_ns -= x->told_ns;
    if (!told)
        told = samples_block_new(r->lines);
    if (told) {
        samples_block_clear(told);
        samples_block_merge(told, period->total);
        x->told_ns = period->elapsed_ns;
    }
    x->told = told;
}

static void on_period(struct study *s, const struct engine_period *period)
{
    struct script_study *x = (struct script_study *)s;
    struct result *r = s->sink->period ? result_new() : NULL;
    if (!r)
        return;
    int rc = study_result_so_far(s, s->measured, period, r);
    if (rc == 0 && x->step->period_reset)
        since_last(x, period, r);
    if (rc == 0 && script_put_options(x, x->step, r, "running") == 0)
        s->sink->period(s->sink->ctx, r);
    result_free(r);
}

/* ---- the result ---- */

static const char *ended_word(const struct plan *plan, const struct engine_outcome *sum)
{
    switch (sum->end) {
    case ENGINE_STOPPED:
        return "stopped";
    case ENGINE_STALLED:
        return "stalled";
    case ENGINE_RAN_OUT:
        return "ran out";
    case ENGINE_FAILED:
    case ENGINE_MISMATCH:
        return "failed";
    case ENGINE_DONE:
        break;
    }
    bool over = plan->window.measure_ns > 0 && sum->elapsed_ns >= plan->window.measure_ns;
    return over ? "time" : "done";
}

static int deliver(struct script_study *x, const struct script_step *step, struct study_run *run,
                   struct err *err)
{
    struct result *r = NULL;
    const char *ended = ended_word(step->plan, &run->sum);
    bool steady = run->sum.notes.steady_found;
    int rc = study_result(&x->s, run, &r, err);
    if (rc < 0)
        return rc;
    r->files = 0; /* flowops are counted, not files */
    rc = script_put_options(x, step, r, ended);
    if (rc == 0 && run->cache.dirty_known)
        rc = result_fact_putf(&r->own, "could_be_dirty_bytes", "bytes", "%" PRIu64,
                              x->could_be_dirty_bytes);
    if (rc == 0 && step->plan->window.steady_frac > 0)
        rc = result_fact_put(&r->own, "steady_found", steady ? "yes" : "no", "");
    if (rc < 0) {
        result_free(r);
        return err_set(err, rc, "no memory for a result");
    }
    return study_deliver(&x->s, r, &x->row[x->run - 1], err);
}

static void note_end(struct script_study *x, const struct script_step *step,
                     const struct engine_outcome *sum)
{
    x->failed |= sum->end == ENGINE_FAILED;
    x->spent_ns += step->plan->window.warmup_ns + step->plan->window.measure_ns;
    if (step->plan->window.steady_frac > 0 && !sum->notes.steady_found && !x->s.over)
        study_warn(&x->s, "%s was not steady when its warm-up had to end", x->script->name);
}

/* The plan stays the script's: a further repeat runs it again. */
static int measure(struct script_study *x, const struct script_step *step, struct study_run *run,
                   struct err *err)
{
    struct fileset_state **state = calloc(step->plan->sets + 1, sizeof(struct fileset_state *));
    if (!state)
        return err_set(err, -ENOMEM, "no memory for a run");
    int rc = fit_plan(x, step->plan, state, err);
    run->state = state;
    run->piece_bytes = piece_bytes(x, step->plan);
    if (rc == 0) {
        script_tell(x, "Running...");
        script_say(x, "running %s", x->script->name);
        rc = study_run_once(&x->s, run, step->plan, x->place, err);
    }
    if (rc == 0) {
        note_end(x, step, &run->sum);
        rc = ask_dirty(x, &run->cache, err);
    }
    if (rc == 0)
        rc = deliver(x, step, run, err);
    unfit_plan(x, step->plan);
    run->plan = NULL;
    if (!x->s.hangs.worker)
        free(state);
    return rc;
}

int script_run(struct script_study *x, const struct script_step *step, struct err *err)
{
    struct study_run run = {.phase = "",
                            .reads = lines_do(step->plan, flowop_reads),
                            .writes = lines_do(step->plan, flowop_writes),
                            .period = on_period};
    x->run++;
    x->step = step;
    x->told_ns = 0;
    int rc = prepare(x, &run, err);
    if (rc == 0 && !study_check_stop(&x->s))
        rc = measure(x, step, &run, err);
    study_run_fini(&x->s, &run);
    samples_block_free(x->told);
    x->told = NULL;
    return rc;
}
