#include "base/err.h"

#include "base/shown.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Numbers that have more than one name; the C library knows only one of them. */
static const struct {
    const char *name;
    int number;
} aliases[] = {
    {"EWOULDBLOCK", EWOULDBLOCK},
    {"ENOTSUP", ENOTSUP},
    {"EDEADLOCK", EDEADLOCK},
};

/* The kernel returns no errno above this (MAX_ERRNO). */
#define ERRNO_MAX 4095

/* Room for what did not fit to be noticed; the caller's arguments may lie in the struct itself. */
struct draft {
    char text[2 * ERR_TEXT_MAX];
    size_t len;
};

__attribute__((format(printf, 2, 0))) static void draft_addv(struct draft *d, const char *fmt,
                                                             va_list ap)
{
    size_t room = sizeof d->text - d->len;
    int n = vsnprintf(d->text + d->len, room, fmt, ap);
    if (n > 0) {
        d->len += (size_t)n < room ? (size_t)n : room - 1;
    }
}

__attribute__((format(printf, 2, 3))) static void draft_add(struct draft *d, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    draft_addv(d, fmt, ap);
    va_end(ap);
}

/* A file name may hold anything, also a newline or an escape sequence for somebody's terminal. */
static void draft_store(struct draft *d, struct err *err)
{
    char out[SHOWN_MAX];
    size_t at = 0;
    size_t uncut = 0; /* where "..." still fits */
    const char *s = d->text;
    for (size_t len; (len = shown_next(s, out)) > 0 && at + strlen(out) < ERR_TEXT_MAX; s += len) {
        memcpy(err->text + at, out, strlen(out));
        at += strlen(out);
        if (at + 3 < ERR_TEXT_MAX)
            uncut = at;
    }
    if (*s) {
        memcpy(err->text + uncut, "...", 3);
        at = uncut + 3;
    }
    err->text[at] = '\0';
}

int err_set(struct err *err, int code, const char *fmt, ...)
{
    if (!err) {
        return code;
    }
    struct draft d = {.len = 0};
    va_list ap;
    va_start(ap, fmt);
    draft_addv(&d, fmt, ap);
    va_end(ap);
    err->code = code;
    draft_store(&d, err);
    return code;
}

int err_sys(struct err *err, int code, const char *fmt, ...)
{
    if (!err) {
        return code;
    }
    struct draft d = {.len = 0};
    va_list ap;
    va_start(ap, fmt);
    draft_addv(&d, fmt, ap);
    va_end(ap);
    int number = code < 0 ? -code : code;
    const char *words = strerrordesc_np(number);
    if (words) {
        draft_add(&d, ": %s", words);
    } else {
        draft_add(&d, ": %s", err_name(number));
    }
    err->code = code;
    draft_store(&d, err);
    return code;
}

int err_prefix(struct err *err, const char *fmt, ...)
{
    if (!err) {
        return -EINVAL;
    }
    struct draft d = {.len = 0};
    va_list ap;
    va_start(ap, fmt);
    draft_addv(&d, fmt, ap);
    va_end(ap);
    if (err->text[0]) {
        draft_add(&d, ": %s", err->text);
    }
    draft_store(&d, err);
    return err->code;
}

const char *err_name(int code)
{
    static _Thread_local char unnamed[24];
    unsigned number = code < 0 ? 0u - (unsigned)code : (unsigned)code;
    const char *name = number <= ERRNO_MAX ? strerrorname_np((int)number) : NULL;
    if (name) {
        return name;
    }
    snprintf(unnamed, sizeof unnamed, "errno %u", number);
    return unnamed;
}

int err_number(const char *name)
{
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++) {
        if (strcmp(name, aliases[i].name) == 0) {
            return aliases[i].number;
        }
    }
    for (int number = 1; number <= ERRNO_MAX; number++) {
        const char *known = strerrorname_np(number);
        if (known && strcmp(name, known) == 0) {
            return number;
        }
    }
    return 0;
}
