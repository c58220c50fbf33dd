/* Where a program is served. Version 2 knows IPv4 only; over IPv6 the later versions are asked, as version
 * 2 is not even answered there. */
#include "target/nfs_open_priv.h"

#include <errno.h>
#include <string.h>

static const struct rpc_cred nobody; /* AUTH_NONE */

static int ask_version_2(struct nfs_ask *a, uint32_t program, uint32_t version, uint16_t *port)
{
    struct xdr_out *x =
        nfs_ask_begin(a, PORTMAP_PROGRAM, PORTMAP_VERSION, PORTMAP_GETPORT, &nobody);
    struct xdr_in results;
    int rc;

    portmap_put_getport(x, program, version);
    rc = nfs_ask_end(a, &results);
    return rc < 0 ? rc : portmap_get_port(&results, port);
}

static int ask_version_4(struct nfs_ask *a, uint32_t program, uint32_t version, uint16_t *port)
{
    struct xdr_out *x =
        nfs_ask_begin(a, PORTMAP_PROGRAM, RPCBIND_VERSION, RPCBIND_GETADDR, &nobody);
    struct xdr_in results;
    int rc;

    rpcbind_put_getaddr(x, program, version, "tcp6");
    rc = nfs_ask_end(a, &results);
    return rc < 0 ? rc : rpcbind_get_port(&results, port);
}

int nfs_portmap(const struct sockaddr_storage *peer, uint32_t program, uint32_t version,
                uint64_t timeo_ns, uint16_t *port)
{
    struct sockaddr_storage at = *peer;
    struct nfs_ask a;
    int rc;

    nfs_peer_set_port(&at, PORTMAP_PORT);
    rc = nfs_ask_open(&a, &at, timeo_ns);
    if (rc < 0)
        return rc;
    rc = peer->ss_family == AF_INET6 ? ask_version_4(&a, program, version, port)
                                     : ask_version_2(&a, program, version, port);
    nfs_ask_close(&a);
    return rc;
}
