#include "lang/lang.h"

#include <string.h>

static void add_attrs(const struct lang_attrs *attrs, struct text *out);

static void add_variable(const struct lang_value *v, bool braces, struct text *out)
{
    text_add(out, v->paren ? "$(" : braces ? "${" : "$");
    text_add(out, v->text);
    if (v->suffix)
        text_addf(out, ".%s", v->suffix);
    text_add(out, v->paren ? ")" : braces ? "}" : "");
}

static void add_quoted(const char *s, struct text *out)
{
    for (; *s; s++)
        if (*s == '\n')
            text_add(out, "\\n");
        else if (*s == '$')
            text_add(out, "\\$");
        else
            text_add_bytes(out, s, 1);
}

static void add_pieces(const struct lang_value *v, struct text *out)
{
    const struct lang_value *piece = v->kind == LANG_JOIN ? v->item : v;
    unsigned n = v->kind == LANG_JOIN ? v->n : 1;
    for (unsigned i = 0; i < n; i++)
        if (piece[i].kind == LANG_VAR)
            add_variable(&piece[i], n > 1 || piece[i].suffix, out);
        else if (v->quoted)
            add_quoted(piece[i].text, out);
        else
            text_add(out, piece[i].text);
}

static void add_table(const struct lang_value *v, struct text *out)
{
    text_add(out, "{");
    for (unsigned i = 0; i < v->rows; i++)
        text_addf(out, "%s{%llu,%llu,%llu}", i > 0 ? "," : "",
                  (unsigned long long)v->row[i].percent, (unsigned long long)v->row[i].low,
                  (unsigned long long)v->row[i].high);
    text_add(out, "}");
}

static void add_value(const struct lang_value *v, struct text *out)
{
    switch (v->kind) {
    case LANG_INT:
        text_addf(out, "%llu", (unsigned long long)v->integer);
        break;
    case LANG_BOOL:
        text_add(out, v->boolean ? "true" : "false");
        break;
    case LANG_TEXT:
    case LANG_VAR:
    case LANG_JOIN:
        text_add(out, v->quoted ? "\"" : "");
        add_pieces(v, out);
        text_add(out, v->quoted ? "\"" : "");
        break;
    case LANG_ARITH:
        add_value(&v->item[0], out);
        text_addf(out, " %c ", v->op);
        add_value(&v->item[1], out);
        break;
    case LANG_RANDVAR:
    case LANG_CVAR:
        text_add(out, v->kind == LANG_CVAR ? "cvar(" : "randvar(");
        add_attrs(&v->attrs, out);
        text_add(out, ")");
        break;
    case LANG_TABLE:
        add_table(v, out);
        break;
    }
}

static void add_attrs(const struct lang_attrs *attrs, struct text *out)
{
    for (unsigned i = 0; i < attrs->n; i++) {
        const struct lang_attr *attr = &attrs->attr[i];
        text_addf(out, "%s%s%s", i > 0 ? "," : "", attr->local ? "$" : "", attr->name);
        if (!attr->given)
            continue;
        text_add(out, "=");
        add_value(&attr->value, out);
    }
}

static void add_indent(unsigned depth, struct text *out)
{
    for (unsigned i = 0; i < depth; i++)
        text_add(out, "  ");
}

static void add_flowops(const struct lang_flowop *flowop, unsigned n, unsigned depth,
                        struct text *out)
{
    text_add(out, " {\n");
    for (unsigned i = 0; i < n; i++) {
        add_indent(depth + 1, out);
        text_addf(out, "flowop %s ", flowop[i].type);
        add_attrs(&flowop[i].attrs, out);
        text_add(out, "\n");
    }
    add_indent(depth, out);
    text_add(out, "}");
}

static void add_threads(const struct lang_command *c, unsigned depth, struct text *out)
{
    text_add(out, " {\n");
    for (unsigned i = 0; i < c->threads; i++) {
        add_indent(depth + 1, out);
        text_add(out, "thread ");
        add_attrs(&c->thread[i].attrs, out);
        add_flowops(c->thread[i].flowop, c->thread[i].flowops, depth + 1, out);
        text_add(out, "\n");
    }
    add_indent(depth, out);
    text_add(out, "}");
}

static void add_set(const struct lang_command *c, struct text *out)
{
    if (c->by_define) {
        text_addf(out, "define randvar name=$%s%s", c->name, c->value.attrs.n > 0 ? "," : "");
        add_attrs(&c->value.attrs, out);
        return;
    }
    text_addf(out, "set $%s%s%s=", c->name, c->suffix ? "." : "", c->suffix ? c->suffix : "");
    add_value(&c->value, out);
}

static void add_commands(const struct lang_command *command, unsigned n, unsigned depth,
                         struct text *out);

static void add_foreach(const struct lang_command *c, unsigned depth, struct text *out)
{
    text_addf(out, "foreach $%s in ", c->name);
    for (unsigned i = 0; i < c->items; i++) {
        text_add(out, i > 0 ? "," : "");
        add_value(&c->item[i], out);
    }
    text_add(out, " {\n");
    add_commands(c->command, c->commands, depth + 1, out);
    add_indent(depth, out);
    text_add(out, "}");
}

static void add_run(const struct lang_command *c, const char *word, struct text *out)
{
    text_add(out, word);
    if (c->given) {
        text_add(out, c->negative ? " -" : " ");
        add_value(&c->value, out);
    }
    if (c->given2) {
        text_add(out, " ");
        add_value(&c->value2, out);
    }
}

/* A command of one word, and what stands behind it. */
static const char *plain_word(enum lang_command_kind kind)
{
    static const char *const word[] = {
        [LANG_SET_MODE] = "set mode ",
        [LANG_DEFINE_FILE] = "define file ",
        [LANG_DEFINE_FILESET] = "define fileset ",
        [LANG_DEFINE_PROCESS] = "define process ",
        [LANG_DEFINE_FLOWOP] = "define flowop ",
        [LANG_CREATE] = "create ",
        [LANG_SHUTDOWN] = "shutdown ",
        [LANG_EVENTGEN] = "eventgen ",
        [LANG_SLEEP] = "sleep ",
        [LANG_WARMUP] = "warmup ",
        [LANG_SYSTEM] = "system ",
        [LANG_ECHO] = "echo ",
        [LANG_LOG] = "log ",
        [LANG_USAGE] = "usage ",
        [LANG_STATS] = "stats ",
        [LANG_FSFLUSH] = "fsflush ",
        [LANG_ENABLE_LATHIST] = "enable lathist",
        [LANG_LIST] = "list ",
        [LANG_DEBUG] = "debug ",
        [LANG_VERSION] = "version",
        [LANG_VARS] = "vars",
        [LANG_QUIT] = "quit",
    };
    return word[kind];
}

static void add_plain(const struct lang_command *c, unsigned depth, struct text *out)
{
    text_add(out, plain_word(c->kind));
    if (c->kind == LANG_SET_MODE && strcmp(c->word, "nousestats") != 0)
        text_add(out, "quit ");
    if (c->word)
        text_add(out, c->word);
    add_attrs(&c->attrs, out);
    if (c->kind == LANG_SLEEP || c->kind == LANG_WARMUP || c->kind == LANG_DEBUG ||
        c->kind == LANG_SYSTEM || c->kind == LANG_ECHO || c->kind == LANG_LOG ||
        c->kind == LANG_USAGE)
        add_value(&c->value, out);
    if (c->kind == LANG_DEFINE_PROCESS)
        add_threads(c, depth, out);
    if (c->kind == LANG_DEFINE_FLOWOP)
        add_flowops(c->flowop, c->flowops, depth, out);
}

static void add_commands(const struct lang_command *command, unsigned n, unsigned depth,
                         struct text *out)
{
    for (unsigned i = 0; i < n; i++) {
        const struct lang_command *c = &command[i];
        add_indent(depth, out);
        if (c->kind == LANG_SET)
            add_set(c, out);
        else if (c->kind == LANG_FOREACH)
            add_foreach(c, depth, out);
        else if (c->kind == LANG_RUN || c->kind == LANG_PSRUN)
            add_run(c, c->kind == LANG_RUN ? "run" : "psrun", out);
        else
            add_plain(c, depth, out);
        text_add(out, "\n");
    }
}

void lang_text(const struct lang_tree *tree, struct text *out)
{
    add_commands(tree->command, tree->commands, 0, out);
}
