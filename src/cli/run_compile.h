/* cli/run_compile.h — from the word for a workload to its script, for a target.
 * Shape    run_compile_begin looks at the target's address, run_compile_workload opens and compiles a
 *          workload for it and says what there is to say of the file.
 * Errors   negative errno; of the workload all has been said on stderr by then.
 * Threads  single owner. The struct must outlive what is compiled with it no longer than the call. */
#ifndef LOADLINE_CLI_RUN_COMPILE_H
#define LOADLINE_CLI_RUN_COMPILE_H

#include "cli/study_values.h"

#include "plan/plan.h"
#include "script/script.h"
#include "target/target.h"

struct run_compile {
    /* Name, target, caps, instrument and environment are filled in, seed, and max_memory_bytes: as
     * the study says, else a quarter of what this machine has. */
    struct script_options options;
    struct target_caps caps;
    struct plan_instrument instrument;
};

/* destroy: the block device that the target must be, allowed already; NULL. */
__attribute__((warn_unused_result)) int run_compile_begin(struct run_compile *c, const char *target,
                                                          const struct study_values *study,
                                                          const char *destroy, struct err *err);
__attribute__((warn_unused_result)) int run_compile_workload(struct run_compile *c,
                                                             const char *word, struct script **out);
/* Of a suite (NULL: none), whose path this is. `err` is filled in where the workload cannot be opened: then
 * nothing has been said. */
__attribute__((warn_unused_result)) int run_compile_of_suite(struct run_compile *c,
                                                             const char *suite, const char *word,
                                                             struct script **out, struct err *err);
/* --dry-run; returns an exit status. */
int run_compile_show(struct script *const *scripts, unsigned n);

#endif
