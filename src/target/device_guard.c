/* Whether anything of this machine uses a device. The kernel's own answer is the exclusive open; what is
 * asked here says by whom and how, and knows a little more: other name spaces' mounts by their names. */
#include "target/device_priv.h"
#include "target/mount_line_priv.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Entries of a directory, those that begin with a dot aside. */
static const struct dirent *next_entry(DIR *dir)
{
    const struct dirent *entry;

    while ((entry = readdir(dir)) != NULL && entry->d_name[0] == '.')
        ;
    return entry;
}

/* ---- part of something larger ---- */

/* What a link of the directory names; "" none. */
static void first_entry(const char *dir, const char *name, char found[NAME_MAX + 1])
{
    char path[2 * PATH_MAX];
    const struct dirent *entry;
    DIR *listing;

    found[0] = '\0';
    snprintf(path, sizeof path, "%s/%s", dir, name);
    listing = opendir(path);
    if (listing == NULL)
        return;
    entry = next_entry(listing);
    if (entry != NULL)
        snprintf(found, NAME_MAX + 1, "%s", entry->d_name);
    closedir(listing);
}

static int check_holders(const struct device_family *f, const char *dir, const char *who,
                         struct err *err)
{
    char path[2 * PATH_MAX];
    char holder[NAME_MAX + 1];

    first_entry(dir, "holders", holder);
    if (holder[0] != '\0')
        return err_set(err, -EBUSY, "%s is not written to: %s is part of %s (dm, md or the like)",
                       f->path, who, holder);
    snprintf(path, sizeof path, "%s/bcache", dir);
    if (access(path, F_OK) == 0)
        return err_set(err, -EBUSY, "%s is not written to: %s is part of a bcache", f->path, who);
    return 0;
}

/* Each member's own directory: the first one's is the family's, a partition's lies in it. */
static int check_all_holders(const struct device_family *f, struct err *err)
{
    char path[2 * PATH_MAX];
    int rc = check_holders(f, f->dir, "it", err);

    for (unsigned i = 1; rc == 0 && i < f->n; i++) {
        snprintf(path, sizeof path, "%s/%s", f->dir, f->member[i].name);
        rc = check_holders(f, path, f->member[i].name, err);
    }
    if (rc == 0 && f->partition) {
        snprintf(path, sizeof path, "%s/..", f->dir);
        rc = check_holders(f, path, "its disk", err);
    }
    return rc;
}

/* The mount names one device of a btrfs; the file system itself knows them all. */
static int check_btrfs(const struct device_family *f, struct err *err)
{
    char path[PATH_MAX];
    char device[2 * PATH_MAX];
    const struct dirent *entry;
    DIR *listing;
    int rc = 0;

    snprintf(path, sizeof path, "%s/fs/btrfs", f->world->sys);
    listing = opendir(path);
    while (rc == 0 && listing != NULL && (entry = next_entry(listing)) != NULL) {
        for (unsigned i = 0; rc == 0 && i < f->n; i++) {
            snprintf(device, sizeof device, "%s/%s/devices/%s", path, entry->d_name,
                     f->member[i].name);
            if (access(device, F_OK) == 0)
                rc =
                    err_set(err, -EBUSY, "%s is not written to: %s is part of a mounted btrfs (%s)",
                            f->path, device_which(f, &f->member[i]), entry->d_name);
        }
    }
    if (listing != NULL)
        closedir(listing);
    return rc;
}

/* ---- mounts ---- */

/* A file system of several devices has a number of its own; its source names one of them. */
static const struct device_member *mounted_member(const struct device_family *f,
                                                  const struct mount_line *mount)
{
    const struct device_member *m = device_member_with(f, mount->device);

    return m != NULL ? m : device_member_named(f, mount->source);
}

static int check_mountinfo(const struct device_family *f, const char *process, struct err *err)
{
    char path[2 * PATH_MAX];
    FILE *file;
    char *line = NULL;
    size_t room = 0;
    int rc = 0;

    snprintf(path, sizeof path, "%s/%s/mountinfo", f->world->proc, process);
    file = fopen(path, "re");
    while (rc == 0 && file != NULL && getline(&line, &room, file) > 0) {
        struct mount_line mount;
        const struct device_member *m =
            mount_line_parse(line, &mount) ? mounted_member(f, &mount) : NULL;
        bool own = strcmp(process, "self") == 0;

        if (m != NULL)
            rc = err_set(err, -EBUSY, "%s is not written to: %s is mounted on %s%s%s%s", f->path,
                         device_which(f, m), mount.point, own ? "" : " (as process ",
                         own ? "" : process, own ? "" : " sees it)");
    }
    free(line);
    if (file != NULL)
        fclose(file);
    return rc;
}

/* Of every process that lets us look: another name space's mounts are in no other list. */
static int check_mounts(const struct device_family *f, struct err *err)
{
    DIR *listing = opendir(f->world->proc);
    const struct dirent *entry;
    int rc = check_mountinfo(f, "self", err);

    while (rc == 0 && listing != NULL && (entry = next_entry(listing)) != NULL) {
        if (isdigit((unsigned char)entry->d_name[0]))
            rc = check_mountinfo(f, entry->d_name, err);
    }
    if (listing != NULL)
        closedir(listing);
    return rc;
}

/* ---- swap ---- */

static int check_swap(const struct device_family *f, struct err *err)
{
    char path[2 * PATH_MAX];
    char line[PATH_MAX + 64];
    char name[PATH_MAX];
    FILE *file;
    int rc = 0;

    snprintf(path, sizeof path, "%s/swaps", f->world->proc);
    file = fopen(path, "re");
    while (rc == 0 && file != NULL && fgets(line, sizeof line, file) != NULL) {
        const struct device_member *m = NULL;

        if (sscanf(line, "%4095s", name) == 1) {
            mount_line_unescape(name);
            m = device_member_named(f, name);
        }
        if (m != NULL)
            rc = err_set(err, -EBUSY, "%s is not written to: %s is swap in use (%s)", f->path,
                         device_which(f, m), name);
    }
    if (file != NULL)
        fclose(file);
    return rc;
}

int device_guard(const struct device_family *f, struct err *err)
{
    int rc = check_mounts(f, err);

    if (rc == 0)
        rc = check_swap(f, err);
    if (rc == 0)
        rc = check_all_holders(f, err);
    return rc == 0 ? check_btrfs(f, err) : rc;
}
