/* Rates and latencies of io: a row for each line, one for all of them, and one for each run. */
#include "report/io_report_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    START_KIND = 6,
    END_IOPS = 23,
    END_MIB = 32,
    END_P50 = 41,
    END_P95 = 51,
    END_P99 = 61,
    END_P999 = 71,
    END_MAX = 80,
};

static uint64_t window_ns(const struct result *r)
{
    return r->window_close_ns > r->window_open_ns ? r->window_close_ns - r->window_open_ns
                                                  : r->elapsed_ns;
}

double io_per_second(struct result *const *results, unsigned n, double what)
{
    uint64_t ns = 0;

    for (unsigned i = 0; i < n; i++)
        ns += window_ns(results[i]);
    return ns == 0 ? -1 : what * 1e9 / (double)ns;
}

static void add_line(struct io_sum *sum, const struct result_line *line)
{
    sum->ops += line->sum.ops;
    sum->bytes += line->sum.bytes;
    sum->open_loop |= line->open_loop;
    hist_merge(&sum->service, &line->sum.service);
    hist_merge(&sum->response, line->open_loop ? &line->sum.response : &line->sum.service);
}

struct io_sum *io_sum_of(struct result *const *results, unsigned n, const char *line)
{
    struct io_sum *sum = calloc(1, sizeof *sum);

    for (unsigned i = 0; sum && i < n; i++)
        for (unsigned k = 0; k < results[i]->lines; k++)
            if (!line || strcmp(results[i]->line[k].name, line) == 0)
                add_line(sum, &results[i]->line[k]);
    return sum;
}

static void latency_head(struct text *out, unsigned width)
{
    struct report_columns c = report_columns_begin(out, width);

    text_add(out, "\n");
    report_columns_left(&c, 0, "");
    report_columns_left(&c, START_KIND, "");
    report_columns_right(&c, END_IOPS, "IOPS");
    report_columns_right(&c, END_MIB, "MiB/s");
    report_columns_right(&c, END_P50, "p50");
    report_columns_right(&c, END_P95, "p95");
    report_columns_right(&c, END_P99, "p99");
    report_columns_right(&c, END_P999, "p99.9");
    report_columns_right(&c, END_MAX, "max");
    report_columns_head_end(&c);
    report_columns_rule(&c, 0, 14);
    report_columns_rule(&c, 15, END_IOPS);
    report_columns_rule(&c, END_IOPS + 1, END_MIB);
    report_columns_rule(&c, END_MIB + 1, END_P50);
    report_columns_rule(&c, END_P50 + 1, END_P95);
    report_columns_rule(&c, END_P95 + 1, END_P99);
    report_columns_rule(&c, END_P99 + 1, END_P999);
    report_columns_rule(&c, END_P999 + 1, END_MAX);
    report_columns_end(&c);
}

/* Under way for longer than any that was done: it takes that long or longer. */
static const char *max_cell(char buf[CELL_MAX], const struct hist *h, uint64_t under_way_ns)
{
    char age[CELL_MAX];

    if (under_way_ns <= h->max)
        return hist_count(h) > 0 ? report_cell_ns(buf, h->max) : "-";
    snprintf(buf, CELL_MAX, ">%.*s", CELL_MAX - 2, report_cell_ns(age, under_way_ns));
    return buf;
}

static void put_latency(struct report_columns *c, const struct hist *h, uint64_t under_way_ns)
{
    static const struct {
        unsigned end;
        double q;
    } cell_of[] = {{END_P50, 0.5}, {END_P95, 0.95}, {END_P99, 0.99}, {END_P999, 0.999}};
    bool any = hist_count(h) > 0;
    char cell[CELL_MAX];

    for (size_t i = 0; i < sizeof cell_of / sizeof cell_of[0]; i++)
        report_columns_right(c, cell_of[i].end,
                             any ? report_cell_ns(cell, hist_quantile(h, cell_of[i].q)) : "-");
    report_columns_right(c, END_MAX, max_cell(cell, h, under_way_ns));
    report_columns_end(c);
}

struct io_row {
    const char *name;
    const char *kind;      /* NULL: service, or response and service */
    uint64_t under_way_ns; /* closed loop: the oldest op at the end of the window */
};

static void put_row(struct text *out, struct result *const *results, unsigned n,
                    const struct io_row *row, const struct io_sum *sum, unsigned width)
{
    struct report_columns c = report_columns_begin(out, width);
    char cell[CELL_MAX];

    report_columns_left(&c, 0, row->name);
    if (!c.md && strlen(row->name) >= START_KIND) /* "write 128k" */
        report_columns_end(&c);
    report_columns_left(&c, START_KIND,
                        row->kind        ? row->kind
                        : sum->open_loop ? "response"
                                         : "service");
    report_columns_right(&c, END_IOPS,
                         report_cell_number(cell, io_per_second(results, n, (double)sum->ops)));
    report_columns_right(
        &c, END_MIB,
        report_cell_number(cell, io_per_second(results, n, (double)sum->bytes / 1048576)));
    put_latency(&c, &sum->response, row->under_way_ns);
    if (!sum->open_loop || row->kind)
        return;
    report_columns_left(&c, 0, "");
    report_columns_left(&c, START_KIND, "service");
    report_columns_left(&c, END_IOPS, "");
    report_columns_left(&c, END_MIB, "");
    put_latency(&c, &sum->service, 0);
}

/* line NULL: all of them. */
static void sum_row(struct text *out, struct result *const *results, unsigned n, const char *line,
                    const struct io_row *row, unsigned width)
{
    struct io_sum *sum = io_sum_of(results, n, line);

    if (sum)
        put_row(out, results, n, row, sum, width);
    else
        out->failed = true;
    free(sum);
}

/* The oldest op of a line, or with NULL of any, over all runs. */
static uint64_t under_way_ns(struct result *const *results, unsigned n, const char *line)
{
    uint64_t oldest = 0;

    for (unsigned i = 0; i < n; i++) {
        struct report_under_way u = report_under_way_of(results[i]);

        if (u.oldest_ns > oldest && (!line || (u.line && strcmp(u.line->name, line) == 0)))
            oldest = u.oldest_ns;
    }
    return oldest;
}

static void run_rows(struct text *out, struct result *const *results, unsigned n, unsigned width)
{
    char number[16];

    for (unsigned i = 0; i < n; i++) {
        const struct io_row row = {"run", number, under_way_ns(&results[i], 1, NULL)};

        snprintf(number, sizeof number, "%u", results[i]->run);
        sum_row(out, &results[i], 1, NULL, &row, width);
    }
}

void report_io_table(struct text *out, struct result *const *results, unsigned n, unsigned width)
{
    const struct result *first = results[0];

    latency_head(out, width);
    for (unsigned i = 0; i < first->lines; i++) {
        const char *name = first->line[i].name;
        const struct io_row row = {name, NULL, under_way_ns(results, n, name)};

        sum_row(out, results, n, name, &row, width);
    }
    if (first->lines > 1)
        sum_row(out, results, n, NULL,
                &(struct io_row){"total", NULL, under_way_ns(results, n, NULL)}, width);
    if (n > 1)
        run_rows(out, results, n, width);
    text_add(out, "\n");
}
