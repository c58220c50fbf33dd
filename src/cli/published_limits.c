#include "cli/published_limits.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX_BYTES (1u << 20)

static int refuse(const char *word, struct err *err)
{
    struct text names;
    text_init(&names);
    for (unsigned i = 0; limits_published_name(i); i++)
        text_addf(&names, "%s%s", i ? ", " : "", limits_published_name(i));
    int rc =
        err_set(err, -EINVAL, "--published %s: neither a .csv file nor one of %s", word, names.s);
    text_fini(&names);
    return rc;
}

static int read_text(int fd, struct text *out)
{
    char part[4096];
    for (;;) {
        ssize_t n = read(fd, part, sizeof part);
        if (n <= 0)
            return n < 0 ? -errno : 0;
        if (memchr(part, '\0', (size_t)n) || out->len + (size_t)n > FILE_MAX_BYTES)
            return -EINVAL;
        text_add_bytes(out, part, (size_t)n);
    }
}

int published_limits_load(const char *word, struct limits_published *out, struct err *err)
{
    struct text text;
    size_t len = strlen(word);
    if (limits_published_find(word, out))
        return 0;
    if (!strchr(word, '/') && (len < 5 || strcmp(word + len - 4, ".csv") != 0))
        return refuse(word, err);
    int fd = open(word, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return err_sys(err, -errno, "--published %s", word);
    text_init(&text);
    int rc = read_text(fd, &text);
    close(fd);
    if (rc == -EINVAL)
        err_set(err, rc, "--published %s: no text, or larger than 1 MiB", word);
    else if (rc < 0)
        err_sys(err, rc, "--published %s", word);
    else
        rc = limits_published_parse(word, text.s ? text.s : "", out, err);
    text_fini(&text);
    return rc;
}
