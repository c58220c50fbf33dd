/* fileset/site_tree.h — grown sets that are on a target already: read as another program left them,
 * made as a run wants them.
 * Shape    site_list_tree makes a set of a tree that is there; site_mend has the files of a set as
 *          its state says.
 * Units    bytes, counts.
 * Limits   memory for one directory of each level, and what the set itself takes. Nothing is
 *          followed through a symlink, no other file system is entered.
 * Errors   as site.h; -EINTR stopped.            Threads  single owner.
 * Source   specs 7.1, 8.3; tests/unit/test_site_tree.c, test_site_mend.c. */
#ifndef LOADLINE_FILESET_SITE_TREE_H
#define LOADLINE_FILESET_SITE_TREE_H

#include "fileset/site.h"

/* Reads a tree of another program under the target's root, `under`/`name` ("/a/b": grown.h): every name
 * in it is a number in eight digits at least. -ENOENT there is none; -EINVAL with the first name that does not fit. */
__attribute__((warn_unused_result)) int site_list_tree(struct site *site, const char *under,
                                                       const char *name, struct grown **out,
                                                       const atomic_int *stop, struct err *err);

/* What was done to have a set that is there as its state says. */
struct site_mended {
    uint64_t kept;    /* files that were there with their size */
    uint64_t made;    /* were missing */
    uint64_t cut;     /* were too long */
    uint64_t written; /* were too short: written anew */
    uint64_t removed; /* were there and are not to be */
    uint64_t dirs_made;
    uint64_t dirs_removed; /* leaf directories */
};
/* The files and leaf directories of set `number` in `map` that `state` says exist are made so, the
 * files with the content that `seed` gives them; those that it says do not, and are there, are
 * removed. -EUCLEAN: what has the name of one is something else; -ENOTEMPTY: a leaf directory that is to go
 * holds something. `progress` (may be NULL) is called now and then. */
__attribute__((warn_unused_result)) int
site_mend(struct site *site, const struct fileset_map *map, unsigned number, uint64_t seed,
          const struct fileset_state *state, struct site_mended *out, const atomic_int *stop,
          void (*progress)(void *ctx, uint64_t files), void *ctx, struct err *err);

#endif
