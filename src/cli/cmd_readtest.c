#include "cli/tree_command.h"
#include "cli/tree_values.h"

static const struct option_table *const tables[] = {
    &tree_found_shape_table,
    &tree_read_table,
    &tree_resume_table,
    &study_table,
    &output_db_table,
    &output_format_table,
    &output_file_table,
    &output_quiet_table,
    NULL,
};

static int run(const struct command *self, int argc, char **argv)
{
    static const struct tree_command how = {.study = study_readtest, .keeps = true};
    return tree_command_run(&how, self, argc, argv);
}

const struct command cmd_readtest = {
    .name = "readtest",
    .brief = "read the trees that dirtest --keep left",
    .summary = "Reads the trees that `loadline dirtest --keep` left on the target, in the order "
               "they were written: one row per file length.",
    .args = "TARGET",
    .lacks = "a target is missing",
    .args_min = 1,
    .args_max = 1,
    .example = {"loadline readtest /mnt/filer",
                "loadline readtest /mnt/filer --lengths 4k,64k --verify"},
    .tables = tables,
    .run = run,
};
