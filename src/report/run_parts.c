#include "report/run_report_priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool same_part(const struct result *a, const struct result *b)
{
    static const char *const keys[] = {"workload", "script", "script_run"};

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (strcmp(report_option(a, keys[i]), report_option(b, keys[i])) != 0)
            return false;
    return true;
}

static bool is_first(struct result *const *results, unsigned i)
{
    for (unsigned k = 0; k < i; k++)
        if (same_part(results[k], results[i]))
            return false;
    return true;
}

int run_parts_each(struct result *const *results, unsigned n,
                   void (*take)(void *ctx, const struct run_part *part), void *ctx)
{
    struct run_part part = {.repeat = calloc(n, sizeof(const struct result *))};

    if (!part.repeat)
        return -ENOMEM;
    for (unsigned i = 0; i < n; i++) {
        if (!is_first(results, i))
            continue;
        part.number++;
        part.n = 0;
        for (unsigned k = i; k < n; k++)
            if (same_part(results[i], results[k]))
                part.repeat[part.n++] = results[k];
        take(ctx, &part);
    }
    free(part.repeat);
    return 0;
}

const char *run_part_name(char buf[CELL_MAX], const struct run_part *part)
{
    unsigned run = (unsigned)report_option_count(part->repeat[0], "script_run", 1);
    const char *workload = report_option(part->repeat[0], "workload");

    if (run > 1)
        snprintf(buf, CELL_MAX, "%.*s run %u", CELL_MAX - 20, workload, run);
    else
        snprintf(buf, CELL_MAX, "%.*s", CELL_MAX - 1, workload);
    return buf;
}

struct result_flowops run_part_sum(const struct run_part *part)
{
    struct result_flowops sum, one;

    result_flowops_of(part->repeat[0], &sum);
    for (unsigned i = 1; i < part->n; i++) {
        result_flowops_of(part->repeat[i], &one);
        result_flowops_add(&sum, &one);
    }
    return sum;
}
