#include "lang/lang_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void parse_fail(struct parser *p)
{
    p->failed = true;
    p->x.next = p->x.len;
    p->tok = (struct token){.s = p->x.s + p->x.len, .at = p->tok.at};
}

void parse_next(struct parser *p)
{
    p->last = p->tok;
    p->tok = lex_next(&p->x);
}

void *parse_room(struct parser *p, void *items, unsigned n, size_t size)
{
    if (++p->parts > LANG_PARTS_MAX) {
        if (p->parts == LANG_PARTS_MAX + 1)
            lang_error(p->remarks, p->tok.at, "this is too much: more than %u parts in all",
                       LANG_PARTS_MAX);
        p->panic = true;
        p->x.next = p->x.len;
        p->tok = (struct token){.s = p->x.s + p->x.len, .at = p->tok.at};
        return NULL;
    }
    if (n > 0 && (n < 4 || (n & (n - 1)) != 0)) {
        memset((char *)items + n * size, 0, size);
        return items;
    }
    size_t room = n == 0 ? 4 : (size_t)n * 2;
    void *grown = reallocarray(items, room, size);
    if (grown)
        memset((char *)grown + n * size, 0, size);
    else
        parse_fail(p);
    return grown;
}

char *parse_copy(struct parser *p, const char *s, size_t len)
{
    char *copy = malloc(len + 1);
    if (!copy) {
        parse_fail(p);
        return NULL;
    }
    memcpy(copy, s, len);
    copy[len] = '\0';
    return copy;
}

/* ---- what is at hand ---- */

bool parse_at(const struct parser *p, const char *word)
{
    return p->tok.kind == TOKEN_WORD && p->tok.len == strlen(word) &&
           memcmp(p->tok.s, word, p->tok.len) == 0;
}

bool parse_at_mark(const struct parser *p, char mark)
{
    return p->tok.kind == TOKEN_MARK && *p->tok.s == mark;
}

bool parse_take(struct parser *p, const char *word)
{
    bool there = parse_at(p, word);
    if (there)
        parse_next(p);
    return there;
}

bool parse_take_mark(struct parser *p, char mark)
{
    bool there = parse_at_mark(p, mark);
    if (there)
        parse_next(p);
    return there;
}

bool parse_need_mark(struct parser *p, char mark)
{
    bool there = parse_take_mark(p, mark);
    if (!there)
        parse_bad(p, "'%c'", mark);
    return there;
}

const char *parse_shown(const struct token *t, char buf[PARSE_SHOWN_MAX])
{
    const char *line = memchr(t->s, '\n', t->len);
    size_t len = line ? (size_t)(line - t->s) : t->len;
    bool cut = len > 40 || len < t->len;
    if (t->kind == TOKEN_END)
        snprintf(buf, PARSE_SHOWN_MAX, "the end of the text");
    else
        snprintf(buf, PARSE_SHOWN_MAX, "'%.*s%s'", (int)(len < 40 ? len : 40), t->s,
                 cut ? "..." : "");
    return buf;
}

__attribute__((format(printf, 4, 0))) static void
say(struct parser *p, const char *found, struct lang_pos at, const char *wanted, va_list ap)
{
    struct text text;
    if (p->panic)
        return;
    p->panic = true;
    if (p->tok.kind == TOKEN_END && p->end_told)
        return;
    p->end_told |= p->tok.kind == TOKEN_END;
    text_init(&text);
    text_addv(&text, wanted, ap);
    lang_error(p->remarks, at, "%s, %s was expected", found, text.s);
    if (text.failed)
        parse_fail(p);
    text_fini(&text);
}

void parse_bad(struct parser *p, const char *wanted, ...)
{
    char shown[PARSE_SHOWN_MAX], found[PARSE_SHOWN_MAX + 16];
    va_list ap;
    snprintf(found, sizeof found, "%s was found", parse_shown(&p->tok, shown));
    va_start(ap, wanted);
    say(p, found, p->tok.at, wanted, ap);
    va_end(ap);
}

void parse_missing(struct parser *p, const char *wanted, ...)
{
    char shown[PARSE_SHOWN_MAX], found[PARSE_SHOWN_MAX + 16];
    struct lang_pos at = p->tok.at;
    va_list ap;
    bool ends = p->tok.kind == TOKEN_END || p->tok.at.line > p->last.at.line;
    if (ends && p->last.len > 0) {
        at = p->last.at;
        at.column += (uint32_t)p->last.len;
        snprintf(found, sizeof found, "the line ends");
    } else {
        snprintf(found, sizeof found, "%s was found", parse_shown(&p->tok, shown));
    }
    va_start(ap, wanted);
    say(p, found, at, wanted, ap);
    va_end(ap);
}

/* ---- going on ---- */

bool parse_at_beginning(const struct parser *p)
{
    return p->tok.kind == TOKEN_WORD && (parse_at(p, "flowop") || parse_at(p, "thread") ||
                                         lang_word_find(p->tok.s, p->tok.len) != NULL);
}

/* A word that could begin something is a value there. */
static bool behind_equals(const struct parser *p)
{
    return p->last.kind == TOKEN_MARK && *p->last.s == '=' && p->last.at.line == p->tok.at.line;
}

void parse_skip(struct parser *p)
{
    while (p->tok.kind != TOKEN_END && !parse_at_mark(p, '{') && !parse_at_mark(p, '}')) {
        bool value = behind_equals(p);
        if (!value && parse_at_beginning(p))
            break;
        parse_next(p);
    }
}

void parse_skip_block(struct parser *p)
{
    size_t depth = 0;
    do {
        depth += parse_at_mark(p, '{');
        depth -= parse_at_mark(p, '}');
        parse_next(p);
    } while (depth > 0 && p->tok.kind != TOKEN_END);
}

/* ---- commands ---- */

static void unknown_command(struct parser *p)
{
    char shown[PARSE_SHOWN_MAX];
    const char *near = p->tok.kind == TOKEN_WORD ? lang_word_nearest(p->tok.s, p->tok.len) : NULL;
    parse_shown(&p->tok, shown);
    if (parse_at(p, "thread") || parse_at(p, "flowop"))
        lang_error(p->remarks, p->tok.at, "%s was found outside a %s, a command was expected",
                   shown, parse_at(p, "thread") ? "process" : "thread");
    else if (near)
        lang_error(p->remarks, p->tok.at, "%s is no command; did you mean %s?", shown, near);
    else
        lang_error(p->remarks, p->tok.at, "%s was found, a command was expected", shown);
    p->panic = true;
}

/* Does the line at hand go on with what the line above began? */
static bool line_goes_on(const struct parser *p)
{
    bool open = p->last.kind == TOKEN_MARK && strchr(",=({", *p->last.s);
    return open || p->tok.kind == TOKEN_MARK || p->tok.kind == TOKEN_VAR ||
           attr_name_find(p->tok.s, p->tok.len) != NULL;
}

/* Behind a command that went wrong: past its line, those that go on with it, and its block. */
static void go_on(struct parser *p)
{
    uint32_t line = p->last.at.line;
    if (!p->panic)
        return;
    p->panic = false;
    while (p->tok.kind != TOKEN_END && !parse_at_mark(p, '}')) {
        bool value = behind_equals(p);
        if (parse_at_mark(p, '{')) {
            parse_skip_block(p);
            line = p->last.at.line;
            continue;
        }
        bool inner = parse_at(p, "thread") || parse_at(p, "flowop");
        if (!inner && !value && parse_at_beginning(p))
            break;
        if (!inner && p->tok.at.line > line && !line_goes_on(p))
            break;
        line = p->tok.at.line;
        parse_next(p);
    }
}

static void command(struct parser *p, struct lang_command **list, unsigned *n)
{
    struct lang_command c = {.at = p->tok.at};
    const struct lang_word *word =
        p->tok.kind == TOKEN_WORD ? lang_word_find(p->tok.s, p->tok.len) : NULL;
    if (!word) {
        unknown_command(p);
        parse_next(p);
        return;
    }
    if (word->ignored)
        lang_warn(p->remarks, c.at, "%s", word->ignored);
    parse_next(p);
    c.kind = word->kind;
    bool keep = word->parse(p, &c) && !word->ignored;
    struct lang_command *grown = keep ? parse_room(p, *list, *n, sizeof **list) : NULL;
    if (grown) {
        *list = grown;
        grown[(*n)++] = c;
    } else {
        lang_command_fini(&c);
    }
}

/* Nothing is said of one whose block was given up, because of what was found in it. */
static void stray_brace(struct parser *p)
{
    if (p->unclosed > 0)
        p->unclosed--;
    else
        lang_error(p->remarks, p->tok.at, "'}' was found without its '{', a command was expected");
    parse_next(p);
}

void parse_commands(struct parser *p, const struct token *opened, struct lang_command **list,
                    unsigned *n)
{
    while (p->tok.kind != TOKEN_END && !(opened && parse_at_mark(p, '}'))) {
        if (parse_at_mark(p, '}')) {
            stray_brace(p);
        } else if (parse_take(p, "load")) {
            parse_load(p, list, n);
        } else {
            command(p, list, n);
        }
        go_on(p);
    }
    if (opened && !parse_take_mark(p, '}'))
        parse_bad(p, "the '}' of the '{' in line %u", opened->at.line);
}
