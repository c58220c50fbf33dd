/* plan/plan_priv.h — what plan's own files share: the checks and the hashes behind plan_freeze.
 * Errors   as plan/build.h.                      Threads  single owner. */
#ifndef LOADLINE_PLAN_PLAN_PRIV_H
#define LOADLINE_PLAN_PLAN_PRIV_H

#include "base/text.h"
#include "plan/build.h"

struct err;
struct target_caps;

#define PLAN_DIRECT_ALIGN     512u /* at least */
#define PLAN_DIRECT_ALIGN_MAX 32768u

/* What lengths and places of direct I/O at such a target are multiples of. */
unsigned plan_direct_align(const struct target_caps *caps);

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

/* check_step.c: one step by itself. */
__attribute__((warn_unused_result)) int plan_check_step(const struct plan *plan,
                                                        const struct plan_group *group,
                                                        const struct plan_step *step, bool in_body,
                                                        const struct target_caps *caps,
                                                        struct err *err);
/* check_slots.c: all ops of a group, against what is picked for them; completes sizes and places. */
__attribute__((warn_unused_result)) int plan_check_slots(struct plan *plan,
                                                         const struct plan_group *group,
                                                         const struct target_caps *caps,
                                                         struct err *err);
__attribute__((warn_unused_result)) int
plan_check_window(const struct plan *plan, const struct plan_window *window, struct err *err);
void plan_fit_window(struct plan_window *window);

/* READ, WRITE, APPEND. */
bool plan_moves_data(uint16_t op);
/* Behind the last step of the group. */
uint32_t plan_group_stop(const struct plan *plan, const struct plan_group *group);

/* plan_text.c, plan_text_step.c */
/* Between quotes; a byte that could end them, or the line, by its number. */
void plan_text_quoted(struct text *out, const char *s);
void plan_text_step(struct text *out, const struct plan *plan, const struct plan_step *step,
                    uint32_t start, enum plan_form form);

__attribute__((warn_unused_result)) int plan_hash(struct plan *plan, struct err *err);

#endif
