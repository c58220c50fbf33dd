/* What a modelled system tells of itself: to whoever asks what it is, to whoever watches a server, and to tests. */
#include "target/sim_priv.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define KEY_BYTES 96

static const struct sim_system *system_of(const struct target *t)
{
    return (const struct sim_system *)t;
}

static void put_count(const struct target_sink *sink, const char *key, uint64_t value,
                      const char *unit)
{
    char text[24];

    snprintf(text, sizeof text, "%" PRIu64, value);
    sink->put(sink->ctx, key, text, unit);
}

/* ---- describe ---- */

static void put_protocols(const struct sim_profile *p, const struct target_sink *sink)
{
    char names[SIM_PROTOCOLS_MAX * SIM_NAME_MAX] = "";
    size_t used = 0;

    for (unsigned i = 0; i < p->protocols; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? " " : "",
                                 p->protocol_of[i].name);
    sink->put(sink->ctx, "model_protocols", names, "");
}

static void put_rigs(const struct sim_rigs *rigs, const struct target_sink *sink)
{
    for (unsigned i = 0; i < rigs->n; i++) {
        char key[2 * SIM_NAME_MAX + 8];

        snprintf(key, sizeof key, "rig.%s.%s", rigs->rig[i].protocol, rigs->rig[i].row);
        sink->put(sink->ctx, key, rigs->rig[i].params, "");
    }
}

void sim_describe(struct target *t, const struct target_sink *sink)
{
    const struct sim_system *s = system_of(t);
    const struct sim_profile *p = &s->profile;

    sink->put(sink->ctx, "fs_type", "sim", "");
    sink->put(sink->ctx, "modelled", p->name, "");
    if (p->title[0] != '\0')
        sink->put(sink->ctx, "model_title", p->title, "");
    sink->put(sink->ctx, "model_address", s->address, "");
    sink->put(sink->ctx, "model_text_hash", p->text_hash, "");
    sink->put(sink->ctx, "model_protocol", s->protocol->name, "");
    put_protocols(p, sink);
    put_count(sink, "model_clients", p->client.count, "");
    put_count(sink, "model_ports", p->ports.count, "");
    put_count(sink, "model_cores", p->cpus, "");
    put_count(sink, "model_disks", p->disks.count, "");
    put_count(sink, "model_dram_bytes", p->dram.bytes, "bytes");
    put_count(sink, "model_flash_bytes", p->flash.on ? p->flash.bytes : 0, "bytes");
    sink->put(sink->ctx, "model_log", p->log.on ? "on" : "off", "");
    put_count(sink, "model_seed", p->seed, "");
    put_rigs(&p->rigs, sink);
}

/* ---- counters ---- */

static uint64_t port_bytes(const struct sim_system *s, bool in)
{
    uint64_t bytes = 0;

    for (unsigned i = 0; i < SIM_PORTS_MAX; i++)
        bytes += in ? s->port[i].in_bytes : s->port[i].out_bytes;
    return bytes;
}

void sim_counters(struct target *t, const struct target_sink *sink)
{
    const struct sim_system *s = system_of(t);
    struct sim_store_sum sum;

    sim_store_sum(s->store, &sum);
    put_count(sink, "received_bytes", port_bytes(s, false), "bytes");
    put_count(sink, "sent_bytes", port_bytes(s, true), "bytes");
    put_count(sink, "disk_read_bytes", sum.disk_read_bytes, "bytes");
    put_count(sink, "disk_written_bytes", sum.disk_written_bytes, "bytes");
    put_count(sink, "flash_read_bytes", sum.flash_read_bytes, "bytes");
    put_count(sink, "log_bytes", sum.log_bytes, "bytes");
    put_count(sink, "dram_hits", sum.dram_hits, "");
    put_count(sink, "flash_hits", sum.flash_hits, "");
    put_count(sink, "cache_misses", sum.misses, "");
    put_count(sink, "dirty_waits", sum.dirty_waits, "");
}

/* ---- metrics ---- */

__attribute__((format(printf, 3, 4))) static void put_metric(const struct target_sink *sink,
                                                             uint64_t value, const char *key, ...)
{
    char text[KEY_BYTES];
    va_list args;

    va_start(args, key);
    vsnprintf(text, sizeof text, key, args);
    va_end(args);
    put_count(sink, text, value, "");
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

static struct sim_station_sum sum_of(const struct sim_system *s, const char *name)
{
    struct sim_station_sum sum;

    for (unsigned i = 0; sim_net_sum(s->net, i, &sum); i++)
        if (strcmp(sum.name, name) == 0)
            return sum;
    return (struct sim_station_sum){.name = name};
}

/* One station serves for all processors, so each has an equal part of what was done. */
static void put_cpus(const struct sim_system *s, const struct target_sink *sink)
{
    struct sim_station_sum cpu = sum_of(s, "cpu");
    uint64_t now_ns = sim_net_now(s->net);

    for (unsigned i = 0; i < s->profile.cpus; i++) {
        uint64_t busy_ns = cpu.busy_ns / s->profile.cpus;

        put_seconds(sink, busy_ns, "node_cpu_seconds_total{cpu=\"%u\",mode=\"system\"}", i);
        put_seconds(sink, now_ns > busy_ns ? now_ns - busy_ns : 0,
                    "node_cpu_seconds_total{cpu=\"%u\",mode=\"idle\"}", i);
    }
}

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

static void put_disks(const struct sim_system *s, const struct sim_store_sum *sum,
                      const struct target_sink *sink)
{
    struct sim_station_sum disk = sum_of(s, "disk");

    put_metric(sink, sum->disk_read_bytes, "node_disk_read_bytes_total{device=\"disks\"}");
    put_metric(sink, sum->disk_written_bytes, "node_disk_written_bytes_total{device=\"disks\"}");
    put_metric(sink, sum->disk_reads, "node_disk_reads_completed_total{device=\"disks\"}");
    put_metric(sink, sum->disk_writes, "node_disk_writes_completed_total{device=\"disks\"}");
    if (disk.servers > 0)
        put_seconds(sink, disk.busy_ns / disk.servers,
                    "node_disk_io_time_seconds_total{device=\"disks\"}");
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
    const struct sim_system *s = system_of(t);
    struct sim_store_sum sum;

    sim_store_sum(s->store, &sum);
    put_cpus(s, sink);
    put_ports(s, sink);
    put_disks(s, &sum, sink);
    put_cache(&sum, sink);
    if (strncmp(s->protocol->name, "nfs", 3) == 0)
        put_nfs_calls(s, sink);
}

/* ---- truth ---- */

static void put_truth(const struct target_sink *sink, const char *station, const char *what,
                      uint64_t value, const char *unit)
{
    char key[SIM_NAME_MAX + 24];

    snprintf(key, sizeof key, "%s.%s", station, what);
    put_count(sink, key, value, unit);
}

void sim_truth(struct target *t, const struct target_sink *sink)
{
    struct sim_station_sum sum;

    sim_net_mark(system_of(t)->net); /* a window lies between two tellings */
    for (unsigned i = 0; sim_net_sum(system_of(t)->net, i, &sum); i++) {
        put_truth(sink, sum.name, "servers", sum.servers, "");
        put_truth(sink, sum.name, "busy_ns", sum.busy_ns, "ns");
        put_truth(sink, sum.name, "worst_busy_ns", sum.worst_busy_ns, "ns");
        put_truth(sink, sum.name, "wait_ns", sum.wait_ns, "ns");
        put_truth(sink, sum.name, "inside_ns", sum.inside_ns, "ns");
        put_truth(sink, sum.name, "visits", sum.visits, "");
    }
}
