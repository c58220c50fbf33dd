/* engine/facts_priv.h — what a target tells, as key, value and unit.
 * Shape    a sink collects; differences and sums by key.
 * Units    as the target says; whole numbers are added and subtracted, words taken over. Of a key that
 *          ends in _longest_ns the larger stays, and the difference is it, or 0 when it has not grown; one
 *          that ends in .servers is a level, and stays as it is.
 * Errors   -ENOMEM; through a sink it shows in facts.failed.      Threads  single owner. */
#ifndef LOADLINE_ENGINE_FACTS_PRIV_H
#define LOADLINE_ENGINE_FACTS_PRIV_H

#include "engine/engine.h"

/* Totals when the window opened. */
struct facts_before {
    struct engine_facts counters;
    struct engine_facts truth;
};

void facts_before_fini(struct facts_before *before);
struct target_sink facts_sink(struct engine_facts *facts);
void facts_fini(struct engine_facts *facts);
__attribute__((warn_unused_result)) int facts_put(struct engine_facts *facts, const char *key,
                                                  const char *value, const char *unit);
/* Numbers of `after` minus those of `before`. */
__attribute__((warn_unused_result)) int facts_difference(struct engine_facts *out,
                                                         const struct engine_facts *before,
                                                         const struct engine_facts *after);
/* Numbers of `from` added to those of `into`; what only one of them has is kept. */
__attribute__((warn_unused_result)) int facts_sum(struct engine_facts *into,
                                                  const struct engine_facts *from);

#endif
