/* A block device, whole or a partition, by the calls that the posix target makes. Reading needs no
 * ceremony; it is opened for writing only after its name was typed twice, when nothing of this machine
 * uses it and nothing that is known lies on it. */
#include "target/catalog_priv.h"
#include "target/destroy.h"
#include "target/device_priv.h"
#include "target/posix_priv.h"

#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* A session's own descriptors: one of the device, and some slack. */
#define OWN_FDS 4

#define KINDS_READ                                                                                 \
    (1u << OP_NOP | 1u << OP_READ | 1u << OP_FSYNC | 1u << OP_OPEN | 1u << OP_CLOSE | 1u << OP_STAT)

struct device_target {
    char *path; /* absolute, no symlinks */
    int fd;
    int claim_fd; /* for writing, exclusive as long as the target is open; -1: for reading only */
    dev_t device;
    uint64_t bytes;
    atomic_uint helpers;
};

struct device_session {
    struct blocking blocking; /* first */
    struct device_target *target;
    int fd; /* in this session's table */
};

static struct device_target *device_target_of(struct target *t)
{
    return (struct device_target *)t;
}

/* As the kernel says it without the device being opened; 0 not known. */
static uint64_t bytes_of(dev_t device)
{
    char dir[64];
    char line[32];

    snprintf(dir, sizeof dir, "/sys/dev/block/%u:%u", major(device), minor(device));
    return posix_sys_line(dir, "size", line, sizeof line) ? strtoull(line, NULL, 10) * 512 : 0;
}

static int device_caps(const char *address, struct target_caps *caps, struct err *err)
{
    struct stat st;

    if (address[0] == '\0')
        return err_set(err, -EINVAL, "dev: names no device");
    *caps = (struct target_caps){.op_kinds = KINDS_READ,
                                 .blocking = true,
                                 .one_file = true,
                                 .handles_max = posix_table_max(OWN_FDS)};
    if (target_may_destroy(address))
        caps->op_kinds |= 1u << OP_WRITE;
    if (stat(address, &st) == 0 && S_ISBLK(st.st_mode))
        caps->file_bytes = bytes_of(st.st_rdev);
    return 0;
}

/* ---- open ---- */

static int no_permission(const char *address, int code, struct err *err)
{
    char room[1024];
    struct group group;
    struct group *found = NULL;
    struct stat st;

    if (stat(address, &st) == 0 && getgrgid_r(st.st_gid, &group, room, sizeof room, &found) == 0 &&
        found != NULL)
        return err_set(err, code,
                       "%s: no permission to open this device; it is for root and the group %s",
                       address, found->gr_name);
    return err_set(err, code, "%s: no permission to open this device", address);
}

static int open_error(const char *address, int code, struct err *err)
{
    switch (-code) {
    case ENOENT:
        return err_set(err, code, "%s does not exist", address);
    case EACCES:
    case EPERM:
        return no_permission(address, code, err);
    case ENOMEDIUM:
    case ENXIO:
        return err_set(err, code, "%s has nothing in it: no medium, or no size", address);
    default:
        return err_sys(err, code, "cannot open %s", address);
    }
}

/* Asked before opening: opening a pipe or a tape would do something. */
static int find_device(struct device_target *t, const char *address, struct err *err)
{
    struct stat st;

    t->path = realpath(address, NULL);
    if (t->path == NULL || stat(t->path, &st) < 0)
        return open_error(address, -errno, err);
    if (!S_ISBLK(st.st_mode))
        return err_set(err, -ENOTBLK, "%s is not a block device", address);
    t->device = st.st_rdev;
    return 0;
}

/* By name, and the device that was meant when the target was opened. */
static int64_t open_same(const struct device_target *t, int flags)
{
    int64_t fd = posix_openat(AT_FDCWD, t->path, flags, 0);
    struct stat st;

    if (fd < 0)
        return fd;
    if (fstat((int)fd, &st) == 0 && S_ISBLK(st.st_mode) && st.st_rdev == t->device)
        return fd;
    posix_shut((int)fd);
    return -ESTALE;
}

static int refuse_signature(const struct device_target *t, struct err *err)
{
    char found[160];
    int rc = device_signature(t->claim_fd, found, sizeof found);

    if (rc < 0)
        return err_sys(err, rc, "%s is not written to: cannot see what is on it", t->path);
    if (rc > 0)
        return err_set(err, -EBUSY,
                       "%s is not written to: it holds %s; if that may go: wipefs --all %s",
                       t->path, found, t->path);
    return 0;
}

/* From here on nobody can mount it, nor take it into something larger. */
static int claim(struct device_target *t, struct err *err)
{
    const struct device_world world = {.sys = "/sys", .proc = "/proc"};
    int read_only = 0;
    int rc = device_guard(&world, t->path, t->device, err);

    if (rc < 0)
        return rc;
    if (ioctl(t->fd, BLKROGET, &read_only) == 0 && read_only != 0)
        return err_set(err, -EROFS, "%s is read-only", t->path);
    t->claim_fd = (int)open_same(t, O_RDWR | O_EXCL | O_CLOEXEC);
    if (t->claim_fd >= 0)
        return refuse_signature(t, err);
    rc = t->claim_fd;
    if (rc == -EBUSY)
        return err_set(err, rc,
                       "%s is not written to: the kernel says that it is in use, and not by whom",
                       t->path);
    return open_error(t->path, rc, err);
}

static void device_close(struct target *base)
{
    struct device_target *t = device_target_of(base);

    if (t == NULL)
        return;
    if (t->claim_fd >= 0)
        close(t->claim_fd);
    if (t->fd >= 0)
        close(t->fd);
    free(t->path);
    free(t);
}

static int open_it(struct device_target *t, const char *address, struct err *err)
{
    int rc = find_device(t, address, err);

    if (rc < 0)
        return rc;
    t->fd = (int)open_same(t, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (t->fd < 0)
        return open_error(address, t->fd, err);
    if (ioctl(t->fd, BLKGETSIZE64, &t->bytes) < 0)
        return open_error(address, -errno, err);
    if (t->bytes == 0)
        return open_error(address, -ENOMEDIUM, err);
    return target_may_destroy(address) ? claim(t, err) : 0;
}

static int device_open(const char *address, struct target **out, struct err *err)
{
    struct device_target *t = calloc(1, sizeof *t);
    int rc;

    if (t == NULL)
        return err_set(err, -ENOMEM, "no memory to open %s", address);
    t->fd = t->claim_fd = -1;
    rc = open_it(t, address, err);
    if (rc < 0)
        device_close((struct target *)t);
    else
        *out = (struct target *)t;
    return rc;
}

/* ---- a session ---- */

static int64_t device_open_op(struct device_session *s, struct op *op)
{
    int flags = posix_open_flags(op);

    if (flags < 0)
        return flags;
    if (s->target->claim_fd < 0 && (flags & O_ACCMODE) == O_WRONLY)
        return -EPERM;
    if (s->target->claim_fd < 0) /* for both, where it cannot be written to: no WRITE is taken */
        flags &= ~O_ACCMODE;
    return posix_opened(op, open_same(s->target, flags));
}

static int64_t device_stat(const struct device_session *s, const struct op *op)
{
    struct stat st;

    if ((op->flags & OP_FLAG_HANDLE) && fstat((int)op->handle, &st) < 0)
        return -errno;
    if (op->buf != NULL)
        *(struct target_stat *)op->buf = (struct target_stat){.type = TARGET_TYPE_OTHER,
                                                              .size_bytes = s->target->bytes,
                                                              .stored_bytes = s->target->bytes,
                                                              .device = s->target->device};
    return 0;
}

static int64_t device_run(struct blocking *base, struct op *op)
{
    struct device_session *s = (struct device_session *)base;

    switch (op->kind) {
    case OP_NOP:
        return 0;
    case OP_OPEN:
        return device_open_op(s, op);
    case OP_CLOSE:
        return posix_shut((int)op->handle);
    case OP_FSYNC:
        return posix_fsync((int)op->handle);
    case OP_STAT:
        return device_stat(s, op);
    default:
        return -EOPNOTSUPP;
    }
}

static void device_session_close(struct session *base)
{
    struct device_session *s = (struct device_session *)base;

    if (s == NULL)
        return;
    blocking_close(&s->blocking);
    if (s->fd >= 0)
        close(s->fd);
    free(s);
}

static int device_submit(struct session *s, struct op *const ops[], unsigned n)
{
    return blocking_submit(s, ops, n, device_run);
}

static int device_session_open(struct target *base, const struct session_spec *spec,
                               struct session **out, struct err *err)
{
    struct device_target *t = device_target_of(base);
    struct device_session *s = calloc(1, sizeof *s);
    int rc;

    if (s == NULL)
        return err_set(err, -ENOMEM, "no memory for a session of %s", t->path);
    blocking_init(&s->blocking);
    s->blocking.read_only = t->claim_fd < 0;
    s->target = t;
    posix_table_unshare();
    s->fd = (int)open_same(t, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (s->fd < 0)
        rc = open_error(t->path, s->fd, err);
    else
        rc = posix_table_grow(s->fd, spec->handles_max + OWN_FDS, err);
    if (rc == 0)
        rc = blocking_help(&s->blocking, spec->detached_max, &t->helpers, err);
    if (rc < 0)
        device_session_close((struct session *)s);
    else
        *out = (struct session *)s;
    return rc;
}

static void put_number(const struct target_sink *sink, const char *key, uint64_t value,
                       const char *unit)
{
    char text[24];

    snprintf(text, sizeof text, "%" PRIu64, value);
    sink->put(sink->ctx, key, text, unit);
}

static void device_describe(struct target *base, const struct target_sink *sink)
{
    struct device_target *t = device_target_of(base);
    unsigned helpers = atomic_load(&t->helpers);
    int sector_bytes = 0;

    sink->put(sink->ctx, "path", t->path, "");
    sink->put(sink->ctx, "fs_type", "none", "");
    put_number(sink, "device_bytes", t->bytes, "bytes");
    sink->put(sink->ctx, "device_writing", t->claim_fd < 0 ? "no" : "yes", "");
    posix_device_facts("/sys", t->device, sink);
    if (ioctl(t->fd, BLKSSZGET, &sector_bytes) == 0)
        put_number(sink, "direct_align_bytes", (uint64_t)sector_bytes, "bytes");
    if (helpers > 0)
        put_number(sink, "detached_helpers", helpers, "");
}

const struct target_table device_target = {
    .scheme = "dev",
    .help =
        "a block device by its name, such as /dev/sdx: for reading, unless given up for writing",
    .params = "",
    .caps = device_caps,
    .open = device_open,
    .close = device_close,
    .describe = device_describe,
    .session_open = device_session_open,
    .session_close = device_session_close,
    .submit = device_submit,
    .reap = blocking_reap,
    .wake = blocking_wake,
    .counters = posix_counters,
};
