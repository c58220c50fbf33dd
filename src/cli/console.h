/* cli/console.h — the two streams: stdout is the answer, stderr is everything else.
 * Shape    console_open once; then out for the answer, note (silent with --quiet), warn and error
 *          for people, line for progress. A progress line on a terminal is taken away before
 *          anything else is printed and comes back with the next one.
 * Limits   a progress line is rewritten at most five times a second on a terminal, else printed at
 *          most every ten seconds; never with --quiet. It never waits: where stderr takes nothing
 *          just now the line is dropped. Nothing reaches stderr raw that base/shown.h writes out; an answer is its
 *          maker's.
 * Errors   console_out: -errno once stdout cannot be written, which is said on stderr one time.
 * Threads  main thread only. */
#ifndef LOADLINE_CLI_CONSOLE_H
#define LOADLINE_CLI_CONSOLE_H

#include "base/text.h"

#include <stdbool.h>

/* First of all: a standard stream that is closed is none that a file could take the place of. */
void console_keep_streams(void);
/* Before it console_out, console_warn and console_error work already. */
void console_open(bool quiet);

__attribute__((warn_unused_result)) int console_out(const struct text *text);
/* The same for what only shows what there is: a reader who has seen enough (EPIPE, as behind head)
 * is no error. */
__attribute__((warn_unused_result)) int console_show(const struct text *text);
void console_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* A line that says by itself what it is; also with --quiet. */
void console_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void console_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void console_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Wants yes (1) or no (0) from a terminal that is both read from and written to; no where there is none, and
 * at anything but y and yes. */
int console_ask(const char *question);

/* Whether a console_line now would be shown: making its text may cost more than showing it. */
bool console_line_due(void);
/* `what` is cut first where the terminal is narrow; a line never wraps. */
void console_line(const char *what, const char *numbers);
void console_line_clear(void);

#endif
