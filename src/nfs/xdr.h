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

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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
    const unsigned char *at = buf;

    return (struct xdr_in){.at = at, .end = len > 0 ? at + len : at}; /* NULL of no bytes is one */
}

static inline size_t xdr_left(const struct xdr_in *x)
{
    return (size_t)(x->end - x->at);
}

/* Here and not behind a call: a call and its reply are some fifty of these. */

static inline unsigned char *xdr_room(struct xdr_out *x, size_t bytes)
{
    unsigned char *at = x->at;

    if (x->bad || (size_t)(x->end - at) < bytes) {
        x->bad = true;
        return NULL;
    }
    x->at = at + bytes;
    return at;
}

static inline void xdr_put_u32(struct xdr_out *x, uint32_t value)
{
    unsigned char *at = xdr_room(x, 4);

    value = htobe32(value);
    if (at != NULL)
        memcpy(at, &value, 4);
}

static inline void xdr_put_u64(struct xdr_out *x, uint64_t value)
{
    unsigned char *at = xdr_room(x, 8);

    value = htobe64(value);
    if (at != NULL)
        memcpy(at, &value, 8);
}

static inline size_t xdr_padded(uint32_t len)
{
    return ((size_t)len + 3) & ~(size_t)3;
}

/* Bytes and padding, no length. */
static inline void xdr_put_fixed(struct xdr_out *x, const void *bytes, uint32_t len)
{
    static const unsigned char zeros[4];
    size_t padded = xdr_padded(len);
    unsigned char *at = xdr_room(x, padded);

    if (at == NULL || padded == 0)
        return;
    memcpy(at + padded - sizeof zeros, zeros, sizeof zeros);
    memcpy(at, bytes, len);
}

/* Length, bytes, padding. */
static inline void xdr_put_opaque(struct xdr_out *x, const void *bytes, uint32_t len)
{
    xdr_put_u32(x, len);
    xdr_put_fixed(x, bytes, len);
}

void xdr_put_string(struct xdr_out *x, const char *text);

/* NULL: fewer are left. */
static inline const unsigned char *xdr_take(struct xdr_in *x, size_t bytes)
{
    const unsigned char *at = x->at;

    if (x->bad || (size_t)(x->end - at) < bytes) {
        x->bad = true;
        return NULL;
    }
    x->at = at + bytes;
    return at;
}

static inline uint32_t xdr_get_u32(struct xdr_in *x)
{
    const unsigned char *at = xdr_take(x, 4);
    uint32_t value = 0;

    if (at != NULL)
        memcpy(&value, at, 4);
    return be32toh(value);
}

static inline uint64_t xdr_get_u64(struct xdr_in *x)
{
    const unsigned char *at = xdr_take(x, 8);
    uint64_t value = 0;

    if (at != NULL)
        memcpy(&value, at, 8);
    return be64toh(value);
}

/* Other than 0 and 1: bad, and false. */
static inline bool xdr_get_bool(struct xdr_in *x)
{
    uint32_t value = xdr_get_u32(x);

    if (value > 1)
        x->bad = true;
    return value == 1;
}

/* The bytes stay where they are, padding is read past whatever is in it. NULL when that is bad, *len 0. */
static inline const unsigned char *xdr_get_fixed(struct xdr_in *x, uint32_t len)
{
    return xdr_take(x, xdr_padded(len));
}

/* *len ≤ max. */
static inline const unsigned char *xdr_get_opaque(struct xdr_in *x, uint32_t max, uint32_t *len)
{
    uint32_t n = xdr_get_u32(x);
    const unsigned char *at = NULL;

    if (n > max)
        x->bad = true;
    else
        at = xdr_get_fixed(x, n);
    *len = at != NULL ? n : 0;
    return at;
}

#endif
