/* engine/stream_priv.h — one flow of operations: what it is made of, and its steps.
 * Shape    stream_enter, then stream_advance to each next op and stream_complete when it has come
 *          back. place.c: files and offsets; left.c: what of it was not done at the end of the run.
 * Units    ns on the run's clock, bytes, ops.
 * Threads  a stream belongs to its worker; held_since_ns is read by the watchdog, too. */
#ifndef LOADLINE_ENGINE_STREAM_PRIV_H
#define LOADLINE_ENGINE_STREAM_PRIV_H

#include "base/rng.h"
#include "engine/walk_priv.h"
#include "fileset/fileset.h"
#include "plan/plan.h"
#include "target/target.h"

#include <stdatomic.h>

struct check;
struct detached;
struct run;
struct worker;

/* What a stream has picked, and has open. */
struct slot {
    uint64_t handle;
    uint64_t index;    /* of the file or directory within its tree */
    uint64_t next;     /* how many were picked before; ALL: how many are open */
    uint64_t pos;      /* sequential position: from first on, below stop */
    uint64_t first;    /* 0 … */
    uint64_t stop;     /* … size; of all files the stream's share, counted over those it has */
    uint64_t size;     /* of a file */
    uint64_t *handles; /* ALL: of each that it has, the first `next` of them open */
    uint32_t files;    /* ALL: how many are the stream's: the first, and each stride-th behind it */
    uint32_t stride;
    uint32_t detached; /* ops of it that nobody waits for */
    uint32_t tree;
    uint16_t set;
    uint8_t unit; /* enum plan_unit */
    uint8_t
        use; /* enum fileset_use: what was taken is under way, and the set's state waits for it */
    bool open;
    bool counted; /* the set's state counts it as open */
    bool file;    /* a file was picked for it, and has not been deleted since */
};

static inline bool slot_names_file(const struct slot *slot)
{
    return slot->unit == PLAN_UNIT_FILE || slot->unit == PLAN_UNIT_ALL;
}

/* The flowop under way: one sample around one or more ops. */
struct flow {
    uint64_t off;
    uint64_t stop;  /* of a whole file: where it ends */
    uint64_t piece; /* likewise: bytes of an op at most; 0: not begun */
    uint64_t service_ns;
    uint64_t bytes;
    uint64_t extra;
    uint64_t ops;
};

enum stream_state {
    STREAM_RUN,    /* to be advanced */
    STREAM_HELD,   /* its op is in worker.ready or at the target */
    STREAM_TIMED,  /* waits for wait.until_ns in worker.timer */
    STREAM_PARKED, /* waits for what other streams or its own detached ops do */
    STREAM_ENDED,
};

enum left {
    LEFT_NOTHING,
    LEFT_ARRIVAL, /* due, by due_ns */
    LEFT_WAITING, /* an arrival that had not fallen due yet when its stream ended */
    LEFT_OP,      /* of a closed loop: issued, by issued_ns */
    LEFT_DONE,    /* nothing, and nothing more would ever have been done */
};

/* What a stream had not done when the window closed or the run ended. */
struct stream_left {
    uint64_t before_ns; /* at the target for earlier ops of the flowop */
    uint16_t line;      /* PLAN_NO_LINE: the stream had not come to its op yet */
    uint8_t what;       /* enum left */
};

/* At a step that keeps it. */
struct stream_wait {
    uint64_t until_ns;     /* TIMED */
    struct worker *worker; /* its own: who goes on with it */
    struct stream *next;   /* in the list it waits in, or in its worker's inbox */
    _Atomic uint64_t need; /* of the gauge */
    uint64_t since_ns;
    uint64_t issued_ns;  /* of the op before: whether there was one between two steps */
    uint32_t at;         /* SEM_POST: which instance */
    uint8_t steps;       /* in a row */
    bool begun;          /* the step has; it goes on where it was kept */
    bool outside;        /* its hog, or its check, is at the pool */
    struct check *check; /* of a stream that compares what it reads; else NULL */
};

struct stream_count {
    uint64_t moved;
    uint64_t charged; /* by LIMIT */
};

/* What it has come to. */
struct stream_turns {
    uint32_t *loop;     /* of each: how often it has gone, or, PLAN_LOOP_COUNTED, still will */
    uint64_t *cursor;   /* of each set that it goes through by itself */
    uint16_t turn;      /* PLAN_SLOT_TURN: which slot; 0 at first, too */
    uint16_t each;      /* PLAN_SLOT_EACH: which slot … */
    uint16_t each_next; /* … and where the next one is looked for */
};

/* Its ops that it does not wait for (detached_priv.h). */
struct stream_detached {
    struct detached *free;
    struct detached *handing; /* the stream goes on when the target has it */
    uint32_t out;             /* not free */
};

/* One flow of operations. Besides slots, loops and buffer this is all that a stream costs. */
struct stream {
    struct op op;
    _Atomic uint64_t held_since_ns; /* for the watchdog; 0: not at the target */
    uint64_t due_ns;
    uint64_t issued_ns;
    uint32_t pc;
    uint32_t number; /* within the group */
    uint32_t group;
    uint8_t state;
    bool due_set;   /* due_ns came from a schedule and no flowop has used it yet */
    bool idle_wait; /* was idle when its arrival fell due: lateness is ours */
    bool was_held;  /* when its worker dropped everything */
    struct stream_left left;
    struct stream_wait wait;
    struct flow flow;
    uint64_t want;       /* bytes that the op should move */
    uint64_t generation; /* of what was written last over what was there */
    uint64_t ops;        /* inside the window */
    uint64_t bytes;
    struct rng rng;
    struct slot *slot;
    struct stream_count *count; /* of its group's counters */
    struct stream_turns turns;
    struct stream_detached detached;
    unsigned char *buf;
    struct walk *walk; /* NULL: what it picks is known beforehand */
    char leaf[FILESET_LEAF_MAX];
};

static inline struct slot *stream_slot(const struct stream *s, uint16_t slot)
{
    if (slot >= PLAN_SLOTS_MAX)
        slot = slot == PLAN_SLOT_TURN ? s->turns.turn : s->turns.each;
    return &s->slot[slot];
}

/* stream.c */
enum advance {
    ADVANCE_ON, /* at the next step; never of stream_advance itself */
    ADVANCE_HELD,
    ADVANCE_HANDING, /* its detached op is to be offered */
    ADVANCE_TIMED,
    ADVANCE_PARKED, /* until something else sends it on: another stream, an op of its own */
    ADVANCE_ENDED,
};
void stream_enter(struct stream *s, uint32_t pc);
enum advance stream_advance(struct worker *w, struct stream *s);
void stream_path(const struct run *run, const struct stream *s, char *buf, size_t room);

/* stream_op.c */
enum prepared {
    PREPARED_OP,
    PREPARED_NOTHING, /* it is of 0 bytes: a sample, and no op at the target */
    PREPARED_CLOSED,  /* what it needs open could not be opened; that has been counted */
};
/* What the flowop of the step asks of the target next, into s->op: all but `plain` ones. */
enum prepared stream_prepare(struct worker *w, struct stream *s, const struct plan_step *step);
/* What is written: len bytes for the slot's file, at `off` or, APPEND, wherever its end is. */
void stream_content(struct worker *w, struct stream *s, const struct plan_step *step,
                    const struct slot *slot);

/* stream_done.c */
/* The op of s has come back; w->now is when. */
void stream_complete(struct worker *w, struct stream *s);
/* The flowop of the step is over: its sample or its error, and the stream is at the next step. */
void stream_finish(struct worker *w, struct stream *s, const struct plan_step *step,
                   const struct flow *flow, int code);

/* A step that keeps its stream is done, `ops` times: its sample, and the stream is at the next one. */
enum advance stream_waited(struct worker *w, struct stream *s, const struct plan_step *step,
                           uint64_t ops);

/* stream_slots.c: TURN, EACH, IF_OPEN, IF_FILE, COUNT, JOIN; *pc is moved on. */
enum advance stream_slots_step(struct worker *w, struct stream *s, const struct plan_step *step,
                               uint32_t *pc);
/* stream_sync.c: HOG, DELAY, BLOCK, WAKE, SEM_WAIT, SEM_POST, LIMIT, FINISH, OUT, FAIL; likewise. */
enum advance stream_sync_step(struct worker *w, struct stream *s, const struct plan_step *step,
                              uint32_t *pc);

/* pick.c */
enum pick {
    PICK_TAKEN,
    PICK_NONE,  /* its order is exhausted, or nothing is in the state that it needs */
    PICK_BUSY,  /* the file to be deleted is open elsewhere */
    PICK_AGAIN, /* an op under way may bring one */
};
enum pick stream_pick(const struct worker *w, struct stream *s, const struct plan_step *step);
/* What was taken is over; worked: as it was meant to be. */
void slot_settle(const struct worker *w, struct slot *slot, bool worked);
/* It is closed, which the set's state counts. */
void slot_closed(const struct worker *w, struct slot *slot);

/* states.c: which files of each set there are, where streams take them by their state */
__attribute__((warn_unused_result)) int states_new(struct run *run, struct err *err);
void states_free(struct run *run);
uint64_t states_memory(const struct plan *plan);

/* place.c */
/* The offset of the next op that moves one piece, by a law or in PLAN_UNIT_ALL: of that also the slot's
 * index and handle, which file. */
uint64_t place_find(struct stream *s, const struct plan_step *step, struct slot *slot);
/* The slot, of PLAN_UNIT_ALL, comes to the k-th of the stream's files. */
static inline void slot_turn_to(const struct stream *s, struct slot *slot, uint64_t k)
{
    slot->index = slot->stride > 1 ? s->number + k * slot->stride : k;
}

/* touched.c */
/* The stream's op has moved so many bytes of the slot's file. */
void touched_add(struct worker *w, const struct stream *s, const struct slot *slot, uint64_t bytes);

/* left.c */
/* What is left of s where its op of `line` ends it; issued: the op was at the target when the window
 * closed. */
struct stream_left stream_left_of(const struct stream *s, uint16_t line, bool issued);
/* What is left of s if the run ends now; held: its op is at the target. Reads only what does not
 * change while it is. */
struct stream_left stream_left_now(const struct run *run, const struct stream *s, bool held);

#endif
