/* text.h: always a C string, grows by itself, and a lost addition is never forgotten. */
#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void a_new_text_is_an_empty_string(void **state)
{
    (void)state;
    struct text t;
    text_init(&t);
    assert_string_equal(t.s, "");
    assert_int_equal(t.len, 0);
    text_add(&t, "");
    assert_string_equal(t.s, "");
    text_fini(&t);
    text_fini(&t);
}

static void additions_stand_one_behind_the_other(void **state)
{
    (void)state;
    struct text t;
    text_init(&t);
    text_add(&t, "ab");
    text_addf(&t, "%d-%s", 7, "x");
    text_add_bytes(&t, "cdef", 2);
    assert_string_equal(t.s, "ab7-xcd");
    assert_int_equal(t.len, 7);
    assert_false(t.failed);
    text_fini(&t);
}

static void bytes_may_hold_zeros(void **state)
{
    (void)state;
    struct text t;
    text_init(&t);
    text_add_bytes(&t, "a\0b", 3);
    assert_int_equal(t.len, 3);
    assert_memory_equal(t.s, "a\0b", 4);
    text_fini(&t);
}

static void it_grows_past_any_first_guess(void **state)
{
    (void)state;
    struct text t;
    text_init(&t);
    for (int i = 0; i < 20000; i++) {
        text_addf(&t, "%05d", i);
        assert_int_equal(t.len, 5 * (i + 1));
        assert_true(t.room > t.len);
    }
    assert_int_equal(strlen(t.s), 100000);
    assert_memory_equal(t.s + 5 * 12345, "12345", 5);
    text_fini(&t);
}

static void one_long_addition_fits(void **state)
{
    (void)state;
    struct text t;
    text_init(&t);
    text_addf(&t, "%*s", 5000, "end");
    assert_int_equal(t.len, 5000);
    assert_string_equal(t.s + 4997, "end");
    text_fini(&t);
}

static void clear_empties(void **state)
{
    (void)state;
    struct text t;
    text_init(&t);
    text_clear(&t);
    text_add(&t, "abc");
    text_clear(&t);
    assert_string_equal(t.s, "");
    assert_int_equal(t.len, 0);
    text_add(&t, "d");
    assert_string_equal(t.s, "d");
    text_fini(&t);
}

static void take_gives_the_string_away(void **state)
{
    (void)state;
    struct text t;
    text_init(&t);
    char *none = text_take(&t);
    assert_string_equal(none, "");
    free(none);
    text_add(&t, "mine");
    char *mine = text_take(&t);
    assert_string_equal(t.s, "");
    assert_int_equal(t.len, 0);
    text_add(&t, "yours");
    assert_string_equal(mine, "mine");
    free(mine);
    text_fini(&t);
}

static void a_failed_addition_is_remembered_to_the_end(void **state)
{
    (void)state;
    struct text t;
    text_init(&t);
    text_add(&t, "kept");
    text_add_bytes(&t, "", SIZE_MAX - 1);
    assert_true(t.failed);
    assert_string_equal(t.s, "kept");
    text_add(&t, " later");
    assert_string_equal(t.s, "kept");
    text_clear(&t);
    assert_true(t.failed);
    assert_string_equal(t.s, "");
    assert_null(text_take(&t));
    assert_string_equal(t.s, "");
    assert_false(t.failed);
    text_fini(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_text_is_an_empty_string),
        cmocka_unit_test(additions_stand_one_behind_the_other),
        cmocka_unit_test(bytes_may_hold_zeros),
        cmocka_unit_test(it_grows_past_any_first_guess),
        cmocka_unit_test(one_long_addition_fits),
        cmocka_unit_test(clear_empties),
        cmocka_unit_test(take_gives_the_string_away),
        cmocka_unit_test(a_failed_addition_is_remembered_to_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
