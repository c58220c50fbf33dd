/* Waiting by io_uring: the sends of all connections, their receives and the wait for all of them are one
 * system call. Receives take what comes into buffers of the ring, which outlive a connection; what goes
 * straight to a READ's buffer is received at once when the ring says that it is there. So nothing that the
 * kernel still holds writes to memory of an op, and a connection can be given up at any time: an answer of
 * the ring that belongs to one that is gone is known by its age. */
#include "target/nfs_ring_priv.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#define DRAIN_TIMES 100
#define DRAIN_NS    10000000u

enum what { WHAT_RECV, WHAT_READABLE, WHAT_WRITABLE, WHAT_SEND, WHAT_WAKE };

static struct nfs_ring *ring_of(const struct nfs_calls *c)
{
    return c->waiting;
}

static struct nfs_ring_conn *of_conn(const struct nfs_calls *c, const struct nfs_conn *conn)
{
    return &ring_of(c)->of[conn - c->conn];
}

/* ---- what is asked of the ring ---- */

static struct io_uring_sqe *next_sqe(struct nfs_ring *r, enum what what, uint32_t age,
                                     uint32_t place)
{
    struct io_uring_sqe *sqe = io_uring_get_sqe(&r->uring);

    if (sqe == NULL) {
        io_uring_submit(&r->uring);
        sqe = io_uring_get_sqe(&r->uring);
    }
    if (sqe == NULL)
        return NULL;
    io_uring_prep_nop(sqe);
    sqe->user_data = (uint64_t)place << 32 | (uint64_t)(age & 0xffffffu) << 8 | (uint64_t)what;
    r->held++;
    return sqe;
}

static struct io_uring_sqe *conn_sqe(struct nfs_calls *c, struct nfs_conn *conn, enum what what)
{
    return next_sqe(ring_of(c), what, of_conn(c, conn)->age, (uint32_t)(conn - c->conn));
}

static void ask_poll(struct nfs_calls *c, struct nfs_conn *conn, enum what what, unsigned events)
{
    struct io_uring_sqe *sqe = conn_sqe(c, conn, what);
    uint64_t data = sqe != NULL ? sqe->user_data : 0;

    if (sqe == NULL)
        return;
    io_uring_prep_poll_add(sqe, conn->fd, events);
    sqe->user_data = data;
}

static void ask_receive(struct nfs_calls *c, struct nfs_conn *conn)
{
    struct io_uring_sqe *sqe;
    uint64_t data;

    if (of_conn(c, conn)->receiving)
        return;
    of_conn(c, conn)->receiving = true;
    if (conn->big > 0) {
        ask_poll(c, conn, WHAT_READABLE, POLLIN);
        return;
    }
    sqe = conn_sqe(c, conn, WHAT_RECV);
    if (sqe == NULL)
        return;
    data = sqe->user_data;
    io_uring_prep_recv(sqe, conn->fd, NULL, NFS_RING_BUFFER_BYTES, 0);
    sqe->flags |= IOSQE_BUFFER_SELECT;
    sqe->buf_group = 0;
    sqe->user_data = data;
}

static void ask_wake(struct nfs_calls *c)
{
    struct io_uring_sqe *sqe = next_sqe(ring_of(c), WHAT_WAKE, 0, 0);

    if (sqe == NULL)
        return;
    io_uring_prep_poll_add(sqe, c->part->wake_fd, POLLIN);
    sqe->user_data = WHAT_WAKE;
}

/* ---- the waiter ---- */

static int uring_add(struct nfs_calls *c, struct nfs_conn *conn)
{
    struct nfs_ring_conn *of = of_conn(c, conn);

    of->age++;
    of->sending = false;
    of->receiving = false;
    ask_poll(c, conn, WHAT_WRITABLE, POLLOUT);
    return 0;
}

static void uring_drop(struct nfs_calls *c, struct nfs_conn *conn)
{
    /* What names the descriptor has to be in the kernel before the number is somebody else's. */
    io_uring_submit(&ring_of(c)->uring);
    shutdown(conn->fd, SHUT_RDWR);
    of_conn(c, conn)->age++;
}

static void uring_block(struct nfs_calls *c, struct nfs_conn *conn, bool blocked)
{
    if (blocked)
        ask_poll(c, conn, WHAT_WRITABLE, POLLOUT);
}

static void uring_send(struct nfs_calls *c, struct nfs_conn *conn)
{
    struct nfs_ring *r = ring_of(c);
    struct nfs_ring_conn *of = of_conn(c, conn);
    struct nfs_ring_slot *slot = r->free_slot;
    struct io_uring_sqe *sqe;
    uint64_t data;

    if (of->sending)
        return;
    if (slot == NULL) {
        nfs_move_out(c, conn);
        return;
    }
    if (!nfs_send_gather(c, conn, &slot->batch))
        return;
    sqe = next_sqe(r, WHAT_SEND, of->age, (uint32_t)(slot - r->slot));
    if (sqe == NULL) {
        nfs_move_out(c, conn);
        return;
    }
    r->free_slot = slot->next;
    slot->conn = (uint32_t)(conn - c->conn);
    slot->age = of->age;
    slot->msg = (struct msghdr){.msg_iov = slot->batch.iov, .msg_iovlen = slot->batch.iovs};
    data = sqe->user_data;
    io_uring_prep_sendmsg(sqe, conn->fd, &slot->msg, MSG_NOSIGNAL | MSG_DONTWAIT);
    sqe->user_data = data;
    of->sending = true;
    r->sends++;
    nfs_count(&c->counts->sends, 1);
}

/* ---- what the ring answers ---- */

static void sent(struct nfs_calls *c, struct nfs_ring_slot *slot, int res)
{
    struct nfs_ring *r = ring_of(c);
    struct nfs_conn *conn = &c->conn[slot->conn];
    bool gone = r->of[slot->conn].age != slot->age;

    r->sends--;
    slot->next = r->free_slot;
    r->free_slot = slot;
    if (gone)
        return;
    r->of[slot->conn].sending = false;
    if (res < 0 && res != -EAGAIN && res != -EINTR) {
        nfs_conn_lost(c, conn, c->now_ns);
        return;
    }
    if (res > 0)
        nfs_send_done(c, conn, &slot->batch, (size_t)res);
    if (res != -EINTR && (res < 0 || (size_t)res < slot->batch.len)) {
        conn->blocked = true;
        ask_poll(c, conn, WHAT_WRITABLE, POLLOUT);
    } else if (conn->out.unsent != NULL) {
        nfs_to_send(c, conn);
    }
}

static void writable(struct nfs_calls *c, struct nfs_conn *conn)
{
    if (conn->state == NFS_CONN_CONNECTING) {
        nfs_conn_made(c, conn);
        if (conn->state == NFS_CONN_UP)
            ask_receive(c, conn);
        else if (conn->state == NFS_CONN_CONNECTING)
            ask_poll(c, conn, WHAT_WRITABLE, POLLOUT);
        return;
    }
    conn->blocked = false;
    nfs_to_send(c, conn);
}

static void received(struct nfs_calls *c, struct nfs_conn *conn, int res, unsigned id)
{
    const unsigned char *at = ring_of(c)->buffer + (size_t)id * NFS_RING_BUFFER_BYTES;

    nfs_count(&c->counts->receives, 1);
    if (res > 0)
        nfs_count(&c->counts->received_bytes, (uint64_t)res);
    if (res == 0 || (res < 0 && res != -ENOBUFS && res != -EINTR && res != -EAGAIN) ||
        (res > 0 && nfs_stream_take(c, conn, at, (size_t)res) < 0))
        nfs_conn_lost(c, conn, c->now_ns);
}

static void readable(struct nfs_calls *c, struct nfs_conn *conn)
{
    (void)nfs_move_in(c, conn);
}

static void woken(struct nfs_calls *c)
{
    uint64_t times;

    (void)!read(c->part->wake_fd, &times, sizeof times);
    ask_wake(c);
}

static void of_connection(struct nfs_calls *c, enum what what, uint64_t data, int res,
                          unsigned buffer)
{
    struct nfs_conn *conn = &c->conn[data >> 32];
    struct nfs_ring_conn *of = of_conn(c, conn);

    if ((of->age & 0xffffffu) != (data >> 8 & 0xffffffu))
        return;
    if (what == WHAT_WRITABLE) {
        writable(c, conn);
        return;
    }
    of->receiving = false;
    if (what == WHAT_RECV)
        received(c, conn, res, buffer);
    else
        readable(c, conn);
    if (conn->state == NFS_CONN_UP)
        ask_receive(c, conn);
}

static void answered(struct nfs_calls *c, const struct io_uring_cqe *cqe)
{
    struct nfs_ring *r = ring_of(c);
    uint64_t data = cqe->user_data;
    enum what what = (enum what)(data & 0xff);
    unsigned buffer = cqe->flags >> IORING_CQE_BUFFER_SHIFT;

    r->held--;
    if (what == WHAT_WAKE)
        woken(c);
    else if (what == WHAT_SEND)
        sent(c, &r->slot[data >> 32], cqe->res);
    else
        of_connection(c, what, data, cqe->res, buffer);
    if (cqe->flags & IORING_CQE_F_BUFFER)
        nfs_ring_give(r, buffer);
}

static void take_answers(struct nfs_calls *c)
{
    struct nfs_ring *r = ring_of(c);
    struct io_uring_cqe *cqe;
    unsigned head;
    unsigned n = 0;

    io_uring_for_each_cqe(&r->uring, head, cqe)
    {
        struct io_uring_cqe copy = {
            .user_data = cqe->user_data, .res = cqe->res, .flags = cqe->flags};

        answered(c, &copy);
        n++;
    }
    io_uring_cq_advance(&r->uring, n);
}

static void uring_wait(struct nfs_calls *c, uint64_t until_ns)
{
    struct nfs_ring *r = ring_of(c);
    uint64_t left_ns = until_ns > c->now_ns ? until_ns - c->now_ns : 0;
    struct __kernel_timespec left = {.tv_sec = (long long)(left_ns / 1000000000u),
                                     .tv_nsec = (long long)(left_ns % 1000000000u)};
    struct io_uring_cqe *cqe;

    nfs_count(&c->counts->waits, 1);
    io_uring_submit_and_wait_timeout(&r->uring, &cqe, 1 + r->sends,
                                     until_ns == UINT64_MAX ? NULL : &left, NULL);
    c->now_ns = nfs_clock_ns();
    take_answers(c);
}

/* ---- opening ---- */

static int uring_open(struct nfs_calls *c)
{
    struct nfs_ring *r;
    int rc = nfs_ring_new(c->conns, &r);

    if (rc < 0)
        return rc;
    c->waiting = r;
    ask_wake(c);
    return 0;
}

/* Every connection has been shut down, so what the kernel still holds ends at once; only the wake does not,
 * until it is called. */
static void uring_close(struct nfs_calls *c)
{
    struct nfs_ring *r = ring_of(c);
    struct __kernel_timespec limit = {.tv_nsec = DRAIN_NS};
    struct io_uring_cqe *cqe;

    nfs_wake(c);
    for (int times = 0; times < DRAIN_TIMES && r->held > 0; times++) {
        unsigned n = 0;
        unsigned head;

        io_uring_submit_and_wait_timeout(&r->uring, &cqe, 1, &limit, NULL);
        io_uring_for_each_cqe(&r->uring, head, cqe) n++;
        io_uring_cq_advance(&r->uring, n);
        r->held -= n;
    }
    nfs_ring_free(r);
}

const struct nfs_waiter nfs_waiter_uring = {
    .open = uring_open,
    .close = uring_close,
    .add = uring_add,
    .drop = uring_drop,
    .block = uring_block,
    .send = uring_send,
    .wait = uring_wait,
};
