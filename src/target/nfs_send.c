/* Calls into bytes. What is sent is encoded when it is sent, into one buffer of the session, and the data of
 * a WRITE is sent from where it lies. What the socket does not take is encoded once more when it does: this
 * happens seldom, and it spares a buffer for each of ten thousand connections. */
#include "target/nfs_conn_priv.h"

#include <endian.h>
#include <string.h>

#define XID_AT  RPC_MARK_BYTES
#define PROC_AT (RPC_MARK_BYTES + 20)

static void put_u32(unsigned char *at, uint32_t value)
{
    value = htobe32(value);
    memcpy(at, &value, sizeof value);
}

static void add_bytes(struct nfs_batch *b, void *at, size_t len)
{
    struct iovec *last = b->iovs > 0 ? &b->iov[b->iovs - 1] : NULL;

    if (last != NULL && (unsigned char *)last->iov_base + last->iov_len == at)
        last->iov_len += len;
    else
        b->iov[b->iovs++] = (struct iovec){.iov_base = at, .iov_len = len};
    b->len += len;
}

/* Returns the first byte behind what it wrote at `at`. */
static unsigned char *add_call(struct nfs_calls *c, struct nfs_batch *b, struct nfs_call *call,
                               unsigned char *at)
{
    const struct nfs_bytes *bytes = &c->part->bytes;
    struct xdr_out x = xdr_out(at + bytes->head_len, NFS3_ARGS_MAX);
    size_t data = call->proc == NFS3_WRITE ? call->len : 0;
    size_t padded = (data + 3) & ~(size_t)3;

    memcpy(at, bytes->head, bytes->head_len);
    put_u32(at + XID_AT, call->xid);
    put_u32(at + PROC_AT, call->proc);
    nfs_op_encode(c->session, call, &x);

    size_t len = (size_t)(x.at - at) + padded;

    put_u32(at, RPC_MARK_LAST | (uint32_t)(len - RPC_MARK_BYTES));
    b->call_len[b->calls++] = (uint32_t)len;
    add_bytes(b, at, (size_t)(x.at - at));
    if (data == 0)
        return x.at;
    add_bytes(b, call->data, data);
    memset(x.at, 0, padded - data);
    if (padded > data)
        add_bytes(b, x.at, padded - data);
    return x.at + (padded - data);
}

/* The first `done` bytes are out already. */
static void drop_front(struct nfs_batch *b, size_t done)
{
    unsigned first = 0;

    b->len -= done;
    while (done > 0 && done >= b->iov[first].iov_len)
        done -= b->iov[first++].iov_len;
    b->iov[first].iov_base = (unsigned char *)b->iov[first].iov_base + done;
    b->iov[first].iov_len -= done;
    b->iovs -= first;
    if (first > 0)
        memmove(b->iov, b->iov + first, b->iovs * sizeof b->iov[0]);
}

bool nfs_send_gather(struct nfs_calls *c, struct nfs_conn *conn, struct nfs_batch *b)
{
    unsigned char *at = b->out;

    b->calls = 0;
    b->iovs = 0;
    b->len = 0;
    for (struct nfs_call *call = conn->out.unsent; call != NULL; call = call->newer) {
        if (b->calls == b->calls_max || b->len >= NFS_OUT_MOST ||
            at + NFS_CALL_MAX > b->out + b->out_room)
            break;
        at = add_call(c, b, call, at);
        call->last_ns = c->now_ns;
        if (call->first_ns == 0)
            call->first_ns = c->now_ns;
    }
    if (conn->out.done > 0)
        drop_front(b, conn->out.done);
    return b->calls > 0;
}

void nfs_send_done(struct nfs_calls *c, struct nfs_conn *conn, const struct nfs_batch *b, size_t n)
{
    struct nfs_conn_out *out = &conn->out;
    unsigned i = 0;

    nfs_count(&c->counts->sent_bytes, n);
    n += out->done;
    for (; out->unsent != NULL && i < b->calls && n >= b->call_len[i]; i++) {
        struct nfs_call *call = out->unsent;

        n -= b->call_len[i];
        call->state = NFS_CALL_SENT;
        if (call->sent > 0)
            nfs_count(&c->counts->retransmits, 1);
        if (call->sent < UINT8_MAX)
            call->sent++;
        out->unsent = call->newer;
    }
    out->done = (uint32_t)n;
}
