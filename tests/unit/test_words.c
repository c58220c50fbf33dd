/* A command line goes into JSON and comes back as it was typed, whatever bytes it was made of. */
#include "base/words.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void assert_printed(const char *word, const char *want)
{
    struct text t;
    text_init(&t);
    text_add_json_string(&t, word);
    assert_string_equal(t.s, want);
    text_fini(&t);
}

static void a_word_is_a_json_string(void **state)
{
    (void)state;
    assert_printed("", "\"\"");
    assert_printed("/srv/a b", "\"/srv/a b\"");
    assert_printed("\"\\", "\"\\\"\\\\\"");
    assert_printed("a\nb\x7f", "\"a\\u000ab\\u007f\"");
    assert_printed("gr\xc3\xb6\xc3\x9f\xe2\x80\x94\xf0\x9f\x90\x88", /* … and a cat */
                   "\"gr\xc3\xb6\xc3\x9f\xe2\x80\x94\xf0\x9f\x90\x88\"");
    assert_printed("\xff\xc3", "\"\\udcff\\udcc3\"");
    assert_printed("\xc2\x85", "\"\\udcc2\\udc85\"");
}

static void every_word_comes_back(void **state)
{
    (void)state;
    char every[256];
    char *line[] = {"dirtest", "", every, "\xed\xb2\x80 \\udc80", "\xc2\x85\xe2\x80\xa8", "x"};
    unsigned n = sizeof line / sizeof *line;
    for (int i = 1; i < 256; i++)
        every[i - 1] = (char)i;
    every[255] = '\0';
    struct text t;
    char **back = NULL;
    unsigned back_n = 0;
    text_init(&t);
    words_print(&t, NULL, line, n);
    assert_int_equal(words_parse(t.s, &back, &back_n), 0);
    assert_int_equal(back_n, n);
    for (unsigned i = 0; i < n; i++)
        assert_string_equal(back[i], line[i]);
    assert_null(back[n]);
    words_free(back);
    text_fini(&t);
}

static void blanks_and_no_words_are_read(void **state)
{
    (void)state;
    char **back = NULL;
    unsigned n = 9;
    assert_int_equal(words_parse(" [ ] \n", &back, &n), 0);
    assert_int_equal(n, 0);
    words_free(back);
    assert_int_equal(words_parse("[ \"a\\u20ac\\t\" , \"b\" ]", &back, &n), 0);
    assert_int_equal(n, 2);
    assert_string_equal(back[0], "a\xe2\x82\xac\t");
    words_free(back);
}

static void what_is_no_list_of_words_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "",
        "x",
        "[",
        "[\"a\"",
        "[\"a\",]",
        "[1]",
        "[\"a]",
        "[\"a\"]x",
        "[\"\\u00\"]",
        "[\"\\x\"]",
        "[\"\\",
        "[\"\\u0000\"]",
        "[\"\\ud800\"]",
        "[,]",
        "[\"a\"\"b\"]",
        "[\"\\ug000\"]",
        "{}",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char **back = NULL;
        unsigned n = 0;
        if (words_parse(wrong[i], &back, &n) != -EINVAL)
            fail_msg("%s", wrong[i]);
        assert_null(back);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_word_is_a_json_string),
    cmocka_unit_test(every_word_comes_back),
    cmocka_unit_test(blanks_and_no_words_are_read),
    cmocka_unit_test(what_is_no_list_of_words_is_refused),
};

int main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}
