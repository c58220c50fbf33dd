/* From the name of a server to the handle of a directory. The longest part of the path that the server lets
 * be mounted is mounted, and the rest looked up, without following links: out of the export there is
 * nothing for us. */
#include "target/caller.h"
#include "target/nfs_open_priv.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define UMNT_NS         1000000000ull /* closing does not wait for a server that is gone */
#define EXPORTS_SHOWN   200           /* bytes */
#define HOST_NAME_BYTES 256

static const struct rpc_cred nobody; /* AUTH_NONE */

/* ---- as whom ---- */

static void make_credential(struct nfs_target *t)
{
    const struct nfs_address *a = &t->address;
    char host[HOST_NAME_BYTES] = "";
    struct target_caller caller;

    target_caller(&caller);
    if (gethostname(host, sizeof host - 1) < 0)
        host[0] = '\0';
    /* Somebody else's groups are not known. */
    if (a->has_uid && a->uid != caller.uid)
        caller.groups = 0;
    t->uid = a->has_uid ? a->uid : caller.uid;
    t->gid = a->has_gid ? a->gid : caller.gid;
    rpc_cred_sys(&t->cred, host, t->uid, t->gid, caller.group, caller.groups);
}

/* ---- where ---- */

/* Could another address of the host do better? */
static bool is_of_address(int code)
{
    switch (-code) {
    case ECONNREFUSED:
    case ECONNRESET:
    case ETIMEDOUT:
    case EHOSTUNREACH:
    case ENETUNREACH:
    case EADDRNOTAVAIL:
    case EAFNOSUPPORT:
        return true;
    default:
        return false;
    }
}

static int find_port(struct nfs_target *t, uint32_t program, const char *served, uint16_t *port,
                     struct err *err)
{
    uint32_t version = program == NFS3_PROGRAM ? NFS3_VERSION : MOUNT3_VERSION;
    int rc = nfs_portmap(&t->peer, program, version, t->address.timeo_ns, port);

    if (rc < 0)
        return nfs_words_no_portmapper(t, rc, err);
    return *port != 0 ? 0 : nfs_words_not_registered(t, served, err);
}

static int find_ports(struct nfs_target *t, struct err *err)
{
    uint16_t port = t->address.port;
    int rc = port != 0 ? 0 : find_port(t, NFS3_PROGRAM, NFS_SERVED, &port, err);

    if (rc < 0)
        return rc;
    nfs_peer_set_port(&t->peer, port);
    t->mount_port = t->address.mount_port;
    if (t->mount_port != 0)
        return 0;
    if (t->address.port == 0)
        return find_port(t, MOUNT3_PROGRAM, MOUNT_SERVED, &t->mount_port, err);
    /* Where one port was named, it is because the portmapper cannot be asked, often; and servers made for
     * such places take MOUNT on the same one. */
    if (nfs_portmap(&t->peer, MOUNT3_PROGRAM, MOUNT3_VERSION, t->address.timeo_ns, &t->mount_port) <
            0 ||
        t->mount_port == 0)
        t->mount_port = port;
    return 0;
}

/* ---- MOUNT ---- */

static int ask_mount(const struct nfs_target *t, struct nfs_ask *a, const char *path,
                     struct mount3_root *root)
{
    struct xdr_in results;
    int rc;

    mount3_put_path(nfs_ask_begin(a, MOUNT3_PROGRAM, MOUNT3_VERSION, MOUNT3_MNT, &t->cred), path);
    rc = nfs_ask_end(a, &results);
    return rc < 0 ? rc : mount3_get_root(&results, root);
}

static bool is_within(const char *path, const char *export)
{
    size_t len = strlen(export);

    while (len > 1 && export[len - 1] == '/')
        len--;
    return strncmp(path, export, len) == 0 && (path[len] == '\0' || path[len] == '/' || len == 1);
}

static void add_export(const struct nfs_target *t, const char *path, bool everyone,
                       struct nfs_exports *out)
{
    if (is_within(t->address.path, path)) {
        out->has_it = true;
        out->everyone = everyone;
    }
    if (out->paths.len < EXPORTS_SHOWN)
        text_addf(&out->paths, "%s%s", out->paths.len > 0 ? ", " : "", path);
    else if (out->paths.s[out->paths.len - 1] != '.')
        text_add(&out->paths, " ...");
}

static void ask_exports(const struct nfs_target *t, struct nfs_ask *a, struct nfs_exports *out)
{
    char path[MOUNT3_PATH_MAX + 1];
    bool everyone;
    struct xdr_in results;
    int rc;

    nfs_ask_begin(a, MOUNT3_PROGRAM, MOUNT3_VERSION, MOUNT3_EXPORT, &nobody);
    rc = nfs_ask_end(a, &results);
    if (rc < 0)
        return;
    while ((rc = mount3_get_export(&results, path, &everyone)) == 1)
        add_export(t, path, everyone, out);
    out->known = rc == 0 && !out->paths.failed;
}

static int refused_mount(const struct nfs_target *t, struct nfs_ask *a, uint32_t status,
                         struct err *err)
{
    struct nfs_exports exports = {.known = false};
    int rc;

    text_init(&exports.paths);
    ask_exports(t, a, &exports);
    rc = nfs_words_mount(t, &exports, status, a->reserved, err);
    text_fini(&exports.paths);
    return rc;
}

bool nfs_mount_is_of_path(uint32_t status)
{
    return mount3_errno(status) != -EREMOTEIO && mount3_errno(status) != -EIO &&
           mount3_errno(status) != -EOPNOTSUPP;
}

/* Servers differ in whether a directory within an export can be mounted. */
static int mount_longest(struct nfs_target *t, struct nfs_ask *a, struct err *err)
{
    uint32_t first = 0;

    snprintf(t->export, sizeof t->export, "%s", t->address.path);
    for (;;) {
        struct mount3_root root;
        int rc = ask_mount(t, a, t->export, &root);
        char *name = strrchr(t->export, '/');

        if (rc < 0)
            return nfs_words_rpc(t, MOUNT_SERVED, a, rc, err);
        if (root.status == 0) {
            t->root = root.fh;
            return nfs_words_flavor(t, &root, err);
        }
        if (first == 0)
            first = root.status;
        if (name[1] == '\0' || !nfs_mount_is_of_path(root.status))
            return refused_mount(t, a, first, err);
        name[name == t->export ? 1 : 0] = '\0';
    }
}

static int mount_it(struct nfs_target *t, struct err *err)
{
    struct nfs_ask a;
    int rc = nfs_ask_port(t, MOUNT_SERVED, t->mount_port, &a, err);

    if (rc < 0)
        return rc;
    rc = mount_longest(t, &a, err);
    nfs_ask_close(&a);
    return rc;
}

void nfs_target_unmount(struct nfs_target *t)
{
    struct sockaddr_storage peer = t->peer;
    uint64_t timeo_ns = t->address.timeo_ns < UMNT_NS ? t->address.timeo_ns : UMNT_NS;
    struct xdr_in results;
    struct nfs_ask a;

    nfs_peer_set_port(&peer, t->mount_port);
    if (nfs_ask_open(&a, &peer, timeo_ns) < 0)
        return;
    mount3_put_path(nfs_ask_begin(&a, MOUNT3_PROGRAM, MOUNT3_VERSION, MOUNT3_UMNT, &t->cred),
                    t->export);
    /* Servers keep a list of who mounts, for show; that it is wrong now changes nothing. */
    if (nfs_ask_end(&a, &results) < 0)
        a.timeo_ns = 0;
    nfs_ask_close(&a);
}

/* ---- all of it ---- */

static int mount_at(struct nfs_target *t, const struct addrinfo *at, struct err *err)
{
    int rc;

    memset(&t->peer, 0, sizeof t->peer);
    memcpy(&t->peer, at->ai_addr, at->ai_addrlen);
    t->peer_len = at->ai_addrlen;
    rc = find_ports(t, err);
    if (rc == 0)
        rc = mount_it(t, err);
    if (rc < 0)
        return rc;
    rc = nfs_look(t, err);
    if (rc < 0)
        nfs_target_unmount(t);
    return rc;
}

int nfs_target_mount(struct nfs_target *t, struct err *err)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *list = NULL;
    int gai = getaddrinfo(t->address.host, NULL, &hints, &list);
    int rc = -EHOSTUNREACH;

    if (gai != 0)
        return nfs_words_host(t, gai, err);
    make_credential(t);
    for (const struct addrinfo *at = list; at != NULL && is_of_address(rc); at = at->ai_next) {
        struct err why = {0};
        int now = mount_at(t, at, &why);

        /* A port that is closed says more than an address that cannot be reached from here. */
        if (at == list || now == -ECONNREFUSED || !is_of_address(now)) {
            rc = now;
            if (err != NULL && now < 0)
                *err = why;
        }
    }
    freeaddrinfo(list);
    return rc;
}
