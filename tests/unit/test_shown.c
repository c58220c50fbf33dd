/* What comes from outside reaches nobody's terminal as it is, and can be pasted where it is a command. */
#include "base/shown.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void assert_becomes(void (*add)(struct text *t, const char *s), const char *s,
                           const char *want)
{
    struct text text;
    text_init(&text);
    add(&text, s);
    assert_string_equal(text.s, want);
    text_fini(&text);
}

static void text_stays_and_controls_are_written_out(void **state)
{
    (void)state;
    assert_becomes(text_add_shown, "", "");
    assert_becomes(text_add_shown, "/srv/größe ±5 \xf0\x9f\x98\x80",
                   "/srv/größe ±5 \xf0\x9f\x98\x80");
    assert_becomes(text_add_shown, "a\033[2Jb\nc\td\x7f", "a\\x1b[2Jb\\x0ac\\x09d\\x7f");
    assert_becomes(text_add_shown, "\xc2\x9b", "\\xc2\\x9b"); /* CSI in one character */
    assert_false(shown_as_is("a\n"));
    assert_true(shown_as_is("±"));
}

/* A label could turn the text after it around, and look like another. */
static void what_turns_text_is_written_out(void **state)
{
    (void)state;
    assert_becomes(text_add_shown,
                   "a\xe2\x80\xae"
                   "b",
                   "a\\xe2\\x80\\xaeb");
    assert_becomes(text_add_shown, "\xe2\x81\xa6\xe2\x80\x8f\xd8\x9c",
                   "\\xe2\\x81\\xa6\\xe2\\x80\\x8f\\xd8\\x9c");
    assert_true(shown_as_is("… — ‰ ⁰ ش"));
}

static void what_is_no_utf8_is_written_out(void **state)
{
    static const struct {
        const char *bytes;
        const char *shown;
    } cases[] = {
        {"\xff!", "\\xff!"},                          /* never a byte of it */
        {"\x80", "\\x80"},                            /* the rest of nothing */
        {"\xc3", "\\xc3"},                            /* cut */
        {"\xe2\x82", "\\xe2\\x82"},                   /* cut */
        {"\xc0\xaf", "\\xc0\\xaf"},                   /* '/' in two bytes */
        {"\xe0\x80\xaf", "\\xe0\\x80\\xaf"},          /* in three */
        {"\xed\xa0\x80", "\\xed\\xa0\\x80"},          /* half a pair */
        {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"}, /* above U+10FFFF */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_becomes(text_add_shown, cases[i].bytes, cases[i].shown);
}

static void a_word_for_a_shell_is_one_word(void **state)
{
    (void)state;
    assert_becomes(text_add_shell_word, "/srv/a-b_c.d", "/srv/a-b_c.d");
    assert_becomes(text_add_shell_word, "", "''");
    assert_becomes(text_add_shell_word, "two words", "'two words'");
    assert_becomes(text_add_shell_word, "it's $HOME\\", "'it'\\''s $HOME\\'");
    assert_becomes(text_add_shell_word, "a\nb'\\", "$'a\\x0ab\\'\\\\'");
}

static void markdown_shows_what_was_there(void **state)
{
    (void)state;
    assert_becomes(text_add_md, "4 KiB write: 1.2 ms ± 3%", "4 KiB write: 1.2 ms ± 3%");
    assert_becomes(text_add_md, "a|b`c*d", "a\\|b\\`c\\*d");
    assert_becomes(text_add_md, "<b>[x](y)&amp;", "\\<b>\\[x\\](y)\\&amp;");
    assert_becomes(text_add_md, "c:\\x", "c:\\\\x");
    assert_becomes(text_add_md, "null_op_ns _loud_ x_", "null_op_ns \\_loud\\_ x\\_");
    assert_becomes(text_add_md, "a\nb|\033", "a\\\\x0ab\\|\\\\x1b");
}

static void a_cut_is_between_characters(void **state)
{
    static const struct {
        const char *s;
        size_t most;
        const char *shown;
    } cases[] = {
        {"日本", 6, "日本"}, {"日本", 5, "日…"}, {"ab", 1, "a…"}, {"\x1b", 3, "…"}, {"", 0, ""}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct text t;
        text_init(&t);
        text_add_shown_cut(&t, cases[i].s, cases[i].most);
        assert_string_equal(cases[i].shown, t.s);
        text_fini(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_stays_and_controls_are_written_out),
        cmocka_unit_test(what_turns_text_is_written_out),
        cmocka_unit_test(what_is_no_utf8_is_written_out),
        cmocka_unit_test(a_word_for_a_shell_is_one_word),
        cmocka_unit_test(markdown_shows_what_was_there),
        cmocka_unit_test(a_cut_is_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
