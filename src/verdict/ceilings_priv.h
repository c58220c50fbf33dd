/* verdict/ceilings_priv.h — the parts of the table of ceilings.
 * Shape    ceilings.c sorts results into rows; for each, ceiling_row.c reckons the value, with the pooled latency
 *          (ceiling_latency.c), where the bytes came from (ceiling_place.c) and what stopped it (findings.h).
 * Units    as in ceilings.h.
 * Errors   -ENOMEM.                              Threads  values.
 * Source   tests/unit/test_ceilings.c, test_ceiling_place.c, test_ceiling_latency.c. */
#ifndef LOADLINE_VERDICT_CEILINGS_PRIV_H
#define LOADLINE_VERDICT_CEILINGS_PRIV_H

#include "verdict/ceilings.h"

/* ---- ceiling_words.c ---- */

/* Place in the ladder; rows that are not known stand behind all others. */
unsigned ceiling_rank(const char *row);
/* The option's words, "" where it is absent. */
const char *ceiling_option(const struct result *r, const char *key);
bool ceiling_option_is(const struct result *r, const char *key, const char *value);

/* ---- ceiling_row.c ---- */

/* The line that counts; NULL: none of that name. */
const struct result_line *ceiling_line(const struct result *r);
void ceiling_point_of(const struct result *r, enum ceiling_metric metric,
                      struct ceiling_point *out);
/* Is it one of the runs that the value is made of: the finals, without any the best of the others? */
bool ceiling_is_value(const struct ceiling *c, const struct ceiling_point *p);
/* Everything else of a row whose points are there. */
__attribute__((warn_unused_result)) int ceiling_finish(struct ceiling *c);

/* ---- ceiling_latency.c ---- */

/* Of a modelled server the time that it took itself, as published bands were taken there; else of the line. */
const struct hist *ceiling_times(const struct result *r);
void ceiling_latency_of(const struct hist *pooled, struct ceiling_latency *out);

/* ---- ceiling_place.c ---- */

/* Fills place, place_frac and proof by the runs that the value is made of, at least one. Returns whether they are what
 * the row's name says: false only where something shows that they are not. */
bool ceiling_place_of(struct ceiling *c);
/* Of one run; `proof` stays as it is where nobody knows. */
bool ceiling_place_of_run(const struct result *r, double *frac,
                          char proof[sizeof((struct ceiling *)NULL)->proof]);

#endif
