/* cli/resume.h — what --resume names: an interrupted study, what was typed for it, its results.
 * Shape    resume_take, then the study is measured with what `then` holds → resume_fini. What is
 *          typed now must be what was typed then; nothing of it needs to be.
 * Errors   said on stderr.                       Threads  main thread. */
#ifndef LOADLINE_CLI_RESUME_H
#define LOADLINE_CLI_RESUME_H

#include "cli/cli.h"
#include "cli/study_values.h"
#include "study/study.h"

struct resume {
    struct study_past past;
    char id[RESULT_ID_MAX];
    struct result **result;
    char **word; /* typed then; what `then` was parsed into points into it */
};

/* false: end with *status. `output` is where the values of this command line say the store is; its
 * tables are those that may differ. */
__attribute__((warn_unused_result)) bool
resume_take(struct resume *r, const char *name, const struct command *command,
            const struct options_parsed *now, struct options_parsed *then,
            const struct output_values *output, int *status);
void resume_fini(struct resume *r);

#endif
