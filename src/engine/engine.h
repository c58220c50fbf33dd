/* engine/engine.h — runs a plan against a target once, and says what was measured.
 * Shape    engine_run blocks: opens the target, starts the workers, runs each stream's setup, opens
 *          the gate, collects on the calling thread until the run ends, runs the teardowns, fills
 *          an outcome. engine_outcome_merge pools several passes of one plan; engine_outcome_fini
 *          frees.
 * Units    ns on the run's clock, bytes, ops.
 * Limits   Memory is known before the run: engine_memory. Workers whose op does
 *          not return are left behind; after engine_run they read nothing of the caller's.
 * Errors   -errno and words when the run could not be made (target, memory, a setup step that
 *          failed). Errors of ops are data in the outcome, never a failure of engine_run.
 * Threads  one run per call; calls from several threads are independent.
 * Source   tests/truth: known distributions in virtual time, 10,000 streams, ops that hang. */
#ifndef LOADLINE_ENGINE_ENGINE_H
#define LOADLINE_ENGINE_ENGINE_H

#include "base/err.h"
#include "plan/plan.h"
#include "stats/samples.h"
#include "stats/series.h"
#include "target/target.h"

#include <stdatomic.h>

enum engine_end {
    ENGINE_DONE,    /* every stream ended, or the window closed */
    ENGINE_STOPPED, /* the stop flag was set; results up to then */
    ENGINE_STALLED, /* an op did not return in stall_ns, or all streams that are left wait for one that
                      * has ended; outcome.stuck names it, or them */
    ENGINE_MISMATCH, /* verification found a wrong byte; outcome.mismatch names it */
    ENGINE_RAN_OUT,  /* a fileset ran out before the time (PLAN_QUIT_TIMEOUT); outcome.notes */
    ENGINE_FAILED,   /* the workload asked what cannot be (PLAN_FAIL); outcome.notes */
};

struct engine_progress {
    uint64_t elapsed_ns; /* since the gate opened */
    uint64_t ops;
    uint64_t bytes;
    uint64_t errors;
};

/* Told every plan->window.period_ns while the window is open; borrowed. */
struct engine_period {
    uint64_t open_ns;                  /* when the window opened, since the gate did */
    uint64_t elapsed_ns;               /* of the window */
    const struct samples_block *total; /* all lines, since the window opened */
};

struct fileset_state;

struct engine_job {
    const struct plan *plan;
    /* [plan->sets] of files that were there before; NULL, or NULL in it: the set is whole. */
    struct fileset_state *const *state;
    const char *address;
    const char *place;      /* where the filesets lie, from the target's root; "" the root */
    const atomic_int *stop; /* non-zero: end now with the results so far; may be NULL */
    uint64_t stall_ns;      /* an op older than this ends the run; 0: never. Once `stop` is set, on
                                * a target that does not block, one that does not return in 5 s */
    unsigned workers;       /* asynchronous targets: threads; 0: one per CPU */
    uint64_t max_memory_bytes; /* 0: a quarter of RAM */
    /* Of no result: the target is told of no window, and asked for no calls of its own. */
    bool preparing;
    /* Called on the calling thread just before the gate opens (open = true) and just after the last
     * sample (false); may be NULL. */
    void (*gate)(void *ctx, bool open);
    /* Likewise when the window has opened and has closed; may be NULL. Not told while preparing. */
    void (*edge)(void *ctx, bool open);
    /* Called a few times a second while the gate is open; may be NULL. */
    void (*progress)(void *ctx, const struct engine_progress *progress);
    void (*period)(void *ctx, const struct engine_period *period); /* may be NULL */
    /* CPU so far of threads of this process that do nothing for the run; NULL: there are none. */
    uint64_t (*aside_ns)(void *ctx);
    void *ctx;
};

struct engine_stream {
    uint64_t ops; /* inside the window */
    uint64_t bytes;
    uint32_t client;
    uint32_t group;
};

#define ENGINE_PATH_MAX 256

/* Of kinds that there was no place for: a worker tells 47 apart, an outcome 1023. */
#define ENGINE_ERROR_OTHER 0

/* Errors of one kind, which is op, code and line: counted, the first one kept. */
struct engine_error {
    enum op_kind op;
    uint16_t line; /* of the op's step, where the line has a type of flowop; else PLAN_NO_LINE */
    int code;      /* negative errno; -ENODATA: fewer bytes than asked; or ENGINE_ERROR_OTHER */
    uint64_t count;
    uint64_t first_ns; /* since the gate opened; 0 in setup */
    char first_path[ENGINE_PATH_MAX];
};

struct engine_fact {
    char *key;
    char *value;
    char *unit;
};

struct engine_facts {
    unsigned n;
    unsigned room;
    bool failed; /* no memory for one of them */
    struct engine_fact *fact;
};

struct engine_mismatch {
    bool found;
    char path[256];
    uint64_t off; /* of the first wrong byte in the file */
    uint64_t len; /* of the read it was found in */
};

/* Ops of closed-loop lines that were issued before the window's end and not done at it. They are in
 * no sample: how long they will take is not known, only how long they have taken. */
struct engine_in_flight {
    uint64_t ops;
    uint64_t oldest_ns;   /* the longest of them, since it was issued */
    uint16_t oldest_line; /* its line */
    uint64_t sum_ns;      /* of their time inside the window */
    uint64_t detached_ns; /* of sum_ns: of detached ops, which are in no stream's time */
};

struct engine_stuck {
    bool found;
    char what[320]; /* "read of t00/d1/f2 by stream 3, for 31 s" */
    uint64_t age_ns;
    bool waiting;     /* streams for each other: no op is under way, and all workers have ended */
    unsigned workers; /* left behind, blocked in the kernel */
};

/* What has to be said beside the numbers. */
struct engine_notes {
    char ended_by[320]; /* RAN_OUT, FAILED; "" else */
    bool steady_found;  /* the window has a steadiness rule, and it was met within its limit */
    double
        precise_frac; /* half of the rate's 95 % interval by batch means, where the window asks; else 0 */
    /* How often a step waited because its stream had all its detached ops out. */
    uint64_t detached_full;
    /* That streams spent on flowops that failed and ended in the window; in no sample. */
    uint64_t failed_ns;
};

#define ENGINE_CALL_NAME_MAX 24

/* The target's own calls of one kind (RPCs), from call to reply; those that ended in the window. */
struct engine_call {
    char name[ENGINE_CALL_NAME_MAX];
    struct hist time;
};

struct engine_calls {
    unsigned n; /* kinds; 0 of a target that makes none */
    struct engine_call *kind;
};

struct engine_outcome {
    enum engine_end end;
    unsigned passes;
    uint64_t elapsed_ns; /* gate to last stream (finite plans) or the window; summed over passes */
    uint64_t *pass_ns;   /* [passes] */
    unsigned lines;
    struct samples_block *total; /* window totals, all lines */
    struct series series;        /* whole run, from the gate */
    uint64_t window_open_ns;     /* since the gate */
    uint64_t window_close_ns;
    unsigned streams;
    struct engine_stream *stream;
    unsigned errors;
    struct engine_error *error;
    struct engine_mismatch mismatch;
    struct engine_stuck stuck;
    struct engine_notes notes;
    struct engine_facts facts;    /* describe */
    struct engine_facts counters; /* differences from the opening of the window to its close */
    /* Of the window, what lies behind the look that the counters begin with: where no processor is free it comes
     * late. A late look at the end does no harm, by then the workers have stopped. 0: the window was over before
     * anybody looked. */
    uint64_t counted_ns;
    struct engine_facts truth; /* likewise, of a modelled target's stations: target.h, `truth` */
    /* What a modelled target's server tells of itself at the window's edges: target.h, `metrics`; of the
     * first pass. */
    struct engine_facts metrics_open;
    struct engine_facts metrics_close;
    double touched_blocks;     /* distinct ones of plan->touched_bytes, about; 0: not asked */
    struct engine_calls calls; /* of the workers that ended */
    /* Open loop. */
    uint64_t arrivals;        /* due inside the window */
    uint64_t unfinished;      /* of them: not done at its end; their age is in response */
    uint64_t backlog_at_open; /* due before the window, not done when it opened; not in response */
    struct engine_in_flight in_flight; /* closed loop */
    /* About ourselves. */
    unsigned workers;
    uint64_t cpu_user_ns;     /* of the workers, gate open */
    uint64_t cpu_sys_ns;      /* and of all that works for them: helpers, threads of the kernel */
    uint64_t reap_gap_max_ns; /* asynchronous: longest time from one reap to the next, ops held */
    uint64_t blocks_kept;     /* samples.kept, summed */
    uint64_t samples_lost;    /* of workers left behind: done, but in no published block */
    uint64_t memory_bytes;
    double clock_drift_ppm;
    const char *clock; /* static */
};

/* Bytes the run will need, before anything is allocated. */
uint64_t engine_memory(const struct plan *plan, const struct target_caps *caps, unsigned workers);

__attribute__((warn_unused_result)) int engine_run(const struct engine_job *job,
                                                   struct engine_outcome *out, struct err *err);

/* Pools `from` into `into` (an empty struct, or an outcome of the same plan). Takes nothing from
 * `from`; the caller still finishes it. -ENOMEM. */
__attribute__((warn_unused_result)) int engine_outcome_merge(struct engine_outcome *into,
                                                             const struct engine_outcome *from);
void engine_outcome_fini(struct engine_outcome *out);

/* Sum of a line by name; NULL when there is no such line. */
const struct samples_line *engine_outcome_line(const struct engine_outcome *out,
                                               const struct plan *plan, const char *name);

uint64_t engine_error_count(const struct engine_outcome *out);

#endif
