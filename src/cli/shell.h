/* cli/shell.h — `system` of a workload file: one command of a shell, to its end.
 * Shape    as study_sink.shell. What it prints goes to stderr: stdout is the answer.
 * Limits   it reads nothing. A stop that is asked for ends it, with all that it has started.
 * Errors   negative errno: no shell could be started; how the command ends is a warning.
 * Threads  main thread. */
#ifndef LOADLINE_CLI_SHELL_H
#define LOADLINE_CLI_SHELL_H

#include "base/err.h"

__attribute__((warn_unused_result)) int shell_run(void *ctx, const char *command, struct err *err);

#endif
