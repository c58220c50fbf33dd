/* tests/unit/own_mounts.h — mounts that only this process sees, as root or as anybody else: who is not
 * root becomes it in a user namespace of its own. */
#ifndef LOADLINE_TESTS_OWN_MOUNTS_H
#define LOADLINE_TESTS_OWN_MOUNTS_H

#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

static bool own_mounts_write(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0)
        close(fd);
    return ok;
}

static bool own_mounts(void)
{
    char uid_map[64];
    char gid_map[64];
    bool root = geteuid() == 0;
    snprintf(uid_map, sizeof uid_map, "0 %u 1", geteuid());
    snprintf(gid_map, sizeof gid_map, "0 %u 1", getegid());
    if (unshare(root ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) != 0)
        return false;
    if (!root && !(own_mounts_write("/proc/self/setgroups", "deny") &&
                   own_mounts_write("/proc/self/uid_map", uid_map) &&
                   own_mounts_write("/proc/self/gid_map", gid_map)))
        return false;
    return mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

#endif
