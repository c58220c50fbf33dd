/* target/sim_dirty_priv.h: what is dirty, what flies, what is gone, whose it is. */
#include "target/sim_dirty_priv.h"

#include "target/sim_cache_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define EXTENT (128u << 10)
#define BLOCK  (EXTENT / 64)

static struct sim_dirty dirty_of(uint32_t extents)
{
    struct sim_dirty d;
    assert_int_equal(sim_dirty_init(&d, extents, EXTENT), 0);
    return d;
}

static uint64_t bytes_of(const struct sim_dirty *d, uint32_t file)
{
    const struct sim_dirty_file *f = sim_dirty_file_of(d, file);
    return f != NULL ? f->dirty_bytes : 0;
}

static uint32_t take_oldest(struct sim_dirty *d)
{
    uint32_t i = d->oldest;
    assert_int_not_equal(i, SIM_DIRTY_NONE);
    sim_dirty_take(d, i);
    return i;
}

static void what_is_written_twice_is_dirty_once(void **state)
{
    (void)state;
    struct sim_dirty d = dirty_of(16);
    sim_dirty_add(&d, 1, 0, 3 * BLOCK, 0);
    sim_dirty_add(&d, 1, 2 * BLOCK, 2 * BLOCK, 0);
    sim_dirty_add(&d, 1, 1, 1, 0);
    assert_int_equal(d.bytes, 4 * BLOCK);
    assert_int_equal(bytes_of(&d, 1), 4 * BLOCK);
    assert_int_equal(d.used, 1);
    /* Over the end of one extent into the next. */
    sim_dirty_add(&d, 1, EXTENT - BLOCK, 2 * BLOCK, 0);
    assert_int_equal(d.bytes, 6 * BLOCK);
    assert_int_equal(d.used, 2);
    sim_dirty_fini(&d);
}

static void the_oldest_comes_first_and_what_flies_is_not_taken_again(void **state)
{
    (void)state;
    struct sim_dirty d = dirty_of(16);
    for (uint64_t i = 0; i < 3; i++)
        sim_dirty_add(&d, 1, i * EXTENT, EXTENT, (uint32_t)i);
    sim_dirty_add(&d, 1, 0, EXTENT, 9); /* keeps its place and time */
    uint32_t first = take_oldest(&d);
    assert_int_equal(d.extent[first].key, sim_extent_key(1, 0));
    assert_int_equal(d.extent[first].since_ms, 0);
    assert_int_equal(d.bytes, 3 * EXTENT);
    /* Written again while it flies: dirty once more, behind the others, after it has landed. */
    sim_dirty_add(&d, 1, 0, BLOCK, 5);
    assert_int_equal(d.bytes, 3 * EXTENT + BLOCK);
    assert_int_equal(sim_dirty_queued(&d, sim_extent_key(1, 0)), SIM_DIRTY_NONE);
    assert_true(sim_dirty_has(&d, sim_extent_key(1, 0)));
    sim_dirty_clean(&d, first, 6);
    assert_int_equal(d.bytes, 2 * EXTENT + BLOCK);
    for (uint64_t i = 1; i < 3; i++) {
        uint32_t next = take_oldest(&d);
        assert_int_equal(d.extent[next].key, sim_extent_key(1, i));
        sim_dirty_clean(&d, next, 7);
    }
    assert_int_equal(take_oldest(&d), first);
    sim_dirty_clean(&d, first, 8);
    assert_int_equal(d.bytes, 0);
    assert_int_equal(d.used, 0);
    assert_int_equal(d.taken_bytes, 3 * EXTENT + BLOCK);
    assert_null(sim_dirty_file_of(&d, 1));
    sim_dirty_fini(&d);
}

static void a_cut_file_need_not_be_written_behind_its_new_end(void **state)
{
    (void)state;
    struct sim_dirty d = dirty_of(16);
    sim_dirty_add(&d, 1, 0, 4 * EXTENT, 0);
    sim_dirty_add(&d, 2, 0, EXTENT, 0);
    sim_dirty_cut(&d, 1, 2 * EXTENT + 3 * BLOCK - 1);
    assert_int_equal(bytes_of(&d, 1), 2 * EXTENT + 3 * BLOCK);
    assert_int_equal(bytes_of(&d, 2), EXTENT);
    /* What flies lands. */
    uint32_t first = take_oldest(&d);
    sim_dirty_cut(&d, 1, 0);
    assert_int_equal(bytes_of(&d, 1), EXTENT);
    assert_int_equal(d.extent[d.oldest].key, sim_extent_key(2, 0));
    sim_dirty_clean(&d, first, 1);
    assert_int_equal(d.bytes, EXTENT);
    assert_null(sim_dirty_file_of(&d, 1));
    sim_dirty_cut(&d, 2, EXTENT);
    assert_int_equal(d.bytes, EXTENT);
    sim_dirty_cut(&d, 2, 0);
    assert_int_equal(d.bytes, 0);
    assert_int_equal(d.oldest, SIM_DIRTY_NONE);
    sim_dirty_fini(&d);
}

static void room_ends_and_comes_back(void **state)
{
    (void)state;
    struct sim_dirty d = dirty_of(8);
    assert_true(sim_dirty_room(&d, EXTENT));
    for (uint32_t file = 0; file < 8; file++)
        sim_dirty_add(&d, file, 0, 10, 0);
    assert_false(sim_dirty_room(&d, 1));
    sim_dirty_add(&d, 99, 0, 10, 0); /* not kept, and harmless */
    assert_int_equal(d.bytes, 8 * BLOCK);
    for (uint32_t file = 0; file < 8; file += 2)
        sim_dirty_cut(&d, file, 0);
    assert_true(sim_dirty_room(&d, 1));
    sim_dirty_add(&d, 99, 0, 10, 0);
    assert_int_equal(bytes_of(&d, 99), BLOCK);
    sim_dirty_fini(&d);
}

/* Bits of each block of 4 files of 8 extents, against the same kept plainly. */
static void long_use_agrees_with_a_map_of_bits(void **state)
{
    (void)state;
    static bool is_dirty[4][8 * 64];
    struct sim_dirty d = dirty_of(64);
    struct rng rng;

    rng_seed(&rng, 5);
    for (unsigned n = 0; n < 100000; n++) {
        uint32_t file = (uint32_t)rng_below(&rng, 4);
        uint64_t from = rng_below(&rng, 8 * 64);
        uint64_t to = from + 1 + rng_below(&rng, 8 * 64 - from);
        unsigned what = (unsigned)rng_below(&rng, 4);
        if (what < 2) {
            sim_dirty_add(&d, file, from * BLOCK, (to - from) * BLOCK, n);
            for (uint64_t i = from; i < to; i++)
                is_dirty[file][i] = true;
        } else if (what == 2) {
            sim_dirty_cut(&d, file, from * BLOCK);
            for (uint64_t i = from; i < 8 * 64; i++)
                is_dirty[file][i] = false;
        } else if (d.oldest != SIM_DIRTY_NONE) {
            uint32_t i = take_oldest(&d);
            uint64_t base = (uint64_t)(uint32_t)d.extent[i].key * 64;
            uint32_t of = d.file[d.extent[i].file].number;
            for (uint64_t k = 0; k < 64; k++)
                is_dirty[of][base + k] = false;
            sim_dirty_clean(&d, i, n);
        }
        uint64_t all = 0;
        for (uint32_t f = 0; f < 4; f++) {
            uint64_t blocks = 0;
            for (unsigned i = 0; i < 8 * 64; i++)
                blocks += is_dirty[f][i];
            assert_int_equal(bytes_of(&d, f), blocks * BLOCK);
            all += blocks * BLOCK;
        }
        assert_int_equal(d.bytes, all);
    }
    sim_dirty_fini(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_twice_is_dirty_once),
        cmocka_unit_test(the_oldest_comes_first_and_what_flies_is_not_taken_again),
        cmocka_unit_test(a_cut_file_need_not_be_written_behind_its_new_end),
        cmocka_unit_test(room_ends_and_comes_back),
        cmocka_unit_test(long_use_agrees_with_a_map_of_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
