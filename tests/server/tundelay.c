/* tundelay NETNS_A ADDRESS_A NETNS_B ADDRESS_B DELAY_US LOSS_PPM — a line between two network namespaces,
 * each with a TUN device "line" of that IPv4 address (a /24): a packet arrives DELAY_US after it was sent,
 * or, LOSS_PPM in a million of them, never.
 *   SIGUSR1   loses everything from now on, or nothing more than before
 * Says "ready" when packets pass, ends with its standard input. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define PACKET_BYTES 65536
#define WAITING_MAX  4096 /* packets of one direction; what comes on top is lost, as in a queue */
#define MILLION      1000000u

struct packet {
    uint64_t due_ns;
    size_t len;
    unsigned char *bytes;
};

struct direction {
    int from;
    int to;
    unsigned first; /* of a ring */
    unsigned n;
    struct packet waiting[WAITING_MAX];
};

static volatile sig_atomic_t parted;

static void part(int signal_number)
{
    (void)signal_number;
    parted = !parted;
}

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static uint64_t now_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void set_up(const char *address)
{
    struct ifreq ifr = {.ifr_name = "line"};
    struct sockaddr_in sin = {.sin_family = AF_INET};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || inet_pton(AF_INET, address, &sin.sin_addr) != 1)
        die(address);
    memcpy(&ifr.ifr_addr, &sin, sizeof sin);
    if (ioctl(fd, SIOCSIFADDR, &ifr) < 0)
        die("SIOCSIFADDR");
    sin.sin_addr.s_addr = htonl(0xffffff00);
    memcpy(&ifr.ifr_netmask, &sin, sizeof sin);
    if (ioctl(fd, SIOCSIFNETMASK, &ifr) < 0)
        die("SIOCSIFNETMASK");
    ifr.ifr_flags = IFF_UP | IFF_RUNNING;
    if (ioctl(fd, SIOCSIFFLAGS, &ifr) < 0)
        die("SIOCSIFFLAGS");
    close(fd);
}

/* The device stays ours when we have left the namespace again. */
static int tun_in(const char *netns, const char *address)
{
    struct ifreq ifr = {.ifr_name = "line", .ifr_flags = IFF_TUN | IFF_NO_PI};
    char path[256];

    snprintf(path, sizeof path, "/run/netns/%s", netns);
    int ns = open(path, O_RDONLY | O_CLOEXEC);
    if (ns < 0 || setns(ns, CLONE_NEWNET) < 0)
        die(path);
    close(ns);
    int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || ioctl(fd, TUNSETIFF, &ifr) < 0)
        die("/dev/net/tun");
    set_up(address);
    return fd;
}

static void take(struct direction *d, uint64_t delay_ns, unsigned loss_ppm)
{
    static unsigned char buf[PACKET_BYTES];
    ssize_t len;

    while ((len = read(d->from, buf, sizeof buf)) > 0) {
        if (parted || d->n == WAITING_MAX || (unsigned)(drand48() * MILLION) < loss_ppm)
            continue;
        struct packet *p = &d->waiting[(d->first + d->n++) % WAITING_MAX];
        *p = (struct packet){
            .due_ns = now_ns() + delay_ns, .len = (size_t)len, .bytes = malloc((size_t)len)};
        if (p->bytes == NULL)
            die("a packet");
        memcpy(p->bytes, buf, (size_t)len);
    }
}

static void give(struct direction *d)
{
    while (d->n > 0 && d->waiting[d->first].due_ns <= now_ns()) {
        struct packet *p = &d->waiting[d->first];
        if (!parted && write(d->to, p->bytes, p->len) < 0 && errno != EAGAIN && errno != EIO)
            die("write");
        free(p->bytes);
        d->first = (d->first + 1) % WAITING_MAX;
        d->n--;
    }
}

static uint64_t first_due(const struct direction *d)
{
    return d->n > 0 ? d->waiting[d->first].due_ns : UINT64_MAX;
}

static void run(struct direction d[2], uint64_t delay_ns, unsigned loss_ppm)
{
    for (;;) {
        struct pollfd fd[3] = {{.fd = d[0].from, .events = POLLIN},
                               {.fd = d[1].from, .events = POLLIN},
                               {.fd = STDIN_FILENO}};
        uint64_t due = first_due(&d[0]) < first_due(&d[1]) ? first_due(&d[0]) : first_due(&d[1]);
        uint64_t now = now_ns(), wait = due == UINT64_MAX ? 1000000000 : due > now ? due - now : 0;
        struct timespec ts = {.tv_sec = (time_t)(wait / 1000000000),
                              .tv_nsec = (long)(wait % 1000000000)};
        if (ppoll(fd, 3, &ts, NULL) < 0 && errno != EINTR)
            die("poll");
        if (fd[2].revents != 0)
            return;
        for (unsigned i = 0; i < 2; i++) {
            take(&d[i], delay_ns, loss_ppm);
            give(&d[i]);
        }
    }
}

int main(int argc, char **argv)
{
    static struct direction d[2];

    if (argc != 7) {
        fprintf(stderr, "tundelay NETNS_A ADDRESS_A NETNS_B ADDRESS_B DELAY_US LOSS_PPM\n");
        return 2;
    }
    d[0].from = d[1].to = tun_in(argv[1], argv[2]);
    d[1].from = d[0].to = tun_in(argv[3], argv[4]);
    if (sigaction(SIGUSR1, &(struct sigaction){.sa_handler = part}, NULL) < 0)
        die("sigaction");
    puts("ready");
    fflush(stdout);
    run(d, strtoull(argv[5], NULL, 10) * 1000, (unsigned)strtoul(argv[6], NULL, 10));
    return 0;
}
