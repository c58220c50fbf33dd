#include "cli/output_file.h"

#include "cli/results_db.h"

#include "target/dev_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuse_existing(const char *path, struct err *err)
{
    return err_set(err, -EEXIST, "-o %s: this file is there already; --force replaces it", path);
}

static int check_directory(const char *path, struct err *err)
{
    char dir[PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t len = slash ? (size_t)(slash - path) + 1 : 0;
    if (len >= sizeof(dir))
        return err_set(err, -ENAMETOOLONG, "-o: the path is too long");
    memcpy(dir, path, len);
    dir[len] = '\0';
    if (access(len ? dir : ".", W_OK | X_OK) < 0)
        return err_sys(err, -errno, "-o %s: cannot make a file there", path);
    return 0;
}

/* The name that a new file gets, links in its directory followed. false: there is no such place. */
static bool real_place(const char *path, char out[PATH_MAX])
{
    char dir[PATH_MAX], real[PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t len = slash ? (size_t)(slash - path) + 1 : 0;
    if (realpath(path, out))
        return true;
    if (len >= sizeof(dir))
        return false;
    memcpy(dir, len ? path : ".", len ? len : 1);
    dir[len ? len : 1] = '\0';
    if (!realpath(dir, real))
        return false;
    int n = snprintf(out, PATH_MAX, "%s/%s", real, path + len);
    return n > 0 && n < PATH_MAX;
}

bool output_file_same(const char *a, const char *b)
{
    char place_a[PATH_MAX], place_b[PATH_MAX];
    struct stat at, bt;
    if (stat(a, &at) == 0 && stat(b, &bt) == 0)
        return at.st_dev == bt.st_dev && at.st_ino == bt.st_ino;
    return real_place(a, place_a) && real_place(b, place_b) && strcmp(place_a, place_b) == 0;
}

/* Where there is no usual place for the database, opening it says so. */
static int check_not_database(const char *path, const char *db, struct err *err)
{
    char usual[PATH_MAX];
    const char *kept;
    if (results_db_none(db) || results_db_path(db, usual, &kept, NULL) < 0)
        return 0;
    return output_file_same(path, kept)
               ? err_set(err, -EINVAL, "-o %s: this is the database of results", path)
               : 0;
}

static int check_existing(const char *path, bool force, struct err *err)
{
    struct stat st;
    if (lstat(path, &st) < 0)
        return errno == ENOENT ? 0 : err_sys(err, -errno, "-o %s", path);
    if (S_ISDIR(st.st_mode))
        return err_set(err, -EISDIR, "-o %s: this is a directory", path);
    if (!force)
        return refuse_existing(path, err);
    if (stat(path, &st) < 0)
        return err_sys(err, -errno, "-o %s: a link that leads nowhere", path);
    return S_ISREG(st.st_mode) ? 0 : err_set(err, -EINVAL, "-o %s: not a regular file", path);
}

int output_file_check_place(const char *path, bool force, const char *db, struct err *err)
{
    char place[PATH_MAX];
    int rc = check_not_database(path, db, err);
    if (rc == 0)
        rc = check_existing(path, force, err);
    if (rc == 0 && dev_dir_refuse(path, err) < 0)
        rc = err_prefix(err, "-o");
    if (rc < 0)
        return rc;
    return check_directory(real_place(path, place) ? place : path, err);
}

int output_file_check(const char *path, bool force, const char *db, enum report_format *format,
                      struct err *err)
{
    if (!path)
        return force ? err_set(err, -EINVAL, "--force: there is no -o FILE to replace") : 0;
    int rc = report_format_of(path, format, err);
    return rc < 0 ? err_prefix(err, "-o") : output_file_check_place(path, force, db, err);
}

static int write_all(int fd, const struct text *text)
{
    for (size_t done = 0; done < text->len;) {
        ssize_t n = write(fd, text->s + done, text->len - done);
        if (n < 0 && errno != EINTR)
            return -errno;
        if (n > 0)
            done += (size_t)n;
    }
    return fsync(fd) < 0 ? -errno : 0;
}

/* Not every file system can refuse to replace in a rename; link can everywhere there are links. */
static int put_in_place(const char *from, const char *path, bool force)
{
    if (force)
        return rename(from, path) < 0 ? -errno : 0;
    if (renameat2(AT_FDCWD, from, AT_FDCWD, path, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -errno;
    if (link(from, path) < 0)
        return -errno;
    return unlink(from) < 0 ? -errno : 0;
}

int output_part_open(struct output_part *part, const char *path, bool force, struct err *err)
{
    char real[PATH_MAX];
    *part = (struct output_part){.fd = -1, .force = force};
    if (force && realpath(path, real))
        path = real;
    int named = snprintf(part->path, sizeof part->path, "%s", path);
    int len = snprintf(part->name, sizeof part->name, "%s.part-%ld", path, (long)getpid());
    if (named < 0 || len < 0 || (size_t)len >= sizeof part->name)
        return err_set(err, -ENAMETOOLONG, "-o: the path is too long");
    part->fd = open(part->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return part->fd < 0 ? err_sys(err, -errno, "-o %s", path) : 0;
}

int output_part_close(struct output_part *part, int rc, struct err *err)
{
    if (part->fd < 0)
        return rc;
    int code = close(part->fd) < 0 ? -errno : 0;
    if (rc == 0 && code == 0)
        code = put_in_place(part->name, part->path, part->force);
    if (rc == 0 && code == 0)
        return 0;
    unlink(part->name);
    if (rc < 0)
        return rc;
    return code == -EEXIST ? refuse_existing(part->path, err)
                           : err_sys(err, code, "-o %s", part->path);
}

int output_file_write(const char *path, bool force, const struct text *text, struct err *err)
{
    struct output_part part;
    if (text->failed)
        return err_set(err, -ENOMEM, "-o %s: out of memory", path);
    int rc = output_part_open(&part, path, force, err);
    if (rc < 0)
        return rc;
    rc = write_all(part.fd, text);
    if (rc < 0)
        err_sys(err, rc, "-o %s", path);
    return output_part_close(&part, rc, err);
}
