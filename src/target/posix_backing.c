/* What a block device is made of: some are this machine's memory, behind the page cache that can be
 * asked and emptied. */
#include "target/posix_priv.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#define LAYERS_MAX 8 /* a device-mapper table can name itself no deeper than that in practice */

/* "loop7", "ram0": the kind and a number. */
static bool is_kind(const char *name, const char *kind)
{
    size_t len = strlen(kind);

    return strncmp(name, kind, len) == 0 && isdigit((unsigned char)name[len]);
}

/* 0 also where an older kernel does not say: its loop devices went through the page cache. */
static bool loop_is_direct(const char *dir)
{
    char path[PATH_MAX + 16];
    char dio = '0';
    FILE *file;

    snprintf(path, sizeof path, "%s/loop/dio", dir);
    file = fopen(path, "re");
    if (file == NULL)
        return false;
    if (fread(&dio, 1, 1, file) != 1)
        dio = '0';
    fclose(file);
    return dio == '1';
}

static const char *memory_of(const char *dir, const char *name)
{
    if (is_kind(name, "loop"))
        return loop_is_direct(dir) ? NULL : "page cache of this machine";
    if (is_kind(name, "zram") || is_kind(name, "ram") || is_kind(name, "nullb"))
        return "memory of this machine";
    return NULL;
}

static bool look_at(char dir[PATH_MAX], unsigned layers, char *buf, size_t room);

/* dm and md name below slaves/ what they are made of. One of memory is enough to doubt them all. */
static bool look_below(const char *dir, unsigned layers, char *buf, size_t room)
{
    char path[PATH_MAX + 16];
    char below[PATH_MAX + NAME_MAX + 32];
    char real[PATH_MAX];
    const struct dirent *entry;
    bool found = false;
    DIR *slaves;

    snprintf(path, sizeof path, "%s/slaves", dir);
    slaves = opendir(path);
    if (slaves == NULL)
        return false;
    while (!found && (entry = readdir(slaves)) != NULL) {
        snprintf(below, sizeof below, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.' && realpath(below, real) != NULL)
            found = look_at(real, layers - 1, buf, room);
    }
    closedir(slaves);
    return found;
}

static bool is_partition(const char *dir)
{
    char path[PATH_MAX + 16];
    FILE *file;

    snprintf(path, sizeof path, "%s/partition", dir);
    file = fopen(path, "re");
    if (file != NULL)
        fclose(file);
    return file != NULL;
}

static bool look_at(char dir[PATH_MAX], unsigned layers, char *buf, size_t room)
{
    const char *name;
    const char *memory;

    if (layers == 0)
        return false;
    if (is_partition(dir))
        *strrchr(dir, '/') = '\0'; /* its disk's directory is above it */
    name = strrchr(dir, '/');
    if (name == NULL)
        return false;
    memory = memory_of(dir, name + 1);
    if (memory == NULL)
        return look_below(dir, layers, buf, room);
    snprintf(buf, room, "%s (%.15s)", memory, name + 1);
    return true;
}

bool posix_backed_by(const char *sys, dev_t device, char *buf, size_t room)
{
    char link[PATH_MAX];
    char dir[PATH_MAX];

    snprintf(link, sizeof link, "%s/dev/block/%u:%u", sys, major(device), minor(device));
    return realpath(link, dir) != NULL && look_at(dir, LAYERS_MAX, buf, room);
}
