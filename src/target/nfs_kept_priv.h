/* target/nfs_kept_priv.h — what a session of the NFS client keeps between ops: open files, handles of
 * directories, writes that are not committed.
 * Shape    nfs_files.c, nfs_dirs.c, nfs_unstable.c: values in arrays, named by their places.
 * Units    bytes.
 * Limits   as many files and directories as room was made for; NFS_RECORDS_MAX writes, of which those
 *          that go on where the one before ended count as one; NFS_COPY_BYTES_MAX of copied data.
 * Errors   negative errno.                       Threads  the session's.
 * Source   tests/unit/test_nfs_kept.c. */
#ifndef LOADLINE_TARGET_NFS_KEPT_PRIV_H
#define LOADLINE_TARGET_NFS_KEPT_PRIV_H

#include "nfs/nfs3.h"
#include "target/target.h"

#include <string.h>

#define NFS_NONE UINT32_MAX

/* ---- nfs_files.c: open files; a handle is a place in the table and how often the place was used ---- */

/* Records of uncommitted writes, oldest first. */
struct nfs_records {
    uint32_t first;
    uint32_t last;
};
#define NFS_NO_RECORDS ((struct nfs_records){NFS_NONE, NFS_NONE})

struct nfs_file {
    struct nfs3_fh fh; /* len 0: not open (yet) */
    uint32_t flags;    /* OP_FLAG_* of OPEN or CREATE */
    uint32_t used;
    uint32_t next_free;
    uint32_t commits; /* under way */
    uint64_t end; /* where a READ was told that the file ends; 0: it was not, or it was told on */
    struct nfs_records unstable;
    uint64_t
        loose_end; /* how far it reaches with what is not committed: a server may forget that */
};

struct nfs_files {
    struct nfs_file *file;
    uint32_t room;
    uint32_t free;
};

int nfs_files_init(struct nfs_files *f, unsigned room);
void nfs_files_fini(struct nfs_files *f);
/* A place for a file that is being opened, NFS_NONE: there is none left. */
uint32_t nfs_files_take(struct nfs_files *f, uint32_t flags);
void nfs_files_give(struct nfs_files *f, uint32_t place);
/* NFS_NONE: no such open file. */
uint32_t nfs_files_find(const struct nfs_files *f, uint64_t handle);
uint64_t nfs_files_handle(const struct nfs_files *f, uint32_t place);

/* ---- nfs_dirs.c: handles of directories, least recently used first out; the root is always there ---- */

struct nfs_dir {
    uint64_t node;
    struct nfs3_fh fh;
    bool at_end; /* a listing ended behind the entry `end_cookie`, and nobody has been told yet */
    unsigned char verf[NFS3_VERF_BYTES]; /* of its last listing */
    uint64_t end_cookie;
    uint32_t newer;
    uint32_t older;
    uint32_t chain; /* next in the same bucket, or the next free one */
};

struct nfs_dirs {
    struct nfs_dir root;
    struct nfs_dir *dir;
    uint32_t *bucket;
    uint32_t bucket_mask;
    uint32_t room;
    uint32_t used;
    uint32_t newest;
    uint32_t oldest;
    uint32_t free;
};

int nfs_dirs_init(struct nfs_dirs *d, const struct nfs3_fh *root, unsigned room);
void nfs_dirs_fini(struct nfs_dirs *d);
/* NULL: not known. Valid until the next keep or forget. */
struct nfs_dir *nfs_dirs_find(struct nfs_dirs *d, uint64_t node);
void nfs_dirs_keep(struct nfs_dirs *d, uint64_t node, const struct nfs3_fh *fh);
void nfs_dirs_forget(struct nfs_dirs *d, uint64_t node);

/* ---- nfs_unstable.c: what was written and not committed ---- */

#define NFS_RECORDS_MAX     (1u << 18)    /* of a session; what is never used takes no memory */
#define NFS_COPY_BYTES_MAX  (64ull << 20) /* of data that nobody can make again */
#define NFS_RECORDS_RESERVE 64

struct nfs_record {
    uint64_t off;
    uint64_t origin[3];
    uint64_t origin_off; /* where in what `origin` makes */
    void *copy;          /* of what has no origin; else NULL */
    uint64_t len;
    uint32_t next;
    unsigned char verf[NFS3_VERF_BYTES];
};

struct nfs_unstable {
    struct nfs_record *record;
    uint32_t room;
    uint32_t fresh; /* from here on never used */
    uint32_t free;
    uint32_t used;
    uint64_t copy_bytes;
};

int nfs_unstable_init(struct nfs_unstable *u, uint32_t room);
void nfs_unstable_fini(struct nfs_unstable *u);
/* Whether a write of `len` bytes in `parts` pieces can be remembered. */
bool nfs_unstable_room(const struct nfs_unstable *u, uint32_t parts, uint64_t len, bool copied);
/* Remembers one answered WRITE: bytes `at` … at + len of the op, at `off` in the file. */
int nfs_unstable_add(struct nfs_unstable *u, struct nfs_records *r, const struct op *op,
                     uint64_t at, uint64_t off, uint32_t len,
                     const unsigned char verf[NFS3_VERF_BYTES]);
/* The file is `size` bytes long now. */
void nfs_unstable_cut(struct nfs_unstable *u, struct nfs_records *r, uint64_t size);
/* Forgets what a COMMIT with this verifier has made last; keeps what was written under another one, and
 * all that was written behind that. */
void nfs_unstable_committed(struct nfs_unstable *u, struct nfs_records *r,
                            const unsigned char verf[NFS3_VERF_BYTES]);
/* Whether any of them was written under another verifier. */
bool nfs_unstable_lost(const struct nfs_unstable *u, const struct nfs_records *r,
                       const unsigned char verf[NFS3_VERF_BYTES]);
void nfs_unstable_drop(struct nfs_unstable *u, struct nfs_records *r);

#endif
