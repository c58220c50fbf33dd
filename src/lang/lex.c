#include "lang/lang_priv.h"

#include <string.h>

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name(char c)
{
    return is_letter(c) || is_digit(c) || c == '_';
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* A byte above 0x7f is part of a character of some name of somebody's. */
static bool is_word(char c, bool first)
{
    return is_name(c) || (c != '\0' && strchr("/-.", c)) || (unsigned char)c >= 0x80 ||
           (!first && (c == ':' || c == ';'));
}

static bool is_mark(char c)
{
    return c != '\0' && strchr("=,{}()+*", c);
}

void lex_begin(struct lexer *x, const char *text, size_t len, uint32_t file,
               struct lang_remarks *remarks)
{
    *x = (struct lexer){.s = text, .len = len, .line = 1, .file = file, .remarks = remarks};
    if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        x->next = x->line_start = 3;
}

static struct lang_pos position(const struct lexer *x)
{
    return (struct lang_pos){x->file, x->line, (uint32_t)(x->next - x->line_start) + 1};
}

static void pass(struct lexer *x)
{
    if (x->s[x->next++] == '\n') {
        x->line++;
        x->line_start = x->next;
    }
}

static void pass_blanks(struct lexer *x)
{
    while (x->next < x->len) {
        if (x->s[x->next] == '#') {
            const char *end = memchr(x->s + x->next, '\n', x->len - x->next);
            x->next = end ? (size_t)(end - x->s) : x->len;
        } else if (is_blank(x->s[x->next])) {
            pass(x);
        } else {
            break;
        }
    }
}

size_t lex_variable(const char *s, size_t len, struct lex_var *out)
{
    static const char *const suffixes[] = {"type", "randsrc", "seed",  "min",
                                           "mean", "gamma",   "round", NULL};
    char closing = '\0';
    size_t at = 1;
    *out = (struct lex_var){.name = s};
    if (at < len && (s[at] == '{' || s[at] == '('))
        closing = s[at++] == '{' ? '}' : ')';
    size_t begin = at;
    if (at == len || !(is_letter(s[at]) || (closing && s[at] == '_')))
        return 0;
    while (at < len && is_name(s[at]))
        at++;
    /* "$dir_" is $dir and an underscore. */
    while (!closing && s[at - 1] == '_')
        at--;
    out->name = s + begin;
    out->name_len = at - begin;
    size_t end = at + 1;
    while (end < len && is_name(s[end]))
        end++;
    bool part = closing == '}';
    for (unsigned i = 0; at < len && s[at] == '.' && !closing && suffixes[i]; i++)
        part |= end - at - 1 == strlen(suffixes[i]) &&
                memcmp(s + at + 1, suffixes[i], end - at - 1) == 0;
    if (part && at < len && s[at] == '.' && end > at + 1) {
        out->suffix = s + at + 1;
        out->suffix_len = end - at - 1;
        at = end;
    }
    if (!closing)
        return at;
    out->paren = closing == ')';
    out->braces = closing == '}';
    return at < len && s[at] == closing ? at + 1 : 0;
}

enum lex_number lex_integer(const char *s, size_t len, uint64_t *out, bool *upper)
{
    static const char units[] = "kmgt";
    uint64_t value = 0;
    bool large = false;
    size_t at = 0;
    for (; at < len && is_digit(s[at]); at++)
        large |= __builtin_mul_overflow(value, 10, &value) ||
                 __builtin_add_overflow(value, (uint64_t)(s[at] - '0'), &value);
    if (at == 0 || at + 1 < len)
        return LEX_NO_NUMBER;
    *upper = false;
    if (at < len) {
        char unit = s[at] >= 'A' && s[at] <= 'Z' ? (char)(s[at] - 'A' + 'a') : s[at];
        const char *found = unit ? strchr(units, unit) : NULL;
        if (!found)
            return LEX_NO_NUMBER;
        *upper = unit != s[at];
        large |= __builtin_mul_overflow(value, UINT64_C(1024) << (10 * (found - units)), &value);
    }
    *out = value;
    return large || value > INT64_MAX ? LEX_TOO_LARGE : LEX_NUMBER;
}

/* An unclosed string ends with its line, so that the lines below are read as what they are. */
static void lex_string(struct lexer *x, struct token *t)
{
    const char *rest = t->s + 1;
    size_t left = x->len - x->next - 1;
    const char *end = memchr(rest, '"', left);
    t->closed = end != NULL;
    if (!end) {
        lang_error(x->remarks, t->at, "this text has no end, a closing '\"' was expected");
        end = memchr(rest, '\n', left);
    }
    if (memchr(t->s, '\0', (size_t)((end ? end : x->s + x->len) - t->s)))
        lang_error(x->remarks, t->at, "a zero byte was found in this text");
    size_t stop = end ? (size_t)(end - x->s) + t->closed : x->len;
    while (x->next < stop)
        pass(x);
}

static bool is_start(const struct lexer *x)
{
    struct lex_var var;
    char c = x->s[x->next];
    return is_word(c, true) || is_mark(c) || is_blank(c) || c == '"' || c == '#' ||
           (c == '$' && lex_variable(x->s + x->next, x->len - x->next, &var) > 0);
}

/* One remark for all that stand together. */
static void lex_strange(struct lexer *x)
{
    struct lang_pos at = position(x);
    const char *s = x->s + x->next;
    while (x->next < x->len && !is_start(x))
        x->next++;
    size_t len = (size_t)(x->s + x->next - s);
    if (*s == '$')
        lang_error(x->remarks, at, "'$' without a name behind it, $name or ${name} was expected");
    else if (*s == ';')
        lang_error(x->remarks, at, "';' was found, a command needs no end");
    else if (*s == '\0')
        lang_error(x->remarks, at, "a zero byte was found, text was expected");
    else
        lang_error(x->remarks, at,
                   "'%.*s' can begin nothing, a word, $name or \"text\" was expected",
                   (int)(len < 20 ? len : 20), s);
}

/* ':' and ';' begin no word, but go on with one whose first part is a variable: mean:$m;gamma:1.5 */
static bool goes_on(const struct lexer *x)
{
    size_t left = x->len - x->next;
    const char *s = x->s + x->next;
    return x->behind_variable && left > 1 && (*s == ':' || *s == ';') &&
           (is_word(s[1], false) || s[1] == '$');
}

struct token lex_next(struct lexer *x)
{
    size_t before = x->next;
    struct lex_var var;
    bool within = goes_on(x);
    x->behind_variable = false;
    pass_blanks(x);
    while (!within && x->next < x->len && !is_start(x)) {
        lex_strange(x);
        pass_blanks(x);
    }
    struct token t = {.s = x->s + x->next, .at = position(x), .glued = x->next == before};
    if (x->next == x->len)
        return t;
    char c = *t.s;
    if (c == '"') {
        t.kind = TOKEN_STRING;
        lex_string(x, &t);
    } else if (c == '$') {
        t.kind = TOKEN_VAR;
        x->behind_variable = true;
        x->next += lex_variable(t.s, x->len - x->next, &var);
    } else if (is_mark(c)) {
        t.kind = TOKEN_MARK;
        x->next++;
    } else {
        t.kind = TOKEN_WORD;
        while (x->next < x->len && is_word(x->s[x->next], false))
            x->next++;
    }
    t.len = (size_t)(x->s + x->next - t.s);
    return t;
}
