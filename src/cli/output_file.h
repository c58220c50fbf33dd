/* cli/output_file.h — the file behind -o.
 * Shape    output_file_check before anything is measured, output_file_write at the end.
 * Limits   never replaces a file unless forced; what is there is replaced whole or not at all; of a
 *          link, what it leads to. Never the database.
 * Errors   -EINVAL the suffix names no format, it is the database, or forced without a file; -EEXIST there is such a file; the system's own.
 * Threads  no state. */
#ifndef LOADLINE_CLI_OUTPUT_FILE_H
#define LOADLINE_CLI_OUTPUT_FILE_H

#include "report/report.h"

/* path NULL: there is no -o. db: as given. */
__attribute__((warn_unused_result)) int output_file_check(const char *path, bool force,
                                                          const char *db,
                                                          enum report_format *format,
                                                          struct err *err);
__attribute__((warn_unused_result)) int output_file_write(const char *path, bool force,
                                                          const struct text *text, struct err *err);

#endif
