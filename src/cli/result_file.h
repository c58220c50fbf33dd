/* cli/result_file.h — results in a file: one JSON document, or an array of them.
 * Limits   1 GiB.
 * Errors   -EINVAL not such a file; those of result_parse and of the system; the path is named.
 * Threads  no state. */
#ifndef LOADLINE_CLI_RESULT_FILE_H
#define LOADLINE_CLI_RESULT_FILE_H

#include "result/result.h"

/* *out and what is in it are freed with store_results_free. */
__attribute__((warn_unused_result)) int result_file_load(const char *path, struct result ***out,
                                                         unsigned *n, struct err *err);

#endif
