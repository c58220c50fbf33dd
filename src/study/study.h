/* study/study.h — procedures that make runs: what a command of loadline does between the command
 * line and the answer.
 * Shape    options in, results out through a sink; the study owns the filesets and removes them. It
 *          decides what to run next from results only.
 * Units    ns, bytes.
 * Errors   negative errno and words: could not run (exit 2), or -EINVAL a wish that makes no sense
 *          (exit 1). 0: the study ended, see the sink's end state. After the first result a failure
 *          is an incomplete study and no error, unless the sink itself failed.
 * Threads  runs on the calling thread; `stop` may be set by a signal handler: 1 ends the measuring
 *          with the results so far and removes what was made, 2 leaves that to `loadline clean`.
 * Source   tests/unit/test_study_math.c, test_tree_plan.c; tests/truth/test_study_tree.c,
 *          test_study_turns.c, test_study_io.c. */
#ifndef LOADLINE_STUDY_STUDY_H
#define LOADLINE_STUDY_STUDY_H

#include "base/err.h"
#include "clk/clk_jump.h"
#include "result/result.h"
#include "study/io_options.h"
#include "study/limits_options.h"

#include <stdatomic.h>
#include <stdbool.h>

struct site_watch;

enum study_end {
    STUDY_COMPLETE,
    STUDY_INCOMPLETE, /* stopped, stalled, no space: what was measured is there */
    STUDY_INVALID,    /* errors or a failed verification: results are marked */
};

/* What a study is going to do, before it starts. */
struct study_intent {
    const char *id;
    const char *kind;
    const char *workload; /* the one that is run; NULL: the kind says it */
    const char *target;
    const char *const *more_target; /* see study_common */
    unsigned more_targets;
    uint64_t write_bytes;     /* of new files, in all */
    uint64_t peak_bytes;      /* on the target at once; of a device that is written to, its size */
    uint64_t files;           /* at once, at the most; 0 of a device */
    uint64_t overwrite_ns;    /* for how long it then overwrites them; 0: it does not */
    uint64_t overwrite_bytes; /* in that time, at the rate asked for; 0: as fast as it goes */
    bool reads_too;           /* and reads them, in the same time */
    uint64_t about_ns;        /* a guess; 0 unknown */
    bool own_clock;           /* time is the target's own */
};

struct study_progress {
    const char *what; /* "write 4096 B, repeat 2 of 3" */
    double done_frac; /* of the whole study, 0 … 1; < 0 unknown */
    uint64_t elapsed_ns;
    uint64_t left_ns; /* 0 unknown */
    double ops_per_s;
    double bytes_per_s;
};

/* Filled in by cli. Every function may be NULL. A run is stored in run_done before anything about
 * it is printed; a negative return ends the study with that error. */
struct study_sink {
    int (*begun)(void *ctx, const struct study_intent *intent, struct err *err);
    /* Takes r, also when it fails, and keeps it at least until row_done. */
    int (*run_done)(void *ctx, struct result *r, struct err *err);
    /* A row is done, or cut short: its `n` results so far, borrowed. */
    void (*row_done)(void *ctx, struct result *const *repeats, unsigned n);
    void (*progress)(void *ctx, const struct study_progress *progress);
    void (*warn)(void *ctx, const char *text);
    /* A step of a script, as it happens: what echo says, a set populated, a run begun. */
    void (*tell)(void *ctx, const char *text);
    /* `system` of a script: runs the command to its end, or until a stop is asked for. How it ends is for
     * the sink to say; negative: it could not be begun. */
    int (*shell)(void *ctx, const char *command, struct err *err);
    /* A question that wants yes (1) or no (0); NULL, or nobody there to answer: no. */
    int (*ask)(void *ctx, const char *question);
    /* The commands of --hook-start and --hook-end, at the edges of a measured window; waited for. */
    void (*hook)(void *ctx, const char *command);
    /* The sums of a run so far, where its plan has a period: as a result that is not sealed; borrowed. */
    void (*period)(void *ctx, const struct result *so_far);
    void (*ended)(void *ctx, enum study_end end, const char *reason);
    void *ctx;
};

/* What there is of a study that was interrupted and is gone on with: its results in the order of
 * their runs, borrowed. The sink has them already. */
struct study_past {
    const char *id;
    struct result *const *result;
    unsigned n;
    unsigned last_run; /* its number, also of one that no longer counts */
};

#define STUDY_TARGETS_MAX 4

/* Where this machine is looked at: directories like /proc and /sys, and its clocks. */
struct study_view {
    const char *proc;
    const char *sys;
    void (*clocks)(void *ctx, struct clk_moment *out);
    void *ctx;
};

struct target_caps;

/* Where the client is our own: how it comes to the directory of a name. */
enum study_resolve { STUDY_RESOLVE_ONCE, STUDY_RESOLVE_EVERY_TIME };

/* -EINVAL with words where the target's client is not our own. */
__attribute__((warn_unused_result)) int study_check_resolve(enum study_resolve resolve,
                                                            const char *target,
                                                            const struct target_caps *caps,
                                                            struct err *err);

/* What every study is told. Strings are borrowed. */
struct study_common {
    const char *target;
    const char *const *more_target; /* that take turns with it; dirtest only */
    unsigned more_targets;
    const struct study_past *past; /* NULL: a new study. dirtest and readtest only */
    const char *label;
    const char *system;
    const char *software;
    const char *tool_version;
    uint64_t seed;
    uint64_t stall_ns;
    uint64_t max_memory_bytes;
    unsigned workers;
    enum study_resolve resolve;
    bool keep;
    const atomic_int *stop;
    struct site_watch *watch; /* what the study waits for outside its runs; may be NULL */
    /* Overhead of this machine, quoted by every result; may be NULL. */
    const struct result_facts *own;
    const struct study_view *view; /* NULL: this machine as it is */
    const char *server_metrics;    /* URL of the server's exporter; NULL */
    const char *server_csv;        /* series that it exported */
    bool
        model_metrics; /* what a modelled server tells of itself is taken as a real one's metrics */
    const char *hook_start; /* for the sink's `hook`; NULL */
    const char *hook_end;
};

enum study_fsync { STUDY_FSYNC_NONE, STUDY_FSYNC_FILE, STUDY_FSYNC_END };

struct tree_options {
    uint32_t threads;
    uint32_t levels;
    uint32_t branches;
    uint32_t files;
    const uint64_t *length_bytes;
    unsigned lengths;
    unsigned repeats; /* at the most, with until_frac */
    double
        until_frac; /* of a row ±: no further repeats below it, TREE_UNTIL_MIN at least; 0: all */
    uint64_t min_time_ns;
    uint64_t chunk_bytes;
    enum study_fsync fsync;
    enum study_client_cache cache;
    bool write_only;
    bool verify;
    bool walk;     /* reading: by what the directories list, not by known names */
    bool one_tree; /* --classic: k = 1, and rows in the order asked */
};

#define TREE_UNTIL_MIN 5

/* The forty lengths of 2001. */
unsigned tree_lengths_2001(uint64_t *out_bytes, unsigned room);

__attribute__((warn_unused_result)) int study_dirtest(const struct study_common *common,
                                                      const struct tree_options *options,
                                                      const struct study_sink *sink,
                                                      struct err *err);
/* Reads the trees of a `dirtest --keep`; options whose `given` bit is set must match the marker. */
__attribute__((warn_unused_result)) int
study_readtest(const struct study_common *common, const struct tree_options *options,
               unsigned given, const struct study_sink *sink, struct err *err);
enum tree_given {
    TREE_GIVEN_THREADS = 1 << 0,
    TREE_GIVEN_LEVELS = 1 << 1,
    TREE_GIVEN_BRANCHES = 1 << 2,
    TREE_GIVEN_FILES = 1 << 3,
    TREE_GIVEN_LENGTHS = 1 << 4,
    TREE_GIVEN_REPEATS = 1 << 5,
    TREE_GIVEN_SEED = 1 << 6,
};

__attribute__((warn_unused_result)) int study_io(const struct study_common *common,
                                                 const struct io_options *options,
                                                 const struct study_sink *sink, struct err *err);

/* The ladder of ceilings of each target (common->target and more_target), of each protocol that a model has.
 * docs/results-format.md, "Options of limits", says what stands in each result. */
__attribute__((warn_unused_result)) int study_limits(const struct study_common *common,
                                                     const struct limits_options *options,
                                                     const struct study_sink *sink,
                                                     struct err *err);

struct script;

/* Workload files, one after the other: each from its first step to its last, as often as is said for it.
 * What a script has made is removed before the next one begins. */
struct script_wish {
    const char *kind; /* of the study: "run", "array-test" */
    struct script *const *script;
    unsigned scripts;
    const unsigned *repeats; /* of each script, 1 or more */
    const char *suite;       /* that they stand in; NULL: none, or the kind says it */
    enum study_client_cache cache;
    bool adopt; /* write to and remove from an existing tree that is not ours */
};
/* Each result's options: suite (of several), workload, script (1 …), script_run (1 …, of those in it), repeat, dialect, mode,
 * ended ("time", "done", "ran out", "failed", "stopped", "stalled"), streams, and var_NAME of every variable.
 * Counters: machine_cpu_ns, of all its processors in the window. */
__attribute__((warn_unused_result)) int study_script(const struct study_common *common,
                                                     const struct script_wish *wish,
                                                     const struct study_sink *sink,
                                                     struct err *err);

/* What loadline itself costs on this machine, ns per op; `directory` on tmpfs when there is one. */
struct overhead {
    double clock_read_ns;
    double hist_record_ns;
    double null_op_ns;    /* CPU per op through the null target, everything recorded */
    double posix_op_ns;   /* CPU per 1-byte pread through the engine */
    double posix_bare_ns; /* CPU per 1-byte pread in a bare loop, same file */
    char machine[96];
};
__attribute__((warn_unused_result)) int study_overhead(const char *directory, struct overhead *out,
                                                       struct err *err);

/* CPU per op through the engine, and of the same ops in a bare loop. */
struct overhead_pair {
    double op_ns;
    double bare_ns;
};
/* Our NFS client on a server of ours in this process, which keeps nothing and is not counted: READs of
 * `block` bytes, `depth` at once; bare: send and recv of the same calls. */
__attribute__((warn_unused_result)) int
study_overhead_nfs(uint64_t block, unsigned depth, struct overhead_pair *out, struct err *err);
/* 1-byte reads, one at a time, by io_uring in this directory; bare: pread. */
__attribute__((warn_unused_result)) int
study_overhead_uring(const char *directory, struct overhead_pair *out, struct err *err);

#endif
