#include "report/report_priv.h"

#include "base/shown.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* One record being written. RFC 4180 quoting; records end in a line feed alone, for the tools of
 * this platform. */
struct record {
    struct text *out;
    bool begun;
};

static void field(struct record *rec, const char *s)
{
    char shown[SHOWN_MAX];
    bool quoted = strpbrk(s, ",\"");

    if (rec->begun)
        text_add(rec->out, ",");
    rec->begun = true;
    text_add(rec->out, quoted ? "\"" : "");
    for (size_t len; (len = shown_next(s, shown)) > 0; s += len)
        text_add(rec->out, *s == '"' ? "\"\"" : shown);
    text_add(rec->out, quoted ? "\"" : "");
}

static void field_count(struct record *rec, uint64_t value)
{
    char buf[CELL_MAX];

    snprintf(buf, sizeof buf, "%" PRIu64, value);
    field(rec, buf);
}

/* Empty where the value is not known. */
static void field_known(struct record *rec, bool known, uint64_t value)
{
    if (known)
        field_count(rec, value);
    else
        field(rec, "");
}

static void field_number(struct record *rec, bool known, double value)
{
    char buf[CELL_MAX];

    if (!known || !isfinite(value)) {
        field(rec, "");
        return;
    }
    snprintf(buf, sizeof buf, "%.6g", value);
    field(rec, buf);
}

static const char *const identity_head[] = {
    "study_id", "run",    "study",    "phase",        "begun_wall_ns", "target",
    "label",    "system", "software", "tool_version", "plan_hash",     "workload_hash",
    "seed",     "state",  "reason",   "passes",       "elapsed_ns",    "window_ns",
    "files",    "bytes",  "verified", "errors",       "arrivals",      "unfinished",
};

static void identity(struct record *rec, const struct result *r)
{
    field(rec, r->study_id);
    field_count(rec, r->run);
    field(rec, r->study);
    field(rec, r->phase);
    field_count(rec, r->begun_wall_ns);
    field(rec, report_or_empty(r->target));
    field(rec, report_or_empty(r->label));
    field(rec, report_or_empty(r->system));
    field(rec, report_or_empty(r->software));
    field(rec, r->tool_version);
    field(rec, r->plan_hash);
    field(rec, r->workload_hash);
    field_count(rec, r->seed);
    field(rec, report_state_word(r->state));
    field(rec, report_or_empty(r->reason));
    field_count(rec, r->passes);
    field_count(rec, r->elapsed_ns);
    field_count(rec, r->window_close_ns > r->window_open_ns ? r->window_close_ns - r->window_open_ns
                                                            : 0);
    field_count(rec, r->files);
    field_count(rec, r->bytes);
    field(rec, r->verified ? "yes" : "no");
    field_count(rec, result_error_count(r));
    field_count(rec, r->arrivals);
    field_count(rec, r->unfinished);
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
    "streams",
    "size_bytes",
    "rate_per_s",
    "time_ns",
    "warmup_ns",
    "pattern",
    "direct",
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
    "of_null_rate_frac",
    "content_entropy_bits_per_byte",
};

static const char *const cache_head[] = {
    "cache_mode",         "cache_ram_frac",    "cache_resident_bytes", "cache_asked_bytes",
    "cache_device_bytes", "cache_dirty_bytes", "stream_min_ops",       "stream_median_ops",
    "stream_max_ops",     "lateness_p50_ns",   "lateness_p99_ns",      "lateness_max_ns",
};

static void cache_and_streams(struct record *rec, const struct result *r)
{
    const struct result_cache *cache = &r->cache;
    const struct result_streams *s = &r->streams;
    bool late = hist_count(&r->lateness) > 0;
    double share = 0;
    bool known = cache->applies && result_cache_share(r, &share);

    field(rec, cache->mode);
    field_number(rec, known, share);
    field_known(rec, cache->resident_known, cache->resident_bytes);
    field_known(rec, cache->resident_known, cache->asked_bytes);
    field_known(rec, cache->device_known, cache->device_bytes);
    field_known(rec, cache->dirty_known, cache->dirty_bytes);
    field_known(rec, s->n > 0, s->min_ops);
    field_known(rec, s->n > 0, s->median_ops);
    field_known(rec, s->n > 0, s->max_ops);
    field_known(rec, late, hist_quantile(&r->lateness, 0.5));
    field_known(rec, late, hist_quantile(&r->lateness, 0.99));
    field_known(rec, late, r->lateness.max);
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

static void latency(struct record *rec, const struct hist *h)
{
    bool any = hist_count(h) > 0;

    field_number(rec, any, hist_mean(h));
    field_known(rec, any, hist_quantile(h, 0.5));
    field_known(rec, any, hist_quantile(h, 0.95));
    field_known(rec, any, hist_quantile(h, 0.99));
    field_known(rec, any, hist_quantile(h, 0.999));
    field_known(rec, any, hist_quantile(h, 0.9999));
    field_known(rec, any, h->max);
    field_known(rec, any, h->overflow);
}

static void line_fields(struct record *rec, const struct result_line *line)
{
    field(rec, line->name);
    field(rec, line->op);
    field(rec, line->open_loop ? "yes" : "no");
    field_count(rec, line->sum.ops);
    field_count(rec, line->sum.bytes);
    field_count(rec, line->sum.samples);
    latency(rec, &line->sum.service);
    latency(rec, line->open_loop ? &line->sum.response : &line->sum.service);
}

static void names(struct record *rec, const char *const *name, size_t n)
{
    for (size_t i = 0; i < n; i++)
        field(rec, name[i]);
}

static void facts(struct record *rec, const struct result_facts *of, const char *const *key,
                  size_t n)
{
    for (size_t i = 0; i < n; i++)
        field(rec, report_or_empty(result_fact_get(of, key[i])));
}

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

void report_csv_head(struct text *out)
{
    struct record rec = {.out = out};

    names(&rec, identity_head, COUNT_OF(identity_head));
    names(&rec, option_head, COUNT_OF(option_head));
    names(&rec, own_head, COUNT_OF(own_head));
    names(&rec, cache_head, COUNT_OF(cache_head));
    names(&rec, line_head, COUNT_OF(line_head));
    text_add(out, "\n");
}

static void csv_row(struct text *out, const struct result *r, const struct result_line *line)
{
    struct record rec = {.out = out};

    identity(&rec, r);
    facts(&rec, &r->options, option_head, COUNT_OF(option_head));
    facts(&rec, &r->own, own_head, COUNT_OF(own_head));
    cache_and_streams(&rec, r);
    if (line)
        line_fields(&rec, line);
    for (size_t i = 0; !line && i < COUNT_OF(line_head); i++)
        field(&rec, "");
    text_add(out, "\n");
}

/* A run without lines still has its record: it must not vanish. */
void report_csv_rows(struct text *out, const struct result *r)
{
    for (unsigned i = 0; i < r->lines; i++)
        csv_row(out, r, &r->line[i]);
    if (r->lines == 0)
        csv_row(out, r, NULL);
}
