/* study/limits_study_priv.h — the search for ceilings as it runs: what is open, what is to be done there, and
 * one point of a curve.
 * Shape    limits_site.c opens an address and finds out what it is; limits_jobs.c which rows are asked of it;
 *          limits_layout.c files and caches; limits_sweep.c the size of a cache that nobody tells; limits_plan.c plans; limits_point.c one run and its result;
 *          limits_row.c the ramp of a row; limits_names.c those of names; limits_study.c the whole.
 * Units    ns, bytes.
 * Errors   as study.h.                           Threads  the study's own thread only. */
#ifndef LOADLINE_STUDY_LIMITS_STUDY_PRIV_H
#define LOADLINE_STUDY_LIMITS_STUDY_PRIV_H

#include "study/limits_priv.h"
#include "study/study_priv.h"

#define LIMITS_ADDRESS_MAX  1024
#define LIMITS_SITES_MAX    96
#define LIMITS_NAMES_FILES  65536 /* at once, of rows that count names */
#define LIMITS_STAT_ROUNDS  16    /* of one pass over them, where they stay */
#define LIMITS_FILE_STREAMS 8     /* that lay out, and fill caches */

/* One address: a target, or a modelled one as the rig of some of its rows wants it. Its files are there once. */
struct limits_site {
    struct study s;
    struct study_common common;
    char address[LIMITS_ADDRESS_MAX];
    unsigned side; /* from 1 */
    const char *typed;
    struct limits_where where;
    char protocol[RESULT_ID_MAX];
    struct limits_sizes sizes;
    uint32_t streams_most;
    uint64_t dirty_bytes; /* that a modelled server takes before a write waits for its disks */
    uint32_t plans;       /* of points, so far */
    uint32_t clients;     /* 0: as asked, or as there are streams */
    struct fileset_spec spec;
    char place[STUDY_PLACE_MAX];
    bool mount;  /* the kernel's client of a server: its cache is passed by with direct I/O */
    bool shared; /* all streams work on all of its files, which are few */
    bool sweeps; /* the size of its cache is still to be found */
    bool used;   /* by a row that runs */
    bool begun;
    bool laid_out;
    enum plan_cache settled;
    struct site_stored stored;
};

/* One row of one side and protocol. */
struct limits_job {
    const struct limits_row *row;
    struct limits_site *site;
    enum limits_fit fit;
    char why[160];
    struct limits_set set;
    uint32_t streams_from;
    uint32_t streams_to; /* 0: as many as the site has files */
    bool done;
};

struct limits_study {
    const struct study_common *common;
    const struct limits_options *o;
    const struct study_sink *sink;
    uint64_t begun_ns;
    uint64_t row_until_ns;
    unsigned sites;
    struct limits_site *site[LIMITS_SITES_MAX];
    unsigned jobs;
    unsigned jobs_left; /* that run, the one at hand included */
    struct limits_job *job;
    struct study *at; /* the one that has its turn; NULL: none had */
};

/* ---- limits_site.c ---- */

/* Opens it, or finds it open; what it is, and its sizes as far as they are told. */
__attribute__((warn_unused_result)) int limits_site_get(struct limits_study *l, unsigned side,
                                                        const char *typed, const char *address,
                                                        bool shared, struct limits_site **out,
                                                        struct err *err);
/* Our directory there, and how caches are passed by; a device is taken as it is. */
__attribute__((warn_unused_result)) int
limits_site_begin(struct limits_study *l, struct limits_site *site, struct err *err);
/* Its turn: what is known of the study so far goes with it. */
void limits_site_turn(struct limits_study *l, struct limits_site *site);
/* 0: not told. */
uint64_t limits_fact_bytes(const struct result_facts *facts, const char *key);

/* ---- limits_jobs.c ---- */

__attribute__((warn_unused_result)) int limits_jobs_make(struct limits_study *l, struct err *err);
/* Sets of rows, and with them the files of each site, from sizes that may have been found since. */
void limits_jobs_settle(struct limits_study *l, struct limits_site *site);
/* Of all files when they are laid out. */
uint64_t limits_site_bytes(const struct limits_study *l, const struct limits_site *site);

/* ---- limits_layout.c ---- */

__attribute__((warn_unused_result)) int limits_lay_out(struct limits_study *l,
                                                       struct limits_site *site, struct err *err);
/* What a row takes from a cache is read once, what it writes is written, before anything is measured. */
__attribute__((warn_unused_result)) int limits_warm(struct limits_study *l,
                                                    const struct limits_job *job, struct err *err);
/* A modelled server's buffers full, before each point that writes: else it would be them that are measured. */
__attribute__((warn_unused_result)) int limits_fill(const struct limits_job *job, uint64_t io_bytes,
                                                    struct err *err);
/* A run that is no result; `doing` says what failed. Takes the plan. */
__attribute__((warn_unused_result)) int limits_prepare(struct limits_site *site, struct plan *plan,
                                                       const char *doing, struct err *err);

/* ---- limits_sweep.c ---- */

/* Where it is to be found: by a sweep, on files that are laid out. What is asked of the site may change by it. */
__attribute__((warn_unused_result)) int
limits_find_cache(struct limits_study *l, struct limits_site *site, struct err *err);

/* ---- limits_plan.c ---- */

struct limits_load {
    uint32_t streams;
    uint32_t clients;
    uint64_t io_bytes;
    const char *step; /* "ramp" "refine" "final" "prove" "size" */
    const char *changed;
    enum limits_ramp_end ended;
    struct plan_window window;
};
/* Files of the site as a row of that working set sees them. */
struct fileset_spec limits_spec(const struct limits_site *site, const struct limits_set *set);
/* Whether its files are opened to pass by the cache of this machine. */
bool limits_is_direct(const struct limits_job *job);
/* The site's instrument, as this row wants it. */
void limits_instrument(const struct limits_job *job);
__attribute__((warn_unused_result)) int limits_plan_point(const struct limits_job *job,
                                                          const struct limits_load *load,
                                                          struct plan **out, struct err *err);
/* What one stream after the other writes of it until so much is written, in ops of the row. */
__attribute__((warn_unused_result)) int limits_plan_fill(const struct limits_job *job,
                                                         uint64_t io_bytes, uint64_t bytes,
                                                         struct plan **out, struct err *err);
/* Every byte of the set once, in large blocks. */
__attribute__((warn_unused_result)) int
limits_plan_pass(const struct limits_job *job, enum op_kind op, struct plan **out, struct err *err);
/* Makes, looks at or removes the first `files` names of the place; a line of the op. */
__attribute__((warn_unused_result)) int limits_plan_names(const struct limits_site *site,
                                                          enum op_kind op, uint32_t files,
                                                          const struct limits_load *load,
                                                          struct plan **out, struct err *err);

/* ---- limits_point.c ---- */

/* Runs it and delivers its result; the rate by which the ramp goes on. */
__attribute__((warn_unused_result)) int
limits_point(struct limits_study *l, const struct limits_job *job, const struct limits_load *load,
             struct plan *plan, struct study_row *row, double *rate, struct err *err);
/* The options of its result: docs/results-format.md. limits_facts.c */
__attribute__((warn_unused_result)) int limits_put_options(const struct limits_study *l,
                                                           const struct limits_job *job,
                                                           const struct limits_load *load,
                                                           bool steady, struct result *r);

/* ---- limits_row.c, limits_names.c ---- */

__attribute__((warn_unused_result)) int limits_row_run(struct limits_study *l,
                                                       struct limits_job *job, struct err *err);
/* That its ramp may go to. */
uint32_t limits_streams_most(const struct limits_job *job);
uint64_t limits_left_ns(const struct limits_study *l);
/* When the point at load->step begins to count and ends, by the rate of the one before; 0 not known. */
void limits_window(const struct limits_times *times, const struct limits_job *job,
                   struct limits_load *load, double rate);
uint32_t limits_clients(const struct limits_study *l, const struct limits_site *site,
                        uint32_t streams);
/* And until when the row may go on: then it ends with what it has, and finals as few as make an interval. */
void limits_times(struct limits_study *l, const struct limits_job *job, struct limits_times *out);
bool limits_late(const struct limits_study *l);
bool limits_ramp_cut(const struct limits_study *l, const struct limits_ramp *r);
bool limits_finals_enough(const struct limits_study *l, const struct limits_times *times,
                          unsigned n);
enum limits_ramp_end limits_end_of(const struct limits_job *job, const struct limits_ramp *r);
__attribute__((warn_unused_result)) int limits_names_run(struct limits_study *l,
                                                         struct limits_job *job, struct err *err);

/* ---- limits_tell.c ---- */

/* What is going to be done, before anything is made. */
__attribute__((warn_unused_result)) int limits_announce(const struct limits_study *l,
                                                        struct err *err);
void limits_say(const struct limits_study *l, const struct limits_job *job,
                const struct limits_load *load);

#endif
