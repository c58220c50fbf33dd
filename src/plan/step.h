/* plan/step.h — one step of a stream: what kinds there are, and what each of them is told.
 * Shape    a flat record of which each kind looks at a few members; those that an op needs lie first,
 *          in the order of their use, since the measured loop reads little else.
 * Units    ns, bytes.
 * Limits   numbers of steps, slots, sets and objects are checked by plan_freeze (build.h).
 * Threads  as the plan: read-only once frozen.
 * Source   tests/golden/plan, tests/truth/test_steps.c, tests/truth/test_wml_files.c. */
#ifndef LOADLINE_PLAN_STEP_H
#define LOADLINE_PLAN_STEP_H

#include "base/zipf.h"
#include "fileset/spec.h"

#include <stdbool.h>
#include <stdint.h>

#define PLAN_NO_LINE UINT16_MAX
#define PLAN_ANY_SET UINT16_MAX

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
                    * and WRITE see them one behind the other as one. With ORDER_STRIDE only this stream's:
                    * i, i + streams, i + 2·streams …, there for NEXT and UNIFORM only */
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
                 PLAN_SIZE_DRAWN, /* from `draw`, io_bytes is the bound; 0: a sample, and no op at the target */
                 PLAN_SIZE_BELOW, /* evenly 0 … io_bytes − 1; 0: a sample, and no op at the target */
                 PLAN_SIZE_FILE, /* READ and WRITE whole: the nominal size of the file, in one op; io_bytes is the
                      * bound */
};
enum plan_where {
    PLAN_AT_NEXT,     /* at the slot's position, which moves on and wraps at the file's size; of
                      * PLAN_UNIT_ALL: at the end of the stream's equal share */
    PLAN_AT_POSITION, /* where the last op of the slot ended (random ones and appends left out), from 0 after it was opened: READ gets what
                       * there is, and after nothing at the end goes back to 0; WRITE goes on without end */
    PLAN_AT_UNIFORM,  /* a uniformly drawn multiple of io_bytes that fits into the file; at 0 when
                      * none does, of files of several sizes */
    PLAN_AT_ZIPF,     /* such a multiple by Zipf's law, ranks scattered over the file */
    PLAN_AT_HOT,      /* a share of the ops in the first part of the file, the rest behind it */
};

/* Where in the slot's file or files an op goes. */
struct plan_place {
    enum plan_where where;
    uint32_t hot_ops;    /* HOT: per cent of the ops … */
    uint32_t hot_blocks; /* … and of the blocks that they go to; both 1 to 99 */
    /* Completed by plan_freeze, for all but NEXT and POSITION: how many of io_bytes there are in a
     * file, or in all of them of PLAN_UNIT_ALL. 0: each file, or each op, has its own number. */
    uint64_t blocks;
    uint64_t hot; /* blocks of the hot part; likewise */
    uint64_t per_file;
    uint64_t limit_bytes; /* UNIFORM: of the file, from its beginning; 0: all */
    double skew;          /* ZIPF: above 0 */
    struct zipf zipf;
    struct scatter scatter;
};

struct plan_step {
    enum plan_step_kind kind;
    uint32_t to;
    uint16_t slot;     /* PICK, OP, IF_… */
    uint16_t op;       /* OP: enum op_kind */
    uint16_t line;     /* OP and what waits; PLAN_NO_LINE: done, errors counted, not sampled.
                        * OUT: whose flowop it is that finds nothing more to do */
    uint32_t op_flags; /* enum op_flag */
    uint64_t io_bytes; /* per op; READDIR: room for a piece of the listing, which is always whole */
    bool whole;     /* READ, WRITE: from 0 to the file's size in pieces of io_bytes, one sample */
    bool to_end;    /* READ whole, RESIDENT: to the file's end, whatever its nominal size */
    bool on;        /* WRITE whole: from the slot's position, not from 0 */
    bool verify;    /* READ: check every byte; a mismatch voids the run */
    bool absent_ok; /* UNLINK, RMDIR, MKDIR: -ENOENT / -EEXIST is not an error */
    bool
        detached; /* READ, WRITE: the stream goes on at once; its line has the time of handing over,
                     * done_line that at the target. At most group->detached at once, then it waits */
    bool from_slot;       /* WRITE whole: `from` says whose file's nominal size is written */
    bool blocking;        /* SEM_POST */
    enum plan_size size;  /* READ, WRITE, APPEND */
    struct plan_place at; /* READ, WRITE */
    uint64_t counts;      /* OP and all with a line: bit per counter of the group that it moves */
    uint16_t done_line;
    uint16_t draw; /* 1 + index into plan->draw: PICK DRAWN, COUNT, sizes, HOG and DELAY instead of
                    * value; 0: none */
    /* PICK; with a use that takes: -EBUSY goes to `skip`. */
    uint16_t set;  /* also EACH, IF_OPEN, OUT */
    uint16_t from; /* PICK ORDER_SLOT; OP WRITE whole with from_slot */
    enum plan_unit unit;
    enum plan_order order;
    enum fileset_use use;
    uint32_t skip;
    uint32_t count;    /* LOOP */
    uint32_t chance;   /* BRANCH */
    uint16_t loop;     /* LOOP, COUNT: which of the stream's counters */
    uint16_t schedule; /* ARRIVE, LIMIT */
    uint16_t object;   /* BLOCK, WAKE, SEM_…, LIMIT, FINISH */
    uint64_t value;
    /* Completed by plan_freeze. */
    bool plain;      /* READ, WRITE: io_bytes in one file, evenly or in order, and nothing else */
    bool partial;    /* READ: fewer bytes than asked are no error */
    uint16_t align;  /* OP: sizes that are not fixed are rounded up to its multiples */
    uint16_t cursor; /* PICK ROUND_OWN: which of the stream's cursors */
};

#endif
