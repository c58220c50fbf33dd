#include "base/text.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_ROOM_MIN 64

/* What `s` is while nothing is allocated (room 0); never written to. */
static char text_empty[1];

/* Makes room for `more` bytes and the NUL. */
static bool text_grow(struct text *t, size_t more)
{
    if (t->failed) {
        return false;
    }
    if (more >= PTRDIFF_MAX - t->len) {
        t->failed = true;
        return false;
    }
    size_t need = t->len + more + 1;
    if (need <= t->room) {
        return true;
    }
    size_t room = t->room ? t->room : TEXT_ROOM_MIN;
    while (room < need) {
        room *= 2;
    }
    char *s = realloc(t->room ? t->s : NULL, room);
    if (!s) {
        t->failed = true;
        return false;
    }
    s[t->len] = '\0';
    t->s = s;
    t->room = room;
    return true;
}

void text_init(struct text *t)
{
    *t = (struct text){.s = text_empty};
}

void text_fini(struct text *t)
{
    if (t->room) {
        free(t->s);
    }
    text_init(t);
}

void text_clear(struct text *t)
{
    t->len = 0;
    if (t->room) {
        t->s[0] = '\0';
    }
}

void text_add(struct text *t, const char *s)
{
    text_add_bytes(t, s, strlen(s));
}

void text_add_bytes(struct text *t, const void *bytes, size_t len)
{
    if (len == 0 || !text_grow(t, len)) {
        return;
    }
    memcpy(t->s + t->len, bytes, len);
    t->len += len;
    t->s[t->len] = '\0';
}

void text_addf(struct text *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    text_addv(t, fmt, ap);
    va_end(ap);
}

void text_addv(struct text *t, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int len = vsnprintf(NULL, 0, fmt, ap);
    if (len < 0) {
        t->failed = true;
    } else if (len > 0 && text_grow(t, (size_t)len)) {
        vsnprintf(t->s + t->len, (size_t)len + 1, fmt, again);
        t->len += (size_t)len;
    }
    va_end(again);
}

char *text_take(struct text *t)
{
    char *taken = NULL;
    if (!t->failed) {
        taken = t->room ? t->s : calloc(1, 1);
    }
    if (!taken && t->room) {
        free(t->s);
    }
    text_init(t);
    return taken;
}
