/* target/nfs_stream_priv.h — the bytes of a connection of the NFS client: calls into what is sent, what comes
 * into answers.
 * Shape    nfs_send.c puts a send together; nfs_places.c says where what comes shall go; nfs_stream.c reads
 *          it; nfs_move.c does both at once by a system call each. Whoever waits for many connections
 *          (struct nfs_waiter, nfs_conn_priv.h) uses these.
 * Units    bytes.
 * Limits   a reply in pieces is put together in memory that grows with it, up to what its call can be
 *          answered with. READ data goes past that, to where the call wants it.
 * Errors   -EBADMSG when the connection has to be given up.
 * Threads  the session's.
 * Source   RFC 5531 section 11; tests/unit/test_nfs_stream.c. */
#ifndef LOADLINE_TARGET_NFS_STREAM_PRIV_H
#define LOADLINE_TARGET_NFS_STREAM_PRIV_H

#include "target/nfs_call_priv.h"

#include <sys/uio.h>

#define NFS_IN_BYTES   262144u
#define NFS_IN_FEW     4096u /* instead, where more would be data that has to be moved once more */
#define NFS_GUESSES    64u
#define NFS_GUESS_HEAD 256u    /* room for one head; in front of what is not foreseen */
#define NFS_GUESS_MOST 524288u /* bytes from which on no further one is guessed */
#define NFS_OUT_BYTES  65536u
#define NFS_OUT_CALLS  128u     /* of one send */
#define NFS_OUT_MOST   4194304u /* bytes; no socket takes more */
#define NFS_OUT_IOVS   (2 * NFS_OUT_CALLS + 1)
#define NFS_CALL_MAX   (RPC_MARK_BYTES + RPC_CALL_HEAD_MAX + NFS3_ARGS_MAX + 3)
/* Of a reply, up to the data of a READ: header, verifier, status, attributes, count, eof, length. */
#define NFS_HEAD_MAX  (24 + RPC_CRED_MAX + 4 + 88 + 12)
#define NFS_REPLY_MAX 2048u /* of what is neither READ nor a listing */

struct nfs_conn;

/* Where what comes shall go. While READs are under way a guess is made: they are answered in the order in
 * which they were sent, in full, each behind as long a head as the last one; then the kernel puts the data
 * where they belong. A wrong guess costs that they are moved twice. */
struct nfs_places {
    unsigned iovs;
    unsigned guesses;
    size_t guess_bytes;
    size_t len; /* of all iovs */
    struct nfs_call *guess[NFS_GUESSES];
    struct iovec iov[2 * NFS_GUESSES + 2];
};

/* One send being put together. */
struct nfs_batch {
    unsigned char *out; /* what is encoded */
    size_t out_room;
    unsigned calls_max;
    uint32_t *call_len; /* on the wire, of the calls in iov: calls_max of them */
    struct iovec *iov;  /* 2 * calls_max + 1 */
    unsigned calls;
    unsigned iovs;
    size_t len;
};

/* Where bytes pass through: of the session, not of a connection. */
struct nfs_bytes {
    uint32_t head_len;
    unsigned char head[RPC_MARK_BYTES + RPC_CALL_HEAD_MAX]; /* of every call, but for a few words */
    unsigned char *in;
    unsigned char *in_order; /* what a wrong guess has scattered */
    unsigned char *aside;    /* data that share their buffer with others */
    struct nfs_places places;
    struct nfs_batch batch;
    uint32_t call_len[NFS_OUT_CALLS];
    struct iovec iov[NFS_OUT_IOVS];
};

/* ---- nfs_send.c ---- */

/* Puts the next send together; false: nothing is left to send. */
bool nfs_send_gather(struct nfs_calls *c, struct nfs_conn *conn, struct nfs_batch *b);
/* n bytes of it are out. */
void nfs_send_done(struct nfs_calls *c, struct nfs_conn *conn, const struct nfs_batch *b, size_t n);

/* ---- nfs_move.c: at once, by the calling thread ---- */

void nfs_move_out(struct nfs_calls *c, struct nfs_conn *conn);
/* false: there was nothing. */
bool nfs_move_in(struct nfs_calls *c, struct nfs_conn *conn);
/* ---- nfs_stream.c ---- */

/* n bytes of READ data came straight to in.at. */
__attribute__((warn_unused_result)) int nfs_stream_landed(struct nfs_calls *c,
                                                          struct nfs_conn *conn, size_t n);
__attribute__((warn_unused_result)) int nfs_stream_take(struct nfs_calls *c, struct nfs_conn *conn,
                                                        const unsigned char *p, size_t len);
/* Of a reply behind its mark: how long its head is, when it is a READ that succeeded in the form that
 * nearly all have; else 0. */
uint32_t nfs_stream_plain_read(const unsigned char *p, size_t len, struct nfs3_read *out);
__attribute__((warn_unused_result)) int nfs_stream_answer(struct nfs_calls *c,
                                                          struct nfs_conn *conn,
                                                          struct nfs_call *call,
                                                          struct nfs_reply *reply);
/* Nothing of the last connection is left. */
void nfs_stream_reset(struct nfs_conn *conn);

/* ---- nfs_places.c ---- */

/* Where the next bytes shall go: c->part->bytes.places. */
struct nfs_places *nfs_places(struct nfs_calls *c, struct nfs_conn *conn);
/* n bytes came, to those places. */
__attribute__((warn_unused_result)) int nfs_places_came(struct nfs_calls *c, struct nfs_conn *conn,
                                                        size_t n);

#endif
