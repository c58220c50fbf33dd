/* nfs/xdr.h — External Data Representation: what ONC RPC and NFS are written in.
 * Shape    two cursors over the caller's memory: xdr_out writes, xdr_in reads. Four-byte units, big
 *          endian, opaque data padded with zeros.
 * Units    bytes.
 * Limits   every length that comes from outside is bounded by the caller's `max` and by what is left
 *          before it is used; nothing is allocated, nothing is copied unless said.
 * Errors   a cursor that ran over stays `bad` and gives zeros from then on; asked once at the end.
 * Threads  values.
 * Source   RFC 4506; tests/unit/test_xdr.c, tests/fuzz/fuzz_nfs.c. */
#ifndef LOADLINE_NFS_XDR_H
#define LOADLINE_NFS_XDR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xdr_out {
    unsigned char *at;
    unsigned char *end;
    bool bad; /* there was no room */
};

struct xdr_in {
    const unsigned char *at;
    const unsigned char *end;
    bool bad; /* it ended too early, or a length was above its bound */
};

static inline struct xdr_out xdr_out(void *buf, size_t room)
{
    return (struct xdr_out){.at = buf, .end = (unsigned char *)buf + room};
}

static inline struct xdr_in xdr_in(const void *buf, size_t len)
{
    return (struct xdr_in){.at = buf, .end = (const unsigned char *)buf + len};
}

static inline size_t xdr_left(const struct xdr_in *x)
{
    return (size_t)(x->end - x->at);
}

void xdr_put_u32(struct xdr_out *x, uint32_t value);
void xdr_put_u64(struct xdr_out *x, uint64_t value);
/* Length, bytes, padding. */
void xdr_put_opaque(struct xdr_out *x, const void *bytes, uint32_t len);
void xdr_put_string(struct xdr_out *x, const char *text);
/* Bytes and padding, no length. */
void xdr_put_fixed(struct xdr_out *x, const void *bytes, uint32_t len);

uint32_t xdr_get_u32(struct xdr_in *x);
uint64_t xdr_get_u64(struct xdr_in *x);
bool xdr_get_bool(struct xdr_in *x); /* other than 0 and 1: bad */
/* The bytes stay where they are; *len ≤ max. */
const unsigned char *xdr_get_opaque(struct xdr_in *x, uint32_t max, uint32_t *len);
const unsigned char *xdr_get_fixed(struct xdr_in *x, uint32_t len);

#endif
