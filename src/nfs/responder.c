#include "nfs/responder_priv.h"

#include "nfs/mount3.h"

#include <errno.h>

struct responder responder_plain(uint16_t port)
{
    return (struct responder){.port = port, .io_max = 1 << 20, .file_bytes = RESPONDER_TIB};
}

static void answer_mnt(struct answer *a)
{
    uint32_t len;
    const unsigned char *path = xdr_get_opaque(&a->in, MOUNT3_PATH_MAX, &len);
    uint32_t last = len;

    while (last > 0 && path[last - 1] != '/')
        last--;

    uint32_t status = len > 0 ? answer_status_of(path + last, len - last) : NFS3ERR_INVAL;

    xdr_put_u32(a->out, status);
    if (status != NFS3_OK)
        return;
    answer_put_thing(a, &(struct thing){.type = NFS3_DIR, .id = RESPONDER_ROOT_ID});
    xdr_put_u32(a->out, 1);
    xdr_put_u32(a->out, RPC_AUTH_SYS);
}

static enum rpc_verdict answer_mount(struct answer *a, uint32_t procedure)
{
    switch (procedure) {
    case MOUNT3_MNT:
        answer_mnt(a);
        return RPC_SUCCESS;
    case MOUNT3_UMNT:
        return RPC_SUCCESS;
    case MOUNT3_EXPORT:
        xdr_put_u32(a->out, 1);
        xdr_put_string(a->out, "/");
        xdr_put_u32(a->out, 0); /* to everyone */
        xdr_put_u32(a->out, 0);
        return RPC_SUCCESS;
    default:
        return RPC_PROC_UNAVAIL;
    }
}

static enum rpc_verdict answer_portmap(struct answer *a, uint32_t procedure)
{
    if (procedure != PORTMAP_GETPORT)
        return RPC_PROC_UNAVAIL;

    uint32_t program = xdr_get_u32(&a->in);
    uint32_t version = xdr_get_u32(&a->in);
    bool tcp = xdr_get_u32(&a->in) == 6;
    bool here = (program == NFS3_PROGRAM && version == NFS3_VERSION) ||
                (program == MOUNT3_PROGRAM && version == MOUNT3_VERSION);

    (void)xdr_get_u32(&a->in);
    xdr_put_u32(a->out, here && tcp ? a->r->port : 0);
    return RPC_SUCCESS;
}

static const struct program {
    uint32_t number;
    uint32_t version;
    enum rpc_verdict (*answer)(struct answer *a, uint32_t procedure);
} programs[] = {
    {NFS3_PROGRAM, NFS3_VERSION, answer_nfs},
    {MOUNT3_PROGRAM, MOUNT3_VERSION, answer_mount},
    {PORTMAP_PROGRAM, PORTMAP_VERSION, answer_portmap},
};

static const struct program *program_of(uint32_t number)
{
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        if (programs[i].number == number)
            return &programs[i];
    }
    return NULL;
}

static enum rpc_verdict answer_call(struct answer *a, const struct rpc_call *call,
                                    struct rpc_reply *head)
{
    const struct program *program = program_of(call->program);

    if (call->rpc_version != RPC_VERSION) {
        head->low = head->high = RPC_VERSION;
        return RPC_MISMATCH;
    }
    if (program == NULL)
        return RPC_PROG_UNAVAIL;
    if (call->version != program->version) {
        head->low = head->high = program->version;
        return RPC_PROG_MISMATCH;
    }
    if (call->procedure == NFS3_NULL)
        return RPC_SUCCESS;

    enum rpc_verdict verdict = program->answer(a, call->procedure);

    return verdict == RPC_SUCCESS && a->in.bad ? RPC_GARBAGE_ARGS : verdict;
}

int responder_answer(const struct responder *r, const void *call, size_t have, size_t len,
                     struct xdr_out *reply, uint32_t *zeros)
{
    struct answer a = {.r = r, .in = xdr_in(call, have), .cut = len - have, .out = reply};
    struct rpc_call asked;
    unsigned char *start = reply->at;

    if (rpc_get_call(&a.in, &asked) < 0)
        return -EBADMSG;

    struct rpc_reply head = {.xid = asked.xid};

    rpc_put_reply(reply, &head); /* most are successes; the others are written once more */

    head.verdict = answer_call(&a, &asked, &head);
    if (head.verdict != RPC_SUCCESS) {
        reply->at = start;
        a.zeros = 0;
        rpc_put_reply(reply, &head);
    }
    *zeros = a.zeros;
    return reply->bad ? -EMSGSIZE : 0;
}
