/* A block device as a target, on loop devices. */
#include "unit/loop_device.h"
#include "unit/own_mounts.h"

#include "target/catalog.h"
#include "target/destroy.h"
#include "target/device_priv.h"
#include "target/target.h"

#include <errno.h>
#include <grp.h>
#include <linux/blkpg.h>
#include <setjmp.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cmocka.h>

#define BYTES ((off_t)16 << 20)

struct play {
    struct loop_device loop;
    const struct target_table *table;
    struct target *target;
    struct session *session;
    struct err err;
};

static int setup(void **state)
{
    struct play *p = calloc(1, sizeof *p);

    assert_non_null(p);
    *state = p;
    loop_open(&p->loop, BYTES);
    return 0;
}

static void shut(struct play *p)
{
    if (p->session != NULL)
        p->table->session_close(p->session);
    if (p->target != NULL)
        p->table->close(p->target);
    p->session = NULL;
    p->target = NULL;
}

static int teardown(void **state)
{
    struct play *p = *state;

    shut(p);
    loop_close(&p->loop);
    free(p);
    return 0;
}

static struct play *need_loop(void **state)
{
    struct play *p = *state;

    if (p->loop.path[0] == '\0')
        skip();
    return p;
}

static int open_target(struct play *p, const char *address)
{
    const char *rest;
    int rc = target_find(address, &p->table, &rest, &p->err);

    p->err = (struct err){0};
    return rc < 0 ? rc : p->table->open(rest, &p->target, &p->err);
}

static void open_session(struct play *p, const char *address)
{
    const struct session_spec spec = {.ops_max = 1, .handles_max = 4, .dirs_max = 8};

    if (open_target(p, address) < 0 ||
        p->table->session_open(p->target, &spec, &p->session, &p->err) < 0)
        fail_msg("%s: %s", address, p->err.text);
}

static int64_t run(struct play *p, struct op op, uint64_t *handle)
{
    int64_t rc = target_do(p->table, p->session, &op);

    if (handle != NULL)
        *handle = op.handle;
    return rc;
}

static int64_t open_file(struct play *p, uint32_t flags, uint64_t *handle)
{
    return run(p, (struct op){.kind = OP_OPEN, .flags = flags, .leaf = "any"}, handle);
}

static void expect_words(const struct play *p, const char *words)
{
    if (strstr(p->err.text, words) == NULL)
        fail_msg("'%s' does not say '%s'", p->err.text, words);
}

static void expect_refused(struct play *p, int code, const char *words)
{
    assert_int_equal(open_target(p, p->loop.path), code);
    assert_null(p->target);
    expect_words(p, words);
    expect_words(p, p->loop.path);
}

static void allow(const struct play *p)
{
    struct err err = {0};

    if (!target_may_destroy(p->loop.path) && target_allow_destroy(p->loop.path, &err) < 0)
        fail_msg("%s", err.text);
}

static void put_bytes(const struct play *p, off_t at, const void *bytes, size_t n)
{
    assert_int_equal(pwrite(p->loop.fd, bytes, n, at), n);
}

static void clear_device(const struct play *p)
{
    static const char zeros[8192];

    put_bytes(p, 0, zeros, sizeof zeros);
}

/* ---- reading ---- */

struct facts {
    char bytes[24];
    char writing[8];
    char name[16];
    bool block;
};

static void take_fact(void *ctx, const char *key, const char *value, const char *unit)
{
    struct facts *f = ctx;

    (void)unit;
    if (strcmp(key, "device_bytes") == 0)
        snprintf(f->bytes, sizeof f->bytes, "%s", value);
    else if (strcmp(key, "device_writing") == 0)
        snprintf(f->writing, sizeof f->writing, "%s", value);
    else if (strcmp(key, "device_name") == 0)
        snprintf(f->name, sizeof f->name, "%s", value);
    else if (strcmp(key, "device_logical_block_bytes") == 0)
        f->block = true;
}

/* Nothing was typed twice: it is read, its size is known, and nothing writes to it. */
static void reading_needs_no_ceremony(void **state)
{
    struct play *p = need_loop(state);
    struct facts facts = {.bytes = ""};
    const struct target_sink sink = {.put = take_fact, .ctx = &facts};
    struct target_caps caps;
    struct target_stat st = {0};
    char buf[512];
    uint64_t handle;

    put_bytes(p, BYTES - 512, "at the end", 11);
    assert_int_equal(target_caps_of(p->loop.path, &caps, &p->err), 0);
    assert_true(caps.one_file && caps.blocking);
    assert_int_equal(caps.file_bytes, BYTES);
    assert_false(caps.op_kinds >> OP_WRITE & 1);
    open_session(p, p->loop.path);
    p->table->describe(p->target, &sink);
    assert_string_equal(facts.bytes, "16777216");
    assert_string_equal(facts.writing, "no");
    assert_string_equal(facts.name, p->loop.path + 5);
    assert_true(facts.block);
    assert_int_equal(open_file(p, OP_FLAG_READ, &handle), 0);
    assert_int_equal(
        run(p,
            (struct op){
                .kind = OP_READ, .handle = handle, .buf = buf, .off = BYTES - 512, .len = 1024},
            NULL),
        512);
    assert_string_equal(buf, "at the end");
    assert_int_equal(
        run(p, (struct op){.kind = OP_STAT, .flags = OP_FLAG_HANDLE, .handle = handle, .buf = &st},
            NULL),
        0);
    assert_int_equal(st.size_bytes, BYTES);
    assert_int_equal(open_file(p, OP_FLAG_WRITE, NULL), -EPERM);
    assert_int_equal(
        run(p, (struct op){.kind = OP_WRITE, .handle = handle, .buf = buf, .len = 512}, NULL),
        -EOPNOTSUPP);
    /* Who would read and write gets a handle that reads, by which the kernel too refuses writing. */
    assert_int_equal(run(p, (struct op){.kind = OP_CLOSE, .handle = handle}, NULL), 0);
    assert_int_equal(open_file(p, 0, &handle), 0);
    assert_int_equal(fcntl((int)handle, F_GETFL) & O_ACCMODE, O_RDONLY);
    assert_int_equal(run(p, (struct op){.kind = OP_FSYNC, .handle = handle}, NULL), 0);
    assert_int_equal(run(p, (struct op){.kind = OP_CLOSE, .handle = handle}, NULL), 0);
    assert_int_equal(run(p, (struct op){.kind = OP_CREATE, .leaf = "any"}, NULL), -EOPNOTSUPP);
}

static void helpers_read_it_too(void **state)
{
    const struct session_spec spec = {
        .ops_max = 5, .handles_max = 4, .dirs_max = 8, .detached_max = 4};
    struct play *p = need_loop(state);
    char buf[4][512];
    struct op ops[4];
    struct op *list[4];
    struct op *done[4];
    uint64_t handle;
    int n = 0;

    put_bytes(p, 1024, "the third", 10);
    assert_int_equal(open_target(p, p->loop.path), 0);
    assert_int_equal(p->table->session_open(p->target, &spec, &p->session, &p->err), 0);
    assert_int_equal(open_file(p, OP_FLAG_READ | OP_FLAG_RANDOM, &handle), 0);
    for (unsigned i = 0; i < 4; i++) {
        ops[i] = (struct op){.kind = OP_READ,
                             .flags = OP_FLAG_DETACHED,
                             .handle = handle,
                             .buf = buf[i],
                             .off = i * 512,
                             .len = 512};
        list[i] = &ops[i];
    }
    assert_int_equal(p->table->submit(p->session, list, 4), 4);
    while (n < 4)
        n += p->table->reap(p->session, done, 1, 4, UINT64_MAX);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(ops[i].res, 512);
    assert_string_equal(buf[2], "the third");
}

static void what_is_no_device_is_told(void **state)
{
    struct play p = {.target = NULL};
    struct target_caps caps;

    (void)state;
    assert_int_equal(target_caps_of("dev:", &caps, &p.err), -EINVAL);
    assert_int_equal(open_target(&p, "dev:/dev/null"), -ENOTBLK);
    expect_words(&p, "/dev/null is not a block device");
    assert_int_equal(open_target(&p, "dev:/missing"), -ENOENT);
    expect_words(&p, "/missing does not exist");
    assert_int_equal(target_allow_destroy("/dev/null", &p.err), -EINVAL);
    assert_int_equal(target_allow_destroy("/missing", &p.err), -ENOENT);
    assert_false(target_may_destroy("/dev/null"));
}

/* ---- whoever may not open it is told who may, and how one becomes that ---- */

/* As a user without groups. The number of the step that was not as it should be. */
static int nobody_is_told(struct play *p, const char *first, const char *second)
{
    if (setgroups(0, NULL) != 0 || setgid(65534) != 0 || setuid(65534) != 0)
        return 2;
    if (open_target(p, p->loop.path) != -EACCES)
        return 3;
    if (strstr(p->err.text, first) == NULL || strstr(p->err.text, second) == NULL) {
        print_message("%s\n", p->err.text);
        return 4;
    }
    return 0;
}

static void expect_told(struct play *p, mode_t mode, gid_t group, const char *first,
                        const char *second)
{
    struct stat before;
    int status;
    pid_t child;

    assert_int_equal(stat(p->loop.path, &before), 0);
    assert_int_equal(chown(p->loop.path, 0, group), 0);
    assert_int_equal(chmod(p->loop.path, mode), 0);
    child = fork();
    if (child == 0)
        _exit(nobody_is_told(p, first, second));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(chown(p->loop.path, before.st_uid, before.st_gid), 0);
    assert_int_equal(chmod(p->loop.path, before.st_mode & 07777), 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void a_refusal_names_the_group_and_the_way_in(void **state)
{
    struct play *p = need_loop(state);
    const struct group *disk = getgrnam("disk");

    assert_non_null(disk);
    expect_told(p, 0660, disk->gr_gid, "for root and the group disk",
                "sudo usermod -aG disk nobody, then log in again");
    expect_told(p, 0600, disk->gr_gid, "its mode 0600 is for root alone", "with sudo");
    expect_told(p, 0660, 54321, "its mode 0660 is for root alone", "with sudo");
}

/* nogroup is the account's own, which a process may have left. */
static void who_joined_since_is_told_to_log_in_again(void **state)
{
    struct play *p = need_loop(state);
    struct err err = {0};
    int status;
    pid_t child = fork();

    if (child == 0) {
        bool ok = chown(p->loop.path, 0, 65534) == 0 && chmod(p->loop.path, 0660) == 0 &&
                  setgroups(0, NULL) == 0 && setgid(54321) == 0 && seteuid(65534) == 0 &&
                  device_no_permission(p->loop.path, -EACCES, &err) == -EACCES;
        if (!ok || seteuid(0) != 0 || chown(p->loop.path, 0, 0) != 0)
            _exit(2);
        _exit(strstr(err.text, "log in again, or: newgrp nogroup") != NULL ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* ---- writing ---- */

/* The same device by another name, as /dev/disk/by-id has them. */
static void what_was_given_up_is_written(void **state)
{
    struct play *p = need_loop(state);
    char link[] = "by-id-XXXXXX";
    char address[64];
    char buf[512] = "new";
    uint64_t handle;
    int fd = mkstemp(link);

    assert_true(fd >= 0);
    close(fd);
    unlink(link);
    assert_int_equal(symlink(p->loop.path, link), 0);
    assert_int_equal(target_allow_destroy(link, &p->err), 0);
    assert_true(target_may_destroy(p->loop.path));
    assert_false(target_may_destroy("/dev/null")); /* and nothing else */
    snprintf(address, sizeof address, "dev:%s", link);
    unlink(link);
    assert_false(target_may_destroy(link)); /* it is nothing any more */
    assert_int_equal(symlink(p->loop.path, link), 0);
    open_session(p, address);
    assert_int_equal(open_file(p, 0, &handle), 0);
    assert_int_equal(
        run(p, (struct op){.kind = OP_WRITE, .handle = handle, .buf = buf, .off = 4096, .len = 512},
            NULL),
        512);
    assert_int_equal(run(p, (struct op){.kind = OP_FSYNC, .handle = handle}, NULL), 0);
    memset(buf, 0, sizeof buf);
    assert_int_equal(pread(p->loop.file, buf, 512, 4096), 512);
    assert_string_equal(buf, "new");
    unlink(link);
}

static bool is_taken(const struct play *p)
{
    int fd = open(p->loop.path, O_RDWR | O_EXCL | O_CLOEXEC);

    if (fd >= 0)
        close(fd);
    return fd < 0 && errno == EBUSY;
}

/* Nobody else gets it as long as one target has it, of the many that a process may have. */
static void it_is_taken_by_the_process(void **state)
{
    struct play *p = need_loop(state);
    struct play second = {.loop = p->loop};

    allow(p);
    open_session(p, p->loop.path);
    assert_true(is_taken(p));
    open_session(&second, p->loop.path);
    assert_int_equal(open_file(&second, 0, NULL), 0);
    shut(p);
    assert_true(is_taken(p));
    shut(&second);
    assert_false(is_taken(p));
    open_session(p, p->loop.path); /* and may be taken again */
    assert_true(is_taken(p));
}

static void what_another_has_taken_is_refused(void **state)
{
    struct play *p = need_loop(state);
    int fd = open(p->loop.path, O_RDONLY | O_EXCL | O_CLOEXEC);

    assert_true(fd >= 0);
    allow(p);
    expect_refused(p, -EBUSY, "the kernel says that it is in use");
    close(fd);
}

/* swap, LVM, md and a partition table, by their own bytes; each stays as it was. */
static void what_lies_on_it_is_named(void **state)
{
    static const unsigned char md[] = {0xfc, 0x4e, 0x2b, 0xa9, 1, 0, 0, 0};
    static const unsigned char md_offset[] = {8, 0, 0, 0, 0, 0, 0, 0};
    static const unsigned char mbr_entry[] = {0, 0, 2, 0, 0x83, 0, 8, 0, 0, 8, 0, 0, 0, 8, 0, 0};
    static const unsigned char one[] = {1, 0, 0, 0, 255, 15, 0, 0};
    struct play *p = need_loop(state);

    allow(p);
    put_bytes(p, 1024, one, sizeof one); /* version, last page */
    put_bytes(p, 4086, "SWAPSPACE2", 10);
    expect_refused(p, -EBUSY, "swap");
    expect_words(p, "wipefs --all /dev/loop");
    clear_device(p);
    put_bytes(p, 512, "LABELONE\1\0\0\0\0\0\0\0\0\0\0\0\x20\0\0\0LVM2 001", 32);
    expect_refused(p, -EBUSY, "LVM2_member");
    clear_device(p);
    put_bytes(p, 4096, md, sizeof md);
    put_bytes(p, 4096 + 144, md_offset, sizeof md_offset);
    expect_refused(p, -EBUSY, "linux_raid_member");
    clear_device(p);
    put_bytes(p, 446, mbr_entry, sizeof mbr_entry);
    put_bytes(p, 510, "\x55\xaa", 2);
    expect_refused(p, -EBUSY, "a partition table (dos)");
    clear_device(p);
    open_session(p, p->loop.path);
}

static void make_fs(const char *path)
{
    char *const args[] = {"mkfs.ext4", "-q", strdup(path), NULL};
    int status = -1;
    pid_t child;

    assert_int_equal(posix_spawnp(&child, args[0], NULL, NULL, args, environ), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    free(args[2]);
}

/* 8 MiB from the first MiB on; the node that udev would make is made in `node`. */
static void make_partition(const struct play *p, const char *node)
{
    static const unsigned char entry[] = {0, 0, 2, 0, 0x83, 0, 8, 0, 0, 8, 0, 0, 0, 64, 0, 0};
    char path[128];
    unsigned major_number;
    unsigned minor_number;
    struct blkpg_partition part = {.start = 1 << 20, .length = 8 << 20, .pno = 1};
    struct blkpg_ioctl_arg add = {.op = BLKPG_ADD_PARTITION, .datalen = sizeof part, .data = &part};

    put_bytes(p, 446, entry, sizeof entry);
    put_bytes(p, 510, "\x55\xaa", 2);
    assert_int_equal(fsync(p->loop.fd), 0);
    if (ioctl(p->loop.fd, BLKPG, &add) != 0) /* as whoever makes partitions tells the kernel */
        fail_msg("BLKPG: %s", strerror(errno));
    snprintf(path, sizeof path, "/sys/block/%s/%sp1/dev", p->loop.path + 5, p->loop.path + 5);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%u:%u", &major_number, &minor_number), 2);
    fclose(file);
    assert_int_equal(mknod(node, S_IFBLK | 0600, makedev(major_number, minor_number)), 0);
}

/* In a name space that only a child has, which waits until we have looked, or are gone: a test that
   failed closes its end no sooner than with the process, so the child must not hold it as well. */
static pid_t mount_apart(const char *node, const char *dir, const int ends[2])
{
    char byte;
    pid_t child = fork();

    if (child != 0)
        return child;
    close(ends[0]);
    bool ok = own_mounts() && mount(node, dir, "ext4", 0, NULL) == 0;
    (void)!write(ends[1], ok ? "y" : "n", 1);
    (void)!read(ends[1], &byte, 1);
    _exit(0);
}

/* A whole disk of which one partition is mounted, and by somebody else. */
static void a_disk_with_a_mounted_partition_is_refused(void **state)
{
    struct play *p = need_loop(state);
    char dir[] = "device-part-XXXXXX";
    char node[64];
    int ends[2];
    char byte = 'n';

    allow(p);
    assert_non_null(mkdtemp(dir));
    snprintf(node, sizeof node, "%s-node", dir);
    make_partition(p, node);
    make_fs(node);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    pid_t child = mount_apart(node, dir, ends);
    close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    assert_int_equal(byte, 'y');
    expect_refused(p, -EBUSY, "p1 is mounted on ");
    expect_words(p, dir);
    assert_int_equal(write(ends[0], "", 1), 1);
    assert_int_equal(waitpid(child, NULL, 0), child);
    expect_refused(p, -EBUSY, "a partition table (dos)");
    close(ends[0]);
    unlink(node);
    rmdir(dir);
}

/* The kernel's own word and libblkid's, before and after it is mounted. */
static void a_mounted_device_is_refused(void **state)
{
    struct play *p = need_loop(state);
    char dir[] = "device-mount-XXXXXX";

    allow(p);
    assert_non_null(mkdtemp(dir));
    assert_true(own_mounts());
    make_fs(p->loop.path);
    expect_refused(p, -EBUSY, "it holds ext4");
    assert_int_equal(mount(p->loop.path, dir, "ext4", 0, NULL), 0);
    expect_refused(p, -EBUSY, "it is mounted on ");
    expect_words(p, dir);
    assert_int_equal(umount(dir), 0);
    rmdir(dir);
}

#define play_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_device_is_told),
        play_test(reading_needs_no_ceremony),
        play_test(helpers_read_it_too),
        play_test(a_refusal_names_the_group_and_the_way_in),
        play_test(who_joined_since_is_told_to_log_in_again),
        play_test(what_was_given_up_is_written),
        play_test(it_is_taken_by_the_process),
        play_test(what_another_has_taken_is_refused),
        play_test(what_lies_on_it_is_named),
        play_test(a_disk_with_a_mounted_partition_is_refused),
        play_test(a_mounted_device_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
