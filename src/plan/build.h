/* plan/build.h — how a plan comes to be, and how it is written down.
 * Shape    plan_new → add sets, lines, schedules, groups and their steps in order → plan_freeze,
 *          which checks everything against the target's caps and computes the hashes.
 *          plan_text prints the canonical form (what the hashes cover, and the golden tests).
 * Errors   -EINVAL, -ENOMEM, -EOPNOTSUPP (the target cannot do an op) with words. The add functions
 *          remember the first failure, so that only plan_freeze need be checked.
 * Threads  single owner until frozen. */
#ifndef LOADLINE_PLAN_BUILD_H
#define LOADLINE_PLAN_BUILD_H

#include "base/text.h"
#include "plan/plan.h"

struct plan_builder;

struct plan_builder *plan_new(uint64_t seed);
void plan_drop(struct plan_builder *b);

void plan_instrument(struct plan_builder *b, const struct plan_instrument *instrument);
void plan_window(struct plan_builder *b, const struct plan_window *window);
uint16_t plan_add_set(struct plan_builder *b, const struct fileset_spec *spec);
/* Two lines of one name are one line. */
uint16_t plan_add_line(struct plan_builder *b, const char *name, uint16_t op, bool open_loop);
/* What the line is a flowop of; reports count by it (base/flowop.h). */
void plan_line_type(struct plan_builder *b, uint16_t line, const char *type);
void plan_line_open_loop(struct plan_builder *b, uint16_t line);
uint16_t plan_add_draw(struct plan_builder *b, const struct draw *draw); /* 1 + its index */
uint16_t plan_add_event(struct plan_builder *b);
uint16_t plan_add_semaphore(struct plan_builder *b, uint64_t credits);
uint16_t plan_add_text(struct plan_builder *b, const char *text); /* one that is there is that */
void plan_quit(struct plan_builder *b, enum plan_quit quit);
uint16_t plan_add_schedule(struct plan_builder *b, const struct plan_schedule *schedule);
void plan_sync_at_end(struct plan_builder *b, uint16_t line);
void plan_touched(struct plan_builder *b, uint64_t block_bytes);

void plan_begin_group(struct plan_builder *b, const char *name, uint32_t streams, uint32_t clients);
/* Of the group begun last. */
void plan_group_processes(struct plan_builder *b, uint32_t first, uint32_t n);
void plan_group_manners(struct plan_builder *b, int nice, int io_priority);
void plan_group_pool(struct plan_builder *b, uint64_t bytes);
void plan_group_detached(struct plan_builder *b, uint32_t most);
uint16_t plan_add_counter(struct plan_builder *b, bool bytes, bool process);
/* The number of the step, for `to`; numbers count from the start of the current section. */
uint32_t plan_add_step(struct plan_builder *b, const struct plan_step *step);
/* Patches the `to` of a step of the current section. */
void plan_step_to(struct plan_builder *b, uint32_t step, uint32_t to);
void plan_step_skip(struct plan_builder *b, uint32_t step, uint32_t skip);
/* How many steps the section has: where the next one will be. */
uint32_t plan_here(const struct plan_builder *b);
/* Closes the current section with PLAN_END: setup → body → teardown → group done. */
void plan_end_section(struct plan_builder *b);

/* Takes the builder (freed in every case). On failure *out is untouched. */
__attribute__((warn_unused_result)) int plan_freeze(struct plan_builder *b,
                                                    const struct target_caps *caps,
                                                    struct plan **out, struct err *err);

/* A frozen plan as another instrument will run it, found out later: only its plan hash changes. */
__attribute__((warn_unused_result)) int
plan_reinstrument(struct plan *plan, const struct plan_instrument *instrument, struct err *err);
/* And another window (a warm-up or a time from the command line); its workload hash changes, too. On
 * failure of either the plan is as it was. */
__attribute__((warn_unused_result)) int
plan_rewindow(struct plan *plan, const struct plan_window *window, struct err *err);

enum plan_form {
    PLAN_FORM_WORKLOAD, /* under the workload hash: what is asked */
    PLAN_FORM_SHOWN,    /* the same, with direct I/O where a workload itself asks for it */
    PLAN_FORM_WHOLE,    /* under the plan hash: with the instrument */
};

void plan_text(const struct plan *plan, enum plan_form form, struct text *out);

#endif
