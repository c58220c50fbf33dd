#include "verdict/rows_priv.h"

#include "base/flowop.h"
#include "result/flowops.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Batches that the window is cut into for the error within a run, each of at least so many
 * intervals: neighbours depend on each other, means of long batches hardly do. */
#define BATCHES             10
#define BATCH_INTERVALS_MIN 2

bool row_is_tree(const struct result *r)
{
    return result_fact_get(&r->options, "length_bytes") != NULL;
}

bool row_is_workload(const struct result *r)
{
    return strcmp(r->study, "run") == 0 || strcmp(r->study, "array-test") == 0;
}

bool row_has_line(const struct result *r, uint32_t l)
{
    enum flowop_class class = flowop_class(r->line[l].op);

    return !row_is_workload(r) || class == FLOWOP_IO || class == FLOWOP_AIO;
}

static bool is_of(const struct result *r, uint32_t l, uint32_t line)
{
    return line == ROW_ALL_LINES ? row_has_line(r, l) : l == line;
}

static void put_none(const struct result *r, struct row_run *out)
{
    *out = (struct row_run){.result = r, .within_frac = NAN};
    double repeat = result_fact_number(&r->options, "repeat", 0);
    double side = result_fact_number(&r->options, "side", 0);
    out->repeat = repeat >= 1 && repeat < 1e9 ? (unsigned)repeat : 0;
    out->side = side >= 1 && side < 1e9 ? (unsigned)side : 0;
    for (unsigned i = 0; i < ROWS_METRICS; i++)
        out->value[i] = NAN;
}

static void put_quantiles(const struct hist *h, double *value)
{
    static const struct {
        enum rows_metric metric;
        double q;
        uint64_t samples_min;
    } table[] = {
        {ROWS_P50, 0.5, 2}, {ROWS_P95, 0.95, 20}, {ROWS_P99, 0.99, 100}, {ROWS_P999, 0.999, 1000}};
    uint64_t samples = hist_count(h);

    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (samples >= table[i].samples_min)
            value[table[i].metric] = (double)hist_quantile(h, table[i].q);
    if (samples > 0)
        value[ROWS_MAX] = (double)h->max;
}

static double per_second(double what, uint64_t elapsed_ns)
{
    return elapsed_ns == 0 ? NAN : what * 1e9 / (double)elapsed_ns;
}

void row_values_tree(const struct result *r, struct row_run *out)
{
    const struct result_line *line = result_line_find(r, r->phase);

    put_none(r, out);
    out->value[ROWS_OPS] = per_second((double)r->files, r->elapsed_ns);
    out->value[ROWS_BYTES] = per_second((double)r->bytes, r->elapsed_ns);
    if (r->passes > 0)
        out->value[ROWS_TIME] = (double)r->elapsed_ns / r->passes;
    if (line)
        put_quantiles(&line->sum.service, out->value);
}

/* ---- io and run: a line, or all of them ---- */

/* Quiet ones at the end are not in the series. */
static double ops_in_interval(const struct result *r, unsigned interval, uint32_t line)
{
    const struct series *s = &r->series;
    double ops = 0;

    for (unsigned l = 0; interval < s->used && l < s->lines; l++)
        if (is_of(r, l, line))
            ops += (double)series_at(s, interval, l)->ops;
    return ops;
}

/* Standard error of the rate by the means of batches; intervals that lie in the window only in
 * part are left out. */
static double within_frac(const struct result *r, uint32_t line)
{
    const struct series *s = &r->series;
    double sum = 0, squares = 0;

    if (s->width_ns == 0 || s->lines != r->lines || r->window_close_ns <= r->window_open_ns)
        return NAN;
    uint64_t first = (r->window_open_ns + s->width_ns - 1) / s->width_ns;
    uint64_t end = r->window_close_ns / s->width_ns;
    if (end < first + (uint64_t)BATCHES * BATCH_INTERVALS_MIN)
        return NAN;
    uint64_t each = (end - first) / BATCHES;
    for (unsigned b = 0; b < BATCHES; b++) {
        double ops = 0;
        for (uint64_t i = 0; i < each; i++)
            ops += ops_in_interval(r, (unsigned)(first + b * each + i), line);
        sum += ops;
        squares += ops * ops;
    }
    double mean = sum / BATCHES;
    double var = fmax(0, squares / BATCHES - mean * mean) * BATCHES / (BATCHES - 1);
    return mean > 0 ? sqrt(var / BATCHES) / mean : NAN;
}

/* A flowop of a workload is one operation, however many it takes at the target. */
static uint64_t rated(const struct result *r, const struct result_line *line)
{
    return row_is_workload(r) ? result_flowop_count(line) : line->sum.ops;
}

/* A workload that ended by itself is a fixed amount of work. */
static bool is_finite(const struct result *r)
{
    const char *ended = result_fact_get(&r->options, "ended");

    return row_is_workload(r) && ended && strcmp(ended, "done") == 0 && r->passes > 0;
}

int row_values_line(const struct result *r, uint32_t line, struct row_run *out)
{
    struct hist *times = calloc(1, sizeof *times);
    double ops = 0, bytes = 0;

    if (!times)
        return -ENOMEM;
    put_none(r, out);
    for (uint32_t l = 0; l < r->lines; l++) {
        const struct result_line *at = &r->line[l];
        if (!is_of(r, l, line))
            continue;
        ops += (double)rated(r, at);
        bytes += (double)at->sum.bytes;
        /* Of what was only handed over. */
        if (line == ROW_ALL_LINES && flowop_class(at->op) == FLOWOP_AIO)
            continue;
        hist_merge(times, at->open_loop ? &at->sum.response : &at->sum.service);
    }
    out->value[ROWS_OPS] = per_second(ops, r->elapsed_ns);
    out->value[ROWS_BYTES] = per_second(bytes, r->elapsed_ns);
    if (line == ROW_ALL_LINES && is_finite(r))
        out->value[ROWS_TIME] = (double)r->elapsed_ns / r->passes;
    out->within_frac = within_frac(r, line);
    put_quantiles(times, out->value);
    free(times);
    return 0;
}
