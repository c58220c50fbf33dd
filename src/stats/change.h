/* stats/change.h — how far apart two sets of runs are, and whether that is more than noise.
 * Shape    one positive value per run and side; change_of for sides measured apart, change_of_pairs
 *          for sides that took turns. Values are compared by their logarithms: a change is a ratio.
 * Units    those of the values; changes as fractions, +0.10 is b ten per cent above a.
 * Limits   the spread between runs is believed from CHANGE_RUNS_MIN runs of side a, or from pairs
 *          (two at least); otherwise there is a change but no interval. A side b of fewer runs
 *          borrows a's spread, and no less than its own. What values are off by alike in all runs
 *          (resolution_frac) widens the interval and is not averaged away. Values that are alike to
 *          1e-9 are equal.
 * Errors   -EINVAL: no runs, or a value that is not finite and above 0; -ENOMEM.
 * Threads  no state.
 * Source   Welch's t with the Satterthwaite degrees of freedom; borrowed spread as the prediction
 *          interval of future runs; docs/measuring.md. tests/truth/test_known_pairs.c counts how
 *          often it is wrong. */
#ifndef LOADLINE_STATS_CHANGE_H
#define LOADLINE_STATS_CHANGE_H

#include <stdbool.h>
#include <stddef.h>

#define CHANGE_RUNS_MIN 5

enum change_noise {
    CHANGE_NOISE_UNKNOWN, /* nothing tells how runs of one and the same differ */
    CHANGE_NOISE_RUNS,    /* from the runs of a, and of b where it has enough */
    CHANGE_NOISE_PAIRS,   /* from runs that took turns */
};

struct change_side {
    const double *value;
    /* Relative standard error of each value within its run; NULL, or NaN for one: not known. */
    const double *within_frac;
    size_t n;
    double resolution_frac; /* what each value may be off by, all alike; 0: exact */
};

struct change {
    double mean_a; /* geometric */
    double mean_b;
    double frac; /* mean_b / mean_a − 1 */
    double low;  /* 95 % interval of frac; NaN, as all below, where the noise is unknown */
    double high;
    double half_frac; /* smallest change that such an interval can tell from none */
    double low_b;     /* 95 % interval of mean_b alone */
    double high_b;
    double df; /* 0: noise unknown */
    enum change_noise noise;
};

__attribute__((warn_unused_result)) int change_of(const struct change_side *a,
                                                  const struct change_side *b, struct change *out);
/* a->value[i] and b->value[i] were measured one after the other; -EINVAL where n differs. */
__attribute__((warn_unused_result)) int
change_of_pairs(const struct change_side *a, const struct change_side *b, struct change *out);

/* Does the interval exclude no change? False where the noise is unknown. */
bool change_is_seen(const struct change *change);

#endif
