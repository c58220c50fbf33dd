/* target/sim_cache_priv.h: the table against a list that is looked through from end to end. */
#include "target/sim_cache_priv.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define EXTENT   (128u << 10)
#define LIST_MAX 256u

/* What should be there, the most recent first. */
struct list {
    struct sim_extent of[LIST_MAX];
    unsigned n;
};

static unsigned place(const struct list *l, uint64_t key)
{
    unsigned i = 0;
    while (i < l->n && l->of[i].key != key)
        i++;
    return i;
}

static void list_remove(struct list *l, unsigned i)
{
    assert_true(i < l->n);
    memmove(&l->of[i], &l->of[i + 1], (--l->n - i) * sizeof l->of[0]);
}

static void list_first(struct list *l, struct sim_extent e)
{
    assert_true(l->n < LIST_MAX);
    memmove(&l->of[1], &l->of[0], l->n++ * sizeof l->of[0]);
    l->of[0] = e;
}

static unsigned list_units(const struct list *l)
{
    unsigned units = 0;
    for (unsigned i = 0; i < l->n; i++)
        units += l->of[i].units;
    return units;
}

static void assert_same(struct sim_cache *c, const struct list *l)
{
    assert_int_equal(c->extents, l->n);
    assert_int_equal(c->used_units, list_units(l));
}

static void look_up(struct sim_cache *c, struct list *l, uint64_t key)
{
    unsigned i = place(l, key);
    bool there = i < l->n;

    assert_int_equal(sim_cache_hit(c, key), there);
    if (there) {
        struct sim_extent e = l->of[i];
        list_remove(l, i);
        list_first(l, e);
    }
}

static void bring_in(struct sim_cache *c, struct list *l, uint64_t key, unsigned units)
{
    struct sim_extent gone;
    unsigned i = place(l, key);

    if (i < l->n) {
        struct sim_extent e = l->of[i];
        e.units = e.units > units ? e.units : units;
        list_remove(l, i);
        list_first(l, e);
        assert_true(sim_cache_grow(c, key, units));
        return;
    }
    assert_false(sim_cache_grow(c, key, units));
    while (sim_cache_give(c, units, &gone)) {
        i = place(l, gone.key);
        if (c->rng == NULL)
            assert_int_equal(i, l->n - 1);
        assert_int_equal(l->of[i].units, gone.units);
        list_remove(l, i);
    }
    assert_true(sim_cache_fits(c, units));
    sim_cache_put(c, key, units);
    list_first(l, (struct sim_extent){.key = key, .units = units});
}

static void drop(struct sim_cache *c, struct list *l, uint32_t file, uint64_t first, uint64_t last)
{
    sim_cache_drop(c, file, first, last);
    for (unsigned i = 0; i < l->n;)
        if (l->of[i].key >= sim_extent_key(file, first) &&
            l->of[i].key <= sim_extent_key(file, last))
            list_remove(l, i);
        else
            i++;
}

/* Half of the ops look up, of the rest one in 50 drops a part of a file, by one way or the other. */
static void act(struct sim_cache *c, struct list *l, struct rng *rng, unsigned units_max)
{
    uint32_t file = (uint32_t)rng_below(rng, 3);
    uint64_t extent = rng_below(rng, 60);
    unsigned units = 1 + (unsigned)rng_below(rng, units_max);

    if (rng_next(rng) % 2 == 0)
        look_up(c, l, sim_extent_key(file, extent));
    else if (rng_next(rng) % 50 > 0)
        bring_in(c, l, sim_extent_key(file, extent), units);
    else
        drop(c, l, file, extent, rng_next(rng) % 2 ? extent + rng_below(rng, 20) : UINT32_MAX);
    assert_same(c, l);
}

static void act_long(enum sim_replace replace, uint64_t bytes, unsigned units_max)
{
    struct sim_cache c;
    struct list l = {.n = 0};
    struct rng draws;
    struct rng rng;

    rng_seed(&draws, 1);
    rng_seed(&rng, 2);
    assert_int_equal(sim_cache_init(&c, bytes, EXTENT, replace, &draws), 0);
    for (unsigned i = 0; i < 200000; i++)
        act(&c, &l, &rng, units_max);
    for (uint32_t file = 0; file < 3; file++)
        for (uint64_t extent = 0; extent < 60; extent++)
            look_up(&c, &l, sim_extent_key(file, extent));
    sim_cache_fini(&c);
}

static void the_least_recent_is_given_up(void **state)
{
    (void)state;
    act_long(SIM_REPLACE_LRU, 50 * EXTENT, 64);
    act_long(SIM_REPLACE_LRU, EXTENT, 64);
}

static void random_replacement_gives_up_what_is_there(void **state)
{
    (void)state;
    act_long(SIM_REPLACE_RANDOM, 50 * EXTENT, 64);
    act_long(SIM_REPLACE_RANDOM, 3 * EXTENT, 5);
}

/* A full table: probing goes round its end, removal shifts back over it. */
static void a_crowded_table_loses_nothing(void **state)
{
    (void)state;
    struct sim_cache c;
    struct list l = {.n = 0};
    struct rng rng;

    rng_seed(&rng, 3);
    assert_int_equal(sim_cache_init(&c, EXTENT, EXTENT, SIM_REPLACE_LRU, NULL), 0);
    assert_int_equal(c.extents_max, SIM_CACHE_UNITS);
    for (unsigned i = 0; i < 200000; i++)
        act(&c, &l, &rng, 1);
    assert_true(c.extents > SIM_CACHE_UNITS / 2);
    sim_cache_fini(&c);
}

static void each_is_given_up_as_often_as_another(void **state)
{
    (void)state;
    struct sim_cache c;
    struct sim_extent gone;
    struct rng draws;
    unsigned times[10] = {0};

    rng_seed(&draws, 1);
    assert_int_equal(sim_cache_init(&c, 10 * EXTENT, EXTENT, SIM_REPLACE_RANDOM, &draws), 0);
    for (unsigned i = 0; i < 10; i++)
        sim_cache_put(&c, sim_extent_key(1, i), SIM_CACHE_UNITS);
    for (unsigned i = 0; i < 100000; i++) {
        assert_true(sim_cache_give(&c, SIM_CACHE_UNITS, &gone));
        times[(uint32_t)gone.key]++;
        sim_cache_put(&c, gone.key, gone.units);
    }
    for (unsigned i = 0; i < 10; i++) /* four standard deviations */
        assert_in_range(times[i], 10000 - 380, 10000 + 380);
    sim_cache_fini(&c);
}

static void memory_is_at_most_24_bytes_an_extent(void **state)
{
    (void)state;
    struct sim_cache c;
    assert_int_equal(sim_cache_init(&c, (uint64_t)600 << 30, EXTENT, SIM_REPLACE_LRU, NULL), 0);
    assert_int_equal(c.extents_max, (uint64_t)600 << 13);
    assert_true((c.slots + 1.0) * sizeof *c.slot <= 24.0 * c.extents_max + 64);
    sim_cache_fini(&c);
    assert_int_equal(sim_cache_init(&c, (uint64_t)600 << 30, 4096, SIM_REPLACE_LRU, NULL), -EINVAL);
}

static void no_room_is_no_cache(void **state)
{
    (void)state;
    struct sim_cache c;
    struct sim_extent gone;
    assert_int_equal(sim_cache_init(&c, 100, EXTENT, SIM_REPLACE_LRU, NULL), 0);
    assert_int_equal(c.extents_max, 0);
    assert_false(sim_cache_hit(&c, sim_extent_key(1, 1)));
    assert_false(sim_cache_grow(&c, sim_extent_key(1, 1), 1));
    assert_false(sim_cache_give(&c, 1, &gone));
    sim_cache_drop(&c, 1, 0, 5);
    sim_cache_fini(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_recent_is_given_up),
        cmocka_unit_test(random_replacement_gives_up_what_is_there),
        cmocka_unit_test(a_crowded_table_loses_nothing),
        cmocka_unit_test(each_is_given_up_as_often_as_another),
        cmocka_unit_test(memory_is_at_most_24_bytes_an_extent),
        cmocka_unit_test(no_room_is_no_cache),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
