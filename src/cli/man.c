#include "cli/man.h"

#include "cli/help.h"
#include "fileset/site.h"

#include <ctype.h>
#include <string.h>

/* The code point at s; *len its bytes. Our own tables hold nothing but good UTF-8. */
static unsigned code_point(const char *s, size_t *len)
{
    const unsigned char *c = (const unsigned char *)s;
    unsigned point = c[0] < 0xe0 ? c[0] & 0x1f : c[0] < 0xf0 ? c[0] & 0x0f : c[0] & 0x07;
    *len = c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : 4;
    for (size_t i = 1; i < *len; i++)
        point = point << 6 | (c[i] & 0x3f);
    return point;
}

/* What a formatter would take for something else, or print as something else that cannot be pasted:
 * a dash that is no minus, quotes that are bent. */
static const char *roff_of(char c)
{
    switch (c) {
    case '\\':
        return "\\(rs";
    case '-':
        return "\\-";
    case '\'':
        return "\\(aq";
    case '`':
        return "\\(ga";
    case '^':
        return "\\(ha";
    case '~':
        return "\\(ti";
    case '"':
        return "\\(dq";
    default:
        return NULL;
    }
}

static void add_roff(struct text *out, const char *s)
{
    if (*s == '.')
        text_add(out, "\\&");
    for (size_t len = 1; *s; s += len, len = 1) {
        const char *escaped = roff_of(*s);
        if ((unsigned char)*s >= 0x80)
            text_addf(out, "\\[u%04X]", code_point(s, &len));
        else if (escaped)
            text_add(out, escaped);
        else
            text_add_bytes(out, s, 1);
    }
}

static void add_line(struct text *out, const char *s)
{
    add_roff(out, s);
    text_add(out, "\n");
}

static void add_section(struct text *out, const char *name)
{
    text_addf(out, ".SH %s\n", name);
}

/* A tag in bold, what follows is its paragraph. */
static void add_tag(struct text *out, const char *tag)
{
    text_add(out, ".TP\n.B \"");
    add_roff(out, tag);
    text_add(out, "\"\n");
}

static void add_page_head(struct text *out, const char *name, const char *brief)
{
    text_add(out, ".TH \"");
    for (const char *c = name; *c; c++)
        text_addf(out, "%c", toupper((unsigned char)*c));
    text_add(out, "\" 1 \"\" \"loadline " LOADLINE_VERSION "\" \"loadline manual\"\n");
    add_section(out, "NAME");
    add_roff(out, name);
    text_add(out, " \\- ");
    add_line(out, brief);
}

/* Each form of the arguments is a line of its own. */
static void add_synopsis(struct text *out, const struct command *command)
{
    struct text form;
    const char *args = command->args;
    add_section(out, "SYNOPSIS");
    do {
        const char *next = strstr(args, " | ");
        text_init(&form);
        text_add_bytes(&form, args, next ? (size_t)(next - args) : strlen(args));
        text_add(out, ".B loadline ");
        add_roff(out, command->name);
        text_add(out, "\n");
        if (form.len > 0)
            add_line(out, form.s);
        if (command->tables[0])
            text_add(out, "[options]\n");
        text_add(out, next ? ".br\n" : "");
        out->failed = out->failed || form.failed;
        text_fini(&form);
        args = next ? next + 3 : NULL;
    } while (args);
}

static void add_option(struct text *out, const struct option_table *table,
                       const struct option *option)
{
    const char *otherwise = help_default(table, option);
    struct text words;
    text_init(&words);
    option_synopsis(option, &words);
    add_tag(out, words.s);
    add_line(out, option->help);
    text_clear(&words);
    if (option->kind != OPTION_FLAG) {
        text_add(&words, "Accepts: ");
        option_accepts(option, &words);
        text_add(&words, ".");
    }
    if (otherwise)
        text_addf(&words, "%sDefault: %s.", words.len ? " " : "", otherwise);
    if (words.len > 0) {
        text_add(out, ".br\n");
        add_line(out, words.s);
    }
    out->failed = out->failed || words.failed;
    text_fini(&words);
}

static void add_options(struct text *out, const struct command *command)
{
    add_section(out, "OPTIONS");
    for (unsigned t = 0; command->tables[t]; t++) {
        const struct option_table *table = command->tables[t];
        if (table->title) {
            text_add(out, ".SS \"");
            add_roff(out, table->title);
            text_add(out, "\"\n");
        }
        for (unsigned i = 0; i < table->n; i++)
            add_option(out, table, &table->option[i]);
    }
    text_add(out, ".SS \"Help\"\n");
    add_tag(out, "-h, --help");
    add_line(out, "what there is, in short");
    if (command->tables[0]) {
        text_add(out, ".PP\n");
        add_line(out, "Sizes: k m g t are 1024, 1024^2 and so on. Times: ms s m h d.");
    }
}

static void add_examples(struct text *out, const char *const *example, unsigned n)
{
    add_section(out, "EXAMPLES");
    for (unsigned i = 0; i < n; i++) {
        text_add(out, ".PP\n.nf\n.RS\n");
        add_line(out, example[i]);
        text_add(out, ".RE\n.fi\n");
    }
}

static void add_exit_status(struct text *out, const struct command *command)
{
    const char *words;
    char status[] = "0";
    add_section(out, "EXIT STATUS");
    for (int i = 0; (words = help_exit_words(command, i)); i++) {
        status[0] = (char)('0' + i);
        add_tag(out, status);
        add_line(out, words);
    }
}

static bool has_option(const struct command *command, const char *name)
{
    for (unsigned t = 0; command->tables[t]; t++)
        for (unsigned i = 0; i < command->tables[t]->n; i++)
            if (command->tables[t]->option[i].name &&
                strcmp(command->tables[t]->option[i].name, name) == 0)
                return true;
    return false;
}

/* command NULL: of the whole program. */
static void add_surroundings(struct text *out, const struct command *command)
{
    bool keeps = !command || has_option(command, "db");
    bool measures = !command || strstr(command->args, "TARGET");
    bool lists_targets = !command || strcmp(command->name, "targets") == 0;
    if (keeps || measures || lists_targets)
        add_section(out, "FILES");
    if (keeps) {
        add_tag(out, "$XDG_DATA_HOME/loadline/results.db");
        add_line(out, "where results are kept, unless --db says otherwise");
    }
    if (measures) {
        add_tag(out, "TARGET/" SITE_PREFIX "ID/");
        add_line(out, "everything that loadline makes on a target lies in there, beside the marker "
                      ".loadline that says whose it is; `loadline clean TARGET` removes what a "
                      "killed run left");
    }
    if (lists_targets) {
        add_tag(out, "PREFIX/share/loadline/profiles/");
        add_line(out, "the modelled systems that are shipped, to be read and copied; docs/sim.md "
                      "beside README.md says what stands in them");
    }
    if (!keeps)
        return;
    add_section(out, "ENVIRONMENT");
    add_tag(out, "XDG_DATA_HOME");
    add_line(out, "the directory of results; HOME/.local/share where it is not set");
    add_tag(out, "TMPDIR");
    add_line(out, "where the own overhead of a system call is measured, in a file of one byte");
    add_tag(out, "TERM");
    add_line(out, "dumb: the progress line is never rewritten");
}

static void add_see_also(struct text *out, const struct command *command)
{
    add_section(out, "SEE ALSO");
    if (command)
        text_add(out, ".BR loadline (1)");
    for (unsigned i = 0, n = command ? 1 : 0; all_commands[i]; i++) {
        if (all_commands[i] == command || all_commands[i]->hidden)
            continue;
        text_addf(out, "%s.BR loadline\\-", n++ ? ",\n" : "");
        add_roff(out, all_commands[i]->name);
        text_add(out, " (1)");
    }
    text_add(out, "\n");
}

void man_command(struct text *out, const struct command *command)
{
    struct text name;
    text_init(&name);
    text_addf(&name, "loadline-%s", command->name);
    add_page_head(out, name.s, command->brief);
    add_synopsis(out, command);
    add_section(out, "DESCRIPTION");
    add_line(out, command->summary);
    add_options(out, command);
    add_examples(out, command->example, 2);
    add_exit_status(out, command);
    add_surroundings(out, command);
    add_see_also(out, command);
    out->failed = out->failed || name.failed;
    text_fini(&name);
}

void man_program(struct text *out)
{
    add_page_head(out, "loadline", help_purpose);
    add_section(out, "SYNOPSIS");
    text_add(out, ".B loadline\nCOMMAND [arguments] [options]\n.br\n.B loadline\nhelp [COMMAND]\n"
                  ".br\n.B loadline\n\\-\\-version\n");
    add_section(out, "DESCRIPTION");
    add_line(
        out,
        "Measures a directory, a block device or a directory of an NFS server with real reads "
        "and writes, says how sure each number is, and where the bytes came from; or rehearses "
        "on a modelled storage system, sim:NAME, in time of its own. stdout is the answer and "
        "nothing else; progress and warnings go to stderr.");
    add_section(out, "COMMANDS");
    for (unsigned i = 0; all_commands[i]; i++) {
        struct text synopsis;
        if (all_commands[i]->hidden)
            continue;
        text_init(&synopsis);
        text_addf(&synopsis, "%s %s", all_commands[i]->name, all_commands[i]->args);
        add_tag(out, synopsis.s);
        add_line(out, all_commands[i]->brief);
        text_fini(&synopsis);
    }
    add_examples(out, help_examples, HELP_EXAMPLES);
    add_exit_status(out, NULL);
    add_surroundings(out, NULL);
    add_see_also(out, NULL);
}
