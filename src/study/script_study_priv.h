/* study/script_study_priv.h — how the steps of a workload file are carried out.
 * Shape    script_study.c scripts, repeats and steps; script_begin.c what is checked and made ready
 *          before the first; script_trees.c directories that are there already; script_make.c makes and removes
 *          filesets, by the plans of script_plan.c; script_run.c one run, its cache and its result;
 *          script_act.c what is done beside the target; script_tell.c what is said.
 * Units    ns, bytes.
 * Errors   as study.h.                           Threads  the study's own thread only. */
#ifndef LOADLINE_STUDY_SCRIPT_STUDY_PRIV_H
#define LOADLINE_STUDY_SCRIPT_STUDY_PRIV_H

#include "fileset/grown.h"
#include "fileset/site_tree.h"
#include "fileset/state.h"
#include "script/script.h"
#include "study/study_priv.h"

/* A fileset of the script at hand, on the target. */
struct script_live {
    struct fileset_state *state; /* NULL: a device, or not made yet */
    struct grown *
        listed; /* what a directory of another program holds, under the target's root; NULL: ours */
    bool there; /* its files lie on the target */
};

struct script_study {
    struct study s;
    const struct script_wish *wish;
    const struct script *script;    /* at hand */
    unsigned number;                /* which, from 1 */
    unsigned repeat;                /* from 1 */
    unsigned run;                   /* begun in this repeat */
    const struct script_step *step; /* the run at hand */
    struct samples_block
        *told; /* sums that were told of it, where they begin anew; NULL: none yet */
    uint64_t told_ns;
    uint64_t could_be_dirty_bytes; /* of it, where cache.dirty_known */
    struct script_live *live;      /* [script->sets] */
    struct study_row *row;         /* [script->runs] */
    char place[STUDY_PLACE_MAX];
    bool place_made;
    bool begun;        /* all is checked and announced */
    bool failed;       /* a run of the script asked what cannot be: so would every further one */
    uint64_t about_ns; /* of all runs */
    uint64_t spent_ns; /* of about_ns, in runs that are over */
};

/* Not where the target is one file. */
bool script_has_site(const struct script_study *x);
/* The set of the script that the plan has there; -1: none of its own. */
int script_set_of(const struct script_study *x, const struct fileset_spec *spec);
/* What is on the target: as listed, or as grown. */
const struct grown *script_grown(const struct script_study *x, unsigned set);
struct fileset_spec script_spec(const struct script_study *x, unsigned set);

/* ---- script_study.c ---- */

/* Takes up a script of the wish, from its first step. */
__attribute__((warn_unused_result)) int script_take(struct script_study *x, unsigned number,
                                                    struct err *err);

/* ---- script_begin.c ---- */

__attribute__((warn_unused_result)) int script_begin(struct script_study *x, struct err *err);

/* ---- script_trees.c ---- */

/* "" none of its sets is made by us. buf [65] */
__attribute__((warn_unused_result)) int script_digest(const struct script *script, char *hex,
                                                      struct err *err);
/* Takes over the directory that an earlier run with the same sets has kept; x->s.adopted then. */
__attribute__((warn_unused_result)) int script_look_for_kept(struct script_study *x,
                                                             struct err *err);
/* Of the script at hand: sets that are to be reused and lie under the target's root, made by somebody
 * else, are read as they are. Refuses to write to them without --adopt. */
__attribute__((warn_unused_result)) int script_look_for_trees(struct script_study *x,
                                                              struct err *err);

/* ---- script_make.c ---- */

__attribute__((warn_unused_result)) int script_make(struct script_study *x, unsigned first,
                                                    unsigned n, struct err *err);
__attribute__((warn_unused_result)) int script_remove(struct script_study *x, unsigned first,
                                                      unsigned n, struct err *err);
/* Before a further repeat: sets that are written go, those that are only read stay. */
bool script_clears(const struct script_set *set);
__attribute__((warn_unused_result)) int script_clear(struct script_study *x, struct err *err);

/* ---- script_plan.c ---- */

enum script_part {
    SCRIPT_DIRS,
    SCRIPT_FILES,
    SCRIPT_LEAFS,
    SCRIPT_EVICT,
    SCRIPT_RESIDENT, /* of their nominal sizes */
    SCRIPT_DIRTY,    /* of what they have become */
};
/* Makes the part of the set that its state says exists, or goes through the files that exist. */
__attribute__((warn_unused_result)) int script_plan(const struct script_study *x, unsigned set,
                                                    enum script_part part, struct plan **out,
                                                    struct err *err);
/* Runs it. What it could not do is an error: of a file that could not be made no run is measured. */
__attribute__((warn_unused_result)) int script_do(struct script_study *x, unsigned set,
                                                  enum script_part part, struct samples_line *sum,
                                                  struct err *err);

/* ---- script_run.c ---- */

__attribute__((warn_unused_result)) int script_run(struct script_study *x,
                                                   const struct script_step *step, struct err *err);

/* ---- script_act.c ---- */

__attribute__((warn_unused_result)) int script_shell(struct script_study *x, const char *command,
                                                     struct err *err);
void script_sleep(struct script_study *x, uint64_t ns);
__attribute__((warn_unused_result)) int script_flush(struct script_study *x, struct err *err);

/* ---- script_tell.c ---- */

void script_tell(struct script_study *x, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void script_tell_set(struct script_study *x, unsigned set);
__attribute__((warn_unused_result)) int script_announce(struct script_study *x, struct err *err);
/* With the time that is left of all runs. */
void script_say(struct script_study *x, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
__attribute__((warn_unused_result)) int script_put_options(const struct script_study *x,
                                                           const struct script_step *step,
                                                           struct result *r, const char *ended);

#endif
