/* What opens a directory as a target, and what each session has of it. */
#include "target/catalog.h"
#include "target/catalog_priv.h"
#include "target/dev_dir.h"
#include "target/posix_mount_priv.h"
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

/* Whoever opens the directory says what is wrong with it. */
static unsigned direct_align(const char *address)
{
    struct err ignored = {0};
    int fd = dev_dir_refuse(address, &ignored) < 0
                 ? -1
                 : open(address, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    unsigned align = fd >= 0 ? posix_direct_align(fd) : 0;

    if (fd >= 0)
        close(fd);
    return align;
}

int posix_caps(const char *address, struct target_caps *caps, struct err *err)
{
    if (address[0] == '\0')
        return err_set(err, -EINVAL, "posix: names no directory");
    *caps = (struct target_caps){.op_kinds = (1u << OP_KINDS) - 1,
                                 .blocking = true,
                                 .direct_align_bytes = direct_align(address),
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
        if (strstr(address, ":/") != NULL)
            return err_set(
                err, code,
                "there is no directory %s; what an NFS server exports is written nfs://%.*s%s",
                address, (int)(strstr(address, ":/") - address), address,
                strstr(address, ":/") + 1);
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

int posix_target_init(struct posix_target *t, const char *address, struct err *err)
{
    struct stat st;
    int rc = may_be_opened(address, err);

    if (rc < 0)
        return rc;
    t->root_fd = open(address, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (t->root_fd < 0)
        return open_error(address, -errno, err);
    t->path = realpath(address, NULL);
    if (t->path == NULL || fstat(t->root_fd, &st) < 0) {
        rc = open_error(address, -errno, err);
        posix_target_fini(t);
        return rc;
    }
    t->device = st.st_dev;
    t->inode = st.st_ino;
    t->remote = posix_is_remote(t->root_fd);
    return 0;
}

void posix_target_fini(struct posix_target *t)
{
    close(t->root_fd);
    free(t->path);
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

/* Room for all that the session will have open, so that nothing grows while it is measured. */
static int reserve_fds(struct posix_seat *seat, unsigned fds, struct err *err)
{
    seat->fds = fds;
    if (seat->table_private)
        atomic_fetch_add(&seat->target->tables_private, 1);
    else
        atomic_fetch_add(&seat->target->tables_shared, 1);
    if (!seat->table_private)
        fds += atomic_fetch_add(&seat->target->shared_fds, seat->fds);
    return posix_table_grow(seat->root_fd, fds, err);
}

int posix_seat_open(struct posix_seat *seat, struct posix_target *t,
                    const struct session_spec *spec, unsigned more, struct err *err)
{
    int rc;

    *seat = (struct posix_seat){.target = t};
    /* Who has descriptors beside it is woken by one of them, from threads that would not find it in their own
     * table, or would find another file under its number. */
    seat->table_private = more == 0 && posix_table_unshare();
    seat->root_fd = open_root(t, err);
    rc = seat->root_fd < 0
             ? seat->root_fd
             : reserve_fds(seat, spec->handles_max + spec->dirs_max + OWN_FDS + more, err);
    if (rc == 0) {
        rc = posix_dirs_init(&seat->dirs, seat->root_fd, &spec->names, spec->dirs_max);
        if (rc < 0)
            err_set(err, rc, "no memory for %u open directories", spec->dirs_max);
    }
    if (rc < 0) {
        posix_seat_close(seat);
        *seat = (struct posix_seat){.root_fd = -1};
    }
    return rc;
}

void posix_seat_close(struct posix_seat *seat)
{
    if (seat->target == NULL)
        return;
    posix_dirs_fini(&seat->dirs);
    if (seat->root_fd >= 0)
        close(seat->root_fd);
    if (!seat->table_private)
        atomic_fetch_sub(&seat->target->shared_fds, seat->fds);
}

int posix_space(struct target *base, struct target_space *out)
{
    const struct posix_target *t = (const struct posix_target *)base;
    struct statvfs fs;

    if (fstatvfs(t->root_fd, &fs) < 0)
        return -errno;
    *out = (struct target_space){.total_bytes = fs.f_blocks * fs.f_frsize,
                                 .free_bytes = fs.f_bavail * fs.f_frsize,
                                 .free_files = fs.f_files == 0 ? UINT64_MAX : fs.f_favail};
    posix_quota(t->root_fd, out);
    return 0;
}
