#include "nfs/xdr.h"

void xdr_put_string(struct xdr_out *x, const char *text)
{
    size_t len = strlen(text);

    if (len > UINT32_MAX)
        x->bad = true;
    else
        xdr_put_opaque(x, text, (uint32_t)len);
}
