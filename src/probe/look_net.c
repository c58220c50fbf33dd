#include "probe/local_priv.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MBIT_BYTES (1e6 / 8)
#define LANE_WORD_BYTES                                                                            \
    4 /* port_*_data count lanes' words: InfiniBand Architecture, PortCounters */

enum { RX_BYTES = 0, RX_DROP = 3, RX_FIFO = 4, TX_BYTES = 8, TX_DROP = 11, TX_FIFO = 12, COLUMNS };

static void put_port(struct local *l, const char *name, const double c[COLUMNS])
{
    double speed = local_fact(l, l->sys, 0, "class/net/%s/speed", name);
    double line_rate = speed > 0 ? speed * MBIT_BYTES : 0;
    bool idle = local_idle(l, TRACK_NIC_IN, name, c[RX_BYTES] + c[TX_BYTES]);
    struct sight *s = local_put(l, TRACK_NIC_IN, SIGHT_COUNTED, name);

    s->value = c[RX_BYTES];
    s->capacity = line_rate;
    s->idle = idle;
    s = local_put(l, TRACK_NIC_OUT, SIGHT_COUNTED, name);
    s->value = c[TX_BYTES];
    s->capacity = line_rate;
    s->idle = idle;
    s = local_put(l, TRACK_NIC_DROPS, SIGHT_COUNTED, name);
    s->value = c[RX_DROP] + c[RX_FIFO] + c[TX_DROP] + c[TX_FIFO];
    s->idle = idle;
}

/* "  eth0: bytes packets errs drop fifo …", after two lines of headings. An alias has a colon in its name. */
void look_ports(struct local *l)
{
    struct {
        char name[64];
        double c[COLUMNS];
    } *port = NULL;
    unsigned n = 0;
    char *at = local_read(l, l->proc, "net/dev");

    for (char *line; (line = local_line(&at)) != NULL;) {
        char *colon = strrchr(line, ':');
        void *more = colon ? realloc(port, (n + 1) * sizeof *port) : NULL;
        if (!more)
            continue;
        port = more;
        *colon = '\0';
        char *word = local_word(&line), *numbers = colon + 1;
        if (word && local_numbers(&numbers, port[n].c, COLUMNS) == COLUMNS)
            snprintf(port[n++].name, sizeof port->name, "%s", word);
    }
    for (unsigned i = 0; i < n; i++)
        put_port(l, port[i].name, port[i].c);
    free(port);
}

/* Files of two lines for each protocol, one of names and one of values; their sum. false: none is there. */
static bool named_values(struct local *l, const char *file, const char *protocol,
                         const char *const name[2], double out[2])
{
    char *at = local_read(l, l->proc, "net/%s", file), *names = NULL, *line;
    bool found = false;

    out[0] = out[1] = 0;
    while ((line = local_line(&at)) != NULL) {
        const char *of = local_word(&line);
        if (!of || strcmp(of, protocol) != 0)
            continue;
        if (!names) {
            names = line;
            continue;
        }
        for (char *word, *value; (word = local_word(&names)) && (value = local_word(&line));)
            for (unsigned i = 0; i < 2; i++)
                if (strcmp(word, name[i]) == 0) {
                    out[i] = strtod(value, NULL);
                    found = true;
                }
        break;
    }
    return found;
}

/* What was dropped behind the port: by a core that was too slow, or by a socket whose reader was. */
static void put_dropped_later(struct local *l)
{
    static const char *const full[] = {"TCPRcvQDrop", "TCPBacklogDrop"};
    double socket[2], core = 0;
    char *at;

    if (named_values(l, "netstat", "TcpExt:", full, socket))
        local_put(l, TRACK_NIC_DROPS, SIGHT_COUNTED, "tcp")->value = socket[0] + socket[1];
    at = local_read(l, l->proc, "net/softnet_stat");
    if (!at)
        return;
    for (char *line; (line = local_line(&at)) != NULL;) {
        unsigned dropped;
        if (sscanf(line, "%*x %x", &dropped) == 1)
            core += dropped;
    }
    local_put(l, TRACK_NIC_DROPS, SIGHT_COUNTED, "softnet")->value = core;
}

void look_tcp(struct local *l)
{
    static const char *const segments[] = {"OutSegs", "RetransSegs"};
    double n[2];

    if (named_values(l, "snmp", "Tcp:", segments, n)) {
        local_put(l, TRACK_TCP_SENT, SIGHT_COUNTED, "")->value = n[0];
        local_put(l, TRACK_TCP_RESENT, SIGHT_COUNTED, "")->value = n[1];
    }
    put_dropped_later(l);
}

/* "40 Gb/sec (4X QDR)". The three oldest codes send 10 bits for 8 and FDR sends 66 for 64, and their names count what
 * is on the wire; FDR10, EDR and later ones are called by what they carry, and so is whatever runs over Ethernet. */
static double rdma_line_rate(struct local *l, const char *port)
{
    const char *text = local_read(l, l->sys, "class/infiniband/%s/link_layer", port);
    bool ethernet = text && strncmp(text, "Ethernet", 8) == 0;
    const char *rate = local_read(l, l->sys, "class/infiniband/%s/rate", port);
    double carried = 1;

    if (!rate)
        return 0;
    if (strstr(rate, "SDR") || strstr(rate, "DDR") || strstr(rate, "QDR"))
        carried = 8.0 / 10;
    else if (strstr(rate, "FDR)"))
        carried = 64.0 / 66;
    return strtod(rate, NULL) * 1e9 / 8 * (ethernet ? 1 : carried);
}

static void put_rdma_port(struct local *l, const char *device, const char *number)
{
    char port[LOCAL_PATH / 2], name[TRACK_NAME_MAX];
    double in, out, capacity;

    snprintf(port, sizeof port, "%.200s/ports/%.20s", device, number);
    snprintf(name, sizeof name, "%.40s/%.5s", device, number);
    in = local_number(l, l->sys, -1, "class/infiniband/%s/counters/port_rcv_data", port);
    out = local_number(l, l->sys, -1, "class/infiniband/%s/counters/port_xmit_data", port);
    if (in < 0 || out < 0)
        return;
    capacity = rdma_line_rate(l, port);
    struct sight *s = local_put(l, TRACK_RDMA_IN, SIGHT_COUNTED, name);
    s->value = in * LANE_WORD_BYTES;
    s->capacity = capacity;
    s = local_put(l, TRACK_RDMA_OUT, SIGHT_COUNTED, name);
    s->value = out * LANE_WORD_BYTES;
    s->capacity = capacity;
}

static DIR *open_below(struct local *l, const char *name)
{
    char path[2 * LOCAL_PATH];

    snprintf(path, sizeof path, "%s/%s", l->sys, name);
    return opendir(path);
}

static void look_rdma_device(struct local *l, const char *device)
{
    char name[LOCAL_PATH];
    DIR *ports;

    snprintf(name, sizeof name, "class/infiniband/%.200s/ports", device);
    ports = open_below(l, name);
    for (struct dirent *e; ports && (e = readdir(ports)) != NULL;)
        if (e->d_name[0] != '.')
            put_rdma_port(l, device, e->d_name);
    if (ports)
        closedir(ports);
}

void look_rdma(struct local *l)
{
    DIR *devices = open_below(l, "class/infiniband");

    for (struct dirent *e; devices && (e = readdir(devices)) != NULL;)
        if (e->d_name[0] != '.')
            look_rdma_device(l, e->d_name);
    if (devices)
        closedir(devices);
}
