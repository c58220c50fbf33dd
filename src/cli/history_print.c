#include "cli/history.h"

#include "cli/table.h"

#include "report/compare_cells.h"
#include "verdict/change_words.h"

#include <math.h>
#include <string.h>

static const struct table_column columns[] = {
    {.key = "begun_wall_ns", .number = true},
    {.head = "when"},
    {.head = "study", .key = "study_id"},
    {.head = "label", .key = "label", .gives = true},
    {.key = "target"},
    {.key = "row"},
    {.key = "metric"},
    {.head = "n", .key = "n", .right = true, .number = true},
    {.head = "value", .right = true},
    {.key = "mean", .number = true},
    {.head = "±", .right = true},
    {.key = "half_frac", .number = true},
    {.head = "change", .right = true},
    {.key = "change_frac", .number = true},
    {.key = "low_frac", .number = true},
    {.key = "high_frac", .number = true},
    {.head = "is", .key = "word"},
    {.key = "reason"},
};

static void add_number(struct table *t, bool known, double value)
{
    if (known && isfinite(value))
        table_addf(t, "%.9g", value);
    else
        table_add(t, "");
}

static void add_change(struct table *t, const struct history_entry *e)
{
    const struct change *change = &e->cell.change;
    bool both = e->compared && e->cell.word != COMPARE_NOT;
    bool interval = both && change->noise != CHANGE_NOISE_UNKNOWN;
    char buf[REPORT_VALUE_MAX];
    table_add(t, both ? change_words(buf, change->frac) : "-");
    add_number(t, both, change->frac);
    add_number(t, interval, change->low);
    add_number(t, interval, change->high);
    table_add(t, e->compared ? compare_word_name(e->cell.word) : "");
    table_add(t, e->cell.reason);
}

static void add_entry(struct table *t, const struct history *h, const struct history_entry *e)
{
    const struct result *first = e->selection.result[0];
    char buf[REPORT_VALUE_MAX];
    table_addf(t, "%llu", (unsigned long long)first->begun_wall_ns);
    table_add_when(t, first->begun_wall_ns);
    table_add(t, first->study_id);
    table_add(t, first->label);
    table_add(t, first->target);
    table_add(t, h->name);
    table_add(t, rows_metric_name(h->metric));
    table_add_count(t, e->n);
    table_add(t, report_metric_value(buf, h->metric, h->trees, e->mean));
    add_number(t, e->n > 0, e->mean);
    if (e->half_frac >= 0)
        table_addf(t, e->half_frac > 1 ? ">100%%" : "%.1f%%", e->half_frac * 100);
    else
        table_add(t, "-");
    add_number(t, e->half_frac >= 0, e->half_frac);
    add_change(t, e);
}

/* ---- the row as a line ---- */

#define LEVELS 8

static const char *const blocks[LEVELS] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
static const char *const marks[LEVELS] = {"_", ".", ":", "-", "=", "+", "*", "#"};

static void find_range(const struct history *h, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (unsigned i = 0; i < h->n; i++) {
        if (!isfinite(h->entry[i].mean))
            continue;
        *low = fmin(*low, h->entry[i].mean);
        *high = fmax(*high, h->entry[i].mean);
    }
}

/* A value that is not known leaves its place empty. Equal values stand in the middle. */
static void add_sparkline(struct text *out, const struct history *h, double low, double high,
                          bool utf8)
{
    for (unsigned i = 0; i < h->n; i++) {
        double mean = h->entry[i].mean;
        int level = LEVELS / 2;
        if (high > low)
            level = (int)lround((mean - low) / (high - low) * (LEVELS - 1));
        text_add(out, !isfinite(mean) ? " " : (utf8 ? blocks : marks)[level]);
    }
}

static void print_sparkline(struct text *out, const struct history *h, bool utf8)
{
    char from[REPORT_VALUE_MAX], to[REPORT_VALUE_MAX];
    double low, high;
    find_range(h, &low, &high);
    if (!(high >= low))
        return;
    text_add(out, "\n");
    add_sparkline(out, h, low, high, utf8);
    text_addf(out, h->n > 40 ? "\n" : "  ");
    text_addf(out, "%s to %s", report_metric_value(from, h->metric, h->trees, low),
              report_metric_value(to, h->metric, h->trees, high));
    const char *unit = report_metric_unit(h->metric, h->trees);
    text_addf(out, "%s%s, %s is better\n", *unit ? " " : "", unit,
              rows_metric_more_is_better(h->metric) ? "more" : "less");
}

void history_print(struct text *out, const struct history *h, enum report_format format, bool wide,
                   bool utf8)
{
    const char *unit = report_metric_unit(h->metric, h->trees);
    struct table table;
    table_init(&table, columns, sizeof columns / sizeof columns[0]);
    for (unsigned i = 0; i < h->n; i++)
        add_entry(&table, h, &h->entry[i]);
    if (format == REPORT_TEXT || format == REPORT_MD)
        text_addf(out, "%s%s: %s%s%s, each against %s\n\n", format == REPORT_MD ? "### " : "",
                  h->name, rows_metric_name(h->metric), *unit ? " in " : "", unit,
                  h->baseline ? h->baseline : "the one before");
    table_print(out, &table, format, wide);
    if (format == REPORT_TEXT || format == REPORT_MD)
        print_sparkline(out, h, utf8);
    table_fini(&table);
}
