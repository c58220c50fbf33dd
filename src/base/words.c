#include "base/words.h"

#include "base/shown.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What shown_next leaves as it is may be printed; of all else it takes one byte, a control character
 * or a part of none that is good. */
static size_t add_character(struct text *t, const char *s)
{
    char out[SHOWN_MAX];
    size_t len = shown_next(s, out);
    unsigned char first = (unsigned char)*s;
    if (*s == '"' || *s == '\\')
        text_addf(t, "\\%c", *s);
    else if (memcmp(out, s, len) == 0 && out[len] == '\0')
        text_add_bytes(t, s, len);
    else
        text_addf(t, first < 0x80 ? "\\u%04x" : "\\udc%02x", first);
    return len;
}

void text_add_json_string(struct text *t, const char *s)
{
    text_add(t, "\"");
    while (*s)
        s += add_character(t, s);
    text_add(t, "\"");
}

void words_print(struct text *t, const char *first, char *const *word, unsigned n)
{
    text_add(t, "[");
    if (first)
        text_add_json_string(t, first);
    for (unsigned i = 0; i < n; i++) {
        text_add(t, first || i > 0 ? "," : "");
        text_add_json_string(t, word[i]);
    }
    text_add(t, "]");
}

static bool hex4(const char *s, unsigned *out)
{
    unsigned v = 0;
    for (int i = 0; i < 4; i++) {
        const char *digits = "0123456789abcdef";
        const char *at = s[i] ? strchr(digits, s[i] | 0x20) : NULL;
        if (!at)
            return false;
        v = v << 4 | (unsigned)(at - digits);
    }
    *out = v;
    return true;
}

static void add_code(struct text *t, unsigned code)
{
    if (code >= 0xdc80 && code <= 0xdcff)
        text_add_bytes(t, &(char){(char)(code & 0xff)}, 1);
    else if (code < 0x80)
        text_add_bytes(t, &(char){(char)code}, 1);
    else if (code < 0x800)
        text_addf(t, "%c%c", 0xc0 | code >> 6, 0x80 | (code & 0x3f));
    else
        text_addf(t, "%c%c%c", 0xe0 | code >> 12, 0x80 | (code >> 6 & 0x3f), 0x80 | (code & 0x3f));
}

/* Behind a backslash. Returns what is behind the escape; NULL: no such escape. Pairs of surrogates,
 * which words_print never writes, are not read. */
static const char *read_escape(struct text *t, const char *s)
{
    static const char letters[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
    const char *at = *s ? strchr(letters, *s) : NULL;
    unsigned code = 0;
    if (at) {
        text_add_bytes(t, &means[at - letters], 1);
        return s + 1;
    }
    if (*s != 'u' || !hex4(s + 1, &code) || code == 0 ||
        (code >= 0xd800 && code <= 0xdfff && (code < 0xdc80 || code > 0xdcff)))
        return NULL;
    add_code(t, code);
    return s + 5;
}

/* Behind the opening quote. Returns what is behind the closing one. */
static const char *read_word(struct text *t, const char *s)
{
    while (s && *s && *s != '"') {
        if (*s == '\\')
            s = read_escape(t, s + 1);
        else
            text_add_bytes(t, s++, 1);
    }
    return s && *s == '"' ? s + 1 : NULL;
}

static int add_word(struct text *t, char ***list, unsigned *n)
{
    char **more = realloc(*list, (*n + 2) * sizeof *more);
    if (!more)
        return -ENOMEM;
    *list = more;
    more[*n] = text_take(t);
    more[*n + 1] = NULL;
    return more[(*n)++] ? 0 : -ENOMEM;
}

static const char *skip_blanks(const char *s)
{
    return s + strspn(s, " \t\r\n");
}

/* From behind '[' to the end. */
static int read_list(const char *s, char ***list, unsigned *n)
{
    bool more = *(s = skip_blanks(s)) != ']';
    while (more) {
        struct text word;
        text_init(&word);
        s = *s == '"' ? read_word(&word, s + 1) : NULL;
        int rc = s ? add_word(&word, list, n) : -EINVAL;
        text_fini(&word);
        if (rc < 0)
            return rc;
        s = skip_blanks(s);
        more = *s == ',';
        if (more)
            s = skip_blanks(s + 1);
    }
    return *s == ']' && !*skip_blanks(s + 1) ? 0 : -EINVAL;
}

int words_parse(const char *json, char ***out, unsigned *n)
{
    const char *s = skip_blanks(json);
    char **list = calloc(1, sizeof *list);
    unsigned have = 0;
    int rc = !list ? -ENOMEM : *s == '[' ? read_list(s + 1, &list, &have) : -EINVAL;
    if (rc < 0) {
        words_free(list);
        return rc;
    }
    *out = list;
    *n = have;
    return 0;
}

void words_free(char **word)
{
    for (unsigned i = 0; word && word[i]; i++)
        free(word[i]);
    free(word);
}
