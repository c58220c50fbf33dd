#include "cli/cli.h"
#include "cli/console.h"
#include "cli/help.h"
#include "target/catalog.h"
#include "target/sim_shipped.h"
#include "target/target.h"

#include "base/nearest.h"

#include <string.h>

static const struct option_table *const tables[] = {NULL};

#define COLUMN 10

static void add_target(struct text *out, const struct target_table *table)
{
    text_addf(out, "%-*s", COLUMN, table->scheme);
    help_wrap(out, table->help, COLUMN, COLUMN);
    if (*table->params) {
        text_addf(out, "%*s?", COLUMN, "");
        help_wrap(out, table->params, COLUMN + 1, COLUMN + 1);
    }
}

static void add_targets(struct text *out)
{
    const struct target_table *const *table;
    size_t n = target_catalog(&table);
    for (size_t i = 0; i < n; i++)
        add_target(out, table[i]);
}

/* The modelled systems, each by its title. */
static void add_profiles(struct text *out)
{
    const char *name, *text;
    char title[128];
    unsigned column = 0;
    for (unsigned i = 0; sim_shipped(i, &name, &text); i++)
        column = strlen(name) + 2 > column ? (unsigned)strlen(name) + 2 : column;
    for (unsigned i = 0; sim_shipped(i, &name, &text); i++) {
        text_addf(out, "%-*s", (int)column, name);
        help_wrap(out, sim_shipped_title(text, title, sizeof title), column, column);
    }
}

static bool add_profile(struct text *out, const char *name)
{
    struct nearest near = {.wish = name};
    const char *text = sim_shipped_text(name);
    const char *known;
    if (text) {
        text_add(out, text);
        return true;
    }
    for (unsigned i = 0; sim_shipped(i, &known, &text); i++)
        nearest_try(&near, known);
    console_error(
        "targets sim: no profile \"%s\" is shipped;%s%s%s `loadline targets sim` lists them", name,
        near.best ? " did you mean " : "", near.best ? near.best : "", near.best ? "?" : "");
    return false;
}

static int run(const struct command *self, int argc, char **argv)
{
    struct options_parsed parsed = {.n_args = 0};
    struct text text;
    int status = 0;
    if (!command_parse(self, argc, argv, &parsed, &status))
        return status;
    if (parsed.n_args > 0 && strcmp(parsed.args[0], "sim") != 0) {
        console_error("targets: \"%s\" has no list of its own, only sim has", parsed.args[0]);
        return CLI_USAGE;
    }
    text_init(&text);
    int rc = 0;
    if (parsed.n_args == 0)
        add_targets(&text);
    else if (parsed.n_args == 1)
        add_profiles(&text);
    else
        rc = add_profile(&text, parsed.args[1]) ? 0 : -1;
    if (rc == 0)
        rc = console_show(&text);
    text_fini(&text);
    return rc < 0 ? CLI_COULD_NOT_RUN : CLI_DONE;
}

const struct command cmd_targets = {
    .name = "targets",
    .brief = "what can be measured, and how it is addressed",
    .summary = "Lists what can be measured and how it is addressed; behind a question mark stand "
               "the parameters an address may carry. `targets sim` lists the modelled storage "
               "systems that are shipped, `targets sim PROFILE` prints one, to be read, or to be "
               "changed in a file of your own.",
    .args = "[sim] [PROFILE]",
    .args_max = 2,
    .example = {"loadline dirtest nfs://filer/export/tests",
                "loadline io 'sim:sun7410-barcelona?ports=4' --clients 20 --read 100"},
    .tables = tables,
    .run = run,
};
