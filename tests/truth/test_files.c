/* engine.h, content.h on real files: what is reported lies on the disk, and what does not is told. */
#include "truth/trees.h"

#include "fileset/content.h"
#include "fileset/fileset.h"

/* Two whole pieces and a part of one, so that every read and write is of the lengths it can be. */
#define FILE_BYTES (2 * TREE_PIECE + 1000)
#define PIECES     3u

static struct truth_dir dir;

static int make_dir(void **state)
{
    (void)state;
    truth_dir_make(&dir);
    return 0;
}

static int remove_dir(void **state)
{
    (void)state;
    truth_dir_remove(&dir);
    return 0;
}

static void path_of(char path[128], const char *below)
{
    snprintf(path, 128, "%s/%s", dir.path, below);
}

static void write_tree(struct measured *m)
{
    const struct fileset_spec spec = tree_small(FILE_BYTES);
    truth_run(m, tree_write(&spec), dir.path);
    assert_int_equal(m->out.end, ENGINE_DONE);
    assert_int_equal(m->out.errors, 0);
}

static void write_and_forget(void)
{
    struct measured m;
    write_tree(&m);
    truth_fini(&m);
}

static void read_tree(struct measured *m)
{
    const struct fileset_spec spec = tree_small(FILE_BYTES);
    truth_run(m, tree_read(&spec, true), dir.path);
}

/* ---- what lies on the disk ---- */

static struct {
    uint64_t bytes;
    uint64_t files;
    uint64_t dirs;
} found;

static int count_entry(const char *path, const struct stat *st, int type, struct FTW *where)
{
    (void)path;
    if (type == FTW_F) {
        found.files++;
        found.bytes += (uint64_t)st->st_size;
        assert_int_equal(st->st_size, FILE_BYTES);
    } else {
        assert_int_equal(type, FTW_D);
        found.dirs += where->level > 1; /* neither the place nor the roots */
    }
    return 0;
}

/* Bytes, files and directories reported are those that a walk over the disk finds. */
static void what_was_written_lies_on_the_disk(void **state)
{
    (void)state;
    struct measured m;
    write_tree(&m);
    memset(&found, 0, sizeof found);
    assert_int_equal(nftw(dir.path, count_entry, 16, FTW_PHYS), 0);
    assert_int_equal(found.files, 48);
    assert_int_equal(found.dirs, 24);
    assert_int_equal(truth_line(&m, "mkdir")->samples, found.dirs);
    assert_int_equal(truth_line(&m, "create")->samples, found.files);
    assert_int_equal(truth_line(&m, "close")->samples, found.files);
    assert_int_equal(truth_line(&m, "write")->samples, found.files);
    assert_int_equal(truth_line(&m, "write")->ops, found.files * PIECES);
    assert_int_equal(truth_line(&m, "write")->bytes, found.bytes);
    assert_streams_sum_to_lines(&m);
    truth_fini(&m);
}

/* content.h: every byte is a function of seed, file and offset. */
static void every_byte_is_the_one_that_belongs_there(void **state)
{
    (void)state;
    static unsigned char have[FILE_BYTES];
    static unsigned char wanted[FILE_BYTES];
    const struct fileset_spec spec = tree_small(FILE_BYTES);
    struct fileset_map map;
    struct content content;
    struct err err = {0};
    write_and_forget();
    assert_int_equal(fileset_map_init(&map, "", &spec, 1, &err), 0);
    assert_int_equal(content_open(&content, 2001, 0), 0);
    for (uint32_t tree = 0; tree < 2; tree++) {
        for (uint64_t f = 0; f < map.set[0].files_per_tree; f++) {
            char leaf[FILESET_LEAF_MAX], below[64], path[128];
            uint64_t node = fileset_file(&map.set[0], tree, f, leaf);
            fileset_path(&map, node, leaf, below, sizeof below);
            path_of(path, below);
            int fd = open(path, O_RDONLY);
            assert_int_equal(read(fd, have, sizeof have), FILE_BYTES);
            close(fd);
            content_fill(&content, fileset_file_key(&map.set[0], tree, f), FILE_BYTES,
                         CONTENT_WRITTEN_ONCE, 0, wanted, sizeof wanted);
            assert_memory_equal(have, wanted, sizeof have);
        }
    }
    content_close(&content);
    fileset_map_fini(&map);
}

static void what_was_written_is_read_back_and_verified(void **state)
{
    (void)state;
    struct measured m;
    write_and_forget();
    read_tree(&m);
    assert_int_equal(m.out.end, ENGINE_DONE);
    assert_int_equal(m.out.errors, 0);
    assert_false(m.out.mismatch.found);
    assert_int_equal(truth_line(&m, "open")->samples, 48);
    assert_int_equal(truth_line(&m, "read")->samples, 48);
    assert_int_equal(truth_line(&m, "read")->ops, 48 * PIECES);
    assert_int_equal(truth_line(&m, "read")->bytes, 48 * (uint64_t)FILE_BYTES);
    assert_streams_sum_to_lines(&m);
    truth_fini(&m);
}

/* engine.h: place is where the filesets lie, from the target's root. */
static void a_place_below_the_root_is_used(void **state)
{
    (void)state;
    const struct fileset_spec spec = tree_small(FILE_BYTES);
    struct measured m;
    char path[128];
    path_of(path, "a");
    assert_int_equal(mkdir(path, 0755), 0);
    path_of(path, "a/b");
    assert_int_equal(mkdir(path, 0755), 0);
    truth_run_job(&m, tree_write(&spec), dir.path, (struct engine_job){.place = "a/b"});
    assert_int_equal(m.out.errors, 0);
    truth_fini(&m);
    path_of(path, "a/b/t01/d2/d1/f1");
    assert_int_equal(access(path, R_OK), 0);
}

/* ---- what is wrong on the disk ---- */

static void flip_byte(const char *below, off_t at)
{
    char path[128];
    unsigned char c;
    path_of(path, below);
    int fd = open(path, O_RDWR);
    assert_int_equal(pread(fd, &c, 1, at), 1);
    c ^= 0x10;
    assert_int_equal(pwrite(fd, &c, 1, at), 1);
    close(fd);
}

/* ENGINE_MISMATCH: outcome.mismatch names the first wrong byte; first, last, and one in between. */
static void one_flipped_byte_voids_the_run_and_is_named(void **state)
{
    (void)state;
    static const struct {
        off_t at;
        uint64_t len;
    } flip[] = {{0, TREE_PIECE}, {5000, TREE_PIECE}, {FILE_BYTES - 1, 1000}};
    write_and_forget();
    for (unsigned i = 0; i < TRUTH_COUNT(flip); i++) {
        struct measured m;
        flip_byte("t01/d1/d2/f1", flip[i].at);
        read_tree(&m);
        assert_int_equal(m.out.end, ENGINE_MISMATCH);
        assert_true(m.out.mismatch.found);
        assert_string_equal(m.out.mismatch.path, "t01/d1/d2/f1");
        assert_int_equal(m.out.mismatch.off, flip[i].at);
        assert_int_equal(m.out.mismatch.len, flip[i].len);
        truth_fini(&m);
        flip_byte("t01/d1/d2/f1", flip[i].at);
    }
}

/* Without verify nobody looks: the run that was not asked to verify does not claim to have. */
static void without_verification_a_flipped_byte_is_not_seen(void **state)
{
    (void)state;
    const struct fileset_spec spec = tree_small(FILE_BYTES);
    struct measured m;
    write_and_forget();
    flip_byte("t00/d0/f0", 1);
    truth_run(&m, tree_read(&spec, false), dir.path);
    assert_int_equal(m.out.end, ENGINE_DONE);
    assert_false(m.out.mismatch.found);
    truth_fini(&m);
}

static void assert_one_error(const struct measured *m, enum op_kind op, int code, uint64_t count,
                             const char *path)
{
    assert_int_equal(m->out.errors, 1);
    assert_int_equal(m->out.error[0].op, op);
    assert_int_equal(m->out.error[0].code, code);
    assert_int_equal(m->out.error[0].count, count);
    assert_string_equal(m->out.error[0].first_path, path);
}

/* engine.h: -ENODATA, fewer bytes than asked; at an edge of the pieces, inside one, and empty. */
static void a_file_that_shrank_is_an_error(void **state)
{
    (void)state;
    static const off_t size[] = {FILE_BYTES - 1, 2 * TREE_PIECE, 100, 0};
    char path[128];
    write_and_forget();
    path_of(path, "t00/d2/f0");
    for (unsigned i = 0; i < TRUTH_COUNT(size); i++) {
        struct measured m;
        assert_int_equal(truncate(path, size[i]), 0);
        read_tree(&m);
        assert_int_equal(m.out.end, ENGINE_DONE);
        assert_one_error(&m, OP_READ, -ENODATA, 1, "t00/d2/f0");
        assert_int_equal(truth_line(&m, "read")->samples, 47);
        assert_int_equal(truth_line(&m, "read")->bytes, 47 * (uint64_t)FILE_BYTES);
        assert_int_equal(truth_line(&m, "close")->samples, 48);
        truth_fini(&m);
    }
}

static void a_file_that_vanished_is_an_error(void **state)
{
    (void)state;
    struct measured m;
    char path[128];
    write_and_forget();
    path_of(path, "t00/d2/f1");
    assert_int_equal(unlink(path), 0);
    read_tree(&m);
    assert_int_equal(m.out.end, ENGINE_DONE);
    assert_one_error(&m, OP_OPEN, -ENOENT, 1, "t00/d2/f1");
    assert_int_equal(truth_line(&m, "read")->samples, 47);
    assert_int_equal(truth_line(&m, "close")->samples, 47);
    truth_fini(&m);
}

/* No symlink is followed, not even to a directory with the right files in it. */
static void a_planted_symlink_is_not_followed(void **state)
{
    (void)state;
    struct measured m;
    char path[128], moved[128];
    write_and_forget();
    path_of(path, "t00/d1");
    path_of(moved, "elsewhere");
    assert_int_equal(rename(path, moved), 0);
    assert_int_equal(symlink(moved, path), 0);
    read_tree(&m);
    assert_int_equal(m.out.end, ENGINE_DONE);
    /* d1 and its three children, two files in each. */
    assert_int_equal(engine_error_count(&m.out), 4 + 8);
    for (unsigned i = 0; i < m.out.errors; i++)
        assert_true(m.out.error[i].code == -ELOOP || m.out.error[i].code == -ENOTDIR);
    assert_string_equal(m.out.error[0].first_path, "t00/d1");
    assert_int_equal(truth_line(&m, "read")->samples, 40);
    truth_fini(&m);
}

static void a_planted_link_to_a_file_is_not_followed(void **state)
{
    (void)state;
    struct measured m;
    char path[128], moved[128];
    write_and_forget();
    path_of(path, "t00/d1/f0");
    path_of(moved, "elsewhere");
    assert_int_equal(rename(path, moved), 0);
    assert_int_equal(symlink(moved, path), 0);
    read_tree(&m);
    assert_one_error(&m, OP_OPEN, -ELOOP, 1, "t00/d1/f0");
    assert_int_equal(truth_line(&m, "read")->samples, 47);
    truth_fini(&m);
}

/* target.h: CREATE makes the file, which must not exist: nothing of another's is written over. */
static void files_that_are_there_are_not_written_over(void **state)
{
    (void)state;
    const struct fileset_spec spec = tree_small(FILE_BYTES);
    struct plan_builder *b = tree_begin(&spec);
    struct measured m;
    write_and_forget();
    plan_begin_group(b, "again", 2, 1);
    plan_end_section(b);
    struct plan_step pick = t_pick(PLAN_UNIT_FILE, PLAN_ORDER_OWN, 1);
    pick.to = 5;
    t_add(b, pick);
    t_add(b, t_op(OP_CREATE, tree_line(b, OP_CREATE), 1));
    tree_add_whole(b, OP_WRITE, false);
    t_add(b, t_op(OP_CLOSE, tree_line(b, OP_CLOSE), 1));
    t_add(b, t_loop(0, 0, 0));
    plan_end_section(b);
    plan_end_section(b);
    truth_run(&m, b, dir.path);
    assert_int_equal(m.out.errors, 1);
    assert_int_equal(m.out.error[0].code, -EEXIST);
    assert_int_equal(m.out.error[0].count, 48);
    assert_int_equal(truth_line(&m, "write")->samples, 0);
    truth_fini(&m);
}

/* plan.h: one SYNCFS after the last stream, inside the elapsed time. */
static void the_closing_sync_is_counted_once(void **state)
{
    (void)state;
    const struct fileset_spec spec = tree_small(FILE_BYTES);
    struct plan_builder *b = tree_write(&spec);
    struct measured m;
    plan_sync_at_end(b, plan_add_line(b, "sync", OP_SYNCFS, false));
    truth_run(&m, b, dir.path);
    const struct samples_line *sync = truth_line(&m, "sync");
    assert_int_equal(m.out.errors, 0);
    assert_int_equal(sync->samples, 1);
    assert_int_equal(sync->ops, 1);
    assert_true(m.out.elapsed_ns >= sync->service.max);
    truth_fini(&m);
}

/* docs/adr/0008: an overwrite never writes what is there, not even in a run of the same seed. */
static void an_overwrite_changes_each_sector(void **state)
{
    (void)state;
    enum { LEN = 8 * CONTENT_SECTOR, RUNS = 3 };
    static unsigned char have[RUNS][LEN];
    const struct fileset_spec spec = {
        .shape = FILESET_FLAT, .trees = 1, .files = 1, .size_bytes = LEN};
    for (unsigned run = 0; run < RUNS; run++) {
        struct measured m;
        char path[128];
        struct plan_builder *b = plan_new(2001);
        plan_add_set(b, &spec);
        uint16_t line = plan_add_line(b, "write", OP_WRITE, false);
        struct plan_step pick = t_pick(PLAN_UNIT_FILE, PLAN_ORDER_OWN, 0);
        pick.to = 2;
        plan_begin_group(b, "g", 1, 1);
        t_add(b, pick);
        t_add(b, t_op(run ? OP_OPEN : OP_CREATE, PLAN_NO_LINE, 0));
        plan_end_section(b);
        t_add(b, t_io(OP_WRITE, line, LEN));
        plan_end_section(b);
        t_add(b, t_op(OP_CLOSE, PLAN_NO_LINE, 0));
        plan_end_section(b);
        truth_run(&m, b, dir.path);
        assert_int_equal(m.out.errors, 0);
        truth_fini(&m);
        path_of(path, "f0");
        int fd = open(path, O_RDONLY);
        assert_int_equal(read(fd, have[run], LEN), LEN);
        close(fd);
        for (unsigned at = 0; run > 0 && at < LEN; at += CONTENT_SECTOR)
            assert_memory_not_equal(have[run] + at, have[run - 1] + at, CONTENT_SECTOR);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define ON_DISK(test) cmocka_unit_test_setup_teardown(test, make_dir, remove_dir)
        ON_DISK(what_was_written_lies_on_the_disk),
        ON_DISK(every_byte_is_the_one_that_belongs_there),
        ON_DISK(what_was_written_is_read_back_and_verified),
        ON_DISK(a_place_below_the_root_is_used),
        ON_DISK(one_flipped_byte_voids_the_run_and_is_named),
        ON_DISK(without_verification_a_flipped_byte_is_not_seen),
        ON_DISK(a_file_that_shrank_is_an_error),
        ON_DISK(a_file_that_vanished_is_an_error),
        ON_DISK(a_planted_symlink_is_not_followed),
        ON_DISK(a_planted_link_to_a_file_is_not_followed),
        ON_DISK(files_that_are_there_are_not_written_over),
        ON_DISK(the_closing_sync_is_counted_once),
        ON_DISK(an_overwrite_changes_each_sector),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
