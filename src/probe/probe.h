/* probe/probe.h — watches the machine that measures, and where it tells, the server that is measured.
 * Shape    probe_start begins to look once a period, on a thread of its own; probe_look looks at once, as at the
 *          edges of a window; probe_between gives what was seen between two moments as tracks (stats/track.h);
 *          probe_stop ends it. probe_metrics_between does the same for two texts of metrics, as a model or a
 *          recording has them.
 * Units    ns of CLOCK_MONOTONIC.
 * Limits   keeps PROBE_LOOKS_MAX looks: then every second one goes and the period doubles. Under 0.5 % of a core
 *          at 1,000 threads of ours (bench: probe-cost); at most 64 threads are asked a second, in rotation. A
 *          server's answer: 16 MiB, PROBE_ANSWER_S seconds; what comes later, or is no metrics, is a gap
 *          with a note, and never holds up a run.
 * Errors   -errno and words from probe_start, which asks once (an address that cannot be asked, a file that
 *          cannot be read or is in no known form); afterwards a source that fails is a gap and a note.
 * Threads  probe_look and probe_between from any one thread beside the probe's own.
 * Source   proc(5), the kernel's iostats, psi and nfs mountstats documents, the Prometheus text format;
 *          tests/unit/test_probe_*.c over recorded trees; tests/cli/test_metrics.py. */
#ifndef LOADLINE_PROBE_PROBE_H
#define LOADLINE_PROBE_PROBE_H

#include "base/err.h"
#include "stats/track.h"

#include <stddef.h>

#define PROBE_LOOKS_MAX 1024
#define PROBE_ANSWER_S  2

struct probe_options {
    const char *proc; /* directories like /proc and /sys; NULL: this machine's */
    const char *sys;
    uint64_t period_ns;         /* 0: 1 s */
    const char *server_metrics; /* URL of a Prometheus exporter; NULL: none */
    const char *server_csv;     /* series that an appliance exported; NULL: none */
};

struct probe;

__attribute__((warn_unused_result)) int probe_start(const struct probe_options *options,
                                                    struct probe **out, struct err *err);
void probe_stop(struct probe *p);
/* Looks now, besides the looks of its own; returns when it has looked at this machine. */
void probe_look(struct probe *p);
/* What was seen from from_ns to to_ns; times in `out` count from zero_ns. A window without two looks in it
 * gives tracks without values. Waits for an answer of the server that is under way, at most PROBE_ANSWER_S. */
__attribute__((warn_unused_result)) int probe_between(struct probe *p, uint64_t from_ns,
                                                      uint64_t to_ns, uint64_t zero_ns,
                                                      struct tracks *out);
/* What could not be seen, and why: "server metrics: no answer in 2 s, 3 times". "" when all was. */
void probe_notes(const struct probe *p, char *buf, size_t room);
/* CPU so far of its threads; looks on the caller's are not in it. */
uint64_t probe_cpu_ns(const struct probe *p);

/* One metric of a text: `key` as in the Prometheus text format, labels included. */
struct probe_metric {
    const char *key;
    double value;
};
/* Differences of counters over elapsed_ns, and levels as they are in `after`. The label instance="clientN"
 * says that it is of a client's machine, everything else is the server's. Adds to `out`. */
__attribute__((warn_unused_result)) int probe_metrics_between(const struct probe_metric *before,
                                                              unsigned n_before,
                                                              const struct probe_metric *after,
                                                              unsigned n_after, uint64_t elapsed_ns,
                                                              struct tracks *out);
/* The text format, taken apart. What is no metric is -EINVAL with its line; *out is freed with probe_text_free. */
struct probe_text {
    unsigned n;
    struct probe_metric *metric;
    char *text;
};
__attribute__((warn_unused_result)) int probe_text_parse(const char *text, size_t len,
                                                         struct probe_text *out, struct err *err);
void probe_text_free(struct probe_text *text);

#endif
