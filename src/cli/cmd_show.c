#include "cli/cli.h"
#include "cli/console.h"
#include "cli/output_file.h"
#include "cli/result_file.h"
#include "cli/results_db.h"
#include "cli/study_values.h"

#include "base/shown.h"

#include <errno.h>
#include <string.h>

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

struct found {
    struct result **result;
    unsigned n;
};

static void refuse_unknown(const char *name, const char *db, const char *path, struct err *err)
{
    struct text list;
    text_init(&list);
    text_add(&list, "loadline list");
    if (db) {
        text_add(&list, " --db ");
        text_add_shell_word(&list, db);
    }
    err_set(err, -ENOENT, "nothing called '%s' in %s; `%s` shows what there is", name, path,
            list.s);
    text_fini(&list);
}

static int load_stored(const char *name, const char *db, struct found *found, struct err *err)
{
    char id[RESULT_ID_MAX];
    unsigned run = 0;
    struct store *store = NULL;
    int rc = results_db_open_to_read(db, &store, err);
    if (rc < 0)
        return rc;
    rc = store_find(store, name, id, &run, err);
    if (rc == -ENOENT)
        refuse_unknown(name, db, store_path(store), err);
    if (rc >= 0)
        rc = store_load(store, id, run, &found->result, &found->n, err);
    if (rc >= 0 && found->n == 0)
        rc = err_set(err, -ENOENT, "study %s ended before its first run was done", id);
    store_close(store);
    return rc;
}

static int write_file(const struct output_values *output, enum report_format format,
                      const struct found *found, struct report_style style, struct err *err)
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
                const struct report_style *style, struct err *err)
{
    struct found found = {.n = 0};
    struct text text;
    text_init(&text);
    int rc = result_file_is(name) ? result_file_load(name, &found.result, &found.n, err)
                                  : load_stored(name, output->db, &found, err);
    if (rc >= 0)
        rc = report_study(&text, found.result, found.n, style, err);
    if (rc >= 0)
        rc = console_show(&text);
    if (rc >= 0 && output->file)
        rc = write_file(output, file, &found, *style, err);
    store_results_free(found.result, found.n);
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
    if (results_db_none(output.db) && !result_file_is(parsed.args[0])) {
        console_error("--db none: there is nothing to look in");
        return CLI_USAGE;
    }
    const struct report_style style = {.format = (enum report_format)output.format,
                                       .wide = output.wide,
                                       .classic = values.classic};
    enum report_format file = REPORT_TEXT;
    int rc = output_file_check(output.file, output.force, output.db, &file, &err);
    if (rc < 0)
        status = cli_status(rc, false);
    else
        rc = show(parsed.args[0], &output, file, &style, &err);
    if (rc < 0 && status == CLI_DONE)
        status = CLI_COULD_NOT_RUN;
    if (rc < 0 && err.code)
        console_error("%s", err.text);
    return status;
}

const struct command cmd_show = {
    .name = "show",
    .brief = "print a study or one of its runs again",
    .summary = "Prints a study again, or with .n behind its id one run of it. Named by id, by the "
               "beginning of an id, by label, or as a .json file.",
    .args = "ID|ID.n|FILE",
    .args_min = 1,
    .args_max = 1,
    .example = {"loadline show k3m9", "loadline show k3m9.2 --format json"},
    .tables = tables,
    .run = run,
};
