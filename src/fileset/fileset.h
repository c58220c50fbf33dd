/* fileset/fileset.h — files and directories by number: their names, places and order.
 * Shape    fileset_map_init from specs and the place they lie under; then pure look-ups, until
 *          fileset_map_fini. A regular tree takes no memory per file: every name is computed from the
 *          number.
 *          Directories are numbered depth first within a tree (a directory before its children,
 *          each child's whole subtree before the next child); file f lies in directory f / files.
 *          So rising numbers are the order of writing and of reading, falling numbers that of
 *          removing.
 *          Names: roots t00, t01 … (two digits at least), in each d0, d1 …, in those f0, f1 …;
 *          FLAT: f0, f1 … . GROWN: as grown.h says; tree is 0, dir d of the set is directory d + 1
 *          there (its root node is directory 0), leaf directories follow the directories. It lies in
 *          the place, or where its own `under` says.
 * Units    counts; sizes in bytes.
 * Limits   the place is at most FILESET_PLACE_MAX directories under the target's root; at most one
 *          TREE and one FLAT set, and of GROWN ones one of each name in one place, because two would
 *          have the same names.
 * Errors   -EINVAL, -ENOMEM.                     Threads  read-only after init.
 * Source   specs b.2; tests/unit/test_fileset.c compares with a recursive walk. */
#ifndef LOADLINE_FILESET_FILESET_H
#define LOADLINE_FILESET_FILESET_H

#include "fileset/spec.h"
#include "target/target.h"

#include <stdbool.h>

#define FILESET_PLACE_MAX 4
#define FILESET_LEAF_MAX  32

/* All filesets of one run and where they lie: what node numbers are numbers of. */
struct fileset_map {
    unsigned place_depth; /* directories from the target's root down to where the sets lie */
    char place[FILESET_PLACE_MAX][FILESET_LEAF_MAX];
    unsigned sets;
    struct fileset {
        struct fileset_spec spec;
        uint64_t dirs_per_tree; /* without the root, and without leaf directories */
        uint64_t files_per_tree;
        uint64_t subtree[17]; /* directories in the subtree of one at level l, itself included */
        uint64_t node_base;   /* of the first root */
        uint64_t first_node;  /* of its own: GROWN, those down to `under` stand before the root */
    } * set;                  /* [sets], owned */
};

/* place: "a/b", relative to the target's root, "" for the root itself. */
__attribute__((warn_unused_result)) int fileset_map_init(struct fileset_map *map, const char *place,
                                                         const struct fileset_spec *specs,
                                                         unsigned n, struct err *err);
void fileset_map_fini(struct fileset_map *map);

/* For session_spec. The map must outlive the session. */
struct target_names fileset_map_names(const struct fileset_map *map);

/* The directory that the sets lie in. */
uint64_t fileset_place_node(const struct fileset_map *map);
/* Root directory of tree t. FLAT: the place itself. */
uint64_t fileset_root_node(const struct fileset *set, uint32_t tree);
/* Directory d of tree t, 0 ≤ d < dirs_per_tree. */
uint64_t fileset_dir_node(const struct fileset *set, uint32_t tree, uint64_t d);
/* Number of child `child` of directory `dir`, which is `level` levels below the root of its tree; of the
 * root, level 0, `dir` is not looked at. */
uint64_t fileset_subdir(const struct fileset *set, unsigned level, uint64_t dir, uint32_t child);
/* Is it the name of kind 'd', 'f' or 't' that a number below `limit` has? */
bool fileset_number(const char *leaf, char kind, unsigned digits_min, uint64_t limit,
                    uint64_t *number);
/* File f of tree t, 0 ≤ f < files_per_tree: its directory's node, and its name in leaf. */
uint64_t fileset_file(const struct fileset *set, uint32_t tree, uint64_t f,
                      char leaf[FILESET_LEAF_MAX]);
/* GROWN: leaf directory l. */
uint64_t fileset_leaf_node(const struct fileset *set, uint64_t l);
/* Nominal size. */
uint64_t fileset_file_bytes(const struct fileset *set, uint32_t tree, uint64_t f);
/* What the file's content is made from (content.h). */
uint64_t fileset_file_key(const struct fileset *set, uint32_t tree, uint64_t f);

/* The path of a node, or of a file in it, from the target's root, for people:
 * "loadline-x/t00/d1/f2". */
void fileset_path(const struct fileset_map *map, uint64_t node, const char *leaf, char *buf,
                  size_t room);

#endif
