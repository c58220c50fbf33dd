#include "nfs/mount3.h"

#include <errno.h>

#define PORTMAP_TCP     6u
#define MOUNT3_HOST_MAX 255
#define MOUNT3_OK       0u

#define RPCBIND_ADDRESS_MAX 255 /* "fe80::1%eth0.8.1" */

void portmap_put_getport(struct xdr_out *x, uint32_t program, uint32_t version)
{
    xdr_put_u32(x, program);
    xdr_put_u32(x, version);
    xdr_put_u32(x, PORTMAP_TCP);
    xdr_put_u32(x, 0); /* no port in a question */
}

int portmap_get_port(struct xdr_in *x, uint16_t *port)
{
    uint32_t value = xdr_get_u32(x);

    if (x->bad || value > UINT16_MAX)
        return -EBADMSG;
    *port = (uint16_t)value;
    return 0;
}

void rpcbind_put_getaddr(struct xdr_out *x, uint32_t program, uint32_t version, const char *netid)
{
    xdr_put_u32(x, program);
    xdr_put_u32(x, version);
    xdr_put_string(x, netid);
    xdr_put_string(x, ""); /* no address and no owner in a question */
    xdr_put_string(x, "");
}

/* One of the two numbers that stand last in "::1.8.1"; *end moves in front of it. */
static int last_number(const unsigned char *text, uint32_t *end)
{
    int value = 0;
    int scale = 1;
    uint32_t at = *end;

    for (; at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9' && scale <= 100; at--) {
        value += (text[at - 1] - '0') * scale;
        scale *= 10;
    }
    if (at == *end || at == 0 || text[at - 1] != '.' || value > 255)
        return -EBADMSG;
    *end = at - 1;
    return value;
}

int rpcbind_get_port(struct xdr_in *x, uint16_t *port)
{
    uint32_t len;
    const unsigned char *text = xdr_get_opaque(x, RPCBIND_ADDRESS_MAX, &len);
    int low;
    int high;

    if (x->bad)
        return -EBADMSG;
    if (len == 0) {
        *port = 0;
        return 0;
    }
    low = last_number(text, &len);
    high = low >= 0 ? last_number(text, &len) : -EBADMSG;
    if (high < 0)
        return -EBADMSG;
    *port = (uint16_t)(high << 8 | low);
    return 0;
}

void mount3_put_path(struct xdr_out *x, const char *path)
{
    xdr_put_string(x, path);
}

static void get_flavors(struct xdr_in *x, struct mount3_root *out)
{
    uint32_t n = xdr_get_u32(x);

    /* What stands behind the sixteenth is not asked for by anybody. */
    out->flavors = n < MOUNT3_FLAVORS_MAX ? n : MOUNT3_FLAVORS_MAX;
    for (unsigned i = 0; i < out->flavors; i++)
        out->flavor[i] = xdr_get_u32(x);
}

int mount3_get_root(struct xdr_in *x, struct mount3_root *out)
{
    *out = (struct mount3_root){.status = xdr_get_u32(x)};
    if (!x->bad && out->status == MOUNT3_OK) {
        uint32_t len;
        const unsigned char *fh = xdr_get_opaque(x, NFS3_FH_MAX, &len);

        if (len == 0)
            return -EBADMSG;
        memcpy(out->fh.data, fh, len);
        out->fh.len = (uint8_t)len;
        get_flavors(x, out);
    }
    return x->bad ? -EBADMSG : 0;
}

static const struct {
    uint32_t status;
    int code;
    const char *name;
} statuses[] = {
    {0, 0, "MNT3_OK"},
    {1, -EPERM, "MNT3ERR_PERM"},
    {2, -ENOENT, "MNT3ERR_NOENT"},
    {5, -EIO, "MNT3ERR_IO"},
    {13, -EACCES, "MNT3ERR_ACCES"},
    {20, -ENOTDIR, "MNT3ERR_NOTDIR"},
    {22, -EINVAL, "MNT3ERR_INVAL"},
    {63, -ENAMETOOLONG, "MNT3ERR_NAMETOOLONG"},
    {10004, -EOPNOTSUPP, "MNT3ERR_NOTSUPP"},
    {10006, -EREMOTEIO, "MNT3ERR_SERVERFAULT"},
};

const char *mount3_status_name(uint32_t status)
{
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        if (statuses[i].status == status)
            return statuses[i].name;
    }
    return "MNT3ERR_?";
}

int mount3_errno(uint32_t status)
{
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        if (statuses[i].status == status)
            return statuses[i].code;
    }
    return -EREMOTEIO;
}

/* How many may follow is bounded by the record they are in. */
static bool get_groups(struct xdr_in *x)
{
    bool any = false;

    while (xdr_get_bool(x)) {
        uint32_t len;

        (void)xdr_get_opaque(x, MOUNT3_HOST_MAX, &len);
        any = true;
    }
    return any;
}

int mount3_get_export(struct xdr_in *x, char path[MOUNT3_PATH_MAX + 1], bool *everyone)
{
    if (!xdr_get_bool(x))
        return x->bad ? -EBADMSG : 0;

    uint32_t len;
    const unsigned char *bytes = xdr_get_opaque(x, MOUNT3_PATH_MAX, &len);
    bool groups = get_groups(x);

    if (x->bad || memchr(bytes, '\0', len) != NULL)
        return -EBADMSG;
    memcpy(path, bytes, len);
    path[len] = '\0';
    *everyone = !groups;
    return 1;
}
