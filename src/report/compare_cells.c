#include "report/compare_forms_priv.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool report_compares_trees(const struct comparison *c)
{
    return strcmp(c->a.results[0]->study, "io") != 0;
}

const char *report_metric_unit(enum rows_metric metric, bool trees)
{
    switch (metric) {
    case ROWS_OPS:
        return trees ? "files/s" : "ops/s";
    case ROWS_BYTES:
        return trees ? "KiB/s" : "MiB/s";
    default:
        return "";
    }
}

char *report_metric_value(char buf[REPORT_VALUE_MAX], enum rows_metric metric, bool trees,
                          double value)
{
    if (!isfinite(value) || value < 0 || value > 1.8e19)
        return report_cell_number(buf, -1);
    if (metric == ROWS_OPS)
        return report_cell_number(buf, value);
    if (metric == ROWS_BYTES)
        return report_cell_number(buf, value / (trees ? 1024 : 1048576));
    return report_cell_ns(buf, (uint64_t)llround(value));
}

/* One decimal below 100 %: more would be noise, fewer would hide what a gate looks at. */
static void put_signed(char *buf, size_t room, double frac)
{
    double percent = frac * 100;
    int decimals = fabs(percent) < 99.95 ? 1 : 0;
    bool zero = fabs(percent) < 0.05;

    snprintf(buf, room, "%s%.*f",
             zero          ? ""
             : percent < 0 ? "-"
                           : "+",
             decimals, zero ? 0 : fabs(percent));
}

char *report_change(char buf[REPORT_VALUE_MAX], double frac)
{
    char number[CELL_MAX / 2];

    if (!isfinite(frac) || frac > 1e6)
        return report_cell_number(buf, -1);
    put_signed(number, sizeof number, frac);
    snprintf(buf, CELL_MAX, "%s%%", number);
    return buf;
}

bool report_has_interval(const struct change *change)
{
    return change->noise != CHANGE_NOISE_UNKNOWN;
}

char *report_interval(char buf[CELL_MAX], double low, double high)
{
    char from[CELL_MAX / 3], to[CELL_MAX / 3];

    put_signed(from, sizeof from, low);
    if (!isfinite(high) || high > 99)
        snprintf(to, sizeof to, ">+9900");
    else
        put_signed(to, sizeof to, high);
    snprintf(buf, CELL_MAX, "%s … %s%%", from, to);
    return buf;
}

const char *report_gate_word(enum gate_word word)
{
    static const char *const words[] = {"pass", "fail", "cannot tell"};

    return words[word];
}

const char *report_noise_word(enum change_noise noise)
{
    static const char *const words[] = {"unknown", "runs", "pairs"};

    return words[noise];
}
