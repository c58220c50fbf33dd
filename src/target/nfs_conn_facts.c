/* What TCP says of a session's connections: asked by whoever describes, while the session works. */
#include "target/nfs_conn_priv.h"

#include <netinet/tcp.h>
#include <sys/socket.h>

static void add_tcp(const struct nfs_conn *conn, struct nfs_conn_facts *out)
{
    struct tcp_info info;
    socklen_t len = sizeof info;
    uint64_t again = conn->life.tcp_retransmits;

    if (conn->fd >= 0 && getsockopt(conn->fd, IPPROTO_TCP, TCP_INFO, &info, &len) == 0) {
        again += info.tcpi_total_retrans;
        if (out->mss == 0)
            out->mss = info.tcpi_snd_mss;
    }
    out->tcp_retransmits += again;
    if (again > out->tcp_retransmits_most)
        out->tcp_retransmits_most = again;
}

void nfs_calls_facts(struct nfs_calls *c, struct nfs_conn_facts *out)
{
    struct nfs_calls_part *p = c->part;

    *out = (struct nfs_conn_facts){.by_uring = p->by_uring, .why_not_uring = p->why_not_uring};
    pthread_mutex_lock(&p->fds);
    for (unsigned i = 0; i < c->conns; i++) {
        const struct nfs_conn *conn = &c->conn[i];
        socklen_t len = sizeof out->congestion - 1;

        out->connections += conn->fd >= 0;
        out->reserved += conn->fd >= 0 && conn->reserved;
        if (conn->fd >= 0 && out->congestion[0] == '\0' &&
            getsockopt(conn->fd, IPPROTO_TCP, TCP_CONGESTION, out->congestion, &len) < 0)
            out->congestion[0] = '\0';
        add_tcp(conn, out);
    }
    pthread_mutex_unlock(&p->fds);
}
