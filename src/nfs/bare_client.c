#include "nfs/bare_client.h"

#include "base/rng.h"
#include "nfs/mount3.h"
#include "nfs/nfs3.h"
#include "nfs/rpc.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ASK_BYTES 4096 /* room for a call that is not a WRITE, and for the replies of opening */
#define IN_BYTES  ((size_t)4 << 20)

struct bare_client {
    struct bare_client_job job;
    struct rng rng;
    int fd;
    struct nfs3_fh fh;
    struct rpc_cred cred;
    unsigned char *out; /* `depth` calls of call_bytes each */
    size_t call_bytes;
    size_t off_at; /* in a call: its offset in the file */
    unsigned char *in;
    size_t have;
};

static int send_all(int fd, const unsigned char *at, size_t len)
{
    while (len > 0) {
        ssize_t n = send(fd, at, len, MSG_NOSIGNAL);
        if (n < 0)
            return -errno;
        at += n;
        len -= (size_t)n;
    }
    return 0;
}

static int recv_some(int fd, unsigned char *at, size_t room, size_t *have)
{
    ssize_t n = recv(fd, at, room, 0);
    if (n <= 0)
        return n < 0 ? -errno : -ECONNRESET;
    *have += (size_t)n;
    return 0;
}

static int dial(struct bare_client *c)
{
    const struct sockaddr_in peer = {.sin_family = AF_INET,
                                     .sin_port = htons(c->job.port),
                                     .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int on = 1;
    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (c->fd < 0 || connect(c->fd, (const struct sockaddr *)&peer, sizeof peer) < 0 ||
        setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) < 0)
        return -errno;
    return 0;
}

/* ---- what is asked while opening ---- */

static struct xdr_out begin_call(const struct bare_client *c, unsigned char *record,
                                 uint32_t program, uint32_t version, uint32_t procedure)
{
    struct xdr_out x = xdr_out(record + RPC_MARK_BYTES, ASK_BYTES - RPC_MARK_BYTES);
    rpc_put_call(&x, 1, program, version, procedure, &c->cred);
    return x;
}

/* Puts the mark in front of what `x` wrote behind it and of `more` that is to come: the record's bytes. */
static size_t close_record(unsigned char *record, const struct xdr_out *x, size_t more)
{
    size_t len = (size_t)(x->at - record) + more;
    struct xdr_out mark = xdr_out(record, RPC_MARK_BYTES);
    xdr_put_u32(&mark, RPC_MARK_LAST | (uint32_t)(len - RPC_MARK_BYTES));
    return len;
}

static size_t record_bytes(const unsigned char *at)
{
    struct xdr_in mark = xdr_in(at, RPC_MARK_BYTES);
    return RPC_MARK_BYTES + (xdr_get_u32(&mark) & ~RPC_MARK_LAST);
}

/* The reply takes the place of the call. */
static int ask(const struct bare_client *c, unsigned char *buf, const struct xdr_out *x,
               struct xdr_in *results)
{
    struct rpc_reply reply;
    size_t have = 0, want = RPC_MARK_BYTES;
    int rc = x->bad ? -ENAMETOOLONG : send_all(c->fd, buf, close_record(buf, x, 0));

    while (rc == 0 && have < want) {
        rc = recv_some(c->fd, buf + have, want - have, &have);
        if (have == RPC_MARK_BYTES)
            want = record_bytes(buf);
        if (want > ASK_BYTES)
            rc = -EMSGSIZE;
    }
    if (rc < 0)
        return rc;
    *results = xdr_in(buf + RPC_MARK_BYTES, have - RPC_MARK_BYTES);
    if (rpc_get_reply(results, &reply) < 0 || reply.verdict != RPC_SUCCESS)
        return -EPROTO;
    return 0;
}

static int find_file(struct bare_client *c)
{
    unsigned char buf[ASK_BYTES];
    struct mount3_root root;
    struct nfs3_found found;
    struct xdr_in in;

    struct xdr_out x = begin_call(c, buf, MOUNT3_PROGRAM, MOUNT3_VERSION, MOUNT3_MNT);
    mount3_put_path(&x, c->job.export);
    int rc = ask(c, buf, &x, &in);
    if (rc == 0 && (mount3_get_root(&in, &root) < 0 || root.status != 0))
        rc = -EPROTO;
    if (rc < 0)
        return rc;
    x = begin_call(c, buf, NFS3_PROGRAM, NFS3_VERSION, NFS3_LOOKUP);
    nfs3_put_name(&x, &root.fh, c->job.file);
    rc = ask(c, buf, &x, &in);
    if (rc == 0 && (nfs3_get_found(&in, NFS3_LOOKUP, &found) < 0 || found.status != NFS3_OK))
        rc = -EPROTO;
    if (rc == 0)
        c->fh = found.fh;
    return rc;
}

/* ---- the calls ---- */

static int encode_calls(struct bare_client *c)
{
    const struct bare_client_job *job = &c->job;
    size_t data = job->write ? ((size_t)job->block + 3) / 4 * 4 : 0;

    c->out = calloc(job->depth, ASK_BYTES + data);
    c->in = malloc(IN_BYTES);
    if (c->out == NULL || c->in == NULL)
        return -ENOMEM;
    for (unsigned i = 0; i < job->depth; i++) {
        unsigned char *record = c->out + i * c->call_bytes;
        struct xdr_out x =
            begin_call(c, record, NFS3_PROGRAM, NFS3_VERSION, job->write ? NFS3_WRITE : NFS3_READ);
        /* Both begin with the handle, and its offset is behind it. */
        c->off_at = (size_t)(x.at - record) + 4 + (c->fh.len + 3u) / 4 * 4;
        if (job->write)
            nfs3_put_write(&x, &c->fh, 0, job->block, NFS3_UNSTABLE);
        else
            nfs3_put_read(&x, &c->fh, 0, job->block);
        c->call_bytes = close_record(record, &x, data);
    }
    return 0;
}

static void patch(struct bare_client *c, unsigned i, uint32_t xid)
{
    unsigned char *record = c->out + i * c->call_bytes;
    struct xdr_out x = xdr_out(record + RPC_MARK_BYTES, 4);
    xdr_put_u32(&x, xid);
    x = xdr_out(record + c->off_at, 8);
    xdr_put_u64(&x, rng_below(&c->rng, c->job.file_bytes / c->job.block) * c->job.block);
}

/* How many whole replies came; what is left of the last one moves to the front. */
static int receive(struct bare_client *c, unsigned *replies)
{
    size_t at = 0;
    int rc = recv_some(c->fd, c->in + c->have, IN_BYTES - c->have, &c->have);

    *replies = 0;
    while (rc == 0 && c->have - at >= RPC_MARK_BYTES) {
        size_t len = record_bytes(c->in + at);
        if (len > IN_BYTES)
            rc = -EMSGSIZE;
        if (c->have - at < len)
            break;
        at += len;
        ++*replies;
    }
    c->have -= at;
    memmove(c->in, c->in + at, c->have);
    return rc;
}

int bare_client_run(struct bare_client *c, uint64_t calls, struct err *err)
{
    uint64_t begun = 0, done = 0;
    unsigned due = c->job.depth;
    int rc = 0;

    while (rc == 0 && done < calls) {
        if (due > calls - begun)
            due = (unsigned)(calls - begun);
        for (unsigned i = 0; i < due; i++)
            patch(c, i, (uint32_t)(begun + i));
        rc = send_all(c->fd, c->out, due * c->call_bytes);
        begun += due;
        if (rc == 0)
            rc = receive(c, &due);
        done += due;
    }
    return rc < 0 ? err_sys(err, rc, "a bare loop of NFS calls") : 0;
}

int bare_client_open(const struct bare_client_job *job, struct bare_client **out, struct err *err)
{
    struct bare_client *c = calloc(1, sizeof *c);
    if (c == NULL)
        return err_set(err, -ENOMEM, "no memory for a bare NFS client");
    c->job = *job;
    rng_seed(&c->rng, job->seed);
    rpc_cred_sys(&c->cred, "loadline", 0, 0, NULL, 0);
    int rc = dial(c);
    if (rc == 0)
        rc = find_file(c);
    if (rc == 0)
        rc = encode_calls(c);
    if (rc < 0) {
        bare_client_close(c);
        return err_sys(err, rc, "a bare NFS client at port %u", job->port);
    }
    *out = c;
    return 0;
}

void bare_client_close(struct bare_client *c)
{
    if (c == NULL)
        return;
    if (c->fd >= 0)
        close(c->fd);
    free(c->out);
    free(c->in);
    free(c);
}
