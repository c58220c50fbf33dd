/* target/dev_dir.h: nothing is made under /dev by a typing error, by whatever way the path gets there. */
#include "target/dev_dir.h"

#include "target/catalog.h"
#include "target/target.h"

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct err err;

static void expect(const char *path, int code, const char *words)
{
    err = (struct err){0};
    if (dev_dir_refuse(path, &err) != code)
        fail_msg("%s: %d %s", path, err.code, err.text);
    if (words[0] == '\0')
        assert_int_equal(err.code, 0);
    else if (strstr(err.text, words) == NULL || strstr(err.text, path) == NULL)
        fail_msg("'%s' does not say '%s'", err.text, words);
}

static void what_is_not_there_is_refused(void **state)
{
    (void)state;
    expect("/dev/no-such-device", -ENOENT, "there is no device /dev/no-such-device");
    expect("/dev/no/such/device", -ENOENT, "no file or directory is made under /dev");
    expect("/dev/../dev/no-such-device", -ENOENT, "there is no device");
    expect("/dev/shmm", -ENOENT, "there is no device");
}

static void what_is_there_is_refused_too(void **state)
{
    (void)state;
    expect("/dev", -EPERM, "lies in the directory of devices");
    expect("/dev/", -EPERM, "lies in the directory of devices");
    expect("/dev/null", -EPERM, "lies in the directory of devices");
}

static void elsewhere_nothing_is_refused(void **state)
{
    (void)state;
    expect("/", 0, "");
    expect("/tmp", 0, "");
    expect("/tmp/no/such/place", 0, "");
    expect("/device", 0, "");
    expect("/developer/x", 0, "");
    expect("/dev/shm", 0, "");
    expect("/dev/shm/no-such-thing", 0, "");
    expect("/dev/pts", 0, ""); /* a mount of its own */
    expect("", 0, "");
    expect("no-such-thing", 0, "");
    expect("no/such/thing", 0, "");
}

/* Relative to where one stands, and through links. */
static void ways_round_are_none(void **state)
{
    char here[PATH_MAX];
    char link[] = "dev-dir-XXXXXX";
    char path[64];

    (void)state;
    assert_non_null(getcwd(here, sizeof here));
    assert_non_null(mkdtemp(link));
    assert_int_equal(rmdir(link), 0);
    assert_int_equal(symlink("/dev", link), 0);
    snprintf(path, sizeof path, "%s/no-such-device", link);
    expect(path, -ENOENT, "there is no device");
    expect(link, -EPERM, "lies in the directory of devices");
    assert_int_equal(unlink(link), 0);
    assert_int_equal(chdir("/dev"), 0);
    expect("no-such-device", -ENOENT, "there is no device");
    assert_int_equal(chdir(here), 0);
}

static void expect_no_target(const char *address, int code, const char *words)
{
    const struct target_table *table;
    struct target *t = NULL;
    const char *rest;

    err = (struct err){0};
    assert_int_equal(target_find(address, &table, &rest, &err), 0);
    assert_int_equal(table->open(rest, &t, &err), code);
    assert_null(t);
    if (strstr(err.text, words) == NULL)
        fail_msg("'%s' does not say '%s'", err.text, words);
}

/* Whether a directory or a device was meant. */
static void no_target_lies_there(void **state)
{
    (void)state;
    expect_no_target("/dev/no-such-device", -ENOENT, "there is no device /dev/no-such-device");
    expect_no_target("dev:/dev/no-such-device", -ENOENT, "there is no device /dev/no-such-device");
    expect_no_target("/dev", -EPERM, "no file or directory is made under /dev");
    expect_no_target("posix:/dev", -EPERM, "no file or directory is made under /dev");
    assert_int_equal(access("/dev/no-such-device", F_OK), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_there_is_refused),
        cmocka_unit_test(what_is_there_is_refused_too),
        cmocka_unit_test(elsewhere_nothing_is_refused),
        cmocka_unit_test(ways_round_are_none),
        cmocka_unit_test(no_target_lies_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
