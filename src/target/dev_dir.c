#include "target/dev_dir.h"

#include "base/nearest.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define DEV "/dev"

static bool lies_in(const char *real, const char *dir)
{
    size_t len = strlen(dir);

    return strncmp(real, dir, len) == 0 && (real[len] == '\0' || real[len] == '/');
}

/* As much of the path as there is, without links. */
static bool real_part(const char *path, char real[PATH_MAX])
{
    char part[PATH_MAX];

    if ((size_t)snprintf(part, sizeof part, "%s", path) >= sizeof part)
        return false;
    while (realpath(part, real) == NULL) {
        char *slash = strrchr(part, '/');

        if (slash == NULL || (errno != ENOENT && errno != ENOTDIR))
            return slash == NULL && realpath(".", real) != NULL;
        slash[slash == part] = '\0';
    }
    return true;
}

static bool is_dev_dir(const char *real)
{
    struct stat at;
    struct stat dev;

    return lies_in(real, DEV) && !lies_in(real, DEV "/shm") && stat(real, &at) == 0 &&
           stat(DEV, &dev) == 0 && at.st_dev == dev.st_dev;
}

static int may_be_meant(const struct dirent *entry)
{
    return entry->d_type == DT_BLK || entry->d_type == DT_LNK;
}

static int not_there(const char *path, const char *dir, struct err *err)
{
    const char *leaf = strrchr(path, '/');
    struct nearest near = {.wish = leaf != NULL ? leaf + 1 : path};
    struct dirent **entry = NULL;
    int n = scandir(dir, &entry, may_be_meant, alphasort);
    char meant[PATH_MAX + NAME_MAX + 32] = "";

    for (int i = 0; i < n; i++)
        nearest_try(&near, entry[i]->d_name);
    if (near.best != NULL)
        snprintf(meant, sizeof meant, "; did you mean %s/%s?", dir, near.best);
    for (int i = 0; i < n; i++)
        free(entry[i]);
    free(entry);
    return err_set(err, -ENOENT,
                   "there is no device %s, and no file or directory is made under " DEV "%s", path,
                   meant);
}

int dev_dir_refuse(const char *path, struct err *err)
{
    char real[PATH_MAX];
    struct stat st;

    if (!real_part(path, real) || !is_dev_dir(real))
        return 0;
    if (stat(path, &st) < 0)
        return not_there(path, real, err);
    return err_set(err, -EPERM,
                   "%s lies in the directory of devices; no file or directory is made under " DEV
                   " (but for " DEV "/shm, which is memory)",
                   path);
}
