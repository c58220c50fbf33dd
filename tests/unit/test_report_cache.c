/* report/cache_proof.c: what is known of this machine's cache is said, and what is not, too. */
#include "report/report.h"

#include "golden/io_by_hand.h"
#include "golden/results_by_hand.h"

static const struct report_style table = {.format = REPORT_TEXT};

static void tree(struct hand *hand)
{
    hand_tree_write(hand, 4096, 4, 9000000);
    hand_tree_read(hand, 4096, 4, 9000000, 0);
    hand_tree_read(hand, 4096, 4, 9000000, 0);
}

static void io(struct hand *hand)
{
    hand_line(hand_io(hand, "0"), "read", 100, 100 * 8192, 1000, 2000);
}

/* Words may be wrapped: looks for them with each blank as any white space. */
static bool says(const struct hand *hand, const struct report_style *style, const char *words)
{
    struct text out, flat;
    bool found;

    hand_print(&out, hand, style);
    text_init(&flat);
    for (const char *s = out.s; *s; s++)
        if ((*s != ' ' && *s != '\n') || (flat.len > 0 && flat.s[flat.len - 1] != ' '))
            text_addf(&flat, "%c", *s == '\n' ? ' ' : *s);
    found = strstr(flat.s, words) != NULL;
    text_fini(&flat);
    text_fini(&out);
    return found;
}

static void put(struct result_facts *facts, const char *key, const char *value)
{
    assert_int_equal(0, result_fact_put(facts, key, value, "bytes"));
}

/* "dirty at end" of a mix that wrote is never left out: known, in part, not known, memory. */
static void what_a_mix_left_dirty_is_always_said(void **state)
{
    static const struct {
        const char *mode;
        bool known;
        uint64_t dirty_bytes;
        const char *size_bytes;
        const char *words;
        bool marked;
    } cases[] = {
        {"keep", true, 16384, "1073741824", "dirty at end 16 KiB of 800 KiB written, 2.0%", false},
        {"drop", true, 20480, "1073741824",
         "20 KiB of 800 KiB written, 2.5% of what could be; DIRTY", true},
        /* the same blocks over and over */
        {"drop", true, 8192, "16384", "8 KiB of 800 KiB written, 50% of what could be; DIRTY",
         true},
        /* It said 128 % of what could be: warming up had written the rest. */
        {"drop", true, 1048576, "1073741824",
         "1 MiB of 800 KiB written, 100% of what could be; DIRTY", true},
        {"direct", true, 0, "1073741824", "dirty at end 0 B of 800 KiB written, 0.0%", false},
        {"drop", false, 0, "1073741824", "dirty at end not verified", false},
        {"ram", false, 0, "1073741824", "dirty at end ram: the 800 KiB written lie", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct hand hand = {0};

        io(&hand);
        assert_false(says(&hand, &table, "dirty at end"));
        hand_line(hand.result[0], "write", 100, 100 * 8192, 1000, 2000);
        struct result_cache *cache = &hand.result[0]->cache;
        snprintf(cache->mode, sizeof cache->mode, "%s", cases[i].mode);
        cache->dirty_known = cases[i].known;
        cache->dirty_bytes = cases[i].dirty_bytes;
        hand_option(hand.result[0], "size_bytes", cases[i].size_bytes);
        assert_true(says(&hand, &table, cases[i].words));
        assert_int_equal(says(&hand, &table, "DIRTY"), cases[i].marked);
        hand_free(&hand);
    }
}

static void a_device_of_memory_is_said_once(void **state)
{
    struct hand hand = {0};

    (void)state;
    tree(&hand);
    assert_false(says(&hand, &table, "NO PROOF"));
    for (unsigned i = 0; i < hand.n; i++)
        put(&hand.result[i]->target_facts, "device_backed_by",
            "page cache of this machine (loop0)");
    assert_true(says(&hand, &table,
                     "NO PROOF the device is served by page cache of this machine "
                     "(loop0): bytes"));
    assert_false(says(&hand, &table,
                      "NO PROOF the device is served by page cache of this machine "
                      "(loop0): bytes that left the cache of files may still come "
                      "from memory, and what was synced may still be there NO"));
    hand_free(&hand);
}

/* With --fsync file too: what nobody can see is not known to be clean. */
static void unseen_dirt_is_not_verified(void **state)
{
    struct hand hand = {0};

    (void)state;
    hand_tree_write(&hand, 4096, 4, 9000000);
    hand_option(hand.result[0], "fsync", "file");
    assert_false(says(&hand, &table, "n/v"));
    hand.result[0]->cache.dirty_known = false;
    assert_true(says(&hand, &table, "n/v"));
    hand_free(&hand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_mix_left_dirty_is_always_said),
        cmocka_unit_test(a_device_of_memory_is_said_once),
        cmocka_unit_test(unseen_dirt_is_not_verified),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
