/* report/trust_priv.h — what the checks of several runs share.
 * Shape    report_look_for over a check, then report_where and the words.
 * Units    as result.h; a check says by how much a run passes its limit.
 * Errors   none.                                 Threads  no state. */
#ifndef LOADLINE_REPORT_TRUST_PRIV_H
#define LOADLINE_REPORT_TRUST_PRIV_H

#include "report/report_priv.h"

/* Above these (docs/measuring.md) … */
#define REPORT_STEAL_FRAC 0.05
#define REPORT_STEAL_NS   30000000.0 /* and three ticks of the kernel at least */
/* … and below these. */
#define REPORT_CLOCK_FRAC   0.90 /* of the processors' nominal frequency */
#define REPORT_CLOCK_ROUNDS 2    /* looked at so often at least */

/* What a check found among the runs. */
struct report_found {
    unsigned n;
    const struct result *worst;
    double most; /* beyond the limit */
};
/* `beyond` says by how much a run passes its limit; 0 and less: it does not, or cannot be said. */
struct report_found report_look_for(struct result *const *results, unsigned n,
                                    double (*beyond)(const struct result *r));
#define REPORT_WHERE_MAX 64
/* "run 5: " or "3 of 12 runs, worst run 5: "; of a single run there is nothing to tell apart. */
const char *report_where(char buf[REPORT_WHERE_MAX], const struct report_found *found, unsigned n);

/* disturbance.c: what happened to this machine meanwhile; what the set-up makes of the numbers. */
void report_about_disturbance(struct text *out, struct result *const *results, unsigned n,
                              unsigned width);
void report_about_caveats(struct text *out, struct result *const *results, unsigned n,
                          unsigned width);

#endif
