#include "report/report_priv.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Columns of 2001, each as wide as its heading. */
static const struct {
    const char *upper;
    const char *lower;
} heading[] = {
    {"File Length", "(Bytes)"},
    {"File Space", "(KBytes)"},
    {"Elapsed time", "(milliseconds)"},
    {"Calculated Throughput", "(KB/Sec)"},
};
#define COLUMNS 4
#define GAP     3

uint64_t report_classic_kib_per_s(uint64_t files, uint64_t length_bytes, uint64_t elapsed_ms)
{
    unsigned __int128 thousandths = (unsigned __int128)files * length_bytes * 1000;

    return elapsed_ms == 0 ? 0 : (uint64_t)(thousandths / 1024 / elapsed_ms);
}

void report_classic_space(char *buf, size_t room, uint64_t files, uint64_t length_bytes)
{
    unsigned __int128 bytes = (unsigned __int128)files * length_bytes;
    /* A 1024th has ten decimals. */
    uint64_t decimals = (uint64_t)(bytes % 1024) * 10000000000u / 1024;
    char exact[CELL_MAX];
    size_t len;

    snprintf(exact, sizeof exact, "%" PRIu64 ".%010" PRIu64, (uint64_t)(bytes / 1024), decimals);
    len = strlen(exact);
    while (exact[len - 1] == '0')
        len--;
    if (exact[len - 1] == '.')
        len--;
    snprintf(buf, room, "%.*s", (int)len, exact);
}

static unsigned width_of(unsigned column)
{
    size_t upper = strlen(heading[column].upper);
    size_t lower = strlen(heading[column].lower);

    return (unsigned)(upper > lower ? upper : lower);
}

static unsigned start_of(unsigned column)
{
    unsigned start = 0;

    for (unsigned i = 0; i < column; i++)
        start += width_of(i) + GAP;
    return start;
}

static unsigned end_of(unsigned column)
{
    return start_of(column) + width_of(column);
}

static void md_headings(struct text *out, unsigned width)
{
    struct report_columns c = report_columns_begin(out, width);
    char words[CELL_MAX];

    for (unsigned i = 0; i < COLUMNS; i++) {
        snprintf(words, sizeof words, "%s %s", heading[i].upper, heading[i].lower);
        report_columns_right(&c, 0, words);
    }
    report_columns_left(&c, 0, "");
    report_columns_head_end(&c);
}

static void headings(struct text *out)
{
    struct report_columns c = {.out = out};

    for (unsigned i = 0; i < COLUMNS; i++)
        report_columns_left(&c, start_of(i), heading[i].upper);
    report_columns_end(&c);
    for (unsigned i = 0; i < COLUMNS; i++)
        report_columns_left(&c, start_of(i), heading[i].lower);
    report_columns_end(&c);
    for (unsigned i = 0; i < COLUMNS; i++)
        report_columns_rule(&c, start_of(i), end_of(i));
    report_columns_end(&c);
}

static void table_head(struct text *out, const char *phase, unsigned width)
{
    text_add(out, strcmp(phase, "read") == 0
                      ? "readtest (reads what we just wrote with dirtest)\n\n"
                      : "dirtest (writes hierarchy of directories containing files of specified "
                        "length)\n\n");
    if (report_is_md(width))
        md_headings(out, width);
    else
        headings(out);
}

static const char *system_name(const struct result *r)
{
    if (*report_or_empty(r->system))
        return r->system;
    return *report_or_empty(r->label) ? r->label : report_or_dash(r->target);
}

/* The phase whose rows are printed as they come. */
static const char *first_phase(const struct result *r)
{
    return strcmp(r->study, "readtest") == 0 ? "read" : "write";
}

bool report_classic_row_waits(const struct result *r)
{
    return strcmp(r->phase, first_phase(r)) != 0;
}

/* The form of 2001 has no wider one. */
static unsigned classic_width(unsigned width)
{
    return report_is_md(width) ? width : REPORT_WIDTH;
}

static void about_shape(struct text *out, const struct result *first, unsigned width)
{
    bool writes = strcmp(first->study, "readtest") != 0;

    report_line(out, width, "Threads = %s, Levels = %s, Branches = %s, Files = %s",
                report_option(first, "threads"), report_option(first, "levels"),
                report_option(first, "branches"), report_option(first, "files_per_dir"));
    if (writes) {
        report_line(out, width, "Directories to be written = %s", report_option(first, "dirs"));
        report_line(out, width, "Files to be written = %s", report_option(first, "files"));
    }
    text_add(out, "\n");
}

void report_classic_head(struct text *out, const struct result *first, unsigned width)
{
    width = classic_width(width);
    if (report_is_md(width)) {
        report_title(out, width, "%s", system_name(first));
        about_shape(out, first, width);
    } else {
        about_shape(out, first, width);
        report_title(out, width, "***** %s *****", system_name(first));
        text_add(out, "\n");
    }
    table_head(out, first_phase(first), width);
}

static int by_elapsed(const void *a, const void *b)
{
    double x = report_tree_ms(*(struct result *const *)a);
    double y = report_tree_ms(*(struct result *const *)b);

    return (x > y) - (x < y);
}

/* The median repeat: a row of 2001 is one run, not a mean. Of an even number the faster of the two
 * in the middle; stopped and void runs only where there is nothing else. NULL: no memory. */
static const struct result *median_of(struct result *const *repeats, unsigned n)
{
    struct result **sorted = calloc(n, sizeof(struct result *));
    const struct result *median;
    unsigned found = 0;

    if (!sorted)
        return NULL;
    for (unsigned i = 0; i < n; i++) {
        if (repeats[i]->state == RESULT_COMPLETE)
            sorted[found++] = repeats[i];
    }
    qsort(sorted, found, sizeof(struct result *), by_elapsed);
    median = found ? sorted[(found - 1) / 2] : repeats[0];
    free(sorted);
    return median;
}

/* Nothing of a clean row beyond its numbers; but a bad one must not pass for a good one. */
static const char *bad_mark(const struct report_row *row)
{
    if (row->any_void)
        return "VOID";
    if (row->any_incomplete)
        return "INC";
    return row->errors ? "ERR" : "";
}

static void put_no_numbers(struct report_columns *c, const struct result *r)
{
    report_columns_right(c, end_of(0), report_option(r, "length_bytes"));
    for (unsigned i = 1; i < COLUMNS; i++)
        report_columns_right(c, end_of(i), "-");
}

static void put_numbers(struct report_columns *c, const struct result *r)
{
    uint64_t length_bytes = report_option_count(r, "length_bytes", 0);
    uint64_t passes = r->passes ? r->passes : 1;
    uint64_t files = r->files / passes;
    uint64_t ms = r->elapsed_ns / passes / 1000000;
    char cell[CELL_MAX];

    snprintf(cell, sizeof cell, "%" PRIu64, length_bytes);
    report_columns_right(c, end_of(0), cell);
    report_classic_space(cell, sizeof cell, files, length_bytes);
    report_columns_right(c, end_of(1), cell);
    snprintf(cell, sizeof cell, "%" PRIu64, ms);
    report_columns_right(c, end_of(2), cell);
    snprintf(cell, sizeof cell, "%" PRIu64, report_classic_kib_per_s(files, length_bytes, ms));
    report_columns_right(c, end_of(3), ms ? cell : "-");
}

void report_classic_row(struct text *out, struct result *const *repeats, unsigned n, unsigned width)
{
    struct report_columns c = report_columns_begin(out, width);
    const struct result *median = median_of(repeats, n);
    struct report_row row;

    if (!median || report_row_of(&row, repeats, n) < 0) {
        out->failed = true;
        return;
    }
    if (median->state == RESULT_VOID)
        put_no_numbers(&c, median);
    else
        put_numbers(&c, median);
    report_columns_left(&c, end_of(3) + 1, bad_mark(&row));
    report_columns_end(&c);
}

struct reads {
    struct text *out;
    unsigned width;
};

static void take_row(void *ctx, struct result *const *repeats, unsigned n)
{
    const struct reads *reads = ctx;

    report_classic_row(reads->out, repeats, n, reads->width);
}

static void table_of_reads(struct text *out, struct result *const *results, unsigned n,
                           unsigned width)
{
    struct reads reads = {out, width};
    bool any = false;

    for (unsigned i = 0; i < n; i++)
        any = any || report_classic_row_waits(results[i]);
    if (!any)
        return;
    text_add(out, "\n");
    table_head(out, "read", width);
    if (report_rows_each(results, n, "read", take_row, &reads) < 0)
        out->failed = true;
}

static void note_cache(struct text *out, struct result *const *results, unsigned n, unsigned width)
{
    unsigned reads = 0, from_ram = 0, unknown = 0;
    const char *mode = "-";
    double share;

    for (unsigned i = 0; i < n; i++) {
        if (!results[i]->cache.applies)
            continue;
        reads++;
        mode = report_or_dash(results[i]->cache.mode);
        if (!result_cache_share(results[i], &share))
            unknown++;
        else if (share > REPORT_RAM_FRAC)
            from_ram++;
    }
    if (reads == 0)
        return;
    report_fact(out, width, "client cache",
                "%s; of %u read runs %u had more than 2 %% of their bytes in this machine's "
                "memory, %u not verified",
                mode, reads, from_ram, unknown);
}

void report_classic_foot(struct text *out, struct result *const *results, unsigned n,
                         unsigned width)
{
    width = classic_width(width);
    if (n == 0)
        return;
    table_of_reads(out, results, n, width);
    text_add(out, "\n");
    note_cache(out, results, n, width);
    report_about_states(out, results, n, width);
    report_about_errors(out, results, n, width);
    report_fact(out, width, "everything", "loadline show %s --wide", results[0]->study_id);
}
