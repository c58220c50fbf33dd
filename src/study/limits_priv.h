/* study/limits_priv.h — what `limits` decides, as arithmetic: rows, sizes, ramp, time. Nothing here opens,
 * runs or prints anything.
 * Shape    limits_rows.c which rows there are and what each works on; limits_sizes.c how large a cache is, told
 *          or found by a sweep; limits_ramp.c which load is next; limits_prove.c which load, changed in one thing,
 *          would say what stops it; limits_budget.c how long a point may take.
 *          limits_study_priv.h is the study itself.
 * Units    bytes, ns, streams.
 * Limits   as said beside each.                   Threads  values.
 * Source   tests/unit/test_limits_rows.c, test_limits_sizes.c, test_limits_ramp.c, test_limits_budget.c,
 *          test_limits_prove.c. */
#ifndef LOADLINE_STUDY_LIMITS_PRIV_H
#define LOADLINE_STUDY_LIMITS_PRIV_H

#include "stats/knee.h"
#include "study/limits_options.h"
#include "target/target.h"

/* ---- limits_rows.c ---- */

enum limits_place { LIMITS_CACHE, LIMITS_DISK, LIMITS_FLASH, LIMITS_LOG, LIMITS_NAMES };

struct limits_row {
    const char *id;  /* "stream-read-cache" */
    enum op_kind op; /* READ WRITE CREATE STAT UNLINK */
    uint64_t
        io_bytes; /* as a rule, limits_row_io says; 0: one logical block of the target, of NAMES none */
    bool sequential;
    bool synchronous;
    enum limits_place place;
    bool latency;    /* the answer is a band of latencies of one stream, there is no ramp */
    bool local_only; /* a row of this machine's own targets: directories and devices */
};

/* The ladder, in the order in which it is printed. */
extern const struct limits_row limits_ladder[];
extern const unsigned limits_ladder_rows;

/* What the ladder is asked of. */
struct limits_where {
    const char
        *protocol; /* "local" "block" "nfs" "nfs-rdma" "smb" "null"; of a model its own word */
    bool local;    /* its cache is this machine's */
    bool own_clock;
    bool one_file;        /* a block device */
    bool in_memory;       /* tmpfs, ramfs: no disk behind it */
    bool direct;          /* O_DIRECT passes this machine's cache by */
    uint32_t block_bytes; /* of direct I/O, logical; 0 unknown */
    uint32_t op_kinds;    /* of the target's caps */
    bool writes;          /* it may be written to */
};

struct limits_sizes {
    uint64_t cache_bytes; /* of the place that the cache rows name; 0 not known */
    uint64_t flash_bytes; /* 0: none known */
    char cache_from[16];  /* "given" "machine" "model" "sweep" "" */
    char flash_from[16];
    uint64_t max_bytes; /* that a working set may have */
};

enum limits_fit { LIMITS_RUNS, LIMITS_NOT_APPLICABLE, LIMITS_SKIPPED };

/* Whether a row makes sense there; else `why`, as it is printed behind "not applicable: " or "skipped: ". */
enum limits_fit limits_row_fit(const struct limits_row *row, const struct limits_where *where,
                               const struct limits_sizes *sizes, char why[160]);

/* Bytes of one op there; 0 of NAMES. */
uint64_t limits_row_io(const struct limits_row *row, const struct limits_where *where);

struct limits_set {
    uint64_t bytes; /* over all files */
    uint32_t
        files; /* of those that there are, so many as have an op each: no more streams than these */
    bool starved; /* max_bytes left less than would prove the place */
    bool direct;
    char place[48]; /* "page cache, this machine" "server RAM" "disk" "device" "flash" "log" … */
};

/* The working set of a row that runs. `files` of equal size share it in whole ops. Of NAMES it has no bytes. */
void limits_row_set(const struct limits_row *row, const struct limits_where *where,
                    const struct limits_sizes *sizes, uint32_t files, struct limits_set *out);

/* Whether its files are made longer than those of other rows. */
bool limits_row_lengthens(const struct limits_row *row, const struct limits_where *where);

/* ---- limits_sizes.c ---- */

/* Finds the size of a cache: random reads of ever larger working sets, until their latency has gone up and
 * stays up; then between the last that was low and the first that was not. Of the latencies the 95th
 * centile: of a set a twentieth larger than the cache one read in twenty goes past it, while a median sees
 * nothing below twice the cache. */
#define LIMITS_SWEEP_MAX 32
struct limits_sweep {
    uint64_t least_bytes;
    uint64_t most_bytes;
    unsigned n;
    uint64_t bytes[LIMITS_SWEEP_MAX];
    uint64_t p95_ns[LIMITS_SWEEP_MAX];
};
void limits_sweep_begin(struct limits_sweep *s, uint64_t least_bytes, uint64_t most_bytes);
/* The next size, 0 when done. */
uint64_t limits_sweep_next(const struct limits_sweep *s);
void limits_sweep_add(struct limits_sweep *s, uint64_t bytes, uint64_t p95_ns);
/* The largest working set that still answered as a small one; 0: no knee up to most_bytes. */
uint64_t limits_sweep_knee(const struct limits_sweep *s);

/* ---- limits_ramp.c ---- */

#define LIMITS_GAIN_FRAC  0.03 /* two doublings in a row below it: flat */
#define LIMITS_POINTS_MAX 64

enum limits_ramp_end {
    LIMITS_RAMP_GOES_ON,
    LIMITS_RAMP_FLAT,
    LIMITS_RAMP_RISING, /* up to the most streams there may be */
    LIMITS_RAMP_CUT,    /* its time was over while it still rose */
    LIMITS_RAMP_FIXED
};

struct limits_ramp {
    uint32_t from;
    uint32_t to;
    bool hurried;
    unsigned n;
    struct knee_point point[LIMITS_POINTS_MAX];
};
void limits_ramp_begin(struct limits_ramp *r, uint32_t from, uint32_t to);
/* The next load, 0 when there is nothing more to find: doublings, then loads between those around the knee. */
uint32_t limits_ramp_next(const struct limits_ramp *r);
/* Time is short: from now on no load between doublings. */
void limits_ramp_hurry(struct limits_ramp *r);
bool limits_ramp_refines(const struct limits_ramp *r); /* the next one is no doubling */
void limits_ramp_add(struct limits_ramp *r, uint32_t streams, double rate);
enum limits_ramp_end limits_ramp_ended(const struct limits_ramp *r);
/* Load of the finals: the top of the curve. */
uint32_t limits_ramp_top(const struct limits_ramp *r);

/* ---- limits_prove.c ---- */

/* A run that differs from the finals in one thing. What it proves is for verdict/findings.h to say: fewer clients
 * that give as much are not what stops it, smaller ops that give as many bytes are stopped by what counts bytes. */
#define LIMITS_CHANGES_MAX   2
#define LIMITS_CLIENTS_LEAST 4 /* fewer may each have had a port of the server to itself */
struct limits_change {
    uint32_t clients;
    uint64_t io_bytes;
    char changed[32]; /* "clients=10": as results say it */
};
/* What is worth changing where nothing is known to stop it; how many. */
unsigned limits_changes(const struct limits_row *row, const struct limits_where *where,
                        uint32_t streams, uint32_t clients,
                        struct limits_change out[LIMITS_CHANGES_MAX]);

/* ---- limits_budget.c ---- */

/* How long things may take so that all rows that are left fit into what is left. */
struct limits_budget {
    uint64_t total_ns;
    uint64_t spent_ns;
    unsigned rows_left; /* the one at hand included */
};
struct limits_times {
    uint64_t warm_ns;   /* at the least */
    uint64_t steady_ns; /* at the most, warm_ns included, until it is steady */
    uint64_t point_ns;
    uint64_t final_ns; /* each */
    unsigned finals;
    bool hurried; /* so short that no load between doublings is tried */
};
/* For a row of about so many points; it is steady after half of steady_ns, by and large. Rows that are done in
 * less leave more to those behind. */
void limits_budget_row(const struct limits_budget *b, unsigned points, bool quick,
                       struct limits_times *out);
/* How many points a ramp has, by and large: what may be told before it is run. */
unsigned limits_budget_points(const struct limits_row *row, uint32_t from, uint32_t to);
/* About how long a row takes with these times. */
uint64_t limits_budget_about(const struct limits_times *times, unsigned points);
/* Bytes that may be laid out at this rate: what a third of the budget has room for. */
uint64_t limits_budget_layout(const struct limits_budget *b, double bytes_per_s);
/* Of virtual time: a point ends when it is precise, this is the most it may simulate. */
void limits_times_of_model(const struct limits_row *row, bool quick, struct limits_times *out);

#endif
