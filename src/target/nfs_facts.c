/* What is known about a server and about the way to it, and what was counted. */
#include "target/nfs_call_priv.h"
#include "target/nfs_open_priv.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define KEY_BYTES 48

static void put(const struct target_sink *sink, const char *key, const char *value)
{
    sink->put(sink->ctx, key, value, "");
}

static void put_number(const struct target_sink *sink, const char *key, uint64_t value,
                       const char *unit)
{
    char text[24];

    snprintf(text, sizeof text, "%" PRIu64, value);
    sink->put(sink->ctx, key, text, unit);
}

/* ---- describe ---- */

static void put_server(const struct nfs_target *t, const struct target_sink *sink)
{
    char host[INET6_ADDRSTRLEN];
    char text[INET6_ADDRSTRLEN + 16];
    bool six = t->peer.ss_family == AF_INET6;
    const void *at = six ? (const void *)&((const struct sockaddr_in6 *)&t->peer)->sin6_addr
                         : (const void *)&((const struct sockaddr_in *)&t->peer)->sin_addr;

    if (inet_ntop(t->peer.ss_family, at, host, sizeof host) == NULL)
        return;
    snprintf(text, sizeof text, six ? "[%s]:%u" : "%s:%u", host, nfs_peer_port(&t->peer));
    put(sink, "server", text);
}

static void put_sizes(const struct nfs_target *t, const struct target_sink *sink)
{
    put_number(sink, "rsize", t->rsize, "bytes");
    put_number(sink, "wsize", t->wsize, "bytes");
    put_number(sink, "rtmax", t->info.rtmax, "bytes");
    put_number(sink, "rtpref", t->info.rtpref, "bytes");
    put_number(sink, "wtmax", t->info.wtmax, "bytes");
    put_number(sink, "wtpref", t->info.wtpref, "bytes");
    put_number(sink, "wtmult", t->info.wtmult, "bytes");
    put_number(sink, "dtpref", t->info.dtpref, "bytes");
    put_number(sink, "maxfilesize", t->info.maxfilesize, "bytes");
}

static const char *sync_word(enum nfs_sync sync)
{
    static const char *const words[] = {[NFS_SYNC_AUTO] = "auto",
                                        [NFS_SYNC_UNSTABLE] = "unstable",
                                        [NFS_SYNC_DATA] = "data",
                                        [NFS_SYNC_FILE] = "file"};

    return words[sync];
}

static void add_conns(struct nfs_conn_facts *to, const struct nfs_conn_facts *from)
{
    to->connections += from->connections;
    to->reserved += from->reserved;
    to->by_uring |= from->by_uring;
    if (to->why_not_uring[0] == '\0' && from->why_not_uring != NULL)
        to->why_not_uring = from->why_not_uring;
    if (to->congestion[0] == '\0')
        memcpy(to->congestion, from->congestion, sizeof to->congestion);
    if (to->mss == 0)
        to->mss = from->mss;
    to->tcp_retransmits += from->tcp_retransmits;
    if (to->tcp_retransmits_most < from->tcp_retransmits_most)
        to->tcp_retransmits_most = from->tcp_retransmits_most;
}

/* Behind the lock. */
static struct nfs_conn_facts conns_of(struct nfs_target *t)
{
    struct nfs_conn_facts sum = {.why_not_uring = "",
                                 .tcp_retransmits = t->ended_tcp_retransmits,
                                 .tcp_retransmits_most = t->ended_tcp_retransmits_worst};

    for (struct nfs_session *s = t->sessions; s != NULL; s = s->next) {
        struct nfs_conn_facts one;

        nfs_calls_facts(s->calls, &one);
        add_conns(&sum, &one);
    }
    return sum;
}

static void put_way(struct nfs_target *t, const struct target_sink *sink)
{
    struct nfs_conn_facts way;

    pthread_mutex_lock(&t->lock);
    way = conns_of(t);
    pthread_mutex_unlock(&t->lock);
    if (way.connections == 0)
        way.reserved = t->reserved_port;
    else
        put_number(sink, "connections", way.connections, "");
    put(sink, "source_port",
        way.reserved == 0                                         ? "ordinary"
        : way.reserved == way.connections || way.connections == 0 ? "reserved"
                                                                  : "mixed");
    if (way.congestion[0] != '\0')
        put(sink, "tcp_congestion", way.congestion);
    if (way.mss > 0)
        put_number(sink, "tcp_mss", way.mss, "bytes");
    if (way.connections > 0)
        put(sink, "waiting_by", way.by_uring ? "io_uring" : "poll");
    if (way.why_not_uring[0] != '\0')
        put(sink, "waiting_by_why", way.why_not_uring);
}

void nfs_describe(struct target *base, const struct target_sink *sink)
{
    struct nfs_target *t = (struct nfs_target *)base;

    put(sink, "fs_type", "nfs");
    put(sink, "client", "own NFS client");
    put(sink, "nfs_version", "3");
    put_server(t, sink);
    put(sink, "export", t->export);
    put(sink, "path", t->address.path);
    put_sizes(t, sink);
    put(sink, "sync", sync_word(t->address.sync));
    put_number(sink, "uid", t->uid, "");
    put_number(sink, "gid", t->gid, "");
    put_number(sink, "timeo_ns", t->address.timeo_ns, "ns");
    put_number(sink, "retrans", t->address.retrans, "");
    put_way(t, sink);
}

/* ---- counters ---- */

/* A copy that nobody writes, and the same members. */
struct sums {
#define SUM_MEMBER(name, unit) uint64_t name;
    NFS_COUNTS(SUM_MEMBER)
#undef SUM_MEMBER
    uint64_t calls[NFS3_PROCS];
    uint64_t op_calls[OP_KINDS];
    uint64_t ops[OP_KINDS];
};

static uint64_t value_of(_Atomic uint64_t *count)
{
    return atomic_load_explicit(count, memory_order_relaxed);
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void add(struct sums *sum, struct nfs_counts *from)
{
    uint64_t longest = larger(sum->outage_longest_ns, value_of(&from->outage_longest_ns));

#define SUM_ADD(name, unit) sum->name += value_of(&from->name);
    NFS_COUNTS(SUM_ADD)
#undef SUM_ADD
    sum->outage_longest_ns = longest;
    for (unsigned i = 0; i < NFS3_PROCS; i++)
        sum->calls[i] += value_of(&from->calls[i]);
    for (unsigned i = 0; i < OP_KINDS; i++) {
        sum->op_calls[i] += value_of(&from->op_calls[i]);
        sum->ops[i] += value_of(&from->ops[i]);
    }
}

/* Every member of it is such a count, and all but one are sums. */
void nfs_counts_keep(struct nfs_target *t, struct nfs_session *s)
{
    _Atomic uint64_t *into = (_Atomic uint64_t *)&t->ended;
    _Atomic uint64_t *from = (_Atomic uint64_t *)&s->counts;
    uint64_t longest =
        larger(value_of(&t->ended.outage_longest_ns), value_of(&s->counts.outage_longest_ns));
    struct nfs_conn_facts way;

    for (size_t i = 0; i < sizeof t->ended / sizeof *into; i++)
        nfs_count(&into[i], value_of(&from[i]));
    atomic_store_explicit(&t->ended.outage_longest_ns, longest, memory_order_relaxed);
    nfs_calls_facts(s->calls, &way);
    t->ended_tcp_retransmits += way.tcp_retransmits;
    t->ended_tcp_retransmits_worst =
        larger(t->ended_tcp_retransmits_worst, way.tcp_retransmits_most);
}

static void put_some(const struct target_sink *sink, const char *family, const char *name,
                     uint64_t value, const char *unit)
{
    char key[KEY_BYTES];

    if (value == 0)
        return;
    snprintf(key, sizeof key, "%s%s", family, name);
    put_number(sink, key, value, unit);
}

void nfs_counters(struct target *base, const struct target_sink *sink)
{
    struct nfs_target *t = (struct nfs_target *)base;
    struct sums sum = {.outages = 0};
    struct nfs_conn_facts way;

    pthread_mutex_lock(&t->lock);
    add(&sum, &t->ended);
    for (struct nfs_session *s = t->sessions; s != NULL; s = s->next)
        add(&sum, &s->counts);
    way = conns_of(t);
    pthread_mutex_unlock(&t->lock);
#define SUM_PUT(name, unit) put_some(sink, "", #name, sum.name, unit);
    NFS_COUNTS(SUM_PUT)
#undef SUM_PUT
    put_some(sink, "", "tcp_retransmits", way.tcp_retransmits, "");
    put_some(sink, "", "tcp_retransmits_worst", way.tcp_retransmits_most, "");
    for (unsigned i = 0; i < NFS3_PROCS; i++)
        put_some(sink, "calls_", nfs3_proc_name((enum nfs3_proc)i), sum.calls[i], "ops");
    for (unsigned i = 0; i < OP_KINDS; i++) {
        put_some(sink, "op_calls_", op_kind_name((enum op_kind)i), sum.op_calls[i], "ops");
        put_some(sink, "ops_", op_kind_name((enum op_kind)i), sum.ops[i], "ops");
    }
}
