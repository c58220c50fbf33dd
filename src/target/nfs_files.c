/* Open files by handle. A handle that was closed is not the handle of the file that has its place now. */
#include "target/nfs_op_priv.h"

#include <errno.h>
#include <stdlib.h>

int nfs_files_init(struct nfs_files *f, unsigned room)
{
    *f = (struct nfs_files){.file = calloc(room, sizeof *f->file), .room = room};
    if (f->file == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < room; i++)
        f->file[i].next_free = i + 1 < room ? i + 1 : NFS_NONE;
    return 0;
}

void nfs_files_fini(struct nfs_files *f)
{
    free(f->file);
    *f = (struct nfs_files){.free = NFS_NONE};
}

uint32_t nfs_files_take(struct nfs_files *f, uint32_t flags)
{
    uint32_t place = f->free;
    struct nfs_file *file = &f->file[place == NFS_NONE ? 0 : place];

    if (place == NFS_NONE)
        return NFS_NONE;
    f->free = file->next_free;
    file->flags = flags;
    file->commits = 0;
    file->end = 0;
    file->loose_end = 0;
    file->unstable = NFS_NO_RECORDS;
    return place;
}

void nfs_files_give(struct nfs_files *f, uint32_t place)
{
    struct nfs_file *file = &f->file[place];

    file->fh.len = 0;
    file->used++;
    file->next_free = f->free;
    f->free = place;
}

uint32_t nfs_files_find(const struct nfs_files *f, uint64_t handle)
{
    uint32_t place = (uint32_t)handle;

    if (place >= f->room || f->file[place].used != (uint32_t)(handle >> 32) ||
        f->file[place].fh.len == 0)
        return NFS_NONE;
    return place;
}

uint64_t nfs_files_handle(const struct nfs_files *f, uint32_t place)
{
    return (uint64_t)f->file[place].used << 32 | place;
}
