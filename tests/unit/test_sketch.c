/* stats/sketch.h: distinct things within 2 %, from none to many, once however often and wherever they are added. */
#include "base/rng.h"
#include "stats/sketch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct sketch a, b;

static void add(struct sketch *s, uint64_t key, uint64_t from, uint64_t to)
{
    for (uint64_t i = from; i < to; i++)
        sketch_add(s, mix64_pair(key, i));
}

static void assert_about(double count, double n)
{
    if (fabs(count - n) > 0.02 * n)
        fail_msg("%.1f and not %.0f", count, n);
}

/* Where the first estimators of this kind needed corrections, and were still wrong by some per cent. */
static void counts_are_right_from_none_to_many(void **state)
{
    static const uint64_t n[] = {0,     1,     2,     100,   1000,   10000,   20000,
                                 30000, 40000, 60000, 90000, 200000, 1000000, 3000000};
    (void)state;
    for (unsigned i = 0; i < sizeof n / sizeof *n; i++) {
        memset(&a, 0, sizeof a);
        add(&a, 7, 0, n[i]);
        assert_about(sketch_count(&a), (double)n[i]);
    }
}

/* Of 40 sketches of other things the root of the mean square is what the header says, and nothing leans. */
static void the_standard_error_is_what_is_said(void **state)
{
    enum { SKETCHES = 40, N = 50000 };
    double squares = 0, sum = 0;
    (void)state;
    for (unsigned i = 0; i < SKETCHES; i++) {
        memset(&a, 0, sizeof a);
        add(&a, 100 + i, 0, N);
        double off = sketch_count(&a) / N - 1;
        sum += off;
        squares += off * off;
    }
    assert_true(sqrt(squares / SKETCHES) < 0.0115);
    assert_true(fabs(sum / SKETCHES) < 0.005);
}

static void what_is_there_counts_once(void **state)
{
    (void)state;
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    add(&a, 7, 0, 60000);
    double once = sketch_count(&a);
    add(&a, 7, 0, 60000);
    assert_true(sketch_count(&a) == once);
    add(&b, 7, 30000, 90000);
    sketch_merge(&a, &b);
    assert_about(sketch_count(&a), 90000);
    sketch_merge(&a, &a);
    assert_about(sketch_count(&a), 90000);
}

/* No hash may write outside, or count as none. */
static void the_longest_rows_of_zeros_have_an_end(void **state)
{
    (void)state;
    memset(&a, 0, sizeof a);
    sketch_add(&a, 0);
    sketch_add(&a, UINT64_MAX);
    assert_int_equal(a.rank[0], 64 - SKETCH_BITS + 1);
    assert_int_equal(a.rank[SKETCH_REGISTERS - 1], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_right_from_none_to_many),
        cmocka_unit_test(the_standard_error_is_what_is_said),
        cmocka_unit_test(what_is_there_counts_once),
        cmocka_unit_test(the_longest_rows_of_zeros_have_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
