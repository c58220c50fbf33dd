/* base/flowop.h: the names of the workload language, and what each counts as (specs 11). */
#include "base/flowop.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void assert_class(enum flowop_class counts_as, const char *const *name)
{
    for (; *name; name++) {
        assert_non_null(flowop_find(*name));
        assert_true(strlen(*name) < FLOWOP_NAME_MAX);
        assert_int_equal(flowop_class(*name), counts_as);
    }
}

static void every_name_has_its_class(void **state)
{
    (void)state;
    assert_class(FLOWOP_IO,
                 (const char *const[]){"openfile", "createfile", "closefile", "deletefile",
                                       "statfile", "fsync", "fsyncset", "read", "readwholefile",
                                       "write", "writewholefile", "appendfile", "appendfilerand",
                                       "listdir", "makedir", "removedir", NULL});
    assert_class(FLOWOP_AIO, (const char *const[]){"aiowrite", "aiowait", NULL});
    assert_class(FLOWOP_SYNC,
                 (const char *const[]){"block", "wakeup", "semblock", "sempost", NULL});
    assert_class(FLOWOP_OTHER,
                 (const char *const[]){"hog", "delay", "eventlimit", "iopslimit", "opslimit",
                                       "bwlimit", "finishoncount", "finishonbytes", "print",
                                       "testrandvar", "composite", "done", NULL});
}

static void some_read_and_some_write(void **state)
{
    (void)state;
    static const char *const writes[] = {"write", "writewholefile", "appendfile", "appendfilerand",
                                         "aiowrite"};
    assert_true(flowop_reads("read"));
    assert_true(flowop_reads("readwholefile"));
    assert_false(flowop_writes("read"));
    for (unsigned i = 0; i < sizeof writes / sizeof writes[0]; i++) {
        assert_true(flowop_writes(writes[i]));
        assert_false(flowop_reads(writes[i]));
    }
    assert_false(flowop_reads("listdir"));
    assert_false(flowop_writes("createfile"));
    assert_false(flowop_writes("done"));
}

static void an_unknown_one_counts_and_moves_nothing(void **state)
{
    (void)state;
    assert_null(flowop_find("frobnicate"));
    assert_int_equal(flowop_class("frobnicate"), FLOWOP_IO);
    assert_false(flowop_reads("frobnicate"));
    assert_false(flowop_writes(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_name_has_its_class),
        cmocka_unit_test(some_read_and_some_write),
        cmocka_unit_test(an_unknown_one_counts_and_moves_nothing),
    };
    return cmocka_run_group_tests_name("flowop", tests, NULL, NULL);
}
