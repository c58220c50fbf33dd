/* unit/ops_rig.h — ops of the NFS client without a wire: the calls are handed to a toy server in the order in
 * which they were posted, and time goes on when nothing is under way.
 * Shape    ops_rig_open … ops_rig_do or submit and reap … ops_rig_close. Takes the place of nfs_call.c;
 *          `toy_answer` (toy_server.h) is the server.
 * Limits   64 calls at once.
 * Threads  one. */
#ifndef LOADLINE_UNIT_OPS_RIG_H
#define LOADLINE_UNIT_OPS_RIG_H

#include "target/nfs_op_priv.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define RIG_CALLS 64

/* Answers a call whose arguments are in `args`: writes the results, or returns what the call fails with. */
static int toy_answer(const struct nfs_call *call, struct xdr_in *args, struct xdr_out *results,
                      struct nfs_reply *reply);

static struct ops_rig {
    struct nfs_target target;
    struct nfs_session *s;
    struct nfs_call call[RIG_CALLS];
    unsigned calls_max;
    bool used[RIG_CALLS];
    bool starved;
    struct nfs_call *posted[RIG_CALLS];
    unsigned under_way;
    unsigned most_under_way;
    unsigned made; /* calls so far */
    unsigned made_of[NFS3_PROCS];
    unsigned unreadable;
    unsigned sent;              /* how often each call goes out … */
    bool sent_once[NFS3_PROCS]; /* … but for these */
    struct nfs_job *timed;
    uint64_t now_ns;
    unsigned waits; /* for a timer */
} rig;

/* ---- nfs_call_priv.h ---- */

int nfs_calls_open(struct nfs_session *s, const struct session_spec *spec, struct nfs_calls **out,
                   struct err *err)
{
    (void)spec;
    (void)err;
    rig.s = s;
    *out = (struct nfs_calls *)&rig;
    return 0;
}

void nfs_calls_end(struct nfs_calls *c)
{
    assert_ptr_equal(c, &rig);
}

void nfs_calls_close(struct nfs_calls *c)
{
    assert_ptr_equal(c, &rig);
}

struct nfs_call *nfs_call_new(struct nfs_calls *c, struct nfs_job *job, enum nfs3_proc proc)
{
    (void)c;
    for (unsigned i = 0; i < rig.calls_max; i++) {
        if (rig.used[i])
            continue;
        rig.used[i] = true;
        rig.call[i] = (struct nfs_call){.job = job, .proc = (uint8_t)proc};
        return &rig.call[i];
    }
    rig.starved = true;
    return NULL;
}

void nfs_call_post(struct nfs_calls *c, struct nfs_call *call, uint32_t client)
{
    (void)c;
    (void)client;
    rig.posted[rig.under_way++] = call;
    rig.made++;
    rig.made_of[call->proc]++;
    if (rig.under_way > rig.most_under_way)
        rig.most_under_way = rig.under_way;
}

void nfs_call_unreadable(struct nfs_calls *c, struct nfs_call *call)
{
    (void)c;
    (void)call;
    rig.unreadable++;
}

void nfs_timer(struct nfs_calls *c, struct nfs_job *job, uint64_t due_ns)
{
    (void)c;
    assert_null(rig.timed);
    assert_int_equal(job->calls, 0);
    job->due_ns = due_ns;
    rig.timed = job;
}

void nfs_flush(struct nfs_calls *c)
{
    (void)c;
}

uint64_t nfs_calls_now(const struct nfs_calls *c)
{
    (void)c;
    return rig.now_ns;
}

void nfs_calls_facts(struct nfs_calls *c, struct nfs_conn_facts *out)
{
    (void)c;
    *out = (struct nfs_conn_facts){.why_not_uring = ""};
}

void nfs_wake(struct nfs_calls *c)
{
    (void)c;
}

void nfs_calls_window(struct nfs_calls *c, uint64_t open_ns, uint64_t close_ns)
{
    (void)c;
    (void)open_ns;
    (void)close_ns;
}

const struct hist *nfs_calls_hist(struct nfs_calls *c, unsigned i, const char **name)
{
    (void)c;
    (void)i;
    (void)name;
    return NULL;
}

/* nfs_facts.c would ask the connections. */
void nfs_counts_keep(struct nfs_target *t, struct nfs_session *from)
{
    (void)t;
    (void)from;
}

static void rig_answer(struct nfs_call *call)
{
    static unsigned char args[NFS3_ARGS_MAX], results[65536];
    struct xdr_out put = xdr_out(args, sizeof args), got = xdr_out(results, sizeof results);
    struct nfs_reply reply = {.landed = 0};
    struct xdr_in in;
    int code;

    nfs_op_encode(rig.s, call, &put);
    assert_false(put.bad);
    in = xdr_in(args, (size_t)(put.at - args));
    call->sent = rig.sent_once[call->proc] ? 1 : (uint8_t)rig.sent;
    code = toy_answer(call, &in, &got, &reply);
    reply.x = xdr_in(results, (size_t)(got.at - results));
    if (code < 0)
        nfs_op_failed(rig.s, call, code);
    else
        nfs_op_answer(rig.s, call, &reply);
    rig.used[call - rig.call] = false;
    if (rig.starved) {
        rig.starved = false;
        nfs_op_spare(rig.s);
    }
}

bool nfs_turn(struct nfs_calls *c, uint64_t until_ns)
{
    struct nfs_job *job = rig.timed;

    (void)c;
    if (rig.under_way > 0) {
        struct nfs_call *call = rig.posted[0];

        memmove(rig.posted, rig.posted + 1, --rig.under_way * sizeof(struct nfs_call *));
        rig_answer(call);
    } else if (job != NULL && job->due_ns <= until_ns) {
        rig.now_ns = job->due_ns;
        rig.timed = NULL;
        rig.waits++;
        nfs_op_timer(rig.s, job);
    } else {
        assert_true(until_ns != UINT64_MAX); /* else it would wait for ever */
        rig.now_ns = until_ns;
    }
    return false;
}

/* ---- for tests ---- */

static inline int rig_node_parent(const void *ctx, uint64_t node, uint64_t *parent,
                                  char leaf[TARGET_LEAF_MAX])
{
    (void)ctx;
    if (node == TARGET_NODE_ROOT || node > 99999)
        return -EINVAL;
    *parent = node / 10;
    snprintf(leaf, TARGET_LEAF_MAX, "d%u", (unsigned)node);
    return 0;
}

static struct session *ops_rig_open(struct session_spec spec, enum nfs_sync sync)
{
    struct session *s = NULL;
    struct err err = {0};

    rig = (struct ops_rig){.calls_max = RIG_CALLS, .sent = 1, .now_ns = 1};
    rig.target = (struct nfs_target){.rsize = 16, .wsize = 16, .readdir_bytes = 8192};
    rig.target.address = (struct nfs_address){.sync = sync, .timeo_ns = 1000000000, .retrans = 2};
    rig.target.root = (struct nfs3_fh){.len = 4, .data = {0}};
    pthread_mutex_init(&rig.target.lock, NULL);
    spec.names.parent = rig_node_parent;
    if (spec.ops_max == 0)
        spec.ops_max = 8;
    assert_int_equal(nfs_session_open((struct target *)&rig.target, &spec, &s, &err), 0);
    return s;
}

static void ops_rig_close(struct session *s)
{
    nfs_session_close(s);
    pthread_mutex_destroy(&rig.target.lock);
}

static int64_t ops_rig_do(struct session *s, struct op *op)
{
    struct op *done = NULL;

    assert_int_equal(nfs_submit(s, &op, 1), 1);
    assert_int_equal(nfs_reap(s, &done, 1, 1, UINT64_MAX), 1);
    assert_ptr_equal(done, op);
    return op->res;
}

#define COUNT(name) (unsigned)atomic_load(&rig.s->counts.name)

#endif
