/* fileset/site.h — our own directory on a target: made, marked, locked, found again, removed.
 * Shape    site_open a target address; then site_begin makes `loadline-ID` with its marker, or
 *          site_scan finds those that are there and site_adopt takes one over; site_remove removes
 *          exactly what the marker's shape can have made. All of it by target ops, so it works on
 *          every target with a namespace. On a target that keeps nothing every call succeeds and
 *          does nothing (site_adopt: -ENOENT, there is nothing to take over). A watch (may be
 *          NULL) says meanwhile what is being waited for.
 * Units    bytes, counts.
 * Limits   names: `loadline-` and the id, eight letters or digits. Nothing is followed through a
 *          symlink, no other file system is entered; nothing whose name and type the shape cannot
 *          generate is removed, and no file longer than it says. A marker is at most 256 KiB, 4096
 *          lengths and 512 sets.
 * Errors   -EBUSY another live run there; -ENOENT no such directory, or one without our marker;
 *          -EEXIST; -EINVAL marker broken or newer; -ENOTEMPTY something that is not ours was left in place
 *          (named in err, what was ours is gone); -ENOTDIR the target is a block device; its own.
 * Threads  single owner.
 * Source   design section 6; tests/unit/test_site.c, test_marker.c; tests/cli kills it at random
 *          moments. */
#ifndef LOADLINE_FILESET_SITE_H
#define LOADLINE_FILESET_SITE_H

#include "base/owner.h"
#include "fileset/fileset.h"
#include "fileset/grown.h"

#include <stdatomic.h>
#include <stdbool.h>

#define SITE_ID_MAX      16
#define SITE_PREFIX      "loadline-"
#define SITE_MARKER      ".loadline"
#define SITE_LENGTHS_MAX 4096
#define SITE_SETS_MAX    512
#define SITE_FILES_MAX   4 /* inodes beside the places: our directory, marker, its successor, probe */
#define SITE_COUNT_MAX   65535 /* repeats, trees_max */

/* What the marker holds: whose tree it is, and every name that can be in it.
 * In the directory lie places, each holding the fileset's names:
 * lengths > 0   `LENGTH-rREPEAT-kTREE`, LENGTH in bytes out of length_bytes, REPEAT 0 … repeats,
 *               TREE 0 … trees_max in two digits at least ("4096-r1-k01"; count from 1, 0 is free
 *               for a pilot);
 * lengths == 0  one place, `files`, whose files have spec.size_bytes;
 * sets > 0      likewise, and in it grown sets: directories of these names, in which every name is a
 *               number in eight digits at least, whose files are of any length (site_tree.h); no
 *               lengths then, and `spec` is not looked at. */
struct site_set {
    char name[GROWN_NAME_MAX]; /* printable ASCII, one name of a directory, once in a shape */
    uint64_t serial_most;      /* the largest number in a name: 1 … GROWN_ENTRIES_MAX · 2 */
    unsigned levels;           /* of directories in it; leaf directories are one more */
};

struct site_shape {
    char id[SITE_ID_MAX];
    char study[16]; /* "dirtest", "io" */
    uint64_t seed;
    struct fileset_spec spec; /* size_bytes 0: see lengths */
    unsigned lengths;         /* how many */
    uint64_t *length_bytes;   /* [lengths]; owned by the shape, freed by site_shape_fini */
    unsigned repeats;
    unsigned trees_max; /* k at the most */
    unsigned sets;
    struct site_set *set; /* [sets]; owned, freed by site_shape_fini */
    char sets_of[65];     /* digest of what they were grown from, to know them again; "" */
    bool kept;            /* finished and kept on purpose (`--keep`) */
    uint64_t made_wall_ns;
    struct owner owner; /* who makes it; words in printable ASCII */
};

/* -EINVAL with words when a marker may not say that: ranges, strings, total sizes. */
__attribute__((warn_unused_result)) int site_shape_check(const struct site_shape *shape,
                                                         struct err *err);
/* Marker text, JSON. Parsing bounds everything before use and never trusts a number. */
__attribute__((warn_unused_result)) int site_shape_print(const struct site_shape *shape,
                                                         char **out);
/* -EPROTONOSUPPORT: written by a newer version. */
__attribute__((warn_unused_result)) int site_shape_parse(const char *text, size_t len,
                                                         struct site_shape *out, struct err *err);
void site_shape_fini(struct site_shape *shape);

/* What a site waits for at the target: for a watchdog on another thread, since an op of a dead server
 * does not return. */
struct site_watch {
    _Atomic(const char *) what;  /* the op's name, static; NULL: nothing */
    _Atomic(const char *) where; /* the address of the target it waits for, while `what` is set */
    _Atomic uint64_t begun;      /* ops begun so far, so that one is told from the next */
};

struct fileset_state;

struct site; /* an open target and at most one directory of ours on it */

__attribute__((warn_unused_result)) int site_open(const char *address, struct site_watch *watch,
                                                  struct site **out, struct err *err);
/* Releases the lock; removes nothing. */
void site_close(struct site *site);

/* Makes the directory and its marker (durable before anything else is made) and locks it; the
 * marker appears under its name complete and locked. Refuses with -EBUSY when a loadline
 * directory of another study under the same target is SITE_LIVE_YES; its id, host and pid are in err. Of several
 * that start together exactly one goes on, the smallest id of those that see each other. */
__attribute__((warn_unused_result)) int site_begin(struct site *site,
                                                   const struct site_shape *shape, struct err *err);
/* Several targets of one study may be one directory: the study's first has the study's id, which is
 * in small letters, and the directory of side 2 … SITE_SIDES_MAX has it with the last letter
 * replaced by B, C … */
#define SITE_SIDES_MAX 4
void site_side_id(const char *id, unsigned side, char buf[SITE_ID_MAX]);
bool site_same_study(const char *a, const char *b);

/* Takes over a directory that is there and not SITE_LIVE_YES: reads its marker into shape, locks it. Of an unfinished one
 * (SITE_UNFINISHED) shape says the id and nothing more: it can be removed. */
__attribute__((warn_unused_result)) int site_adopt(struct site *site, const char *id,
                                                   struct site_shape *shape, struct err *err);
/* Rewrites the marker of the directory begun or adopted (shape->kept, trees …), durable; at any
 * moment either the old or the new one is there. */
__attribute__((warn_unused_result)) int
site_remark(struct site *site, const struct site_shape *shape, struct err *err);

/* Name of a place inside the directory, from the target's root: "loadline-ID/4096-r1-k01", or
 * "loadline-ID/files" when the shape has no lengths. */
void site_place(const struct site_shape *shape, uint64_t length_bytes, unsigned repeat,
                unsigned tree, char *buf, size_t room);
/* Makes a place's directory; -EEXIST when it is there. The fileset's own roots and directories are
 * the plan's work. */
__attribute__((warn_unused_result)) int site_make_place(struct site *site, const char *place,
                                                        struct err *err);

struct site_removed {
    uint64_t files;
    uint64_t dirs;
    uint64_t bytes; /* length of these files, asked one by one */
    uint64_t left;  /* entries left in place: not ours, or refused by the target */
};

/* Removes one place, or with place NULL the whole directory begun or adopted, marker last. Keeps
 * going over what it may not remove: -ENOTEMPTY then, or the first error of the target. `stop` (may
 * be NULL): ends early with -EINTR when non-zero. `progress` (may be NULL) is called now and then
 * with what has been removed so far. */
__attribute__((warn_unused_result)) int
site_remove(struct site *site, const struct site_shape *shape, const char *place,
            struct site_removed *removed, const atomic_int *stop,
            void (*progress)(void *ctx, const struct site_removed *so_far), void *ctx,
            struct err *err);

enum site_marker {
    SITE_OURS,
    SITE_UNMARKED,      /* no marker, or not readable to us: never touched */
    SITE_BROKEN_MARKER, /* a marker that says nothing we may believe: never touched */
    SITE_NEWER_MARKER,  /* of a version that we do not know: never touched */
    SITE_UNFINISHED,    /* empty but for the beginning of a marker: a start that was interrupted */
};

/* Whether a run is using it. A lock that is held says yes. One that is free says nothing where locks
 * do not reach (NFS nolock, SMB nobrl, FUSE), so then the owner that the marker names is looked for;
 * our own process is believed to know, and what was kept on purpose is in use only by a lock. */
enum site_live {
    SITE_LIVE_NO,
    SITE_LIVE_YES,
    SITE_LIVE_UNKNOWN, /* its owner is on another machine or of another boot, or cannot be seen */
};

/* One directory found under the target. */
struct site_found {
    struct site_shape shape; /* valid when marker is SITE_OURS; id always */
    enum site_marker marker;
    enum site_live live;
    struct err why; /* what is wrong with a broken or newer marker */
};

/* Lists directories named `loadline-` and an id. The caller frees with site_found_free. */
__attribute__((warn_unused_result)) int site_scan(struct site *site, struct site_found **out,
                                                  unsigned *n, struct err *err);
void site_found_free(struct site_found *found, unsigned n);

/* How this machine's page cache can be kept out of reading there. */
enum site_cache {
    SITE_CACHE_DROP,   /* FADV_DONTNEED empties it: pages seen after reading, gone after it */
    SITE_CACHE_DIRECT, /* it does not, but O_DIRECT leaves none of the pages that reading leaves */
    SITE_CACHE_RAM,    /* the file system is memory (tmpfs): there is nothing behind the cache */
    SITE_CACHE_UNVERIFIED, /* neither works, or residency cannot be seen (ZFS) */
    SITE_CACHE_UNCACHED,   /* a client of our own, without any cache */
    SITE_CACHE_NONE,       /* the target keeps nothing */
};
/* Which witnesses of the cache there may be believed: each was seen to speak. */
struct site_witness {
    enum site_cache cache;
    bool pages_seen;    /* reading showed pages: where it shows none, none says nothing */
    bool reads_counted; /* reading from storage moved the counter read_bytes by what was read */
    char backed_by[64]; /* what of this machine's memory is behind the device; "" none known */
};
/* Tried on a probe file of its own in the directory begun or adopted; where that may not be written
 * to, on a file of the place with the longest files, unless `keep`: then those stay as they are. */
__attribute__((warn_unused_result)) int site_cache_probe(struct site *site,
                                                         const struct site_shape *shape, bool keep,
                                                         struct site_witness *out, struct err *err);
/* Writes and reads a probe file with O_DIRECT in pieces of unit_bytes (at most SITE_UNIT_MAX).
 * -EOPNOTSUPP with the file system's name when that is refused; 0 also where nothing may be
 * written, so that it cannot be tried. */
#define SITE_UNIT_MAX 65536
__attribute__((warn_unused_result)) int site_direct_probe(struct site *site,
                                                          const struct site_shape *shape,
                                                          uint64_t unit_bytes, struct err *err);

/* Everything written so far on that file system to stable storage; untimed. */
__attribute__((warn_unused_result)) int site_sync(struct site *site, struct err *err);

/* Of a target with a clock of its own: waits so long, by that clock. */
void site_wait(struct site *site, uint64_t ns);

/* What is known about the target, as its describe puts it. */
void site_describe(struct site *site, const struct target_sink *sink);

/* -ENOTSUP where the target cannot say. */
__attribute__((warn_unused_result)) int site_space(struct site *site, struct target_space *out);

/* Checks that every file of the place is there with length_bytes; names the first that is not, and
 * the length found. -ENOENT missing; -EUCLEAN another length, or not a regular file; likewise a
 * directory that is something else. -EINVAL: a shape with sets has no one length (site_mend). */
__attribute__((warn_unused_result)) int site_check_place(struct site *site,
                                                         const struct site_shape *shape,
                                                         const char *place, uint64_t length_bytes,
                                                         struct err *err);

struct site_stored {
    uint64_t files; /* that were there and told */
    uint64_t size_bytes;
    uint64_t stored_bytes; /* occupied, of each file no more than its size */
};
/* What at most `most` files of the place, spread evenly over it, occupy. A file that does not tell
 * is left out; of a shape with sets all are. */
__attribute__((warn_unused_result)) int site_ask_stored(struct site *site,
                                                        const struct site_shape *shape,
                                                        const char *place, unsigned most,
                                                        struct site_stored *out, struct err *err);

#define SITE_WORD_MAX 400
/* The address as a word for a shell behind "loadline clean": without the faults around it, which would
 * hold up the cleaning too. Returns buf. */
const char *site_clean_word(const char *address, char buf[SITE_WORD_MAX]);

#endif
