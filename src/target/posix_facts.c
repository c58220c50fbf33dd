/* What is known about the file system behind a directory, and where its device is. Everything is optional:
 * what cannot be found out is left out. */
#include "target/posix_mount_priv.h"
#include "target/posix_priv.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static void put(const struct target_sink *sink, const char *key, const char *value,
                const char *unit)
{
    sink->put(sink->ctx, key, value, unit);
}

/* ---- the mount ---- */

/* A file system of several devices (btrfs) has a number of its own in st_dev; the mount names one
 * of them. */
static void note_device(const char *source, dev_t *device)
{
    struct stat st;

    if (major(*device) == 0 && strncmp(source, "/dev/", 5) == 0 && stat(source, &st) == 0 &&
        S_ISBLK(st.st_mode))
        *device = st.st_rdev;
}

static void put_fs(const struct posix_target *t, const char *type, const char *options,
                   const struct target_sink *sink)
{
    struct posix_fs fs = {.type = type, .options = options};

    posix_fs_attributes(t->root_fd, &fs);
    posix_fs_facts(&fs, sink);
}

/* Without /proc, or of a kernel that numbers no mounts (before 5.8): what decides whether anything
 * put there is ever on stable storage is known all the same. */
static void put_memory_fs(const struct posix_target *t, const struct target_sink *sink)
{
    struct statfs fs;

    if (fstatfs(t->root_fd, &fs) < 0)
        return;
    if (fs.f_type == TMPFS_MAGIC)
        put(sink, "fs_type", "tmpfs", "");
    else if (fs.f_type == RAMFS_MAGIC)
        put(sink, "fs_type", "ramfs", "");
}

/* True when the mount was found. */
static bool put_mount(const struct posix_target *t, const struct target_sink *sink, dev_t *device)
{
    struct posix_mount m;

    if (!posix_mount_find("/proc", t->root_fd, t->device, &m))
        return false;
    put(sink, "fs_type", m.is.type, "");
    put(sink, "mount_point", m.is.point, "");
    put(sink, "mount_source", m.is.source, "");
    put(sink, "mount_options", m.options, "");
    posix_remote_facts("/proc", &m, sink);
    put_fs(t, m.is.type, m.options, sink);
    note_device(m.is.source, device);
    return true;
}

/* Only a file can be asked; one without a name leaves nothing behind. */
static unsigned told_align(int root_fd)
{
    unsigned align = 0;
#ifdef STATX_DIOALIGN
    struct statx sx = {.stx_mask = 0};
    int fd = openat(root_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

    if (fd < 0)
        return 0;
    if (statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &sx) == 0 && (sx.stx_mask & STATX_DIOALIGN))
        align = sx.stx_dio_offset_align;
    close(fd);
#else
    (void)root_fd;
#endif
    return align;
}

unsigned posix_direct_align(int root_fd)
{
    unsigned align = told_align(root_fd);
    struct stat st;

    return align > 0 || fstat(root_fd, &st) < 0 ? align : posix_sector_bytes(st.st_dev);
}

static void put_direct_align(const struct posix_target *t, const struct target_sink *sink)
{
    unsigned align = posix_direct_align(t->root_fd);

    if (align > 0)
        posix_put_number(sink, "direct_align_bytes", align, "bytes");
}

static void put_table(const struct posix_target *t, const struct target_sink *sink)
{
    unsigned own = atomic_load(&t->tables_private);
    unsigned shared = atomic_load(&t->tables_shared);

    if (own + shared > 0)
        put(sink, "fd_table", shared == 0 ? "private" : own == 0 ? "shared" : "mixed", "");
}

static void put_helpers(const struct posix_target *t, const struct target_sink *sink)
{
    unsigned helpers = atomic_load(&t->helpers);

    if (helpers > 0)
        posix_put_number(sink, "detached_helpers", helpers, "");
}

void posix_describe(struct target *base, const struct target_sink *sink)
{
    const struct posix_target *t = (const struct posix_target *)base;
    struct statvfs fs;
    dev_t device = t->device;

    put(sink, "path", t->path, "");
    if (!put_mount(t, sink, &device))
        put_memory_fs(t, sink);
    if (fstatvfs(t->root_fd, &fs) == 0) {
        posix_put_number(sink, "fs_block_bytes", fs.f_bsize, "bytes");
        posix_put_number(sink, "fs_total_bytes", fs.f_blocks * fs.f_frsize, "bytes");
        posix_put_number(sink, "fs_free_bytes", fs.f_bavail * fs.f_frsize, "bytes");
    }
    posix_device_facts("/sys", device, sink);
    put_direct_align(t, sink);
    put(sink, "resident_by", posix_has_cachestat() ? "cachestat" : "mincore", "");
    put_table(t, sink);
    put_helpers(t, sink);
}

/* This process's account with the kernel; storage is reached below the page cache only by the
 * *_bytes. */
void posix_process_counters(const struct target_sink *sink)
{
    FILE *file = fopen("/proc/self/io", "re");
    char line[128];
    char key[32];
    char value[24];

    if (file == NULL)
        return;
    while (fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "%31[a-z_]: %23[0-9]", key, value) == 2)
            put(sink, key, value, strncmp(key, "sysc", 4) == 0 ? "ops" : "bytes");
    }
    fclose(file);
}

void posix_counters(struct target *base, const struct target_sink *sink)
{
    const struct posix_target *t = (const struct posix_target *)base;
    struct posix_mount m;

    posix_process_counters(sink);
    if (t->remote && posix_mount_find("/proc", t->root_fd, t->device, &m))
        posix_remote_counters("/proc", &m, sink);
}
