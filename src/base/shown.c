#include "base/shown.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool follows(unsigned char c)
{
    return (c & 0xc0) == 0x80;
}

/* Length of the UTF-8 sequence at s, 0 when it is none. Neither longer forms than needed, surrogates,
 * nor what lies above U+10FFFF. */
static size_t utf8_len(const unsigned char *s)
{
    if (s[0] < 0x80)
        return 1;
    if (s[0] >= 0xc2 && s[0] <= 0xdf)
        return follows(s[1]) ? 2 : 0;
    if (s[0] >= 0xe0 && s[0] <= 0xef) {
        bool fits = !(s[0] == 0xe0 && s[1] < 0xa0) && !(s[0] == 0xed && s[1] > 0x9f);
        return follows(s[1]) && fits && follows(s[2]) ? 3 : 0;
    }
    if (s[0] >= 0xf0 && s[0] <= 0xf4) {
        bool fits = !(s[0] == 0xf0 && s[1] < 0x90) && !(s[0] == 0xf4 && s[1] > 0x8f);
        return follows(s[1]) && fits && follows(s[2]) && follows(s[3]) ? 4 : 0;
    }
    return 0;
}

/* What turns the direction of the text after it: a label could hide its end, or look like another. */
static bool turns_text(const unsigned char *s)
{
    if (s[0] == 0xd8)
        return s[1] == 0x9c;
    if (s[0] != 0xe2)
        return false;
    if (s[1] == 0x80)
        return s[2] == 0x8e || s[2] == 0x8f || (s[2] >= 0xaa && s[2] <= 0xae);
    return s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9;
}

static bool is_control(const unsigned char *s)
{
    return s[0] < ' ' || s[0] == 0x7f || (s[0] == 0xc2 && s[1] < 0xa0) || turns_text(s);
}

size_t shown_next(const char *s, char out[SHOWN_MAX])
{
    const unsigned char *c = (const unsigned char *)s;
    size_t len = *c ? utf8_len(c) : 0;
    if (*c && (len == 0 || is_control(c))) {
        snprintf(out, SHOWN_MAX, "\\x%02x", *c);
        return 1;
    }
    memcpy(out, s, len);
    out[len] = '\0';
    return len;
}

bool shown_as_is(const char *s)
{
    char out[SHOWN_MAX];
    for (size_t len; (len = shown_next(s, out)) > 0; s += len)
        if (strncmp(s, out, len) != 0)
            return false;
    return true;
}

void text_add_shown_cut(struct text *t, const char *s, size_t most)
{
    char shown[SHOWN_MAX];
    size_t used = 0;

    for (size_t len; (len = shown_next(s, shown)) > 0; s += len) {
        used += strlen(shown);
        text_add(t, used <= most ? shown : "…");
        if (used > most)
            return;
    }
}

void text_add_shown(struct text *t, const char *s)
{
    char out[SHOWN_MAX];
    for (size_t len; (len = shown_next(s, out)) > 0; s += len)
        text_add(t, out);
}

/* Underscores inside a word mean nothing, > only where a line begins, and a page full of \_ is no pleasure to read as text. */
static bool md_means_something(const char *s, bool word_before)
{
    static const char special[] = "\\|`*<[]&~$#";
    if (*s == '_')
        return !word_before || !isalnum((unsigned char)s[1]);
    return strchr(special, *s) != NULL;
}

void text_add_md(struct text *t, const char *s)
{
    char out[SHOWN_MAX];
    bool word_before = false;
    for (size_t len; (len = shown_next(s, out)) > 0; s += len) {
        bool as_is = strncmp(s, out, len) == 0;
        if (!as_is || md_means_something(s, word_before))
            text_add(t, "\\");
        text_add(t, out);
        word_before = isalnum((unsigned char)*s) != 0;
    }
}

/* Single quotes keep all but themselves; what may not be shown needs $'…', which bash, zsh and ksh
 * know. */
static void add_quoted(struct text *t, const char *s, bool plain)
{
    char out[SHOWN_MAX];
    text_add(t, plain ? "'" : "$'");
    for (size_t len; (len = shown_next(s, out)) > 0; s += len) {
        if (*s == '\'')
            text_add(t, plain ? "'\\''" : "\\'");
        else if (*s == '\\' && !plain)
            text_add(t, "\\\\");
        else
            text_add(t, out);
    }
    text_add(t, "'");
}

void text_add_shell_word(struct text *t, const char *s)
{
    static const char bare[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                               "-_=+./,:@%";
    if (*s && s[strspn(s, bare)] == '\0')
        text_add(t, s);
    else
        add_quoted(t, s, shown_as_is(s));
}
