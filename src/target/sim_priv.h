/* target/sim_priv.h — a modelled storage system and who asks it.
 * Shape    struct sim_system is the model made of a profile: one net with the stations of clients, ports, processors and
 *          bus (sim_system.c), a store, a namespace. All opens of one address in a process share it, so that a run finds
 *          what the run before has left, as on a real server; the last close frees it. A session's op is a struct
 *          sim_op that walks the net (sim_route.c): client, request, processors, store, bus, reply; sim_session.c takes ops
 *          and hands them out, and moves the clock.
 * Units    ns of the net's clock (the target's `now` is that + SIM_EPOCH_NS), bytes.
 * Limits   one thread for all sessions of a system: `own_clock` has one worker on the caller's thread.
 * Errors   as target.h.
 * Threads  the list of systems is locked; a system is not.
 * Source   tests/conform, tests/truth/test_sim*.c. */
#ifndef LOADLINE_TARGET_SIM_PRIV_H
#define LOADLINE_TARGET_SIM_PRIV_H

#include "stats/hist.h"
#include "target/sim_names_priv.h"
#include "target/sim_net_priv.h"
#include "target/sim_profile_priv.h"
#include "target/sim_store_priv.h"
#include "target/target.h"

#define SIM_EPOCH_NS 1000000000u /* so that no time of an op is 0 */

/* The server's own time for an op: from the arrival of the request to the reply's leaving its processors
 * and bus, ports and clients excluded. Told as the session's `calls`. */
enum sim_served {
    SIM_SERVED_DRAM,  /* "read from dram" */
    SIM_SERVED_FLASH, /* "read from flash" */
    SIM_SERVED_DISK,  /* "read from disk" */
    SIM_SERVED_WRITE, /* "write" */
    SIM_SERVED_SYNC,  /* "synchronous write", commits too */
    SIM_SERVED_NAME,  /* "name operation" */
    SIM_SERVED_KINDS
};

/* Of one machine that asks. */
struct sim_machine {
    unsigned in;  /* station: what it receives */
    unsigned out; /* what it sends */
    unsigned cpu; /* 0 with client.cpus 0 */
    uint32_t slow_by;
    uint64_t drop_ns; /* SIM_NEVER */
};

struct sim_system {
    char *address;
    unsigned users; /* opens */
    struct sim_profile profile;
    const struct sim_protocol *protocol;
    struct sim_net *net;
    struct sim_store *store;
    struct sim_names *names;
    struct sim_machine *machine; /* [client.count] */
    unsigned port_in[64];
    unsigned port_out[64];
    unsigned cpu;
    unsigned bus;
    uint64_t measured_from_ns; /* when the faults' times begin; SIM_NEVER: not yet */
    uint64_t measured_ops;
    uint64_t net_in_bytes; /* at the ports, headers included */
    uint64_t net_out_bytes;
    uint64_t calls[OP_KINDS];
};

/* Shares or makes the system of an address. */
__attribute__((warn_unused_result)) int sim_system_get(const char *address, struct sim_system **out,
                                                       struct err *err);
void sim_system_put(struct sim_system *s);

/* The server's metrics as exporters of real ones name them ("node_cpu_seconds_total{cpu=\"0\",mode=\"system\"}"),
 * totals since it was made: CPU, network, disks, NFS calls, cache. For target.h's `metrics`. */
void sim_metrics(struct sim_system *s, const struct target_sink *sink);
/* And every station, by name: for `truth`. */
void sim_truth(struct sim_system *s, const struct target_sink *sink);
void sim_counters(struct sim_system *s, const struct target_sink *sink);

#endif
