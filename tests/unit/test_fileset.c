#include "fileset/fileset.h"
#include "fileset/grown.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct fileset_spec tree_2001 = {.shape = FILESET_TREE,
                                              .trees = 16,
                                              .levels = 3,
                                              .branches = 4,
                                              .files = 4,
                                              .size_bytes = 1536,
                                              .content_key = 7};

/* Totals of the tree of 2001: 1344 directories, 5376 files. */
static void totals_are_those_of_2001(void **state)
{
    struct fileset_spec flat = {
        .shape = FILESET_FLAT, .trees = 1, .files = 32, .size_bytes = 1 << 20};
    struct err err = {0};

    (void)state;
    assert_int_equal(fileset_spec_check(&tree_2001, &err), 0);
    assert_int_equal(fileset_spec_dirs(&tree_2001), 1344);
    assert_int_equal(fileset_spec_files(&tree_2001), 5376);
    assert_int_equal(fileset_spec_bytes(&tree_2001), 5376 * 1536);
    assert_int_equal(fileset_spec_check(&flat, &err), 0);
    assert_int_equal(fileset_spec_dirs(&flat), 0);
    assert_int_equal(fileset_spec_files(&flat), 32);
    assert_int_equal(fileset_spec_bytes(&flat), 32 << 20);
}

static void refused(struct fileset_spec spec, const char *word)
{
    struct err err = {0};

    assert_int_equal(fileset_spec_check(&spec, &err), -EINVAL);
    assert_int_equal(err.code, -EINVAL);
    if (strstr(err.text, word) == NULL)
        fail_msg("'%s' does not name '%s'", err.text, word);
}

/* What is out of range is refused, and the field is named. */
static void bad_specs_name_the_field(void **state)
{
    struct fileset_spec spec = tree_2001;

    (void)state;
    spec.trees = 0;
    refused(spec, "trees");
    spec = tree_2001;
    spec.levels = 0;
    refused(spec, "levels");
    spec.levels = 17;
    refused(spec, "levels is 17, accepted are 1 to 16");
    spec = tree_2001;
    spec.branches = 1025;
    refused(spec, "branches is 1025, accepted are 1 to 1024");
    spec = tree_2001;
    spec.files = 0;
    refused(spec, "files");
    spec = tree_2001;
    spec.levels = 16;
    spec.branches = 1024;
    refused(spec, "files");
    spec = tree_2001;
    spec.size_bytes = UINT64_MAX;
    refused(spec, "bytes");
    spec = (struct fileset_spec){.shape = FILESET_FLAT, .trees = 2, .files = 1};
    refused(spec, "trees");
}

struct walk {
    const struct fileset_map *map;
    const struct fileset *set;
    uint32_t tree;
    uint64_t next_dir;
    uint64_t next_file;
};

static void expect_path(const struct fileset_map *map, uint64_t node, const char *leaf,
                        const char *right)
{
    char path[512];

    fileset_path(map, node, leaf, path, sizeof path);
    assert_string_equal(path, right);
}

/* The plain definition: a directory, its files, then each child with all that is under it. */
static void walk_dir(struct walk *w, const char *path, unsigned level)
{
    const struct fileset_spec *spec = &w->set->spec;
    char right[256];
    char leaf[FILESET_LEAF_MAX];
    uint64_t node = fileset_dir_node(w->set, w->tree, w->next_dir++);

    expect_path(w->map, node, NULL, path);
    for (uint32_t f = 0; f < spec->files; f++) {
        assert_int_equal(fileset_file(w->set, w->tree, w->next_file++, leaf), node);
        assert_true(snprintf(right, sizeof right, "%s/f%u", path, f) < (int)sizeof right);
        expect_path(w->map, node, leaf, right);
    }
    for (uint32_t b = 0; level < spec->levels && b < spec->branches; b++) {
        assert_true(snprintf(right, sizeof right, "%s/d%u", path, b) < (int)sizeof right);
        walk_dir(w, right, level + 1);
    }
}

static void walk_set(const struct fileset_map *map, const struct fileset *set, const char *place)
{
    char path[256];
    struct walk w = {.map = map, .set = set};

    for (w.tree = 0; w.tree < set->spec.trees; w.tree++) {
        w.next_dir = 0;
        w.next_file = 0;
        snprintf(path, sizeof path, "%s%st%02u", place, *place ? "/" : "", w.tree);
        expect_path(map, fileset_root_node(set, w.tree), NULL, path);
        for (uint32_t b = 0; b < set->spec.branches; b++) {
            snprintf(path, sizeof path, "%s%st%02u/d%u", place, *place ? "/" : "", w.tree, b);
            walk_dir(&w, path, 1);
        }
        assert_int_equal(w.next_dir, set->dirs_per_tree);
        assert_int_equal(w.next_file, set->files_per_tree);
    }
}

/* Numbers are those of a recursive walk, and every number's path is the walk's. */
static void numbers_follow_the_walk(void **state)
{
    static const struct {
        uint32_t trees, levels, branches, files;
        const char *place;
    } shape[] = {{16, 3, 4, 4, "loadline-abcd1234/4096-r1-k01"},
                 {1, 1, 1, 1, ""},
                 {3, 16, 1, 2, "a/b/c/d"},
                 {101, 1, 12, 1, "x"},
                 {2, 5, 3, 11, "x/y"}};
    struct fileset_map map;
    struct err err = {0};

    (void)state;
    for (size_t i = 0; i < sizeof shape / sizeof shape[0]; i++) {
        struct fileset_spec spec = {.shape = FILESET_TREE,
                                    .trees = shape[i].trees,
                                    .levels = shape[i].levels,
                                    .branches = shape[i].branches,
                                    .files = shape[i].files};
        assert_int_equal(fileset_map_init(&map, shape[i].place, &spec, 1, &err), 0);
        expect_path(&map, fileset_place_node(&map), NULL, *shape[i].place ? shape[i].place : ".");
        walk_set(&map, &map.set[0], shape[i].place);
        fileset_map_fini(&map);
    }
}

/* A tree and a flat set share a place; all nodes are distinct and name themselves. */
static void sets_share_a_place(void **state)
{
    struct fileset_spec specs[2] = {
        {.shape = FILESET_FLAT, .trees = 1, .files = 1000000},
        {.shape = FILESET_TREE, .trees = 2, .levels = 2, .branches = 2, .files = 1}};
    struct fileset_map map;
    struct err err = {0};
    char leaf[FILESET_LEAF_MAX];
    uint64_t parent;
    char name[TARGET_LEAF_MAX];

    (void)state;
    assert_int_equal(fileset_map_init(&map, "p/q", specs, 2, &err), 0);
    uint64_t place = fileset_place_node(&map);
    assert_int_equal(fileset_root_node(&map.set[0], 0), place);
    assert_int_equal(fileset_file(&map.set[0], 0, 999999, leaf), place);
    expect_path(&map, place, leaf, "p/q/f999999");
    walk_set(&map, &map.set[1], "p/q");

    struct target_names names = fileset_map_names(&map);
    uint64_t last = fileset_dir_node(&map.set[1], 1, map.set[1].dirs_per_tree - 1);
    assert_int_equal(names.parent(names.ctx, last, &parent, name), 0);
    assert_int_equal(names.parent(names.ctx, last + 1, &parent, name), -EINVAL);
    assert_int_equal(names.parent(names.ctx, UINT64_MAX, &parent, name), -EINVAL);
    assert_int_equal(names.parent(names.ctx, TARGET_NODE_ROOT, &parent, name), -EINVAL);
    fileset_path(&map, last + 1, "f0", name, sizeof name);
    assert_non_null(strstr(name, "node "));
    fileset_map_fini(&map);
}

/* The largest set there may be: the last of 2^40 files has a name and a place. */
static void the_largest_set_has_names(void **state)
{
    struct fileset_spec spec = {.shape = FILESET_TREE,
                                .trees = 1048576,
                                .levels = 1,
                                .branches = 1024,
                                .files = 1024,
                                .size_bytes = 4096};
    struct fileset_map map;
    struct err err = {0};
    char leaf[FILESET_LEAF_MAX];

    (void)state;
    assert_int_equal(fileset_map_init(&map, "", &spec, 1, &err), 0);
    assert_int_equal(fileset_spec_files(&spec), (uint64_t)1 << 40);
    uint64_t node = fileset_file(&map.set[0], 1048575, 1048575, leaf);
    expect_path(&map, node, leaf, "t1048575/d1023/f1023");
    fileset_map_fini(&map);
    spec.files++;
    refused(spec, "files");
}

/* Places that would lead elsewhere, and sets that would collide, are refused. */
static void bad_maps_are_refused(void **state)
{
    static const char *const place[] = {
        "/a", "a/", "a//b", "..", "a/.", "../a", "a/b/c/d/e", "a23456789012345678901234567890123"};
    struct fileset_spec twice[2] = {tree_2001, tree_2001};
    struct fileset_map map = {.sets = 99};
    struct err err;

    (void)state;
    for (size_t i = 0; i < sizeof place / sizeof place[0]; i++) {
        err = (struct err){0};
        assert_int_equal(fileset_map_init(&map, place[i], &tree_2001, 1, &err), -EINVAL);
        assert_non_null(strstr(err.text, place[i]));
    }
    assert_int_equal(fileset_map_init(&map, "", twice, 2, &err), -EINVAL);
    assert_int_equal(map.sets, 99);
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* Each file of a set has its own key; the same number gives the same key again, another
 * content_key another one. */
static void keys_are_distinct(void **state)
{
    struct fileset_spec other_spec = tree_2001;
    struct fileset_map map;
    struct fileset_map other;
    uint64_t key[5376];
    size_t n = 0;

    (void)state;
    other_spec.content_key++;
    assert_int_equal(fileset_map_init(&map, "", &tree_2001, 1, NULL), 0);
    assert_int_equal(fileset_map_init(&other, "elsewhere", &other_spec, 1, NULL), 0);
    for (uint32_t t = 0; t < 16; t++) {
        for (uint64_t f = 0; f < map.set[0].files_per_tree; f++)
            key[n++] = fileset_file_key(&map.set[0], t, f);
    }
    assert_int_equal(key[0], fileset_file_key(&map.set[0], 0, 0));
    assert_int_not_equal(key[0], fileset_file_key(&other.set[0], 0, 0));
    fileset_map_fini(&other);
    fileset_map_fini(&map);
    qsort(key, n, sizeof key[0], compare_keys);
    for (size_t i = 1; i < n; i++)
        assert_int_not_equal(key[i - 1], key[i]);
}

/* A path longer than the buffer is cut, never overrun. */
static void paths_are_cut(void **state)
{
    struct fileset_map map;
    char buf[8];

    (void)state;
    memset(buf, 'x', sizeof buf);
    assert_int_equal(fileset_map_init(&map, "place", &tree_2001, 1, NULL), 0);
    fileset_path(&map, fileset_dir_node(&map.set[0], 0, 0), "f0", buf, 7);
    assert_string_equal(buf, "place/");
    assert_int_equal(buf[7], 'x');
    fileset_map_fini(&map);
}

static struct grown *grown_of(const char *name, const char *under)
{
    struct grown_spec spec = {.entries = 40,
                              .leafdirs = 3,
                              .size = {.kind = DRAW_UNIFORM, .a = 1000, .b = 9000},
                              .width = {.kind = DRAW_FIXED, .a = 4}};
    struct grown *g = NULL;
    struct err err;

    snprintf(spec.name, sizeof spec.name, "%s", name);
    snprintf(spec.under, sizeof spec.under, "%s", under);
    assert_int_equal(grown_new(&spec, &g, &err), 0);
    return g;
}

static struct fileset_spec spec_of(const struct grown *g)
{
    return (struct fileset_spec){.shape = FILESET_GROWN, .trees = 1, .content_key = 1, .grown = g};
}

/* Totals of a grown set are those of what has grown. */
static void totals_are_those_of_what_has_grown(void **state)
{
    struct grown *g = grown_of("a", "");
    struct fileset_spec spec = spec_of(g);
    struct err err;

    (void)state;
    assert_int_equal(fileset_spec_check(&spec, &err), 0);
    assert_int_equal(fileset_spec_dirs(&spec), grown_dirs(g) - 1);
    assert_int_equal(fileset_spec_files(&spec), 40);
    assert_int_equal(fileset_spec_bytes(&spec), grown_bytes(g));
    spec.trees = 2;
    refused(spec, "trees is 2, a grown set has 1");
    spec.trees = 1;
    spec.compress_centi = 1;
    refused(spec, "compress");
    spec.compress_centi = 0;
    spec.grown = NULL;
    refused(spec, "grown");
    grown_free(g);
}

/* Every directory, leaf directory and file of a grown set is found where grown.h says. */
static void expect_grown(const struct fileset_map *map, const struct fileset *set,
                         const char *where)
{
    const struct grown *g = set->spec.grown;
    char right[256];
    char above[256];
    char leaf[FILESET_LEAF_MAX];
    uint64_t parent, serial;

    expect_path(map, fileset_root_node(set, 0), NULL, where);
    for (uint64_t d = 1; d < grown_dirs(g) + grown_leafs(g); d++) {
        uint64_t node = fileset_root_node(set, 0) + d;
        grown_dir(g, d, &parent, &serial);
        fileset_path(map, fileset_root_node(set, 0) + parent, NULL, above, sizeof above - 16);
        assert_true(snprintf(right, sizeof right, "%.200s/%08" PRIu64, above, serial) < 256);
        expect_path(map, node, NULL, right);
        assert_int_equal(node, d < grown_dirs(g) ? fileset_dir_node(set, 0, d - 1)
                                                 : fileset_leaf_node(set, d - grown_dirs(g)));
    }
    for (uint64_t f = 0; f < grown_files(g); f++) {
        grown_file(g, f, &parent, &serial);
        uint64_t node = fileset_file(set, 0, f, leaf);
        assert_int_equal(node, fileset_root_node(set, 0) + parent);
        snprintf(right, sizeof right, "%08" PRIu64, serial);
        assert_string_equal(leaf, right);
        assert_int_equal(fileset_file_bytes(set, 0, f), grown_file_bytes(g, f));
    }
}

/* Sets of all shapes in one map: each in its place, no node of two. */
static void grown_sets_lie_where_they_say(void **state)
{
    static const struct {
        const char *name, *under, *where;
    } lies[] = {{"a", "", "p/q/a"},
                {"b", "", "p/q/b"},
                {"a", "/", "a"},
                {"a", "/x/yy", "x/yy/a"},
                {"a", "/x", "x/a"}};
    enum { GROWN = sizeof lies / sizeof lies[0], SETS = GROWN + 2 };
    struct fileset_spec specs[SETS] = {
        [2] = {.shape = FILESET_FLAT, .trees = 1, .files = 7, .size_bytes = 512},
        [4] = {.shape = FILESET_TREE, .trees = 2, .levels = 2, .branches = 2, .files = 1}};
    struct grown *g[SETS] = {NULL};
    struct fileset_map map;
    struct err err;
    uint64_t parent;
    char name[TARGET_LEAF_MAX];

    (void)state;
    for (unsigned i = 0, n = 0; i < SETS; i++) {
        if (specs[i].trees > 0)
            continue;
        g[i] = grown_of(lies[n].name, lies[n].under);
        specs[i] = spec_of(g[i]);
        n++;
    }
    assert_int_equal(fileset_map_init(&map, "p/q", specs, SETS, &err), 0);
    uint64_t behind = fileset_place_node(&map) + 1;
    for (unsigned i = 0, n = 0; i < SETS; i++) {
        if (g[i] == NULL)
            continue;
        assert_true(map.set[i].first_node >= behind);
        behind = fileset_leaf_node(&map.set[i], 3);
        expect_grown(&map, &map.set[i], lies[n++].where);
    }
    walk_set(&map, &map.set[4], "p/q");
    assert_int_equal(fileset_file_bytes(&map.set[2], 0, 6), 512);
    struct target_names names = fileset_map_names(&map);
    uint64_t last = fileset_leaf_node(&map.set[SETS - 1], 2);
    assert_int_equal(names.parent(names.ctx, last, &parent, name), 0);
    assert_int_equal(names.parent(names.ctx, last + 1, &parent, name), -EINVAL);
    fileset_map_fini(&map);
    for (unsigned i = 0; i < SETS; i++)
        grown_free(g[i]);
}

/* One name in one place is two sets' only once; a place that is no way is none. */
static void bad_grown_sets_are_refused(void **state)
{
    static const char *const under[] = {"a", "/a/", "//a", "/..", "/a/./b", "a/b"};
    struct grown *one = grown_of("same", "/x");
    struct grown *two = grown_of("same", "/x");
    struct fileset_spec specs[2] = {spec_of(one), spec_of(two)};
    struct fileset_map map;
    struct err err;

    (void)state;
    assert_int_equal(fileset_map_init(&map, "", specs, 2, &err), -EINVAL);
    assert_non_null(strstr(err.text, "same"));
    grown_free(one);
    grown_free(two);
    for (size_t i = 0; i < sizeof under / sizeof under[0]; i++) {
        one = grown_of("a", under[i]);
        specs[0] = spec_of(one);
        assert_int_equal(fileset_map_init(&map, "", specs, 1, &err), -EINVAL);
        assert_non_null(strstr(err.text, under[i]));
        grown_free(one);
    }
}

/* There may be as many sets as a workload defines. */
static void a_map_holds_any_number_of_sets(void **state)
{
    enum { SETS = 1024 };
    static struct fileset_spec specs[SETS];
    static struct grown *g[SETS];
    struct fileset_map map;
    struct err err;
    char name[32];

    (void)state;
    for (unsigned i = 0; i < SETS; i++) {
        snprintf(name, sizeof name, "set%u", i);
        g[i] = grown_of(name, "");
        specs[i] = spec_of(g[i]);
    }
    assert_int_equal(fileset_map_init(&map, "", specs, SETS, &err), 0);
    for (unsigned i = 0; i < SETS; i += 31) {
        snprintf(name, sizeof name, "set%u", i);
        expect_grown(&map, &map.set[i], name);
    }
    fileset_map_fini(&map);
    for (unsigned i = 0; i < SETS; i++)
        grown_free(g[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(totals_are_those_of_2001),
        cmocka_unit_test(bad_specs_name_the_field),
        cmocka_unit_test(numbers_follow_the_walk),
        cmocka_unit_test(sets_share_a_place),
        cmocka_unit_test(the_largest_set_has_names),
        cmocka_unit_test(bad_maps_are_refused),
        cmocka_unit_test(keys_are_distinct),
        cmocka_unit_test(paths_are_cut),
        cmocka_unit_test(totals_are_those_of_what_has_grown),
        cmocka_unit_test(grown_sets_lie_where_they_say),
        cmocka_unit_test(bad_grown_sets_are_refused),
        cmocka_unit_test(a_map_holds_any_number_of_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
