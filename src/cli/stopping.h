/* cli/stopping.h — SIGINT, SIGTERM and SIGHUP: once to end with the results so far, twice to end at once.
 * Shape    stopping_begin installs the handlers, stopping_end puts back what was there and forgets the wish.
 * Limits   signals within 0.3 s of the first one are taken for the same wish.
 * Threads  the flags may be read from any thread. */
#ifndef LOADLINE_CLI_STOPPING_H
#define LOADLINE_CLI_STOPPING_H

#include <stdatomic.h>

void stopping_begin(void);
void stopping_end(void);
/* A closed pipe (SIGPIPE) and a file above the limit of the shell (SIGXFSZ) are then errors of write like
 * any other, and can be said. */
void stopping_not_by_writing(void);
/* Asks for the same end as a first signal does. */
void stopping_ask(void);

/* Non-zero once asked. */
const atomic_int *stopping_flag(void);

#endif
