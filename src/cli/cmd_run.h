/* cli/cmd_run.h — what was typed for a study of `run`.
 * Shape    the words of its command line in, as the store keeps them; the name of its workload out.
 * Errors   NULL: not known, as of studies that were imported or come from `wml`, or out of memory.
 * Threads  no state.
 * Source   tests/cli/test_list.py. */
#ifndef LOADLINE_CLI_CMD_RUN_H
#define LOADLINE_CLI_CMD_RUN_H

/* Freed by the caller. */
char *cmd_run_workload(const char *argv);

#endif
