#include "cli/console.h"

#include "base/shown.h"
#include "clk/clk.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
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

void console_keep_streams(void)
{
    /* Not for writing: whoever closed a stream is told so, and no file that is opened later gets what
     * was meant for it. */
    int fd;
    do {
        fd = open("/dev/null", O_RDONLY);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

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

static int put(const struct text *text)
{
    errno = text->failed ? ENOMEM : 0;
    if (!text->failed && fwrite(text->s, 1, text->len, stdout) == text->len && fflush(stdout) == 0)
        return 0;
    return errno ? -errno : -EIO;
}

int console_out(const struct text *text)
{
    if (console.out_failed)
        return console.out_failed;
    console_line_clear();
    console.out_failed = put(text);
    if (console.out_failed)
        console_error("cannot write to stdout: %s", strerror(-console.out_failed));
    return console.out_failed;
}

int console_show(const struct text *text)
{
    int rc = put(text);
    if (rc == -EPIPE)
        return 0;
    if (rc < 0)
        console_error("cannot write to stdout: %s", strerror(-rc));
    return rc;
}

__attribute__((format(printf, 2, 0))) static void print_err(const char *prefix, const char *fmt,
                                                            va_list ap)
{
    struct text raw, shown;
    text_init(&raw);
    text_init(&shown);
    text_addv(&raw, fmt, ap);
    text_add(&shown, prefix);
    text_add_shown(&shown, raw.s);
    text_add(&shown, "\n");
    console_line_clear();
    fputs(shown.s, stderr);
    text_fini(&shown);
    text_fini(&raw);
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

void console_say(const char *fmt, ...)
{
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

static size_t terminal_columns(void)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col == 0)
        return 80;
    return size.ws_col;
}

/* Numbers are what changes: where there is little room they stay, and what they are of is cut. */
static void fit_line(struct text *out, const char *what, const char *numbers, size_t columns)
{
    size_t len = strlen(what), wants = strlen(numbers);
    size_t room = wants + 2 < columns ? columns - wants - 2 : 0;
    if (len <= room)
        text_addf(out, "%s%s%s", what, wants ? ", " : "", numbers);
    else if (room > 4)
        text_addf(out, "%.*s..., %s", (int)(room - 3), what, numbers);
    else
        text_addf(out, "%.*s", (int)MIN(columns, wants), numbers);
}

/* Whoever shows a line has more to do in time: it is dropped where writing would wait, as behind a
 * Ctrl-S or in a connection that hangs. */
static bool can_write(void)
{
    struct pollfd fd = {.fd = STDERR_FILENO, .events = POLLOUT};
    return poll(&fd, 1, 0) == 1 && (fd.revents & POLLOUT);
}

void console_line(const char *what, const char *numbers)
{
    struct text line, shown;
    if (!console_line_due())
        return;
    console.line_ns = clk_monotonic_ns();
    if (!can_write())
        return;
    text_init(&line);
    text_init(&shown);
    text_add_shown(&shown, what);
    text_add(&line, console.terminal ? "\r" : "");
    /* The last column stays free: some terminals wrap as soon as it is written. */
    size_t columns = console.terminal ? terminal_columns() - 1 : LINE_BYTES_MAX;
    fit_line(&line, shown.s, numbers, MIN(columns, LINE_BYTES_MAX - 8));
    text_add(&line, console.terminal ? "\033[K" : "\n");
    if (write(STDERR_FILENO, line.s, line.len) == (ssize_t)line.len)
        console.line_shown = console.terminal;
    text_fini(&shown);
    text_fini(&line);
}

int console_ask(const char *question)
{
    char answer[16] = "";
    struct pollfd fd = {.fd = STDIN_FILENO, .events = POLLIN};
    if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
        return 0;
    console_line_clear();
    fprintf(stderr, "%s [y/N] ", question);
    fflush(stderr);
    /* A signal is an answer as well, and poll is never restarted. */
    if (poll(&fd, 1, -1) != 1 || read(STDIN_FILENO, answer, sizeof answer - 1) <= 0)
        return 0;
    answer[strcspn(answer, "\n")] = '\0';
    return strcasecmp(answer, "y") == 0 || strcasecmp(answer, "yes") == 0;
}
