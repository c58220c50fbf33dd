#include "report/report_priv.h"

#include "base/flowop.h"

#include <string.h>

#define PLOT_COLUMNS 60
#define PLOT_ROWS    5
#define PLOT_LEVELS  3 /* steps that one character can show */
#define PLOT_LABEL   12

/* The intervals that lie wholly inside the window. */
struct span {
    const struct result *r;
    unsigned first;
    unsigned count;
    unsigned per_column; /* intervals drawn as one */
    unsigned columns;
};

static struct span span_of(const struct result *r)
{
    struct span span = {.r = r};
    uint64_t width_ns = r->series.width_ns;
    uint64_t close_ns = r->window_close_ns ? r->window_close_ns : r->elapsed_ns;
    uint64_t first, end;

    if (width_ns == 0)
        return span;
    first = (r->window_open_ns + width_ns - 1) / width_ns;
    end = close_ns / width_ns;
    if (end <= first || end - first > SERIES_MAX * 2)
        return span;
    span.first = (unsigned)first;
    span.count = (unsigned)(end - first);
    span.per_column = (span.count + PLOT_COLUMNS - 1) / PLOT_COLUMNS;
    span.columns = (span.count + span.per_column - 1) / span.per_column;
    return span;
}

/* Of workload files what the table above counts: whole flowops that do I/O. Of io the two are one. */
static uint64_t counted(const struct result *r, unsigned line, const struct series_line *at)
{
    if (!report_is_run(r))
        return at->ops;
    return flowop_class(r->line[line].op) <= FLOWOP_AIO ? at->samples : 0;
}

/* An interval after the last one that was kept was silent. */
static double ops_per_s(const struct span *span, unsigned i)
{
    const struct series *series = &span->r->series;
    unsigned interval = span->first + i;
    uint64_t ops = 0;

    for (unsigned line = 0; interval < series->used && line < series->lines; line++)
        ops += counted(span->r, line, series_at(series, interval, line));
    return (double)ops * 1e9 / (double)series->width_ns;
}

static double column_of(const struct span *span, unsigned column)
{
    unsigned first = column * span->per_column;
    unsigned end = first + span->per_column < span->count ? first + span->per_column : span->count;
    double sum = 0;

    for (unsigned i = first; i < end; i++)
        sum += ops_per_s(span, i);
    return sum / (end - first);
}

static void extremes(const struct span *span, double *min, double *mean, double *max)
{
    double sum = 0;

    *min = *max = ops_per_s(span, 0);
    for (unsigned i = 0; i < span->count; i++) {
        double rate = ops_per_s(span, i);

        sum += rate;
        *min = rate < *min ? rate : *min;
        *max = rate > *max ? rate : *max;
    }
    *mean = sum / span->count;
}

/* Row 0 is the lowest. */
static char dot(double value, double top, unsigned row)
{
    static const char shade[PLOT_LEVELS + 1] = {' ', '.', ':', '#'};
    double steps = top > 0 ? value / top * PLOT_ROWS * PLOT_LEVELS : 0;
    int level = (int)(steps + 0.5) - (int)row * PLOT_LEVELS;

    if (row == 0 && level < 1 && value > 0)
        level = 1;
    return shade[level < 0 ? 0 : level > PLOT_LEVELS ? PLOT_LEVELS : level];
}

static void plot_row(struct text *out, const struct span *span, double top, unsigned row)
{
    struct report_columns c = {.out = out};
    char cell[CELL_MAX];
    char bar[PLOT_COLUMNS + 2] = "|";
    size_t len = 1;

    for (unsigned i = 0; i < span->columns; i++)
        bar[len++] = dot(column_of(span, i), top, row);
    while (bar[len - 1] == ' ')
        len--;
    bar[len] = '\0';
    report_columns_right(&c, PLOT_LABEL,
                         row == PLOT_ROWS - 1 ? report_cell_number(cell, top)
                         : row == 0           ? "0"
                                              : "");
    report_columns_left(&c, PLOT_LABEL + 1, bar);
    report_columns_end(&c);
}

static void time_axis(struct text *out, const struct span *span)
{
    struct report_columns c = {.out = out};
    uint64_t width_ns = span->r->series.width_ns;
    char cell[CELL_MAX];

    report_columns_left(&c, PLOT_LABEL + 2, report_cell_ns(cell, span->first * width_ns));
    report_columns_right(&c, PLOT_LABEL + 2 + span->columns,
                         report_cell_ns(cell, (span->first + span->count) * width_ns));
    report_columns_end(&c);
}

static uint64_t max_of(const struct series_line *at, bool response)
{
    return response ? at->response.max : at->service.max;
}

/* The first interval of the window that holds it. */
static void find_interval(const struct result *r, unsigned line, struct report_slowest *slowest)
{
    uint64_t width_ns = r->series.width_ns;
    uint64_t open_ns = r->window_open_ns;

    for (unsigned i = 0; line < r->series.lines && i < r->series.used; i++) {
        uint64_t begin_ns = i * width_ns;

        if (begin_ns + width_ns <= open_ns ||
            max_of(series_at(&r->series, i, line), r->line[line].open_loop) != slowest->ns)
            continue;
        slowest->found = true;
        slowest->from_ns = begin_ns > open_ns ? begin_ns - open_ns : 0;
        slowest->to_ns = begin_ns + width_ns - open_ns;
        return;
    }
}

struct report_slowest report_slowest_of(const struct result *r)
{
    struct report_slowest slowest = {0};
    unsigned at = 0;

    for (unsigned i = 0; i < r->lines; i++) {
        const struct result_line *line = &r->line[i];
        const struct hist *h = line->open_loop ? &line->sum.response : &line->sum.service;

        if (hist_count(h) == 0 || (slowest.line && h->max <= slowest.ns))
            continue;
        slowest.line = line;
        slowest.ns = h->max;
        at = i;
    }
    struct report_under_way under_way = report_under_way_of(r);

    if (under_way.line && under_way.oldest_ns > slowest.ns)
        return (struct report_slowest){
            .line = under_way.line, .ns = under_way.oldest_ns, .under_way = true};
    if (slowest.line && report_intervals_smeared(r) == 0)
        find_interval(r, at, &slowest);
    return slowest;
}

double report_intervals_smeared(const struct result *r)
{
    return result_fact_number(&r->own, "blocks_kept", 0);
}

void report_io_rate_over_time(struct text *out, const struct result *r, unsigned form)
{
    /* In the wide form too: it stands over a plot. */
    unsigned columns = report_is_md(form) ? form : REPORT_WIDTH;
    struct span span = span_of(r);
    char width[CELL_MAX], column[CELL_MAX], low[CELL_MAX], middle[CELL_MAX], high[CELL_MAX];
    double min, mean, max, top = 0;

    if (report_intervals_smeared(r) > 0) {
        report_fact(out, columns, "over time",
                    "- (intervals smeared: %.0f times the collector came late; totals are whole)",
                    report_intervals_smeared(r));
        return;
    }
    if (span.count < 2) {
        report_fact(out, columns, "over time", "- (the window holds no two intervals)");
        return;
    }
    extremes(&span, &min, &mean, &max);
    for (unsigned i = 0; i < span.columns; i++) {
        double rate = column_of(&span, i);

        top = rate > top ? rate : top;
    }
    report_fact(
        out, columns, "over time", "%s in %u intervals of %s: min %s, mean %s, max %s%s%s",
        report_is_run(r) ? "ops/s" : "IOPS", span.count, report_cell_ns(width, r->series.width_ns),
        report_cell_number(low, min), report_cell_number(middle, mean),
        report_cell_number(high, max), span.per_column > 1 ? "; a column is " : "",
        span.per_column > 1 ? report_cell_ns(column, span.per_column * r->series.width_ns) : "");
    report_drawing_begin(out, form);
    for (unsigned row = PLOT_ROWS; row-- > 0;)
        plot_row(out, &span, top, row);
    time_axis(out, &span);
    report_drawing_end(out, form);
}
