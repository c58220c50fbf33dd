#include "cli/console.h"
#include "cli/measure.h"
#include "cli/tree_values.h"

static const struct option_table *const tables[] = {
    &tree_shape_table, &tree_until_table,    &tree_write_table,  &tree_read_table,    &study_table,
    &output_db_table,  &output_format_table, &output_file_table, &output_quiet_table, NULL,
};
enum { TABLE_SHAPE, TABLE_UNTIL, TABLE_WRITE, TABLE_READ };

static int run_study(const struct study_common *common, const void *options,
                     const struct study_sink *sink, struct err *err)
{
    return study_dirtest(common, options, sink, err);
}

static int run(const struct command *self, int argc, char **argv)
{
    struct tree_values tree = {.threads = 0};
    struct study_values study = {.label = NULL};
    struct output_values output = {.db = NULL};
    struct options_parsed parsed = {
        .values = {&tree, &tree, &tree, &tree, &study, &output, &output, &output, &output}};
    struct tree_options options;
    struct err err = {0};
    int status = 0;
    if (!command_parse(self, argc, argv, &parsed, &status))
        return status;
    unsigned given =
        parsed.given[TABLE_SHAPE] | parsed.given[TABLE_UNTIL] | parsed.given[TABLE_READ];
    if (tree_values_take(&tree, given, &options, &err) < 0) {
        console_error("%s", err.text);
        return CLI_USAGE;
    }
    if (tree.classic && parsed.n_args > 1) {
        console_error("--classic prints the table of one target: leave out %s", parsed.args[1]);
        return CLI_USAGE;
    }
    const struct measure measure = {.command = self,
                                    .argc = argc,
                                    .argv = argv,
                                    .target = parsed.args,
                                    .targets = parsed.n_args,
                                    .output = &output,
                                    .study = &study,
                                    .keep = tree.keep,
                                    .classic = tree.classic,
                                    .table = true,
                                    .run = run_study,
                                    .options = &options};
    return measure_run(&measure);
}

const struct command cmd_dirtest = {
    .name = "dirtest",
    .brief = "write trees of small to large files and read them back",
    .summary = "Writes trees of files from small to large, many threads at once, and reads them "
               "back: one row per file length. Several targets, four at most, take turns row "
               "by row and are compared with the first.",
    .args = "TARGET [TARGET...]",
    .args_min = 1,
    .args_max = STUDY_TARGETS_MAX,
    .example = {"loadline dirtest /mnt/filer",
                "loadline dirtest /mnt/filer --lengths 2..64k --repeat 5 -o filer.csv"},
    .tables = tables,
    .run = run,
};
