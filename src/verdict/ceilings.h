/* verdict/ceilings.h — the results of `limits` as a table: a row per ceiling, with its curve and its limiter.
 * Shape    ceilings_of takes the results of one study, or of several side by side, and gives the rows in the
 *          order of the ladder; ceilings_free.
 * Units    rates /s, bytes/s; times ns; shares 0 … 1.
 * Limits   Everything is read from results (docs/results-format.md, "Options of limits"), nothing else: a
 *          stored study prints the same years later.
 * Errors   -ENOMEM, -EINVAL a result that is none of limits.
 * Threads  values.
 * Source   tests/unit/test_ceilings.c. */
#ifndef LOADLINE_VERDICT_CEILINGS_H
#define LOADLINE_VERDICT_CEILINGS_H

#include "verdict/findings.h"

#define CEILING_MODES_MAX 3

enum ceiling_state {
    CEILING_FOUND,
    CEILING_RISING,     /* the most streams there may be, or there was time for, still gave more: a
                             * lower bound */
    CEILING_STARVED,    /* the cap on bytes left a working set that proves no place */
    CEILING_NOT_PROVEN, /* the bytes came from elsewhere than the row's name says */
    CEILING_INCOMPLETE, /* stopped, or the target died: the best point so far */
    CEILING_NOT_APPLICABLE, /* `why` */
    CEILING_SKIPPED,        /* a fact is missing: `why` says which option gives it */
};

enum ceiling_metric { CEILING_BYTES, CEILING_OPS, CEILING_LATENCY };

struct ceiling_point {
    uint32_t streams;
    double rate; /* bytes/s or ops/s */
    uint64_t p50_ns;
    uint64_t p99_ns;
    double little_frac; /* X·R/N − 1 */
    const char *step;   /* "ramp" "refine" "final" "prove" */
    const struct result *result;
};

/* Of the finals, pooled. */
struct ceiling_latency {
    uint64_t p5_ns, p50_ns, p95_ns, p99_ns;
    unsigned modes;
    uint64_t mode_ns[CEILING_MODES_MAX]; /* the lowest first */
};

struct ceiling {
    char row[32];      /* "read-4k-cache" */
    char protocol[16]; /* "nfs" "nfs-rdma" "smb" "local" "block" … */
    unsigned target;   /* which of ceilings.target */
    enum ceiling_state state;
    char why[160];
    enum ceiling_metric metric;
    double value; /* mean of the finals; bytes/s, ops/s, or for LATENCY the p50 in ns */
    double half;  /* of its 95 % interval; NAN with fewer than two */
    unsigned finals;
    uint32_t knee_streams;
    uint32_t top_streams;  /* of the finals */
    uint32_t most_streams; /* that the ramp went to */
    struct ceiling_latency latency;
    char place[48]; /* "page cache, this machine" "server RAM" "disk" */
    double
        place_frac; /* share of the bytes proven to be from (or to) there; NAN: not proven either way */
    char proof[96]; /* by what: "device bytes 99.6 %", "working set 4.0 x cache" */
    unsigned findings;
    struct finding finding[FINDINGS_MAX];
    const struct finding *limiter; /* NULL: unknown */
    unsigned points;
    struct ceiling_point *point; /* by streams, finals and proofs last */
};

struct ceilings {
    unsigned targets;
    char **target; /* addresses, as given */
    unsigned n;
    struct ceiling *row;
    unsigned found;     /* rows with a value */
    unsigned at_client; /* of them, stopped by this machine or by those that ask */
};

__attribute__((warn_unused_result)) int ceilings_of(struct result *const *results, unsigned n,
                                                    struct ceilings **out, struct err *err);
void ceilings_free(struct ceilings *c);
/* "stream read, cache": what people call the row. NULL: no such row. */
const char *ceiling_title(const char *row);
const char *ceiling_state_name(enum ceiling_state state);

#endif
