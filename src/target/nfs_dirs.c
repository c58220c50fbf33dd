/* Handles of directories by node number: a hash over a fixed array, and a list by use. */
#include "target/nfs_op_priv.h"

#include "base/rng.h"

#include <errno.h>
#include <stdlib.h>

#define DIRS_MIN 8

int nfs_dirs_init(struct nfs_dirs *d, const struct nfs3_fh *root, unsigned room)
{
    uint32_t buckets = 16;

    *d = (struct nfs_dirs){.root = {.node = TARGET_NODE_ROOT, .fh = *root},
                           .room = room < DIRS_MIN ? DIRS_MIN : room,
                           .newest = NFS_NONE,
                           .oldest = NFS_NONE};
    while (buckets < 2 * d->room)
        buckets *= 2;
    d->bucket_mask = buckets - 1;
    d->bucket = malloc(buckets * sizeof *d->bucket);
    d->dir = calloc(d->room, sizeof *d->dir);
    if (d->bucket == NULL || d->dir == NULL) {
        nfs_dirs_fini(d);
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < buckets; i++)
        d->bucket[i] = NFS_NONE;
    for (uint32_t i = 0; i < d->room; i++)
        d->dir[i].chain = i + 1 < d->room ? i + 1 : NFS_NONE;
    return 0;
}

void nfs_dirs_fini(struct nfs_dirs *d)
{
    free(d->bucket);
    free(d->dir);
    *d = (struct nfs_dirs){.newest = NFS_NONE, .oldest = NFS_NONE, .free = NFS_NONE};
}

static uint32_t *bucket_of(struct nfs_dirs *d, uint64_t node)
{
    return &d->bucket[mix64(node) & d->bucket_mask];
}

static uint32_t place_of(struct nfs_dirs *d, uint64_t node)
{
    uint32_t i = *bucket_of(d, node);

    while (i != NFS_NONE && d->dir[i].node != node)
        i = d->dir[i].chain;
    return i;
}

static void list_remove(struct nfs_dirs *d, uint32_t i)
{
    struct nfs_dir *dir = &d->dir[i];

    *(dir->newer == NFS_NONE ? &d->newest : &d->dir[dir->newer].older) = dir->older;
    *(dir->older == NFS_NONE ? &d->oldest : &d->dir[dir->older].newer) = dir->newer;
}

static void list_push(struct nfs_dirs *d, uint32_t i)
{
    d->dir[i].newer = NFS_NONE;
    d->dir[i].older = d->newest;
    *(d->newest == NFS_NONE ? &d->oldest : &d->dir[d->newest].newer) = i;
    d->newest = i;
}

static void drop(struct nfs_dirs *d, uint32_t i)
{
    struct nfs_dir *dir = &d->dir[i];
    uint32_t *at = bucket_of(d, dir->node);

    while (*at != i)
        at = &d->dir[*at].chain;
    *at = dir->chain;
    list_remove(d, i);
    dir->chain = d->free;
    d->free = i;
    d->used--;
}

static uint32_t insert(struct nfs_dirs *d, uint64_t node)
{
    uint32_t *bucket = bucket_of(d, node);
    uint32_t i;

    if (d->used == d->room)
        drop(d, d->oldest);
    i = d->free;
    d->free = d->dir[i].chain;
    d->dir[i].node = node;
    d->dir[i].chain = *bucket;
    *bucket = i;
    list_push(d, i);
    d->used++;
    return i;
}

struct nfs_dir *nfs_dirs_find(struct nfs_dirs *d, uint64_t node)
{
    uint32_t i;

    if (node == TARGET_NODE_ROOT)
        return &d->root;
    i = place_of(d, node);
    if (i == NFS_NONE)
        return NULL;
    if (i != d->newest) {
        list_remove(d, i);
        list_push(d, i);
    }
    return &d->dir[i];
}

void nfs_dirs_keep(struct nfs_dirs *d, uint64_t node, const struct nfs3_fh *fh)
{
    struct nfs_dir *dir = nfs_dirs_find(d, node);

    if (node == TARGET_NODE_ROOT)
        return;
    if (dir == NULL)
        dir = &d->dir[insert(d, node)];
    else if (dir->fh.len == fh->len && memcmp(dir->fh.data, fh->data, fh->len) == 0)
        return;
    dir->fh = *fh;
    dir->at_end = false;
    memset(dir->verf, 0, sizeof dir->verf);
}

void nfs_dirs_forget(struct nfs_dirs *d, uint64_t node)
{
    uint32_t i = place_of(d, node);

    if (node != TARGET_NODE_ROOT && i != NFS_NONE)
        drop(d, i);
}
