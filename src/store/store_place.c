#include "store/store_priv.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

/* Shared file systems that linux/magic.h of Debian 12 does not name, and those that bring a host's
 * directories into a virtual machine. virtiofs, GlusterFS and MooseFS say that they are FUSE. */
#define MAGIC_LUSTRE   0x0bd00bd0
#define MAGIC_GPFS     0x47504653
#define MAGIC_BEEGFS   0x19830326
#define MAGIC_GFS2     0x01161970
#define MAGIC_ORANGEFS 0x20030528
#define MAGIC_PANFS    0xaad7aaea
#define MAGIC_SNFS     0xbeefdead
#define MAGIC_VBOXSF   0x786f4256
#define MAGIC_VMHGFS   0xbacbacbc
#define MAGIC_PRLFS    0x7c7c6673
#define MAGIC_NCP      0x0000564c

#define HOLD_TRIES 500 /* of 10 ms */

int store_default_path(const char *xdg, const char *home, char *buf, size_t room, struct err *err)
{
    int len = 0;
    if (xdg && xdg[0] == '/')
        len = snprintf(buf, room, "%s/loadline/results.db", xdg);
    else if (home && home[0] == '/')
        len = snprintf(buf, room, "%s/.local/share/loadline/results.db", home);
    else
        return err_set(err, -EINVAL,
                       "nowhere to keep results: neither XDG_DATA_HOME nor HOME is an absolute "
                       "path; use --db FILE or --db none");
    if (len < 0 || (size_t)len >= room)
        return err_set(err, -ENAMETOOLONG,
                       "the path of the results is longer than %zu bytes; use --db FILE", room);
    return 0;
}

/* WAL keeps its index in memory that all processes share through the file system. */
bool store_wal_fits(uint64_t f_type)
{
    static const uint64_t shared[] = {
        NFS_SUPER_MAGIC,   SMB_SUPER_MAGIC, CIFS_SUPER_MAGIC, SMB2_SUPER_MAGIC, FUSE_SUPER_MAGIC,
        CEPH_SUPER_MAGIC,  AFS_SUPER_MAGIC, AFS_FS_MAGIC,     CODA_SUPER_MAGIC, V9FS_MAGIC,
        OCFS2_SUPER_MAGIC, MAGIC_LUSTRE,    MAGIC_GPFS,       MAGIC_BEEGFS,     MAGIC_GFS2,
        MAGIC_ORANGEFS,    MAGIC_PANFS,     MAGIC_SNFS,       MAGIC_VBOXSF,     MAGIC_VMHGFS,
        MAGIC_PRLFS,       MAGIC_NCP,
    };
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
        if ((uint32_t)f_type == shared[i])
            return false;
    }
    return true;
}

/* "." and "/" included; NULL: no memory. */
static char *directory_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return strdup(".");
    return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

bool store_wal_fits_path(const char *path)
{
    struct statfs fs;
    char *dir = directory_of(path);
    bool known = dir && statfs(dir, &fs) == 0;
    free(dir);
    return known && store_wal_fits((uint64_t)fs.f_type);
}

/* A directory entry is on stable storage when its directory has been synced. */
void store_place_sync(const char *path)
{
    char *dir = directory_of(path);
    int fd = dir ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
    free(dir);
}

static int make_directories(const char *dir, struct err *err)
{
    struct stat st;
    if (stat(dir, &st) == 0)
        return S_ISDIR(st.st_mode) ? 0 : err_set(err, -ENOTDIR, "%s is not a directory", dir);
    char *above = directory_of(dir);
    int rc = above ? make_directories(above, err) : err_set(err, -ENOMEM, "no memory");
    free(above);
    if (rc < 0)
        return rc;
    if (mkdir(dir, 0700) < 0 && errno != EEXIST)
        return err_sys(err, -errno, "cannot make %s", dir);
    store_place_sync(dir);
    return 0;
}

/* SQLite tries a second time for reading only, and then reports that one's errno. */
static int check_file(const char *path, const char *dir, struct err *err)
{
    struct stat st;
    if (stat(path, &st) < 0)
        return access(dir, W_OK | X_OK) == 0 ? 0 : err_sys(err, -errno, "cannot make %s", path);
    if (S_ISDIR(st.st_mode))
        return err_set(err, -EISDIR, "%s is a directory", path);
    if (!S_ISREG(st.st_mode))
        return err_set(err, -EINVAL, "%s is not a regular file", path);
    return access(path, R_OK) == 0 ? 0 : err_sys(err, -errno, "cannot read %s", path);
}

int store_place_find(const char *path, struct err *err)
{
    struct stat st;
    if (stat(path, &st) < 0)
        return errno == ENOENT ? err_set(err, -ENOENT, "no database at %s", path)
                               : err_sys(err, -errno, "%s", path);
    if (!S_ISREG(st.st_mode))
        return err_set(err, -EINVAL, "%s is not a regular file", path);
    return access(path, R_OK) == 0 ? 0 : err_sys(err, -errno, "cannot read %s", path);
}

bool store_takes_no_writes(const char *path)
{
    char *dir = directory_of(path);
    bool refuses = dir && access(dir, W_OK) < 0;
    free(dir);
    return refuses;
}

bool store_wal_left(const char *path)
{
    struct text wal;
    struct stat st;
    text_init(&wal);
    text_addf(&wal, "%s-wal", path);
    bool left = wal.failed || (stat(wal.s, &st) == 0 && st.st_size > 0);
    text_fini(&wal);
    return left;
}

void store_place_let_go(int fd)
{
    if (fd >= 0)
        close(fd);
}

/* The directory, for closing another descriptor of the database would take SQLite's own locks away.
 * Where a file system has no such locks nobody is kept out. */
int store_place_hold(const char *path, bool alone)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    char *dir = directory_of(path);
    int fd = dir ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    free(dir);
    for (int i = 0; fd >= 0 && i < HOLD_TRIES; i++) {
        if (flock(fd, (alone ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0 || errno != EWOULDBLOCK)
            return fd;
        nanosleep(&pause, NULL);
    }
    store_place_let_go(fd);
    return -1;
}

int store_place_make(const char *path, struct err *err)
{
    size_t len = strlen(path);
    if (len == 0 || path[len - 1] == '/')
        return err_set(err, -EISDIR, "\"%s\" names no file", path);
    char *dir = directory_of(path);
    if (!dir)
        return err_set(err, -ENOMEM, "no memory");
    int rc = make_directories(dir, err);
    if (rc == 0)
        rc = check_file(path, dir, err);
    free(dir);
    return rc;
}
