/* A job from the op to its end: its stages, the walk to its directory, what is tried again, and the way of
 * arguments and answers to the part whose they are. */
#include "target/nfs_op_priv.h"

#include <errno.h>
#include <stddef.h>

#define LATER_FIRST_NS 10000000u /* JUKEBOX: doubles to LATER_MOST_NS */
#define LATER_MOST_NS  1000000000u

/* ---- lists ---- */

void nfs_jobs_push(struct nfs_jobs *list, struct nfs_job *job)
{
    if (job->waits)
        return;
    job->waits = true;
    job->next = NULL;
    *list->last = job;
    list->last = &job->next;
}

struct nfs_job *nfs_jobs_pop(struct nfs_jobs *list)
{
    struct nfs_job *job = list->first;

    if (job == NULL)
        return NULL;
    list->first = job->next;
    if (list->first == NULL)
        list->last = &list->first;
    job->waits = false;
    return job;
}

/* ---- names ---- */

/* A name stays in its directory: this is what keeps every op under the target. */
bool nfs_leaf_is_name(const char *leaf)
{
    if (leaf == NULL || leaf[0] == '\0' || strchr(leaf, '/') != NULL)
        return false;
    return leaf[0] != '.' || (leaf[1] != '\0' && (leaf[1] != '.' || leaf[2] != '\0'));
}

int nfs_node_leaf(const struct nfs_session *s, uint64_t node, uint64_t *parent,
                  char leaf[TARGET_LEAF_MAX])
{
    const struct target_names *names = &s->ops->names;
    int rc;

    if (node == TARGET_NODE_ROOT || names->parent == NULL)
        return -EINVAL;
    rc = names->parent(names->ctx, node, parent, leaf);
    if (rc < 0)
        return rc;
    return nfs_leaf_is_name(leaf) ? 0 : -EINVAL;
}

/* ---- calls of a job ---- */

struct nfs_call *nfs_job_call(struct nfs_session *s, struct nfs_job *job, enum nfs3_proc proc)
{
    struct nfs_call *call = nfs_call_new(s->calls, job, proc);

    if (call == NULL) {
        nfs_jobs_push(&s->ops->for_call, job);
        return NULL;
    }
    call->part = job->stage;
    call->data = NULL;
    call->len = 0;
    call->off = 0;
    job->calls++;
    nfs_count(&s->counts.op_calls[job->op->kind], 1);
    return call;
}

void nfs_job_ask(struct nfs_session *s, struct nfs_job *job, enum nfs3_proc proc)
{
    struct nfs_call *call = nfs_job_call(s, job, proc);

    if (call != NULL)
        nfs_job_post(s, call);
}

int nfs_job_bad(struct nfs_session *s, struct nfs_call *call)
{
    nfs_call_unreadable(s->calls, call);
    return -EBADMSG;
}

void nfs_job_fail(struct nfs_session *s, struct nfs_job *job, int code)
{
    if (job->res == 0)
        job->res = code;
    if (job->calls > 0 || job->waits)
        return;
    if (job->stage >= NFS_STAGE_COMMIT)
        nfs_commit_ended(s, job, (int)job->res);
    else
        nfs_job_done(s, job, job->res);
}

/* ---- what is tried again ---- */

void nfs_job_later(struct nfs_session *s, struct nfs_job *job)
{
    const struct nfs_address *a = &s->target->address;
    uint64_t now_ns = nfs_calls_now(s->calls);
    uint64_t wait_ns = (uint64_t)LATER_FIRST_NS << (job->tries < 7 ? job->tries : 7);

    if (job->later_ns == 0)
        job->later_ns = now_ns;
    job->put_off = false;
    job->tries++;
    if (now_ns - job->later_ns > a->timeo_ns * (a->retrans + 1)) {
        nfs_job_fail(s, job, -ETIMEDOUT);
        return;
    }
    nfs_count(&s->counts.jukebox_retries, 1);
    nfs_timer(s->calls, job, now_ns + (wait_ns < LATER_MOST_NS ? wait_ns : LATER_MOST_NS));
}

static void walk_anew(struct nfs_session *s, struct nfs_job *job)
{
    int rc;

    nfs_dirs_forget(&s->ops->dirs, job->walk.at);
    nfs_dirs_forget(&s->ops->dirs, job->op->node);
    nfs_count(&s->counts.stale_directories, 1);
    job->stale_before = true;
    rc = nfs_names_base(s, job);
    if (rc < 0)
        nfs_job_done(s, job, rc);
    else
        nfs_job_enter(s, job, NFS_STAGE_WALK);
}

/* The handle of a directory that somebody else removed and maybe made anew. */
static bool is_stale(const struct nfs_job *job, uint32_t status)
{
    return status == NFS3ERR_STALE && !job->stale_before && job->stage <= NFS_STAGE_MAIN &&
           job->walk.at != TARGET_NODE_ROOT;
}

bool nfs_job_retried(struct nfs_session *s, struct nfs_job *job, uint32_t status)
{
    if (status == NFS3ERR_JUKEBOX) {
        nfs_job_later(s, job);
        return true;
    }
    job->later_ns = 0;
    job->tries = 0;
    if (!is_stale(job, status))
        return false;
    walk_anew(s, job);
    return true;
}

/* ---- the walk ---- */

/* The deepest directory on the way to the base whose handle is known, and the one below it. */
static int walk_from(struct nfs_session *s, struct nfs_job *job)
{
    struct nfs_walk *w = &job->walk;
    char leaf[TARGET_LEAF_MAX];
    uint64_t node = w->base;
    int rc;

    w->look = node;
    for (unsigned depth = 0; depth <= NFS_DEPTH_MAX; depth++) {
        const struct nfs_dir *dir = NULL;

        if (w->dir.len > 0 && node == w->at)
            return 0;
        if (node == TARGET_NODE_ROOT || !(s->ops->resolve_always || job->stale_before))
            dir = nfs_dirs_find(&s->ops->dirs, node);
        if (dir != NULL) {
            w->dir = dir->fh;
            w->at = node;
            return 0;
        }
        w->look = node;
        rc = nfs_node_leaf(s, node, &node, leaf);
        if (rc < 0)
            return rc;
    }
    return -ENAMETOOLONG;
}

static void walk(struct nfs_session *s, struct nfs_job *job)
{
    int rc = walk_from(s, job);

    if (rc < 0)
        nfs_job_done(s, job, rc);
    else if (job->walk.at == job->walk.base)
        nfs_job_enter(s, job, NFS_STAGE_MAIN);
    else
        nfs_job_ask(s, job, NFS3_LOOKUP);
}

static void walk_encode(struct nfs_session *s, const struct nfs_call *call, struct xdr_out *x)
{
    const struct nfs_walk *w = &call->job->walk;
    char leaf[TARGET_LEAF_MAX] = "";
    uint64_t parent;

    if (nfs_node_leaf(s, w->look, &parent, leaf) < 0)
        x->bad = true;
    nfs3_put_name(x, &w->dir, leaf);
}

static void walked(struct nfs_session *s, struct nfs_call *call, struct nfs_reply *reply)
{
    struct nfs_job *job = call->job;
    struct nfs_walk *w = &job->walk;
    struct nfs3_found found;

    if (nfs3_get_found(&reply->x, NFS3_LOOKUP, &found) < 0 ||
        (found.status == NFS3_OK && found.fh.len == 0)) {
        nfs_job_done(s, job, nfs_job_bad(s, call));
    } else if (nfs_job_retried(s, job, found.status)) {
        return;
    } else if (found.status != NFS3_OK) {
        nfs_job_done(s, job, nfs3_errno(found.status));
    } else if (found.attr.known && found.attr.type != NFS3_DIR) {
        nfs_job_done(s, job, found.attr.type == NFS3_LNK ? -ELOOP : -ENOTDIR);
    } else {
        if (s->ops->resolve_always)
            nfs_count(&s->counts.lookups_again, 1);
        nfs_dirs_keep(&s->ops->dirs, w->look, &found.fh);
        w->at = w->look;
        w->dir = found.fh;
        walk(s, job);
    }
}

/* ---- stages ---- */

static void clear(struct nfs_job *job)
{
    struct op *op = job->op;

    memset(job, 0, offsetof(struct nfs_job, walk));
    job->op = op;
    job->file = NFS_NONE;
    if (op->kind != OP_READ && op->kind != OP_WRITE && op->kind != OP_APPEND)
        job->walk = (struct nfs_walk){.at = TARGET_NODE_ROOT};
}

void nfs_job_begin(struct nfs_session *s, struct nfs_job *job)
{
    struct op *op = job->op;

    op->extra = 0;
    clear(job);
    switch (op->kind) {
    case OP_NOP:
        nfs_job_done(s, job, 0);
        break;
    case OP_OPEN:
    case OP_CREATE:
    case OP_LOOKUP:
    case OP_STAT:
    case OP_UNLINK:
    case OP_RENAME:
    case OP_MKDIR:
    case OP_RMDIR:
        nfs_names_begin(s, job);
        break;
    case OP_READDIR:
        nfs_list_begin(s, job);
        break;
    case OP_SYNCFS:
        nfs_commit_all(s, job);
        break;
    case OP_FALLOCATE:
    case OP_DISCARD:
    case OP_KINDS:
        nfs_job_done(s, job, -EOPNOTSUPP);
        break;
    default:
        nfs_data_begin(s, job);
    }
}

void nfs_job_enter(struct nfs_session *s, struct nfs_job *job, enum nfs_stage stage)
{
    job->stage = (uint8_t)stage;
    nfs_job_step(s, job);
}

/* Whose stages these are. */
struct part {
    void (*step)(struct nfs_session *s, struct nfs_job *job);
    void (*encode)(struct nfs_session *s, const struct nfs_call *call, struct xdr_out *x);
    void (*answer)(struct nfs_session *s, struct nfs_call *call, struct nfs_reply *reply);
};

static const struct part *part_of(const struct nfs_job *job, enum nfs_stage stage)
{
    static const struct part walking = {walk, walk_encode, walked};
    static const struct part names = {nfs_names_step, nfs_names_encode, nfs_names_answer};
    static const struct part list = {nfs_list_step, nfs_list_encode, nfs_list_answer};
    static const struct part data = {nfs_data_step, nfs_data_encode, nfs_data_answer};
    static const struct part commit = {nfs_commit_step, nfs_commit_encode, nfs_commit_answer};

    switch (stage) {
    case NFS_STAGE_WALK:
        return &walking;
    case NFS_STAGE_MAIN:
    case NFS_STAGE_MORE:
        return job->op->kind == OP_READDIR ? &list : job->op->kind == OP_TRUNCATE ? &data : &names;
    case NFS_STAGE_TYPES:
        return &list;
    case NFS_STAGE_SIZE:
    case NFS_STAGE_MOVE:
        return &data;
    default:
        return &commit;
    }
}

void nfs_job_step(struct nfs_session *s, struct nfs_job *job)
{
    if (job->res < 0)
        nfs_job_fail(s, job, (int)job->res);
    else
        part_of(job, job->stage)->step(s, job);
}

/* ---- what the calls ask ---- */

void nfs_op_encode(struct nfs_session *s, const struct nfs_call *call, struct xdr_out *x)
{
    part_of(call->job, call->part)->encode(s, call, x);
}

void nfs_op_answer(struct nfs_session *s, struct nfs_call *call, struct nfs_reply *reply)
{
    call->job->calls--;
    if (call->part == NFS_STAGE_MAIN && call->sent > 1)
        call->job->resent = true;
    part_of(call->job, call->part)->answer(s, call, reply);
}

void nfs_op_failed(struct nfs_session *s, struct nfs_call *call, int code)
{
    struct nfs_job *job = call->job;

    job->calls--;
    nfs_job_fail(s, job, code);
}

void nfs_op_timer(struct nfs_session *s, struct nfs_job *job)
{
    nfs_job_step(s, job);
}

void nfs_op_spare(struct nfs_session *s)
{
    struct nfs_job *job;

    while ((job = nfs_jobs_pop(&s->ops->for_call)) != NULL) {
        nfs_job_step(s, job);
        if (job->waits) /* there is none left */
            break;
    }
}
