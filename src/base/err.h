/* base/err.h — what went wrong, in words.
 * Shape    err_set fills it once, err_prefix adds what was being done; a value of the caller's.
 * Units    code is a negative errno, the same that the function returns.
 * Limits   text is cut at ERR_TEXT_MAX bytes and ends in "..." then; control characters and what is
 *          no UTF-8 (a file name may hold them) are written out, as base/shown.h says.
 * Errors   none: every call succeeds, and a NULL struct err is accepted everywhere.
 * Threads  single owner. */
#ifndef LOADLINE_BASE_ERR_H
#define LOADLINE_BASE_ERR_H

#define ERR_TEXT_MAX 512

struct err {
    int code;                /* 0 = nothing went wrong, else -errno */
    char text[ERR_TEXT_MAX]; /* one line: what, where, what to do; no newline, no trailing dot */
};

/* Returns code, so that `return err_set(err, -EINVAL, …)` reads well. */
int err_set(struct err *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* As err_set, and adds ": " and the system's words for the errno in code. */
int err_sys(struct err *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Puts "fmt: " before the text that is already there. Returns err->code; -EINVAL for NULL, which
 * has no code, so that a failure does not turn into success. */
int err_prefix(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The short name of an errno of either sign ("EIO"); "errno 4000" when it has none, in storage that
 * the thread's next such call overwrites. */
const char *err_name(int code);

/* The errno (positive) of a short name such as "EIO", or 0 when there is none of that name. */
int err_number(const char *name);

#endif
