/* target/device_priv.h — the parts of the block-device target.
 * Shape    device.c is the table and its sessions; device_family.c says which partitions it has;
 *          device_guard.c looks for mounts, swap and holders, device_use.c for everything else that
 *          uses a device; device_signature.c for what is on it; device_claim.c asks them all and takes
 *          the device; device_words.c says why one may not be opened.
 * Errors   negative errno.                       Threads  any; of state there are the claims. */
#ifndef LOADLINE_TARGET_DEVICE_PRIV_H
#define LOADLINE_TARGET_DEVICE_PRIV_H

#include "base/err.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Where the kernel says what it knows; in tests a recorded tree. */
struct device_world {
    const char *sys;  /* "/sys" */
    const char *proc; /* "/proc" */
    pid_t self;       /* whose own descriptors do not count */
};

/* ---- device_family.c ---- */

#define DEVICE_PARTS_MAX 256

/* A device and the partitions that the kernel knows of it, as they stand in /sys. */
struct device_member {
    dev_t device;
    uint64_t begin_bytes; /* on the first one */
    uint64_t bytes;
    char name[NAME_MAX + 1];
};

struct device_family {
    const struct device_world *world;
    const char *path; /* as the person wrote it */
    char dir[PATH_MAX];
    bool partition; /* the first one is part of a disk itself */
    unsigned n;
    struct device_member member[DEVICE_PARTS_MAX]; /* the first one is the device */
};

/* -ENOENT … with words when it cannot be seen there; on the heap. */
int device_family_new(const struct device_world *world, const char *path, dev_t device,
                      struct device_family **out, struct err *err);
const struct device_member *device_member_with(const struct device_family *f, dev_t device);
/* By what its node under /dev is, or by its name where there is no node (a container). */
const struct device_member *device_member_named(const struct device_family *f, const char *node);
/* "it", or the name of the partition that it is about. */
const char *device_which(const struct device_family *f, const struct device_member *m);

/* ---- device_guard.c, device_use.c ---- */

/* -EBUSY with words when the device, one of its partitions, or the disk it is part of is mounted in any
 * name space that can be seen, is swap, or is part of something larger (dm, md, LVM, bcache, btrfs); of
 * the disk only what holds it as a whole counts. */
int device_guard(const struct device_family *f, struct err *err);
/* Likewise when it is used in a way by which the kernel does not refuse others: below a loop device, given
 * away by nvmet, or open for writing in another process (a virtual machine, say). */
int device_use(const struct device_family *f, struct err *err);

/* ---- device_signature.c ---- */

/* What libblkid finds on the device and in its partitions, and what would clear it, in `words`: "it holds
 * ext4 with the label "home" at 0x438; if that may go: wipefs --all /dev/sdx"; 1 and words, 0 nothing,
 * -errno. `fd` is open for reading. */
int device_signature(const struct device_family *f, int fd, char *words, size_t room);

/* ---- device_claim.c ---- */

/* By name, and the device that was meant when the target was opened: its descriptor, -ESTALE another. */
int64_t device_open_same(const char *path, dev_t device, int flags);
/* Keeps all other processes away until it is let go as often as it was claimed, once nothing speaks against
 * it; -EBUSY, -EROFS … with words. `fd` is open for reading. From any thread. */
int device_claim(const char *path, dev_t device, int fd, struct err *err);
void device_let_go(dev_t device);

/* ---- device_words.c ---- */

/* Fills err with who may open it and how one becomes that; returns `code`, -EACCES or -EPERM. */
int device_no_permission(const char *path, int code, struct err *err);
int device_open_error(const char *path, int code, struct err *err);

#endif
