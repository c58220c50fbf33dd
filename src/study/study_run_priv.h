/* study/study_run_priv.h — one run of a study: its preparation, its passes, its result.
 * Shape    prepare.c this machine's cache before a pass and after it; study_run.c one engine run and
 *          its judgement; outcome_result.c outcome to result.
 * Units    ns, bytes.
 * Errors   as study.h.                           Threads  the study's own thread only. */
#ifndef LOADLINE_STUDY_STUDY_RUN_PRIV_H
#define LOADLINE_STUDY_STUDY_RUN_PRIV_H

#include "engine/engine.h"
#include "fileset/site.h"
#include "study/disturb_priv.h"
#include "study/machine_cpu_priv.h"

struct fact_pen;
struct study;

/* ---- prepare.c ---- */

struct study_run;

/* Whether what is asked for keeps this machine's cache, or that of a modelled one, out of reading. */
bool study_empties_cache(const struct study *s);
/* Untimed, before a read pass: syncs and empties the cache where the mode says so, then asks what
 * of the files is in it and adds that to the run's cache and direct. */
__attribute__((warn_unused_result)) int study_prepare_read(struct study *s,
                                                           const struct fileset_spec *spec,
                                                           const char *place, struct study_run *run,
                                                           struct err *err);
/* Untimed, after it: whether direct reads left pages behind. */
__attribute__((warn_unused_result)) int study_after_read(struct study *s,
                                                         const struct fileset_spec *spec,
                                                         const char *place, struct study_run *run,
                                                         struct err *err);
/* Untimed, once the files are on stable storage: whether a sample of them occupies what it is
 * long. Warns once; what cannot be asked stays zero. */
void study_ask_stored(struct study *s, const struct fileset_spec *spec, const char *place,
                      struct site_stored *stored);
/* Untimed, before a run that writes: what lies there dirty already is not to be this run's work.
 * Nothing where the cache is left alone. */
__attribute__((warn_unused_result)) int study_prepare_write(struct study *s, struct err *err);
/* Untimed, after a pass that wrote: adds what is not yet on stable storage. */
__attribute__((warn_unused_result)) int
study_ask_dirty(struct study *s, const struct fileset_spec *spec, const char *place,
                struct result_cache *cache, struct err *err);
/* The same by a plan whose line 0 is of OP_RESIDENT, which it takes, on files whose state is known;
 * adds to there_bytes what of them is in the cache, dirty or not. */
__attribute__((warn_unused_result)) int study_ask_dirty_by(struct study *s, struct plan *plan,
                                                           const char *place,
                                                           struct fileset_state *const *state,
                                                           struct result_cache *cache,
                                                           uint64_t *there_bytes, struct err *err);
/* Fills in run->cache for the first pass: everything that is not asked stays unknown. */
void study_cache_begin(const struct study *s, struct study_run *run);

/* ---- study_run.c ---- */

__attribute__((warn_unused_result)) int study_engine(struct study *s, const struct plan *plan,
                                                     const char *place, struct engine_outcome *out,
                                                     struct err *err);
/* On sets of which something is known: engine_job.state. */
__attribute__((warn_unused_result)) int
study_engine_on(struct study *s, const struct plan *plan, const char *place,
                struct fileset_state *const *state, struct engine_outcome *out, struct err *err);
/* plan_free, unless a worker that was left behind still reads the plan; a stalled study makes no
 * further run, so what stays is little. NULL is fine. */
void study_drop_plan(const struct study *s, struct plan *plan);
/* Draws the study's consequences from one engine run. `writing`: a full disk ends it. */
void study_judge(struct study *s, const struct plan *plan, const struct engine_outcome *out,
                 bool writing);
/* "write of t00/d1/f2: EIO", of a flowop "append2: append of set1/f2: EIO"; of EDQUOT also which quota,
 * as far as it is known. */
void study_error_text(const struct study *s, const struct plan *plan, const struct engine_error *e,
                      char *buf, size_t room);
/* Of RAN_OUT and FAILED. What a workload asks that cannot be is often the consequence of an error before:
 * a file that could not be opened is not open. */
void study_ended_text(const struct study *s, const struct plan *plan,
                      const struct engine_outcome *out, char *buf, size_t room);
/* "t00/d1/f2: wrong byte at offset 17 of a read of 4096 bytes". */
void study_mismatch_text(const struct engine_mismatch *m, char *buf, size_t room);

/* Whether O_DIRECT passed this machine's cache by. */
struct study_direct {
    bool known;            /* all files were asked before and after each pass */
    uint64_t before_bytes; /* in the cache when the pass at hand began */
    uint64_t cached_bytes; /* that came into it, all passes */
    uint64_t set_bytes;    /* that could have, all passes */
};

/* What is seen beside the last pass of a run. */
struct watch_bytes {
    bool
        known; /* of this process: the kernel's count of what it had from devices and gave to them */
    uint64_t read;
    uint64_t written;
    char *disks;    /* diskstats; NULL: not to be read */
    uint64_t at_ns; /* when that was read; 0: it was not */
};
struct run_watch {
    uint64_t gate_ns;  /* monotonic, as the others */
    uint64_t open_ns;  /* of the look before the window … */
    uint64_t close_ns; /* … and behind it; 0: there was none */
    struct watch_bytes open;
    struct watch_bytes close;
    bool synced; /* close.disks is of later, when all was written out */
    struct tracks tracks;
};

/* One run that is to become a result. */
struct study_run {
    const char *phase;
    uint64_t begun_wall_ns;
    uint64_t gate_wall_ns; /* of the first pass, when its gate opened; 0 of a model */
    struct plan *plan;     /* of the first pass */
    struct engine_outcome sum;
    struct result_cache cache;
    struct study_direct direct;
    struct site_stored stored;    /* of a sample of the files read; zero: not asked */
    struct disturbance disturbed; /* of the machine, all passes */
    struct machine_cpu cpu;       /* of all its processors, the last pass */
    struct run_watch watch;
    struct fileset_state *const *state; /* of the plan's sets; NULL */
    /* Told the sums so far where the plan has a period; may be NULL. */
    void (*period)(struct study *s, const struct engine_period *period);
    const char *cut; /* why it is incomplete, when not the engine says so; borrowed, may be NULL */
    bool reads;
    bool writes;
    bool verified;
    uint64_t piece_bytes; /* the least that a read asks for: a block, or a whole file */
};
/* Runs one pass and pools it into run->sum; takes the plan. Judges it as study_judge. */
__attribute__((warn_unused_result)) int study_run_pass(struct study *s, struct study_run *run,
                                                       struct plan *plan, const char *place,
                                                       bool writing, struct err *err);
/* Of a plan that stays the caller's: one pass, all there is of the run. run->plan is that plan until the
 * caller takes it out again. */
__attribute__((warn_unused_result)) int study_run_once(struct study *s, struct study_run *run,
                                                       struct plan *plan, const char *place,
                                                       struct err *err);
void study_run_fini(const struct study *s, struct study_run *run);

/* ---- study_watch.c ---- */

/* Begins to look at this machine, and at a server that tells of itself; not on a clock of the target's own. */
__attribute__((warn_unused_result)) int study_watch_begin(struct study *s, struct err *err);
/* Of several studies in turn one looks for all; none of them measures any more when it is closed. */
void study_watch_share(struct study *s, const struct study *with);
void study_watch_end(struct study *s);
uint64_t study_watch_cpu_ns(void *study);
/* As engine_job.edge, of s->measured: looks, then tells the hook. */
void study_watch_edge(struct study *s, bool open);
/* Behind a pass: tracks of its window, where it opened and has closed; what went through the cache is written out
 * before the disks' counters are taken. */
__attribute__((warn_unused_result)) int study_watch_done(struct study *s, struct study_run *run,
                                                         const struct plan *plan,
                                                         const struct engine_outcome *out,
                                                         struct err *err);
/* Differences of counters that did not go back. */
void study_watch_facts(const struct study *s, const struct study_run *run, struct fact_pen *pen);
/* What brings a count that began within the window to all of it; 0: it began so late that it would be of another
 * part of the run. */
double study_looks_scale(const struct study_run *run, uint64_t counted_ns);
void study_watch_fini(struct run_watch *w); /* fit for another pass */

/* ---- outcome_result.c ---- */

/* Everything but the options. Leaves run usable only for study_run_fini. */
__attribute__((warn_unused_result)) int study_result(const struct study *s, struct study_run *run,
                                                     struct result **out, struct err *err);

/* Lines and window of a run that goes on; not sealed. -ENOMEM. */
__attribute__((warn_unused_result)) int study_result_so_far(const struct study *s,
                                                            const struct study_run *run,
                                                            const struct engine_period *period,
                                                            struct result *r);

/* ---- outcome_truth.c ---- */

__attribute__((warn_unused_result)) int study_copy_truth(struct result *r,
                                                         const struct engine_facts *truth);

#endif
