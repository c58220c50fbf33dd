/* cli/output_file.h — the file behind -o.
 * Shape    output_file_check before anything is measured, output_file_write at the end; what is no
 *          report is written by others between output_part_open and output_part_close.
 * Limits   never replaces a file unless forced; what is there is replaced whole or not at all; of a
 *          link, what it leads to. Never the database.
 * Errors   -EINVAL the suffix names no format, it is the database, or forced without a file; -EEXIST there is such a file; the system's own.
 * Threads  no state. */
#ifndef LOADLINE_CLI_OUTPUT_FILE_H
#define LOADLINE_CLI_OUTPUT_FILE_H

#include "report/report.h"

#include <limits.h>

/* path NULL: there is no -o. db: as given. */
__attribute__((warn_unused_result)) int output_file_check(const char *path, bool force,
                                                          const char *db,
                                                          enum report_format *format,
                                                          struct err *err);
/* The same without a format: its suffix is its maker's question. */
__attribute__((warn_unused_result)) int output_file_check_place(const char *path, bool force,
                                                                const char *db, struct err *err);
__attribute__((warn_unused_result)) int output_file_write(const char *path, bool force,
                                                          const struct text *text, struct err *err);

/* Would both be one file? Also of names for what is not there yet. */
bool output_file_same(const char *a, const char *b);

/* A file that is not there under its name before it is whole. */
struct output_part {
    int fd; /* to be written to, and synced before it is closed */
    bool force;
    char path[PATH_MAX];
    char name[PATH_MAX];
};
__attribute__((warn_unused_result)) int output_part_open(struct output_part *part, const char *path,
                                                         bool force, struct err *err);
/* rc: of the writing; below 0 what there is goes away, and rc is returned. */
__attribute__((warn_unused_result)) int output_part_close(struct output_part *part, int rc,
                                                          struct err *err);

#endif
