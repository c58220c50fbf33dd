/* Connections as servers like them: from a port below 1024, which only a privileged program can have, and
 * which many servers take for a sign that the ids in a call can be believed. */
#include "target/nfs_priv.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <string.h>
#include <unistd.h>

/* Below these, ports belong to services by name more often than not. */
#define RESERVED_FIRST 512
#define RESERVED_LAST  1023
#define RESERVED_COUNT (RESERVED_LAST - RESERVED_FIRST + 1)

/* Where the next connection of this process begins to look: not at those just taken. */
static _Atomic unsigned reserved_turn;

/* Management controllers take packets to these two off the wire before this machine sees them. */
static bool is_stolen(unsigned port)
{
    return port == 623 || port == 664;
}

static int new_socket(sa_family_t family)
{
    const int on = 1;
    int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return -errno;
    if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) < 0) {
        int code = -errno;

        close(fd);
        return code;
    }
    return fd;
}

/* 0: connected or on the way. */
static int begin(int fd, const struct sockaddr_storage *peer, socklen_t len)
{
    if (connect(fd, (const struct sockaddr *)peer, len) == 0 || errno == EINPROGRESS)
        return 0;
    return -errno;
}

static int bind_port(int fd, sa_family_t family, unsigned port)
{
    struct sockaddr_storage own = {.ss_family = family};
    socklen_t len = sizeof(struct sockaddr_in);

    if (family == AF_INET6) {
        ((struct sockaddr_in6 *)&own)->sin6_port = htons((uint16_t)port);
        len = sizeof(struct sockaddr_in6);
    } else {
        ((struct sockaddr_in *)&own)->sin_port = htons((uint16_t)port);
    }
    return bind(fd, (const struct sockaddr *)&own, len) == 0 ? 0 : -errno;
}

/* A port may serve connections to several servers, so that it is taken shows in connect only. Closed with
 * a reset: a port that waits out its connection is lost for a minute, and there are only 500. */
static int connect_from(const struct sockaddr_storage *peer, socklen_t len, unsigned port)
{
    const struct linger reset = {.l_onoff = 1};
    const int on = 1;
    int fd = new_socket(peer->ss_family);
    int rc = 0;

    if (fd < 0)
        return fd;
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0 ||
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset) < 0)
        rc = -errno;
    if (rc == 0)
        rc = bind_port(fd, peer->ss_family, port);
    if (rc == 0)
        rc = begin(fd, peer, len);
    if (rc < 0)
        close(fd);
    return rc < 0 ? rc : fd;
}

static int connect_reserved(const struct sockaddr_storage *peer, socklen_t len)
{
    for (unsigned tried = 0; tried < RESERVED_COUNT; tried++) {
        unsigned turn = atomic_fetch_add_explicit(&reserved_turn, 1, memory_order_relaxed);
        unsigned port = RESERVED_LAST - ((unsigned)getpid() * 37 + turn) % RESERVED_COUNT;
        int fd = is_stolen(port) ? -EADDRINUSE : connect_from(peer, len, port);

        if (fd != -EADDRINUSE && fd != -EADDRNOTAVAIL)
            return fd;
    }
    return -EADDRINUSE;
}

int nfs_connect(const struct sockaddr_storage *peer, socklen_t len, bool *reserved)
{
    int fd = connect_reserved(peer, len);
    int rc;

    *reserved = fd >= 0;
    if (fd != -EACCES && fd != -EADDRINUSE)
        return fd;
    fd = new_socket(peer->ss_family);
    if (fd < 0)
        return fd;
    rc = begin(fd, peer, len);
    if (rc < 0)
        close(fd);
    return rc < 0 ? rc : fd;
}
