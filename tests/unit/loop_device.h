/* tests/unit/loop_device.h — a block device to play with: a file behind a loop device, which needs root.
 * Where that is not to be had the tests that want it are skipped, and so do not pass. */
#ifndef LOADLINE_TESTS_LOOP_DEVICE_H
#define LOADLINE_TESTS_LOOP_DEVICE_H

#include <fcntl.h>
#include <linux/loop.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

struct loop_device {
    char path[32]; /* "/dev/loop3"; "" none */
    int fd;
    int file;
};

/* Another may take the free one first: then the next is asked for. One test at a time looks: a search
 * opens for writing what another test had just taken. */
static inline bool loop_attach(struct loop_device *loop, int control)
{
    int number = ioctl(control, LOOP_CTL_GET_FREE);
    struct stat st;

    if (number < 0)
        return false;
    snprintf(loop->path, sizeof loop->path, "/dev/loop%d", number);
    if (stat(loop->path, &st) != 0)
        (void)!mknod(loop->path, S_IFBLK | 0660, makedev(7, (unsigned)number));
    loop->fd = open(loop->path, O_RDWR | O_CLOEXEC);
    if (loop->fd >= 0 && ioctl(loop->fd, LOOP_SET_FD, loop->file) == 0)
        return true;
    if (loop->fd >= 0)
        close(loop->fd);
    return false;
}

/* The device does not outlive the process: it goes with the last that has it open. */
static inline bool loop_open(struct loop_device *loop, off_t bytes)
{
    char name[] = "loop-device-XXXXXX";
    struct loop_info64 info = {.lo_flags = LO_FLAGS_AUTOCLEAR | LO_FLAGS_PARTSCAN};
    int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
    bool ok = false;

    *loop = (struct loop_device){.fd = -1, .file = mkstemp(name)};
    if (loop->file >= 0) {
        unlink(name);
        ok = control >= 0 && ftruncate(loop->file, bytes) == 0;
    }
    ok = ok && flock(control, LOCK_EX) == 0;
    for (int i = 0; ok && i < 20; i++) {
        if (loop_attach(loop, control))
            break;
        loop->path[0] = '\0';
    }
    ok = ok && loop->path[0] != '\0' && ioctl(loop->fd, LOOP_SET_STATUS64, &info) == 0;
    if (control >= 0)
        close(control);
    if (!ok)
        loop->path[0] = '\0';
    return ok;
}

static inline void loop_close(struct loop_device *loop)
{
    if (loop->path[0] != '\0')
        close(loop->fd);
    if (loop->file >= 0)
        close(loop->file);
}

#endif
