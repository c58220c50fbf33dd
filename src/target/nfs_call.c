/* Calls: places in one array, whose number and use make the xid. Turns: send, wait, hand out. */
#include "target/nfs_conn_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

uint64_t nfs_clock_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

uint64_t nfs_calls_now(const struct nfs_calls *c)
{
    return c->now_ns;
}

/* ---- calls ---- */

struct nfs_call *nfs_call_new(struct nfs_calls *c, struct nfs_job *job, enum nfs3_proc proc)
{
    struct nfs_call *call = c->free_call;

    if (call == NULL) {
        c->starved = true;
        return NULL;
    }
    c->free_call = call->older;
    if (c->free_call == NULL)
        c->free_last = NULL;
    *call = (struct nfs_call){
        .job = job, .proc = (uint8_t)proc, .xid = call->xid + (1u << c->place_bits)};
    return call;
}

void nfs_to_send(struct nfs_calls *c, struct nfs_conn *conn)
{
    if (conn->listed)
        return;
    conn->listed = true;
    conn->next = c->to_send;
    c->to_send = conn;
}

static struct nfs_conn *choose(struct nfs_calls *c, uint32_t client)
{
    struct nfs_conn *first = &c->conn[(client - c->client_first) * c->per_client];
    uint32_t turn = 0;

    if (c->per_client > 1) {
        turn = first->turn;
        first->turn = turn + 1 == c->per_client ? 0 : turn + 1;
    }
    return first + turn;
}

void nfs_call_post(struct nfs_calls *c, struct nfs_call *call, uint32_t client)
{
    struct nfs_conn *conn = choose(c, client);

    call->conn = (uint32_t)(conn - c->conn);
    call->state = NFS_CALL_QUEUED;
    call->older = conn->newest;
    call->newer = NULL;
    if (conn->newest != NULL)
        conn->newest->newer = call;
    else
        conn->oldest = call;
    conn->newest = call;
    conn->under_way++;
    conn->big += call->proc == NFS3_READ && call->len >= NFS_BIG_READ;
    if (conn->out.unsent == NULL)
        conn->out.unsent = call;
    nfs_count(&c->counts->calls[call->proc], 1);
    if (conn->state == NFS_CONN_UP)
        nfs_to_send(c, conn);
    else
        nfs_conn_missed(c, conn, call);
}

static void unlist(struct nfs_conn *conn, struct nfs_call *call)
{
    if (call->older != NULL)
        call->older->newer = call->newer;
    else
        conn->oldest = call->newer;
    if (call->newer != NULL)
        call->newer->older = call->older;
    else
        conn->newest = call->older;
    if (conn->out.unsent == call)
        conn->out.unsent = call->newer;
    conn->under_way--;
    conn->big -= call->proc == NFS3_READ && call->len >= NFS_BIG_READ;
}

/* Behind all others: an xid comes again as late as can be, and what a server remembers of the call before by
 * that xid is forgotten. */
static void give_place(struct nfs_calls *c, struct nfs_call *call)
{
    call->state = NFS_CALL_FREE;
    call->older = NULL;
    *(c->free_last != NULL ? &c->free_last->older : &c->free_call) = call;
    c->free_last = call;
}

void nfs_call_end(struct nfs_calls *c, struct nfs_conn *conn, struct nfs_call *call,
                  struct nfs_reply *reply, int code)
{
    unlist(conn, call);
    call->state = NFS_CALL_ENDING;
    c->came++;
    if (reply != NULL && c->now_ns >= c->count_open_ns && c->now_ns < c->count_close_ns)
        hist_record(&c->part->hist[call->proc], c->now_ns - call->first_ns);
    if (reply != NULL)
        nfs_op_answer(c->session, call, reply);
    else
        nfs_op_failed(c->session, call, code);
    give_place(c, call);
    if (c->starved) {
        c->starved = false;
        nfs_op_spare(c->session);
    }
}

static struct nfs_call *at_place(const struct nfs_calls *c, uint32_t xid)
{
    uint32_t place = xid & ((1u << c->place_bits) - 1);

    return place < c->calls ? &c->call[place] : NULL;
}

static bool is_out(const struct nfs_calls *c, const struct nfs_conn *conn,
                   const struct nfs_call *call, uint32_t xid)
{
    return call != NULL && call->xid == xid && call->state == NFS_CALL_SENT &&
           call->conn == (uint32_t)(conn - c->conn);
}

bool nfs_call_is_out(const struct nfs_calls *c, const struct nfs_conn *conn, uint32_t xid)
{
    return is_out(c, conn, at_place(c, xid), xid);
}

struct nfs_call *nfs_call_find(struct nfs_calls *c, const struct nfs_conn *conn, uint32_t xid)
{
    struct nfs_call *call = at_place(c, xid);

    if (is_out(c, conn, call, xid))
        return call;

    /* How far back its use lies, against how often the place was used at all. */
    uint32_t ago = call != NULL ? (call->xid - xid) >> c->place_bits : 0;
    uint32_t uses = call != NULL ? (call->xid - c->base_xid) >> c->place_bits : 0;
    bool had_answer = call != NULL && (ago > 0 || call->state == NFS_CALL_FREE);

    nfs_count(had_answer && ago < uses ? &c->counts->replies_late : &c->counts->replies_unknown, 1);
    return NULL;
}

void nfs_call_unreadable(struct nfs_calls *c, struct nfs_call *call)
{
    nfs_count(&c->counts->replies_bad, 1);
    c->conn[call->conn].life.unreadable = true;
}

/* ---- turns ---- */

void nfs_flush(struct nfs_calls *c)
{
    if (c->to_send == NULL)
        return;
    c->now_ns = nfs_clock_ns();
    for (struct nfs_conn *conn; (conn = c->to_send) != NULL;) {
        c->to_send = conn->next;
        conn->listed = false;
        if (conn->state == NFS_CONN_UP && !conn->blocked)
            c->waiter->send(c, conn);
    }
}

static uint64_t wait_until(const struct nfs_calls *c, uint64_t until_ns)
{
    uint64_t due_ns = nfs_timer_next(c);

    if (c->check_ns < due_ns)
        due_ns = c->check_ns;
    return due_ns < until_ns ? due_ns : until_ns;
}

bool nfs_turn(struct nfs_calls *c, uint64_t until_ns)
{
    uint64_t came = c->came;
    bool woken;

    do {
        nfs_flush(c);
        woken = wake_take(&c->part->wake);
        c->waiter->wait(c, woken || c->came != came ? 0 : wait_until(c, until_ns));
        woken |= wake_take(&c->part->wake);
        nfs_timer_run(c);
        nfs_conn_check(c);
    } while (!woken && c->came == came && c->now_ns < until_ns);
    return woken;
}

void nfs_wake(struct nfs_calls *c)
{
    static const uint64_t once = 1;

    if (atomic_fetch_or_explicit(&c->part->wake.set, WAKE_ASKED, memory_order_release) == 0)
        (void)!write(c->part->wake_fd, &once, sizeof once);
}

/* ---- the account of calls ---- */

void nfs_calls_window(struct nfs_calls *c, uint64_t open_ns, uint64_t close_ns)
{
    c->count_open_ns = open_ns;
    c->count_close_ns = close_ns;
}

const struct hist *nfs_calls_hist(struct nfs_calls *c, unsigned i, const char **name)
{
    if (i >= NFS3_PROCS)
        return NULL;
    *name = nfs3_proc_name((enum nfs3_proc)i);
    return &c->part->hist[i];
}
