#include "cli/tree_command.h"
#include "cli/tree_values.h"

static const struct option_table *const tables[] = {
    &tree_shape_table,
    &tree_until_table,
    &tree_write_table,
    &tree_read_table,
    &tree_resume_table,
    &study_table,
    &output_db_table,
    &output_format_table,
    &output_file_table,
    &output_quiet_table,
    NULL,
};

static int study(const struct study_common *common, const struct tree_options *options,
                 unsigned given, const struct study_sink *sink, struct err *err)
{
    (void)given;
    return study_dirtest(common, options, sink, err);
}

static int run(const struct command *self, int argc, char **argv)
{
    static const struct tree_command how = {.study = study};
    return tree_command_run(&how, self, argc, argv);
}

const struct command cmd_dirtest = {
    .name = "dirtest",
    .brief = "write trees of small to large files and read them back",
    .summary = "Writes trees of files from small to large, many threads at once, and reads them "
               "back: one row per file length. Several targets, four at most, take turns row "
               "by row and are compared with the first.",
    .args = "TARGET [TARGET...]",
    .lacks = "a target is missing",
    .args_min = 1,
    .args_max = STUDY_TARGETS_MAX,
    .example = {"loadline dirtest /mnt/filer",
                "loadline dirtest /mnt/filer --lengths 2..64k --repeat 5 -o filer.csv"},
    .tables = tables,
    .run = run,
};
