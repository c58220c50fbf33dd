#include "nfs/nfs3.h"

#define SET_NOT          0u /* sattr3: left as it is */
#define SET_THIS         1u
#define TIME_DONT_CHANGE 0u

void nfs3_put_fh(struct xdr_out *x, const struct nfs3_fh *fh)
{
    xdr_put_opaque(x, fh->data, fh->len);
}

void nfs3_put_name(struct xdr_out *x, const struct nfs3_fh *dir, const char *name)
{
    nfs3_put_fh(x, dir);
    xdr_put_string(x, name);
}

void nfs3_put_truncate(struct xdr_out *x, const struct nfs3_fh *fh, uint64_t size)
{
    nfs3_put_fh(x, fh);
    xdr_put_u32(x, SET_NOT); /* mode, uid, gid */
    xdr_put_u32(x, SET_NOT);
    xdr_put_u32(x, SET_NOT);
    xdr_put_u32(x, SET_THIS);
    xdr_put_u64(x, size);
    xdr_put_u32(x, TIME_DONT_CHANGE);
    xdr_put_u32(x, TIME_DONT_CHANGE);
    xdr_put_u32(x, 0); /* whatever its ctime is */
}

void nfs3_put_access(struct xdr_out *x, const struct nfs3_fh *fh, uint32_t want)
{
    nfs3_put_fh(x, fh);
    xdr_put_u32(x, want);
}

/* Of these two there are many. What is written might lie in *out itself, for all that the compiler knows of it;
 * a copy stays in registers. */

void nfs3_put_read(struct xdr_out *out, const struct nfs3_fh *fh, uint64_t off, uint32_t len)
{
    struct xdr_out x = *out;

    xdr_put_opaque(&x, fh->data, fh->len);
    xdr_put_u64(&x, off);
    xdr_put_u32(&x, len);
    *out = x;
}

void nfs3_put_write(struct xdr_out *out, const struct nfs3_fh *fh, uint64_t off, uint32_t len,
                    enum nfs3_stable stable)
{
    struct xdr_out x = *out;

    xdr_put_opaque(&x, fh->data, fh->len);
    xdr_put_u64(&x, off);
    xdr_put_u32(&x, len);
    xdr_put_u32(&x, stable);
    xdr_put_u32(&x, len);
    *out = x;
}

static void put_mode(struct xdr_out *x, uint32_t mode)
{
    xdr_put_u32(x, SET_THIS);
    xdr_put_u32(x, mode);
    xdr_put_u32(x, SET_NOT); /* uid, gid, size */
    xdr_put_u32(x, SET_NOT);
    xdr_put_u32(x, SET_NOT);
    xdr_put_u32(x, TIME_DONT_CHANGE);
    xdr_put_u32(x, TIME_DONT_CHANGE);
}

void nfs3_put_create(struct xdr_out *x, const struct nfs3_fh *dir, const char *name,
                     enum nfs3_how how, uint32_t mode)
{
    nfs3_put_name(x, dir, name);
    xdr_put_u32(x, how);
    put_mode(x, mode);
}

void nfs3_put_mkdir(struct xdr_out *x, const struct nfs3_fh *dir, const char *name, uint32_t mode)
{
    nfs3_put_name(x, dir, name);
    put_mode(x, mode);
}

void nfs3_put_rename(struct xdr_out *x, const struct nfs3_fh *from_dir, const char *from,
                     const struct nfs3_fh *to_dir, const char *to)
{
    nfs3_put_name(x, from_dir, from);
    nfs3_put_name(x, to_dir, to);
}

void nfs3_put_readdir(struct xdr_out *x, const struct nfs3_fh *dir, uint64_t cookie,
                      const unsigned char verf[NFS3_VERF_BYTES], uint32_t bytes)
{
    nfs3_put_fh(x, dir);
    xdr_put_u64(x, cookie);
    xdr_put_fixed(x, verf, NFS3_VERF_BYTES);
    xdr_put_u32(x, bytes);
}

void nfs3_put_readdirplus(struct xdr_out *x, const struct nfs3_fh *dir, uint64_t cookie,
                          const unsigned char verf[NFS3_VERF_BYTES], uint32_t dir_bytes,
                          uint32_t max_bytes)
{
    nfs3_put_readdir(x, dir, cookie, verf, dir_bytes);
    xdr_put_u32(x, max_bytes);
}

void nfs3_put_commit(struct xdr_out *x, const struct nfs3_fh *fh, uint64_t off, uint32_t len)
{
    nfs3_put_read(x, fh, off, len);
}
