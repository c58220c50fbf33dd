#include "cli/console.h"
#include "cli/measure.h"
#include "cli/run_compile.h"
#include "cli/run_values.h"
#include "cli/say_remarks.h"
#include "cli/stopping.h"
#include "cli/wml_lines.h"
#include "cli/wml_session.h"

#include "target/destroy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct option_table *const tables[] = {
    &run_rules_table, &run_safety_table,    &run_form_table,     &study_table,
    &output_db_table, &output_format_table, &output_quiet_table, NULL,
};

static const char help_text[] =
    "  load NAME           a workload: a file, or one of `loadline workloads`\n"
    "  set $dir=/PLACE     the target, unless it is on the command line\n"
    "  set $NAME=VALUE     any other variable\n"
    "  vars                the variables as they stand\n"
    "  run [SECONDS]       measures; then go on, set, run again\n"
    "  quit                or the end of input\n"
    "All of the workload language can be typed. What was defined stays until quit.\n";

struct wml_command {
    struct run_values run;
    struct study_values study;
    struct output_values output;
    struct options_parsed parsed;
    struct run_sets sets;
    struct run_compile compile;
    struct wml_session session;
    const struct command *self;
    int argc;
    char **argv;
    bool typed;    /* by somebody, who goes on after a mistake */
    bool stopped;  /* by a signal */
    unsigned runs; /* that were tried */
    int status;    /* the worst so far */
};

static int run_study(const struct study_common *common, const void *options,
                     const struct study_sink *sink, struct err *err)
{
    return study_script(common, options, sink, err);
}

static const char *target_of(const struct wml_command *c)
{
    return c->parsed.n_args > 0 ? c->parsed.args[0] : c->session.dir;
}

static int measure(struct wml_command *c, const char *target, struct script *script)
{
    struct script *const scripts[] = {script};
    static const unsigned once = 1;
    const struct script_wish wish = {.kind = "run",
                                     .script = scripts,
                                     .scripts = 1,
                                     .repeats = &once,
                                     .cache = (enum study_client_cache)c->run.cache,
                                     .adopt = c->run.adopt};
    const struct measure m = {.command = c->self,
                              .argc = c->argc,
                              .argv = c->argv,
                              .target = &target,
                              .targets = 1,
                              .output = &c->output,
                              .study = &c->study,
                              .keep = c->run.keep,
                              .filebench = c->run.filebench,
                              .run = run_study,
                              .options = &wish};
    int status = measure_run(&m);
    c->stopped = *stopping_flag() != 0;
    stopping_end();
    return status;
}

static int compile(struct wml_command *c, struct wml_parsed *parsed, const char *target,
                   struct script **script)
{
    struct err err = {0};
    int rc = run_compile_begin(&c->compile, target, &c->study, c->run.destroy, &err);
    if (rc == 0) {
        c->compile.options.name = c->session.workload ? c->session.workload : c->self->name;
        rc = script_compile(parsed->tree, &c->compile.options, script, &parsed->remarks, &err);
        say_remarks(&parsed->remarks);
    }
    if (rc < 0 && parsed->remarks.errors == 0)
        console_error("%s", err.text);
    return rc;
}

static int run_parsed(struct wml_command *c, struct wml_parsed *parsed)
{
    const char *target = target_of(c);
    struct script *script = NULL;
    int status = CLI_COULD_NOT_RUN;
    bool ran = false;
    if (!target) {
        console_error("no target: `set $dir=/PLACE` says it, or `loadline wml TARGET`");
    } else if (compile(c, parsed, target, &script) == 0) {
        ran = true;
        status = c->run.dry_run ? run_compile_show(&script, 1) : measure(c, target, script);
    }
    script_free(script);
    c->runs += ran;
    wml_session_done(&c->session, ran);
    return status == CLI_DONE || status == CLI_NOT_VALID ? status : CLI_COULD_NOT_RUN;
}

static bool is_help(const char *chunk)
{
    chunk += strspn(chunk, " \t");
    size_t len = strcspn(chunk, " \t\r\n");
    bool alone = chunk[len + strspn(chunk + len, " \t\r\n")] == '\0';
    return alone && ((len == 4 && memcmp(chunk, "help", 4) == 0) || (len == 1 && *chunk == '?'));
}

static int show_help(void)
{
    struct text text;
    text_init(&text);
    text_add(&text, help_text);
    int rc = console_show(&text);
    text_fini(&text);
    return rc < 0 ? CLI_COULD_NOT_RUN : CLI_DONE;
}

/* False: the session ends. */
static bool take(struct wml_command *c, const struct text *chunk)
{
    struct wml_parsed parsed = {.tree = NULL};
    int status = CLI_DONE;
    enum wml_what what = WML_KEPT;
    bool had_dir = c->session.dir != NULL;
    if (is_help(chunk->s)) {
        /* Blank, so that lines are counted as they are typed. */
        what = wml_session_take(&c->session, "\n", 1, &parsed);
        status = show_help();
    } else {
        what = wml_session_take(&c->session, chunk->s, chunk->len, &parsed);
    }
    if (!had_dir && c->session.dir && c->parsed.n_args > 0) /* once is enough */
        console_note("the target stays %s: it is on the command line", c->parsed.args[0]);
    if (what == WML_MEASURE)
        status = run_parsed(c, &parsed);
    else if (what == WML_WRONG)
        status = CLI_COULD_NOT_RUN;
    wml_parsed_fini(&parsed);
    bool mistake = status == CLI_COULD_NOT_RUN;
    if (status == CLI_NOT_VALID || (mistake && !c->typed))
        c->status = status;
    return what != WML_QUIT && (c->typed || !(mistake || c->stopped));
}

/* 1: a chunk; 0: the end, of somebody who types only where nothing is open. */
static int read_chunk(const struct wml_command *c, struct text *chunk)
{
    int rc = 1;
    text_clear(chunk);
    while (rc == 1 && (chunk->len == 0 || wml_goes_on(chunk->s, chunk->len))) {
        char *line = NULL;
        size_t len = 0;
        rc = wml_lines_next(chunk->len > 0, &line, &len);
        if (rc == 1) {
            text_add_bytes(chunk, line, len);
            text_add(chunk, "\n");
        }
        free(line);
        if (chunk->failed)
            rc = -ENOMEM;
    }
    if (rc < 0)
        console_error("%s: %s", c->session.source, strerror(-rc));
    return rc == 0 && chunk->len > 0 ? 1 : rc;
}

static int converse(struct wml_command *c)
{
    struct text chunk;
    int rc = 1;
    text_init(&chunk);
    wml_session_init(&c->session, c->typed ? "prompt" : "stdin");
    for (bool on = true; on && rc == 1;) {
        rc = read_chunk(c, &chunk);
        on = rc == 1 && take(c, &chunk);
    }
    if (c->session.by_hand)
        console_warn("processes were created and never measured: `stats snap` measures them");
    else if (c->runs == 0 && !c->typed && c->status == CLI_DONE && rc >= 0)
        console_warn("nothing was run: `run SECONDS` measures");
    wml_session_fini(&c->session);
    text_fini(&chunk);
    return rc < 0 ? CLI_COULD_NOT_RUN : c->status;
}

static int begin(struct wml_command *c)
{
    struct err err = {0};
    int rc = run_values_take(&c->run, 0, NULL, 0, &c->sets, &c->compile.options, &err);
    if (rc == 0)
        rc = run_check_form(&c->run, &c->output, &err);
    /* Before anything asks a target what it can do. */
    if (rc == 0 && c->run.destroy)
        rc = target_allow_destroy(c->run.destroy, &err);
    if (rc == 0 && c->parsed.n_args > 0)
        rc = run_compile_begin(&c->compile, c->parsed.args[0], &c->study, c->run.destroy, &err);
    if (rc < 0) {
        console_error("%s", err.text);
        return cli_status(rc, false);
    }
    console_open(c->output.quiet);
    c->typed = wml_lines_typed();
    return converse(c);
}

static int run(const struct command *self, int argc, char **argv)
{
    struct wml_command *c = calloc(1, sizeof *c);
    int status = CLI_COULD_NOT_RUN;
    if (!c) {
        console_error("out of memory");
        return status;
    }
    *c = (struct wml_command){.self = self, .argc = argc, .argv = argv};
    void *const values[] = {&c->run,    &c->run,    &c->run,   &c->study,
                            &c->output, &c->output, &c->output};
    memcpy(c->parsed.values, values, sizeof values);
    if (command_parse(self, argc, argv, &c->parsed, &status))
        status = begin(c);
    free(c);
    return status;
}

const struct command cmd_wml = {
    .name = "wml",
    .brief = "type a workload line by line, as in 2008: load, set, run",
    .summary =
        "Reads lines of the workload language from a prompt or from standard input. Each `run` is "
        "a study of its own, as `loadline run` makes it, of all that was typed so far; then the "
        "session goes on. The target is TARGET, else what `set $dir=` said last. Lines from a pipe "
        "end at the first mistake.",
    .args = "[TARGET]",
    .args_max = 1,
    .example = {"loadline wml", "loadline wml /mnt/tank --label before < lines"},
    .tables = tables,
    .run = run,
};
