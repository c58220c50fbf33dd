/* Waiting by epoll: a send and a receive of its own for each connection, and a wait for all of them. With
 * one connection what is likely there is asked for at once, without a wait before it. */
#include "target/nfs_conn_priv.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define EVENTS_MAX 64

/* A server that always takes its time is asked at once less and less often. */
#define MISSES_MOST 5u

struct waiting {
    int epoll_fd;
    bool no_pwait2;  /* a kernel before 5.11 */
    unsigned misses; /* behind each other: what was asked for at once was not there */
    unsigned skip;   /* waits to come that do not ask */
};

static int poll_open(struct nfs_calls *c)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    struct waiting *w = calloc(1, sizeof *w);
    int rc = 0;

    if (w == NULL)
        return -ENOMEM;
    w->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (w->epoll_fd < 0 || epoll_ctl(w->epoll_fd, EPOLL_CTL_ADD, c->part->wake_fd, &event) < 0)
        rc = -errno;
    if (rc < 0) {
        if (w->epoll_fd >= 0)
            close(w->epoll_fd);
        free(w);
        return rc;
    }
    c->waiting = w;
    return 0;
}

static void poll_close(struct nfs_calls *c)
{
    struct waiting *w = c->waiting;

    close(w->epoll_fd);
    free(w);
}

static int watch(struct nfs_calls *c, struct nfs_conn *conn, int how, uint32_t events)
{
    const struct waiting *w = c->waiting;
    struct epoll_event event = {.events = events, .data.ptr = conn};

    return epoll_ctl(w->epoll_fd, how, conn->fd, &event) < 0 ? -errno : 0;
}

static int poll_add(struct nfs_calls *c, struct nfs_conn *conn)
{
    return watch(c, conn, EPOLL_CTL_ADD, EPOLLIN | EPOLLOUT);
}

static void poll_drop(struct nfs_calls *c, struct nfs_conn *conn)
{
    (void)watch(c, conn, EPOLL_CTL_DEL, 0);
}

static void poll_block(struct nfs_calls *c, struct nfs_conn *conn, bool blocked)
{
    (void)watch(c, conn, EPOLL_CTL_MOD, blocked ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

static void take_event(struct nfs_calls *c, const struct epoll_event *event)
{
    struct nfs_conn *conn = event->data.ptr;
    uint64_t times;

    if (conn == NULL) {
        (void)!read(c->part->wake_fd, &times, sizeof times);
        return;
    }
    if (conn->state == NFS_CONN_CONNECTING) {
        nfs_conn_made(c, conn);
        if (conn->state == NFS_CONN_UP)
            (void)watch(c, conn, EPOLL_CTL_MOD, EPOLLIN);
        return;
    }
    if (conn->state == NFS_CONN_UP && (event->events & EPOLLOUT) && conn->blocked) {
        conn->blocked = false;
        poll_block(c, conn, false);
        nfs_to_send(c, conn);
    }
    if (conn->state == NFS_CONN_UP && (event->events & ~(uint32_t)EPOLLOUT))
        (void)nfs_move_in(c, conn);
}

/* epoll_wait counts in milliseconds, and paced ops are due on the nanosecond. */
static int wait_events(struct nfs_calls *c, struct epoll_event *events, uint64_t until_ns)
{
    struct waiting *w = c->waiting;
    uint64_t left_ns = until_ns > c->now_ns ? until_ns - c->now_ns : 0;
    struct timespec left = {.tv_sec = (time_t)(left_ns / 1000000000u),
                            .tv_nsec = (long)(left_ns % 1000000000u)};
    const struct timespec *limit = until_ns == UINT64_MAX ? NULL : &left;
    int n;

    nfs_count(&c->counts->waits, 1);
    if (!w->no_pwait2) {
        n = epoll_pwait2(w->epoll_fd, events, EVENTS_MAX, limit, NULL);
        if (n >= 0 || errno != ENOSYS)
            return n;
        w->no_pwait2 = true;
    }

    struct pollfd fd = {.fd = w->epoll_fd, .events = POLLIN};

    return ppoll(&fd, 1, limit, NULL) <= 0 ? 0 : epoll_wait(w->epoll_fd, events, EVENTS_MAX, 0);
}

/* false: it has to be waited for. */
static bool ask_at_once(struct nfs_calls *c, struct waiting *w)
{
    struct nfs_conn *only = &c->conn[0];

    if (c->conns > 1 || only->state != NFS_CONN_UP || only->under_way == 0 || only->blocked)
        return false;
    if (w->skip > 0) {
        w->skip--;
        return false;
    }
    if (nfs_move_in(c, only)) {
        w->misses = 0;
        return true;
    }
    w->misses += w->misses < MISSES_MOST;
    w->skip = 1u << w->misses;
    return false;
}

static void poll_wait(struct nfs_calls *c, uint64_t until_ns)
{
    struct waiting *w = c->waiting;
    struct epoll_event events[EVENTS_MAX];

    if (ask_at_once(c, w))
        return;

    int n = wait_events(c, events, until_ns);

    c->now_ns = nfs_clock_ns();
    for (int i = 0; i < n; i++)
        take_event(c, &events[i]);
}

const struct nfs_waiter nfs_waiter_poll = {
    .open = poll_open,
    .close = poll_close,
    .add = poll_add,
    .drop = poll_drop,
    .block = poll_block,
    .send = nfs_move_out,
    .wait = poll_wait,
};
