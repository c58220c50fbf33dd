/* unit/calls_rig.h — calls of the NFS client over socket pairs: the test is the server and the ops.
 * Shape    calls_rig_open … post, calls_rig_request, calls_rig_reply …, nfs_turn … calls_rig_close.
 *          Takes the place of nfs_connect and of nfs_op_*; included by one test program each.
 * Limits   128 connections, 256 things heard.
 * Threads  one. */
#ifndef LOADLINE_UNIT_CALLS_RIG_H
#define LOADLINE_UNIT_CALLS_RIG_H

#include "target/nfs_conn_priv.h"
#include "target/nfs_op_priv.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define CALLS_RIG_MS 1000000ull

enum { RIG_ANSWER, RIG_FAILED, RIG_TIMER, RIG_SPARE };

struct heard {
    int what;
    struct nfs_job *job;
    int code;
    uint8_t proc, part, sent;
    uint32_t status; /* of a READ, else the first word behind the header */
    uint32_t landed;
    size_t body;
};

static struct calls_rig {
    struct nfs_target target;
    struct nfs_session session;
    struct nfs_calls *calls;
    struct nfs_job job[64];
    int peer[128];
    unsigned connects;
    unsigned refuse; /* so many connects to come */
    int refusal;     /* with this; 0: ECONNREFUSED */
    struct heard heard[256];
    unsigned hears;
    bool unreadable; /* what nfs_op_answer thinks of the next answer */
    unsigned post_again;
} rig;

int nfs_connect(const struct sockaddr_storage *peer, socklen_t len, bool *reserved)
{
    int sv[2];

    (void)peer;
    (void)len;
    *reserved = true;
    if (rig.refuse > 0) {
        rig.refuse--;
        return rig.refusal != 0 ? rig.refusal : -ECONNREFUSED;
    }
    assert_true(rig.connects < 128);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv), 0);
    rig.peer[rig.connects++] = sv[1];
    return sv[0];
}

static struct heard *rig_hear(int what, struct nfs_job *job)
{
    assert_true(rig.hears < 256);
    rig.heard[rig.hears] = (struct heard){.what = what, .job = job};
    return &rig.heard[rig.hears++];
}

void nfs_op_encode(struct nfs_session *s, const struct nfs_call *call, struct xdr_out *x)
{
    struct nfs3_fh fh = {.len = 8, .data = "fhandle"};

    assert_ptr_equal(s, &rig.session);
    if (call->proc == NFS3_READ)
        nfs3_put_read(x, &fh, call->off, call->len);
    else if (call->proc == NFS3_WRITE)
        nfs3_put_write(x, &fh, call->off, call->len, NFS3_UNSTABLE);
    else
        nfs3_put_fh(x, &fh);
}

static struct nfs_call *rig_post(struct nfs_job *job, enum nfs3_proc proc, void *data, uint32_t len)
{
    struct nfs_call *call = nfs_call_new(rig.calls, job, proc);

    if (call == NULL)
        return NULL;
    call->data = data;
    call->len = len;
    nfs_call_post(rig.calls, call, 7);
    return call;
}

void nfs_op_answer(struct nfs_session *s, struct nfs_call *call, struct nfs_reply *reply)
{
    struct heard *h = rig_hear(RIG_ANSWER, call->job);

    assert_ptr_equal(s, &rig.session);
    h->proc = call->proc;
    h->part = call->part;
    h->sent = call->sent;
    h->landed = reply->landed;
    h->body = xdr_left(&reply->x);
    h->status = reply->read_done ? reply->read.status : xdr_get_u32(&reply->x);
    if (rig.unreadable)
        nfs_call_unreadable(rig.calls, call);
    if (rig.post_again > 0) {
        rig.post_again--;
        assert_non_null(rig_post(call->job, NFS3_GETATTR, NULL, 0));
    }
}

void nfs_op_failed(struct nfs_session *s, struct nfs_call *call, int code)
{
    struct heard *h = rig_hear(RIG_FAILED, call->job);

    assert_ptr_equal(s, &rig.session);
    h->code = code;
    h->sent = call->sent;
    h->proc = call->proc;
}

void nfs_op_timer(struct nfs_session *s, struct nfs_job *job)
{
    assert_ptr_equal(s, &rig.session);
    rig_hear(RIG_TIMER, job);
}

void nfs_op_spare(struct nfs_session *s)
{
    assert_ptr_equal(s, &rig.session);
    rig_hear(RIG_SPARE, NULL);
}

static uint64_t count_of(const _Atomic uint64_t *count)
{
    return atomic_load(count);
}
#define COUNT(name) count_of(&rig.session.counts.name)

static int calls_rig_try(unsigned ops, unsigned clients, unsigned connections, uint64_t timeo_ms)
{
    struct session_spec spec = {.client_first = 7, .clients = clients, .ops_max = ops};
    struct err err = {0};

    rig.session = (struct nfs_session){.target = &rig.target};
    rig.target = (struct nfs_target){.rsize = 1048576, .wsize = 1048576, .readdir_bytes = 65536};
    snprintf(rig.target.address.host, sizeof rig.target.address.host, "filer");
    rig.target.address.connections = connections;
    rig.target.address.timeo_ns = timeo_ms * CALLS_RIG_MS;
    rig.target.address.retrans = 2;
    rpc_cred_sys(&rig.target.cred, "here", 1, 2, NULL, 0);
    rig.connects = 0;
    rig.hears = 0;
    rig.unreadable = false;
    memset(rig.job, 0, sizeof rig.job);

    int rc = nfs_calls_open(&rig.session, &spec, &rig.calls, &err);

    if (rc < 0)
        assert_true(err.text[0] != '\0');
    return rc;
}

static void calls_rig_open(unsigned ops, unsigned clients, unsigned connections, uint64_t timeo_ms)
{
    rig.refuse = 0;
    assert_int_equal(calls_rig_try(ops, clients, connections, timeo_ms), 0);
    assert_int_equal(rig.connects, (clients > 0 ? clients : 1) * connections);
}

static void rig_hang_up(unsigned i)
{
    if (rig.peer[i] >= 0)
        close(rig.peer[i]);
    rig.peer[i] = -1;
}

static void calls_rig_close(void)
{
    nfs_calls_close(rig.calls);
    for (unsigned i = 0; i < rig.connects; i++)
        rig_hang_up(i);
}

/* One turn, bounded: a test that waits for what does not come fails by what it asserts next. */
static bool rig_turn(void)
{
    return nfs_turn(rig.calls, nfs_clock_ns() + 2000 * CALLS_RIG_MS);
}

#endif
