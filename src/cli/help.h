/* cli/help.h — --help from the tables that the parser reads.
 * Limits   80 columns.                           Threads  no state. */
#ifndef LOADLINE_CLI_HELP_H
#define LOADLINE_CLI_HELP_H

#include "cli/cli.h"

#define HELP_EXAMPLES 3

/* What loadline itself is and some ways to begin, as help_program and its manual page say it. */
extern const char help_purpose[];
extern const char *const help_examples[HELP_EXAMPLES];

void help_command(struct text *out, const struct command *command);
void help_program(struct text *out, const struct command *const *commands);

/* What holds when the option is not given, in words; NULL: nothing to say. */
const char *help_default(const struct option_table *table, const struct option *option);
/* What the command (NULL: any) means by an exit status; NULL: it has no such one. */
const char *help_exit_words(const struct command *command, int status);

/* Adds words, broken at blanks so that no line passes column 80; lines after the first begin at
 * column `indent`, and `column` is where the first one stands. Ends the line. */
void help_wrap(struct text *out, const char *words, unsigned column, unsigned indent);

#endif
