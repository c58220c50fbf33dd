/* The layout that filebench prints, for the programs that read it: that of 1.5, or of the releases
 * before it for a workload in their dialect. Its rules are counted by, too: an implicit open is an op of its
 * flowop, listings move bytes, and what an old release calls latency is what it meant by it. */
#include "report/run_report_priv.h"

#include "base/flowop.h"
#include "base/shown.h"

#include <inttypes.h>
#include <string.h>

#define MS 1e6

/* Counts below 2^i ns and not below 2^(i − 1), for 64 i. A bucket of ours never spans two. */
static void latency_histogram(struct text *out, const struct hist *h)
{
    uint64_t count[64] = {0};

    for (unsigned b = 0; b < HIST_BUCKETS; b++) {
        uint64_t low = hist_bucket_low(b);

        if (h->n[b])
            count[low == 0 ? 0 : 64 - __builtin_clzll(low)] += h->n[b];
    }
    count[HIST_TOP_BITS + 1] += h->overflow;
    text_add(out, "\t[ ");
    for (unsigned i = 0; i < 64; i++)
        text_addf(out, "%" PRIu64 " ", count[i]);
    text_add(out, "]");
}

struct filebench_line {
    const char *name;
    uint64_t ops;
    double ops_per_s;
    double mib_per_s;
    double mean_ms;
    double min_ms;
    double max_ms;
};

static struct filebench_line line_of(const struct result_line *line, const struct result_flowops *f)
{
    uint64_t moved = line->sum.bytes + (strcmp(line->op, "listdir") == 0 ? line->sum.extra : 0);
    const struct hist *h = &line->sum.service;

    return (struct filebench_line){
        .name = line->name,
        .ops = result_flowop_count(line),
        .ops_per_s = result_flowops_per_s(f, (double)result_flowop_count(line)),
        .mib_per_s = result_flowops_per_s(f, (double)moved / 1048576),
        .mean_ms = hist_mean(h) / MS,
        .min_ms = (double)hist_min(h) / MS,
        .max_ms = (double)h->max / MS,
    };
}

/* A line is a line, whatever a workload file has for a name. */
static void put_name(struct text *out, const char *name)
{
    size_t from = out->len;

    text_add_shown(out, name);
    text_addf(out, "%*s ", out->len - from < 20 ? (int)(20 - (out->len - from)) : 0, "");
}

static void put_15(struct text *out, const struct filebench_line *l)
{
    text_addf(out, "%" PRIu64 "ops %8.0lfops/s %5.1lfmb/s %8.3fms/op [%.3fms - %5.3fms]", l->ops,
              l->ops_per_s, l->mib_per_s, l->mean_ms, l->min_ms, l->max_ms);
}

/* Processor time of a single flowop is not known. */
static void put_14(struct text *out, const struct filebench_line *l)
{
    text_addf(out,
              "%" PRIu64 "ops %8.0lfops/s %5.1lfmb/s %8.1fms/op %8.0fus/op-cpu "
              "[%.0fms - %.0fms]",
              l->ops, l->ops_per_s, l->mib_per_s, l->mean_ms, 0.0, l->min_ms, l->max_ms);
}

static void summary_15(struct text *out, const struct result_flowops *f)
{
    text_addf(out, "%5" PRIu64 " ops %5.3lf ops/s %0.0lf/%0.0lf rd/wr %5.1lfmb/s %5.3fms/op\n",
              f->ops, result_flowops_per_s(f, (double)f->ops),
              result_flowops_per_s(f, (double)f->reads), result_flowops_per_s(f, (double)f->writes),
              result_flowops_per_s(f, (double)(f->bytes + f->listed_bytes) / 1048576),
              result_flowops_mean_ns(f) / MS);
}

static void summary_14(struct text *out, const struct result_flowops *f)
{
    uint64_t moves = f->reads + f->writes;
    double cpu_us = moves && f->machine_cpu_ns > 0 ? f->machine_cpu_ns / 1e3 / (double)moves : 0;
    uint64_t whole_mib = (f->bytes + f->listed_bytes) / 1048576;

    text_addf(out,
              "%5" PRIu64 " ops, %5.3lf ops/s, (%0.0lf/%0.0lf r/w), %5.1lfmb/s, %6.0fus cpu/op, "
              "%5.1fms latency\n",
              f->ops, result_flowops_per_s(f, (double)f->ops),
              result_flowops_per_s(f, (double)f->reads), result_flowops_per_s(f, (double)f->writes),
              result_flowops_per_s(f, (double)whole_mib), cpu_us, result_flowops_fb2008_ns(f) / MS);
}

/* Where a run ended, on the clock of the program that measured it. */
static double end_s(const struct result *r, const struct report_style *style)
{
    uint64_t end_ns = r->window_close_ns ? r->window_close_ns : r->elapsed_ns;
    uint64_t from_ns = style->filebench_from_wall_ns;

    if (from_ns > 0 && r->begun_wall_ns > from_ns)
        end_ns += r->begun_wall_ns - from_ns;
    return (double)end_ns / 1e9;
}

void report_run_filebench(struct text *out, const struct result *r,
                          const struct report_style *style)
{
    bool modern = strcmp(report_option(r, "dialect"), "1.5") == 0;
    bool histogram = strcmp(report_option(r, "latency_histogram"), "yes") == 0;
    double at = end_s(r, style);
    struct result_flowops f;

    result_flowops_of(r, &f);
    /* Of a run that goes on there is no such line yet. */
    if (strcmp(report_option(r, "ended"), "running") != 0)
        text_addf(out, "%.3f: Run took %.0f seconds...\n", at, (double)f.window_ns / 1e9);
    text_addf(out, "%.3f: Per-Operation Breakdown\n", at);
    for (unsigned i = r->lines; i-- > 0;) {
        const struct filebench_line line = line_of(&r->line[i], &f);

        if (strcmp(r->line[i].op, FLOWOP_DONE) == 0)
            continue; /* filebench does not know when a detached op was done */
        put_name(out, line.name);
        if (modern)
            put_15(out, &line);
        else
            put_14(out, &line);
        if (histogram)
            latency_histogram(out, &r->line[i].sum.service);
        text_add(out, "\n");
    }
    text_addf(out, "%.3f: IO Summary: ", at);
    if (modern)
        summary_15(out, &f);
    else
        summary_14(out, &f);
}
