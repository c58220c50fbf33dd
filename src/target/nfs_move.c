/* One connection's bytes, moved by a system call each: out until nothing is left or the socket is full, in
 * while each receive fills what was asked for. */
#include "target/nfs_conn_priv.h"

#include <errno.h>
#include <sys/socket.h>

#define AGAIN_MAX 8

static void set_blocked(struct nfs_calls *c, struct nfs_conn *conn, bool blocked)
{
    if (conn->blocked == blocked)
        return;
    conn->blocked = blocked;
    c->waiter->block(c, conn, blocked);
}

void nfs_move_out(struct nfs_calls *c, struct nfs_conn *conn)
{
    struct nfs_batch *b = &c->part->bytes.batch;

    while (nfs_send_gather(c, conn, b)) {
        struct msghdr msg = {.msg_iov = b->iov, .msg_iovlen = b->iovs};
        ssize_t n = sendmsg(conn->fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);

        nfs_count(&c->counts->sends, 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno != EAGAIN) {
            nfs_conn_lost(c, conn, c->now_ns);
            return;
        }
        if (n > 0)
            nfs_send_done(c, conn, b, (size_t)n);
        if (n < 0 || (size_t)n < b->len) {
            set_blocked(c, conn, true);
            return;
        }
    }
    set_blocked(c, conn, false);
}

bool nfs_move_in(struct nfs_calls *c, struct nfs_conn *conn)
{
    size_t asked = 0;
    size_t got = 0;

    for (int times = 0; times < AGAIN_MAX && got == asked; times++) {
        struct nfs_places *places = nfs_places(c, conn);
        struct msghdr msg = {.msg_iov = places->iov, .msg_iovlen = places->iovs};
        ssize_t n;

        asked = places->len;
        do
            n = recvmsg(conn->fd, &msg, MSG_DONTWAIT);
        while (n < 0 && errno == EINTR);
        nfs_count(&c->counts->receives, 1);
        if (n < 0 && errno == EAGAIN)
            return times > 0;
        c->now_ns = nfs_clock_ns();
        if (n <= 0 || nfs_places_came(c, conn, (size_t)n) < 0) {
            nfs_conn_lost(c, conn, c->now_ns);
            return true;
        }
        got = (size_t)n;
    }
    return true;
}
