/* Connections and calls of a session: made, and given back. */
#include "target/nfs_conn_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <unistd.h>

/* Connections that are being made at once: a listener's queue is not endless, and who does not fit in
 * waits a second for the kernel's next try. */
#define OPENING_MAX  64
#define LISTING_ROOM 4096u

static void make_head(struct nfs_calls *c)
{
    struct nfs_bytes *b = &c->part->bytes;
    struct xdr_out x = xdr_out(b->head + RPC_MARK_BYTES, RPC_CALL_HEAD_MAX);

    rpc_put_call(&x, 0, NFS3_PROGRAM, NFS3_VERSION, 0, &c->session->target->cred);
    b->head_len = (uint32_t)(x.at - b->head);
    b->batch.out_room = NFS_OUT_BYTES;
    b->batch.calls_max = NFS_OUT_CALLS;
    b->batch.call_len = b->call_len;
    b->batch.iov = b->iov;
}

static void size_replies(struct nfs_calls_part *p, const struct nfs_target *t)
{
    /* A server may go a little beyond what a listing was asked to have. */
    p->list_max = 2 * t->readdir_bytes + LISTING_ROOM;
    p->record_max = NFS_HEAD_MAX + t->rsize + 3;
    if (p->record_max < p->list_max)
        p->record_max = p->list_max;
}

static void place_calls(struct nfs_calls *c)
{
    uint32_t seed = 0;

    while ((1u << c->place_bits) < c->calls)
        c->place_bits++;
    /* Not where the last program on this machine began: servers remember xids for a while. */
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) < 0)
        seed = (uint32_t)nfs_clock_ns();
    c->base_xid = seed << c->place_bits;
    for (unsigned i = c->calls; i-- > 0;) {
        c->call[i].xid = c->base_xid | i;
        c->call[i].older = c->free_call;
        c->free_call = &c->call[i];
        if (c->free_last == NULL)
            c->free_last = &c->call[i];
    }
}

static int allocate(struct nfs_calls *c, uint32_t rsize)
{
    struct nfs_calls_part *p = c->part;
    /* Memory that is seldom written to costs none. */
    size_t scattered_max = NFS_GUESS_MOST + NFS_GUESSES * NFS_GUESS_HEAD + NFS_IN_BYTES + rsize;

    c->conn = calloc(c->conns, sizeof c->conn[0]);
    c->call = calloc(c->calls, sizeof c->call[0]);
    p->timer = calloc(p->timers_max, sizeof p->timer[0]);
    p->hist = calloc(NFS3_PROCS, sizeof p->hist[0]);
    p->bytes.in = malloc(NFS_GUESSES * NFS_GUESS_HEAD + NFS_IN_BYTES);
    p->bytes.in_order = malloc(scattered_max);
    p->bytes.aside = malloc((size_t)NFS_GUESS_MOST + rsize);
    p->bytes.batch.out = malloc(NFS_OUT_BYTES);
    if (c->conn == NULL || c->call == NULL || p->timer == NULL || p->hist == NULL ||
        p->bytes.in == NULL || p->bytes.in_order == NULL || p->bytes.aside == NULL ||
        p->bytes.batch.out == NULL)
        return -ENOMEM;
    for (unsigned i = 0; i < c->conns; i++)
        c->conn[i].fd = -1;
    p->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return p->wake_fd < 0 ? -errno : 0;
}

static int choose_waiter(struct nfs_calls *c, unsigned ops_max)
{
    int rc;

    if (c->conns >= NFS_URING_CONNS && ops_max <= c->conns) {
        rc = nfs_waiter_uring.open(c);
        if (rc == 0) {
            c->waiter = &nfs_waiter_uring;
            c->part->by_uring = true;
            return 0;
        }
        c->part->why_not_uring = strerrordesc_np(-rc);
    }
    rc = nfs_waiter_poll.open(c);
    if (rc == 0)
        c->waiter = &nfs_waiter_poll;
    return rc;
}

static int set_up(struct nfs_calls *c, const struct session_spec *spec)
{
    const struct nfs_target *t = c->session->target;
    struct nfs_calls_part *p = c->part;

    c->counts = &c->session->counts;
    c->client_first = spec->client_first;
    c->per_client = t->address.connections > 0 ? t->address.connections : 1;
    c->conns = c->per_client * (spec->clients > 0 ? spec->clients : 1);
    c->calls = spec->ops_max + NFS_CALLS_SPARE;
    p->timers_max = c->calls;
    p->timeo_ns = t->address.timeo_ns;
    p->budget_ns = p->timeo_ns * (t->address.retrans + 1ull);
    wake_init(&p->wake);
    size_replies(p, t);

    int rc = allocate(c, t->rsize);

    if (rc < 0)
        return rc;
    make_head(c);
    place_calls(c);
    c->now_ns = nfs_clock_ns();
    return choose_waiter(c, spec->ops_max);
}

/* Begins what is to be begun; returns how many are made. */
static unsigned begin_some(struct nfs_calls *c)
{
    unsigned made = 0;
    unsigned being_made = 0;

    for (unsigned i = 0; i < c->conns && being_made < OPENING_MAX; i++) {
        struct nfs_conn *conn = &c->conn[i];

        if (conn->state == NFS_CONN_DOWN && c->part->open_code == 0)
            nfs_conn_try(c, conn);
        made += conn->state == NFS_CONN_UP;
        being_made += conn->state == NFS_CONN_CONNECTING;
    }
    return made;
}

static int connect_all(struct nfs_calls *c)
{
    struct nfs_calls_part *p = c->part;
    uint64_t until_ns = c->now_ns + p->timeo_ns;

    p->opening = true;
    while (p->open_code == 0 && begin_some(c) < c->conns) {
        if (c->now_ns >= until_ns)
            p->open_code = -ETIMEDOUT;
        else if (p->open_code == 0)
            c->waiter->wait(c, until_ns);
    }
    p->opening = false;
    c->check_ns = c->now_ns + p->timeo_ns;
    return p->open_code == 0 || nfs_conns_away(c, p->open_code) ? 0 : p->open_code;
}

int nfs_calls_open(struct nfs_session *s, const struct session_spec *spec, struct nfs_calls **out,
                   struct err *err)
{
    const char *host = s->target->address.host;
    struct nfs_calls *c = calloc(1, sizeof *c);
    struct nfs_calls_part *p = calloc(1, sizeof *p);
    int rc;

    if (c == NULL || p == NULL) {
        free(c);
        free(p);
        return err_set(err, -ENOMEM, "no memory for a session of nfs:");
    }
    c->session = s;
    c->part = p;
    p->wake_fd = -1;
    p->why_not_uring = "";
    pthread_mutex_init(&p->fds, NULL);
    rc = set_up(c, spec);
    if (rc == 0)
        rc = connect_all(c);
    if (rc < 0) {
        unsigned conns = c->conns;

        nfs_calls_close(c);
        return err_sys(err, rc, "cannot have %u connection%s to %s", conns, conns == 1 ? "" : "s",
                       host);
    }
    *out = c;
    return 0;
}

void nfs_calls_close(struct nfs_calls *c)
{
    struct nfs_calls_part *p = c->part;

    for (unsigned i = 0; c->conn != NULL && i < c->conns; i++) {
        nfs_conn_close(c, &c->conn[i]);
        free(c->conn[i].in.part);
    }
    if (c->waiter != NULL)
        c->waiter->close(c);
    if (p->wake_fd >= 0)
        close(p->wake_fd);
    pthread_mutex_destroy(&p->fds);
    free(p->bytes.in);
    free(p->bytes.in_order);
    free(p->bytes.aside);
    free(p->bytes.batch.out);
    free(p->hist);
    free(p->timer);
    free(c->conn);
    free(c->call);
    free(p);
    free(c);
}
