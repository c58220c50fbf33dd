#include "fileset/content.h"

#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define KEY 0x1234

static int open_content(void **state)
{
    static struct content content;

    *state = &content;
    return content_open(&content, 42, 0);
}

static int close_content(void **state)
{
    content_close(*state);
    return 0;
}

static unsigned char *filled(const struct content *c, uint64_t key, uint64_t file_bytes,
                             uint64_t off, size_t len)
{
    unsigned char *buf = malloc(len);

    assert_non_null(buf);
    content_fill(c, key, file_bytes, CONTENT_WRITTEN_ONCE, off, buf, len);
    return buf;
}

/* Any way of cutting a file into writes gives the bytes of one write. */
static void any_split_gives_equal_bytes(void **state)
{
    enum { FILE_BYTES = 3 * (1 << 20) + 777 };
    static const size_t most[] = {7, 40, 700, 5000, 2000000};
    struct rng rng;

    rng_seed(&rng, 1);
    unsigned char *whole = filled(*state, KEY, FILE_BYTES, 0, FILE_BYTES);
    unsigned char *parts = malloc(FILE_BYTES);
    assert_non_null(parts);
    for (size_t i = 0; i < sizeof most / sizeof most[0]; i++) {
        size_t len;
        memset(parts, 0, FILE_BYTES);
        for (size_t at = 0; at < FILE_BYTES; at += len) {
            len = 1 + rng_below(&rng, most[i]);
            len = len < FILE_BYTES - at ? len : FILE_BYTES - at;
            content_fill(*state, KEY, FILE_BYTES, CONTENT_WRITTEN_ONCE, at, parts + at, len);
            assert_int_equal(content_check(*state, KEY, FILE_BYTES, at, whole + at, len), -1);
        }
        assert_memory_equal(whole, parts, FILE_BYTES);
    }
    free(parts);
    free(whole);
}

/* A fill writes its len bytes and no byte more. */
static void nothing_is_written_outside(void **state)
{
    unsigned char buf[64 + 2];

    for (uint64_t off = 480; off < 544; off++) {
        for (size_t len = 0; len <= 64; len++) {
            memset(buf, 0xa5, sizeof buf);
            content_fill(*state, KEY, 1 << 20, CONTENT_WRITTEN_ONCE, off, buf + 1, len);
            assert_int_equal(buf[0], 0xa5);
            assert_int_equal(buf[1 + len], 0xa5);
        }
    }
}

/* One wrong bit anywhere is found, at its place. */
static void the_first_wrong_byte_is_named(void **state)
{
    enum { LEN = 9000 };
    unsigned char *buf = filled(*state, KEY, 20000, 300, LEN);

    for (size_t at = 0; at < LEN; at++) {
        buf[at] ^= 1;
        assert_int_equal(content_check(*state, KEY, 20000, 300, buf, LEN), at);
        buf[at] ^= 1;
    }
    buf[8000] ^= 0x80;
    buf[5000] ^= 0x80;
    assert_int_equal(content_check(*state, KEY, 20000, 300, buf, LEN), 5000);
    free(buf);
}

/* Bytes of another file, another seed, another offset or another length are wrong bytes. */
static void other_content_is_told_apart(void **state)
{
    struct content other;
    unsigned char *buf = filled(*state, KEY, 4096, 0, 4096);

    assert_int_equal(content_open(&other, 43, 0), 0);
    assert_true(content_check(&other, KEY, 4096, 0, buf, 4096) >= 0);
    assert_true(content_check(*state, KEY + 1, 4096, 0, buf, 4096) >= 0);
    assert_true(content_check(*state, KEY, 1 << 20, 512, buf, 512) >= 0);
    assert_true(content_check(*state, KEY, 511, 0, buf, 511) >= 0);
    content_close(&other);
    free(buf);
}

/* Two opens of one seed give the same bytes: another process can verify. */
static void content_is_a_function_of_the_seed(void **state)
{
    struct content again;
    unsigned char *buf = filled(*state, KEY, 70000, 0, 70000);

    assert_int_equal(content_open(&again, 42, 0), 0);
    assert_int_equal(content_check(&again, KEY, 70000, 0, buf, 70000), -1);
    content_close(&again);
    free(buf);
}

static int compare_u64(const void *a, const void *b)
{
    uint64_t x;
    uint64_t y;

    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x < y ? -1 : x > y;
}

/* No dictionary coder gains anything: no eight bytes, at any alignment, occur twice in 1 MiB. No
 * entropy coder does: each byte value is there as often as chance makes it. */
static void a_mebibyte_is_incompressible(void **state)
{
    enum { LEN = 1 << 20 };
    unsigned char *buf = filled(*state, KEY, 8 * (uint64_t)LEN, LEN / 2 + 100, LEN);
    uint64_t *window = malloc((LEN - 7) * sizeof *window);
    unsigned count[256] = {0};

    assert_non_null(window);
    for (size_t i = 0; i < LEN; i++)
        count[buf[i]]++;
    for (size_t i = 0; i < 256; i++)
        assert_in_range(count[i], 4096 - 6 * 64, 4096 + 6 * 64);
    for (size_t i = 0; i < LEN - 7; i++)
        memcpy(&window[i], buf + i, sizeof window[i]);
    qsort(window, LEN - 7, sizeof *window, compare_u64);
    for (size_t i = 1; i < LEN - 7; i++)
        assert_int_not_equal(window[i - 1], window[i]);
    free(window);
    free(buf);
}

static int compare_sector(const void *a, const void *b)
{
    return memcmp(a, b, CONTENT_SECTOR);
}

/* No two sectors are equal, within a file longer than the block nor across files: nothing for a
 * deduplicating store. */
static void no_sector_repeats(void **state)
{
    enum { EACH = 4 << 20, FILES = 3, SECTORS = FILES * EACH / CONTENT_SECTOR };
    unsigned char *buf = malloc(FILES * EACH);

    assert_non_null(buf);
    for (size_t f = 0; f < FILES; f++)
        content_fill(*state, f, EACH, CONTENT_WRITTEN_ONCE, 0, buf + f * EACH, EACH);
    qsort(buf, SECTORS, CONTENT_SECTOR, compare_sector);
    for (size_t s = 1; s < SECTORS; s++)
        assert_true(compare_sector(buf + (s - 1) * CONTENT_SECTOR, buf + s * CONTENT_SECTOR) != 0);
    free(buf);
}

/* What was wrong: an overwrite wrote the bytes that were there, which storage may skip. Each whole
 * sector of each generation differs from that of every other, and any split of one is equal. */
static void a_generation_changes_each_sector(void **state)
{
    enum { LEN = 64 * CONTENT_SECTOR, GENERATIONS = 16, SECTORS = GENERATIONS * 64 };
    static unsigned char all[GENERATIONS * LEN], part[LEN];

    for (unsigned g = 0; g < GENERATIONS; g++)
        content_fill(*state, KEY, 1 << 20, g, 4096, all + g * LEN, LEN);
    content_fill(*state, KEY, 1 << 20, 3, 4096, part, 777);
    content_fill(*state, KEY, 1 << 20, 3, 4096 + 777, part + 777, LEN - 777);
    assert_memory_equal(part, all + 3 * LEN, LEN);
    assert_int_equal(content_check(*state, KEY, 1 << 20, 4096, all, LEN), -1);
    assert_in_range(content_check(*state, KEY, 1 << 20, 4096, all + LEN, LEN), 8, 15);
    qsort(all, SECTORS, CONTENT_SECTOR, compare_sector);
    for (size_t s = 1; s < SECTORS; s++)
        assert_true(compare_sector(all + (s - 1) * CONTENT_SECTOR, all + s * CONTENT_SECTOR) != 0);
}

/* ---- content that compresses ---- */

/* What a compressor that knows runs of one byte, and nothing else, would leave: a run of eight and more
 * takes four bytes. */
static size_t packed(const unsigned char *buf, size_t len)
{
    size_t bytes = 0;

    for (size_t at = 0, n; at < len; at += n) {
        for (n = 1; at + n < len && buf[at + n] == buf[at]; n++)
            ;
        bytes += n < 8 ? n : 4;
    }
    return bytes;
}

/* zlib is asked in tests/cli; the simplest of compressors must see most of it, too. */
static void runs_alone_give_the_ratio(void **state)
{
    static const uint32_t centi[] = {110, 150, 200, 400, 1000};
    enum { LEN = 1 << 20 };

    (void)state;
    for (size_t i = 0; i < sizeof centi / sizeof centi[0]; i++) {
        struct content c;
        assert_int_equal(content_open(&c, 42, centi[i]), 0);
        for (uint64_t key = 0; key < 5; key++) {
            unsigned char *buf = filled(&c, key, LEN, 0, LEN);
            double ratio = (double)LEN / (double)packed(buf, LEN);
            assert_true(ratio > 0.9 * centi[i] / 100 && ratio < 1.1 * centi[i] / 100);
            free(buf);
        }
        content_close(&c);
    }
}

/* All else that is said of content holds for it as well. */
static void compressible_content_is_as_good(void **state)
{
    enum { LEN = 64 << 10 };
    struct content c;

    (void)state;
    assert_int_equal(content_open(&c, 42, 400), 0);
    unsigned char *whole = filled(&c, KEY, LEN + 100, 0, LEN);
    unsigned char *again = malloc(LEN);
    assert_non_null(again);
    for (uint64_t at = 0; at < LEN; at += 777)
        content_fill(&c, KEY, LEN + 100, CONTENT_WRITTEN_ONCE, at, again + at,
                     LEN - at < 777 ? LEN - at : 777);
    assert_memory_equal(whole, again, LEN);
    assert_int_equal(content_check(&c, KEY, LEN + 100, 5, whole + 5, LEN - 5), -1);
    again[LEN - 1] ^= 1;
    assert_int_equal(content_check(&c, KEY, LEN + 100, 5, again + 5, LEN - 5), LEN - 6);
    content_fill(&c, KEY, LEN + 100, 7, 0, again, LEN);
    for (size_t at = 0; at < LEN; at += CONTENT_SECTOR) {
        assert_memory_not_equal(whole + at, again + at, CONTENT_SECTOR);
        for (size_t other = 0; other < at; other += CONTENT_SECTOR)
            assert_memory_not_equal(whole + at, whole + other, CONTENT_SECTOR);
    }
    free(again);
    free(whole);
    content_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_split_gives_equal_bytes),
        cmocka_unit_test(nothing_is_written_outside),
        cmocka_unit_test(the_first_wrong_byte_is_named),
        cmocka_unit_test(other_content_is_told_apart),
        cmocka_unit_test(content_is_a_function_of_the_seed),
        cmocka_unit_test(a_mebibyte_is_incompressible),
        cmocka_unit_test(no_sector_repeats),
        cmocka_unit_test(a_generation_changes_each_sector),
        cmocka_unit_test(runs_alone_give_the_ratio),
        cmocka_unit_test(compressible_content_is_as_good),
    };
    return cmocka_run_group_tests(tests, open_content, close_content);
}
