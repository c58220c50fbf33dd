/* target/posix_backing.c: which devices are this machine's memory, told from a tree like /sys. */
#include "target/posix_priv.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

static char sys_dir[64];

static const char *in_sys(const char *name)
{
    static char path[256];

    snprintf(path, sizeof path, "%s/%s", sys_dir, name);
    return path;
}

static void add_file(const char *name, const char *text)
{
    FILE *file = fopen(in_sys(name), "w");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void add_dir(const char *name)
{
    assert_int_equal(mkdir(in_sys(name), 0700), 0);
}

static void add_link(const char *name, const char *to)
{
    assert_int_equal(symlink(to, in_sys(name)), 0);
}

/* As recorded: a disk 8:0 with a partition, loop devices with and without direct I/O and one of an
 * old kernel, zram, brd; dm-0 on the partition, dm-1 on the loop device, md5 on the disk and dm-1. */
static int sys_setup(void **state)
{
    static const char *const dirs[] = {"dev",
                                       "dev/block",
                                       "block",
                                       "block/sda",
                                       "block/sda/sda1",
                                       "block/loop0",
                                       "block/loop0/loop",
                                       "block/loop1",
                                       "block/loop1/loop",
                                       "block/loop2",
                                       "block/zram0",
                                       "block/ram3",
                                       "block/rambo",
                                       "block/dm-0",
                                       "block/dm-0/slaves",
                                       "block/dm-1",
                                       "block/dm-1/slaves",
                                       "block/md5",
                                       "block/md5/slaves",
                                       "block/loop0/slaves"};
    static const char *const links[][2] = {
        {"dev/block/8:0", "../../block/sda"},       {"dev/block/8:1", "../../block/sda/sda1"},
        {"dev/block/7:0", "../../block/loop0"},     {"dev/block/7:1", "../../block/loop1"},
        {"dev/block/7:2", "../../block/loop2"},     {"dev/block/252:0", "../../block/zram0"},
        {"dev/block/1:3", "../../block/ram3"},      {"dev/block/1:4", "../../block/rambo"},
        {"dev/block/253:0", "../../block/dm-0"},    {"dev/block/253:1", "../../block/dm-1"},
        {"dev/block/9:5", "../../block/md5"},       {"block/dm-0/slaves/sda1", "../../sda/sda1"},
        {"block/dm-1/slaves/loop0", "../../loop0"}, {"block/md5/slaves/sda", "../../sda"},
        {"block/md5/slaves/dm-1", "../../dm-1"},
    };

    (void)state;
    snprintf(sys_dir, sizeof sys_dir, "/tmp/loadline-sys-XXXXXX");
    assert_non_null(mkdtemp(sys_dir));
    for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++)
        add_dir(dirs[i]);
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        add_link(links[i][0], links[i][1]);
    add_file("block/sda/sda1/partition", "1\n");
    add_file("block/loop0/loop/dio", "0\n");
    add_file("block/loop1/loop/dio", "1\n");
    return 0;
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    (void)st;
    (void)flag;
    (void)ftw;
    return remove(path);
}

static int sys_teardown(void **state)
{
    (void)state;
    return nftw(sys_dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void expect_backed(unsigned major_number, unsigned minor_number, const char *by)
{
    char buf[64] = "";
    bool backed = posix_backed_by(sys_dir, makedev(major_number, minor_number), buf, sizeof buf);

    assert_int_equal(backed, by != NULL);
    assert_string_equal(buf, by ? by : "");
}

static void memory_is_found_below_devices(void **state)
{
    (void)state;
    expect_backed(7, 0, "page cache of this machine (loop0)");
    expect_backed(7, 2, "page cache of this machine (loop2)");
    expect_backed(252, 0, "memory of this machine (zram0)");
    expect_backed(1, 3, "memory of this machine (ram3)");
    expect_backed(253, 1, "page cache of this machine (loop0)");
    expect_backed(9, 5, "page cache of this machine (loop0)");
}

static void other_devices_are_not_suspected(void **state)
{
    (void)state;
    expect_backed(8, 0, NULL);
    expect_backed(8, 1, NULL);
    expect_backed(7, 1, NULL); /* losetup --direct-io=on */
    expect_backed(1, 4, NULL);
    expect_backed(253, 0, NULL);
    expect_backed(99, 0, NULL); /* not there */
}

/* A loop device was believed where a container had no /sys. */
static void without_sys_no_device_is_vouched_for(void **state)
{
    char buf[64] = "";

    (void)state;
    assert_true(posix_backed_by("/proc/self/nothing", makedev(7, 0), buf, sizeof buf));
    assert_string_equal(buf, "something that only /sys could name");
    assert_false(posix_backed_by("/proc/self/nothing", makedev(0, 40), buf, sizeof buf));
}

/* Devices cannot be made of themselves, but what is read is not ours to trust. */
static void a_circle_of_devices_ends(void **state)
{
    (void)state;
    add_link("block/dm-0/slaves/dm-0", "../../dm-0");
    expect_backed(253, 0, NULL);
}

#define sys_test(f) cmocka_unit_test_setup_teardown(f, sys_setup, sys_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        sys_test(memory_is_found_below_devices),
        sys_test(other_devices_are_not_suspected),
        cmocka_unit_test(without_sys_no_device_is_vouched_for),
        sys_test(a_circle_of_devices_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
