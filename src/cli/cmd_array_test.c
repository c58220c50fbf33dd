#include "cli/console.h"
#include "cli/measure.h"
#include "cli/run_compile.h"
#include "cli/run_values.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DAY_NS 86400000000000ull

/* In the order of the figures. */
static const char *const workloads[] = {"multistreamread", "multistreamwrite", "varmail-2008",
                                        "oltp-2008"};
#define WORKLOADS (sizeof workloads / sizeof workloads[0])

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
     .min = 1000000,
     .max = 7 * DAY_NS,
     .initial = "300s",
     .help = "length of each run"},
    {.name = "warmup",
     .arg = "TIME",
     .kind = OPTION_TIME,
     .at = ARRAY(warmup_ns),
     .max = DAY_NS,
     .initial = "0s",
     .help = "time before each run that does not count; in 2008 there was none"},
    {.name = "repeat",
     .arg = "N",
     .kind = OPTION_COUNT,
     .at = ARRAY(repeats),
     .min = 1,
     .max = 1000,
     .initial = "3",
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
    struct run_sets sets[WORKLOADS];
    struct script *script[WORKLOADS];
};

static int run_study(const struct study_common *common, const void *options,
                     const struct study_sink *sink, struct err *err)
{
    return study_script(common, options, sink, err);
}

/* "varmail-2008.nfiles=1000" is of one workload: what follows its name and the dot, else NULL. */
static const char *behind_name(const char *text, const char *workload)
{
    size_t len = strlen(workload);
    return strncmp(text, workload, len) == 0 && text[len] == '.' ? text + len + 1 : NULL;
}

static int take_set(struct array_command *c, const char *text, struct err *err)
{
    for (unsigned i = 0; i < WORKLOADS; i++) {
        const char *set = behind_name(text, workloads[i]);
        if (set)
            return run_sets_add(&c->sets[i], set, err);
    }
    return err_set(err, -EINVAL,
                   "%s: a variable of one of the workloads is expected, such as "
                   "multistreamread.filesize=1g (they are multistreamread, multistreamwrite, "
                   "varmail-2008 and oltp-2008)",
                   text);
}

static int compile_all(struct array_command *c)
{
    int rc = 0;
    for (unsigned i = 0; rc == 0 && i < WORKLOADS; i++) {
        c->compile.options.set = c->sets[i].text;
        c->compile.options.sets = c->sets[i].n;
        rc = run_compile_workload(&c->compile, workloads[i], &c->script[i]);
    }
    return rc;
}

static int measure(const struct command *self, int argc, char **argv, const struct array_command *c)
{
    const struct script_wish wish = {.kind = "array-test",
                                     .script = c->script,
                                     .scripts = WORKLOADS,
                                     .repeats = (unsigned)c->array.repeats,
                                     .cache = STUDY_CACHE_KEEP};
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
    c->compile.options = (struct script_options){.dialect = SCRIPT_DIALECT_SUN,
                                                 .time_ns = c->array.time_ns,
                                                 .warmup_ns = c->array.warmup_ns};
    for (unsigned i = 1; rc == 0 && i < c->parsed.n_args; i++)
        rc = take_set(c, c->parsed.args[i], &err);
    if (rc == 0)
        rc = run_compile_begin(&c->compile, c->parsed.args[0], &c->study, NULL, &err);
    if (rc < 0) {
        console_error("%s", err.text);
        return cli_status(rc, false);
    }
    if (compile_all(c) < 0)
        return CLI_COULD_NOT_RUN;
    return c->array.dry_run ? run_compile_show(c->script, WORKLOADS) : measure(self, argc, argv, c);
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
    for (unsigned i = 0; i < WORKLOADS; i++)
        script_free(c->script[i]);
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
        "latency, of each. Needs 40 GiB at once unless files are made smaller: a variable is set "
        "for one workload, WORKLOAD.NAME=VALUE.",
    .args = "TARGET [NAME=VALUE...]",
    .lacks = "a target is missing",
    .args_min = 1,
    .args_max = OPTION_ARGS_MAX,
    .example = {"loadline array-test /mnt/array --label 2x3r5-fc",
                "loadline array-test /mnt/array multistreamread.filesize=1g --time 60s"},
    .tables = tables,
    .run = run,
};
