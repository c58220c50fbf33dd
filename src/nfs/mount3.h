/* nfs/mount3.h — what is asked before the first NFS call: portmapper version 2, rpcbind version 4, and
 * MOUNT version 3.
 * Shape    as nfs/nfs3.h.
 * Limits   export paths 1,024 bytes; of a list of exports the caller takes one at a time.
 * Errors   -EBADMSG.                              Threads  values.
 * Source   RFC 1833, RFC 1813 appendix I; tests/unit/test_mount3.c, tests/fuzz/fuzz_nfs.c. */
#ifndef LOADLINE_NFS_MOUNT3_H
#define LOADLINE_NFS_MOUNT3_H

#include "nfs/nfs3.h"

#define PORTMAP_PROGRAM 100000u
#define PORTMAP_VERSION 2u
#define PORTMAP_GETPORT 3u
#define PORTMAP_PORT    111
#define RPCBIND_VERSION 4u /* of the same program: knows IPv6 */
#define RPCBIND_GETADDR 3u

#define MOUNT3_PROGRAM  100005u
#define MOUNT3_VERSION  3u
#define MOUNT3_MNT      1u
#define MOUNT3_UMNT     3u
#define MOUNT3_EXPORT   5u
#define MOUNT3_PATH_MAX 1024

#define MOUNT3_FLAVORS_MAX 16

void portmap_put_getport(struct xdr_out *x, uint32_t program, uint32_t version); /* over TCP */
__attribute__((warn_unused_result)) int portmap_get_port(struct xdr_in *x, uint16_t *port);

/* `netid`: "tcp", "tcp6". */
void rpcbind_put_getaddr(struct xdr_out *x, uint32_t program, uint32_t version, const char *netid);
/* 0 for a program that is not served. */
__attribute__((warn_unused_result)) int rpcbind_get_port(struct xdr_in *x, uint16_t *port);

void mount3_put_path(struct xdr_out *x, const char *path); /* MNT, UMNT */

struct mount3_root {
    uint32_t status; /* as errno, 10004 not supported, 10006 server fault */
    struct nfs3_fh fh;
    unsigned flavors;
    uint32_t flavor[MOUNT3_FLAVORS_MAX];
};
__attribute__((warn_unused_result)) int mount3_get_root(struct xdr_in *x, struct mount3_root *out);
const char *mount3_status_name(uint32_t status); /* "MNT3ERR_ACCES" … */
int mount3_errno(uint32_t status);

/* One export of the list: 1, 0 behind the last, -EBADMSG. path is terminated, and safe to print only
 * through base/shown.h; *everyone: no groups stand behind it. */
__attribute__((warn_unused_result)) int
mount3_get_export(struct xdr_in *x, char path[MOUNT3_PATH_MAX + 1], bool *everyone);

#endif
