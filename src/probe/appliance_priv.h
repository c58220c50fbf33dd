/* probe/appliance_priv.h — series that an appliance exported, as a table of text: docs/measuring.md, "Series of an appliance".
 * Shape    csv_header_parse takes the first line, csv_row_parse each other one. A column is a track: KIND, KIND:NAME,
 *          KIND:NAME=CAPACITY.
 * Units    of the kind; `50%` is 0.5. Times: ns since 1970, of the appliance's clock.
 * Limits   CSV_COLUMNS_MAX. A cell that is empty was not seen.
 * Errors   -EINVAL with words.                   Threads  values.
 * Source   tests/unit/test_probe_csv.c; tests/fuzz/fuzz_metrics.c. */
#ifndef LOADLINE_PROBE_APPLIANCE_PRIV_H
#define LOADLINE_PROBE_APPLIANCE_PRIV_H

#include "base/err.h"
#include "stats/track.h"

#define CSV_COLUMNS_MAX 1024

struct csv_column {
    enum track_kind kind;
    char name[TRACK_NAME_MAX];
    double capacity; /* 0: not told */
};

struct csv_table {
    unsigned n; /* columns beside the time */
    struct csv_column column[CSV_COLUMNS_MAX];
};

/* Lines are ended, without their newline, and cut up. */
__attribute__((warn_unused_result)) int csv_header_parse(char *line, struct csv_table *out,
                                                         struct err *err);
/* value[table->n], NAN where nothing was seen. */
__attribute__((warn_unused_result)) int csv_row_parse(const struct csv_table *table, char *line,
                                                      int64_t *wall_ns, double *value,
                                                      struct err *err);
/* "2026-12-01T15:00:00.5Z", "2026-12-01 15:00:00+01:00", "1764601200.5"; without a zone it is UTC. */
__attribute__((warn_unused_result)) int csv_time_parse(const char *text, int64_t *wall_ns,
                                                       struct err *err);
/* "+2.5s", "-300ms". */
__attribute__((warn_unused_result)) int csv_ahead_parse(const char *text, int64_t *ns,
                                                        struct err *err);

#endif
