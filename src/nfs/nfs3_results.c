#include "nfs/nfs3.h"

#include <errno.h>

#define FATTR_BYTES 84
#define WCC_BYTES   24 /* size, mtime, ctime before */

static int ended(const struct xdr_in *x)
{
    return x->bad ? -EBADMSG : 0;
}

static void get_attr(struct xdr_in *x, struct nfs3_attr *out)
{
    const unsigned char *all = xdr_take(x, FATTR_BYTES);

    if (all == NULL)
        return;

    struct xdr_in in = xdr_in(all, FATTR_BYTES);

    out->known = true;
    out->type = xdr_get_u32(&in);
    out->mode = xdr_get_u32(&in);
    (void)xdr_take(&in, 12); /* links, uid, gid */
    out->size = xdr_get_u64(&in);
    out->used = xdr_get_u64(&in);
    (void)xdr_take(&in, 8); /* device numbers */
    out->fsid = xdr_get_u64(&in);
    out->fileid = xdr_get_u64(&in);
    (void)xdr_take(&in, 8); /* atime */

    uint64_t mtime_s = xdr_get_u32(&in);

    out->mtime_ns = mtime_s * 1000000000u + xdr_get_u32(&in);
    if (out->type < NFS3_REG || out->type > NFS3_FIFO)
        x->bad = true;
}

static void get_post_attr(struct xdr_in *x, struct nfs3_attr *out)
{
    if (xdr_get_bool(x))
        get_attr(x, out);
}

static void pass_post_attr(struct xdr_in *x)
{
    if (xdr_get_bool(x))
        (void)xdr_take(x, FATTR_BYTES);
}

static void get_wcc(struct xdr_in *x, struct nfs3_attr *after)
{
    if (xdr_get_bool(x))
        (void)xdr_take(x, WCC_BYTES);
    get_post_attr(x, after);
}

static void pass_wcc(struct xdr_in *x)
{
    if (xdr_get_bool(x))
        (void)xdr_take(x, WCC_BYTES);
    pass_post_attr(x);
}

static void get_fh(struct xdr_in *x, struct nfs3_fh *out)
{
    uint32_t len;
    const unsigned char *data = xdr_get_opaque(x, NFS3_FH_MAX, &len);

    if (data == NULL)
        return;
    memcpy(out->data, data, len);
    out->len = (uint8_t)len;
}

static void get_lookup(struct xdr_in *x, struct nfs3_found *out)
{
    get_fh(x, &out->fh);
    if (out->fh.len == 0)
        x->bad = true;
    get_post_attr(x, &out->attr);
    pass_post_attr(x);
}

static void get_made(struct xdr_in *x, struct nfs3_found *out)
{
    if (xdr_get_bool(x))
        get_fh(x, &out->fh);
    get_post_attr(x, &out->attr);
    pass_wcc(x);
}

static void get_found_ok(struct xdr_in *x, enum nfs3_proc proc, struct nfs3_found *out)
{
    switch (proc) {
    case NFS3_GETATTR:
        get_attr(x, &out->attr);
        break;
    case NFS3_SETATTR:
        get_wcc(x, &out->attr);
        break;
    case NFS3_LOOKUP:
        get_lookup(x, out);
        break;
    case NFS3_ACCESS:
        get_post_attr(x, &out->attr);
        out->access = xdr_get_u32(x);
        break;
    case NFS3_CREATE:
    case NFS3_MKDIR:
        get_made(x, out);
        break;
    case NFS3_RENAME:
        pass_wcc(x);
        pass_wcc(x);
        break;
    default: /* REMOVE RMDIR */
        pass_wcc(x);
    }
}

int nfs3_get_found(struct xdr_in *x, enum nfs3_proc proc, struct nfs3_found *out)
{
    /* Not the whole of it: 64 bytes of handle for each reply that has none. */
    out->status = xdr_get_u32(x);
    out->fh.len = 0;
    out->attr.known = false;
    out->access = 0;
    if (!x->bad && out->status == NFS3_OK)
        get_found_ok(x, proc, out);
    return ended(x);
}

int nfs3_get_read(struct xdr_in *x, uint32_t max, struct nfs3_read *out)
{
    *out = (struct nfs3_read){.status = xdr_get_u32(x)};
    if (x->bad || out->status != NFS3_OK)
        return ended(x);
    pass_post_attr(x);

    uint32_t count = xdr_get_u32(x);

    out->eof = xdr_get_bool(x);
    out->len = xdr_get_u32(x);
    if (out->len > max || out->len != count)
        x->bad = true;
    return ended(x);
}

static void get_verf(struct xdr_in *x, unsigned char out[NFS3_VERF_BYTES])
{
    const unsigned char *verf = xdr_get_fixed(x, NFS3_VERF_BYTES);

    if (verf != NULL)
        memcpy(out, verf, NFS3_VERF_BYTES);
}

int nfs3_get_written(struct xdr_in *x, enum nfs3_proc proc, struct nfs3_written *out)
{
    *out = (struct nfs3_written){.status = xdr_get_u32(x)};
    if (x->bad || out->status != NFS3_OK)
        return ended(x);
    pass_wcc(x);
    if (proc == NFS3_WRITE) {
        out->len = xdr_get_u32(x);

        uint32_t stable = xdr_get_u32(x);

        if (stable > NFS3_FILE_SYNC)
            x->bad = true;
        else
            out->stable = (enum nfs3_stable)stable;
    }
    get_verf(x, out->verf);
    return ended(x);
}

int nfs3_get_listed(struct xdr_in *x, struct nfs3_listed *out)
{
    *out = (struct nfs3_listed){.status = xdr_get_u32(x)};
    if (x->bad || out->status != NFS3_OK)
        return ended(x);
    pass_post_attr(x);
    get_verf(x, out->verf);
    return ended(x);
}

static bool is_dots(const unsigned char *name, uint32_t len)
{
    return (len == 1 && name[0] == '.') || (len == 2 && name[0] == '.' && name[1] == '.');
}

static bool is_name(const unsigned char *name, uint32_t len)
{
    return len > 0 && memchr(name, '/', len) == NULL && memchr(name, '\0', len) == NULL;
}

static void get_one(struct xdr_in *x, bool plus, struct nfs3_entry *out)
{
    out->fileid = xdr_get_u64(x);
    out->name = xdr_get_opaque(x, NFS3_NAME_MAX, &out->name_len);
    out->cookie = xdr_get_u64(x);
    out->attr.known = false;
    if (plus) {
        uint32_t len;

        get_post_attr(x, &out->attr);
        if (xdr_get_bool(x))
            (void)xdr_get_opaque(x, NFS3_FH_MAX, &len);
    }
}

int nfs3_get_entry(struct xdr_in *x, bool plus, struct nfs3_entry *out, bool *eof)
{
    while (xdr_get_bool(x)) {
        get_one(x, plus, out);
        if (x->bad || !is_name(out->name, out->name_len))
            return -EBADMSG;
        if (!is_dots(out->name, out->name_len))
            return 1;
    }
    *eof = xdr_get_bool(x);
    return ended(x);
}

int nfs3_get_space(struct xdr_in *x, struct nfs3_space *out)
{
    *out = (struct nfs3_space){.status = xdr_get_u32(x)};
    if (x->bad || out->status != NFS3_OK)
        return ended(x);
    pass_post_attr(x);
    out->total_bytes = xdr_get_u64(x);
    (void)xdr_get_u64(x); /* free, but not to this user */
    out->avail_bytes = xdr_get_u64(x);
    out->total_files = xdr_get_u64(x);
    (void)xdr_get_u64(x);
    out->avail_files = xdr_get_u64(x);
    (void)xdr_get_u32(x); /* seconds for which it holds */
    return ended(x);
}

int nfs3_get_info(struct xdr_in *x, struct nfs3_info *out)
{
    *out = (struct nfs3_info){.status = xdr_get_u32(x)};
    if (x->bad || out->status != NFS3_OK)
        return ended(x);
    pass_post_attr(x);
    out->rtmax = xdr_get_u32(x);
    out->rtpref = xdr_get_u32(x);
    out->rtmult = xdr_get_u32(x);
    out->wtmax = xdr_get_u32(x);
    out->wtpref = xdr_get_u32(x);
    out->wtmult = xdr_get_u32(x);
    out->dtpref = xdr_get_u32(x);
    out->maxfilesize = xdr_get_u64(x);

    uint64_t delta_s = xdr_get_u32(x);

    out->time_delta_ns = delta_s * 1000000000u + xdr_get_u32(x);
    out->properties = xdr_get_u32(x);
    return ended(x);
}

int nfs3_get_pathconf(struct xdr_in *x, struct nfs3_pathconf *out)
{
    *out = (struct nfs3_pathconf){.status = xdr_get_u32(x)};
    if (x->bad || out->status != NFS3_OK)
        return ended(x);
    pass_post_attr(x);
    out->link_max = xdr_get_u32(x);
    out->name_max = xdr_get_u32(x);
    out->no_trunc = xdr_get_bool(x);
    out->chown_restricted = xdr_get_bool(x);
    out->case_insensitive = xdr_get_bool(x);
    out->case_preserving = xdr_get_bool(x);
    return ended(x);
}
