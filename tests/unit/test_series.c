/* series.h: every sample stays in the interval it was done in, however often the width doubles. */
#include "base/rng.h"
#include "stats/series.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LINES  2u
#define WIDTH  1000000000u
#define LABELS 5000u

static struct samples_block *block;
static const struct hist zeroed;

static int make_block(void **state)
{
    (void)state;
    block = samples_block_new(LINES);
    return block ? 0 : -1;
}

static int free_block(void **state)
{
    (void)state;
    samples_block_free(block);
    return 0;
}

/* One sample of `value` on each line, and as many ops as the label says. */
static int add(struct series *s, uint64_t label, uint64_t value)
{
    samples_block_clear(block);
    block->interval = label;
    for (unsigned l = 0; l < LINES; l++) {
        block->line[l].ops = label + l;
        block->line[l].bytes = value;
        block->line[l].samples = 1;
        hist_record(&block->line[l].service, value);
        hist_record(&block->line[l].response, value + l);
    }
    return series_add(s, block);
}

static uint64_t samples_in(const struct series *s, unsigned interval)
{
    const struct series_line *line = series_at(s, interval, 0);
    struct hist *h = calloc(1, sizeof *h);
    assert_non_null(h);
    assert_int_equal(sparse_hist_to(h, &line->service), 0);
    assert_int_equal(hist_count(h), line->samples);
    assert_int_equal(h->sum, line->bytes);
    free(h);
    assert_int_equal(series_at(s, interval, 1)->samples, line->samples);
    return line->samples;
}

static uint64_t samples_total(const struct series *s)
{
    uint64_t total = 0;
    for (unsigned i = 0; i < s->used; i++)
        total += samples_in(s, i);
    return total;
}

static void test_intervals_keep_their_blocks_in_any_order(void **state)
{
    (void)state;
    struct series s;
    series_init(&s, LINES, WIDTH);
    assert_int_equal(add(&s, 9, 900), 0);
    assert_int_equal(add(&s, 2, 200), 0);
    assert_int_equal(add(&s, 9, 50), 0);
    assert_int_equal(add(&s, 0, 7), 0);
    assert_int_equal(s.used, 10);
    assert_int_equal(s.width_ns, WIDTH);
    for (unsigned i = 0; i < 10; i++)
        assert_int_equal(samples_in(&s, i), i == 9 ? 2 : i == 2 || i == 0);
    const struct series_line *line = series_at(&s, 9, 1);
    assert_int_equal(line->ops, 2 * (9 + 1));
    assert_int_equal(line->bytes, 950);
    assert_int_equal(line->response.min, 51);
    assert_int_equal(line->response.max, 901);
    assert_int_equal(line->service.used, 2);
    series_fini(&s);
}

static void test_neighbours_merge_when_the_last_interval_is_passed(void **state)
{
    (void)state;
    struct series s;
    series_init(&s, LINES, WIDTH);
    for (unsigned label = 0; label < SERIES_MAX; label++)
        assert_int_equal(add(&s, label, label), 0);
    assert_int_equal(s.used, SERIES_MAX);
    assert_int_equal(s.doublings, 0);
    assert_int_equal(add(&s, SERIES_MAX, 5), 0);
    assert_int_equal(s.used, SERIES_MAX / 2 + 1);
    assert_int_equal(s.doublings, 1);
    assert_int_equal(s.width_ns, 2ull * WIDTH);
    for (unsigned i = 0; i < SERIES_MAX / 2; i++) {
        assert_int_equal(samples_in(&s, i), 2);
        assert_int_equal(series_at(&s, i, 0)->ops, 4 * i + 1);
        assert_int_equal(series_at(&s, i, 0)->service.min, 2 * i);
        assert_int_equal(series_at(&s, i, 0)->service.max, 2 * i + 1);
    }
    assert_int_equal(samples_in(&s, SERIES_MAX / 2), 1);
    series_fini(&s);
}

static void test_labels_at_random_land_where_they_were_done(void **state)
{
    (void)state;
    static unsigned expected[LABELS];
    struct series s;
    struct rng rng;
    rng_seed(&rng, 11);
    memset(expected, 0, sizeof expected);
    series_init(&s, LINES, WIDTH);
    for (int i = 0; i < 3000; i++) {
        unsigned label = (unsigned)rng_below(&rng, i < 1000 ? SERIES_MAX : LABELS);
        assert_int_equal(add(&s, label, rng_next(&rng) >> (20 + rng_below(&rng, 44))), 0);
        expected[label]++;
    }
    assert_int_equal(s.doublings, 3);
    assert_int_equal(s.width_ns, 8ull * WIDTH);
    for (unsigned i = 0; i < s.used; i++) {
        unsigned sum = 0;
        for (unsigned label = 8 * i; label < 8 * i + 8 && label < LABELS; label++)
            sum += expected[label];
        assert_int_equal(samples_in(&s, i), sum);
    }
    series_fini(&s);
}

static void test_label_far_ahead_costs_no_memory(void **state)
{
    (void)state;
    struct series s;
    series_init(&s, LINES, WIDTH);
    for (unsigned label = 0; label < 100; label++)
        assert_int_equal(add(&s, label, 10), 0);
    const uint64_t far = 5000000000u;
    assert_int_equal(add(&s, far, 20), 0);
    assert_true(s.used <= SERIES_MAX && s.room <= SERIES_MAX);
    assert_int_equal(s.width_ns, (uint64_t)WIDTH << s.doublings);
    assert_int_equal(s.used - 1, far >> s.doublings);
    assert_true(far >> (s.doublings - 1) >= SERIES_MAX);
    assert_int_equal(samples_in(&s, 0), 100);
    assert_int_equal(samples_in(&s, s.used - 1), 1);
    assert_int_equal(add(&s, 99, 10), 0);
    assert_int_equal(samples_in(&s, 0), 101);
    series_fini(&s);
}

static void test_width_that_cannot_be_told_is_refused(void **state)
{
    (void)state;
    struct series s;
    series_init(&s, LINES, WIDTH);
    assert_int_equal(add(&s, 3, 1), 0);
    assert_int_equal(add(&s, UINT64_MAX, 1), -EOVERFLOW);
    assert_int_equal(s.used, 4);
    assert_int_equal(s.width_ns, WIDTH);
    assert_int_equal(samples_total(&s), 1);
    series_fini(&s);
}

static void test_block_of_other_lines_is_refused(void **state)
{
    (void)state;
    struct series s;
    series_init(&s, LINES + 1, WIDTH);
    assert_int_equal(series_add(&s, block), -EINVAL);
    assert_int_equal(s.used, 0);
    series_fini(&s);
}

/* `n` intervals of one sample each, whose value is first + label. */
static void fill(struct series *s, uint64_t width_ns, unsigned n, uint64_t first)
{
    series_init(s, LINES, width_ns);
    for (unsigned label = 0; label < n; label++)
        assert_int_equal(add(s, label, first + label), 0);
}

static void test_append_starts_at_the_end(void **state)
{
    (void)state;
    struct series into;
    struct series from;
    fill(&into, WIDTH, 5, 100);
    fill(&from, WIDTH, 3, 200);
    assert_int_equal(series_append(&into, &from), 0);
    assert_int_equal(into.used, 8);
    assert_int_equal(into.width_ns, WIDTH);
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(samples_in(&into, i), 1);
        assert_int_equal(series_at(&into, i, 0)->bytes, i < 5 ? 100 + i : 200 + i - 5);
    }
    assert_int_equal(from.used, 3);
    assert_int_equal(samples_total(&from), 3);
    series_fini(&into);
    series_fini(&from);
}

static void test_append_to_an_empty_series(void **state)
{
    (void)state;
    struct series into;
    struct series from;
    series_init(&into, LINES, WIDTH);
    fill(&from, 4ull * WIDTH, 3, 200);
    assert_int_equal(series_append(&into, &from), 0);
    assert_int_equal(into.used, 3);
    assert_int_equal(into.width_ns, 4ull * WIDTH);
    assert_int_equal(into.doublings, 2);
    assert_int_equal(samples_total(&into), 3);
    series_fini(&from);
    series_init(&from, LINES, WIDTH);
    assert_int_equal(series_append(&into, &from), 0);
    assert_int_equal(into.used, 3);
    series_fini(&into);
    series_fini(&from);
}

static void test_append_brings_widths_to_the_wider(void **state)
{
    (void)state;
    struct series narrow;
    struct series wide;
    fill(&narrow, WIDTH, 9, 100);
    fill(&wide, 4ull * WIDTH, 2, 500);
    assert_int_equal(series_append(&narrow, &wide), 0);
    assert_int_equal(narrow.width_ns, 4ull * WIDTH);
    assert_int_equal(narrow.used, 3 + 2);
    assert_int_equal(samples_in(&narrow, 0), 4);
    assert_int_equal(samples_in(&narrow, 2), 1);
    assert_int_equal(series_at(&narrow, 3, 0)->bytes, 500);
    series_fini(&narrow);

    fill(&narrow, WIDTH, 9, 100);
    assert_int_equal(series_append(&wide, &narrow), 0);
    assert_int_equal(wide.width_ns, 4ull * WIDTH);
    assert_int_equal(wide.used, 2 + 3);
    assert_int_equal(series_at(&wide, 1, 0)->bytes, 501);
    assert_int_equal(samples_in(&wide, 3), 4);
    assert_int_equal(samples_in(&wide, 4), 1);
    series_fini(&narrow);
    series_fini(&wide);
}

static void test_append_stays_within_the_limit(void **state)
{
    (void)state;
    struct series into;
    struct series from;
    fill(&into, WIDTH, SERIES_MAX - 1, 0);
    fill(&from, WIDTH, 2, 0);
    assert_int_equal(series_append(&into, &from), 0);
    assert_int_equal(into.used, SERIES_MAX / 2 + 1);
    assert_int_equal(into.width_ns, 2ull * WIDTH);
    assert_int_equal(samples_in(&into, SERIES_MAX / 2), 2);
    assert_int_equal(samples_total(&into), SERIES_MAX + 1);
    series_fini(&from);
    fill(&from, WIDTH, 700, 0);
    for (unsigned pass = 1; pass <= 20; pass++) {
        assert_int_equal(series_append(&into, &from), 0);
        assert_true(into.used <= SERIES_MAX);
        assert_int_equal(samples_total(&into), SERIES_MAX + 1 + 700 * pass);
    }
    assert_int_equal(into.width_ns, (uint64_t)WIDTH << into.doublings);
    series_fini(&into);
    series_fini(&from);
}

static void test_append_refuses_what_does_not_match(void **state)
{
    (void)state;
    struct series into;
    struct series from;
    fill(&into, WIDTH, 2, 0);
    series_init(&from, LINES + 1, WIDTH);
    assert_int_equal(series_append(&into, &from), -EINVAL);
    series_init(&from, LINES, 3ull * WIDTH);
    assert_int_equal(series_append(&into, &from), -EINVAL);
    assert_int_equal(into.used, 2);
    assert_int_equal(into.width_ns, WIDTH);
    series_fini(&into);
}

static void record_some(struct hist *h, struct rng *rng, int n)
{
    for (int i = 0; i < n; i++)
        hist_record(h, rng_next(rng) >> (15 + rng_below(rng, 49)));
}

static void test_sparse_form_loses_nothing(void **state)
{
    (void)state;
    static struct hist full;
    static struct hist all;
    static struct hist back;
    struct sparse_hist sparse = {0};
    struct sparse_hist sum = {0};
    struct rng rng;
    rng_seed(&rng, 21);
    for (int n = 0; n < 200; n += 9) {
        hist_clear(&full);
        record_some(&full, &rng, n);
        hist_merge(&all, &full);
        assert_int_equal(sparse_hist_add(&sparse, &full), 0);
        assert_int_equal(sparse_hist_add(&sum, &full), 0);
        hist_clear(&back);
        assert_int_equal(sparse_hist_to(&back, &sparse), 0);
        assert_memory_equal(&back, &all, sizeof back);
    }
    assert_true(all.overflow > 0);
    assert_int_equal(sparse_hist_merge(&sum, &sparse), 0);
    hist_merge(&all, &back);
    hist_clear(&back);
    assert_int_equal(sparse_hist_to(&back, &sum), 0);
    assert_memory_equal(&back, &all, sizeof back);
    sparse_hist_fini(&sparse);
    sparse_hist_fini(&sum);
    assert_null(sum.bucket);
}

static void test_sparse_sum_never_wraps(void **state)
{
    (void)state;
    static struct hist h;
    struct sparse_hist s = {0};
    hist_clear(&h);
    hist_record(&h, UINT64_MAX - 1);
    assert_int_equal(sparse_hist_add(&s, &h), 0);
    assert_int_equal(sparse_hist_add(&s, &h), 0);
    assert_true(s.sum == UINT64_MAX);
    assert_int_equal(sparse_hist_to(&h, &s), 0);
    assert_true(h.sum == UINT64_MAX);
    assert_int_equal(h.overflow, 3);
    sparse_hist_fini(&s);
}

static void assert_refused(struct sparse_hist s, uint16_t bucket0, uint16_t bucket1, uint64_t count)
{
    static struct hist h;
    uint16_t bucket[] = {bucket0, bucket1};
    uint64_t counts[] = {1, count};
    s.used = s.used ? s.used : 2;
    s.bucket = bucket;
    s.count = counts;
    assert_int_equal(sparse_hist_to(&h, &s), -EINVAL);
    assert_memory_equal(&h, &zeroed, sizeof h);
}

static void test_sparse_data_that_contradicts_itself_is_refused(void **state)
{
    (void)state;
    static struct hist h;
    const uint64_t over = 1ull << HIST_TOP_BITS;
    uint16_t bucket[] = {5, 9};
    uint64_t count[] = {1, 2};
    struct sparse_hist good = {
        .sum = 23, .min = 5, .max = 9, .used = 2, .bucket = bucket, .count = count};
    hist_clear(&h);
    assert_int_equal(sparse_hist_to(&h, &good), 0);
    assert_int_equal(hist_count(&h), 3);
    const struct sparse_hist ends = {.min = 5, .max = 9};
    assert_refused(ends, 9, 5, 1);
    assert_refused(ends, 5, 5, 1);
    assert_refused((struct sparse_hist){.min = 5, .max = over - 1}, 5, HIST_BUCKETS, 1);
    assert_refused(ends, 5, 9, 0);
    assert_refused(ends, 5, 9, UINT64_MAX);
    assert_refused(ends, 4, 9, 1);
    assert_refused(ends, 5, 10, 1);
    assert_refused((struct sparse_hist){.min = 5, .max = 9, .overflow = 1}, 5, 9, 1);
    assert_refused((struct sparse_hist){.min = 5, .max = over}, 5, 9, 1);
    const struct sparse_hist backwards = {.min = 257, .max = 256, .used = 1};
    assert_refused(backwards, (uint16_t)hist_bucket(256), 0, 1);
}

static void test_sparse_data_without_buckets(void **state)
{
    (void)state;
    static struct hist h;
    const uint64_t over = 1ull << HIST_TOP_BITS;
    struct sparse_hist empty = {0};
    struct sparse_hist lie = {.sum = 1};
    struct sparse_hist only_over = {.sum = over, .min = over, .max = over, .overflow = 1};
    struct sparse_hist low_over = {.sum = over, .min = 1, .max = over, .overflow = 1};
    hist_clear(&h);
    assert_int_equal(sparse_hist_to(&h, &empty), 0);
    assert_int_equal(sparse_hist_to(&h, &lie), -EINVAL);
    assert_int_equal(sparse_hist_to(&h, &low_over), -EINVAL);
    assert_memory_equal(&h, &zeroed, sizeof h);
    assert_int_equal(sparse_hist_to(&h, &only_over), 0);
    assert_true(hist_min(&h) == over && hist_count(&h) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_intervals_keep_their_blocks_in_any_order),
        cmocka_unit_test(test_neighbours_merge_when_the_last_interval_is_passed),
        cmocka_unit_test(test_labels_at_random_land_where_they_were_done),
        cmocka_unit_test(test_label_far_ahead_costs_no_memory),
        cmocka_unit_test(test_width_that_cannot_be_told_is_refused),
        cmocka_unit_test(test_block_of_other_lines_is_refused),
        cmocka_unit_test(test_append_starts_at_the_end),
        cmocka_unit_test(test_append_to_an_empty_series),
        cmocka_unit_test(test_append_brings_widths_to_the_wider),
        cmocka_unit_test(test_append_stays_within_the_limit),
        cmocka_unit_test(test_append_refuses_what_does_not_match),
        cmocka_unit_test(test_sparse_form_loses_nothing),
        cmocka_unit_test(test_sparse_sum_never_wraps),
        cmocka_unit_test(test_sparse_data_that_contradicts_itself_is_refused),
        cmocka_unit_test(test_sparse_data_without_buckets),
    };
    return cmocka_run_group_tests(tests, make_block, free_block);
}
