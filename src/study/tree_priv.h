/* study/tree_priv.h — what dirtest and readtest share.
 * Shape    a study is a table of rows (lengths) and one or more sides (targets); tree_order.c says
 *          which (row, repeat) comes next, tree_study.c lets every side have its turn at it,
 *          tree_rows.c tells the sink of rows that are complete. One tree is a place on a side's
 *          target; a run pools the passes over the trees of one (length, repeat, phase).
 *          tree_dirtest.c and tree_readtest.c are how a side begins and what its turn is.
 * Units    ns, bytes.        Errors   as study.h.        Threads  the study's own. */
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

/* The trees and passes of one row on one side, settled by its pilot and the same for all repeats. */
struct tree_counts {
    unsigned trees;  /* k */
    unsigned passes; /* reading, ≥ trees; 0: the pilot is still to come */
};

/* One length: what is still to come of it, and what all sides have measured. */
struct tree_row {
    unsigned left; /* repeats, at the most */
    struct study_row write;
    struct study_row read;
};

/* What is measured next: a row by its index, a repeat from 1. */
struct tree_turn {
    unsigned row;
    unsigned repeat;
};

struct tree_side {
    struct study s;
    struct study_common common;  /* with this side's target */
    struct tree_options options; /* as asked; for readtest completed from the marker */
    unsigned given;              /* readtest: enum tree_given */
    unsigned number;             /* from 1; 0: the only side there is */
    struct tree_pace pace;
    struct tree_counts *counts; /* [lengths] */
    struct tree_row *rows;      /* [lengths], of the study */
    struct tree_side *sides;    /* [n_sides], of the study: all, this one too */
    unsigned n_sides;
    struct tree_turn turn;
    struct tree_place *place; /* oldest first */
    unsigned places;
    unsigned places_room;
    uint64_t room_bytes;    /* that could be used before anything was written */
    uint64_t removed_files; /* since the last run that recorded it */
    uint64_t removed_ns;    /* when, monotonic */
    uint64_t files;         /* of one tree */
    uint64_t turn_ns;       /* when the current turn, or its pilot, began; monotonic */
    uint64_t left_ns;       /* of the study, from then on; 0 unknown */
};

/* tree_order.c: repeats as randomized blocks: each goes once through all rows, in an order of its
 * own. Not shuffled: row by row, as given. */
struct tree_order {
    uint64_t seed;
    unsigned rows;
    unsigned repeats;
    bool shuffled;
    unsigned repeat; /* of the next turn, unless the block is at its end */
    unsigned at;     /* in row */
    unsigned *row;   /* [rows], of this repeat */
};
__attribute__((warn_unused_result)) int tree_order_init(struct tree_order *o, uint64_t seed,
                                                        unsigned rows, unsigned repeats,
                                                        bool shuffled);
void tree_order_fini(struct tree_order *o);
/* false: there is none. */
bool tree_order_next(struct tree_order *o, struct tree_turn *turn);

/* tree_study.c */
struct tree_ways {
    const char *kind;
    /* Completes the options from what is found; NULL: they are whole. */
    int (*settle)(struct tree_side *side, struct err *err);
    /* Up to where measuring can begin; adds to *intent. */
    int (*begin)(struct tree_side *side, struct study_intent *intent, struct err *err);
    int (*pilot)(struct tree_side *side,
                 struct err *err); /* settles the counts of the turn's row */
    int (*measure)(struct tree_side *side, struct err *err); /* the turn */
    void (*tidy)(struct tree_side *side);                    /* NULL: nothing was made */
};

struct tree_study {
    const struct study_common *common;
    struct tree_options options;
    unsigned given;
    const struct tree_ways *ways;
    struct tree_order order;
    struct tree_row *row; /* [lengths] */
    unsigned told;        /* rows that the sink knows */
    unsigned wide;        /* rows that had all their repeats and not until_frac */
    unsigned sides;
    struct tree_side *side; /* [sides]; the first speaks for the study between turns */
};
__attribute__((warn_unused_result)) int
tree_study_run(struct tree_study *t, const struct study_sink *sink, struct err *err);

/* tree_plan.c */
struct fileset_spec tree_spec(const struct tree_side *t, const struct tree_name *name);
__attribute__((warn_unused_result)) int tree_plan_write(const struct tree_side *t,
                                                        const struct fileset_spec *spec,
                                                        struct plan **out, struct err *err);
__attribute__((warn_unused_result)) int tree_plan_read(const struct tree_side *t,
                                                       const struct fileset_spec *spec,
                                                       struct plan **out, struct err *err);
/* Looks for the tree's roots: line "lookup" counts those that are there. */
__attribute__((warn_unused_result)) int tree_plan_roots(const struct tree_side *t,
                                                        const struct fileset_spec *spec,
                                                        struct plan **out, struct err *err);

/* tree_phase.c: one pass; `run` pools it. */
__attribute__((warn_unused_result)) int tree_write_pass(struct tree_side *t, struct study_run *run,
                                                        const struct tree_name *name,
                                                        struct err *err);
__attribute__((warn_unused_result)) int tree_read_pass(struct tree_side *t, struct study_run *run,
                                                       const struct tree_name *name,
                                                       struct err *err);
/* Untimed: how many passes over such trees make --min-time. */
__attribute__((warn_unused_result)) int tree_pilot_read(struct tree_side *t,
                                                        const struct tree_name *name,
                                                        unsigned *passes, struct err *err);
/* All passes of the turn, to the sink. */
__attribute__((warn_unused_result)) int tree_write_run(struct tree_side *t, struct err *err);
__attribute__((warn_unused_result)) int tree_read_run(struct tree_side *t, struct err *err);
/* The clock of the time left, and what the trees done since tree_begin taught. */
void tree_begin(struct tree_side *t, uint64_t left_ns);
void tree_learn(struct tree_side *t, double cycles);
void tree_say_pilot(struct tree_side *t);
/* "B: " where sides take turns, else "". Returns buf. */
#define TREE_SIDE_WORD_MAX 8
const char *tree_side_word(const struct tree_side *t, char buf[TREE_SIDE_WORD_MAX]);

/* tree_space.c */
/* Refuses with -ENOSPC before anything is written. *peak_bytes: what will lie there at most. */
__attribute__((warn_unused_result)) int tree_check_space(struct tree_side *t,
                                                         const struct tree_need *need,
                                                         uint64_t *peak_bytes, struct err *err);
/* k ≤ want so that the trees of one repeat (with keep: of all) fit. */
unsigned tree_fit(struct tree_side *t, uint64_t length_bytes, unsigned want);
/* Removes the oldest trees until `trees` more of this length fit; then those of the other sides, which
 * may lie on the same file system. */
__attribute__((warn_unused_result)) int tree_make_room(struct tree_side *t, uint64_t length_bytes,
                                                       unsigned trees, struct err *err);
/* Makes the tree's place and remembers it. */
__attribute__((warn_unused_result)) int
tree_add_place(struct tree_side *t, const struct tree_name *name, struct err *err);
/* Removes the pilots: kept trees are those that were measured. */
void tree_remove_pilots(struct tree_side *t);

/* tree_resume.c: all of it does nothing for a new study. */
/* Whether the turn was done before; then its results join their rows, and settle the counts. */
__attribute__((warn_unused_result)) int tree_take_past(struct tree_side *side, bool *done,
                                                       struct err *err);
/* For a row that is told before all its turns were gone through: what was measured of the others, half
 * of a turn too, belongs to it as well. Without memory it stays as it is. */
void tree_join_past(const struct tree_study *t, unsigned row);
/* -ESTALE: what was measured then and what would be measured now are not the same. */
__attribute__((warn_unused_result)) int tree_check_past(const struct tree_side *side,
                                                        struct err *err);
/* -ESTALE: at the same address lies another file system than the one that was measured. */
__attribute__((warn_unused_result)) int tree_check_target(struct tree_side *side, struct err *err);
/* Which kept tree the study read; NULL: a new study, or one from before this was told. */
const char *tree_past_read_id(const struct tree_side *side);
/* What the study left on the target is removed, or with keep taken over (*begun) and cleared of
 * what was under way. */
__attribute__((warn_unused_result)) int tree_take_site(struct tree_side *side, bool *begun,
                                                       struct err *err);

/* tree_rows.c */
/* Counts a turn that all sides have had; with until_frac it may be the row's last. */
__attribute__((warn_unused_result)) int
tree_count_turn(struct tree_study *t, const struct tree_turn *turn, struct err *err);
/* Says which rows did not get as narrow as was asked for. */
void tree_rows_wide(struct tree_study *t);
/* Tells the sink of rows in the order asked, up to the first that is not complete; with `all` of
 * every one that has results. */
void tree_rows_tell(struct tree_study *t, bool all);
/* Of the whole study, from the pace of its sides; 0 unknown. */
uint64_t tree_left_ns(const struct tree_study *t);

/* tree_dirtest.c */
__attribute__((warn_unused_result)) int tree_check_options(const struct tree_options *options,
                                                           struct err *err);
uint64_t tree_longest(const struct tree_options *options);
uint64_t tree_turn_length(const struct tree_side *t);

#endif
