/* The flowops of a run: a line each, those that do I/O first and summed up, the others behind. */
#include "report/run_report_priv.h"

#include "base/flowop.h"

#include <stdlib.h>
#include <string.h>

enum {
    END_NAME = 20,
    END_OPS = 29,
    END_MIB = 37,
    END_P50 = 46,
    END_P95 = 55,
    END_P99 = 64,
    END_P999 = 72,
    END_MAX = 80,
};

static void head(struct text *out, unsigned width)
{
    static const struct {
        unsigned end;
        const char *name;
    } column[] = {{END_OPS, "ops/s"}, {END_MIB, "MiB/s"},  {END_P50, "p50"}, {END_P95, "p95"},
                  {END_P99, "p99"},   {END_P999, "p99.9"}, {END_MAX, "max"}};
    const size_t columns = sizeof column / sizeof column[0];
    struct report_columns c = report_columns_begin(out, width);
    unsigned from = END_NAME;

    text_add(out, "\n");
    report_columns_left(&c, 0, "flowop");
    for (size_t i = 0; i < columns; i++)
        report_columns_right(&c, column[i].end, column[i].name);
    report_columns_head_end(&c);
    report_columns_rule(&c, 0, END_NAME);
    for (size_t i = 0; i < columns; i++) {
        report_columns_rule(&c, from + 1, column[i].end);
        from = column[i].end;
    }
    report_columns_end(&c);
}

/* What one row tells. */
struct flowop_sum {
    uint64_t count;
    uint64_t bytes;
    bool moves;
    struct hist latency; /* response where due times come from a schedule, else service */
};

static void put(struct text *out, const char *name, const struct flowop_sum *sum,
                uint64_t window_ns, unsigned width)
{
    static const struct {
        unsigned end;
        double q;
    } quantile[] = {{END_P50, 0.5}, {END_P95, 0.95}, {END_P99, 0.99}, {END_P999, 0.999}};
    struct report_columns c = report_columns_begin(out, width);
    double seconds = (double)window_ns / 1e9;
    bool any = hist_count(&sum->latency) > 0;
    char cell[CELL_MAX];

    report_columns_short(&c, 0, END_NAME, name);
    report_columns_right(&c, END_OPS,
                         report_cell_number(cell, seconds > 0 ? (double)sum->count / seconds : -1));
    report_columns_right(
        &c, END_MIB,
        sum->moves ? report_cell_number(cell, (double)sum->bytes / 1048576 / seconds) : "-");
    for (size_t i = 0; i < sizeof quantile / sizeof quantile[0]; i++)
        report_columns_right(&c, quantile[i].end,
                             any ? report_cell_ns(cell, hist_quantile(&sum->latency, quantile[i].q))
                                 : "-");
    report_columns_right(&c, END_MAX, any ? report_cell_ns(cell, sum->latency.max) : "-");
    report_columns_end(&c);
}

static void add(struct flowop_sum *sum, const struct result_line *line)
{
    sum->count += result_flowop_count(line);
    sum->bytes += line->sum.bytes;
    sum->moves |= flowop_reads(line->op) || flowop_writes(line->op);
    hist_merge(&sum->latency, line->open_loop ? &line->sum.response : &line->sum.service);
}

static bool is_io(const struct result_line *line)
{
    enum flowop_class counts_as = flowop_class(line->op);

    return counts_as == FLOWOP_IO || counts_as == FLOWOP_AIO;
}

/* Of the lines called `name`; with NULL all that do I/O. */
static void sum_row(struct text *out, const struct run_part *part, const char *name,
                    const char *shown_as, uint64_t window_ns, unsigned width)
{
    struct flowop_sum *sum = calloc(1, sizeof *sum);

    if (!sum) {
        out->failed = true;
        return;
    }
    for (unsigned i = 0; i < part->n; i++)
        for (unsigned k = 0; k < part->repeat[i]->lines; k++) {
            const struct result_line *line = &part->repeat[i]->line[k];

            if (name ? strcmp(line->name, name) == 0 : is_io(line))
                add(sum, line);
        }
    put(out, shown_as, sum, window_ns, width);
    free(sum);
}

static unsigned rows_of(struct text *out, const struct run_part *part, bool io, uint64_t window_ns,
                        unsigned width)
{
    const struct result *first = part->repeat[0];
    unsigned n = 0;

    for (unsigned i = 0; i < first->lines; i++) {
        if (is_io(&first->line[i]) != io)
            continue;
        sum_row(out, part, first->line[i].name, first->line[i].name, window_ns, width);
        n++;
    }
    return n;
}

void report_run_table(struct text *out, const struct run_part *part, unsigned width)
{
    uint64_t window_ns = run_part_sum(part).window_ns;

    head(out, width);
    if (rows_of(out, part, true, window_ns, width) != 1)
        sum_row(out, part, NULL, "all I/O", window_ns, width);
    rows_of(out, part, false, window_ns, width);
    text_add(out, "\n");
}
