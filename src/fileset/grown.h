/* fileset/grown.h — a set of files whose tree is drawn at random: of the workload language.
 * Shape    grown_new from a grown_spec and a seed, or grown_listed from what a directory holds; then
 *          look-ups by number. Directory 0 is the set's own, `under`/`name`; directories are numbered in
 *          the order they are made (a parent before its children), behind them the leaf directories
 *          (empty ones, for makedir and removedir); files in the order of creation, from 0. Names
 *          are the serial within the parent from 1, in eight digits at least; files and leaf
 *          directories of one parent count on.
 * Units    bytes, counts.
 * Limits   at most GROWN_ENTRIES_MAX files and as many leaf directories; depth at most
 *          GROWN_DEPTH_MAX (a width of 1 has no end). Memory: at most 8 bytes a file while all are
 *          below 4 GiB and 12 beyond that (4 more when listed), and 16 a directory.
 * Errors   -EINVAL with words, -ENOMEM.
 * Threads  read-only once made.
 * Source   specs 8.1: one seed, one tree; tests/unit/test_grown.c (40 entries of width 4 and gamma 0
 *          are 10 directories of 4), bench rows wml-entries and wml-pick. */
#ifndef LOADLINE_FILESET_GROWN_H
#define LOADLINE_FILESET_GROWN_H

#include "base/draw.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

#define GROWN_ENTRIES_MAX ((uint64_t)1 << 31)
#define GROWN_DEPTH_MAX   48
#define GROWN_NAME_MAX    128
#define GROWN_LEAF_MIN    8 /* digits of a name */

/* As section 7.1 and 8.1 of the specification name them. */
struct grown_spec {
    char name[GROWN_NAME_MAX];  /* of directory 0 */
    char under[GROWN_NAME_MAX]; /* where it lies: "" the place of the run, else from the target's
                                 * root: "/" the root itself, "/a/b" */
    uint64_t entries;
    uint64_t leafdirs;
    struct draw size; /* of each file */
    struct draw
        width; /* of each directory: FIXED is the mean of a gamma unless dirgamma_milli is 0 */
    uint32_t dirgamma_milli; /* shape · 1000 of the gamma of width and depth; 0: both constant */
    bool has_depth;
    struct draw depth; /* of each directory; has_depth only */
    uint64_t seed;
    uint64_t
        dirs_bytes_max; /* of memory for directories, whose number only growing tells; 0: any */
};

struct grown;

__attribute__((warn_unused_result)) int grown_new(const struct grown_spec *spec, struct grown **out,
                                                  struct err *err);
void grown_free(struct grown *g);

/* To another place (grown_spec.under), while no plan with it runs: whether a tree to be reused is there
 * shows only at the target. -ENAMETOOLONG. */
__attribute__((warn_unused_result)) int grown_move(struct grown *g, const char *under);

const struct grown_spec *grown_spec(const struct grown *g);
uint64_t grown_files(const struct grown *g);
uint64_t grown_dirs(const struct grown *g);       /* directory 0 included, leaf directories not */
uint64_t grown_leafs(const struct grown *g);      /* leaf directories */
uint64_t grown_bytes(const struct grown *g);      /* nominal, of all files */
uint64_t grown_bytes_most(const struct grown *g); /* of one file */
bool grown_same_size(const struct grown *g);      /* all files have one size */
double
grown_mean_depth(const struct grown *g);      /* ln(entries + leafdirs) / ln(width), as reported */
unsigned grown_levels(const struct grown *g); /* of directories below directory 0 */
uint64_t grown_serial_most(const struct grown *g); /* the largest number in a name */
size_t grown_memory(const struct grown *g);

uint64_t grown_file_bytes(const struct grown *g, uint64_t file);
/* Directory of the file, and its serial there. */
void grown_file(const struct grown *g, uint64_t file, uint64_t *dir, uint64_t *serial);
/* Of directory d > 0, leaf directories counted on from grown_dirs: its parent and serial. */
void grown_dir(const struct grown *g, uint64_t d, uint64_t *parent, uint64_t *serial);

/* Canonical: "entries=40 leafdirs=0 size=(fixed 1024) width=…", without seed and place. Listed: what it
 * holds, as a digest. */
void grown_text(const struct grown *g, struct text *out);

/* ---- from what there is: another program's tree, read as it is ----
 * Numbered as if it had been made: depth first, the entries of a directory by their serials, in
 * whatever order they are found. It has no leaf directories. */

struct grown_lister; /* takes directories and files in the order they are found */
__attribute__((warn_unused_result)) int grown_lister_new(const char *name, const char *under,
                                                         struct grown_lister **out);
/* Numbers of the directory are what this returned before, 0 the first; -EINVAL: no number of ours. */
__attribute__((warn_unused_result)) int64_t grown_lister_dir(struct grown_lister *l,
                                                             uint64_t parent, uint64_t serial);
__attribute__((warn_unused_result)) int grown_lister_file(struct grown_lister *l, uint64_t dir,
                                                          uint64_t serial, uint64_t size_bytes);
/* Takes the lister in every case. -EINVAL: two entries of a directory have one serial. */
__attribute__((warn_unused_result)) int grown_listed(struct grown_lister *l, struct grown **out,
                                                     struct err *err);
void grown_lister_free(struct grown_lister *l);

#endif
