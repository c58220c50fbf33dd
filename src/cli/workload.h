/* cli/workload.h — a workload by the word for it: a file, or one that is shipped.
 * Shape    a word with a slash, or that ends in .f, is a file. Any other is a shipped name, else a file of
 *          that name, with or without .f. What a file loads is looked for beside it, in the working
 *          directory, then among what is shipped.
 *          A word in a suite is looked for beside that instead of the working directory.
 * Errors   -ENOENT with the nearest name; the system's own of a file.
 * Threads  single owner. */
#ifndef LOADLINE_CLI_WORKLOAD_H
#define LOADLINE_CLI_WORKLOAD_H

#include "base/err.h"
#include "lang/lang.h"

struct workload {
    char *name; /* without directory and suffix */
    char *path; /* as remarks name it */
    char *text;
    size_t len;
};

__attribute__((warn_unused_result)) int workload_open(struct workload *w, const char *word,
                                                      const char *suite, struct err *err);
/* The whole of a file, at most LANG_TEXT_MAX. *out is the caller's. */
__attribute__((warn_unused_result)) int workload_read(const char *path, char **out, size_t *len,
                                                      struct err *err);
void workload_close(struct workload *w);
/* "varmail" of varmail and of /tmp/varmail.f, whether there is such a file or not; the caller's, NULL out of
 * memory. */
char *workload_name(const char *path);
/* For lang_parse; w is borrowed. */
struct lang_loader workload_loader(struct workload *w);

#endif
