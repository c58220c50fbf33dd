/* Bytes into answers. Whole records are read where they came. Of a record in pieces the head is kept; the
 * data of a READ behind it goes to its call at once, mostly by the kernel. */
#include "target/nfs_conn_priv.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void nfs_stream_reset(struct nfs_conn *conn)
{
    unsigned char *part = conn->in.part;
    uint32_t room = conn->in.part_room;

    uint32_t head_len = conn->in.head_len;

    conn->in = (struct nfs_conn_in){.part = part, .part_room = room, .head_len = head_len};
    conn->out.unsent = conn->oldest;
    conn->out.done = 0;
}

/* A READ that succeeded, behind the xid: a reply, accepted, no verifier, success, NFS3_OK; then whether
 * there are attributes. Nearly all replies of many a run are of this form. */
#define PLAIN_HEAD 32
#define PLAIN_ATTR 84
static const unsigned char plain[PLAIN_HEAD - 8] = {0, 0, 0, 1};

static uint32_t reply_max(const struct nfs_calls *c, const struct nfs_call *call)
{
    switch (call->proc) {
    case NFS3_READ:
        return NFS_HEAD_MAX + call->len + 3;
    case NFS3_READDIR:
    case NFS3_READDIRPLUS:
        return c->part->list_max;
    default:
        return NFS_REPLY_MAX;
    }
}

uint32_t nfs_stream_plain_read(const unsigned char *p, size_t len, struct nfs3_read *out)
{
    uint32_t word[3];
    size_t attr = 0;

    /* Attributes that nobody looks at are passed over and not read. */
    if (len >= PLAIN_HEAD + sizeof word && p[PLAIN_HEAD - 1] == 1)
        attr = PLAIN_ATTR;
    if (len < PLAIN_HEAD + attr + sizeof word || memcmp(p + 4, plain, PLAIN_HEAD - 8) != 0 ||
        p[PLAIN_HEAD - 1] > 1 || memcmp(p + PLAIN_HEAD - 4, plain + 4, 3) != 0)
        return 0;
    memcpy(word, p + PLAIN_HEAD + attr, sizeof word);
    if (word[0] != word[2] || be32toh(word[1]) > 1)
        return 0;
    *out = (struct nfs3_read){
        .status = NFS3_OK, .len = be32toh(word[2]), .eof = be32toh(word[1]) == 1};
    return (uint32_t)(PLAIN_HEAD + attr + sizeof word);
}

/* The header of the reply and, of a READ, its result up to the data. */
static int decode(const struct nfs_call *call, struct xdr_in *x, struct rpc_reply *rpc,
                  struct nfs_reply *reply)
{
    uint32_t head;
    int rc;

    *reply = (struct nfs_reply){.landed = 0};
    if (call->proc == NFS3_READ) {
        head = nfs_stream_plain_read(x->at, xdr_left(x), &reply->read);
        if (head > 0 && reply->read.len <= call->len) {
            x->at += head;
            *rpc = (struct rpc_reply){.verdict = RPC_SUCCESS};
            reply->read_done = true;
            reply->x = *x;
            return 0;
        }
    }
    rc = rpc_get_reply(x, rpc);
    if (rc < 0 || rpc->verdict != RPC_SUCCESS)
        return rc;
    if (call->proc == NFS3_READ) {
        rc = nfs3_get_read(x, call->len, &reply->read);
        reply->read_done = true;
    }
    reply->x = *x;
    return rc;
}

/* Not to be read: the call has had its answer all the same, or a server that always answers so would be
 * asked for ever. */
static int unreadable(struct nfs_calls *c, struct nfs_conn *conn, struct nfs_call *call)
{
    nfs_count(&c->counts->replies_bad, 1);
    if (call != NULL)
        nfs_call_end(c, conn, call, NULL, -EBADMSG);
    return -EBADMSG;
}

int nfs_stream_answer(struct nfs_calls *c, struct nfs_conn *conn, struct nfs_call *call,
                      struct nfs_reply *reply)
{
    nfs_conn_heard(c, conn, call);
    nfs_call_end(c, conn, call, reply, 0);
    return conn->life.unreadable ? -EBADMSG : 0;
}

/* A READ's data ends its reply, and is all there. What the next answer will be put over, because nobody looks
 * at either, stays where it came: it is in this process's memory, and to move it once more measures nothing. */
static bool put_data(const struct nfs_call *call, struct nfs_reply *reply)
{
    uint32_t len = reply->read.status == NFS3_OK ? reply->read.len : 0;

    if (xdr_left(&reply->x) < len)
        return false;
    if (len > 0 && !nfs_call_is_covered(call))
        memcpy(call->data, reply->x.at, len);
    reply->landed = len;
    reply->x.end = reply->x.at;
    return true;
}

static int whole(struct nfs_calls *c, struct nfs_conn *conn, const unsigned char *p, uint32_t len)
{
    struct xdr_in x = xdr_in(p, len);
    struct rpc_reply rpc;
    struct nfs_reply reply;
    struct nfs_call *call;
    uint32_t xid;

    if (len < sizeof xid)
        return unreadable(c, conn, NULL);
    memcpy(&xid, p, sizeof xid);
    call = nfs_call_find(c, conn, be32toh(xid));
    if (call == NULL)
        return 0;
    if (len > reply_max(c, call) || decode(call, &x, &rpc, &reply) < 0)
        return unreadable(c, conn, call);
    if (reply.read_done) {
        conn->in.head_len = (uint32_t)(RPC_MARK_BYTES + (reply.x.at - p));
        if (!put_data(call, &reply))
            return unreadable(c, conn, call);
    }
    if (rpc.verdict == RPC_SUCCESS)
        return nfs_stream_answer(c, conn, call, &reply);
    nfs_count(&c->counts->rpc_errors, 1);
    nfs_conn_heard(c, conn, call);
    nfs_call_end(c, conn, call, NULL, rpc_verdict_errno(rpc.verdict));
    return 0;
}

int nfs_stream_landed(struct nfs_calls *c, struct nfs_conn *conn, size_t n)
{
    struct nfs_conn_in *in = &conn->in;

    in->at += n;
    in->need -= (uint32_t)n;
    conn->life.heard_ns = c->now_ns;
    if (in->need > 0)
        return 0;

    struct nfs_call *call = in->landing;
    struct nfs_reply reply = {.landed = in->read.len, .read_done = true, .read = in->read};

    reply.x = xdr_in(in->part, 0);
    in->landing = NULL;
    return nfs_stream_answer(c, conn, call, &reply);
}

/* The head of a READ's reply is in `part`; more of the record than that is to come. */
static int land(struct nfs_calls *c, struct nfs_conn *conn, struct nfs_call *call)
{
    struct nfs_conn_in *in = &conn->in;
    struct xdr_in x = xdr_in(in->part, in->part_len);
    struct rpc_reply rpc;
    struct nfs_reply reply;

    /* What was refused is shorter than its head may be. */
    if (decode(call, &x, &rpc, &reply) < 0 || !reply.read_done || reply.read.status != NFS3_OK)
        return unreadable(c, conn, call);

    uint32_t here = (uint32_t)xdr_left(&x);

    if (here > reply.read.len)
        here = reply.read.len;
    if (reply.read.len - here > in->frag)
        return unreadable(c, conn, call);
    if (here > 0)
        memcpy(call->data, x.at, here);
    in->head_len = (uint32_t)(RPC_MARK_BYTES + (x.at - in->part));
    in->landing = call;
    in->read = reply.read;
    in->at = (unsigned char *)call->data + here;
    in->need = reply.read.len - here;
    in->skip = in->frag - in->need;
    in->frag = 0;
    in->part_len = 0;
    in->sized = false;
    return in->need == 0 ? nfs_stream_landed(c, conn, 0) : 0;
}

static int make_room(struct nfs_conn_in *in, uint32_t room)
{
    if (room <= in->part_room)
        return 0;
    if (room < 1024)
        room = 1024;

    unsigned char *part = realloc(in->part, room);

    if (part == NULL)
        return -ENOMEM;
    in->part = part;
    in->part_room = room;
    return 0;
}

/* Enough is there of a record in pieces to know whose it is. */
static int size_up(struct nfs_calls *c, struct nfs_conn *conn)
{
    struct nfs_conn_in *in = &conn->in;
    struct nfs_call *call;
    uint32_t xid;

    in->sized = true;
    if (!in->last)
        return make_room(in, in->part_len + in->frag);
    memcpy(&xid, in->part, sizeof xid);
    call = nfs_call_find(c, conn, be32toh(xid));
    if (call == NULL) {
        in->skip = in->frag;
        in->frag = 0;
        in->part_len = 0;
        in->sized = false;
        return 0;
    }
    if (in->part_len + in->frag > reply_max(c, call))
        return unreadable(c, conn, call);
    if (call->proc == NFS3_READ)
        return land(c, conn, call);
    return make_room(in, in->part_len + in->frag);
}

static int take_mark(struct nfs_calls *c, struct nfs_conn *conn, const unsigned char *p, size_t len)
{
    struct nfs_conn_in *in = &conn->in;
    size_t n = sizeof in->mark - in->mark_len;
    uint32_t mark;

    if (n > len)
        n = len;
    memcpy(in->mark + in->mark_len, p, n);
    in->mark_len += (uint8_t)n;
    if (in->mark_len < sizeof in->mark)
        return (int)n;
    memcpy(&mark, in->mark, sizeof mark);
    mark = be32toh(mark);
    in->mark_len = 0;
    in->last = (mark & RPC_MARK_LAST) != 0;
    in->frag = mark & ~RPC_MARK_LAST;
    if (in->frag > c->part->record_max || in->part_len + in->frag > c->part->record_max)
        return unreadable(c, conn, NULL);
    return (int)n;
}

static int end_of_fragment(struct nfs_calls *c, struct nfs_conn *conn)
{
    struct nfs_conn_in *in = &conn->in;
    uint32_t len = in->part_len;

    if (!in->last)
        return 0;
    in->part_len = 0;
    in->sized = false;
    return whole(c, conn, in->part, len);
}

/* A reply that was asked for and comes slowly is no silence. */
static void note_piece(struct nfs_calls *c, struct nfs_conn *conn)
{
    uint32_t xid;

    if (conn->in.part_len < sizeof xid)
        return;
    memcpy(&xid, conn->in.part, sizeof xid);
    if (nfs_call_is_out(c, conn, be32toh(xid)))
        conn->life.heard_ns = c->now_ns;
}

/* Returns how many bytes it used. */
static int take_piece(struct nfs_calls *c, struct nfs_conn *conn, const unsigned char *p,
                      size_t len)
{
    struct nfs_conn_in *in = &conn->in;
    size_t n = in->frag;
    int rc;

    /* No more than the head before it is known whether the rest goes elsewhere. */
    if (!in->sized && n > NFS_HEAD_MAX - in->part_len)
        n = NFS_HEAD_MAX - in->part_len;
    if (n > len)
        n = len;
    rc = make_room(in, in->part_len + (uint32_t)n);
    if (rc < 0)
        return rc;
    memcpy(in->part + in->part_len, p, n);
    in->part_len += (uint32_t)n;
    in->frag -= (uint32_t)n;
    note_piece(c, conn);
    if (in->frag == 0)
        rc = end_of_fragment(c, conn);
    else if (!in->sized && in->part_len >= NFS_HEAD_MAX)
        rc = size_up(c, conn);
    return rc < 0 ? rc : (int)n;
}

static bool between_records(const struct nfs_conn_in *in)
{
    return in->mark_len == 0 && in->frag == 0 && in->part_len == 0;
}

/* One step; returns how many bytes it used. */
static int take_some(struct nfs_calls *c, struct nfs_conn *conn, const unsigned char *p, size_t len)
{
    struct nfs_conn_in *in = &conn->in;
    uint32_t mark;
    int rc;

    if (between_records(in) && len > sizeof mark) {
        memcpy(&mark, p, sizeof mark);
        mark = be32toh(mark);
        if ((mark & RPC_MARK_LAST) && (mark & ~RPC_MARK_LAST) <= len - sizeof mark) {
            rc = whole(c, conn, p + sizeof mark, mark & ~RPC_MARK_LAST);
            return rc < 0 ? rc : (int)(sizeof mark + (mark & ~RPC_MARK_LAST));
        }
    }
    if (in->frag > 0)
        return take_piece(c, conn, p, len);
    rc = take_mark(c, conn, p, len);
    if (rc > 0 && in->mark_len == 0 && in->frag == 0 && end_of_fragment(c, conn) < 0)
        return -EBADMSG;
    return rc;
}

int nfs_stream_take(struct nfs_calls *c, struct nfs_conn *conn, const unsigned char *p, size_t len)
{
    struct nfs_conn_in *in = &conn->in;

    while (len > 0) {
        size_t n;

        if (in->need > 0) {
            n = in->need < len ? in->need : len;
            memcpy(in->at, p, n);
            if (nfs_stream_landed(c, conn, n) < 0)
                return -EBADMSG;
        } else if (in->skip > 0) {
            n = in->skip < len ? in->skip : len;
            in->skip -= (uint32_t)n;
        } else {
            int rc = take_some(c, conn, p, len);

            if (rc < 0)
                return rc;
            n = (size_t)rc;
        }
        p += n;
        len -= n;
    }
    return 0;
}
