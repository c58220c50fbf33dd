/* One connection: made, lost, made again. What it held when it was lost is sent again on the next one,
 * for as long as timeo and retrans say; that there was an outage is counted where it happens, so that it
 * is not found in the latencies alone. */
#include "target/nfs_conn_priv.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void sooner(uint64_t *due_ns, uint64_t than_ns)
{
    if (than_ns < *due_ns)
        *due_ns = than_ns;
}

/* ---- outages ---- */

static void tell_outage(struct nfs_calls *c, struct nfs_conn *conn)
{
    struct nfs_conn_life *life = &conn->life;
    uint64_t longest = atomic_load_explicit(&c->counts->outage_longest_ns, memory_order_relaxed);
    uint64_t now_ns = c->now_ns;

    if (now_ns <= life->outage_told_ns)
        return;
    nfs_count(&c->counts->outage_ns, now_ns - life->outage_told_ns);
    life->outage_told_ns = now_ns;
    if (now_ns - life->outage_ns > longest)
        nfs_count(&c->counts->outage_longest_ns, now_ns - life->outage_ns - longest);
}

static void begin_outage(struct nfs_calls *c, struct nfs_conn *conn, uint64_t since_ns)
{
    if (conn->life.outage_ns == 0 && conn->under_way > 0) {
        nfs_count(&c->counts->outages, 1);
        nfs_count(&c->counts->outage_calls, conn->under_way);
        conn->life.outage_ns = since_ns;
        conn->life.outage_told_ns = since_ns;
    }
    if (conn->life.outage_ns != 0)
        tell_outage(c, conn);
}

void nfs_conn_heard(struct nfs_calls *c, struct nfs_conn *conn, const struct nfs_call *call)
{
    struct nfs_conn_life *life = &conn->life;

    life->heard_ns = c->now_ns;
    life->answered = true;
    if (call->last_ns > life->answered_ns)
        life->answered_ns = call->last_ns;
    if (life->outage_ns != 0) {
        tell_outage(c, conn);
        life->outage_ns = 0;
    }
}

/* ---- making one ---- */

static int retransmits(int fd, uint64_t *out)
{
    struct tcp_info info;
    socklen_t len = sizeof info;

    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) < 0)
        return -errno;
    *out = info.tcpi_total_retrans;
    return 0;
}

void nfs_conn_close(struct nfs_calls *c, struct nfs_conn *conn)
{
    /* Reserved ports are few, and one that waits for the other side's last word is not free. */
    struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    uint64_t again = 0;

    if (conn->fd < 0)
        return;
    c->waiter->drop(c, conn);
    pthread_mutex_lock(&c->part->fds);
    if (retransmits(conn->fd, &again) == 0)
        conn->life.tcp_retransmits += again;
    (void)setsockopt(conn->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close(conn->fd);
    conn->fd = -1;
    pthread_mutex_unlock(&c->part->fds);
}

void nfs_calls_end(struct nfs_calls *c)
{
    c->now_ns = nfs_clock_ns();
    for (unsigned i = 0; i < c->conns; i++)
        if (c->conn[i].life.outage_ns != 0)
            tell_outage(c, &c->conn[i]);
}

static void wait_to_retry(struct nfs_calls *c, struct nfs_conn *conn)
{
    struct nfs_conn_life *life = &conn->life;

    conn->state = NFS_CONN_DOWN;
    life->due_ns = c->now_ns + life->backoff_ns;
    life->backoff_ns = life->backoff_ns == 0 ? NFS_BACKOFF_FIRST_NS : 2 * life->backoff_ns;
    if (life->backoff_ns > NFS_BACKOFF_MOST_NS)
        life->backoff_ns = NFS_BACKOFF_MOST_NS;
    sooner(&c->check_ns, life->due_ns);
}

static void not_made(struct nfs_calls *c, struct nfs_conn *conn, int code)
{
    nfs_conn_close(c, conn);
    nfs_count(&c->counts->connect_failures, 1);
    if (c->part->opening && c->part->open_code == 0)
        c->part->open_code = code;
    if (conn->life.backoff_ns == 0)
        conn->life.backoff_ns = NFS_BACKOFF_FIRST_NS;
    wait_to_retry(c, conn);
}

void nfs_conn_try(struct nfs_calls *c, struct nfs_conn *conn)
{
    const struct nfs_target *t = c->session->target;
    uint64_t timeo_ns = c->part->timeo_ns;
    bool reserved = false;
    int fd = nfs_connect(&t->peer, t->peer_len, &reserved);

    if (fd < 0) {
        not_made(c, conn, fd);
        return;
    }
    pthread_mutex_lock(&c->part->fds);
    conn->fd = fd;
    conn->reserved = reserved;
    pthread_mutex_unlock(&c->part->fds);
    conn->state = NFS_CONN_CONNECTING;
    conn->life.due_ns = c->now_ns + (timeo_ns < NFS_CONNECT_NS ? timeo_ns : NFS_CONNECT_NS);
    sooner(&c->check_ns, conn->life.due_ns);

    int rc = c->waiter->add(c, conn);

    if (rc < 0)
        not_made(c, conn, rc);
}

/* 1: made, 0: not yet, -errno. */
static int is_made(int fd)
{
    struct sockaddr_storage self = {.ss_family = AF_UNSPEC};
    struct sockaddr_storage peer = {.ss_family = AF_UNSPEC};
    socklen_t self_len = sizeof self;
    socklen_t peer_len = sizeof peer;
    socklen_t len = sizeof(int);
    int code = 0;

    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &len) < 0)
        return -errno;
    if (code != 0)
        return -code;
    if (getpeername(fd, (struct sockaddr *)&peer, &peer_len) < 0)
        return errno == ENOTCONN ? 0 : -errno;
    if (getsockname(fd, (struct sockaddr *)&self, &self_len) < 0)
        return -errno;
    /* On its own machine, with nobody there, a socket may meet itself: its port was the one sought. */
    if (peer.ss_family != AF_UNIX && self_len == peer_len && memcmp(&self, &peer, self_len) == 0)
        return -ECONNREFUSED;
    return 1;
}

void nfs_conn_made(struct nfs_calls *c, struct nfs_conn *conn)
{
    struct nfs_conn_life *life = &conn->life;
    int rc = is_made(conn->fd);

    if (rc < 0)
        not_made(c, conn, rc);
    if (rc <= 0)
        return;
    if (life->made)
        nfs_count(&c->counts->reconnects, 1);
    life->made = true;
    life->answered = false;
    life->unreadable = false;
    life->heard_ns = c->now_ns;
    conn->state = NFS_CONN_UP;
    conn->blocked = false;
    nfs_stream_reset(conn);
    if (conn->out.unsent != NULL)
        nfs_to_send(c, conn);
}

/* Not of this machine: it was reached when the target was opened, and may be again. */
static bool is_outage(int code)
{
    switch (-code) {
    case ECONNREFUSED:
    case ECONNRESET:
    case ECONNABORTED:
    case ETIMEDOUT:
    case EHOSTUNREACH:
    case EHOSTDOWN:
    case ENETUNREACH:
    case ENETDOWN:
        return true;
    default:
        return false;
    }
}

bool nfs_conns_away(struct nfs_calls *c, int code)
{
    if (!is_outage(code))
        return false;
    for (unsigned i = 0; i < c->conns; i++) {
        struct nfs_conn_life *life = &c->conn[i].life;

        if (c->conn[i].state != NFS_CONN_DOWN)
            continue;
        nfs_count(&c->counts->outages, 1);
        life->outage_ns = c->now_ns;
        life->outage_told_ns = c->now_ns;
    }
    c->check_ns = c->now_ns;
    return true;
}

/* ---- losing it ---- */

/* Calls stand in the order in which they first went out, so the ones whose time is over are in front. */
static void fail_overdue(struct nfs_calls *c, struct nfs_conn *conn)
{
    struct nfs_call *call;

    while ((call = conn->oldest) != NULL && c->now_ns >= call->first_ns + c->part->budget_ns)
        nfs_call_end(c, conn, call, NULL, -ETIMEDOUT);
}

static void take_back_calls(struct nfs_calls *c, struct nfs_conn *conn)
{
    for (struct nfs_call *call = conn->oldest; call != NULL; call = call->newer) {
        if (call->state == NFS_CALL_SENT && c->now_ns >= call->last_ns + c->part->timeo_ns)
            nfs_count(&c->counts->timeouts, 1);
        call->state = NFS_CALL_QUEUED;
        if (call->first_ns == 0)
            call->first_ns = c->now_ns;
    }
    nfs_stream_reset(conn);
}

void nfs_conn_lost(struct nfs_calls *c, struct nfs_conn *conn, uint64_t since_ns)
{
    nfs_conn_close(c, conn);
    begin_outage(c, conn, since_ns);
    take_back_calls(c, conn);
    /* Whoever answered is tried at once; whoever takes connections and drops them is not. */
    if (conn->life.answered)
        conn->life.backoff_ns = 0;
    conn->life.answered = false;
    conn->life.unreadable = false;
    conn->life.answered_ns = 0;
    conn->blocked = false;
    wait_to_retry(c, conn);
    fail_overdue(c, conn);
}

void nfs_conn_missed(struct nfs_calls *c, struct nfs_conn *conn, struct nfs_call *call)
{
    c->now_ns = nfs_clock_ns();
    call->first_ns = c->now_ns;
    begin_outage(c, conn, c->now_ns);
    sooner(&c->check_ns, call->first_ns + c->part->budget_ns);
}

/* ---- looking after it ---- */

/* Whoever reads the counters while it lasts finds it there. */
static void check_outage(struct nfs_calls *c, struct nfs_conn *conn, uint64_t *next_ns)
{
    if (conn->life.outage_ns == 0)
        return;
    tell_outage(c, conn);
    sooner(next_ns, c->now_ns + NFS_TELL_NS);
}

static void check_up(struct nfs_calls *c, struct nfs_conn *conn, uint64_t *next_ns)
{
    const struct nfs_call *oldest = conn->oldest;
    const struct nfs_conn_life *life = &conn->life;
    uint64_t timeo_ns = c->part->timeo_ns;

    if (oldest == NULL || oldest->last_ns == 0)
        return;

    uint64_t since_ns = life->heard_ns > oldest->last_ns ? life->heard_ns : oldest->last_ns;

    if (life->answered_ns >= oldest->last_ns + timeo_ns)
        nfs_conn_lost(c, conn, c->now_ns);
    else if (c->now_ns >= since_ns + timeo_ns)
        nfs_conn_lost(c, conn, since_ns);
    else
        sooner(next_ns, since_ns + timeo_ns);
}

static void check_down(struct nfs_calls *c, struct nfs_conn *conn)
{
    if (c->now_ns >= conn->life.due_ns) {
        if (conn->state == NFS_CONN_CONNECTING)
            not_made(c, conn, -ETIMEDOUT);
        else
            nfs_conn_try(c, conn);
    }
    if (conn->state != NFS_CONN_UP)
        fail_overdue(c, conn);
}

void nfs_conn_check(struct nfs_calls *c)
{
    uint64_t next_ns = c->now_ns + c->part->timeo_ns;

    if (c->now_ns < c->check_ns)
        return;
    c->check_ns = UINT64_MAX;
    for (unsigned i = 0; i < c->conns; i++) {
        struct nfs_conn *conn = &c->conn[i];

        if (conn->state == NFS_CONN_UP)
            check_up(c, conn, &next_ns);
        else
            check_down(c, conn);
        check_outage(c, conn, &next_ns);
        if (conn->state == NFS_CONN_UP)
            continue;
        sooner(&next_ns, conn->life.due_ns);
        if (conn->oldest != NULL)
            sooner(&next_ns, conn->oldest->first_ns + c->part->budget_ns);
    }
    sooner(&c->check_ns, next_ns);
}
