/* base/draw.h — numbers drawn from a distribution, as workload files describe them.
 * Shape    a value: filled in by whoever reads the description, completed and checked by draw_check,
 *          then draw_real or draw_count as often as liked.
 * Units    whatever is drawn: bytes, a count, an index.
 * Limits   a draw is at most draw_bound: beyond it (less than one in 10^9) it is drawn again. A table has at
 *          most DRAW_ROWS_MAX rows.
 * Errors   -EINVAL with words: percentages that do not sum to 100, a shape that is not above 0.
 * Threads  a value, read-only after draw_check; the generator is the caller's.
 * Source   specs 6.5, 6.6; Marsaglia and Tsang 2000 for gamma. tests/unit/test_draw.c: means,
 *          quantiles and chi-square of each kind. */
#ifndef LOADLINE_BASE_DRAW_H
#define LOADLINE_BASE_DRAW_H

#include "base/err.h"
#include "base/rng.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

#define DRAW_ROWS_MAX 100

enum draw_kind {                   /* a, b, c */
                 DRAW_FIXED,       /* value */
                 DRAW_UNIFORM,     /* low, high */
                 DRAW_GAMMA,       /* shape, scale */
                 DRAW_TABULAR,     /* rows: by weight, then linear inside */
                 DRAW_ERLANG,      /* shape (whole), mean of one stage */
                 DRAW_EXPONENTIAL, /* mean */
                 DRAW_LOGNORMAL,   /* mu, sigma */
                 DRAW_NORMAL,      /* mean, sigma */
                 DRAW_TRIANGULAR,  /* low, high, mode */
                 DRAW_WEIBULL,     /* shape, scale */
};

struct draw_row {
    uint32_t percent;
    double low;
    double high;
};

/* value = clip(round(offset + scale_by · x)), x as the kind says. */
struct draw {
    enum draw_kind kind;
    double a;
    double b;
    double c;
    double scale_by; /* 0: 1 */
    double offset;
    double round; /* to the nearest multiple; 0: none */
    double min;   /* clipped to [min, max]; both 0: not clipped */
    double max;
    unsigned rows;
    struct draw_row row[DRAW_ROWS_MAX];
    /* Completed by draw_check. */
    double bound;
};

__attribute__((warn_unused_result)) int draw_check(struct draw *draw, struct err *err);

double draw_real(const struct draw *draw, struct rng *rng);
/* Truncated toward zero; below 0 is 0. */
uint64_t draw_count(const struct draw *draw, struct rng *rng);

/* The largest that is drawn, and the mean of what is drawn before rounding and clipping. */
double draw_bound(const struct draw *draw);
double draw_mean(const struct draw *draw);

/* "gamma shape=1.5 scale=10922.67", for a plan's canonical form. */
void draw_text(const struct draw *draw, struct text *out);

#endif
