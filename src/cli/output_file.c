#include "cli/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
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

int output_file_check(const char *path, bool force, enum report_format *format, struct err *err)
{
    int rc = report_format_of(path, format, err);
    if (rc < 0)
        return err_prefix(err, "-o");
    struct stat st;
    if (lstat(path, &st) == 0) {
        if (S_ISDIR(st.st_mode))
            return err_set(err, -EISDIR, "-o %s: this is a directory", path);
        if (!force)
            return refuse_existing(path, err);
    } else if (errno != ENOENT) {
        return err_sys(err, -errno, "-o %s", path);
    }
    return check_directory(path, err);
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

int output_file_write(const char *path, bool force, const struct text *text, struct err *err)
{
    char part[PATH_MAX];
    int len = snprintf(part, sizeof(part), "%s.part-%ld", path, (long)getpid());
    if (text->failed)
        return err_set(err, -ENOMEM, "-o %s: out of memory", path);
    if (len < 0 || (size_t)len >= sizeof(part))
        return err_set(err, -ENAMETOOLONG, "-o: the path is too long");
    int fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return err_sys(err, -errno, "-o %s", path);
    int rc = write_all(fd, text);
    if (close(fd) < 0 && rc == 0)
        rc = -errno;
    if (rc == 0)
        rc = put_in_place(part, path, force);
    if (rc == 0)
        return 0;
    unlink(part);
    return rc == -EEXIST ? refuse_existing(path, err) : err_sys(err, rc, "-o %s", path);
}
