/* engine/engine_priv.h — what the engine's own files share: run, worker, stream.
 * Shape    engine.c makes a run and its workers; worker.c drives the streams of one worker through
 *          submit and reap; stream.c interprets a stream's steps, stream_op.c turns them into ops, stream_done.c
 *          answers into samples; tally.c puts them, and errors, where they are kept; collect.c sums what the workers
 *          publish; left.c what was not done; watch.c finds ops that do not return.
 * Threads  a stream belongs to its worker. From gate open to gate close workers write only to
 *          their own memory, except run.halt, run.busy, run.left and the schedules. */
#ifndef LOADLINE_ENGINE_ENGINE_PRIV_H
#define LOADLINE_ENGINE_ENGINE_PRIV_H

#include "base/rng.h"
#include "clk/clk.h"
#include "engine/calls_priv.h"
#include "engine/check_priv.h"
#include "engine/collect_priv.h"
#include "engine/detached_priv.h"
#include "engine/engine.h"
#include "engine/errors_priv.h"
#include "engine/facts_priv.h"
#include "engine/schedule_priv.h"
#include "engine/stream_priv.h"
#include "engine/sync_priv.h"
#include "fileset/content.h"
#include "fileset/fileset.h"
#include "fileset/state.h"
#include "stats/sketch.h"

#include <pthread.h>
#include <sys/time.h>

#define ENGINE_BATCH 64
#define GIVE_UP_NS   2000000000u /* after workers were told to drop everything */

enum gate {
    GATE_SHUT,   /* workers set up and wait */
    GATE_OPEN,   /* bodies run, then wait */
    GATE_FINISH, /* teardown, close, leave; also when the gate never opened */
};

enum phase { PHASE_SETUP, PHASE_BODY, PHASE_TEARDOWN };

struct worker_arrivals {
    uint64_t taken;   /* due inside the window */
    uint64_t backlog; /* of the warm-up, done inside the window */
};

struct worker_turns {
    uint64_t at_ns;   /* next interval boundary */
    uint64_t samples; /* live_samples at the last one at which they were handed on */
};

struct worker_reaping {
    uint64_t gap_max_ns;
    uint64_t at_ns;     /* end of the last one; 0: none yet */
    unsigned handled;   /* ops that it gave back */
    uint64_t failed_ns; /* engine_notes */
};

/* What its streams have of each, one behind the other. */
struct worker_room {
    struct slot *slots;
    uint32_t *loops;
    uint64_t *cursors;
    struct stream_count *counts;
    uint64_t *handles;
    struct check *checks;
    struct sketch *touched; /* of all of them; NULL: nobody asks */
    unsigned char *buffers;
    size_t buffers_bytes;
};

struct worker {
    struct run *run;
    pthread_t thread;
    bool started;
    _Atomic bool gone;   /* its body is over: what it measured may be read */
    _Atomic bool closed; /* its session is closed: its thread can be joined */
    struct session *session;
    struct samples samples;
    struct clk clk;
    uint64_t now; /* the last reading of the clock */
    bool stale;   /* work of ours lies between that reading and now: read again */
    struct worker_turns turn;
    enum phase phase;
    bool dropped; /* left ops behind at the target: no teardown */
    /* Streams. */
    unsigned streams;
    unsigned live; /* not ended in this phase */
    unsigned held; /* ops at the target */
    struct worker_park park;
    struct stream *stream;
    struct worker_detached detached;
    struct op **ready; /* ring [ring] of ops to be offered */
    unsigned ring;     /* streams and detached ops */
    unsigned ready_head;
    unsigned ready_n;
    struct stream **timer; /* [streams] heap by wait.until_ns */
    unsigned timer_n;
    struct worker_room room;
    /* Outcome. */
    struct err err; /* of setup */
    uint64_t end_ns;
    struct worker_arrivals arrivals;
    uint64_t cpu_user_ns;
    uint64_t cpu_sys_ns;
    struct worker_reaping reap;
    struct worker_calls calls;
    unsigned errors; /* of the body, then of the teardown */
    struct engine_error error[ENGINE_ERRORS_MAX];
    struct engine_mismatch mismatch;
    uint64_t collected; /* samples of this worker that the collector has; the collector's */
    _Alignas(ENGINE_CACHE_LINE) _Atomic uint64_t live_samples; /* for progress and lost samples */
    _Atomic uint64_t live_errors;
};

/* When the watchdog looked last. If that was long ago the whole process stood still (SIGSTOP, a frozen
 * machine), and ops are counted from the moment it went on. */
struct watch {
    uint64_t next_ns;
    uint64_t looked_ns;
    uint64_t from_ns;
    uint64_t stopping_ns; /* when the stop flag was first seen; 0: not yet */
};

struct run {
    const struct engine_job *job;
    const struct plan *plan;
    const struct target_table *table;
    const char *rest; /* the address behind the scheme */
    struct target *target;
    struct target_caps caps;
    struct clk clk;
    struct fileset_map map;
    struct content content;
    unsigned workers;
    struct worker *worker;
    struct schedule *schedule;
    struct sync *sync;
    struct fileset_state **state; /* [sets]; NULL in it: nobody asks */
    bool touch_samples;
    /* Written before the gate opens, read-only afterwards. */
    uint64_t gate_ns;
    /* The window. The collector may move it, from one time to come to another one. */
    _Atomic uint64_t open_ns;
    _Atomic uint64_t close_ns; /* UINT64_MAX: when all streams have ended */
    uint64_t open_interval;
    uint64_t close_interval;
    /* Shared between threads. */
    _Alignas(ENGINE_CACHE_LINE) _Atomic uint32_t gate;    /* futex: enum gate */
    _Alignas(ENGINE_CACHE_LINE) _Atomic uint32_t waiting; /* futex: workers set up and not closed */
    _Alignas(ENGINE_CACHE_LINE) _Atomic uint32_t busy;    /* workers whose streams have not ended */
    _Alignas(ENGINE_CACHE_LINE) _Atomic uint32_t left; /* futex: workers that have not left yet */
    _Alignas(ENGINE_CACHE_LINE) _Atomic uint32_t halt; /* enum halt */
    /* The collector's. */
    _Alignas(ENGINE_CACHE_LINE) struct engine_outcome *out;
    struct facts_before before;
    uint64_t collected_samples;
    uint64_t collected_bytes;
    uint64_t next_progress_ns;
    uint64_t periods_told;
    struct steady steady;
    struct precise precise;
    struct watch watch;
    uint64_t stalled_ns; /* when an op was found that does not return */
    bool window_opened;
    uint64_t looked_ns; /* when the counters were, that the window begins with */
    bool window_closed;
    bool abandoned; /* workers are left behind in the kernel: nothing they use may be freed */
    int collect_error;
};

/* worker.c; a target with its own clock has one worker, whose parts the caller's thread runs */
void *worker_main(void *worker);
void worker_setup(struct worker *w);
void worker_body(struct worker *w);
void worker_finish(struct worker *w);

/* tally.c */
void worker_turn(struct worker *w);
void worker_record_error(struct worker *w, const struct stream *s, enum op_kind op, int code);
/* The same of what is not the stream's slot; `step` is that of the op. */
void worker_record_error_of(struct worker *w, const struct plan_step *step, enum op_kind op,
                            int code, const char *path);

static inline const struct fileset *slot_set(const struct worker *w, const struct slot *slot)
{
    return &w->run->map.set[slot->set];
}

static inline uint64_t slot_key(const struct worker *w, const struct slot *slot)
{
    return fileset_file_key(slot_set(w, slot), slot->tree, slot->index);
}

static inline uint64_t run_open(const struct run *run)
{
    return atomic_load_explicit(&run->open_ns, memory_order_relaxed);
}

static inline uint64_t run_close(const struct run *run)
{
    return atomic_load_explicit(&run->close_ns, memory_order_relaxed);
}

/* No new op, no new step. */
static inline bool stream_over(struct worker *w)
{
    if (w->phase == PHASE_BODY && w->now >= run_close(w->run)) {
        w->park.cut = true;
        return true;
    }
    return w->phase != PHASE_TEARDOWN &&
           atomic_load_explicit(&w->run->halt, memory_order_relaxed) != HALT_NONE;
}

static inline uint64_t timeval_ns(struct timeval tv)
{
    return (uint64_t)tv.tv_sec * 1000000000u + (uint64_t)tv.tv_usec * 1000u;
}

/* An arrival has fallen due, and its stream was free or is. */
static inline void count_arrival(struct worker *w, const struct stream *s)
{
    w->arrivals.taken += s->due_ns >= run_open(w->run);
}

/* Puts a finished flowop into the current interval of its line. */
static inline struct samples_line *worker_sample(struct worker *w, const struct flow *flow,
                                                 uint16_t line)
{
    if (w->now >= w->turn.at_ns)
        worker_turn(w);
    struct samples_line *sum = &samples_current(&w->samples)->line[line];
    sum->ops += flow->ops;
    sum->bytes += flow->bytes;
    sum->extra += flow->extra;
    sum->samples++;
    hist_record(&sum->service, flow->service_ns);
    uint64_t live = atomic_load_explicit(&w->live_samples, memory_order_relaxed);
    atomic_store_explicit(&w->live_samples, live + 1, memory_order_relaxed);
    return sum;
}

/* gate.c */
void gate_wait(_Atomic uint32_t *word, uint32_t while_value, uint64_t timeout_ns);
void gate_wake(_Atomic uint32_t *word);

#endif
