#include "cli/help.h"

#include <string.h>

#define COLUMNS 80
#define INDENT  26

const char help_purpose[] = "Measures how much load a storage system carries";
const char *const help_examples[HELP_EXAMPLES] = {
    "loadline dirtest /mnt/filer      trees of small to large files",
    "loadline dirtest nfs://filer/export   of an NFS server, nothing mounted",
    "loadline io /mnt/filer --read 70 --block 8k --streams 32 --time 60s",
};

void help_wrap(struct text *out, const char *words, unsigned column, unsigned indent)
{
    bool first = true;
    while (*words) {
        size_t len = strcspn(words, " ");
        if (!first && column + 1 + len > COLUMNS) {
            text_addf(out, "\n%*s", (int)indent, "");
            column = indent;
            first = true;
        }
        text_addf(out, "%s%.*s", first ? "" : " ", (int)len, words);
        column += (unsigned)len + !first;
        first = false;
        words += len;
        words += strspn(words, " ");
    }
    text_add(out, "\n");
}

static void add_entry(struct text *out, const char *synopsis, const char *words)
{
    unsigned column = 2 + (unsigned)strlen(synopsis);
    text_addf(out, "  %s", synopsis);
    if (column + 2 > INDENT) {
        text_add(out, "\n");
        column = 0;
    }
    text_addf(out, "%*s", (int)(INDENT - column), "");
    help_wrap(out, words, INDENT, INDENT);
}

const char *help_default(const struct option_table *table, const struct option *option)
{
    const char *otherwise = option->otherwise ? option->otherwise : option->initial;
    return otherwise && table->otherwise ? table->otherwise : otherwise;
}

static void add_option(struct text *out, const struct option_table *table,
                       const struct option *option)
{
    struct text synopsis, words;
    text_init(&synopsis);
    text_init(&words);
    option_synopsis(option, &synopsis);
    text_add(&words, option->help);
    const char *otherwise = help_default(table, option);
    if (otherwise)
        text_addf(&words, " (default: %s)", otherwise);
    add_entry(out, synopsis.s, words.s);
    text_fini(&words);
    text_fini(&synopsis);
}

static const char *const exit_words[] = {
    [CLI_DONE] = "done",
    [CLI_USAGE] = "usage",
    [CLI_COULD_NOT_RUN] = "could not run",
    [CLI_NOT_VALID] = "ran but invalid or incomplete",
    [CLI_FAILED] = "a comparison or threshold failed",
    [CLI_CANNOT_TELL] = "cannot tell",
};

const char *help_exit_words(const struct command *command, int status)
{
    int last = command && !command->judges ? CLI_NOT_VALID : CLI_CANNOT_TELL;
    return status < 0 || status > last ? NULL : exit_words[status];
}

static void add_exit_status(struct text *out, const struct command *command)
{
    struct text words;
    const char *meaning;
    text_init(&words);
    for (int i = 0; (meaning = help_exit_words(command, i)); i++)
        text_addf(&words, "%s%d %s", i ? ", " : "Exit status: ", i, meaning);
    text_add(out, "\n");
    help_wrap(out, words.s, 0, 0);
    text_fini(&words);
}

void help_command(struct text *out, const struct command *command)
{
    text_addf(out, "Examples\n  %s\n  %s\n\n", command->example[0], command->example[1]);
    text_addf(out, "loadline %s%s%s%s\n", command->name, *command->args ? " " : "", command->args,
              command->tables[0] ? " [options]" : "");
    text_add(out, "  ");
    help_wrap(out, command->summary, 2, 2);
    for (unsigned t = 0; command->tables[t]; t++) {
        if (command->tables[t]->title)
            text_addf(out, "\n%s\n", command->tables[t]->title);
        for (unsigned i = 0; i < command->tables[t]->n; i++)
            add_option(out, command->tables[t], &command->tables[t]->option[i]);
    }
    if (command->tables[0])
        text_add(out, "\nSizes: k m g t are 1024, 1024^2 and so on. Times: ms s m h d.\n");
    add_exit_status(out, command);
}

void help_program(struct text *out, const struct command *const *commands)
{
    text_add(out, "Examples\n");
    for (unsigned i = 0; i < HELP_EXAMPLES; i++)
        text_addf(out, "  %s\n", help_examples[i]);
    text_addf(out, "\nloadline COMMAND [arguments] [options]\n  %s.\n\nCommands\n", help_purpose);
    for (unsigned i = 0; commands[i]; i++) {
        struct text synopsis;
        if (commands[i]->hidden)
            continue;
        text_init(&synopsis);
        text_addf(&synopsis, "%s %s", commands[i]->name, commands[i]->args);
        add_entry(out, synopsis.s, commands[i]->brief);
        text_fini(&synopsis);
    }
    text_add(out, "\nTARGET is a directory, or an address as `loadline targets` lists them.\n"
                  "`loadline COMMAND --help` shows a command's options; `loadline --version`.\n");
}
