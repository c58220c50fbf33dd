#include "cli/console.h"
#include "cli/measure.h"
#include "cli/tree_values.h"

static const struct option_table *const tables[] = {
    &tree_found_shape_table, &tree_read_table,   &study_table,        &output_db_table,
    &output_format_table,    &output_file_table, &output_quiet_table, NULL,
};
enum { TABLE_SHAPE, TABLE_READ, TABLE_STUDY };

struct wish {
    struct tree_options options;
    unsigned given;
};

static int run_study(const struct study_common *common, const void *options,
                     const struct study_sink *sink, struct err *err)
{
    const struct wish *wish = options;
    return study_readtest(common, &wish->options, wish->given, sink, err);
}

static int run(const struct command *self, int argc, char **argv)
{
    struct tree_values tree = {.threads = 0};
    struct study_values study = {.label = NULL};
    struct output_values output = {.db = NULL};
    struct options_parsed parsed = {
        .values = {&tree, &tree, &study, &output, &output, &output, &output}};
    struct wish wish;
    struct err err = {0};
    int status = 0;
    if (!command_parse(self, argc, argv, &parsed, &status))
        return status;
    unsigned given = parsed.given[TABLE_SHAPE] | parsed.given[TABLE_READ];
    if (tree_values_take(&tree, given, &wish.options, &err) < 0) {
        console_error("%s", err.text);
        return CLI_USAGE;
    }
    wish.given = parsed.given[TABLE_SHAPE] | parsed.given[TABLE_STUDY];
    const struct measure measure = {.command = self,
                                    .argc = argc,
                                    .argv = argv,
                                    .target = parsed.args,
                                    .targets = parsed.n_args,
                                    .output = &output,
                                    .study = &study,
                                    .keep = true,
                                    .classic = tree.classic,
                                    .table = true,
                                    .run = run_study,
                                    .options = &wish};
    return measure_run(&measure);
}

const struct command cmd_readtest = {
    .name = "readtest",
    .brief = "read the trees that dirtest --keep left",
    .summary = "Reads the trees that `loadline dirtest --keep` left on the target, in the order "
               "they were written: one row per file length.",
    .args = "TARGET",
    .args_min = 1,
    .args_max = 1,
    .example = {"loadline readtest /mnt/filer",
                "loadline readtest /mnt/filer --lengths 4k,64k --verify"},
    .tables = tables,
    .run = run,
};
