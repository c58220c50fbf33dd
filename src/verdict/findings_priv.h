/* verdict/findings_priv.h — what rules look at, and the rules themselves.
 * Shape    a rule is a function that looks at one run and either says nothing or fills in a finding; findings.c runs
 *          the tables. Thresholds stand beside each rule, with the number of the check of measuring.
 * Limits   A rule says nothing where it lacks a fact, and where what it sees may have another cause.
 * Threads  values.
 * Source   tests/unit/test_findings*.c. */
#ifndef LOADLINE_VERDICT_FINDINGS_PRIV_H
#define LOADLINE_VERDICT_FINDINGS_PRIV_H

#include "verdict/findings.h"

/* One run, as rules see it. */
struct look {
    const struct result *r;
    /* The same row with little load, to tell what is full whatever is asked; NULL: none. */
    const struct result *quiet;
    const struct result_line *line; /* that counts */
    const char *claim;              /* "cache" "disk" "flash" "log" "names", "" */
    bool modelled;
    bool local;  /* what is measured is in this machine */
    bool writes; /* data goes to the target */
    bool moves;  /* data goes at all */
    double seconds;
    double streams;
    double ops;   /* /s, of the line */
    double bytes; /* /s */
};

struct rule {
    const char *name;
    enum finding_weight weight;
    bool (*applies)(const struct look *l, struct finding *f);
};

/* Behind the last stands one without a name. */
extern const struct rule findings_client_rules[];
extern const struct rule findings_server_rules[];
extern const struct rule findings_doubt_rules[];

/* For rules. */
double look_option(const struct look *l, const char *key); /* NAN: not there, or no number */
double look_counter(const struct look *l, const char *key);
bool look_option_is(const struct look *l, const char *key, const char *value);

#endif
