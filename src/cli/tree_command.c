#include "cli/tree_command.h"

#include "cli/console.h"
#include "cli/measure.h"
#include "cli/resume.h"
#include "cli/tree_values.h"

struct typed {
    struct tree_values tree;
    struct study_values study;
    struct output_values output;
    struct options_parsed parsed;
};

static void *values_of(struct typed *t, const struct option_table *table)
{
    if (table == &study_table)
        return &t->study;
    if (table == &output_db_table || table == &output_format_table || table == &output_file_table ||
        table == &output_quiet_table)
        return &t->output;
    return &t->tree;
}

static void typed_init(struct typed *t, const struct option_table *const *tables)
{
    *t = (struct typed){.output = {.db = NULL}};
    for (unsigned i = 0; tables[i]; i++)
        t->parsed.values[i] = values_of(t, tables[i]);
}

static unsigned given_of(const struct typed *t)
{
    unsigned given = 0;
    for (unsigned i = 0; i < OPTION_TABLES_MAX; i++)
        given |= t->parsed.given[i];
    return given;
}

struct wish {
    const struct tree_command *how;
    struct tree_options options;
    unsigned given;
};

static int run_study(const struct study_common *common, const void *options,
                     const struct study_sink *sink, struct err *err)
{
    const struct wish *wish = options;
    return wish->how->study(common, &wish->options, wish->given, sink, err);
}

static int take_wish(const struct typed *t, struct wish *wish)
{
    struct err err = {0};
    wish->given = given_of(t);
    if (tree_values_take(&t->tree, wish->given, &wish->options, &err) < 0) {
        console_error("%s", err.text);
        return CLI_USAGE;
    }
    if (t->tree.classic && t->parsed.n_args > 1) {
        console_error("--classic prints the table of one target: leave out %s", t->parsed.args[1]);
        return CLI_USAGE;
    }
    return CLI_DONE;
}

static int measure(const struct command *self, int argc, char **argv, const struct typed *typed,
                   const struct output_values *output, const struct wish *wish,
                   const struct study_past *past)
{
    const struct measure m = {.command = self,
                              .argc = argc,
                              .argv = argv,
                              .target = typed->parsed.args,
                              .targets = typed->parsed.n_args,
                              .output = output,
                              .study = &typed->study,
                              .keep = wish->how->keeps || typed->tree.keep,
                              .classic = typed->tree.classic,
                              .table = true,
                              .run = run_study,
                              .options = wish,
                              .past = past};
    return measure_run(&m);
}

int tree_command_run(const struct tree_command *how, const struct command *self, int argc,
                     char **argv)
{
    struct typed now, then;
    struct resume resume = {.word = NULL};
    struct wish wish = {.how = how};
    int status = CLI_DONE;
    typed_init(&now, self->tables);
    typed_init(&then, self->tables);
    if (!command_parse(self, argc, argv, &now.parsed, &status))
        return status;
    const char *name = now.tree.resume;
    const struct typed *typed = name ? &then : &now;
    bool go =
        !name || resume_take(&resume, name, self, &now.parsed, &then.parsed, &now.output, &status);
    if (go)
        status = take_wish(typed, &wish);
    if (go && status == CLI_DONE)
        status = measure(self, argc, argv, typed, &now.output, &wish, name ? &resume.past : NULL);
    resume_fini(&resume);
    return status;
}
