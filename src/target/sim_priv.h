/* target/sim_priv.h — a modelled storage system and who asks it.
 * Shape    struct sim_system is the model made of a profile: one net with the stations of clients, ports, processors and
 *          bus (sim_system.c), a store, a namespace. All opens of one address in a process share it, so that a run finds
 *          what the run before has left, as on a real server; the last close frees it. A session's op is a struct
 *          sim_op that walks the net (sim_route.c): client, request, processors, store, bus, reply; what it does to names
 *          and files happens where the request reaches the server (sim_serve.c); sim_session.c takes ops and hands
 *          them out, and moves the clock.
 * Units    ns of the net's clock (the target's `now` is that + SIM_EPOCH_NS), bytes.
 * Limits   one thread for all sessions of a system, of which there may be several. An op takes SIM_OP_MIN_NS at
 *          least, or a closed loop would never get anywhere.
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

#include <limits.h>

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

/* Station that is not there. */
#define SIM_NOWHERE   UINT_MAX
#define SIM_OP_MIN_NS 1000u

/* What a metadata change writes to the log. */
#define SIM_METADATA_BYTES 4096u

/* An op of a client that was dropped fails after this, as long as a client looks for its server. */
#define SIM_REFUSED_NS 10000000u

/* Of one machine that asks. */
struct sim_machine {
    unsigned in;  /* station: what it receives */
    unsigned out; /* what it sends */
    unsigned cpu;
    uint32_t slow_by;
    uint64_t drop_ns; /* SIM_NEVER */
};

struct sim_port {
    unsigned in; /* station */
    unsigned out;
    uint64_t in_bytes; /* headers included */
    uint64_t out_bytes;
};

/* ns for each byte, in 2^-32. */
struct sim_paces {
    uint64_t link;
    uint64_t port;
    uint64_t bus_read;
    uint64_t bus_write;
};

static inline uint64_t sim_pace_ns(uint64_t pace, uint64_t bytes)
{
    return (uint64_t)(((unsigned __int128)bytes * pace + (1u << 31)) >> 32);
}

struct sim_session;
struct sim_file;

/* One op on its way. */
struct sim_op {
    struct sim_waiter waiter; /* its event is the op's */
    void (*then)(struct sim_op *o);
    struct sim_system *system;
    struct sim_session *session;
    struct op *op; /* NULL: free */
    struct sim_op *next;
    struct sim_machine *machine;
    struct sim_port *port;
    struct sim_file *file; /* of the op's handle, or the one that it opens */
    uint64_t begun_ns;
    uint64_t reached_ns; /* the server */
    int64_t res;
    struct sim_found found;
    enum sim_served served;
    bool waits; /* in the store, which will fire it */
};

struct sim_pool {
    struct sim_chunk *chunks;
    struct sim_op *free;
    unsigned made;
    unsigned promised; /* to sessions that are open */
};

/* Something that goes wrong at a time. */
struct sim_mishap {
    struct sim_event event;
    struct sim_system *system;
    uint64_t for_ns; /* 0: the client is dropped */
    unsigned client;
    bool asked;
};

#define SIM_MISHAPS_MAX (2 * SIM_FAULTS_MAX)

struct sim_system {
    char *address;
    unsigned users; /* opens */
    struct sim_system *next;
    struct sim_profile profile;
    const struct sim_protocol *protocol;
    struct sim_net *net;
    struct sim_store *store;
    struct sim_names *names;
    struct sim_machine *machine; /* [client.count] */
    struct sim_port port[SIM_PORTS_MAX];
    unsigned cpu;
    unsigned bus; /* SIM_NOWHERE unless the protocol passes it */
    struct sim_paces pace;
    uint64_t latency_ns;
    uint64_t dirs_changed; /* directories that were removed, or are called otherwise */
    uint64_t calls[OP_KINDS];
    struct sim_pool pool;
    struct sim_file *locked;
    const struct sim_session *troubled; /* the faults' times and numbers begin with an op of it */
    uint64_t troubled_ops;
    int troubled_rc; /* what its next op fails with */
    struct sim_mishap mishap[SIM_MISHAPS_MAX];
};

/* Shares or makes the system of an address. */
__attribute__((warn_unused_result)) int sim_system_get(const char *address, struct sim_system **out,
                                                       struct err *err);
void sim_system_put(struct sim_system *s);

/* Room for so many ops more at once, and for their events. */
__attribute__((warn_unused_result)) int sim_pool_promise(struct sim_system *s, unsigned ops);
void sim_pool_fini(struct sim_pool *pool);
struct sim_op *sim_pool_take(struct sim_system *s);
void sim_pool_give(struct sim_op *o);
/* `act` for every op under way, in the order of their places. */
void sim_pool_each(struct sim_system *s, void (*act)(struct sim_op *o, const void *ctx),
                   const void *ctx);

/* What an op that a session has taken goes through; ends in sim_op_done. */
void sim_route(struct sim_op *o);
/* At the client, `after_ns` from now, without having asked the server. */
void sim_route_fails(struct sim_op *o, int code, uint64_t after_ns);
/* It is on its way no more, wherever it is; what it has booked is worked off without it. */
void sim_route_stop(struct sim_op *o);

/* What the request does where it reaches the server; sets res, and of READ what was found. */
void sim_serve(struct sim_op *o);

/* The faults of a run begin with the first READ, WRITE or APPEND of a session in its window. Called for each op;
 * gives the negative errno that it fails with, or 0. */
int sim_faults_op(struct sim_session *session, const struct op *op);
void sim_faults_end(struct sim_session *session);
/* No links and no ports: [dram] is the cache of the machine that asks. */
static inline bool sim_is_local(const struct sim_profile *p)
{
    return p->ports.count == 0;
}

static inline bool sim_has_faults(const struct sim_profile *p)
{
    return p->faults.stalls + p->faults.errors + p->faults.drops > 0;
}

/* `target`'s own, see target.h. `metrics` has the names that exporters of real servers use, totals since the
 * system was made; `truth` every station, by name. */
void sim_describe(struct target *t, const struct target_sink *sink);
void sim_counters(struct target *t, const struct target_sink *sink);
void sim_metrics(struct target *t, const struct target_sink *sink);
void sim_truth(struct target *t, const struct target_sink *sink);

#endif
