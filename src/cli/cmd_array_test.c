#include "cli/console.h"
#include "cli/measure.h"
#include "cli/run_compile.h"
#include "cli/run_values.h"
#include "cli/suite_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    GIVEN_TIME = 1 << 0,
    GIVEN_WARMUP = 1 << 1,
    GIVEN_REPEAT = 1 << 2,
};

#define ARRAY(member) offsetof(struct array_values, member)

struct array_values {
    uint64_t time_ns;
    uint64_t warmup_ns;
    uint64_t repeats;
    bool dry_run;
};

static const struct option array_options[] = {
    {.name = "time",
     .arg = "TIME",
     .kind = OPTION_TIME,
     .at = ARRAY(time_ns),
     .min = SUITE_TIME_MIN_NS,
     .max = SUITE_TIME_MAX_NS,
     .otherwise = "300s",
     .given = GIVEN_TIME,
     .help = "length of each run"},
    {.name = "warmup",
     .arg = "TIME",
     .kind = OPTION_TIME,
     .at = ARRAY(warmup_ns),
     .max = SUITE_WARMUP_MAX_NS,
     .otherwise = "0s",
     .given = GIVEN_WARMUP,
     .help = "time before each run that does not count; in 2008 there was none"},
    {.name = "repeat",
     .arg = "N",
     .kind = OPTION_COUNT,
     .at = ARRAY(repeats),
     .min = 1,
     .max = SUITE_REPEATS_MAX,
     .otherwise = "3",
     .given = GIVEN_REPEAT,
     .help = "how often each workload is gone through; below 3 its figures have no good ±"},
    {.name = "dry-run",
     .kind = OPTION_FLAG,
     .at = ARRAY(dry_run),
     .help = "print what would be done, step by step, and touch nothing"},
};
static const struct option_table array_table = OPTION_TABLE("Test", array_options);

static const struct option_table *const tables[] = {
    &array_table,        &study_table, &output_db_table, &output_format_table, &output_file_table,
    &output_quiet_table, NULL,
};

struct array_command {
    struct array_values array;
    struct study_values study;
    struct output_values output;
    struct options_parsed parsed;
    struct run_compile compile;
    struct run_sets sets;
    struct suite_run suite;
};

static int run_study(const struct study_common *common, const void *options,
                     const struct study_sink *sink, struct err *err)
{
    return study_script(common, options, sink, err);
}

static struct suite_ask asked(const struct array_command *c)
{
    unsigned given = c->parsed.given[0];
    return (struct suite_ask){.said = (given & GIVEN_TIME ? SUITE_TIME : 0) |
                                      (given & GIVEN_WARMUP ? SUITE_WARMUP : 0) |
                                      (given & GIVEN_REPEAT ? SUITE_REPEAT : 0),
                              .time_ns = c->array.time_ns,
                              .warmup_ns = c->array.warmup_ns,
                              .repeats = (unsigned)c->array.repeats};
}

static int measure(const struct command *self, int argc, char **argv, const struct array_command *c)
{
    const struct script_wish wish = suite_run_wish(&c->suite);
    const struct measure m = {.command = self,
                              .argc = argc,
                              .argv = argv,
                              .target = c->parsed.args,
                              .targets = 1,
                              .output = &c->output,
                              .study = &c->study,
                              .run = run_study,
                              .options = &wish};
    return measure_run(&m);
}

static int run_parsed(const struct command *self, int argc, char **argv, struct array_command *c)
{
    struct err err = {0};
    int rc = 0;
    c->sets.of_suite = true;
    for (unsigned i = 1; rc == 0 && i < c->parsed.n_args; i++)
        rc = run_sets_add(&c->sets, c->parsed.args[i], &err);
    if (rc == 0)
        rc = run_compile_begin(&c->compile, c->parsed.args[0], &c->study, NULL, &err);
    if (rc < 0) {
        console_error("%s", err.text);
        return cli_status(rc, false);
    }
    const struct suite_ask over = asked(c);
    int status = suite_run_open(&c->suite, self->name, &c->compile, &over, &c->sets);
    if (status != CLI_DONE)
        return status;
    return c->array.dry_run ? run_compile_show(c->suite.script, c->suite.suite->lines)
                            : measure(self, argc, argv, c);
}

static int run(const struct command *self, int argc, char **argv)
{
    struct array_command *c = calloc(1, sizeof *c);
    int status = CLI_COULD_NOT_RUN;
    if (!c) {
        console_error("out of memory");
        return status;
    }
    void *const values[] = {&c->array, &c->study, &c->output, &c->output, &c->output, &c->output};
    memcpy(c->parsed.values, values, sizeof values);
    if (command_parse(self, argc, argv, &c->parsed, &status))
        status = run_parsed(self, argc, argv, c);
    suite_run_close(&c->suite);
    free(c);
    return status;
}

const struct command cmd_array_test = {
    .name = "array-test",
    .brief = "the array test of 2008: four workloads, eight figures",
    .summary =
        "Runs the four workloads of the array test of 2008, each several times: streaming reads "
        "and "
        "writes, a mail server, a database. Answers with its eight figures: bandwidth or rate, and "
        "latency, of each. Needs 40 GiB at once unless files are made smaller: WORKLOAD.NAME=VALUE "
        "is "
        "of one workload, NAME=VALUE of all that know it. `loadline workloads array-test` shows "
        "it.",
    .args = "TARGET [NAME=VALUE...]",
    .lacks = "a target is missing",
    .args_min = 1,
    .args_max = OPTION_ARGS_MAX,
    .example = {"loadline array-test /mnt/array --label 2x3r5-fc",
                "loadline array-test /mnt/array multistreamread.filesize=1g --time 60s"},
    .tables = tables,
    .run = run,
};
