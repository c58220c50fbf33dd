#include "nfs/responder_priv.h"

/* Links, symbolic links, the same for all files, times can be set. */
#define FSINFO_PROPERTIES 0x1bu

/* Each reads its arguments, and writes its result unless it returns a status. */

static uint32_t do_getattr(struct answer *a)
{
    struct thing t;
    uint32_t status = answer_get_thing(a, &t);

    if (status != NFS3_OK)
        return status;
    xdr_put_u32(a->out, NFS3_OK);
    answer_put_attr(a, &t);
    return NFS3_OK;
}

static uint32_t do_setattr(struct answer *a)
{
    struct thing t;
    uint32_t status = answer_get_thing(a, &t);

    answer_pass_sattr(a);
    if (xdr_get_bool(&a->in))
        (void)xdr_take(&a->in, 8);
    if (status != NFS3_OK)
        return status;
    xdr_put_u32(a->out, NFS3_OK);
    answer_put_wcc(a, &t);
    return NFS3_OK;
}

static uint32_t do_lookup(struct answer *a)
{
    struct thing dir;
    struct thing t;
    uint32_t status = answer_get_named(a, &dir, &t);

    if (status != NFS3_OK)
        return status;
    xdr_put_u32(a->out, NFS3_OK);
    answer_put_thing(a, &t);
    answer_put_post_attr(a, &t);
    answer_put_post_attr(a, &dir);
    return NFS3_OK;
}

static uint32_t do_access(struct answer *a)
{
    struct thing t;
    uint32_t status = answer_get_thing(a, &t);
    uint32_t want = xdr_get_u32(&a->in);

    if (status != NFS3_OK)
        return status;
    xdr_put_u32(a->out, NFS3_OK);
    answer_put_post_attr(a, &t);
    xdr_put_u32(a->out, want & 0x3f);
    return NFS3_OK;
}

static uint32_t io_len(const struct responder *r, uint32_t asked)
{
    uint32_t len = asked < r->io_max ? asked : r->io_max;

    return r->halves && len > 1 ? len / 2 : len;
}

static uint32_t do_read(struct answer *a)
{
    struct thing t;
    uint32_t status = answer_get_thing(a, &t);
    uint64_t off = xdr_get_u64(&a->in);
    uint32_t len = io_len(a->r, xdr_get_u32(&a->in));
    uint64_t left = off < a->r->file_bytes ? a->r->file_bytes - off : 0;

    if (status != NFS3_OK || t.type != NFS3_REG)
        return status != NFS3_OK ? status : NFS3ERR_ISDIR;
    if (len > left)
        len = (uint32_t)left;
    xdr_put_u32(a->out, NFS3_OK);
    answer_put_post_attr(a, &t);
    xdr_put_u32(a->out, len);
    xdr_put_u32(a->out, len == left);
    xdr_put_u32(a->out, len);
    a->zeros = (uint32_t)xdr_padded(len);
    return NFS3_OK;
}

static uint32_t do_write(struct answer *a)
{
    struct thing t;
    uint32_t status = answer_get_thing(a, &t);

    (void)xdr_get_u64(&a->in);

    uint32_t count = xdr_get_u32(&a->in);
    uint32_t stable = xdr_get_u32(&a->in);
    uint32_t len = xdr_get_u32(&a->in);

    if (len != count || stable > NFS3_FILE_SYNC || xdr_padded(len) > xdr_left(&a->in) + a->cut)
        a->in.bad = true;
    if (status != NFS3_OK || t.type != NFS3_REG)
        return status != NFS3_OK ? status : NFS3ERR_ISDIR;
    xdr_put_u32(a->out, NFS3_OK);
    answer_put_wcc(a, &t);
    xdr_put_u32(a->out, io_len(a->r, len));
    xdr_put_u32(a->out, stable);
    xdr_put_fixed(a->out, a->r->verf, NFS3_VERF_BYTES);
    return NFS3_OK;
}

static uint32_t put_made(struct answer *a, uint32_t status, const struct thing *dir,
                         const struct thing *t)
{
    if (status != NFS3_OK)
        return status;
    xdr_put_u32(a->out, NFS3_OK);
    xdr_put_u32(a->out, 1);
    answer_put_thing(a, t);
    answer_put_post_attr(a, t);
    answer_put_wcc(a, dir);
    return NFS3_OK;
}

static uint32_t do_create(struct answer *a)
{
    struct thing dir;
    struct thing t;
    uint32_t status = answer_get_named(a, &dir, &t);
    uint32_t how = xdr_get_u32(&a->in);

    if (how == 2) /* EXCLUSIVE */
        (void)xdr_take(&a->in, NFS3_VERF_BYTES);
    else
        answer_pass_sattr(a);
    t.type = NFS3_REG;
    return put_made(a, status, &dir, &t);
}

static uint32_t do_mkdir(struct answer *a)
{
    struct thing dir;
    struct thing t;
    uint32_t status = answer_get_named(a, &dir, &t);

    answer_pass_sattr(a);
    t.type = NFS3_DIR;
    return put_made(a, status, &dir, &t);
}

static uint32_t do_remove(struct answer *a) /* RMDIR */
{
    struct thing dir;
    struct thing t;
    uint32_t status = answer_get_named(a, &dir, &t);

    if (status != NFS3_OK)
        return status;
    xdr_put_u32(a->out, NFS3_OK);
    answer_put_wcc(a, &dir);
    return NFS3_OK;
}

static uint32_t do_rename(struct answer *a)
{
    struct thing dirs[2];
    struct thing t;
    uint32_t from = answer_get_named(a, &dirs[0], &t);
    uint32_t to = answer_get_named(a, &dirs[1], &t);

    if (from != NFS3_OK || to != NFS3_OK)
        return from != NFS3_OK ? from : to;
    xdr_put_u32(a->out, NFS3_OK);
    answer_put_wcc(a, &dirs[0]);
    answer_put_wcc(a, &dirs[1]);
    return NFS3_OK;
}

static void put_dots(struct answer *a, const struct thing *dir, uint64_t cookie, bool plus)
{
    static const char *const names[] = {".", ".."};

    for (; cookie < 2; cookie++) {
        xdr_put_u32(a->out, 1);
        xdr_put_u64(a->out, dir->id);
        xdr_put_string(a->out, names[cookie]);
        xdr_put_u64(a->out, cookie + 1);
        if (plus) {
            xdr_put_u32(a->out, 0);
            xdr_put_u32(a->out, 0);
        }
    }
}

static uint32_t list(struct answer *a, bool plus)
{
    struct thing dir;
    uint32_t status = answer_get_thing(a, &dir);
    uint64_t cookie = xdr_get_u64(&a->in);

    (void)xdr_take(&a->in, NFS3_VERF_BYTES + (plus ? 8 : 4));
    if (status != NFS3_OK || dir.type != NFS3_DIR)
        return status != NFS3_OK ? status : NFS3ERR_NOTDIR;
    xdr_put_u32(a->out, NFS3_OK);
    answer_put_post_attr(a, &dir);
    xdr_put_u64(a->out, 0);
    put_dots(a, &dir, cookie, plus);
    xdr_put_u32(a->out, 0);
    xdr_put_u32(a->out, 1);
    return NFS3_OK;
}

static uint32_t do_readdir(struct answer *a)
{
    return list(a, false);
}

static uint32_t do_readdirplus(struct answer *a)
{
    return list(a, true);
}

static uint32_t do_fsstat(struct answer *a)
{
    struct thing t;
    uint32_t status = answer_get_thing(a, &t);

    if (status != NFS3_OK)
        return status;
    xdr_put_u32(a->out, NFS3_OK);
    answer_put_post_attr(a, &t);
    for (int i = 0; i < 6; i++) /* bytes, then files: in all, free, free to the caller */
        xdr_put_u64(a->out, RESPONDER_TIB << 8);
    xdr_put_u32(a->out, 0);
    return NFS3_OK;
}

static uint32_t do_fsinfo(struct answer *a)
{
    struct thing t;
    uint32_t status = answer_get_thing(a, &t);

    if (status != NFS3_OK)
        return status;
    xdr_put_u32(a->out, NFS3_OK);
    answer_put_post_attr(a, &t);
    for (int i = 0; i < 2; i++) { /* READ, WRITE */
        xdr_put_u32(a->out, a->r->io_max);
        xdr_put_u32(a->out, a->r->io_max);
        xdr_put_u32(a->out, 4096);
    }
    xdr_put_u32(a->out, 1 << 16);
    xdr_put_u64(a->out, INT64_MAX);
    xdr_put_u32(a->out, 0);
    xdr_put_u32(a->out, 1);
    xdr_put_u32(a->out, FSINFO_PROPERTIES);
    return NFS3_OK;
}

static uint32_t do_pathconf(struct answer *a)
{
    struct thing t;
    uint32_t status = answer_get_thing(a, &t);

    if (status != NFS3_OK)
        return status;
    xdr_put_u32(a->out, NFS3_OK);
    answer_put_post_attr(a, &t);
    xdr_put_u32(a->out, 32000);
    xdr_put_u32(a->out, NFS3_NAME_MAX);
    xdr_put_u32(a->out, 1); /* longer names are refused, owners kept, case means something */
    xdr_put_u32(a->out, 1);
    xdr_put_u32(a->out, 0);
    xdr_put_u32(a->out, 1);
    return NFS3_OK;
}

static uint32_t do_commit(struct answer *a)
{
    struct thing t;
    uint32_t status = answer_get_thing(a, &t);

    (void)xdr_take(&a->in, 12);
    if (status != NFS3_OK)
        return status;
    xdr_put_u32(a->out, NFS3_OK);
    answer_put_wcc(a, &t);
    xdr_put_fixed(a->out, a->r->verf, NFS3_VERF_BYTES);
    return NFS3_OK;
}

static uint32_t (*const procedures[NFS3_PROCS])(struct answer *a) = {
    [NFS3_GETATTR] = do_getattr,
    [NFS3_SETATTR] = do_setattr,
    [NFS3_LOOKUP] = do_lookup,
    [NFS3_ACCESS] = do_access,
    [NFS3_READ] = do_read,
    [NFS3_WRITE] = do_write,
    [NFS3_CREATE] = do_create,
    [NFS3_MKDIR] = do_mkdir,
    [NFS3_REMOVE] = do_remove,
    [NFS3_RMDIR] = do_remove,
    [NFS3_RENAME] = do_rename,
    [NFS3_READDIR] = do_readdir,
    [NFS3_READDIRPLUS] = do_readdirplus,
    [NFS3_FSSTAT] = do_fsstat,
    [NFS3_FSINFO] = do_fsinfo,
    [NFS3_PATHCONF] = do_pathconf,
    [NFS3_COMMIT] = do_commit,
};

enum rpc_verdict answer_nfs(struct answer *a, uint32_t procedure)
{
    unsigned char *results = a->out->at;

    if (procedure >= NFS3_PROCS || procedures[procedure] == NULL)
        return RPC_PROC_UNAVAIL;

    uint32_t status = procedures[procedure](a);

    if (status == NFS3_OK)
        status = a->r->status;
    if (status != NFS3_OK) {
        a->out->at = results;
        a->zeros = 0;
        answer_put_failure(a, procedure, status);
    }
    return RPC_SUCCESS;
}
