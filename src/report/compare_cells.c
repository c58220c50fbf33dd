#include "report/compare_forms_priv.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool report_compares_trees(const struct comparison *c)
{
    return result_fact_get(&c->a.results[0]->options, "length_bytes") != NULL;
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

bool report_has_interval(const struct change *change)
{
    return change->noise != CHANGE_NOISE_UNKNOWN;
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
