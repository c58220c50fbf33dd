#include "report/csv_priv.h"
#include "report/report_priv.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const identity_head[] = {
    "study_id", "run",    "study",    "phase",        "begun_wall_ns", "target",
    "label",    "system", "software", "tool_version", "plan_hash",     "workload_hash",
    "seed",     "state",  "reason",   "passes",       "elapsed_ns",    "window_ns",
    "files",    "bytes",  "verified", "errors",       "arrivals",      "unfinished",
};

static void identity(struct report_csv *rec, const struct result *r)
{
    report_csv_field(rec, r->study_id);
    report_csv_count(rec, r->run);
    report_csv_field(rec, r->study);
    report_csv_field(rec, r->phase);
    report_csv_count(rec, r->begun_wall_ns);
    report_csv_field(rec, report_or_empty(r->target));
    report_csv_field(rec, report_or_empty(r->label));
    report_csv_field(rec, report_or_empty(r->system));
    report_csv_field(rec, report_or_empty(r->software));
    report_csv_field(rec, r->tool_version);
    report_csv_field(rec, r->plan_hash);
    report_csv_field(rec, r->workload_hash);
    report_csv_count(rec, r->seed);
    report_csv_field(rec, report_state_word(r->state));
    report_csv_field(rec, report_or_empty(r->reason));
    report_csv_count(rec, r->passes);
    report_csv_count(rec, r->elapsed_ns);
    report_csv_count(
        rec, r->window_close_ns > r->window_open_ns ? r->window_close_ns - r->window_open_ns : 0);
    report_csv_count(rec, r->files);
    report_csv_count(rec, r->bytes);
    report_csv_field(rec, r->verified ? "yes" : "no");
    report_csv_count(rec, result_error_count(r));
    report_csv_count(rec, r->arrivals);
    report_csv_count(rec, r->unfinished);
}

/* Options and the tool's own facts, under the names the study gave them. */
static const char *const option_head[] = {
    "length_bytes",
    "repeat",
    "repeats",
    "until_ci_frac",
    "row",
    "side",
    "trees",
    "min_time_ns",
    "threads",
    "levels",
    "branches",
    "files_per_dir",
    "chunk_bytes",
    "fsync",
    "client_cache",
    "verify",
    "walk",
    "removed_before_files",
    "removed_before_age_s",
    "read_percent",
    "block_bytes",
    "block_mix",
    "streams",
    "files_shared",
    "size_bytes",
    "rate_per_s",
    "arrival",
    "time_ns",
    "warmup_ns",
    "pattern",
    "sync",
    "compress_ratio",
    "direct",
    "workload",
    "script",
    "script_run",
    "dialect",
    "mode",
    "ended",
};

static const char *const own_head[] = {
    "cpu_user_ns",
    "cpu_sys_ns",
    "workers",
    "reap_gap_max_ns",
    "overhead_null_op_ns",
    "overhead_posix_added_ns",
    "overhead_clock_read_ns",
    "series_over_total_frac",
    "at_target_frac",
    "failed_time_frac",
    "of_null_rate_frac",
    "content_entropy_bits_per_byte",
};

static const char *const cache_head[] = {
    "cache_mode",         "cache_ram_frac",    "cache_resident_bytes", "cache_asked_bytes",
    "cache_device_bytes", "cache_dirty_bytes", "stream_min_ops",       "stream_median_ops",
    "stream_max_ops",     "lateness_p50_ns",   "lateness_p99_ns",      "lateness_max_ns",
};

static void cache_and_streams(struct report_csv *rec, const struct result *r)
{
    const struct result_cache *cache = &r->cache;
    const struct result_streams *s = &r->streams;
    bool late = hist_count(&r->lateness) > 0;
    double share = 0;
    bool known = cache->applies && result_cache_share(r, &share);

    report_csv_field(rec, cache->mode);
    report_csv_number(rec, known, share);
    report_csv_known(rec, cache->resident_known, cache->resident_bytes);
    report_csv_known(rec, cache->resident_known, cache->asked_bytes);
    report_csv_known(rec, cache->device_known, cache->device_bytes);
    report_csv_known(rec, cache->dirty_known, cache->dirty_bytes);
    report_csv_known(rec, s->n > 0, s->min_ops);
    report_csv_known(rec, s->n > 0, s->median_ops);
    report_csv_known(rec, s->n > 0, s->max_ops);
    report_csv_known(rec, late, hist_quantile(&r->lateness, 0.5));
    report_csv_known(rec, late, hist_quantile(&r->lateness, 0.99));
    report_csv_known(rec, late, r->lateness.max);
}

static const char *const client_head[] = {
    "client", "resolve", "rpcs_per_op", "outages", "outage_ns", "retransmits", "modelled",
};

static void client_fields(struct report_csv *rec, const struct result *r)
{
    double calls = 0, ops = 0;
    bool own = report_has_own_client(r);
    bool told = own && result_calls_per_op(r, NULL, &calls, &ops);

    report_csv_field(rec, report_or_empty(result_fact_get(&r->target_facts, "client")));
    report_csv_field(rec, report_or_empty(result_fact_get(&r->options, "resolve")));
    report_csv_number(rec, told, told ? calls / ops : 0);
    for (size_t i = 3; i < 6; i++)
        report_csv_known(rec, own, (uint64_t)result_fact_number(&r->counters, client_head[i], 0));
    report_csv_field(rec, report_or_empty(result_modelled(r)));
}

static const char *const line_head[] = {
    "line",
    "op",
    "open_loop",
    "line_ops",
    "line_bytes",
    "line_samples",
    "service_mean_ns",
    "service_p50_ns",
    "service_p95_ns",
    "service_p99_ns",
    "service_p999_ns",
    "service_p9999_ns",
    "service_max_ns",
    "service_overflow",
    "response_mean_ns",
    "response_p50_ns",
    "response_p95_ns",
    "response_p99_ns",
    "response_p999_ns",
    "response_p9999_ns",
    "response_max_ns",
    "response_overflow",
};

static void latency(struct report_csv *rec, const struct hist *h)
{
    bool any = hist_count(h) > 0;

    report_csv_number(rec, any, hist_mean(h));
    report_csv_known(rec, any, hist_quantile(h, 0.5));
    report_csv_known(rec, any, hist_quantile(h, 0.95));
    report_csv_known(rec, any, hist_quantile(h, 0.99));
    report_csv_known(rec, any, hist_quantile(h, 0.999));
    report_csv_known(rec, any, hist_quantile(h, 0.9999));
    report_csv_known(rec, any, h->max);
    report_csv_known(rec, any, h->overflow);
}

static void line_fields(struct report_csv *rec, const struct result_line *line)
{
    report_csv_field(rec, line->name);
    report_csv_field(rec, line->op);
    report_csv_field(rec, line->open_loop ? "yes" : "no");
    report_csv_count(rec, line->sum.ops);
    report_csv_count(rec, line->sum.bytes);
    report_csv_count(rec, line->sum.samples);
    latency(rec, &line->sum.service);
    latency(rec, line->open_loop ? &line->sum.response : &line->sum.service);
}

/* A kind of call stands in the place of a line: it has a name, a number and times. */
static void call_fields(struct report_csv *rec, const struct result *r,
                        const struct result_call *call)
{
    report_csv_field(rec, call->name);
    report_csv_field(rec, result_modelled(r) ? "server" : "rpc");
    report_csv_field(rec, "no");
    report_csv_count(rec, hist_count(&call->time));
    report_csv_field(rec, "");
    report_csv_count(rec, hist_count(&call->time));
    latency(rec, &call->time);
    for (unsigned i = 0; i < 8; i++)
        report_csv_field(rec, "");
}

static void names(struct report_csv *rec, const char *const *name, size_t n)
{
    for (size_t i = 0; i < n; i++)
        report_csv_field(rec, name[i]);
}

static void facts(struct report_csv *rec, const struct result_facts *of, const char *const *key,
                  size_t n)
{
    for (size_t i = 0; i < n; i++)
        report_csv_field(rec, report_or_empty(result_fact_get(of, key[i])));
}

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

void report_csv_head(struct text *out)
{
    struct report_csv rec = {.out = out};

    names(&rec, identity_head, COUNT_OF(identity_head));
    names(&rec, option_head, COUNT_OF(option_head));
    names(&rec, own_head, COUNT_OF(own_head));
    names(&rec, cache_head, COUNT_OF(cache_head));
    names(&rec, client_head, COUNT_OF(client_head));
    names(&rec, line_head, COUNT_OF(line_head));
    text_add(out, "\n");
}

static void run_fields(struct report_csv *rec, const struct result *r)
{
    identity(rec, r);
    facts(rec, &r->options, option_head, COUNT_OF(option_head));
    facts(rec, &r->own, own_head, COUNT_OF(own_head));
    cache_and_streams(rec, r);
    client_fields(rec, r);
}

static void csv_row(struct text *out, const struct result *r, const struct result_line *line)
{
    struct report_csv rec = {.out = out};

    run_fields(&rec, r);
    if (line)
        line_fields(&rec, line);
    for (size_t i = 0; !line && i < COUNT_OF(line_head); i++)
        report_csv_field(&rec, "");
    text_add(out, "\n");
}

/* A run without lines still has its record: it must not vanish. */
void report_csv_rows(struct text *out, const struct result *r)
{
    for (unsigned i = 0; i < r->lines; i++)
        csv_row(out, r, &r->line[i]);
    if (r->lines == 0)
        csv_row(out, r, NULL);
    for (unsigned i = 0; i < r->calls.n; i++) {
        struct report_csv rec = {.out = out};

        run_fields(&rec, r);
        call_fields(&rec, r, &r->calls.kind[i]);
        text_add(out, "\n");
    }
}
