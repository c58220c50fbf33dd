#include "fileset/grown.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct grown_spec spec_of(uint64_t entries, double width, uint32_t dirgamma_milli)
{
    return (struct grown_spec){.name = "set",
                               .entries = entries,
                               .size = {.kind = DRAW_FIXED, .a = 1024},
                               .width = {.kind = DRAW_FIXED, .a = width},
                               .dirgamma_milli = dirgamma_milli,
                               .seed = 1};
}

static struct grown *grow(const struct grown_spec *spec)
{
    struct grown *g = NULL;
    struct err err = {0};

    if (grown_new(spec, &g, &err) != 0)
        fail_msg("%s", err.text);
    return g;
}

/* "/00000001/00000003": the way to a directory or, of its file, to that. */
static void path_of(const struct grown *g, uint64_t d, uint64_t serial, char *buf, size_t room)
{
    char below[1024] = "";
    char name[2048];

    if (serial > 0)
        snprintf(below, sizeof below, "/%08" PRIu64, serial);
    while (d > 0) {
        grown_dir(g, d, &d, &serial);
        snprintf(name, sizeof name, "/%08" PRIu64 "%s", serial, below);
        assert_true(strlen(name) < sizeof below);
        memcpy(below, name, strlen(name) + 1);
    }
    assert_true(snprintf(buf, room, "%s", below) < (int)room);
}

static void file_is_at(const struct grown *g, uint64_t file, const char *right)
{
    uint64_t dir, serial;
    char path[512];

    grown_file(g, file, &dir, &serial);
    path_of(g, dir, serial, path, sizeof path);
    assert_string_equal(path, right);
}

static void count_entries(const struct grown *g, uint64_t *entries)
{
    uint64_t parent, serial;

    for (uint64_t f = 0; f < grown_files(g); f++) {
        grown_file(g, f, &parent, &serial);
        assert_true(parent < grown_dirs(g));
        entries[parent]++;
    }
    for (uint64_t d = 1; d < grown_dirs(g) + grown_leafs(g); d++) {
        grown_dir(g, d, &parent, &serial);
        assert_true(parent < grown_dirs(g));
        if (d < grown_dirs(g))
            assert_true(parent < d);
        entries[parent]++;
    }
}

/* Of every tree: the entries of a directory are numbered 1, 2 … without a gap and without two of one
 * number, parents come before children, and nothing but directory 0 is without a parent. */
static void is_a_tree(const struct grown *g)
{
    uint64_t *entries = calloc(grown_dirs(g) + 1, sizeof *entries);
    uint64_t *first = calloc(grown_dirs(g) + 1, sizeof *first);
    uint64_t all = grown_files(g) + grown_dirs(g) - 1 + grown_leafs(g);
    bool *seen = calloc(all + 1, sizeof *seen);
    uint64_t parent, serial;
    uint64_t most = 0;

    assert_non_null(seen);
    count_entries(g, entries);
    for (uint64_t d = 1; d < grown_dirs(g); d++)
        first[d] = first[d - 1] + entries[d - 1];
    for (uint64_t i = 1; i <= all; i++) {
        if (i < grown_dirs(g) + grown_leafs(g))
            grown_dir(g, i, &parent, &serial);
        else
            grown_file(g, i - grown_dirs(g) - grown_leafs(g), &parent, &serial);
        assert_in_range(serial, 1, entries[parent]);
        assert_false(seen[first[parent] + serial - 1]);
        seen[first[parent] + serial - 1] = true;
        most = serial > most ? serial : most;
    }
    assert_int_equal(grown_serial_most(g), most);
    free(entries);
    free(first);
    free(seen);
}

/* 40 entries of width 4 and gamma 0: ten directories of four files, all right below the top. */
static void forty_of_width_four_are_ten_by_four(void **state)
{
    struct grown_spec spec = spec_of(40, 4, 0);
    struct grown *g = grow(&spec);
    char path[64];

    (void)state;
    assert_int_equal(grown_files(g), 40);
    assert_int_equal(grown_dirs(g), 11);
    assert_int_equal(grown_levels(g), 1);
    for (unsigned f = 0; f < 40; f++) {
        snprintf(path, sizeof path, "/%08u/%08u", f / 4 + 1, f % 4 + 1);
        file_is_at(g, f, path);
    }
    is_a_tree(g);
    assert_true(fabs(grown_mean_depth(g) - log(40) / log(4)) < 1e-12);
    assert_int_equal(grown_bytes(g), 40 * 1024);
    assert_int_equal(grown_bytes_most(g), 1024);
    assert_true(grown_same_size(g));
    grown_free(g);
}

/* Three levels, by hand: 30 entries of width 3 are at depth 3 (ln 30 / ln 3 = 3.1). */
static void interior_directories_are_as_wide_as_leaves(void **state)
{
    struct grown_spec spec = spec_of(30, 3, 0);
    struct grown *g = grow(&spec);

    (void)state;
    file_is_at(g, 0, "/00000001/00000001/00000001");
    file_is_at(g, 8, "/00000001/00000003/00000003");
    file_is_at(g, 9, "/00000002/00000001/00000001");
    file_is_at(g, 29, "/00000004/00000001/00000003");
    assert_int_equal(grown_dirs(g), 1 + 4 + 10);
    assert_int_equal(grown_levels(g), 2);
    is_a_tree(g);
    grown_free(g);
}

/* The plain definition, by recursion: what a directory at a depth is filled with. */
struct plain {
    const struct grown *g;
    uint64_t files;
    uint64_t leafs;
    unsigned depth;
    uint64_t width;
    uint64_t dir;  /* the next to be made */
    uint64_t file; /* likewise */
    uint64_t leaf;
};

static void plain_dir(struct plain *p, uint64_t parent, uint64_t serial, unsigned depth)
{
    uint64_t here = p->dir++;
    uint64_t n = 0, dir, is;

    if (depth > 1) {
        grown_dir(p->g, here, &dir, &is);
        assert_int_equal(dir, parent);
        assert_int_equal(is, serial);
    }
    for (uint64_t i = 1; (depth == 1 || i <= p->width) && p->file < p->files; i++) {
        if (depth == 1 || depth < p->depth) {
            plain_dir(p, here, ++n, depth + 1);
            continue;
        }
        grown_file(p->g, p->file++, &dir, &is);
        assert_int_equal(dir, here);
        assert_int_equal(is, ++n);
    }
    for (uint64_t i = 1; (depth == 1 || i <= p->width) && p->leaf < p->leafs; i++) {
        if (depth == 1 || depth < p->depth) {
            plain_dir(p, here, ++n, depth + 1);
            continue;
        }
        grown_dir(p->g, grown_dirs(p->g) + p->leaf++, &dir, &is);
        assert_int_equal(dir, here);
        assert_int_equal(is, ++n);
    }
}

/* Of constant widths and depths, which are known without drawing: wholes and fractions, with files, with
 * leaf directories, with both. */
static void constant_trees_are_those_of_the_definition(void **state)
{
    static const double width[] = {1.5, 2, 2.5, 3, 4, 7.25, 20, 1000};
    static const uint64_t count[] = {0, 1, 2, 5, 17, 100, 777};

    (void)state;
    for (unsigned w = 0; w < 8; w++) {
        for (unsigned i = 0; i < 49; i++) {
            struct grown_spec spec = spec_of(count[i % 7], width[w], 0);
            spec.leafdirs = count[i / 7];
            struct grown *g = grow(&spec);
            double depth = trunc(grown_mean_depth(g));
            struct plain p = {.g = g,
                              .files = spec.entries,
                              .leafs = spec.leafdirs,
                              .depth = depth < 1 ? 1 : (unsigned)depth,
                              .width = (uint64_t)ceil(width[w])};
            plain_dir(&p, 0, 0, 1);
            assert_int_equal(p.dir, grown_dirs(g));
            assert_int_equal(p.file, grown_files(g));
            assert_int_equal(p.leaf, grown_leafs(g));
            is_a_tree(g);
            grown_free(g);
        }
    }
}

static void one_entry_lies_in_one_directory(void **state)
{
    struct grown_spec spec = spec_of(1, 20, 1500);
    struct grown *g = grow(&spec);

    (void)state;
    assert_int_equal(grown_dirs(g), 2);
    file_is_at(g, 0, "/00000001/00000001");
    assert_true(grown_mean_depth(g) == 0);
    grown_free(g);
}

/* Without a width: one file per directory. */
static void width_0_is_one_file_a_directory(void **state)
{
    (void)state;
    for (uint32_t gamma = 0; gamma <= 1500; gamma += 1500) {
        struct grown_spec spec = spec_of(25, 0, gamma);
        struct grown *g = grow(&spec);
        assert_int_equal(grown_dirs(g), 26);
        file_is_at(g, 24, "/00000025/00000001");
        assert_int_equal(grown_levels(g), 1);
        grown_free(g);
    }
}

/* 1000 files and a mean width of a million: one directory holds all, or a few when a small width is
 * drawn; the depth is said to be a half. */
static void a_wide_directory_holds_all(void **state)
{
    struct grown_spec spec = spec_of(1000, 1000000, 1500);
    struct grown *g = grow(&spec);

    (void)state;
    assert_int_equal(grown_dirs(g), 2);
    file_is_at(g, 999, "/00000001/00001000");
    assert_true(fabs(grown_mean_depth(g) - 0.5) < 1e-12);
    is_a_tree(g);
    grown_free(g);
}

/* The depth of width 1 has no end, that of a tree has. */
static void width_1_is_capped(void **state)
{
    struct grown_spec spec = spec_of(3, 1, 0);
    struct grown *g = grow(&spec);

    (void)state;
    assert_true(isinf(grown_mean_depth(g)));
    assert_int_equal(grown_levels(g), GROWN_DEPTH_MAX - 1);
    assert_int_equal(grown_dirs(g), 1 + 3 * (GROWN_DEPTH_MAX - 1));
    is_a_tree(g);
    grown_free(g);
    spec = spec_of(1000, 1, 1500);
    g = grow(&spec);
    assert_true(grown_levels(g) < GROWN_DEPTH_MAX);
    is_a_tree(g);
    grown_free(g);
}

/* Leaf directories are numbered on behind the files of the same directory. */
static void leafdirs_are_numbered_on(void **state)
{
    struct grown_spec spec = spec_of(8, 4, 0);
    uint64_t parent, serial;

    (void)state;
    spec.leafdirs = 6;
    struct grown *g = grow(&spec);
    assert_int_equal(grown_leafs(g), 6);
    assert_int_equal(grown_dirs(g), 3);
    grown_dir(g, 3, &parent, &serial);
    assert_int_equal(parent, 1);
    assert_int_equal(serial, 5);
    grown_dir(g, 8, &parent, &serial);
    assert_int_equal(parent, 2);
    assert_int_equal(serial, 6);
    is_a_tree(g);
    grown_free(g);
    spec = spec_of(0, 20, 1500);
    spec.leafdirs = 10000;
    g = grow(&spec);
    assert_int_equal(grown_files(g), 0);
    assert_int_equal(grown_leafs(g), 10000);
    is_a_tree(g);
    grown_free(g);
    spec = spec_of(10000, 20, 1500);
    spec.leafdirs = 3000;
    g = grow(&spec);
    is_a_tree(g);
    grown_free(g);
}

/* Nothing at all is a set, too: its directory. */
static void no_entries_are_one_directory(void **state)
{
    struct grown_spec spec = spec_of(0, 20, 1500);
    struct grown *g = grow(&spec);

    (void)state;
    assert_int_equal(grown_dirs(g), 1);
    assert_int_equal(grown_files(g) + grown_leafs(g) + grown_bytes(g) + grown_levels(g), 0);
    grown_free(g);
}

static uint64_t digest(const struct grown *g)
{
    uint64_t sum = grown_dirs(g);
    uint64_t parent, serial;

    for (uint64_t d = 1; d < grown_dirs(g) + grown_leafs(g); d++) {
        grown_dir(g, d, &parent, &serial);
        sum = mix64_pair(sum, mix64_pair(parent, serial));
    }
    for (uint64_t f = 0; f < grown_files(g); f++) {
        grown_file(g, f, &parent, &serial);
        sum = mix64_pair(sum, mix64_pair(parent, serial) ^ grown_file_bytes(g, f));
    }
    return sum;
}

static struct grown_spec fileserver(uint64_t seed)
{
    struct grown_spec spec = spec_of(10000, 20, 1500);
    spec.size = (struct draw){.kind = DRAW_GAMMA, .a = 1.5, .b = 131072 / 1.5};
    spec.seed = seed;
    return spec;
}

/* One seed, one tree, on every machine; another seed, another one. */
static void a_seed_is_a_tree(void **state)
{
    struct grown_spec spec = fileserver(7);
    struct grown *one = grow(&spec);
    struct grown *again = grow(&spec);
    spec.seed = 8;
    struct grown *other = grow(&spec);

    (void)state;
    assert_int_equal(digest(one), digest(again));
    assert_int_not_equal(digest(one), digest(other));
    assert_int_equal(digest(one), UINT64_C(0x6519a6563462f4f9));
    is_a_tree(one);
    grown_free(one);
    grown_free(again);
    grown_free(other);
}

/* Sizes belong to numbers: another tree of the same seed has the same. */
static void sizes_do_not_depend_on_the_tree(void **state)
{
    struct grown_spec spec = fileserver(7);
    struct grown *one = grow(&spec);
    spec.width.a = 100;
    spec.entries = 500;
    struct grown *other = grow(&spec);
    uint64_t sum = 0;

    (void)state;
    for (uint64_t f = 0; f < 500; f++)
        assert_int_equal(grown_file_bytes(one, f), grown_file_bytes(other, f));
    for (uint64_t f = 0; f < 10000; f++)
        sum += grown_file_bytes(one, f);
    assert_int_equal(grown_bytes(one), sum);
    /* Five standard deviations of the mean of 10,000 draws of shape 1.5. */
    assert_true(fabs((double)sum / 10000 / 131072 - 1) < 5 * sqrt(1 / 1.5) / 100);
    assert_false(grown_same_size(one));
    grown_free(one);
    grown_free(other);
}

/* Entries of a directory of files are ⌈w⌉, w gamma: on average half an entry above the mean width. */
static void widths_have_their_mean(void **state)
{
    struct grown_spec spec = spec_of(1000000, 20, 1500);
    struct grown *g = grow(&spec);
    uint64_t holders = 0;
    uint64_t before = UINT64_MAX;

    (void)state;
    for (uint64_t f = 0; f < grown_files(g); f++) {
        uint64_t dir, serial;
        grown_file(g, f, &dir, &serial);
        holders += dir != before;
        before = dir;
    }
    double mean = 1e6 / (double)holders;
    assert_true(mean > 20 && mean < 21);
    grown_free(g);
}

/* Of each directory its own draw where width or depth is a random variable; the depth's mean becomes
 * the one that is computed, its lower end stays. */
static void random_width_and_depth_are_drawn(void **state)
{
    struct grown_spec spec = spec_of(100000, 0, 1500);
    unsigned least = UINT32_MAX;
    unsigned most = 0;

    (void)state;
    spec.width = (struct draw){.kind = DRAW_UNIFORM, .a = 5, .b = 15};
    spec.has_depth = true;
    spec.depth = (struct draw){.kind = DRAW_UNIFORM, .a = 3, .b = 5};
    struct grown *g = grow(&spec);
    is_a_tree(g);
    assert_true(fabs(grown_mean_depth(g) - 5) < 1e-12);
    for (uint64_t f = 0, before = 0; f < grown_files(g); f++) {
        uint64_t dir, serial;
        grown_file(g, f, &dir, &serial);
        assert_true(serial <= 15);
        if (dir != before && f + 20 < grown_files(g)) {
            uint64_t next = f;
            uint64_t last;
            for (uint64_t d = dir; d == dir; grown_file(g, ++next, &d, &last))
                ;
            assert_true(next - f >= 5);
        }
        before = dir;
    }
    for (uint64_t f = 0; f < grown_files(g); f += 10) {
        uint64_t dir, serial;
        grown_file(g, f, &dir, &serial);
        unsigned depth = 0;
        for (; dir > 0; depth++)
            grown_dir(g, dir, &dir, &serial);
        least = depth < least ? depth : least;
        most = depth > most ? depth : most;
    }
    grown_free(g);
    /* Depths of 3 to 7 that stand for 5, the top of the tree included. */
    assert_int_equal(least, 2);
    assert_in_range(most, 4, 6);
}

/* Twelve bytes a file as soon as one is 4 GiB long, eight below, four when all are one size; sixteen a
 * directory. */
static void memory_is_bounded(void **state)
{
    const struct draw size[] = {{.kind = DRAW_FIXED, .a = 1e12},
                                {.kind = DRAW_UNIFORM, .a = 0, .b = 4294967295.0},
                                {.kind = DRAW_UNIFORM, .a = 4294967290.0, .b = 4294967298.0}};

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct grown_spec spec = spec_of(100000, 20, 1500);
        spec.leafdirs = 1000;
        spec.size = size[i];
        struct grown *g = grow(&spec);
        assert_true(grown_memory(g) <= 100000 * (4 + 4 * i) + 16 * (grown_dirs(g) + 1000) + 8192);
        if (i == 2)
            assert_true(grown_bytes_most(g) == UINT64_C(4294967297));
        grown_free(g);
    }
}

static void refused(const struct grown_spec *spec, const char *words)
{
    struct grown *g = NULL;
    struct err err = {0};

    assert_int_equal(grown_new(spec, &g, &err), -EINVAL);
    assert_null(g);
    if (strstr(err.text, words) == NULL)
        fail_msg("'%s' does not say '%s'", err.text, words);
}

/* With one entry in each directory a thousand files are in forty-seven thousand directories. */
static void directories_have_no_more_memory_than_is_left(void **state)
{
    struct grown_spec spec = spec_of(1000, 1, 0);

    (void)state;
    spec.dirs_bytes_max = 400000;
    refused(&spec, "400000 bytes of memory that are left");
    spec.dirs_bytes_max = 1; /* not even the first */
    refused(&spec, "memory");
    spec.dirs_bytes_max = 12 * 48000;
    struct grown *g = grow(&spec);
    assert_true(grown_dirs(g) > 40000 && grown_dirs(g) <= 48000);
    grown_free(g);
}

static void what_cannot_grow_is_refused(void **state)
{
    struct grown_spec spec = spec_of(1, 20, 1500);

    (void)state;
    spec.name[0] = '\0';
    refused(&spec, "name");
    snprintf(spec.name, sizeof spec.name, "a/b");
    refused(&spec, "a/b");
    snprintf(spec.name, sizeof spec.name, "..");
    refused(&spec, "..");
    spec = spec_of(GROWN_ENTRIES_MAX + 1, 20, 1500);
    refused(&spec, "2147483649 entries");
    spec = spec_of(1, 20, 1500);
    spec.leafdirs = GROWN_ENTRIES_MAX + 1;
    refused(&spec, "2147483649 leafdirs");
    spec = spec_of(3, 20, 1500);
    spec.size.a = 0x1p62;
    refused(&spec, "2^63 bytes");
    spec.size.kind = DRAW_GAMMA;
    spec.size.a = 0;
    refused(&spec, "shape");
    spec = spec_of(3, NAN, 1500);
    refused(&spec, "number");
}

static void texts_are(void **state)
{
    struct grown_spec spec = fileserver(1);
    struct text text;

    (void)state;
    spec.has_depth = true;
    spec.depth = (struct draw){.kind = DRAW_FIXED, .a = 2};
    struct grown *g = grow(&spec);
    text_init(&text);
    grown_text(g, &text);
    assert_string_equal(text.s,
                        "entries=10000 leafdirs=0 size=(gamma shape=1.5 scale=87381.33333333333) "
                        "width=(fixed 20) dirgamma=1500 depth=(fixed 2)");
    text_fini(&text);
    grown_free(g);
}

/* ---- listed ---- */

/* Of a tree that is listed breadth first and backwards. */
static struct grown *list_again(const struct grown *g)
{
    int64_t *number = calloc(grown_dirs(g), sizeof *number);
    struct grown_lister *l;
    struct grown *again = NULL;
    uint64_t parent, serial;
    struct err err;

    assert_int_equal(grown_lister_new("set", "/x", &l), 0);
    for (unsigned level = 1; level <= grown_levels(g); level++) {
        for (uint64_t d = grown_dirs(g); d-- > 1;) {
            unsigned depth = 0;
            for (uint64_t up = d; up > 0; depth++)
                grown_dir(g, up, &up, &serial);
            if (depth != level)
                continue;
            grown_dir(g, d, &parent, &serial);
            number[d] = grown_lister_dir(l, (uint64_t)number[parent], serial);
            assert_true(number[d] > 0);
        }
    }
    for (uint64_t f = grown_files(g); f-- > 0;) {
        grown_file(g, f, &parent, &serial);
        assert_int_equal(
            grown_lister_file(l, (uint64_t)number[parent], serial, grown_file_bytes(g, f)), 0);
    }
    free(number);
    assert_int_equal(grown_listed(l, &again, &err), 0);
    return again;
}

/* A tree that is read as it lies there has the numbers, sizes and depth it was made with. */
static void a_listed_tree_is_the_one_that_was_made(void **state)
{
    struct grown_spec spec = fileserver(3);
    struct text text, other;
    struct grown *g = grow(&spec);
    struct grown *again = list_again(g);

    (void)state;
    assert_int_equal(digest(again), digest(g));
    assert_int_equal(grown_levels(again), grown_levels(g));
    assert_int_equal(grown_serial_most(again), grown_serial_most(g));
    assert_int_equal(grown_bytes(again), grown_bytes(g));
    assert_int_equal(grown_bytes_most(again), grown_bytes_most(g));
    assert_string_equal(grown_spec(again)->under, "/x");
    text_init(&text);
    text_init(&other);
    grown_text(again, &text);
    assert_non_null(strstr(text.s, "listed entries=10000"));
    struct grown *third = list_again(again);
    grown_text(third, &other);
    assert_string_equal(text.s, other.s);
    text_fini(&text);
    text_fini(&other);
    grown_free(g);
    grown_free(again);
    grown_free(third);
}

/* Gaps in the numbers stay; nothing is found where nothing is; sizes beyond 4 GiB are kept. */
static void what_is_found_may_have_gaps(void **state)
{
    struct grown_lister *l;
    struct grown *g;
    uint64_t dir, serial;
    struct err err;

    (void)state;
    assert_int_equal(grown_lister_new("set", "", &l), 0);
    assert_int_equal(grown_listed(l, &g, &err), 0);
    assert_int_equal(grown_files(g), 0);
    assert_int_equal(grown_dirs(g), 1);
    grown_free(g);
    assert_int_equal(grown_lister_new("set", "", &l), 0);
    assert_int_equal(grown_lister_dir(l, 0, 7), 1);
    assert_int_equal(grown_lister_file(l, 1, 9, 5), 0);
    assert_int_equal(grown_lister_file(l, 1, 4, (uint64_t)1 << 40), 0);
    assert_int_equal(grown_listed(l, &g, &err), 0);
    grown_file(g, 0, &dir, &serial);
    assert_int_equal(dir, 1);
    assert_int_equal(serial, 4);
    assert_int_equal(grown_file_bytes(g, 0), (uint64_t)1 << 40);
    grown_file(g, 1, &dir, &serial);
    assert_int_equal(serial, 9);
    assert_int_equal(grown_serial_most(g), 9);
    grown_free(g);
}

static void what_cannot_be_found_is_refused(void **state)
{
    struct grown_lister *l;
    struct grown *g = NULL;
    struct err err;

    (void)state;
    assert_int_equal(grown_lister_new("set", "", &l), 0);
    assert_int_equal(grown_lister_dir(l, 1, 1), -EINVAL);
    assert_int_equal(grown_lister_file(l, 1, 1, 0), -EINVAL);
    assert_int_equal(grown_lister_dir(l, 0, (uint64_t)1 << 32), -EINVAL);
    assert_int_equal(grown_lister_file(l, 0, (uint64_t)1 << 32, 0), -EINVAL);
    grown_lister_free(l);
    assert_int_equal(grown_lister_new("set", "", &l), 0);
    assert_int_equal(grown_lister_dir(l, 0, 1), 1);
    assert_int_equal(grown_lister_dir(l, 0, 1), 2);
    assert_int_equal(grown_listed(l, &g, &err), -EINVAL);
    assert_int_equal(grown_lister_new("set", "", &l), 0);
    assert_int_equal(grown_lister_file(l, 0, 1, 1), 0);
    assert_int_equal(grown_lister_file(l, 0, 1, 1), 0);
    assert_int_equal(grown_listed(l, &g, &err), -EINVAL);
    assert_null(g);
    grown_lister_free(NULL);
    grown_free(NULL);
}

static void a_tree_can_be_said_to_lie_elsewhere(void **state)
{
    (void)state;
    struct grown_spec spec = spec_of(40, 4, 0);
    char far[GROWN_NAME_MAX + 1];

    snprintf(spec.under, sizeof spec.under, "/a");
    struct grown *g = grow(&spec);
    assert_int_equal(grown_move(g, ""), 0);
    assert_string_equal(grown_spec(g)->under, "");
    memset(far, 'a', sizeof far - 1);
    far[sizeof far - 1] = '\0';
    assert_int_equal(grown_move(g, far), -ENAMETOOLONG);
    assert_string_equal(grown_spec(g)->under, "");
    file_is_at(g, 0, "/00000001/00000001");
    grown_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forty_of_width_four_are_ten_by_four),
        cmocka_unit_test(interior_directories_are_as_wide_as_leaves),
        cmocka_unit_test(constant_trees_are_those_of_the_definition),
        cmocka_unit_test(one_entry_lies_in_one_directory),
        cmocka_unit_test(width_0_is_one_file_a_directory),
        cmocka_unit_test(a_wide_directory_holds_all),
        cmocka_unit_test(width_1_is_capped),
        cmocka_unit_test(leafdirs_are_numbered_on),
        cmocka_unit_test(no_entries_are_one_directory),
        cmocka_unit_test(a_seed_is_a_tree),
        cmocka_unit_test(sizes_do_not_depend_on_the_tree),
        cmocka_unit_test(widths_have_their_mean),
        cmocka_unit_test(random_width_and_depth_are_drawn),
        cmocka_unit_test(memory_is_bounded),
        cmocka_unit_test(directories_have_no_more_memory_than_is_left),
        cmocka_unit_test(what_cannot_grow_is_refused),
        cmocka_unit_test(texts_are),
        cmocka_unit_test(a_listed_tree_is_the_one_that_was_made),
        cmocka_unit_test(what_is_found_may_have_gaps),
        cmocka_unit_test(what_cannot_be_found_is_refused),
        cmocka_unit_test(a_tree_can_be_said_to_lie_elsewhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
