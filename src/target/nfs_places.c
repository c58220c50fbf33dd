/* Where what is received goes. A READ of 4 KiB costs little more than the kernel's own copy of it; to move
 * its data once more would be felt. So the heads of the replies that are due next and their data are given
 * places of their own in one receive. When something else comes, it is put in order and read as any. */
#include "target/nfs_conn_priv.h"

#include <errno.h>
#include <string.h>

#define NO_GUESS_MOST 1024u

static void add_place(struct nfs_places *p, void *at, size_t len)
{
    p->iov[p->iovs++] = (struct iovec){.iov_base = at, .iov_len = len};
    p->len += len;
}

/* Calls under way at once share a buffer when nobody looks at their data. All but one of them are then put
 * aside: of what would lie above each other a wrong guess could not be put in order. */
static bool is_apart(const struct nfs_places *p, const struct nfs_call *call)
{
    uintptr_t at = (uintptr_t)call->data;

    for (unsigned i = 0; i < p->guesses; i++) {
        uintptr_t other = (uintptr_t)p->guess[i]->data;

        if (at < other + p->guess[i]->len && other < at + call->len)
            return false;
    }
    return true;
}

/* Few data that the next call's will lie on are not even moved (nfs_stream.c): no place is needed. */
static bool is_worth_it(const struct nfs_call *call)
{
    return call->len >= NFS_BIG_READ || !nfs_call_is_covered(call);
}

static bool may_be_guessed(const struct nfs_places *p, const struct nfs_call *call)
{
    return call != NULL && call->state == NFS_CALL_SENT && call->proc == NFS3_READ &&
           call->len > 0 && call->len % 4 == 0 && p->guesses < NFS_GUESSES &&
           p->guess_bytes < NFS_GUESS_MOST && is_worth_it(call);
}

static void guess(struct nfs_bytes *b, struct nfs_conn *conn)
{
    struct nfs_places *p = &b->places;
    const struct nfs_conn_in *in = &conn->in;
    struct nfs_call *call = in->landing != NULL ? in->landing->newer : conn->oldest;

    for (; may_be_guessed(p, call); call = call->newer) {
        add_place(p, b->in + p->guesses * NFS_GUESS_HEAD, in->head_len);
        add_place(p, is_apart(p, call) ? call->data : b->aside + p->guess_bytes, call->len);
        p->guess[p->guesses++] = call;
        p->guess_bytes += call->len;
    }
}

/* Between two records, or behind data that end theirs. */
static bool can_guess(const struct nfs_conn_in *in)
{
    return in->head_len > 0 && in->head_len <= NFS_GUESS_HEAD && in->no_guess == 0 &&
           in->mark_len == 0 && in->frag == 0 && in->part_len == 0 && in->skip == 0;
}

struct nfs_places *nfs_places(struct nfs_calls *c, struct nfs_conn *conn)
{
    struct nfs_bytes *b = &c->part->bytes;
    struct nfs_places *p = &b->places;
    struct nfs_conn_in *in = &conn->in;

    p->iovs = 0;
    p->guesses = 0;
    p->guess_bytes = 0;
    p->len = 0;
    if (in->need > 0)
        add_place(p, in->at, in->need);
    if (can_guess(in))
        guess(b, conn);
    else if (in->no_guess > 0)
        in->no_guess--;
    add_place(p, b->in + NFS_GUESSES * NFS_GUESS_HEAD, conn->big > 0 ? NFS_IN_FEW : NFS_IN_BYTES);
    return p;
}

/* What lies in the places from `first` on, n bytes, taken as any. */
static int take_scattered(struct nfs_calls *c, struct nfs_conn *conn, unsigned first, size_t n)
{
    struct nfs_bytes *b = &c->part->bytes;
    const struct iovec *iov = b->places.iov + first;
    size_t have = 0;

    conn->in.wrong++;
    conn->in.no_guess = conn->in.wrong < 10 ? 1u << conn->in.wrong : NO_GUESS_MOST;
    for (size_t len; have < n; have += len, iov++) {
        len = iov->iov_len < n - have ? iov->iov_len : n - have;
        memcpy(b->in_order + have, iov->iov_base, len);
    }
    return nfs_stream_take(c, conn, b->in_order, n);
}

static bool is_as_guessed(const struct nfs_conn_in *in, const unsigned char *head,
                          const struct nfs_call *call, struct nfs3_read *read)
{
    uint32_t mark = RPC_MARK_LAST | (in->head_len - RPC_MARK_BYTES + call->len);
    struct xdr_in x = xdr_in(head, 2 * sizeof mark);

    return call->state == NFS_CALL_SENT && xdr_get_u32(&x) == mark &&
           xdr_get_u32(&x) == call->xid &&
           nfs_stream_plain_read(head + RPC_MARK_BYTES, in->head_len - RPC_MARK_BYTES, read) ==
               in->head_len - RPC_MARK_BYTES &&
           read->len == call->len;
}

/* Returns how many of the n bytes were its reply's. */
static ssize_t take_guess(struct nfs_calls *c, struct nfs_conn *conn, unsigned i, size_t n)
{
    struct nfs_bytes *b = &c->part->bytes;
    struct nfs_conn_in *in = &conn->in;
    struct nfs_call *call = b->places.guess[i];
    struct nfs_reply reply = {.landed = call->len, .read_done = true};
    size_t got = n - in->head_len;
    int rc;

    if (got < call->len) {
        in->landing = call;
        in->at = (unsigned char *)call->data + got;
        in->need = call->len - (uint32_t)got;
        return (ssize_t)n;
    }
    reply.x = xdr_in(b->in, 0);
    reply.read = in->read;
    n = in->head_len + call->len;
    rc = nfs_stream_answer(c, conn, call, &reply);
    return rc < 0 ? rc : (ssize_t)n;
}

int nfs_places_came(struct nfs_calls *c, struct nfs_conn *conn, size_t n)
{
    struct nfs_bytes *b = &c->part->bytes;
    struct nfs_conn_in *in = &conn->in;
    size_t straight = n < in->need ? n : in->need;
    unsigned first = in->need > 0 ? 1 : 0;

    nfs_count(&c->counts->received_bytes, n);
    if (straight > 0 && nfs_stream_landed(c, conn, straight) < 0)
        return -EBADMSG;
    n -= straight;
    for (unsigned i = 0; i < b->places.guesses && n > 0; i++, first += 2) {
        const unsigned char *head = b->in + i * NFS_GUESS_HEAD;

        if (n < in->head_len)
            return nfs_stream_take(c, conn, head, n);
        if (!is_as_guessed(in, head, b->places.guess[i], &in->read))
            return take_scattered(c, conn, first, n);

        ssize_t used = take_guess(c, conn, i, n);

        if (used < 0)
            return (int)used;
        n -= (size_t)used;
        in->wrong = 0;
    }
    return nfs_stream_take(c, conn, b->in + NFS_GUESSES * NFS_GUESS_HEAD, n);
}
