#include "report/report_priv.h"

#include "stats/spread.h"
#include "stats/trend.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A p99 of fewer samples is only their maximum. */
#define P99_SAMPLES_MIN 100

static double ms_a_tree(uint64_t elapsed_ns, uint64_t passes)
{
    return passes == 0 ? -1 : (double)elapsed_ns / 1e6 / (double)passes;
}

static double per_second(uint64_t elapsed_ns, double what)
{
    return elapsed_ns == 0 ? -1 : what * 1e9 / (double)elapsed_ns;
}

double report_tree_ms(const struct result *r)
{
    return ms_a_tree(r->elapsed_ns, r->passes);
}

double report_tree_kib_per_s(const struct result *r)
{
    return per_second(r->elapsed_ns, (double)r->bytes / 1024);
}

double report_tree_files_per_s(const struct result *r)
{
    return per_second(r->elapsed_ns, (double)r->files);
}

bool report_tree_short(const struct result *r)
{
    double asked_ns = result_fact_number(&r->options, "min_time_ns", 0);

    return r->state == RESULT_COMPLETE && (double)r->elapsed_ns < REPORT_SHORT_FRAC * asked_ns;
}

bool report_row_counts(const struct report_row *row, const struct result *r)
{
    return row->has_numbers && r->state == row->counted;
}

/* Numbers of complete repeats are never mixed with those of stopped ones; void ones have none. */
static void choose_counted(struct report_row *row)
{
    unsigned of[3] = {0, 0, 0};

    for (unsigned i = 0; i < row->n; i++)
        of[row->repeats[i]->state]++;
    row->any_incomplete = of[RESULT_INCOMPLETE] > 0;
    row->any_void = of[RESULT_VOID] > 0;
    row->counted = of[RESULT_COMPLETE] > 0 ? RESULT_COMPLETE : RESULT_INCOMPLETE;
    row->counted_n = of[row->counted];
    row->has_numbers = row->counted_n > 0;
}

/* Worse first: not known, then the larger share. */
static double ram_rank(const struct result *r)
{
    double share;

    if (!r->cache.applies)
        return r->cache.dirty_known ? (double)r->cache.dirty_bytes : 1e30;
    return result_cache_share(r, &share) ? share : 1e30;
}

/* Work over time, both summed over the repeats: a mean of rates would contradict the mean of times
 * beside it. */
static void rates(struct report_row *row)
{
    uint64_t elapsed_ns = 0, passes = 0;
    double kib = 0, files = 0;

    for (unsigned i = 0; i < row->n; i++) {
        const struct result *r = row->repeats[i];

        if (!report_row_counts(row, r))
            continue;
        elapsed_ns += r->elapsed_ns;
        passes += r->passes;
        kib += (double)r->bytes / 1024;
        files += (double)r->files;
    }
    row->ms = ms_a_tree(elapsed_ns, passes);
    row->kib_per_s = per_second(elapsed_ns, kib);
    row->files_per_s = per_second(elapsed_ns, files);
}

static int interval(struct report_row *row)
{
    double *ms = calloc(row->counted_n, sizeof *ms);
    struct spread spread;
    struct trend trend;
    size_t n = 0;
    int rc = -ENOMEM;

    if (!ms)
        return rc;
    for (unsigned i = 0; i < row->n; i++) {
        if (report_row_counts(row, row->repeats[i]))
            ms[n++] = report_tree_ms(row->repeats[i]);
    }
    rc = spread_of(ms, n, &spread);
    if (rc == 0)
        rc = trend_of(ms, n, &trend);
    /* What drifts has no mean to be near to. */
    row->drifts = rc == 0 && trend.found;
    if (rc == 0 && spread.has_interval && spread.min >= 0 && spread.mean > 0 && !row->drifts)
        row->half_frac = spread.half_95 / spread.mean;
    free(ms);
    return rc;
}

int report_row_of(struct report_row *row, struct result *const *repeats, unsigned n)
{
    *row = (struct report_row){
        .repeats = repeats,
        .n = n,
        .length_bytes = report_option_count(repeats[0], "length_bytes", 0),
        .ms = -1,
        .kib_per_s = -1,
        .half_frac = -1,
        .files_per_s = -1,
        .lines_of = repeats[0],
        .most_ram = repeats[0],
    };
    choose_counted(row);
    for (unsigned i = 0; i < n; i++) {
        const struct result *r = repeats[i];

        row->errors += result_error_count(r);
        row->any_short |= report_tree_short(r);
        if (r->passes > row->passes && (!row->has_numbers || report_row_counts(row, r)))
            row->passes = r->passes;
        if (report_row_counts(row, r) && !report_row_counts(row, row->lines_of))
            row->lines_of = r;
        if (ram_rank(r) > ram_rank(row->most_ram))
            row->most_ram = r;
    }
    if (!row->has_numbers)
        return 0;
    rates(row);
    return interval(row);
}

void report_row_pool(const struct report_row *row, const char *name, struct report_flowop *out)
{
    memset(out, 0, sizeof *out);
    out->name = name;
    for (unsigned i = 0; i < row->n; i++) {
        const struct result_line *line = result_line_find(row->repeats[i], name);

        if (!line || !report_row_counts(row, row->repeats[i]))
            continue;
        out->ops += line->sum.ops;
        out->bytes += line->sum.bytes;
        out->samples += line->sum.samples;
        hist_merge(&out->service, &line->sum.service);
    }
}

/* "sync" ends a whole tree: it is in the row's time, and has no p99. */
static bool has_p99(const struct report_flowop *flowop, uint64_t samples_min)
{
    return flowop->samples >= samples_min && strcmp(flowop->name, "sync") != 0;
}

static void slowest_of(const struct report_row *row, uint64_t samples_min,
                       struct report_flowop *flowop, const char **name, uint64_t *p99_ns)
{
    const struct result *first = row->lines_of;

    for (unsigned i = 0; i < first->lines; i++) {
        uint64_t p99;

        report_row_pool(row, first->line[i].name, flowop);
        p99 = hist_quantile(&flowop->service, 0.99);
        if (has_p99(flowop, samples_min) && (!*name || p99 > *p99_ns)) {
            *name = first->line[i].name;
            *p99_ns = p99;
        }
    }
}

int report_row_slowest(const struct report_row *row, const char **name, uint64_t *p99_ns)
{
    struct report_flowop *flowop = malloc(sizeof *flowop);

    if (!flowop)
        return -ENOMEM;
    *name = NULL;
    *p99_ns = 0;
    slowest_of(row, P99_SAMPLES_MIN, flowop, name, p99_ns);
    if (!*name)
        slowest_of(row, 1, flowop, name, p99_ns);
    free(flowop);
    return 0;
}

bool report_row_wide(const struct report_row *row)
{
    double asked = result_fact_number(&row->repeats[0]->options, "until_ci_frac", 0);

    return asked > 0 && !(row->half_frac >= 0 && row->half_frac <= asked);
}

static void add_mark(char buf[CELL_MAX], const char *mark)
{
    size_t len = strlen(buf);

    snprintf(buf + len, CELL_MAX - len, "%s%s", len ? " " : "", mark);
}

static bool all_verified(const struct report_row *row)
{
    for (unsigned i = 0; i < row->n; i++) {
        if (!row->repeats[i]->verified)
            return false;
    }
    return true;
}

static bool any_outage(const struct report_row *row)
{
    for (unsigned i = 0; i < row->n; i++) {
        const struct result_facts *counters = &row->repeats[i]->counters;

        /* One that began in the row before has none in this one, but the time. */
        if (result_fact_number(counters, "outages", 0) > 0 ||
            result_fact_number(counters, "outage_ns", 0) > 0)
            return true;
    }
    return false;
}

void report_row_marks(const struct report_row *row, char buf[CELL_MAX])
{
    double share;
    bool clean = !row->any_void && !row->any_incomplete && row->errors == 0;

    *buf = '\0';
    if (row->any_void)
        add_mark(buf, "VOID");
    if (row->any_incomplete)
        add_mark(buf, "INC");
    if (row->errors > 0)
        add_mark(buf, "ERR");
    if (any_outage(row))
        add_mark(buf, "OUTAGE");
    if (row->any_short)
        add_mark(buf, "SHORT");
    if (row->drifts)
        add_mark(buf, "drifting");
    else if (report_row_wide(row))
        add_mark(buf, "WIDE");
    /* Bytes that were never read were not checked either. Of a study that asked for it "asked" says
     * so once for all rows, and VOID, INC and ERR where it is not true. */
    bool said = strcmp(report_option(row->repeats[0], "verify"), "yes") == 0;
    if (clean && all_verified(row) && !said)
        add_mark(buf, "verified");
    for (unsigned i = 0; i < row->n; i++) {
        const struct result *r = row->repeats[i];

        bool from_ram =
            r->cache.applies && result_cache_share(r, &share) && share > REPORT_RAM_FRAC;

        if (from_ram || report_direct_cached_frac(r) > REPORT_RAM_FRAC) {
            add_mark(buf, "RAM");
            break;
        }
    }
}

static bool same_row(const struct result *a, const struct result *b)
{
    return strcmp(a->phase, b->phase) == 0 && strcmp(a->study_id, b->study_id) == 0 &&
           strcmp(report_option(a, "length_bytes"), report_option(b, "length_bytes")) == 0;
}

static bool seen_before(struct result *const *results, unsigned at)
{
    for (unsigned i = 0; i < at; i++) {
        if (same_row(results[i], results[at]))
            return true;
    }
    return false;
}

struct placed {
    struct result *result;
    unsigned row; /* in the order asked, from 1; 0: not told */
    unsigned at;
};

static int compare_placed(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    bool x_reads = strcmp(x->result->phase, "read") == 0;
    bool y_reads = strcmp(y->result->phase, "read") == 0;

    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    if (x->row > 0 && x_reads != y_reads)
        return x_reads ? 1 : -1;
    return (x->at > y->at) - (x->at < y->at);
}

/* Repeats are shuffled, so the order of rows is not that of measuring. NULL: no memory. */
static struct result **in_order_of_rows(struct result *const *results, unsigned n)
{
    struct placed *placed = calloc(n + 1, sizeof *placed);
    struct result **ordered = calloc(n + 1, sizeof(struct result *));

    for (unsigned i = 0; placed && i < n; i++)
        placed[i] =
            (struct placed){results[i], (unsigned)report_option_count(results[i], "row", 0), i};
    if (placed)
        qsort(placed, n, sizeof *placed, compare_placed);
    for (unsigned i = 0; placed && ordered && i < n; i++)
        ordered[i] = placed[i].result;
    if (!placed) {
        free(ordered);
        ordered = NULL;
    }
    free(placed);
    return ordered;
}

static void each_row(struct result *const *results, unsigned n, const char *phase,
                     struct result **repeats,
                     void (*take)(void *ctx, struct result *const *repeats, unsigned n), void *ctx)
{
    for (unsigned i = 0; i < n; i++) {
        unsigned found = 0;

        if ((phase && strcmp(results[i]->phase, phase) != 0) || seen_before(results, i))
            continue;
        for (unsigned j = i; j < n; j++) {
            if (same_row(results[i], results[j]))
                repeats[found++] = results[j];
        }
        take(ctx, repeats, found);
    }
}

int report_rows_each(struct result *const *results, unsigned n, const char *phase,
                     void (*take)(void *ctx, struct result *const *repeats, unsigned n), void *ctx)
{
    struct result **repeats = calloc(n ? n : 1, sizeof *repeats);
    struct result **ordered = in_order_of_rows(results, n);

    int rc = repeats && ordered ? 0 : -ENOMEM;

    if (rc == 0)
        each_row(ordered, n, phase, repeats, take, ctx);
    free(ordered);
    free(repeats);
    return rc;
}
