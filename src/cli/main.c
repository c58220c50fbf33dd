#include "cli/cli.h"
#include "cli/console.h"
#include "cli/help.h"
#include "cli/stopping.h"
#include "target/caller.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

const struct command *const all_commands[] = {
    &cmd_limits,     &cmd_quick,    &cmd_dirtest,     &cmd_readtest, &cmd_io,      &cmd_run,
    &cmd_array_test, &cmd_wml,      &cmd_compare,     &cmd_baseline, &cmd_history, &cmd_mark,
    &cmd_list,       &cmd_show,     &cmd_export,      &cmd_import,   &cmd_clean,   &cmd_targets,
    &cmd_workloads,  &cmd_selftest, &cmd_completions, &cmd_complete, &cmd_man,     NULL,
};

int cli_status(int code, bool begun)
{
    return code == -EINVAL && !begun ? CLI_USAGE : CLI_COULD_NOT_RUN;
}

static int print(struct text *text)
{
    int rc = console_show(text);
    text_fini(text);
    return rc < 0 ? CLI_COULD_NOT_RUN : CLI_DONE;
}

static int print_help(const struct command *command)
{
    struct text text;
    text_init(&text);
    if (command)
        help_command(&text, command);
    else
        help_program(&text, all_commands);
    return print(&text);
}

static int print_version(void)
{
    struct text text;
    text_init(&text);
    text_add(&text, "loadline " LOADLINE_VERSION "\n");
    return print(&text);
}

static int refuse(const struct command *command, const char *what)
{
    console_error("%s", what);
    console_error("`loadline %s --help` shows what there is", command->name);
    return CLI_USAGE;
}

static bool stands_for_args(const struct command *command, const struct options_parsed *parsed)
{
    unsigned given = 0;
    for (unsigned t = 0; command->tables[t]; t++)
        given |= parsed->given[t];
    return (given & OPTION_INSTEAD_OF_ARGS) != 0;
}

bool command_parse(const struct command *command, int argc, char **argv,
                   struct options_parsed *parsed, int *status)
{
    struct err err = {0};
    struct text missing;
    if (options_parse(command->tables, argc, argv, command->args_max, parsed, &err) < 0) {
        *status = refuse(command, err.text);
        return false;
    }
    if (parsed->help) {
        *status = print_help(command);
        return false;
    }
    if (parsed->n_args >= command->args_min || stands_for_args(command, parsed))
        return true;
    text_init(&missing);
    if (command->lacks)
        text_addf(&missing, "%s: %s", command->name, command->lacks);
    else
        text_addf(&missing, "%s: %s is missing", command->name, command->args);
    *status = refuse(command, missing.s);
    text_fini(&missing);
    return false;
}

const struct command *command_find(const char *name)
{
    for (unsigned i = 0; all_commands[i]; i++)
        if (strcmp(all_commands[i]->name, name) == 0)
            return all_commands[i];
    return NULL;
}

static int unknown_command(const char *name)
{
    struct nearest near = {.wish = name};
    for (unsigned i = 0; all_commands[i]; i++)
        if (!all_commands[i]->hidden)
            nearest_try(&near, all_commands[i]->name);
    if (near.best)
        console_error("%s: no such command; did you mean %s?", name, near.best);
    else
        console_error("%s: no such command; `loadline --help` lists them", name);
    return CLI_USAGE;
}

static int refuse_more(const char *word)
{
    console_error("%s: --version stands alone", word);
    return CLI_USAGE;
}

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
}

static bool read_id(const char *name, uint32_t *out)
{
    const char *text = getenv(name);
    char *end;
    if (!text || *text < '0' || *text > '9')
        return false;
    unsigned long long id = strtoull(text, &end, 10);
    *out = (uint32_t)id;
    return *end == '\0' && id < UINT32_MAX;
}

/* Who typed `sudo` wants to be root here, not at a server of files. */
static void heed_sudo(void)
{
    uint32_t uid;
    uint32_t gid;
    if (geteuid() == 0 && read_id("SUDO_UID", &uid) && read_id("SUDO_GID", &gid))
        target_caller_set(uid, gid);
}

/* To a program with a capability of its own (ports below 1024) the kernel closes even its own account,
 * /proc/self/io, from which results take what was read from storage. There is no secret in it. */
static void keep_own_account(void)
{
    if (prctl(PR_GET_DUMPABLE) == 0 || prctl(PR_GET_DUMPABLE) == 2)
        (void)prctl(PR_SET_DUMPABLE, 1);
}

int main(int argc, char **argv)
{
    console_keep_streams();
    keep_own_account();
    heed_sudo();
    stopping_not_by_writing();
    if (argc < 2) {
        console_error("a command is missing; `loadline --help` lists them");
        return CLI_USAGE;
    }
    const char *word = argv[1];
    if (strcmp(word, "--version") == 0)
        return argc == 2 ? print_version() : refuse_more(argv[2]);
    bool help = is_help(word);
    if (help && argc < 3)
        return print_help(NULL);
    const struct command *command = command_find(help ? argv[2] : word);
    if (!command)
        return unknown_command(help ? argv[2] : word);
    return help ? print_help(command) : command->run(command, argc - 2, argv + 2);
}
