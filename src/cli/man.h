/* cli/man.h — manual pages from the tables that the parser reads.
 * Shape    man(7) macros, for groff and mandoc alike; ASCII only.
 * Errors   those of base/text.h.                 Threads  no state.
 * Source   tests/cli/test_man.py looks for every option of every command. */
#ifndef LOADLINE_CLI_MAN_H
#define LOADLINE_CLI_MAN_H

#include "cli/cli.h"

/* loadline-NAME(1). */
void man_command(struct text *out, const struct command *command);
/* loadline(1). */
void man_program(struct text *out);

#endif
