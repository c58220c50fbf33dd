#include "fileset/fileset.h"

#include "base/rng.h"
#include "fileset/fileset_priv.h"
#include "fileset/grown.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names are formatted once per operation on the hot path; snprintf costs twenty times as much, and digit
 * by digit it is twice as much. */
void fileset_put_number(char *at, uint64_t value, unsigned digits_min)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";
    unsigned n = 1;

    for (uint64_t rest = value; rest >= 10; rest /= 10)
        n++;
    if (n < digits_min)
        n = digits_min;
    at[n] = '\0';
    for (; n >= 2; n -= 2, value /= 100)
        memcpy(at + n - 2, &pairs[value % 100 * 2], 2);
    if (n > 0)
        at[0] = (char)('0' + value % 10);
}

void fileset_put_name(char *at, char kind, uint64_t number, unsigned digits_min)
{
    at[0] = kind;
    fileset_put_number(at + 1, number, digits_min);
}

static int add_component(struct fileset_map *map, const char *name, size_t len, const char *place,
                         struct err *err)
{
    bool dots = (len == 1 && name[0] == '.') || (len == 2 && name[0] == '.' && name[1] == '.');

    if (map->place_depth == FILESET_PLACE_MAX)
        return err_set(err, -EINVAL, "%s: more than %d directories deep", place, FILESET_PLACE_MAX);
    if (len == 0 || len >= FILESET_LEAF_MAX || dots)
        return err_set(err, -EINVAL, "%s: a name of 1 to %d characters expected at '%.*s'", place,
                       FILESET_LEAF_MAX - 1, (int)(len < 64 ? len : 64), name);
    memcpy(map->place[map->place_depth], name, len);
    map->place[map->place_depth++][len] = '\0';
    return 0;
}

static int split_place(struct fileset_map *map, const char *place, struct err *err)
{
    const char *at = place;

    if (*place == '\0')
        return 0;
    for (;;) {
        size_t len = strcspn(at, "/");
        int rc = add_component(map, at, len, place, err);
        if (rc < 0 || at[len] == '\0')
            return rc;
        at += len + 1;
    }
}

/* Each returns the first node number behind the set. */
static uint64_t init_tree(struct fileset *set, uint64_t next)
{
    const struct fileset_spec *spec = &set->spec;

    set->node_base = next;
    set->subtree[spec->levels] = 1;
    for (unsigned l = spec->levels - 1; l > 0; l--)
        set->subtree[l] = 1 + spec->branches * set->subtree[l + 1];
    set->dirs_per_tree = spec->branches * set->subtree[1];
    set->files_per_tree = set->dirs_per_tree * spec->files;
    return next + spec->trees * (set->dirs_per_tree + 1);
}

static uint64_t set_init(struct fileset *set, const struct fileset_spec *spec, uint64_t place,
                         uint64_t next)
{
    set->spec = *spec;
    set->first_node = next;
    if (spec->shape == FILESET_TREE)
        return init_tree(set, next);
    if (spec->shape == FILESET_GROWN)
        return fileset_grown_init(set, next);
    set->node_base = place;
    set->files_per_tree = spec->files;
    return next;
}

static int same_names(const struct fileset_spec *a, const struct fileset_spec *b, struct err *err)
{
    if (a->shape != b->shape)
        return 0;
    if (a->shape != FILESET_GROWN)
        return err_set(err, -EINVAL, "two filesets of one shape would have the same names");
    return fileset_grown_same_names(a, b, err);
}

static int add_set(struct fileset_map *map, const struct fileset_spec *spec, uint64_t *next,
                   struct err *err)
{
    int rc = fileset_spec_check(spec, err);

    if (rc == 0 && spec->shape == FILESET_GROWN)
        rc = fileset_grown_check(spec, err);
    for (unsigned i = 0; rc == 0 && i < map->sets; i++)
        rc = same_names(&map->set[i].spec, spec, err);
    if (rc == 0)
        *next = set_init(&map->set[map->sets++], spec, map->place_depth, *next);
    return rc;
}

int fileset_map_init(struct fileset_map *map, const char *place, const struct fileset_spec *specs,
                     unsigned n, struct err *err)
{
    struct fileset_map made = {0};
    int rc = split_place(&made, place, err);
    uint64_t next = made.place_depth + 1;

    made.set = calloc(n > 0 ? n : 1, sizeof *made.set);
    if (rc == 0 && made.set == NULL)
        rc = err_set(err, -ENOMEM, "no memory for %u filesets", n);
    for (unsigned i = 0; rc == 0 && i < n; i++)
        rc = add_set(&made, &specs[i], &next, err);
    if (rc == 0)
        *map = made;
    else
        fileset_map_fini(&made);
    return rc;
}

void fileset_map_fini(struct fileset_map *map)
{
    free(map->set);
    map->set = NULL;
    map->sets = 0;
}

uint64_t fileset_place_node(const struct fileset_map *map)
{
    return map->place_depth;
}

uint64_t fileset_root_node(const struct fileset *set, uint32_t tree)
{
    return set->node_base + tree * (set->dirs_per_tree + 1);
}

uint64_t fileset_dir_node(const struct fileset *set, uint32_t tree, uint64_t d)
{
    return fileset_root_node(set, tree) + 1 + d;
}

uint64_t fileset_subdir(const struct fileset *set, unsigned level, uint64_t dir, uint32_t child)
{
    return (level == 0 ? 0 : dir + 1) + child * set->subtree[level + 1];
}

/* A name is accepted only when printing what was read from it gives the same name again. */
bool fileset_number(const char *leaf, char kind, unsigned digits_min, uint64_t limit,
                    uint64_t *number)
{
    char again[FILESET_LEAF_MAX];

    if (leaf[0] != kind || strlen(leaf) >= sizeof again)
        return false;
    *number = strtoull(leaf + 1, NULL, 10);
    fileset_put_name(again, kind, *number, digits_min);
    return *number < limit && strcmp(leaf, again) == 0;
}

/* A 64-bit division costs several times a 32-bit one on many processors. */
static void divide(uint64_t value, uint32_t by, uint64_t *quotient, uint32_t *rest)
{
    if (value <= UINT32_MAX) {
        *quotient = (uint32_t)value / by;
        *rest = (uint32_t)value % by;
    } else {
        *quotient = value / by;
        *rest = (uint32_t)(value % by);
    }
}

uint64_t fileset_file(const struct fileset *set, uint32_t tree, uint64_t f,
                      char leaf[FILESET_LEAF_MAX])
{
    uint64_t dir;
    uint32_t number;

    if (set->spec.shape == FILESET_FLAT) {
        fileset_put_name(leaf, 'f', f, 1);
        return set->node_base;
    }
    if (set->spec.shape == FILESET_GROWN)
        return fileset_grown_file(set, f, leaf);
    divide(f, set->spec.files, &dir, &number);
    fileset_put_name(leaf, 'f', number, 1);
    return fileset_dir_node(set, tree, dir);
}

uint64_t fileset_file_bytes(const struct fileset *set, uint32_t tree, uint64_t f)
{
    (void)tree;
    return set->spec.shape == FILESET_GROWN ? grown_file_bytes(set->spec.grown, f)
                                            : set->spec.size_bytes;
}

uint64_t fileset_leaf_node(const struct fileset *set, uint64_t l)
{
    return fileset_dir_node(set, 0, set->dirs_per_tree + l);
}

uint64_t fileset_file_key(const struct fileset *set, uint32_t tree, uint64_t f)
{
    return mix64_pair(set->spec.content_key, tree * set->files_per_tree + f);
}

/* From the root downwards: at each level the number of whole subtrees before d is the child's
 * number, and what remains lies inside that child. */
static uint64_t dir_parent(const struct fileset *set, uint64_t root, uint64_t d, char *leaf)
{
    uint64_t parent = root;
    uint64_t first = root + 1; /* node of the first child at this level */
    uint64_t rest = d;

    for (unsigned l = 1;; l++) {
        uint64_t child = rest / set->subtree[l];
        rest -= child * set->subtree[l];
        if (rest == 0) {
            fileset_put_name(leaf, 'd', child, 1);
            return parent;
        }
        parent = first + child * set->subtree[l];
        first = parent + 1;
        rest--;
    }
}

static int set_parent(const struct fileset *set, uint64_t place, uint64_t node, uint64_t *parent,
                      char *leaf)
{
    uint64_t per_tree = set->dirs_per_tree + 1;
    uint64_t tree = (node - set->node_base) / per_tree;
    uint64_t d = (node - set->node_base) % per_tree;

    if (tree >= set->spec.trees)
        return -EINVAL;
    if (d == 0) {
        *parent = place;
        fileset_put_name(leaf, 't', tree, 2);
    } else {
        *parent = dir_parent(set, node - d, d - 1, leaf);
    }
    return 0;
}

/* The last one that begins at or before the node: so never a flat set, which has no nodes, in front of
 * another one. */
static const struct fileset *set_of(const struct fileset_map *map, uint64_t node)
{
    unsigned low = 0;
    unsigned high = map->sets;

    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        if (map->set[middle].first_node <= node)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? &map->set[low - 1] : NULL;
}

static int map_parent(const void *ctx, uint64_t node, uint64_t *parent, char leaf[TARGET_LEAF_MAX])
{
    const struct fileset_map *map = ctx;

    if (node == TARGET_NODE_ROOT)
        return -EINVAL;
    if (node <= map->place_depth) {
        *parent = node - 1;
        memcpy(leaf, map->place[node - 1], FILESET_LEAF_MAX);
        return 0;
    }
    const struct fileset *set = set_of(map, node);
    if (set == NULL || set->spec.shape == FILESET_FLAT)
        return -EINVAL;
    if (set->spec.shape == FILESET_GROWN)
        return fileset_grown_parent(set, map->place_depth, node, parent, leaf);
    return set_parent(set, map->place_depth, node, parent, leaf);
}

struct target_names fileset_map_names(const struct fileset_map *map)
{
    return (struct target_names){.parent = map_parent, .ctx = map};
}

/* Puts name in front of the path that starts at `at` in buf; NULL when there is no room. */
static char *prepend(const char *buf, char *at, const char *name)
{
    size_t len = strlen(name);
    bool slash = *at != '\0';

    if ((size_t)(at - buf) < len + slash)
        return NULL;
    if (slash)
        *--at = '/';
    return memcpy(at - len, name, len);
}

void fileset_path(const struct fileset_map *map, uint64_t node, const char *leaf, char *buf,
                  size_t room)
{
    char path[1024];
    char name[TARGET_LEAF_MAX];
    char *at = path + sizeof path - 1;

    *at = '\0';
    if (leaf != NULL)
        at = prepend(path, at, leaf);
    for (uint64_t here = node; at != NULL && here != TARGET_NODE_ROOT;)
        at = map_parent(map, here, &here, name) == 0 ? prepend(path, at, name) : NULL;
    if (at == NULL)
        snprintf(buf, room, "node %" PRIu64 "%s%s", node, leaf != NULL ? " " : "",
                 leaf != NULL ? leaf : "");
    else
        snprintf(buf, room, "%s", *at != '\0' ? at : ".");
}
