/* report/limits_published.h: what was published in 2009 as it stands in data/, and files of others. */
#include "report/limits_published.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void the_rows_of_2009_are_there(void **state)
{
    struct limits_published *p = calloc(1, sizeof *p);

    (void)state;
    assert_non_null(p);
    assert_true(limits_published_find("2009-barcelona", p));
    assert_int_equal(p->n, 11);
    const struct limits_published_row *row = limits_published_get(p, "nfs", "stream-write-disk");
    assert_non_null(row);
    assert_true(row->low == 563.0 * 1048576 && row->high == row->low && !row->about);
    row = limits_published_get(p, "nfs", "read-512-flash");
    assert_non_null(row);
    assert_true(row->low == 128000 && row->high == 260000);
    row = limits_published_get(p, "smb", "stream-read-cache");
    assert_non_null(row);
    assert_true(row->about);
    assert_null(limits_published_get(p, "nfs-rdma", "stream-read-cache"));
    free(p);
}

/* A row whose columns name none of limits would never be printed. */
static void every_row_has_a_place_in_the_ladder(void **state)
{
    struct limits_published *p = calloc(1, sizeof *p);
    unsigned all = 0;

    (void)state;
    assert_non_null(p);
    for (unsigned i = 0; limits_published_name(i); i++) {
        assert_true(limits_published_find(limits_published_name(i), p));
        for (unsigned k = 0; k < p->n; k++)
            assert_true(p->row[k].row[0] != '\0');
        all += p->n;
    }
    assert_int_equal(all, limits_shipped_rows);
    assert_int_equal(all, 19);
    free(p);
}

static void a_model_has_the_numbers_of_its_original(void **state)
{
    struct limits_published *p = calloc(1, sizeof *p);

    (void)state;
    assert_non_null(p);
    assert_true(limits_published_find("sun7410-istanbul", p));
    assert_string_equal(p->name, "2009-istanbul");
    assert_non_null(limits_published_get(p, "nfs-rdma", "stream-read-disk"));
    assert_false(limits_published_find("nvme-local", p));
    assert_false(limits_published_find("", p));
    free(p);
}

static void a_file_gives_its_rows(void **state)
{
    struct limits_published *p = calloc(1, sizeof *p);
    struct err err = {0};

    (void)state;
    assert_non_null(p);
    assert_int_equal(limits_published_parse("x.csv",
                                            "protocol,row,unit,low,high\r\n# a remark\n\n"
                                            "local,read-4k-disk,IOPS,1e6,1.2e6\n"
                                            "nfs, create, IOPS,900,900",
                                            p, &err),
                     0);
    assert_int_equal(p->n, 2);
    assert_true(limits_published_get(p, "local", "read-4k-disk")->high == 1.2e6);
    assert_non_null(limits_published_get(p, "nfs", "create"));
    free(p);
}

static void what_is_wrong_is_named_by_its_line(void **state)
{
    static const struct {
        const char *text;
        const char *words;
    } wrong[] = {
        {"", "holds no row"},
        {"protocol,row,unit,low,high\n", "holds no row"},
        {"nfs,create,IOPS,900", "line 1: not five fields"},
        {"nfs,create,IOPS,900,900,9", "line 1: not five fields"},
        {"nfs,create,,900,900", "line 1: not five fields"},
        {"#\nnfs,create,MB/s,900,900", "line 2: the unit is none of"},
        {"nfs,create,IOPS,nan,900", "line 1: low and high"},
        {"nfs,create,IOPS,0x9,900", "line 1: low and high"},
        {"nfs,create,IOPS,1,1e999", "line 1: low and high"},
        {"nfs,create,IOPS,900,800", "line 1: low and high"},
        {"nfs,create,IOPS,0,0", "line 1: low and high"},
        {"abcdefghijklmnopq,create,IOPS,1,1", "line 1: no protocol or row"},
    };
    struct limits_published *p = calloc(1, sizeof *p);

    (void)state;
    assert_non_null(p);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct err err = {0};

        assert_int_equal(limits_published_parse("x.csv", wrong[i].text, p, &err), -EINVAL);
        if (!strstr(err.text, wrong[i].words))
            fail_msg("\"%s\": %s", wrong[i].text, err.text);
    }
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rows_of_2009_are_there),
        cmocka_unit_test(every_row_has_a_place_in_the_ladder),
        cmocka_unit_test(a_model_has_the_numbers_of_its_original),
        cmocka_unit_test(a_file_gives_its_rows),
        cmocka_unit_test(what_is_wrong_is_named_by_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
