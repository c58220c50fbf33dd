/* nfs/rpc.h — ONC RPC version 2 messages over TCP: the header of a call, the header of a reply, record
 * marks.
 * Shape    a credential is encoded once per session; rpc_put_call puts the header in front of the
 *          arguments of a procedure; rpc_get_reply reads the header in front of its results.
 * Limits   AUTH_SYS: host name 255 bytes, 16 further groups. Verifiers are read past, 400 bytes at most.
 * Errors   rpc_get_reply: -EBADMSG not a reply, rpc_get_call: not a call; what a
 *          server refused is enum rpc_verdict.
 * Threads  values.
 * Source   RFC 5531; tests/unit/test_rpc.c. */
#ifndef LOADLINE_NFS_RPC_H
#define LOADLINE_NFS_RPC_H

#include "nfs/xdr.h"

#include <sys/types.h>

#define RPC_AUTH_NONE     0u
#define RPC_AUTH_SYS      1u
#define RPC_CRED_MAX      400 /* bytes of a credential's body, as the protocol bounds it */
#define RPC_CALL_HEAD_MAX (24 + 8 + RPC_CRED_MAX + 8)

/* Record mark: high bit, the last fragment; the rest, its length. */
#define RPC_MARK_BYTES 4
#define RPC_MARK_LAST  0x80000000u

struct rpc_cred {
    uint32_t flavor; /* RPC_AUTH_* */
    uint32_t len;
    unsigned char body[RPC_CRED_MAX];
};

/* AUTH_SYS of these ids; groups beyond 16 are left out. */
void rpc_cred_sys(struct rpc_cred *cred, const char *host, uint32_t uid, uint32_t gid,
                  const gid_t *groups, unsigned n);

void rpc_put_call(struct xdr_out *x, uint32_t xid, uint32_t program, uint32_t version,
                  uint32_t procedure, const struct rpc_cred *cred);

/* The other side's view of it. */
struct rpc_call {
    uint32_t xid;
    uint32_t rpc_version; /* other than 2: nothing behind it is known */
    uint32_t program;
    uint32_t version;
    uint32_t procedure;
};

/* Leaves x at the arguments. -EBADMSG: no call. */
__attribute__((warn_unused_result)) int rpc_get_call(struct xdr_in *x, struct rpc_call *out);

#define RPC_VERSION 2u

enum rpc_verdict {
    RPC_SUCCESS,
    RPC_PROG_UNAVAIL,
    RPC_PROG_MISMATCH,
    RPC_PROC_UNAVAIL,
    RPC_GARBAGE_ARGS,
    RPC_SYSTEM_ERR,
    RPC_MISMATCH,   /* denied: RPC version */
    RPC_AUTH_ERROR, /* denied: why is in `auth` */
};

struct rpc_reply {
    uint32_t xid;
    enum rpc_verdict verdict;
    uint32_t auth; /* of RPC_AUTH_ERROR: 1 bad credential, 5 too weak … */
    uint32_t low;  /* of the mismatches: versions served */
    uint32_t high;
};

/* What stands in front of results: RPC_SUCCESS with an empty verifier. low and high: as in rpc_reply. */
void rpc_put_reply(struct xdr_out *x, const struct rpc_reply *reply);

/* Leaves x at the results. -EBADMSG: xid is what the first four bytes said, 0 when there are fewer. */
__attribute__((warn_unused_result)) int rpc_get_reply(struct xdr_in *x, struct rpc_reply *out);

const char *rpc_verdict_name(enum rpc_verdict verdict);
/* What the call becomes for its caller: 0, -EACCES, -EOPNOTSUPP, -EPROTO … */
int rpc_verdict_errno(enum rpc_verdict verdict);

#endif
