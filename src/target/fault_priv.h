/* target/fault_priv.h — the parts of the fault target.
 * Shape    fault_script.c is what shall go wrong, as written behind the '?' of the address: parsed
 *          once, then pure questions about single ops. fault_session.c does it, fault_heap.c keeps
 *          what is not yet due. fault.c is the table, and hands on what is the inner target's.
 * Units    bytes; ns, of stalls since the first READ, WRITE, APPEND or NOP that the target accepted,
 *          so that preparing does not use them up. Ops are numbered from 1, over all sessions of a target.
 * Limits   FAULT_PARTS_MAX of each kind of fault.
 * Errors   -EINVAL with the parameter and what is accepted.
 * Threads  a script is read-only after parsing; the rest as target.h says. */
#ifndef LOADLINE_TARGET_FAULT_PRIV_H
#define LOADLINE_TARGET_FAULT_PRIV_H

#include "target/target.h"
#include "target/wake_priv.h"

#include <stdatomic.h>

#define FAULT_PARTS_MAX  16
#define FAULT_NESTED_MAX 4
#define FAULT_ANY_KIND   OP_KINDS

#define FAULT_PARAMS                                                                               \
    "stall=TIME@TIME error=NAME@op:N|KIND:N latency=fixed:TIME|uniform:TIME-TIME|exp:TIME seed=N " \
    "short=BYTES@op:N hang=op:N dead=op:N quota=SIZE clock=virtual"

struct fault_stall {
    uint64_t at_ns;
    uint64_t end_ns;
};

/* One op: the N-th of a kind, or of all. */
struct fault_place {
    unsigned kind; /* enum op_kind or FAULT_ANY_KIND */
    uint64_t number;
};

struct fault_error {
    struct fault_place place;
    int code; /* negative errno */
};

struct fault_short {
    uint64_t number; /* of READ, WRITE and APPEND together */
    uint64_t bytes;
};

enum fault_latency { FAULT_LATENCY_FIXED, FAULT_LATENCY_UNIFORM, FAULT_LATENCY_EXP };

struct fault_script {
    uint64_t seed;
    unsigned stalls; /* in order of time */
    struct fault_stall stall[FAULT_PARTS_MAX];
    unsigned errors;
    struct fault_error error[FAULT_PARTS_MAX];
    unsigned shorts;
    struct fault_short cut[FAULT_PARTS_MAX];
    unsigned hangs;
    struct fault_place hang[FAULT_PARTS_MAX];
    uint64_t dead_number; /* 0: never */
    enum fault_latency latency;
    uint64_t latency_ns[2]; /* fixed or mean; lowest and highest */
    bool clock_virtual;
    bool has_quota;
    uint64_t quota_bytes; /* told where space is asked; nothing fails by it */
};

/* Which op this is: its number among all, among those of its kind, among those that move data. */
struct fault_number {
    uint64_t any;
    uint64_t kind;
    uint64_t data; /* 0: moves none */
};

/* *inner_len: how much of the address is the inner one. */
int fault_script_parse(const char *address, struct fault_script *out, size_t *inner_len,
                       struct err *err);

/* 0, or the negative errno that the op fails with. */
int fault_script_error(const struct fault_script *f, enum op_kind kind,
                       const struct fault_number *number);
bool fault_script_hangs(const struct fault_script *f, enum op_kind kind,
                        const struct fault_number *number);
/* Bytes that the op moves instead of len. */
uint64_t fault_script_len(const struct fault_script *f, const struct fault_number *number,
                          uint64_t len);
/* The service time added to the op; a function of seed and number only. */
uint64_t fault_script_latency_ns(const struct fault_script *f, const struct fault_number *number);
/* When an op accepted at one time, done at another without stalls, is done with them. */
uint64_t fault_script_stalled(const struct fault_script *f, uint64_t accepted_ns, uint64_t done_ns);

/* ---- a target and its sessions ---- */

struct fault_target {
    struct fault_script script;
    char *address; /* of the inner target */
    char *params;
    const struct target_table *inner_table;
    struct target *inner;
    struct target_caps inner_caps;
    _Atomic uint64_t now_ns;    /* the virtual clock */
    _Atomic uint64_t origin_ns; /* 0: no op that counts yet */
    _Atomic uint64_t ops;
    _Atomic uint64_t data_ops;
    _Atomic uint64_t kind_ops[OP_KINDS];
    _Atomic uint64_t fired; /* ops that something was done to, added latency aside */
    atomic_bool busy;       /* virtual clock: its one session is open */
};

enum fault_state { FAULT_FREE, FAULT_QUEUED, FAULT_INNER, FAULT_DELAYED, FAULT_HUNG };

/* One op held. */
struct fault_op {
    struct op copy; /* what the inner target gets; copy.user points back here */
    struct op *asked;
    enum fault_state state;
    int answer; /* negative errno that replaces the inner target's answer, or 0 */
    uint64_t order;
    uint64_t latency_ns;
    uint64_t accepted_ns;
    uint64_t due_ns;
    struct fault_op *next; /* free or queued */
};

struct fault_session {
    struct fault_target *target;
    struct session *inner;
    unsigned ops_max;
    unsigned held;
    unsigned own_held;     /* of these, blocking ones: at most one, as at the inner target */
    unsigned detached_max; /* and of the others no more than this */
    unsigned at_inner;
    int dead; /* negative errno, or 0 */
    struct fault_op *op;
    struct fault_op *free;
    struct fault_op *queue; /* accepted here, not yet by the inner target */
    struct fault_op **queue_end;
    struct fault_op **heap; /* by due time, then by order of acceptance */
    unsigned heap_used;
    struct wake wake;
};

/* Ops waiting to be due; the earliest comes out first, of equals the one accepted first. */
void fault_heap_push(struct fault_session *s, struct fault_op *op);
struct fault_op *fault_heap_pop(struct fault_session *s);

/* On the virtual clock, the inner target's own, or CLOCK_MONOTONIC. */
uint64_t fault_now(void *target);

int fault_session_open(struct target *t, const struct session_spec *spec, struct session **out,
                       struct err *err);
void fault_session_close(struct session *s);
int fault_submit(struct session *s, struct op *const ops[], unsigned n);
int fault_reap(struct session *s, struct op *done[], unsigned min, unsigned max, uint64_t until_ns);
void fault_wake(struct session *s);
int fault_lock(struct session *s, uint64_t handle);
void fault_buffers(struct session *s, void *memory, uint64_t bytes);
void fault_calls_window(struct session *s, uint64_t open_ns, uint64_t close_ns);
const struct hist *fault_calls(struct session *s, unsigned i, const char **name);

#endif
