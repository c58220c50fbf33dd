#include "cli/cli.h"
#include "cli/console.h"
#include "cli/help.h"
#include "target/catalog.h"
#include "target/target.h"

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

static int run(const struct command *self, int argc, char **argv)
{
    struct options_parsed parsed = {.n_args = 0};
    const struct target_table *const *table;
    struct text text;
    int status = 0;
    if (!command_parse(self, argc, argv, &parsed, &status))
        return status;
    text_init(&text);
    size_t n = target_catalog(&table);
    for (size_t i = 0; i < n; i++)
        add_target(&text, table[i]);
    int rc = console_show(&text);
    text_fini(&text);
    return rc < 0 ? CLI_COULD_NOT_RUN : CLI_DONE;
}

const struct command cmd_targets = {
    .name = "targets",
    .brief = "what can be measured, and how it is addressed",
    .summary = "Lists what can be measured and how it is addressed; behind a question mark stand "
               "the parameters an address may carry.",
    .args = "",
    .example = {"loadline dirtest nfs://filer/export/tests",
                "loadline io 'fault:null:?stall=1s@5s&clock=virtual' --rate 1000/s"},
    .tables = tables,
    .run = run,
};
