/* Whether anything of this machine uses a device. The kernel's own answer is the exclusive open; what is
 * asked here says by whom and how, and knows a little more: other name spaces' mounts by their names. */
#include "target/device_priv.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#define PARTS_MAX 256

/* The device and its partitions, by name as they stand in /sys. */
struct family {
    const struct device_world *world;
    const char *path; /* as the person wrote it */
    unsigned n;
    struct member {
        dev_t device;
        char name[NAME_MAX + 1];
    } member[PARTS_MAX];
};

static bool read_line(const char *path, char *buf, size_t room)
{
    FILE *file = fopen(path, "re");
    bool got = file != NULL && fgets(buf, (int)room, file) != NULL;

    if (file != NULL)
        fclose(file);
    return got;
}

static void add_member(struct family *f, const char *dir, const char *name)
{
    char path[2 * PATH_MAX];
    char line[32];
    unsigned major_number;
    unsigned minor_number;

    snprintf(path, sizeof path, "%s/dev", dir);
    if (f->n == PARTS_MAX || !read_line(path, line, sizeof line) ||
        sscanf(line, "%u:%u", &major_number, &minor_number) != 2)
        return;
    f->member[f->n].device = makedev(major_number, minor_number);
    snprintf(f->member[f->n++].name, NAME_MAX + 1, "%s", name);
}

static const struct member *member_with(const struct family *f, dev_t device)
{
    for (unsigned i = 0; i < f->n; i++) {
        if (f->member[i].device == device)
            return &f->member[i];
    }
    return NULL;
}

/* By what its node under /dev is, or by its name where there is no node (a container). */
static const struct member *member_named(const struct family *f, const char *node)
{
    const char *name = strrchr(node, '/');
    struct stat st;

    if (strncmp(node, "/dev/", 5) != 0)
        return NULL;
    for (unsigned i = 0; i < f->n; i++) {
        if (strcmp(f->member[i].name, name + 1) == 0)
            return &f->member[i];
    }
    return stat(node, &st) == 0 && S_ISBLK(st.st_mode) ? member_with(f, st.st_rdev) : NULL;
}

/* "it", or the name of the partition that it is about. */
static const char *which(const struct family *f, const struct member *m)
{
    return m == &f->member[0] ? "it" : m->name;
}

static bool is_partition(const char *dir)
{
    char path[3 * PATH_MAX];
    struct stat st;

    snprintf(path, sizeof path, "%s/partition", dir);
    return stat(path, &st) == 0;
}

/* Entries of a directory, those that begin with a dot aside. */
static const struct dirent *next_entry(DIR *dir)
{
    const struct dirent *entry;

    while ((entry = readdir(dir)) != NULL && entry->d_name[0] == '.')
        ;
    return entry;
}

static void add_partitions(struct family *f, const char *dir)
{
    DIR *listing = opendir(dir);
    const struct dirent *entry;

    while (listing != NULL && (entry = next_entry(listing)) != NULL) {
        char path[2 * PATH_MAX];

        snprintf(path, sizeof path, "%s/%s", dir, entry->d_name);
        if (is_partition(path))
            add_member(f, path, entry->d_name);
    }
    if (listing != NULL)
        closedir(listing);
}

/* ---- part of something larger ---- */

static int check_holders(const struct family *f, const char *dir, const char *who, struct err *err)
{
    char path[2 * PATH_MAX];
    char holder[NAME_MAX + 1] = "";
    const struct dirent *entry;
    DIR *listing;

    snprintf(path, sizeof path, "%s/holders", dir);
    listing = opendir(path);
    if (listing != NULL) {
        entry = next_entry(listing);
        if (entry != NULL)
            snprintf(holder, sizeof holder, "%s", entry->d_name);
        closedir(listing);
    }
    if (holder[0] == '\0')
        return 0;
    return err_set(err, -EBUSY, "%s is not written to: %s is part of %s (dm, md or the like)",
                   f->path, who, holder);
}

/* ---- mounts ---- */

/* "36 35 98:0 /root /point opts [optional…] - type source superopts". A file system of several devices
 * has a number of its own; its source names one of them. */
static const struct member *mounted_member(const struct family *f, char *line, char **point)
{
    unsigned major_number;
    unsigned minor_number;
    const struct member *m;
    char *rest = strstr(line, " - ");
    char *save = NULL;
    char *source;
    int at = 0;

    if (rest == NULL ||
        sscanf(line, "%*u %*u %u:%u %*s %n", &major_number, &minor_number, &at) != 2 || at == 0)
        return NULL;
    *rest = '\0';
    *point = strtok_r(line + at, " ", &save);
    m = member_with(f, makedev(major_number, minor_number));
    save = NULL;
    source = strtok_r(rest + 3, " ", &save) != NULL ? strtok_r(NULL, " ", &save) : NULL;
    if (m == NULL && source != NULL)
        m = member_named(f, source);
    return *point != NULL ? m : NULL;
}

static int check_mountinfo(const struct family *f, const char *path, struct err *err)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t room = 0;
    int rc = 0;

    while (rc == 0 && file != NULL && getline(&line, &room, file) > 0) {
        char *point = NULL;
        const struct member *m = mounted_member(f, line, &point);

        if (m != NULL)
            rc = err_set(err, -EBUSY, "%s is not written to: %s is mounted on %s", f->path,
                         which(f, m), point);
    }
    free(line);
    if (file != NULL)
        fclose(file);
    return rc;
}

/* Of every process that lets us look: another name space's mounts are in no other list. */
static int check_mounts(const struct family *f, struct err *err)
{
    char path[2 * PATH_MAX];
    const struct dirent *entry;
    DIR *listing;
    int rc;

    snprintf(path, sizeof path, "%s/self/mountinfo", f->world->proc);
    rc = check_mountinfo(f, path, err);
    listing = opendir(f->world->proc);
    while (rc == 0 && listing != NULL && (entry = next_entry(listing)) != NULL) {
        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        snprintf(path, sizeof path, "%s/%s/mountinfo", f->world->proc, entry->d_name);
        rc = check_mountinfo(f, path, err);
    }
    if (listing != NULL)
        closedir(listing);
    return rc;
}

/* ---- swap ---- */

static int check_swap(const struct family *f, struct err *err)
{
    char path[2 * PATH_MAX];
    char line[PATH_MAX + 64];
    char name[PATH_MAX];
    FILE *file;
    int rc = 0;

    snprintf(path, sizeof path, "%s/swaps", f->world->proc);
    file = fopen(path, "re");
    while (rc == 0 && file != NULL && fgets(line, sizeof line, file) != NULL) {
        const struct member *m = sscanf(line, "%4095s", name) == 1 ? member_named(f, name) : NULL;

        if (m != NULL)
            rc = err_set(err, -EBUSY, "%s is not written to: %s is swap in use (%s)", f->path,
                         which(f, m), name);
    }
    if (file != NULL)
        fclose(file);
    return rc;
}

/* ---- */

/* Each member's own directory: the first one's is `dir`, a partition's lies in it. */
static int check_all_holders(const struct family *f, const char *dir, struct err *err)
{
    char path[2 * PATH_MAX];
    int rc = check_holders(f, dir, "it", err);

    for (unsigned i = 1; rc == 0 && i < f->n; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, f->member[i].name);
        rc = check_holders(f, path, f->member[i].name, err);
    }
    if (rc == 0 && is_partition(dir)) {
        snprintf(path, sizeof path, "%s/..", dir);
        rc = check_holders(f, path, "its disk", err);
    }
    return rc;
}

int device_guard(const struct device_world *world, const char *path, dev_t device, struct err *err)
{
    struct family *f = calloc(1, sizeof *f);
    char link[PATH_MAX];
    char dir[PATH_MAX];
    int rc;

    if (f == NULL)
        return err_set(err, -ENOMEM, "no memory to look at %s", path);
    f->world = world;
    f->path = path;
    snprintf(link, sizeof link, "%s/dev/block/%u:%u", world->sys, major(device), minor(device));
    if (realpath(link, dir) == NULL) {
        rc = err_sys(err, -errno, "%s is not written to: cannot see who uses it at %s", path, link);
        goto out;
    }
    add_member(f, dir, strrchr(dir, '/') + 1);
    add_partitions(f, dir);
    if (f->n == 0 || f->n == PARTS_MAX || f->member[0].device != device) {
        rc = err_set(err, -EIO, "%s is not written to: %s does not say what it is", path, dir);
        goto out;
    }
    rc = check_mounts(f, err);
    if (rc == 0)
        rc = check_swap(f, err);
    if (rc == 0)
        rc = check_all_holders(f, dir, err);
out:
    free(f);
    return rc;
}
