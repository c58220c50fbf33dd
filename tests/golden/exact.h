/* golden/exact.h — compares a text with golden/report/NAME.exact.
 * Shape    with BLESS=1 in the environment the file is rewritten instead.
 * Errors   a difference fails the test and names the first line that differs. */
#ifndef LOADLINE_GOLDEN_EXACT_H
#define LOADLINE_GOLDEN_EXACT_H

#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static inline void exact_path(struct text *path, const char *name)
{
    const char *slash = strrchr(__FILE__, '/');

    text_init(path);
    text_addf(path, "%.*s/report/%s.exact", (int)(slash - __FILE__), __FILE__, name);
    assert_false(path->failed);
}

static inline void exact_write(const char *path, const char *s)
{
    FILE *file = fopen(path, "w");

    if (!file)
        fail_msg("cannot write %s", path);
    assert_int_equal(strlen(s), fwrite(s, 1, strlen(s), file));
    assert_int_equal(0, fclose(file));
}

static inline void exact_read(const char *path, struct text *out)
{
    char chunk[4096];
    size_t got;
    FILE *file = fopen(path, "r");

    if (!file)
        fail_msg("cannot read %s; BLESS=1 writes it", path);
    while ((got = fread(chunk, 1, sizeof chunk, file)) > 0)
        text_add_bytes(out, chunk, got);
    fclose(file);
}

static inline unsigned exact_first_difference(const char *a, const char *b)
{
    unsigned line = 1;

    for (; *a && *a == *b; a++, b++)
        line += *a == '\n';
    return line;
}

static inline void exact(const char *name, const char *got)
{
    const char *bless = getenv("BLESS");
    struct text path;
    struct text wanted;

    exact_path(&path, name);
    text_init(&wanted);
    if (bless && strcmp(bless, "1") == 0) {
        exact_write(path.s, got);
    } else {
        exact_read(path.s, &wanted);
        if (strcmp(wanted.s, got) != 0)
            fail_msg("%s: line %u differs; now it is\n%s", path.s,
                     exact_first_difference(wanted.s, got), got);
    }
    text_fini(&wanted);
    text_fini(&path);
}

#endif
