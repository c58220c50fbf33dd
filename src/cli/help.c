#include "cli/help.h"

#include <string.h>

#define COLUMNS 80
#define INDENT  26

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

static void add_option(struct text *out, const struct option_table *table,
                       const struct option *option)
{
    struct text synopsis, words;
    text_init(&synopsis);
    text_init(&words);
    option_synopsis(option, &synopsis);
    text_add(&words, option->help);
    const char *otherwise = option->otherwise ? option->otherwise : option->initial;
    if (otherwise && table->otherwise)
        otherwise = table->otherwise;
    if (otherwise)
        text_addf(&words, " (default: %s)", otherwise);
    add_entry(out, synopsis.s, words.s);
    text_fini(&words);
    text_fini(&synopsis);
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
    text_add(out, "\nExit status: 0 done, 1 usage, 2 could not run, 3 ran but invalid or "
                  "incomplete\n");
}

void help_program(struct text *out, const struct command *const *commands)
{
    text_add(out, "Examples\n"
                  "  loadline dirtest /mnt/filer      trees of small to large files\n"
                  "  loadline io /mnt/filer --read 70 --block 8k --streams 32 --time 60s\n\n"
                  "loadline COMMAND [arguments] [options]\n"
                  "  Measures how much load a storage system carries.\n\nCommands\n");
    for (unsigned i = 0; commands[i]; i++) {
        struct text synopsis;
        text_init(&synopsis);
        text_addf(&synopsis, "%s %s", commands[i]->name, commands[i]->args);
        add_entry(out, synopsis.s, commands[i]->brief);
        text_fini(&synopsis);
    }
    text_add(out, "\n`loadline COMMAND --help` shows a command's options; `loadline --version`.\n");
}
