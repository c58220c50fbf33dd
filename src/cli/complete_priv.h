/* cli/complete_priv.h — what could stand where the cursor is: the answer that grows, and who adds to it.
 * Shape    complete.c asks the tables of the commands, complete_store.c the database.
 * Errors   none: what cannot be told is not offered.
 * Threads  main thread.
 * Source   tests/cli/test_completions.py. */
#ifndef LOADLINE_CLI_COMPLETE_PRIV_H
#define LOADLINE_CLI_COMPLETE_PRIV_H

#include "cli/cli.h"

struct completion {
    struct text out;
    const char *cur;  /* what is typed of the word so far */
    const char *lead; /* "--format=" when only what is behind it is completed */
    size_t lead_len;
    const char *db; /* as on the command line; NULL */
};

/* One line: the word, and behind a tab what it is. */
void complete_offer(struct completion *c, const char *word, size_t len, const char *about);
/* By id and by label; by name. */
void complete_studies(struct completion *c);
void complete_baselines(struct completion *c);

#endif
