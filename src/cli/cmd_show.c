#include "cli/cli.h"
#include "cli/console.h"
#include "cli/output_file.h"
#include "cli/select.h"
#include "cli/study_values.h"

struct show_values {
    bool classic;
};

static const struct option show_options[] = {
    {.name = "classic",
     .kind = OPTION_FLAG,
     .at = offsetof(struct show_values, classic),
     .help = "dirtest and readtest in the form of 2001"},
};
static const struct option_table show_table = OPTION_TABLE("Form", show_options);

static const struct option_table *const tables[] = {
    &show_table, &output_format_table, &output_file_table, &output_db_table, NULL,
};

static int write_file(const struct output_values *output, enum report_format format,
                      const struct selection *found, struct report_style style, struct err *err)
{
    struct text text;
    text_init(&text);
    style.format = format;
    int rc = report_study(&text, found->result, found->n, &style, err);
    if (rc >= 0)
        rc = output_file_write(output->file, output->force, &text, err);
    text_fini(&text);
    return rc;
}

static int show(const char *name, const struct output_values *output, enum report_format file,
                struct report_style style, struct err *err)
{
    struct selection found = {.n = 0};
    struct selector selector;
    struct text text;
    text_init(&text);
    select_open(&selector, output->db);
    int rc = select_find(&selector, name, SELECT_ONE, 0, &found, err);
    if (rc >= 0)
        rc = select_load(&selector, &found, err);
    style.one_run = found.kind == SELECT_RUN;
    if (rc >= 0)
        rc = report_study(&text, found.result, found.n, &style, err);
    if (rc >= 0)
        rc = console_show(&text);
    if (rc >= 0 && output->file)
        rc = write_file(output, file, &found, style, err);
    selection_fini(&found);
    select_close(&selector);
    text_fini(&text);
    return rc;
}

static int run(const struct command *self, int argc, char **argv)
{
    struct show_values values = {.classic = false};
    struct output_values output = {.db = NULL};
    struct options_parsed parsed = {.values = {&values, &output, &output, &output}};
    struct err err = {0};
    int status = 0;
    if (!command_parse(self, argc, argv, &parsed, &status))
        return status;
    const struct report_style style = {.format = (enum report_format)output.format,
                                       .wide = output.wide,
                                       .classic = values.classic};
    enum report_format file = REPORT_TEXT;
    int rc = output_file_check(output.file, output.force, output.db, &file, &err);
    if (rc >= 0)
        rc = show(parsed.args[0], &output, file, style, &err);
    if (rc < 0 && err.code)
        console_error("%s", err.text);
    return rc < 0 ? cli_status(rc, false) : CLI_DONE;
}

const struct command cmd_show = {
    .name = "show",
    .brief = "print a study or one of its runs again",
    .summary = "Prints a study again, or with .n behind its id one run of it, with :A or "
               ":B what it has of one of several targets. Named by id, by the "
               "beginning of an id, by label, or as a .json file; 2001-netapp840 and 2001-celerra "
               "are the published rows of 2001.",
    .args = "ID|ID.n|ID:A|LABEL|FILE",
    .lacks = "what to show is missing: a study or run by its id, a label or a file",
    .args_min = 1,
    .args_max = 1,
    .example = {"loadline show k3m9", "loadline show k3m9.2 --format json"},
    .tables = tables,
    .run = run,
};
