/* A directory, driven by plain libc calls, one at a time: the reference for all other ways in.
 * The kernel moves at most 2 GiB − 4 KiB a call; more comes back short. */
#include "target/catalog_priv.h"
#include "target/posix_priv.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static struct posix_session *posix_session_of(struct session *s)
{
    return (struct posix_session *)s;
}

static struct posix_target *posix_target_of(struct target *t)
{
    return (struct posix_target *)t;
}

static int posix_open(const char *address, struct target **out, struct err *err)
{
    struct posix_target *t = calloc(1, sizeof *t);
    int rc;

    if (t == NULL)
        return err_set(err, -ENOMEM, "no memory to open %s", address);
    rc = posix_target_init(t, address, err);
    if (rc < 0)
        free(t);
    else
        *out = (struct target *)t;
    return rc;
}

static void posix_close(struct target *base)
{
    struct posix_target *t = posix_target_of(base);

    if (t == NULL)
        return;
    posix_target_fini(t);
    free(t);
}

static void posix_session_close(struct session *base)
{
    struct posix_session *s = posix_session_of(base);

    if (s == NULL)
        return;
    blocking_close(&s->blocking);
    posix_listing_end(&s->listing);
    posix_seat_close(&s->seat);
    free(s);
}

/* Ops on an open file, and all that are rarer than reading and writing. */
static int64_t posix_run(struct blocking *base, struct op *op)
{
    struct posix_session *s = (struct posix_session *)base;
    int fd = (int)op->handle;

    switch (op->kind) {
    case OP_NOP:
        return 0;
    case OP_APPEND:
        return posix_append(fd, op->buf, op->len);
    case OP_FSYNC:
        return posix_fsync(fd);
    case OP_TRUNCATE:
        return posix_result(ftruncate(fd, (off_t)op->len));
    case OP_FALLOCATE:
        return posix_result(fallocate(fd, 0, (off_t)op->off, (off_t)op->len));
    case OP_DISCARD:
        return posix_result(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                                      (off_t)op->off, (off_t)op->len));
    case OP_CLOSE:
        return posix_shut(fd);
    case OP_EVICT:
        return posix_evict(fd);
    case OP_RESIDENT:
        return posix_resident(fd, op->len, &op->extra);
    case OP_SYNCFS:
        return posix_result(syncfs(s->seat.root_fd));
    case OP_OPEN:
        return posix_open_file(s, op);
    case OP_CREATE:
        return posix_create(s, op);
    case OP_LOOKUP:
        return posix_lookup(s, op);
    case OP_STAT:
        return posix_stat(s, op);
    case OP_UNLINK:
        return posix_unlink(s, op);
    case OP_RENAME:
        return posix_rename(s, op);
    case OP_MKDIR:
        return posix_mkdir(s, op);
    case OP_RMDIR:
        return posix_rmdir(s, op);
    case OP_READDIR:
        return posix_readdir(s, op);
    default:
        return -EOPNOTSUPP;
    }
}

static int posix_submit(struct session *s, struct op *const ops[], unsigned n)
{
    return blocking_submit(s, ops, n, posix_run);
}

static int posix_session_open(struct target *base, const struct session_spec *spec,
                              struct session **out, struct err *err)
{
    struct posix_target *t = posix_target_of(base);
    struct posix_session *s = calloc(1, sizeof *s);
    int rc;

    if (s == NULL)
        return err_set(err, -ENOMEM, "no memory for a session of %s", t->path);
    s->listing.fd = -1;
    blocking_init(&s->blocking);
    rc = posix_seat_open(&s->seat, t, spec, 0, err);
    if (rc == 0)
        rc = blocking_help(&s->blocking, spec->detached_max, &t->helpers, err);
    if (rc < 0)
        posix_session_close((struct session *)s);
    else
        *out = (struct session *)s;
    return rc;
}

static int posix_lock(struct session *s, uint64_t handle)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    (void)s;
    if (fcntl((int)handle, F_OFD_SETLK, &lock) == 0)
        return 0;
    return errno == EACCES || errno == EAGAIN ? -EWOULDBLOCK : -errno;
}

const struct target_table posix_target = {
    .scheme = "posix",
    .help = "a directory, by plain system calls, one thread a stream (the default)",
    .params = "",
    .caps = posix_caps,
    .open = posix_open,
    .close = posix_close,
    .describe = posix_describe,
    .session_open = posix_session_open,
    .session_close = posix_session_close,
    .submit = posix_submit,
    .reap = blocking_reap,
    .wake = blocking_wake,
    .counters = posix_counters,
    .space = posix_space,
    .lock = posix_lock,
};
