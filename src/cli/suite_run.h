/* cli/suite_run.h — a suite by the word for it, all of its workloads compiled.
 * Shape    suite_run_open reads and compiles; the wish of the study is made of what is there then, and
 *          borrows it.
 *          A word that ends in .suite is a file; any other without a slash may be a shipped suite. Two
 *          workloads of one name are told apart: "varmail", "varmail (2)".
 * Errors   an exit status; whatever is wrong with any line has been said on stderr by then.
 * Threads  single owner. */
#ifndef LOADLINE_CLI_SUITE_RUN_H
#define LOADLINE_CLI_SUITE_RUN_H

#include "cli/run_compile.h"
#include "cli/run_values.h"
#include "study/study.h"

struct suite_run {
    char *path; /* as remarks name it */
    char *name; /* without directory and suffix */
    bool shipped;
    struct suite *suite;
    struct script **script; /* [suite->lines] */
    unsigned *repeats;      /* likewise */
    struct lang_remarks remarks;
};

bool suite_run_is(const char *word);
/* Zero bytes before. What `over` says holds for every line. CLI_DONE: all is compiled. To be closed in any
 * case. */
__attribute__((warn_unused_result)) int suite_run_open(struct suite_run *s, const char *word,
                                                       const struct run_compile *compile,
                                                       const struct suite_ask *over,
                                                       const struct run_sets *sets);
struct script_wish suite_run_wish(const struct suite_run *s);
void suite_run_close(struct suite_run *s);

#endif
