#include "cli/console.h"
#include "cli/help.h"
#include "cli/say_remarks.h"
#include "cli/shipped.h"
#include "cli/suite_run.h"
#include "cli/workload.h"

#include "script/script.h"

#include <stdlib.h>
#include <string.h>

#define BRIEF_MAX  240
#define COLUMN_MIN 12u

struct workloads_values {
    bool source;
};

static const struct option workloads_options[] = {
    {.name = "source",
     .kind = OPTION_FLAG,
     .at = offsetof(struct workloads_values, source),
     .help = "print the file itself"},
};
static const struct option_table workloads_table = OPTION_TABLE("Form", workloads_options);
static const struct option_table *const tables[] = {&workloads_table, NULL};

static unsigned widest(const struct shipped_workload *table, unsigned n, unsigned column)
{
    for (unsigned i = 0; i < n; i++) {
        unsigned len = (unsigned)strlen(table[i].name) + 2;
        column = len > column ? len : column;
    }
    return column;
}

static void add_table(struct text *out, const struct shipped_workload *table, unsigned n,
                      unsigned column)
{
    char brief[BRIEF_MAX];
    for (unsigned i = 0; i < n; i++) {
        text_addf(out, "%-*s", (int)column, table[i].name);
        help_wrap(out, shipped_brief(&table[i], brief, sizeof brief), column, column);
    }
}

static void add_list(struct text *out)
{
    unsigned column = widest(shipped_workload, shipped_workloads, COLUMN_MIN);
    column = widest(shipped_suite, shipped_suites, column);
    add_table(out, shipped_workload, shipped_workloads, column);
    text_add(out, "\nSuites of them\n");
    add_table(out, shipped_suite, shipped_suites, column);
}

/* There is nothing more to say of it than it says itself. */
static int add_suite(const char *word, struct text *out)
{
    const struct shipped_workload *shipped = shipped_suite_find(word);
    struct err err = {0};
    char *text = NULL;
    size_t len = 0;
    if (shipped) {
        text_add_bytes(out, shipped->text, shipped->len);
        return 0;
    }
    int rc = workload_read(word, &text, &len, &err);
    if (rc < 0)
        console_error("%s", err.text);
    else
        text_add_bytes(out, text, len);
    free(text);
    return rc;
}

static int describe(struct workload *w, struct text *out)
{
    const struct lang_loader loader = workload_loader(w);
    struct lang_remarks remarks = {0};
    struct lang_tree *tree = NULL;
    struct text usage, variables;
    text_init(&usage);
    text_init(&variables);
    int rc = lang_parse(w->path, w->text, w->len, &loader, &tree, &remarks);
    if (rc == 0)
        rc = script_describe(tree, &usage, &variables);
    if (rc == 0)
        text_addf(out, "%s%s%s%s%s", usage.s, usage.len ? "\n" : "",
                  variables.len ? "Variables\n" : "", variables.s, variables.len ? "\n" : "");
    say_remarks(&remarks);
    out->failed |= usage.failed || variables.failed;
    text_fini(&usage);
    text_fini(&variables);
    lang_remarks_fini(&remarks);
    lang_free(tree);
    return rc;
}

/* What it models, what can be set, and how it is told; of a file of one's own too. */
static int add_one(const char *word, bool source, struct text *out)
{
    const struct shipped_workload *shipped = shipped_find(word);
    char brief[BRIEF_MAX];
    struct workload w;
    struct err err = {0};
    int rc = workload_open(&w, word, NULL, &err);
    if (rc < 0) {
        console_error("%s", err.text);
        return rc;
    }
    if (source)
        text_add_bytes(out, w.text, w.len);
    else if (shipped)
        text_addf(out, "%s: %s\n\n", word, shipped_brief(shipped, brief, sizeof brief));
    if (!source)
        rc = describe(&w, out);
    workload_close(&w);
    return rc;
}

static int run(const struct command *self, int argc, char **argv)
{
    struct workloads_values values = {.source = false};
    struct options_parsed parsed = {.values = {&values}};
    struct text text;
    int status = 0, rc = 0;
    if (!command_parse(self, argc, argv, &parsed, &status))
        return status;
    bool show = parsed.n_args > 0 && strcmp(parsed.args[0], "show") == 0;
    const char *word = parsed.n_args > show ? parsed.args[show] : NULL;
    if (show == (parsed.n_args < 2) && parsed.n_args > 0) {
        console_error(show ? "workloads show: WORKLOAD is missing" : "%s: one argument too many",
                      parsed.args[parsed.n_args - 1]);
        return CLI_USAGE;
    }
    text_init(&text);
    if (word && suite_run_is(word))
        rc = add_suite(word, &text);
    else if (word)
        rc = add_one(word, show || values.source, &text);
    else
        add_list(&text);
    if (rc == 0)
        rc = console_show(&text);
    text_fini(&text);
    return rc < 0 ? CLI_COULD_NOT_RUN : CLI_DONE;
}

const struct command cmd_workloads = {
    .name = "workloads",
    .brief = "the workloads that are shipped, and what can be set in them",
    .summary =
        "Lists the shipped workloads and suites with a line each; of a workload, or of a file, the "
        "variables that can be set and their values. `show` prints the file itself, and so "
        "it does of a suite.",
    .args = "[WORKLOAD] | show WORKLOAD",
    .args_max = 2,
    .example = {"loadline workloads", "loadline workloads varmail"},
    .tables = tables,
    .run = run,
};
