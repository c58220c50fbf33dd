/* cli/measure.h — what the commands that measure have in common around their study.
 * Shape    measure_run checks what can be checked without measuring (address, -o, store), runs the
 *          study, prints and stores. Returns the exit status.
 * Threads  main thread. */
#ifndef LOADLINE_CLI_MEASURE_H
#define LOADLINE_CLI_MEASURE_H

#include "cli/cli.h"
#include "cli/study_values.h"
#include "study/study.h"

struct measure {
    const struct command *command;
    int argc; /* behind the command's name, as typed */
    char *const *argv;
    const char *const *target;
    unsigned targets;
    const struct output_values *output;
    const struct study_values *study;
    bool keep;
    bool classic;
    bool filebench;
    const struct limits_published *published; /* limits; may be NULL */
    bool dry_run; /* what is told is the answer, and there are no results to keep */
    bool table;   /* its text is a tree table, printed row by row */
    int (*run)(const struct study_common *common, const void *options,
               const struct study_sink *sink, struct err *err);
    const void *options;
    const struct study_past *past; /* --resume; NULL: a new study */
};

int measure_run(const struct measure *m);

#endif
