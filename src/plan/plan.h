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
#include "base/zipf.h"
#include "fileset/spec.h"
#include "target/catalog.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLAN_NAME_MAX     128
#define PLAN_SETS_MAX     1024
#define PLAN_LINES_MAX    1024
#define PLAN_GROUPS_MAX   4096
#define PLAN_STEPS_MAX    1048576
#define PLAN_SLOTS_MAX    130
#define PLAN_COUNTERS_MAX 64   /* per group */
#define PLAN_OBJECTS_MAX  4096 /* events, semaphores, draws, texts: of each */
#define PLAN_DETACHED_MAX 4096
#define PLAN_LOOPS_MAX    64
#define PLAN_STREAMS_MAX  1000000
#define PLAN_HANDLES_MAX  2147483647 /* of all streams at once: a session counts in 32 bits */
#define PLAN_NO_LINE      UINT16_MAX
#define PLAN_ANY_SET      UINT16_MAX

/* Slots that are not always the same one. */
#define PLAN_SLOT_TURN  (UINT16_MAX - 1) /* the one that PLAN_TURN has come to, of 128 */
#define PLAN_SLOT_EACH  (UINT16_MAX - 2) /* the one that PLAN_EACH has come to */
#define PLAN_TURN_SLOTS 128

enum plan_step_kind {
    PLAN_PICK, /* choose a file, directory or tree root into a slot; when the order is exhausted go
                * to `to` */
    PLAN_OP,   /* one flowop: one op, or with `whole` the ops that move the whole file */
    PLAN_ARRIVE, /* take the next arrival of `schedule`, wait for it; it is the next flowop's due
                    time */
    PLAN_BRANCH, /* go to `to` with probability chance / 2^32, else on to the next step */
    PLAN_LOOP,   /* go to `to`, `count` − 1 times, then on to the next step; count 0: always;
                  * PLAN_LOOP_COUNTED: as often as PLAN_COUNT drew for this loop */
    PLAN_END,    /* the stream is done */
    /* About slots. */
    PLAN_TURN, /* PLAN_SLOT_TURN becomes the next slot: 127, 126 … 0, 127 … of the stream */
    PLAN_EACH, /* PLAN_SLOT_EACH becomes the next open slot that holds a file of `set`; behind the last
                   * one go to `to`, and begin anew the next time */
    PLAN_IF_OPEN, /* the slot is open: go to `to`; a file of another set than `set` in it fails the run */
    PLAN_IF_FILE, /* the slot holds a file, open or not: go to `to` */
    /* About time and number. */
    PLAN_COUNT, /* draw the count of loop `loop`; it is 0: go to `to` */
    PLAN_HOG,   /* `value` stores to memory */
    PLAN_DELAY, /* wait for `value` ns */
    /* Between streams. Each is one sample of its line: the time waited. */
    PLAN_BLOCK,    /* wait until event `object` is signalled; a signal finds only who waits */
    PLAN_WAKE,     /* signal it: one op per stream that was waiting */
    PLAN_SEM_WAIT, /* give `value` credits to those who post to this stream's semaphore `object`,
                    * then wait for `value` posts and take them */
    PLAN_SEM_POST, /* post `value` to semaphore `object` of every stream that has one; `blocking`:
                    * of each also wait for as many credits and take them */
    PLAN_LIMIT,    /* take as many arrivals of `schedule` as counter `object` has moved since the
                    * last time, or one when `whole`; a counter of bytes: one per 2^20, in parts; wait for the
                    * last of them. Whole: it is the next flowop's due time */
    PLAN_JOIN,     /* wait until at most `value` per cent of the stream's detached ops are left */
    /* How it ends. */
    PLAN_FINISH, /* counter `object` has reached `value` (bytes: is above it): as PLAN_OUT */
    PLAN_OUT,    /* nothing is left to do: as plan->quit says. `set`: which has run out */
    PLAN_FAIL,   /* the workload asks what cannot be: text[value]; ends the run, marked */
};

#define PLAN_LOOP_COUNTED UINT32_MAX

enum plan_unit {
    PLAN_UNIT_FILE,
    PLAN_UNIT_DIR,
    PLAN_UNIT_ROOT,
    PLAN_UNIT_LEAF, /* leaf directory of a grown set */
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
    /* With a use that looks at the set's state: the first in that state … */
    PLAN_ORDER_ROUND,     /* … behind the one that any stream took last */
    PLAN_ORDER_ROUND_OWN, /* … behind the one that this stream took last */
    PLAN_ORDER_DRAWN,     /* … at or behind the number drawn, modulo how many there are */
    PLAN_ORDER_SLOT,      /* the file in slot `from`, whatever its number */
};

enum plan_size { /* of what an op moves */
                 PLAN_SIZE_FIXED,
                 PLAN_SIZE_DRAWN, /* from `draw`; io_bytes is the bound */
                 PLAN_SIZE_BELOW, /* evenly 0 … io_bytes − 1; 0: a sample, and no op at the target */
                 PLAN_SIZE_FILE, /* READ and WRITE whole: the nominal size of the file, in one op; io_bytes is the
                      * bound */
};

enum plan_quit {                    /* what ends a run before its time */
                 PLAN_QUIT_TIMEOUT, /* a set that has run out does (marked); PLAN_FINISH ends its stream */
                 PLAN_QUIT_FIRSTDONE, /* the first stream that has nothing left to do */
                 PLAN_QUIT_ALLDONE,   /* only the last one */
};

enum plan_where {
    PLAN_AT_NEXT,     /* at the slot's position, which moves on and wraps at the file's size; of
                      * PLAN_UNIT_ALL: at the end of the stream's equal share */
    PLAN_AT_POSITION, /* where the last op of the slot ended, from 0 after it was opened: READ gets what
                       * there is, and after nothing at the end goes back to 0; WRITE goes on without end */
    PLAN_AT_UNIFORM, /* a uniformly drawn multiple of io_bytes that fits into the file */
    PLAN_AT_ZIPF,    /* such a multiple by Zipf's law, ranks scattered over the file */
    PLAN_AT_HOT,     /* a share of the ops in the first part of the file, the rest behind it */
};

/* Where in the slot's file or files an op goes. */
struct plan_place {
    enum plan_where where;
    double skew;          /* ZIPF: above 0 */
    uint32_t hot_ops;     /* HOT: per cent of the ops … */
    uint32_t hot_blocks;  /* … and of the blocks that they go to; both 1 to 99 */
    uint64_t limit_bytes; /* UNIFORM: of the file, from its beginning; 0: all */
    /* Completed by plan_freeze, for all but NEXT and POSITION. */
    uint64_t
        blocks;   /* of io_bytes in a file; in all of them of PLAN_UNIT_ALL; 0: each has its own */
    uint64_t hot; /* blocks of the hot part */
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
    uint16_t slot;     /* PICK, OP, IF_… */
    uint16_t set;      /* PICK, EACH, IF_OPEN, OUT */
    enum plan_unit unit;
    enum plan_order order;
    /* PICK with a use that takes: -EBUSY goes to `skip`. */
    enum fileset_use use;
    uint32_t skip;
    uint16_t draw; /* 1 + index into plan->draw: PICK DRAWN, COUNT, sizes, HOG and DELAY instead of
                      * value; 0: none */
    uint16_t object; /* BLOCK, WAKE, SEM_…, LIMIT, FINISH */
    uint16_t from; /* PICK ORDER_SLOT; OP WRITE whole with `from_slot`: whose file's nominal size is
                      * written */
    bool from_slot;
    bool blocking; /* SEM_POST */
    uint64_t value;
    uint64_t counts; /* OP and all with a line: bit per counter of the group that it moves */
    /* OP */
    uint16_t op;          /* enum op_kind */
    uint16_t line;        /* or PLAN_NO_LINE: done, errors counted, not sampled */
    uint32_t op_flags;    /* enum op_flag */
    struct plan_place at; /* READ, WRITE */
    uint64_t io_bytes; /* per op; READDIR: room for a piece of the listing, which is always whole */
    enum plan_size size;
    bool whole;  /* READ, WRITE: from 0 to the file's size in pieces of io_bytes, one sample */
    bool to_end; /* READ whole: until nothing comes back, whatever the file's nominal size */
    bool on;     /* WRITE whole: from the slot's position, not from 0 */
    bool
        detached; /* READ, WRITE: the stream goes on at once; its line has the time of handing over,
                     * done_line that at the target. At most group->detached at once, then it waits */
    uint16_t done_line;
    bool verify;    /* READ: check every byte; a mismatch voids the run */
    bool absent_ok; /* UNLINK, RMDIR, MKDIR: -ENOENT / -EEXIST is not an error */
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
    int8_t nice;
    int8_t io_priority; /* best-effort class 0 … 7; −1: left as it is */
    uint64_t
        pool_bytes; /* each op's buffer lies somewhere in so much memory of the stream, at a multiple
                          * of its size; 0: always in the same place */
    uint32_t detached; /* ops of a stream at once */
    unsigned counters;
    struct plan_counter {
        bool bytes;   /* else how often */
        bool process; /* of all streams of the process, else of this one */
    } counter[PLAN_COUNTERS_MAX];
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
    /* The warm-up goes on until the rate is steady, warmup_ns at least, steady_max_ns at the most: over the last
     * 5 parts of it the slope and the range are within steady_frac of the mean. 0: no such rule. */
    double steady_frac;
    uint64_t steady_max_ns;
    uint64_t period_ns; /* how often whoever runs it is told the sums so far; 0: never */
};

struct plan {
    uint64_t seed;
    struct plan_instrument instrument;
    struct plan_window window;
    bool sync_at_end; /* one SYNCFS after the last stream, inside the elapsed time */
    uint16_t sync_line;
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
