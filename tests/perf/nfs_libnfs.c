/* The peer: libnfs as its users drive it, one context a connection, all of them polled by one thread.
 * Its calls are as lean as it has them: the raw ones where there are any, so that no buffer is copied
 * on the way to the caller; no TCP_NODELAY, which it does not set and which makes it dearer. */
#include "nfs_bench.h"

#include "base/rng.h"

#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

/* In this order: they do not include each other. */
#include <nfsc/libnfs.h>

#include <nfsc/libnfs-raw.h>

#include <nfsc/libnfs-raw-nfs.h>

#define CONNECTIONS_MAX 1024
#define NAME_MAX_BYTES  32

/* libnfs keeps it to itself, and hands out pointers to it. */
struct nfs_fh {
    int len;
    char *val;
};

enum meta_step { CREATE, CLOSE_NEW, STAT, OPEN, CLOSE_OLD, REMOVE, META_STEPS };

struct peer {
    const struct nfs_bench *bench;
    struct rng rng;
    uint64_t begun;
    uint64_t done;
    struct pollfd fd[CONNECTIONS_MAX];
    struct link {
        struct nfs_context *nfs;
        struct nfsfh *file;
        struct nfs_fh *fh;
    } link[CONNECTIONS_MAX];
};

/* One op under way. */
struct slot {
    struct peer *peer;
    struct link *link;
    enum meta_step step;
    struct nfsfh *file;
    char name[NAME_MAX_BYTES];
};

static char payload[NFS_BENCH_BLOCK_MAX];

/* ---- READ and WRITE ---- */

static void begin_data(struct slot *s);

static void data_done(struct rpc_context *rpc, int status, void *data, void *ctx)
{
    struct slot *s = ctx;
    const uint32_t *answer = data; /* both results begin with it */

    (void)rpc;
    if (status != RPC_STATUS_SUCCESS || *answer != NFS3_OK)
        perf_fail("libnfs", "an RPC failed");
    s->peer->done++;
    begin_data(s);
}

static void begin_data(struct slot *s)
{
    struct peer *p = s->peer;
    struct rpc_context *rpc = nfs_get_rpc_context(s->link->nfs);
    int rc;

    if (p->begun == p->bench->ops)
        return;
    p->begun++;
    uint64_t off = nfs_bench_offset(p->bench, &p->rng);
    struct nfs_fh3 fh = {{(u_int)s->link->fh->len, s->link->fh->val}};
    if (p->bench->kind == NFS_BENCH_READ) {
        struct READ3args args = {.file = fh, .offset = off, .count = (u_int)p->bench->block};
        rc = rpc_nfs3_read_async(rpc, data_done, &args, s);
    } else {
        struct WRITE3args args = {.file = fh,
                                  .offset = off,
                                  .count = (u_int)p->bench->block,
                                  .stable = UNSTABLE,
                                  .data = {(u_int)p->bench->block, payload}};
        rc = rpc_nfs3_write_async(rpc, data_done, &args, s);
    }
    if (rc != 0)
        perf_fail("libnfs", rpc_get_error(rpc));
}

/* ---- META ---- */

static void begin_meta(struct slot *s);

static void meta_done(int status, struct nfs_context *nfs, void *data, void *ctx)
{
    struct slot *s = ctx;

    if (status < 0)
        perf_fail(s->name, nfs_get_error(nfs));
    if (s->step == CREATE || s->step == OPEN)
        s->file = data;
    if (++s->step == META_STEPS) {
        s->peer->done++;
        s->step = CREATE;
    }
    begin_meta(s);
}

static int call_meta(struct slot *s)
{
    struct nfs_context *nfs = s->link->nfs;
    switch (s->step) {
    case CREATE:
        return nfs_creat_async(nfs, s->name, 0600, meta_done, s);
    case STAT:
        return nfs_stat64_async(nfs, s->name, meta_done, s);
    case OPEN:
        return nfs_open_async(nfs, s->name, O_RDWR, meta_done, s);
    case REMOVE:
        return nfs_unlink_async(nfs, s->name, meta_done, s);
    default:
        return nfs_close_async(nfs, s->file, meta_done, s);
    }
}

static void begin_meta(struct slot *s)
{
    struct peer *p = s->peer;

    if (s->step == CREATE) {
        if (p->begun == p->bench->ops)
            return;
        snprintf(s->name, sizeof s->name, "/f%llu", (unsigned long long)p->begun++);
    }
    if (call_meta(s) != 0)
        perf_fail(s->name, nfs_get_error(s->link->nfs));
}

/* ---- the loop ---- */

static void connect_one(struct peer *p, struct link *link)
{
    char url[128];
    struct nfs_url *parsed;

    link->nfs = nfs_init_context();
    if (link->nfs == NULL)
        perf_fail("libnfs", "no context");
    snprintf(url, sizeof url,
             "nfs://127.0.0.1" NFS_BENCH_EXPORT "/" NFS_BENCH_FILE
             "?nfsport=%u&mountport=%u&version=3",
             p->bench->port, p->bench->port);
    parsed = nfs_parse_url_full(link->nfs, url);
    if (parsed == NULL || nfs_mount(link->nfs, parsed->server, parsed->path) != 0)
        perf_fail(url, nfs_get_error(link->nfs));
    if (p->bench->kind != NFS_BENCH_META) {
        if (nfs_open(link->nfs, parsed->file, O_RDWR, &link->file) != 0)
            perf_fail(url, nfs_get_error(link->nfs));
        link->fh = nfs_get_fh(link->file);
    }
    nfs_destroy_url(parsed);
}

static void serve(struct peer *p)
{
    unsigned n = p->bench->connections;

    while (p->done < p->bench->ops) {
        for (unsigned i = 0; i < n; i++) {
            p->fd[i].fd = nfs_get_fd(p->link[i].nfs);
            p->fd[i].events = (short)nfs_which_events(p->link[i].nfs);
        }
        if (poll(p->fd, n, -1) < 0)
            perf_fail_errno("poll");
        for (unsigned i = 0; i < n; i++) {
            if (p->fd[i].revents != 0 && nfs_service(p->link[i].nfs, p->fd[i].revents) < 0)
                perf_fail("libnfs", nfs_get_error(p->link[i].nfs));
        }
    }
}

void nfs_bench_libnfs(struct perf_gate *gate, unsigned thread, void *bench)
{
    const struct nfs_bench *b = bench;
    unsigned slots = b->connections * b->depth;
    struct peer *p = calloc(1, sizeof *p);
    struct slot *slot = calloc(slots, sizeof *slot);

    if (p == NULL || slot == NULL)
        perf_fail("libnfs", "no memory");
    p->bench = b;
    rng_seed(&p->rng, mix64_pair(PERF_SEED, thread));
    for (unsigned i = 0; i < b->connections; i++)
        connect_one(p, &p->link[i]);
    perf_gate_enter(gate);
    for (unsigned i = 0; i < slots; i++) {
        slot[i] = (struct slot){.peer = p, .link = &p->link[i % b->connections]};
        b->kind == NFS_BENCH_META ? begin_meta(&slot[i]) : begin_data(&slot[i]);
    }
    serve(p);
    perf_gate_leave(gate);
    for (unsigned i = 0; i < b->connections; i++)
        nfs_destroy_context(p->link[i].nfs);
    free(slot);
    free(p);
}
