/* What is known about the block device behind a directory, from a tree like /sys. */
#include "target/posix_priv.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

static void put(const struct target_sink *sink, const char *key, const char *value)
{
    if (value[0] != '\0')
        sink->put(sink->ctx, key, value, "");
}

static void put_line(const struct target_sink *sink, const char *key, const char *dir,
                     const char *name, const char *unit)
{
    char value[256];

    if (posix_sys_line(dir, name, value, sizeof value))
        sink->put(sink->ctx, key, value, unit);
}

/* "none [mq-deadline] kyber": the one in brackets. */
static void put_scheduler(const struct target_sink *sink, const char *dir)
{
    char line[256];
    char *begin;
    char *end;

    if (!posix_sys_line(dir, "queue/scheduler", line, sizeof line))
        return;
    begin = strchr(line, '[');
    end = begin != NULL ? strchr(begin, ']') : NULL;
    if (end == NULL)
        return;
    *end = '\0';
    put(sink, "device_scheduler", begin + 1);
}

static void put_discard(const struct target_sink *sink, const char *dir)
{
    char most[32];

    if (posix_sys_line(dir, "queue/discard_max_bytes", most, sizeof most))
        put(sink, "device_discard", strcmp(most, "0") == 0 ? "no" : "yes");
}

static void put_stack(const char *sys, dev_t device, const struct target_sink *sink)
{
    struct posix_stack stack;
    char backed_by[64];

    posix_stack_of(sys, device, &stack);
    if (stack.layers > 1)
        put(sink, "device_stack", stack.words);
    put(sink, "device_encryption", stack.encryption);
    put(sink, "device_compression", stack.compression);
    put(sink, "device_thin", stack.thin);
    if (posix_backed_by(sys, device, backed_by, sizeof backed_by))
        put(sink, "device_backed_by", backed_by);
}

void posix_device_facts(const char *sys, dev_t device, const struct target_sink *sink)
{
    char text[32];
    char link[PATH_MAX];
    char dir[PATH_MAX];

    snprintf(text, sizeof text, "%u:%u", major(device), minor(device));
    put(sink, "device", text);
    snprintf(link, sizeof link, "%s/dev/block/%s", sys, text);
    if (realpath(link, dir) == NULL)
        return;
    put(sink, "device_name", strrchr(dir, '/') + 1);
    /* A partition has its disk's directory above it. */
    if (posix_sys_line(dir, "partition", text, sizeof text))
        *strrchr(dir, '/') = '\0';
    put_line(sink, "device_vendor", dir, "device/vendor", "");
    put_line(sink, "device_model", dir, "device/model", "");
    put_line(sink, "device_rotational", dir, "queue/rotational", "");
    put_line(sink, "device_logical_block_bytes", dir, "queue/logical_block_size", "bytes");
    put_line(sink, "device_physical_block_bytes", dir, "queue/physical_block_size", "bytes");
    put_line(sink, "device_write_cache", dir, "queue/write_cache", "");
    put_scheduler(sink, dir);
    put_discard(sink, dir);
    put_stack(sys, device, sink);
}

/* A partition has its disk's directory above it. */
unsigned posix_sector_bytes(dev_t device)
{
    char dir[64];
    char line[32];

    snprintf(dir, sizeof dir, "/sys/dev/block/%u:%u", major(device), minor(device));
    if (!posix_sys_line(dir, "queue/logical_block_size", line, sizeof line) &&
        !posix_sys_line(dir, "../queue/logical_block_size", line, sizeof line))
        return 0;
    return (unsigned)strtoul(line, NULL, 10);
}
