/* hist.h: within 1/256 of the exact order statistic, nothing clamped, zeroed memory is empty. */
#include "base/rng.h"
#include "stats/hist.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define VALUES   20000u
#define OVERFLOW (1ull << HIST_TOP_BITS)

static struct hist one;
static struct hist two;
static struct hist both;
static const struct hist zeroed;

static int wipe(void **state)
{
    (void)state;
    memset(&one, 0, sizeof one);
    memset(&two, 0, sizeof two);
    memset(&both, 0, sizeof both);
    return 0;
}

static void test_buckets_cover_every_value_once(void **state)
{
    (void)state;
    assert_int_equal(hist_bucket_low(0), 0);
    for (unsigned b = 0; b < HIST_BUCKETS; b++) {
        uint64_t low = hist_bucket_low(b);
        uint64_t high = hist_bucket_high(b);
        assert_int_equal(hist_bucket(low), b);
        assert_int_equal(hist_bucket(high), b);
        assert_true((high - low + 1) * 128 <= low || low == high);
        uint64_t next = b + 1 < HIST_BUCKETS ? hist_bucket_low(b + 1) : OVERFLOW;
        assert_true(next == high + 1);
    }
}

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint64_t draw_uniform(struct rng *r)
{
    return 1000 + rng_below(r, 9000000);
}

static uint64_t draw_exponential(struct rng *r)
{
    double unit = (double)((rng_next(r) >> 11) + 1) * 0x1p-53; /* in (0, 1] */

    return (uint64_t)(-log(unit) * 250000);
}

static uint64_t draw_bimodal(struct rng *r)
{
    uint64_t centre = rng_below(r, 100) < 90 ? 80000 : 8000000000u;
    return centre + rng_below(r, centre / 10);
}

static uint64_t draw_power(struct rng *r)
{
    return 1ull << rng_below(r, HIST_TOP_BITS);
}

static uint64_t draw_wide(struct rng *r)
{
    return rng_next(r) >> (64 - HIST_TOP_BITS + rng_below(r, HIST_TOP_BITS));
}

static uint64_t draw_small(struct rng *r)
{
    return rng_below(r, 256);
}

static void assert_near(uint64_t got, uint64_t exact)
{
    uint64_t off = got > exact ? got - exact : exact - got;
    assert_true(off * 256 <= exact);
}

/* Ranks in whole numbers, so that the test has no rounding of its own. */
static void check_quantiles(uint64_t (*draw)(struct rng *), unsigned n)
{
    static const unsigned per_mille[] = {0, 1, 10, 70, 250, 500, 900, 950, 990, 999, 1000};
    static uint64_t value[VALUES];
    struct rng rng;
    rng_seed(&rng, n);
    hist_clear(&one);
    double sum = 0;
    for (unsigned i = 0; i < n; i++) {
        value[i] = draw(&rng);
        hist_record(&one, value[i]);
        sum += (double)value[i];
    }
    qsort(value, n, sizeof value[0], compare_u64);
    for (size_t i = 0; i < sizeof per_mille / sizeof per_mille[0]; i++) {
        unsigned rank = (n * per_mille[i] + 999) / 1000;
        uint64_t exact = value[rank ? rank - 1 : 0];
        assert_near(hist_quantile(&one, per_mille[i] / 1000.0), exact);
    }
    assert_true(hist_quantile(&one, 0) == value[0] && hist_min(&one) == value[0]);
    assert_true(hist_quantile(&one, 1) == value[n - 1] && one.max == value[n - 1]);
    assert_int_equal(hist_count(&one), n);
    assert_true(fabs(hist_mean(&one) - sum / n) <= sum / n * 1e-12);
}

static void test_quantiles_are_near_the_exact_order_statistic(void **state)
{
    (void)state;
    static uint64_t (*const draws[])(struct rng *) = {draw_uniform, draw_exponential, draw_bimodal,
                                                      draw_power,   draw_wide,        draw_small};
    static const unsigned sizes[] = {1, 2, 3, 10, 99, 100, 101, 1000, VALUES};
    for (size_t d = 0; d < sizeof draws / sizeof draws[0]; d++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
            check_quantiles(draws[d], sizes[s]);
}

static void test_small_values_are_exact(void **state)
{
    (void)state;
    for (uint64_t v = 0; v < 256; v++)
        hist_record(&one, v);
    for (unsigned rank = 1; rank <= 256; rank++)
        assert_int_equal(hist_quantile(&one, rank / 256.0), rank - 1);
}

/* 0.07 · 100 is more than 7 in floating point, and yet the 7th is meant. */
static void test_rank_is_not_moved_by_rounding(void **state)
{
    (void)state;
    for (uint64_t v = 1; v <= 100; v++)
        hist_record(&one, v);
    for (unsigned percent = 1; percent <= 100; percent++)
        assert_int_equal(hist_quantile(&one, percent / 100.0), percent);
    assert_int_equal(hist_quantile(&one, 0.501), 51);
}

static void test_quantile_stays_within_min_and_max(void **state)
{
    (void)state;
    hist_record(&one, 1000003);
    hist_record(&one, 1000004);
    hist_record(&one, 1000004);
    assert_int_equal(hist_quantile(&one, 0), 1000003);
    assert_int_equal(hist_quantile(&one, 0.5), 1000004);
    assert_int_equal(hist_quantile(&one, 1), 1000004);
    assert_int_equal(hist_quantile(&one, -3), 1000003);
    assert_int_equal(hist_quantile(&one, NAN), 1000003);
    assert_int_equal(hist_quantile(&one, 7), 1000004);
}

static void test_empty_is_zero(void **state)
{
    (void)state;
    assert_int_equal(hist_count(&zeroed), 0);
    assert_int_equal(hist_min(&zeroed), 0);
    assert_int_equal(zeroed.max, 0);
    assert_true(hist_mean(&zeroed) == 0);
    assert_int_equal(hist_quantile(&zeroed, 0.5), 0);
}

static void test_overflow_is_counted_and_in_no_bucket(void **state)
{
    (void)state;
    hist_record(&one, OVERFLOW - 1);
    assert_int_equal(one.overflow, 0);
    hist_record(&one, OVERFLOW);
    hist_record(&one, OVERFLOW + 5);
    assert_int_equal(one.overflow, 2);
    assert_int_equal(one.n[HIST_BUCKETS - 1], 1);
    assert_int_equal(hist_count(&one), 3);
    assert_true(one.max == OVERFLOW + 5);
    assert_true(one.sum == 3 * OVERFLOW + 4);
    assert_true(hist_quantile(&one, 0.3) == OVERFLOW - 1);
    assert_true(hist_quantile(&one, 0.5) == OVERFLOW + 5);
}

static void test_overflow_alone_has_a_minimum(void **state)
{
    (void)state;
    hist_record(&one, UINT64_MAX);
    assert_true(hist_min(&one) == UINT64_MAX);
    hist_record(&one, OVERFLOW + 1);
    assert_true(hist_min(&one) == OVERFLOW + 1);
    assert_true(one.max == UINT64_MAX);
    hist_clear(&one);
    assert_memory_equal(&one, &zeroed, sizeof one);
}

static void test_sum_never_wraps(void **state)
{
    (void)state;
    const uint64_t v = OVERFLOW - 12345;
    hist_record(&one, v);
    one.n[hist_bucket(v)] = 1u << 22; /* four times what a sum of 64 bits can hold */
    one.sum = UINT64_MAX - 1;
    hist_record(&one, v);
    assert_true(one.sum == UINT64_MAX);
    assert_true(fabs(hist_mean(&one) - (double)v) <= (double)v / 256);
    hist_record(&two, v);
    hist_merge(&two, &one);
    assert_true(two.sum == UINT64_MAX);
    assert_true(fabs(hist_mean(&two) - (double)v) <= (double)v / 256);
}

static void test_merge_is_the_same_as_recording_all(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 3);
    for (int i = 0; i < 5000; i++) {
        uint64_t v = rng_next(&rng) >> (16 + rng_below(&rng, 48));
        hist_record(i % 3 ? &one : &two, v);
        hist_record(&both, v);
    }
    hist_merge(&one, &two);
    assert_memory_equal(&one, &both, sizeof one);
    hist_merge(&one, &zeroed);
    assert_memory_equal(&one, &both, sizeof one);
    hist_clear(&one);
    hist_merge(&one, &both);
    assert_memory_equal(&one, &both, sizeof one);
}

static void test_many_at_once_are_as_many_recorded(void **state)
{
    static struct hist one_by_one;
    static struct hist at_once;
    static const uint64_t values[] = {0, 7, 300, 123456789, UINT64_C(1) << 45};
    (void)state;
    hist_clear(&one_by_one);
    hist_clear(&at_once);
    for (unsigned i = 0; i < sizeof values / sizeof values[0]; i++) {
        for (unsigned n = 0; n < 5 * i; n++)
            hist_record(&one_by_one, values[i]);
        hist_record_n(&at_once, values[i], 5 * i);
    }
    assert_memory_equal(&at_once, &one_by_one, sizeof at_once);
}

static void test_clear_leaves_zeroed_memory(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 4);
    for (int i = 0; i < 5000; i++)
        hist_record(&one, rng_next(&rng) >> rng_below(&rng, 64));
    assert_true(one.overflow > 0);
    hist_clear(&one);
    assert_memory_equal(&one, &zeroed, sizeof one);
}

/* A write to a protected page ends this program. */
static void test_clear_and_merge_write_only_what_was_touched(void **state)
{
    (void)state;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t bytes = (sizeof(struct hist) + page - 1) / page * page;
    struct hist *h = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(h != MAP_FAILED);
    assert_int_equal(mprotect(h, bytes, PROT_READ), 0);
    hist_clear(h);
    hist_merge(h, &zeroed);
    assert_int_equal(mprotect(h, page, PROT_READ | PROT_WRITE), 0);
    hist_record(h, 5);
    hist_record(&one, 6);
    hist_merge(h, &one);
    assert_int_equal(hist_count(h), 2);
    hist_clear(h);
    assert_memory_equal(h, &zeroed, sizeof *h);
    munmap(h, bytes);
}

/* What was recorded since then, as if nothing had been recorded before. */
static void test_what_was_there_before_can_be_taken_out(void **state)
{
    (void)state;
    static struct hist since;
    hist_record(&one, 7);
    hist_record_n(&one, 100000, 5);
    hist_merge(&two, &one);
    hist_record_n(&two, 5000, 3);
    hist_record(&two, 9);
    hist_clear(&since);
    hist_record_n(&since, 5000, 3);
    hist_record(&since, 9);
    hist_subtract(&two, &one);
    assert_int_equal(hist_count(&two), 4);
    assert_memory_equal(two.n, since.n, sizeof two.n);
    assert_int_equal(two.sum, since.sum);
    assert_int_equal(hist_min(&two), 9);
    assert_int_equal(two.max, hist_bucket_high(hist_bucket(5000)));
    hist_subtract(&two, &since);
    assert_memory_equal(&two, &zeroed, sizeof two);
    hist_record(&two, 1ull << HIST_TOP_BITS);
    hist_record(&two, 3);
    hist_merge(&one, &two);
    hist_subtract(&one, &two);
    assert_int_equal(one.overflow, 0);
    assert_int_equal(one.max, hist_bucket_high(hist_bucket(100000)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_buckets_cover_every_value_once, wipe),
        cmocka_unit_test_setup(test_quantiles_are_near_the_exact_order_statistic, wipe),
        cmocka_unit_test_setup(test_small_values_are_exact, wipe),
        cmocka_unit_test_setup(test_rank_is_not_moved_by_rounding, wipe),
        cmocka_unit_test_setup(test_quantile_stays_within_min_and_max, wipe),
        cmocka_unit_test_setup(test_empty_is_zero, wipe),
        cmocka_unit_test_setup(test_overflow_is_counted_and_in_no_bucket, wipe),
        cmocka_unit_test_setup(test_overflow_alone_has_a_minimum, wipe),
        cmocka_unit_test_setup(test_sum_never_wraps, wipe),
        cmocka_unit_test_setup(test_merge_is_the_same_as_recording_all, wipe),
        cmocka_unit_test_setup(test_many_at_once_are_as_many_recorded, wipe),
        cmocka_unit_test_setup(test_clear_leaves_zeroed_memory, wipe),
        cmocka_unit_test_setup(test_clear_and_merge_write_only_what_was_touched, wipe),
        cmocka_unit_test_setup(test_what_was_there_before_can_be_taken_out, wipe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
