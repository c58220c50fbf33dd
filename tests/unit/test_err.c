/* err.h: one line of words that always fits, an errno that always survives. */
#include "base/err.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void set_returns_the_code_and_keeps_the_words(void **state)
{
    (void)state;
    struct err err = {0};
    assert_int_equal(err_set(&err, -EINVAL, "%s: %d is too many", "--threads", 9), -EINVAL);
    assert_int_equal(err.code, -EINVAL);
    assert_string_equal(err.text, "--threads: 9 is too many");
}

static void sys_adds_the_systems_words(void **state)
{
    (void)state;
    struct err err = {0};
    assert_int_equal(err_sys(&err, -ENOENT, "open %s", "/d"), -ENOENT);
    assert_int_equal(err.code, -ENOENT);
    assert_string_equal(err.text, "open /d: No such file or directory");
    assert_int_equal(err_sys(&err, -4000, "open"), -4000);
    assert_string_equal(err.text, "open: errno 4000");
}

static void prefix_says_what_was_being_done(void **state)
{
    (void)state;
    struct err err = {0};
    (void)err_set(&err, -EIO, "read failed");
    assert_int_equal(err_prefix(&err, "file %d", 3), -EIO);
    assert_string_equal(err.text, "file 3: read failed");
    struct err empty = {.code = -EIO};
    assert_int_equal(err_prefix(&empty, "file"), -EIO);
    assert_string_equal(empty.text, "file");
}

static void its_own_text_may_be_an_argument(void **state)
{
    (void)state;
    struct err err = {0};
    (void)err_set(&err, -EIO, "inner");
    (void)err_set(&err, -EIO, "outer (%s)", err.text);
    assert_string_equal(err.text, "outer (inner)");
}

static void nobody_listening_is_accepted(void **state)
{
    (void)state;
    assert_int_equal(err_set(NULL, -EPERM, "x"), -EPERM);
    assert_int_equal(err_sys(NULL, -EPERM, "x"), -EPERM);
    assert_true(err_prefix(NULL, "x") < 0);
}

static void long_text_is_cut_and_says_so(void **state)
{
    (void)state;
    char path[3 * ERR_TEXT_MAX];
    memset(path, 'p', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    struct err err = {0};
    (void)err_set(&err, -EIO, "%s", path);
    assert_int_equal(strlen(err.text), ERR_TEXT_MAX - 1);
    assert_string_equal(err.text + ERR_TEXT_MAX - 1 - 4, "p...");
    /* What was being done stays, the end goes. */
    (void)err_prefix(&err, "open");
    assert_memory_equal(err.text, "open: ppp", 9);
    assert_int_equal(strlen(err.text), ERR_TEXT_MAX - 1);
    assert_string_equal(err.text + ERR_TEXT_MAX - 1 - 4, "p...");
}

static void text_that_just_fits_is_whole(void **state)
{
    (void)state;
    char path[ERR_TEXT_MAX];
    memset(path, 'p', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    struct err err = {0};
    (void)err_set(&err, -EIO, "%s", path);
    assert_string_equal(err.text, path);
}

static void control_characters_never_reach_a_terminal(void **state)
{
    (void)state;
    struct err err = {0};
    (void)err_set(&err, -EIO, "open a\nb\x1b[31mc\x7f: r\xc3\xa9sum\xc3\xa9");
    assert_string_equal(err.text, "open a\\x0ab\\x1b[31mc\\x7f: r\xc3\xa9sum\xc3\xa9");
}

static void names_and_numbers_agree(void **state)
{
    (void)state;
    assert_string_equal(err_name(EIO), "EIO");
    assert_string_equal(err_name(-EIO), "EIO");
    assert_string_equal(err_name(-4000), "errno 4000");
    for (int number = 1; number < 134; number++) {
        const char *name = err_name(number);
        if (name[0] == 'E') {
            assert_int_equal(err_number(name), number);
        }
    }
    assert_int_equal(err_number("ENOSPC"), ENOSPC);
    assert_int_equal(err_number("EWOULDBLOCK"), EAGAIN);
    assert_int_equal(err_number("ENOTSUP"), EOPNOTSUPP);
    assert_int_equal(err_number("EIEIO"), 0);
    assert_int_equal(err_number("eio"), 0);
    assert_int_equal(err_number("0"), 0);
    assert_int_equal(err_number(""), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(set_returns_the_code_and_keeps_the_words),
        cmocka_unit_test(sys_adds_the_systems_words),
        cmocka_unit_test(prefix_says_what_was_being_done),
        cmocka_unit_test(its_own_text_may_be_an_argument),
        cmocka_unit_test(nobody_listening_is_accepted),
        cmocka_unit_test(long_text_is_cut_and_says_so),
        cmocka_unit_test(text_that_just_fits_is_whole),
        cmocka_unit_test(control_characters_never_reach_a_terminal),
        cmocka_unit_test(names_and_numbers_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
