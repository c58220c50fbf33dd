/* result/result.h — one run's answer: a sealed value, independent of plan, engine and target.
 * Shape    a study fills struct result and calls result_seal, which gives the JSON document; a
 *          reader calls result_parse, which checks version and seal. Everything after this door
 *          (store, report, verdict) works on struct result or its JSON only.
 * Units    in every name; the JSON keys are the same names (docs/results-format.md,
 *          docs/result.schema.json).
 * Limits   RESULT_SCHEMA; a newer document is refused by name, an older one read. At most
 *          RESULT_LINES_MAX lines and RESULT_JSON_MAX bytes. Text is UTF-8: a byte that is not is
 *          written as \xHH.
 * Errors   -EINVAL malformed (where), -EBADMSG broken seal, -EPROTO newer schema, -ENOMEM.
 * Threads  single owner.
 * Source   tests/unit/test_result.c: print → parse → print is the identity; fuzz/fuzz_result.c. */
#ifndef LOADLINE_RESULT_RESULT_H
#define LOADLINE_RESULT_RESULT_H

#include "base/err.h"
#include "stats/samples.h"
#include "stats/series.h"
#include "stats/track.h"

#include <stdbool.h>

#define RESULT_SCHEMA       1
#define RESULT_ID_MAX       16
#define RESULT_LINES_MAX    1024
#define RESULT_CALLS_MAX    64
#define RESULT_STATIONS_MAX 64
#define RESULT_MARKS_MAX    256
#define RESULT_JSON_MAX     (256u << 20)

/* A fact about target, machine or run: "fs_type" "ext4" "". Keys are unique within a list. */
struct result_fact {
    char *key;
    char *value;
    char *unit; /* "" for words */
};

struct result_facts {
    unsigned n;
    unsigned room;
    struct result_fact *fact;
};

struct result_error {
    char op[16];
    char code[24]; /* "EIO" */
    uint64_t count;
    uint64_t first_ns;
    char first_path[256];
    char flowop[128]; /* name of the line, in runs of workload files; "": of none */
};

struct result_stream {
    uint64_t ops;
    uint64_t bytes;
    uint32_t client;
    uint32_t group;
    uint32_t stream;
};

/* Spread over streams: the whole list is not kept. */
struct result_streams {
    unsigned n;
    uint64_t min_ops;
    uint64_t median_ops;
    uint64_t max_ops;
    uint64_t min_bytes;
    uint64_t median_bytes;
    uint64_t max_bytes;
    unsigned slowest_n; /* ≤ 8, slowest first */
    struct result_stream slowest[8];
};

struct result_line {
    char name[128];
    char op[16]; /* kind of op, or of flowop (base/flowop.h) */
    bool open_loop;
    struct samples_line sum;
};

/* Where the bytes of a read came from. Pages are counted just before each pass. */
struct result_cache {
    char mode[16]; /* "drop" "direct" "keep" "ram" "unverified" "uncached" "none" */
    bool applies;  /* the run read something */
    bool resident_known;
    uint64_t resident_bytes; /* in this machine's cache just before reading, summed over passes */
    uint64_t asked_bytes;    /* of how many */
    bool device_known;
    uint64_t device_bytes; /* second witness: /proc/self/io read_bytes over the run, for files and
                            * reads from 4 KiB up, where it was seen to count; in mode "uncached"
                            * what came from the server */
    bool dirty_known;
    uint64_t dirty_bytes; /* of a run that wrote: not yet on stable storage at its end */
};

/* What the target's client itself called for, below the ops: RPCs, from call to reply. */
struct result_call {
    char name[24]; /* of the procedure: "READ" */
    struct hist time;
};

struct result_calls {
    unsigned n; /* kinds; 0 where the client is not our own */
    struct result_call *kind;
};

/* A place in a modelled system where ops are served and wait, or all places of one name together: what is true
 * of it in the window. Nothing but tests may read it: whoever names a limit has to find it out. */
struct result_station {
    char name[24];    /* "cpu" "disk" "client in" */
    uint64_t servers; /* of all places of that name */
    uint64_t visits;
    uint64_t busy_ns;       /* of all servers: by servers and the window's length the utilisation */
    uint64_t worst_busy_ns; /* of the busiest place, for each of its servers */
    uint64_t wait_ns;   /* before service: by visits the mean wait, by the window the mean queue */
    uint64_t inside_ns; /* wait and service */
};

struct result_truth {
    unsigned n; /* stations; 0 of a target that is no model */
    struct result_station *station;
};

/* What somebody noted while the run went on. */
struct result_mark {
    int64_t at_ns; /* since the gate opened */
    char text[120];
};

/* How a run ended. */
enum result_state {
    RESULT_COMPLETE,
    RESULT_INCOMPLETE, /* stopped or stalled: `reason` says by what */
    RESULT_VOID,       /* verification failed: `reason` names file, offset and length */
};

struct result {
    /* Identity. */
    char study_id[RESULT_ID_MAX];
    unsigned run;   /* 1, 2 …: ID.n */
    char study[16]; /* "dirtest" "readtest" "io" "run" "array-test" */
    char phase[16]; /* "write" "read"; "" for io and run */
    char tool_version[32];
    uint64_t begun_wall_ns;
    char *target; /* address as given. Text that is NULL becomes "" when sealed */
    char *label;  /* "" none; likewise system, software */
    char *system;
    char *software;
    /* What was asked. */
    char workload_hash[65];
    char plan_hash[65];
    uint64_t seed;
    char *plan_text; /* canonical form, for a reader years later */
    struct result_facts
        options; /* threads, levels, length_bytes, repeat … as the study names them */
    /* What came out. */
    enum result_state state;
    char *reason; /* "" when complete */
    unsigned passes;
    uint64_t elapsed_ns;
    uint64_t window_open_ns;
    uint64_t window_close_ns;
    uint64_t files; /* of all passes; 0 where there are none */
    uint64_t bytes; /* application bytes of all passes (payload of the phase) */
    bool verified;
    unsigned lines;
    struct result_line *line;
    struct series series; /* lines as above, or none at all (lines 0) */
    struct result_streams streams;
    unsigned errors;
    struct result_error *error;
    struct result_cache cache;
    uint64_t arrivals;
    uint64_t unfinished;
    struct hist lateness;
    struct result_facts target_facts;
    struct result_facts counters;
    struct result_calls calls; /* that ended in the window */
    struct result_truth truth;
    struct tracks tracks; /* resources of both ends over the run */
    unsigned marks;
    struct result_mark *mark; /* by time */
    struct result_facts machine;
    struct result_facts own; /* the tool's own cost and delays; overhead of selftest, where known */
    /* Sealed form; filled by result_seal and result_parse. */
    char seal[65];
    char *document; /* as result_parse was given it; NULL of a result that was made here */
};

struct result *result_new(void);
void result_free(struct result *r);

/* Copies. Later puts of a key replace value and unit. -ENOMEM. */
int result_fact_put(struct result_facts *facts, const char *key, const char *value,
                    const char *unit);
int result_fact_putf(struct result_facts *facts, const char *key, const char *unit, const char *fmt,
                     ...) __attribute__((format(printf, 4, 5)));
/* NULL when absent. */
const char *result_fact_get(const struct result_facts *facts, const char *key);
/* Value as a number; `otherwise` when absent or no number. */
double result_fact_number(const struct result_facts *facts, const char *key, double otherwise);

const struct result_line *result_line_find(const struct result *r, const char *name);
/* Of which model the target was one, by its name; NULL: it was a real system. */
const char *result_modelled(const struct result *r);
/* RPCs that ops took in the window, and how many ops of that kind (NULL: of any) there were, by the counters of
 * our own client; false: not told. */
bool result_calls_per_op(const struct result *r, const char *op, double *calls, double *ops);
uint64_t result_error_count(const struct result *r);

/* Of the results of one study those that count: where several are of one row, phase, run of a script, repeat and side,
 * as in a study that was interrupted and gone on with, the last one that is not incomplete, else the
 * last. counts [n]. -ENOMEM. */
__attribute__((warn_unused_result)) int result_current(struct result *const *results, unsigned n,
                                                       bool *counts);

/* Share of the read bytes that came from this machine's RAM, in [0,1]: by each witness that is
 * known (resident/asked; what the device did not deliver of the bytes of lines that read,
 * base/flowop.h), the larger; 1 in mode "ram",
 * 0 in mode "uncached". false: not verified, as always in mode "unverified". */
bool result_cache_share(const struct result *r, double *share);

/* The JSON document, one line, sealed: seal = SHA-256 over the document with sorted keys and no
 * seal. Refuses (-EINVAL) what result_parse would refuse. *out is the caller's to free. */
__attribute__((warn_unused_result)) int result_seal(struct result *r, char **out, struct err *err);
__attribute__((warn_unused_result)) int result_parse(const char *json, size_t len,
                                                     struct result **out, struct err *err);

#endif
