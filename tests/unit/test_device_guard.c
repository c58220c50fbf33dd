/* What speaks against writing to a device, in recorded trees of /sys and /proc: a disk sda 8:0 with the
 * partitions sda1 8:1 and sda2 8:2, and a disk sdb 8:16 without any. */
#include "target/device_priv.h"

#include <errno.h>
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

struct recorded {
    char dir[64];
    char sys[80];
    char proc[80];
};

static void make_dirs(const struct recorded *r, const char *path)
{
    char full[256];
    size_t n = strlen(r->dir);

    snprintf(full, sizeof full, "%s/%s", r->dir, path);
    for (char *at = full + n + 1; (at = strchr(at, '/')) != NULL; at++) {
        *at = '\0';
        assert_true(mkdir(full, 0777) == 0 || errno == EEXIST);
        *at = '/';
    }
}

static void put_file(const struct recorded *r, const char *path, const char *text)
{
    char full[256];
    FILE *file;

    make_dirs(r, path);
    snprintf(full, sizeof full, "%s/%s", r->dir, path);
    file = fopen(full, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void put_device(const struct recorded *r, const char *path, const char *number)
{
    char full[256];
    char link[256];
    char to[128];

    snprintf(full, sizeof full, "sys/devices/%s/holders/", path);
    make_dirs(r, full);
    snprintf(full, sizeof full, "sys/devices/%s/dev", path);
    put_file(r, full, number);
    if (strchr(path, '/') != NULL) {
        snprintf(full, sizeof full, "sys/devices/%s/partition", path);
        put_file(r, full, "1\n");
    }
    make_dirs(r, "sys/dev/block/");
    snprintf(link, sizeof link, "%s/sys/dev/block/%.*s", r->dir, (int)strcspn(number, "\n"),
             number);
    snprintf(to, sizeof to, "../../devices/%s", path);
    assert_int_equal(symlink(to, link), 0);
}

static int setup(void **state)
{
    struct recorded *r = calloc(1, sizeof *r);

    assert_non_null(r);
    snprintf(r->dir, sizeof r->dir, "device-guard-XXXXXX");
    assert_non_null(mkdtemp(r->dir));
    snprintf(r->sys, sizeof r->sys, "%s/sys", r->dir);
    snprintf(r->proc, sizeof r->proc, "%s/proc", r->dir);
    put_device(r, "sda", "8:0\n");
    put_device(r, "sda/sda1", "8:1\n");
    put_device(r, "sda/sda2", "8:2\n");
    put_device(r, "sdb", "8:16\n");
    put_file(r, "proc/self/mountinfo",
             "22 1 253:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n"
             "23 22 0:20 / /proc rw - proc proc rw\n");
    put_file(r, "proc/1/mountinfo", "22 1 253:0 / / rw shared:1 - ext4 /dev/vda rw\n");
    put_file(r, "proc/swaps",
             "Filename\tType\tSize\tUsed\tPriority\n"
             "/var/swap file 1024 0 -2\n");
    *state = r;
    return 0;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *where)
{
    (void)st, (void)type, (void)where;
    return remove(path);
}

static int teardown(void **state)
{
    struct recorded *r = *state;

    nftw(r->dir, remove_entry, 16, FTW_PHYS | FTW_DEPTH);
    free(r);
    return 0;
}

static int guard(const struct recorded *r, unsigned minor_number, struct err *err)
{
    const struct device_world world = {.sys = r->sys, .proc = r->proc, .self = 99};
    struct device_family *family = NULL;
    int rc;

    *err = (struct err){0};
    rc = device_family_new(&world, "/dev/name", makedev(8, minor_number), &family, err);
    if (rc == 0)
        rc = device_guard(family, err);
    if (rc == 0)
        rc = device_use(family, err);
    free(family);
    return rc;
}

static void expect_free(const struct recorded *r, unsigned minor_number)
{
    struct err err;

    if (guard(r, minor_number, &err) != 0)
        fail_msg("%s", err.text);
}

static void expect_refused(const struct recorded *r, unsigned minor_number, const char *words)
{
    struct err err;

    assert_int_equal(guard(r, minor_number, &err), -EBUSY);
    if (strstr(err.text, words) == NULL || strstr(err.text, "/dev/name") == NULL)
        fail_msg("'%s' does not say '%s'", err.text, words);
}

static void what_nobody_uses_is_free(void **state)
{
    expect_free(*state, 0);
    expect_free(*state, 1);
    expect_free(*state, 16);
}

/* A mount of a partition is one of its disk, and not of the partition beside it. */
static void a_mount_is_found(void **state)
{
    const struct recorded *r = *state;

    put_file(r, "proc/self/mountinfo",
             "22 1 253:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n"
             "40 22 8:2 / /home\\040of rw,nosuid shared:2 master:1 - ext4 /dev/sda2 rw\n");
    expect_refused(r, 0, "sda2 is mounted on /home of");
    expect_refused(r, 2, "it is mounted on /home");
    expect_free(r, 1);
    expect_free(r, 16);
}

/* Of a container, say: our own list does not have it. */
static void a_mount_of_another_name_space_is_found(void **state)
{
    const struct recorded *r = *state;

    put_file(r, "proc/4711/mountinfo", "50 1 8:16 /sub /data rw - xfs /dev/sdb rw\n");
    expect_refused(r, 16, "it is mounted on /data (as process 4711 sees it)");
    expect_free(r, 0);
}

/* A file system of several devices has a number of its own, and one of them as its source. */
static void a_mount_is_found_by_its_source(void **state)
{
    const struct recorded *r = *state;

    put_file(r, "proc/1/mountinfo",
             "50 1 0:45 / /pool rw - btrfs /dev/sda1 rw\n"
             "51 1 0:46 / /nfs rw - nfs server:/dev/sdb rw\n"
             "52 1 0:47 / /odd rw - tmpfs sdb rw\n");
    expect_refused(r, 0, "sda1 is mounted on /pool");
    expect_free(r, 16);
}

static void swap_is_found(void **state)
{
    const struct recorded *r = *state;

    put_file(r, "proc/swaps",
             "Filename\tType\tSize\tUsed\tPriority\n"
             "/dev/sda1                   partition\t1024\t0\t-2\n");
    expect_refused(r, 0, "sda1 is swap in use");
    expect_refused(r, 1, "it is swap in use");
    expect_free(r, 2);
}

/* LVM, md, dm-crypt, ZFS on dm: whoever holds it has a link there. */
static void a_holder_is_found(void **state)
{
    const struct recorded *r = *state;

    put_file(r, "sys/devices/sda/sda2/holders/dm-3", "");
    expect_refused(r, 0, "sda2 is part of dm-3");
    expect_refused(r, 2, "it is part of dm-3");
    expect_free(r, 1);
    put_file(r, "sys/devices/sdb/holders/md127", "");
    expect_refused(r, 16, "it is part of md127");
}

/* What holds the whole disk holds each part of it. */
static void a_holder_of_the_disk_is_found(void **state)
{
    const struct recorded *r = *state;

    put_file(r, "sys/devices/sda/holders/dm-0", "");
    expect_refused(r, 1, "its disk is part of dm-0");
}

static void a_bcache_is_found(void **state)
{
    const struct recorded *r = *state;

    put_file(r, "sys/devices/sda/sda1/bcache/state", "clean\n");
    expect_refused(r, 0, "sda1 is part of a bcache");
    expect_free(r, 2);
}

/* The mount names another device of it. */
static void a_member_of_a_mounted_btrfs_is_found(void **state)
{
    const struct recorded *r = *state;

    put_file(r, "sys/fs/btrfs/features/raid1c34", "0\n");
    put_file(r, "sys/fs/btrfs/0a1b/devices/sdb", "");
    expect_refused(r, 16, "it is part of a mounted btrfs (0a1b)");
    put_file(r, "sys/fs/btrfs/0a1b/devices/sda2", "");
    expect_refused(r, 0, "sda2 is part of a mounted btrfs");
    expect_free(r, 1);
}

/* A loop device takes what is below it from nobody. */
static void a_loop_device_on_it_is_found(void **state)
{
    const struct recorded *r = *state;

    put_file(r, "sys/block/loop0/loop/backing_file", "/srv/image\n");
    put_file(r, "sys/block/loop1/loop/backing_file", "/dev/sda2\n");
    expect_refused(r, 0, "sda2 is below a loop device");
    expect_refused(r, 0, "/block/loop1/loop/backing_file");
    expect_refused(r, 2, "it is below a loop device");
    expect_free(r, 16);
}

static void what_is_given_away_is_found(void **state)
{
    const struct recorded *r = *state;

    put_file(r, "sys/kernel/config/nvmet/subsystems/nqn/namespaces/1/device_path", "/dev/sdb\n");
    expect_refused(r, 16, "it is given away over NVMe");
    put_file(r, "sys/kernel/config/target/core/iblock_0/disk/udev_path", "/dev/sda\n");
    expect_refused(r, 0, "it is given away over SCSI");
}

/* A virtual machine has its disk open like that; reading harms nobody, and we ourselves do not count. */
static void a_process_that_writes_is_found(void **state)
{
    const struct recorded *r = *state;
    char path[256];

    put_file(r, "proc/4711/comm", "qemu\n");
    put_file(r, "proc/4711/fdinfo/3", "pos:\t0\nflags:\t0100000\nmnt_id:\t9\n");
    make_dirs(r, "proc/4711/fd/");
    snprintf(path, sizeof path, "%s/proc/4711/fd/3", r->dir);
    assert_int_equal(symlink("/dev/sdb", path), 0);
    expect_free(r, 16);
    put_file(r, "proc/4711/fdinfo/3", "pos:\t0\nflags:\t0100002\nmnt_id:\t9\n");
    expect_refused(r, 16, "process 4711 (qemu) has it open for writing");
    expect_free(r, 0);
    snprintf(path, sizeof path, "%s/proc/4711", r->dir);
    snprintf(path + 128, 128, "%s/proc/99", r->dir);
    assert_int_equal(rename(path, path + 128), 0);
    expect_free(r, 16);
}

/* Where nothing can be seen nothing is known to be free. */
static void what_cannot_be_seen_is_refused(void **state)
{
    const struct recorded *r = *state;
    struct err err;

    assert_int_equal(guard(r, 32, &err), -ENOENT);
    assert_non_null(strstr(err.text, "cannot see who uses it"));
    put_file(r, "sys/devices/sdb/dev", "8:17\n"); /* not the one that was asked for */
    assert_int_equal(guard(r, 16, &err), -EIO);
}

static void lines_that_are_none_are_passed_over(void **state)
{
    const struct recorded *r = *state;

    put_file(r, "proc/self/mountinfo", "\n - \n8:0\n1 2 8:0\n1 2 8:0 / x\n1 2 x / / - ext4\n");
    put_file(r, "proc/swaps", "\n\n/\n");
    expect_free(r, 0);
}

#define guard_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        guard_test(what_nobody_uses_is_free),
        guard_test(a_mount_is_found),
        guard_test(a_mount_of_another_name_space_is_found),
        guard_test(a_mount_is_found_by_its_source),
        guard_test(swap_is_found),
        guard_test(a_holder_is_found),
        guard_test(a_holder_of_the_disk_is_found),
        guard_test(a_bcache_is_found),
        guard_test(a_member_of_a_mounted_btrfs_is_found),
        guard_test(a_loop_device_on_it_is_found),
        guard_test(what_is_given_away_is_found),
        guard_test(a_process_that_writes_is_found),
        guard_test(what_cannot_be_seen_is_refused),
        guard_test(lines_that_are_none_are_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
