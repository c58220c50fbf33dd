/* The namespace of a modelled server does as a file system does, beside one that keeps it all in a plain list. */
#include "base/rng.h"
#include "target/sim_names_priv.h"
#include "target/sim_things_priv.h"

#include <errno.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MILLION  1000000u
#define TOLD_MAX 256

static struct sim_names *names_new(void)
{
    struct sim_names *n;

    assert_int_equal(sim_names_new(&n), 0);
    return n;
}

static uint32_t make(struct sim_names *n, uint32_t dir, const char *leaf, enum target_type type)
{
    int64_t number = sim_names_make(n, dir, leaf, type);

    assert_true(number >= 0);
    assert_int_equal(sim_names_look(n, dir, leaf), number);
    return (uint32_t)number;
}

static uint32_t file(struct sim_names *n, uint32_t dir, const char *leaf)
{
    return make(n, dir, leaf, TARGET_TYPE_FILE);
}

static void a_name_stands_for_one_thing(void **state)
{
    struct sim_names *n = names_new();
    uint32_t d = make(n, SIM_ROOT, "d", TARGET_TYPE_DIR);
    uint32_t f = file(n, d, "f");
    uint32_t gone;

    (void)state;
    assert_int_equal(sim_names_make(n, d, "f", TARGET_TYPE_FILE), -EEXIST);
    assert_int_equal(sim_names_make(n, d, "f", TARGET_TYPE_DIR), -EEXIST);
    assert_int_equal(sim_names_look(n, SIM_ROOT, "f"), -ENOENT);
    assert_int_equal(sim_names_look(n, d, "g"), -ENOENT);
    assert_int_equal(sim_names_look(n, f, "f"), -ENOTDIR);
    assert_int_equal(sim_names_make(n, f, "x", TARGET_TYPE_FILE), -ENOTDIR);
    assert_int_equal(sim_names_unlink(n, SIM_ROOT, "d", &gone), -EISDIR);
    assert_int_equal(sim_names_rmdir(n, d, "f"), -ENOTDIR);
    assert_int_equal(sim_names_rmdir(n, SIM_ROOT, "d"), -ENOTEMPTY);
    assert_int_equal(sim_names_unlink(n, d, "f", &gone), 0);
    assert_int_equal(gone, f + 1);
    assert_int_equal(sim_names_look(n, d, "f"), -ENOENT);
    assert_int_equal(sim_names_rmdir(n, SIM_ROOT, "d"), 0);
    assert_int_equal(sim_names_look(n, d, "f"), -ESTALE);
    assert_int_equal(sim_names_look(n, 77, "f"), -ESTALE);
    sim_names_free(n);
}

static void names_that_cannot_be_are_refused(void **state)
{
    struct sim_names *n = names_new();
    char longest[TARGET_LEAF_MAX + 1];

    (void)state;
    assert_int_equal(sim_names_make(n, SIM_ROOT, "", TARGET_TYPE_FILE), -EINVAL);
    assert_int_equal(sim_names_make(n, SIM_ROOT, ".", TARGET_TYPE_FILE), -EINVAL);
    assert_int_equal(sim_names_make(n, SIM_ROOT, "..", TARGET_TYPE_DIR), -EINVAL);
    assert_int_equal(sim_names_make(n, SIM_ROOT, "a/b", TARGET_TYPE_FILE), -EINVAL);
    memset(longest, 'x', sizeof longest);
    longest[TARGET_LEAF_MAX] = '\0';
    assert_int_equal(sim_names_make(n, SIM_ROOT, longest, TARGET_TYPE_FILE), -ENAMETOOLONG);
    longest[TARGET_LEAF_MAX - 1] = '\0';
    file(n, SIM_ROOT, longest);
    assert_int_equal(sim_names_make(n, SIM_ROOT, "l", TARGET_TYPE_LINK), -EINVAL);
    sim_names_free(n);
}

static void an_open_file_outlives_its_name(void **state)
{
    struct sim_names *n = names_new();
    uint32_t f = file(n, SIM_ROOT, "f");
    uint32_t gone;

    (void)state;
    assert_int_equal(sim_names_write(n, f, NULL, 0, 1000), 1000);
    sim_names_hold(n, f);
    sim_names_hold(n, f);
    assert_int_equal(sim_names_unlink(n, SIM_ROOT, "f", &gone), 0);
    assert_int_equal(gone, 0);
    assert_int_equal(sim_names_look(n, SIM_ROOT, "f"), -ENOENT);
    uint32_t g = file(n, SIM_ROOT, "f");
    assert_int_not_equal(g, f);
    assert_int_equal(sim_names_size(n, f), 1000);
    assert_int_equal(sim_names_bytes(n), 1000);
    assert_int_equal(sim_names_files(n), 2);
    sim_names_drop(n, f, &gone);
    assert_int_equal(gone, 0);
    sim_names_drop(n, f, &gone);
    assert_int_equal(gone, f + 1);
    assert_int_equal(sim_names_bytes(n), 0);
    assert_int_equal(sim_names_files(n), 1);
    assert_int_equal(sim_names_read(n, f, NULL, 0, 1), -EBADF);
    assert_int_equal(sim_names_write(n, f, NULL, 0, 1), -EBADF);
    sim_names_free(n);
}

static void renaming_replaces(void **state)
{
    struct sim_names *n = names_new();
    uint32_t d = make(n, SIM_ROOT, "d", TARGET_TYPE_DIR);
    uint32_t e = make(n, SIM_ROOT, "e", TARGET_TYPE_DIR);
    uint32_t f = file(n, SIM_ROOT, "f");
    uint32_t g = file(n, SIM_ROOT, "g");
    uint32_t gone;

    (void)state;
    assert_int_equal(sim_names_rename(n, SIM_ROOT, "f", "f", &gone), 0);
    assert_int_equal(sim_names_look(n, SIM_ROOT, "f"), f);
    assert_int_equal(sim_names_rename(n, SIM_ROOT, "f", "g", &gone), 0);
    assert_int_equal(gone, g + 1);
    assert_int_equal(sim_names_look(n, SIM_ROOT, "f"), -ENOENT);
    assert_int_equal(sim_names_look(n, SIM_ROOT, "g"), f);
    assert_int_equal(sim_names_rename(n, SIM_ROOT, "no", "g", &gone), -ENOENT);
    assert_int_equal(sim_names_rename(n, SIM_ROOT, "g", "d", &gone), -EISDIR);
    assert_int_equal(sim_names_rename(n, SIM_ROOT, "d", "g", &gone), -ENOTDIR);
    file(n, e, "x");
    assert_int_equal(sim_names_rename(n, SIM_ROOT, "d", "e", &gone), -ENOTEMPTY);
    assert_int_equal(sim_names_rename(n, SIM_ROOT, "e", "d", &gone), 0);
    assert_int_equal(sim_names_look(n, SIM_ROOT, "d"), e);
    assert_int_equal(sim_names_look(n, d, "x"), -ESTALE);
    sim_names_free(n);
}

static void only_dotted_small_files_are_kept(void **state)
{
    struct sim_names *n = names_new();
    uint32_t f = file(n, SIM_ROOT, ".new");
    uint32_t g = file(n, SIM_ROOT, "data");
    uint32_t gone;
    char buf[8] = "";

    (void)state;
    assert_int_equal(sim_names_write(n, f, "abcdef", 2, 6), 6);
    assert_int_equal(sim_names_rename(n, SIM_ROOT, ".new", "renamed", &gone), 0);
    assert_int_equal(sim_names_read(n, f, buf, 0, 100), 8);
    assert_memory_equal(buf, "\0\0abcdef", 8);
    sim_names_resize(n, f, 4);
    sim_names_resize(n, f, 8);
    assert_int_equal(sim_names_read(n, f, buf, 0, 8), 8);
    assert_memory_equal(buf, "\0\0ab\0\0\0\0", 8);
    assert_int_equal(sim_names_read(n, f, buf, 8, 1), 0);
    assert_int_equal(sim_names_write(n, g, "abcdef", 0, 6), 6);
    memcpy(buf, "zzzzzzzz", 8);
    assert_int_equal(sim_names_read(n, g, buf, 1, 8), 5);
    assert_memory_equal(buf, "zzzzzzzz", 8);
    assert_int_equal(sim_names_write(n, f, "!", SIM_KEPT_BYTES, 1), 1);
    assert_int_equal(sim_names_read(n, f, buf, 0, 8), 8);
    assert_memory_equal(buf, "zzzzzzzz", 8);
    assert_int_equal(sim_names_bytes(n), SIM_KEPT_BYTES + 1 + 6);
    assert_int_equal(sim_names_write(n, f, NULL, INT64_MAX, 1), -EFBIG);
    sim_names_free(n);
}

/* ---- listing ---- */

/* Adds what a piece of a listing says to a string, and returns the cookie of its last entry. */
static uint64_t tell(const char *buf, int64_t bytes, char out[TOLD_MAX])
{
    uint64_t cookie = 0;

    for (int64_t at = 0; at < bytes;) {
        struct target_dirent e;
        memcpy(&e, buf + at, offsetof(struct target_dirent, name));
        const char *name = buf + at + offsetof(struct target_dirent, name);
        assert_int_equal(strlen(name), e.name_len);
        assert_int_equal(e.record_bytes % 8, 0);
        snprintf(out + strlen(out), TOLD_MAX - strlen(out), "%s%s ", name,
                 e.type == TARGET_TYPE_DIR ? "/" : "");
        cookie = e.cookie;
        at += e.record_bytes;
    }
    return cookie;
}

static void a_listing_survives_what_comes_and_goes(void **state)
{
    struct sim_names *n = names_new();
    char buf[48]; /* three entries of a short name */
    char out[TOLD_MAX] = "";
    uint32_t gone;

    (void)state;
    for (const char *leaf = "abcdefgh"; *leaf != '\0'; leaf++)
        file(n, SIM_ROOT, (char[]){*leaf, '\0'});
    make(n, SIM_ROOT, "i", TARGET_TYPE_DIR);
    uint64_t cookie = tell(buf, sim_names_list(n, SIM_ROOT, 0, buf, sizeof buf), out);
    assert_string_equal(out, "a b c ");
    assert_int_equal(sim_names_unlink(n, SIM_ROOT, "c", &gone), 0); /* the very last told */
    assert_int_equal(sim_names_unlink(n, SIM_ROOT, "d", &gone), 0);
    cookie = tell(buf, sim_names_list(n, SIM_ROOT, cookie, buf, sizeof buf), out);
    assert_string_equal(out, "a b c e f g ");
    assert_int_equal(sim_names_rename(n, SIM_ROOT, "g", "z", &gone), 0); /* again the last told */
    cookie = tell(buf, sim_names_list(n, SIM_ROOT, cookie, buf, sizeof buf), out);
    assert_string_equal(out, "a b c e f g h i/ z ");
    assert_int_equal(sim_names_list(n, SIM_ROOT, cookie, buf, sizeof buf), 0);
    assert_int_equal(sim_names_list(n, SIM_ROOT, 0, buf, 15), -EINVAL);
    assert_int_equal(sim_names_list(n, 1, 0, buf, sizeof buf), -ENOTDIR);
    sim_names_free(n);
}

/* ---- by chance, and by the million ---- */

#define LEAVES 40u

static void a_random_walk_agrees_with_a_plain_list(void **state)
{
    struct sim_names *n = names_new();
    int64_t number[2][LEAVES];
    uint32_t dir[2] = {SIM_ROOT, make(n, SIM_ROOT, "dir", TARGET_TYPE_DIR)};
    struct rng rng;
    uint32_t gone;
    char leaf[TARGET_LEAF_MAX];
    char to[TARGET_LEAF_MAX];

    (void)state;
    rng_seed(&rng, 11);
    memset(number, 0xff, sizeof number);
    for (unsigned i = 0; i < MILLION / 2; i++) {
        uint64_t d = rng_below(&rng, 2), a = rng_below(&rng, LEAVES), b = rng_below(&rng, LEAVES);
        /* Of many lengths, up to the longest. */
        snprintf(leaf, sizeof leaf, "%0*u", (int)(1 + a * 6), (unsigned)a);
        snprintf(to, sizeof to, "%0*u", (int)(1 + b * 6), (unsigned)b);
        bool there = number[d][a] >= 0;
        assert_int_equal(sim_names_look(n, dir[d], leaf), there ? number[d][a] : -ENOENT);
        switch (rng_below(&rng, 3)) {
        case 0:
            if (there)
                assert_int_equal(sim_names_make(n, dir[d], leaf, TARGET_TYPE_FILE), -EEXIST);
            else
                number[d][a] = file(n, dir[d], leaf);
            break;
        case 1:
            assert_int_equal(sim_names_unlink(n, dir[d], leaf, &gone), there ? 0 : -ENOENT);
            assert_int_equal(gone, there ? number[d][a] + 1 : 0);
            number[d][a] = -1;
            break;
        default:
            assert_int_equal(sim_names_rename(n, dir[d], leaf, to, &gone), there ? 0 : -ENOENT);
            if (there && a != b) {
                number[d][b] = number[d][a];
                number[d][a] = -1;
            }
        }
    }
    uint64_t files = 0;
    for (unsigned i = 0; i < 2 * LEAVES; i++)
        files += number[i / LEAVES][i % LEAVES] >= 0;
    assert_int_equal(sim_names_files(n), files);
    sim_names_free(n);
}

/* 0 with the allocator of a sanitizer, which does not tell. */
static size_t in_use(void)
{
    struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
}

/* 96 bytes for a name of 40, however often files are made and removed. */
static void a_million_files_need_96_bytes_each(void **state)
{
    size_t before = in_use();
    struct sim_names *n = names_new();
    char leaf[64];
    uint32_t gone;

    (void)state;
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < MILLION; i++) {
            snprintf(leaf, sizeof leaf, "file-%035u", i);
            assert_true(sim_names_make(n, SIM_ROOT, leaf, TARGET_TYPE_FILE) >= 0);
        }
        assert_true((in_use() - before) / MILLION <= 96);
        for (unsigned i = 0; round < 1 && i < MILLION; i++) {
            snprintf(leaf, sizeof leaf, "file-%035u", i);
            assert_int_equal(sim_names_unlink(n, SIM_ROOT, leaf, &gone), 0);
        }
    }
    sim_names_free(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_stands_for_one_thing),
        cmocka_unit_test(names_that_cannot_be_are_refused),
        cmocka_unit_test(an_open_file_outlives_its_name),
        cmocka_unit_test(renaming_replaces),
        cmocka_unit_test(only_dotted_small_files_are_kept),
        cmocka_unit_test(a_listing_survives_what_comes_and_goes),
        cmocka_unit_test(a_random_walk_agrees_with_a_plain_list),
        cmocka_unit_test(a_million_files_need_96_bytes_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
