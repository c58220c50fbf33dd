/* tree_priv.h: in which order the rows and repeats of a study are measured. */
#include "study/tree_priv.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define ROWS    7u
#define REPEATS 50u

static void open_order(struct tree_order *o, uint64_t seed, bool shuffled)
{
    assert_int_equal(tree_order_init(o, seed, ROWS, REPEATS, shuffled), 0);
}

static void a_block_is_every_row_once(void **state)
{
    struct tree_order o;
    struct tree_turn turn;
    (void)state;
    open_order(&o, 1, true);
    for (unsigned repeat = 1; repeat <= REPEATS; repeat++) {
        unsigned seen = 0;
        for (unsigned i = 0; i < ROWS; i++) {
            assert_true(tree_order_next(&o, &turn));
            assert_int_equal(turn.repeat, repeat);
            seen |= 1u << turn.row;
        }
        assert_int_equal(seen, (1u << ROWS) - 1);
    }
    assert_false(tree_order_next(&o, &turn));
    tree_order_fini(&o);
}

/* Over many repeats each row comes first about as often: 50 of 7 are 7 each; chi-square of 6
 * degrees of freedom stays below its 99.9 % quantile for this seed. */
static void no_row_has_a_place_of_its_own(void **state)
{
    struct tree_order o;
    struct tree_turn turn;
    unsigned first[ROWS] = {0};
    double chi = 0;
    (void)state;
    open_order(&o, 1, true);
    for (unsigned i = 0; tree_order_next(&o, &turn); i++)
        first[turn.row] += i % ROWS == 0;
    for (unsigned i = 0; i < ROWS; i++) {
        double off = first[i] - (double)REPEATS / ROWS;
        chi += off * off / ((double)REPEATS / ROWS);
    }
    assert_true(chi < 22.5);
    tree_order_fini(&o);
}

static void the_seed_makes_the_order(void **state)
{
    struct tree_order a, b, c;
    struct tree_turn x, y, z;
    bool differs = false;
    (void)state;
    open_order(&a, 1, true);
    open_order(&b, 1, true);
    open_order(&c, 2, true);
    while (tree_order_next(&a, &x) && tree_order_next(&b, &y) && tree_order_next(&c, &z)) {
        assert_int_equal(x.row, y.row);
        differs |= x.row != z.row;
    }
    assert_true(differs);
    tree_order_fini(&a);
    tree_order_fini(&b);
    tree_order_fini(&c);
}

static void not_shuffled_is_row_by_row(void **state)
{
    struct tree_order o;
    struct tree_turn turn;
    unsigned n = 0;
    (void)state;
    open_order(&o, 1, false);
    for (; tree_order_next(&o, &turn); n++) {
        assert_int_equal(turn.row, n / REPEATS);
        assert_int_equal(turn.repeat, n % REPEATS + 1);
    }
    assert_int_equal(n, ROWS * REPEATS);
    tree_order_fini(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_is_every_row_once),
        cmocka_unit_test(no_row_has_a_place_of_its_own),
        cmocka_unit_test(the_seed_makes_the_order),
        cmocka_unit_test(not_shuffled_is_row_by_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
