/* engine/worker_priv.h — what a worker's life (worker_life.c) asks of how it works (worker.c),
 *          and of what its samples take.
 * Shape    worker_drive for each phase, worker_sync behind the last body.
 * Errors   counted in the run.                   Threads  the worker's own. */
#ifndef LOADLINE_ENGINE_WORKER_PRIV_H
#define LOADLINE_ENGINE_WORKER_PRIV_H

#include "engine/engine_priv.h"

/* Runs every stream through one section of its group, and what is held to its end. */
void worker_drive(struct worker *w, enum phase phase);
/* The closing sync: by the last worker whose streams have ended; inside the elapsed time. */
void worker_sync(struct worker *w);

/* Outside any phase: waits for completions of what is held and takes up to `max`; -ECANCELED: it was
 * given up, and what was held with it. */
__attribute__((warn_unused_result)) int worker_await(struct worker *w, struct op *done[],
                                                     unsigned max);

/* timer.c: the worker's streams that wait for a time, and the end of waiting */
void timer_push(struct worker *w, struct stream *s);
struct stream *timer_pop(struct worker *w);
/* The run is over for those that wait. */
void timer_end_waiting(struct worker *w);

/* acquaint.c */
/* Before the first phase. */
void worker_acquaint(struct worker *w);

/* memory.c */
__attribute__((warn_unused_result)) int worker_init(struct worker *w, struct run *run,
                                                    unsigned first, unsigned streams);
void worker_fini(struct worker *w);
unsigned run_worker_count(const struct run *run);

/* touched.c */
__attribute__((warn_unused_result)) int touched_new(struct worker *w);

/* session_spec.c */
/* What the worker's streams will ask of its session. */
void worker_spec(const struct worker *w, struct session_spec *spec);
/* Directories that a session is asked to keep open for so many streams. */
unsigned engine_dirs_max(const struct plan *plan, const struct target_caps *caps, uint64_t streams);

/* sample_memory.c */
/* What the workers' blocks of samples take where latencies are counted most. */
uint64_t engine_samples_bytes(const struct plan *plan, const struct target_caps *caps,
                              uint64_t workers);
/* Not so much that it should not be made real beforehand. */
bool engine_touches_samples(const struct run *run);
/* Makes that memory real, of the worker's own lines. */
void worker_touch_samples(struct worker *w);

static inline bool worker_dropping(const struct worker *w)
{
    return atomic_load_explicit(&w->run->halt, memory_order_relaxed) == HALT_DROP;
}

#endif
