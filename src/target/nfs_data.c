/* Ops on an open file: bytes in pieces as large as the server takes, several at once; and its size. */
#include "target/nfs_op_priv.h"

#include <errno.h>
#include <sys/param.h>

/* ---- begin ---- */

static bool may_read(const struct nfs_file *file)
{
    return !(file->flags & OP_FLAG_WRITE);
}

static bool may_write(const struct nfs_file *file)
{
    return !(file->flags & OP_FLAG_READ);
}

/* As kernel clients: a whole small file goes to stable storage in its one WRITE, which saves a COMMIT;
 * anything else may be forgotten by the server until it is committed. */
static enum nfs3_stable stable_of(const struct nfs_session *s, const struct nfs_file *file,
                                  const struct op *op)
{
    const struct nfs_target *t = s->target;

    if (file->flags & (OP_FLAG_DSYNC | OP_FLAG_SYNC))
        return NFS3_FILE_SYNC;
    switch (t->address.sync) {
    case NFS_SYNC_FILE:
        return NFS3_FILE_SYNC;
    case NFS_SYNC_DATA:
        return NFS3_DATA_SYNC;
    case NFS_SYNC_AUTO:
        return op->kind == OP_WRITE && (op->flags & OP_FLAG_ALL) && op->len <= t->wsize
                   ? NFS3_FILE_SYNC
                   : NFS3_UNSTABLE;
    default:
        return NFS3_UNSTABLE;
    }
}

/* What is not stable must be remembered. Where there is no room for that, the file is committed first, or
 * what is written is made stable at once. */
static void make_room(struct nfs_session *s, struct nfs_job *job)
{
    const struct op *op = job->op;
    uint64_t parts = op->len / s->target->wsize + 1;
    /* Others of this session may be under way: each of them took its room for granted. */
    uint64_t want = 2 * parts + 2 * (uint64_t)s->ops->held + NFS_RECORDS_RESERVE;
    bool copied = !(op->flags & OP_FLAG_ORIGIN);

    if (job->move.stable != NFS3_UNSTABLE ||
        nfs_unstable_room(&s->ops->unstable, want < UINT32_MAX ? (uint32_t)want : UINT32_MAX,
                          op->len, copied))
        return;
    nfs_count(&s->counts.forced_commits, 1);
    if (nfs_job_file(s, job)->unstable.first != NFS_NONE)
        job->move.first_commit = true;
    else
        job->move.stable = NFS3_FILE_SYNC;
}

/* Who reads a file to its end asks once more behind it, but the server has said already that this is the end.
 * Told once: whoever asks again asks the server. */
static bool at_end(struct nfs_file *file, const struct op *op)
{
    bool told = op->kind == OP_READ && file->end != 0 && file->end == op->off;

    file->end = 0;
    return told;
}

static void begin_move(struct nfs_session *s, struct nfs_job *job)
{
    const struct op *op = job->op;
    struct nfs_file *file = nfs_job_file(s, job);
    bool reads = op->kind == OP_READ;

    if (reads ? !may_read(file) : !may_write(file)) {
        nfs_job_done(s, job, -EBADF);
    } else if (at_end(file, op) || op->len == 0) {
        nfs_job_done(s, job, 0);
    } else if (op->len > INT64_MAX || op->off > INT64_MAX - op->len) {
        nfs_job_done(s, job, -EINVAL);
    } else {
        job->move = (struct nfs_move){.file_off = op->off, .end = op->len, .eof = op->len};
        job->move.gap_from = op->len;
        job->move.stable = (uint8_t)stable_of(s, file, op);
        if (!reads)
            make_room(s, job);
        if (job->move.first_commit)
            nfs_commit_file(s, job);
        else
            nfs_job_enter(s, job, op->kind == OP_APPEND ? NFS_STAGE_SIZE : NFS_STAGE_MOVE);
    }
}

void nfs_data_begin(struct nfs_session *s, struct nfs_job *job)
{
    const struct op *op = job->op;

    job->file = nfs_files_find(&s->ops->files, op->handle);
    if (job->file == NFS_NONE) {
        nfs_job_done(s, job, -EBADF);
        return;
    }
    switch (op->kind) {
    case OP_READ:
    case OP_WRITE:
    case OP_APPEND:
        begin_move(s, job);
        break;
    case OP_TRUNCATE:
        if (!may_write(nfs_job_file(s, job))) {
            nfs_job_done(s, job, -EBADF);
            break;
        }
        nfs_job_file(s, job)->end = 0;
        job->proc = NFS3_SETATTR;
        nfs_job_enter(s, job, NFS_STAGE_MAIN);
        break;
    case OP_FSYNC:
    case OP_CLOSE:
        nfs_commit_file(s, job);
        break;
    default: /* EVICT, RESIDENT: nothing is kept in this machine */
        nfs_job_done(s, job, 0);
    }
}

/* ---- steps ---- */

/* The calls of the stage have all ended. */
static void settle(struct nfs_session *s, struct nfs_job *job)
{
    struct nfs_move *m = &job->move;

    if (job->calls > 0 || job->waits)
        return;
    if (m->gap_to > m->eof)
        m->gap_to = m->eof;
    if (m->gap_from < m->gap_to) {
        m->at = m->gap_from;
        m->end = m->gap_to;
        m->gap_from = job->op->len;
        m->gap_to = 0;
        if (job->put_off)
            nfs_job_later(s, job);
        else
            nfs_job_step(s, job);
    } else if (job->op->kind == OP_READ) {
        if (m->said_eof)
            nfs_job_file(s, job)->end = m->file_off + m->eof;
        nfs_job_done(s, job, (int64_t)m->eof);
    } else if (m->stable != NFS3_UNSTABLE && m->must_commit) {
        nfs_commit_file(s, job);
    } else {
        nfs_job_done(s, job, (int64_t)job->op->len);
    }
}

static void move(struct nfs_session *s, struct nfs_job *job)
{
    struct nfs_move *m = &job->move;
    const struct op *op = job->op;
    bool reads = op->kind == OP_READ;
    uint32_t most = reads ? s->target->rsize : s->target->wsize;

    while (m->at < m->end) {
        struct nfs_call *call = nfs_job_call(s, job, reads ? NFS3_READ : NFS3_WRITE);

        if (call == NULL)
            return;
        call->off = m->file_off + m->at;
        call->len = m->end - m->at < most ? (uint32_t)(m->end - m->at) : most;
        call->data = (unsigned char *)op->buf + m->at;
        m->at += call->len;
        nfs_job_post(s, call);
    }
}

void nfs_data_step(struct nfs_session *s, struct nfs_job *job)
{
    switch (job->stage) {
    case NFS_STAGE_SIZE:
        nfs_job_ask(s, job, NFS3_GETATTR);
        break;
    case NFS_STAGE_MAIN:
        nfs_job_ask(s, job, NFS3_SETATTR);
        break;
    default:
        move(s, job);
    }
}

void nfs_data_encode(struct nfs_session *s, const struct nfs_call *call, struct xdr_out *x)
{
    const struct nfs3_fh *fh = &nfs_job_file(s, call->job)->fh;

    switch (call->proc) {
    case NFS3_READ:
        nfs3_put_read(x, fh, call->off, call->len);
        break;
    case NFS3_WRITE:
        nfs3_put_write(x, fh, call->off, call->len, (enum nfs3_stable)call->job->move.stable);
        break;
    case NFS3_SETATTR:
        nfs3_put_truncate(x, fh, call->job->op->len);
        break;
    default:
        nfs3_put_fh(x, fh);
    }
}

/* ---- answers ---- */

/* from … to of the op is asked for once more; what lies between two such parts is moved twice. */
static void widen_gap(struct nfs_move *m, uint64_t from, uint64_t to)
{
    if (from < m->gap_from)
        m->gap_from = from;
    if (to > m->gap_to)
        m->gap_to = to;
}

/* JUKEBOX in one of several calls: the timer waits for the others. */
static int piece_error(struct nfs_job *job, const struct nfs_call *call, uint32_t status)
{
    uint64_t from = call->off - job->move.file_off;

    if (status != NFS3ERR_JUKEBOX) {
        job->later_ns = 0;
        job->tries = 0;
        return nfs3_errno(status);
    }
    widen_gap(&job->move, from, from + call->len);
    job->put_off = true;
    return 0;
}

static int have_read(struct nfs_session *s, struct nfs_call *call, struct nfs_reply *reply)
{
    struct nfs_job *job = call->job;
    struct nfs_move *m = &job->move;
    uint64_t from = call->off - m->file_off;
    struct nfs3_read read = reply->read;

    if (!reply->read_done && nfs3_get_read(&reply->x, call->len, &read) < 0)
        return nfs_job_bad(s, call);
    if (read.status != NFS3_OK)
        return piece_error(job, call, read.status);
    if (read.len > call->len || read.len > reply->landed)
        return nfs_job_bad(s, call);
    job->later_ns = 0;
    job->tries = 0;
    m->said_eof = m->said_eof || read.eof;
    if (read.len == call->len)
        return 0;
    if (read.eof) {
        if (from + read.len < m->eof)
            m->eof = from + read.len;
        return 0;
    }
    if (read.len == 0) /* neither data nor the end */
        return -EIO;
    nfs_count(&s->counts.short_reads, 1);
    widen_gap(m, from + read.len, from + call->len);
    return 0;
}

/* What is stable by now need not be remembered, unless something before it is not: that would be written
 * again on top of it. */
static int remember(struct nfs_session *s, const struct nfs_call *call,
                    const struct nfs3_written *w)
{
    struct nfs_job *job = call->job;
    struct nfs_file *file = nfs_job_file(s, job);
    struct nfs_records *records = &file->unstable;

    bool less = w->stable < (enum nfs3_stable)job->move.stable;

    if (w->stable != NFS3_UNSTABLE && !less && records->first == NFS_NONE)
        return 0;
    if (less)
        job->move.must_commit = true;
    file->loose_end = MAX(file->loose_end, call->off + w->len);
    return nfs_unstable_add(&s->ops->unstable, records, job->op, call->off - job->move.file_off,
                            call->off, w->len, w->verf);
}

static int have_written(struct nfs_session *s, struct nfs_call *call, struct nfs_reply *reply)
{
    struct nfs_job *job = call->job;
    struct nfs3_written written;
    uint64_t from = call->off - job->move.file_off;

    if (nfs3_get_written(&reply->x, NFS3_WRITE, &written) < 0)
        return nfs_job_bad(s, call);
    if (written.status != NFS3_OK)
        return piece_error(job, call, written.status);
    if (written.len > call->len)
        return nfs_job_bad(s, call);
    if (written.len == 0)
        return -EIO;
    job->later_ns = 0;
    job->tries = 0;
    if (written.len < call->len) {
        nfs_count(&s->counts.short_writes, 1);
        widen_gap(&job->move, from + written.len, from + call->len);
    }
    return remember(s, call, &written);
}

/* A server that was started anew knows only the size it had when it was last committed. */
static void have_size(struct nfs_session *s, struct nfs_call *call, struct nfs_reply *reply)
{
    struct nfs_job *job = call->job;
    uint64_t end = nfs_job_file(s, job)->loose_end;
    struct nfs3_found found;

    if (nfs3_get_found(&reply->x, NFS3_GETATTR, &found) < 0 ||
        (found.status == NFS3_OK && !found.attr.known)) {
        nfs_job_done(s, job, nfs_job_bad(s, call));
    } else if (nfs_job_retried(s, job, found.status)) {
        return;
    } else if (found.status != NFS3_OK) {
        nfs_job_done(s, job, nfs3_errno(found.status));
    } else if (MAX(found.attr.size, end) > INT64_MAX - job->op->len) {
        nfs_job_done(s, job, -EFBIG);
    } else {
        job->move.file_off = MAX(found.attr.size, end);
        nfs_job_enter(s, job, NFS_STAGE_MOVE);
    }
}

static void have_truncated(struct nfs_session *s, struct nfs_call *call, struct nfs_reply *reply)
{
    struct nfs_job *job = call->job;
    struct nfs3_found found;

    if (nfs3_get_found(&reply->x, NFS3_SETATTR, &found) < 0) {
        nfs_job_done(s, job, nfs_job_bad(s, call));
        return;
    }
    if (nfs_job_retried(s, job, found.status))
        return;
    if (found.status == NFS3_OK) {
        struct nfs_file *file = nfs_job_file(s, job);

        nfs_unstable_cut(&s->ops->unstable, &file->unstable, job->op->len);
        file->loose_end = MIN(file->loose_end, job->op->len);
    }
    nfs_job_done(s, job, nfs3_errno(found.status));
}

void nfs_data_answer(struct nfs_session *s, struct nfs_call *call, struct nfs_reply *reply)
{
    struct nfs_job *job = call->job;
    int rc;

    if (call->part == NFS_STAGE_SIZE) {
        have_size(s, call, reply);
        return;
    }
    if (call->part == NFS_STAGE_MAIN) {
        have_truncated(s, call, reply);
        return;
    }
    rc = call->proc == NFS3_READ ? have_read(s, call, reply) : have_written(s, call, reply);
    if (rc < 0)
        nfs_job_fail(s, job, rc);
    else if (job->res < 0)
        nfs_job_fail(s, job, (int)job->res);
    else
        settle(s, job);
}

void nfs_data_committed(struct nfs_session *s, struct nfs_job *job, int code)
{
    if (code < 0 || !job->move.first_commit) {
        nfs_job_done(s, job, code < 0 ? code : (int64_t)job->op->len);
        return;
    }
    job->move.first_commit = false;
    nfs_job_enter(s, job, job->op->kind == OP_APPEND ? NFS_STAGE_SIZE : NFS_STAGE_MOVE);
}
