/* Having the files of a set that is there as the set wants them. */
#include "unit/site_box.h"

#include "fileset/content.h"
#include "fileset/site_priv.h"
#include "fileset/site_tree.h"
#include "fileset/state.h"

#define SEED  7
#define FILES 8
#define BYTES 1000
#define LEAFS 3

/* 8 files of 1000 bytes in 2 directories and 3 leaf directories, in the place of a run. */
struct mended {
    struct box *box;
    struct grown *grown;
    struct fileset_map map;
    struct fileset_state *state;
    struct site *site;
    struct site_mended done;
    struct err err;
    char path[BOX_PATH]; /* of the set */
};

static int mended_setup(void **state)
{
    const struct grown_spec want = {.name = "big",
                                    .entries = FILES,
                                    .leafdirs = LEAFS,
                                    .size = {.kind = DRAW_FIXED, .a = BYTES},
                                    .width = {.kind = DRAW_FIXED, .a = 4},
                                    .seed = 1};
    struct mended *m = calloc(1, sizeof *m);

    assert_non_null(m);
    m->box = box_open_in(".");
    assert_int_equal(grown_new(&want, &m->grown, &m->err), 0);
    const struct fileset_spec spec = {.shape = FILESET_GROWN, .trees = 1, .grown = m->grown};
    assert_int_equal(fileset_map_init(&m->map, "place", &spec, 1, &m->err), 0);
    assert_int_equal(
        fileset_state_new(FILES, grown_dirs(m->grown), LEAFS, 100, SEED, &m->state, &m->err), 0);
    m->site = box_site(m->box->target);
    box_mkdir(m->box->target, "place");
    box_path(m->path, m->box->target, "place/big");
    *state = m;
    return 0;
}

static int mended_teardown(void **state)
{
    struct mended *m = *state;

    site_close(m->site);
    fileset_state_free(m->state);
    fileset_map_fini(&m->map);
    grown_free(m->grown);
    box_close(m->box);
    free(m);
    return 0;
}

static int mend(struct mended *m)
{
    m->err = (struct err){0};
    return site_mend(m->site, &m->map, 0, SEED, m->state, &m->done, NULL, NULL, NULL, &m->err);
}

static void mend_all(struct mended *m)
{
    if (mend(m) != 0)
        fail_msg("%s", m->err.text);
}

static void expect_done(const struct mended *m, uint64_t kept, uint64_t made, uint64_t cut,
                        uint64_t written)
{
    assert_int_equal(m->done.kept, kept);
    assert_int_equal(m->done.made, made);
    assert_int_equal(m->done.cut, cut);
    assert_int_equal(m->done.written, written);
}

static const char *file_path(const struct mended *m, uint64_t file, char buf[BOX_PATH])
{
    char leaf[FILESET_LEAF_MAX];
    char below[BOX_PATH];
    uint64_t node = fileset_file(&m->map.set[0], 0, file, leaf);

    fileset_path(&m->map, node, leaf, below, sizeof below);
    return box_path(buf, m->box->target, below);
}

/* It is there with its length, and holds the content that the seed gives it. */
static void expect_content(const struct mended *m, uint64_t file)
{
    struct content content;
    char path[BOX_PATH];
    char buf[BYTES + 1];
    FILE *f = fopen(file_path(m, file, path), "rb");

    assert_non_null(f);
    assert_int_equal(fread(buf, 1, sizeof buf, f), BYTES);
    fclose(f);
    assert_int_equal(content_open(&content, SEED, 0), 0);
    assert_int_equal(
        content_check(&content, fileset_file_key(&m->map.set[0], 0, file), BYTES, 0, buf, BYTES),
        -1);
    content_close(&content);
}

/* Missing files are made, and the directories they lie in. */
static void missing_files_are_made(void **state)
{
    struct mended *m = *state;
    char path[BOX_PATH];

    mend_all(m);
    expect_done(m, 0, FILES, 0, 0);
    assert_int_equal(m->done.dirs_made, grown_dirs(m->grown) + LEAFS);
    for (uint64_t f = 0; f < FILES; f++)
        expect_content(m, f);
    mend_all(m);
    expect_done(m, FILES, 0, 0, 0);
    assert_int_equal(m->done.dirs_made, 0);
    assert_int_equal(remove(file_path(m, 3, path)), 0);
    mend_all(m);
    expect_done(m, FILES - 1, 1, 0, 0);
    expect_content(m, 3);
}

/* Too long is cut, too short is written anew from its start; what has its length is not touched. */
static void lengths_are_put_right(void **state)
{
    struct mended *m = *state;
    char path[BOX_PATH];

    mend_all(m);
    assert_int_equal(truncate(file_path(m, 0, path), BYTES + 5000), 0);
    assert_int_equal(truncate(file_path(m, 1, path), 10), 0);
    assert_int_equal(truncate(file_path(m, 2, path), 0), 0);
    FILE *f = fopen(file_path(m, 4, path), "r+b");
    assert_non_null(f);
    fputs("another", f);
    fclose(f);
    mend_all(m);
    expect_done(m, FILES - 3, 0, 1, 2);
    for (uint64_t i = 0; i < 4; i++)
        expect_content(m, i);
    char text[8] = "";
    f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fread(text, 1, 7, f), 7);
    fclose(f);
    assert_string_equal(text, "another");
}

/* It is in the state that it is not. */
static void let_go_of(struct mended *m, enum fileset_use use, uint64_t number)
{
    assert_int_equal(fileset_state_take_file(m->state, use, number, 0), 0);
    fileset_state_done(m->state, use, number, true);
}

/* What should not be there, and is, would make the run another one than the first was. */
static void files_beyond_are_removed(void **state)
{
    struct mended *m = *state;
    char path[BOX_PATH];
    struct stat st;

    mend_all(m);
    let_go_of(m, FILESET_USE_DELETE, 5);
    let_go_of(m, FILESET_USE_DELETE, 6);
    assert_int_equal(remove(file_path(m, 6, path)), 0);
    mend_all(m);
    expect_done(m, FILES - 2, 0, 0, 0);
    assert_int_equal(m->done.removed, 1);
    assert_false(fileset_state_file_exists(m->state, 5));
    assert_int_equal(stat(file_path(m, 5, path), &st), -1);
    mend_all(m);
    assert_int_equal(m->done.removed, 0);
}

static const char *leaf_path(const struct mended *m, uint64_t leaf, char buf[BOX_PATH])
{
    char below[BOX_PATH];

    fileset_path(&m->map, fileset_leaf_node(&m->map.set[0], leaf), NULL, below, sizeof below);
    return box_path(buf, m->box->target, below);
}

/* Leaf directories that a run has made or removed are as they were before it. */
static void leaf_directories_are_put_right(void **state)
{
    struct mended *m = *state;
    char path[BOX_PATH];
    struct stat st;

    mend_all(m);
    assert_int_equal(m->done.dirs_made, grown_dirs(m->grown) + LEAFS);
    for (uint64_t l = 0; l < LEAFS; l++)
        assert_int_equal(stat(leaf_path(m, l, path), &st), 0);
    assert_int_equal(rmdir(leaf_path(m, 0, path)), 0);
    let_go_of(m, FILESET_USE_RMDIR, 1);
    mend_all(m);
    assert_int_equal(m->done.dirs_made, 1);
    assert_int_equal(m->done.dirs_removed, 1);
    assert_int_equal(stat(leaf_path(m, 0, path), &st), 0);
    assert_int_equal(stat(leaf_path(m, 1, path), &st), -1);
    mend_all(m);
    assert_int_equal(m->done.dirs_made + m->done.dirs_removed, 0);
}

/* What is in the way of one is named and left: a file, and what somebody has put into one. */
static void what_is_no_leaf_directory_is_left(void **state)
{
    struct mended *m = *state;
    char path[BOX_PATH];

    mend_all(m);
    assert_int_equal(rmdir(leaf_path(m, 0, path)), 0);
    fclose(fopen(path, "w"));
    assert_int_equal(mend(m), -EUCLEAN);
    box_expect_error(m->err, "is not a directory");
    assert_int_equal(remove(path), 0);
    let_go_of(m, FILESET_USE_RMDIR, 1);
    snprintf(path + strlen(leaf_path(m, 1, path)), 8, "/mine");
    fclose(fopen(path, "w"));
    assert_int_equal(mend(m), -ENOTEMPTY);
    assert_int_equal(remove(path), 0);
}

/* Nothing is written through a symlink or into a FIFO that has a file's name. */
static void what_is_no_file_is_named(void **state)
{
    struct mended *m = *state;
    char path[BOX_PATH];
    char f0[BOX_PATH];

    mend_all(m);
    assert_int_equal(remove(file_path(m, 1, path)), 0);
    assert_int_equal(symlink(box_path(f0, m->box->outside, "f0"), path), 0);
    assert_int_equal(mend(m), -EUCLEAN);
    box_expect_error(m->err, "is not a regular file");
    assert_int_equal(remove(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(mend(m), -EUCLEAN);
    box_expect_outside_whole(m->box);
}

static unsigned progress_calls;

static void on_progress(void *ctx, uint64_t files)
{
    (void)ctx;
    assert_int_equal(files, ++progress_calls * 512);
}

/* One that can be stopped, says how far it is, and whose errors name the file. */
static void it_can_be_stopped_and_fails_by_name(void **state)
{
    struct mended *m = *state;
    const atomic_int stop = 1;
    char address[BOX_PATH + 64];

    assert_int_equal(
        site_mend(m->site, &m->map, 0, SEED, m->state, &m->done, &stop, NULL, NULL, &m->err),
        -EINTR);
    box_expect_error(m->err, "stopped");
    assert_false(box_has(m->path, ""));
    site_close(m->site);
    snprintf(address, sizeof address, "fault:%s?error=ENOSPC@write:3", m->box->target);
    m->site = box_site(address);
    assert_int_equal(mend(m), -ENOSPC);
    box_expect_error(m->err, "place/big/");
    assert_int_equal(m->done.made, 2);
    mend_all(m); /* the file that was begun is too short, and there */
    expect_done(m, 2, FILES - 3, 0, 1);
    /* The site's own numbers hold again. */
    assert_int_equal(site_stat(m->site, "place", &(struct target_stat){0}), 0);
}

static void progress_is_told(void **state)
{
    struct mended *m = *state;
    struct grown_spec want = *grown_spec(m->grown);
    struct grown *many = NULL;
    struct fileset_state *all = NULL;
    struct fileset_map map;

    want.entries = 1100;
    want.leafdirs = 0;
    want.size.a = 0;
    assert_int_equal(grown_new(&want, &many, &m->err), 0);
    const struct fileset_spec spec = {.shape = FILESET_GROWN, .trees = 1, .grown = many};
    assert_int_equal(fileset_map_init(&map, "place", &spec, 1, &m->err), 0);
    assert_int_equal(fileset_state_new(1100, grown_dirs(many), 0, 100, SEED, &all, &m->err), 0);
    progress_calls = 0;
    assert_int_equal(
        site_mend(m->site, &map, 0, SEED, all, &m->done, NULL, on_progress, NULL, &m->err), 0);
    assert_int_equal(progress_calls, 2);
    assert_int_equal(m->done.made, 1100);
    fileset_state_free(all);
    fileset_map_fini(&map);
    grown_free(many);
}

static void what_keeps_nothing_needs_no_mending(void **state)
{
    struct mended *m = *state;

    site_close(m->site);
    m->site = box_site("null:");
    mend_all(m);
    expect_done(m, FILES, 0, 0, 0);
}

#define mended_test(f) cmocka_unit_test_setup_teardown(f, mended_setup, mended_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        mended_test(missing_files_are_made),
        mended_test(lengths_are_put_right),
        mended_test(files_beyond_are_removed),
        mended_test(leaf_directories_are_put_right),
        mended_test(what_is_no_leaf_directory_is_left),
        mended_test(what_is_no_file_is_named),
        mended_test(it_can_be_stopped_and_fails_by_name),
        mended_test(progress_is_told),
        mended_test(what_keeps_nothing_needs_no_mending),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
