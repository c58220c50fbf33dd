/* target/nfs_priv.h — the NFSv3 client: what is asked for, what the server said, and what a session is.
 * Shape    nfs_address.c reads the URL. nfs_mount.c opens: resolve, portmapper, MOUNT, FSINFO, PATHCONF,
 *          by blocking asks of nfs_ask.c; nfs_socket.c makes connections, from a reserved port where that
 *          is allowed; nfs_words.c explains what a server refused. nfs_facts.c describes and counts.
 *          nfs.c is the table. A session: nfs_call_priv.h (connections, RPCs under way) and
 *          nfs_op_priv.h (what an op is made of). src/nfs has the messages.
 * Units    ns, bytes; timeo in the address is tenths of a second, as in mount options.
 * Threads  struct nfs_target is read-only between open and close, but for `sessions`, behind its lock;
 *          counters of a session are written by its thread and read by any.
 * Source   RFC 1813, 5531, 1833; design sections 4 and 8. */
#ifndef LOADLINE_TARGET_NFS_PRIV_H
#define LOADLINE_TARGET_NFS_PRIV_H

#include "nfs/mount3.h"
#include "nfs/nfs3.h"
#include "nfs/rpc.h"
#include "target/target.h"

#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>

/* ---- nfs_address.c ---- */

#define NFS_PARAMS                                                                                 \
    "connections=N rsize=SIZE wsize=SIZE sync=auto|unstable|data|file timeo=TENTHS retrans=N "     \
    "uid=N gid=N mountport=PORT"
#define NFS_HOST_MAX        255
#define NFS_CONNECTIONS_MAX 1024
#define NFS_IO_MIN          1024 /* rsize, wsize */
#define NFS_IO_MAX          (16 << 20)
#define NFS_IO_USUAL        (1 << 20) /* without a wish: as mounts of Linux, at the most */

enum nfs_sync { NFS_SYNC_AUTO, NFS_SYNC_UNSTABLE, NFS_SYNC_DATA, NFS_SYNC_FILE };

struct nfs_address {
    char host[NFS_HOST_MAX + 1];    /* IPv6 without its brackets */
    char path[MOUNT3_PATH_MAX + 1]; /* absolute, no double '/', none at the end but of "/" */
    uint16_t port;                  /* 0: the portmapper is asked */
    uint16_t mount_port;            /* likewise */
    unsigned connections;           /* of each client in each session; default 1 */
    uint32_t rsize;                 /* 0: what the server prefers, up to NFS_IO_USUAL */
    uint32_t wsize;
    enum nfs_sync sync;
    uint64_t timeo_ns; /* without an answer: the connection is given up; default 60 s */
    unsigned retrans;  /* times a call is sent again before it fails; default 2 */
    bool has_uid;
    bool has_gid;
    uint32_t uid;
    uint32_t gid;
};

/* `address` is what stands behind "nfs:". */
__attribute__((warn_unused_result)) int nfs_address_parse(const char *address,
                                                          struct nfs_address *out, struct err *err);

/* ---- nfs_counts: every thing that is not a plain answer is in here, and in the result ---- */

#define NFS_COUNTS(X)                                                                              \
    X(outages, "")     /* times a connection was lost or silent for timeo */                       \
    X(outage_ns, "ns") /* from then to the next answer, over all connections */                    \
    X(outage_longest_ns, "ns")                                                                     \
    X(outage_calls, "") /* under way when it began; counted in the latency of their ops */         \
    X(reconnects, "")                                                                              \
    X(connect_failures, "")                                                                        \
    X(timeouts, "")        /* calls without an answer for timeo */                                 \
    X(retransmits, "ops")  /* calls sent once more, same xid */                                    \
    X(replies_late, "")    /* of a call that had been answered already */                          \
    X(replies_unknown, "") /* xid of no call of ours */                                            \
    X(replies_bad, "")     /* not to be read: the connection is given up */                        \
    X(rpc_errors, "ops")   /* refused by RPC, not by NFS */                                        \
    X(jukebox_retries, "")                                                                         \
    X(already_done, "ops") /* ENOENT or EEXIST behind a retransmit of ours */                      \
    X(short_reads, "")     /* completed by further READs */                                        \
    X(short_writes, "")                                                                            \
    X(verifier_changes, "")     /* the server started anew before it had committed */              \
    X(rewritten_bytes, "bytes") /* sent again for that */                                          \
    X(forced_commits, "")       /* no room to remember more uncommitted writes */                  \
    X(stale_directories, "")    /* whose handle the server knew no more: looked up again */        \
    X(lookups_again, "")        /* of --resolve every-time */                                      \
    X(sent_bytes, "bytes")      /* at the socket */                                                \
    X(received_bytes, "bytes")                                                                     \
    X(sends, "") /* system calls */                                                                \
    X(receives, "")                                                                                \
    X(waits, "")

#define NFS_COUNT_MEMBER(name, unit) _Atomic uint64_t name;
struct nfs_counts {
    NFS_COUNTS(NFS_COUNT_MEMBER)
    /* Counters of the result, each only where it is not 0: "calls_READ" (the procedure's name), "op_calls_read"
     * and "ops_read" (op_kind_name), and those above by their own names. */
    _Atomic uint64_t calls[NFS3_PROCS];
    _Atomic uint64_t op_calls[OP_KINDS]; /* RPCs that the ops of a kind took … */
    _Atomic uint64_t ops[OP_KINDS];      /* … and how many there were */
};
#undef NFS_COUNT_MEMBER

/* By the session's thread only: no locked instruction. */
static inline void nfs_count(_Atomic uint64_t *count, uint64_t n)
{
    atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + n,
                          memory_order_relaxed);
}

/* ---- the target ---- */

struct nfs_calls;
struct nfs_ops;

struct nfs_session {
    struct nfs_target *target;
    struct nfs_session *next; /* of the target's list, behind its lock */
    struct nfs_calls *calls;  /* nfs_call_priv.h */
    struct nfs_ops *ops;      /* nfs_op_priv.h */
    struct nfs_counts counts;
};

struct nfs_target {
    struct nfs_address address;
    char *given;                  /* the address as it was typed */
    struct sockaddr_storage peer; /* where NFS is served */
    socklen_t peer_len;
    uint16_t mount_port; /* of the same host */
    uint32_t uid;
    uint32_t gid;
    struct rpc_cred cred;
    char export[MOUNT3_PATH_MAX + 1]; /* that was mounted; the rest of the path was looked up */
    struct nfs3_fh root;
    struct nfs3_info info;
    struct nfs3_pathconf pathconf;
    uint32_t rsize; /* of one READ */
    uint32_t wsize;
    uint32_t readdir_bytes;
    bool reserved_port; /* the last connection had one */
    pthread_mutex_t lock;
    struct nfs_session *sessions;
    struct nfs_counts ended; /* of sessions that were closed … */
    uint64_t ended_tcp_retransmits;
    uint64_t ended_tcp_retransmits_worst;
    struct nfs_target *next; /* of those that are open; nfs_shared.c */
};

/* nfs_mount.c, with nfs_look.c: everything of *t but the lock; blocks, each ask for `timeo` at the most. */
__attribute__((warn_unused_result)) int nfs_target_mount(struct nfs_target *t, struct err *err);
void nfs_target_unmount(struct nfs_target *t); /* UMNT, best effort */

/* nfs_shared.c: a study opens its target for each run, and has it open all the time. What the server said
 * the first time holds for the others: an outage between two runs is waited for as one within a run.
 * nfs_shared_take: *t as another one that is open at the same address, or false. nfs_shared_leave: true
 * when none is left that is. */
bool nfs_shared_take(struct nfs_target *t);
void nfs_shared_enter(struct nfs_target *t);
bool nfs_shared_leave(struct nfs_target *t);

int nfs_space(struct target *t, struct target_space *out); /* asks on a connection of its own */

/* nfs_socket.c: a non-blocking TCP socket with TCP_NODELAY that is connecting to `peer`, or -errno. From a
 * port below 1024 where that is permitted and one is free (*reserved). */
int nfs_connect(const struct sockaddr_storage *peer, socklen_t len, bool *reserved);

/* nfs_session.c: what the table has of sessions, as target.h says. */
__attribute__((warn_unused_result)) int nfs_session_open(struct target *t,
                                                         const struct session_spec *spec,
                                                         struct session **out, struct err *err);
void nfs_session_close(struct session *s);
int nfs_submit(struct session *s, struct op *const ops[], unsigned n);
int nfs_reap(struct session *s, struct op *done[], unsigned min, unsigned max, uint64_t until_ns);
void nfs_session_wake(struct session *s);
void nfs_session_calls_window(struct session *s, uint64_t open_ns, uint64_t close_ns);
const struct hist *nfs_session_calls(struct session *s, unsigned i, const char **name);

/* nfs_facts.c */
void nfs_describe(struct target *t, const struct target_sink *sink);
void nfs_counters(struct target *t, const struct target_sink *sink);
/* Of a session that is about to be closed; behind the lock. */
void nfs_counts_keep(struct nfs_target *t, struct nfs_session *s);

#endif
