/* A block device, whole or a partition, by the calls that the posix target makes. Reading needs no
 * ceremony; it is opened for writing only after its name was typed twice, when nothing of this machine
 * uses it and nothing that is known lies on it. */
#include "target/catalog_priv.h"
#include "target/destroy.h"
#include "target/device_priv.h"
#include "target/posix_mount_priv.h"
#include "target/posix_priv.h"

#include <fcntl.h>
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
    (1u << OP_NOP | 1u << OP_READ | 1u << OP_FSYNC | 1u << OP_OPEN | 1u << OP_CLOSE |              \
     1u << OP_STAT | 1u << OP_SYNCFS | 1u << OP_EVICT | 1u << OP_RESIDENT)

/* Only of a device that was given up. */
#define KINDS_WRITE (1u << OP_WRITE | 1u << OP_DISCARD)

struct device_target {
    char *path; /* absolute, no symlinks */
    int fd;
    bool writable; /* claimed, as long as the target is open; else it is for reading only */
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

/* ---- open ---- */

static int not_a_device(const char *address, struct err *err)
{
    return err_set(err, -ENOTBLK, "%s is not a block device", address);
}

/* Without /sys it has to be opened. */
static int size_of(const char *address, dev_t device, uint64_t *bytes, struct err *err)
{
    int fd;
    int rc = 0;

    *bytes = bytes_of(device);
    if (*bytes > 0)
        return 0;
    fd = open(address, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || ioctl(fd, BLKGETSIZE64, bytes) < 0 || *bytes == 0)
        rc = device_open_error(address, fd < 0 ? -errno : -ENOMEDIUM, err);
    if (fd >= 0)
        close(fd);
    return rc;
}

static int device_caps(const char *address, struct target_caps *caps, struct err *err)
{
    struct stat st;

    if (address[0] == '\0')
        return err_set(err, -EINVAL, "dev: names no device");
    if (stat(address, &st) < 0)
        return device_open_error(address, -errno, err);
    if (!S_ISBLK(st.st_mode))
        return not_a_device(address, err);
    *caps = (struct target_caps){.op_kinds = KINDS_READ,
                                 .blocking = true,
                                 .one_file = true,
                                 .direct_align_bytes = posix_sector_bytes(st.st_rdev),
                                 .handles_max = posix_table_max(OWN_FDS)};
    if (target_may_destroy(address))
        caps->op_kinds |= KINDS_WRITE;
    return size_of(address, st.st_rdev, &caps->file_bytes, err);
}

/* Asked before opening: opening a pipe or a tape would do something. */
static int find_device(struct device_target *t, const char *address, struct err *err)
{
    struct stat st;

    t->path = realpath(address, NULL);
    if (t->path == NULL || stat(t->path, &st) < 0)
        return device_open_error(address, -errno, err);
    if (!S_ISBLK(st.st_mode))
        return not_a_device(address, err);
    t->device = st.st_rdev;
    return 0;
}

static void device_close(struct target *base)
{
    struct device_target *t = device_target_of(base);

    if (t == NULL)
        return;
    if (t->writable)
        device_let_go(t->device);
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
    t->fd = (int)device_open_same(t->path, t->device, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (t->fd < 0)
        return device_open_error(address, t->fd, err);
    if (ioctl(t->fd, BLKGETSIZE64, &t->bytes) < 0)
        return device_open_error(address, -errno, err);
    if (t->bytes == 0)
        return device_open_error(address, -ENOMEDIUM, err);
    if (!target_may_destroy(address))
        return 0;
    rc = device_claim(t->path, t->device, t->fd, err);
    t->writable = rc == 0;
    return rc;
}

static int device_open(const char *address, struct target **out, struct err *err)
{
    struct device_target *t = calloc(1, sizeof *t);
    int rc;

    if (t == NULL)
        return err_set(err, -ENOMEM, "no memory to open %s", address);
    t->fd = -1;
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
    if (!s->target->writable && (flags & O_ACCMODE) == O_WRONLY)
        return -EPERM;
    if (!s->target->writable) /* for both, where it cannot be written to: no WRITE is taken */
        flags &= ~O_ACCMODE;
    return posix_opened(op, device_open_same(s->target->path, s->target->device, flags));
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

/* TRIM, of whole sectors. What the device then reads as is its own affair. */
static int64_t device_discard(const struct device_session *s, const struct op *op)
{
    uint64_t range[2] = {op->off, op->len};

    if (!s->target->writable)
        return -EOPNOTSUPP;
    return posix_result(ioctl((int)op->handle, BLKDISCARD, range));
}

static int64_t device_resident(const struct device_session *s, struct op *op)
{
    uint64_t bytes = s->target->bytes;

    return posix_resident_within((int)op->handle, op->len < bytes ? op->len : bytes, &op->extra);
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
    case OP_SYNCFS:
        return posix_fsync(s->fd);
    case OP_DISCARD:
        return device_discard(s, op);
    case OP_EVICT:
        return posix_evict((int)op->handle);
    case OP_RESIDENT:
        return device_resident(s, op);
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
    s->blocking.read_only = !t->writable;
    s->target = t;
    posix_table_unshare();
    s->fd = (int)device_open_same(t->path, t->device, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (s->fd < 0)
        rc = device_open_error(t->path, s->fd, err);
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

static void device_describe(struct target *base, const struct target_sink *sink)
{
    struct device_target *t = device_target_of(base);
    unsigned helpers = atomic_load(&t->helpers);
    int sector_bytes = 0;

    sink->put(sink->ctx, "path", t->path, "");
    sink->put(sink->ctx, "fs_type", "none", "");
    posix_put_number(sink, "device_bytes", t->bytes, "bytes");
    sink->put(sink->ctx, "device_writing", !t->writable ? "no" : "yes", "");
    posix_device_facts("/sys", t->device, sink);
    sink->put(sink->ctx, "resident_by", posix_has_cachestat() ? "cachestat" : "mincore", "");
    if (ioctl(t->fd, BLKSSZGET, &sector_bytes) == 0)
        posix_put_number(sink, "direct_align_bytes", (uint64_t)sector_bytes, "bytes");
    if (helpers > 0)
        posix_put_number(sink, "detached_helpers", helpers, "");
}

static void device_counters(struct target *t, const struct target_sink *sink)
{
    (void)t;
    posix_process_counters(sink);
}

const struct target_table device_target = {
    .scheme = "dev",
    .help = "a block device by its name, such as /dev/sdx: to be read; to be written to as well "
            "where --destroy names it again",
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
    .counters = device_counters,
};
