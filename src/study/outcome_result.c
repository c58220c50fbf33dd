#include "study/evidence_priv.h"
#include "study/study_priv.h"

#include "base/flowop.h"
#include "base/shown.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEVICE_LEAST_BYTES 4096

static int copy_lines(struct result *r, const struct plan *plan, const struct samples_block *total)
{
    r->line = calloc(plan->lines, sizeof *r->line);
    if (!r->line)
        return -ENOMEM;
    r->lines = plan->lines;
    for (unsigned i = 0; i < plan->lines; i++) {
        struct result_line *line = &r->line[i];
        snprintf(line->name, sizeof line->name, "%s", plan->line[i].name);
        snprintf(line->op, sizeof line->op, "%s",
                 plan->line[i].type[0] ? plan->line[i].type
                                       : op_kind_name((enum op_kind)plan->line[i].op));
        line->open_loop = plan->line[i].open_loop;
        line->sum = total->line[i];
    }
    r->lateness = total->lateness;
    return 0;
}

static int copy_errors(struct result *r, const struct plan *plan, const struct engine_outcome *sum)
{
    r->error = calloc(sum->errors ? sum->errors : 1, sizeof *r->error);
    if (!r->error)
        return -ENOMEM;
    r->errors = sum->errors;
    for (unsigned i = 0; i < sum->errors; i++) {
        const struct engine_error *from = &sum->error[i];
        struct result_error *to = &r->error[i];
        bool other = from->code == ENGINE_ERROR_OTHER;
        snprintf(to->op, sizeof to->op, "%s", other ? "other" : op_kind_name(from->op));
        snprintf(to->code, sizeof to->code, "%s", other ? "other" : err_name(from->code));
        snprintf(to->first_path, sizeof to->first_path, "%s", from->first_path);
        if (from->line != PLAN_NO_LINE)
            snprintf(to->flowop, sizeof to->flowop, "%s", plan->line[from->line].name);
        to->count = from->count;
        to->first_ns = from->first_ns;
    }
    return 0;
}

static int copy_calls(struct result *r, const struct engine_outcome *sum)
{
    _Static_assert(sizeof r->calls.kind->name == ENGINE_CALL_NAME_MAX, "one name fits the other");
    if (sum->calls.n == 0)
        return 0;
    r->calls.kind = calloc(sum->calls.n, sizeof *r->calls.kind);
    if (!r->calls.kind)
        return -ENOMEM;
    r->calls.n = sum->calls.n;
    for (unsigned i = 0; i < sum->calls.n; i++) {
        memcpy(r->calls.kind[i].name, sum->calls.kind[i].name, sizeof r->calls.kind[i].name);
        r->calls.kind[i].time = sum->calls.kind[i].time;
    }
    return 0;
}

static int by_ops(const void *a, const void *b)
{
    const struct result_stream *x = a, *y = b;
    if (x->ops != y->ops)
        return x->ops < y->ops ? -1 : 1;
    return x->stream < y->stream ? -1 : x->stream > y->stream;
}

static int by_bytes(const void *a, const void *b)
{
    const struct result_stream *x = a, *y = b;
    return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

static uint64_t middle(uint64_t below, uint64_t above)
{
    return below + (above - below) / 2;
}

/* n > 0 streams, sorted by ops and then by bytes in place. */
static void spread_streams(struct result_streams *to, struct result_stream *all, unsigned n)
{
    to->n = n;
    qsort(all, n, sizeof *all, by_ops);
    to->min_ops = all[0].ops;
    to->median_ops = middle(all[(n - 1) / 2].ops, all[n / 2].ops);
    to->max_ops = all[n - 1].ops;
    to->slowest_n = n < 8 ? n : 8;
    memcpy(to->slowest, all, to->slowest_n * sizeof *all);
    qsort(all, n, sizeof *all, by_bytes);
    to->min_bytes = all[0].bytes;
    to->median_bytes = middle(all[(n - 1) / 2].bytes, all[n / 2].bytes);
    to->max_bytes = all[n - 1].bytes;
}

static int copy_streams(struct result *r, const struct engine_outcome *sum)
{
    if (sum->streams == 0)
        return 0;
    struct result_stream *all = calloc(sum->streams, sizeof *all);
    if (!all)
        return -ENOMEM;
    for (unsigned i = 0; i < sum->streams; i++)
        all[i] = (struct result_stream){
            .ops = sum->stream[i].ops,
            .bytes = sum->stream[i].bytes,
            .client = sum->stream[i].client,
            .group = sum->stream[i].group,
            .stream = i,
        };
    spread_streams(&r->streams, all, sum->streams);
    free(all);
    return 0;
}

/* The pages of the first witness are in run->cache already; the second is a counter of the target
 * over the window. Less than a page is read as a whole page, which hides what came from memory. */
static void put_cache(struct result *r, const struct study *s, const struct study_run *run)
{
    bool own_client = s->instrument.cache == PLAN_CACHE_UNCACHED && !s->caps.own_clock;
    const char *counter = own_client ? "received_bytes" : "read_bytes";
    bool told = s->witness.reads_counted && run->piece_bytes >= DEVICE_LEAST_BYTES;
    r->cache = run->cache;
    if (!r->cache.applies)
        return;
    double scale = study_looks_scale(run, run->sum.counted_ns);
    r->cache.device_known =
        (own_client || told) && scale > 0 && result_fact_get(&r->counters, counter) != NULL;
    if (r->cache.device_known)
        r->cache.device_bytes =
            (uint64_t)(scale * result_fact_number(&r->counters, counter, 0) + 0.5);
}

static void put_in_flight(struct fact_pen *pen, const struct plan *plan,
                          const struct engine_in_flight *in_flight)
{
    fact_count(pen, "in_flight_ops", in_flight->ops, "");
    if (in_flight->ops == 0)
        return;
    fact_count(pen, "in_flight_oldest_ns", in_flight->oldest_ns, "ns");
    fact_word(pen, "in_flight_oldest_line", plan->line[in_flight->oldest_line].name);
    fact_count(pen, "in_flight_sum_ns", in_flight->sum_ns, "ns");
}

static int put_own(struct result *r, const struct study *s, const struct study_run *run)
{
    const struct engine_outcome *sum = &run->sum;
    const struct result_facts *known = s->common->own;
    struct fact_pen pen = {.facts = &r->own};
    fact_word(&pen, "clock", sum->clock);
    if (run->gate_wall_ns > 0)
        fact_count(&pen, "gate_wall_ns", run->gate_wall_ns, "ns");
    fact_number(&pen, "clock_drift_ppm", sum->clock_drift_ppm, "ppm");
    fact_count(&pen, "workers", sum->workers, "");
    fact_count(&pen, "cpu_user_ns", sum->cpu_user_ns, "ns");
    fact_count(&pen, "cpu_sys_ns", sum->cpu_sys_ns, "ns");
    fact_count(&pen, "reap_gap_max_ns", sum->reap_gap_max_ns, "ns");
    fact_count(&pen, "blocks_kept", sum->blocks_kept, "");
    fact_count(&pen, "samples_lost", sum->samples_lost, "");
    if (sum->notes.detached_full > 0)
        fact_count(&pen, "detached_full", sum->notes.detached_full, "");
    fact_count(&pen, "backlog_at_open", sum->backlog_at_open, "");
    put_in_flight(&pen, run->plan, &sum->in_flight);
    fact_count(&pen, "memory_bytes", sum->memory_bytes, "bytes");
    for (unsigned i = 0; known && pen.rc == 0 && i < known->n; i++)
        pen.rc =
            result_fact_put(&r->own, known->fact[i].key, known->fact[i].value, known->fact[i].unit);
    return pen.rc;
}

/* Below 0: cannot be said. */
static void put_finding(struct fact_pen *pen, const char *key, double value, const char *unit)
{
    if (pen->rc == 0 && value >= 0)
        pen->rc = result_fact_putf(pen->facts, key, unit, "%.4f", value);
}

/* What the run's numbers say about each other; read by those who report, and by whoever doubts. */
static int put_evidence(struct result *r, const struct study *s, const struct study_run *run)
{
    const struct engine_outcome *sum = &run->sum;
    double null_op_ns = result_fact_number(&r->own, "overhead_null_op_ns", -1);
    struct fact_pen pen = {.facts = &r->own};

    put_finding(&pen, "series_over_total_frac", evidence_series_frac(sum, run->plan), "");
    put_finding(&pen, "at_target_frac", evidence_at_target_frac(sum, run->plan), "");
    put_finding(&pen, "failed_time_frac", evidence_failed_frac(sum), "");
    /* Time that is not the machine's own says nothing about what the machine could do. */
    if (!s->caps.own_clock)
        put_finding(&pen, "of_null_rate_frac",
                    evidence_of_null_frac(sum, null_op_ns, s->machine.cpus), "");
    if (!s->caps.keeps_nothing && !s->caps.keeps_no_data && run->plan->sets > 0)
        put_finding(&pen, "content_entropy_bits_per_byte",
                    evidence_content_entropy(run->plan->seed, &run->plan->set[0]), "bits");
    return pen.rc;
}

/* Of the window alone: what 1.4.9 of filebench calls CPU per op is this by ops. */
static void put_machine_cpu(const struct study_run *run, struct fact_pen *pen)
{
    const struct engine_outcome *sum = &run->sum;
    uint64_t ns;
    if (sum->passes == 1 &&
        machine_cpu_between(&run->cpu, sum->window_open_ns, sum->window_close_ns, &ns))
        fact_count(pen, "machine_cpu_ns", ns, "ns");
}

static int put_facts(struct result *r, const struct study *s, const struct study_run *run)
{
    const struct engine_outcome *sum = &run->sum;
    struct fact_pen target = {.facts = &r->target_facts};
    struct fact_pen counters = {.facts = &r->counters};
    fact_copy(&target, &sum->facts);
    if (run->stored.size_bytes > 0) {
        fact_count(&target, "sample_size_bytes", run->stored.size_bytes, "bytes");
        fact_count(&target, "sample_stored_bytes", run->stored.stored_bytes, "bytes");
    }
    fact_copy(&counters, &sum->counters);
    if (sum->counters.n > 0 && !s->caps.own_clock)
        fact_count(&counters, "counted_ns", sum->counted_ns, "ns");
    if (run->direct.known) {
        fact_count(&counters, "direct_cached_bytes", run->direct.cached_bytes, "bytes");
        fact_count(&counters, "direct_set_bytes", run->direct.set_bytes, "bytes");
    }
    disturb_facts(&run->disturbed, &counters);
    study_watch_facts(s, run, &counters);
    put_machine_cpu(run, &counters);
    if (target.rc < 0)
        return target.rc;
    if (counters.rc < 0)
        return counters.rc;
    int rc = machine_facts(&s->machine, &r->machine);
    return rc < 0 ? rc : put_own(r, s, run);
}

static void reason_text(const struct study *s, const struct study_run *run, char *buf, size_t room)
{
    const struct engine_outcome *sum = &run->sum;
    if (sum->mismatch.found)
        study_mismatch_text(&sum->mismatch, buf, room);
    else if (sum->end == ENGINE_STALLED)
        snprintf(buf, room, "stalled: %s", sum->stuck.what);
    else if (sum->end == ENGINE_STOPPED)
        snprintf(buf, room, "stopped");
    else if (sum->end == ENGINE_RAN_OUT || sum->end == ENGINE_FAILED)
        study_ended_text(s, run->plan, sum, buf, room);
    else
        snprintf(buf, room, "%s", run->cut ? run->cut : "");
}

static enum result_state state_of(const struct study_run *run)
{
    if (run->sum.mismatch.found)
        return RESULT_VOID;
    return run->sum.end == ENGINE_DONE && !run->cut ? RESULT_COMPLETE : RESULT_INCOMPLETE;
}

static int put_words(struct result *r, const struct study *s, const struct study_run *run)
{
    char reason[ERR_TEXT_MAX];
    struct text canonical;

    reason_text(s, run, reason, sizeof reason);
    text_init(&canonical);
    plan_text(run->plan, PLAN_FORM_WHOLE, &canonical);
    r->plan_text = text_take(&canonical);
    text_add_shown(&canonical, s->common->target);
    r->target = text_take(&canonical);
    r->label = strdup(s->common->label ? s->common->label : "");
    r->system = strdup(s->common->system ? s->common->system : "");
    r->software = strdup(s->common->software ? s->common->software : "");
    r->reason = strdup(reason);
    bool all = r->plan_text && r->target && r->label && r->system && r->software && r->reason;
    return all ? 0 : -ENOMEM;
}

static void put_identity(struct result *r, const struct study *s, const struct study_run *run)
{
    snprintf(r->study_id, sizeof r->study_id, "%s", s->id);
    snprintf(r->study, sizeof r->study, "%s", s->kind);
    snprintf(r->phase, sizeof r->phase, "%s", run->phase);
    snprintf(r->tool_version, sizeof r->tool_version, "%s", s->common->tool_version);
    snprintf(r->workload_hash, sizeof r->workload_hash, "%s", run->plan->workload_hash);
    snprintf(r->plan_hash, sizeof r->plan_hash, "%s", run->plan->plan_hash);
    r->run = s->runs + 1;
    r->begun_wall_ns = run->begun_wall_ns;
    r->seed = run->plan->seed;
}

static uint64_t payload_bytes(const struct result *r)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < r->lines; i++)
        if (flowop_reads(r->line[i].op) || flowop_writes(r->line[i].op))
            bytes += r->line[i].sum.bytes;
    return bytes;
}

/* As the run counted them, not as the plan asked: a file counts once all of it is written or read,
 * and is closed also when it could not be. Where files stay open there are none to count. */
static uint64_t whole_files(const struct result *r)
{
    const struct result_line *line = result_line_find(r, "write");
    if (!line)
        line = result_line_find(r, "read");
    return line && result_line_find(r, "close") ? line->sum.samples : 0;
}

static void put_numbers(struct result *r, struct study_run *run)
{
    const struct engine_outcome *sum = &run->sum;
    r->state = state_of(run);
    r->passes = sum->passes;
    r->elapsed_ns = sum->elapsed_ns;
    r->window_open_ns = sum->window_open_ns;
    r->window_close_ns = sum->window_close_ns;
    r->arrivals = sum->arrivals;
    r->unfinished = sum->unfinished;
    r->files = whole_files(r);
    r->bytes = payload_bytes(r);
    r->verified = run->verified;
    r->series = sum->series;
    memset(&run->sum.series, 0, sizeof run->sum.series);
    r->tracks = run->watch.tracks;
    memset(&run->watch.tracks, 0, sizeof run->watch.tracks);
}

int study_result(const struct study *s, struct study_run *run, struct result **out, struct err *err)
{
    struct result *r = result_new();
    int rc = r ? copy_lines(r, run->plan, run->sum.total) : -ENOMEM;
    if (rc == 0)
        rc = copy_errors(r, run->plan, &run->sum);
    if (rc == 0)
        rc = copy_calls(r, &run->sum);
    if (rc == 0)
        rc = study_copy_truth(r, &run->sum.truth);
    if (rc == 0)
        rc = copy_streams(r, &run->sum);
    if (rc == 0)
        rc = put_words(r, s, run);
    if (rc == 0)
        rc = put_facts(r, s, run);
    if (rc == 0)
        rc = put_evidence(r, s, run);
    if (rc < 0) {
        result_free(r);
        return err_set(err, rc, "no memory for a result");
    }
    put_identity(r, s, run);
    put_numbers(r, run);
    put_cache(r, s, run);
    *out = r;
    return 0;
}

int study_result_so_far(const struct study *s, const struct study_run *run,
                        const struct engine_period *period, struct result *r)
{
    put_identity(r, s, run);
    r->passes = 1;
    r->elapsed_ns = period->elapsed_ns;
    r->window_open_ns = period->open_ns;
    r->window_close_ns = r->window_open_ns + period->elapsed_ns;
    return copy_lines(r, run->plan, period->total);
}
