#include "report/compare_forms_priv.h"
#include "verdict/change_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Where each column ends; the row's name and the word begin there instead. */
enum {
    END_NAME = 17,
    END_A = 26,
    END_N_A = 29,
    END_B = 38,
    END_N_B = 41,
    END_CHANGE = 49,
    END_INTERVAL = 65,
    START_WORD = 66,
    END_WORD = 80,
};

/* Of fewer everybody sees them in the table. */
#define ROWS_FOR_EXTREMES 4

static void put_head(struct text *out, const struct comparison *c, enum rows_metric metric,
                     unsigned width)
{
    struct report_columns columns = report_columns_begin(out, width);
    const char *unit = report_metric_unit(metric, report_compares_trees(c));
    char name[CELL_MAX];

    snprintf(name, sizeof name, "%s%s%s", rows_metric_name(metric), *unit ? ", " : "", unit);
    report_columns_left(&columns, 0, name);
    report_columns_right(&columns, END_A, "A");
    report_columns_right(&columns, END_N_A, "n");
    report_columns_right(&columns, END_B, "B");
    report_columns_right(&columns, END_N_B, "n");
    report_columns_right(&columns, END_CHANGE, "B to A");
    report_columns_right(&columns, END_INTERVAL, "95 % interval");
    report_columns_left(&columns, START_WORD, "B is");
    report_columns_head_end(&columns);
    report_columns_rule(&columns, 0, END_NAME);
    report_columns_rule(&columns, END_NAME + 1, END_A);
    report_columns_rule(&columns, END_A + 1, END_N_A);
    report_columns_rule(&columns, END_N_A + 1, END_B);
    report_columns_rule(&columns, END_B + 1, END_N_B);
    report_columns_rule(&columns, END_N_B + 1, END_CHANGE);
    report_columns_rule(&columns, END_CHANGE + 1, END_INTERVAL);
    report_columns_rule(&columns, START_WORD, END_WORD);
    report_columns_end(&columns);
}

static void put_value(struct report_columns *columns, unsigned end_value, unsigned end_n,
                      const char *value, unsigned n)
{
    char cell[CELL_MAX];

    report_columns_right(columns, end_value, n ? value : "-");
    report_columns_right(columns, end_n, report_cell_count(cell, n));
}

static void put_row(struct text *out, const struct comparison *c, const struct compare_row *row,
                    enum rows_metric metric, unsigned width)
{
    struct report_columns columns = report_columns_begin(out, width);
    const struct compare_cell *cell = &row->cell[metric];
    const struct change *change = &cell->change;
    bool both = cell->word != COMPARE_NOT;
    bool trees = report_compares_trees(c);
    char words[CELL_MAX];

    report_columns_short(&columns, 0, END_NAME, row->name);
    put_value(&columns, END_A, END_N_A, report_metric_value(words, metric, trees, change->mean_a),
              cell->n_a);
    put_value(&columns, END_B, END_N_B, report_metric_value(words, metric, trees, change->mean_b),
              cell->n_b);
    report_columns_right(&columns, END_CHANGE, both ? change_words(words, change->frac) : "-");
    report_columns_right(&columns, END_INTERVAL,
                         both && report_has_interval(change)
                             ? change_words_interval(words, change->low, change->high)
                             : "-");
    report_columns_left(&columns, START_WORD, compare_word_name(cell->word));
    report_columns_end(&columns);
}

void report_compare_table(struct text *out, const struct comparison *c, enum rows_metric metric,
                          unsigned width)
{
    text_add(out, "\n");
    put_head(out, c, metric, width);
    for (unsigned i = 0; i < c->rows; i++) {
        const struct compare_cell *cell = &c->row[i].cell[metric];

        /* Too few samples on either side, or no such metric: there is nothing to show. */
        if (cell->n_a > 0 || cell->n_b > 0)
            put_row(out, c, &c->row[i], metric, width);
    }
}

static const char *plural(unsigned n)
{
    return n == 1 ? "" : "s";
}

/* "3 better, 7 cannot tell". */
static void add_words(struct text *words, const struct compare_summary *s)
{
    const char *between = "";

    for (unsigned w = 0; w <= COMPARE_NOT; w++) {
        if (s->word[w] == 0)
            continue;
        text_addf(words, "%s%u %s", between, s->word[w], compare_word_name((enum compare_word)w));
        between = ", ";
    }
}

static void add_all_rows(struct text *words, const struct compare_summary *s)
{
    char change[CELL_MAX], interval[CELL_MAX];

    if (s->rows == 0)
        return;
    text_addf(words, "%u row%s%s %s", s->rows, plural(s->rows), s->rows == 1 ? "" : " together",
              change_words(change, s->frac));
    if (s->has_interval)
        text_addf(words, " (95 %%: %s)", change_words_interval(interval, s->low, s->high));
    text_add(words, "; ");
}

/* Where B stands worst and best. */
static void put_extremes(struct text *out, const struct comparison *c, enum rows_metric metric,
                         unsigned width)
{
    const struct compare_row *low = NULL, *high = NULL;
    char from[CELL_MAX], to[CELL_MAX];

    for (unsigned i = 0; i < c->rows; i++) {
        const struct compare_row *row = &c->row[i];
        const struct compare_cell *cell = &row->cell[metric];

        if (cell->word == COMPARE_NOT)
            continue;
        if (!low || cell->change.frac < low->cell[metric].change.frac)
            low = row;
        if (!high || cell->change.frac > high->cell[metric].change.frac)
            high = row;
    }
    if (c->summary[metric].rows >= ROWS_FOR_EXTREMES)
        report_fact(out, width, "from, to", "%s (%s), %s (%s)",
                    change_words(from, low->cell[metric].change.frac), low->name,
                    change_words(to, high->cell[metric].change.frac), high->name);
}

void report_compare_summary(struct text *out, const struct comparison *c, enum rows_metric metric,
                            unsigned width)
{
    const struct compare_summary *s = &c->summary[metric];
    unsigned told = s->word[COMPARE_BETTER] + s->word[COMPARE_WORSE] + s->word[COMPARE_NOISE];
    struct text words;
    char seen[CELL_MAX];

    text_init(&words);
    add_all_rows(&words, s);
    add_words(&words, s);
    if (told > 0)
        text_addf(&words,
                  "; if nothing had changed, %.1f of %u would be called different by chance",
                  s->by_chance, told);
    report_fact(out, width, rows_metric_name(metric), "%s", words.s);
    put_extremes(out, c, metric, width);
    if (isfinite(s->seen_frac))
        report_fact(
            out, width, "resolution", "changes under %s cannot be seen on this rig (%s row)",
            report_cell_percent(seen, s->seen_frac), s->rows == 1 ? "its one" : "the median");
    out->failed = out->failed || words.failed;
    text_fini(&words);
}

/* Why the cells of one row have no other word, metric by metric of those that are shown. */
struct why {
    const struct comparison *c;
    const struct compare_style *style;
    unsigned metric; /* of the style */
};

static const struct compare_cell *cell_at(const struct why *w, unsigned metric, unsigned row)
{
    return &w->c->row[row].cell[w->style->metric[metric]];
}

static bool has_reason(const struct why *w, unsigned row)
{
    const struct compare_cell *cell = cell_at(w, w->metric, row);

    /* What neither side has is in no table. */
    if (w->c->row[row].comparable && cell->n_a == 0 && cell->n_b == 0)
        return false;
    for (unsigned m = 0; m < w->metric; m++) {
        if (strcmp(cell_at(w, m, row)->reason, cell->reason) == 0)
            return false; /* said already */
    }
    return cell->reason[0] != '\0';
}

static bool of_all_metrics(const struct why *w, unsigned row)
{
    for (unsigned m = 0; m < w->style->metrics; m++) {
        if (strcmp(cell_at(w, m, row)->reason, cell_at(w, w->metric, row)->reason) != 0)
            return false;
    }
    return true;
}

static bool same_reason(const struct why *w, unsigned row, unsigned other)
{
    return has_reason(w, row) && has_reason(w, other) &&
           of_all_metrics(w, row) == of_all_metrics(w, other) &&
           strcmp(cell_at(w, w->metric, row)->reason, cell_at(w, w->metric, other)->reason) == 0;
}

/* One line for all rows of one reason: forty rows mostly have the same. */
static void put_reason(struct text *out, const struct why *w, unsigned at, unsigned width)
{
    const struct compare_row *first = &w->c->row[at], *last = first;
    const struct compare_cell *cell = cell_at(w, w->metric, at);
    const char *label = cell->word == COMPARE_CANNOT ? "cannot tell" : "not compared";
    bool all = of_all_metrics(w, at);
    const char *metric = all ? "" : rows_metric_name(w->style->metric[w->metric]);
    const char *colon = all ? "" : ": ";
    unsigned n = 0;

    for (unsigned i = at; i < w->c->rows; i++) {
        if (!same_reason(w, at, i))
            continue;
        last = &w->c->row[i];
        n++;
    }
    if (n == w->c->rows && n > 1)
        report_fact(out, width, label, "all %u rows: %s%s%s", n, metric, colon, cell->reason);
    else if (n > 1)
        report_fact(out, width, label, "%u rows, %s to %s: %s%s%s", n, first->name, last->name,
                    metric, colon, cell->reason);
    else
        report_fact(out, width, label, "%s: %s%s%s", first->name, metric, colon, cell->reason);
}

static bool said_before(const struct why *w, unsigned at)
{
    for (unsigned i = 0; i < at; i++) {
        if (same_reason(w, i, at))
            return true;
    }
    return false;
}

void report_compare_reasons(struct text *out, const struct comparison *c,
                            const struct compare_style *style, unsigned width)
{
    struct why w = {.c = c, .style = style};
    unsigned left_out = 0;

    for (w.metric = 0; w.metric < style->metrics; w.metric++) {
        for (unsigned i = 0; i < c->rows; i++) {
            if (has_reason(&w, i) && !said_before(&w, i))
                put_reason(out, &w, i, width);
        }
    }
    for (unsigned i = 0; i < c->rows; i++)
        left_out += c->row[i].left_out;
    if (left_out > 0)
        report_fact(out, width, "left out", "%u run%s of A with errors or incomplete", left_out,
                    plural(left_out));
}
