/* study/evidence_priv.h — what the numbers of a run say about each other, and about what was
 * written.
 * Shape    an outcome in, one number out; nothing is asked of the target.
 * Units    shares, 1 the whole; bits per byte.
 * Errors   below 0: cannot be said of this run.   Threads  no state.
 * Source   docs/measuring.md, "Checks"; tests/unit/test_evidence.c. */
#ifndef LOADLINE_STUDY_EVIDENCE_PRIV_H
#define LOADLINE_STUDY_EVIDENCE_PRIV_H

#include "engine/engine.h"
#include "fileset/site.h"

/* Below it files are sparse or compressed. */
#define EVIDENCE_STORED_FRAC 0.99

/* The rate over time, added up over the window, of what the streams themselves counted in it: of
 * ops and bytes the one that is further from 1. Two counts that share no memory; the sync that ends
 * a tree belongs to no stream and is left out. */
double evidence_series_frac(const struct engine_outcome *sum, const struct plan *plan);

/* Little's law of a closed loop: time spent in ops, all streams, of streams × elapsed; those that
 * failed count as well, those that were under way when the window closed with their part of it. */
double evidence_at_target_frac(const struct engine_outcome *sum, const struct plan *plan);

/* Time spent in ops that failed, which is in no line, of streams × elapsed. */
double evidence_failed_frac(const struct engine_outcome *sum);

/* The rate, of what loadline alone could do on as many processors as it used. */
double evidence_of_null_frac(const struct engine_outcome *sum, double null_op_ns, unsigned cpus);

/* What files occupy, of what they are long. */
double evidence_stored_frac(const struct site_stored *stored);

/* Shannon's entropy of single bytes; n > 0. */
double evidence_entropy(const unsigned char *bytes, size_t n);

/* Of the beginning of what a fileset's files hold. */
double evidence_content_entropy(uint64_t seed, const struct fileset_spec *spec);

#endif
