/* A directory, driven through io_uring: many ops under way from one thread. Asked for by name, and never
 * replaced by anything else: a kernel or a container that refuses io_uring is an error. */
#include "target/catalog_priv.h"
#include "target/uring_priv.h"

#include <stdlib.h>

static int uring_caps(const char *address, struct target_caps *caps, struct err *err)
{
    if (address[0] == '\0')
        return err_set(err, -EINVAL, "uring: names no directory");
    int rc = posix_caps(address, caps, err);
    caps->blocking = false;
    return rc;
}

static int uring_open(const char *address, struct target **out, struct err *err)
{
    struct uring_target *t = calloc(1, sizeof *t);
    int rc;

    if (t == NULL)
        return err_set(err, -ENOMEM, "no memory to open uring:%s", address);
    rc = posix_target_init(&t->posix, address, err);
    if (rc == 0) {
        rc = uring_offer(address, &t->offer, err);
        if (rc < 0)
            posix_target_fini(&t->posix);
    }
    if (rc < 0) {
        free(t);
        return rc;
    }
    t->files_why_not = uring_files_why_not(t->posix.root_fd);
    *out = (struct target *)t;
    return 0;
}

static void uring_close(struct target *base)
{
    struct uring_target *t = (struct uring_target *)base;

    if (t == NULL)
        return;
    posix_target_fini(&t->posix);
    free(t);
}

const struct target_table uring_target = {
    .scheme = "uring",
    .help = "a directory through io_uring, many streams a thread: uring:/dir",
    .params = "",
    .caps = uring_caps,
    .open = uring_open,
    .close = uring_close,
    .describe = uring_describe,
    .session_open = uring_session_open,
    .session_close = uring_session_close,
    .submit = uring_submit,
    .reap = uring_reap,
    .wake = uring_wake,
    .buffers = uring_use_buffers,
    .counters = posix_counters,
    .space = posix_space,
    .lock = uring_lock,
};
