/* Who uses a device in a way that does not keep others from it: the exclusive open succeeds, and yet what
 * is written would be missed. */
#include "target/device_priv.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The first line of each file that the pattern names, until one of them is a member's. */
static const struct device_member *member_in_files(const struct device_family *f,
                                                   const char *pattern, char who[PATH_MAX])
{
    const struct device_member *m = NULL;
    char full[PATH_MAX];
    char line[PATH_MAX];
    glob_t found;

    snprintf(full, sizeof full, "%s/%s", f->world->sys, pattern);
    if (glob(full, GLOB_NOSORT, NULL, &found) != 0)
        return NULL;
    for (size_t i = 0; m == NULL && i < found.gl_pathc; i++) {
        FILE *file = fopen(found.gl_pathv[i], "re");

        if (file != NULL && fgets(line, sizeof line, file) != NULL) {
            line[strcspn(line, "\n")] = '\0';
            m = device_member_named(f, line);
        }
        if (file != NULL)
            fclose(file);
        snprintf(who, PATH_MAX, "%s", found.gl_pathv[i] + strlen(f->world->sys));
    }
    globfree(&found);
    return m;
}

static int check_files(const struct device_family *f, struct err *err)
{
    static const struct {
        const char *pattern;
        const char *words;
    } look[] = {
        {"block/loop*/loop/backing_file", "is below a loop device"},
        {"kernel/config/nvmet/subsystems/*/namespaces/*/device_path", "is given away over NVMe"},
        {"kernel/config/target/core/*/*/udev_path", "is given away over SCSI"},
    };
    char who[PATH_MAX];

    for (size_t i = 0; i < sizeof look / sizeof look[0]; i++) {
        const struct device_member *m = member_in_files(f, look[i].pattern, who);

        if (m != NULL)
            return err_set(err, -EBUSY, "%s is not written to: %s %s (%s%s)", f->path,
                           device_which(f, m), look[i].words, f->world->sys, who);
    }
    return 0;
}

/* ---- open for writing elsewhere ---- */

/* "flags:	0100002", as open(2) got them. */
static bool open_for_writing(const char *process, const char *number)
{
    char path[2 * PATH_MAX];
    char line[128];
    unsigned flags = O_RDONLY;
    FILE *file;

    snprintf(path, sizeof path, "%s/fdinfo/%s", process, number);
    file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "flags: %o", &flags) == 1)
            break;
    }
    if (file != NULL)
        fclose(file);
    return (flags & O_ACCMODE) != O_RDONLY;
}

static void name_of(const char *process, char name[32])
{
    char path[PATH_MAX + 8];
    FILE *file;

    name[0] = '\0';
    snprintf(path, sizeof path, "%s/comm", process);
    file = fopen(path, "re");
    if (file == NULL)
        return;
    if (fgets(name, 32, file) != NULL)
        name[strcspn(name, "\n")] = '\0';
    fclose(file);
}

/* By the link's text alone: asking for what it leads to could wait for a server. */
static const struct device_member *member_open(const struct device_family *f, const char *process)
{
    const struct device_member *m = NULL;
    const struct dirent *entry;
    char path[PATH_MAX + 8];
    char to[PATH_MAX];
    DIR *listing;

    snprintf(path, sizeof path, "%s/fd", process);
    listing = opendir(path);
    while (m == NULL && listing != NULL && (entry = readdir(listing)) != NULL) {
        ssize_t len = readlinkat(dirfd(listing), entry->d_name, to, sizeof to - 1);

        if (len <= 0)
            continue;
        to[len] = '\0';
        m = device_member_named(f, to);
        if (m != NULL && !open_for_writing(process, entry->d_name))
            m = NULL;
    }
    if (listing != NULL)
        closedir(listing);
    return m;
}

static int check_process(const struct device_family *f, const char *number, struct err *err)
{
    char process[PATH_MAX];
    char name[32];
    const struct device_member *m;

    snprintf(process, sizeof process, "%s/%s", f->world->proc, number);
    m = member_open(f, process);
    if (m == NULL)
        return 0;
    name_of(process, name);
    return err_set(err, -EBUSY, "%s is not written to: process %s (%s) has %s open for writing",
                   f->path, number, name, device_which(f, m));
}

int device_use(const struct device_family *f, struct err *err)
{
    const struct dirent *entry;
    DIR *listing;
    int rc = check_files(f, err);

    listing = rc == 0 ? opendir(f->world->proc) : NULL;
    while (rc == 0 && listing != NULL && (entry = readdir(listing)) != NULL) {
        if (isdigit((unsigned char)entry->d_name[0]) &&
            strtol(entry->d_name, NULL, 10) != f->world->self)
            rc = check_process(f, entry->d_name, err);
    }
    if (listing != NULL)
        closedir(listing);
    return rc;
}
