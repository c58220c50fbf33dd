/* target/sim_net_priv.h — queues in virtual time: stations, and events in their order.
 * Shape    a net has a clock, stations and events. Whoever walks through it (an op, a write of dirty
 *          data) owns a struct sim_event, asks to be called at a time, and is: `fire` visits the next
 *          station, which says when it will be left, and asks to be called then.
 * Units    ns of virtual time, from 0; bytes.
 * Limits   a station serves in order of arrival. Its queue is not kept: a visit books its server at
 *          arrival, which is exact because events come in order of time, equal ones in order of asking.
 *          So visits are to be made at the net's present, never for a later time.
 *          Stations: 8192. Servers of one: 65535. Memory does not grow with time. `fire` does not step the net.
 * Errors   -ENOMEM, -EINVAL.
 * Threads  single owner.
 * Source   tests/truth/test_sim_queues.c: M/M/1, M/M/c, M/D/1, Little's law in a closed loop. */
#ifndef LOADLINE_TARGET_SIM_NET_PRIV_H
#define LOADLINE_TARGET_SIM_NET_PRIV_H

#include "base/rng.h"

#include <stdbool.h>
#include <stdint.h>

#define SIM_NAME_MAX     24
#define SIM_STATIONS_MAX 8192
#define SIM_NEVER        UINT64_MAX
#define SIM_LATEST_NS    (1ull << 62) /* a visit ends then at the latest: 146 years */

/* How the service times of a station spread around what a visit asks. */
enum sim_spread {
    SIM_FIXED,       /* exactly that */
    SIM_EXPONENTIAL, /* with that mean */
};

struct sim_station_spec {
    char name[SIM_NAME_MAX]; /* stations of one name are told together: "disk", "client out" */
    unsigned servers;
    enum sim_spread spread;
    /* Service is multiplied by this: a slow disk has 10/1. Both 0: 1/1. */
    uint32_t slow_by;
    uint32_t slow_of;
};

/* All stations of one name, since the net was made. What is booked and lies behind the present is not in it,
 * but for waiting and visits, which are counted at arrival. */
struct sim_station_sum {
    const char *name;
    unsigned stations;
    unsigned servers; /* of all */
    uint64_t visits;
    uint64_t busy_ns;       /* of all servers */
    uint64_t worst_busy_ns; /* of the busiest station, per server, from mark to mark */
    uint64_t wait_ns;       /* from arrival to service */
    uint64_t inside_ns;     /* from arrival to departure; by Little's law the mean number inside is
                             * this by the time that has passed */
};

struct sim_event {
    void (*fire)(struct sim_event *e, uint64_t now_ns);
};

/* Whole ns that bytes take at a rate; none where there is no rate. 18 billion bytes and more: beyond 64 bits on the way. */
static inline uint64_t sim_bytes_ns(uint64_t bytes, uint64_t bytes_s)
{
    return bytes_s > 0 ? (uint64_t)((unsigned __int128)bytes * 1000000000u / bytes_s) : 0;
}

/* Exponential with that mean, to the nearest ns so that the mean is kept; the same on every machine. */
uint64_t sim_exponential_ns(struct rng *rng, uint64_t mean_ns);

struct sim_net;

__attribute__((warn_unused_result)) int sim_net_new(uint64_t seed, struct sim_net **out);
void sim_net_free(struct sim_net *net);

uint64_t sim_net_now(const struct sim_net *net);

/* The number of the new station (≥ 0), or -errno. */
__attribute__((warn_unused_result)) int sim_net_station(struct sim_net *net,
                                                        const struct sim_station_spec *spec);

/* Arrives at the present and is served for `service_ns`, as the station spreads it. Returns when it leaves. */
uint64_t sim_net_visit(struct sim_net *net, unsigned station, uint64_t service_ns);
/* When a visit would begin to be served: for choosing the less busy of two. */
uint64_t sim_net_free_at(const struct sim_net *net, unsigned station);
/* Nothing is begun at the station from `from_ns` to `to_ns`; what is being served then takes that much longer. Of the
 * visits that are made from now on: those made already leave when they were told to. -ENOMEM. */
__attribute__((warn_unused_result)) int sim_net_pause(struct sim_net *net, unsigned station,
                                                      uint64_t from_ns, uint64_t to_ns);

/* Room for so many events more at once, made beforehand so that asking cannot fail. */
__attribute__((warn_unused_result)) int sim_net_room(struct sim_net *net, unsigned events);
/* `e` is fired at `at_ns`, which is not before the present; it must not be asked for already. */
void sim_net_at(struct sim_net *net, struct sim_event *e, uint64_t at_ns);
/* It will not be fired, if it was asked for. Looks through all that are. */
void sim_net_forget(struct sim_net *net, struct sim_event *e);

/* Fires the earliest event if it is due by `until_ns` and moves the clock to it; else moves the clock to
 * until_ns (not to SIM_NEVER) and returns false. */
bool sim_net_step(struct sim_net *net, uint64_t until_ns);

/* From here on another station may be the busiest of its name: so that a difference of worst_busy_ns over two marks is
 * that of one station. */
void sim_net_mark(struct sim_net *net);

/* Sums by name, in the order in which the names came up; false behind the last. */
bool sim_net_sum(const struct sim_net *net, unsigned i, struct sim_station_sum *out);

/* Of one station, by its number: worst_busy_ns is its own. False behind the last. */
bool sim_net_one(const struct sim_net *net, unsigned station, struct sim_station_sum *out);

/* The net's random numbers, for whatever else has to be drawn repeatably. */
struct rng *sim_net_rng(struct sim_net *net);

#endif
