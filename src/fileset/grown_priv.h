/* fileset/grown_priv.h — what a grown set is held in.
 * Shape    filled in by grown.c (drawn) or grown_listed.c (as found), looked up by grown_look.c.
 * Units    counts, bytes.
 * Errors   -ENOMEM; -EINVAL with words.         Threads  read-only once made. */
#ifndef LOADLINE_FILESET_GROWN_PRIV_H
#define LOADLINE_FILESET_GROWN_PRIV_H

#include "fileset/grown.h"

struct grown_place {
    uint32_t parent;
    uint32_t serial;
};

struct grown_dir {
    struct grown_place at;
    uint32_t first_file; /* behind it lie the directory's other files */
};

struct grown {
    struct grown_spec spec;
    uint64_t files;
    uint64_t dirs;
    uint64_t leafs;
    struct grown_dir *dir;
    struct grown_place *leaf;
    uint32_t *dir_of;    /* of each file */
    uint32_t *serial_of; /* of each file; NULL: those of a directory are without a gap */
    uint32_t *size32;    /* of each file; NULL: see size64 */
    uint64_t *size64;    /* NULL, too: all are bytes_most long */
    uint64_t bytes;
    uint64_t bytes_most;
    uint64_t serial_most;
    double mean_depth;
    unsigned levels;
    bool listed;
};

/* Appends one, in room that doubles; -EOVERFLOW: more than numbers here can count;
 * -E2BIG: more than spec.dirs_bytes_max. */
__attribute__((warn_unused_result)) int grown_add_dir(struct grown *g, uint64_t *room,
                                                      uint32_t parent, uint32_t serial);
/* Gives back what was allocated beyond what is used. */
void grown_fit(struct grown *g);

/* ---- grown_size.c ---- */

/* Bytes of a file by its number, for as often as asked. */
struct grown_sizes {
    uint64_t (*of)(const void *ctx, uint64_t file);
    const void *ctx;
};

/* size32, size64, bytes and bytes_most, from what `sizes` says of g->files files. */
__attribute__((warn_unused_result)) int
grown_fill_sizes(struct grown *g, const struct grown_sizes *sizes, struct err *err);
__attribute__((warn_unused_result)) int grown_draw_sizes(struct grown *g, struct err *err);

#endif
