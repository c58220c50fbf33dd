#include "cli/console.h"

#include "clk/clk.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/param.h>
#include <unistd.h>

#define TERMINAL_EVERY_NS 200000000ull
#define PLAIN_EVERY_NS    10000000000ull
#define LINE_BYTES_MAX    512 /* a pipe that is ready takes this much without waiting */

static struct {
    bool quiet;
    bool terminal;
    bool line_shown;
    int out_failed; /* -errno */
    uint64_t line_ns;
} console;

void console_open(bool quiet)
{
    const char *term = getenv("TERM");
    console.quiet = quiet;
    console.terminal = isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
    console.line_ns = clk_monotonic_ns();
}

void console_line_clear(void)
{
    if (!console.line_shown)
        return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    console.line_shown = false;
}

int console_out(const struct text *text)
{
    if (console.out_failed)
        return console.out_failed;
    console_line_clear();
    errno = text->failed ? ENOMEM : 0;
    if (!text->failed && fwrite(text->s, 1, text->len, stdout) == text->len && fflush(stdout) == 0)
        return 0;
    console.out_failed = errno ? -errno : -EIO;
    console_error("cannot write to stdout: %s", strerror(-console.out_failed));
    return console.out_failed;
}

__attribute__((format(printf, 2, 0))) static void print_err(const char *prefix, const char *fmt,
                                                            va_list ap)
{
    console_line_clear();
    fputs(prefix, stderr);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
}

void console_note(const char *fmt, ...)
{
    if (console.quiet)
        return;
    va_list ap;
    va_start(ap, fmt);
    print_err("", fmt, ap);
    va_end(ap);
}

void console_warn(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    print_err("loadline: warning: ", fmt, ap);
    va_end(ap);
}

void console_error(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    print_err("loadline: ", fmt, ap);
    va_end(ap);
}

bool console_line_due(void)
{
    uint64_t every = console.terminal ? TERMINAL_EVERY_NS : PLAIN_EVERY_NS;
    return !console.quiet && clk_monotonic_ns() - console.line_ns >= every;
}

static int terminal_columns(void)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col < 20)
        return 80;
    return size.ws_col;
}

/* Whoever shows a line has more to do in time: it is dropped where writing would wait, as behind a
 * Ctrl-S or in a connection that hangs. */
static bool can_write(void)
{
    struct pollfd fd = {.fd = STDERR_FILENO, .events = POLLOUT};
    return poll(&fd, 1, 0) == 1 && (fd.revents & POLLOUT);
}

void console_line(const char *text)
{
    char line[LINE_BYTES_MAX];
    if (!console_line_due())
        return;
    console.line_ns = clk_monotonic_ns();
    if (!can_write())
        return;
    /* The last column stays free: some terminals wrap as soon as it is written. */
    int n = console.terminal
                ? snprintf(line, sizeof line, "\r%.*s\033[K", terminal_columns() - 1, text)
                : snprintf(line, sizeof line, "%s\n", text);
    size_t len = n < 0 ? 0 : MIN((size_t)n, sizeof line - 1);
    if (write(STDERR_FILENO, line, len) == (ssize_t)len)
        console.line_shown = console.terminal;
}
