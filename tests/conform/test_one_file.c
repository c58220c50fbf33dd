/* target.h, targets that are one file (a block device): what is read, written, trimmed and asked, for
 * reading only and given up for writing, plain and behind a decorator. */
#include "rig.h"
#include "unit/loop_device.h"

#include "target/destroy.h"

#include <sys/mman.h>

#define BYTES  ((uint64_t)8 << 20)
#define SECTOR 4096

static struct loop_device loop;

static bool writable(const struct rig *r)
{
    return r->caps.op_kinds >> OP_WRITE & 1;
}

static uint64_t open_it(const struct rig *r, uint32_t flags)
{
    return rig_file(r, OP_OPEN, flags, 0, "any");
}

/* Through the device, as somebody else would. */
static void set_bytes(uint64_t at, char byte, size_t n)
{
    char block[SECTOR];

    memset(block, byte, sizeof block);
    assert_true(n <= sizeof block);
    assert_int_equal(pwrite(loop.fd, block, n, (off_t)at), n);
}

static void caps_say_what_it_is(void **state)
{
    const struct rig *r = *state;

    assert_true(r->caps.one_file);
    assert_int_equal(r->caps.file_bytes, BYTES);
    assert_true(r->caps.op_kinds >> OP_READ & 1);
    assert_int_equal(r->caps.op_kinds >> OP_WRITE & 1, r->caps.op_kinds >> OP_DISCARD & 1);
    for (unsigned kind = OP_UNLINK; kind <= OP_READDIR; kind++)
        assert_false(r->caps.op_kinds >> kind & 1);
}

/* Whatever it is called. */
static void every_open_opens_the_one_file(void **state)
{
    const struct rig *r = *state;
    char buf[2][16] = {"", ""};
    uint64_t first = rig_file(r, OP_OPEN, OP_FLAG_READ, 0, "one");
    uint64_t second = rig_file(r, OP_OPEN, OP_FLAG_READ, 77, "another");

    set_bytes(SECTOR, 'a', 16);
    assert_int_equal(rig_move(r, OP_READ, first, buf[0], SECTOR, 16), 16);
    assert_int_equal(rig_move(r, OP_READ, second, buf[1], SECTOR, 16), 16);
    assert_memory_equal(buf[0], "aaaaaaaaaaaaaaaa", 16);
    assert_memory_equal(buf[0], buf[1], 16);
    assert_int_equal(rig_shut(r, first), 0);
    assert_int_equal(rig_shut(r, second), 0);
}

static void read_is_short_at_the_end_only(void **state)
{
    const struct rig *r = *state;
    static char buf[4 * SECTOR];
    uint64_t file = open_it(r, OP_FLAG_READ);

    assert_int_equal(rig_move(r, OP_READ, file, buf, 0, sizeof buf), sizeof buf);
    assert_int_equal(rig_move(r, OP_READ, file, buf, BYTES - 512, sizeof buf), 512);
    assert_int_equal(rig_move(r, OP_READ, file, buf, BYTES, sizeof buf), 0);
    assert_int_equal(rig_shut(r, file), 0);
}

static void stat_tells_the_size(void **state)
{
    const struct rig *r = *state;
    struct target_stat st = {.type = TARGET_TYPE_FILE};
    struct op op = {.kind = OP_STAT, .leaf = "any", .buf = &st};

    assert_int_equal(rig_do(r, &op), 0);
    assert_int_equal(st.type, TARGET_TYPE_OTHER);
    assert_int_equal(st.size_bytes, BYTES);
    op.flags = OP_FLAG_HANDLE;
    op.handle = RIG_BAD_FD;
    assert_int_equal(rig_do(r, &op), -EBADF);
}

static void direct_wants_whole_sectors(void **state)
{
    const struct rig *r = *state;
    char *buf = mmap(NULL, SECTOR, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t file = open_it(r, OP_FLAG_READ | OP_FLAG_DIRECT);

    assert_true(buf != MAP_FAILED);
    assert_int_equal(rig_move(r, OP_READ, file, buf, SECTOR, SECTOR), SECTOR);
    assert_int_equal(rig_move(r, OP_READ, file, buf, 3, SECTOR), -EINVAL);
    assert_int_equal(rig_shut(r, file), 0);
    munmap(buf, SECTOR);
}

static void what_is_kept_is_told_and_dropped(void **state)
{
    const struct rig *r = *state;
    static char buf[16 * SECTOR];
    uint64_t file = open_it(r, OP_FLAG_READ);
    struct op op = {.kind = OP_RESIDENT, .handle = file, .len = BYTES};

    assert_int_equal(rig_on_handle(r, OP_FSYNC, file, 0, 0), 0);
    assert_int_equal(rig_on_handle(r, OP_EVICT, file, 0, 0), 0);
    assert_int_equal(rig_do(r, &op), 0);
    assert_int_equal(rig_move(r, OP_READ, file, buf, 0, sizeof buf), sizeof buf);
    assert_true(rig_do(r, &op) >= (int64_t)sizeof buf);
    assert_int_equal(op.extra, 0);
    op.len = SECTOR;
    assert_int_equal(rig_do(r, &op), SECTOR); /* of the first bytes, never more than asked for */
    op.len = UINT64_MAX;
    assert_true(rig_do(r, &op) <= (int64_t)BYTES); /* nor than there is */
    assert_int_equal(rig_on_handle(r, OP_EVICT, file, 0, 0), 0);
    assert_int_equal(rig_do(r, &op), 0);
    assert_int_equal(rig_shut(r, file), 0);
    assert_int_equal(rig_on_node(r, OP_SYNCFS, 0), 0);
}

/* What was not given up is kept, whatever is asked. */
static void what_was_not_given_up_is_kept(void **state)
{
    const struct rig *r = *state;
    char buf[512] = "new";
    uint64_t file;

    if (writable(r))
        return;
    set_bytes(0, 'k', 512);
    file = open_it(r, 0);
    assert_int_equal(rig_move(r, OP_WRITE, file, buf, 0, 512), -EOPNOTSUPP);
    assert_int_equal(rig_on_handle(r, OP_DISCARD, file, 0, SECTOR), -EOPNOTSUPP);
    assert_int_equal(rig_move(r, OP_READ, file, buf, 0, 512), 512);
    assert_int_equal(buf[511], 'k');
    assert_int_equal(rig_shut(r, file), 0);
    set_bytes(0, 0, 512); /* for the next */
}

static void read_gives_what_was_written(void **state)
{
    static const uint32_t manners[] = {0, OP_FLAG_DSYNC, OP_FLAG_SYNC, OP_FLAG_RANDOM,
                                       OP_FLAG_WRITE};
    const struct rig *r = *state;
    char buf[512];
    char back[512];

    if (!writable(r))
        return;
    for (size_t i = 0; i < RIG_COUNT(manners); i++) {
        uint64_t file = open_it(r, manners[i]);

        memset(buf, 'a' + (int)i, sizeof buf);
        assert_int_equal(rig_move(r, OP_WRITE, file, buf, 512 * i + 3, 500), 500);
        assert_int_equal(pread(loop.fd, back, 500, (off_t)(512 * i + 3)), 500);
        assert_memory_equal(buf, back, 500);
        assert_int_equal(rig_move(r, OP_READ, file, back, 512 * i + 3, 500),
                         manners[i] == OP_FLAG_WRITE ? -EBADF : 500);
        assert_int_equal(rig_on_handle(r, OP_FSYNC, file, 0, 0), 0);
        assert_int_equal(rig_shut(r, file), 0);
    }
    set_bytes(0, 0, SECTOR);
}

static void nothing_is_written_past_the_end(void **state)
{
    const struct rig *r = *state;
    static char buf[SECTOR];
    uint64_t file;

    if (!writable(r))
        return;
    file = open_it(r, 0);
    assert_int_equal(rig_move(r, OP_WRITE, file, buf, BYTES - 512, sizeof buf), 512);
    assert_int_equal(rig_move(r, OP_WRITE, file, buf, BYTES, sizeof buf), -ENOSPC);
    assert_int_equal(rig_shut(r, file), 0);
}

/* A loop device makes a hole in the file behind it. */
static void discard_gives_space_back(void **state)
{
    const struct rig *r = *state;
    char buf[SECTOR] = "";
    uint64_t file;

    if (!writable(r))
        return;
    file = open_it(r, 0);
    memset(buf, 'd', sizeof buf);
    assert_int_equal(rig_move(r, OP_WRITE, file, buf, 2 * SECTOR, sizeof buf), sizeof buf);
    assert_int_equal(rig_on_handle(r, OP_FSYNC, file, 0, 0), 0);
    assert_int_equal(rig_on_handle(r, OP_DISCARD, file, 2 * SECTOR, SECTOR), 0);
    assert_int_equal(rig_move(r, OP_READ, file, buf, 2 * SECTOR, sizeof buf), sizeof buf);
    for (size_t i = 0; i < sizeof buf; i++)
        assert_int_equal(buf[i], 0);
    assert_int_equal(rig_on_handle(r, OP_DISCARD, file, 3, SECTOR), -EINVAL);
    assert_int_equal(rig_on_handle(r, OP_DISCARD, file, BYTES, SECTOR), -EINVAL);
    assert_int_equal(rig_shut(r, file), 0);
}

/* Detached ones beside each other, each with its own bytes. */
static void helpers_write_and_read(void **state)
{
    enum { MANY = 4 };
    struct rig *r = *state;
    struct session_spec spec = rig_spec(MANY + 1);
    static char buf[MANY][SECTOR];
    struct op ops[MANY];
    struct op *list[MANY];
    struct op *done[MANY];
    struct err err = {0};
    int n = 0;

    if (!writable(r))
        return;
    r->table->session_close(r->session);
    spec.detached_max = MANY;
    assert_int_equal(r->table->session_open(r->target, &spec, &r->session, &err), 0);
    for (unsigned i = 0; i < MANY; i++) {
        memset(buf[i], 'A' + (int)i, SECTOR);
        ops[i] = (struct op){.kind = OP_WRITE,
                             .flags = OP_FLAG_DETACHED,
                             .handle = open_it(r, 0),
                             .buf = buf[i],
                             .off = (uint64_t)i * SECTOR,
                             .len = SECTOR};
        list[i] = &ops[i];
    }
    assert_int_equal(r->table->submit(r->session, list, MANY), MANY);
    while (n < MANY)
        n += r->table->reap(r->session, done, 1, MANY, UINT64_MAX);
    for (unsigned i = 0; i < MANY; i++) {
        char back[SECTOR];

        assert_int_equal(ops[i].res, SECTOR);
        assert_int_equal(rig_move(r, OP_READ, ops[0].handle, back, ops[i].off, SECTOR), SECTOR);
        assert_memory_equal(back, buf[i], SECTOR);
        if (i > 0)
            assert_int_equal(rig_shut(r, ops[i].handle), 0);
    }
    assert_int_equal(rig_shut(r, ops[0].handle), 0);
    for (unsigned i = 0; i < MANY; i++)
        set_bytes((uint64_t)i * SECTOR, 0, SECTOR);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(caps_say_what_it_is),
    cmocka_unit_test(every_open_opens_the_one_file),
    cmocka_unit_test(read_is_short_at_the_end_only),
    cmocka_unit_test(stat_tells_the_size),
    cmocka_unit_test(direct_wants_whole_sectors),
    cmocka_unit_test(what_is_kept_is_told_and_dropped),
    cmocka_unit_test(what_was_not_given_up_is_kept),
    cmocka_unit_test(read_gives_what_was_written),
    cmocka_unit_test(nothing_is_written_past_the_end),
    cmocka_unit_test(discard_gives_space_back),
    cmocka_unit_test(helpers_write_and_read),
};

int main(void)
{
    char address[2][64];
    struct rig_case cases[2] = {{address[0]}, {address[1]}};
    struct err err = {0};
    int failed;

    if (!loop_open(&loop, (off_t)BYTES)) {
        print_message("[  SKIPPED ] no loop device to be had\n");
        return 77;
    }
    snprintf(address[0], sizeof address[0], "dev:%s", loop.path);
    snprintf(address[1], sizeof address[1], "fault:dev:%s", loop.path);
    failed = rig_run("device for reading", tests, RIG_COUNT(tests), cases, 2);
    if (target_allow_destroy(loop.path, &err) < 0)
        print_message("%s\n", err.text);
    else
        failed += rig_run("device given up", tests, RIG_COUNT(tests), cases, 2);
    loop_close(&loop);
    return failed;
}
