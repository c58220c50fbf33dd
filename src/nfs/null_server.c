#include "nfs/null_server.h"

#include "nfs/rpc.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define IN_BYTES  (256 * 1024)
#define OUT_BYTES (256 * 1024)
#define PIECES    128
#define EVENTS    64

/* Zeros up to here are copied behind their reply; more go out of `zeros` as they are. */
#define INLINE_MAX (8 * 1024)
/* Of a record that is longer than this and not all there, only the head is kept. */
#define LONG_BYTES (16 * 1024)
#define HEAD_BYTES (RPC_CALL_HEAD_MAX + NFS3_ARGS_MAX)

static unsigned char zeros[1 << 20]; /* never written: no memory stands behind it */

struct conn {
    int fd;
    struct conn *next;
    struct conn **link;
    size_t in_len;
    uint32_t long_len;  /* of the long record whose head is in `in`; 0: none */
    uint32_t long_left; /* of it, still to come */
    size_t out_len;
    unsigned pieces;
    unsigned first; /* piece not yet sent */
    struct iovec piece[PIECES];
    unsigned char in[IN_BYTES];
    unsigned char out[OUT_BYTES];
};

struct null_server {
    struct responder responder;
    uint16_t port;
    int listening;
    int polling;
    int stopping;
    struct conn *conns;
    _Atomic uint64_t calls;
};

/* ---- out ---- */

static void add_piece(struct conn *c, unsigned char *at, size_t len)
{
    struct iovec *last = c->pieces > 0 ? &c->piece[c->pieces - 1] : NULL;

    if (last != NULL && (unsigned char *)last->iov_base + last->iov_len == at)
        last->iov_len += len;
    else
        c->piece[c->pieces++] = (struct iovec){.iov_base = at, .iov_len = len};
}

/* The socket's buffer may be full: 0, and the rest waits. */
static int flush(struct conn *c)
{
    while (c->first < c->pieces) {
        struct msghdr m = {.msg_iov = c->piece + c->first, .msg_iovlen = c->pieces - c->first};
        ssize_t n = sendmsg(c->fd, &m, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (n < 0)
            return errno == EAGAIN ? 0 : -errno;
        for (size_t left = (size_t)n; left > 0;) {
            struct iovec *p = &c->piece[c->first];
            size_t part = left < p->iov_len ? left : p->iov_len;

            p->iov_base = (unsigned char *)p->iov_base + part;
            p->iov_len -= part;
            left -= part;
            c->first += p->iov_len == 0;
        }
    }
    c->first = 0;
    c->pieces = 0;
    c->out_len = 0;
    return 0;
}

static bool has_room(const struct conn *c)
{
    return c->pieces + 2 <= PIECES &&
           c->out_len + RPC_MARK_BYTES + RESPONDER_REPLY_MAX + INLINE_MAX <= OUT_BYTES;
}

static int answer(struct null_server *s, struct conn *c, const unsigned char *call, size_t have,
                  size_t len)
{
    unsigned char *start = c->out + c->out_len;
    struct xdr_out mark = xdr_out(start, RPC_MARK_BYTES);
    struct xdr_out reply = xdr_out(start + RPC_MARK_BYTES, RESPONDER_REPLY_MAX);
    uint32_t n;
    int rc = responder_answer(&s->responder, call, have, len, &reply, &n);

    if (rc < 0 || n > sizeof zeros)
        return -EBADMSG;
    atomic_store_explicit(&s->calls, atomic_load_explicit(&s->calls, memory_order_relaxed) + 1,
                          memory_order_relaxed);
    xdr_put_u32(&mark, RPC_MARK_LAST | ((uint32_t)(reply.at - mark.at - RPC_MARK_BYTES) + n));
    if (n <= INLINE_MAX) {
        memset(reply.at, 0, n);
        reply.at += n;
        n = 0;
    }
    c->out_len += (size_t)(reply.at - start);
    add_piece(c, start, (size_t)(reply.at - start));
    if (n > 0)
        add_piece(c, zeros, n);
    return 0;
}

/* ---- in ---- */

static void keep_head(struct conn *c, size_t at, uint32_t len)
{
    size_t have = c->in_len - at;

    c->long_len = len;
    c->long_left = len - (uint32_t)have;
    memmove(c->in, c->in + at, HEAD_BYTES);
    c->in_len = HEAD_BYTES;
}

/* Answers what is there whole, as far as there is room for replies. */
static int answer_all(struct null_server *s, struct conn *c)
{
    size_t at = 0;
    int rc = 0;

    while (rc == 0 && has_room(c) && c->in_len - at >= RPC_MARK_BYTES) {
        struct xdr_in x = xdr_in(c->in + at, RPC_MARK_BYTES);
        uint32_t mark = xdr_get_u32(&x);
        uint32_t len = mark & ~RPC_MARK_LAST;

        if (!(mark & RPC_MARK_LAST) || len > s->responder.io_max + HEAD_BYTES)
            return -EMSGSIZE;

        size_t have = c->in_len - at - RPC_MARK_BYTES;

        if (have < len) {
            if (len > LONG_BYTES && have >= HEAD_BYTES) {
                keep_head(c, at + RPC_MARK_BYTES, len);
                return 0;
            }
            break;
        }
        rc = answer(s, c, c->in + at + RPC_MARK_BYTES, len, len);
        at += RPC_MARK_BYTES + len;
    }
    c->in_len -= at;
    memmove(c->in, c->in + at, c->in_len);
    return rc;
}

static int came(ssize_t n)
{
    if (n > 0)
        return 1;
    if (n == 0)
        return -ECONNRESET;
    return errno == EAGAIN ? 0 : -errno;
}

/* The data of a long WRITE: taken from the kernel's buffer, and never copied out of it. */
static int pass_long(struct null_server *s, struct conn *c)
{
    int rc = 1;

    while (rc == 1 && c->long_left > 0) {
        ssize_t n = recv(c->fd, NULL, c->long_left, MSG_TRUNC | MSG_DONTWAIT);

        rc = came(n);
        if (rc == 1)
            c->long_left -= (uint32_t)n;
    }
    if (rc == 1) {
        rc = answer(s, c, c->in, c->in_len, c->long_len);
        c->in_len = 0;
        c->long_len = 0;
    }
    return rc < 0 ? rc : 0;
}

static int take(struct conn *c)
{
    ssize_t n = recv(c->fd, c->in + c->in_len, IN_BYTES - c->in_len, MSG_DONTWAIT);
    int rc = came(n);

    if (rc == 1)
        c->in_len += (size_t)n;
    return rc < 0 ? rc : 0;
}

/* Until nothing is left to answer, or the other side does not take what there is. */
static int serve(struct null_server *s, struct conn *c)
{
    bool answered = true;
    int rc = flush(c);

    while (rc == 0 && c->pieces == 0 && answered) {
        rc = c->long_len > 0 ? pass_long(s, c) : answer_all(s, c);
        answered = c->pieces > 0;
        if (rc == 0)
            rc = flush(c);
    }
    return rc;
}

/* ---- connections ---- */

static void drop(struct conn *c)
{
    *c->link = c->next;
    if (c->next != NULL)
        c->next->link = c->link;
    close(c->fd);
    free(c);
}

static int watch(const struct null_server *s, int op, struct conn *c)
{
    struct epoll_event e = {.events = c->pieces > 0 ? EPOLLOUT : EPOLLIN, .data.ptr = c};

    return epoll_ctl(s->polling, op, c->fd, &e) < 0 ? -errno : 0;
}

static int turn(struct null_server *s, struct conn *c)
{
    bool waited = c->pieces > 0;
    int rc = serve(s, c);

    if (rc == 0 && c->pieces == 0 && c->long_len == 0) {
        rc = take(c);
        if (rc == 0)
            rc = serve(s, c);
    }
    if (rc == 0 && waited != (c->pieces > 0))
        rc = watch(s, EPOLL_CTL_MOD, c);
    return rc;
}

static void take_in(struct null_server *s)
{
    int fd = accept4(s->listening, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    struct conn *c = fd >= 0 ? malloc(sizeof *c) : NULL;
    int on = 1;

    if (c == NULL) {
        if (fd >= 0)
            close(fd);
        return;
    }
    c->fd = fd;
    c->in_len = c->out_len = 0;
    c->long_len = c->long_left = 0;
    c->pieces = c->first = 0;
    c->next = s->conns;
    c->link = &s->conns;
    if (c->next != NULL)
        c->next->link = &c->next;
    s->conns = c;
    if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) < 0 ||
        watch(s, EPOLL_CTL_ADD, c) < 0)
        drop(c);
}

int null_server_run(struct null_server *s, struct err *err)
{
    struct epoll_event events[EVENTS];

    for (;;) {
        int n = epoll_wait(s->polling, events, EVENTS, -1);

        if (n < 0 && errno != EINTR)
            return err_sys(err, -errno, "null server");
        for (int i = 0; i < n; i++) {
            struct conn *c = events[i].data.ptr;

            if (events[i].data.ptr == &s->stopping)
                return 0;
            if (events[i].data.ptr == &s->listening)
                take_in(s);
            else if (turn(s, c) < 0)
                drop(c);
        }
    }
}

/* ---- opening ---- */

static int watch_own(const struct null_server *s, int fd, const void *what)
{
    struct epoll_event e = {.events = EPOLLIN, .data.u64 = (uintptr_t)what};

    return fd < 0 || epoll_ctl(s->polling, EPOLL_CTL_ADD, fd, &e) < 0 ? -errno : 0;
}

int null_server_open(uint16_t port, bool ipv6, struct null_server **out, struct err *err)
{
    int listening = null_server_listen(&port, ipv6, err);

    if (listening < 0)
        return listening;

    struct null_server *s = malloc(sizeof *s);

    if (s == NULL) {
        close(listening);
        return err_set(err, -ENOMEM, "no memory for a null server");
    }
    *s = (struct null_server){.responder = responder_plain(port),
                              .port = port,
                              .listening = listening,
                              .polling = epoll_create1(EPOLL_CLOEXEC),
                              .stopping = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};

    int rc = watch_own(s, s->listening, &s->listening);

    if (rc == 0)
        rc = watch_own(s, s->stopping, &s->stopping);
    if (rc < 0) {
        null_server_close(s);
        return err_sys(err, rc, "null server");
    }
    *out = s;
    return 0;
}

void null_server_close(struct null_server *s)
{
    if (s == NULL)
        return;
    while (s->conns != NULL)
        drop(s->conns);
    close(s->listening);
    if (s->polling >= 0)
        close(s->polling);
    if (s->stopping >= 0)
        close(s->stopping);
    free(s);
}

uint64_t null_server_calls(const struct null_server *s)
{
    return atomic_load_explicit(&s->calls, memory_order_relaxed);
}

uint16_t null_server_port(const struct null_server *s)
{
    return s->port;
}

struct responder *null_server_responder(struct null_server *s)
{
    return &s->responder;
}

void null_server_stop(struct null_server *s)
{
    uint64_t one = 1;

    (void)!write(s->stopping, &one, sizeof one);
}
