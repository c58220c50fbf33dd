/* A session: what it takes, what it hands out, and what waits in between. */
#include "target/nfs_op_priv.h"

#include <errno.h>
#include <stdlib.h>

#define HANDLES_MIN 16

/* With thousands of streams on a worker the most of what there is are these. */
_Static_assert(sizeof(struct nfs_job) + sizeof(struct nfs_call) + sizeof(struct nfs_job *) <= 512,
               "an idle op takes no more than this");

static struct nfs_session *nfs_session_of(struct session *s)
{
    return (struct nfs_session *)s;
}

static void ops_free(struct nfs_ops *o)
{
    if (o == NULL)
        return;
    nfs_files_fini(&o->files);
    nfs_dirs_fini(&o->dirs);
    nfs_unstable_fini(&o->unstable);
    for (unsigned i = 0; i < o->again_free; i++)
        free(o->again_buf[i]);
    for (unsigned i = 0; o->job != NULL && i < o->room; i++) /* of jobs that never end now */
        free(o->job[i].again.buf);
    free(o->job);
    free(o);
}

static int ops_new(struct nfs_session *s, const struct session_spec *spec)
{
    unsigned ops_max = spec->ops_max > 0 ? spec->ops_max : 1;
    unsigned handles = spec->handles_max > HANDLES_MIN ? spec->handles_max : HANDLES_MIN;
    struct nfs_ops *o = calloc(1, sizeof *o);

    s->ops = o;
    if (o == NULL)
        return -ENOMEM;
    o->room = ops_max;
    o->names = spec->names;
    o->remake = spec->remake;
    o->resolve_always = spec->resolve_always;
    o->done_last = &o->done;
    o->for_call.last = &o->for_call.first;
    o->for_buffer.last = &o->for_buffer.first;
    o->job = calloc(ops_max, sizeof *o->job);
    if (o->job == NULL || nfs_files_init(&o->files, handles) < 0 ||
        nfs_dirs_init(&o->dirs, &s->target->root, spec->dirs_max) < 0 ||
        nfs_unstable_init(&o->unstable, NFS_RECORDS_MAX) < 0)
        return -ENOMEM;
    for (unsigned i = ops_max; i-- > 0;) {
        o->job[i].next = o->free;
        o->free = &o->job[i];
    }
    return 0;
}

static void enlist(struct nfs_session *s)
{
    struct nfs_target *t = s->target;

    pthread_mutex_lock(&t->lock);
    s->next = t->sessions;
    t->sessions = s;
    pthread_mutex_unlock(&t->lock);
}

static void delist(struct nfs_session *s)
{
    struct nfs_target *t = s->target;
    struct nfs_session **at = &t->sessions;

    pthread_mutex_lock(&t->lock);
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    nfs_counts_keep(t, s);
    pthread_mutex_unlock(&t->lock);
}

int nfs_session_open(struct target *base, const struct session_spec *spec, struct session **out,
                     struct err *err)
{
    struct nfs_session *s = calloc(1, sizeof *s);
    int rc;

    if (s == NULL)
        return err_set(err, -ENOMEM, "no memory for a session of an NFS server");
    s->target = (struct nfs_target *)base;
    rc = ops_new(s, spec);
    if (rc < 0)
        err_set(err, rc, "no memory for %u ops of an NFS server at once", spec->ops_max);
    else
        rc = nfs_calls_open(s, spec, &s->calls, err);
    if (rc < 0) {
        ops_free(s->ops);
        free(s);
        return rc;
    }
    enlist(s);
    *out = (struct session *)s;
    return 0;
}

void nfs_session_close(struct session *base)
{
    struct nfs_session *s = nfs_session_of(base);

    if (s == NULL)
        return;
    nfs_calls_end(s->calls);
    delist(s);
    nfs_calls_close(s->calls);
    ops_free(s->ops);
    free(s);
}

/* A handle is gone after CLOSE however it ended, and never was when it was not opened. */
static void let_go(struct nfs_session *s, struct nfs_job *job, int64_t res)
{
    struct nfs_ops *o = s->ops;
    enum op_kind kind = job->op->kind;
    bool opens = kind == OP_OPEN || kind == OP_CREATE;

    nfs_commit_drop(s, job);
    if (job->file == NFS_NONE || !(kind == OP_CLOSE || (opens && res < 0)))
        return;
    nfs_unstable_drop(&o->unstable, &nfs_job_file(s, job)->unstable);
    nfs_files_give(&o->files, job->file);
}

void nfs_job_done(struct nfs_session *s, struct nfs_job *job, int64_t res)
{
    struct nfs_ops *o = s->ops;
    struct op *op = job->op;

    let_go(s, job, res);
    if (op->kind < OP_KINDS)
        nfs_count(&s->counts.ops[op->kind], 1);
    op->res = res;
    op->next = NULL;
    *o->done_last = op;
    o->done_last = &op->next;
    o->ready++;
    job->op = NULL;
    job->next = o->free;
    o->free = job;
}

int nfs_submit(struct session *base, struct op *const ops[], unsigned n)
{
    struct nfs_session *s = nfs_session_of(base);
    struct nfs_ops *o = s->ops;
    unsigned taken = 0;

    /* An op keeps its place until it is reaped, though its job ends before. */
    for (struct nfs_job *job; taken < n && (job = o->free) != NULL && o->held < o->room; taken++) {
        o->free = job->next;
        o->held++;
        job->op = ops[taken];
        nfs_job_begin(s, job);
    }
    if (taken > 0)
        nfs_flush(s->calls);
    return (int)taken;
}

static unsigned take_done(struct nfs_ops *o, struct op *done[], unsigned max)
{
    unsigned taken = 0;

    for (struct op *op; taken < max && (op = o->done) != NULL; taken++) {
        done[taken] = op;
        o->done = op->next;
    }
    if (o->done == NULL)
        o->done_last = &o->done;
    o->ready -= taken;
    o->held -= taken;
    return taken;
}

/* Turns until `want` are ready, once at least. */
static void turn_for(struct nfs_session *s, unsigned want, uint64_t until_ns)
{
    struct nfs_ops *o = s->ops;

    while (o->ready < want) {
        if (nfs_turn(s->calls, until_ns) || nfs_calls_now(s->calls) >= until_ns)
            break;
    }
    /* What answers led to goes out before the caller turns to its own work. */
    nfs_flush(s->calls);
}

int nfs_reap(struct session *base, struct op *done[], unsigned min, unsigned max, uint64_t until_ns)
{
    struct nfs_session *s = nfs_session_of(base);
    struct nfs_ops *o = s->ops;
    unsigned want = min > 1 ? min : 1;

    if (o->held > 0 && want > o->held)
        want = o->held;
    if (want > max)
        want = max;
    if (o->ready < want)
        turn_for(s, want, min > 0 ? until_ns : 0);
    return (int)take_done(o, done, max);
}

void nfs_session_wake(struct session *s)
{
    nfs_wake(nfs_session_of(s)->calls);
}

void nfs_session_calls_window(struct session *s, uint64_t open_ns, uint64_t close_ns)
{
    nfs_calls_window(nfs_session_of(s)->calls, open_ns, close_ns);
}

const struct hist *nfs_session_calls(struct session *s, unsigned i, const char **name)
{
    return nfs_calls_hist(nfs_session_of(s)->calls, i, name);
}
