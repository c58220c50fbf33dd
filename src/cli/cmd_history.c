#include "cli/cli.h"
#include "cli/console.h"
#include "cli/history.h"
#include "cli/sides.h"
#include "cli/study_values.h"

#include "base/units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct history_values {
    uint64_t last;
    const char *label;
    const char *target;
    const char *baseline;
    int metric;
};

#define HISTORY(member) offsetof(struct history_values, member)

static int metric_parse(const char *text, void *value, struct err *err)
{
    enum rows_metric metric = ROWS_OPS;
    int rc = rows_metric_find(text, strlen(text), &metric, err);
    if (rc >= 0)
        *(int *)value = (int)metric;
    return rc;
}

static const struct option history_options[] = {
    {.name = "last",
     .arg = "N",
     .kind = OPTION_COUNT,
     .at = HISTORY(last),
     .min = 1,
     .max = 10000,
     .initial = "30",
     .help = "the newest N studies that have the row"},
    {.name = "label",
     .arg = "GLOB",
     .kind = OPTION_TEXT,
     .at = HISTORY(label),
     .min = 1,
     .max = 200,
     .help = "only studies with such a label"},
    {.name = "target",
     .arg = "GLOB",
     .kind = OPTION_TEXT,
     .at = HISTORY(target),
     .min = 1,
     .max = 4000,
     .help = "only studies of such a target"},
    {.name = "metric",
     .arg = "METRIC",
     .kind = OPTION_OWN_PARSER,
     .at = HISTORY(metric),
     .parse = metric_parse,
     .accepts = "one of ops, bytes, time, p50, p95, p99, p99.9 and max",
     .initial = "ops",
     .help = "what is told of the row"},
    {.name = "baseline",
     .arg = "A",
     .kind = OPTION_TEXT,
     .at = HISTORY(baseline),
     .min = 1,
     .max = 4000,
     .otherwise = "the study before",
     .help = "what each study is compared with, named as in compare"},
};
static const struct option_table history_table = OPTION_TABLE("History", history_options);

static const struct option_table *const tables[] = {
    &history_table,
    &output_format_table,
    &output_db_table,
    NULL,
};

/* What a locale says of characters beyond ASCII; no locale says nothing. */
static bool locale_is_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = getenv(names[i]);
        if (value && *value)
            return strcasestr(value, "UTF-8") || strcasestr(value, "UTF8");
    }
    return false;
}

static int add_named(struct history *h, const char *const *word, unsigned n, struct err *err)
{
    int rc = 0;
    for (unsigned i = 0; rc == 0 && i < n; i++)
        rc = history_add_named(h, word[i], err);
    return rc;
}

static int tell(const struct history_values *values, const struct output_values *output,
                const struct options_parsed *parsed, struct err *err)
{
    const struct store_filter filter = {.label = values->label, .target = values->target};
    struct history history;
    struct text text;
    history_open(&history, output->db, parsed->args[0], (enum rows_metric)values->metric,
                 (unsigned)values->last);
    text_init(&text);
    int rc = parsed->n_args > 1 ? add_named(&history, parsed->args + 1, parsed->n_args - 1, err)
                                : history_add_stored(&history, &filter, err);
    if (rc >= 0)
        rc = history_check(&history, err);
    if (rc >= 0)
        rc = history_compare(&history, values->baseline, err);
    if (rc >= 0) {
        history_print(&text, &history, (enum report_format)output->format, output->wide,
                      locale_is_utf8());
        rc = console_show(&text);
    }
    text_fini(&text);
    history_close(&history);
    return rc;
}

static int run(const struct command *self, int argc, char **argv)
{
    struct history_values values = {.last = 0};
    struct output_values output = {.db = NULL};
    struct options_parsed parsed = {.values = {&values, &output, &output}};
    struct err err = {0};
    int status = 0;
    if (!command_parse(self, argc, argv, &parsed, &status))
        return status;
    int rc = 0;
    if (parsed.n_args > 1 && (values.label || values.target))
        rc = err_set(&err, -EINVAL, "--label and --target choose from all studies: leave out %s",
                     parsed.args[1]);
    if (rc >= 0)
        rc = tell(&values, &output, &parsed, &err);
    if (rc < 0 && err.code)
        console_error("%s", err.text);
    return rc < 0 ? cli_status(rc, false) : CLI_DONE;
}

const struct command cmd_history = {
    .name = "history",
    .brief = "one row over many studies",
    .summary =
        "Shows one row of many studies, oldest first, each compared with the one before or "
        "with a baseline. A row is named as compare prints it: '4 KiB write', or of io read, "
        "write, all. Results that are named, as for compare, are shown in that order; "
        "else those in the store.",
    .args = "ROW [RESULT...]",
    .lacks =
        "a row is missing, named as compare prints it: '4 KiB write', or of io read, write, all",
    .args_min = 1,
    .args_max = OPTION_ARGS_MAX,
    .example = {"loadline history '4 KiB write' --label 'nightly-*'",
                "loadline history all --metric p99 --baseline release-1"},
    .tables = tables,
    .run = run,
};
