/* plan/plan.h — one measurable workload, compiled, checked and frozen; all the engine ever sees.
 * Shape    made by plan/build.h, read-only afterwards. Filesets, report lines, arrival schedules,
 *          and groups of streams; a group's streams run its setup steps before the gate opens, then
 *          the body until it ends or the run does, then the teardown after the gate is closed.
 * Units    ns, bytes.
 * Limits   counts are bounded by PLAN_*_MAX; plan_freeze refuses more.
 * Errors   see build.h.                          Threads  immutable, shared freely.
 * Source   tests/golden/plan pins the canonical text of plans. */
#ifndef LOADLINE_PLAN_PLAN_H
#define LOADLINE_PLAN_PLAN_H

#include "base/draw.h"
#include "base/flowop.h"
#include "fileset/spec.h"
#include "plan/step.h"
#include "target/catalog.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLAN_NAME_MAX     128
#define PLAN_SETS_MAX     1024
#define PLAN_LINES_MAX    1024
#define PLAN_IO_BYTES_MAX (UINT64_C(1) << 40) /* of one op; memory sets the real bound */
#define PLAN_GROUPS_MAX   4096
#define PLAN_STEPS_MAX    1048576
#define PLAN_SLOTS_MAX    130
#define PLAN_COUNTERS_MAX 64   /* per group */
#define PLAN_OBJECTS_MAX  4096 /* events, semaphores, draws, texts: of each */
#define PLAN_DETACHED_MAX 4096
#define PLAN_LOOPS_MAX    64
#define PLAN_STREAMS_MAX  1000000
#define PLAN_HANDLES_MAX  2147483647 /* of all streams at once: a session counts in 32 bits */

enum plan_quit {                    /* what ends a run before its time */
                 PLAN_QUIT_TIMEOUT, /* a set that has run out does (marked); PLAN_FINISH ends its stream */
                 PLAN_QUIT_FIRSTDONE, /* the first stream that has nothing left to do */
                 PLAN_QUIT_ALLDONE,   /* only the last one */
};
struct plan_line {
    char name[PLAN_NAME_MAX];
    uint16_t op;
    bool open_loop;             /* due times come from a schedule: response differs from service */
    char type[FLOWOP_NAME_MAX]; /* of flowop, where that says more than the op; else "" */
};

enum plan_arrival {
    PLAN_ARRIVAL_CONSTANT,
    PLAN_ARRIVAL_POISSON,
    PLAN_ARRIVAL_TENS, /* ten at once, as filebench's generator does */
};

struct plan_schedule {
    enum plan_arrival arrival;
    double rate_per_s;
};

struct plan_counter {
    bool bytes; /* else how often */
    bool
        process; /* of all streams of the process, in all groups that have one of the same number; else
                   * of this stream */
};

/* Steps of a group lie in plan->step: setup, then body, then teardown, each closed by PLAN_END. */
struct plan_group {
    char name[PLAN_NAME_MAX];
    uint32_t streams;
    uint32_t clients; /* streams are dealt out in equal blocks; at least 1 */
    uint32_t setup;
    uint32_t body;
    uint32_t teardown;
    uint16_t slots;
    uint16_t loops;
    uint32_t handles;      /* files of PLAN_UNIT_ALL that each stream has open */
    uint64_t buffer_bytes; /* largest op of the group */
    uint32_t list_room;    /* entries of a directory, where they are picked as listed; else 0 */
    uint32_t list_levels;  /* of directories, the root included */
    uint16_t list_set;
    /* Processes of the workload: its streams are dealt out to them in equal blocks; those of several
     * groups may be the same ones. A process has its own counters. */
    uint32_t process; /* number of the first */
    uint32_t processes;
    int8_t nice;        /* added to the program's own, where a thread drives one stream */
    int8_t io_priority; /* best-effort class 0 … 7; −1: left as it is */
    uint64_t
        pool_bytes; /* each op's buffer lies somewhere in so much memory of the stream, at a multiple
                          * of its size; 0: always in the same place */
    uint32_t detached; /* ops of a stream at once */
    unsigned counters;
    struct plan_counter counter[PLAN_COUNTERS_MAX];
    /* Completed by plan_freeze, as slots, loops, handles, buffer_bytes and list_… are. */
    bool turns;       /* has a PLAN_TURN */
    bool eaches;      /* has a PLAN_EACH */
    uint16_t cursors; /* sets that a stream goes through by itself (PLAN_ORDER_ROUND_OWN) */
};

enum plan_cache { /* what is done about this machine's cache before reading */
                  PLAN_CACHE_KEEP,
                  PLAN_CACHE_DROP,
                  PLAN_CACHE_DIRECT,
                  PLAN_CACHE_RAM,
                  PLAN_CACHE_UNVERIFIED,
                  PLAN_CACHE_UNCACHED, /* there is none: the client is our own */
                  PLAN_CACHE_NONE,
};

/* The instrument: part of the plan's hash, not of the workload's. */
struct plan_instrument {
    char scheme[16];
    bool direct;
    bool resolve_always; /* the way to a name is looked up anew for each op; nfs only */
    enum plan_cache cache;
};

/* The part of the run that counts. measure_ns 0: until every stream has ended (a finite workload).
 */
struct plan_window {
    uint64_t warmup_ns;
    uint64_t measure_ns;
    uint64_t interval_ns;
    /* The warm-up goes on until the rate is steady, warmup_ns at least, steady_max_ns at the most: over the last
     * 5 parts of it the slope and the range are within steady_frac of the mean. 0: no such rule. */
    double steady_frac;
    uint64_t steady_max_ns;
    uint64_t period_ns; /* how often whoever runs it is told the sums so far; 0: never */
    /* The window closes before measure_ns, once the means of 20 equal parts of it say that its rate is within
     * so much of the truth, at 95 %; precise_min_ns at the least. 0: no such rule. Clocks of the target's own only. */
    double precise_frac;
    uint64_t precise_min_ns;
};

struct plan {
    uint64_t seed;
    struct plan_instrument instrument;
    struct plan_window window;
    bool sync_at_end; /* one SYNCFS after the last stream, inside the elapsed time */
    uint16_t sync_line;
    /* Count distinct blocks of this size, a power of two, that ops other than detached ones read or write in the
     * window; 0: do not. */
    uint64_t touched_bytes;
    enum plan_quit quit;
    unsigned sets;
    struct fileset_spec *set;
    unsigned lines;
    struct plan_line *line;
    unsigned schedules;
    struct plan_schedule *schedule;
    unsigned groups;
    struct plan_group *group;
    unsigned steps;
    struct plan_step *step;
    uint32_t streams; /* over all groups */
    uint32_t processes;
    unsigned draws;
    struct draw *draw;
    unsigned events;
    unsigned semaphores;
    struct plan_semaphore {
        uint64_t credits; /* posts that may run ahead */
    } * semaphore;
    unsigned texts;
    char **text;
    char workload_hash[65];
    char plan_hash[65];
};

void plan_free(struct plan *plan);

const char *plan_cache_name(enum plan_cache cache);

#endif
