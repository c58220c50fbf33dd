/* target/nfs_open_priv.h — what opening an NFS target is made of: asks, the portmapper, words.
 * Shape    nfs_ask_open; nfs_ask_begin, arguments, nfs_ask_end, as often as wanted; nfs_ask_close.
 *          nfs_portmap is such an ask. nfs_words_* turn what went wrong into what to do about it.
 * Units    ns, bytes.
 * Limits   arguments NFS_ASK_ARGS_MAX; answers NFS_ASK_ANSWER_MAX, in any number of fragments, after
 *          timeo_ns at the latest. Replies to other questions are passed over.
 * Errors   -errno of the connection, -ETIMEDOUT, -EBADMSG; what RPC itself refused is in `reply`, and
 *          what rpc_verdict_errno says of it is returned. nfs_words_* return the code in *err, never
 *          -EINVAL: that is for what was typed.
 * Threads  single owner.
 * Source   RFC 5531, 1833; tests/cli/test_nfs_open.py. */
#ifndef LOADLINE_TARGET_NFS_OPEN_PRIV_H
#define LOADLINE_TARGET_NFS_OPEN_PRIV_H

#include "base/text.h"
#include "target/nfs_priv.h"

#define NFS_ASK_ARGS_MAX   2048
#define NFS_ASK_ANSWER_MAX (1u << 20)     /* a list of exports is as long as its owner made it */
#define NFS_ASK_CONNECT_NS 10000000000ull /* for a connection: not even nobody answers there */

/* Programs, in words. */
#define MOUNT_SERVED "MOUNT"
#define NFS_SERVED   "NFS"

/* ---- nfs_ask.c ---- */

struct nfs_ask {
    int fd;
    bool reserved; /* from a port below 1024 */
    uint16_t port; /* at the server */
    uint32_t xid;
    uint64_t timeo_ns;
    struct xdr_out out;
    struct rpc_reply reply;
    unsigned char *answer;
    size_t room;
    unsigned char question[RPC_MARK_BYTES + RPC_CALL_HEAD_MAX + NFS_ASK_ARGS_MAX];
};

__attribute__((warn_unused_result)) int
nfs_ask_open(struct nfs_ask *a, const struct sockaddr_storage *peer, uint64_t timeo_ns);
/* The same at another port of t->peer, and words where it fails. */
__attribute__((warn_unused_result)) int nfs_ask_port(const struct nfs_target *t, const char *served,
                                                     uint16_t port, struct nfs_ask *a,
                                                     struct err *err);
/* Any number of times, also where fd is -1. */
void nfs_ask_close(struct nfs_ask *a);

/* Where the arguments go. */
struct xdr_out *nfs_ask_begin(struct nfs_ask *a, uint32_t program, uint32_t version, uint32_t proc,
                              const struct rpc_cred *cred);
/* Leaves `results` behind the header; valid until the next question. */
__attribute__((warn_unused_result)) int nfs_ask_end(struct nfs_ask *a, struct xdr_in *results);

socklen_t nfs_peer_len(const struct sockaddr_storage *peer);
uint16_t nfs_peer_port(const struct sockaddr_storage *peer);
void nfs_peer_set_port(struct sockaddr_storage *peer, uint16_t port);

/* ---- nfs_portmap.c ---- */

/* Asks the portmapper of `peer`, whose port does not matter, for a program over TCP. *port 0: it knows of
 * none. -errno where there is no answer to be had. */
__attribute__((warn_unused_result)) int nfs_portmap(const struct sockaddr_storage *peer,
                                                    uint32_t program, uint32_t version,
                                                    uint64_t timeo_ns, uint16_t *port);

/* ---- nfs_mount.c ---- */

/* Does the answer to MNT say something about the path, rather than the server? */
bool nfs_mount_is_of_path(uint32_t status);

/* ---- nfs_look.c ---- */

/* t->root is what was mounted: walks on from there to the directory of the address, and asks what the
 * server takes. */
__attribute__((warn_unused_result)) int nfs_look(struct nfs_target *t, struct err *err);

/* ---- nfs_words.c ---- */

/* The host of the target has no address: `gai` says why, as getaddrinfo does. */
int nfs_words_host(const struct nfs_target *t, int gai, struct err *err);
/* No connection to a port of t->peer: what is served there, "NFS", "MOUNT". */
int nfs_words_unreachable(const struct nfs_target *t, const char *served, uint16_t port, int code,
                          struct err *err);
int nfs_words_no_portmapper(const struct nfs_target *t, int code, struct err *err);
int nfs_words_not_registered(const struct nfs_target *t, const char *program, struct err *err);
/* An ask ended with `code`, which is not NFS's or MOUNT's own answer: "NFS", "MOUNT". */
int nfs_words_rpc(const struct nfs_target *t, const char *program, const struct nfs_ask *a,
                  int code, struct err *err);

/* What the server says it exports. */
struct nfs_exports {
    bool known;
    bool has_it;   /* the path asked for, or a directory above it */
    bool everyone; /* and that one to everybody */
    struct text paths;
};
/* MOUNT said no to the path of the address, from this kind of port. */
int nfs_words_mount(const struct nfs_target *t, const struct nfs_exports *exports, uint32_t status,
                    bool reserved, struct err *err);
int nfs_words_flavor(const struct nfs_target *t, const struct mount3_root *root, struct err *err);
/* NFS said no to a procedure on `path`, which is within the export. */
int nfs_words_nfs(const struct nfs_target *t, const char *proc, const char *path, uint32_t status,
                  bool reserved, struct err *err);
int nfs_words_link(const struct nfs_target *t, const char *path, struct err *err);

#endif
