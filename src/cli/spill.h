/* cli/spill.h — a file for the results of a study whose store takes no more of them.
 * Shape    spill_put at the first run that could not be stored, and at each one after it; spill_end.
 *          What is in the file is a study's file (result/study_file.h), not packed, and complete: the
 *          runs that the store has taken are in it too, so that `import` can complete the store or
 *          begin another one.
 * Limits   places are tried in turn: beside the database, the current directory, $TMPDIR or /tmp; when
 *          one fills up too, the next gets all of it. What spill_put has returned from is on stable
 *          storage, and stays in the file when a later run does not get there.
 * Errors   -errno of the last place, with words.  Threads  main thread.
 * Source   docs/adr/0014; tests/cli/test_store.py. */
#ifndef LOADLINE_CLI_SPILL_H
#define LOADLINE_CLI_SPILL_H

#include "result/study_file.h"

#include <limits.h>

struct spill {
    bool open;
    int fd;
    unsigned place; /* which of those that are tried */
    unsigned runs;  /* in the file */
    struct study_writer *writer;
    char path[PATH_MAX];
};

/* run[0 … n) are all there are; db: the path of the database. */
__attribute__((warn_unused_result)) int spill_put(struct spill *s, const char *db,
                                                  const struct study_head *head,
                                                  struct result *const *run, unsigned n,
                                                  struct err *err);
__attribute__((warn_unused_result)) int spill_end(struct spill *s, const char *state,
                                                  uint64_t ended_wall_ns, struct err *err);
/* The file stays. */
void spill_fini(struct spill *s);

#endif
