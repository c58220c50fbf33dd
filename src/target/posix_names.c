/* Ops that name a directory, or something in one. */
#include "target/posix_priv.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MODE 0644
#define DIR_MODE  0755

bool posix_is_name(const char *leaf)
{
    if (leaf == NULL || leaf[0] == '\0' || strchr(leaf, '/') != NULL)
        return false;
    return leaf[0] != '.' || (leaf[1] != '\0' && (leaf[1] != '.' || leaf[2] != '\0'));
}

/* Descriptor of the directory of a NAMED op. */
static int named_dir(struct posix_session *s, const struct op *op)
{
    return posix_is_name(op->leaf) ? posix_dirs_fd(&s->seat.dirs, op->node) : -EINVAL;
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
    int fd = posix_dirs_fd(&s->seat.dirs, op->node);

    return fd < 0 ? fd : 0;
}

enum target_type posix_type_of(mode_t mode)
{
    if (S_ISREG(mode))
        return TARGET_TYPE_FILE;
    if (S_ISDIR(mode))
        return TARGET_TYPE_DIR;
    return S_ISLNK(mode) ? TARGET_TYPE_LINK : TARGET_TYPE_OTHER;
}

int64_t posix_stat_at(int dir, const char *leaf, struct target_stat *out)
{
    struct stat st;
    int64_t rc =
        posix_fstatat(dir, leaf, &st, leaf[0] == '\0' ? AT_EMPTY_PATH : AT_SYMLINK_NOFOLLOW);

    if (rc == 0 && out != NULL)
        *out = (struct target_stat){.type = posix_type_of(st.st_mode),
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
        return posix_stat_at((int)op->handle, "", op->buf);
    if (leaf != NULL) {
        dir = named_dir(s, op);
    } else if (op->node == TARGET_NODE_ROOT) {
        dir = s->seat.root_fd;
        leaf = "";
    } else {
        /* By its name and not by the descriptor kept: what is there now, of whatever type. */
        dir = posix_dirs_parent(&s->seat.dirs, op->node, name);
        leaf = name;
    }
    return dir < 0 ? dir : posix_stat_at(dir, leaf, op->buf);
}

int64_t posix_unlink(struct posix_session *s, struct op *op)
{
    int dir = named_dir(s, op);

    return dir < 0 ? dir : posix_unlinkat(dir, op->leaf, 0);
}

int64_t posix_rename(struct posix_session *s, struct op *op)
{
    int dir = posix_is_name(op->buf) ? named_dir(s, op) : -EINVAL;

    return dir < 0 ? dir : posix_result(renameat(dir, op->leaf, dir, op->buf));
}

int64_t posix_mkdir(struct posix_session *s, struct op *op)
{
    char leaf[TARGET_LEAF_MAX];
    int dir;
    int64_t rc;

    if (op->node == TARGET_NODE_ROOT)
        return -EEXIST;
    dir = posix_dirs_parent(&s->seat.dirs, op->node, leaf);
    if (dir < 0)
        return dir;
    rc = posix_result(mkdirat(dir, leaf, DIR_MODE));
    /* Another session may have removed the one that this session has open. */
    if (rc == 0)
        posix_dirs_forget(&s->seat.dirs, op->node);
    return rc;
}

int64_t posix_rmdir(struct posix_session *s, struct op *op)
{
    char leaf[TARGET_LEAF_MAX];
    int dir;
    int64_t rc;

    if (op->node == TARGET_NODE_ROOT)
        return -EBUSY;
    dir = posix_dirs_parent(&s->seat.dirs, op->node, leaf);
    if (dir < 0)
        return dir;
    rc = posix_unlinkat(dir, leaf, AT_REMOVEDIR);
    if (rc == 0) {
        posix_dirs_forget(&s->seat.dirs, op->node);
        if (s->listing.node == op->node)
            posix_listing_end(&s->listing);
    }
    return rc;
}

int64_t posix_readdir(struct posix_session *s, struct op *op)
{
    int dir = -1;

    if (!posix_listing_open(&s->listing, op->node)) {
        dir = posix_dirs_fd(&s->seat.dirs, op->node);
        if (dir < 0) {
            posix_listing_end(&s->listing);
            return dir;
        }
    }
    return posix_list(&s->listing, dir, op);
}
