/* What the server of a modelled system tells of itself, as exporters do, and what the machines that ask tell: the
 * stations are told as what they stand for. */
#include "target/sim_priv.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define KEY_BYTES 128

__attribute__((format(printf, 3, 4))) static void put_metric(const struct target_sink *sink,
                                                             uint64_t value, const char *key, ...)
{
    char text[KEY_BYTES];
    char number[24];
    va_list args;

    va_start(args, key);
    vsnprintf(text, sizeof text, key, args);
    va_end(args);
    snprintf(number, sizeof number, "%" PRIu64, value);
    sink->put(sink->ctx, text, number, "");
}

/* Times of exporters are in seconds. */
__attribute__((format(printf, 3, 4))) static void put_seconds(const struct target_sink *sink,
                                                              uint64_t ns, const char *key, ...)
{
    char text[KEY_BYTES];
    char value[32];
    va_list args;

    va_start(args, key);
    vsnprintf(text, sizeof text, key, args);
    va_end(args);
    snprintf(value, sizeof value, "%" PRIu64 ".%09" PRIu64, ns / 1000000000u, ns % 1000000000u);
    sink->put(sink->ctx, text, value, "");
}

/* ---- stations ---- */

/* What of a station is told, and what of which one: place `i` among those of its name, from 0. */
struct teller {
    const char *station;
    void (*put)(const struct sim_system *s, const struct target_sink *sink,
                const struct sim_station_sum *sum, unsigned i);
};

/* How long each of its servers was busy: one queue serves them all, so none is busier than another. */
static uint64_t share_ns(const struct sim_station_sum *sum)
{
    return sum->busy_ns / sum->servers;
}

static void put_processor(const struct sim_system *s, const struct target_sink *sink,
                          uint64_t busy_ns, const char *of)
{
    uint64_t now_ns = sim_net_now(s->net);

    put_seconds(sink, busy_ns, "node_cpu_seconds_total{cpu=%s,mode=\"system\"}", of);
    put_seconds(sink, now_ns > busy_ns ? now_ns - busy_ns : 0,
                "node_cpu_seconds_total{cpu=%s,mode=\"idle\"}", of);
}

static void put_cpus(const struct sim_system *s, const struct target_sink *sink,
                     const struct sim_station_sum *sum, unsigned i)
{
    (void)i;
    for (unsigned k = 0; k < sum->servers; k++) {
        char of[16];

        snprintf(of, sizeof of, "\"%u\"", k);
        put_processor(s, sink, share_ns(sum), of);
    }
}

static void put_client_cpus(const struct sim_system *s, const struct target_sink *sink,
                            const struct sim_station_sum *sum, unsigned i)
{
    char of[48];

    snprintf(of, sizeof of, "\"all\",instance=\"client%u\"", i + 1);
    put_processor(s, sink, share_ns(sum), of);
}

/* Not its bytes: those of a slow one are few while it is busy. */
static void put_client_link(const struct sim_system *s, const struct target_sink *sink,
                            const struct sim_station_sum *sum, unsigned i)
{
    (void)s;
    put_seconds(sink, share_ns(sum),
                "model_link_busy_seconds_total{device=\"%s\",instance=\"client%u\"}",
                sum->name + strlen("client "), i + 1);
}

static void put_disk(const struct sim_system *s, const struct target_sink *sink,
                     const struct sim_station_sum *sum, unsigned i)
{
    (void)s;
    put_seconds(sink, share_ns(sum), "node_disk_io_time_seconds_total{device=\"disk%u\"}", i + 1);
    put_metric(sink, sum->servers, "model_disk_at_once{device=\"disk%u\"}", i + 1);
}

static void put_link(const struct sim_system *s, const struct target_sink *sink,
                     const struct sim_station_sum *sum, unsigned i)
{
    (void)s;
    (void)i;
    put_seconds(sink, share_ns(sum), "model_link_busy_seconds_total{device=\"%s\"}", sum->name);
}

static void put_flash(const struct sim_system *s, const struct target_sink *sink,
                      const struct sim_station_sum *sum, unsigned i)
{
    (void)s;
    (void)i;
    put_seconds(sink, share_ns(sum), "model_flash_busy_seconds_total{device=\"flash\"}");
}

static void put_log(const struct sim_system *s, const struct target_sink *sink,
                    const struct sim_station_sum *sum, unsigned i)
{
    (void)s;
    (void)i;
    put_seconds(sink, share_ns(sum), "model_log_busy_seconds_total{device=\"log\"}");
}

static const struct teller tellers[] = {
    {"cpu", put_cpus},
    {"bus", put_link},
    {"path", put_link},
    {"flash", put_flash},
    {"log", put_log},
    {"disk", put_disk},
    {"client cpu", put_client_cpus},
    {"client in", put_client_link},
    {"client out", put_client_link},
};

#define TELLERS (sizeof tellers / sizeof tellers[0])

static void put_stations(const struct sim_system *s, const struct target_sink *sink)
{
    unsigned seen[TELLERS] = {0};
    struct sim_station_sum sum;

    for (unsigned k = 0; sim_net_one(s->net, k, &sum); k++) {
        for (unsigned i = 0; i < TELLERS; i++) {
            if (strcmp(sum.name, tellers[i].station) == 0)
                tellers[i].put(s, sink, &sum, seen[i]++);
        }
    }
}

/* ---- what is counted aside of them ---- */

static void put_ports(const struct sim_system *s, const struct target_sink *sink)
{
    for (unsigned i = 0; i < s->profile.ports.count; i++) {
        const struct sim_port *port = &s->port[i];

        put_metric(sink, port->in_bytes, "node_network_receive_bytes_total{device=\"port%u\"}", i);
        put_metric(sink, port->out_bytes, "node_network_transmit_bytes_total{device=\"port%u\"}",
                   i);
        put_metric(sink, s->profile.ports.bit_s / 8, "node_network_speed_bytes{device=\"port%u\"}",
                   i);
    }
}

static void put_disks(const struct sim_store_sum *sum, const struct target_sink *sink)
{
    put_metric(sink, sum->disk_read_bytes, "node_disk_read_bytes_total{device=\"disks\"}");
    put_metric(sink, sum->disk_written_bytes, "node_disk_written_bytes_total{device=\"disks\"}");
    put_metric(sink, sum->disk_reads, "node_disk_reads_completed_total{device=\"disks\"}");
    put_metric(sink, sum->disk_writes, "node_disk_writes_completed_total{device=\"disks\"}");
}

static void put_cache(const struct sim_store_sum *sum, const struct target_sink *sink)
{
    put_metric(sink, sum->dram_hits, "node_zfs_arc_hits");
    put_metric(sink, sum->flash_hits + sum->misses, "node_zfs_arc_misses");
    put_metric(sink, sum->flash_hits, "node_zfs_arc_l2_hits");
    put_metric(sink, sum->misses, "node_zfs_arc_l2_misses");
    put_metric(sink, sum->flash_read_bytes, "node_zfs_arc_l2_read_bytes");
    put_metric(sink, sum->flash_written_bytes, "node_zfs_arc_l2_write_bytes");
    put_metric(sink, sum->log_writes, "node_zfs_zil_zil_commit_count");
    put_metric(sink, sum->dirty_bytes, "node_memory_Dirty_bytes");
}

/* As the ops are called in version 3 of NFS; several kinds may be one call. */
static void put_nfs_calls(const struct sim_system *s, const struct target_sink *sink)
{
    static const char *const names[OP_KINDS] = {
        [OP_READ] = "Read",          [OP_WRITE] = "Write",  [OP_FSYNC] = "Commit",
        [OP_TRUNCATE] = "SetAttr",   [OP_OPEN] = "Access",  [OP_CREATE] = "Create",
        [OP_LOOKUP] = "Lookup",      [OP_STAT] = "GetAttr", [OP_UNLINK] = "Remove",
        [OP_RENAME] = "Rename",      [OP_MKDIR] = "Mkdir",  [OP_RMDIR] = "RmDir",
        [OP_READDIR] = "ReadDirPlus"};

    for (unsigned kind = 0; kind < OP_KINDS; kind++) {
        uint64_t calls = s->calls[kind] + (kind == OP_WRITE ? s->calls[OP_APPEND] : 0);

        if (names[kind] != NULL)
            put_metric(sink, calls, "node_nfsd_requests_total{method=\"%s\",proto=\"3\"}",
                       names[kind]);
    }
}

void sim_metrics(struct target *t, const struct target_sink *sink)
{
    const struct sim_system *s = (const struct sim_system *)t;
    struct sim_store_sum sum;

    sim_store_sum(s->store, &sum);
    put_stations(s, sink);
    put_ports(s, sink);
    put_disks(&sum, sink);
    put_cache(&sum, sink);
    if (strncmp(s->protocol->name, "nfs", 3) == 0)
        put_nfs_calls(s, sink);
}
