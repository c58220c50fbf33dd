#include "probe/local_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOUNTS_MAX    64
#define SESSION_SLOTS 64 /* max_session_slots as the client has it by default */

/* Words of "xprt:", by transport: how often requests were sent, and, added up at each of these, how many
 * were under way and how many waited for a slot. */
static const struct transport {
    const char *name;
    unsigned sends, in_use, backlog;
    const char *slots; /* how many there may be */
} transports[] = {{"tcp", 5, 8, 9, "sunrpc/tcp_max_slot_table_entries"},
                  {"rdma", 5, 8, 9, "sunrpc/rdma_slot_table_entries"},
                  {"udp", 2, 5, 6, "sunrpc/udp_slot_table_entries"}};

#define XPRT_WORDS 10

enum { OP_CALLS, OP_QUEUE_MS = 5, OP_RTT_MS, OP_WORDS };

struct mount {
    char name[TRACK_NAME_MAX];
    bool sessions; /* NFS 4.1 and later: the server says how many calls there may be under way */
    unsigned links;
    const struct transport *transport;
    double sends, in_use, backlog;
    double calls, queue_ms, rtt_ms;
    double reads, writes, commits;
};

static void read_link(struct mount *m, char *line)
{
    const char *word = local_word(&line);
    double n[XPRT_WORDS] = {0};

    for (unsigned i = 0; word && i < sizeof transports / sizeof transports[0]; i++) {
        const struct transport *t = &transports[i];
        if (strcmp(word, t->name) != 0 || local_numbers(&line, n, XPRT_WORDS) <= t->backlog)
            continue;
        m->transport = t;
        m->links++;
        m->sends += n[t->sends];
        m->in_use += n[t->in_use];
        m->backlog += n[t->backlog];
    }
}

/* "READ: calls transmissions timeouts sent received queue rtt execute …" */
static void read_op(struct mount *m, const char *op, char *line)
{
    double n[OP_WORDS];

    if (local_numbers(&line, n, OP_WORDS) < OP_WORDS)
        return;
    m->calls += n[OP_CALLS];
    m->queue_ms += n[OP_QUEUE_MS];
    m->rtt_ms += n[OP_RTT_MS];
    if (strcmp(op, "READ:") == 0)
        m->reads += n[OP_CALLS];
    else if (strcmp(op, "WRITE:") == 0)
        m->writes += n[OP_CALLS];
    else if (strcmp(op, "COMMIT:") == 0)
        m->commits += n[OP_CALLS];
}

/* "device server:/export mounted on /mnt with fstype nfs4 statvers=1.1"; false: of another kind. */
static bool read_head(struct mount *m, char *line)
{
    char *on = strstr(line, " mounted on "), *with = on ? strstr(on, " with fstype nfs") : NULL;
    size_t len;

    if (!with)
        return false;
    on += strlen(" mounted on ");
    len = (size_t)(with - on);
    *m = (struct mount){0};
    snprintf(m->name, sizeof m->name, "%.*s",
             (int)(len < sizeof m->name ? len : sizeof m->name - 1),
             len < sizeof m->name ? on : with - (sizeof m->name - 1));
    return true;
}

static void read_mount_line(struct mount *m, char *line)
{
    const char *vers = strstr(line, "vers=4.");
    const char *word = local_word(&line);
    size_t len = word ? strlen(word) : 0;

    if (len == 0 || word[len - 1] != ':')
        return;
    if (strcmp(word, "opts:") == 0)
        m->sessions = vers && vers[7] != '0';
    else if (strcmp(word, "xprt:") == 0)
        read_link(m, line);
    else if (word[0] >= 'A' && word[0] <= 'Z')
        read_op(m, word, line);
}

static double slots_of(struct local *l, const struct mount *m)
{
    if (m->sessions)
        return local_fact(l, l->sys, SESSION_SLOTS, "module/nfs/parameters/max_session_slots");
    return m->links * local_fact(l, l->proc, 0, "sys/%s", m->transport->slots);
}

static void put_ratio(struct local *l, const struct mount *m, enum track_kind kind, double value,
                      double per)
{
    struct sight *s = local_put(l, kind, SIGHT_RATIO, m->name);

    s->value = value;
    s->per = per;
    s->capacity = kind == TRACK_RPC_SLOTS ? slots_of(l, m) : 0;
}

static void put_calls(struct local *l, const struct mount *m, const char *op, double calls)
{
    char name[2 * TRACK_NAME_MAX];

    snprintf(name, sizeof name, "%s %s", m->name, op);
    local_put(l, TRACK_RPC_CALLS, SIGHT_COUNTED, name)->value = calls;
}

static void put_mount(struct local *l, const struct mount *m)
{
    if (m->transport) {
        put_ratio(l, m, TRACK_RPC_SLOTS, m->in_use * m->links, m->sends);
        put_ratio(l, m, TRACK_RPC_BACKLOG, m->backlog * m->links, m->sends);
    }
    put_ratio(l, m, TRACK_RPC_QUEUE, m->queue_ms * 1e6, m->calls);
    put_ratio(l, m, TRACK_RPC_RTT, m->rtt_ms * 1e6, m->calls);
    put_calls(l, m, "READ", m->reads);
    put_calls(l, m, "WRITE", m->writes);
    put_calls(l, m, "COMMIT", m->commits);
    put_calls(l, m, "other", m->calls - m->reads - m->writes - m->commits);
}

void look_mounts(struct local *l)
{
    struct mount *mount = NULL, *m = NULL;
    unsigned n = 0;
    char *at = local_read(l, l->proc, "self/mountstats");

    for (char *line; (line = local_line(&at)) != NULL;) {
        if (strncmp(line, "device ", 7) != 0) {
            if (m)
                read_mount_line(m, line);
            continue;
        }
        m = NULL;
        if (!mount && strstr(line, " with fstype nfs"))
            mount = calloc(MOUNTS_MAX, sizeof *mount);
        if (mount && n < MOUNTS_MAX && read_head(&mount[n], line))
            m = &mount[n++];
    }
    for (unsigned i = 0; i < n; i++)
        put_mount(l, &mount[i]);
    free(mount);
}
