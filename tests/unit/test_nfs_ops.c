/* Ops of the NFS client: how many calls they take, and what is tried again. */
#include "ops_do.h"

/* ---- one call an op ---- */

static void ops_on_names_are_one_call(void **state)
{
    struct target_stat st;
    char to[] = "g";
    struct op stat = {.kind = OP_STAT, .leaf = "f", .buf = &st};
    struct op rename = {.kind = OP_RENAME, .leaf = "f", .buf = to};
    uint64_t h;

    (void)state;
    begin();
    forget_calls();
    h = file(OP_CREATE, 0, 0, "f");
    assert_int_equal(calls(), 1);
    assert_int_equal(on_handle(OP_CLOSE, h), 0);
    assert_int_equal(calls(), 0);
    h = file(OP_OPEN, 0, 0, "f");
    assert_int_equal(calls(), 1);
    assert_int_equal(on_handle(OP_FSYNC, h), 0);
    assert_int_equal(calls(), 0);
    assert_int_equal(ops_rig_do(s, &stat), 0);
    assert_int_equal(st.type, TARGET_TYPE_FILE);
    assert_int_equal(ops_rig_do(s, &rename), 0);
    assert_int_equal(on_node(OP_MKDIR, 3), 0);
    assert_int_equal(on_name(OP_UNLINK, 0, "g"), 0);
    assert_int_equal(on_node(OP_RMDIR, 3), 0);
    assert_int_equal(calls(), 5);
    assert_int_equal(on_node(OP_NOP, 0), 0);
    assert_int_equal(on_handle(OP_EVICT, h), 0);
    assert_int_equal(on_handle(OP_RESIDENT, h), 0);
    assert_int_equal(calls(), 0);
    assert_int_equal(COUNT(ops[OP_OPEN]), 1);
    assert_int_equal(COUNT(op_calls[OP_OPEN]), 1);
    ops_rig_close(s);
}

static void what_a_reply_leaves_out_is_asked_for(void **state)
{
    struct target_stat st;
    struct op stat = {.kind = OP_STAT, .leaf = "f", .buf = &st};

    (void)state;
    begin();
    toy.no_attributes = true;
    toy.no_handles = true;
    forget_calls();
    file(OP_CREATE, 0, 0, "f");
    assert_int_equal(calls(), 2);
    assert_int_equal(rig.made_of[NFS3_LOOKUP], 1);
    file(OP_OPEN, 0, 0, "f");
    assert_int_equal(calls(), 2);
    assert_int_equal(ops_rig_do(s, &stat), 0);
    assert_int_equal(st.type, TARGET_TYPE_FILE);
    assert_int_equal(calls(), 2);
    assert_int_equal(rig.made_of[NFS3_GETATTR], 2);
    ops_rig_close(s);
}

static void directories_are_looked_up_once(void **state)
{
    static const uint64_t way[] = {1, 12, 123, 1234};

    (void)state;
    begin();
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(on_node(OP_MKDIR, way[i]), 0);
    ops_rig_close(s);
    s = ops_rig_open((struct session_spec){.handles_max = 8}, NFS_SYNC_AUTO);
    forget_calls();
    file(OP_CREATE, 0, 1234, "f");
    assert_int_equal(calls(), 4 + 1);
    file(OP_OPEN, 0, 1234, "f");
    assert_int_equal(calls(), 1);
    assert_int_equal(on_node(OP_LOOKUP, 123), 0);
    assert_int_equal(calls(), 0);
    assert_int_equal(on_node(OP_STAT, 123), 0);
    assert_int_equal(calls(), 1);
    assert_int_equal(rig.made_of[NFS3_GETATTR], 1);
    assert_int_equal(COUNT(lookups_again), 0);
    ops_rig_close(s);
}

static void every_op_walks_from_the_root_when_asked_to(void **state)
{
    (void)state;
    toy_reset();
    s = ops_rig_open((struct session_spec){.resolve_always = true, .handles_max = 8},
                     NFS_SYNC_AUTO);
    assert_int_equal(on_node(OP_MKDIR, 1), 0);
    assert_int_equal(on_node(OP_MKDIR, 12), 0);
    file(OP_CREATE, 0, 12, "f");
    forget_calls();
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(on_name(OP_STAT, 12, "f"), 0);
    assert_int_equal(calls(), 3 * 3);
    assert_int_equal(COUNT(lookups_again), 1 + 2 + 3 * 2);
    ops_rig_close(s);
}

/* Another client removes a directory that this one knows, and makes it anew. */
static void stale_directory_is_looked_up_again(void **state)
{
    struct toy_thing *t;

    (void)state;
    begin();
    assert_int_equal(on_node(OP_MKDIR, 1), 0);
    assert_int_equal(on_node(OP_MKDIR, 12), 0);
    for (unsigned i = 0; i < 2; i++) {
        t = toy_named(i == 0 ? 0 : toy_place(toy_named(0, "d1")), i == 0 ? "d1" : "d12");
        t->used++;
    }
    toy_named(toy_place(toy_named(0, "d1")), "d12")->parent = toy_place(toy_named(0, "d1"));
    file(OP_CREATE, 0, 12, "f");
    assert_int_equal(COUNT(stale_directories), 1);
    toy_named(0, "d1")->type = 0;
    toy_named(1, "d12")->type = 0;
    assert_int_equal(on_name(OP_OPEN, 12, "f"), -ENOENT);
    ops_rig_close(s);
}

/* ---- bytes ---- */

static void long_io_is_pieces_at_once(void **state)
{
    unsigned char got[100] = {0};
    uint64_t h;

    (void)state;
    begin();
    fill_pattern(1);
    h = file(OP_CREATE, 0, 0, "f");
    forget_calls();
    assert_int_equal(move(OP_WRITE, h, pattern, 0, 100), 100);
    assert_int_equal(calls(), 7); /* wsize is 16 */
    assert_int_equal(rig.most_under_way, 7);
    assert_int_equal(move(OP_READ, h, got, 0, 100), 100);
    assert_int_equal(calls(), 7);
    assert_memory_equal(got, pattern, 100);
    assert_int_equal(on_handle(OP_CLOSE, h), 0);
    assert_kept(pattern, 100);
    ops_rig_close(s);
}

/* As many calls as a session has are enough, also for many ops that want more. */
static void ops_wait_for_calls_in_turn(void **state)
{
    unsigned char got[4][100];
    struct op op[4];
    struct op *list[4], *done[4];
    unsigned reaped = 0;
    uint64_t h;

    (void)state;
    begin();
    fill_pattern(2);
    h = file(OP_CREATE, 0, 0, "f");
    assert_int_equal(move(OP_WRITE, h, pattern, 0, 100), 100);
    rig.calls_max = 3;
    for (unsigned i = 0; i < 4; i++) {
        op[i] = (struct op){.kind = OP_READ, .handle = h, .buf = got[i], .len = 100};
        list[i] = &op[i];
    }
    assert_int_equal(nfs_submit(s, list, 4), 4);
    while (reaped < 4)
        reaped += (unsigned)nfs_reap(s, done, 1, 4, UINT64_MAX);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(op[i].res, 100);
        assert_memory_equal(got[i], pattern, 100);
    }
    ops_rig_close(s);
}

static void short_io_is_completed(void **state)
{
    unsigned char got[100] = {0};
    uint64_t h;

    (void)state;
    begin();
    fill_pattern(3);
    toy.halves = true;
    h = file(OP_CREATE, 0, 0, "f");
    assert_int_equal(move(OP_WRITE, h, pattern, 0, 90), 90);
    assert_memory_equal(toy_named(0, "f")->now, pattern, 90);
    assert_true(COUNT(short_writes) > 0);
    assert_int_equal(move(OP_READ, h, got, 0, 100), 90);
    assert_memory_equal(got, pattern, 90);
    assert_true(COUNT(short_reads) > 0);
    ops_rig_close(s);
}

/* Whoever reads to the end asks behind it, and the server has said already that this is it. Once. */
static void the_end_of_a_file_is_told_without_a_call(void **state)
{
    unsigned char got[32];
    uint64_t h;

    (void)state;
    begin();
    h = file(OP_CREATE, 0, 0, "f");
    assert_int_equal(move(OP_WRITE, h, pattern, 0, 20), 20);
    assert_int_equal(move(OP_READ, h, got, 0, 20), 20);
    forget_calls();
    assert_int_equal(move(OP_READ, h, got, 20, 20), 0);
    assert_int_equal(calls(), 0);
    assert_int_equal(move(OP_READ, h, got, 20, 20), 0);
    assert_int_equal(calls(), 2);
    assert_int_equal(move(OP_WRITE, h, pattern, 20, 4), 4);
    forget_calls();
    assert_int_equal(move(OP_READ, h, got, 20, 16), 4);
    assert_int_equal(calls(), 1);
    ops_rig_close(s);
}

static void append_asks_for_the_size(void **state)
{
    uint64_t h;

    (void)state;
    begin();
    fill_pattern(4);
    h = file(OP_CREATE, 0, 0, "f");
    forget_calls();
    assert_int_equal(move(OP_APPEND, h, pattern, 0, 10), 10);
    assert_int_equal(calls(), 2);
    assert_int_equal(move(OP_APPEND, h, pattern + 10, 99, 10), 10);
    assert_int_equal(on_handle(OP_FSYNC, h), 0);
    assert_kept(pattern, 20);
    ops_rig_close(s);
}

static void handles_end_with_close_and_keep_to_their_mode(void **state)
{
    char byte = 0;
    uint64_t h;

    (void)state;
    begin();
    h = file(OP_CREATE, 0, 0, "f");
    assert_int_equal(on_handle(OP_CLOSE, h), 0);
    assert_int_equal(on_handle(OP_CLOSE, h), -EBADF);
    h = file(OP_OPEN, OP_FLAG_READ, 0, "f");
    assert_int_equal(move(OP_WRITE, h, &byte, 0, 1), -EBADF);
    assert_int_equal(move(OP_APPEND, h, &byte, 0, 1), -EBADF);
    assert_int_equal(on_handle(OP_TRUNCATE, h), -EBADF);
    h = file(OP_OPEN, OP_FLAG_WRITE, 0, "f");
    assert_int_equal(move(OP_READ, h, &byte, 0, 1), -EBADF);
    assert_int_equal(move(OP_WRITE, h, &byte, UINT64_MAX, 1), -EINVAL);
    for (unsigned i = 2; i < 16; i++)
        file(OP_OPEN, 0, 0, "f");
    assert_int_equal(on_name(OP_OPEN, 0, "f"), -EMFILE);
    ops_rig_close(s);
}

/* ---- what is tried again ---- */

static void jukebox_is_waited_for(void **state)
{
    unsigned char got[64];
    uint64_t h;

    (void)state;
    begin();
    toy.jukebox = 3;
    h = file(OP_CREATE, 0, 0, "f");
    assert_int_equal(rig.waits, 3);
    assert_int_equal(COUNT(jukebox_retries), 3);
    assert_int_equal(rig.now_ns, 1 + 70000000); /* 10, 20 and 40 ms */
    toy.jukebox = 2;
    assert_int_equal(move(OP_WRITE, h, pattern, 0, 60), 60);
    toy.jukebox = 3;
    assert_int_equal(move(OP_READ, h, got, 0, 60), 60);
    assert_memory_equal(got, pattern, 60);
    toy.jukebox = 1;
    assert_int_equal(on_handle(OP_FSYNC, h), 0);
    assert_kept(pattern, 60);
    toy.jukebox = 1;
    assert_int_equal(move(OP_APPEND, h, pattern, 0, 4), 4);
    ops_rig_close(s);
}

static void jukebox_has_a_limit(void **state)
{
    (void)state;
    begin();
    toy.jukebox = 1000;
    assert_int_equal(on_name(OP_CREATE, 0, "f"), -ETIMEDOUT);
    assert_in_range(rig.now_ns, 3000000000, 5000000000); /* timeo 1 s, twice more */
    assert_int_equal(COUNT(jukebox_retries), rig.waits); /* giving up is none */
    toy.jukebox = 0;
    file(OP_CREATE, 0, 0, "f");
    ops_rig_close(s);
}

/* The first time it was done, and its answer was lost. */
static void call_that_went_out_twice_may_have_been_done(void **state)
{
    char to[] = "g";
    struct op rename = {.kind = OP_RENAME, .leaf = "f", .buf = to};
    uint64_t h;

    (void)state;
    begin();
    toy_make(0, "f", NFS3_REG);
    toy_make(0, "d3", NFS3_DIR);
    assert_int_equal(on_name(OP_CREATE, 0, "f"), -EEXIST);
    assert_int_equal(on_node(OP_MKDIR, 3), -EEXIST);
    assert_int_equal(on_name(OP_UNLINK, 0, "gone"), -ENOENT);
    rig.sent = 2;
    h = file(OP_CREATE, 0, 0, "f");
    assert_int_equal(move(OP_WRITE, h, pattern, 0, 4), 4);
    assert_int_equal(on_node(OP_MKDIR, 3), 0);
    assert_int_equal(on_name(OP_UNLINK, 0, "gone"), 0);
    assert_int_equal(on_node(OP_RMDIR, 4), 0);
    toy_named(0, "f")->name[0] = 'g';
    assert_int_equal(ops_rig_do(s, &rename), 0);
    assert_int_equal(COUNT(already_done), 5);
    assert_int_equal(on_name(OP_OPEN, 0, "gone"), -ENOENT);
    assert_int_equal(COUNT(already_done), 5);
    ops_rig_close(s);
}

/* A LOOKUP on the way that went out twice made a file that never was "removed". */
static void a_walk_that_went_out_twice_did_nothing(void **state)
{
    (void)state;
    begin();
    toy_make(0, "d3", NFS3_DIR);
    rig.sent = 2;
    rig.sent_once[NFS3_REMOVE] = true;
    assert_int_equal(on_name(OP_UNLINK, 3, "never"), -ENOENT);
    assert_int_equal(COUNT(already_done), 0);
    ops_rig_close(s);
}

static void calls_that_fail_are_the_error_of_the_op(void **state)
{
    unsigned char got[64];
    uint64_t h;

    (void)state;
    begin();
    h = file(OP_CREATE, 0, 0, "f");
    assert_int_equal(move(OP_WRITE, h, pattern, 0, 60), 60);
    toy.fail = -ETIMEDOUT;
    assert_int_equal(move(OP_READ, h, got, 0, 60), -ETIMEDOUT);
    assert_int_equal(on_name(OP_OPEN, 0, "f"), -ETIMEDOUT);
    assert_int_equal(on_node(OP_LOOKUP, 7), -ETIMEDOUT);
    assert_int_equal(on_handle(OP_CLOSE, h), -ETIMEDOUT);
    toy.fail = 0;
    assert_int_equal(on_handle(OP_CLOSE, h), -EBADF);
    ops_rig_close(s);
}

static void replies_that_are_none_end_the_op(void **state)
{
    unsigned char got[64];
    char list[256];
    struct op readdir = {.kind = OP_READDIR, .buf = list, .len = sizeof list};
    uint64_t h;

    (void)state;
    begin();
    h = file(OP_CREATE, 0, 0, "f");
    assert_int_equal(move(OP_WRITE, h, pattern, 0, 10), 10);
    toy.bad = 1;
    assert_int_equal(on_name(OP_STAT, 0, "f"), -EBADMSG);
    toy.bad = 1;
    assert_int_equal(move(OP_READ, h, got, 0, 10), -EBADMSG);
    toy.bad = 1;
    assert_int_equal(move(OP_WRITE, h, pattern, 0, 10), -EBADMSG);
    toy.bad = 1;
    assert_int_equal(on_handle(OP_FSYNC, h), -EBADMSG);
    toy.bad = 1;
    assert_int_equal(ops_rig_do(s, &readdir), -EBADMSG);
    toy.bad = 1;
    assert_int_equal(on_node(OP_LOOKUP, 5), -EBADMSG);
    assert_int_equal(rig.unreadable, 6);
    ops_rig_close(s);
}

/* ---- listings ---- */

static unsigned list_types(uint64_t room, unsigned types[4])
{
    static unsigned char list[4096];
    struct op op = {.kind = OP_READDIR, .buf = list, .len = room};
    unsigned n = 0;

    memset(types, 0, 4 * sizeof types[0]);
    while (ops_rig_do(s, &op) > 0) {
        for (int64_t at = 0; at < op.res;) {
            struct target_dirent head;

            memcpy(&head, list + at, offsetof(struct target_dirent, name));
            assert_in_range(head.type, 0, 3);
            types[head.type]++;
            n++;
            op.off = head.cookie;
            at += head.record_bytes;
        }
    }
    assert_int_equal(op.res, 0);
    return n;
}

static void listing_is_one_call_a_page(void **state)
{
    unsigned types[4];
    char name[16];

    (void)state;
    begin();
    for (unsigned i = 0; i < 30; i++) {
        snprintf(name, sizeof name, "f%u", i);
        toy_make(0, name, i < 20 ? NFS3_REG : i < 25 ? NFS3_DIR : NFS3_LNK);
    }
    forget_calls();
    assert_int_equal(list_types(4096, types), 30);
    assert_int_equal(calls(), 1); /* that it was all is told without another one */
    assert_int_equal(types[TARGET_TYPE_FILE], 20);
    assert_int_equal(types[TARGET_TYPE_DIR], 5);
    assert_int_equal(types[TARGET_TYPE_LINK], 5);
    assert_int_equal(list_types(48, types), 30);
    ops_rig_close(s);
}

/* A listing whose cookies stood still went on for ever. */
static void cookies_that_stand_still_end_the_listing(void **state)
{
    static unsigned char list[4096];
    struct op op = {.kind = OP_READDIR, .buf = list, .len = sizeof list};

    (void)state;
    for (unsigned plus = 0; plus < 2; plus++) {
        begin();
        toy.no_plus = plus == 0;
        toy_make(0, "e", NFS3_REG);
        toy_make(0, "f", NFS3_REG);
        toy.same_cookie = 1;
        op.off = 0;
        assert_int_equal(ops_rig_do(s, &op), -ELOOP); /* within a page */
        op.off = 1;
        assert_int_equal(ops_rig_do(s, &op), -ELOOP); /* from one to the next */
        assert_int_equal(rig.unreadable, 0);
        ops_rig_close(s);
    }
}

/* Without READDIRPLUS, or with one that leaves types out, they are looked up. */
static void types_are_looked_up_where_they_are_not_told(void **state)
{
    unsigned types[4];
    char name[16];

    (void)state;
    for (unsigned how = 0; how < 2; how++) {
        begin();
        toy.no_plus = how == 0;
        toy.untyped = how == 1;
        for (unsigned i = 0; i < 40; i++) {
            snprintf(name, sizeof name, "f%u", i);
            toy_make(0, name, i < 30 ? NFS3_REG : NFS3_DIR);
        }
        rig.calls_max = 5;
        assert_int_equal(list_types(4096, types), 40);
        assert_int_equal(types[TARGET_TYPE_FILE], 30);
        assert_int_equal(types[TARGET_TYPE_DIR], 10);
        assert_int_equal(rig.made_of[NFS3_LOOKUP], 40);
        assert_int_equal(rig.made_of[NFS3_READDIRPLUS], 1);
        toy.jukebox = 7;
        assert_int_equal(list_types(4096, types), 40);
        assert_int_equal(types[TARGET_TYPE_DIR], 10);
        ops_rig_close(s);
    }
}

/* A session may end with ops under way: they are the caller's again, and nothing leaks. */
static void session_ends_with_ops_under_way(void **state)
{
    struct op read = {.kind = OP_READ, .buf = pattern, .len = 60};
    struct op sync = {.kind = OP_SYNCFS};
    struct op *list[] = {&read, &sync};
    uint64_t h;

    (void)state;
    begin();
    h = file(OP_CREATE, 0, 0, "f");
    assert_int_equal(move(OP_WRITE, h, pattern, 0, 60), 60);
    read.handle = h;
    assert_int_equal(nfs_submit(s, list, 2), 2);
    ops_rig_close(s);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(ops_on_names_are_one_call),
        cmocka_unit_test(what_a_reply_leaves_out_is_asked_for),
        cmocka_unit_test(directories_are_looked_up_once),
        cmocka_unit_test(every_op_walks_from_the_root_when_asked_to),
        cmocka_unit_test(stale_directory_is_looked_up_again),
        cmocka_unit_test(long_io_is_pieces_at_once),
        cmocka_unit_test(ops_wait_for_calls_in_turn),
        cmocka_unit_test(short_io_is_completed),
        cmocka_unit_test(the_end_of_a_file_is_told_without_a_call),
        cmocka_unit_test(append_asks_for_the_size),
        cmocka_unit_test(handles_end_with_close_and_keep_to_their_mode),
        cmocka_unit_test(jukebox_is_waited_for),
        cmocka_unit_test(jukebox_has_a_limit),
        cmocka_unit_test(call_that_went_out_twice_may_have_been_done),
        cmocka_unit_test(a_walk_that_went_out_twice_did_nothing),
        cmocka_unit_test(calls_that_fail_are_the_error_of_the_op),
        cmocka_unit_test(replies_that_are_none_end_the_op),
        cmocka_unit_test(listing_is_one_call_a_page),
        cmocka_unit_test(cookies_that_stand_still_end_the_listing),
        cmocka_unit_test(types_are_looked_up_where_they_are_not_told),
        cmocka_unit_test(session_ends_with_ops_under_way),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
