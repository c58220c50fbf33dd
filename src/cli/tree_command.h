/* cli/tree_command.h — what dirtest and readtest do alike: read the command line, or with --resume
 * the one of then, and measure.
 * Threads  main thread. */
#ifndef LOADLINE_CLI_TREE_COMMAND_H
#define LOADLINE_CLI_TREE_COMMAND_H

#include "cli/cli.h"
#include "study/study.h"

struct tree_command {
    int (*study)(const struct study_common *common, const struct tree_options *options,
                 unsigned given, const struct study_sink *sink, struct err *err);
    bool keeps; /* whatever is said: the trees are not ours to remove */
};

/* Returns the exit status. */
int tree_command_run(const struct tree_command *how, const struct command *self, int argc,
                     char **argv);

#endif
