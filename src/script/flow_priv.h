/* script/flow_priv.h — the flowops of one thread on their way to steps of a plan.
 * Shape    flow.c         a group: expand, read, count, emit, close
 *          flow_tree.c    composites inlined: a list of nodes in the order they are done
 *          flow_read.c    attributes that most flowops have: slot, set, what it opens with
 *          flow_plan.c    what all threads of a plan share: events, semaphores, lines, draws
 *          flow_count.c   counters of limits and ends, targets in the same thread
 *          flow_emit.c    steps that several kinds need; repetitions
 *          flow_file.c flow_move.c flow_dir.c flow_wait.c flow_limit.c   the kinds themselves
 * Limits   composites nest FLOW_NEST_MAX deep, a thread has FLOW_NODES_MAX flowops when all are
 *          inlined.
 * Errors   0 or -EINVAL after a remark was made, or -ENOMEM.
 * Threads  single owner. */
#ifndef LOADLINE_SCRIPT_FLOW_PRIV_H
#define LOADLINE_SCRIPT_FLOW_PRIV_H

#include "script/script_priv.h"

#include "base/flowop.h"

#define FLOW_NEST_MAX     16
#define FLOW_NODES_MAX    65536
#define FLOW_NAME_MAX     (PLAN_NAME_MAX - 20) /* a ".done" or a type may be put behind it */
#define FLOW_FD_MAX       128
#define FLOW_SLOT_SCRATCH 129 /* of picks that open nothing */
#define FLOW_TOP          UINT32_MAX
#define FLOW_NO_SET       (-1)
#define FLOW_ALIGN        512 /* of direct I/O */

struct flow_node;
struct flow_thread;

/* What a kind of flowop does with slots and sets. */
enum flow_uses {
    FLOW_OPENS = 1 << 0, /* puts an open file of its set into its slot */
    FLOW_MOVES = 1 << 1, /* works on the open file of its slot, and opens one when there is none */
    FLOW_SLOT = 1 << 2,  /* works on the open file of its slot */
    FLOW_FILES = 1 << 3, /* picks a file of its set */
    FLOW_DIRS = 1 << 4,  /* picks a directory of its set */
    FLOW_LEAFS = 1 << 5, /* picks a leaf directory of its set */
    FLOW_CHANGES = 1 << 6, /* what it does is there afterwards */
    FLOW_SET = 1 << 7,     /* needs a set in any case */
    FLOW_TARGET = 1 << 8,  /* its first step is, or leads to, an op at the target */
    FLOW_SILENT = 1 << 9,  /* has no line */
    FLOW_VALUE = 1 << 10,  /* is nothing without a value */
};

struct flow_kind {
    const char *name;
    unsigned uses;
    uint16_t op; /* of its line */
    int (*emit)(struct flow_thread *t, struct flow_node *n);
};

const struct flow_kind *flow_kind_find(const char *name);
const char *flow_kind_name(unsigned i); /* NULL behind the last one */

/* A flowop as it stands in the thread after inlining; of a composite its flowops follow it, up to
 * `end`. */
struct flow_node {
    const struct lang_flowop *f;
    const struct flow_kind *kind;         /* NULL: a composite */
    const struct flowop_type *type;       /* likewise */
    const struct lang_command *composite; /* its definition */
    struct scope *scope;                  /* what its attributes are evaluated in */
    struct scope *inner;                  /* of a composite: what its flowops' are; owned */
    char *name;                           /* "INSTANCE.inner" */
    uint32_t parent;
    uint32_t end;
    unsigned depth;
    int set; /* in script->set */
    uint16_t slot;
    bool opennext;
    bool direct;
    bool wrong;          /* said already */
    uint32_t open_flags; /* enum op_flag */
    uint64_t iters;
    const struct draw *iters_draw;
    uint16_t line;
    uint64_t counts;      /* of its main op */
    uint64_t open_counts; /* of an implicit open */
    uint16_t counter;     /* limits and ends: the one they look at */
};

/* A step that goes to the end of the section under a condition. */
struct flow_exit {
    uint32_t step;
    int set; /* has run out, for the flowop of `line`; FLOW_NO_SET: the workload is wrong, text */
    uint16_t line;
    uint16_t text;
};

/* What all flowops of a thread are to one of its slots; found out once, for a thread may have very
 * many. */
struct flow_slot {
    bool known;
    bool direct;      /* some of what opens it asks for direct I/O */
    bool closed;      /* by one that closes it */
    uint64_t largest; /* nominal size of what it can hold */
    bool written;     /* what it can hold is marked as written */
};

struct flow_thread {
    struct flow_plan *plan;
    struct compiler *c;
    struct plan_builder *b;
    struct lang_remarks *remarks;
    const struct lang_thread *def;
    struct scope *scope; /* its attributes are evaluated in */
    const char *name;
    uint32_t nodes;
    struct flow_node *node;
    unsigned exits;
    struct flow_exit *exit;
    unsigned counters;
    unsigned loops; /* that are open where we are */
    uint64_t memsize;
    uint64_t largest; /* op, when there is a memsize */
    uint64_t largest_detached;
    struct flow_slot slot[FLOW_FD_MAX + 2]; /* the last one: that of the turn */
    uint32_t turner;                        /* no node before it opens in turn */
    bool failed;                            /* no memory */
    bool wrong;                             /* a remark was made where nothing is returned */
};

/* ---- flow_tree.c ---- */

__attribute__((warn_unused_result)) int flow_expand(struct flow_thread *t);
void flow_tree_free(struct flow_thread *t);

/* Makes a remark at the attribute, or at the flowop when it has none of that name (or attr is NULL),
 * and returns -EINVAL. */
int flow_refuse(struct flow_thread *t, const struct flow_node *n, const char *attr, const char *fmt,
                ...) __attribute__((format(printf, 4, 5)));
void flow_warn(struct flow_thread *t, const struct flow_node *n, const char *attr, const char *fmt,
               ...) __attribute__((format(printf, 4, 5)));

/* ---- flow_read.c ---- */

__attribute__((warn_unused_result)) int flow_read_node(struct flow_thread *t, struct flow_node *n);
/* After all were read: what needs to know of the others. */
__attribute__((warn_unused_result)) int flow_check_node(struct flow_thread *t, struct flow_node *n);

/* Is it, or a composite around it, never done, because iters is 0? Once all were read. */
bool flow_left_out(const struct flow_thread *t, const struct flow_node *n);
/* Can a flowop on `slot` meet a file that one on `other` has put there? */
bool flow_slots_meet(uint16_t slot, uint16_t other);
bool flow_slot_opened(const struct flow_thread *t, uint16_t slot); /* by any flowop of the thread */
bool flow_by_slot(const struct flow_thread *t, const struct flow_node *n);
bool flow_slot_direct(struct flow_thread *t, uint16_t slot);
uint64_t flow_slot_largest(struct flow_thread *t, uint16_t slot); /* nominal size */
/* A set whose files the slot can hold. */
int flow_slot_set(const struct flow_thread *t, uint16_t slot);
uint64_t flow_set_largest(const struct flow_thread *t, int set);

/* ---- flow_plan.c ---- */

enum flow_object { FLOW_EVENT, FLOW_SEMAPHORE };

/* Those that `target` names: exactly, or else by the last part of a dotted name. `from` is 0 first,
 * then what came out; −1 behind the last one. */
int flow_object_next(const struct flow_plan *p, enum flow_object kind, const char *target,
                     int from);
uint16_t flow_object_number(const struct flow_plan *p, int i);
/* −1: none was declared. */
int flow_object_own(const struct flow_plan *p, enum flow_object kind, const char *name,
                    uint64_t credits, unsigned ordinal);
bool flow_object_awaited(const struct flow_plan *p, enum flow_object kind, const char *name);
const char *flow_object_nearest(const struct flow_plan *p, enum flow_object kind,
                                const char *target);
/* How many semblocks before n in the thread have its name and credits. */
unsigned flow_ordinal(const struct flow_thread *t, const struct flow_node *n, uint64_t credits);
/* Does `target` name what is called `name`, not exactly but by its last part? */
bool flow_name_ends(const char *name, const char *target);

uint16_t flow_line(struct flow_thread *t, struct lang_pos at, const char *name, const char *type,
                   uint16_t op);
/* 1 + index in the plan, of draw · factor. */
uint16_t flow_draw(struct flow_thread *t, const struct draw *draw, double factor, double *bound);
uint16_t flow_draw_once(struct flow_thread *t, const struct draw *draw);
/* Draws are known again by their address, which is good as long as the thread's scopes live. */
void flow_forget_draws(struct flow_plan *p);
uint16_t flow_schedule(struct flow_plan *p);
bool flow_plan_counts(const struct flow_plan *p, bool bytes); /* some thread ends by it */
struct flow_thread flow_plan_thread(struct flow_plan *p, struct scope *scope,
                                    const struct lang_thread *thread);

/* ---- flow_count.c ---- */

bool flow_ends_by(const struct flow_node *n, bool *bytes); /* finishon… */
/* Adds the counters of the group and says of each node which it moves. */
__attribute__((warn_unused_result)) int flow_count(struct flow_thread *t);
void flow_mark_open_loop(struct flow_thread *t);

/* ---- flow_emit.c ---- */

__attribute__((warn_unused_result)) int flow_emit_list(struct flow_thread *t);
uint32_t flow_step(struct flow_thread *t, struct plan_step step);
uint32_t flow_jump(struct flow_thread *t);            /* to be set by flow_land */
void flow_land(struct flow_thread *t, uint32_t step); /* the step goes to the next one */
/* The step goes to where the set has run out; to where the workload is said to be wrong. */
void flow_out(struct flow_thread *t, uint32_t step, const struct flow_node *n);
void flow_wrong(struct flow_thread *t, uint32_t step, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void flow_fail(struct flow_thread *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
uint16_t flow_plan_set(const struct flow_thread *t, int set);
void flow_turn(struct flow_thread *t, const struct flow_node *n);
__attribute__((warn_unused_result)) int flow_pick(struct flow_thread *t, const struct flow_node *n,
                                                  enum plan_unit unit, enum fileset_use use,
                                                  uint16_t slot, uint32_t *step);
struct plan_step flow_op(const struct flow_node *n, uint16_t op, uint16_t slot);
/* The slot's file is open behind it. */
__attribute__((warn_unused_result)) int flow_ensure_open(struct flow_thread *t,
                                                         const struct flow_node *n);
/* A step of a line that is no op. */
struct plan_step flow_other(const struct flow_node *n, enum plan_step_kind kind);

/* ---- the kinds ---- */

int flow_emit_openfile(struct flow_thread *t, struct flow_node *n);
int flow_emit_createfile(struct flow_thread *t, struct flow_node *n);
int flow_emit_closefile(struct flow_thread *t, struct flow_node *n);
int flow_emit_deletefile(struct flow_thread *t, struct flow_node *n);
int flow_emit_statfile(struct flow_thread *t, struct flow_node *n);
int flow_emit_fsync(struct flow_thread *t, struct flow_node *n);
int flow_emit_fsyncset(struct flow_thread *t, struct flow_node *n);
int flow_emit_read(struct flow_thread *t, struct flow_node *n);
int flow_emit_readwholefile(struct flow_thread *t, struct flow_node *n);
int flow_emit_write(struct flow_thread *t, struct flow_node *n);
int flow_emit_writewholefile(struct flow_thread *t, struct flow_node *n);
int flow_emit_appendfile(struct flow_thread *t, struct flow_node *n);
int flow_emit_appendfilerand(struct flow_thread *t, struct flow_node *n);
int flow_emit_aiowrite(struct flow_thread *t, struct flow_node *n);
int flow_emit_aiowait(struct flow_thread *t, struct flow_node *n);
int flow_emit_listdir(struct flow_thread *t, struct flow_node *n);
int flow_emit_makedir(struct flow_thread *t, struct flow_node *n);
int flow_emit_removedir(struct flow_thread *t, struct flow_node *n);
int flow_emit_hog(struct flow_thread *t, struct flow_node *n);
int flow_emit_delay(struct flow_thread *t, struct flow_node *n);
int flow_emit_block(struct flow_thread *t, struct flow_node *n);
int flow_emit_wakeup(struct flow_thread *t, struct flow_node *n);
int flow_emit_semblock(struct flow_thread *t, struct flow_node *n);
int flow_emit_sempost(struct flow_thread *t, struct flow_node *n);
int flow_emit_eventlimit(struct flow_thread *t, struct flow_node *n);
int flow_emit_limit(struct flow_thread *t, struct flow_node *n);
int flow_emit_finish(struct flow_thread *t, struct flow_node *n);
int flow_emit_print(struct flow_thread *t, struct flow_node *n);
int flow_emit_testrandvar(struct flow_thread *t, struct flow_node *n);

#endif
