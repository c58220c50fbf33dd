#include "nfs/xdr.h"

void xdr_put_fixed(struct xdr_out *x, const void *bytes, uint32_t len)
{
    size_t padded = xdr_padded(len);
    unsigned char *at = xdr_room(x, padded);

    if (at == NULL || padded == 0)
        return;
    memcpy(at, bytes, len);
    memset(at + len, 0, padded - len);
}

void xdr_put_opaque(struct xdr_out *x, const void *bytes, uint32_t len)
{
    xdr_put_u32(x, len);
    xdr_put_fixed(x, bytes, len);
}

void xdr_put_string(struct xdr_out *x, const char *text)
{
    size_t len = strlen(text);

    if (len > UINT32_MAX)
        x->bad = true;
    else
        xdr_put_opaque(x, text, (uint32_t)len);
}
