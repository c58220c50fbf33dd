/* target/nfs_op_priv.h — what an op is made of: jobs, open files, known directories, writes not yet committed.
 * Shape    nfs_session.c is submit, reap and the list of what is done. An accepted op has a job; nfs_job.c
 *          begins it, resolves its directory and retries it (JUKEBOX); nfs_data.c moves bytes, nfs_names.c
 *          does what names something, nfs_list.c lists. nfs_files.c keeps open files, nfs_dirs.c handles of
 *          directories, nfs_unstable.c what a server may still forget.
 * Units    bytes, ns.
 * Limits   a session holds as many jobs as its spec says ops. Per idle op everything here and in
 *          nfs_call_priv.h together is at most 512 bytes.
 * Errors   op->res.                               Threads  the session's.
 * Source   RFC 1813; tests/conform, tests/cli/test_nfs.py. */
#ifndef LOADLINE_TARGET_NFS_OP_PRIV_H
#define LOADLINE_TARGET_NFS_OP_PRIV_H

#include "target/nfs_call_priv.h"

/* ---- open files: an op's handle is a place in the table and how often the place was used ---- */

#define NFS_NO_WRITE UINT32_MAX

struct nfs_file {
    struct nfs3_fh fh;
    uint32_t flags; /* OP_FLAG_* of OPEN or CREATE */
    uint32_t used;
    uint32_t unstable; /* first of its uncommitted writes, or NFS_NO_WRITE */
    uint32_t unstable_last;
};

/* ---- uncommitted writes ---- */

struct nfs_unstable {
    uint64_t off;
    uint64_t origin[3];
    void *copy; /* of what has no origin; else NULL */
    uint32_t len;
    uint32_t next;
    uint64_t origin_off; /* where in what `origin` makes */
    unsigned char verf[NFS3_VERF_BYTES];
};

/* ---- jobs ---- */

struct nfs_job {
    struct op *op;
    struct nfs_job *next; /* done, waiting for a call, or free */
    uint64_t moved;       /* bytes asked for so far, from op->off */
    uint64_t file_off;    /* of an APPEND: where it goes */
    int64_t res;          /* first error, or bytes */
    uint64_t due_ns;      /* of its timer; 0: none */
    uint32_t timer;       /* the place in the heap of timers, nfs_call.c's */
    uint16_t calls;       /* under way */
    uint16_t tries;       /* after JUKEBOX */
    uint8_t state;
    bool again; /* a call of it went out more than once */
};

#endif
