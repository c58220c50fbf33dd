/* A directory, driven by plain libc calls, one at a time: the reference for all other ways in.
 * The kernel moves at most 2 GiB − 4 KiB a call; more comes back short. */
#include "target/catalog.h"
#include "target/catalog_priv.h"
#include "target/dev_dir.h"
#include "target/posix_priv.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* A session's own: the root, a directory being listed, one being opened, and some slack. */
#define OWN_FDS 8

/* Parents that a session usually keeps open. */
#define USUAL_DIRS 64

static struct posix_session *posix_session_of(struct session *s)
{
    return (struct posix_session *)s;
}

static struct posix_target *posix_target_of(struct target *t)
{
    return (struct posix_target *)t;
}

static int posix_caps(const char *address, struct target_caps *caps, struct err *err)
{
    if (address[0] == '\0')
        return err_set(err, -EINVAL, "posix: names no directory");
    *caps = (struct target_caps){.op_kinds = (1u << OP_KINDS) - 1,
                                 .blocking = true,
                                 .handles_max = posix_table_max(USUAL_DIRS + OWN_FDS)};
    return 0;
}

/* "null" may be meant for "null:". */
static bool is_scheme(const char *address)
{
    const struct target_table *const *table;
    size_t n = target_catalog(&table);

    for (size_t i = 0; i < n; i++) {
        if (table[i] != &posix_target && strcmp(table[i]->scheme, address) == 0)
            return true;
    }
    return false;
}

static int open_error(const char *address, int code, struct err *err)
{
    struct stat st;

    switch (-code) {
    case ENOENT:
        if (is_scheme(address))
            return err_set(err, code,
                           "there is no directory %s; the target of that name is written %s:",
                           address, address);
        return err_set(err, code, "%s does not exist; make the directory first", address);
    case ENOTDIR:
        if (stat(address, &st) == 0 && S_ISBLK(st.st_mode))
            return err_set(err, code, "%s is a block device; as a target it is written dev:%s",
                           address, address);
        return err_set(err, code, "%s is not a directory", address);
    case EACCES:
        return err_set(err, code,
                       "%s: no permission to open this directory; it must be readable "
                       "and searchable for the user that runs loadline",
                       address);
    default:
        return err_sys(err, code, "cannot open %s", address);
    }
}

/* A block device there is told how it is written. */
static int may_be_opened(const char *address, struct err *err)
{
    struct stat st;

    return stat(address, &st) == 0 && S_ISBLK(st.st_mode) ? 0 : dev_dir_refuse(address, err);
}

static int posix_open(const char *address, struct target **out, struct err *err)
{
    struct posix_target *t = calloc(1, sizeof *t);
    struct stat st;
    int rc = 0;

    if (t == NULL)
        return err_set(err, -ENOMEM, "no memory to open %s", address);
    t->root_fd = -1;
    rc = may_be_opened(address, err);
    if (rc < 0)
        goto out;
    t->root_fd = open(address, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (t->root_fd < 0) {
        rc = open_error(address, -errno, err);
        goto out;
    }
    t->path = realpath(address, NULL);
    if (t->path == NULL || fstat(t->root_fd, &st) < 0) {
        rc = open_error(address, -errno, err);
        goto out;
    }
    t->device = st.st_dev;
    t->inode = st.st_ino;
    *out = (struct target *)t;
out:
    if (rc < 0) {
        if (t->root_fd >= 0)
            close(t->root_fd);
        free(t->path);
        free(t);
    }
    return rc;
}

static void posix_close(struct target *base)
{
    struct posix_target *t = posix_target_of(base);

    if (t == NULL)
        return;
    close(t->root_fd);
    free(t->path);
    free(t);
}

/* The target's own descriptor may lie in another thread's table, so the session opens the directory
 * again and makes sure that it is the same one. */
static int open_root(const struct posix_target *t, struct err *err)
{
    int fd = open(t->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct stat st;

    if (fd < 0)
        return open_error(t->path, -errno, err);
    if (fstat(fd, &st) == 0 && st.st_dev == t->device && st.st_ino == t->inode)
        return fd;
    close(fd);
    return err_set(err, -ESTALE, "%s has become another directory since it was opened", t->path);
}

static void posix_session_close(struct session *base)
{
    struct posix_session *s = posix_session_of(base);

    if (s == NULL)
        return;
    blocking_close(&s->blocking);
    if (s->listing.fd >= 0)
        close(s->listing.fd);
    posix_dirs_fini(&s->dirs);
    if (s->root_fd >= 0)
        close(s->root_fd);
    if (!s->table_private)
        atomic_fetch_sub(&s->target->shared_fds, s->fds);
    free(s);
}

/* Room for all that the session will have open, so that nothing grows while it is measured. */
static int reserve_fds(struct posix_session *s, const struct session_spec *spec, struct err *err)
{
    unsigned fds = spec->handles_max + spec->dirs_max + OWN_FDS;

    s->fds = fds;
    if (s->table_private)
        atomic_fetch_add(&s->target->tables_private, 1);
    else
        atomic_fetch_add(&s->target->tables_shared, 1);
    if (!s->table_private)
        fds += atomic_fetch_add(&s->target->shared_fds, s->fds);
    return posix_table_grow(s->root_fd, fds, err);
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
        return posix_result(syncfs(s->root_fd));
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
    s->target = t;
    s->listing.fd = -1;
    blocking_init(&s->blocking);
    s->table_private = posix_table_unshare();
    s->root_fd = open_root(t, err);
    rc = s->root_fd < 0 ? s->root_fd : reserve_fds(s, spec, err);
    if (rc == 0) {
        rc = posix_dirs_init(&s->dirs, s->root_fd, &spec->names, spec->dirs_max);
        if (rc < 0)
            err_set(err, rc, "no memory for %u open directories", spec->dirs_max);
    }
    if (rc == 0)
        rc = blocking_help(&s->blocking, spec->detached_max, &t->helpers, err);
    if (rc < 0)
        posix_session_close((struct session *)s);
    else
        *out = (struct session *)s;
    return rc;
}

static int posix_space(struct target *t, struct target_space *out)
{
    struct statvfs fs;

    if (fstatvfs(posix_target_of(t)->root_fd, &fs) < 0)
        return -errno;
    *out = (struct target_space){.total_bytes = fs.f_blocks * fs.f_frsize,
                                 .free_bytes = fs.f_bavail * fs.f_frsize,
                                 .free_files = fs.f_files == 0 ? UINT64_MAX : fs.f_favail};
    posix_quota(posix_target_of(t)->root_fd, out);
    return 0;
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
