/* cli/marks.h — what `loadline mark` noted in the store while a run went on, into its result.
 * Shape    marks_take before a result is sealed, marks_drop when it is kept.
 * Units    at_ns of a mark since the gate opened; below 0 between the run before and this one.
 * Limits   RESULT_MARKS_MAX a run; more go to the next one.
 * Errors   a store that does not answer is warned of: the run is kept all the same, and so are the marks.
 * Threads  main thread.
 * Source   tests/cli/test_mark.py. */
#ifndef LOADLINE_CLI_MARKS_H
#define LOADLINE_CLI_MARKS_H

#include "store/store.h"

struct marks {
    unsigned n;
    struct store_mark mark[RESULT_MARKS_MAX];
};

/* Nothing of a result that does not say when its gate opened. */
void marks_take(struct store *store, struct result *r, struct marks *out);
void marks_drop(struct store *store, const struct marks *marks);
/* Says how many there are that came after the last run. */
void marks_left(struct store *store, const char *id);

#endif
