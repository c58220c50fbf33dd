/* READDIR: pages of the server's listing, made into records of ours. */
#include "target/nfs_op_priv.h"

#include <errno.h>

#define LIST_BYTES_MIN  1024
#define TYPE_UNKNOWN    255
#define TYPES_AT_ONCE   16
#define PLUS_PER_RECORD 6 /* bytes of an entry with attributes and handle, by those of a record */

void nfs_list_begin(struct nfs_session *s, struct nfs_job *job)
{
    const struct op *op = job->op;
    struct nfs_dir *dir = nfs_dirs_find(&s->ops->dirs, op->node);

    /* The page before was the last one, and said so. */
    if (dir != NULL && dir->at_end && dir->end_cookie == op->off && op->off != 0) {
        dir->at_end = false;
        nfs_job_done(s, job, 0);
        return;
    }
    job->walk = (struct nfs_walk){.base = op->node};
    nfs_job_enter(s, job, NFS_STAGE_WALK);
}

static uint32_t at_most(uint64_t bytes, uint32_t most)
{
    return bytes < most ? (uint32_t)bytes : most;
}

/* Names and cookies take no less room in a page than our records, so `dir_bytes` of them fit. */
static void ask_page(struct nfs_session *s, struct nfs_job *job)
{
    struct nfs_walk *w = &job->walk;
    const struct op *op = job->op;
    const struct nfs_dir *dir = nfs_dirs_find(&s->ops->dirs, op->node);

    if (w->list_bytes == 0)
        w->list_bytes =
            at_most(op->len > LIST_BYTES_MIN ? op->len : LIST_BYTES_MIN, s->target->readdir_bytes);
    memset(w->verf, 0, sizeof w->verf);
    if (op->off != 0 && dir != NULL)
        memcpy(w->verf, dir->verf, sizeof w->verf);
    nfs_job_ask(s, job, s->ops->no_plus ? NFS3_READDIR : NFS3_READDIRPLUS);
}

static struct target_dirent head_at(const struct op *op, uint32_t at)
{
    struct target_dirent head;

    memcpy(&head, (const char *)op->buf + at, offsetof(struct target_dirent, name));
    return head;
}

/* LOOKUPs of entries whose types the server left out, several at once. */
static void ask_types(struct nfs_session *s, struct nfs_job *job)
{
    struct nfs_walk *w = &job->walk;

    while (w->types_from < w->listed && job->calls < TYPES_AT_ONCE) {
        struct target_dirent head = head_at(job->op, w->types_from);

        if (head.type == TYPE_UNKNOWN) {
            struct nfs_call *call = nfs_job_call(s, job, NFS3_LOOKUP);

            if (call == NULL)
                return;
            call->off = w->types_from;
            nfs_job_post(s, call);
        }
        w->types_from += head.record_bytes;
    }
    if (job->calls > 0 || job->waits)
        return;
    if (job->put_off) {
        w->types_from = 0;
        nfs_job_later(s, job);
    } else {
        nfs_job_done(s, job, w->listed);
    }
}

void nfs_list_step(struct nfs_session *s, struct nfs_job *job)
{
    if (job->stage == NFS_STAGE_TYPES)
        ask_types(s, job);
    else
        ask_page(s, job);
}

void nfs_list_encode(struct nfs_session *s, const struct nfs_call *call, struct xdr_out *x)
{
    const struct nfs_walk *w = &call->job->walk;
    const struct op *op = call->job->op;

    if (call->proc == NFS3_LOOKUP)
        nfs3_put_name(x, &w->dir,
                      (const char *)op->buf + call->off + offsetof(struct target_dirent, name));
    else if (call->proc == NFS3_READDIR)
        nfs3_put_readdir(x, &w->dir, op->off, w->verf, w->list_bytes);
    else
        nfs3_put_readdirplus(
            x, &w->dir, op->off, w->verf, w->list_bytes,
            at_most((uint64_t)w->list_bytes * PLUS_PER_RECORD, s->target->readdir_bytes));
}

/* ---- answers ---- */

static uint8_t type_of(const struct nfs3_attr *attr)
{
    if (!attr->known)
        return TYPE_UNKNOWN;
    switch (attr->type) {
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

static bool put_record(const struct op *op, uint32_t *at, const struct nfs3_entry *entry)
{
    const size_t head_bytes = offsetof(struct target_dirent, name);
    struct target_dirent head = {.cookie = entry->cookie,
                                 .type = type_of(&entry->attr),
                                 .name_len = (uint8_t)entry->name_len};
    char *to = (char *)op->buf + *at;

    head.record_bytes = (uint16_t)((head_bytes + entry->name_len + 1 + 7) & ~(size_t)7);
    if (op->len - *at < head.record_bytes)
        return false;
    memcpy(to, &head, head_bytes);
    memcpy(to + head_bytes, entry->name, entry->name_len);
    memset(to + head_bytes + entry->name_len, 0, head.record_bytes - head_bytes - entry->name_len);
    *at += head.record_bytes;
    return true;
}

struct page {
    uint64_t last_cookie;
    bool unknown; /* types */
    bool full;
    bool eof;
};

static int take_page(struct nfs_job *job, struct nfs_reply *reply, bool plus, struct page *page)
{
    struct nfs3_entry entry;
    int rc;

    while ((rc = nfs3_get_entry(&reply->x, plus, &entry, &page->eof)) > 0) {
        if (!put_record(job->op, &job->walk.listed, &entry)) {
            page->full = true;
            return 0;
        }
        /* The listing would go on where it began, for ever. */
        if (entry.cookie == job->op->off || entry.cookie == page->last_cookie)
            return -ELOOP;
        page->last_cookie = entry.cookie;
        page->unknown = page->unknown || !entry.attr.known;
    }
    return rc;
}

/* A page that was too small for a single entry, or that held nothing of ours. */
static void ask_larger(struct nfs_session *s, struct nfs_job *job, int code)
{
    struct nfs_walk *w = &job->walk;

    if (w->list_bytes >= s->target->readdir_bytes) {
        nfs_job_done(s, job, code);
        return;
    }
    w->list_bytes = at_most(4 * (uint64_t)w->list_bytes, s->target->readdir_bytes);
    nfs_job_step(s, job);
}

static void listed(struct nfs_session *s, struct nfs_job *job, const struct page *page,
                   const unsigned char verf[NFS3_VERF_BYTES])
{
    struct nfs_dir *dir = nfs_dirs_find(&s->ops->dirs, job->op->node);

    if (dir != NULL) {
        memcpy(dir->verf, verf, sizeof dir->verf);
        dir->at_end = page->eof && !page->full;
        dir->end_cookie = page->last_cookie;
    }
    if (job->walk.listed == 0 && page->full)
        nfs_job_done(s, job, -EINVAL);
    else if (job->walk.listed == 0 && !page->eof)
        ask_larger(s, job, -EIO);
    else if (page->unknown)
        nfs_job_enter(s, job, NFS_STAGE_TYPES);
    else
        nfs_job_done(s, job, job->walk.listed);
}

static void have_page(struct nfs_session *s, struct nfs_call *call, struct nfs_reply *reply)
{
    struct nfs_job *job = call->job;
    bool plus = call->proc == NFS3_READDIRPLUS;
    struct nfs3_listed head;
    struct page page = {0};
    int rc;

    if (nfs3_get_listed(&reply->x, &head) < 0) {
        nfs_job_done(s, job, nfs_job_bad(s, call));
    } else if (nfs_job_retried(s, job, head.status)) {
        return;
    } else if (head.status == NFS3ERR_NOTSUPP && plus) {
        s->ops->no_plus = true;
        nfs_job_step(s, job);
    } else if (head.status == NFS3ERR_TOOSMALL) {
        ask_larger(s, job, -EINVAL);
    } else if (head.status != NFS3_OK) {
        nfs_job_done(s, job, nfs3_errno(head.status));
    } else if ((rc = take_page(job, reply, plus, &page)) < 0) {
        nfs_job_done(s, job, rc == -EBADMSG ? nfs_job_bad(s, call) : rc);
    } else {
        listed(s, job, &page, head.verf);
    }
}

/* What has gone since it was listed is of no type. */
static void have_type(struct nfs_session *s, struct nfs_call *call, struct nfs_reply *reply)
{
    struct nfs_job *job = call->job;
    struct target_dirent head = head_at(job->op, (uint32_t)call->off);
    struct nfs3_found found;

    if (nfs3_get_found(&reply->x, NFS3_LOOKUP, &found) < 0) {
        nfs_job_fail(s, job, nfs_job_bad(s, call));
        return;
    }
    if (found.status == NFS3ERR_JUKEBOX) {
        job->put_off = true;
    } else {
        head.type =
            found.status == NFS3_OK && found.attr.known ? type_of(&found.attr) : TARGET_TYPE_OTHER;
        memcpy((char *)job->op->buf + call->off, &head, offsetof(struct target_dirent, name));
    }
    if (!job->waits)
        nfs_job_step(s, job);
}

void nfs_list_answer(struct nfs_session *s, struct nfs_call *call, struct nfs_reply *reply)
{
    if (call->part == NFS_STAGE_TYPES)
        have_type(s, call, reply);
    else
        have_page(s, call, reply);
}
