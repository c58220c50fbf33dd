/* cli/unknown_name.h — what is said of a word that names no result.
 * Shape    the nearest of ids, labels, baselines and shipped results, and which commands list them.
 * Errors   always -ENOENT.                       Threads  main thread.
 * Source   tests/cli/test_compare.py. */
#ifndef LOADLINE_CLI_UNKNOWN_NAME_H
#define LOADLINE_CLI_UNKNOWN_NAME_H

#include "cli/select.h"

/* The selector's store is open. study[0 … studies) is what it holds. */
__attribute__((warn_unused_result)) int unknown_name(const struct selector *s, const char *word,
                                                     const struct store_study *study,
                                                     unsigned studies, struct err *err);

#endif
