/* cli/result_file.h — results in a file: an exported study, a JSON array of results, or one alone.
 * Limits   1 GiB in all.
 * Errors   -EINVAL not such a file; those of study_file_read and of the system; the path is named.
 * Threads  no state. */
#ifndef LOADLINE_CLI_RESULT_FILE_H
#define LOADLINE_CLI_RESULT_FILE_H

#include "result/result.h"

#include <stdbool.h>

/* Does a word name a file? It has a slash in it or the suffix of one, whether there is one or not. */
bool result_file_is(const char *word);

/* *out and what is in it are freed with store_results_free. */
__attribute__((warn_unused_result)) int result_file_load(const char *path, struct result ***out,
                                                         unsigned *n, struct err *err);

#endif
