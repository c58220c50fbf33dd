#include "report/report_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RUN_ID = 4,
    RUN_MS = 34,
    RUN_KIB = 45,
    RUN_FILES = 56,
    RUN_K = 60,
    RUN_MEMORY = 72,
    RUN_ASKED = 83,
    RUN_RAM = 90,
    RUN_DEVICE = 100,
    RUN_CPU = 109,
    RUN_AT_TARGET = 119,
    RUN_OF_NULL = 127,
    RUN_STREAMS = 150,
    RUN_REMOVED = 174,
    RUN_STATE = 176,
};

enum {
    OP_NAME = 4,
    OP_COUNT = 22,
    OP_OPS = 33,
    OP_BYTES = 45,
    OP_MEAN = 56,
    OP_P50 = 67,
    OP_P95 = 78,
    OP_P99 = 89,
    OP_P9999 = 100,
    OP_MAX = 111,
};

/* How sure the time is. */
static void interval_words(char *buf, size_t room, const struct report_row *row)
{
    char half[CELL_MAX];

    if (row->half_frac >= 0)
        snprintf(buf, room, "± %s (95 %% interval, %u of %u runs)",
                 report_cell_half(half, row->half_frac), row->counted_n, row->n);
    else if (row->n == 1)
        snprintf(buf, room, "(one run, no interval)");
    else
        snprintf(buf, room, "(%u of %u runs, no interval)", row->counted_n, row->n);
}

static void row_line(struct text *out, const struct report_row *row, unsigned width)
{
    char length[CELL_MAX], ms[CELL_MAX], kib[CELL_MAX], files[CELL_MAX], marks[CELL_MAX];
    char interval[2 * CELL_MAX], side[4] = "";

    if (report_side(row->repeats[0]) > 0)
        snprintf(side, sizeof side, " %c", report_side_letter(report_side(row->repeats[0])));
    report_row_marks(row, marks);
    interval_words(interval, sizeof interval, row);
    text_add(out, "\n");
    report_title(out, width, "%s %s%s: %s ms a tree %s, %s KiB/s, %s files/s%s%s",
                 report_cell_length(length, row->length_bytes),
                 report_or_dash(row->repeats[0]->phase), side, report_cell_number(ms, row->ms),
                 interval, report_cell_number(kib, row->kib_per_s),
                 report_cell_number(files, row->files_per_s), *marks ? "  " : "", marks);
}

static void runs_head(struct text *out, unsigned width)
{
    struct report_columns c = report_columns_begin(out, width);

    report_columns_left(&c, RUN_ID, "run");
    report_columns_right(&c, RUN_MS, "ms/tree");
    report_columns_right(&c, RUN_KIB, "KiB/s");
    report_columns_right(&c, RUN_FILES, "files/s");
    report_columns_right(&c, RUN_K, "k");
    report_columns_right(&c, RUN_MEMORY, "in memory");
    report_columns_right(&c, RUN_ASKED, "of");
    report_columns_right(&c, RUN_RAM, "in RAM");
    report_columns_right(&c, RUN_DEVICE, "device");
    report_columns_right(&c, RUN_CPU, "CPU/op");
    report_columns_right(&c, RUN_AT_TARGET, "at target");
    report_columns_right(&c, RUN_OF_NULL, "of null");
    report_columns_right(&c, RUN_STREAMS, "ops/stream min,med,max");
    report_columns_right(&c, RUN_REMOVED, "removed before");
    report_columns_left(&c, RUN_STATE, "state");
    report_columns_head_end(&c);
}

static uint64_t ops_of(const struct result *r)
{
    uint64_t ops = 0;

    for (unsigned i = 0; i < r->lines; i++)
        ops += r->line[i].sum.ops;
    return ops;
}

static const char *cpu_per_op(char buf[CELL_MAX], const struct result *r)
{
    double user_ns = result_fact_number(&r->own, "cpu_user_ns", -1);
    double sys_ns = result_fact_number(&r->own, "cpu_sys_ns", -1);

    if (user_ns < 0 || sys_ns < 0)
        return "-";
    return report_cell_ratio_ns(buf, (uint64_t)(user_ns + sys_ns), ops_of(r));
}

/* Of a read, what lay in memory before it; of a write, what was still dirty after it. */
static const char *in_memory(char buf[CELL_MAX], const struct result *r)
{
    if (r->cache.applies)
        return r->cache.resident_known ? report_cell_bytes(buf, r->cache.resident_bytes) : "n/v";
    return r->cache.dirty_known ? report_cell_bytes(buf, r->cache.dirty_bytes) : "-";
}

static const char *device(char buf[CELL_MAX], const struct result *r)
{
    if (!r->cache.applies)
        return "-";
    return r->cache.device_known ? report_cell_bytes(buf, r->cache.device_bytes) : "n/v";
}

static void put_removed(struct report_columns *c, const struct result *r)
{
    struct text words;
    char ago[CELL_MAX];
    uint64_t files = report_option_count(r, "removed_before_files", 0);
    double age_s = result_fact_number(&r->options, "removed_before_age_s", -1);

    text_init(&words);
    if (files == 0)
        text_add(&words, result_fact_get(&r->options, "removed_before_files") ? "nothing" : "-");
    else
        text_addf(&words, "%llu files, %s s ago", (unsigned long long)files,
                  report_cell_number(ago, age_s));
    report_columns_right(c, RUN_REMOVED, words.s);
    c->out->failed = c->out->failed || words.failed;
    text_fini(&words);
}

static void put_streams(struct report_columns *c, const struct result_streams *s)
{
    struct text words;

    text_init(&words);
    if (s->n == 0)
        text_add(&words, "-");
    else
        text_addf(&words, "%llu, %llu, %llu", (unsigned long long)s->min_ops,
                  (unsigned long long)s->median_ops, (unsigned long long)s->max_ops);
    report_columns_right(c, RUN_STREAMS, words.s);
    c->out->failed = c->out->failed || words.failed;
    text_fini(&words);
}

static void put_share(struct report_columns *c, unsigned end, const struct result *r,
                      const char *key)
{
    char cell[CELL_MAX];

    report_columns_right(c, end, report_cell_percent(cell, result_fact_number(&r->own, key, -1)));
}

static void run_line(struct text *out, const struct result *r, unsigned width)
{
    struct report_columns c = report_columns_begin(out, width);
    bool fit = r->state != RESULT_VOID;
    struct text id;
    char cell[CELL_MAX];

    text_init(&id);
    text_addf(&id, "%s.%u", r->study_id, r->run);
    report_columns_left(&c, RUN_ID, id.s);
    report_columns_right(&c, RUN_MS, report_cell_number(cell, fit ? report_tree_ms(r) : -1));
    report_columns_right(&c, RUN_KIB,
                         report_cell_number(cell, fit ? report_tree_kib_per_s(r) : -1));
    report_columns_right(&c, RUN_FILES,
                         report_cell_number(cell, fit ? report_tree_files_per_s(r) : -1));
    report_columns_right(&c, RUN_K, report_cell_count(cell, r->passes));
    report_columns_right(&c, RUN_MEMORY, in_memory(cell, r));
    report_columns_right(
        &c, RUN_ASKED, report_cell_bytes(cell, r->cache.applies ? r->cache.asked_bytes : r->bytes));
    report_columns_right(&c, RUN_RAM, report_cell_ram(cell, r));
    report_columns_right(&c, RUN_DEVICE, device(cell, r));
    report_columns_right(&c, RUN_CPU, cpu_per_op(cell, r));
    put_share(&c, RUN_AT_TARGET, r, "at_target_frac");
    put_share(&c, RUN_OF_NULL, r, "of_null_rate_frac");
    put_streams(&c, &r->streams);
    put_removed(&c, r);
    report_columns_left(&c, RUN_STATE, report_state_word(r->state));
    report_columns_end(&c);
    out->failed = out->failed || id.failed;
    text_fini(&id);
}

static void flowops_head(struct text *out, unsigned width)
{
    struct report_columns c = report_columns_begin(out, width);

    text_add(out, c.md ? "\n" : ""); /* or it would go on with the table above */
    report_columns_left(&c, OP_NAME, "step");
    report_columns_right(&c, OP_COUNT, "count");
    report_columns_right(&c, OP_OPS, "ops");
    report_columns_right(&c, OP_BYTES, "bytes");
    report_columns_right(&c, OP_MEAN, "mean");
    report_columns_right(&c, OP_P50, "p50");
    report_columns_right(&c, OP_P95, "p95");
    report_columns_right(&c, OP_P99, "p99");
    report_columns_right(&c, OP_P9999, "p99.99");
    report_columns_right(&c, OP_MAX, "max");
    report_columns_head_end(&c);
}

static void put_quantile(struct report_columns *c, unsigned end, const struct report_flowop *flowop,
                         double q)
{
    char cell[CELL_MAX];

    report_columns_right(
        c, end, flowop->samples ? report_cell_ns(cell, hist_quantile(&flowop->service, q)) : "-");
}

static void flowop_line(struct text *out, const struct report_flowop *flowop, unsigned width)
{
    struct report_columns c = report_columns_begin(out, width);
    char cell[CELL_MAX];

    report_columns_left(&c, OP_NAME, flowop->name);
    report_columns_right(&c, OP_COUNT, report_cell_count(cell, flowop->samples));
    report_columns_right(&c, OP_OPS, report_cell_count(cell, flowop->ops));
    report_columns_right(&c, OP_BYTES, report_cell_count(cell, flowop->bytes));
    report_columns_right(
        &c, OP_MEAN,
        flowop->samples ? report_cell_ns(cell, (uint64_t)hist_mean(&flowop->service)) : "-");
    put_quantile(&c, OP_P50, flowop, 0.5);
    put_quantile(&c, OP_P95, flowop, 0.95);
    put_quantile(&c, OP_P99, flowop, 0.99);
    put_quantile(&c, OP_P9999, flowop, 0.9999);
    report_columns_right(&c, OP_MAX,
                         flowop->samples ? report_cell_ns(cell, flowop->service.max) : "-");
    report_columns_end(&c);
}

static void flowop_lines(struct text *out, const struct report_row *row, unsigned width)
{
    const struct result *first = row->lines_of;
    struct report_flowop *flowop = malloc(sizeof *flowop);

    if (!flowop) {
        out->failed = true;
        return;
    }
    flowops_head(out, width);
    for (unsigned i = 0; i < first->lines; i++) {
        report_row_pool(row, first->line[i].name, flowop);
        flowop_line(out, flowop, width);
    }
    free(flowop);
}

void report_wide_row(struct text *out, const struct report_row *row, unsigned width)
{
    row_line(out, row, width);
    runs_head(out, width);
    for (unsigned i = 0; i < row->n; i++)
        run_line(out, row->repeats[i], width);
    flowop_lines(out, row, width);
}
