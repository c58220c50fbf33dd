/* target/nfs_call_priv.h — RPCs under way: connections, calls, waiting for replies.
 * Shape    nfs_call_new → fill proc, job, data → nfs_call_post … nfs_turn sends what was posted and hands
 *          each reply to nfs_op_answer, each call that failed for good to nfs_op_failed, each due timer to
 *          nfs_op_timer. nfs_call.c keeps calls; nfs_conn.c one connection: its bytes out and in, its
 *          outages; nfs_wait_poll.c and nfs_wait_uring.c wait for many of them.
 * Units    ns of CLOCK_MONOTONIC, bytes.
 * Limits   a session has as many calls as it may hold ops, and NFS_CALLS_SPARE; a job that wants more of
 *          them at once takes them one after the other. A record longer than its call can be answered with
 *          is not read: the connection is given up and counted.
 *          Arguments are not kept: a call that is sent again is encoded again, with the same xid.
 *          A connection is given up when nothing was heard for timeo while calls were under way, or when the
 *          server answered a call sent timeo after one that it has not answered.
 * Errors   a call ends exactly once, by an answer or by nfs_op_failed: -ETIMEDOUT when timeo · (retrans + 1)
 *          have passed since first_ns, -EBADMSG, or what RPC refused.
 * Threads  the session's; nfs_wake any.
 * Source   tests/conform/test_nfs_*.c, tests/server. */
#ifndef LOADLINE_TARGET_NFS_CALL_PRIV_H
#define LOADLINE_TARGET_NFS_CALL_PRIV_H

#include "target/nfs_priv.h"

#include "stats/hist.h"

#define NFS_CALLS_SPARE 32

struct nfs_job;

struct nfs_call {
    struct nfs_job *job;
    uint32_t xid;  /* low bits: its place; high bits: how often the place was used */
    uint8_t proc;  /* enum nfs3_proc */
    uint8_t part;  /* the job's own: which of its calls this is */
    uint8_t sent;  /* how often it went out, at most 255 */
    uint8_t state; /* nfs_conn_priv.h's */
    uint32_t conn;
    uint32_t len;           /* of data */
    void *data;             /* READ: where the data goes; WRITE: the data; else NULL */
    uint64_t off;           /* in the file */
    uint64_t first_ns;      /* when it first went out, or was posted without a connection */
    uint64_t last_ns;       /* when it was last sent */
    struct nfs_call *older; /* of its connection, by last_ns; also the list of free ones */
    struct nfs_call *newer;
};

/* The body of a reply, behind the RPC header, in one piece. For a READ that succeeded x ends where its
 * data begins, and `landed` bytes of them are in call->data. */
struct nfs_reply {
    struct xdr_in x;
    uint32_t landed;
    bool read_done; /* `read` holds the result of a READ, already decoded */
    struct nfs3_read read;
};

__attribute__((warn_unused_result)) int nfs_calls_open(struct nfs_session *s,
                                                       const struct session_spec *spec,
                                                       struct nfs_calls **out, struct err *err);
/* Before the counts of the session are read for the last time: outages that have not ended are counted up to
 * here. */
void nfs_calls_end(struct nfs_calls *c);
/* At once; what is under way is forgotten without a word. */
void nfs_calls_close(struct nfs_calls *c);

/* NULL: all are under way; nfs_op_spare is called when one is free again. */
struct nfs_call *nfs_call_new(struct nfs_calls *c, struct nfs_job *job, enum nfs3_proc proc);
/* On a connection of this client of the session. */
void nfs_call_post(struct nfs_calls *c, struct nfs_call *call, uint32_t client);

/* A single timer of a job, once; due_ns 0 takes it back. */
void nfs_timer(struct nfs_calls *c, struct nfs_job *job, uint64_t due_ns);

/* Sends what was posted; by io_uring with the next turn, in the system call that waits. */
void nfs_flush(struct nfs_calls *c);
/* Sends what was posted, waits until something came or failed, until_ns has passed (0: does not wait), or
 * it was woken; hands everything that came to nfs_op_*. true: woken. */
bool nfs_turn(struct nfs_calls *c, uint64_t until_ns);
void nfs_wake(struct nfs_calls *c);

/* Reading the clock is theirs: the time of the last turn. */
uint64_t nfs_calls_now(const struct nfs_calls *c);

/* Times from call to reply, by procedure, as target.h says of calls_window and calls. */
void nfs_calls_window(struct nfs_calls *c, uint64_t open_ns, uint64_t close_ns);
const struct hist *nfs_calls_hist(struct nfs_calls *c, unsigned i, const char **name);

/* Only from nfs_op_answer: what the call was answered with cannot be read. Counted, and its connection is
 * given up behind nfs_op_answer; the call itself has had its answer. */
void nfs_call_unreadable(struct nfs_calls *c, struct nfs_call *call);

/* For describe, by any thread while the session is open: connections open, those that wait by io_uring, and what TCP says of them. */
struct nfs_conn_facts {
    unsigned connections;
    unsigned reserved;
    bool by_uring;
    const char *why_not_uring; /* what the kernel said when it was asked; "" */
    char congestion[16];
    uint32_t mss;
    uint64_t tcp_retransmits;      /* TCP_INFO, of all */
    uint64_t tcp_retransmits_most; /* of the worst connection */
};
void nfs_calls_facts(struct nfs_calls *c, struct nfs_conn_facts *out);

/* ---- what the calls ask of the ops (nfs_job.c) ---- */

/* Writes the arguments of a call; of WRITE up to the data. The same each time. */
void nfs_op_encode(struct nfs_session *s, const struct nfs_call *call, struct xdr_out *x);
/* The call is free again when this returns; call->sent > 1: it went out more than once. */
void nfs_op_answer(struct nfs_session *s, struct nfs_call *call, struct nfs_reply *reply);
void nfs_op_failed(struct nfs_session *s, struct nfs_call *call, int code);
void nfs_op_timer(struct nfs_session *s, struct nfs_job *job);
void nfs_op_spare(struct nfs_session *s);

#endif
