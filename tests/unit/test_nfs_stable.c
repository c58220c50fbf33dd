/* Writes of the NFS client: nothing is lost which was said to be stable, whenever the server starts anew. */
#include "ops_do.h"

static unsigned commits(void)
{
    return rig.made_of[NFS3_COMMIT];
}

static void what_is_unstable_is_committed_once(void **state)
{
    uint64_t h;

    (void)state;
    begin();
    fill_pattern(5);
    h = file(OP_CREATE, 0, 0, "f");
    assert_int_equal(move(OP_WRITE, h, pattern, 0, 40), 40);
    assert_kept("", 0);
    assert_int_equal(on_handle(OP_FSYNC, h), 0);
    assert_kept(pattern, 40);
    assert_int_equal(on_handle(OP_FSYNC, h), 0);
    assert_int_equal(on_handle(OP_CLOSE, h), 0);
    assert_int_equal(commits(), 1);
    ops_rig_close(s);
}

static void whole_small_file_is_stable_at_once(void **state)
{
    struct op all = {.kind = OP_WRITE, .flags = OP_FLAG_ALL, .buf = pattern, .len = 16};

    (void)state;
    begin();
    fill_pattern(6);
    all.handle = file(OP_CREATE, 0, 0, "f");
    assert_int_equal(ops_rig_do(s, &all), 16);
    assert_kept(pattern, 16);
    all.len = 17; /* two WRITEs */
    assert_int_equal(ops_rig_do(s, &all), 17);
    assert_kept(pattern, 16);
    assert_int_equal(on_handle(OP_CLOSE, all.handle), 0);
    assert_kept(pattern, 17);
    assert_int_equal(commits(), 1);
    ops_rig_close(s);
}

static void sync_handles_and_words_are_stable_at_once(void **state)
{
    static const struct {
        enum nfs_sync sync;
        uint32_t flags;
        bool stable;
    } cases[] = {{NFS_SYNC_AUTO, OP_FLAG_DSYNC, true},
                 {NFS_SYNC_UNSTABLE, OP_FLAG_SYNC, true},
                 {NFS_SYNC_FILE, 0, true},
                 {NFS_SYNC_DATA, 0, true},
                 {NFS_SYNC_UNSTABLE, 0, false},
                 {NFS_SYNC_AUTO, 0, false}};

    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t h;

        toy_reset();
        s = ops_rig_open((struct session_spec){.handles_max = 8}, cases[i].sync);
        h = file(OP_CREATE, cases[i].flags, 0, "f");
        assert_int_equal(move(OP_WRITE, h, pattern, 0, 30), 30);
        assert_kept(pattern, cases[i].stable ? 30 : 0);
        assert_int_equal(on_handle(OP_CLOSE, h), 0);
        assert_kept(pattern, 30);
        assert_int_equal(commits(), cases[i].stable ? 0 : 1);
        ops_rig_close(s);
    }
}

/* A server that makes nothing stable is made to. */
static void sync_write_is_committed_where_the_server_forgets_to(void **state)
{
    uint64_t h;

    (void)state;
    begin();
    toy.never_stable = true;
    h = file(OP_CREATE, OP_FLAG_DSYNC, 0, "f");
    assert_int_equal(move(OP_WRITE, h, pattern, 0, 30), 30);
    assert_kept(pattern, 30);
    ops_rig_close(s);
}

/* Less than was asked for is not enough, though it is something. */
static void file_sync_that_became_data_sync_is_committed(void **state)
{
    uint64_t h;

    (void)state;
    begin();
    toy.data_only = true;
    h = file(OP_CREATE, OP_FLAG_SYNC, 0, "f");
    assert_int_equal(move(OP_WRITE, h, pattern, 0, 30), 30);
    assert_int_equal(commits(), 1);
    ops_rig_close(s);
}

static void fill_again(const void *ctx, const uint64_t origin[3], uint64_t off, void *buf,
                       uint64_t len)
{
    (void)ctx;
    for (uint64_t i = 0; i < len; i++)
        ((unsigned char *)buf)[i] = (unsigned char)(origin[0] + 5 * (off + i));
}

/* Bytes that fill_again can make again; APPEND: of what is appended. */
static int64_t write_made(uint64_t h, enum op_kind kind, uint64_t seed, uint64_t off, uint64_t len)
{
    unsigned char buf[TOY_BYTES];
    struct op op = {.kind = kind,
                    .flags = OP_FLAG_ORIGIN,
                    .handle = h,
                    .buf = buf,
                    .off = off,
                    .len = len,
                    .origin = {seed}};
    int64_t res;

    fill_again(NULL, op.origin, kind == OP_APPEND ? 0 : off, buf, len);
    res = ops_rig_do(s, &op);
    memset(buf, 0xee, sizeof buf);
    return res;
}

static uint64_t begin_made(void)
{
    toy_reset();
    s = ops_rig_open((struct session_spec){.remake = {.fill = fill_again}, .handles_max = 8},
                     NFS_SYNC_AUTO);
    return file(OP_CREATE, 0, 0, "f");
}

static void expect_made(unsigned char *to, uint64_t seed, uint64_t first, uint64_t len)
{
    uint64_t origin[3] = {seed};

    fill_again(NULL, origin, first, to, len);
}

/* The server starts anew between WRITE and COMMIT: overwrites, appends, copies and what can be made again. */
static void what_a_server_forgot_is_written_again_in_order(void **state)
{
    unsigned char want[TOY_BYTES];
    unsigned char copied[20];
    uint64_t h = begin_made();

    (void)state;
    memset(copied, 'c', sizeof copied);
    assert_int_equal(write_made(h, OP_WRITE, 1, 0, 50), 50);
    assert_int_equal(write_made(h, OP_WRITE, 1, 50, 50), 50);
    assert_int_equal(write_made(h, OP_WRITE, 2, 30, 40), 40);
    assert_int_equal(move(OP_WRITE, h, copied, 60, 20), 20);
    memset(copied, 'x', sizeof copied); /* the buffer is the caller's again */
    assert_int_equal(write_made(h, OP_APPEND, 9, 0, 30), 30);
    toy_restart();
    assert_int_equal(on_handle(OP_FSYNC, h), 0);
    expect_made(want, 1, 0, 100);
    expect_made(want + 30, 2, 30, 40);
    memset(want + 60, 'c', 20);
    expect_made(want + 100, 9, 0, 30);
    assert_kept(want, 130);
    assert_int_equal(COUNT(verifier_changes), 1);
    assert_int_equal(COUNT(rewritten_bytes), 100 + 40 + 20 + 30);
    assert_int_equal(commits(), 2);
    assert_int_equal(on_handle(OP_CLOSE, h), 0);
    assert_int_equal(commits(), 2);
    ops_rig_close(s);
}

/* Whenever it happens, and however often: nothing is lost. */
static void a_restart_at_any_call_loses_nothing(void **state)
{
    (void)state;
    for (unsigned at = 1; at < 40; at++) {
        unsigned char want[TOY_BYTES];
        uint64_t h = begin_made();

        toy.restart_after = at;
        assert_int_equal(write_made(h, OP_WRITE, 1, 0, 100), 100);
        assert_int_equal(write_made(h, OP_WRITE, 2, 20, 50), 50);
        toy_restart();
        assert_int_equal(write_made(h, OP_WRITE, 3, 60, 50), 50);
        assert_int_equal(on_handle(OP_CLOSE, h), 0);
        expect_made(want, 1, 0, 100);
        expect_made(want + 20, 2, 20, 50);
        expect_made(want + 60, 3, 60, 50);
        assert_kept(want, 110);
        ops_rig_close(s);
    }
}

/* What was wrong: where the server forgot how far the file had come, the next append was put over the one
 * before. */
static void an_append_goes_behind_what_a_server_forgot(void **state)
{
    struct op cut = {.kind = OP_TRUNCATE, .len = 25};
    unsigned char want[TOY_BYTES];
    uint64_t h = begin_made();

    (void)state;
    assert_int_equal(write_made(h, OP_APPEND, 1, 0, 30), 30);
    toy_restart();
    assert_int_equal(write_made(h, OP_APPEND, 2, 0, 20), 20);
    assert_int_equal(on_handle(OP_FSYNC, h), 0);
    expect_made(want, 1, 0, 30);
    expect_made(want + 30, 2, 0, 20);
    assert_kept(want, 50);
    cut.handle = h;
    assert_int_equal(ops_rig_do(s, &cut), 0);
    assert_int_equal(write_made(h, OP_APPEND, 3, 0, 10), 10);
    assert_int_equal(on_handle(OP_CLOSE, h), 0);
    expect_made(want + 25, 3, 0, 10);
    assert_kept(want, 35);
    h = file(OP_OPEN, 0, 0, "f");
    assert_int_equal(write_made(h, OP_APPEND, 4, 0, 10), 10);
    assert_int_equal(on_handle(OP_CLOSE, h), 0);
    expect_made(want + 35, 4, 0, 10);
    assert_kept(want, 45);
    ops_rig_close(s);
}

static void writing_again_does_not_undo_what_was_stable(void **state)
{
    unsigned char want[TOY_BYTES];
    uint64_t h = begin_made();

    (void)state;
    assert_int_equal(write_made(h, OP_WRITE, 1, 0, 60), 60);
    toy.all_stable = true;
    assert_int_equal(write_made(h, OP_WRITE, 2, 10, 20), 20);
    toy.all_stable = false;
    toy_restart();
    assert_int_equal(on_handle(OP_CLOSE, h), 0);
    expect_made(want, 1, 0, 60);
    expect_made(want + 10, 2, 10, 20);
    assert_kept(want, 60);
    ops_rig_close(s);
}

static void what_was_cut_off_is_not_written_again(void **state)
{
    struct op cut = {.kind = OP_TRUNCATE, .len = 25};
    unsigned char want[TOY_BYTES];
    uint64_t h = begin_made();

    (void)state;
    assert_int_equal(write_made(h, OP_WRITE, 1, 0, 40), 40);
    assert_int_equal(write_made(h, OP_WRITE, 2, 40, 40), 40);
    assert_int_equal(move(OP_WRITE, h, pattern, 20, 10), 10);
    cut.handle = h;
    assert_int_equal(ops_rig_do(s, &cut), 0);
    toy_restart();
    assert_int_equal(on_handle(OP_CLOSE, h), 0);
    expect_made(want, 1, 0, 20);
    memcpy(want + 20, pattern, 5);
    assert_kept(want, 25);
    ops_rig_close(s);
}

/* What cannot be remembered is made stable before the op ends, and counted. */
static void no_room_to_remember_costs_no_data(void **state)
{
    unsigned char want[TOY_BYTES];
    uint64_t h = begin_made();

    (void)state;
    rig.s->ops->unstable.room = 70; /* NFS_RECORDS_RESERVE and a few */
    for (uint64_t i = 0; i < 12; i++)
        assert_int_equal(write_made(h, OP_WRITE, i, 20 * i, 10), 10);
    assert_true(COUNT(forced_commits) > 0);
    toy_restart();
    assert_int_equal(on_handle(OP_CLOSE, h), 0);
    memset(want, 0, sizeof want);
    for (uint64_t i = 0; i < 12; i++)
        expect_made(want + 20 * i, i, 20 * i, 10);
    assert_kept(want, 230);
    assert_int_equal(rig.s->ops->unstable.used, 0);
    rig.s->ops->unstable.room = 10; /* nothing of this file to commit */
    h = file(OP_OPEN, 0, 0, "f");
    assert_int_equal(write_made(h, OP_WRITE, 7, 0, 10), 10);
    expect_made(want, 7, 0, 10);
    assert_kept(want, 230);
    ops_rig_close(s);
}

static void commit_that_fails_is_the_error_of_the_op(void **state)
{
    uint64_t h;

    (void)state;
    begin();
    h = file(OP_CREATE, 0, 0, "f");
    assert_int_equal(move(OP_WRITE, h, pattern, 0, 10), 10);
    toy.commit_status = 28; /* no space */
    assert_int_equal(on_handle(OP_FSYNC, h), -ENOSPC);
    assert_int_equal(move(OP_WRITE, h, pattern, 0, 10), 10);
    assert_int_equal(on_handle(OP_CLOSE, h), -ENOSPC);
    assert_int_equal(on_handle(OP_CLOSE, h), -EBADF);
    assert_int_equal(rig.s->ops->unstable.used, 0);
    ops_rig_close(s);
}

static void syncfs_commits_every_open_file(void **state)
{
    uint64_t f, g, h;

    (void)state;
    begin();
    f = file(OP_CREATE, 0, 0, "f");
    g = file(OP_CREATE, 0, 0, "g");
    h = file(OP_CREATE, 0, 0, "h");
    assert_int_equal(move(OP_WRITE, f, pattern, 0, 10), 10);
    assert_int_equal(move(OP_WRITE, h, pattern, 0, 10), 10);
    assert_int_equal(on_node(OP_SYNCFS, 0), 0);
    assert_int_equal(commits(), 2);
    assert_int_equal(on_node(OP_SYNCFS, 0), 0);
    assert_int_equal(commits(), 2);
    assert_kept(pattern, 10);
    assert_int_equal(move(OP_WRITE, f, pattern, 0, 10), 10);
    assert_int_equal(move(OP_WRITE, g, pattern, 0, 10), 10);
    toy.commit_status = 5;
    assert_int_equal(on_node(OP_SYNCFS, 0), -EIO);
    assert_int_equal(commits(), 4); /* the second one was not left out */
    ops_rig_close(s);
}

/* The place of a file that is closed meanwhile may be another file's when its COMMIT comes back. */
static void file_may_be_closed_while_it_is_committed(void **state)
{
    struct op sync = {.kind = OP_SYNCFS}, close = {.kind = OP_CLOSE};
    struct op open = {.kind = OP_CREATE, .leaf = "g"};
    struct op *list[] = {&sync, &close, &open};
    struct op *done[3];
    unsigned reaped = 0;
    uint64_t h = begin_made();

    (void)state;
    assert_int_equal(write_made(h, OP_WRITE, 1, 0, 10), 10);
    close.handle = h;
    assert_int_equal(nfs_submit(s, list, 3), 3);
    while (reaped < 3)
        reaped += (unsigned)nfs_reap(s, done, 1, 3, UINT64_MAX);
    assert_int_equal(sync.res | close.res | open.res, 0);
    assert_int_equal(on_handle(OP_CLOSE, open.handle), 0);
    assert_int_equal(commits(), 2);
    ops_rig_close(s);
}

/* An FSYNC came back at once, while another one was still writing again what the server had forgotten. */
static void no_fsync_ends_before_what_another_commits_is_there(void **state)
{
    struct op sync[2] = {{.kind = OP_FSYNC}, {.kind = OP_FSYNC}};
    struct op *list[] = {&sync[0], &sync[1]};
    struct op *done[2];
    unsigned char want[TOY_BYTES];
    uint64_t h = begin_made();

    (void)state;
    expect_made(want, 1, 0, 100);
    assert_int_equal(write_made(h, OP_WRITE, 1, 0, 100), 100);
    toy_restart();
    sync[0].handle = sync[1].handle = h;
    assert_int_equal(nfs_submit(s, list, 2), 2);
    for (unsigned reaped = 0; reaped < 2;) {
        reaped += (unsigned)nfs_reap(s, done, 1, 1, UINT64_MAX);
        assert_int_equal(done[0]->res, 0);
        assert_kept(want, 100);
    }
    assert_int_equal(on_handle(OP_CLOSE, h), 0);
    ops_rig_close(s);
}

/* Was asked for ever. */
static void a_verifier_that_never_stays_is_an_error(void **state)
{
    (void)state;
    for (uint64_t len = 10; len <= 100; len += 90) { /* in one piece, and in several */
        uint64_t h = begin_made();

        toy.fickle = true;
        assert_int_equal(write_made(h, OP_WRITE, 1, 0, len), len);
        assert_int_equal(on_handle(OP_FSYNC, h), -EIO);
        assert_in_range(rig.made, NFS_AGAIN_ROUNDS, 20 * NFS_AGAIN_ROUNDS);
        assert_int_equal(rig.s->ops->unstable.used, 0);
        ops_rig_close(s);
    }
}

/* Leaked the buffer that content was made again in. */
static void session_ends_while_it_writes_again(void **state)
{
    struct op sync = {.kind = OP_FSYNC}, *list = &sync;
    uint64_t h = begin_made();

    (void)state;
    assert_int_equal(write_made(h, OP_WRITE, 1, 0, 100), 100);
    toy_restart();
    sync.handle = h;
    assert_int_equal(nfs_submit(s, &list, 1), 1);
    for (unsigned made = rig.made_of[NFS3_WRITE]; rig.made_of[NFS3_WRITE] == made;)
        assert_int_equal(nfs_reap(s, &list, 0, 1, 0), 0);
    ops_rig_close(s);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(file_sync_that_became_data_sync_is_committed),
        cmocka_unit_test(no_fsync_ends_before_what_another_commits_is_there),
        cmocka_unit_test(a_verifier_that_never_stays_is_an_error),
        cmocka_unit_test(session_ends_while_it_writes_again),
        cmocka_unit_test(what_is_unstable_is_committed_once),
        cmocka_unit_test(whole_small_file_is_stable_at_once),
        cmocka_unit_test(sync_handles_and_words_are_stable_at_once),
        cmocka_unit_test(sync_write_is_committed_where_the_server_forgets_to),
        cmocka_unit_test(what_a_server_forgot_is_written_again_in_order),
        cmocka_unit_test(a_restart_at_any_call_loses_nothing),
        cmocka_unit_test(an_append_goes_behind_what_a_server_forgot),
        cmocka_unit_test(writing_again_does_not_undo_what_was_stable),
        cmocka_unit_test(what_was_cut_off_is_not_written_again),
        cmocka_unit_test(no_room_to_remember_costs_no_data),
        cmocka_unit_test(commit_that_fails_is_the_error_of_the_op),
        cmocka_unit_test(syncfs_commits_every_open_file),
        cmocka_unit_test(file_may_be_closed_while_it_is_committed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
