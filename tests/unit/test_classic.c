/* report.h: the classic arithmetic reproduces the 160 published rows, and its form is that of the
 * posts. */
#include "report/report.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ROWS  160
#define FILES 5376

struct published {
    char system[32];
    char test[16];
    unsigned long long length_bytes;
    char space[32];
    unsigned long long elapsed_ms;
    unsigned long long kib_per_s;
};

static FILE *open_published(void)
{
    char path[PATH_MAX];
    const char *slash = strrchr(__FILE__, '/');
    FILE *file;

    snprintf(path, sizeof path, "%.*s/../../data/dirtest-2001.csv", (int)(slash - __FILE__),
             __FILE__);
    file = fopen(path, "r");
    if (!file)
        fail_msg("cannot open %s", path);
    return file;
}

static bool next_row(FILE *file, struct published *row)
{
    char line[256];

    if (!fgets(line, sizeof line, file))
        return false;
    assert_int_equal(6,
                     sscanf(line, "%31[^,],%15[^,],%llu,%31[^,],%llu,%llu", row->system, row->test,
                            &row->length_bytes, row->space, &row->elapsed_ms, &row->kib_per_s));
    return true;
}

static FILE *first_row(struct published *row)
{
    FILE *file = open_published();
    char head[256];

    assert_non_null(fgets(head, sizeof head, file));
    assert_true(next_row(file, row));
    return file;
}

static void space_and_throughput_of_all_published_rows(void **state)
{
    struct published row;
    FILE *file = first_row(&row);
    unsigned rows = 0;

    (void)state;
    do {
        char space[48];

        report_classic_space(space, sizeof space, FILES, row.length_bytes);
        assert_string_equal(row.space, space);
        assert_int_equal(row.kib_per_s,
                         report_classic_kib_per_s(FILES, row.length_bytes, row.elapsed_ms));
        rows++;
    } while (next_row(file, &row));
    fclose(file);
    assert_int_equal(ROWS, rows);
}

static struct result *result_of(const struct published *row)
{
    struct result *r = result_new();

    assert_non_null(r);
    snprintf(r->study_id, sizeof r->study_id, "k2001");
    snprintf(r->study, sizeof r->study, "dirtest");
    snprintf(r->phase, sizeof r->phase, strcmp(row->test, "dirtest") == 0 ? "write" : "read");
    r->passes = 1;
    r->files = FILES;
    r->bytes = FILES * row->length_bytes;
    /* Close to the next millisecond: whole ones are cut, not rounded. */
    r->elapsed_ns = row->elapsed_ms * 1000000 + 999999;
    assert_int_equal(0,
                     result_fact_putf(&r->options, "length_bytes", "B", "%llu", row->length_bytes));
    return r;
}

/* The last line of text that says anything. */
static const char *last_line(const char *s, char *buf, size_t room)
{
    size_t end = strlen(s), start;

    while (end > 0 && s[end - 1] == '\n')
        end--;
    start = end;
    while (start > 0 && s[start - 1] != '\n')
        start--;
    snprintf(buf, room, "%.*s", (int)(end - start), s + start);
    return buf;
}

/* Every published row, through a result and the printed form, comes out with the numbers as
 * published. */
static void rows_are_printed_as_published(void **state)
{
    const struct report_style style = {.format = REPORT_TEXT, .classic = true};
    struct published row;
    FILE *file = first_row(&row);
    unsigned rows = 0;

    (void)state;
    do {
        struct result *r = result_of(&row);
        struct text out;
        char line[256], space[32];
        unsigned long long length, ms, kib;

        /* Rows of the write phase are printed as they come, those of reads in the foot. */
        text_init(&out);
        report_tree_row(&out, &r, 1, &style);
        if (strcmp(row.test, "readtest") == 0)
            assert_string_equal("", out.s);
        snprintf(r->study, sizeof r->study, "%s", row.test);
        text_clear(&out);
        report_tree_row(&out, &r, 1, &style);
        assert_false(out.failed);
        assert_int_equal(4, sscanf(last_line(out.s, line, sizeof line), "%llu %31s %llu %llu",
                                   &length, space, &ms, &kib));
        assert_int_equal(row.length_bytes, length);
        assert_string_equal(row.space, space);
        assert_int_equal(row.elapsed_ms, ms);
        assert_int_equal(row.kib_per_s, kib);
        text_fini(&out);
        result_free(r);
        rows++;
    } while (next_row(file, &row));
    fclose(file);
    assert_int_equal(ROWS, rows);
}

static void throughput_is_cut_and_never_divides_by_zero(void **state)
{
    (void)state;
    assert_int_equal(0, report_classic_kib_per_s(FILES, 1024, 0));
    assert_int_equal(1, report_classic_kib_per_s(1, 1024, 501));
    assert_int_equal(999, report_classic_kib_per_s(1, 1024 * 1000 - 1, 1000));
    /* files · length · 1000 does not fit 64 bits here. */
    assert_int_equal(1000ull << 44, report_classic_kib_per_s(1ull << 30, 1ull << 24, 1));
}

static void space_is_exact(void **state)
{
    char buf[48];

    (void)state;
    report_classic_space(buf, sizeof buf, 1, 1);
    assert_string_equal("0.0009765625", buf);
    report_classic_space(buf, sizeof buf, 10, 1024);
    assert_string_equal("10", buf);
    report_classic_space(buf, sizeof buf, 100, 10240);
    assert_string_equal("1000", buf);
    report_classic_space(buf, sizeof buf, 0, 5);
    assert_string_equal("0", buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(space_and_throughput_of_all_published_rows),
        cmocka_unit_test(rows_are_printed_as_published),
        cmocka_unit_test(throughput_is_cut_and_never_divides_by_zero),
        cmocka_unit_test(space_is_exact),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
