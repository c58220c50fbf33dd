#include "nfs/responder_priv.h"

#define FH_BYTES 16
#define MTIME_S  1000000000u /* any: it never changes */

static bool digits(const unsigned char *text, uint32_t len)
{
    for (uint32_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
    }
    return len > 0;
}

static bool begins(const unsigned char *name, uint32_t len, const char *with)
{
    size_t n = strlen(with);

    return len >= n && memcmp(name, with, n) == 0;
}

static bool is(const unsigned char *name, uint32_t len, const char *what)
{
    return len == strlen(what) && begins(name, len, what);
}

static uint32_t type_of(const unsigned char *name, uint32_t len)
{
    if (begins(name, len, "link-"))
        return NFS3_LNK;
    if (is(name, len, ".") || is(name, len, ".."))
        return NFS3_DIR;
    if (is(name, len, "f") || digits(name, len) || memchr(name, '.', len) != NULL ||
        (begins(name, len, "f") && digits(name + 1, len - 1)))
        return NFS3_REG;
    return NFS3_DIR;
}

/* FNV-1a: what a name in a directory is, for ever. */
static uint64_t id_of(uint64_t dir, const unsigned char *name, uint32_t len)
{
    uint64_t id = 0xcbf29ce484222325u ^ dir;

    for (uint32_t i = 0; i < len; i++)
        id = (id ^ name[i]) * 0x100000001b3u;
    return id > RESPONDER_ROOT_ID ? id : RESPONDER_ROOT_ID + 1;
}

uint32_t answer_status_of(const unsigned char *name, uint32_t len)
{
    static const char prefix[] = "status-";
    uint32_t status = 0;

    if (!begins(name, len, prefix) || len > sizeof prefix - 1 + 5)
        return NFS3_OK;
    name += sizeof prefix - 1;
    len -= (uint32_t)sizeof prefix - 1;
    for (uint32_t i = 0; digits(name, len) && i < len; i++)
        status = status * 10 + (name[i] - '0');
    return status;
}

void answer_put_thing(struct answer *a, const struct thing *t)
{
    xdr_put_u32(a->out, FH_BYTES);
    xdr_put_u32(a->out, t->type);
    xdr_put_u32(a->out, 0);
    xdr_put_u64(a->out, t->id);
}

uint32_t answer_get_thing(struct answer *a, struct thing *out)
{
    uint32_t len;
    const unsigned char *data = xdr_get_opaque(&a->in, NFS3_FH_MAX, &len);

    *out = (struct thing){.type = NFS3_REG};
    if (len != FH_BYTES)
        return NFS3ERR_BADHANDLE;

    struct xdr_in fh = xdr_in(data, len);

    out->type = xdr_get_u32(&fh);
    (void)xdr_get_u32(&fh);
    out->id = xdr_get_u64(&fh);
    if (out->type != NFS3_REG && out->type != NFS3_DIR && out->type != NFS3_LNK)
        return NFS3ERR_BADHANDLE;
    return NFS3_OK;
}

static void put_time(struct xdr_out *x)
{
    xdr_put_u32(x, MTIME_S);
    xdr_put_u32(x, 0);
}

void answer_put_attr(struct answer *a, const struct thing *t)
{
    uint64_t bytes = t->type == NFS3_REG ? a->r->file_bytes : 4096;

    xdr_put_u32(a->out, t->type);
    xdr_put_u32(a->out, t->type == NFS3_REG ? 0644 : 0755);
    xdr_put_u32(a->out, 1); /* links */
    xdr_put_u64(a->out, 0); /* uid, gid */
    xdr_put_u64(a->out, bytes);
    xdr_put_u64(a->out, bytes);
    xdr_put_u64(a->out, 0); /* device numbers */
    xdr_put_u64(a->out, 1); /* fsid */
    xdr_put_u64(a->out, t->id);
    put_time(a->out);
    put_time(a->out);
    put_time(a->out);
}

void answer_put_post_attr(struct answer *a, const struct thing *t)
{
    xdr_put_u32(a->out, 1);
    answer_put_attr(a, t);
}

void answer_put_wcc(struct answer *a, const struct thing *t)
{
    xdr_put_u32(a->out, 0); /* before: not told */
    answer_put_post_attr(a, t);
}

void answer_put_failure(struct answer *a, uint32_t procedure, uint32_t status)
{
    static const unsigned char words[NFS3_PROCS] = {
        [NFS3_SETATTR] = 2, [NFS3_LOOKUP] = 1, [NFS3_ACCESS] = 1,   [NFS3_READ] = 1,
        [NFS3_WRITE] = 2,   [NFS3_CREATE] = 2, [NFS3_MKDIR] = 2,    [NFS3_REMOVE] = 2,
        [NFS3_RMDIR] = 2,   [NFS3_RENAME] = 4, [NFS3_READDIR] = 1,  [NFS3_READDIRPLUS] = 1,
        [NFS3_FSSTAT] = 1,  [NFS3_FSINFO] = 1, [NFS3_PATHCONF] = 1, [NFS3_COMMIT] = 2,
    };

    xdr_put_u32(a->out, status);
    for (unsigned i = 0; i < words[procedure]; i++)
        xdr_put_u32(a->out, 0);
}

uint32_t answer_get_named(struct answer *a, struct thing *dir, struct thing *out)
{
    uint32_t status = answer_get_thing(a, dir);
    uint32_t len;
    const unsigned char *name = xdr_get_opaque(&a->in, NFS3_NAME_MAX, &len);

    if (name == NULL)
        return NFS3ERR_INVAL;
    *out = (struct thing){.type = type_of(name, len), .id = id_of(dir->id, name, len)};
    if (status == NFS3_OK && dir->type != NFS3_DIR)
        status = NFS3ERR_NOTDIR;
    if (status == NFS3_OK && len == 0)
        status = NFS3ERR_INVAL;
    return status != NFS3_OK ? status : answer_status_of(name, len);
}

void answer_pass_sattr(struct answer *a)
{
    static const unsigned char bytes[] = {4, 4, 4, 8}; /* mode, uid, gid, size */

    for (size_t i = 0; i < sizeof bytes; i++) {
        if (xdr_get_bool(&a->in))
            (void)xdr_take(&a->in, bytes[i]);
    }
    for (int i = 0; i < 2; i++) { /* times: by the client's clock they have a value */
        if (xdr_get_u32(&a->in) == 2)
            (void)xdr_take(&a->in, 8);
    }
}
