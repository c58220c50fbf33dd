#include "cli/console.h"
#include "cli/man.h"

#include <string.h>

static const struct option_table *const tables[] = {NULL};

static int run(const struct command *self, int argc, char **argv)
{
    struct options_parsed parsed = {.n_args = 0};
    struct text text;
    int status = 0;
    if (!command_parse(self, argc, argv, &parsed, &status))
        return status;
    const char *name = parsed.n_args > 0 ? parsed.args[0] : NULL;
    const struct command *command = name ? command_find(name) : NULL;
    if (name && (!command || command->hidden)) {
        console_error("man %s: no such command; `loadline --help` lists them", name);
        return CLI_USAGE;
    }
    text_init(&text);
    if (command)
        man_command(&text, command);
    else
        man_program(&text);
    int rc = console_show(&text);
    text_fini(&text);
    return rc < 0 ? CLI_COULD_NOT_RUN : CLI_DONE;
}

const struct command cmd_man = {
    .name = "man",
    .brief = "a manual page's source",
    .summary = "Prints the source of the manual page of a command, or of loadline itself; `make "
               "install` puts them where man looks.",
    .args = "[COMMAND]",
    .args_max = 1,
    .hidden = true,
    .example = {"loadline man dirtest | man -l -", "loadline man > loadline.1"},
    .tables = tables,
    .run = run,
};
