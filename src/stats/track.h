/* stats/track.h — what was seen of one resource over a run: a core, a port, a disk, of either end.
 * Shape    tracks_get … track_put; tracks_find, tracks_busiest and tracks_sum ask. The same kinds at both ends: what a
 *          machine reads of itself, and what a server tells of itself, are compared by the same rules.
 * Units    as track_kind_unit says; times ns since the gate opened.
 * Limits   TRACKS_MAX tracks of TRACK_VALUES_MAX values; when they are full, neighbours are averaged and the
 *          period doubles. A value that was not seen is NAN, never 0.
 * Errors   -ENOSPC too many tracks, -ENOMEM.     Threads  single owner.
 * Source   tests/unit/test_track.c. */
#ifndef LOADLINE_STATS_TRACK_H
#define LOADLINE_STATS_TRACK_H

#include <stdbool.h>
#include <stdint.h>

#define TRACKS_MAX       4096
#define TRACK_VALUES_MAX 256
#define TRACK_NAME_MAX   48
#define TRACK_FULL_FRAC  0.95 /* of the capacity: a resource that is used up */

enum track_end { TRACK_CLIENT, TRACK_SERVER };

enum track_kind {            /* unit; what is full is said by `capacity` */
                  TRACK_CPU, /* share of one core that is busy, interrupts included; capacity 1 */
                  TRACK_SOFTIRQ, /* of it, for softirqs */
                  TRACK_STEAL,   /* share that the hypervisor took */
                  TRACK_NIC_IN,  /* bytes/s; capacity is the line rate, headers included */
                  TRACK_NIC_OUT,
                  TRACK_NIC_DROPS, /* packets/s, both directions */
                  TRACK_TCP_SENT,  /* segments/s */
                  TRACK_TCP_RESENT,
                  TRACK_RDMA_IN, /* bytes/s */
                  TRACK_RDMA_OUT,
                  TRACK_DISK_READ, /* bytes/s */
                  TRACK_DISK_WRITE,
                  TRACK_DISK_READS, /* ops/s */
                  TRACK_DISK_WRITES,
                  TRACK_DISK_QUEUE, /* requests, mean; capacity: what the device or its controller holds, 0 unknown */
                  TRACK_DISK_BUSY, /* share of the time with a request under way; 1 is full only where it serves one
                          * at a time */
                  TRACK_LINK,         /* share of the time a bus or host link is busy; capacity 1 */
                  TRACK_FLASH,        /* share of the time a cache device is busy; capacity 1 */
                  TRACK_LOG,          /* likewise, a log device */
                  TRACK_CACHED,       /* bytes */
                  TRACK_DIRTY,        /* bytes */
                  TRACK_PRESSURE_CPU, /* share of the time with somebody waiting (PSI, some) */
                  TRACK_PRESSURE_IO,
                  TRACK_PRESSURE_MEMORY,
                  TRACK_RUN_WAIT, /* share of the time a thread of ours waited for a core */
                  TRACK_RPC_SLOTS, /* calls under way, mean as each call finds it; capacity: how many there may be */
                  TRACK_RPC_BACKLOG, /* calls that wait for a slot, mean */
                  TRACK_RPC_QUEUE,   /* ns before a call is sent, mean */
                  TRACK_RPC_RTT,     /* ns from sending to reply, mean */
                  TRACK_RPC_CALLS,   /* calls/s; of a server: that it served */
                  TRACK_CACHE_HITS,  /* /s, of the cache in memory */
                  TRACK_CACHE_MISSES,
                  TRACK_FLASH_HITS, /* /s, of the cache in flash */
                  TRACK_FLASH_MISSES,
                  TRACK_LOG_WRITES, /* /s */
                  TRACK_THROTTLED,  /* events/s: thermal, or a limit of a control group reached */
                  TRACK_KINDS
};

struct track {
    enum track_end end;
    enum track_kind kind;
    char name[TRACK_NAME_MAX]; /* "3" "eth0" "sda"; "" of the whole machine */
    double capacity;           /* in the kind's unit; 0: not known */
    /* Over the window; NAN: nothing seen in it. */
    double mean;
    double peak; /* of one period */
    double
        full_frac; /* share of the window's periods at TRACK_FULL_FRAC of the capacity or above */
    unsigned n;    /* ≤ TRACK_VALUES_MAX, the rest was not seen */
    float *value;  /* [n], value i over [first + i·period, first + (i+1)·period) */
};

struct tracks {
    int64_t first_ns; /* may lie before the gate */
    uint64_t period_ns;
    unsigned n;
    unsigned room;
    struct track *track;
};

void tracks_fini(struct tracks *t);
/* Found by end, kind and name, or a new one, all NAN; it stays where it is until the next new one. Its capacity is 1
 * where the kind says so, else 0. A longer name keeps its end. NULL: no memory, or TRACKS_MAX. */
struct track *tracks_get(struct tracks *t, enum track_end end, enum track_kind kind,
                         const char *name);
const struct track *tracks_find(const struct tracks *t, enum track_end end, enum track_kind kind,
                                const char *name);
/* Puts a value at place i (places left out are NAN). From TRACK_VALUES_MAX on all tracks are halved, until it has a
 * place: the period is then a longer one, and the next i counts in it. */
__attribute__((warn_unused_result)) int track_put(struct tracks *t, struct track *one, unsigned i,
                                                  double value);
/* How much of its capacity was in use over the window, 0 … 1 and above; NAN where either is not known. */
double track_use(const struct track *one);
/* Of all tracks of an end and kind the one with the largest use, by capacity where it is known, else by mean;
 * NULL: there is none. */
const struct track *tracks_busiest(const struct tracks *t, enum track_end end,
                                   enum track_kind kind);
/* Sum of means; NAN: there is none. */
double tracks_sum(const struct tracks *t, enum track_end end, enum track_kind kind);

const char *track_end_name(enum track_end end);    /* "client" "server" */
const char *track_kind_name(enum track_kind kind); /* "cpu" "nic-in" "disk-busy" …: JSON and CSV */
const char *track_kind_unit(enum track_kind kind); /* "frac" "bytes/s" "/s" "bytes" "ns" "" */
/* -EINVAL: no such name. */
__attribute__((warn_unused_result)) int track_kind_of(const char *name, enum track_kind *out);

#endif
