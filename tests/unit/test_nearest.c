/* base/nearest.h: what is near, and what is not. */
#include "base/nearest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const char *nearest_of(const char *wish, const char *a, const char *b)
{
    struct nearest n = {.wish = wish};
    nearest_try(&n, a);
    nearest_try(&n, b);
    return n.best;
}

static void one_letter_wrong(void **state)
{
    (void)state;
    assert_string_equal(nearest_of("raed", "read", "fsync"), "read");
    assert_string_equal(nearest_of("reed", "write", "read"), "read");
    assert_null(nearest_of("reef", "write", "fsync"));
}

static void one_more_for_four_typed(void **state)
{
    (void)state;
    assert_string_equal(nearest_of("readwholfiel", "read", "readwholefile"), "readwholefile");
    assert_null(nearest_of("abc", "abxyz", "xyz"));
}

static void the_nearer_and_of_equals_the_first(void **state)
{
    (void)state;
    assert_string_equal(nearest_of("opslimti", "iopslimit", "opslimit"), "opslimit");
    assert_string_equal(nearest_of("xad", "cad", "bad"), "cad");
}

static void the_beginning_of_a_word(void **state)
{
    (void)state;
    assert_string_equal(nearest_of("writew", "readwholefile", "writewholefile"), "writewholefile");
    assert_null(nearest_of("w", "writewholefile", "readwholefile"));
}

static void long_words_are_near_to_none(void **state)
{
    (void)state;
    assert_null(nearest_of("a123456789012345678901234567890123",
                           "b123456789012345678901234567890123",
                           "c123456789012345678901234567890123"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_letter_wrong),
        cmocka_unit_test(one_more_for_four_typed),
        cmocka_unit_test(the_nearer_and_of_equals_the_first),
        cmocka_unit_test(the_beginning_of_a_word),
        cmocka_unit_test(long_words_are_near_to_none),
    };
    return cmocka_run_group_tests_name("nearest", tests, NULL, NULL);
}
