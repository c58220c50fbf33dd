/* base/text.h — a string that grows.
 * Shape    text_init … text_add… … text_fini; `s` is always a C string, never NULL after text_init.
 * Units    len in bytes, without the closing NUL.
 * Errors   out of memory aborts the addition and all later ones and sets `failed`; test it once,
 *          at the end.
 * Threads  single owner. */
#ifndef LOADLINE_BASE_TEXT_H
#define LOADLINE_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct text {
    char *s;
    size_t len;
    size_t room;
    bool failed;
};

void text_init(struct text *t);
void text_fini(struct text *t);
/* Empties it and keeps the room, and `failed` too. */
void text_clear(struct text *t);
void text_add(struct text *t, const char *s);
void text_add_bytes(struct text *t, const void *bytes, size_t len);
void text_addf(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void text_addv(struct text *t, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));

/* Takes the string out (the caller frees it); NULL when `failed`. The text is empty afterwards. */
char *text_take(struct text *t);

#endif
