/* study/limits_priv.h, limits_sizes.c: the size of a cache by the latency of reads of ever larger sets. */
#include "study/limits_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

/* The 95th centile of uniform reads of a set before an LRU cache: memory until a twentieth goes past it. */
static uint64_t p95(uint64_t set, uint64_t cache)
{
    return (double)set * 0.95 <= (double)cache ? 60000 : 260000;
}

static void sweep(struct limits_sweep *s, uint64_t least, uint64_t most, uint64_t cache)
{
    uint64_t next;
    limits_sweep_begin(s, least, most);
    while ((next = limits_sweep_next(s)) != 0) {
        assert_true(next >= least && next <= most);
        assert_true(s->n < LIMITS_SWEEP_MAX);
        limits_sweep_add(s, next, p95(next, cache));
    }
}

static void a_cache_is_found_to_an_eighth(void **state)
{
    struct limits_sweep s;
    (void)state;
    for (uint64_t cache = 40 * MIB; cache < 900 * GIB; cache = cache * 5 / 4) {
        sweep(&s, 32 * MIB, 4096 * GIB, cache);
        double knee = (double)limits_sweep_knee(&s);
        assert_true(knee <= 1.06 * (double)cache);
        assert_true(knee >= 0.86 * (double)cache);
    }
}

static void no_knee_is_said_to_be_none(void **state)
{
    struct limits_sweep s;
    (void)state;
    sweep(&s, 32 * MIB, 3 * GIB, 64 * GIB);
    assert_int_equal(limits_sweep_knee(&s), 0);
    assert_int_equal(s.bytes[s.n - 1], 3 * GIB);
}

static void a_knee_before_the_end_is_found_though_only_one_lies_behind_it(void **state)
{
    struct limits_sweep s;
    (void)state;
    sweep(&s, 32 * MIB, 3 * GIB, 2200 * MIB);
    assert_true(limits_sweep_knee(&s) > 1900 * MIB && limits_sweep_knee(&s) <= 2350 * MIB);
}

static void a_disturbance_is_no_knee(void **state)
{
    struct limits_sweep s;
    (void)state;
    limits_sweep_begin(&s, MIB, 64 * MIB);
    for (uint64_t next; (next = limits_sweep_next(&s)) != 0;)
        limits_sweep_add(&s, next, next == 4 * MIB ? 900000 : 60000);
    assert_int_equal(limits_sweep_knee(&s), 0);
    assert_int_equal(s.n, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cache_is_found_to_an_eighth),
        cmocka_unit_test(no_knee_is_said_to_be_none),
        cmocka_unit_test(a_knee_before_the_end_is_found_though_only_one_lies_behind_it),
        cmocka_unit_test(a_disturbance_is_no_knee),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
