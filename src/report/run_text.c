#include "report/run_report_priv.h"

#include "base/flowop.h"
#include "stats/spread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char variable_prefix[] = "var_";

/* "dir=/mnt nfiles=1000 …", as the run had them. */
static void about_variables(struct text *out, const struct result *r, unsigned width)
{
    const size_t prefix = sizeof variable_prefix - 1;
    struct text words;

    text_init(&words);
    for (unsigned i = 0; i < r->options.n; i++) {
        const struct result_fact *fact = &r->options.fact[i];

        if (strncmp(fact->key, variable_prefix, prefix) == 0)
            text_addf(&words, "%s%s=%s", words.len ? " " : "", fact->key + prefix, fact->value);
    }
    if (words.len > 0)
        report_fact(out, width, "variables", "%s", words.s);
    out->failed |= words.failed;
    text_fini(&words);
}

static const char *ended_words(const struct result *r)
{
    static const struct {
        const char *ended;
        const char *words;
    } known[] = {
        {"time", "its time was over"},    {"done", "the workload was done"},
        {"ran out", "a fileset ran out"}, {"failed", "the workload asked what cannot be"},
        {"stopped", "it was stopped"},    {"stalled", "nothing moved any more"},
    };
    const char *ended = report_option(r, "ended");

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i].ended, ended) == 0)
            return known[i].words;
    return ended;
}

/* Of runs whose warm-up was to go on until the rate is even. */
static void about_steady(struct text *out, const struct run_part *part, unsigned width)
{
    double frac = result_fact_number(&part->repeat[0]->options, "until_steady_frac", 0);
    unsigned uneven = 0;

    if (frac <= 0)
        return;
    for (unsigned i = 0; i < part->n; i++) {
        const char *found = result_fact_get(&part->repeat[i]->own, "steady_found");
        uneven += !found || strcmp(found, "yes") != 0;
    }
    if (uneven == 0)
        report_fact(out, width, "steady", "within %.4g%% before it was measured", frac * 100);
    else
        report_fact(out, width, "steady",
                    "no: not within %.4g%% when the longest warm-up was over, in %u of %u runs",
                    frac * 100, uneven, part->n);
}

static void about_asked(struct text *out, const struct run_part *part, unsigned width)
{
    const struct result *r = part->repeat[0];
    struct result_flowops f;
    char name[CELL_MAX], window[CELL_MAX], warmup[CELL_MAX];

    result_flowops_of(r, &f);
    report_fact(out, width, "workload", "%s; streams %s; dialect %s; seed %llu",
                run_part_name(name, part), report_option(r, "streams"), report_option(r, "dialect"),
                (unsigned long long)r->seed);
    about_variables(out, r, width);
    report_fact(out, width, "measured", "%s after %s of warm-up; it ended because %s",
                report_cell_ns(window, f.window_ns), report_cell_ns(warmup, r->window_open_ns),
                ended_words(r));
    about_steady(out, part, width);
    if (f.open_loop)
        report_fact(out, width, "open loop",
                    "arrivals have a rate of their own: latencies of a flowop behind a limit are "
                    "from when it was due");
    else
        report_fact(out, width, "closed loop",
                    "a stream asks again when it was answered, so a slow target is asked less");
}

/* Two figures go by the name of latency. */
static void about_latency(struct text *out, const struct run_part *part, unsigned width)
{
    struct result_flowops f = run_part_sum(part);
    char mean[CELL_MAX], old[CELL_MAX];

    if (f.ops == 0)
        return;
    report_cell_ns(mean, (uint64_t)result_flowops_mean_ns(&f));
    if (f.sync_moves > 0)
        report_fact(out, width, "latency",
                    "true mean of an op %s; by the rule of 2008 (latency_fb2008) %s", mean,
                    report_cell_ns(old, (uint64_t)result_flowops_fb2008_ns(&f)));
    else
        report_fact(out, width, "latency", "true mean of an op %s", mean);
}

/* CPU of the workers is counted while the gate is open, the warm-up included. */
static uint64_t ops_since_gate(const struct run_part *part, uint64_t otherwise)
{
    uint64_t ops = 0;

    for (unsigned k = 0; k < part->n; k++) {
        const struct result *r = part->repeat[k];

        for (size_t i = 0; i < (size_t)r->series.used * r->series.lines; i++)
            if (flowop_class(r->line[i % r->series.lines].op) <= FLOWOP_AIO)
                ops += r->series.line[i].samples;
    }
    return ops ? ops : otherwise;
}

static void about_cpu(struct text *out, const struct run_part *part, unsigned width)
{
    struct result_flowops f = run_part_sum(part);
    char tool[CELL_MAX], machine[CELL_MAX];

    if (f.ops == 0)
        return;
    report_fact(
        out, width, "CPU an op", "loadline's workers %s; the whole machine %s",
        f.tool_cpu_ns < 0
            ? "-"
            : report_cell_ratio_ns(tool, (uint64_t)f.tool_cpu_ns, ops_since_gate(part, f.ops)),
        f.machine_cpu_ns < 0 ? "n/v"
                             : report_cell_ratio_ns(machine, (uint64_t)f.machine_cpu_ns, f.ops));
}

static void about_repeats(struct text *out, const struct run_part *part, unsigned width)
{
    double *value = calloc(part->n, sizeof *value);
    char mean[CELL_MAX], half[CELL_MAX], low[CELL_MAX], high[CELL_MAX];
    struct result_flowops f;
    struct spread spread;

    for (unsigned i = 0; value && i < part->n; i++) {
        result_flowops_of(part->repeat[i], &f);
        value[i] = result_flowops_per_s(&f, (double)f.ops);
    }
    if (!value || spread_of(value, part->n, &spread) < 0)
        out->failed = true;
    else
        report_fact(out, width, "repeats", "%u: mean %s ops/s ±%s (95 %%), lowest %s, highest %s",
                    part->n, report_cell_number(mean, spread.mean),
                    report_cell_half(half, spread.mean > 0 ? spread.half_95 / spread.mean : 0),
                    report_cell_number(low, spread.min), report_cell_number(high, spread.max));
    free(value);
}

static void about_streams(struct text *out, const struct result *r, unsigned width)
{
    const struct result_streams *s = &r->streams;

    if (s->n > 0)
        report_fact(out, width, "streams",
                    "%u: min %llu, median %llu, max %llu ops, with waits and pieces", s->n,
                    (unsigned long long)s->min_ops, (unsigned long long)s->median_ops,
                    (unsigned long long)s->max_ops);
}

struct run_section {
    struct text *out;
    unsigned width;
};

static void put_part(void *ctx, const struct run_part *part)
{
    const struct run_section *section = ctx;
    struct text *out = section->out;
    unsigned width = section->width;
    const struct result *first = part->repeat[0];

    if (part->number > 1)
        text_add(out, "\n");
    about_asked(out, part, width);
    report_run_table(out, part, width);
    about_latency(out, part, width);
    about_cpu(out, part, width);
    if (part->n > 1)
        about_repeats(out, part, width);
    else
        report_io_rate_over_time(out, first, width);
    about_streams(out, first, width);
    report_about_delay(out, first, width);
    report_about_calls(out, part->repeat, part->n, width);
    report_about_cache_proof(out, report_most_from_memory(part->repeat, part->n), width);
    report_about_dirty(out, report_most_dirty(part->repeat, part->n), width);
    if (part->n > 1)
        report_fact(out, width, "of repeats",
                    "streams are of the first; cache proof and dirty at end are of the worst");
}

static void about_end(struct text *out, struct result *const *results, unsigned n, unsigned width)
{
    bool complete = true, errors = false;

    for (unsigned i = 0; i < n; i++) {
        complete &= results[i]->state == RESULT_COMPLETE;
        errors |= result_error_count(results[i]) > 0;
    }
    if (complete)
        report_fact(out, width, "state", "%s", errors ? "ERR: complete, with errors" : "complete");
    report_about_states(out, results, n, width);
    report_about_lost(out, results, n, width);
    report_about_errors(out, results, n, width);
}

static void about_everything(struct text *out, const struct result *r, unsigned width)
{
    if (!report_is_wide(width))
        return;
    report_about_content(out, r, width);
    report_about_facts(out, "about target", &r->target_facts, width);
    report_about_facts(out, "counters", &r->counters, width);
    report_about_facts(out, "this machine", &r->machine, width);
    report_about_facts(out, "loadline", &r->own, width);
}

void report_run_text(struct text *out, struct result *const *results, unsigned n, unsigned width)
{
    struct run_section section = {out, width};

    report_about_run(out, results, n, width);
    if (strcmp(results[0]->study, "array-test") == 0)
        report_array_table(out, results, n, width);
    out->failed |= run_parts_each(results, n, put_part, &section) < 0;
    report_about_client(out, results[0], width);
    report_about_client_cache(out, results[0], width);
    report_about_overhead(out, results[0], width);
    about_everything(out, results[0], width);
    report_about_trust(out, results, n, width);
    about_end(out, results, n, width);
}

void report_period(struct text *out, const struct result *so_far, const struct report_style *style)
{
    struct run_part part = {.repeat = &so_far, .n = 1, .number = 1};
    char from[CELL_MAX], to[CELL_MAX];

    if (style->filebench) {
        report_run_filebench(out, so_far, style);
        return;
    }
    report_line(out, report_width(style), "from %s to %s",
                report_cell_ns(from, so_far->window_open_ns),
                report_cell_ns(to, so_far->window_close_ns));
    report_run_table(out, &part, report_width(style));
}
