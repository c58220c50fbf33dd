#include "base/owner.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The first line, without its end; "" when it cannot be read. */
static void read_line(const char *path, char *out, size_t room)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, out, room - 1) : -1;
    out[n > 0 ? n : 0] = '\0';
    out[strcspn(out, "\n")] = '\0';
    if (fd >= 0)
        close(fd);
}

/* 0 when there is no such process, or only its body that nobody has buried (state Z or X). The name,
 * field 2, may hold blanks and brackets itself. */
static uint64_t started(uint64_t pid)
{
    char path[40];
    char line[512];
    snprintf(path, sizeof path, "/proc/%" PRIu64 "/stat", pid);
    read_line(path, line, sizeof line);
    char *field = strrchr(line, ')');
    if (field && strlen(field) > 2 && strchr("ZX", field[2]))
        return 0;
    for (int i = 2; field && i < 22; i++)
        field = strchr(field + 1, ' ');
    return field ? strtoull(field + 1, NULL, 10) : 0;
}

void owner_of(uint64_t pid, struct owner *out)
{
    *out = (struct owner){.pid = pid, .started_ticks = started(pid)};
    if (gethostname(out->host, sizeof out->host - 1) < 0)
        out->host[0] = '\0';
    read_line("/proc/sys/kernel/random/boot_id", out->boot, sizeof out->boot);
    ssize_t n = readlink("/proc/self/ns/pid", out->pid_space, sizeof out->pid_space - 1);
    out->pid_space[n > 0 ? n : 0] = '\0';
}

/* /proc may hide the processes of others. */
static bool is_hidden(uint64_t pid)
{
    return kill((pid_t)pid, 0) < 0 && errno == EPERM;
}

enum owner_life owner_life(const struct owner *owner)
{
    struct owner now;
    owner_of(owner->pid, &now);
    if (now.host[0] == '\0' || now.boot[0] == '\0' || now.pid_space[0] == '\0')
        return OWNER_UNKNOWN;
    /* A name may be changed while the machine runs; the id of its boot cannot. */
    if (strcmp(owner->boot, now.boot) != 0)
        return strcmp(owner->host, now.host) == 0 ? OWNER_OTHER_BOOT : OWNER_UNKNOWN;
    if (strcmp(owner->pid_space, now.pid_space) != 0 || owner->pid == 0 || owner->pid > INT32_MAX)
        return OWNER_UNKNOWN;
    if (now.started_ticks == 0)
        return is_hidden(owner->pid) ? OWNER_UNKNOWN : OWNER_GONE;
    return now.started_ticks == owner->started_ticks ? OWNER_LIVE : OWNER_GONE;
}
