/* Grown sets in the map. Where one lies under a place of its own, the directories down to it are nodes,
 * too, in front of its directory 0. */
#include "fileset/fileset_priv.h"
#include "fileset/grown.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Part number n of "/a/b", from 0; its length, 0 behind the last one. */
static size_t under_part(const char *under, unsigned n, const char **part)
{
    for (*part = under; **part == '/'; n--) {
        ++*part;
        if (n == 0)
            return strcspn(*part, "/");
        *part += strcspn(*part, "/");
    }
    return 0;
}

static unsigned under_depth(const char *under)
{
    const char *part;
    unsigned depth = 0;

    while (under_part(under, depth, &part) > 0)
        depth++;
    return depth;
}

int fileset_grown_check(const struct fileset_spec *spec, struct err *err)
{
    const char *under = grown_spec(spec->grown)->under;
    const char *part = under;
    size_t len;

    if (*under == '\0' || strcmp(under, "/") == 0)
        return 0;
    for (unsigned i = 0; (len = under_part(under, i, &part)) > 0; i++) {
        if ((len == 1 && *part == '.') || (len == 2 && part[0] == '.' && part[1] == '.'))
            break;
    }
    if (len > 0 || *part != '\0' || under[0] != '/' || part[-1] == '/')
        return err_set(err, -EINVAL, "%s: a way from the root of the target expected, as \"/a/b\"",
                       under);
    return 0;
}

int fileset_grown_same_names(const struct fileset_spec *a, const struct fileset_spec *b,
                             struct err *err)
{
    const struct grown_spec *x = grown_spec(a->grown);
    const struct grown_spec *y = grown_spec(b->grown);

    if (strcmp(x->name, y->name) != 0 || strcmp(x->under, y->under) != 0)
        return 0;
    return err_set(err, -EINVAL, "two filesets are called %s", x->name);
}

uint64_t fileset_grown_init(struct fileset *set, uint64_t next)
{
    const struct grown *g = set->spec.grown;

    set->node_base = next + under_depth(grown_spec(g)->under);
    set->dirs_per_tree = grown_dirs(g) - 1;
    set->files_per_tree = grown_files(g);
    return set->node_base + grown_dirs(g) + grown_leafs(g);
}

uint64_t fileset_grown_file(const struct fileset *set, uint64_t f, char leaf[FILESET_LEAF_MAX])
{
    uint64_t dir;
    uint64_t serial;

    grown_file(set->spec.grown, f, &dir, &serial);
    fileset_put_number(leaf, serial, GROWN_LEAF_MIN);
    return set->node_base + dir;
}

/* The way to directory 0. */
static void parent_above(const struct fileset *set, uint64_t place, uint64_t node, uint64_t *parent,
                         char *leaf)
{
    const struct grown_spec *spec = grown_spec(set->spec.grown);
    unsigned level = (unsigned)(node - set->first_node);
    const char *part = spec->name;
    size_t len = strlen(part);

    if (node < set->node_base)
        len = under_part(spec->under, level, &part);
    memcpy(leaf, part, len);
    leaf[len] = '\0';
    if (level > 0)
        *parent = node - 1;
    else
        *parent = spec->under[0] == '\0' ? place : TARGET_NODE_ROOT;
}

int fileset_grown_parent(const struct fileset *set, uint64_t place, uint64_t node, uint64_t *parent,
                         char leaf[TARGET_LEAF_MAX])
{
    const struct grown *g = set->spec.grown;
    uint64_t dir;
    uint64_t serial;

    if (node <= set->node_base) {
        parent_above(set, place, node, parent, leaf);
        return 0;
    }
    if (node - set->node_base >= grown_dirs(g) + grown_leafs(g))
        return -EINVAL;
    grown_dir(g, node - set->node_base, &dir, &serial);
    fileset_put_number(leaf, serial, GROWN_LEAF_MIN);
    *parent = set->node_base + dir;
    return 0;
}
