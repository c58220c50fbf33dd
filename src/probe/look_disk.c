#include "probe/local_priv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECTOR_BYTES 512 /* of /proc/diskstats, whatever the device's own are */
#define QUEUES_MAX   256

enum { READS, READ_SECTORS = 2, WRITES = 4, WRITE_SECTORS = 6, BUSY_MS = 9, WAITED_MS, COLUMNS };

struct disk {
    char name[TRACK_NAME_MAX];
    unsigned major, minor;
    double c[COLUMNS];
};

/* Of all queues to the controller, and of SCSI what the device itself takes; 0: not known. */
static double holds(struct local *l, const char *dir)
{
    double requests = local_fact(l, l->sys, 0, "block/%s/queue/nr_requests", dir);
    double depth = local_fact(l, l->sys, 0, "block/%s/device/queue_depth", dir), sum = 0;

    for (unsigned queue = 0; queue < QUEUES_MAX; queue++) {
        double tags = local_fact(l, l->sys, 0, "block/%s/mq/%u/nr_tags", dir, queue);
        if (tags <= 0)
            break;
        sum += requests > 0 ? fmin(tags, requests) : tags;
    }
    return depth > 0 && sum > 0 ? fmin(depth, sum) : fmax(depth, sum);
}

static const struct local_cap *cap_of(const struct local *l, const struct disk *d)
{
    static const struct local_cap none;

    for (unsigned i = 0; i < l->caps; i++)
        if (l->cap[i].major == d->major && l->cap[i].minor == d->minor)
            return &l->cap[i];
    return &none;
}

static void put(struct local *l, const struct disk *d, enum track_kind kind, double value,
                double capacity)
{
    struct sight *s = local_put(l, kind, SIGHT_COUNTED, d->name);

    s->value = value;
    s->capacity = capacity;
    s->idle = local_idle(l, TRACK_DISK_READS, d->name, d->c[READS] + d->c[WRITES]);
}

/* Where a name has a slash, the directory's has an exclamation mark. Only whole disks have one. */
static void put_disk(struct local *l, const struct disk *d)
{
    const struct local_cap *cap = cap_of(l, d);
    char dir[TRACK_NAME_MAX];

    memcpy(dir, d->name, sizeof dir);
    for (char *slash = dir; (slash = strchr(slash, '/')) != NULL;)
        *slash = '!';
    if (local_fact(l, l->sys, -1, "block/%s/size", dir) < 0)
        return;
    put(l, d, TRACK_DISK_READ, d->c[READ_SECTORS] * SECTOR_BYTES, cap->read_bytes);
    put(l, d, TRACK_DISK_WRITE, d->c[WRITE_SECTORS] * SECTOR_BYTES, cap->write_bytes);
    put(l, d, TRACK_DISK_READS, d->c[READS], cap->reads);
    put(l, d, TRACK_DISK_WRITES, d->c[WRITES], cap->writes);
    put(l, d, TRACK_DISK_QUEUE, d->c[WAITED_MS] / 1e3, holds(l, dir));
    put(l, d, TRACK_DISK_BUSY, d->c[BUSY_MS] / 1e3, 0);
}

void look_disks(struct local *l)
{
    struct disk *disk = NULL;
    unsigned n = 0;
    char *at = local_read(l, l->proc, "diskstats");

    /* All at first: what is read of a disk besides takes the place of this text. */
    for (char *line; (line = local_line(&at)) != NULL;) {
        struct disk *more = realloc(disk, (n + 1) * sizeof *disk);
        int end = 0;
        if (!more)
            break;
        disk = more;
        struct disk *d = &disk[n];
        if (sscanf(line, "%u %u %47s%n", &d->major, &d->minor, d->name, &end) != 3)
            continue;
        line += end;
        n += local_numbers(&line, d->c, COLUMNS) == COLUMNS;
    }
    for (unsigned i = 0; i < n; i++)
        put_disk(l, &disk[i]);
    free(disk);
}
