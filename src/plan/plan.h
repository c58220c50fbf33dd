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

#include "base/zipf.h"
#include "fileset/spec.h"
#include "target/catalog.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLAN_NAME_MAX    48
#define PLAN_SETS_MAX    16
#define PLAN_LINES_MAX   1024
#define PLAN_GROUPS_MAX  256
#define PLAN_STEPS_MAX   65536
#define PLAN_SLOTS_MAX   129
#define PLAN_LOOPS_MAX   64
#define PLAN_STREAMS_MAX 1000000
#define PLAN_HANDLES_MAX 2147483647 /* of all streams at once: a session counts in 32 bits */
#define PLAN_NO_LINE     UINT16_MAX

enum plan_step_kind {
    PLAN_PICK, /* choose a file, directory or tree root into a slot; when the order is exhausted go
                * to `to` */
    PLAN_OP,   /* one flowop: one op, or with `whole` the ops that move the whole file */
    PLAN_ARRIVE, /* take the next arrival of `schedule`, wait for it; it is the next flowop's due
                    time */
    PLAN_BRANCH, /* go to `to` with probability chance / 2^32, else on to the next step */
    PLAN_LOOP,   /* go to `to`, `count` − 1 times, then on to the next step; count 0: always */
    PLAN_END,    /* the stream is done */
};

enum plan_unit {
    PLAN_UNIT_FILE,
    PLAN_UNIT_DIR,
    PLAN_UNIT_ROOT,
    PLAN_UNIT_ALL, /* all files of a flat set, in one slot: OPEN and CLOSE take each of them in turn, READ
                    * and WRITE see them one behind the other as one */
};

enum plan_order {
    PLAN_ORDER_OWN,    /* stream i: trees i, i + streams …, each in rising order (FLAT: its i-th
                        * equal share) */
    PLAN_ORDER_STRIDE, /* stream i: i, i + streams, i + 2·streams … over all trees */
    PLAN_ORDER_LISTED, /* the next entry of the directory listed last, when it is of this unit; behind
                        * its last one, of the one above. A directory has to be listed before its
                        * entries are picked */
};

enum plan_where {
    PLAN_AT_NEXT,    /* at the slot's position, which moves on and wraps at the file's size; of
                      * PLAN_UNIT_ALL: at the end of the stream's equal share */
    PLAN_AT_UNIFORM, /* a uniformly drawn multiple of io_bytes that fits into the file */
    PLAN_AT_ZIPF,    /* such a multiple by Zipf's law, ranks scattered over the file */
    PLAN_AT_HOT,     /* a share of the ops in the first part of the file, the rest behind it */
};

/* Where in the slot's file or files an op goes. */
struct plan_place {
    enum plan_where where;
    double skew;         /* ZIPF: above 0 */
    uint32_t hot_ops;    /* HOT: per cent of the ops … */
    uint32_t hot_blocks; /* … and of the blocks that they go to; both 1 to 99 */
    /* Completed by plan_freeze, for all but NEXT. */
    uint64_t blocks; /* of io_bytes in a file; in all of them of PLAN_UNIT_ALL */
    uint64_t hot;    /* blocks of the hot part */
    uint64_t per_file;
    struct zipf zipf;
    struct scatter scatter;
};

struct plan_step {
    enum plan_step_kind kind;
    uint32_t to;
    uint32_t count;    /* LOOP */
    uint32_t chance;   /* BRANCH */
    uint16_t loop;     /* LOOP: which of the stream's counters */
    uint16_t schedule; /* ARRIVE */
    uint16_t slot;     /* PICK, OP */
    uint16_t set;      /* PICK */
    enum plan_unit unit;
    enum plan_order order;
    /* OP */
    uint16_t op;          /* enum op_kind */
    uint16_t line;        /* or PLAN_NO_LINE: done, errors counted, not sampled */
    uint32_t op_flags;    /* enum op_flag */
    struct plan_place at; /* READ, WRITE */
    uint64_t io_bytes; /* per op; READDIR: room for a piece of the listing, which is always whole */
    bool whole;     /* READ, WRITE: from 0 to the file's size in pieces of io_bytes, one sample */
    bool verify;    /* READ: check every byte; a mismatch voids the run */
    bool absent_ok; /* UNLINK, RMDIR, MKDIR: -ENOENT / -EEXIST is not an error */
};

struct plan_line {
    char name[PLAN_NAME_MAX];
    uint16_t op;
    bool open_loop; /* due times come from a schedule: response differs from service */
};

enum plan_arrival { PLAN_ARRIVAL_CONSTANT, PLAN_ARRIVAL_POISSON };

struct plan_schedule {
    enum plan_arrival arrival;
    double rate_per_s;
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
};

enum plan_cache { /* what is done about this machine's cache before reading */
                  PLAN_CACHE_KEEP,
                  PLAN_CACHE_DROP,
                  PLAN_CACHE_DIRECT,
                  PLAN_CACHE_RAM,
                  PLAN_CACHE_UNVERIFIED,
                  PLAN_CACHE_NONE,
};

/* The instrument: part of the plan's hash, not of the workload's. */
struct plan_instrument {
    char scheme[16];
    bool direct;
    enum plan_cache cache;
};

/* The part of the run that counts. measure_ns 0: until every stream has ended (a finite workload).
 */
struct plan_window {
    uint64_t warmup_ns;
    uint64_t measure_ns;
    uint64_t interval_ns;
};

struct plan {
    uint64_t seed;
    struct plan_instrument instrument;
    struct plan_window window;
    bool sync_at_end; /* one SYNCFS after the last stream, inside the elapsed time */
    uint16_t sync_line;
    unsigned sets;
    struct fileset_spec set[PLAN_SETS_MAX];
    unsigned lines;
    struct plan_line *line;
    unsigned schedules;
    struct plan_schedule *schedule;
    unsigned groups;
    struct plan_group *group;
    unsigned steps;
    struct plan_step *step;
    uint32_t streams; /* over all groups */
    char workload_hash[65];
    char plan_hash[65];
};

void plan_free(struct plan *plan);

const char *plan_cache_name(enum plan_cache cache);

#endif
