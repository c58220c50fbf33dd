/* report.h: what a row of a tree table says of all its repeats, and how it is marked. */
#include "report/report.h"

#include "golden/results_by_hand.h"

static const struct report_style table = {.format = REPORT_TEXT};
static const struct report_style classic = {.format = REPORT_TEXT, .classic = true};

/* The line of `s` that begins with `words`; fails when there is none. */
static void line_with(const char *s, const char *words, char *buf, size_t room)
{
    const char *at = strstr(s, words);

    if (!at)
        fail_msg("no line with \"%s\" in\n%s", words, s);
    snprintf(buf, room, "%.*s", (int)strcspn(at, "\n"), at);
}

static void expect_end(const char *s, const char *words, const char *end)
{
    char line[256];

    line_with(s, words, line, sizeof line);
    if (strlen(line) < strlen(end) || strcmp(line + strlen(line) - strlen(end), end) != 0)
        fail_msg("\"%s\" does not end in \"%s\"", line, end);
}

/* More than 2 % from memory ends in RAM, 2 % does not; tmpfs does. */
static void a_row_from_memory_ends_in_ram(void **state)
{
    struct hand hand = {0};
    struct text out;

    (void)state;
    hand_tree_read(&hand, 4096, 4, 9000000, 3);
    hand_tree_read(&hand, 8192, 4, 9000000, 2);
    hand_tree_read(&hand, 16384, 4, 9000000, 0);
    snprintf(hand.result[2]->cache.mode, sizeof hand.result[2]->cache.mode, "ram");
    hand_print(&out, &hand, &table);
    expect_end(out.s, "4 KiB read", " RAM");
    expect_end(out.s, "8 KiB read", " 4");
    expect_end(out.s, "16 KiB read", " RAM");
    text_fini(&out);
    hand_free(&hand);
}

/* One repeat of three from memory is not averaged away. */
static void the_worst_repeat_marks_the_row(void **state)
{
    struct hand hand = {0};
    struct text out;

    (void)state;
    for (unsigned i = 0; i < 3; i++)
        hand_tree_read(&hand, 4096, 4, 9000000, i == 1 ? 3 : 0);
    hand_print(&out, &hand, &table);
    expect_end(out.s, "4 KiB read", "3.0%  4 RAM");
    text_fini(&out);
    hand_free(&hand);
}

/* Bytes that were not read were not compared: a row with errors does not claim "verified". */
static void verified_is_said_only_of_clean_rows(void **state)
{
    struct hand hand = {0};
    struct text out;

    (void)state;
    hand_tree_read(&hand, 4096, 4, 9000000, 0)->verified = true;
    hand_tree_read(&hand, 8192, 4, 9000000, 0)->verified = true;
    hand_error(hand.result[1], "read", "EIO", 1, "f");
    hand_print(&out, &hand, &table);
    expect_end(out.s, "4 KiB read", " verified");
    expect_end(out.s, "8 KiB read", " 4 ERR");
    text_fini(&out);
    hand_free(&hand);
}

/* A stopped repeat is not averaged with complete ones. */
static void means_are_of_complete_repeats(void **state)
{
    struct hand hand = {0};
    struct text out;
    char line[256];

    (void)state;
    hand_tree_read(&hand, 4096, 1, 900000000, 0)->state = RESULT_INCOMPLETE;
    hand_tree_read(&hand, 4096, 1, 100000000, 0);
    hand_tree_read(&hand, 4096, 1, 100000000, 0);
    hand_print(&out, &hand, &table);
    line_with(out.s, "4 KiB read", line, sizeof line);
    assert_non_null(strstr(line, " 100 "));
    expect_end(out.s, "4 KiB read", " 1 INC");
    text_fini(&out);
    hand_free(&hand);
}

/* Of several repeats the classic form prints the median one, not a mean. */
static void classic_prints_the_median_repeat(void **state)
{
    static const uint64_t tree_ns[] = {900999999, 100000000, 104999999};
    struct hand hand = {0};
    struct text out;

    (void)state;
    for (unsigned i = 0; i < 3; i++)
        hand_tree_write(&hand, 1024, 3, tree_ns[i]);
    text_init(&out);
    report_tree_row(&out, hand.result, 3, &classic);
    assert_string_equal("       1024         5376              104                   51692\n",
                        out.s);
    text_fini(&out);
    hand_free(&hand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_from_memory_ends_in_ram),
        cmocka_unit_test(the_worst_repeat_marks_the_row),
        cmocka_unit_test(verified_is_said_only_of_clean_rows),
        cmocka_unit_test(means_are_of_complete_repeats),
        cmocka_unit_test(classic_prints_the_median_repeat),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
