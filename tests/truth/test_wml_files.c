/* plan/step.h: what workload files do to files, in exact numbers: in virtual time, where every op takes
 * a millisecond, and on files. */
#include "truth/set_files.h"

#include <dirent.h>
#include <sys/resource.h>
#include <sys/syscall.h>

/* if-open → the op; else one is picked and opened in its place, as one more op of its line. */
static void add_opened(struct sets *t, struct plan_step op, enum plan_order order)
{
    uint32_t at = plan_here(t->b);
    struct plan_step pick = sets_pick(FILESET_USE_OPEN, order, op.slot);
    struct plan_step open = t_op(OP_OPEN, op.line, op.slot);
    pick.to = at + 3;
    t_add(t->b, (struct plan_step){
                    .kind = PLAN_IF_OPEN, .slot = op.slot, .set = PLAN_ANY_SET, .to = at + 3});
    t_add(t->b, pick);
    t_add(t->b, open);
    t_add(t->b, op);
}

static void add_created(struct sets *t, uint16_t slot)
{
    struct plan_step create = sets_op(t, OP_CREATE, "create", slot);
    create.op_flags = OP_FLAG_MAY_EXIST;
    t_add(t->b, sets_pick(FILESET_USE_CREATE, PLAN_ORDER_ROUND, slot));
    t_add(t->b, create);
}

static struct plan_step read_on(struct sets *t, uint64_t io_bytes)
{
    struct plan_step read = sets_op(t, OP_READ, "read", 0);
    read.io_bytes = io_bytes;
    read.at.where = PLAN_AT_POSITION;
    return read;
}

static struct plan_step read_whole(struct sets *t, bool to_end)
{
    struct plan_step read = sets_op(t, OP_READ, "read", 0);
    read.io_bytes = 1 << 20;
    read.whole = true;
    read.to_end = to_end;
    return read;
}

/* ---- opening ---- */

static void an_implicit_open_is_one_more_op_of_its_flowop(void **state)
{
    (void)state;
    struct sets t;
    sets_begin(&t, (struct sets_wish){.entries = 4, .bytes = 40960, .exist = 100});
    add_opened(&t, read_on(&t, 4096), PLAN_ORDER_ROUND);
    sets_end(&t, 10);
    sets_run(&t);
    assert_done(&t);
    assert_line(&t, "read", 11, 40960);
    assert_int_equal(t.m.out.elapsed_ns, 11 * MS_NS);
    sets_fini(&t);
}

/* It was read without end where every read is answered in full. */
static void what_keeps_nothing_is_read_to_its_nominal_size(void **state)
{
    (void)state;
    struct sets t;
    sets_begin(&t, (struct sets_wish){.entries = 4, .bytes = 5 << 19, .exist = 100});
    add_opened(&t, read_whole(&t, true), PLAN_ORDER_ROUND);
    sets_end(&t, 10);
    sets_run(&t);
    assert_done(&t);
    assert_int_equal(truth_line(&t.m, "read")->samples, 11);
    assert_int_equal(truth_line(&t.m, "read")->bytes, 10 * (5 << 19));
    sets_fini(&t);
}

/* Whoever opens a file does not keep others from it: of one file all have their turn. */
static void more_streams_than_files_never_fail(void **state)
{
    (void)state;
    for (int on_disk = 0; on_disk < 2; on_disk++) {
        struct sets t;
        sets_begin(
            &t, (struct sets_wish){
                    .entries = 1, .bytes = 512, .exist = 100, .streams = 32, .on_disk = on_disk});
        t_add(t.b, sets_pick(FILESET_USE_OPEN, PLAN_ORDER_ROUND, 0));
        t_add(t.b, sets_op(&t, OP_OPEN, "open", 0));
        t_add(t.b, sets_op(&t, OP_CLOSE, "close", 0));
        sets_end(&t, 100);
        sets_run(&t);
        assert_done(&t);
        assert_line(&t, "open", 3200, 0);
        assert_line(&t, "close", 3200, 0);
        sets_fini(&t);
    }
}

/* 16 streams delete what there is and make it again, of three files: whoever finds none asks again
 * while another's op is under way. */
static void streams_wait_for_files_that_come_and_go(void **state)
{
    (void)state;
    for (int on_disk = 0; on_disk < 2; on_disk++) {
        struct sets t;
        sets_begin(
            &t, (struct sets_wish){
                    .entries = 3, .bytes = 512, .exist = 100, .streams = 16, .on_disk = on_disk});
        struct plan_step take = sets_pick(FILESET_USE_DELETE, PLAN_ORDER_ROUND, 129);
        take.to = take.skip = 2;
        t_add(t.b, take);
        t_add(t.b, sets_op(&t, OP_UNLINK, "delete", 129));
        take = sets_pick(FILESET_USE_CREATE, PLAN_ORDER_ROUND, 0);
        take.to = 5;
        t_add(t.b, take);
        t_add(t.b, sets_op(&t, OP_CREATE, "create", 0));
        t_add(t.b, sets_op(&t, OP_CLOSE, "close", 0));
        t_add(t.b, sets_op(&t, OP_NOP, "nop", 0));
        sets_end(&t, 50);
        sets_run(&t);
        assert_done(&t);
        uint64_t made = truth_line(&t.m, "create")->samples;
        uint64_t gone = truth_line(&t.m, "delete")->samples;
        assert_true(made > 0 && made <= gone && gone <= made + 3);
        assert_int_equal(fileset_state_existing(t.state), 3 + made - gone);
        sets_fini(&t);
    }
}

/* 40 files of different lengths, opened 120 times by four streams: each three times. */
static void all_streams_go_round_together(void **state)
{
    (void)state;
    struct sets t;
    sets_begin(&t,
               (struct sets_wish){
                   .entries = 40, .bytes = 1000, .bytes_to = 900000, .exist = 100, .streams = 4});
    t_add(t.b, sets_pick(FILESET_USE_OPEN, PLAN_ORDER_ROUND, 0));
    t_add(t.b, sets_op(&t, OP_OPEN, "open", 0));
    t_add(t.b, read_whole(&t, false));
    t_add(t.b, sets_op(&t, OP_CLOSE, "close", 0));
    sets_end(&t, 30);
    sets_run(&t);
    assert_done(&t);
    assert_line(&t, "read", 120, 3 * grown_bytes(t.grown));
    sets_fini(&t);
}

/* With a round of its own each stream opens every file once. */
static void each_stream_goes_its_own_round(void **state)
{
    (void)state;
    struct sets t;
    sets_begin(&t,
               (struct sets_wish){
                   .entries = 40, .bytes = 1000, .bytes_to = 900000, .exist = 100, .streams = 3});
    t_add(t.b, sets_pick(FILESET_USE_OPEN, PLAN_ORDER_ROUND_OWN, 0));
    t_add(t.b, sets_op(&t, OP_OPEN, "open", 0));
    t_add(t.b, read_whole(&t, false));
    t_add(t.b, sets_op(&t, OP_CLOSE, "close", 0));
    sets_end(&t, 40);
    sets_run(&t);
    assert_done(&t);
    assert_line(&t, "read", 120, 3 * grown_bytes(t.grown));
    for (unsigned i = 0; i < t.m.out.streams; i++)
        assert_int_equal(t.m.out.stream[i].bytes, grown_bytes(t.grown));
    sets_fini(&t);
}

/* What is gone is gone: the last one sends the streams to `to`. */
static void a_set_that_has_run_out_says_so(void **state)
{
    (void)state;
    struct sets t;
    sets_begin(&t, (struct sets_wish){.entries = 40, .bytes = 1, .exist = 100, .streams = 4});
    struct plan_step take = sets_pick(FILESET_USE_DELETE, PLAN_ORDER_ROUND, 129);
    take.to = 3;
    t_add(t.b, take);
    t_add(t.b, sets_op(&t, OP_UNLINK, "delete", 129));
    t_add(t.b, t_loop(0, 0, 0));
    t_add(t.b, (struct plan_step){.kind = PLAN_OUT, .line = take.line});
    sets_end(&t, 1);
    sets_run(&t);
    assert_int_equal(t.m.out.end, ENGINE_RAN_OUT);
    assert_line(&t, "delete", 40, 0);
    assert_int_equal(engine_error_count(&t.m.out), 0);
    assert_int_equal(fileset_state_existing(t.state), 0);
    sets_fini(&t);
}

static void a_slot_with_a_file_of_another_set_fails_the_run(void **state)
{
    (void)state;
    struct sets t;
    struct grown *other = NULL;
    struct err err = {0};
    const struct grown_spec spec = {.name = "other",
                                    .entries = 1,
                                    .size = {.kind = DRAW_FIXED, .a = 1},
                                    .width = {.kind = DRAW_FIXED, .a = 20}};
    assert_int_equal(grown_new(&spec, &other, &err), 0);
    sets_begin(&t, (struct sets_wish){.entries = 1, .bytes = 1, .exist = 100});
    const struct fileset_spec set = {.shape = FILESET_GROWN, .trees = 1, .grown = other};
    plan_add_set(t.b, &set);
    t_add(t.b, sets_pick(FILESET_USE_OPEN, PLAN_ORDER_ROUND, 3));
    t_add(t.b, sets_op(&t, OP_OPEN, "open", 3));
    t_add(t.b, (struct plan_step){.kind = PLAN_IF_OPEN, .slot = 3, .set = 1});
    sets_end(&t, 1);
    sets_run(&t);
    assert_int_equal(t.m.out.end, ENGINE_FAILED);
    assert_string_equal(t.m.out.notes.ended_by,
                        "slot 3 holds a file of fileset set, not of other as it should");
    sets_fini(&t);
    grown_free(other);
}

/* ---- reading ---- */

/* 10,000 bytes in pieces of 4,096: what there is, then nothing, then from the beginning. */
static void reading_on_goes_back_behind_the_end(void **state)
{
    (void)state;
    struct sets t;
    sets_begin(&t, (struct sets_wish){.entries = 1, .bytes = 10000, .exist = 100, .on_disk = true});
    add_opened(&t, read_on(&t, 4096), PLAN_ORDER_ROUND);
    sets_end(&t, 5);
    sets_run(&t);
    assert_done(&t);
    assert_line(&t, "read", 6, 10000 + 4096);
    sets_fini(&t);
}

static void an_empty_file_is_read_in_one_op_of_nothing(void **state)
{
    (void)state;
    struct sets t;
    sets_begin(&t, (struct sets_wish){.entries = 1, .bytes = 5000, .exist = 0, .on_disk = true});
    add_created(&t, 0);
    t_add(t.b, read_whole(&t, true));
    t_add(t.b, read_on(&t, 4096));
    sets_end(&t, 1);
    sets_run(&t);
    assert_done(&t);
    assert_line(&t, "read", 2, 0);
    sets_fini(&t);
}

/* To its real end, whatever its nominal size: here it has been appended to. */
static void a_whole_file_is_read_to_its_real_end(void **state)
{
    (void)state;
    struct sets t;
    sets_begin(&t, (struct sets_wish){.entries = 1, .bytes = 5000, .exist = 100, .on_disk = true});
    struct plan_step append = sets_op(&t, OP_APPEND, "append", 0);
    append.io_bytes = 3000;
    add_opened(&t, append, PLAN_ORDER_ROUND);
    t_add(t.b, read_whole(&t, true));
    sets_end(&t, 1);
    sets_run(&t);
    assert_done(&t);
    assert_line(&t, "read", 1, 8000);
    assert_int_equal(sets_length(&t, 0), 8000);
    sets_fini(&t);
}

/* Places are within each file's own size, or within the part that was asked for. */
static void random_places_keep_to_each_file(void **state)
{
    (void)state;
    struct sets t;
    sets_begin(&t,
               (struct sets_wish){
                   .entries = 30, .bytes = 512, .bytes_to = 9000, .exist = 100, .on_disk = true});
    struct plan_step read = read_on(&t, 512);
    read.at.where = PLAN_AT_UNIFORM;
    read.verify = true;
    add_opened(&t, read, PLAN_ORDER_ROUND);
    t_add(t.b, read);
    t_add(t.b, read);
    t_add(t.b, sets_op(&t, OP_CLOSE, "close", 0));
    sets_end(&t, 300);
    sets_run(&t);
    assert_done(&t);
    assert_line(&t, "read", 1200, 900 * 512);
    sets_fini(&t);
}

/* ---- writing ---- */

/* 2.5 MiB at 1 MiB: exactly that, and from where the slot stands: twice is 5 MiB. */
static void a_whole_file_is_written_exactly(void **state)
{
    (void)state;
    struct sets t;
    sets_begin(&t, (struct sets_wish){.entries = 1, .bytes = 5 << 19, .exist = 0, .on_disk = true});
    struct plan_step write = sets_op(&t, OP_WRITE, "write", 0);
    write.io_bytes = 1 << 20;
    write.whole = write.on = true;
    add_created(&t, 0);
    t_add(t.b, write);
    t_add(t.b, write);
    sets_end(&t, 1);
    sets_run(&t);
    assert_done(&t);
    assert_line(&t, "write", 2, 5 << 20);
    assert_int_equal(truth_line(&t.m, "write")->ops, 6);
    assert_int_equal(sets_length(&t, 0), 5 << 20);
    sets_fini(&t);
}

/* As much as the file of another slot is to hold. */
static void a_copy_is_as_long_as_its_source(void **state)
{
    (void)state;
    struct sets t;
    sets_begin(&t,
               (struct sets_wish){.entries = 40, .bytes = 1000, .bytes_to = 90000, .exist = 50});
    struct plan_step write = sets_op(&t, OP_WRITE, "write", 1);
    write.size = PLAN_SIZE_FILE;
    write.whole = write.on = write.from_slot = true;
    t_add(t.b, sets_pick(FILESET_USE_OPEN, PLAN_ORDER_ROUND, 0));
    t_add(t.b, sets_op(&t, OP_OPEN, "open", 0));
    t_add(t.b, read_whole(&t, false));
    add_created(&t, 1);
    t_add(t.b, write);
    t_add(t.b, sets_op(&t, OP_CLOSE, "close", 1));
    t_add(t.b, sets_op(&t, OP_CLOSE, "close", 0));
    sets_end(&t, 10);
    sets_run(&t);
    assert_done(&t);
    assert_line(&t, "write", 10, truth_line(&t.m, "read")->bytes);
    assert_int_equal(truth_line(&t.m, "write")->ops, 10); /* each in one op */
    sets_fini(&t);
}

/* Sizes below 1 are 0: a sample each, and no op at the target. */
static void nothing_is_appended_in_no_op(void **state)
{
    (void)state;
    struct sets t;
    sets_begin(&t, (struct sets_wish){.entries = 1, .bytes = 10, .exist = 100});
    struct plan_step append = sets_op(&t, OP_APPEND, "append", 0);
    append.io_bytes = 1;
    append.size = PLAN_SIZE_BELOW;
    add_opened(&t, append, PLAN_ORDER_ROUND);
    sets_end(&t, 100);
    sets_run(&t);
    assert_done(&t);
    assert_line(&t, "append", 101, 0);
    assert_int_equal(truth_line(&t.m, "append")->ops, 1); /* the opening */
    sets_fini(&t);
}

static int compare_sectors(const void *a, const void *b)
{
    return memcmp(a, b, 512);
}

/* Appended in pieces of any length up to 4,096: the file is as long as was counted, and no two of its
 * sectors are alike. */
static void what_is_appended_never_repeats(void **state)
{
    (void)state;
    struct sets t;
    char path[SETS_PATH_MAX];
    sets_begin(&t, (struct sets_wish){.entries = 1, .bytes = 0, .exist = 0, .on_disk = true});
    struct plan_step append = sets_op(&t, OP_APPEND, "append", 0);
    append.io_bytes = 4096;
    append.size = PLAN_SIZE_BELOW;
    add_created(&t, 0);
    for (unsigned i = 0; i < 400; i++)
        t_add(t.b, append);
    sets_end(&t, 1);
    sets_run(&t);
    assert_done(&t);
    size_t len = truth_line(&t.m, "append")->bytes;
    assert_line(&t, "append", 400, len);
    assert_int_equal(sets_length(&t, 0), len);
    sets_path(&t, 0, path, sizeof path);
    unsigned char *data = malloc(len);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fread(data, 1, len, file), len);
    fclose(file);
    qsort(data, len / 512, 512, compare_sectors);
    for (size_t i = 512; i + 512 <= len; i += 512)
        assert_true(memcmp(data + i - 512, data + i, 512) != 0);
    free(data);
    sets_fini(&t);
}

/* ---- deleting ---- */

/* Its own open file may be deleted, and is read and closed all the same; that of another is left alone. */
static void an_open_file_is_deleted_by_its_owner_only(void **state)
{
    (void)state;
    for (uint32_t streams = 1; streams <= 2; streams++) {
        struct sets t;
        sets_begin(&t, (struct sets_wish){.entries = 1,
                                          .bytes = 1000,
                                          .exist = 100,
                                          .streams = streams,
                                          .on_disk = streams == 1});
        struct plan_step take = sets_pick(FILESET_USE_DELETE, PLAN_ORDER_SLOT, 129);
        take.from = 0;
        take.to = take.skip = 4;
        t_add(t.b, sets_pick(FILESET_USE_OPEN, PLAN_ORDER_ROUND, 0));
        t_add(t.b, sets_op(&t, OP_OPEN, "open", 0));
        t_add(t.b, take);
        t_add(t.b, sets_op(&t, OP_UNLINK, "delete", 129));
        t_add(t.b, read_whole(&t, streams == 1));
        t_add(t.b, sets_op(&t, OP_CLOSE, "close", 0));
        sets_end(&t, 1);
        sets_run(&t);
        assert_done(&t);
        assert_line(&t, "delete", streams == 1, 0);
        assert_line(&t, "read", streams, streams * 1000);
        assert_line(&t, "close", streams, 0);
        assert_int_equal(fileset_state_existing(t.state), streams - 1);
        sets_fini(&t);
    }
}

/* Whose turn it is is open, so the next one goes: what was skipped instead was a file too many for lists
 * that create one for each that they delete, until none was left to create. */
static void an_open_file_is_passed_over_by_who_deletes_any(void **state)
{
    (void)state;
    struct sets t;
    sets_begin(&t, (struct sets_wish){.entries = 2, .bytes = 1, .exist = 100});
    struct plan_step take = sets_pick(FILESET_USE_DELETE, PLAN_ORDER_ROUND, 129);
    for (uint16_t slot = 0; slot < 2; slot++) {
        t_add(t.b, sets_pick(FILESET_USE_OPEN, PLAN_ORDER_ROUND, slot));
        t_add(t.b, sets_op(&t, OP_OPEN, "open", slot));
    }
    t_add(t.b, sets_op(&t, OP_CLOSE, "close", 1));
    take.to = take.skip = 7;
    t_add(t.b, take);
    t_add(t.b, sets_op(&t, OP_UNLINK, "delete", 129));
    sets_end(&t, 1);
    sets_run(&t);
    assert_done(&t);
    assert_line(&t, "delete", 1, 0);
    assert_true(fileset_state_file_exists(t.state, 0));
    assert_false(fileset_state_file_exists(t.state, 1));
    sets_fini(&t);
}

/* ---- directories ---- */

/* Four names of eight letters, "." and "..". */
static void a_listing_counts_its_names(void **state)
{
    (void)state;
    struct sets t;
    sets_begin(&t, (struct sets_wish){.entries = 4, .bytes = 1, .exist = 100, .on_disk = true});
    struct plan_step pick = sets_pick(FILESET_USE_LIST, PLAN_ORDER_ROUND, 129);
    struct plan_step list = sets_op(&t, OP_READDIR, "list", 129);
    pick.unit = PLAN_UNIT_DIR;
    list.io_bytes = 32768;
    t_add(t.b, pick);
    t_add(t.b, list);
    sets_end(&t, (uint32_t)grown_dirs(t.grown));
    sets_run(&t);
    assert_done(&t);
    uint64_t names = grown_dirs(t.grown) - 1 + 4;
    assert_line(&t, "list", grown_dirs(t.grown), 0);
    assert_int_equal(truth_line(&t.m, "list")->extra,
                     names * (8 + 279) + grown_dirs(t.grown) * (2 * 279 + 3));
    sets_fini(&t);
}

static void leaf_directories_are_made_and_removed(void **state)
{
    (void)state;
    struct sets t;
    sets_begin(
        &t, (struct sets_wish){
                .entries = 4, .leafs = 40, .bytes = 1, .exist = 0, .streams = 3, .on_disk = true});
    struct plan_step make = sets_pick(FILESET_USE_MKDIR, PLAN_ORDER_ROUND, 129);
    struct plan_step gone = sets_pick(FILESET_USE_RMDIR, PLAN_ORDER_ROUND, 129);
    make.unit = gone.unit = PLAN_UNIT_LEAF;
    t_add(t.b, make);
    t_add(t.b, sets_op(&t, OP_MKDIR, "mkdir", 129));
    t_add(t.b, make);
    t_add(t.b, sets_op(&t, OP_MKDIR, "mkdir", 129));
    t_add(t.b, gone);
    t_add(t.b, sets_op(&t, OP_RMDIR, "rmdir", 129));
    sets_end(&t, 10);
    sets_run(&t);
    assert_done(&t);
    assert_line(&t, "mkdir", 60, 0);
    assert_line(&t, "rmdir", 30, 0);
    sets_fini(&t);
}

/* ---- slots and counts ---- */

/* 300 turns come by 128 slots: the first round opens, the others read on. */
static void turns_open_128_files_and_keep_them(void **state)
{
    (void)state;
    struct sets t;
    sets_begin(&t,
               (struct sets_wish){.entries = 200, .bytes = 4096, .exist = 100, .on_disk = true});
    struct plan_step read = read_on(&t, 1024);
    read.slot = PLAN_SLOT_TURN;
    t_add(t.b, (struct plan_step){.kind = PLAN_TURN});
    add_opened(&t, read, PLAN_ORDER_ROUND_OWN);
    sets_end(&t, 300);
    sets_run(&t);
    assert_done(&t);
    assert_line(&t, "read", 300 + 128, 300 * 1024);
    sets_fini(&t);
}

static void each_open_slot_is_synced_once(void **state)
{
    (void)state;
    struct sets t;
    sets_begin(&t, (struct sets_wish){.entries = 9, .bytes = 1, .exist = 100});
    for (uint16_t slot = 0; slot < 6; slot += 2) {
        t_add(t.b, sets_pick(FILESET_USE_OPEN, PLAN_ORDER_ROUND, slot));
        t_add(t.b, sets_op(&t, OP_OPEN, "open", slot));
    }
    t_add(t.b, (struct plan_step){.kind = PLAN_EACH, .set = 0, .to = 9});
    t_add(t.b, sets_op(&t, OP_FSYNC, "fsync", PLAN_SLOT_EACH));
    t_add(t.b, t_loop(6, 0, 0));
    for (uint16_t slot = 0; slot < 6; slot += 2)
        t_add(t.b, sets_op(&t, OP_CLOSE, "close", slot));
    sets_end(&t, 5);
    sets_run(&t);
    assert_done(&t);
    assert_line(&t, "fsync", 15, 0);
    sets_fini(&t);
}

/* A count of 3 is three times, one of 0 is none. */
static void loops_go_as_often_as_was_drawn(void **state)
{
    (void)state;
    for (unsigned n = 0; n <= 3; n += 3) {
        struct sets t;
        const struct draw draw = {.kind = DRAW_FIXED, .a = n};
        sets_begin(&t, (struct sets_wish){.entries = 1, .bytes = 1, .exist = 100});
        plan_add_draw(t.b, &draw);
        t_add(t.b, (struct plan_step){.kind = PLAN_COUNT, .draw = 1, .loop = 1, .to = 3});
        t_add(t.b, sets_op(&t, OP_NOP, "counted", 0));
        t_add(t.b, t_loop(1, PLAN_LOOP_COUNTED, 1));
        t_add(t.b, sets_op(&t, OP_NOP, "nop", 0));
        sets_end(&t, 7);
        sets_run(&t);
        assert_done(&t);
        assert_line(&t, "counted", 7 * n, 0);
        assert_line(&t, "nop", 7, 0);
        sets_fini(&t);
    }
}

static void a_deleted_slot_is_known_no_more(void **state)
{
    (void)state;
    struct sets t;
    sets_begin(&t, (struct sets_wish){.entries = 2, .bytes = 1, .exist = 100});
    struct plan_step take = sets_pick(FILESET_USE_DELETE, PLAN_ORDER_SLOT, 129);
    take.from = 1;
    take.to = take.skip = 7;
    t_add(t.b, sets_pick(FILESET_USE_OPEN, PLAN_ORDER_ROUND, 1));
    t_add(t.b, sets_op(&t, OP_OPEN, "open", 1));
    t_add(t.b, sets_op(&t, OP_CLOSE, "close", 1));
    t_add(t.b, (struct plan_step){.kind = PLAN_IF_FILE, .slot = 1, .to = 5});
    t_add(t.b, sets_op(&t, OP_NOP, "none", 0));
    t_add(t.b, take);
    t_add(t.b, sets_op(&t, OP_UNLINK, "delete", 129));
    t_add(t.b, (struct plan_step){.kind = PLAN_IF_FILE, .slot = 1, .to = 9});
    t_add(t.b, sets_op(&t, OP_NOP, "gone", 0));
    sets_end(&t, 1);
    sets_run(&t);
    assert_done(&t);
    assert_line(&t, "none", 0, 0);
    assert_line(&t, "delete", 1, 0);
    assert_line(&t, "gone", 1, 0);
    sets_fini(&t);
}

/* ---- manners ---- */

/* How many threads of this program are as nice, and have that I/O priority. */
static unsigned threads_with(int nice, int io_priority)
{
    unsigned n = 0;
    DIR *dir = opendir("/proc/self/task");
    assert_non_null(dir);
    for (const struct dirent *entry; (entry = readdir(dir));) {
        id_t tid = (id_t)strtoul(entry->d_name, NULL, 10);
        n += tid > 0 && getpriority(PRIO_PROCESS, tid) == nice &&
             syscall(SYS_ioprio_get, 1, tid) == (2 << 13 | io_priority);
    }
    closedir(dir);
    return n;
}

static void count_mannered(void *threads, bool open)
{
    if (open)
        *(unsigned *)threads = threads_with(getpriority(PRIO_PROCESS, 0) + 3, 6);
}

static void threads_behave_as_their_group_says(void **state)
{
    (void)state;
    struct sets t;
    unsigned threads = 0;
    sets_begin(&t, (struct sets_wish){
                       .entries = 1, .bytes = 1, .exist = 100, .streams = 5, .on_disk = true});
    plan_group_manners(t.b, 3, 6);
    t_add(t.b, sets_op(&t, OP_NOP, "nop", 0));
    sets_end(&t, 1);
    sets_run_job(&t, (struct engine_job){.gate = count_mannered, .ctx = &threads});
    assert_done(&t);
    assert_int_equal(threads, 5);
    sets_fini(&t);
}

/* ---- memory ---- */

/* A hundred threads with a line each: none has to be able to keep the latencies of all. */
static void a_thread_needs_memory_for_its_own_lines(void **state)
{
    (void)state;
    struct target_caps caps = truth_caps("posix:/");
    struct plan_builder *b = plan_new(1);
    for (unsigned i = 0; i < 100; i++) {
        char name[16];
        snprintf(name, sizeof name, "line-%u", i);
        plan_begin_group(b, name, 1, 1);
        plan_end_section(b);
        t_add(b, t_op(OP_NOP, plan_add_line(b, name, OP_NOP, false), 0));
        plan_end_section(b);
        plan_end_section(b);
    }
    struct plan *plan = truth_freeze(b, "posix:/");
    assert_true(engine_memory(plan, &caps, 0) < 40u << 20);
    plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_implicit_open_is_one_more_op_of_its_flowop),
        cmocka_unit_test(what_keeps_nothing_is_read_to_its_nominal_size),
        cmocka_unit_test(more_streams_than_files_never_fail),
        cmocka_unit_test(streams_wait_for_files_that_come_and_go),
        cmocka_unit_test(all_streams_go_round_together),
        cmocka_unit_test(each_stream_goes_its_own_round),
        cmocka_unit_test(a_set_that_has_run_out_says_so),
        cmocka_unit_test(a_slot_with_a_file_of_another_set_fails_the_run),
        cmocka_unit_test(reading_on_goes_back_behind_the_end),
        cmocka_unit_test(an_empty_file_is_read_in_one_op_of_nothing),
        cmocka_unit_test(a_whole_file_is_read_to_its_real_end),
        cmocka_unit_test(random_places_keep_to_each_file),
        cmocka_unit_test(a_whole_file_is_written_exactly),
        cmocka_unit_test(a_copy_is_as_long_as_its_source),
        cmocka_unit_test(nothing_is_appended_in_no_op),
        cmocka_unit_test(what_is_appended_never_repeats),
        cmocka_unit_test(an_open_file_is_deleted_by_its_owner_only),
        cmocka_unit_test(an_open_file_is_passed_over_by_who_deletes_any),
        cmocka_unit_test(a_listing_counts_its_names),
        cmocka_unit_test(leaf_directories_are_made_and_removed),
        cmocka_unit_test(turns_open_128_files_and_keep_them),
        cmocka_unit_test(each_open_slot_is_synced_once),
        cmocka_unit_test(loops_go_as_often_as_was_drawn),
        cmocka_unit_test(a_deleted_slot_is_known_no_more),
        cmocka_unit_test(threads_behave_as_their_group_says),
        cmocka_unit_test(a_thread_needs_memory_for_its_own_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
