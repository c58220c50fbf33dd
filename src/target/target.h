/* target/target.h — the contract between the engine and whatever is measured.
 * Shape    target_find(address) gives a const table. open → session_open per worker → submit / reap …
 *          → session_close → close. Decorators (fault) are targets that hold a target.
 * Units    bytes, ns on the clock of `now` (CLOCK_MONOTONIC when there is none).
 * Limits   an accepted op completes exactly once, through reap of the session that accepted it.
 *          An op and its buffer belong to the target from acceptance to completion.
 * Errors   functions return -errno and words; an op's own failure is `res` = -errno and is not a
 *          failure of submit or reap. Short I/O is a result. A lost session completes everything it
 *          holds with an error, and goes on answering every op with the same error.
 * Threads  target functions from any thread; a session belongs to the thread that opened it, except
 *          `wake`, which any thread may call.
 * Source   tests/conform runs one suite against every target. */
#ifndef LOADLINE_TARGET_TARGET_H
#define LOADLINE_TARGET_TARGET_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Every measurable thing. NAMED: node and leaf; HANDLE: an open file; NODE: the directory itself.
 */
enum op_kind {
    OP_NOP,       /* nothing; to measure ourselves */
    OP_READ,      /* HANDLE, buf, off, len → bytes; fewer only at end of file */
    OP_WRITE,     /* HANDLE, buf, off, len → bytes */
    OP_APPEND,    /* HANDLE, buf, len → bytes, at the end of the file */
    OP_FSYNC,     /* HANDLE */
    OP_TRUNCATE,  /* HANDLE, len = new size */
    OP_FALLOCATE, /* HANDLE, off, len */
    OP_DISCARD,   /* HANDLE, off, len: give the space back (hole, TRIM) */
    OP_OPEN,      /* NAMED → handle; flags OP_FLAG_* */
    OP_CREATE,    /* NAMED → handle; makes the file, which must not exist */
    OP_CLOSE,     /* HANDLE; the handle is gone even when it fails */
    OP_LOOKUP,    /* NODE: make the directory known to this session (opens its parents too) */
    OP_STAT,      /* NAMED (leaf NULL: the node) → buf: struct target_stat, when not NULL */
    OP_UNLINK,    /* NAMED */
    OP_RENAME,    /* NAMED → buf: the new leaf, a C string, in the same directory */
    OP_MKDIR,     /* NODE: made in its parent, under its name */
    OP_RMDIR,     /* NODE */
    OP_READDIR,   /* NODE, buf, len, off = cookie (first 0) → struct target_dirents; 0 = end */
    OP_SYNCFS, /* NODE (any): everything written so far to stable storage; where sessions keep what is
                 * not yet stable (nfs), what this one wrote: CLOSE has seen to the rest */
    OP_EVICT,    /* HANDLE: drop clean pages of the file from this machine's cache */
    OP_RESIDENT, /* HANDLE, len → bytes of the first len in this machine's cache; extra: dirty
                  * bytes, 0 where nothing tells (fact resident_by = mincore) */
    OP_KINDS
};

enum op_flag {
    OP_FLAG_DIRECT = 1 << 0,    /* OPEN, CREATE: bypass this machine's page cache */
    OP_FLAG_DSYNC = 1 << 1,     /* OPEN, CREATE: writes are durable when they return */
    OP_FLAG_READ = 1 << 2,      /* OPEN: for reading only (default: reading and writing) */
    OP_FLAG_SYNC = 1 << 3,      /* OPEN, CREATE: as DSYNC, times and all other metadata included */
    OP_FLAG_WRITE = 1 << 4,     /* OPEN: for writing only; together with READ: -EINVAL */
    OP_FLAG_MAY_EXIST = 1 << 5, /* CREATE: a file that is there is opened as it is */
    OP_FLAG_RANDOM = 1 << 6,    /* OPEN, CREATE: no read-ahead, please */
    OP_FLAG_HANDLE = 1 << 7,    /* STAT: of the open file `handle`, not of a name */
    OP_FLAG_DETACHED = 1 << 8,  /* READ, WRITE, on a blocking target: submit does not wait; a helper
                                 * of the session does the op, and reap hands it out. Other kinds,
                                 * and a session opened without, do it as any op */
    OP_FLAG_ORIGIN = 1 << 9,    /* WRITE, APPEND: session_spec.remake makes the same bytes again */
    OP_FLAG_ALL = 1 << 10, /* WRITE: this op is all of the file, from its beginning to its end */
};

/* Directory 0 is the target's root, the only node without a parent. */
#define TARGET_NODE_ROOT 0
#define TARGET_LEAF_MAX  256 /* room for a name and its NUL */

struct op {
    /* Asked: set by the caller, untouched by the target. */
    enum op_kind kind;
    uint32_t flags;
    uint32_t client; /* which initiator: a connection, a modelled client; posix ignores it */
    uint64_t node;
    const char *leaf;
    void *buf;
    uint64_t off;
    uint64_t len;
    uint64_t origin[3]; /* with OP_FLAG_ORIGIN: enough for session_spec.remake */
    /* Both: asked by HANDLE ops, answered by OPEN and CREATE. */
    uint64_t handle;
    /* Answered. */
    int64_t res;    /* ≥ 0: bytes or 0; < 0: -errno */
    uint64_t extra; /* a second answer where the kind has one, else 0 */
    /* The target's own while it holds the op. */
    struct op *next;
    uint64_t scratch[2];
    /* The caller's own. */
    void *user;
};

enum target_type { TARGET_TYPE_FILE, TARGET_TYPE_DIR, TARGET_TYPE_LINK, TARGET_TYPE_OTHER };

struct target_stat {
    enum target_type type;
    uint64_t size_bytes;
    uint64_t stored_bytes; /* what it occupies (st_blocks · 512) */
    uint64_t device;
};

/* One entry of READDIR, followed by name_len bytes of name and a NUL, padded to 8 bytes. */
struct target_dirent {
    uint64_t cookie; /* off of the READDIR that continues after this entry */
    uint16_t record_bytes;
    uint8_t type; /* enum target_type */
    uint8_t name_len;
    char name[];
};

/* How node numbers become names: filled by fileset/, asked by a session when a node is not in its
 * cache of open parents. Called on the session's thread; must not allocate or block. Returns 0 or
 * -EINVAL for a number it does not know. */
struct target_names {
    int (*parent)(const void *ctx, uint64_t node, uint64_t *parent, char leaf[TARGET_LEAF_MAX]);
    const void *ctx;
};

/* What a target is, before it is opened. */
struct target_caps {
    uint32_t op_kinds;  /* bit per enum op_kind */
    bool blocking;      /* submit does the op; a session holds one op, detached ones aside */
    bool own_clock;     /* `now` is the clock of the run; one session, or several of one thread */
    bool keeps_nothing; /* no namespace and no data: reads give nothing back, so nothing to verify,
                           * mark or clean, and one buffer may serve all streams */
    bool
        keeps_no_data; /* names and sizes, data of small files only: none can be verified, and READ,
                           * WRITE and APPEND may have no buffer */
    bool
        uncached; /* a client of our own that caches nothing: no page of this machine is ever between */
    bool resolves;        /* can look the way to a name up from the root again for every op */
    unsigned handles_max; /* files that one session can have open; 0: no limit known */
    bool one_file;       /* no namespace: every OPEN opens the one file there is (a block device) */
    uint64_t file_bytes; /* one_file: its size */
    unsigned
        direct_align_bytes; /* what lengths and places of direct I/O are multiples of; 0: not known */
};

/* Makes the bytes of an accepted WRITE or APPEND once more, after the op has completed: a server that
 * forgot what it had not yet committed has to be given it again. `off` is the place in the file for a
 * WRITE, in what was appended for an APPEND. Called on the session's thread; must not fail. */
struct target_remake {
    void (*fill)(const void *ctx, const uint64_t origin[3], uint64_t off, void *buf, uint64_t len);
    const void *ctx;
};

/* What a session will be asked for; the target sizes itself by it in session_open. */
struct session_spec {
    struct target_names names;
    struct target_remake remake; /* fill NULL: no op has OP_FLAG_ORIGIN */
    uint32_t op_kinds;           /* bit per enum op_kind that will come; 0: any may */
    uint32_t client_first; /* op.client lies in client_first … client_first + clients − 1; */
    uint32_t clients;      /* 0: all are client_first */
    bool resolve_always;   /* only where caps say `resolves` */
    unsigned ops_max;      /* ops held at once; a blocking target holds detached_max and one more */
    unsigned handles_max;  /* files open at once */
    unsigned dirs_max;     /* open parents kept; at least 8 */
    unsigned detached_max; /* of ops_max those with OP_FLAG_DETACHED; 0: none will come */
};

/* What a quota leaves. */
struct target_quota {
    char of[24]; /* "user 1000", "group 100", "project 7"; "" no quota known */
    uint64_t left;
};

struct target_space {
    uint64_t total_bytes;
    uint64_t free_bytes;             /* to this user, of the file system */
    uint64_t free_files;             /* UINT64_MAX: no limit known */
    struct target_quota quota_bytes; /* the one that leaves the least */
    struct target_quota quota_files;
};

/* Receives facts and counters: key and unit are short ASCII, unit "" for words. */
struct target_sink {
    void (*put)(void *ctx, const char *key, const char *value, const char *unit);
    void *ctx;
};

struct hist;
struct target;  /* each target's own, allocated by open */
struct session; /* likewise */

struct target_table {
    const char *scheme; /* "posix", "null", "fault" */
    const char *help;   /* one line for `loadline targets` */
    const char *params; /* "name=value …" accepted after '?', for help; "" none */

    /* `address` is what target_find left in `rest`.
     * Looks at the address without touching what it names, and says what the target can do.
     * Words and -EINVAL for a malformed address or unknown parameter, -errno of an absent device. */
    int (*caps)(const char *address, struct target_caps *caps, struct err *err);
    int (*open)(const char *address, struct target **out, struct err *err);
    void (*close)(struct target *t);
    /* What is known about it: file system, mount options, device; once per run, before the gate. */
    void (*describe)(struct target *t, const struct target_sink *sink);

    int (*session_open)(struct target *t, const struct session_spec *spec, struct session **out,
                        struct err *err);
    /* What it still holds is the caller's again: no op is under way when this returns. */
    void (*session_close)(struct session *s);
    /* Takes ops[0 … k−1], k returned; the rest is offered again after a reap. k = 0 only while ops
     * are held. On a blocking target the accepted op, unless detached, is finished on return, and
     * reap hands it out. */
    int (*submit)(struct session *s, struct op *const ops[], unsigned n);
    /* Waits for at least `min` completions and takes up to `max`; returns how many. Fewer than min,
     * also 0, when `until_ns` has passed, when woken, or when nothing is held and min > 0 was asked
     * (then it waits for until_ns or a wake). UINT64_MAX: no limit. A target with its own clock
     * moves it here, to the next completion or to until_ns. */
    int (*reap)(struct session *s, struct op *done[], unsigned min, unsigned max,
                uint64_t until_ns);
    /* Makes the running or the next reap return. Sticky, any thread, any number of times. */
    void (*wake)(struct session *s);

    /* Optional, NULL when the target has none. By the session's thread, before the gate: memory that
     * the buffers of its ops will lie in, for as long as the session is open. A hint. */
    void (*buffers)(struct session *s, void *memory, uint64_t bytes);
    /* The target's own calls below its ops (RPCs). By the session's thread: those are counted that are answered
     * from open_ns on and before close_ns, of the run's clock; before it is told, none. It is told again
     * when the window moves. `calls` gives the i-th kind's name and its times from call to reply in ns, NULL
     * behind the last; valid until session_close. */
    void (*calls_window)(struct session *s, uint64_t open_ns, uint64_t close_ns);
    const struct hist *(*calls)(struct session *s, unsigned i, const char **name);
    /* Optional, NULL when the target has none. */
    uint64_t (*now)(void *target);
    /* Totals since open, for differences: wire and device bytes, cache, retransmits. */
    void (*counters)(struct target *t, const struct target_sink *sink);
    /* Of a modelled system, totals since open. `metrics`: what its server tells of itself, under the names that
     * exporters of real servers use. `truth`: its stations, for tests of whoever names limits, and for nothing
     * else: "NAME.servers" (a level), "NAME.busy_ns", "NAME.worst_busy_ns", "NAME.wait_ns", "NAME.inside_ns",
     * "NAME.visits". */
    void (*metrics)(struct target *t, const struct target_sink *sink);
    void (*truth)(struct target *t, const struct target_sink *sink);
    /* -ENOTSUP where it cannot be known. */
    int (*space)(struct target *t, struct target_space *out);
    /* Exclusive lock on an open file, -EWOULDBLOCK when another holds it, until CLOSE of the handle
     * or the end of the process. */
    int (*lock)(struct session *s, uint64_t handle);
};

/* One op, start to end, on a session that holds none: for preparing and cleaning, never for
 * measuring. Returns op->res. */
int64_t target_do(const struct target_table *table, struct session *s, struct op *op);

const char *op_kind_name(enum op_kind kind); /* "read", "mkdir" … */

#endif
