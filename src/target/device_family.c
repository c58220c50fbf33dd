#include "target/device_priv.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* What /sys counts in, whatever the device has. */
#define SECTOR_BYTES 512

static bool read_line(const char *dir, const char *name, char *buf, size_t room)
{
    char path[2 * PATH_MAX];
    FILE *file;
    bool got;

    snprintf(path, sizeof path, "%s/%s", dir, name);
    file = fopen(path, "re");
    got = file != NULL && fgets(buf, (int)room, file) != NULL;
    if (file != NULL)
        fclose(file);
    return got;
}

static uint64_t sectors(const char *dir, const char *name)
{
    char line[32];

    return read_line(dir, name, line, sizeof line) ? strtoull(line, NULL, 10) * SECTOR_BYTES : 0;
}

static void add_member(struct device_family *f, const char *dir, const char *name)
{
    struct device_member *m = &f->member[f->n];
    char line[32];
    unsigned major_number;
    unsigned minor_number;

    if (f->n == DEVICE_PARTS_MAX || !read_line(dir, "dev", line, sizeof line) ||
        sscanf(line, "%u:%u", &major_number, &minor_number) != 2)
        return;
    m->device = makedev(major_number, minor_number);
    m->begin_bytes = f->n > 0 ? sectors(dir, "start") : 0;
    m->bytes = sectors(dir, "size");
    snprintf(m->name, sizeof m->name, "%s", name);
    f->n++;
}

static bool is_partition(const char *dir)
{
    char line[16];

    return read_line(dir, "partition", line, sizeof line);
}

static void add_partitions(struct device_family *f)
{
    DIR *listing = opendir(f->dir);
    const struct dirent *entry;

    while (listing != NULL && (entry = readdir(listing)) != NULL) {
        char path[PATH_MAX + NAME_MAX + 2];

        snprintf(path, sizeof path, "%s/%s", f->dir, entry->d_name);
        if (entry->d_name[0] != '.' && is_partition(path))
            add_member(f, path, entry->d_name);
    }
    if (listing != NULL)
        closedir(listing);
}

static int find(struct device_family *f, dev_t device, struct err *err)
{
    char link[PATH_MAX];

    snprintf(link, sizeof link, "%s/dev/block/%u:%u", f->world->sys, major(device), minor(device));
    if (realpath(link, f->dir) == NULL)
        return err_sys(err, -errno, "%s is not written to: cannot see who uses it at %s", f->path,
                       link);
    add_member(f, f->dir, strrchr(f->dir, '/') + 1);
    f->partition = is_partition(f->dir);
    add_partitions(f);
    if (f->n == 0 || f->n == DEVICE_PARTS_MAX || f->member[0].device != device)
        return err_set(err, -EIO, "%s is not written to: %s does not say what it is", f->path,
                       f->dir);
    return 0;
}

int device_family_new(const struct device_world *world, const char *path, dev_t device,
                      struct device_family **out, struct err *err)
{
    struct device_family *f = calloc(1, sizeof *f);
    int rc;

    if (f == NULL)
        return err_set(err, -ENOMEM, "no memory to look at %s", path);
    f->world = world;
    f->path = path;
    rc = find(f, device, err);
    if (rc < 0)
        free(f);
    else
        *out = f;
    return rc;
}

const struct device_member *device_member_with(const struct device_family *f, dev_t device)
{
    for (unsigned i = 0; i < f->n; i++) {
        if (f->member[i].device == device)
            return &f->member[i];
    }
    return NULL;
}

const struct device_member *device_member_named(const struct device_family *f, const char *node)
{
    const char *name = strrchr(node, '/');
    struct stat st;

    if (strncmp(node, "/dev/", 5) != 0)
        return NULL;
    for (unsigned i = 0; i < f->n; i++) {
        if (strcmp(f->member[i].name, name + 1) == 0)
            return &f->member[i];
    }
    return stat(node, &st) == 0 && S_ISBLK(st.st_mode) ? device_member_with(f, st.st_rdev) : NULL;
}

const char *device_which(const struct device_family *f, const struct device_member *m)
{
    return m == &f->member[0] ? "it" : m->name;
}
