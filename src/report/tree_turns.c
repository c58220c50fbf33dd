/* The table of a study whose targets took turns: a line for each side of a row, and how the others
 * compare with the first. */
#include "report/report_priv.h"

#include "verdict/compare.h"
#include "verdict/instrument.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    END_LENGTH = 8,
    START_PHASE = 9,
    START_SIDE = 15,
    END_MS = 23,
    END_HALF = 29,
    END_KIB = 38,
    END_FILES = 46,
    END_RAM = 53,
    END_K = 57,
    START_MARKS = 58,
    END_RATIO = 63,
    END_RATIO_HALF = 69,
    START_FASTER = 70,
};

unsigned report_side(const struct result *r)
{
    return (unsigned)report_option_count(r, "side", 0);
}

char report_side_letter(unsigned side)
{
    return (char)('A' + (int)(side > 0 ? side - 1 : 0));
}

unsigned report_sides(struct result *const *results, unsigned n)
{
    unsigned most = 0;

    for (unsigned i = 0; i < n; i++)
        if (report_side(results[i]) > most)
            most = report_side(results[i]);
    return most;
}

const struct result *report_first_side(struct result *const *results, unsigned n)
{
    const struct result *first = results[0];

    for (unsigned i = 1; i < n; i++)
        if (report_side(results[i]) < report_side(first))
            first = results[i];
    return first;
}

int report_sides_each(struct result *const *results, unsigned n,
                      void (*take)(void *ctx, struct result *const *repeats, unsigned n), void *ctx)
{
    struct result **of_side = calloc(n + 1, sizeof(struct result *));

    if (!of_side)
        return -ENOMEM;
    for (unsigned side = 0; side <= report_sides(results, n); side++) {
        unsigned found = 0;

        for (unsigned i = 0; i < n; i++)
            if (report_side(results[i]) == side)
                of_side[found++] = results[i];
        if (found > 0)
            take(ctx, of_side, found);
    }
    free(of_side);
    return 0;
}

void report_turns_columns(struct text *out, unsigned sides, unsigned width)
{
    struct report_columns c = report_columns_begin(out, width);

    report_columns_right(&c, END_LENGTH, "length");
    report_columns_left(&c, START_PHASE, "phase");
    report_columns_left(&c, START_SIDE, "");
    report_columns_right(&c, END_MS, "ms");
    report_columns_right(&c, END_HALF, "±");
    report_columns_right(&c, END_KIB, "KiB/s");
    report_columns_right(&c, END_FILES, "files/s");
    report_columns_right(&c, END_RAM, "in RAM");
    report_columns_right(&c, END_K, "k");
    report_columns_right(&c, END_RATIO, sides > 2 ? "to A" : "B/A");
    report_columns_right(&c, END_RATIO_HALF, "±");
    report_columns_left(&c, START_FASTER, "faster");
    report_columns_left(&c, REPORT_WIDTH, "");
    report_columns_head_end(&c);
    report_columns_rule(&c, 0, END_LENGTH);
    report_columns_rule(&c, START_PHASE, START_SIDE + 1);
    report_columns_rule(&c, START_SIDE + 2, END_MS);
    report_columns_rule(&c, END_MS + 1, END_HALF);
    report_columns_rule(&c, END_HALF + 1, END_KIB);
    report_columns_rule(&c, END_KIB + 1, END_FILES);
    report_columns_rule(&c, END_FILES + 1, END_RAM);
    report_columns_rule(&c, END_RAM + 1, END_K);
    report_columns_rule(&c, END_K + 1, END_RATIO);
    report_columns_rule(&c, END_RATIO + 1, END_RATIO_HALF);
    report_columns_rule(&c, START_FASTER, REPORT_WIDTH);
    report_columns_end(&c);
}

struct turns {
    struct text *out;
    unsigned width;
    bool first_done;
    struct result **a; /* of the row, what side A has */
    unsigned n_a;
};

static const char *faster(const struct compare_cell *cell, unsigned side, char buf[CELL_MAX])
{
    if (cell->word == COMPARE_CANNOT)
        return "cannot tell";
    if (cell->word == COMPARE_NOISE)
        return "noise";
    snprintf(buf, CELL_MAX, "%c", report_side_letter(cell->word == COMPARE_BETTER ? side : 1));
    return buf;
}

static void put_cell(struct report_columns *c, const struct compare_cell *cell, unsigned side)
{
    bool told = cell->word != COMPARE_NOT;
    bool interval = cell->change.noise != CHANGE_NOISE_UNKNOWN;
    bool words = cell->word == COMPARE_CANNOT && !c->md;
    char buf[CELL_MAX];

    snprintf(buf, sizeof buf, "%.3f", 1 + cell->change.frac);
    report_columns_right(c, END_RATIO, told ? buf : "-");
    report_cell_half(buf, told && interval ? cell->change.half_frac : -1);
    if (!words)
        report_columns_right(c, END_RATIO_HALF, buf);
    /* "cannot tell" needs more than its column, and takes that of an interval that tells nothing. */
    report_columns_left(c, words ? END_RATIO + 1 : START_FASTER,
                        told ? faster(cell, side, buf) : "-");
}

/* Files a second go as KiB/s do, and are what compare shows. */
static void put_change(struct report_columns *c, struct turns *t, struct result *const *repeats,
                       unsigned n)
{
    const struct compare_side a = {"A", t->a, t->n_a}, b = {"B", repeats, n};
    const struct compare_cell none = {.word = COMPARE_NOT};
    struct comparison comparison;

    if (t->n_a == 0) {
        put_cell(c, &none, 0);
    } else if (compare_of(&a, &b, &comparison, NULL) < 0) {
        t->out->failed = true;
    } else {
        put_cell(c, &comparison.row[0].cell[ROWS_OPS], report_side(repeats[0]));
        compare_fini(&comparison);
    }
}

static void put_numbers(struct report_columns *c, const struct report_row *row)
{
    char cell[CELL_MAX];

    report_columns_right(c, END_MS, report_cell_number(cell, row->ms));
    report_columns_right(c, END_HALF, report_cell_half(cell, row->half_frac));
    report_columns_right(c, END_KIB, report_cell_number(cell, row->kib_per_s));
    report_columns_right(c, END_FILES, report_cell_number(cell, row->files_per_s));
    report_columns_right(c, END_RAM, report_cell_ram(cell, row->most_ram));
    report_columns_right(c, END_K, report_cell_count(cell, row->passes));
}

/* On the line: where the first side has no change, or behind the word of another. More than it has
 * room for stands below, where those of the first side begin. */
static void put_marks(struct report_columns *c, const struct report_row *row)
{
    char marks[CELL_MAX];

    report_row_marks(row, marks);
    if (!c->md && *marks && c->at + 1 + strlen(marks) > REPORT_WIDTH)
        report_columns_end(c);
    report_columns_left(c, START_MARKS, marks);
}

static void side_line(void *ctx, struct result *const *repeats, unsigned n)
{
    struct turns *t = ctx;
    struct report_columns c = report_columns_begin(t->out, t->width);
    struct report_row row;
    char cell[CELL_MAX];

    if (report_row_of(&row, repeats, n) < 0) {
        t->out->failed = true;
        return;
    }
    bool head = !t->first_done || c.md;
    report_columns_right(&c, END_LENGTH, head ? report_cell_length(cell, row.length_bytes) : "");
    report_columns_left(&c, START_PHASE, head ? report_or_dash(repeats[0]->phase) : "");
    snprintf(cell, sizeof cell, "%c", report_side_letter(report_side(repeats[0])));
    report_columns_left(&c, START_SIDE, cell);
    put_numbers(&c, &row);
    if (report_side(repeats[0]) == 1) {
        memcpy(t->a, repeats, n * sizeof *t->a);
        t->n_a = n;
        for (unsigned i = 0; c.md && i < 2; i++)
            report_columns_right(&c, END_RATIO, "");
        report_columns_left(&c, START_FASTER, "");
    } else {
        put_change(&c, t, repeats, n);
    }
    put_marks(&c, &row);
    report_columns_end(&c);
    t->first_done = true;
}

void report_turns_row(struct text *out, struct result *const *repeats, unsigned n, unsigned width)
{
    struct turns t = {.out = out, .width = width, .a = calloc(n + 1, sizeof(struct result *))};

    if (!t.a || report_sides_each(repeats, n, side_line, &t) < 0)
        out->failed = true;
    free(t.a);
}

static void target_of_side(void *ctx, struct result *const *repeats, unsigned n)
{
    struct turns *t = ctx;

    (void)n;
    report_about_target(t->out, repeats[0], t->width);
}

void report_about_sides(struct text *out, struct result *const *results, unsigned n, unsigned width)
{
    struct turns t = {.out = out, .width = width};

    if (report_sides_each(results, n, target_of_side, &t) < 0)
        out->failed = true;
}

/* The first of side A against the first of each other. */
struct alike {
    struct text *out;
    unsigned width;
    const struct result *first;
};

static void about_alike(void *ctx, struct result *const *results, unsigned n)
{
    struct alike *alike = ctx;
    char words[INSTRUMENT_WORDS_MAX];
    char a[2], b[2];

    (void)n;
    if (!alike->first) {
        alike->first = results[0];
        return;
    }
    snprintf(a, sizeof a, "%c", report_side_letter(report_side(alike->first)));
    snprintf(b, sizeof b, "%c", report_side_letter(report_side(results[0])));
    if (instrument_differs(alike->first, a, results[0], b, words))
        report_fact(alike->out, alike->width, "NOT ALIKE", "%s", words);
}

void report_turns_foot(struct text *out, struct result *const *results, unsigned n, unsigned width)
{
    unsigned sides = report_sides(results, n);

    if (sides < 2)
        return;
    struct alike alike = {out, width, NULL};
    out->failed |= report_sides_each(results, n, about_alike, &alike) < 0;
    report_fact(out, width, sides > 2 ? "to A" : "B/A",
                "KiB/s of the side over that of A: geometric mean over the repeats, in which the "
                "sides took turns. ± of it is the half of its 95 %% interval, from the pairs. The "
                "columns before it are "
                "of all repeats together, those of compare geometric means");
    report_fact(out, width, "faster",
                "the side of which the interval says so, as compare does; noise: it has 1 in it; "
                "cannot tell: one pair, or pairs whose difference drifts");
}
