#include "cli/result_file.h"

#include "base/text.h"
#include "store/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX_BYTES (1ull << 30)

static int read_file(const char *path, struct text *out, struct err *err)
{
    char piece[65536];
    size_t got;
    int rc = 0;
    FILE *f = fopen(path, "re");
    if (!f)
        return err_sys(err, -errno, "%s", path);
    errno = 0;
    while ((got = fread(piece, 1, sizeof(piece), f)) > 0 && out->len <= FILE_MAX_BYTES)
        text_add_bytes(out, piece, got);
    if (ferror(f))
        rc = err_sys(err, errno ? -errno : -EIO, "%s", path);
    else if (out->len > FILE_MAX_BYTES)
        rc = err_set(err, -EFBIG, "%s: larger than 1 GiB", path);
    else if (out->failed)
        rc = err_set(err, -ENOMEM, "%s: out of memory", path);
    fclose(f);
    return rc;
}

/* Length of the object that begins at s[0] == '{'; 0 when it does not end. Only braces outside
 * strings count; whether it is JSON at all is the parser's question. */
static size_t object_length(const char *s, size_t len)
{
    unsigned depth = 0;
    bool quoted = false;
    for (size_t i = 0; i < len; i++) {
        if (quoted && s[i] == '\\')
            i++;
        else if (s[i] == '"')
            quoted = !quoted;
        else if (!quoted && s[i] == '{')
            depth++;
        else if (!quoted && s[i] == '}' && --depth == 0)
            return i + 1;
    }
    return 0;
}

struct results {
    struct result **result;
    unsigned n;
    unsigned room;
};

static int add_document(struct results *list, const char *s, size_t len, struct err *err)
{
    if (list->n == list->room) {
        unsigned room = list->room ? list->room * 2 : 16;
        struct result **result = realloc(list->result, room * sizeof(*result));
        if (!result)
            return err_set(err, -ENOMEM, "out of memory");
        list->result = result;
        list->room = room;
    }
    int rc = result_parse(s, len, &list->result[list->n], err);
    if (rc >= 0)
        list->n++;
    return rc;
}

static size_t skip(const char *s, size_t at, const char *which)
{
    return at + strspn(s + at, which);
}

static int parse_all(const char *s, size_t len, struct results *list, struct err *err)
{
    size_t at = skip(s, 0, " \t\r\n");
    bool array = s[at] == '[';
    if (array)
        at = skip(s, at + 1, " \t\r\n");
    while (s[at] == '{') {
        size_t n = object_length(s + at, len - at);
        if (n == 0)
            return err_set(err, -EINVAL, "the file ends inside a result");
        int rc = add_document(list, s + at, n, err);
        if (rc < 0)
            return err_prefix(err, "result %u", list->n + 1);
        at = skip(s, at + n, array ? " \t\r\n," : " \t\r\n");
        if (!array)
            break;
    }
    if (array && s[at] == ']')
        at = skip(s, at + 1, " \t\r\n");
    else if (array)
        return err_set(err, -EINVAL, "the list of results does not end");
    if (at != len || list->n == 0)
        return err_set(err, -EINVAL, "not a file of loadline results");
    return 0;
}

int result_file_load(const char *path, struct result ***out, unsigned *n, struct err *err)
{
    struct text text;
    struct results list = {.n = 0};
    text_init(&text);
    int rc = read_file(path, &text, err);
    if (rc < 0)
        goto out;
    rc = parse_all(text.s, text.len, &list, err);
    if (rc < 0) {
        err_prefix(err, "%s", path);
        store_results_free(list.result, list.n);
        goto out;
    }
    *out = list.result;
    *n = list.n;
out:
    text_fini(&text);
    return rc;
}
