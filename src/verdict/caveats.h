/* verdict/caveats.h — what of a set-up makes a number mean something else.
 * Shape    facts of target and machine in, a few warnings out: for whoever starts a study, and for
 *          whoever reads its results.
 * Limits   CAVEATS_MAX, each of one line; only what a fact says is said, and only where it
 *          bears on what was done.
 * Errors   none.                                 Threads  values.
 * Source   docs/measuring.md, "The set-up"; tests/unit/test_caveats.c. */
#ifndef LOADLINE_VERDICT_CAVEATS_H
#define LOADLINE_VERDICT_CAVEATS_H

#include "result/result.h"

#define CAVEATS_MAX 12

struct caveat_facts {
    const struct result_facts *target;
    const struct result_facts *machine;
    bool writes;
    bool overwrites; /* what is there already */
    bool direct;     /* O_DIRECT */
    bool synced;     /* O_DSYNC or O_SYNC: a write is done when it is on the medium */
};

struct caveat {
    const char *label; /* static, at most 13 columns */
    char words[200];
};

struct caveat_facts caveat_facts_of(const struct result *r);

/* How many there are. */
unsigned caveats_of(const struct caveat_facts *of, struct caveat out[CAVEATS_MAX]);

#endif
