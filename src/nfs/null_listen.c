#include "nfs/null_server.h"

#include <endian.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

static socklen_t loopback(struct sockaddr_storage *out, uint16_t port, bool ipv6)
{
    *out = (struct sockaddr_storage){.ss_family = ipv6 ? AF_INET6 : AF_INET};
    if (ipv6) {
        struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)out;

        in6->sin6_port = htobe16(port);
        in6->sin6_addr = in6addr_loopback;
        return sizeof *in6;
    }

    struct sockaddr_in *in = (struct sockaddr_in *)out;

    in->sin_port = htobe16(port);
    in->sin_addr.s_addr = htobe32(INADDR_LOOPBACK);
    return sizeof *in;
}

int null_server_listen(uint16_t *port, bool ipv6, struct err *err)
{
    struct sockaddr_storage at;
    socklen_t len = loopback(&at, *port, ipv6);
    int fd = socket(at.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int on = 1;

    if (fd < 0)
        return err_sys(err, -errno, "null server: socket");
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0 ||
        bind(fd, (struct sockaddr *)&at, len) < 0 || listen(fd, 1024) < 0 ||
        getsockname(fd, (struct sockaddr *)&at, &len) < 0) {
        int code = -errno;

        close(fd);
        return err_sys(err, code, "null server: port %u of the loopback", *port);
    }
    /* Both kinds of address have it in the same place. */
    *port = be16toh(((struct sockaddr_in *)&at)->sin_port);
    return fd;
}
