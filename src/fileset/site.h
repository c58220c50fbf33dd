/* fileset/site.h — our own directory on a target: made, marked, locked, found again, removed.
 * Shape    site_open a target address; then site_begin makes `loadline-ID` with its marker, or
 *          site_scan finds those that are there; site_end removes exactly what the marker's shape
 * can have made. All of it by target ops, so it works on every target with a namespace. On a target
 * that keeps nothing every call succeeds and does nothing. Units    bytes, counts. Limits   names:
 * `loadline-` and the id (8 letters or digits). Nothing is followed through a symlink; nothing
 * whose name the shape cannot generate is removed. Errors   -EBUSY another live run there; -ENOENT;
 * -EINVAL marker broken; -ENOTEMPTY something that is not ours was left in place (named in err,
 * what was ours is gone); the target's own. Threads  single owner. Source   design section 6;
 * tests/unit/test_site.c; tests/cli kills it at random moments. */
#ifndef LOADLINE_FILESET_SITE_H
#define LOADLINE_FILESET_SITE_H

#include "fileset/fileset.h"

#include <stdbool.h>

#define SITE_ID_MAX 16
#define SITE_PREFIX "loadline-"
#define SITE_MARKER ".loadline"

/* What the marker holds: whose tree it is, and every name that can be in it.
 * In the directory lie places `LENGTH-rREPEAT-kTREE` (one per tree written; LENGTH in bytes),
 * each holding the fileset's names. */
struct site_shape {
    char id[SITE_ID_MAX];
    char study[16]; /* "dirtest", "io" */
    uint64_t seed;
    struct fileset_spec spec; /* size_bytes 0: see lengths */
    unsigned lengths;         /* how many */
    uint64_t *length_bytes;   /* [lengths]; owned by the shape, freed by site_shape_fini */
    unsigned repeats;
    unsigned trees_max; /* k at the most */
    bool kept;          /* finished and kept on purpose (`--keep`) */
    uint64_t made_wall_ns;
    char host[64];
    uint64_t pid;
};

/* Marker text, JSON. Parsing bounds everything before use and never trusts a number. */
__attribute__((warn_unused_result)) int site_shape_print(const struct site_shape *shape,
                                                         char **out);
__attribute__((warn_unused_result)) int site_shape_parse(const char *text, size_t len,
                                                         struct site_shape *out, struct err *err);
void site_shape_fini(struct site_shape *shape);

struct site; /* an open target and at most one directory of ours on it */

__attribute__((warn_unused_result)) int site_open(const char *address, struct site **out,
                                                  struct err *err);
/* Releases the lock; removes nothing. */
void site_close(struct site *site);

/* Makes the directory and its marker (durable before anything else is made) and locks it. Refuses
 * with -EBUSY when another loadline directory under the same target is locked by a live run; its
 * id, host and pid are in err. */
__attribute__((warn_unused_result)) int site_begin(struct site *site,
                                                   const struct site_shape *shape, struct err *err);
/* Takes over a directory that is there: reads its marker into shape, locks it. */
__attribute__((warn_unused_result)) int site_adopt(struct site *site, const char *id,
                                                   struct site_shape *shape, struct err *err);
/* Rewrites the marker of the directory begun or adopted (shape->kept, trees …), durable. */
__attribute__((warn_unused_result)) int
site_remark(struct site *site, const struct site_shape *shape, struct err *err);

/* Name of a place inside the directory, from the target's root: "loadline-ID/4096-r1-k01". */
void site_place(const struct site_shape *shape, uint64_t length_bytes, unsigned repeat,
                unsigned tree, char *buf, size_t room);
/* Makes a place's directory. The fileset's own roots and directories are the plan's work. */
__attribute__((warn_unused_result)) int site_make_place(struct site *site, const char *place,
                                                        struct err *err);

struct site_removed {
    uint64_t files;
    uint64_t dirs;
    uint64_t bytes; /* as stat said before; 0 where not asked */
    uint64_t left;  /* entries that are not ours, left in place */
};

/* Removes one place, or with place NULL the whole directory, marker last. Keeps going over what it
 * may not remove and returns -ENOTEMPTY then. `stop` (may be NULL): ends early with -EINTR when
 * set. `progress` (may be NULL) is called now and then with what has been removed so far. */
__attribute__((warn_unused_result)) int
site_remove(struct site *site, const struct site_shape *shape, const char *place,
            struct site_removed *removed, const volatile int *stop,
            void (*progress)(void *ctx, const struct site_removed *so_far), void *ctx,
            struct err *err);

/* One directory found under the target. */
struct site_found {
    struct site_shape shape; /* valid when marker is SITE_OURS; id always */
    enum { SITE_OURS, SITE_UNMARKED, SITE_BROKEN_MARKER } marker;
    bool live; /* locked by a running loadline */
};

/* Lists `loadline-*` directories. The caller frees with site_found_free. */
__attribute__((warn_unused_result)) int site_scan(struct site *site, struct site_found **out,
                                                  unsigned *n, struct err *err);
void site_found_free(struct site_found *found, unsigned n);

/* How this machine's page cache can be kept out of reading there, tried on a probe file of its own.
 */
enum site_cache {
    SITE_CACHE_DROP,   /* FADV_DONTNEED empties it: pages gone after syncfs */
    SITE_CACHE_DIRECT, /* it does not, but O_DIRECT leaves no pages */
    SITE_CACHE_RAM,    /* the file system is memory (tmpfs): there is nothing behind the cache */
    SITE_CACHE_UNVERIFIED, /* neither works, or residency cannot be asked */
    SITE_CACHE_NONE,       /* the target keeps nothing */
};
__attribute__((warn_unused_result)) int site_cache_probe(struct site *site,
                                                         const struct site_shape *shape,
                                                         enum site_cache *out, struct err *err);

/* Everything written so far on that file system to stable storage; untimed. */
__attribute__((warn_unused_result)) int site_sync(struct site *site, struct err *err);

/* -ENOTSUP where the target cannot say. */
__attribute__((warn_unused_result)) int site_space(struct site *site, struct target_space *out);

/* Checks that every file of the place is there with the length the shape says; names the first that
 * is not. */
__attribute__((warn_unused_result)) int site_check_place(struct site *site,
                                                         const struct site_shape *shape,
                                                         const char *place, uint64_t length_bytes,
                                                         struct err *err);

#endif
