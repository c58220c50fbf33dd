#include "nfs/rpc.h"

#include <errno.h>

#define RPC_CALL  0u
#define RPC_REPLY 1u

#define RPC_HOST_MAX   255
#define RPC_GROUPS_MAX 16

enum { REPLY_ACCEPTED, REPLY_DENIED };
enum { DENIED_MISMATCH, DENIED_AUTH };

void rpc_cred_sys(struct rpc_cred *cred, const char *host, uint32_t uid, uint32_t gid,
                  const gid_t *groups, unsigned n)
{
    struct xdr_out x = xdr_out(cred->body, sizeof cred->body);

    cred->flavor = RPC_AUTH_SYS;
    xdr_put_u32(&x, 0); /* a stamp: servers look at none */
    xdr_put_opaque(&x, host, (uint32_t)strnlen(host, RPC_HOST_MAX));
    xdr_put_u32(&x, uid);
    xdr_put_u32(&x, gid);
    if (n > RPC_GROUPS_MAX)
        n = RPC_GROUPS_MAX;
    xdr_put_u32(&x, n);
    for (unsigned i = 0; i < n; i++)
        xdr_put_u32(&x, groups[i]);
    cred->len = (uint32_t)(x.at - cred->body);
}

void rpc_put_call(struct xdr_out *x, uint32_t xid, uint32_t program, uint32_t version,
                  uint32_t procedure, const struct rpc_cred *cred)
{
    xdr_put_u32(x, xid);
    xdr_put_u32(x, RPC_CALL);
    xdr_put_u32(x, RPC_VERSION);
    xdr_put_u32(x, program);
    xdr_put_u32(x, version);
    xdr_put_u32(x, procedure);
    xdr_put_u32(x, cred->flavor);
    xdr_put_opaque(x, cred->body, cred->len);
    xdr_put_u32(x, RPC_AUTH_NONE);
    xdr_put_u32(x, 0);
}

int rpc_get_call(struct xdr_in *x, struct rpc_call *out)
{
    uint32_t len;

    *out = (struct rpc_call){.xid = xdr_get_u32(x)};
    if (xdr_get_u32(x) != RPC_CALL)
        return -EBADMSG;
    out->rpc_version = xdr_get_u32(x);
    if (out->rpc_version != RPC_VERSION)
        return x->bad ? -EBADMSG : 0;
    out->program = xdr_get_u32(x);
    out->version = xdr_get_u32(x);
    out->procedure = xdr_get_u32(x);
    for (int i = 0; i < 2; i++) { /* credential and verifier */
        (void)xdr_get_u32(x);
        (void)xdr_get_opaque(x, RPC_CRED_MAX, &len);
    }
    return x->bad ? -EBADMSG : 0;
}

static void put_denied(struct xdr_out *x, const struct rpc_reply *reply)
{
    xdr_put_u32(x, REPLY_DENIED);
    if (reply->verdict == RPC_MISMATCH) {
        xdr_put_u32(x, DENIED_MISMATCH);
        xdr_put_u32(x, reply->low);
        xdr_put_u32(x, reply->high);
    } else {
        xdr_put_u32(x, DENIED_AUTH);
        xdr_put_u32(x, reply->auth);
    }
}

void rpc_put_reply(struct xdr_out *x, const struct rpc_reply *reply)
{
    xdr_put_u32(x, reply->xid);
    xdr_put_u32(x, RPC_REPLY);
    if (reply->verdict > RPC_SYSTEM_ERR) {
        put_denied(x, reply);
        return;
    }
    xdr_put_u32(x, REPLY_ACCEPTED);
    xdr_put_u32(x, RPC_AUTH_NONE);
    xdr_put_u32(x, 0);
    xdr_put_u32(x, reply->verdict);
    if (reply->verdict == RPC_PROG_MISMATCH) {
        xdr_put_u32(x, reply->low);
        xdr_put_u32(x, reply->high);
    }
}

static void get_accepted(struct xdr_in *x, struct rpc_reply *out)
{
    uint32_t len;

    (void)xdr_get_u32(x); /* the verifier's flavor: AUTH_SYS proves nothing about the server */
    (void)xdr_get_opaque(x, RPC_CRED_MAX, &len);

    uint32_t stat = xdr_get_u32(x);

    if (stat > RPC_SYSTEM_ERR)
        x->bad = true;
    else
        out->verdict = (enum rpc_verdict)stat;
    if (stat == RPC_PROG_MISMATCH) {
        out->low = xdr_get_u32(x);
        out->high = xdr_get_u32(x);
    }
}

static void get_denied(struct xdr_in *x, struct rpc_reply *out)
{
    switch (xdr_get_u32(x)) {
    case DENIED_MISMATCH:
        out->verdict = RPC_MISMATCH;
        out->low = xdr_get_u32(x);
        out->high = xdr_get_u32(x);
        break;
    case DENIED_AUTH:
        out->verdict = RPC_AUTH_ERROR;
        out->auth = xdr_get_u32(x);
        break;
    default:
        x->bad = true;
    }
}

int rpc_get_reply(struct xdr_in *x, struct rpc_reply *out)
{
    *out = (struct rpc_reply){.xid = xdr_get_u32(x)};
    if (xdr_get_u32(x) != RPC_REPLY)
        return -EBADMSG;
    switch (xdr_get_u32(x)) {
    case REPLY_ACCEPTED:
        get_accepted(x, out);
        break;
    case REPLY_DENIED:
        get_denied(x, out);
        break;
    default:
        return -EBADMSG;
    }
    return x->bad ? -EBADMSG : 0;
}

static const struct {
    const char *name;
    int code;
} verdicts[] = {
    [RPC_SUCCESS] = {"SUCCESS", 0},
    [RPC_PROG_UNAVAIL] = {"PROG_UNAVAIL", -EPROTONOSUPPORT},
    [RPC_PROG_MISMATCH] = {"PROG_MISMATCH", -EPROTONOSUPPORT},
    [RPC_PROC_UNAVAIL] = {"PROC_UNAVAIL", -EOPNOTSUPP},
    [RPC_GARBAGE_ARGS] = {"GARBAGE_ARGS", -EPROTO},
    [RPC_SYSTEM_ERR] = {"SYSTEM_ERR", -EREMOTEIO},
    [RPC_MISMATCH] = {"RPC_MISMATCH", -EPROTO},
    [RPC_AUTH_ERROR] = {"AUTH_ERROR", -EACCES},
};

const char *rpc_verdict_name(enum rpc_verdict verdict)
{
    return verdicts[verdict].name;
}

int rpc_verdict_errno(enum rpc_verdict verdict)
{
    return verdicts[verdict].code;
}
