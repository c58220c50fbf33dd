/* Some block devices are this machine's memory, behind the page cache that can be asked and emptied. */
#include "target/posix_priv.h"

#include <limits.h>
#include <stdio.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* 0 also where an older kernel does not say: its loop devices went through the page cache. */
static bool loop_is_direct(const struct posix_layer *layer)
{
    char dio[8];

    return posix_sys_line(layer->dir, "loop/dio", dio, sizeof dio) && dio[0] == '1';
}

static const char *memory_of(const struct posix_layer *layer)
{
    if (posix_layer_is(layer, "loop"))
        return loop_is_direct(layer) ? NULL : "page cache of this machine";
    if (posix_layer_is(layer, "zram") || posix_layer_is(layer, "ram") ||
        posix_layer_is(layer, "nullb"))
        return "memory of this machine";
    return NULL;
}

struct found {
    char *buf;
    size_t room;
};

/* One of memory is enough to doubt them all. */
static bool is_memory(void *ctx, const struct posix_layer *layer)
{
    const struct found *found = ctx;
    const char *memory = memory_of(layer);

    if (memory == NULL)
        return false;
    snprintf(found->buf, found->room, "%s (%.15s)", memory, layer->name);
    return true;
}

/* Where /sys is shut away, a device may be anything: what cannot be told is not vouched for. A file
 * system without a device (major 0: network, FUSE) has nothing to ask for. */
static bool cannot_tell(const char *sys, dev_t device)
{
    char blocks[PATH_MAX];

    snprintf(blocks, sizeof blocks, "%s/dev/block", sys);
    return major(device) != 0 && access(blocks, R_OK | X_OK) != 0;
}

bool posix_backed_by(const char *sys, dev_t device, char *buf, size_t room)
{
    struct found found = {.buf = buf, .room = room};

    if (cannot_tell(sys, device)) {
        snprintf(buf, room, "something that only /sys could name");
        return true;
    }
    return posix_stack_walk(sys, device, is_memory, &found);
}
