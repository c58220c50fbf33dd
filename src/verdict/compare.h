/* verdict/compare.h — is b better than a, and is that more than noise?
 * Shape    two sides of results in, a comparison out: what differs between the set-ups, what is the
 *          same, and per row and metric the change, its interval and one word.
 *          Sides of one study whose runs took turns are compared in pairs (row, repeat); other sides
 *          as stats/change.h says, a being the baseline. Where a has five studies or more, a study
 *          counts once, with the mean of its repeats: those share an hour and say nothing about
 *          other hours. See enum compare_noise.
 *          A run that both sides name ("nightly-*" against the last of them) is new, not baseline: it
 *          is left out of a, of b where a has no other, and counted; two names of the same are kept.
 * Units    as verdict/rows.h; changes as fractions.
 * Limits   a row of only one side, of another workload, with errors, or incomplete is "not
 *          comparable", with the reason; from a side a that keeps five good runs such runs are left
 *          out instead, and counted. A row that drifts, or whose noise is not known, is "cannot
 *          tell"; a difference larger than the drift can explain is told all the same.
 * Errors   -EINVAL a side without results, -ENOMEM.     Threads  values. Results are borrowed.
 * Source   docs/measuring.md; tests/truth/test_known_pairs.c, tests/unit/test_compare.c,
 *          test_compare_summary.c. */
#ifndef LOADLINE_VERDICT_COMPARE_H
#define LOADLINE_VERDICT_COMPARE_H

#include "stats/change.h"
#include "verdict/rows.h"

#define COMPARE_REASON_MAX 160

enum compare_word {
    COMPARE_BETTER,
    COMPARE_WORSE,
    COMPARE_NOISE,  /* "within noise" */
    COMPARE_CANNOT, /* "cannot tell" */
    COMPARE_NOT,    /* "not comparable" */
};

/* What the spread between runs is learnt from. */
enum compare_noise {
    COMPARE_FROM_NOTHING, /* fewer than five runs and no turns */
    COMPARE_FROM_TURNS,   /* runs of one study that took turns */
    COMPARE_FROM_STUDIES, /* five or more studies of a */
    COMPARE_FROM_REPEATS, /* five or more runs of a, from fewer studies: nothing about other hours */
};

struct compare_side {
    const char *name; /* as the user named it */
    struct result *const *results;
    unsigned n;
};

/* One thing that set-ups differ in, or share. */
struct compare_setup {
    const char *group; /* "target" "protocol" "options" "instrument" "software" "machine" "tool" */
    char *what;        /* "nconnect" */
    char *a;           /* "" where it is not known; several values are joined by ", " */
    char *b;
    bool differs;
};

struct compare_cell {
    unsigned n_a; /* what counts once: runs, or studies; 0: the metric does not exist here */
    unsigned n_b;
    struct change change;
    enum compare_word word;
    bool drifts_a; /* of sides that took turns: their differences do, and both are set */
    bool drifts_b;
    bool alone_a; /* its runs drift by themselves, without those of the other side */
    bool alone_b;
    char reason[COMPARE_REASON_MAX]; /* of "cannot tell" and "not comparable", else "" */
};

struct compare_row {
    char name[ROWS_NAME_MAX];
    bool comparable;
    char reason[COMPARE_REASON_MAX]; /* why not; "" */
    unsigned left_out;               /* runs of a, for errors or because they are incomplete */
    struct compare_cell cell[ROWS_METRICS];
};

/* All comparable rows of one metric together: the geometric mean of their changes. What other
 * rows tell is not in it again. */
struct compare_summary {
    unsigned rows;
    unsigned word[COMPARE_NOT + 1];
    double frac;
    double low; /* see has_interval */
    double high;
    /* Rows of one study share its good and bad hours, so they are no sample: the unit is one run
     * of all rows. No interval where some row lacks a run that others have. */
    bool has_interval;
    double seen_frac; /* the smallest change that can be seen in the median row; NaN: none can */
    double
        by_chance; /* of the rows that are better, worse or within noise: how many would be called
                       * different if nothing were */
};

struct comparison {
    struct compare_side a;
    struct compare_side b;
    unsigned shared; /* runs that both sides named */
    struct result **own;
    enum compare_noise noise;
    unsigned setups;
    struct compare_setup *setup; /* what differs first */
    unsigned rows;
    struct compare_row *row;
    struct compare_summary summary[ROWS_METRICS];
};

__attribute__((warn_unused_result)) int compare_of(const struct compare_side *a,
                                                   const struct compare_side *b,
                                                   struct comparison *out, struct err *err);
void compare_fini(struct comparison *c);

/* Is the run complete and without errors? Of others no number counts. */
bool compare_run_is_good(const struct result *r);
/* "better" "worse" "within noise" "cannot tell" "not comparable" */
const char *compare_word_name(enum compare_word word);
/* What the noise is learnt from, and what that says nothing about. */
const char *compare_noise_words(enum compare_noise noise);

#endif
