/* unit/finding_case.h — one run, or one beside a quiet one, and what rules say of it.
 * Shape    case_new → change the runs → case_says / case_silent … → case_free.
 * Errors   out of memory aborts. */
#ifndef LOADLINE_TESTS_FINDING_CASE_H
#define LOADLINE_TESTS_FINDING_CASE_H

#include "unit/limits_by_hand.h"
#include "verdict/findings_priv.h"

struct finding_case {
    struct side runs;
    struct result *r; /* at the top */
    struct result *quiet;
    struct finding found[FINDINGS_MAX];
    unsigned n;
};

/* The top at 64 streams and 1,000 ops/s, the quiet run at one stream and 100. */
static inline void case_new(struct finding_case *c, const struct limit_row *row)
{
    memset(c, 0, sizeof *c);
    c->quiet = limit_add(&c->runs, row, "ramp", 1, 100);
    c->r = limit_add(&c->runs, row, "final", 64, 1000);
    limit_word(c->r, "ramp_end", "flat");
}

static inline void case_free(struct finding_case *c)
{
    side_free(&c->runs);
}

static inline const struct finding *case_finding(struct finding_case *c, const char *rule)
{
    c->n = findings_among(c->r, c->quiet, c->found);
    for (unsigned i = 0; i < c->n; i++)
        if (strcmp(c->found[i].rule, rule) == 0)
            return &c->found[i];
    return NULL;
}

static inline const struct finding *case_says(struct finding_case *c, const char *rule)
{
    const struct finding *f = case_finding(c, rule);

    if (!f)
        fail_msg("%s is not found", rule);
    assert_true(f->words[0] != '\0');
    return f;
}

static inline void case_silent(struct finding_case *c, const char *rule)
{
    const struct finding *f = case_finding(c, rule);

    if (f)
        fail_msg("%s is found: %s: %s", rule, f->words, f->evidence);
}

/* Nothing stops it as far as anybody knows. */
static inline void case_unknown(struct finding_case *c)
{
    c->n = findings_among(c->r, c->quiet, c->found);
    const struct finding *f = findings_limiter(c->found, c->n);

    if (f)
        fail_msg("%s is named: %s: %s", f->rule, f->words, f->evidence);
}

static inline const struct finding *case_limiter(struct finding_case *c)
{
    c->n = findings_among(c->r, c->quiet, c->found);
    return findings_limiter(c->found, c->n);
}

static inline void case_cores(struct result *r, enum track_end end, unsigned n, double busy)
{
    for (unsigned i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "%u", i);
        limit_track(r, end, TRACK_CPU, name, busy, 1);
    }
}

#endif
