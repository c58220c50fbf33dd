/* cli/cli.h — what the commands of the program share: their table, and the exit status.
 * Shape    each cmd_NAME.c defines one struct command; main.c finds it by name and calls run. Help
 *          is printed from the same tables that the parser reads; manual pages and what a shell
 *          completes are made from them as well.
 * Errors   run returns an exit status; whatever went wrong has been said on stderr by then.
 * Threads  the main thread only. */
#ifndef LOADLINE_CLI_CLI_H
#define LOADLINE_CLI_CLI_H

#include "cli/options.h"

enum cli_exit {
    CLI_DONE = 0,
    CLI_USAGE = 1,
    CLI_COULD_NOT_RUN = 2,
    CLI_NOT_VALID = 3,   /* ran, but the result is invalid or incomplete */
    CLI_FAILED = 4,      /* a comparison or threshold failed */
    CLI_CANNOT_TELL = 5, /* too little is known to say whether it failed */
};

struct command {
    const char *name;
    const char *brief;   /* a few words, for the list of commands */
    const char *summary; /* whole sentences, for the command's own help */
    /* As in the usage line: "TARGET [ID]", "set NAME SELECTOR | list". Small letters stand for
     * themselves, capitals for what complete.c knows by that name; " | " is between whole forms, "|"
     * between what may stand in one place, "..." behind what may stand there several times. */
    const char *args;
    const char
        *lacks; /* what is said when there are fewer than args_min; NULL: that args are missing */
    unsigned args_min;
    unsigned args_max;
    bool hidden; /* for programs: not in the list of commands */
    bool judges; /* may end with CLI_FAILED or CLI_CANNOT_TELL */
    const char *example[2];
    const struct option_table *const *tables; /* NULL at the end */
    int (*run)(const struct command *self, int argc, char **argv);
};

extern const struct command cmd_dirtest;
extern const struct command cmd_readtest;
extern const struct command cmd_io;
extern const struct command cmd_limits;
extern const struct command cmd_quick;
extern const struct command cmd_run;
extern const struct command cmd_array_test;
extern const struct command cmd_wml;
extern const struct command cmd_mark;
extern const struct command cmd_list;
extern const struct command cmd_show;
extern const struct command cmd_export;
extern const struct command cmd_import;
extern const struct command cmd_compare;
extern const struct command cmd_baseline;
extern const struct command cmd_history;
extern const struct command cmd_clean;
extern const struct command cmd_targets;
extern const struct command cmd_workloads;
extern const struct command cmd_selftest;
extern const struct command cmd_completions;
extern const struct command cmd_complete;
extern const struct command cmd_man;

/* All of them, NULL at the end; those that are not hidden in the order of help. */
extern const struct command *const all_commands[];
/* NULL: there is none of that name. */
const struct command *command_find(const char *name);

/* Reads argv (behind the command's name) into `parsed`, whose values the caller has set. false: all
 * is said, end with *status. */
__attribute__((warn_unused_result)) bool command_parse(const struct command *command, int argc,
                                                       char **argv, struct options_parsed *parsed,
                                                       int *status);

/* The exit status of a function that returned `code`: -EINVAL before anything was `begun` is a wish that
 * makes no sense; afterwards it is a failure as any other. */
int cli_status(int code, bool begun);

#endif
