/* target/nfs_conn_priv.h — below nfs_call_priv.h: what a connection is, and how a session waits for many.
 * Shape    nfs_call.c owns struct nfs_calls. nfs_conn.c makes, loses and makes again a connection;
 *          nfs_stream_priv.h says what its bytes are; a struct nfs_waiter moves
 *          the bytes and says when there are some; nfs_timer.c has the timers of jobs.
 *          A connection lists its calls in the order in which they were sent: those that are out, then,
 *          from out.unsent on, those that are not.
 * Units    ns of CLOCK_MONOTONIC, bytes.
 * Limits   tries to connect come at most every 10 ms, and at least every second.
 * Errors   none here: a connection that is lost is made again.
 * Threads  the session's; `fds` guards descriptors against whoever asks for facts.
 * Source   tests/unit/test_nfs_conn.c, tests/unit/test_nfs_uring.c. */
#ifndef LOADLINE_TARGET_NFS_CONN_PRIV_H
#define LOADLINE_TARGET_NFS_CONN_PRIV_H

#include "target/nfs_stream_priv.h"
#include "target/wake_priv.h"

#define NFS_BACKOFF_FIRST_NS 10000000ull
#define NFS_BACKOFF_MOST_NS  1000000000ull
#define NFS_TELL_NS          50000000ull /* an outage that goes on is counted so often */
#define NFS_CONNECT_NS       5000000000ull /* for one try: a try begun anew is sooner than SYN's own */

/* From so many connections on, with one call at a time each, io_uring costs less than epoll; where calls
 * come in batches it costs more. */
#define NFS_URING_CONNS 16u

#define NFS_BIG_READ 32768u /* from where on a READ's data have to come straight to their place */

enum nfs_call_state { NFS_CALL_FREE, NFS_CALL_QUEUED, NFS_CALL_SENT, NFS_CALL_ENDING };
enum nfs_conn_state { NFS_CONN_DOWN, NFS_CONN_CONNECTING, NFS_CONN_UP };

struct nfs_conn_out {
    struct nfs_call *unsent; /* first call that is not out, NULL: all are */
    uint32_t done;           /* bytes of it that are */
};

struct nfs_conn_in {
    unsigned char mark[RPC_MARK_BYTES];
    uint8_t mark_len;
    bool last;     /* the fragment is the last of its record */
    bool sized;    /* the record has been looked at, and may be as long as it says */
    uint32_t frag; /* bytes of the fragment that are still to come */
    uint32_t skip; /* bytes that nobody wants, up to the next record */
    uint32_t need; /* bytes of READ data that go to `at` */
    unsigned char *at;
    struct nfs_call *landing; /* whose data they are */
    struct nfs3_read read;
    uint32_t head_len;   /* of the last READ's reply with its mark, up to the data; 0: none yet */
    uint32_t no_guess;   /* receives to come that do not guess what comes */
    uint32_t wrong;      /* guesses that were, behind each other */
    unsigned char *part; /* a record in pieces */
    uint32_t part_len;
    uint32_t part_room;
};

struct nfs_conn_life {
    uint64_t due_ns; /* DOWN: of the next try; CONNECTING: of the end of this one */
    uint64_t backoff_ns;
    uint64_t heard_ns;    /* when something came that was asked for, were it a piece of a reply */
    uint64_t answered_ns; /* when the latest call was sent that has had its answer */
    uint64_t outage_ns;   /* since when there has been no answer; 0: no outage */
    uint64_t outage_told_ns;  /* until when it has been counted */
    uint64_t tcp_retransmits; /* of the sockets that are closed */
    bool made;                /* it has been up before */
    bool answered;            /* since it was made */
    bool unreadable;          /* has to be given up */
};

struct nfs_conn {
    int fd;
    uint8_t state;
    bool reserved;
    bool blocked;  /* sends nothing before the waiter says so */
    bool listed;   /* in to_send */
    uint32_t turn; /* of a client's first connection: round robin */
    uint32_t under_way;
    uint32_t big; /* READs from NFS_BIG_READ on among them */
    struct nfs_call *oldest;
    struct nfs_call *newest;
    struct nfs_conn *next; /* in to_send */
    struct nfs_conn_out out;
    struct nfs_conn_in in;
    struct nfs_conn_life life;
};

/* What moves bytes. `add` when a socket has begun to connect, `drop` before it is closed; `block` to be told
 * when a socket takes bytes again, or no longer. */
struct nfs_waiter {
    int (*open)(struct nfs_calls *c);
    void (*close)(struct nfs_calls *c);
    int (*add)(struct nfs_calls *c, struct nfs_conn *conn);
    void (*drop)(struct nfs_calls *c, struct nfs_conn *conn);
    void (*block)(struct nfs_calls *c, struct nfs_conn *conn, bool blocked);
    void (*send)(struct nfs_calls *c, struct nfs_conn *conn);
    /* Once, until something came or until_ns; 0: only looks. */
    void (*wait)(struct nfs_calls *c, uint64_t until_ns);
};

extern const struct nfs_waiter nfs_waiter_poll;
extern const struct nfs_waiter nfs_waiter_uring;

struct nfs_calls {
    struct nfs_session *session;
    const struct nfs_waiter *waiter;
    void *waiting; /* the waiter's */
    struct nfs_counts *counts;
    struct nfs_conn *conn;
    unsigned conns;
    unsigned per_client;
    uint32_t client_first;
    struct nfs_call *call;
    unsigned calls;
    unsigned place_bits;
    uint32_t base_xid;          /* of every place before it was used */
    struct nfs_call *free_call; /* first in, first out */
    struct nfs_call *free_last;
    bool starved;           /* somebody was told that there is none */
    uint64_t count_open_ns; /* of what is answered between them the times are kept */
    uint64_t count_close_ns;
    uint64_t came; /* answers, failures and timers so far */
    uint64_t now_ns;
    uint64_t check_ns; /* when connections have to be looked at */
    struct nfs_conn *to_send;
    struct nfs_calls_part *part;
};

/* The rest of it, which the way of an op seldom meets. */
struct nfs_calls_part {
    struct nfs_bytes bytes;
    struct wake wake;
    int wake_fd;
    uint64_t timeo_ns;
    uint64_t budget_ns; /* timeo · (retrans + 1) */
    uint32_t record_max;
    uint32_t list_max;
    bool opening;
    int open_code; /* why a connection was not made while opening */
    pthread_mutex_t fds;
    struct nfs_job **timer;
    unsigned timers;
    unsigned timers_max;
    bool by_uring;
    const char *why_not_uring;
    struct hist *hist; /* by procedure */
};

/* ---- nfs_call.c ---- */

uint64_t nfs_clock_ns(void);
/* The call of ours that an xid stands for, when it is under way; else NULL, and counted. */
struct nfs_call *nfs_call_find(struct nfs_calls *c, const struct nfs_conn *conn, uint32_t xid);
/* The same question, and nothing is counted. */
bool nfs_call_is_out(const struct nfs_calls *c, const struct nfs_conn *conn, uint32_t xid);
/* Takes it off its connection and tells its job; a NULL reply: it failed with `code`. */
void nfs_call_end(struct nfs_calls *c, struct nfs_conn *conn, struct nfs_call *call,
                  struct nfs_reply *reply, int code);
void nfs_to_send(struct nfs_calls *c, struct nfs_conn *conn);

/* The data of the next READ under way will lie on those of this one, as where ops share a buffer because nobody
 * looks into it. */
static inline bool nfs_call_is_covered(const struct nfs_call *call)
{
    const struct nfs_call *next = call->newer;

    return next != NULL && next->data == call->data && next->proc == NFS3_READ &&
           next->len >= call->len;
}

/* ---- nfs_timer.c ---- */

uint64_t nfs_timer_next(const struct nfs_calls *c); /* UINT64_MAX: none */
void nfs_timer_run(struct nfs_calls *c);

/* ---- nfs_conn.c ---- */

/* Makes it, waits for it, or fails its calls, as is due; c->check_ns becomes when to ask again. */
void nfs_conn_check(struct nfs_calls *c);
void nfs_conn_try(struct nfs_calls *c, struct nfs_conn *conn);
/* The waiter saw that the connection was made or refused. */
void nfs_conn_made(struct nfs_calls *c, struct nfs_conn *conn);
/* A study opens sessions for hours. Where connections could not be made at first, for a reason that
 * passes: true, it is an outage, and they are tried again like any that was lost. */
bool nfs_conns_away(struct nfs_calls *c, int code);
/* since_ns: how long there has been no answer. */
void nfs_conn_lost(struct nfs_calls *c, struct nfs_conn *conn, uint64_t since_ns);
void nfs_conn_close(struct nfs_calls *c, struct nfs_conn *conn);
/* A call was posted and there is no connection. */
void nfs_conn_missed(struct nfs_calls *c, struct nfs_conn *conn, struct nfs_call *call);
void nfs_conn_heard(struct nfs_calls *c, struct nfs_conn *conn, const struct nfs_call *call);

#endif
