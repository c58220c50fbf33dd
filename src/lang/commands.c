#include "lang/lang_priv.h"

#include "base/nearest.h"

#include <stdlib.h>
#include <string.h>

/* ---- set ---- */

static bool take_word(struct parser *p, struct lang_command *c, const char *const *words,
                      const char *wanted)
{
    for (unsigned i = 0; words[i]; i++)
        if (parse_take(p, words[i])) {
            c->word = parse_copy(p, words[i], strlen(words[i]));
            return true;
        }
    parse_missing(p, "%s", wanted);
    return false;
}

static bool parse_mode(struct parser *p, struct lang_command *c)
{
    static const char *const modes[] = {"nousestats", NULL};
    static const char *const ends[] = {"timeout", "firstdone", "alldone", NULL};
    c->kind = LANG_SET_MODE;
    if (parse_take(p, "quit"))
        return take_word(p, c, ends, "timeout, firstdone or alldone");
    return take_word(p, c, modes, "'quit' or 'nousestats'");
}

static bool take_variable(struct parser *p, struct lang_command *c)
{
    struct lex_var var;
    if (p->tok.kind != TOKEN_VAR) {
        parse_missing(p, "a variable ($name)");
        return false;
    }
    lex_variable(p->tok.s, p->tok.len, &var);
    c->name = parse_copy(p, var.name, var.name_len);
    if (var.suffix) {
        c->suffix = parse_copy(p, var.suffix, var.suffix_len);
        p->tree->signs |= LANG_SIGN_14;
    }
    if (var.braces)
        p->tree->signs |= LANG_SIGN_14;
    if (var.paren)
        lang_error(p->remarks, p->tok.at, "$(%s) is of the environment, $%s was expected", c->name,
                   c->name);
    parse_next(p);
    return true;
}

/* randvar(…) and cvar(…) are words everywhere else. */
static bool at_distribution(const struct parser *p)
{
    const char *s = p->tok.s + p->tok.len;
    const char *end = p->x.s + p->x.len;
    if (!parse_at(p, "randvar") && !parse_at(p, "cvar"))
        return false;
    while (s < end && (*s == ' ' || (*s >= '\t' && *s <= '\r')))
        s++;
    return s < end && *s == '(';
}

static bool parse_set(struct parser *p, struct lang_command *c)
{
    if (parse_take(p, "mode"))
        return parse_mode(p, c);
    if (!take_variable(p, c) || !parse_need_mark(p, '='))
        return false;
    if (!at_distribution(p)) {
        parse_value(p, VALUE_SUM, &c->value);
        return true;
    }
    enum lang_value_kind kind = parse_at(p, "cvar") ? LANG_CVAR : LANG_RANDVAR;
    parse_next(p);
    parse_distribution(p, kind, &c->value);
    return true;
}

/* ---- things of a whole workload ---- */

static bool take_processes(struct parser *p)
{
    return parse_take(p, "process") || parse_take(p, "processes");
}

static bool take_files(struct parser *p)
{
    return parse_take(p, "files") || parse_take(p, "file") || parse_take(p, "filesets") ||
           parse_take(p, "fileset");
}

static bool parse_which(struct parser *p, struct lang_command *c)
{
    bool processes = take_processes(p);
    if (!processes && !take_files(p)) {
        parse_missing(p, "files, filesets or processes");
        return false;
    }
    if (processes)
        p->tree->signs |= LANG_SIGN_14;
    c->word = processes ? parse_copy(p, "processes", 9) : parse_copy(p, "files", 5);
    return true;
}

static bool parse_eventgen(struct parser *p, struct lang_command *c)
{
    parse_attrs(p, ENTITY_EVENTGEN, &c->attrs);
    return true;
}

static bool parse_run(struct parser *p, struct lang_command *c)
{
    c->given = parse_at_count(p);
    if (c->given)
        parse_count(p, &c->value, NULL);
    return true;
}

static bool parse_psrun(struct parser *p, struct lang_command *c)
{
    p->tree->signs |= LANG_SIGN_15;
    c->given = parse_at_count(p);
    if (c->given)
        parse_count(p, &c->value, &c->negative);
    c->given2 = c->given && parse_at_count(p);
    if (c->given2)
        parse_count(p, &c->value2, NULL);
    return true;
}

static bool parse_number(struct parser *p, struct lang_command *c)
{
    parse_count(p, &c->value, NULL);
    return !p->panic;
}

static bool parse_warmup(struct parser *p, struct lang_command *c)
{
    p->tree->signs |= LANG_SIGN_14;
    return parse_number(p, c);
}

static bool parse_shown_text(struct parser *p, struct lang_command *c)
{
    if (!parse_at_value(p)) {
        parse_missing(p, "\"text\"");
        return false;
    }
    parse_value(p, VALUE_SHOWN, &c->value);
    return true;
}

static bool parse_usage(struct parser *p, struct lang_command *c)
{
    p->tree->signs |= LANG_SIGN_14;
    return parse_shown_text(p, c);
}

static bool parse_stats(struct parser *p, struct lang_command *c)
{
    static const char *const heeded[] = {"clear", "snap", NULL};
    static const char *const others[] = {"directory", "dump", "xmldump", "multidump"};
    p->tree->signs |= LANG_SIGN_14;
    if (parse_take(p, "command")) {
        lang_warn(p->remarks, c->at,
                  "stats command is not heeded: nothing is started beside a run");
        parse_value(p, VALUE_SHOWN, &c->value);
        return false;
    }
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
        if (parse_take(p, others[i])) {
            lang_warn(
                p->remarks, c->at,
                "stats %s is not heeded: every result is kept, and `loadline export` writes it",
                others[i]);
            parse_value(p, VALUE_WORD, &c->value);
            return false;
        }
    return take_word(p, c, heeded, "clear or snap");
}

static bool parse_enable(struct parser *p, struct lang_command *c)
{
    if (parse_take(p, "lathist")) {
        p->tree->signs |= LANG_SIGN_15;
        return true;
    }
    if (!parse_take(p, "multi")) {
        parse_missing(p, "'lathist'");
        return false;
    }
    lang_warn(p->remarks, c->at, "enable multi is not heeded: this is one client alone");
    parse_attrs(p, ENTITY_MULTI, &c->attrs);
    return false;
}

static bool parse_sync(struct parser *p, struct lang_command *c)
{
    parse_attrs(p, ENTITY_SYNC, &c->attrs);
    return false;
}

static bool parse_list(struct parser *p, struct lang_command *c)
{
    bool flowops = parse_take(p, "flowop");
    if (!flowops)
        (void)take_files(p);
    c->word = flowops ? parse_copy(p, "flowop", 6) : parse_copy(p, "fileset", 7);
    return true;
}

static bool parse_system_attrs(struct parser *p, struct lang_command *c)
{
    p->tree->signs |= LANG_SIGN_14;
    if (p->tok.kind == TOKEN_WORD && p->tok.at.line == c->at.line)
        parse_attrs(p, ENTITY_SYSTEM, &c->attrs);
    return true;
}

static bool parse_nothing(struct parser *p, struct lang_command *c)
{
    (void)p;
    (void)c;
    return true;
}

static bool parse_help(struct parser *p, struct lang_command *c)
{
    if (p->tok.kind == TOKEN_WORD && p->tok.at.line == c->at.line)
        parse_next(p);
    return false;
}

/* ---- foreach ---- */

static void foreach_items(struct parser *p, struct lang_command *c)
{
    do {
        struct lang_value *grown = parse_room(p, c->item, c->items, sizeof *grown);
        if (!grown)
            return;
        c->item = grown;
        parse_value(p, VALUE_PLAIN, &grown[c->items++]);
    } while (!p->panic && parse_take_mark(p, ','));
}

static bool parse_foreach(struct parser *p, struct lang_command *c)
{
    if (!take_variable(p, c))
        return false;
    if (c->suffix)
        lang_error(p->remarks, c->at, "$%s.%s cannot be counted with, $name was expected", c->name,
                   c->suffix);
    if (!parse_take(p, "in")) {
        parse_missing(p, "'in'");
        return false;
    }
    foreach_items(p, c);
    if (p->panic)
        parse_skip(p);
    p->panic = p->panic && !parse_at_mark(p, '{');
    struct token opened = p->tok;
    if (p->nest == LANG_NEST_MAX) {
        lang_error(p->remarks, c->at, "loops are nested more than %u deep", LANG_NEST_MAX);
        if (parse_at_mark(p, '{'))
            parse_skip_block(p);
        return false;
    }
    if (!parse_need_mark(p, '{'))
        return false;
    p->nest++;
    parse_commands(p, &opened, &c->command, &c->commands);
    p->nest--;
    return true;
}

/* ---- all of them ---- */

static const struct lang_word words[] = {
    {"set", LANG_SET, parse_set, NULL},
    {"define", LANG_DEFINE_FILE, parse_define, NULL},
    {"create", LANG_CREATE, parse_which, NULL},
    {"shutdown", LANG_SHUTDOWN, parse_which, NULL},
    {"eventgen", LANG_EVENTGEN, parse_eventgen, NULL},
    {"run", LANG_RUN, parse_run, NULL},
    {"psrun", LANG_PSRUN, parse_psrun, NULL},
    {"sleep", LANG_SLEEP, parse_number, NULL},
    {"warmup", LANG_WARMUP, parse_warmup, NULL},
    {"system", LANG_SYSTEM, parse_shown_text, NULL},
    {"echo", LANG_ECHO, parse_shown_text, NULL},
    {"log", LANG_LOG, parse_shown_text, NULL},
    {"usage", LANG_USAGE, parse_usage, NULL},
    {"stats", LANG_STATS, parse_stats, NULL},
    {"foreach", LANG_FOREACH, parse_foreach, NULL},
    {"load", LANG_QUIT, parse_nothing, NULL}, /* parse_commands takes it */
    {"fsflush", LANG_FSFLUSH, parse_system_attrs, NULL},
    {"enable", LANG_ENABLE_LATHIST, parse_enable, NULL},
    {"list", LANG_LIST, parse_list, NULL},
    {"debug", LANG_DEBUG, parse_number, NULL},
    {"version", LANG_VERSION, parse_nothing, NULL},
    {"vars", LANG_VARS, parse_nothing, NULL},
    {"quit", LANG_QUIT, parse_nothing, NULL},
    {"exit", LANG_QUIT, parse_nothing, NULL},
    {"help", LANG_QUIT, parse_help, "help is not heeded: `loadline help run` has it"},
    {"fscheck", LANG_FSFLUSH, parse_system_attrs,
     "fscheck is not heeded: no file system is unmounted and checked here"},
    {"domultisync", LANG_QUIT, parse_sync, "domultisync is not heeded: this is one client alone"},
    {"enable_osprof", LANG_QUIT, parse_nothing,
     "enable_osprof is not heeded: every flowop has its histogram"},
    {"disable_osprof", LANG_QUIT, parse_nothing,
     "disable_osprof is not heeded: every flowop has its histogram"},
};

#define WORDS (sizeof words / sizeof *words)

const struct lang_word *lang_word_find(const char *s, size_t len)
{
    for (size_t i = 0; i < WORDS; i++)
        if (strlen(words[i].word) == len && memcmp(words[i].word, s, len) == 0)
            return &words[i];
    return NULL;
}

const char *lang_word_nearest(const char *s, size_t len)
{
    char wish[32];
    struct nearest near = {.wish = wish};
    if (len >= sizeof wish)
        return NULL;
    memcpy(wish, s, len);
    wish[len] = '\0';
    for (size_t i = 0; i < WORDS; i++)
        nearest_try(&near, words[i].word);
    return near.best;
}
