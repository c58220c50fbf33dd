/* conform/namespace.h — what each op kind of target.h means, on every target that keeps files.
 * Shape    tables of tests, for rig_run: namespace_tests; namespace_behind_tests for a rig whose directory
 *          this machine sees, too; namespace_kernel_tests where its kernel is what serves the files.
 * Threads  see rig.h. */
#ifndef LOADLINE_CONFORM_NAMESPACE_H
#define LOADLINE_CONFORM_NAMESPACE_H

#include "rig.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#define TMPFS 0x01021994

static bool can(const struct rig *r, enum op_kind kind)
{
    return (r->caps.op_kinds >> kind & 1) != 0;
}

/* Buffers that were read into are as they were where only sizes are kept. */
static bool keeps_data(const struct rig *r)
{
    return !r->caps.keeps_no_data;
}

static void path_in(const struct rig *r, const char *name, char path[512])
{
    snprintf(path, 512, "%s/%s", r->dir, name);
}

/* A file of `len` bytes counting up. */
static void make_file(const struct rig *r, uint64_t node, const char *leaf, size_t len)
{
    uint64_t h = rig_file(r, OP_CREATE, 0, node, leaf);
    unsigned char *buf = malloc(len + 1);

    assert_non_null(buf);
    for (size_t i = 0; i < len; i++)
        buf[i] = (unsigned char)i;
    assert_int_equal(rig_move(r, OP_WRITE, h, buf, 0, len), len);
    assert_int_equal(rig_shut(r, h), 0);
    free(buf);
}

static void read_gives_what_was_written(void **state)
{
    struct rig *r = *state;
    unsigned char buf[64] = {0};
    uint64_t h;

    make_file(r, 0, "f", 100);
    h = rig_file(r, OP_OPEN, 0, 0, "f");
    assert_int_equal(rig_move(r, OP_READ, h, buf, 7, 64), 64);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(buf[i], keeps_data(r) ? 7 + i : 0);
    assert_int_equal(rig_shut(r, h), 0);
}

static void read_is_short_at_the_end_only(void **state)
{
    struct rig *r = *state;
    unsigned char buf[64];
    uint64_t h;

    make_file(r, 0, "f", 100);
    h = rig_file(r, OP_OPEN, OP_FLAG_READ, 0, "f");
    assert_int_equal(rig_move(r, OP_READ, h, buf, 90, 64), 10);
    assert_int_equal(rig_move(r, OP_READ, h, buf, 100, 64), 0);
    assert_int_equal(rig_move(r, OP_READ, h, buf, 5000, 64), 0);
    assert_int_equal(rig_shut(r, h), 0);
}

static void direct_read_is_short_at_an_odd_end(void **state)
{
    struct rig *r = *state;
    struct op op = {.kind = OP_OPEN, .flags = OP_FLAG_DIRECT | OP_FLAG_READ, .leaf = "f"};
    void *buf = aligned_alloc(4096, 8192);

    assert_non_null(buf);
    make_file(r, 0, "f", 5000);
    if (rig_do(r, &op) == 0) {
        assert_int_equal(rig_move(r, OP_READ, op.handle, buf, 0, 8192), 5000);
        assert_int_equal(rig_move(r, OP_READ, op.handle, buf, 4096, 4096), 904);
        assert_int_equal(rig_shut(r, op.handle), 0);
    } else { /* a file system without it says so at open */
        assert_int_equal(op.res, -EINVAL);
    }
    free(buf);
}

static void create_wants_no_file_and_open_wants_one(void **state)
{
    struct rig *r = *state;

    assert_int_equal(rig_on_name(r, OP_OPEN, 0, "f"), -ENOENT);
    make_file(r, 0, "f", 1);
    assert_int_equal(rig_on_name(r, OP_CREATE, 0, "f"), -EEXIST);
    assert_int_equal(rig_on_name(r, OP_UNLINK, 0, "f"), 0);
    assert_int_equal(rig_on_name(r, OP_OPEN, 0, "f"), -ENOENT);
}

static void read_only_handle_refuses_writing(void **state)
{
    struct rig *r = *state;
    char byte = 1;
    uint64_t h;

    make_file(r, 0, "f", 1);
    h = rig_file(r, OP_OPEN, OP_FLAG_READ, 0, "f");
    assert_int_equal(rig_move(r, OP_WRITE, h, &byte, 0, 1), -EBADF);
    assert_int_equal(rig_move(r, OP_READ, h, &byte, 0, 1), 1);
    assert_int_equal(rig_shut(r, h), 0);
}

static void write_only_handle_refuses_reading(void **state)
{
    struct rig *r = *state;
    struct op op = {.kind = OP_OPEN, .flags = OP_FLAG_READ | OP_FLAG_WRITE, .leaf = "f"};
    char byte = 1;
    uint64_t h;

    make_file(r, 0, "f", 1);
    assert_int_equal(rig_do(r, &op), -EINVAL);
    h = rig_file(r, OP_OPEN, OP_FLAG_WRITE, 0, "f");
    assert_int_equal(rig_move(r, OP_READ, h, &byte, 0, 1), -EBADF);
    assert_int_equal(rig_move(r, OP_WRITE, h, &byte, 0, 1), 1);
    assert_int_equal(rig_shut(r, h), 0);
}

/* A file that is there keeps what is in it. */
static void create_takes_a_file_that_may_exist(void **state)
{
    struct rig *r = *state;
    unsigned char buf[4] = {0};
    uint64_t h = rig_file(r, OP_CREATE, OP_FLAG_MAY_EXIST, 0, "new");

    assert_int_equal(rig_shut(r, h), 0);
    make_file(r, 0, "f", 4);
    h = rig_file(r, OP_CREATE, OP_FLAG_MAY_EXIST, 0, "f");
    assert_int_equal(rig_move(r, OP_READ, h, buf, 0, 4), 4);
    assert_memory_equal(buf, keeps_data(r) ? "\0\1\2\3" : "\0\0\0\0", 4);
    assert_int_equal(rig_shut(r, h), 0);
}

/* FMODE_RANDOM shows nowhere; that read-ahead is off does: a read brings its own pages and no more. */
static void random_reads_nothing_ahead(void **state)
{
    enum { BYTES = 1 << 20 };
    struct rig *r = *state;
    struct op op = {.kind = OP_RESIDENT, .len = BYTES};
    struct statfs fs;
    char buf[4096];

    make_file(r, 0, "f", BYTES);
    assert_int_equal(statfs(r->dir, &fs), 0);
    op.handle = rig_file(r, OP_OPEN, OP_FLAG_RANDOM, 0, "f");
    assert_int_equal(rig_on_handle(r, OP_FSYNC, op.handle, 0, 0), 0);
    assert_int_equal(rig_on_handle(r, OP_EVICT, op.handle, 0, 0), 0);
    for (uint64_t off = 0; off < 4 * sizeof buf; off += sizeof buf)
        assert_int_equal(rig_move(r, OP_READ, op.handle, buf, off, sizeof buf), sizeof buf);
    if (fs.f_type != TMPFS)
        assert_int_equal(rig_do(r, &op), 4 * sizeof buf);
    assert_int_equal(rig_shut(r, op.handle), 0);
}

static void closed_handle_is_gone(void **state)
{
    struct rig *r = *state;
    char byte;
    uint64_t h;

    make_file(r, 0, "f", 1);
    h = rig_file(r, OP_OPEN, OP_FLAG_DSYNC, 0, "f");
    assert_int_equal(rig_shut(r, h), 0);
    assert_int_equal(rig_move(r, OP_READ, h, &byte, 0, 1), -EBADF);
    assert_int_equal(rig_shut(r, h), -EBADF);
}

static struct target_stat stat_of(const struct rig *r, uint64_t node, const char *leaf)
{
    struct target_stat st = {.type = TARGET_TYPE_OTHER};
    struct op op = {.kind = OP_STAT, .node = node, .leaf = leaf, .buf = &st};

    assert_int_equal(rig_do(r, &op), 0);
    return st;
}

static void append_writes_at_the_end(void **state)
{
    struct rig *r = *state;
    unsigned char buf[8] = "abcdefg";
    uint64_t h;

    make_file(r, 0, "f", 10);
    h = rig_file(r, OP_OPEN, 0, 0, "f");
    assert_int_equal(rig_move(r, OP_APPEND, h, buf, 3, 4), 4);
    assert_int_equal(stat_of(r, 0, "f").size_bytes, 14);
    assert_int_equal(rig_move(r, OP_READ, h, buf, 9, 5), 5);
    if (keeps_data(r))
        assert_memory_equal(buf,
                            "\x09"
                            "abcd",
                            5);
    assert_int_equal(rig_shut(r, h), 0);
}

static void sizes_and_space_change_as_asked(void **state)
{
    struct rig *r = *state;
    char bytes[2] = {1, 1};
    uint64_t h;

    make_file(r, 0, "f", 1 << 20);
    h = rig_file(r, OP_OPEN, 0, 0, "f");
    assert_int_equal(rig_on_handle(r, OP_FSYNC, h, 0, 0), 0);
    assert_true(stat_of(r, 0, "f").stored_bytes >= 1 << 20);
    if (can(r, OP_DISCARD)) {
        assert_int_equal(rig_on_handle(r, OP_DISCARD, h, 0, 1 << 19), 0);
        assert_true(stat_of(r, 0, "f").stored_bytes < 1 << 20);
        assert_int_equal(stat_of(r, 0, "f").size_bytes, 1 << 20);
        assert_int_equal(rig_move(r, OP_READ, h, bytes, 1, 2), 2);
        assert_int_equal(bytes[0] | bytes[1], 0);
    }
    assert_int_equal(rig_on_handle(r, OP_TRUNCATE, h, 0, 77), 0);
    assert_int_equal(stat_of(r, 0, "f").size_bytes, 77);
    if (can(r, OP_FALLOCATE)) {
        assert_int_equal(rig_on_handle(r, OP_FALLOCATE, h, 0, 1 << 20), 0);
        assert_int_equal(stat_of(r, 0, "f").size_bytes, 1 << 20);
        assert_true(stat_of(r, 0, "f").stored_bytes >= 1 << 20);
    }
    assert_int_equal(rig_shut(r, h), 0);
    assert_int_equal(rig_on_node(r, OP_SYNCFS, 0), 0);
}

static void directories_come_and_go(void **state)
{
    struct rig *r = *state;

    assert_int_equal(rig_on_node(r, OP_MKDIR, 12), -ENOENT); /* no parent */
    assert_int_equal(rig_on_node(r, OP_LOOKUP, 1), -ENOENT);
    assert_int_equal(rig_on_node(r, OP_MKDIR, 1), 0);
    assert_int_equal(rig_on_node(r, OP_MKDIR, 1), -EEXIST);
    assert_int_equal(rig_on_node(r, OP_MKDIR, 12), 0);
    assert_int_equal(rig_on_node(r, OP_LOOKUP, 12), 0);
    assert_int_equal(rig_on_node(r, OP_RMDIR, 1), -ENOTEMPTY);
    assert_int_equal(rig_on_node(r, OP_RMDIR, 12), 0);
    assert_int_equal(rig_on_node(r, OP_LOOKUP, 12), -ENOENT);
    assert_int_equal(rig_on_node(r, OP_RMDIR, 12), -ENOENT);
    assert_int_equal(rig_on_node(r, OP_RMDIR, 1), 0);
    assert_int_equal(rig_on_name(r, OP_CREATE, 1, "f"), -ENOENT);
}

static void root_can_be_neither_made_nor_removed(void **state)
{
    struct rig *r = *state;

    assert_int_equal(rig_on_node(r, OP_MKDIR, TARGET_NODE_ROOT), -EEXIST);
    assert_int_equal(rig_on_node(r, OP_RMDIR, TARGET_NODE_ROOT), -EBUSY);
    assert_int_equal(rig_on_node(r, OP_LOOKUP, TARGET_NODE_ROOT), 0);
    assert_int_equal(stat_of(r, TARGET_NODE_ROOT, NULL).type, TARGET_TYPE_DIR);
}

static void unknown_node_is_invalid(void **state)
{
    struct rig *r = *state;

    assert_int_equal(rig_on_node(r, OP_LOOKUP, RIG_NODES), -EINVAL);
    assert_int_equal(rig_on_node(r, OP_MKDIR, RIG_NODES), -EINVAL);
    assert_int_equal(rig_on_name(r, OP_CREATE, RIG_NODES + 5, "f"), -EINVAL);
}

/* Far more directories than are kept open, five deep, in an order that evicts all the time. */
static void names_resolve_beyond_the_directories_kept(void **state)
{
    struct rig *r = *state;

    for (uint64_t n = 1; n < 400; n++)
        assert_int_equal(rig_on_node(r, OP_MKDIR, n), 0);
    assert_int_equal(rig_on_node(r, OP_MKDIR, 1234), 0);
    assert_int_equal(rig_on_node(r, OP_MKDIR, 12345), 0);
    for (uint64_t i = 0; i < 2000; i++)
        assert_int_equal(rig_on_node(r, OP_LOOKUP, 1 + i * 7919 % 399), 0);
    make_file(r, 12345, "f", 3);
    make_file(r, 398, "f", 4);
    assert_int_equal(stat_of(r, 12345, "f").size_bytes, 3);
    assert_int_equal(stat_of(r, 398, "f").size_bytes, 4);
}

/* A node lies where its parents' names lead. */
static void nodes_are_paths(void **state)
{
    struct rig *r = *state;
    char path[512];
    struct stat st;

    for (uint64_t n = 1; n < 20000; n = 10 * n + n % 10 + 1)
        assert_int_equal(rig_on_node(r, OP_MKDIR, n), 0);
    make_file(r, 1234, "f", 3);
    path_in(r, "d1/d12/d123/d1234/f", path);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_size, 3);
}

/* What was open under a number must not be used once that directory is another one. */
static void directory_made_anew_is_the_new_one(void **state)
{
    struct rig *r = *state;

    for (int i = 0; i < 3; i++) {
        assert_int_equal(rig_on_node(r, OP_MKDIR, 5), 0);
        make_file(r, 5, "f", 1);
        assert_int_equal(stat_of(r, 5, "f").size_bytes, 1);
        assert_int_equal(rig_on_name(r, OP_UNLINK, 5, "f"), 0);
        assert_int_equal(rig_on_node(r, OP_RMDIR, 5), 0);
    }
}

static void directory_removed_behind_our_back_is_made_anew(void **state)
{
    struct rig *r = *state;
    char path[512];

    assert_int_equal(rig_on_node(r, OP_MKDIR, 5), 0);
    assert_int_equal(rig_on_node(r, OP_LOOKUP, 5), 0);
    path_in(r, "d5", path);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rig_on_node(r, OP_MKDIR, 5), 0);
    make_file(r, 5, "f", 1);
}

static void stat_says_type_and_sizes(void **state)
{
    struct rig *r = *state;
    struct target_stat st;

    make_file(r, 0, "f", 5000);
    st = stat_of(r, 0, "f");
    assert_int_equal(st.type, TARGET_TYPE_FILE);
    assert_int_equal(st.size_bytes, 5000);
    assert_int_equal(rig_on_node(r, OP_MKDIR, 3), 0);
    assert_int_equal(stat_of(r, 3, NULL).type, TARGET_TYPE_DIR);
    assert_int_equal(rig_on_name(r, OP_STAT, 0, "f"), 0); /* no buf */
    assert_int_equal(rig_on_name(r, OP_STAT, 0, "g"), -ENOENT);
    assert_int_equal(rig_on_node(r, OP_STAT, 4), -ENOENT);
}

/* Of what is open, under whatever name. */
static void stat_of_a_handle_needs_no_name(void **state)
{
    struct rig *r = *state;
    struct target_stat st = {.type = TARGET_TYPE_OTHER};
    struct op op = {.kind = OP_STAT, .flags = OP_FLAG_HANDLE, .node = 99, .buf = &st};
    char other[] = "g";
    struct op rename = {.kind = OP_RENAME, .leaf = "f", .buf = other};

    make_file(r, 0, "f", 100);
    op.handle = rig_file(r, OP_OPEN, OP_FLAG_READ, 0, "f");
    assert_int_equal(rig_do(r, &rename), 0);
    assert_int_equal(rig_do(r, &op), 0);
    assert_int_equal(st.type, TARGET_TYPE_FILE);
    assert_int_equal(st.size_bytes, 100);
    assert_int_equal(rig_shut(r, op.handle), 0);
    assert_int_equal(rig_do(r, &op), -EBADF);
}

static void file_without_a_name_is_open_still(void **state)
{
    struct rig *r = *state;
    struct target_stat st = {.type = TARGET_TYPE_OTHER};
    struct op op = {.kind = OP_STAT, .flags = OP_FLAG_HANDLE, .buf = &st};

    make_file(r, 0, "f", 100);
    op.handle = rig_file(r, OP_OPEN, OP_FLAG_READ, 0, "f");
    assert_int_equal(rig_on_name(r, OP_UNLINK, 0, "f"), 0);
    assert_int_equal(rig_do(r, &op), 0);
    assert_int_equal(st.size_bytes, 100);
    assert_int_equal(rig_shut(r, op.handle), 0);
}

static void unlink_refuses_directories(void **state)
{
    struct rig *r = *state;

    assert_int_equal(rig_on_node(r, OP_MKDIR, 3), 0);
    assert_int_equal(rig_on_name(r, OP_UNLINK, 0, "d3"), -EISDIR);
    assert_int_equal(rig_on_name(r, OP_UNLINK, 0, "none"), -ENOENT);
}

static void rename_stays_in_the_directory(void **state)
{
    struct rig *r = *state;
    char to[] = "g";
    char out[] = "../g";
    struct op op = {.kind = OP_RENAME, .node = 3, .leaf = "f", .buf = to};

    assert_int_equal(rig_on_node(r, OP_MKDIR, 3), 0);
    make_file(r, 3, "f", 9);
    assert_int_equal(rig_do(r, &op), 0);
    assert_int_equal(stat_of(r, 3, "g").size_bytes, 9);
    assert_int_equal(rig_do(r, &op), -ENOENT);
    op.leaf = "g";
    op.buf = out;
    assert_int_equal(rig_do(r, &op), -EINVAL);
    assert_int_equal(stat_of(r, 3, "g").size_bytes, 9);
}

/* Nothing above or beside the target can be named. */
static void leaf_is_one_name(void **state)
{
    static const char *const bad[] = {"", ".", "..", "a/b", "/etc", "../x", "d/"};
    static const enum op_kind kinds[] = {OP_OPEN, OP_CREATE, OP_STAT, OP_UNLINK, OP_RENAME};
    struct rig *r = *state;
    char good[] = "ok";

    for (size_t k = 0; k < RIG_COUNT(kinds); k++) {
        for (size_t i = 0; i < RIG_COUNT(bad); i++) {
            struct op op = {.kind = kinds[k], .leaf = bad[i]};

            if (kinds[k] == OP_RENAME)
                op.buf = good;
            assert_int_equal(rig_do(r, &op), -EINVAL);
        }
    }
    assert_int_equal(rig_on_name(r, OP_CREATE, 0, NULL), -EINVAL);
    assert_int_equal(rig_shut(r, rig_file(r, OP_CREATE, 0, 0, "..good")), 0);
    assert_int_equal(rig_shut(r, rig_file(r, OP_CREATE, 0, 0, ".hidden")), 0);
}

static void stat_says_that_a_link_is_one(void **state)
{
    struct rig *r = *state;
    char path[512];

    path_in(r, "l", path);
    assert_int_equal(symlink("f", path), 0);
    assert_int_equal(stat_of(r, 0, "l").type, TARGET_TYPE_LINK);
}

static void symlinks_are_not_followed(void **state)
{
    struct rig *r = *state;
    char path[512];
    char elsewhere[512];

    path_in(r, "elsewhere", elsewhere);
    path_in(r, "d7", path);
    assert_int_equal(mkdir(elsewhere, 0755), 0);
    assert_int_equal(symlink(elsewhere, path), 0);
    assert_true(rig_on_node(r, OP_LOOKUP, 7) < 0);
    assert_true(rig_on_name(r, OP_CREATE, 7, "f") < 0);
    assert_true(rig_on_node(r, OP_MKDIR, 71) < 0);
    assert_int_equal(rig_on_node(r, OP_RMDIR, 7), -ENOTDIR);
    assert_int_equal(rmdir(elsewhere), 0); /* still empty */
    path_in(r, "link", path);
    assert_int_equal(symlink("/etc/passwd", path), 0);
    assert_int_equal(rig_on_name(r, OP_OPEN, 0, "link"), -ELOOP);
    assert_int_equal(rig_on_name(r, OP_CREATE, 0, "link"), -EEXIST);
}

#define ENTRIES 300

/* Lists node 3 with a buffer of `room` bytes into seen[]; from the cookie of every entry if `each`. */
static void list_all(const struct rig *r, size_t room, bool each, unsigned seen[ENTRIES])
{
    char buf[4096];
    struct op op = {.kind = OP_READDIR, .node = 3, .buf = buf, .len = room};

    while (rig_do(r, &op) > 0) {
        for (int64_t at = 0; at < op.res;) {
            struct target_dirent entry;
            const char *name = buf + at + offsetof(struct target_dirent, name);

            memcpy(&entry, buf + at, offsetof(struct target_dirent, name));
            assert_int_equal(name[0], 'f');
            assert_int_equal(strlen(name), entry.name_len);
            assert_int_equal(entry.type, TARGET_TYPE_FILE);
            assert_int_equal(entry.record_bytes % 8, 0);
            assert_in_range(strtoul(name + 1, NULL, 10), 0, ENTRIES - 1);
            seen[strtoul(name + 1, NULL, 10)]++;
            op.off = entry.cookie;
            at += entry.record_bytes;
            if (each)
                break;
        }
    }
    assert_int_equal(op.res, 0);
}

static void readdir_gives_every_entry_once(void **state)
{
    static const size_t rooms[] = {64, 200, 4096};
    struct rig *r = *state;
    char name[16];

    assert_int_equal(rig_on_node(r, OP_MKDIR, 3), 0);
    for (unsigned i = 0; i < ENTRIES; i++) {
        snprintf(name, sizeof name, "f%u", i);
        make_file(r, 3, name, 0);
    }
    for (size_t k = 0; k < 2 * RIG_COUNT(rooms); k++) {
        unsigned seen[ENTRIES] = {0};

        list_all(r, rooms[k / 2], k % 2, seen);
        for (unsigned i = 0; i < ENTRIES; i++)
            assert_int_equal(seen[i], 1);
    }
}

static void readdir_starts_anew_at_cookie_0(void **state)
{
    struct rig *r = *state;
    char buf[4096];
    struct op op = {.kind = OP_READDIR, .node = 3, .buf = buf, .len = sizeof buf};

    assert_int_equal(rig_on_node(r, OP_MKDIR, 3), 0);
    assert_int_equal(rig_do(r, &op), 0); /* empty: no "." and no ".." */
    make_file(r, 3, "f", 0);
    assert_int_equal(rig_do(r, &op), 16);
    make_file(r, 3, "a-longer-name", 0);
    assert_int_equal(rig_do(r, &op), 16 + 32); /* both */
    op.len = 1;
    assert_int_equal(rig_do(r, &op), -EINVAL);
    op.node = 4;
    assert_int_equal(rig_do(r, &op), -ENOENT);
}

/* Linux 6.5; what older ones have instead knows nothing of dirty pages. */
static bool has_cachestat(void)
{
    return syscall(451, -1, NULL, NULL, 0) < 0 && errno != ENOSYS;
}

static void resident_counts_pages_and_evict_drops_them(void **state)
{
    struct rig *r = *state;
    struct op op = {.kind = OP_RESIDENT, .len = 10000};
    struct statfs fs;

    make_file(r, 0, "f", 10000);
    op.handle = rig_file(r, OP_OPEN, 0, 0, "f");
    assert_int_equal(rig_do(r, &op), 10000); /* never more than asked for */
    assert_int_equal(statfs(r->dir, &fs), 0);
    if (fs.f_type != TMPFS && has_cachestat())
        assert_true(op.extra > 0);
    assert_true(op.extra <= 10000);
    assert_int_equal(rig_on_handle(r, OP_RESIDENT, op.handle, 0, 0), 0);
    assert_int_equal(rig_on_handle(r, OP_FSYNC, op.handle, 0, 0), 0);
    assert_int_equal(rig_do(r, &op), 10000);
    assert_int_equal(op.extra, 0);
    assert_int_equal(rig_on_handle(r, OP_EVICT, op.handle, 0, 0), 0);
    assert_int_equal(rig_do(r, &op), fs.f_type == TMPFS ? 10000 : 0);
    assert_int_equal(rig_shut(r, op.handle), 0);
}

static void lock_is_exclusive_until_close(void **state)
{
    struct rig *r = *state;
    uint64_t first;
    uint64_t second;

    make_file(r, 0, "f", 1);
    first = rig_file(r, OP_OPEN, 0, 0, "f");
    second = rig_file(r, OP_OPEN, 0, 0, "f");
    assert_int_equal(r->table->lock(r->session, first), 0);
    assert_int_equal(r->table->lock(r->session, second), -EWOULDBLOCK);
    assert_int_equal(rig_shut(r, first), 0);
    assert_int_equal(r->table->lock(r->session, second), 0);
    assert_int_equal(rig_shut(r, second), 0);
}

static void space_is_known(void **state)
{
    struct rig *r = *state;
    struct target_space space = {0};
    int rc = r->table->space(r->target, &space);

    if (rc == -ENOTSUP && r->caps.uncached) /* a server may not know */
        return;
    assert_int_equal(rc, 0);
    assert_true(space.total_bytes > 0);
    assert_true(space.free_bytes <= space.total_bytes);
}

static const struct CMUnitTest namespace_tests[] = {
    cmocka_unit_test(read_gives_what_was_written),
    cmocka_unit_test(read_is_short_at_the_end_only),
    cmocka_unit_test(direct_read_is_short_at_an_odd_end),
    cmocka_unit_test(create_wants_no_file_and_open_wants_one),
    cmocka_unit_test(read_only_handle_refuses_writing),
    cmocka_unit_test(write_only_handle_refuses_reading),
    cmocka_unit_test(create_takes_a_file_that_may_exist),
    cmocka_unit_test(closed_handle_is_gone),
    cmocka_unit_test(append_writes_at_the_end),
    cmocka_unit_test(sizes_and_space_change_as_asked),
    cmocka_unit_test(directories_come_and_go),
    cmocka_unit_test(root_can_be_neither_made_nor_removed),
    cmocka_unit_test(unknown_node_is_invalid),
    cmocka_unit_test(names_resolve_beyond_the_directories_kept),
    cmocka_unit_test(directory_made_anew_is_the_new_one),
    cmocka_unit_test(stat_says_type_and_sizes),
    cmocka_unit_test(stat_of_a_handle_needs_no_name),
    cmocka_unit_test(unlink_refuses_directories),
    cmocka_unit_test(rename_stays_in_the_directory),
    cmocka_unit_test(leaf_is_one_name),
    cmocka_unit_test(readdir_gives_every_entry_once),
    cmocka_unit_test(readdir_starts_anew_at_cookie_0),
    cmocka_unit_test(space_is_known),
};

/* What is in the rig's directory without the target's doing. */
static const struct CMUnitTest namespace_behind_tests[] = {
    cmocka_unit_test(nodes_are_paths),
    cmocka_unit_test(directory_removed_behind_our_back_is_made_anew),
    cmocka_unit_test(stat_says_that_a_link_is_one),
    cmocka_unit_test(symlinks_are_not_followed),
};

/* What this machine's kernel does for its own files. */
static const struct CMUnitTest namespace_kernel_tests[] = {
    cmocka_unit_test(file_without_a_name_is_open_still),
    cmocka_unit_test(random_reads_nothing_ahead),
    cmocka_unit_test(resident_counts_pages_and_evict_drops_them),
    cmocka_unit_test(lock_is_exclusive_until_close),
};

#endif
