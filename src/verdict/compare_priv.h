/* verdict/compare_priv.h — the parts of a comparison.
 * Shape    sides → what is their own (overlap.c) → rows; per row a reason (reason.c) or its units
 *          (unit_values.c), which give a cell (word.c) and, all rows together, a summary
 *          (summary.c); the set-ups (setup.c).
 * Errors   -ENOMEM.                              Threads  values.
 * Source   tests/unit/test_compare.c, test_compare_summary.c. */
#ifndef LOADLINE_VERDICT_COMPARE_PRIV_H
#define LOADLINE_VERDICT_COMPARE_PRIV_H

#include "base/text.h"
#include "verdict/compare.h"

/* What counts once: one run, or one study with the mean of its repeats. */
struct unit {
    const char *study_id;
    unsigned side;   /* 0 of a whole study, and where it had one target */
    unsigned repeat; /* 0 of a whole study */
    unsigned runs;
    double mean;       /* of logarithms */
    double squares;    /* of the runs around it */
    double within_var; /* of the mean, as far as single runs tell; NaN: not known */
};

struct units {
    unsigned n;
    struct unit *unit; /* in the order of their beginning */
};

/* One side of one row, as change.h takes it. */
struct side_values {
    unsigned n;
    double *value;
    double *within_frac;
};

/* Both sides of a row; NULL where a side has none. */
struct row_pair {
    const struct row *a;
    const struct row *b;
};

/* Leaves what both sides name to one of them. */
__attribute__((warn_unused_result)) int compare_part_sides(struct comparison *c);
/* May bad runs of a be left out, because enough are left? */
bool compare_can_spare(const struct row *a);

/* May the row be compared? Else the reason is filled in. */
bool compare_reason(const struct comparison *c, const struct row_pair *pair,
                    struct compare_row *out);
/* So many bytes of a side's name stand in a reason. */
#define COMPARE_NAME_CUT 48
/* What does not fit is cut between characters. */
void compare_put_reason(char reason[COMPARE_REASON_MAX], const struct text *words);
/* A fact as people read it: "4 KiB", "16", "5000 ops/s". */
void compare_fact_words(const struct result_fact *fact, char *buf, size_t room);
/* Facts that say how a study was carried out, not what was asked of the target. */
bool compare_is_bookkeeping(const char *key);

__attribute__((warn_unused_result)) int units_of(const struct row *row, enum rows_metric metric,
                                                 bool by_study, struct units *out);
void units_fini(struct units *u);
const struct unit *units_find(const struct units *u, const struct unit *like);
/* Takes one more value into the mean of its logarithms. */
void unit_take(struct unit *unit, double log_value, double within_var);

/* The change and its word, from values of both sides in the order of their measuring; in pairs when
 * `turns`. `cell` has its n already. */
__attribute__((warn_unused_result)) int compare_judge(const struct side_values *a,
                                                      const struct side_values *b, bool turns,
                                                      enum rows_metric metric,
                                                      struct compare_cell *cell);
/* Of studies with repeats: what a mean is uncertain by goes by how many it has, and by how repeats of
 * one study differ, on both sides together. */
void units_pool_within(struct units *a, struct units *b);
/* Keeps what both sides have of the same repeat. */
void units_pair(struct units *a, struct units *b);
__attribute__((warn_unused_result)) int side_values_of(const struct units *u,
                                                       struct side_values *out);
void side_values_fini(struct side_values *v);

__attribute__((warn_unused_result)) int compare_summarise(struct comparison *c,
                                                          const struct row_pair *pairs);
__attribute__((warn_unused_result)) int compare_setups(struct comparison *c);

#endif
