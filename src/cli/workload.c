#include "cli/workload.h"

#include "cli/options.h"
#include "cli/shipped.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX     ".f"
#define READ_BYTES 65536u

static bool has_suffix(const char *word)
{
    size_t len = strlen(word);
    return len > strlen(SUFFIX) && strcmp(word + len - strlen(SUFFIX), SUFFIX) == 0;
}

static int read_all(int fd, struct text *out)
{
    char *piece = malloc(READ_BYTES);
    ssize_t got = piece ? 1 : -1;
    while (got > 0 && out->len <= LANG_TEXT_MAX) {
        got = read(fd, piece, READ_BYTES);
        if (got > 0)
            text_add_bytes(out, piece, (size_t)got);
    }
    int rc = !piece || out->failed ? -ENOMEM : got < 0 ? -errno : 0;
    free(piece);
    return rc;
}

int workload_read(const char *path, char **out, size_t *len, struct err *err)
{
    struct text text;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_sys(err, -errno, "%s", path);
    text_init(&text);
    int rc = read_all(fd, &text);
    close(fd);
    if (rc < 0)
        err_sys(err, rc, "%s", path);
    else if (text.len > LANG_TEXT_MAX)
        rc = err_set(err, -EFBIG, "%s: a workload file has at most %u MiB", path,
                     LANG_TEXT_MAX >> 20);
    *len = text.len;
    if (rc == 0)
        *out = text_take(&text);
    text_fini(&text);
    return rc;
}

static bool is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !S_ISDIR(st.st_mode);
}

static char *joined(const char *a, const char *b, const char *c)
{
    struct text text;
    text_init(&text);
    text_addf(&text, "%s%s%s", a, b, c);
    return text_take(&text);
}

static int take_shipped(const struct shipped_workload *shipped, char **text, size_t *len,
                        char **path, struct err *err)
{
    *path = joined(shipped->name, SUFFIX, "");
    *text = malloc(shipped->len + 1);
    if (!*path || !*text)
        return err_set(err, -ENOMEM, "out of memory for %s", shipped->name);
    memcpy(*text, shipped->text, shipped->len + 1);
    *len = shipped->len;
    return 0;
}

static int unknown(const char *word, struct err *err)
{
    struct nearest near = {.wish = word};
    for (unsigned i = 0; i < shipped_workloads; i++)
        nearest_try(&near, shipped_workload[i].name);
    if (near.best)
        return err_set(err, -ENOENT,
                       "%s: no such workload, nor a file of that name; did you mean %s?", word,
                       near.best);
    return err_set(err, -ENOENT,
                   "%s: no such workload, nor a file of that name; `loadline workloads` lists what "
                   "is shipped",
                   word);
}

static int take_file(char *path, char **text, size_t *len, char **shown, struct err *err)
{
    if (!path)
        return err_set(err, -ENOMEM, "out of memory");
    int rc = workload_read(path, text, len, err);
    if (rc < 0)
        free(path);
    else
        *shown = path;
    return rc;
}

/* The first of `place`/WORD and `place`/WORD.f that is there; NULL: neither. */
static char *file_of(const char *place, const char *word)
{
    char *path = joined(place, word, "");
    if (path && is_file(path))
        return path;
    free(path);
    path = joined(place, word, SUFFIX);
    if (path && is_file(path))
        return path;
    free(path);
    return NULL;
}

static int find(const char *word, char **text, size_t *len, char **shown, struct err *err)
{
    if (strchr(word, '/') || has_suffix(word))
        return take_file(strdup(word), text, len, shown, err);
    const struct shipped_workload *shipped = shipped_find(word);
    if (shipped)
        return take_shipped(shipped, text, len, shown, err);
    char *path = file_of("", word);
    return path ? take_file(path, text, len, shown, err) : unknown(word, err);
}

char *workload_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *name = strdup(slash ? slash + 1 : path);
    if (name && has_suffix(name))
        name[strlen(name) - strlen(SUFFIX)] = '\0';
    return name;
}

/* As find(), with `suite` for the working directory. */
static int find_beside(const char *suite, const char *word, char **text, size_t *len, char **shown,
                       struct err *err)
{
    const char *slash = strrchr(suite, '/');
    if (!slash || word[0] == '/' || (!strchr(word, '/') && shipped_find(word)))
        return find(word, text, len, shown, err);
    char *place = strndup(suite, (size_t)(slash + 1 - suite));
    if (!place)
        return err_set(err, -ENOMEM, "out of memory");
    bool is_path = strchr(word, '/') || has_suffix(word);
    char *path = is_path ? joined(place, word, "") : file_of(place, word);
    free(place);
    return path ? take_file(path, text, len, shown, err) : unknown(word, err);
}

int workload_open(struct workload *w, const char *word, const char *suite, struct err *err)
{
    *w = (struct workload){.name = NULL};
    int rc = suite ? find_beside(suite, word, &w->text, &w->len, &w->path, err)
                   : find(word, &w->text, &w->len, &w->path, err);
    if (rc == 0) {
        w->name = workload_name(w->path);
        rc = w->name ? 0 : err_set(err, -ENOMEM, "out of memory");
    }
    if (rc < 0)
        workload_close(w);
    return rc;
}

void workload_close(struct workload *w)
{
    free(w->name);
    free(w->path);
    free(w->text);
    *w = (struct workload){.name = NULL};
}

/* Beside the file that loads it; a shipped one lies in no directory. */
static char *file_beside(const struct workload *w, const char *name)
{
    const char *slash = strrchr(w->path, '/');
    if (!slash || name[0] == '/')
        return NULL;
    char *place = strndup(w->path, (size_t)(slash + 1 - w->path));
    char *path = place ? file_of(place, name) : NULL;
    free(place);
    return path;
}

static int load(void *ctx, const char *name, char **text, size_t *len, char **shown_as,
                struct err *err)
{
    char *path = file_beside(ctx, name);
    if (!path)
        path = file_of("", name);
    return path ? take_file(path, text, len, shown_as, err) : find(name, text, len, shown_as, err);
}

struct lang_loader workload_loader(struct workload *w)
{
    return (struct lang_loader){.load = load, .ctx = w};
}
