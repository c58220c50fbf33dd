/* What the kernel's NFS client has told of a mount since it was mounted: /proc/self/mountstats. Every line
 * is optional, and more columns than are known here may follow. */
#include "target/posix_mount_priv.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the entry of one mount ---- */

/* "device SOURCE mounted on POINT with fstype TYPE …"; blanks in names are escaped. */
static bool begins_entry(const char *line, const struct posix_mount *m)
{
    static const char on[] = " mounted on ";
    static const char with[] = " with fstype nfs";
    const char *point = strstr(line, on);
    const char *end = point != NULL ? strstr(point, with) : NULL;
    char name[PATH_MAX];

    if (strncmp(line, "device ", 7) != 0 || end == NULL)
        return false;
    point += sizeof on - 1;
    if ((size_t)snprintf(name, sizeof name, "%.*s", (int)(end - point), point) >= sizeof name)
        return false;
    mount_line_unescape(name);
    return strcmp(name, m->is.point) == 0;
}

typedef void entry_line(void *ctx, char *line);

/* What is mounted on top of another one stands behind it. */
static long entry_of(FILE *file, const struct posix_mount *m)
{
    char line[POSIX_MOUNT_LINE];
    long found = -1;

    while (fgets(line, sizeof line, file) != NULL) {
        if (begins_entry(line, m))
            found = ftell(file);
    }
    return found;
}

static void each_line(const char *proc, const struct posix_mount *m, entry_line *take, void *ctx)
{
    char path[PATH_MAX];
    char line[POSIX_MOUNT_LINE];
    FILE *file;
    long at;

    snprintf(path, sizeof path, "%s/self/mountstats", proc);
    file = fopen(path, "re");
    if (file == NULL)
        return;
    at = entry_of(file, m);
    if (at >= 0 && fseek(file, at, SEEK_SET) == 0) {
        while (fgets(line, sizeof line, file) != NULL && strncmp(line, "device ", 7) != 0)
            take(ctx, line + strspn(line, " \t"));
    }
    fclose(file);
}

/* Behind the head of a line, blanks passed over; NULL: another line. */
static char *behind(char *line, const char *head)
{
    size_t len = strlen(head);

    if (strncmp(line, head, len) != 0)
        return NULL;
    return line + len + strspn(line + len, " \t");
}

/* Up to `most` numbers; how many there were. */
static unsigned numbers(const char *text, uint64_t *number, unsigned most)
{
    unsigned n = 0;
    char *end;

    for (; n < most; n++, text = end) {
        number[n] = strtoull(text, &end, 10);
        if (end == text)
            break;
    }
    return n;
}

/* ---- facts ---- */

struct told {
    unsigned connections;
    char transport[16];
    char server[64];
    char wtmult[64];
};

/* name='NetApp…',domain='…',date='…' */
static void take_name(struct told *told, const char *text)
{
    const char *name = strstr(text, "name='");

    if (name != NULL)
        snprintf(told->server, sizeof told->server, "%.*s", (int)strcspn(name + 6, "'\n"),
                 name + 6);
}

static void take_fact(void *ctx, char *line)
{
    struct told *told = ctx;
    char buf[64];
    char *rest;

    if ((rest = behind(line, "xprt:")) != NULL) {
        told->connections++;
        snprintf(told->transport, sizeof told->transport, "%.*s", (int)strcspn(rest, " \n"), rest);
    } else if ((rest = behind(line, "impl_id:")) != NULL) {
        take_name(told, rest);
    } else if ((rest = behind(line, "caps:")) != NULL) {
        rest[strcspn(rest, "\n")] = '\0';
        snprintf(told->wtmult, sizeof told->wtmult, "%s",
                 posix_option(rest, "wtmult", buf) != NULL ? buf : "");
    }
}

void posix_nfs_facts(const char *proc, const struct posix_mount *m, const struct target_sink *sink)
{
    struct told told = {.connections = 0};
    char buf[64];

    each_line(proc, m, take_fact, &told);
    if (told.connections > 0)
        posix_put_number(sink, "connections", told.connections, "");
    if (told.transport[0] != '\0' && posix_option(m->options, "proto", buf) == NULL)
        sink->put(sink->ctx, "transport", told.transport, "");
    if (told.server[0] != '\0')
        sink->put(sink->ctx, "server_software", told.server, "");
    if (told.wtmult[0] != '\0')
        sink->put(sink->ctx, "wtmult", told.wtmult, "bytes");
}

/* ---- counters ---- */

/* Of a line of "per-op statistics". */
enum { OPS, SENT, TIMEOUTS, BYTES_OUT, BYTES_IN, QUEUE_MS, RTT_MS, EXECUTE_MS, ERRORS, OP_COLUMNS };

/* Of "bytes:". */
enum { SERVER_READ = 4, SERVER_WRITTEN, BYTES_COLUMNS };

struct counted {
    const struct target_sink *sink;
    bool by_op; /* behind "per-op statistics" */
    uint64_t sum[OP_COLUMNS];
    uint64_t connects;
    uint64_t bad_xids;
};

static void put_op(const struct target_sink *sink, const char *op, const char *what, uint64_t value,
                   const char *unit)
{
    char key[48];

    snprintf(key, sizeof key, "wire_%.24s_%s", op, what);
    posix_put_number(sink, key, value, unit);
}

/* "READ: 10 10 0 1280 41960 0 3 4 0" */
static void take_op(struct counted *c, char *line)
{
    uint64_t number[OP_COLUMNS] = {0};
    char *colon = strchr(line, ':');

    if (colon == NULL || numbers(colon + 1, number, OP_COLUMNS) < EXECUTE_MS + 1)
        return;
    *colon = '\0';
    for (char *at = line; *at != '\0'; at++)
        *at = (char)(isalnum((unsigned char)*at) ? tolower((unsigned char)*at) : '_');
    for (unsigned i = 0; i < OP_COLUMNS; i++)
        c->sum[i] += number[i];
    if (number[OPS] == 0)
        return;
    put_op(c->sink, line, "ops", number[OPS], "ops");
    put_op(c->sink, line, "sent_bytes", number[BYTES_OUT], "bytes");
    put_op(c->sink, line, "received_bytes", number[BYTES_IN], "bytes");
    put_op(c->sink, line, "rtt_ms", number[RTT_MS], "ms");
}

/* "tcp PORT binds connects connect_time idle sends receives bad_xids …"; udp has no connections. */
static void take_transport(struct counted *c, char *rest)
{
    uint64_t number[8] = {0};
    size_t len = strcspn(rest, " ");
    bool connected = strncmp(rest, "udp", 3) != 0;
    unsigned n = numbers(rest + len, number, 8);

    if (connected && n == 8) {
        c->connects += number[2];
        c->bad_xids += number[7];
    } else if (!connected && n > 4) {
        c->bad_xids += number[4];
    }
}

static void take_counter(void *ctx, char *line)
{
    struct counted *c = ctx;
    uint64_t bytes[BYTES_COLUMNS] = {0};
    char *rest;

    if (c->by_op) {
        take_op(c, line);
    } else if (behind(line, "per-op statistics") != NULL) {
        c->by_op = true;
    } else if ((rest = behind(line, "xprt:")) != NULL) {
        take_transport(c, rest);
    } else if ((rest = behind(line, "bytes:")) != NULL &&
               numbers(rest, bytes, BYTES_COLUMNS) == BYTES_COLUMNS) {
        posix_put_number(c->sink, "wire_read_data_bytes", bytes[SERVER_READ], "bytes");
        posix_put_number(c->sink, "wire_write_data_bytes", bytes[SERVER_WRITTEN], "bytes");
    }
}

void posix_nfs_counters(const char *proc, const struct posix_mount *m,
                        const struct target_sink *sink)
{
    struct counted c = {.sink = sink};

    each_line(proc, m, take_counter, &c);
    if (!c.by_op)
        return;
    posix_put_number(sink, "wire_ops", c.sum[OPS], "ops");
    posix_put_number(sink, "wire_sent_bytes", c.sum[BYTES_OUT], "bytes");
    posix_put_number(sink, "wire_received_bytes", c.sum[BYTES_IN], "bytes");
    posix_put_number(sink, "wire_retransmits", c.sum[SENT] - c.sum[OPS], "ops");
    posix_put_number(sink, "wire_timeouts", c.sum[TIMEOUTS], "ops");
    posix_put_number(sink, "wire_errors", c.sum[ERRORS], "ops");
    posix_put_number(sink, "wire_connects", c.connects, "ops");
    posix_put_number(sink, "wire_bad_xids", c.bad_xids, "ops");
}
