/* target/sim_profile_priv.h — a storage system described: what a profile says, and what an address changes.
 * Shape    text → struct sim_profile, a value: sim_profile_read parses a file's text, sim_profile_set
 *          changes one thing as written behind the '?', sim_profile_check completes and checks.
 *          sim_address_parse does all three for `NAME?…` and `FILE.profile?…`.
 * Units    bytes, ns, bytes per second; costs in picoseconds per byte. Profile texts have units with every
 *          number: sizes and times as base/units.h; line rates in bits ("10g": 10·10^9 bit/s), other rates
 *          in bytes ("85m/s": 85·2^20 B/s; "85MB/s"). docs/sim.md lists the keys.
 * Limits   in sim_profile_check, each with words. A profile text is at most 64 KiB.
 * Errors   -EINVAL with `file:line:` in front and what is accepted, a near name where there is one.
 * Threads  values.
 * Source   tests/unit/test_sim_profile.c; tests/fuzz/fuzz_sim_profile.c. */
#ifndef LOADLINE_TARGET_SIM_PROFILE_PRIV_H
#define LOADLINE_TARGET_SIM_PROFILE_PRIV_H

#include "base/err.h"
#include "target/sim_net_priv.h"
#include "target/sim_rig_priv.h"
#include "target/sim_shipped.h"
#include "target/target.h"

#include <stdbool.h>
#include <stdint.h>

#define SIM_PROTOCOLS_MAX 4
#define SIM_TABLE_MAX     16
#define SIM_PRESENT_MAX   64
#define SIM_FAULTS_MAX    16
#define SIM_CLIENTS_MAX   1024
#define SIM_DISKS_MAX     2048
#define SIM_PORTS_MAX     64
#define SIM_KEYS_MAX      96
#define SIM_FILES_MAX     4 /* a profile and what it includes */
#define SIM_FILE_NAME_MAX 256
#define SIM_TEXT_MAX      (64u << 10)

/* Behind the '?' of an address, for help. */
#define SIM_PARAMS                                                                                 \
    "protocol=NAME clients=N ports=N port=RATE link=RATE mtu=SIZE cores=N disks=N raid=0|1|5 "     \
    "dram=SIZE flash=on|off|SIZE log=on|off|N seed=N SECTION.KEY=VALUE stall=TIME@TIME "           \
    "error=NAME@op:N slow-disk=N:xN slow-client=N:xN drop-client=N@TIME"

/* A time drawn anew for each visit: "150us", "exp 150us", "128us-260us" (uniform), or a table of
 * quantiles "0:120us 50:180us 95:250us 100:2ms", linear between. Share in percent. */
enum sim_time_kind { SIM_TIME_FIXED, SIM_TIME_EXP, SIM_TIME_TABLE };
struct sim_time {
    enum sim_time_kind kind;
    uint64_t mean_ns; /* 0: no time at all */
    unsigned points;
    struct {
        uint32_t share_ppm; /* rising from 0 to 1,000,000 */
        uint64_t ns;
    } point[SIM_TABLE_MAX];
};

/* What an op costs on one side's processors: at[kind] for the op, then for each byte it moves up to
 * small_bytes, for each beyond, and for each that came from, or goes to, a disk. Picoseconds a byte. */
struct sim_cost {
    uint64_t op_ns[OP_KINDS];
    uint32_t named; /* bit per kind that has a line of its own; `cpu.*` is for the others */
    uint64_t small_bytes;
    uint64_t small_ps;
    uint64_t bulk_read_ps;
    uint64_t bulk_write_ps;
    uint64_t disk_read_ps;
    uint64_t disk_write_ps;
};

/* [protocol NAME]: what differs by protocol. */
struct sim_protocol {
    char name[SIM_NAME_MAX]; /* "nfs" "nfs-rdma" "smb" "local" */
    struct sim_cost cpu;     /* of the server */
    uint64_t latency_ns;     /* one way, of wire and interrupts */
    uint64_t link_bit_s;     /* of one client link and one port; 0: those of [client] and [port] */
    uint64_t port_bit_s;
    unsigned clients;      /* published; 0: [client] count */
    unsigned header_bytes; /* of each packet; 0: none are counted */
    unsigned mtu_bytes;
    bool reads_wait_bus; /* reads and writes pass [bus] */
    /* Clients commit what they have written of a file, whenever it has become so much: that write waits for
     * [log] as a synchronous one does. 0: never. */
    uint64_t commit_bytes;
};

/* [client]: each of `count` machines that ask. Ops of client number c come from machine c mod count. */
struct sim_client {
    unsigned count;
    unsigned links; /* of one machine; 0: none, the client is the server */
    uint64_t link_bit_s;
    unsigned cpus; /* 0: its processors are never short */
    enum sim_spread cpu_spread;
    struct sim_cost cpu;             /* on its processors */
    struct sim_time think[OP_KINDS]; /* passes before the op leaves, on no station */
    uint32_t think_named;
};

struct sim_ports {
    unsigned count; /* 0: local, nothing between */
    uint64_t bit_s;
};

/* A station that bytes pass: [bus] between memory and ports, [path] between disks and memory (HBAs, FC). A visit
 * takes op_ns + bytes / rate. Rates 0: not there. */
struct sim_way {
    unsigned servers;
    uint64_t read_bytes_s;
    uint64_t write_bytes_s;
    uint64_t op_ns;
    enum sim_spread spread;
    bool mirrored; /* [path]: each copy of mirrored disks and parity passes it */
};

enum sim_replace { SIM_REPLACE_LRU, SIM_REPLACE_RANDOM };

struct sim_dram {
    uint64_t bytes; /* for data; 0: no cache */
    enum sim_replace replace;
    struct sim_time hit;        /* on no station */
    uint64_t dirty_limit_bytes; /* writes wait above it; 0: each write waits for the disks */
    uint64_t drain_bytes_s;     /* no more is written than this; 0: as fast as the disks take it */
};

/* Flash behind DRAM for reads, filled from what DRAM gives up; [log] for synchronous writes. */
struct sim_flash {
    bool on;
    uint64_t bytes;
    unsigned devices; /* each serves one at a time */
    struct sim_time read;
    uint64_t read_bytes_s; /* beside it, of each device; 0: no time for bytes */
    enum sim_replace replace;
};

struct sim_log {
    bool on;
    unsigned devices;
    struct sim_time write;
    uint64_t write_bytes_s;
    bool metadata; /* changes of names wait for it too */
};

enum sim_raid { SIM_RAID_0, SIM_RAID_1, SIM_RAID_5 };

struct sim_disks {
    unsigned count; /* data and copies and parity, spares not */
    enum sim_raid raid;
    unsigned per_set; /* disks of one mirror or parity set */
    struct sim_time seek;
    unsigned rpm;            /* 0: no rotation (flash) */
    uint64_t bytes_s;        /* from or to the medium */
    uint32_t queue_gain_ppm; /* less positioning with 8 or more waiting; in between linear */
    uint64_t stripe_bytes;
    bool write_cache;        /* writes are gathered to whole stripes, wherever they belong */
    uint64_t capacity_bytes; /* of all, told as the size of the file system */
};

/* Files that are there before anything is made: [present] lines, `PATH SIZE [dram|flash]`; PATH may
 * have one `{A..B}`. Whole extents, put into the caches in this order. */
struct sim_present {
    char path[128];
    unsigned first;
    unsigned last;
    bool numbered;
    uint64_t bytes;
    bool in_dram;
    bool in_flash;
};

/* What an address asks to go wrong. Times count from the first READ, WRITE or APPEND of a run's
 * measured part (the calls window); ops are numbered from 1 likewise. */
struct sim_faults {
    unsigned stalls;
    struct {
        uint64_t at_ns;
        uint64_t for_ns;
    } stall[SIM_FAULTS_MAX];
    unsigned errors;
    struct {
        uint64_t number; /* of all ops */
        int code;        /* negative errno */
    } error[SIM_FAULTS_MAX];
    unsigned slow_disks;
    struct {
        unsigned disk; /* from 0 */
        uint32_t by;
    } slow_disk[SIM_FAULTS_MAX];
    unsigned slow_clients;
    struct {
        unsigned client; /* from 0 */
        uint32_t by;     /* links, processors, think time and latency */
    } slow_client[SIM_FAULTS_MAX];
    unsigned drops;
    struct {
        unsigned client;
        uint64_t at_ns; /* from then on its ops fail with -ENOTCONN, those under way too */
    } drop[SIM_FAULTS_MAX];
};

/* Where a key was set last, for messages: line 0 is nowhere or in an address. */
struct sim_where {
    uint16_t line;
    uint8_t file;
};

struct sim_profile {
    char name[64];      /* "sun7410-barcelona", or the file's */
    char title[128];    /* "Sun Storage 7410, 4 x quad-core" */
    char text_hash[65]; /* of all that was read, comments left out */
    uint64_t seed;
    uint32_t extent_bytes; /* of caches and placement; a power of two, 4 KiB … 1 MiB */
    unsigned protocols;
    unsigned protocol; /* the chosen one */
    struct sim_protocol protocol_of[SIM_PROTOCOLS_MAX];
    struct sim_client client;
    struct sim_ports ports;
    unsigned cpus;
    enum sim_spread cpu_spread;
    struct sim_way bus;
    struct sim_way path;
    struct sim_dram dram;
    struct sim_flash flash;
    struct sim_log log;
    struct sim_disks disks;
    unsigned presents;
    struct sim_present present[SIM_PRESENT_MAX];
    struct sim_faults faults;
    struct sim_rigs rigs;
    unsigned files;
    char file[SIM_FILES_MAX][SIM_FILE_NAME_MAX];
    struct sim_where where[SIM_PROTOCOLS_MAX][SIM_KEYS_MAX]; /* [0] of what no protocol has */
};

/* `name` stands in front of messages. Fills a profile from nothing; not yet checked. */
__attribute__((warn_unused_result)) int sim_profile_read(const char *name, const char *text,
                                                         size_t len, struct sim_profile *out,
                                                         struct err *err);
/* One parameter of an address: "disks" "24". The short names are those of docs/sim.md; any key of a profile
 * is accepted as SECTION.KEY. */
__attribute__((warn_unused_result)) int sim_profile_set(struct sim_profile *p, const char *name,
                                                        const char *value, struct err *err);
/* Sets what was left open and refuses what cannot be. Of the chosen protocol, what it has of its own (clients, link,
 * port) then stands in `client` and `ports` too, and what it has not, in the protocol. */
__attribute__((warn_unused_result)) int sim_profile_check(struct sim_profile *p, struct err *err);
/* What stands behind "sim:". */
__attribute__((warn_unused_result)) int sim_address_parse(const char *address,
                                                          struct sim_profile *out, struct err *err);

uint64_t sim_time_draw(const struct sim_time *time, struct rng *rng);
uint64_t sim_cost_ns(const struct sim_cost *cost, enum op_kind kind, bool writes, uint64_t bytes,
                     uint64_t disk_bytes);

#endif
