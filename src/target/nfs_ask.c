/* One question at a time, and its answer waited for: for opening, for UMNT and FSSTAT. Nothing of it is ever
 * part of a measurement. */
#include "target/nfs_open_priv.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S     1000000000ull
#define NFS_ASK_ROOM 1024u

static uint64_t now_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

/* Waits for `events`; -ETIMEDOUT behind until_ns. */
static int wait_for(int fd, short events, uint64_t until_ns)
{
    for (;;) {
        struct pollfd p = {.fd = fd, .events = events};
        uint64_t now = now_ns();
        uint64_t left_ns = now < until_ns ? until_ns - now : 0;
        struct timespec ts = {.tv_sec = (time_t)(left_ns / NS_PER_S),
                              .tv_nsec = (long)(left_ns % NS_PER_S)};
        int n = ppoll(&p, 1, &ts, NULL);

        if (n > 0)
            return 0;
        if (n == 0)
            return -ETIMEDOUT;
        if (errno != EINTR)
            return -errno;
    }
}

static int finish_connect(int fd, uint64_t until_ns)
{
    int code = 0;
    socklen_t len = sizeof code;
    int rc = wait_for(fd, POLLOUT, until_ns);

    if (rc == 0 && getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &len) < 0)
        return -errno;
    return rc < 0 ? rc : -code;
}

socklen_t nfs_peer_len(const struct sockaddr_storage *peer)
{
    return peer->ss_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
}

uint16_t nfs_peer_port(const struct sockaddr_storage *peer)
{
    return ntohs(peer->ss_family == AF_INET6 ? ((const struct sockaddr_in6 *)peer)->sin6_port
                                             : ((const struct sockaddr_in *)peer)->sin_port);
}

void nfs_peer_set_port(struct sockaddr_storage *peer, uint16_t port)
{
    if (peer->ss_family == AF_INET6)
        ((struct sockaddr_in6 *)peer)->sin6_port = htons(port);
    else
        ((struct sockaddr_in *)peer)->sin_port = htons(port);
}

int nfs_ask_open(struct nfs_ask *a, const struct sockaddr_storage *peer, uint64_t timeo_ns)
{
    uint64_t connect_ns = timeo_ns < NFS_ASK_CONNECT_NS ? timeo_ns : NFS_ASK_CONNECT_NS;
    int rc;

    *a = (struct nfs_ask){
        .fd = -1, .port = nfs_peer_port(peer), .timeo_ns = timeo_ns, .xid = (uint32_t)now_ns()};
    rc = nfs_connect(peer, nfs_peer_len(peer), &a->reserved);
    if (rc < 0)
        return rc;
    a->fd = rc;
    rc = finish_connect(a->fd, now_ns() + connect_ns);
    if (rc < 0)
        nfs_ask_close(a);
    return rc;
}

int nfs_ask_port(const struct nfs_target *t, const char *served, uint16_t port, struct nfs_ask *a,
                 struct err *err)
{
    struct sockaddr_storage peer = t->peer;
    int rc;

    nfs_peer_set_port(&peer, port);
    rc = nfs_ask_open(a, &peer, t->address.timeo_ns);
    return rc < 0 ? nfs_words_unreachable(t, served, port, rc, err) : 0;
}

void nfs_ask_close(struct nfs_ask *a)
{
    if (a->fd >= 0)
        close(a->fd);
    free(a->answer);
    a->answer = NULL;
    a->room = 0;
    a->fd = -1;
}

/* ---- out ---- */

struct xdr_out *nfs_ask_begin(struct nfs_ask *a, uint32_t program, uint32_t version, uint32_t proc,
                              const struct rpc_cred *cred)
{
    a->out = xdr_out(a->question + RPC_MARK_BYTES, sizeof a->question - RPC_MARK_BYTES);
    rpc_put_call(&a->out, ++a->xid, program, version, proc, cred);
    return &a->out;
}

static int send_question(struct nfs_ask *a, uint64_t until_ns)
{
    size_t len = (size_t)(a->out.at - a->question);
    struct xdr_out mark = xdr_out(a->question, RPC_MARK_BYTES);
    size_t sent = 0;

    if (a->out.bad)
        return -ENAMETOOLONG;
    xdr_put_u32(&mark, RPC_MARK_LAST | (uint32_t)(len - RPC_MARK_BYTES));
    while (sent < len) {
        ssize_t n = send(a->fd, a->question + sent, len - sent, MSG_NOSIGNAL);
        int rc = n < 0 ? -errno : 0;

        if (rc == -EAGAIN)
            rc = wait_for(a->fd, POLLOUT, until_ns);
        if (rc < 0 && rc != -EINTR)
            return rc;
        sent += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

/* ---- in ---- */

static int receive(struct nfs_ask *a, void *to, size_t len, uint64_t until_ns)
{
    size_t got = 0;

    while (got < len) {
        ssize_t n = recv(a->fd, (unsigned char *)to + got, len - got, 0);
        int rc = n < 0 ? -errno : 0;

        if (n == 0)
            return -ECONNRESET;
        if (rc == -EAGAIN)
            rc = wait_for(a->fd, POLLIN, until_ns);
        if (rc < 0 && rc != -EINTR)
            return rc;
        got += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

static int make_room(struct nfs_ask *a, size_t len)
{
    unsigned char *more;

    if (len > NFS_ASK_ANSWER_MAX)
        return -EBADMSG;
    if (len < NFS_ASK_ROOM) /* an empty record is one, too */
        len = NFS_ASK_ROOM;
    if (len <= a->room)
        return 0;
    more = realloc(a->answer, len);
    if (more == NULL)
        return -ENOMEM;
    a->answer = more;
    a->room = len;
    return 0;
}

/* A record in as many fragments as it likes; empty ones do not go on for ever, as time does not. */
static int receive_record(struct nfs_ask *a, size_t *len, uint64_t until_ns)
{
    uint32_t mark = 0;

    *len = 0;
    while (!(mark & RPC_MARK_LAST)) {
        unsigned char bytes[RPC_MARK_BYTES];
        int rc = now_ns() < until_ns ? receive(a, bytes, sizeof bytes, until_ns) : -ETIMEDOUT;
        struct xdr_in x = xdr_in(bytes, sizeof bytes);
        size_t more;

        if (rc < 0)
            return rc;
        mark = xdr_get_u32(&x);
        more = mark & ~RPC_MARK_LAST;
        rc = make_room(a, *len + more);
        if (rc == 0)
            rc = receive(a, a->answer + *len, more, until_ns);
        if (rc < 0)
            return rc;
        *len += more;
    }
    return 0;
}

int nfs_ask_end(struct nfs_ask *a, struct xdr_in *results)
{
    uint64_t until_ns = now_ns() + a->timeo_ns;
    int rc = send_question(a, until_ns);

    a->reply = (struct rpc_reply){.verdict = RPC_SUCCESS};
    while (rc == 0) {
        size_t len;

        rc = receive_record(a, &len, until_ns);
        if (rc < 0)
            break;
        *results = xdr_in(a->answer, len);
        rc = rpc_get_reply(results, &a->reply);
        if (rc == 0 && a->reply.xid == a->xid)
            return rpc_verdict_errno(a->reply.verdict);
        if (rc == 0 && now_ns() >= until_ns) /* somebody else's, without an end */
            rc = -ETIMEDOUT;
    }
    return rc;
}
