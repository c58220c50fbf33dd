/* target/device_priv.h — the parts of the block-device target.
 * Shape    device.c is the table and its sessions; device_guard.c looks for what speaks against
 *          writing to a device; device_signature.c for what is on it.
 * Errors   negative errno.                       Threads  no state. */
#ifndef LOADLINE_TARGET_DEVICE_PRIV_H
#define LOADLINE_TARGET_DEVICE_PRIV_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Where the kernel says what it knows; in tests a recorded tree. */
struct device_world {
    const char *sys;  /* "/sys" */
    const char *proc; /* "/proc" */
};

/* -EBUSY with words when the device, one of its partitions, or the disk it is part of is mounted in any
 * name space that can be seen, is swap, or is part of something larger (dm, md, LVM, bcache); of the
 * disk only what holds it as a whole counts. */
int device_guard(const struct device_world *world, const char *path, dev_t device, struct err *err);

/* What libblkid finds there: "an ext4 file system (label home)", "a gpt partition table"; 1 and words,
 * 0 nothing, -errno. */
int device_signature(int fd, char *words, size_t room);

#endif
