/* uring_priv.h: what the uring target promises beyond the contract: it does the same on a kernel that has
 * less, holds directories that ops under way name, and leaves nothing under way when it is closed. */
#include "target/uring_priv.h"

#include "target/catalog_priv.h"

#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DIRS  40u
#define BLOCK 4096u

struct box {
    char dir[64];
    struct target *t;
    struct session *s;
};

/* Node n is "dn" in the root. */
static int parent_of(const void *ctx, uint64_t node, uint64_t *parent, char leaf[TARGET_LEAF_MAX])
{
    (void)ctx;
    if (node == TARGET_NODE_ROOT || node > DIRS)
        return -EINVAL;
    *parent = TARGET_NODE_ROOT;
    snprintf(leaf, TARGET_LEAF_MAX, "d%u", (unsigned)node);
    return 0;
}

static struct uring_target *target_of(const struct box *b)
{
    return (struct uring_target *)b->t;
}

static const struct uring_session *session_of(const struct box *b)
{
    return (const struct uring_session *)b->s;
}

static void open_target(struct box *b)
{
    struct err err = {0};

    snprintf(b->dir, sizeof b->dir, "/tmp/uring-XXXXXX");
    assert_non_null(mkdtemp(b->dir));
    if (uring_target.open(b->dir, &b->t, &err) < 0)
        fail_msg("%s", err.text);
}

static void open_session(struct box *b, uint32_t op_kinds, unsigned ops_max)
{
    const struct session_spec spec = {.names = {.parent = parent_of},
                                      .op_kinds = op_kinds,
                                      .ops_max = ops_max,
                                      .handles_max = 64,
                                      .dirs_max = 8};
    struct err err = {0};

    if (uring_target.session_open(b->t, &spec, &b->s, &err) < 0)
        fail_msg("%s", err.text);
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *where)
{
    (void)st;
    (void)type;
    (void)where;
    return remove(path);
}

static void close_all(struct box *b)
{
    uring_target.session_close(b->s);
    uring_target.close(b->t);
    nftw(b->dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static int64_t run(const struct box *b, struct op op, uint64_t *handle)
{
    int64_t res = target_do(&uring_target, b->s, &op);

    if (handle != NULL)
        *handle = op.handle;
    return res;
}

/* What there is to do with one file, its directory included. */
static void do_everything(const struct box *b)
{
    char data[BLOCK];
    char back[BLOCK];
    char list[BLOCK];
    struct target_stat st;
    uint64_t h = 0;

    memset(data, 'x', sizeof data);
    assert_int_equal(run(b, (struct op){.kind = OP_MKDIR, .node = 1}, NULL), 0);
    assert_int_equal(
        run(b, (struct op){.kind = OP_CREATE, .node = 1, .leaf = "f", .flags = OP_FLAG_RANDOM}, &h),
        0);
    assert_int_equal(
        run(b, (struct op){.kind = OP_WRITE, .handle = h, .buf = data, .len = BLOCK}, NULL), BLOCK);
    assert_int_equal(
        run(b, (struct op){.kind = OP_APPEND, .handle = h, .buf = data, .len = 10}, NULL), 10);
    assert_int_equal(
        run(b, (struct op){.kind = OP_STAT, .flags = OP_FLAG_HANDLE, .handle = h, .buf = &st},
            NULL),
        0);
    assert_int_equal(st.size_bytes, BLOCK + 10);
    assert_int_equal(run(b, (struct op){.kind = OP_TRUNCATE, .handle = h, .len = BLOCK}, NULL), 0);
    assert_int_equal(
        run(b, (struct op){.kind = OP_READ, .handle = h, .buf = back, .len = BLOCK}, NULL), BLOCK);
    assert_memory_equal(data, back, BLOCK);
    assert_int_equal(run(b, (struct op){.kind = OP_RESIDENT, .handle = h, .len = BLOCK}, NULL),
                     BLOCK);
    assert_int_equal(uring_target.lock(b->s, h), 0);
    assert_int_equal(run(b, (struct op){.kind = OP_FSYNC, .handle = h}, NULL), 0);
    assert_int_equal(run(b, (struct op){.kind = OP_CLOSE, .handle = h}, NULL), 0);
    assert_int_equal(run(b, (struct op){.kind = OP_CLOSE, .handle = h}, NULL), -EBADF);
    assert_int_equal(run(b, (struct op){.kind = OP_STAT, .node = 1, .leaf = "f", .buf = &st}, NULL),
                     0);
    assert_int_equal(st.size_bytes, BLOCK);
    assert_true(run(b, (struct op){.kind = OP_READDIR, .node = 1, .buf = list, .len = sizeof list},
                    NULL) > 0);
    assert_string_equal(((struct target_dirent *)(void *)list)->name, "f");
    assert_int_equal(run(b, (struct op){.kind = OP_UNLINK, .node = 1, .leaf = "f"}, NULL), 0);
    assert_int_equal(run(b, (struct op){.kind = OP_RMDIR, .node = 1}, NULL), 0);
}

/* A kernel with little: descriptors instead of registered files, TRUNCATE by a helper, waiting for a
 * time that is counted from now, and none of the setups that make it cheap. */
static void less_of_a_kernel_does_the_same(void **state)
{
    static const struct uring_offer offers[] = {
        {.setup = 0},
        {.setup = IORING_SETUP_SUBMIT_ALL | IORING_SETUP_COOP_TASKRUN, .has_truncate = true},
    };
    struct box b;
    struct op *done[1];

    (void)state;
    for (unsigned i = 0; i < sizeof offers / sizeof offers[0]; i++) {
        open_target(&b);
        target_of(&b)->offer = offers[i];
        open_session(&b, 0, 4);
        assert_false(session_of(&b)->files.registered);
        do_everything(&b);
        assert_int_equal(uring_target.reap(b.s, done, 1, 1, 1), 0);
        close_all(&b);
    }
}

/* What a file system does at a descriptor's close is left out at that of a registered file: so those have
 * descriptors whose close may do something. */
static void files_are_registered_only_where_close_does_nothing(void **state)
{
    struct box b;

    (void)state;
    open_target(&b);
    assert_null(target_of(&b)->files_why_not); /* /tmp lies on one of those that are known */
    open_session(&b, 0, 4);
    assert_true(session_of(&b)->files.registered || !target_of(&b)->offer.has_install);
    do_everything(&b);
    uring_target.session_close(b.s);
    target_of(&b)->files_why_not = "a test";
    open_session(&b, 0, 4);
    assert_false(session_of(&b)->files.registered);
    do_everything(&b);
    close_all(&b);
    assert_non_null(uring_files_why_not(open("/proc", O_RDONLY | O_CLOEXEC)));
}

/* No op that a session will not be asked for keeps it from registering files. */
static void only_ops_that_will_come_matter(void **state)
{
    struct box b;

    (void)state;
    open_target(&b);
    target_of(&b)->offer.has_install = false;
    target_of(&b)->offer.has_truncate = false;
    open_session(&b, 1u << OP_OPEN | 1u << OP_READ | 1u << OP_CLOSE, 4);
    assert_true(session_of(&b)->files.registered);
    assert_null(session_of(&b)->late.helpers);
    assert_int_equal(run(&b, (struct op){.kind = OP_READDIR}, NULL), -EOPNOTSUPP);
    close_all(&b);
}

/* More directories at once than are kept open: what an op under way names stays open, the rest is
 * refused until something came back, and every file lies where it belongs. */
static void directories_of_ops_under_way_stay_open(void **state)
{
    struct box b;
    struct op op[DIRS];
    struct op *list[DIRS];
    struct op *done[DIRS];
    unsigned given = 0, got = 0;
    char path[128];

    (void)state;
    open_target(&b);
    open_session(&b, 0, DIRS);
    for (unsigned i = 0; i < DIRS; i++) {
        assert_int_equal(run(&b, (struct op){.kind = OP_MKDIR, .node = i + 1}, NULL), 0);
        op[i] = (struct op){.kind = OP_CREATE, .node = i + 1, .leaf = "f"};
        list[i] = &op[i];
    }
    assert_int_equal(uring_target.submit(b.s, list, DIRS), 8); /* dirs_max */
    for (given = 8; got < DIRS;) {
        got += (unsigned)uring_target.reap(b.s, done, 1, DIRS, UINT64_MAX);
        given += (unsigned)uring_target.submit(b.s, &list[given], DIRS - given);
    }
    for (unsigned i = 0; i < DIRS; i++) {
        assert_int_equal(op[i].res, 0);
        snprintf(path, sizeof path, "%s/d%u/f", b.dir, i + 1);
        assert_int_equal(access(path, F_OK), 0);
    }
    close_all(&b);
}

/* In what was registered, across its end, and outside: the same bytes. */
static void registered_buffers_change_nothing(void **state)
{
    enum { BYTES = 8 * BLOCK };
    struct box b;
    char *memory = aligned_alloc(BLOCK, 2 * BYTES);
    uint64_t h = 0;

    (void)state;
    assert_non_null(memory);
    open_target(&b);
    open_session(&b, 0, 4);
    uring_target.buffers(b.s, memory, BYTES);
    assert_int_equal(session_of(&b)->buffers.bytes, BYTES);
    assert_int_equal(run(&b, (struct op){.kind = OP_CREATE, .leaf = "f"}, &h), 0);
    for (unsigned at = 0; at < 2 * BYTES; at += BYTES / 2) {
        memset(memory, 0, 2 * BYTES);
        memset(memory + at, 'a' + (int)(at / BLOCK), BLOCK);
        assert_int_equal(
            run(&b, (struct op){.kind = OP_WRITE, .handle = h, .buf = memory + at, .len = BLOCK},
                NULL),
            BLOCK);
        char *to = memory + BYTES - BLOCK / 2; /* across the end */
        assert_int_equal(
            run(&b, (struct op){.kind = OP_READ, .handle = h, .buf = to, .len = BLOCK}, NULL),
            BLOCK);
        for (unsigned i = 0; i < BLOCK; i++)
            assert_int_equal(to[i], 'a' + (int)(at / BLOCK));
    }
    close_all(&b);
    free(memory);
}

static void keep_buffers_fact(void *ctx, const char *key, const char *value, const char *unit)
{
    (void)unit;
    if (strcmp(key, "registered_buffers") == 0)
        snprintf(ctx, 64, "%s", value);
}

static const char *buffers_fact(const struct box *b, char words[64])
{
    const struct target_sink sink = {.put = keep_buffers_fact, .ctx = words};

    words[0] = '\0';
    uring_target.describe(b->t, &sink);
    return words;
}

/* Of several sessions the last one spoke for all: "yes", though another had none. */
static void buffers_of_some_sessions_are_said_to_be_of_some(void **state)
{
    struct box b;
    char words[64];
    struct session *first;
    char *memory = aligned_alloc(BLOCK, BLOCK);

    (void)state;
    assert_non_null(memory);
    open_target(&b);
    open_session(&b, 0, 4);
    assert_string_equal(buffers_fact(&b, words), "");
    first = b.s;
    uring_target.buffers(first, (void *)(uintptr_t)BLOCK, BLOCK); /* where nothing is */
    assert_string_equal(buffers_fact(&b, words), "no: EFAULT");
    open_session(&b, 0, 4);
    uring_target.buffers(b.s, memory, BLOCK);
    assert_string_equal(buffers_fact(&b, words), "some sessions: EFAULT");
    uring_target.session_close(first);
    close_all(&b);
    free(memory);
}

/* A read of a FIFO would wait for ever: closing takes it back. */
static void closing_leaves_nothing_under_way(void **state)
{
    struct box b;
    char path[96];
    char buf[8] = "";
    uint64_t h = 0;
    struct op *list[1];

    (void)state;
    open_target(&b);
    open_session(&b, 0, 4);
    snprintf(path, sizeof path, "%s/fifo", b.dir);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(run(&b, (struct op){.kind = OP_OPEN, .leaf = "fifo"}, &h), 0);
    struct op op = {.kind = OP_READ, .handle = h, .buf = buf, .len = sizeof buf, .res = 77};
    list[0] = &op;
    assert_int_equal(uring_target.submit(b.s, list, 1), 1);
    close_all(&b);
}

/* It closed descriptor 0, as often as there may be listings. */
static void a_session_that_cannot_be_opened_closes_nothing_else(void **state)
{
    const struct session_spec spec = {
        .names = {.parent = parent_of}, .ops_max = 4, .handles_max = 1u << 30, .dirs_max = 8};
    struct box b;
    struct err err = {0};

    (void)state;
    assert_true(fcntl(0, F_GETFD) >= 0);
    open_target(&b);
    assert_true(uring_target.session_open(b.t, &spec, &b.s, &err) < 0);
    assert_true(fcntl(0, F_GETFD) >= 0);
    b.s = NULL;
    close_all(&b);
}

/* A wake that came with the lock was taken for nothing, and no later one was waited for. */
static void locking_leaves_the_wake_in_place(void **state)
{
    struct box b;
    struct op *done[1];
    uint64_t h = 0;

    (void)state;
    open_target(&b);
    open_session(&b, 0, 4);
    assert_int_equal(run(&b, (struct op){.kind = OP_CREATE, .leaf = "f"}, &h), 0);
    uring_target.wake(b.s);
    assert_int_equal(run(&b, (struct op){.kind = OP_NOP}, NULL), 0);
    assert_int_equal(uring_target.lock(b.s, h), 0);
    assert_int_equal(uring_target.reap(b.s, done, 1, 1, UINT64_MAX), 0);
    uring_target.wake(b.s);
    assert_int_equal(uring_target.reap(b.s, done, 1, 1, UINT64_MAX), 0);
    assert_int_equal(run(&b, (struct op){.kind = OP_NOP}, NULL), 0);
    struct pollfd read_by_ring = {.fd = session_of(&b)->wake.event_fd, .events = POLLIN};
    assert_int_equal(poll(&read_by_ring, 1, 0), 0);
    close_all(&b);
}

/* An op of the ring was not looked for as long as others were ready at once. */
static void ops_that_are_ready_at_once_hold_none_back(void **state)
{
    struct box b;
    char path[96];
    char buf[8] = "";
    uint64_t h = 0;
    struct op *done[4];
    struct op look = {.kind = OP_LOOKUP};
    struct op *looks[] = {&look};
    bool came = false;

    (void)state;
    open_target(&b);
    open_session(&b, 0, 4);
    snprintf(path, sizeof path, "%s/fifo", b.dir);
    assert_int_equal(mkfifo(path, 0600), 0);
    int fifo = open(path, O_RDWR | O_CLOEXEC);
    assert_true(fifo >= 0);
    assert_int_equal(run(&b, (struct op){.kind = OP_OPEN, .leaf = "fifo"}, &h), 0);
    struct op op = {.kind = OP_READ, .handle = h, .buf = buf, .len = 1};
    struct op *list[] = {&op};
    assert_int_equal(uring_target.submit(b.s, list, 1), 1);
    assert_int_equal(uring_target.reap(b.s, done, 1, 4, 1), 0);
    assert_int_equal(write(fifo, "x", 1), 1);
    for (unsigned i = 0; !came && i < 100000; i++) {
        assert_int_equal(uring_target.submit(b.s, looks, 1), 1);
        int n = uring_target.reap(b.s, done, 1, 4, UINT64_MAX);
        for (int k = 0; k < n; k++)
            came |= done[k] == &op;
    }
    assert_true(came);
    assert_int_equal(op.res, 1);
    close(fifo);
    close_all(&b);
}

/* No more than 64 were under way of those that need a note, and nobody was told. */
static void as_many_are_under_way_as_streams_ask_for(void **state)
{
    enum { OPS = 200 };
    static struct op op[OPS];
    static struct target_stat st[OPS];
    struct op *list[OPS];
    struct op *done[OPS];
    struct box b;

    (void)state;
    open_target(&b);
    open_session(&b, 0, OPS);
    for (unsigned i = 0; i < OPS; i++) {
        op[i] = (struct op){.kind = OP_STAT, .leaf = "nothing", .buf = &st[i]};
        list[i] = &op[i];
    }
    assert_int_equal(uring_target.submit(b.s, list, OPS), OPS);
    for (unsigned got = 0; got < OPS;)
        got += (unsigned)uring_target.reap(b.s, done, 1, OPS, UINT64_MAX);
    for (unsigned i = 0; i < OPS; i++)
        assert_int_equal(op[i].res, -ENOENT);
    close_all(&b);
}

static void note_files(void *ctx, const char *key, const char *value, const char *unit)
{
    (void)unit;
    if (strcmp(key, "registered_files") == 0)
        snprintf(ctx, 64, "%s", value);
}

/* A session that opens no file was said to be on a kernel that lacks ops. */
static void no_reason_is_told_where_there_is_none(void **state)
{
    const struct session_spec spec = {.names = {.parent = parent_of}, .ops_max = 4, .dirs_max = 8};
    struct box b;
    struct err err = {0};
    char said[64] = "";
    const struct target_sink sink = {.put = note_files, .ctx = said};

    (void)state;
    open_target(&b);
    assert_int_equal(uring_target.session_open(b.t, &spec, &b.s, &err), 0);
    uring_target.describe(b.t, &sink);
    assert_string_equal(said, "");
    close_all(&b);
}

static void a_refusal_says_why_and_what_to_use(void **state)
{
    static const struct {
        int code;
        int disabled;
        const char *words;
    } cases[] = {
        {-EPERM, 2, "switched off on this machine (kernel.io_uring_disabled = 2)"},
        {-EPERM, 1, "kernel.io_uring_group"},
        {-EPERM, 0, "seccomp"},
        {-EPERM, -1, "seccomp"},
        {-ENOSYS, -1, "this kernel has none"},
        {-ENOMEM, 0, "ulimit -l"},
        {-EMFILE, 0, "ulimit -n"},
    };

    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct err err = {0};

        assert_int_equal(uring_refused("/dir", cases[i].code, cases[i].disabled, &err),
                         cases[i].code);
        assert_non_null(strstr(err.text, cases[i].words));
        assert_non_null(strstr(err.text, "the same command with /dir for the target"));
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(less_of_a_kernel_does_the_same),
        cmocka_unit_test(files_are_registered_only_where_close_does_nothing),
        cmocka_unit_test(only_ops_that_will_come_matter),
        cmocka_unit_test(directories_of_ops_under_way_stay_open),
        cmocka_unit_test(registered_buffers_change_nothing),
        cmocka_unit_test(buffers_of_some_sessions_are_said_to_be_of_some),
        cmocka_unit_test(closing_leaves_nothing_under_way),
        cmocka_unit_test(a_session_that_cannot_be_opened_closes_nothing_else),
        cmocka_unit_test(locking_leaves_the_wake_in_place),
        cmocka_unit_test(ops_that_are_ready_at_once_hold_none_back),
        cmocka_unit_test(as_many_are_under_way_as_streams_ask_for),
        cmocka_unit_test(no_reason_is_told_where_there_is_none),
        cmocka_unit_test(a_refusal_says_why_and_what_to_use),
    };

    return cmocka_run_group_tests_name("uring", tests, NULL, NULL);
}
