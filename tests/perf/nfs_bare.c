/* The least that the same bytes can cost: calls that were encoded beforehand, one send for all that are
 * due, one recv for all that has come, and of a reply only its length is looked at. */
#include "nfs_bench.h"

#include "base/rng.h"
#include "nfs/mount3.h"
#include "nfs/nfs3.h"
#include "nfs/rpc.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define REPLY_ROOM 4096
#define IN_BYTES   ((size_t)4 << 20)

struct bare {
    const struct nfs_bench *bench;
    int fd;
    struct nfs3_fh fh;
    struct rpc_cred cred;
    unsigned char *out; /* `depth` calls of call_bytes each */
    size_t call_bytes;
    size_t off_at; /* in a call: its offset in the file */
    unsigned char *in;
    size_t have;
};

static void send_all(int fd, const unsigned char *at, size_t len)
{
    while (len > 0) {
        ssize_t n = send(fd, at, len, MSG_NOSIGNAL);
        if (n < 0)
            perf_fail_errno("send");
        at += n;
        len -= (size_t)n;
    }
}

static int dial(const struct nfs_bench *b)
{
    const struct sockaddr_in peer = {.sin_family = AF_INET,
                                     .sin_port = htons((uint16_t)b->port),
                                     .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    if (fd < 0 || connect(fd, (const struct sockaddr *)&peer, sizeof peer) < 0 ||
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) < 0)
        perf_fail_errno("a connection");
    return fd;
}

/* Puts the record mark in front of what `x` has written behind it, and `more` that is to come. */
static size_t close_record(unsigned char *record, const struct xdr_out *x, size_t more)
{
    size_t len = (size_t)(x->at - record) + more;
    struct xdr_out mark = xdr_out(record, RPC_MARK_BYTES);
    if (x->bad)
        perf_fail("a call", "does not fit");
    xdr_put_u32(&mark, RPC_MARK_LAST | (uint32_t)(len - RPC_MARK_BYTES));
    return len;
}

static struct xdr_in ask(int fd, unsigned char *buf, const struct xdr_out *x)
{
    struct rpc_reply reply;
    size_t have = 0, want = RPC_MARK_BYTES;

    send_all(fd, buf, close_record(buf, x, 0));
    while (have < want) {
        ssize_t n = recv(fd, buf + have, want - have, 0);
        if (n <= 0)
            perf_fail_errno("recv");
        have += (size_t)n;
        if (have == RPC_MARK_BYTES) {
            struct xdr_in mark = xdr_in(buf, have);
            want += xdr_get_u32(&mark) & ~RPC_MARK_LAST;
            if (want > REPLY_ROOM)
                perf_fail("a reply", "too long");
        }
    }
    struct xdr_in in = xdr_in(buf + RPC_MARK_BYTES, have - RPC_MARK_BYTES);
    if (rpc_get_reply(&in, &reply) < 0 || reply.verdict != RPC_SUCCESS)
        perf_fail("a call", "refused");
    return in;
}

static struct xdr_out begin_call(const struct bare *b, unsigned char *buf, uint32_t program,
                                 uint32_t procedure)
{
    struct xdr_out x = xdr_out(buf + RPC_MARK_BYTES, REPLY_ROOM - RPC_MARK_BYTES);
    rpc_put_call(&x, 1, program, 3, procedure, &b->cred); /* both are of version 3 */
    return x;
}

static void find_file(struct bare *b)
{
    unsigned char buf[REPLY_ROOM];
    struct mount3_root root;
    struct nfs3_found found;

    struct xdr_out x = begin_call(b, buf, MOUNT3_PROGRAM, MOUNT3_MNT);
    mount3_put_path(&x, NFS_BENCH_EXPORT);
    struct xdr_in in = ask(b->fd, buf, &x);
    if (mount3_get_root(&in, &root) < 0 || root.status != 0)
        perf_fail(NFS_BENCH_EXPORT, "cannot be mounted");
    x = begin_call(b, buf, NFS3_PROGRAM, NFS3_LOOKUP);
    nfs3_put_name(&x, &root.fh, NFS_BENCH_FILE);
    in = ask(b->fd, buf, &x);
    if (nfs3_get_found(&in, NFS3_LOOKUP, &found) < 0 || found.status != NFS3_OK)
        perf_fail(NFS_BENCH_FILE, "not found");
    b->fh = found.fh;
}

/* The offset is found where two calls that differ in nothing else differ. */
static void encode_calls(struct bare *b)
{
    const struct nfs_bench *n = b->bench;
    bool writes = n->kind == NFS_BENCH_WRITE;
    size_t room = REPLY_ROOM + (size_t)n->block;

    b->out = calloc(n->depth, room);
    b->in = malloc(IN_BYTES);
    if (b->out == NULL || b->in == NULL)
        perf_fail("a bare loop", "no memory");
    for (unsigned i = 0; i < n->depth; i++) {
        unsigned char *record = b->out + i * b->call_bytes;
        struct xdr_out x = begin_call(b, record, NFS3_PROGRAM, writes ? NFS3_WRITE : NFS3_READ);
        unsigned char *args = x.at;
        if (writes)
            nfs3_put_write(&x, &b->fh, 0, (uint32_t)n->block, NFS3_UNSTABLE);
        else
            nfs3_put_read(&x, &b->fh, 0, (uint32_t)n->block);
        b->off_at = (size_t)(args - record) + 4 + (b->fh.len + 3u) / 4 * 4;
        b->call_bytes = close_record(record, &x, writes ? (size_t)(n->block + 3) / 4 * 4 : 0);
    }
}

static void patch(const struct bare *b, unsigned i, uint32_t xid, struct rng *rng)
{
    unsigned char *record = b->out + i * b->call_bytes;
    struct xdr_out x = xdr_out(record + RPC_MARK_BYTES, 4);
    xdr_put_u32(&x, xid);
    x = xdr_out(record + b->off_at, 8);
    xdr_put_u64(&x, nfs_bench_offset(b->bench, rng));
}

/* How many whole replies came; what is left of the last one moves to the front. */
static unsigned receive(struct bare *b)
{
    unsigned replies = 0;
    size_t at = 0;
    ssize_t n = recv(b->fd, b->in + b->have, IN_BYTES - b->have, 0);

    if (n <= 0)
        perf_fail_errno("recv");
    b->have += (size_t)n;
    while (b->have - at >= RPC_MARK_BYTES) {
        struct xdr_in mark = xdr_in(b->in + at, RPC_MARK_BYTES);
        size_t len = RPC_MARK_BYTES + (xdr_get_u32(&mark) & ~RPC_MARK_LAST);
        if (b->have - at < len)
            break;
        at += len;
        replies++;
    }
    b->have -= at;
    memmove(b->in, b->in + at, b->have);
    return replies;
}

void nfs_bench_bare(struct perf_gate *gate, unsigned thread, void *bench)
{
    struct bare b = {.bench = bench};
    const struct nfs_bench *n = bench;
    uint64_t begun = 0, done = 0;
    unsigned due = n->depth;
    struct rng rng;

    b.fd = dial(n);
    rpc_cred_sys(&b.cred, "bench", 0, 0, NULL, 0);
    find_file(&b);
    encode_calls(&b);
    rng_seed(&rng, mix64_pair(PERF_SEED, thread));
    perf_gate_enter(gate);
    while (done < n->ops) {
        if (due > n->ops - begun)
            due = (unsigned)(n->ops - begun);
        for (unsigned i = 0; i < due; i++)
            patch(&b, i, (uint32_t)(begun + i), &rng);
        send_all(b.fd, b.out, due * b.call_bytes);
        begun += due;
        due = receive(&b);
        done += due;
    }
    perf_gate_leave(gate);
    close(b.fd);
    free(b.out);
    free(b.in);
}
