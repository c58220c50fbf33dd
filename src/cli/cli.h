/* cli/cli.h — what the commands of the program share: their table, and the exit status.
 * Shape    each cmd_NAME.c defines one struct command; main.c finds it by name and calls run. Help
 *          is printed from the same tables that the parser reads.
 * Errors   run returns an exit status; whatever went wrong has been said on stderr by then.
 * Threads  the main thread only. */
#ifndef LOADLINE_CLI_CLI_H
#define LOADLINE_CLI_CLI_H

#include "cli/options.h"

enum cli_exit {
    CLI_DONE = 0,
    CLI_USAGE = 1,
    CLI_COULD_NOT_RUN = 2,
    CLI_NOT_VALID = 3, /* ran, but the result is invalid or incomplete */
};

struct command {
    const char *name;
    const char *brief;   /* a few words, for the list of commands */
    const char *summary; /* whole sentences, for the command's own help */
    const char *args;    /* as in the usage line: "TARGET [ID]" */
    unsigned args_min;
    unsigned args_max;
    const char *example[2];
    const struct option_table *const *tables; /* NULL at the end */
    int (*run)(const struct command *self, int argc, char **argv);
};

extern const struct command cmd_dirtest;
extern const struct command cmd_readtest;
extern const struct command cmd_io;
extern const struct command cmd_list;
extern const struct command cmd_show;
extern const struct command cmd_clean;
extern const struct command cmd_targets;
extern const struct command cmd_selftest;

/* Reads argv (behind the command's name) into `parsed`, whose values the caller has set. false: all
 * is said, end with *status. */
__attribute__((warn_unused_result)) bool command_parse(const struct command *command, int argc,
                                                       char **argv, struct options_parsed *parsed,
                                                       int *status);

/* The exit status of a function that returned `code`: -EINVAL before anything was `begun` is a wish that
 * makes no sense; afterwards it is a failure as any other. */
int cli_status(int code, bool begun);

#endif
