#include "cli/cmd_run.h"

#include "cli/console.h"
#include "cli/measure.h"
#include "cli/run_compile.h"
#include "cli/run_values.h"
#include "cli/suite_run.h"
#include "cli/workload.h"
#include "target/destroy.h"

#include "base/words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct option_table *const tables[] = {
    &run_ask_table,       &run_safety_table,  &run_form_table,     &study_table, &output_db_table,
    &output_format_table, &output_file_table, &output_quiet_table, NULL,
};

/* What was typed, and what it comes to. */
struct run_command {
    struct run_values run;
    struct study_values study;
    struct output_values output;
    struct options_parsed parsed;
    struct run_sets sets;
    struct run_compile compile;
    struct suite_run suite;
    unsigned given;
};

static int run_study(const struct study_common *common, const void *options,
                     const struct study_sink *sink, struct err *err)
{
    return study_script(common, options, sink, err);
}

static int take_wish(struct run_command *c, struct err *err)
{
    for (unsigned i = 0; tables[i]; i++)
        c->given |= c->parsed.given[i];
    c->sets.of_suite = suite_run_is(c->parsed.args[0]);
    int rc = run_values_take(&c->run, c->given, c->parsed.args + 2, c->parsed.n_args - 2, &c->sets,
                             &c->compile.options, err);
    if (rc == 0)
        rc = run_check_form(&c->run, &c->output, err);
    /* Before anything asks the target what it can do. */
    if (rc == 0 && c->run.destroy)
        rc = target_allow_destroy(c->run.destroy, err);
    if (rc == 0)
        rc = run_compile_begin(&c->compile, c->parsed.args[1], &c->study, c->run.destroy, err);
    return rc;
}

static int measure(const struct command *self, int argc, char **argv, const struct run_command *c,
                   struct script_wish wish)
{
    wish.cache = (enum study_client_cache)c->run.cache;
    wish.adopt = c->run.adopt;
    const struct measure m = {.command = self,
                              .argc = argc,
                              .argv = argv,
                              .target = c->parsed.args + 1,
                              .targets = 1,
                              .output = &c->output,
                              .study = &c->study,
                              .keep = c->run.keep,
                              .filebench = c->run.filebench,
                              .run = run_study,
                              .options = &wish};
    return measure_run(&m);
}

static int run_workload(const struct command *self, int argc, char **argv, struct run_command *c)
{
    const unsigned repeats = (unsigned)c->run.repeats;
    struct script *script = NULL;
    struct script_wish wish = {.kind = "run", .script = &script, .scripts = 1, .repeats = &repeats};
    int status = CLI_COULD_NOT_RUN;
    if (run_compile_workload(&c->compile, c->parsed.args[0], &script) == 0)
        status = c->run.dry_run ? run_compile_show(&script, 1) : measure(self, argc, argv, c, wish);
    script_free(script);
    return status;
}

static int run_suite(const struct command *self, int argc, char **argv, struct run_command *c)
{
    const struct suite_ask over = run_values_ask(&c->run, c->given);
    int status = suite_run_open(&c->suite, c->parsed.args[0], &c->compile, &over, &c->sets);
    if (status == CLI_DONE)
        status = c->run.dry_run ? run_compile_show(c->suite.script, c->suite.suite->lines)
                                : measure(self, argc, argv, c, suite_run_wish(&c->suite));
    suite_run_close(&c->suite);
    return status;
}

static struct run_command *command_new(void)
{
    struct run_command *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    void *const values[] = {&c->run,    &c->run,    &c->run,    &c->study,
                            &c->output, &c->output, &c->output, &c->output};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        c->parsed.values[i] = values[i];
    return c;
}

char *cmd_run_workload(const char *argv)
{
    struct run_command *c = command_new();
    struct err unsaid = {0};
    char **word = NULL;
    char *name = NULL;
    unsigned n = 0;
    if (c && words_parse(argv, &word, &n) == 0 && n > 1 && strcmp(word[0], cmd_run.name) == 0 &&
        options_parse(tables, (int)n - 1, word + 1, cmd_run.args_max, &c->parsed, &unsaid) == 0 &&
        c->parsed.n_args > 0)
        name = workload_name(c->parsed.args[0]);
    words_free(word);
    free(c);
    return name;
}

static int run(const struct command *self, int argc, char **argv)
{
    /* Several workloads and a table of its own; who looks for it beside the others finds it. */
    if (argc > 0 && strcmp(argv[0], cmd_array_test.name) == 0)
        return cmd_array_test.run(&cmd_array_test, argc - 1, argv + 1);

    struct run_command *c = command_new();
    struct err err = {0};
    int status = CLI_COULD_NOT_RUN;
    if (!c) {
        console_error("out of memory");
        return status;
    }
    if (!command_parse(self, argc, argv, &c->parsed, &status)) {
        free(c);
        return status;
    }
    int rc = take_wish(c, &err);
    if (rc < 0) {
        console_error("%s", err.text);
        status = cli_status(rc, false);
    } else {
        status =
            c->sets.of_suite ? run_suite(self, argc, argv, c) : run_workload(self, argc, argv, c);
    }
    free(c);
    return status;
}

const struct command cmd_run = {
    .name = "run",
    .brief = "run a workload file, or one that is shipped",
    .summary =
        "Runs a workload in the language of filebench, of any release of it: a file, or one of "
        "those that `loadline workloads` lists. Rates, latencies and errors of each of its "
        "operations. Its files lie in a directory of its own under TARGET, and are removed. A "
        "FILE.suite is a list of workloads, one a line, that are run one after the other: then "
        "NAME=VALUE is of all that know it, WORKLOAD.NAME=VALUE and N.NAME=VALUE of one line.",
    .args = "WORKLOAD TARGET [NAME=VALUE...]",
    .lacks = "a workload and a target are needed",
    .args_min = 2,
    .args_max = OPTION_ARGS_MAX,
    .example = {"loadline run varmail /mnt/tank nfiles=100000 nthreads=60 --time 300s",
                "loadline run ./mine.f /mnt/tank --repeat 5 --label before"},
    .tables = tables,
    .run = run,
};
