/* Ops that name a directory, or something in one. */
#include "target/posix_priv.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FILE_MODE 0644
#define DIR_MODE  0755

/* A name stays in its directory: this is what keeps every op under the target. */
static bool leaf_is_name(const char *leaf)
{
    if (leaf == NULL || leaf[0] == '\0' || strchr(leaf, '/') != NULL)
        return false;
    return leaf[0] != '.' || (leaf[1] != '\0' && (leaf[1] != '.' || leaf[2] != '\0'));
}

/* Descriptor of the directory of a NAMED op. */
static int named_dir(struct posix_session *s, const struct op *op)
{
    return leaf_is_name(op->leaf) ? posix_dirs_fd(&s->dirs, op->node) : -EINVAL;
}

/* O_NONBLOCK changes nothing for a file; without it a FIFO in a file's place would wait for its other
 * end. */
int posix_open_flags(const struct op *op)
{
    int flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;

    if ((op->flags & OP_FLAG_READ) && (op->flags & OP_FLAG_WRITE))
        return -EINVAL;
    flags |= op->flags & OP_FLAG_READ ? O_RDONLY : op->flags & OP_FLAG_WRITE ? O_WRONLY : O_RDWR;
    if (op->flags & OP_FLAG_DIRECT)
        flags |= O_DIRECT;
    if (op->flags & OP_FLAG_DSYNC)
        flags |= O_DSYNC;
    if (op->flags & OP_FLAG_SYNC)
        flags |= O_SYNC;
    return flags;
}

int64_t posix_opened(struct op *op, int64_t fd)
{
    if (fd < 0)
        return fd;
    if (op->flags & OP_FLAG_RANDOM) {
        int rc = -posix_fadvise((int)fd, 0, 0, POSIX_FADV_RANDOM);

        if (rc < 0) {
            posix_shut((int)fd);
            return rc;
        }
    }
    op->handle = (uint64_t)fd;
    return 0;
}

static int64_t open_named(struct posix_session *s, struct op *op, int more)
{
    int flags = posix_open_flags(op);
    int dir = named_dir(s, op);

    if (dir < 0)
        return dir;
    if (flags < 0)
        return flags;
    return posix_opened(op, posix_openat(dir, op->leaf, flags | more, FILE_MODE));
}

int64_t posix_open_file(struct posix_session *s, struct op *op)
{
    return open_named(s, op, 0);
}

int64_t posix_create(struct posix_session *s, struct op *op)
{
    int exclusive = op->flags & OP_FLAG_MAY_EXIST ? 0 : O_EXCL;

    return open_named(s, op, O_CREAT | exclusive);
}

int64_t posix_lookup(struct posix_session *s, struct op *op)
{
    int fd = posix_dirs_fd(&s->dirs, op->node);

    return fd < 0 ? fd : 0;
}

static enum target_type type_of_mode(mode_t mode)
{
    if (S_ISREG(mode))
        return TARGET_TYPE_FILE;
    if (S_ISDIR(mode))
        return TARGET_TYPE_DIR;
    return S_ISLNK(mode) ? TARGET_TYPE_LINK : TARGET_TYPE_OTHER;
}

static inline int64_t stat_at(int dir, const char *leaf, struct target_stat *out)
{
    struct stat st;
    int64_t rc =
        posix_fstatat(dir, leaf, &st, leaf[0] == '\0' ? AT_EMPTY_PATH : AT_SYMLINK_NOFOLLOW);

    if (rc == 0 && out != NULL)
        *out = (struct target_stat){.type = type_of_mode(st.st_mode),
                                    .size_bytes = (uint64_t)st.st_size,
                                    .stored_bytes = (uint64_t)st.st_blocks * 512,
                                    .device = st.st_dev};
    return rc;
}

int64_t posix_stat(struct posix_session *s, struct op *op)
{
    char name[TARGET_LEAF_MAX];
    const char *leaf = op->leaf;
    int dir;

    if (op->flags & OP_FLAG_HANDLE)
        return stat_at((int)op->handle, "", op->buf);
    if (leaf != NULL) {
        dir = named_dir(s, op);
    } else if (op->node == TARGET_NODE_ROOT) {
        dir = s->root_fd;
        leaf = "";
    } else {
        /* By its name and not by the descriptor kept: what is there now, of whatever type. */
        dir = posix_dirs_parent(&s->dirs, op->node, name);
        leaf = name;
    }
    return dir < 0 ? dir : stat_at(dir, leaf, op->buf);
}

int64_t posix_unlink(struct posix_session *s, struct op *op)
{
    int dir = named_dir(s, op);

    return dir < 0 ? dir : posix_unlinkat(dir, op->leaf, 0);
}

int64_t posix_rename(struct posix_session *s, struct op *op)
{
    int dir = leaf_is_name(op->buf) ? named_dir(s, op) : -EINVAL;

    return dir < 0 ? dir : posix_result(renameat(dir, op->leaf, dir, op->buf));
}

int64_t posix_mkdir(struct posix_session *s, struct op *op)
{
    char leaf[TARGET_LEAF_MAX];
    int dir;
    int64_t rc;

    if (op->node == TARGET_NODE_ROOT)
        return -EEXIST;
    dir = posix_dirs_parent(&s->dirs, op->node, leaf);
    if (dir < 0)
        return dir;
    rc = posix_result(mkdirat(dir, leaf, DIR_MODE));
    /* Another session may have removed the one that this session has open. */
    if (rc == 0)
        posix_dirs_forget(&s->dirs, op->node);
    return rc;
}

static void listing_end(struct posix_session *s)
{
    if (s->listing.fd >= 0)
        close(s->listing.fd);
    s->listing.fd = -1;
}

int64_t posix_rmdir(struct posix_session *s, struct op *op)
{
    char leaf[TARGET_LEAF_MAX];
    int dir;
    int64_t rc;

    if (op->node == TARGET_NODE_ROOT)
        return -EBUSY;
    dir = posix_dirs_parent(&s->dirs, op->node, leaf);
    if (dir < 0)
        return dir;
    rc = posix_unlinkat(dir, leaf, AT_REMOVEDIR);
    if (rc == 0) {
        posix_dirs_forget(&s->dirs, op->node);
        if (s->listing.node == op->node)
            listing_end(s);
    }
    return rc;
}

/* Opens the directory for listing, or moves the one that is open to where `op` continues. */
static int listing_seek(struct posix_session *s, const struct op *op)
{
    struct posix_listing *l = &s->listing;

    if (l->fd < 0 || l->node != op->node) {
        int dir = posix_dirs_fd(&s->dirs, op->node);

        listing_end(s);
        if (dir < 0)
            return dir;
        l->fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (l->fd < 0)
            return -errno;
        l->node = op->node;
        l->cookie = 0;
    }
    /* Rewinding must seek: it is what makes the kernel read the directory anew. */
    if (l->cookie != op->off || op->off == 0) {
        if (lseek(l->fd, (off_t)op->off, SEEK_SET) < 0)
            return -errno;
        l->cookie = op->off;
    }
    return 0;
}

static enum target_type type_of_dirent(int dir, const struct dirent64 *from)
{
    struct target_stat st = {0};

    switch (from->d_type) {
    case DT_REG:
        return TARGET_TYPE_FILE;
    case DT_DIR:
        return TARGET_TYPE_DIR;
    case DT_LNK:
        return TARGET_TYPE_LINK;
    case DT_UNKNOWN:
        return stat_at(dir, from->d_name, &st) == 0 ? st.type : TARGET_TYPE_OTHER;
    default:
        return TARGET_TYPE_OTHER;
    }
}

/* Turns the kernel's records into ours where they lie: ours are never longer. Returns the bytes. "."
 * and ".." may stand anywhere: whoever goes on behind the entry before them must not come back for
 * them, which would take a seek and two more calls. */
static size_t translate(struct posix_session *s, char *buf, size_t len)
{
    const size_t head = offsetof(struct target_dirent, name);
    size_t out = 0, last = 0;

    for (size_t in = 0; in < len;) {
        struct dirent64 from;
        struct target_dirent to;
        size_t name_len;

        memcpy(&from, buf + in, offsetof(struct dirent64, d_name));
        name_len = strlen(buf + in + offsetof(struct dirent64, d_name));
        memcpy(from.d_name, buf + in + offsetof(struct dirent64, d_name), name_len + 1);
        in += from.d_reclen;
        s->listing.cookie = (uint64_t)from.d_off;
        if (!leaf_is_name(from.d_name)) {
            if (out > 0)
                memcpy(buf + last + offsetof(struct target_dirent, cookie), &s->listing.cookie,
                       sizeof s->listing.cookie);
            continue;
        }
        to.cookie = (uint64_t)from.d_off;
        to.record_bytes = (uint16_t)((head + name_len + 1 + 7) & ~(size_t)7);
        to.type = (uint8_t)type_of_dirent(s->listing.fd, &from);
        to.name_len = (uint8_t)name_len;
        last = out;
        memcpy(buf + out, &to, head);
        memcpy(buf + out + head, from.d_name, name_len + 1);
        out += to.record_bytes;
    }
    return out;
}

int64_t posix_readdir(struct posix_session *s, struct op *op)
{
    int64_t rc = listing_seek(s, op);
    size_t bytes = 0;

    /* A piece may hold nothing but "." and "..": that is not the end. */
    while (rc >= 0 && bytes == 0) {
        rc = posix_result(syscall(SYS_getdents64, s->listing.fd, op->buf, op->len));
        if (rc == 0)
            break;
        if (rc > 0)
            bytes = translate(s, op->buf, (size_t)rc);
    }
    if (rc <= 0)
        listing_end(s);
    return rc < 0 ? rc : (int64_t)bytes;
}
