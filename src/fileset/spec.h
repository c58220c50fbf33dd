/* fileset/spec.h — the shape of a set of files, as a plan states it. A value; nothing is opened.
 * Shape    TREE: `trees` roots t00, t01 …; under each, `levels` levels of `branches` directories,
 *          and `files` files in every directory but the root (dirtest, specs b.2: 16·84 = 1344
 *          directories, 5376 files). FLAT: `files` files in one directory, `trees` is 1.
 *          GROWN: directories and files drawn at random, made beforehand (grown.h); `trees` is 1, and
 *          the other counts are not looked at.
 * Units    size_bytes per file.
 * Limits   levels ≤ 16, branches ≤ 1024, at most 2^40 files; checked by fileset_spec_check.
 * Threads  a value. */
#ifndef LOADLINE_FILESET_SPEC_H
#define LOADLINE_FILESET_SPEC_H

#include "base/err.h"

#include <stdint.h>

enum fileset_shape { FILESET_TREE, FILESET_FLAT, FILESET_GROWN };

/* What a file or directory is taken for, where a set keeps a state (state.h). */
enum fileset_use {
    FILESET_USE_ANY,     /* no state is looked at */
    FILESET_USE_INITIAL, /* those that exist before the run; nothing is taken */
    FILESET_USE_OPEN,    /* an existing file, counted as open until it is closed */
    FILESET_USE_STAT,    /* an existing file, counted as open until the op is done */
    FILESET_USE_CREATE,  /* a file that does not exist; does from then on */
    FILESET_USE_DELETE,  /* an existing file that is not open; does not exist from then on */
    FILESET_USE_LIST,    /* a directory */
    FILESET_USE_MKDIR,   /* a leaf directory that does not exist; does from then on */
    FILESET_USE_RMDIR,   /* an existing leaf directory; does not exist from then on */
};

struct grown;

struct fileset_spec {
    enum fileset_shape shape;
    uint32_t trees;
    uint32_t levels;
    uint32_t branches;
    uint32_t files; /* per directory (TREE) or in all (FLAT) */
    uint64_t size_bytes;
    uint64_t content_key;      /* mixed with the seed into what is written; same key, same bytes */
    uint32_t compress_centi;   /* content that compresses: ratio in hundredths; 0: none does */
    const struct grown *grown; /* GROWN: borrowed, must outlive every plan that holds the spec */
};

/* -EINVAL with words naming the field and what is accepted. */
__attribute__((warn_unused_result)) int fileset_spec_check(const struct fileset_spec *spec,
                                                           struct err *err);
/* Without the tree roots: 1344 for the shape of 2001. FLAT: 0. GROWN: without its directory 0 and its
 * leaf directories. */
uint64_t fileset_spec_dirs(const struct fileset_spec *spec);
uint64_t fileset_spec_files(const struct fileset_spec *spec);
uint64_t fileset_spec_bytes(const struct fileset_spec *spec);

#endif
