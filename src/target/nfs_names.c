/* Ops that name a directory, or something in one: a walk to the directory where its handle is not known, and
 * then one call. */
#include "target/nfs_op_priv.h"

#include <errno.h>

#define FILE_MODE 0644
#define DIR_MODE  0755

/* Whether the op is about op->node itself and not about something in it. */
static bool of_node(const struct op *op)
{
    return op->kind == OP_LOOKUP || op->kind == OP_MKDIR || op->kind == OP_RMDIR ||
           (op->kind == OP_STAT && op->leaf == NULL);
}

/* Name of what the op is about, in the directory walked to. */
static int leaf_of(const struct nfs_session *s, const struct op *op, char leaf[TARGET_LEAF_MAX])
{
    uint64_t parent;

    if (of_node(op))
        return nfs_node_leaf(s, op->node, &parent, leaf);
    memcpy(leaf, op->leaf, strlen(op->leaf) + 1); /* `check` has seen how long it is */
    return 0;
}

static int check_leaf(const char *leaf)
{
    if (!nfs_leaf_is_name(leaf))
        return -EINVAL;
    return strlen(leaf) < TARGET_LEAF_MAX ? 0 : -ENAMETOOLONG;
}

static int check(const struct op *op)
{
    int rc = of_node(op) ? 0 : check_leaf(op->leaf);

    if (rc == 0 && op->kind == OP_RENAME)
        rc = check_leaf(op->buf);
    if (op->kind == OP_MKDIR && op->node == TARGET_NODE_ROOT)
        return -EEXIST;
    if (op->kind == OP_RMDIR && op->node == TARGET_NODE_ROOT)
        return -EBUSY;
    if ((op->kind == OP_OPEN || op->kind == OP_CREATE) && (op->flags & OP_FLAG_READ) &&
        (op->flags & OP_FLAG_WRITE))
        return -EINVAL;
    return rc;
}

static enum nfs3_proc proc_of(enum op_kind kind)
{
    switch (kind) {
    case OP_CREATE:
        return NFS3_CREATE;
    case OP_UNLINK:
        return NFS3_REMOVE;
    case OP_RENAME:
        return NFS3_RENAME;
    case OP_MKDIR:
        return NFS3_MKDIR;
    case OP_RMDIR:
        return NFS3_RMDIR;
    default: /* OPEN, STAT: a name looked up comes with its attributes */
        return NFS3_LOOKUP;
    }
}

int nfs_names_base(struct nfs_session *s, struct nfs_job *job)
{
    const struct op *op = job->op;
    struct nfs_walk *w = &job->walk;
    char leaf[TARGET_LEAF_MAX];

    *w = (struct nfs_walk){.base = op->node};
    job->proc = (uint8_t)proc_of(op->kind);
    if (!of_node(op) || op->kind == OP_LOOKUP)
        return 0;
    /* A directory that is known has its attributes asked by handle; of any other node it is not known
     * either that it is one, and a look at its name answers it all. */
    if (op->kind == OP_STAT && !s->ops->resolve_always &&
        nfs_dirs_find(&s->ops->dirs, op->node) != NULL) {
        job->proc = NFS3_GETATTR;
        return 0;
    }
    if (op->kind == OP_STAT && op->node == TARGET_NODE_ROOT) {
        job->proc = NFS3_GETATTR;
        return 0;
    }
    return nfs_node_leaf(s, op->node, &w->base, leaf);
}

/* STAT of an open file. */
static void begin_handle(struct nfs_session *s, struct nfs_job *job)
{
    job->file = nfs_files_find(&s->ops->files, job->op->handle);
    if (job->file == NFS_NONE) {
        nfs_job_done(s, job, -EBADF);
        return;
    }
    job->walk = (struct nfs_walk){.dir = nfs_job_file(s, job)->fh};
    job->proc = NFS3_GETATTR;
    nfs_job_enter(s, job, NFS_STAGE_MAIN);
}

void nfs_names_begin(struct nfs_session *s, struct nfs_job *job)
{
    const struct op *op = job->op;
    int rc;

    if (op->kind == OP_STAT && (op->flags & OP_FLAG_HANDLE)) {
        begin_handle(s, job);
        return;
    }
    rc = check(op);
    if (rc == 0)
        rc = nfs_names_base(s, job);
    if (rc == 0 && (op->kind == OP_OPEN || op->kind == OP_CREATE)) {
        job->file = nfs_files_take(&s->ops->files, op->flags);
        rc = job->file == NFS_NONE ? -EMFILE : 0;
    }
    if (rc < 0)
        nfs_job_done(s, job, rc);
    else
        nfs_job_enter(s, job, NFS_STAGE_WALK);
}

void nfs_names_step(struct nfs_session *s, struct nfs_job *job)
{
    if (job->op->kind == OP_LOOKUP)
        nfs_job_done(s, job, 0);
    else
        nfs_job_ask(s, job, (enum nfs3_proc)job->proc);
}

void nfs_names_encode(struct nfs_session *s, const struct nfs_call *call, struct xdr_out *x)
{
    const struct nfs_job *job = call->job;
    const struct op *op = job->op;
    const struct nfs3_fh *dir = &job->walk.dir;
    char leaf[TARGET_LEAF_MAX] = "";

    if (call->proc != NFS3_GETATTR && leaf_of(s, op, leaf) < 0)
        x->bad = true;
    switch (call->proc) {
    case NFS3_GETATTR:
        nfs3_put_fh(x, dir);
        break;
    case NFS3_CREATE:
        nfs3_put_create(x, dir, leaf, op->flags & OP_FLAG_MAY_EXIST ? NFS3_UNCHECKED : NFS3_GUARDED,
                        FILE_MODE);
        break;
    case NFS3_MKDIR:
        nfs3_put_mkdir(x, dir, leaf, DIR_MODE);
        break;
    case NFS3_RENAME:
        nfs3_put_rename(x, dir, leaf, dir, op->buf);
        break;
    default:
        nfs3_put_name(x, dir, leaf);
    }
}

/* ---- answers ---- */

static void more(struct nfs_session *s, struct nfs_job *job, enum nfs3_proc proc)
{
    job->proc = (uint8_t)proc;
    nfs_job_enter(s, job, NFS_STAGE_MORE);
}

static enum target_type type_of(uint32_t type)
{
    switch (type) {
    case NFS3_REG:
        return TARGET_TYPE_FILE;
    case NFS3_DIR:
        return TARGET_TYPE_DIR;
    case NFS3_LNK:
        return TARGET_TYPE_LINK;
    default:
        return TARGET_TYPE_OTHER;
    }
}

/* As open(2) with O_NOFOLLOW of the same thing. */
static int open_error(const struct nfs3_attr *attr)
{
    if (!attr->known || attr->type == NFS3_REG)
        return 0;
    if (attr->type == NFS3_DIR)
        return -EISDIR;
    return attr->type == NFS3_LNK ? -ELOOP : -ENXIO;
}

static void opened(struct nfs_session *s, struct nfs_job *job, const struct nfs3_found *found)
{
    struct nfs_file *file = nfs_job_file(s, job);
    int rc = open_error(&found->attr);

    if (found->fh.len > 0)
        file->fh = found->fh;
    if (rc == 0 && file->fh.len == 0) { /* CREATE whose reply tells no handle */
        more(s, job, NFS3_LOOKUP);
        return;
    }
    if (rc == 0 && !found->attr.known && job->op->kind == OP_OPEN && job->stage == NFS_STAGE_MAIN) {
        job->walk.dir = file->fh;
        more(s, job, NFS3_GETATTR);
        return;
    }
    if (rc == 0)
        job->op->handle = nfs_files_handle(&s->ops->files, job->file);
    nfs_job_done(s, job, rc);
}

static void stated(struct nfs_session *s, struct nfs_call *call, const struct nfs3_found *found)
{
    struct nfs_job *job = call->job;
    const struct nfs3_attr *attr = &found->attr;
    struct target_stat *out = job->op->buf;

    if (!attr->known) {
        if (job->proc == NFS3_GETATTR) {
            nfs_job_done(s, job, nfs_job_bad(s, call));
            return;
        }
        job->walk.dir = found->fh;
        more(s, job, NFS3_GETATTR);
        return;
    }
    if (out != NULL)
        *out = (struct target_stat){.type = type_of(attr->type),
                                    .size_bytes = attr->size,
                                    .stored_bytes = attr->used,
                                    .device = attr->fsid};
    nfs_job_done(s, job, 0);
}

static void succeeded(struct nfs_session *s, struct nfs_call *call, const struct nfs3_found *found)
{
    struct nfs_job *job = call->job;
    const struct op *op = job->op;

    switch (op->kind) {
    case OP_OPEN:
    case OP_CREATE:
        opened(s, job, found);
        return;
    case OP_STAT:
        stated(s, call, found);
        return;
    case OP_MKDIR:
        /* Another session may have removed the one that this session knows. */
        nfs_dirs_forget(&s->ops->dirs, op->node);
        if (found->fh.len > 0)
            nfs_dirs_keep(&s->ops->dirs, op->node, &found->fh);
        break;
    case OP_RMDIR:
        nfs_dirs_forget(&s->ops->dirs, op->node);
        break;
    default:
        break;
    }
    nfs_job_done(s, job, 0);
}

/* A call that went out twice may have been done when it came in first: its second answer is about what the
 * first one left. */
static bool done_already(struct nfs_session *s, const struct nfs_call *call, uint32_t status)
{
    const struct op *op = call->job->op;
    bool makes =
        (op->kind == OP_CREATE && !(op->flags & OP_FLAG_MAY_EXIST)) || op->kind == OP_MKDIR;
    bool removes = op->kind == OP_UNLINK || op->kind == OP_RMDIR || op->kind == OP_RENAME;

    if (!call->job->resent || call->part != NFS_STAGE_MAIN)
        return false;
    if (!(makes && status == NFS3ERR_EXIST) && !(removes && status == NFS3ERR_NOENT))
        return false;
    nfs_count(&s->counts.already_done, 1);
    return true;
}

static bool gives_handle(const struct nfs_call *call, const struct nfs3_found *found)
{
    return call->proc != NFS3_LOOKUP || found->fh.len > 0;
}

void nfs_names_answer(struct nfs_session *s, struct nfs_call *call, struct nfs_reply *reply)
{
    struct nfs_job *job = call->job;
    struct nfs3_found found;

    if (nfs3_get_found(&reply->x, (enum nfs3_proc)call->proc, &found) < 0) {
        nfs_job_done(s, job, nfs_job_bad(s, call));
        return;
    }
    if (nfs_job_retried(s, job, found.status))
        return;
    if (done_already(s, call, found.status))
        found = (struct nfs3_found){.status = NFS3_OK};
    else if (found.status == NFS3_OK && !gives_handle(call, &found)) {
        nfs_job_done(s, job, nfs_job_bad(s, call));
        return;
    }
    if (found.status != NFS3_OK)
        nfs_job_done(s, job, nfs3_errno(found.status));
    else
        succeeded(s, call, &found);
}
