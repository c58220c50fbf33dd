/* plan/plan_priv.h — what plan's own files share: the checks and the hashes behind plan_freeze.
 * Errors   as plan/build.h.                      Threads  single owner. */
#ifndef LOADLINE_PLAN_PLAN_PRIV_H
#define LOADLINE_PLAN_PLAN_PRIV_H

#include "base/text.h"
#include "plan/plan.h"

struct err;
struct target_caps;

/* Refuses what cannot run, and completes what follows from the steps: slots, loops and buffer_bytes
 * of each group, the sum of streams, and a window whose edges are interval edges. */
__attribute__((warn_unused_result)) int plan_check(struct plan *plan,
                                                   const struct target_caps *caps, struct err *err);

/* plan_between.c: the steps between streams, about time and about the end. */
bool plan_step_is_between(const struct plan_step *step);
__attribute__((warn_unused_result)) int plan_check_between(const struct plan *plan,
                                                           const struct plan_group *group,
                                                           const struct plan_step *step,
                                                           bool in_body, struct err *err);
void plan_text_between(const struct plan *plan, const struct plan_step *step, struct text *out);

__attribute__((warn_unused_result)) int plan_hash(struct plan *plan, struct err *err);

#endif
