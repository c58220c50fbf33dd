/* cli/help.h — --help from the tables that the parser reads.
 * Limits   80 columns.                           Threads  no state. */
#ifndef LOADLINE_CLI_HELP_H
#define LOADLINE_CLI_HELP_H

#include "cli/cli.h"

void help_command(struct text *out, const struct command *command);
void help_program(struct text *out, const struct command *const *commands);

/* Adds words, broken at blanks so that no line passes column 80; lines after the first begin at
 * column `indent`, and `column` is where the first one stands. Ends the line. */
void help_wrap(struct text *out, const char *words, unsigned column, unsigned indent);

#endif
