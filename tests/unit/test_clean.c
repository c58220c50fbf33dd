#include "unit/own_mounts.h"
#include "unit/site_box.h"

#include "fileset/site_priv.h"

#include <dirent.h>
#include <sched.h>
#include <sys/mount.h>

static int remove_all(struct site *site, const struct site_shape *shape,
                      struct site_removed *removed, struct err *err)
{
    *err = (struct err){0};
    return site_remove(site, shape, NULL, removed, NULL, NULL, NULL, err);
}

/* Everything that was made is removed, and counted; the target is as it was before. */
static void all_that_is_ours_is_removed(void **state)
{
    struct box *box = *state;
    struct site_shape shape = box_tree(BOX_ID);
    struct site *site = box_site(box->target);
    struct site_removed removed;
    struct err err;
    char path[BOX_PATH];

    box_write(box->target, "thesis.tex", "dear");
    box_begin(site, &shape);
    box_fill(box, site, &shape, 10, 0, 0, path);
    box_fill(box, site, &shape, 4096, 3, 4, path);
    box_write(box->target, "loadline-" BOX_ID "/.probe", "left by a kill");
    box_write(box->target, "loadline-" BOX_ID "/.loadline.new", "{");
    assert_int_equal(remove_all(site, &shape, &removed, &err), 0);
    assert_int_equal(removed.files, 2 * 2 * 12 + 1);
    assert_int_equal(removed.dirs, 2 * (1 + 2 * 7) + 1);
    assert_int_equal(removed.bytes, 2 * 12 * (10 + 4096));
    assert_int_equal(removed.left, 0);
    assert_int_equal(box_entries_in(box->target), 1);
    box_expect_text(box->target, "thesis.tex", "dear");

    /* It is not ours any more: another may be begun by the same hand. */
    box_begin(site, &shape);
    assert_int_equal(remove_all(site, &shape, &removed, &err), 0);
    site_close(site);
}

/* What somebody else has removed was told as "not all is removed". */
static void what_is_gone_already_is_removed(void **state)
{
    struct box *box = *state;
    struct site_shape shape = box_tree(BOX_ID);
    struct site *site = box_site(box->target);
    struct site_removed removed;
    struct err err;
    char marker[BOX_PATH + 64], dir[BOX_PATH + 64];

    box_begin(site, &shape);
    snprintf(marker, sizeof marker, "%s/loadline-" BOX_ID "/.loadline", box->target);
    snprintf(dir, sizeof dir, "%s/loadline-" BOX_ID, box->target);
    assert_int_equal(unlink(marker), 0);
    assert_int_equal(rmdir(dir), 0);
    assert_int_equal(remove_all(site, &shape, &removed, &err), 0);
    assert_int_equal(removed.files + removed.dirs + removed.left, 0);
    /* And it is not held any more. */
    box_begin(site, &shape);
    assert_int_equal(remove_all(site, &shape, &removed, &err), 0);
    site_close(site);
}

/* One place goes, the others and the marker stay. */
static void one_place_is_removed(void **state)
{
    struct box *box = *state;
    struct site_shape shape = box_tree(BOX_ID);
    struct site *site = box_site(box->target);
    struct site_removed removed;
    struct err err = {0};
    char path[BOX_PATH];
    char place[64];

    box_begin(site, &shape);
    box_fill(box, site, &shape, 10, 1, 1, path);
    box_fill(box, site, &shape, 10, 1, 2, path);
    site_place(&shape, 10, 1, 2, place, sizeof place);
    assert_int_equal(site_remove(site, &shape, place, &removed, NULL, NULL, NULL, &err), 0);
    assert_int_equal(removed.files, 24);
    assert_int_equal(removed.dirs, 15);
    assert_false(box_has(box->target, place));
    assert_true(box_has(box->target, "loadline-" BOX_ID "/10-r1-k01/t01/d1/d1/f1"));
    assert_true(box_has(box->target, "loadline-" BOX_ID "/.loadline"));
    assert_int_equal(site_remove(site, &shape, place, &removed, NULL, NULL, NULL, &err), -ENOENT);
    site_close(site);
}

struct plant {
    const char *where; /* in the place */
    enum { PLANT_FILE, PLANT_DIR, PLANT_LINK, PLANT_FIFO } what;
};

static void plant_it(const char *path, const struct plant *p, const char *link_to)
{
    char full[BOX_PATH];

    box_path(full, path, p->where);
    /* Where the tree has an entry of that name, it takes its place. */
    nftw(full, box_unlink, 16, FTW_PHYS | FTW_DEPTH);
    if (p->what == PLANT_DIR)
        assert_int_equal(mkdir(full, 0777), 0);
    else if (p->what == PLANT_LINK)
        assert_int_equal(symlink(link_to, full), 0);
    else if (p->what == PLANT_FIFO)
        assert_int_equal(mkfifo(full, 0666), 0);
    else
        box_write(path, p->where, "mine");
}

/* Each thing that the shape cannot have made, by its name or by its type, is left and named; all
 * that is ours around it goes, and the marker stays, so that it can be removed later. */
static void what_is_not_ours_is_left(void **state)
{
    static const struct plant plants[] = {
        {"notes", PLANT_FILE},
        {"t02", PLANT_DIR},
        {"t0", PLANT_DIR},
        {"t000", PLANT_DIR},
        {"t00/f0", PLANT_FILE},
        {"t00/d2", PLANT_DIR},
        {"t00/d0/f2", PLANT_FILE},
        {"t00/d0/f00", PLANT_FILE},
        {"t00/d0/f", PLANT_FILE},
        {"t00/d0/f-1", PLANT_FILE},
        {"t00/d0/f+1", PLANT_FILE},
        {"t00/d0/f0", PLANT_DIR},
        {"t00/d0/f0", PLANT_FIFO},
        {"t00/d0/f0", PLANT_LINK},
        {"t00/d0/d1", PLANT_FILE},
        {"t00/d0/d1", PLANT_LINK},
        {"t00/d0", PLANT_LINK},
        {"t00", PLANT_LINK},
        {"t01/d1/d1/d0", PLANT_DIR},
        {"t01/d1/d1/F0", PLANT_FILE},
        {"t01/d1/d1/f 1", PLANT_FILE},
        {"t01/d1/d1/f18446744073709551616", PLANT_FILE},
        {".loadline", PLANT_FILE},
    };
    struct box *box = *state;
    struct site_shape shape = box_tree(BOX_ID);

    for (size_t i = 0; i < sizeof plants / sizeof plants[0]; i++) {
        struct site *site = box_site(box->target);
        struct site_removed removed;
        struct err err;
        char path[BOX_PATH];
        char full[BOX_PATH];

        box_begin(site, &shape);
        box_fill(box, site, &shape, 10, 1, 1, path);
        box_fill(box, site, &shape, 10, 1, 2, full);
        plant_it(path, &plants[i], box->outside);
        assert_int_equal(remove_all(site, &shape, &removed, &err), -ENOTEMPTY);
        assert_int_equal(removed.left, 1);
        box_expect_error(err, plants[i].where);
        box_expect_outside_whole(box);

        int depth = 1;
        for (const char *c = plants[i].where; *c != '\0'; c++)
            depth += *c == '/';
        /* The directory, its marker, the place, and the way down to what was planted. */
        assert_int_equal(box_entries_in(box->target), 3 + depth);
        assert_true(box_has(path, plants[i].where));
        assert_int_equal(remove(box_path(full, path, plants[i].where)), 0);
        assert_int_equal(remove_all(site, &shape, &removed, &err), 0);
        assert_int_equal(box_entries_in(box->target), 0);
        site_close(site);
    }
}

/* A planted directory with our names in it, in place of the marked one's parts, is not looked
 * into; several are counted. */
static void foreign_entries_are_counted(void **state)
{
    struct box *box = *state;
    struct site_shape shape = box_tree(BOX_ID);
    struct site *site = box_site(box->target);
    struct site_removed removed;
    struct err err;
    char path[BOX_PATH];
    const struct plant many[] = {{"t02", PLANT_DIR},         {"t02/d0", PLANT_DIR},
                                 {"t02/d0/f0", PLANT_FILE},  {"t00/d0/x", PLANT_FILE},
                                 {"t00/d1/x", PLANT_FILE},   {"t01/d1/d0/x", PLANT_FILE},
                                 {"t01/d1/d0/y", PLANT_FILE}};

    box_begin(site, &shape);
    box_fill(box, site, &shape, 10, 1, 1, path);
    box_mkdir(box->target, "loadline-" BOX_ID "/11-r1-k01");
    for (size_t i = 0; i < sizeof many / sizeof many[0]; i++)
        plant_it(path, &many[i], box->outside);
    assert_int_equal(remove_all(site, &shape, &removed, &err), -ENOTEMPTY);
    assert_int_equal(removed.left, 6);
    assert_true(box_has(path, "t02/d0/f0"));
    assert_int_equal(removed.files, 24);
    site_close(site);
}

/* A listing of many pieces is removed piece by piece; `files` is the place of a flat set. */
static void a_long_listing_is_removed(void **state)
{
    enum { FILES = 3000 };
    struct box *box = *state;
    struct site_shape shape = box_tree(BOX_ID);
    struct site *site = box_site(box->target);
    struct site_removed removed;
    struct err err;
    char path[BOX_PATH], file[BOX_PATH];

    shape.lengths = 0;
    shape.spec = (struct fileset_spec){
        .shape = FILESET_FLAT, .trees = 1, .files = FILES, .size_bytes = 8192};
    box_begin(site, &shape);
    box_fill(box, site, &shape, 0, 0, 0, path);
    box_write(path, "f3000", "one too many");
    assert_int_equal(truncate(box_path(file, path, "f2999"), 8000), 0);
    assert_int_equal(remove_all(site, &shape, &removed, &err), -ENOTEMPTY);
    assert_int_equal(removed.files, FILES);
    assert_int_equal(removed.bytes, 8000);
    assert_int_equal(removed.left, 1);
    box_expect_error(err, "loadline-" BOX_ID "/files/f3000");
    assert_int_equal(box_entries_in(box->target), 4);
    site_close(site);
}

struct watcher {
    atomic_int stop;
    uint64_t calls;
    uint64_t files;
};

/* Bytes were counted from the marker, and a file that had grown went with the others. */
static void a_file_longer_than_ours_is_left(void **state)
{
    struct box *box = *state;
    struct site_shape shape = box_tree(BOX_ID);
    struct site *site = box_site(box->target);
    struct site_removed removed;
    struct err err;
    char path[BOX_PATH], file[BOX_PATH];

    box_begin(site, &shape);
    box_fill(box, site, &shape, 10, 1, 1, path);
    assert_int_equal(truncate(box_path(file, path, "t00/d1/f0"), 11), 0);
    assert_int_equal(truncate(box_path(file, path, "t00/d1/f1"), 9), 0);
    assert_int_equal(remove_all(site, &shape, &removed, &err), -ENOTEMPTY);
    assert_int_equal(removed.left, 1);
    assert_int_equal(removed.files, 23);
    assert_int_equal(removed.bytes, 22 * 10 + 9);
    box_expect_error(err, "10-r1-k01/t00/d1/f0, which is longer than its marker says");
    assert_true(box_has(path, "t00/d1/f0"));
    site_close(site);
}

static void stop_soon(void *ctx, const struct site_removed *so_far)
{
    struct watcher *w = ctx;

    assert_true(so_far->files >= w->files);
    w->files = so_far->files;
    w->calls++;
    atomic_store(&w->stop, 1);
}

/* Progress is told while removing; the stop flag ends it early, and the rest goes next time. */
static void removing_can_be_stopped(void **state)
{
    enum { FILES = 2000 };
    struct box *box = *state;
    struct site_shape shape = box_tree(BOX_ID);
    struct site *site = box_site(box->target);
    struct site_removed removed;
    struct watcher watcher = {0};
    struct err err;
    char path[BOX_PATH];

    shape.lengths = 0;
    shape.spec = (struct fileset_spec){.shape = FILESET_FLAT, .trees = 1, .files = FILES};
    box_begin(site, &shape);
    box_fill(box, site, &shape, 0, 0, 0, path);
    assert_int_equal(
        site_remove(site, &shape, NULL, &removed, &watcher.stop, stop_soon, &watcher, &err),
        -EINTR);
    assert_int_equal(watcher.calls, 1);
    assert_int_equal(removed.files, watcher.files);
    assert_in_range(removed.files, 1, FILES - 1);
    assert_true(box_has(box->target, "loadline-" BOX_ID "/.loadline"));
    uint64_t first = removed.files;
    assert_int_equal(remove_all(site, &shape, &removed, &err), 0);
    assert_int_equal(first + removed.files, FILES);
    assert_int_equal(box_entries_in(box->target), 0);
    site_close(site);
}

/* An error at any op while removing is told when it left something, and what it left can be removed
 * the next time. */
static void an_error_while_removing_is_told(void **state)
{
    struct box *box = *state;
    struct site_shape shape = box_tree(BOX_ID);
    unsigned told = 0;

    shape.spec.trees = 1;
    shape.spec.levels = 1;
    for (unsigned k = 1; k < 60; k++) {
        char address[BOX_PATH + 64];
        char path[BOX_PATH];
        struct site_removed removed = {0};
        struct site_shape taken = {0};
        struct err err = {0};
        struct site *site = box_site(box->target);

        box_begin(site, &shape);
        box_fill(box, site, &shape, 10, 1, 1, path);
        site_close(site);
        snprintf(address, sizeof address, "fault:%s?error=EIO@op:%u", box->target, k);
        site = box_site(address);
        int rc = site_adopt(site, BOX_ID, &taken, &err);
        if (rc == 0)
            rc = remove_all(site, &taken, &removed, &err);
        site_shape_fini(&taken);
        site_close(site);
        site = box_site(box->target);
        if (rc != 0) {
            told++;
            assert_int_equal(rc, -EIO);
            box_expect_error(err, "Input/output error");
            box_expect_error(err, "loadline-" BOX_ID);
            assert_int_equal(site_adopt(site, BOX_ID, &taken, &err), 0);
            assert_int_equal(remove_all(site, &taken, &removed, &err), 0);
            site_shape_fini(&taken);
        }
        site_close(site);
        assert_int_equal(box_entries_in(box->target), 0);
    }
    assert_true(told > 5);
}

/* What the target refuses to remove is counted and named with its words; the marker stays. */
static void what_is_refused_is_named(void **state)
{
    struct box *box = *state;
    struct site_shape shape = box_tree(BOX_ID);
    char address[BOX_PATH + 128];
    char path[BOX_PATH];
    struct site_removed removed;
    struct err err;

    shape.spec.trees = 1;
    shape.spec.levels = 1;
    shape.spec.branches = 1;
    snprintf(address, sizeof address,
             "fault:%s?error=EACCES@unlink:2&error=EACCES@unlink:3&error=EACCES@unlink:4",
             box->target);
    struct site *site = box_site(address);
    box_begin(site, &shape); /* unlinks a stale new marker: the first unlink */
    box_fill(box, site, &shape, 10, 1, 1, path);
    assert_int_equal(remove_all(site, &shape, &removed, &err), -EACCES);
    box_expect_error(err, "/10-r1-k01/t00/d0/f");
    box_expect_error(err, "Permission denied");
    assert_int_equal(removed.left, 2);
    assert_int_equal(removed.files, 0);
    assert_true(box_has(box->target, "loadline-" BOX_ID "/.loadline"));
    assert_int_equal(remove_all(site, &shape, &removed, &err), 0);
    assert_int_equal(box_entries_in(box->target), 0);
    site_close(site);
}

/* A server that loses its place in a listing when entries are removed: it starts again. */
static void a_lost_listing_starts_again(void **state)
{
    enum { FILES = 3000 };
    struct box *box = *state;
    struct site_shape shape = box_tree(BOX_ID);
    char address[BOX_PATH + 128];
    char path[BOX_PATH];
    struct site_removed removed;
    struct err err;

    shape.lengths = 0;
    shape.spec = (struct fileset_spec){.shape = FILESET_FLAT, .trees = 1, .files = FILES};
    struct site *site = box_site(box->target);
    box_begin(site, &shape);
    box_fill(box, site, &shape, 0, 0, 0, path);
    site_close(site);
    snprintf(address, sizeof address, "fault:%s?error=EINVAL@readdir:3", box->target);
    site = box_site(address);
    struct site_shape taken = {0};
    assert_int_equal(site_adopt(site, BOX_ID, &taken, &err), 0);
    assert_int_equal(remove_all(site, &taken, &removed, &err), 0);
    assert_int_equal(removed.files, FILES);
    assert_int_equal(box_entries_in(box->target), 0);
    site_close(site);
}

/* The site under test, and its target before something was put in front of it. */
static struct site *shift_site;
static const struct target_table *shift_real;

/* As if another file system were mounted on t01. */
static int shift_submit(struct session *s, struct op *const ops[], unsigned n)
{
    int taken = shift_real->submit(s, ops, n);
    const struct site_step *here = &shift_site->at[shift_site->depth - 1];

    if (taken == 1 && ops[0]->kind == OP_STAT && ops[0]->leaf == NULL &&
        strcmp(here->leaf, "t01") == 0)
        ((struct target_stat *)ops[0]->buf)->device++;
    return taken;
}

/* Another file system is not entered, whatever its names, and not removed. */
static void another_file_system_is_not_entered(void **state)
{
    struct box *box = *state;
    struct site_shape shape = box_tree(BOX_ID);
    struct site *site = box_site(box->target);
    struct target_table shifted = *site->table;
    struct site_removed removed;
    struct err err;
    char path[BOX_PATH];

    box_begin(site, &shape);
    box_fill(box, site, &shape, 10, 1, 1, path);
    shift_site = site;
    shift_real = site->table;
    shifted.submit = shift_submit;
    site->table = &shifted;
    assert_int_equal(remove_all(site, &shape, &removed, &err), -ENOTEMPTY);
    box_expect_error(err, "/10-r1-k01/t01");
    assert_int_equal(removed.left, 1);
    assert_int_equal(removed.files, 12);
    assert_false(box_has(path, "t00"));
    assert_true(box_has(path, "t01/d1/d1/f1"));
    site->table = shift_real;
    site_close(site);
}

static unsigned open_descriptors(void)
{
    DIR *dir = opendir("/proc/self/fd");
    unsigned n = 0;

    assert_non_null(dir);
    while (readdir(dir) != NULL)
        n++;
    closedir(dir);
    return n;
}

/* What is mounted from now on nobody else sees. */
static void mounts_are_our_own(void)
{
    assert_true(own_mounts());
}

/* Removal went through a bind mount, whose device is that of the tree, and took the files of a
 * stranger whose names were ours. */
static void a_bind_mount_is_not_entered(void **state)
{
    struct box *box = *state;
    struct site_shape shape = box_tree(BOX_ID);
    struct site *site;
    struct site_removed removed;
    struct err err;
    char path[BOX_PATH];
    char place[BOX_PATH];

    mounts_are_our_own();
    site = box_site(box->target);
    box_begin(site, &shape);
    box_fill(box, site, &shape, 10, 1, 1, place);
    box_path(path, place, "t00/d0");
    assert_int_equal(mount(box->outside, path, NULL, MS_BIND, NULL), 0);
    assert_int_equal(remove_all(site, &shape, &removed, &err), -ENOTEMPTY);
    box_expect_error(err, "t00/d0");
    assert_int_equal(removed.left, 1);
    box_expect_outside_whole(box);
    assert_int_equal(umount(path), 0);
    site_close(site);
}

/* A directory of ours over which something is mounted is nobody's, and does not hide the others. */
static void a_mount_over_ours_is_left(void **state)
{
    struct box *box = *state;
    struct site *site;
    struct site_found *found = NULL;
    struct err err = {0};
    unsigned n = 0;
    char path[BOX_PATH];

    mounts_are_our_own();
    site = box_site(box->target);
    box_mkdir(box->target, "loadline-" BOX_ID);
    box_path(path, box->target, "loadline-" BOX_ID);
    assert_int_equal(mount(box->outside, path, NULL, MS_BIND, NULL), 0);
    assert_int_equal(site_scan(site, &found, &n, &err), 0);
    assert_int_equal(n, 1);
    assert_int_equal(found[0].marker, SITE_UNMARKED);
    site_found_free(found, n);
    assert_int_equal(umount(path), 0);
    site_close(site);
}

/* The deepest tree there may be is removed, and nothing stays open. */
static void the_deepest_tree_is_removed(void **state)
{
    struct box *box = *state;
    struct site_shape shape = box_tree(BOX_ID);
    unsigned before = open_descriptors();
    struct site *site = box_site(box->target);
    struct site_removed removed;
    struct err err;
    char path[BOX_PATH];
    char place[64];

    shape.spec.levels = 16;
    shape.spec.branches = 1;
    box_begin(site, &shape);
    box_fill(box, site, &shape, 10, 1, 1, path);
    site_place(&shape, 10, 1, 1, place, sizeof place);
    assert_int_equal(site_check_place(site, &shape, place, 10, &err), 0);
    assert_int_equal(remove_all(site, &shape, &removed, &err), 0);
    assert_int_equal(removed.dirs, 2 * 17 + 2);
    assert_int_equal(box_entries_in(box->target), 0);
    site_close(site);
    assert_int_equal(open_descriptors(), before);
}

#define box_test(f) cmocka_unit_test_setup_teardown(f, box_setup, box_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        box_test(all_that_is_ours_is_removed),
        box_test(what_is_gone_already_is_removed),
        box_test(one_place_is_removed),
        box_test(what_is_not_ours_is_left),
        box_test(foreign_entries_are_counted),
        box_test(a_long_listing_is_removed),
        box_test(a_file_longer_than_ours_is_left),
        box_test(removing_can_be_stopped),
        box_test(an_error_while_removing_is_told),
        box_test(what_is_refused_is_named),
        box_test(a_lost_listing_starts_again),
        box_test(another_file_system_is_not_entered),
        box_test(the_deepest_tree_is_removed),
        box_test(a_bind_mount_is_not_entered),
        box_test(a_mount_over_ours_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
