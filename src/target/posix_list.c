/* Listing a directory: the kernel's records become ours. */
#include "target/posix_priv.h"

#include <dirent.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>

void posix_listing_end(struct posix_listing *l)
{
    if (l->fd >= 0)
        close(l->fd);
    l->fd = -1;
}

/* Opens the directory for listing, or moves the one that is open to where `op` continues. */
static int listing_seek(struct posix_listing *l, int dir, const struct op *op)
{
    if (!posix_listing_open(l, op->node)) {
        posix_listing_end(l);
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
        return posix_stat_at(dir, from->d_name, &st) == 0 ? st.type : TARGET_TYPE_OTHER;
    default:
        return TARGET_TYPE_OTHER;
    }
}

/* Turns the kernel's records into ours where they lie: ours are never longer. Returns the bytes. "."
 * and ".." may stand anywhere: whoever goes on behind the entry before them must not come back for
 * them, which would take a seek and two more calls. */
static size_t translate(struct posix_listing *l, char *buf, size_t len)
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
        l->cookie = (uint64_t)from.d_off;
        if (!posix_is_name(from.d_name)) {
            if (out > 0)
                memcpy(buf + last + offsetof(struct target_dirent, cookie), &l->cookie,
                       sizeof l->cookie);
            continue;
        }
        to.cookie = (uint64_t)from.d_off;
        to.record_bytes = (uint16_t)((head + name_len + 1 + 7) & ~(size_t)7);
        to.type = (uint8_t)type_of_dirent(l->fd, &from);
        to.name_len = (uint8_t)name_len;
        last = out;
        memcpy(buf + out, &to, head);
        memcpy(buf + out + head, from.d_name, name_len + 1);
        out += to.record_bytes;
    }
    return out;
}

int64_t posix_list(struct posix_listing *l, int dir, struct op *op)
{
    int64_t rc = listing_seek(l, dir, op);
    size_t bytes = 0;

    /* A piece may hold nothing but "." and "..": that is not the end. */
    while (rc >= 0 && bytes == 0) {
        rc = posix_result(syscall(SYS_getdents64, l->fd, op->buf, op->len));
        if (rc == 0)
            break;
        if (rc > 0)
            bytes = translate(l, op->buf, (size_t)rc);
    }
    if (rc <= 0)
        posix_listing_end(l);
    return rc < 0 ? rc : (int64_t)bytes;
}
