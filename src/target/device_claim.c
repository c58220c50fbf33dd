/* Before a device is written to: nothing uses it, nothing is on it, and from then on nobody else gets it. */
#include "target/device_priv.h"

#include "target/call_priv.h"
#include "target/destroy.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define WORDS_MAX 400

int64_t device_open_same(const char *path, dev_t device, int flags)
{
    int64_t fd = posix_openat(AT_FDCWD, path, flags, 0);
    struct stat st;

    if (fd < 0)
        return fd;
    if (fstat((int)fd, &st) == 0 && S_ISBLK(st.st_mode) && st.st_rdev == device)
        return fd;
    posix_shut((int)fd);
    return -ESTALE;
}

static int refuse_signature(const struct device_family *f, int fd, struct err *err)
{
    char found[WORDS_MAX];
    int rc = device_signature(f, fd, found, sizeof found);

    if (rc < 0)
        return err_sys(err, rc, "%s is not written to: cannot see what is on it", f->path);
    return rc > 0 ? err_set(err, -EBUSY, "%s is not written to: %s", f->path, found) : 0;
}

/* What lies on it may tell by whom. */
static int refused_by_kernel(const struct device_family *f, int fd, struct err *err)
{
    char found[WORDS_MAX];
    bool told = device_signature(f, fd, found, sizeof found) > 0;

    return err_set(err, -EBUSY,
                   "%s is not written to: the kernel says that it is in use, and not by whom%s%.*s",
                   f->path, told ? "; " : "", told ? (int)strcspn(found, ";") : 0, found);
}

/* Partitions outlive a table that was overwritten behind the kernel's back, and can be mounted. */
static int refuse_parts(const struct device_family *f, struct err *err)
{
    if (f->n == 1)
        return 0;
    return err_set(err, -EBUSY,
                   "%s is not written to: the kernel knows of partitions on it (%s%s); if they may "
                   "go: partx --delete %s",
                   f->path, f->member[1].name, f->n > 2 ? " …" : "", f->path);
}

static int refuse_use(const struct device_family *f, int fd, struct err *err)
{
    int read_only = 0;
    int rc = device_guard(f, err);

    if (rc == 0)
        rc = device_use(f, err);
    if (rc == 0 && ioctl(fd, BLKROGET, &read_only) == 0 && read_only != 0)
        rc = err_set(err, -EROFS, "%s is read-only", f->path);
    return rc;
}

/* From here on nobody can mount it, nor take it into something larger. */
static int claim(const struct device_family *f, int fd, struct err *err)
{
    int claim_fd = (int)device_open_same(f->path, f->member[0].device, O_RDWR | O_EXCL | O_CLOEXEC);
    int rc;

    if (claim_fd == -EBUSY)
        return refused_by_kernel(f, fd, err);
    if (claim_fd < 0)
        return device_open_error(f->path, claim_fd, err);
    rc = refuse_signature(f, claim_fd, err);
    if (rc == 0)
        rc = refuse_parts(f, err);
    if (rc < 0)
        close(claim_fd);
    return rc < 0 ? rc : claim_fd;
}

/* ---- one claim a process, however many targets have the device ---- */

struct claimed {
    dev_t device;
    int fd;
    unsigned users;
};

static struct claimed claimed[TARGET_DESTROY_MAX];
static pthread_mutex_t claimed_lock = PTHREAD_MUTEX_INITIALIZER;

/* With no device: one that is free. */
static struct claimed *claimed_find(const dev_t *device)
{
    for (unsigned i = 0; i < TARGET_DESTROY_MAX; i++) {
        if (device == NULL ? claimed[i].users == 0
                           : claimed[i].users > 0 && claimed[i].device == *device)
            return &claimed[i];
    }
    return NULL;
}

static int claim_new(const char *path, dev_t device, int fd, struct err *err)
{
    const struct device_world world = {.sys = "/sys", .proc = "/proc", .self = getpid()};
    struct device_family *f = NULL;
    int rc = device_family_new(&world, path, device, &f, err);

    if (rc == 0)
        rc = refuse_use(f, fd, err);
    if (rc == 0)
        rc = claim(f, fd, err);
    free(f);
    return rc;
}

int device_claim(const char *path, dev_t device, int fd, struct err *err)
{
    struct claimed *c;
    int rc = 0;

    pthread_mutex_lock(&claimed_lock);
    c = claimed_find(&device);
    if (c == NULL) {
        c = claimed_find(NULL);
        rc = c == NULL ? err_set(err, -EMFILE, "too many devices to write to")
                       : claim_new(path, device, fd, err);
        if (rc >= 0)
            *c = (struct claimed){.device = device, .fd = rc};
    }
    if (rc >= 0)
        c->users++;
    pthread_mutex_unlock(&claimed_lock);
    return rc < 0 ? rc : 0;
}

void device_let_go(dev_t device)
{
    struct claimed *c;

    pthread_mutex_lock(&claimed_lock);
    c = claimed_find(&device);
    if (c != NULL && --c->users == 0)
        close(c->fd);
    pthread_mutex_unlock(&claimed_lock);
}
