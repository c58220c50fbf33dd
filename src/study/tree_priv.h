/* study/tree_priv.h — what dirtest and readtest share.
 * Shape    one tree is a place on the target; a run pools the passes over the trees of one (length,
 *          repeat, phase). Units    ns, bytes. Errors   as study.h. Threads  the study's own. */
#ifndef LOADLINE_STUDY_TREE_PRIV_H
#define LOADLINE_STUDY_TREE_PRIV_H

#include "study/study_priv.h"

/* Which tree: repeats and trees count from 1; tree 0 of repeat 1 is the pilot. */
struct tree_name {
    uint64_t length_bytes;
    unsigned repeat;
    unsigned tree;
};

/* A tree that lies on the target. */
struct tree_place {
    struct tree_name name;
    uint64_t stored_bytes;
};

struct tree_study {
    struct study s;
    struct tree_options options; /* as asked; for readtest completed from the marker */
    struct tree_pace pace;
    struct tree_place *place; /* oldest first */
    unsigned places;
    unsigned places_room;
    uint64_t room_bytes;     /* that could be used before anything was written */
    uint64_t removed_files;  /* since the last run that recorded it */
    uint64_t removed_ns;     /* when, monotonic */
    uint64_t files;          /* of one tree */
    unsigned row;            /* index of the length that is measured */
    uint64_t repeat_ns;      /* when the current repeat began, monotonic */
    uint64_t repeat_left_ns; /* of the study, from then on */
    struct study_row write_row;
    struct study_row read_row;
};

/* One row's numbers, settled by the pilot and the same for all repeats. */
struct tree_counts {
    unsigned trees;  /* k */
    unsigned passes; /* reading; ≥ trees */
};

/* tree_plan.c */
struct fileset_spec tree_spec(const struct tree_study *t, const struct tree_name *name);
__attribute__((warn_unused_result)) int tree_plan_write(const struct tree_study *t,
                                                        const struct fileset_spec *spec,
                                                        struct plan **out, struct err *err);
__attribute__((warn_unused_result)) int tree_plan_read(const struct tree_study *t,
                                                       const struct fileset_spec *spec,
                                                       struct plan **out, struct err *err);
/* Looks for the tree's roots: line "lookup" counts those that are there. */
__attribute__((warn_unused_result)) int tree_plan_roots(const struct tree_study *t,
                                                        const struct fileset_spec *spec,
                                                        struct plan **out, struct err *err);

/* tree_phase.c: one pass; `run` pools it. */
__attribute__((warn_unused_result)) int tree_write_pass(struct tree_study *t, struct study_run *run,
                                                        const struct tree_name *name,
                                                        struct err *err);
__attribute__((warn_unused_result)) int tree_read_pass(struct tree_study *t, struct study_run *run,
                                                       const struct tree_name *name,
                                                       struct err *err);
/* Untimed: how many passes over such trees make --min-time. */
__attribute__((warn_unused_result)) int tree_pilot_read(struct tree_study *t,
                                                        const struct tree_name *name,
                                                        unsigned *passes, struct err *err);
/* All passes of one repeat, to the sink. */
__attribute__((warn_unused_result)) int tree_write_run(struct tree_study *t, uint64_t length_bytes,
                                                       unsigned repeat,
                                                       const struct tree_counts *counts,
                                                       struct err *err);
__attribute__((warn_unused_result)) int tree_read_run(struct tree_study *t, uint64_t length_bytes,
                                                      unsigned repeat,
                                                      const struct tree_counts *counts,
                                                      struct err *err);
/* The clock of the time left, for the repeat that begins (0: the pilot), and what it taught. */
void tree_begin_repeat(struct tree_study *t, unsigned repeat, double cycles);
void tree_end_repeat(struct tree_study *t, double cycles);
void tree_say_pilot(struct tree_study *t);

/* tree_space.c */
/* Refuses with -ENOSPC before anything is written. *peak_bytes: what will lie there at most. */
__attribute__((warn_unused_result)) int tree_check_space(struct tree_study *t,
                                                         const struct tree_need *need,
                                                         uint64_t *peak_bytes, struct err *err);
/* k ≤ want so that the trees of one repeat (with keep: of all) fit. */
unsigned tree_fit(struct tree_study *t, uint64_t length_bytes, unsigned want);
/* Removes the oldest trees until `trees` more of this length fit. */
__attribute__((warn_unused_result)) int tree_make_room(struct tree_study *t, uint64_t length_bytes,
                                                       unsigned trees, struct err *err);
/* Makes the tree's place and remembers it. */
__attribute__((warn_unused_result)) int
tree_add_place(struct tree_study *t, const struct tree_name *name, struct err *err);
/* Removes the pilots: kept trees are those that were measured. */
void tree_remove_pilots(struct tree_study *t);

/* tree_study.c */
__attribute__((warn_unused_result)) int tree_check_options(const struct tree_options *options,
                                                           struct err *err);
uint64_t tree_longest(const struct tree_options *options);
/* Of the whole study, from the pace; 0 unknown. */
uint64_t tree_about_ns(const struct tree_study *t);
void tree_rows_done(struct tree_study *t);
void tree_close(struct tree_study *t);

#endif
