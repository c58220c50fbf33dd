/* probe/metrics_priv.h — what the metrics of a server mean.
 * Shape    a metric's key is taken apart into its name and labels; the table in metrics.c says of which kind of track
 *          a name is; metrics_sights adds up what belongs together, the modes of a processor for one.
 * Units    those of the exporters (node_exporter of Prometheus): bytes, seconds, counts.
 * Limits   METRIC_LABELS_MAX labels are looked at. Names that are not in the table mean nothing here. A key
 *          that comes twice is added up.
 * Errors   -ENOMEM.                              Threads  none of its own.
 * Source   the exporter's documentation of its collectors; tests/unit/test_probe_text.c. */
#ifndef LOADLINE_PROBE_METRICS_PRIV_H
#define LOADLINE_PROBE_METRICS_PRIV_H

#include "probe/probe_priv.h"

#include <stddef.h>

#define METRIC_LABELS_MAX 16
#define METRIC_LABEL_MAX  TRACK_NAME_MAX

struct metric_label {
    const char *name; /* within the key, not ended */
    size_t len;
    char value[METRIC_LABEL_MAX]; /* without its backslashes; what is longer is cut */
};

struct metric_name {
    const char *name; /* within the key, not ended */
    size_t len;
    unsigned labels;
    struct metric_label label[METRIC_LABELS_MAX];
};

/* Takes `NAME{LABEL="VALUE",…}` apart. What stands behind it, NULL where it is none. */
const char *metric_key_parse(const char *key, struct metric_name *out);
/* "" where there is no such label. */
const char *metric_label(const struct metric_name *metric, const char *name);

__attribute__((warn_unused_result)) int metrics_sights(const struct probe_metric *metric,
                                                       unsigned n, struct sights *out);

#endif
