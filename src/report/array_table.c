/* The eight figures of the array test of 2008: bandwidth or rate, and latency, of four workloads. */
#include "report/run_report_priv.h"

#include "stats/spread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { START_UNIT = 36, END_VALUE = 35, END_HALF = 51, END_LOW = 61, END_HIGH = 71, END_RUNS = 76 };

enum measure { MEASURE_MIB, MEASURE_OPS, MEASURE_FB2008_MS, MEASURE_MEAN_MS };

struct figure {
    const char *number; /* "" is not one of the eight, but belongs beside them */
    const char *name;
    const char *workload; /* begins with it */
    enum measure measure;
};

static const struct figure figures[] = {
    {"1", "read bandwidth", "multistreamread", MEASURE_MIB},
    {"2", "read latency", "multistreamread", MEASURE_FB2008_MS},
    {"3", "write bandwidth", "multistreamwrite", MEASURE_MIB},
    {"4", "write latency", "multistreamwrite", MEASURE_FB2008_MS},
    {"5", "varmail rate", "varmail", MEASURE_OPS},
    {"", "varmail bandwidth", "varmail", MEASURE_MIB},
    {"6", "varmail latency", "varmail", MEASURE_FB2008_MS},
    {"", "varmail true mean", "varmail", MEASURE_MEAN_MS},
    {"7", "oltp rate", "oltp", MEASURE_OPS},
    {"8", "oltp latency", "oltp", MEASURE_FB2008_MS},
    {"", "oltp true mean", "oltp", MEASURE_MEAN_MS},
};

static const char *unit_of(enum measure measure)
{
    static const char *const unit[] = {"MiB/s", "ops/s", "ms", "ms"};
    return unit[measure];
}

static double value_of(const struct result *r, enum measure measure)
{
    struct result_flowops f;

    result_flowops_of(r, &f);
    switch (measure) {
    case MEASURE_MIB:
        return result_flowops_per_s(&f, (double)f.bytes / 1048576);
    case MEASURE_OPS:
        return result_flowops_per_s(&f, (double)f.ops);
    case MEASURE_FB2008_MS:
        return result_flowops_fb2008_ns(&f) / 1e6;
    default:
        return result_flowops_mean_ns(&f) / 1e6;
    }
}

static void head(struct text *out, unsigned width)
{
    struct report_columns c = report_columns_begin(out, width);

    text_add(out, "\n");
    report_columns_left(&c, 0, "figure");
    report_columns_right(&c, END_VALUE, "value");
    report_columns_left(&c, START_UNIT, "");
    report_columns_right(&c, END_HALF, "±95 %");
    report_columns_right(&c, END_LOW, "lowest");
    report_columns_right(&c, END_HIGH, "highest");
    report_columns_right(&c, END_RUNS, "runs");
    report_columns_head_end(&c);
    report_columns_rule(&c, 0, 24);
    report_columns_rule(&c, 25, START_UNIT + 5);
    report_columns_rule(&c, START_UNIT + 6, END_HALF);
    report_columns_rule(&c, END_HALF + 1, END_LOW);
    report_columns_rule(&c, END_LOW + 1, END_HIGH);
    report_columns_rule(&c, END_HIGH + 1, END_RUNS);
    report_columns_end(&c);
}

static void put(struct text *out, const struct figure *figure, const struct spread *spread,
                unsigned n, unsigned width)
{
    struct report_columns c = report_columns_begin(out, width);
    char name[CELL_MAX], cell[CELL_MAX];
    bool several = n > 1 && spread->mean > 0;

    snprintf(name, sizeof name, "%1s %s", figure->number, figure->name);
    report_columns_left(&c, 0, name);
    report_columns_right(&c, END_VALUE, n ? report_cell_number(cell, spread->mean) : "-");
    report_columns_left(&c, START_UNIT, unit_of(figure->measure));
    report_columns_right(&c, END_HALF,
                         several ? report_cell_half(cell, spread->half_95 / spread->mean) : "-");
    report_columns_right(&c, END_LOW, n ? report_cell_number(cell, spread->min) : "-");
    report_columns_right(&c, END_HIGH, n ? report_cell_number(cell, spread->max) : "-");
    snprintf(cell, sizeof cell, "%u", n);
    report_columns_right(&c, END_RUNS, cell);
    report_columns_end(&c);
}

/* Of the runs of its workload that are whole and had no errors. */
static bool counts(const struct result *r, const struct figure *figure)
{
    return r->state == RESULT_COMPLETE && result_error_count(r) == 0 &&
           strncmp(report_option(r, "workload"), figure->workload, strlen(figure->workload)) == 0;
}

void report_array_table(struct text *out, struct result *const *results, unsigned n, unsigned width)
{
    double *value = calloc(n, sizeof *value);

    if (!value) {
        out->failed = true;
        return;
    }
    head(out, width);
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        struct spread spread = {0};
        unsigned runs = 0;

        for (unsigned k = 0; k < n; k++)
            if (counts(results[k], &figures[i]))
                value[runs++] = value_of(results[k], figures[i].measure);
        if (runs > 0 && spread_of(value, runs, &spread) < 0)
            out->failed = true;
        put(out, &figures[i], &spread, runs, width);
    }
    text_add(out, "\n");
    report_fact(
        out, width, "latency",
        "by the rule of 2008: time of all synchronous ops over the reads and writes alone; the "
        "true mean of an op stands beside it where they differ");
    text_add(out, "\n");
    free(value);
}
