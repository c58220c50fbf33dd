/* nfs/nfs3.h — NFS version 3 on the wire: arguments written, results read.
 * Shape    nfs3_put_PROCEDURE writes the arguments behind an RPC header, nfs3_get_PROCEDURE reads what
 *          stands behind the header of the reply. Pure: bytes in, values out.
 * Units    bytes; ns where times are taken together.
 * Limits   file handles 64 bytes, names 255, data what the caller bounds. A name from a server that is
 *          empty, longer, ".", "..", or has '/' or NUL in it never leaves here ("." and ".." are left
 *          out of listings, others are -EBADMSG). What stands behind a status other than NFS3_OK is not
 *          read: nobody needs it, and servers differ in it.
 * Errors   nfs3_get_*: 0 with `status` (NFS3_OK or what the server said), -EBADMSG for what is not such
 *          a reply. nfs3_errno maps a status to -errno.
 * Threads  values.
 * Source   RFC 1813; tests/unit/test_nfs3.c, tests/fuzz/fuzz_nfs.c. */
#ifndef LOADLINE_NFS_NFS3_H
#define LOADLINE_NFS_NFS3_H

#include "nfs/xdr.h"

#define NFS3_PROGRAM    100003u
#define NFS3_VERSION    3u
#define NFS3_PORT       2049
#define NFS3_FH_MAX     64
#define NFS3_NAME_MAX   255
#define NFS3_VERF_BYTES 8
#define NFS3_ARGS_MAX   1024 /* of any call, the data of WRITE aside */

enum nfs3_proc {
    NFS3_NULL,
    NFS3_GETATTR,
    NFS3_SETATTR,
    NFS3_LOOKUP,
    NFS3_ACCESS,
    NFS3_READLINK,
    NFS3_READ,
    NFS3_WRITE,
    NFS3_CREATE,
    NFS3_MKDIR,
    NFS3_SYMLINK,
    NFS3_MKNOD,
    NFS3_REMOVE,
    NFS3_RMDIR,
    NFS3_RENAME,
    NFS3_LINK,
    NFS3_READDIR,
    NFS3_READDIRPLUS,
    NFS3_FSSTAT,
    NFS3_FSINFO,
    NFS3_PATHCONF,
    NFS3_COMMIT,
    NFS3_PROCS
};

const char *nfs3_proc_name(enum nfs3_proc proc); /* "GETATTR" … */

#define NFS3_OK             0u
#define NFS3ERR_NOENT       2u
#define NFS3ERR_EXIST       17u
#define NFS3ERR_STALE       70u
#define NFS3ERR_BAD_COOKIE  10003u
#define NFS3ERR_NOTSUPP     10004u
#define NFS3ERR_TOOSMALL    10005u
#define NFS3ERR_SERVERFAULT 10006u
#define NFS3ERR_JUKEBOX     10008u

const char *nfs3_status_name(uint32_t status); /* "NFS3ERR_NOSPC"; "NFS3ERR_?" for an unknown one */
int nfs3_errno(uint32_t status);               /* 0 or -errno; -EREMOTEIO for an unknown one */

struct nfs3_fh {
    uint8_t len; /* 0: none */
    unsigned char data[NFS3_FH_MAX];
};

enum nfs3_type { NFS3_REG = 1, NFS3_DIR, NFS3_BLK, NFS3_CHR, NFS3_LNK, NFS3_SOCK, NFS3_FIFO };

struct nfs3_attr {
    bool known; /* post_op_attr: servers may leave it out */
    uint32_t type;
    uint32_t mode;
    uint64_t size;
    uint64_t used;
    uint64_t fsid;
    uint64_t fileid;
    uint64_t mtime_ns;
};

enum nfs3_stable { NFS3_UNSTABLE, NFS3_DATA_SYNC, NFS3_FILE_SYNC };
enum nfs3_how { NFS3_UNCHECKED, NFS3_GUARDED };

/* ---- arguments ---- */

void nfs3_put_fh(struct xdr_out *x, const struct nfs3_fh *fh); /* GETATTR FSSTAT FSINFO PATHCONF */
void nfs3_put_name(struct xdr_out *x, const struct nfs3_fh *dir,
                   const char *name); /* LOOKUP REMOVE RMDIR */
void nfs3_put_truncate(struct xdr_out *x, const struct nfs3_fh *fh, uint64_t size); /* SETATTR */
void nfs3_put_access(struct xdr_out *x, const struct nfs3_fh *fh, uint32_t want);
void nfs3_put_read(struct xdr_out *x, const struct nfs3_fh *fh, uint64_t off, uint32_t len);
/* Up to and with the length of the data; the caller sends the data and its padding behind. */
void nfs3_put_write(struct xdr_out *x, const struct nfs3_fh *fh, uint64_t off, uint32_t len,
                    enum nfs3_stable stable);
void nfs3_put_create(struct xdr_out *x, const struct nfs3_fh *dir, const char *name,
                     enum nfs3_how how, uint32_t mode);
void nfs3_put_mkdir(struct xdr_out *x, const struct nfs3_fh *dir, const char *name, uint32_t mode);
void nfs3_put_rename(struct xdr_out *x, const struct nfs3_fh *from_dir, const char *from,
                     const struct nfs3_fh *to_dir, const char *to);
void nfs3_put_readdir(struct xdr_out *x, const struct nfs3_fh *dir, uint64_t cookie,
                      const unsigned char verf[NFS3_VERF_BYTES], uint32_t bytes);
void nfs3_put_readdirplus(struct xdr_out *x, const struct nfs3_fh *dir, uint64_t cookie,
                          const unsigned char verf[NFS3_VERF_BYTES], uint32_t dir_bytes,
                          uint32_t max_bytes);
void nfs3_put_commit(struct xdr_out *x, const struct nfs3_fh *fh, uint64_t off, uint32_t len);

/* ---- results ---- */

struct nfs3_found { /* GETATTR SETATTR LOOKUP CREATE MKDIR ACCESS REMOVE RMDIR RENAME */
    uint32_t status;
    struct nfs3_fh fh; /* LOOKUP (never empty); CREATE, MKDIR where the server tells it (len 0: it
                        * does not) */
    struct nfs3_attr attr; /* of the object; not known behind REMOVE, RMDIR and RENAME */
    uint32_t access;       /* ACCESS */
};
__attribute__((warn_unused_result)) int nfs3_get_found(struct xdr_in *x, enum nfs3_proc proc,
                                                       struct nfs3_found *out);

struct nfs3_read {
    uint32_t status;
    uint32_t len; /* data, at x->at; it may be that not all of it is there yet */
    bool eof;
};
/* Reads up to the data and not beyond: x may end there. -EBADMSG: also a length above `max`, or a count
 * that is not the length. */
__attribute__((warn_unused_result)) int nfs3_get_read(struct xdr_in *x, uint32_t max,
                                                      struct nfs3_read *out);

struct nfs3_written { /* WRITE, COMMIT (len and stable 0) */
    uint32_t status;
    uint32_t len;
    enum nfs3_stable stable;
    unsigned char verf[NFS3_VERF_BYTES];
};
__attribute__((warn_unused_result)) int nfs3_get_written(struct xdr_in *x, enum nfs3_proc proc,
                                                         struct nfs3_written *out);

struct nfs3_listed {
    uint32_t status;
    unsigned char verf[NFS3_VERF_BYTES];
};
struct nfs3_entry {
    uint64_t fileid;
    uint64_t cookie;
    uint32_t name_len;
    const unsigned char *name; /* not terminated */
    struct nfs3_attr attr;     /* READDIRPLUS */
};
/* The head of READDIR and READDIRPLUS; then nfs3_get_entry until it returns 0 (no further one: *eof) or
 * -EBADMSG; 1: an entry. At 0 out->cookie is that of the last entry, also of one that was left out: where
 * there was none at all it stays as the caller set it. */
__attribute__((warn_unused_result)) int nfs3_get_listed(struct xdr_in *x, struct nfs3_listed *out);
__attribute__((warn_unused_result)) int nfs3_get_entry(struct xdr_in *x, bool plus,
                                                       struct nfs3_entry *out, bool *eof);

struct nfs3_space { /* FSSTAT */
    uint32_t status;
    uint64_t total_bytes;
    uint64_t avail_bytes;
    uint64_t total_files; /* 0: the file system has no such number */
    uint64_t avail_files;
};
__attribute__((warn_unused_result)) int nfs3_get_space(struct xdr_in *x, struct nfs3_space *out);

struct nfs3_info { /* FSINFO */
    uint32_t status;
    uint32_t rtmax, rtpref, rtmult;
    uint32_t wtmax, wtpref, wtmult;
    uint32_t dtpref;
    uint64_t maxfilesize;
    uint64_t time_delta_ns;
    uint32_t properties;
};
__attribute__((warn_unused_result)) int nfs3_get_info(struct xdr_in *x, struct nfs3_info *out);

struct nfs3_pathconf {
    uint32_t status;
    uint32_t link_max, name_max;
    bool no_trunc, chown_restricted, case_insensitive, case_preserving;
};
__attribute__((warn_unused_result)) int nfs3_get_pathconf(struct xdr_in *x,
                                                          struct nfs3_pathconf *out);

#endif
