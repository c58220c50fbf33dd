/* What a modelled system tells of itself: to whoever asks what it is, and to tests. */
#include "target/sim_priv.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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
    put_count(sink, "model_dirty_bytes", p->dram.dirty_limit_bytes, "bytes");
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
