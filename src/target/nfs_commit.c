/* Making what was written last: COMMIT, and writing again what a server that was started anew forgot. */
#include "target/nfs_op_priv.h"

#include <errno.h>
#include <stdlib.h>

#define OTHERS_NS 10000000u /* until it is asked whether they have ended */

/* ---- buffers to make content in: few, since only outages need them ---- */

static bool take_buffer(struct nfs_session *s, struct nfs_job *job)
{
    struct nfs_ops *o = s->ops;

    if (job->again.buf != NULL)
        return true;
    if (o->again_free > 0) {
        job->again.buf = o->again_buf[--o->again_free];
    } else if (o->again_made < NFS_AGAIN_BUFFERS) {
        job->again.buf = malloc(NFS_AGAIN_BUF_BYTES);
        o->again_made += job->again.buf != NULL;
    }
    if (job->again.buf == NULL)
        nfs_jobs_push(&o->for_buffer, job);
    return job->again.buf != NULL;
}

static void give_buffer(struct nfs_session *s, struct nfs_job *job)
{
    struct nfs_ops *o = s->ops;
    struct nfs_job *next;

    if (job->again.buf == NULL)
        return;
    o->again_buf[o->again_free++] = job->again.buf;
    job->again.buf = NULL;
    next = nfs_jobs_pop(&o->for_buffer);
    if (next != NULL)
        nfs_job_step(s, next);
}

void nfs_commit_drop(struct nfs_session *s, struct nfs_job *job)
{
    if (!job->commits)
        return;
    job->commits = false;
    nfs_unstable_drop(&s->ops->unstable, &job->again.records);
    give_buffer(s, job);
}

/* ---- begin and end ---- */

void nfs_commit_file(struct nfs_session *s, struct nfs_job *job)
{
    struct nfs_file *file = nfs_job_file(s, job);
    struct nfs_again *again = &job->again;

    /* Somebody else's COMMIT that is under way is not known to last yet: it is asked for once more. */
    if (file->unstable.first == NFS_NONE && file->commits == 0) {
        nfs_commit_ended(s, job, 0);
        return;
    }
    *again = (struct nfs_again){.fh = file->fh,
                                .handle = nfs_files_handle(&s->ops->files, job->file),
                                .records = file->unstable};
    job->commits = true;
    file->unstable = NFS_NO_RECORDS;
    file->commits++;
    nfs_job_enter(s, job, NFS_STAGE_COMMIT);
}

/* SYNCFS: the next file with something to commit. */
static void next_file(struct nfs_session *s, struct nfs_job *job)
{
    const struct nfs_files *f = &s->ops->files;

    for (; job->file < f->room; job->file++) {
        const struct nfs_file *file = &f->file[job->file];

        if (file->fh.len > 0 && (file->unstable.first != NFS_NONE || file->commits > 0)) {
            nfs_commit_file(s, job);
            return;
        }
    }
    nfs_job_done(s, job, job->op->res);
}

void nfs_commit_all(struct nfs_session *s, struct nfs_job *job)
{
    job->file = 0;
    job->op->res = 0;
    next_file(s, job);
}

void nfs_commit_ended(struct nfs_session *s, struct nfs_job *job, int code)
{
    struct nfs_again *again = &job->again;
    uint32_t place = job->commits ? nfs_files_find(&s->ops->files, again->handle) : NFS_NONE;

    /* It may have been closed meanwhile. */
    if (place != NFS_NONE) {
        struct nfs_file *file = &s->ops->files.file[place];

        file->commits--;
        if (file->commits == 0 && file->unstable.first == NFS_NONE)
            file->loose_end = 0;
    }
    nfs_commit_drop(s, job);
    if (job->op->kind == OP_SYNCFS) {
        if (job->op->res == 0)
            job->op->res = code;
        job->res = 0;
        job->later_ns = 0;
        job->file++;
        next_file(s, job);
    } else if (job->op->kind == OP_FSYNC || job->op->kind == OP_CLOSE) {
        nfs_job_done(s, job, code);
    } else {
        nfs_data_committed(s, job, code);
    }
}

/* ---- steps ---- */

static uint32_t piece_len(const struct nfs_session *s, const struct nfs_record *record, uint64_t at)
{
    uint32_t most = s->target->wsize < NFS_AGAIN_BUF_BYTES ? s->target->wsize : NFS_AGAIN_BUF_BYTES;

    return record->len - at < most ? (uint32_t)(record->len - at) : most;
}

static void write_again(struct nfs_session *s, struct nfs_job *job)
{
    const struct target_remake *remake = &s->ops->remake;
    struct nfs_again *again = &job->again;
    struct nfs_record *record = &s->ops->unstable.record[again->record];
    struct nfs_call *call;

    if (record->copy == NULL && remake->fill == NULL) {
        nfs_commit_ended(s, job, -EIO);
        return;
    }
    if (record->copy == NULL && !take_buffer(s, job))
        return;
    call = nfs_job_call(s, job, NFS3_WRITE);
    if (call == NULL)
        return;
    call->off = record->off + again->at;
    call->len = piece_len(s, record, again->at);
    if (record->copy != NULL) {
        call->data = (unsigned char *)record->copy + again->at;
    } else {
        remake->fill(remake->ctx, record->origin, record->origin_off + again->at, again->buf,
                     call->len);
        call->data = again->buf;
    }
    nfs_job_post(s, call);
}

void nfs_commit_step(struct nfs_session *s, struct nfs_job *job)
{
    if (job->stage == NFS_STAGE_AGAIN)
        write_again(s, job);
    else
        nfs_job_ask(s, job, NFS3_COMMIT);
}

void nfs_commit_encode(struct nfs_session *s, const struct nfs_call *call, struct xdr_out *x)
{
    const struct nfs3_fh *fh = &call->job->again.fh;

    (void)s;
    if (call->proc == NFS3_WRITE)
        nfs3_put_write(x, fh, call->off, call->len, NFS3_UNSTABLE);
    else
        nfs3_put_commit(x, fh, 0, 0);
}

/* ---- answers ---- */

/* Every file that was being written learns of it, but the server was started anew once. */
static void count_change(struct nfs_session *s, const unsigned char verf[NFS3_VERF_BYTES])
{
    struct nfs_ops *o = s->ops;

    if (o->has_last_verf && memcmp(o->last_verf, verf, sizeof o->last_verf) == 0)
        return;
    memcpy(o->last_verf, verf, sizeof o->last_verf);
    o->has_last_verf = true;
    nfs_count(&s->counts.verifier_changes, 1);
}

/* Another op commits writes to the same file, and the server of this verifier does not have them all. */
static bool is_being_written_again(const struct nfs_session *s, const struct nfs_job *job,
                                   const unsigned char verf[NFS3_VERF_BYTES])
{
    const struct nfs_ops *o = s->ops;
    uint32_t place = nfs_files_find(&o->files, job->again.handle);

    if (place == NFS_NONE || o->files.file[place].commits < 2)
        return false;
    for (unsigned i = 0; i < o->room; i++) {
        const struct nfs_job *other = &o->job[i];

        if (other == job || !other->commits || other->again.handle != job->again.handle)
            continue;
        if (other->stage == NFS_STAGE_AGAIN ||
            nfs_unstable_lost(&o->unstable, &other->again.records, verf))
            return true;
    }
    return false;
}

static void committed(struct nfs_session *s, struct nfs_job *job, const struct nfs3_written *w)
{
    struct nfs_again *again = &job->again;

    nfs_unstable_committed(&s->ops->unstable, &again->records, w->verf);
    if (again->records.first == NFS_NONE) {
        if (is_being_written_again(s, job, w->verf))
            nfs_timer(s->calls, job, nfs_calls_now(s->calls) + OTHERS_NS);
        else
            nfs_commit_ended(s, job, 0);
        return;
    }
    count_change(s, w->verf);
    if (again->rounds++ == NFS_AGAIN_ROUNDS) {
        nfs_commit_ended(s, job, -EIO);
        return;
    }
    again->record = again->records.first;
    again->at = 0;
    nfs_job_enter(s, job, NFS_STAGE_AGAIN);
}

/* The pieces of a record have one verifier; when it changes between them, all of it is written once more. */
static void written_again(struct nfs_session *s, struct nfs_job *job, const struct nfs3_written *w)
{
    struct nfs_again *again = &job->again;
    struct nfs_record *record = &s->ops->unstable.record[again->record];

    nfs_count(&s->counts.rewritten_bytes, w->len);
    if (again->at > 0 && memcmp(record->verf, w->verf, sizeof record->verf) != 0) {
        again->at = 0;
        if (again->rounds++ == NFS_AGAIN_ROUNDS)
            nfs_commit_ended(s, job, -EIO);
        else
            nfs_job_step(s, job);
        return;
    }
    memcpy(record->verf, w->verf, sizeof record->verf);
    again->at += w->len;
    if (again->at == record->len) {
        again->at = 0;
        again->record = record->next;
    }
    if (again->record == NFS_NONE) {
        give_buffer(s, job);
        nfs_job_enter(s, job, NFS_STAGE_COMMIT);
    } else {
        nfs_job_step(s, job);
    }
}

void nfs_commit_answer(struct nfs_session *s, struct nfs_call *call, struct nfs_reply *reply)
{
    struct nfs_job *job = call->job;
    bool writes = call->proc == NFS3_WRITE;
    struct nfs3_written w;

    if (nfs3_get_written(&reply->x, (enum nfs3_proc)call->proc, &w) < 0 ||
        (writes && w.status == NFS3_OK && (w.len == 0 || w.len > call->len)))
        nfs_commit_ended(s, job, nfs_job_bad(s, call));
    else if (nfs_job_retried(s, job, w.status))
        return;
    else if (w.status != NFS3_OK)
        nfs_commit_ended(s, job, nfs3_errno(w.status));
    else if (writes)
        written_again(s, job, &w);
    else
        committed(s, job, &w);
}
