/* Why a server cannot be measured, for a person who has to do something about it. The same refusal has
 * several causes, so what is known here besides decides which of them are named. */
#include "target/nfs_open_priv.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <netdb.h>
#include <string.h>
#include <unistd.h>

#define AUTH_TOO_WEAK  5u
#define AUTH_BAD_CRED  1u
#define FLAVOR_GSS     390000u /* and what follows: kinds of Kerberos */
#define EXPORT_ROOT(t) ((t)->address.path)

#define ADDRESS_ROOM INET6_ADDRSTRLEN

static const char *address_of(const struct nfs_target *t, char room[ADDRESS_ROOM])
{
    const void *at = t->peer.ss_family == AF_INET6
                         ? (const void *)&((const struct sockaddr_in6 *)&t->peer)->sin6_addr
                         : (const void *)&((const struct sockaddr_in *)&t->peer)->sin_addr;

    return inet_ntop(t->peer.ss_family, at, room, ADDRESS_ROOM) != NULL ? room : "?";
}

/* " (10.1.2.3)" where the host was written as a name. */
static void add_host(const struct nfs_target *t, struct text *out)
{
    char room[ADDRESS_ROOM];
    const char *address = address_of(t, room);

    text_add(out, t->address.host);
    if (strcmp(address, t->address.host) != 0)
        text_addf(out, " (%s)", address);
}

/* Takes the text over. */
static int say(struct text *text, int code, struct err *err)
{
    err_set(err, code, "%s", text->failed ? "no memory to say what the server refused" : text->s);
    text_fini(text);
    return code;
}

static struct text about(const struct nfs_target *t)
{
    struct text text;

    text_init(&text);
    add_host(t, &text);
    return text;
}

/* ---- before anything is served ---- */

int nfs_words_host(const struct nfs_target *t, int gai, struct err *err)
{
    const char *host = t->address.host;

    if (gai == EAI_AGAIN)
        return err_set(err, -EHOSTUNREACH,
                       "the address of %s cannot be found: no name server answers", host);
    if (gai == EAI_SYSTEM && errno != 0)
        return err_sys(err, -errno, "the address of %s cannot be found", host);
    return err_set(err, -EHOSTUNREACH, "no host is known by the name %s (%s)", host,
                   gai_strerror(gai));
}

static bool is_no_way(int code)
{
    return code == -ENETUNREACH || code == -EADDRNOTAVAIL || code == -EAFNOSUPPORT;
}

int nfs_words_unreachable(const struct nfs_target *t, const char *served, uint16_t port, int code,
                          struct err *err)
{
    struct text text = about(t);

    if (code == -ECONNREFUSED)
        text_addf(&text, ": port %u is closed, no %s is served there", port, served);
    else if (code == -ETIMEDOUT)
        text_addf(&text,
                  ": port %u (%s) does not answer; is the host up, and does no firewall drop it?",
                  port, served);
    else if (t->peer.ss_family == AF_INET6 && is_no_way(code))
        text_add(&text, " has an IPv6 address only, and this machine has no way to it");
    else
        text_addf(&text, ": no connection to port %u (%s): %s", port, served, strerror(-code));
    return say(&text, code, err);
}

int nfs_words_no_portmapper(const struct nfs_target *t, int code, struct err *err)
{
    struct text text = about(t);
    const char *bracket = strchr(t->address.host, ':') != NULL ? "[" : "";

    if (t->peer.ss_family == AF_INET6 && is_no_way(code))
        return text_fini(&text), nfs_words_unreachable(t, "portmapper", PORTMAP_PORT, code, err);
    if (code == -ECONNREFUSED)
        text_add(&text, ": port 111 is closed, so there is no portmapper to ask");
    else if (code == -ETIMEDOUT)
        text_add(&text, ": port 111 does not answer, so there is no portmapper to ask");
    else
        text_addf(&text, ": the portmapper at port 111 cannot be asked (%s)", strerror(-code));
    text_addf(&text, "; where the ports are known: nfs://%s%s%s:2049%s?mountport=PORT", bracket,
              t->address.host, *bracket != '\0' ? "]" : "", t->address.path);
    return say(&text, code, err);
}

int nfs_words_not_registered(const struct nfs_target *t, const char *program, struct err *err)
{
    struct text text = about(t);

    text_addf(
        &text,
        " serves no %s version 3 over TCP, says its portmapper; what serves version 4 only is "
        "measured by mounting it: loadline COMMAND /DIRECTORY",
        program);
    return say(&text, -EPROTONOSUPPORT, err);
}

/* ---- refused ports ---- */

static void add_program(struct text *out)
{
    char path[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", path, sizeof path - 1);

    if (len > 0 && len < 128) {
        path[len] = '\0';
        text_add(out, path);
    } else {
        text_add(out, "loadline");
    }
}

/* What follows "…, and" this program having no port below 1024. */
static void add_ways_to_a_port(struct text *out)
{
    text_add(out, "; we came from a port above 1023, which many servers refuse. Here: as root, or "
                  "once: sudo setcap cap_net_bind_service+ep ");
    add_program(out);
    text_add(out, "; there: export option insecure (Linux), Allow non-root mount (TrueNAS), "
                  "-mount-rootonly disabled -nfs-rootonly disabled (ONTAP)");
}

static void add_mismatch(const struct nfs_ask *a, const char *program, struct text *out)
{
    text_addf(out, ": port %u serves %s version %u", a->port, program, a->reply.low);
    if (a->reply.high != a->reply.low)
        text_addf(out, " to %u", a->reply.high);
    text_add(out, ", not 3");
    if (a->reply.low >= 4)
        text_add(out, "; version 4 is measured by mounting it: loadline COMMAND /DIRECTORY");
}

static void add_refusal(const struct nfs_ask *a, const char *program, struct text *out)
{
    switch (a->reply.verdict) {
    case RPC_PROG_UNAVAIL:
        text_addf(out, ": what is at port %u does not serve %s", a->port, program);
        if (strcmp(program, "MOUNT") == 0)
            text_add(out, "; ?mountport=PORT says where it is served");
        break;
    case RPC_PROG_MISMATCH:
        add_mismatch(a, program, out);
        break;
    case RPC_AUTH_ERROR:
        text_addf(out, ": %s refuses who we say we are (AUTH_SYS, reason %u)", program,
                  a->reply.auth);
        if (!a->reserved && (a->reply.auth == AUTH_TOO_WEAK || a->reply.auth == AUTH_BAD_CRED))
            add_ways_to_a_port(out);
        else if (a->reply.auth == AUTH_TOO_WEAK)
            text_add(out, "; does the export ask for Kerberos (sec=krb5)?");
        break;
    default:
        text_addf(out, ": %s refuses the call (%s)", program, rpc_verdict_name(a->reply.verdict));
    }
}

int nfs_words_rpc(const struct nfs_target *t, const char *program, const struct nfs_ask *a,
                  int code, struct err *err)
{
    struct text text = about(t);

    if (a->reply.verdict != RPC_SUCCESS)
        add_refusal(a, program, &text);
    else if (code == -EBADMSG)
        text_addf(&text, ": what answers at port %u (%s) does not speak it: %s", a->port, program,
                  "no ONC RPC");
    else if (code == -ETIMEDOUT)
        text_addf(&text, ": %s at port %u takes the connection and does not answer", program,
                  a->port);
    else if (code == -ECONNRESET || code == -EPIPE)
        text_addf(&text, ": %s at port %u closes the connection without an answer", program,
                  a->port);
    else
        text_addf(&text, ": %s at port %u: %s", program, a->port, strerror(-code));
    return say(&text, code, err);
}

/* ---- MOUNT ---- */

static bool is_refusal(uint32_t status)
{
    return mount3_errno(status) == -EACCES || mount3_errno(status) == -EPERM;
}

int nfs_words_mount(const struct nfs_target *t, const struct nfs_exports *exports, uint32_t status,
                    bool reserved, struct err *err)
{
    struct text text = about(t);
    int code = mount3_errno(status);

    if (exports->known && !exports->has_it && nfs_mount_is_of_path(status)) {
        text_addf(&text, " does not export %s", t->address.path);
        text_addf(&text, exports->paths.len > 0 ? "; it exports %s" : ", nor anything else%s",
                  exports->paths.s);
        return say(&text, -ENOENT, err);
    }
    text_addf(&text, " does not let us mount %s (%s)", t->address.path, mount3_status_name(status));
    if (is_refusal(status) && !reserved)
        add_ways_to_a_port(&text);
    else if (is_refusal(status) && exports->known && !exports->everyone)
        text_add(&text, "; it is exported to certain hosts, and this one may not be among them");
    else if (is_refusal(status))
        text_add(&text, "; is it exported, and to this host?");
    return say(&text, code == -EINVAL ? -ENOENT : code, err);
}

int nfs_words_flavor(const struct nfs_target *t, const struct mount3_root *root, struct err *err)
{
    bool gss = false;

    if (root->flavors == 0)
        return 0;
    for (unsigned i = 0; i < root->flavors; i++) {
        if (root->flavor[i] == RPC_AUTH_SYS || root->flavor[i] == RPC_AUTH_NONE)
            return 0;
        gss |= root->flavor[i] >= FLAVOR_GSS;
    }

    struct text text = about(t);

    text_addf(&text,
              " wants %s for %s, and nfs:// speaks AUTH_SYS only (sec=sys); measure a mount of it",
              gss ? "Kerberos" : "another kind of credential", t->export);
    return say(&text, -EPROTONOSUPPORT, err);
}

/* ---- NFS ---- */

static void add_as_whom(const struct nfs_target *t, struct text *out)
{
    text_addf(out, " to uid %u, gid %u", t->uid, t->gid);
}

int nfs_words_nfs(const struct nfs_target *t, const char *proc, const char *path, uint32_t status,
                  bool reserved, struct err *err)
{
    struct text text = about(t);
    int code = nfs3_errno(status);

    switch (-code) {
    case ENOENT:
        text_addf(&text, ": there is no %s in its export %s", path, t->export);
        break;
    case ENOTDIR:
        text_addf(&text, ": %s is no directory", path);
        break;
    case EACCES:
    case EPERM:
        text_addf(&text, " does not give %s", path);
        add_as_whom(t, &text);
        text_addf(&text, " (%s: %s)", proc, nfs3_status_name(status));
        if (!reserved)
            add_ways_to_a_port(&text);
        else
            text_add(&text, "; ?uid=N&gid=N asks as somebody else");
        break;
    default:
        text_addf(&text, ": %s of %s: %s", proc, path, nfs3_status_name(status));
    }
    return say(&text, code == -EINVAL ? -EREMOTEIO : code, err);
}

int nfs_words_link(const struct nfs_target *t, const char *path, struct err *err)
{
    struct text text = about(t);

    text_addf(&text, ": %s is a symbolic link, and links are not followed; write where it leads to",
              path);
    return say(&text, -ELOOP, err);
}
