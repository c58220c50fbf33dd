/* cli/sides.h — words of a command line into the sides of a comparison.
 * Shape    sides_find: a word a side, or one study of several targets into a side per target.
 * Errors   -EINVAL one word that is not such a study; those of cli/select.h.
 * Threads  main thread. */
#ifndef LOADLINE_CLI_SIDES_H
#define LOADLINE_CLI_SIDES_H

#include "cli/options.h"
#include "cli/select.h"

#include "verdict/compare.h"

struct sides {
    unsigned n;
    struct compare_side *side; /* names and results are borrowed from what stands below */
    struct selection *selection;
    unsigned selections;
    struct result **by_target; /* of one selection, target by target */
};

__attribute__((warn_unused_result)) int
sides_find(struct sides *out, const char *db, const char *const *word, unsigned n, struct err *err);
void sides_fini(struct sides *sides);

/* "ops,p99": for OPTION_OWN_PARSER. */
struct compare_metrics {
    unsigned n;
    enum rows_metric metric[ROWS_METRICS];
};
int compare_metrics_parse(const char *text, void *metrics, struct err *err);
#define COMPARE_METRICS_ACCEPTS                                                                    \
    "some of ops, bytes, time, p50, p95, p99, p99.9 and max, with commas between them"

#endif
