#include "cli/result_file.h"

#include "cli/console.h"

#include "result/study_file.h"
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ALL_MAX_BYTES (1ull << 30)

static bool ends_in(const char *word, const char *suffix)
{
    size_t len = strlen(word), ending = strlen(suffix);
    return len > ending && strcmp(word + len - ending, suffix) == 0;
}

bool result_file_is(const char *word)
{
    return strchr(word, '/') || ends_in(word, ".json") || ends_in(word, ".json.gz");
}

struct results {
    struct result **result;
    unsigned n;
    unsigned room;
    uint64_t bytes;
    bool headed; /* an exported study */
};

static int make_room(struct results *list, struct err *err)
{
    if (list->n < list->room)
        return 0;
    unsigned room = list->room ? list->room * 2 : 16;
    struct result **result = realloc(list->result, room * sizeof(*result));
    if (!result)
        return err_set(err, -ENOMEM, "out of memory");
    list->result = result;
    list->room = room;
    return 0;
}

static int add_result(void *ctx, struct result *r, struct err *err)
{
    struct results *list = ctx;
    int rc = make_room(list, err);
    list->bytes += strlen(r->document);
    if (rc == 0 && list->bytes > ALL_MAX_BYTES)
        rc = err_set(err, -EFBIG, "its results are larger than 1 GiB");
    if (rc < 0)
        result_free(r);
    else
        list->result[list->n++] = r;
    return rc;
}

static int see_head(void *ctx, const struct study_head *head, struct err *err)
{
    struct results *list = ctx;
    (void)head;
    (void)err;
    list->headed = true;
    return 0;
}

static int load(int fd, const char *path, struct results *list, struct err *err)
{
    struct study_tail tail = {.runs = 0};
    const struct study_file_sink sink = {.head = see_head, .run = add_result, .ctx = list};
    int rc = study_file_read(fd, &sink, &tail, err);
    if (rc == 0 && list->headed && !study_state_known(tail.state))
        console_warn("%s has no end, as that of a study that was killed: it is incomplete", path);
    if (rc == 0 && list->n == 0)
        rc = err_set(err, -ENOENT, "this study ended before its first run was done");
    /* A list is what somebody chose; of a study those count that would count in the store. */
    if (rc == 0 && list->headed && store_results_current(list->result, &list->n) < 0)
        rc = err_set(err, -ENOMEM, "out of memory");
    return rc;
}

int result_file_load(const char *path, struct result ***out, unsigned *n, struct err *err)
{
    struct results list = {.n = 0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int rc = fd < 0 ? err_sys(err, -errno, "%s", path) : load(fd, path, &list, err);
    if (fd >= 0)
        close(fd);
    if (fd >= 0 && rc < 0)
        err_prefix(err, "%s", path);
    if (rc < 0) {
        store_results_free(list.result, list.n);
        return rc;
    }
    *out = list.result;
    *n = list.n;
    return 0;
}
