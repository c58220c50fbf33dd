/* study/study_priv.h — what the studies share among themselves.
 * Shape    study_plan.c tree_plan.c io_plan.c options to frozen plans;
 *          study_core.c what every study begins with; study_space.c whether it fits;
 *          study_tell.c what the sink is told; study_tidy.c removing; machine.c disturb.c
 *          fact_pen.c facts; study_run_priv.h one run.
 * Units    ns, bytes.
 * Errors   as study.h.                           Threads  the study's own thread only. */
#ifndef LOADLINE_STUDY_STUDY_PRIV_H
#define LOADLINE_STUDY_STUDY_PRIV_H

#include "engine/engine.h"
#include "fileset/site.h"
#include "plan/build.h"
#include "study/disturb_priv.h"
#include "study/study_math_priv.h"

#define STUDY_REPEATS_MAX  1000
#define STUDY_LENGTHS_MAX  1000
#define STUDY_DIRECT_BYTES 4096 /* lengths and offsets of O_DIRECT are multiples of it */
#define STUDY_PLACE_MAX    80

/* ---- fact_pen.c: facts in a row, the first failure remembered ---- */

struct fact_pen {
    struct result_facts *facts;
    int rc;
};
void fact_word(struct fact_pen *pen, const char *key, const char *value);
void fact_count(struct fact_pen *pen, const char *key, uint64_t value, const char *unit);
void fact_number(struct fact_pen *pen, const char *key, double value, const char *unit);
struct study;
void fact_resolve(struct fact_pen *pen, const struct study *s);
void fact_copy(struct fact_pen *pen, const struct engine_facts *from);

/* ---- study_core.c ---- */

/* What the progress line knows. */
struct study_gauge {
    char what[96];
    uint64_t begun_ns; /* of the study, monotonic */
    uint64_t step_ns;  /* when the current step began */
    uint64_t left_ns;  /* of the study, from the step's beginning on; 0 unknown */
    uint64_t
        goal_bytes; /* of a run that makes files: how far it has to go; 0: it has no such end */
    uint64_t goal_ops;
    bool own_clock;   /* left_ns, as it is said, is time of the target's own */
    uint64_t last_ns; /* of the run's elapsed time at the last call */
    uint64_t last_ops;
    uint64_t last_bytes;
};

/* Results of one row so far; borrowed from the sink, or ours when it has no run_done. */
struct study_row {
    struct result **result;
    unsigned n;
    unsigned room;
};

/* What is told only once. */
struct study_warned {
    bool cache;
    bool stored;
};

struct study_hangs {
    bool op;     /* in our files */
    bool worker; /* it has not come back: plans and states may not be freed */
};

/* Who looks at both ends beside its runs. */
struct probe;
struct study_watch {
    struct probe *probe; /* NULL: nobody */
    bool shared;         /* it is another study's */
};

struct device_look;

struct study {
    const struct study_common *common;
    const struct study_sink *sink;
    const char *kind;
    char id[RESULT_ID_MAX];
    struct target_caps caps;
    struct plan_instrument instrument;
    struct machine machine;
    struct disturb_cpus cpus;
    struct study_watch watch;
    struct study_run *measured; /* the run that is measured now; NULL: none is */
    struct site *site;
    struct device_look *device;  /* where there is no site: held from study_settle_device on */
    struct site_witness witness; /* as study_settle_cache found them */
    struct site_shape shape;
    bool on_site;         /* shape's directory is there and ours */
    bool adopted;         /* it was kept by an earlier study: it stays as it is */
    unsigned runs;        /* delivered; the last one's number */
    unsigned runs_before; /* of them, before the study was gone on with */
    struct study_gauge gauge;
    enum study_end end;
    bool over; /* nothing more is to be run */
    struct study_hangs hangs;
    struct study_warned warned;
    bool sink_failed; /* a result could not be handed over: that ends everything */
    char reason[ERR_TEXT_MAX];
    uint64_t errors; /* of all results; the reason tells of the first one while `end` is INVALID */
};

__attribute__((warn_unused_result)) int study_open(struct study *s, const char *kind,
                                                   const struct study_common *common,
                                                   const struct study_sink *sink, struct err *err);
/* For studies that make directories: -ENOTDIR where there can be none. */
__attribute__((warn_unused_result)) int study_need_directory(const struct study *s,
                                                             struct err *err);
void study_close(struct study *s);
/* The shape of a directory of ours with these lengths (copied), not yet made. */
__attribute__((warn_unused_result)) int
study_shape(struct study *s, const struct fileset_spec *spec, const uint64_t *length_bytes,
            unsigned lengths, unsigned repeats, unsigned trees_max, struct err *err);
/* Settles how this machine's cache is kept out of reading, and with it the instrument; and which
 * witnesses of it are believed, whatever the mode. */
__attribute__((warn_unused_result)) int
study_settle_cache(struct study *s, enum study_client_cache asked, struct err *err);
/* -ENOMEM with words when the plan, and what lies in memory beside it, need more than allowed. */
__attribute__((warn_unused_result)) int study_check_memory(const struct study *s,
                                                           const struct plan *plan,
                                                           uint64_t beside_bytes, struct err *err);
bool study_can(const struct study *s, enum op_kind op);
/* Its target models the cache of the machine that asks. */
bool study_models_cache(const struct study *s);

/* ---- study_space.c ---- */

/* -ENOSPC with words when the file system cannot hold this beside what must stay free, -EDQUOT when
 * a quota cannot; `advice` at the end; *room_bytes: what can be used, UINT64_MAX where nothing
 * tells. */
__attribute__((warn_unused_result)) int study_check_space(struct study *s, uint64_t need_bytes,
                                                          uint64_t need_files, const char *why,
                                                          const char *advice, uint64_t *room_bytes,
                                                          struct err *err);
/* What EDQUOT means, as far as the target tells: "the quota of user 1000 is used up". Returns buf. */
const char *study_quota_words(const struct study *s, char *buf, size_t room);
/* ", and the quota of user 1000 leaves 1 MiB"; "" when none is tighter than the file system. */
const char *study_quota_limit(struct study *s, char *buf, size_t room);

/* ---- study_tell.c ---- */
bool study_stop_asked(const struct study *s, int times);
void study_say(struct study *s, uint64_t left_ns, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void study_show_rates(struct study *s, const struct engine_progress *p);
void study_warn(struct study *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* What the target says of itself now. */
__attribute__((warn_unused_result)) int study_describe(const struct study *s,
                                                       struct result_facts *out);
/* Warns of what in the set-up makes the numbers mean something else; once a study and target, when
 * its cache is settled. */
void study_tell_caveats(struct study *s, bool writes, bool overwrites, bool synced);
/* Notes why the study's end is not a clean one; the first reason stays, `over` is final. */
void study_mark(struct study *s, enum study_end end, bool over, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Notes a stop that was asked for between runs. Returns s->over. */
bool study_check_stop(struct study *s);
/* What is said of the whole study, from one of its sides to the next that has its turn. */
void study_hand_over(const struct study *from, struct study *to);

/* A failure after the first result leaves an incomplete study, not none: returns 0 then. */
int study_forgive(struct study *s, int rc, const struct err *err);

__attribute__((warn_unused_result)) int study_remember(struct study_row *row, struct result *r,
                                                       struct err *err);
/* Takes r in every case. */
__attribute__((warn_unused_result)) int study_deliver(struct study *s, struct result *r,
                                                      struct study_row *row, struct err *err);
/* Tells the sink that the row is complete, and empties it. */
void study_row_done(struct study *s, struct study_row *row);

void study_ended(struct study *s);

/* ---- study_tidy.c ---- */
/* Removes the directory of ours, or leaves it and says so: leftovers are a warning. `side`, "B: " or
 * "", begins the progress; `places` were made. study_remove: one place; *removed gets what went. */
void study_tidy(struct study *s, const char *side, unsigned places);
__attribute__((warn_unused_result)) int study_remove(struct study *s, const char *side,
                                                     const char *place,
                                                     struct site_removed *removed, struct err *err);

/* ---- study_plan.c ---- */

struct plan_step study_step_pick(enum plan_unit unit, enum plan_order order, uint16_t slot);
struct plan_step study_step_op(enum op_kind op, uint16_t line, uint16_t slot);
struct plan_step study_step_loop(uint32_t to, uint32_t count, uint16_t loop);

enum study_sweep {
    STUDY_SWEEP_EVICT,    /* line "evict" */
    STUDY_SWEEP_RESIDENT, /* line "resident": bytes in cache; extra: dirty ones */
};
/* Opens every file of the set once and does one thing to it. */
__attribute__((warn_unused_result)) int study_plan_sweep(const struct study *s,
                                                         const struct fileset_spec *spec,
                                                         enum study_sweep sweep, struct plan **out,
                                                         struct err *err);

#include "study/study_run_priv.h"

#endif
