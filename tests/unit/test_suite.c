/* A suite is a list of lines: what is read of each, and every mistake with its place. */
#include "script/suite.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct suite *accepted(const char *text)
{
    struct lang_remarks remarks = {0};
    struct suite *suite = NULL;
    struct text said;
    text_init(&said);
    int rc = suite_parse("night.suite", text, strlen(text), &suite, &remarks);
    lang_remarks_text(&remarks, &said);
    if (rc != 0 || said.len > 0)
        fail_msg("%s", said.s);
    text_fini(&said);
    lang_remarks_fini(&remarks);
    return suite;
}

static void assert_refused_of(const char *text, size_t len, const char *want)
{
    struct lang_remarks remarks = {0};
    struct suite *suite = NULL;
    struct text said;
    text_init(&said);
    assert_int_equal(suite_parse("night.suite", text, len, &suite, &remarks), -EINVAL);
    assert_null(suite);
    lang_remarks_text(&remarks, &said);
    assert_string_equal(said.s, want);
    text_fini(&said);
    lang_remarks_fini(&remarks);
}

static void assert_refused(const char *text, const char *want)
{
    assert_refused_of(text, strlen(text), want);
}

static void a_line_is_a_workload_and_what_is_said_of_it(void **state)
{
    (void)state;
    struct suite *suite = accepted("# a night\n\n"
                                   "varmail nfiles=1000 time=5m warmup=10s repeat=3 dialect=sun\r\n"
                                   "  ./mine.f # the same again\n"
                                   "oltp $time=7 filesize=1.5m time=60");
    assert_int_equal(suite->lines, 3);
    const struct suite_line *line = suite->line;
    assert_string_equal(line[0].workload, "varmail");
    assert_int_equal(line[0].at.line, 3);
    assert_int_equal(line[0].ask.said, SUITE_TIME | SUITE_WARMUP | SUITE_REPEAT | SUITE_DIALECT);
    assert_int_equal(line[0].ask.time_ns, 300000000000);
    assert_int_equal(line[0].ask.warmup_ns, 10000000000);
    assert_int_equal(line[0].ask.repeats, 3);
    assert_int_equal(line[0].ask.dialect, SCRIPT_DIALECT_SUN);
    assert_int_equal(line[0].sets, 1);
    assert_string_equal(line[0].set[0].text, "nfiles=1000");
    assert_string_equal(line[1].workload, "./mine.f");
    assert_int_equal(line[1].at.column, 3);
    assert_int_equal(line[1].ask.said, 0);
    assert_int_equal(line[1].sets, 0);
    assert_int_equal(line[2].ask.said, SUITE_TIME);
    assert_int_equal(line[2].ask.time_ns, 60000000000);
    assert_int_equal(line[2].sets, 2);
    assert_string_equal(line[2].set[0].text, "time=7");
    assert_string_equal(line[2].set[1].text, "filesize=1.5m");
    assert_int_equal(line[2].set[1].at.column, 14);
    suite_free(suite);
}

static void quotes_hold_blanks_and_hashes(void **state)
{
    (void)state;
    struct suite *suite = accepted("\"my mail.f\" text=\"a # b\" x=# y=a#b\n");
    assert_string_equal(suite->line[0].workload, "my mail.f");
    assert_int_equal(suite->line[0].sets, 3);
    assert_string_equal(suite->line[0].set[0].text, "text=a # b");
    assert_string_equal(suite->line[0].set[1].text, "x=#");
    assert_string_equal(suite->line[0].set[2].text, "y=a#b");
    suite_free(suite);
}

static void mistakes_are_told_all_at_once(void **state)
{
    (void)state;
    assert_refused(
        "nfiles=3 time=1\nvarmail time=0 repeat=1.5 dialect=2001\n\noltp x y=1 y=2 time=1 time=1\n",
        "night.suite:1:1: error: \"nfiles=3\": a workload was expected as the first word of a "
        "line\n"
        "night.suite:2:9: error: time=0: a time from 1ms to 7d was expected\n"
        "night.suite:2:16: error: repeat=1.5: a whole number from 1 to 1000 was expected\n"
        "night.suite:2:27: error: dialect=2001: auto, sun, 1.4 or 1.5 was expected\n"
        "night.suite:4:6: error: \"x\": name=value was expected\n"
        "night.suite:4:12: error: y is there twice: once was expected\n"
        "night.suite:4:23: error: time is there twice: once was expected\n");
    assert_refused(
        "varmail repeat=1001 warmup=2d time=8d",
        "night.suite:1:9: error: repeat=1001: a whole number from 1 to 1000 was expected\n"
        "night.suite:1:21: error: warmup=2d: a time up to 1d was expected\n"
        "night.suite:1:31: error: time=8d: a time from 1ms to 7d was expected\n");
}

static void what_is_no_line_is_refused(void **state)
{
    (void)state;
    static const char none[] = "night.suite:1:1: error: nothing to run: a line such as \"varmail "
                               "nfiles=1000 time=60s\" was expected\n";
    assert_refused("", none);
    assert_refused("# varmail\n\n", none);
    assert_refused("varmail x=\"a\noltp y\n",
                   "night.suite:1:11: error: a text without end: a second \" was expected in this "
                   "line\n"
                   "night.suite:2:6: error: \"y\": name=value was expected\n");
    assert_refused_of("a b\0c", 5,
                      "night.suite:1:4: error: a byte of value 0: text was expected\n");
    assert_refused("\"\" x=1",
                   "night.suite:1:1: error: \"\": a workload was expected as the first word of a "
                   "line\n");
}

static void too_many_are_refused(void **state)
{
    (void)state;
    struct text text;
    text_init(&text);
    for (unsigned i = 0; i < SUITE_LINES_MAX; i++)
        text_add(&text, "a\n");
    suite_free(accepted(text.s));
    text_add(&text, "a\n");
    assert_refused(text.s,
                   "night.suite:1001:1: error: a workload too many: at most 1000 were expected\n");
    text_clear(&text);
    text_add(&text, "a");
    for (unsigned i = 0; i < SUITE_SETS_MAX; i++)
        text_addf(&text, " x%u=", i);
    suite_free(accepted(text.s));
    text_add(&text, "\ny");
    suite_free(accepted(text.s));
    text_fini(&text);
}

static void what_is_said_over_it_holds(void **state)
{
    (void)state;
    const struct suite_ask line = {SUITE_TIME | SUITE_WARMUP | SUITE_DIALECT, 1, 2, 0,
                                   SCRIPT_DIALECT_SUN};
    const struct suite_ask over = {SUITE_WARMUP | SUITE_REPEAT | SUITE_DIALECT, 0, 0, 5,
                                   SCRIPT_DIALECT_AUTO};
    const struct suite_ask both = suite_ask_over(&line, &over);
    assert_int_equal(both.said, SUITE_TIME | SUITE_WARMUP | SUITE_REPEAT | SUITE_DIALECT);
    assert_int_equal(both.time_ns, 1);
    assert_int_equal(both.warmup_ns, 0);
    assert_int_equal(both.repeats, 5);
    assert_int_equal(both.dialect, SCRIPT_DIALECT_AUTO);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_line_is_a_workload_and_what_is_said_of_it),
    cmocka_unit_test(quotes_hold_blanks_and_hashes),
    cmocka_unit_test(mistakes_are_told_all_at_once),
    cmocka_unit_test(what_is_no_line_is_refused),
    cmocka_unit_test(too_many_are_refused),
    cmocka_unit_test(what_is_said_over_it_holds),
};

int main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}
