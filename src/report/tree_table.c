#include "report/report_priv.h"

#include <stdio.h>
#include <string.h>

/* Where each column ends; the flowop's name and the marks begin there instead. */
enum {
    END_LENGTH = 8,
    START_PHASE = 9,
    END_MS = 21,
    END_HALF = 27,
    END_KIB = 36,
    END_FILES = 44,
    END_P99 = 52,
    START_FLOWOP = 53,
    END_FLOWOP = 59,
    END_RAM = 66,
    END_K = 70,
    START_MARKS = 71,
};

static void about_shape(struct text *out, const struct result *r, unsigned width)
{
    report_fact(out, width, "shape", "Threads = %s, Levels = %s, Branches = %s, Files = %s",
                report_option(r, "threads"), report_option(r, "levels"),
                report_option(r, "branches"), report_option(r, "files_per_dir"));
    report_fact(out, width, "one tree", "%s directories, %s files", report_option(r, "dirs"),
                report_option(r, "files"));
}

static void about_asked(struct text *out, const struct result *r, unsigned width)
{
    char chunk[CELL_MAX], repeats[CELL_MAX];
    double until = result_fact_number(&r->options, "until_ci_frac", 0);
    bool verify = strcmp(report_option(r, "verify"), "yes") == 0;
    bool walk = strcmp(report_option(r, "walk"), "yes") == 0;

    if (report_not_stated(r)) {
        report_fact(out, width, "not stated", "%s", report_not_stated(r));
        return;
    }
    snprintf(repeats, sizeof repeats, "%s%s", until > 0 ? "5 to " : "",
             report_option(r, "repeats"));
    if (until > 0)
        snprintf(repeats + strlen(repeats), sizeof repeats - strlen(repeats), " until ±%.3g %%",
                 until * 100);
    report_fact(out, width, "asked", "repeats %s; fsync %s; chunk %s; %s%sseed %llu", repeats,
                report_option(r, "fsync"),
                report_cell_length(chunk, report_option_count(r, "chunk_bytes", 0)),
                verify ? "every byte read is verified, timed; " : "",
                walk ? "what the directories list is read, the listing timed; " : "",
                (unsigned long long)r->seed);
}

void report_tree_about(struct text *out, struct result *const *results, unsigned n, unsigned width)
{
    const struct result *first = report_first_side(results, n);

    report_about_run(out, results, n, width);
    about_shape(out, first, width);
    about_asked(out, first, width);
    if (!report_not_stated(first))
        report_about_client_caches(out, results, n, width);
    if (report_is_wide(width)) {
        report_about_facts(out, "about target", &first->target_facts, width);
        report_about_facts(out, "this machine", &first->machine, width);
    }
}

void report_table_columns(struct text *out, unsigned width)
{
    struct report_columns c = report_columns_begin(out, width);

    report_columns_right(&c, END_LENGTH, "length");
    report_columns_left(&c, START_PHASE, "phase");
    report_columns_right(&c, END_MS, "ms");
    report_columns_right(&c, END_HALF, "±");
    report_columns_right(&c, END_KIB, "KiB/s");
    report_columns_right(&c, END_FILES, "files/s");
    report_columns_right(&c, END_FLOWOP, "slowest p99");
    report_columns_left(&c, START_FLOWOP, "");
    report_columns_right(&c, END_RAM, "in RAM");
    report_columns_right(&c, END_K, "k");
    report_columns_left(&c, START_MARKS, "");
    report_columns_head_end(&c);
    report_columns_rule(&c, 0, END_LENGTH);
    report_columns_rule(&c, START_PHASE, START_PHASE + 5);
    report_columns_rule(&c, START_PHASE + 6, END_MS);
    report_columns_rule(&c, END_MS + 1, END_HALF);
    report_columns_rule(&c, END_HALF + 1, END_KIB);
    report_columns_rule(&c, END_KIB + 1, END_FILES);
    report_columns_rule(&c, END_FILES + 1, END_FLOWOP);
    report_columns_rule(&c, END_FLOWOP + 1, END_RAM);
    report_columns_rule(&c, END_RAM + 1, END_K);
    report_columns_end(&c);
}

void report_table_head(struct text *out, struct result *const *results, unsigned n, unsigned width)
{
    unsigned sides = report_sides(results, n);

    report_tree_about(out, results, n, width);
    text_add(out, "\n");
    if (sides > 0)
        report_turns_columns(out, sides, width);
    else
        report_table_columns(out, width);
}

static void put_slowest(struct report_columns *c, const struct report_row *row)
{
    char cell[CELL_MAX];
    const char *name;
    uint64_t p99_ns;

    if (report_row_slowest(row, &name, &p99_ns) < 0) {
        c->out->failed = true;
        return;
    }
    report_columns_right(c, END_P99, name ? report_cell_ns(cell, p99_ns) : "-");
    report_columns_left(c, START_FLOWOP, report_or_empty(name));
}

/* More marks than the line has room for stand below it. */
static void put_marks(struct report_columns *c, const struct report_row *row)
{
    char marks[CELL_MAX];

    report_row_marks(row, marks);
    if (c->md || c->at + 1 + strlen(marks) <= REPORT_WIDTH) {
        report_columns_left(c, START_MARKS, marks);
        return;
    }
    report_columns_end(c);
    report_columns_right(c, REPORT_WIDTH, marks);
}

void report_table_row(struct text *out, const struct report_row *row, unsigned width)
{
    struct report_columns c = report_columns_begin(out, width);
    char cell[CELL_MAX];

    report_columns_right(&c, END_LENGTH, report_cell_length(cell, row->length_bytes));
    report_columns_left(&c, START_PHASE, report_or_dash(row->repeats[0]->phase));
    report_columns_right(&c, END_MS, report_cell_number(cell, row->ms));
    report_columns_right(&c, END_HALF, report_cell_half(cell, row->half_frac));
    report_columns_right(&c, END_KIB, report_cell_number(cell, row->kib_per_s));
    report_columns_right(&c, END_FILES, report_cell_number(cell, row->files_per_s));
    put_slowest(&c, row);
    report_columns_right(&c, END_RAM, report_cell_ram(cell, row->most_ram));
    report_columns_right(&c, END_K, report_cell_count(cell, row->passes));
    put_marks(&c, row);
    report_columns_end(&c);
}
