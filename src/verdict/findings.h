/* verdict/findings.h — what stopped a run, by what was seen: rules over one result, or over a few.
 * Shape    findings_of runs every rule over one result; the limiter is the finding that `limits` and has the
 *          largest use. findings_changed compares a run with one whose load was changed in one thing.
 * Limits   A limiter is named only at FINDING_FULL_FRAC of a resource or above, or when a changed load proves
 *          it. FINDINGS_MAX. Never reads result.truth: nobody on a real system has that.
 * Errors   none: what a rule needs and does not find makes it silent.
 * Threads  values.
 * Source   each rule names its threshold and where it is from (specs of measuring, check numbers);
 *          tests/unit/test_findings*.c, tests/truth/test_limits_causes.c. */
#ifndef LOADLINE_VERDICT_FINDINGS_H
#define LOADLINE_VERDICT_FINDINGS_H

#include "result/result.h"

#define FINDINGS_MAX      32
#define FINDING_FULL_FRAC 0.95

enum finding_weight {
    FINDING_LIMITS, /* this stops it */
    FINDING_DOUBTS, /* the number is not what it says: cached, starved, unequal, disturbed, cheap data */
    FINDING_NOTES, /* worth knowing beside it */
};

struct finding {
    const char *rule; /* static, "server-nic": docs/measuring.md has one line for each */
    enum finding_weight weight;
    bool
        at_client; /* LIMITS: it is this machine, or those that ask: a lower bound for the server */
    double use_frac;    /* LIMITS by a resource: how much of it; 0 where proven by a changed load */
    char words[96];     /* "server port eth0 at line rate" */
    char evidence[160]; /* "1.16 of 1.16 GiB/s in (99.8 %), mean of 60 s" */
    char advice[96];    /* what to try; "" */
};

unsigned findings_of(const struct result *r, struct finding out[FINDINGS_MAX]);
/* `changed` differs from `base` in the one option named by its option "changed": what that proves. */
unsigned findings_changed(const struct result *base, const struct result *changed,
                          struct finding out[FINDINGS_MAX]);
/* The limiter among them; NULL: unknown. */
const struct finding *findings_limiter(const struct finding *f, unsigned n);

#endif
