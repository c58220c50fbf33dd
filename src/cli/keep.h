/* cli/keep.h — where a study's results go: the store, and when that fails a file (cli/spill.h).
 * Shape    keep_run for each, then keep_end; part of recorder.c's work.
 * Errors   keep_run: only when neither takes the run. Everything else is said as a warning.
 * Threads  main thread.
 * Source   docs/adr/0014; tests/cli/test_store.py. */
#ifndef LOADLINE_CLI_KEEP_H
#define LOADLINE_CLI_KEEP_H

#include "cli/recorder.h"

/* Seals r, which is rec->result[rec->n], not yet counted. */
__attribute__((warn_unused_result)) int keep_run(struct recorder *rec, struct result *r,
                                                 struct err *err);
/* Says where they are. -errno when the end could not be kept. */
__attribute__((warn_unused_result)) int keep_end(struct recorder *rec);
/* What shows the study again. */
void keep_add_show_command(struct text *out, const struct recorder *rec);

#endif
