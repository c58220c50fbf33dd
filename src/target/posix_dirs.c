/* Open directories by node number: a hash over a fixed array, and a list by use.
 * Descriptors are O_PATH: they cost no open at the server and need only search permission. Nothing is
 * entered through a symlink or a mount point. */
#include "target/posix_priv.h"

#include "base/rng.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NONE UINT32_MAX

/* false: the kernel cannot tell. A bind mount has the device of what it shows, so that cannot. */
static bool mount_of(int fd, uint64_t *mount)
{
    struct statx stx;
    bool known =
        statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &stx) == 0 && (stx.stx_mask & STATX_MNT_ID) != 0;

    *mount = known ? stx.stx_mnt_id : 0;
    return known;
}

static int open_by_hand(const struct posix_dirs *d, int parent_fd, const char *leaf, int flags)
{
    int fd = openat(parent_fd, leaf, flags);
    uint64_t mount;

    if (fd < 0)
        return -errno;
    if (d->knows_mount && (!mount_of(fd, &mount) || mount != d->root_mount)) {
        close(fd);
        return -EXDEV;
    }
    return fd;
}

/* -EXDEV: something is mounted there, which is somebody else's tree. */
static int open_beneath(const struct posix_dirs *d, int parent_fd, const char *leaf)
{
    int flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    struct open_how how = {.flags = (uint64_t)flags,
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV};

    if (!d->use_openat2)
        return open_by_hand(d, parent_fd, leaf, flags);
    return (int)posix_result(syscall(SYS_openat2, parent_fd, leaf, &how, sizeof how));
}

/* Old kernels say ENOSYS, some sandboxes EPERM; one name at a time, openat with O_NOFOLLOW cannot
 * leave the tree either. */
static bool has_openat2(struct posix_dirs *d)
{
    int fd;

    d->use_openat2 = true;
    fd = open_beneath(d, d->root_fd, ".");
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

int posix_dirs_init(struct posix_dirs *d, int root_fd, const struct target_names *names,
                    unsigned room)
{
    uint32_t buckets = 16;

    *d = (struct posix_dirs){.last_node = TARGET_NODE_ROOT,
                             .last_fd = root_fd,
                             .last = NONE,
                             .root_fd = root_fd,
                             .names = *names,
                             .room = room < POSIX_DIRS_MIN ? POSIX_DIRS_MIN : room,
                             .newest = NONE,
                             .oldest = NONE};
    while (buckets < 2 * d->room)
        buckets *= 2;
    d->bucket_mask = buckets - 1;
    d->bucket = malloc(buckets * sizeof *d->bucket);
    d->dir = malloc(d->room * sizeof *d->dir);
    d->path = malloc(POSIX_DEPTH_MAX * sizeof *d->path);
    if (d->bucket == NULL || d->dir == NULL || d->path == NULL) {
        posix_dirs_fini(d);
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < buckets; i++)
        d->bucket[i] = NONE;
    for (uint32_t i = 0; i < d->room; i++)
        d->dir[i] = (struct posix_dir){.fd = -1, .chain = i + 1 < d->room ? i + 1 : NONE};
    d->knows_mount = mount_of(root_fd, &d->root_mount);
    d->use_openat2 = has_openat2(d);
    return 0;
}

void posix_dirs_fini(struct posix_dirs *d)
{
    for (uint32_t i = 0; d->dir != NULL && d->bucket != NULL && d->path != NULL && i < d->room;
         i++) {
        if (d->dir[i].fd >= 0)
            close(d->dir[i].fd);
    }
    free(d->bucket);
    free(d->dir);
    free(d->path);
    *d = (struct posix_dirs){.root_fd = -1, .last_fd = -1};
}

static uint32_t *bucket_of(struct posix_dirs *d, uint64_t node)
{
    return &d->bucket[mix64(node) & d->bucket_mask];
}

static uint32_t lookup(struct posix_dirs *d, uint64_t node)
{
    uint32_t i = *bucket_of(d, node);

    while (i != NONE && d->dir[i].node != node)
        i = d->dir[i].chain;
    return i;
}

static void list_remove(struct posix_dirs *d, uint32_t i)
{
    struct posix_dir *dir = &d->dir[i];

    *(dir->newer == NONE ? &d->newest : &d->dir[dir->newer].older) = dir->older;
    *(dir->older == NONE ? &d->oldest : &d->dir[dir->older].newer) = dir->newer;
}

static void list_push(struct posix_dirs *d, uint32_t i)
{
    d->dir[i].newer = NONE;
    d->dir[i].older = d->newest;
    *(d->newest == NONE ? &d->oldest : &d->dir[d->newest].newer) = i;
    d->newest = i;
}

static void vacate(struct posix_dirs *d, uint32_t i)
{
    struct posix_dir *dir = &d->dir[i];

    close(dir->fd);
    *dir = (struct posix_dir){.fd = -1, .chain = d->free};
    d->free = i;
    d->used--;
}

static void drop(struct posix_dirs *d, uint32_t i)
{
    struct posix_dir *dir = &d->dir[i];
    uint32_t *at = bucket_of(d, dir->node);

    while (*at != i)
        at = &d->dir[*at].chain;
    *at = dir->chain;
    list_remove(d, i);
    if (d->last_node == dir->node) {
        d->last_node = TARGET_NODE_ROOT;
        d->last_fd = d->root_fd;
        d->last = NONE;
    }
    dir->forgotten = true;
    if (dir->holds == 0)
        vacate(d, i);
}

/* Makes a place free. The parent was used just now and is the newest: with room for two it cannot be the
 * one, and with more of them held than that, it is not needed any more. */
static bool make_room(struct posix_dirs *d)
{
    uint32_t i = d->oldest;

    if (d->used < d->room)
        return true;
    while (i != NONE && d->dir[i].holds > 0)
        i = d->dir[i].newer;
    if (i != NONE)
        drop(d, i);
    return i != NONE;
}

static int insert(struct posix_dirs *d, uint64_t node, int fd)
{
    uint32_t *bucket = bucket_of(d, node);
    uint32_t i;

    if (!make_room(d)) {
        close(fd);
        return -EAGAIN;
    }
    i = d->free;
    d->free = d->dir[i].chain;
    d->dir[i] = (struct posix_dir){.node = node, .fd = fd, .chain = *bucket};
    *bucket = i;
    list_push(d, i);
    d->used++;
    return fd;
}

static int parent_of(const struct posix_dirs *d, uint64_t node, uint64_t *parent,
                     char leaf[TARGET_LEAF_MAX])
{
    if (node == TARGET_NODE_ROOT || d->names.parent == NULL)
        return -EINVAL;
    return d->names.parent(d->names.ctx, node, parent, leaf);
}

/* Descriptor of a directory that is open, else -1. */
static int known_fd(struct posix_dirs *d, uint64_t node)
{
    uint32_t i;

    if (node == TARGET_NODE_ROOT)
        return d->root_fd;
    i = lookup(d, node);
    if (i == NONE)
        return -1;
    if (i != d->newest) {
        list_remove(d, i);
        list_push(d, i);
    }
    return d->dir[i].fd;
}

/* Climbs to the nearest open ancestor, then opens downwards from there. */
static int open_path(struct posix_dirs *d, uint64_t node)
{
    unsigned depth = 0;
    int fd = known_fd(d, node);

    while (fd < 0) {
        uint64_t parent;
        int rc;

        if (depth == POSIX_DEPTH_MAX)
            return -ENAMETOOLONG;
        rc = parent_of(d, node, &parent, d->path[depth].leaf);
        if (rc < 0)
            return rc;
        d->path[depth++].node = node;
        node = parent;
        fd = known_fd(d, node);
    }
    while (depth-- > 0) {
        fd = open_beneath(d, fd, d->path[depth].leaf);
        if (fd >= 0)
            fd = insert(d, d->path[depth].node, fd);
        if (fd < 0)
            return fd;
    }
    return fd;
}

int posix_dirs_find(struct posix_dirs *d, uint64_t node)
{
    int fd = open_path(d, node);

    if (fd >= 0) {
        d->last_node = node;
        d->last_fd = fd;
        d->last = node == TARGET_NODE_ROOT ? NONE : d->newest;
    }
    return fd;
}

int posix_dirs_parent(struct posix_dirs *d, uint64_t node, char leaf[TARGET_LEAF_MAX])
{
    uint64_t parent;
    int rc = parent_of(d, node, &parent, leaf);

    return rc < 0 ? rc : posix_dirs_fd(d, parent);
}

void posix_dirs_forget(struct posix_dirs *d, uint64_t node)
{
    uint32_t i = lookup(d, node);

    if (i != NONE)
        drop(d, i);
}

int posix_dirs_hold(struct posix_dirs *d, uint64_t node, uint32_t *hold)
{
    int fd = posix_dirs_fd(d, node);

    *hold = fd < 0 ? NONE : d->last;
    if (*hold != NONE)
        d->dir[*hold].holds++;
    return fd;
}

int posix_dirs_hold_parent(struct posix_dirs *d, uint64_t node, char leaf[TARGET_LEAF_MAX],
                           uint32_t *hold)
{
    uint64_t parent;
    int rc = parent_of(d, node, &parent, leaf);

    *hold = NONE;
    return rc < 0 ? rc : posix_dirs_hold(d, parent, hold);
}

void posix_dirs_release(struct posix_dirs *d, uint32_t hold)
{
    if (hold != NONE && --d->dir[hold].holds == 0 && d->dir[hold].forgotten)
        vacate(d, hold);
}
