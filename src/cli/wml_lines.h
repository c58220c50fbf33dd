/* cli/wml_lines.h — lines that are typed, or come through a pipe.
 * Shape    on a terminal with a prompt on stderr, editing and the history of this session; else
 *          plain lines and no prompt.
 * Errors   -errno of reading.
 * Threads  single owner; there is one terminal. */
#ifndef LOADLINE_CLI_WML_LINES_H
#define LOADLINE_CLI_WML_LINES_H

#include <stdbool.h>
#include <stddef.h>

/* Is somebody typing? */
bool wml_lines_typed(void);

/* 1: a line, the caller's, without its newline; 0: the end. `more`: it goes on with the one before. */
__attribute__((warn_unused_result)) int wml_lines_next(bool more, char **line, size_t *len);

#endif
