#include "report/report_priv.h"

#include "base/shown.h"

#include <stdio.h>
#include <string.h>

#define LABEL_WIDTH 14

/* UTF-8: bytes 10xxxxxx continue a character and take no column. */
static bool starts_character(char byte)
{
    return ((unsigned char)byte & 0xc0) != 0x80;
}

unsigned report_columns_width(const char *s)
{
    unsigned width = 0;

    for (; *s; s++)
        width += starts_character(*s);
    return width;
}

static void blanks(struct report_columns *c, unsigned upto)
{
    while (c->at < upto) {
        text_add(c->out, " ");
        c->at++;
    }
}

struct report_columns report_columns_begin(struct text *out, unsigned width)
{
    return (struct report_columns){.out = out, .md = report_is_md(width)};
}

static void md_cell(struct report_columns *c, const char *s, bool left)
{
    text_add(c->out, c->at == 0 ? "| " : " | ");
    text_add_md(c->out, s);
    if (left && c->at < 64)
        c->lefts |= UINT64_C(1) << c->at;
    c->at++;
}

static void put_clean(struct report_columns *c, const char *s, size_t bytes)
{
    char shown[SHOWN_MAX];

    for (size_t i = 0, len; i < bytes && (len = shown_next(s + i, shown)) > 0; i += len) {
        text_add(c->out, strncmp(s + i, shown, len) == 0 ? shown : "?");
        c->at++;
    }
}

static void gap(struct report_columns *c)
{
    if (c->at > 0)
        blanks(c, c->at + 1);
}

void report_columns_right(struct report_columns *c, unsigned end, const char *s)
{
    unsigned width = report_columns_width(s);

    if (c->md) {
        md_cell(c, s, false);
        return;
    }
    gap(c);
    if (end > width)
        blanks(c, end - width);
    put_clean(c, s, strlen(s));
}

void report_columns_left(struct report_columns *c, unsigned start, const char *s)
{
    if (c->md) {
        md_cell(c, s, true);
        return;
    }
    if (*s == '\0')
        return;
    gap(c);
    blanks(c, start);
    put_clean(c, s, strlen(s));
}

void report_columns_end(struct report_columns *c)
{
    if (!c->md)
        text_add(c->out, "\n");
    else if (c->at > 0)
        text_add(c->out, " |\n");
    c->at = 0;
}

void report_columns_head_end(struct report_columns *c)
{
    unsigned cells = c->md ? c->at : 0;

    report_columns_end(c);
    for (unsigned i = 0; i < cells; i++)
        text_add(c->out, i < 64 && (c->lefts >> i & 1) ? "|:---" : "|---:");
    text_add(c->out, cells ? "|\n" : "");
}

void report_columns_rule(struct report_columns *c, unsigned start, unsigned end)
{
    if (c->md)
        return;
    gap(c);
    blanks(c, start);
    for (; c->at < end; c->at++)
        text_add(c->out, "-");
}

/* Bytes of the first `want` characters of s. */
static size_t bytes_of(const char *s, size_t bytes, unsigned want)
{
    size_t i = 0;

    for (unsigned seen = 0; i < bytes; i++) {
        if (starts_character(s[i]) && seen++ == want)
            break;
    }
    return i;
}

static unsigned characters(const char *s, size_t bytes)
{
    unsigned n = 0;

    for (size_t i = 0; i < bytes; i++)
        n += starts_character(s[i]);
    return n;
}

/* What has more than `room` characters loses some in its middle. */
static void put_shortened(struct report_columns *c, const char *word, size_t bytes, unsigned room)
{
    unsigned all = characters(word, bytes);
    unsigned keep = (room - 3) / 2;
    size_t tail;

    if (all <= room) {
        put_clean(c, word, bytes);
        return;
    }
    tail = bytes_of(word, bytes, all - keep);
    put_clean(c, word, bytes_of(word, bytes, room - 3 - keep));
    put_clean(c, "...", 3);
    put_clean(c, word + tail, bytes - tail);
}

void report_columns_short(struct report_columns *c, unsigned start, unsigned end, const char *s)
{
    if (c->md) {
        md_cell(c, s, true);
        return;
    }
    gap(c);
    blanks(c, start);
    put_shortened(c, s, strlen(s), end - start);
}

static void put_word(struct report_columns *c, unsigned width, const char *word, size_t bytes)
{
    unsigned wants = characters(word, bytes);

    if (c->at > LABEL_WIDTH && c->at + 1 + wants > width)
        report_columns_end(c);
    if (c->at > LABEL_WIDTH)
        blanks(c, c->at + 1);
    blanks(c, LABEL_WIDTH);
    put_shortened(c, word, bytes, width - LABEL_WIDTH);
}

static void put_words(struct report_columns *c, unsigned width, const char *words)
{
    while (*words) {
        size_t bytes = strcspn(words, " \n");

        if (bytes > 0)
            put_word(c, width, words, bytes);
        words += bytes;
        words += strspn(words, " \n");
    }
}

static void text_fact(struct text *out, unsigned width, const char *label, const char *words)
{
    struct report_columns c = {.out = out};

    put_clean(&c, label, strlen(label));
    put_words(&c, width, words);
    report_columns_end(&c);
}

static void md_fact(struct text *out, const char *label, const char *words)
{
    text_add(out, "- **");
    text_add_md(out, label);
    text_add(out, ":** ");
    text_add_md(out, words);
    text_add(out, "\n");
}

void report_fact(struct text *out, unsigned width, const char *label, const char *fmt, ...)
{
    struct text words;
    va_list ap;

    text_init(&words);
    va_start(ap, fmt);
    text_addv(&words, fmt, ap);
    va_end(ap);
    if (report_is_md(width))
        md_fact(out, label, words.s);
    else
        text_fact(out, width, label, words.s);
    out->failed = out->failed || words.failed;
    text_fini(&words);
}

static void put_line(struct text *out, unsigned width, const char *fmt, va_list ap)
    __attribute__((format(printf, 3, 0)));
static void put_line(struct text *out, unsigned width, const char *fmt, va_list ap)
{
    struct report_columns c = {.out = out};
    struct text words;

    text_init(&words);
    text_addv(&words, fmt, ap);
    if (report_is_md(width))
        text_add_md(out, words.s);
    else
        put_shortened(&c, words.s, words.len, width);
    text_add(out, "\n");
    out->failed = out->failed || words.failed;
    text_fini(&words);
}

void report_line(struct text *out, unsigned width, const char *fmt, ...)
{
    va_list ap;

    text_add(out, report_is_md(width) ? "- " : "");
    va_start(ap, fmt);
    put_line(out, width, fmt, ap);
    va_end(ap);
}

void report_title(struct text *out, unsigned width, const char *fmt, ...)
{
    va_list ap;

    text_add(out, report_is_md(width) ? "### " : "");
    va_start(ap, fmt);
    put_line(out, width, fmt, ap);
    va_end(ap);
    text_add(out, report_is_md(width) ? "\n" : "");
}

void report_drawing_begin(struct text *out, unsigned width)
{
    text_add(out, report_is_md(width) ? "\n```\n" : "");
}

void report_drawing_end(struct text *out, unsigned width)
{
    text_add(out, report_is_md(width) ? "```\n\n" : "");
}

unsigned report_width(const struct report_style *style)
{
    if (style->format == REPORT_MD)
        return style->wide ? REPORT_MD_WIDE : REPORT_MD_SHORT;
    return style->wide ? REPORT_NO_LIMIT : REPORT_WIDTH;
}

bool report_is_md(unsigned width)
{
    return width == REPORT_MD_SHORT || width == REPORT_MD_WIDE;
}

bool report_is_wide(unsigned width)
{
    return width == REPORT_MD_WIDE || (width > REPORT_WIDTH && width != REPORT_MD_SHORT);
}
