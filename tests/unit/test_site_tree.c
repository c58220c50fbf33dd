/* Reading a tree that another program made. */
#include "unit/site_box.h"

#include "fileset/site_priv.h"
#include "fileset/site_tree.h"

static int list_tree(struct site *site, const char *under, const char *name, struct grown **out,
                     struct err *err)
{
    *err = (struct err){0};
    return site_list_tree(site, under, name, out, NULL, err);
}

/* Made in an order that is nobody's: 00000002 has files, 00000001 a directory with files. */
static void make_tree(const char *dir)
{
    box_mkdir(dir, "big");
    box_mkdir(dir, "big/00000002");
    box_write(dir, "big/00000002/00000002", "22");
    box_write(dir, "big/00000002/00000001", "1");
    box_mkdir(dir, "big/00000001");
    box_mkdir(dir, "big/00000001/00000001");
    box_write(dir, "big/00000001/00000001/00000003", "");
    box_write(dir, "big/00000001/00000001/100000000", "nine!");
}

static void expect_file(const struct grown *g, uint64_t file, uint64_t dir, uint64_t serial,
                        uint64_t bytes)
{
    uint64_t is_dir = 0;
    uint64_t is_serial = 0;

    grown_file(g, file, &is_dir, &is_serial);
    assert_int_equal(is_dir, dir);
    assert_int_equal(is_serial, serial);
    assert_int_equal(grown_file_bytes(g, file), bytes);
}

/* Depth first, by number, each file with its length: as if it had been made by us. */
static void a_tree_is_taken_as_it_is(void **state)
{
    struct box *box = *state;
    struct site *site = box_site(box->target);
    struct grown *g = NULL;
    struct err err;

    make_tree(box->target);
    if (list_tree(site, "/", "big", &g, &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(grown_files(g), 4);
    assert_int_equal(grown_dirs(g), 4);
    expect_file(g, 0, 2, 3, 0);
    expect_file(g, 1, 2, 100000000, 5);
    expect_file(g, 2, 3, 1, 1);
    expect_file(g, 3, 3, 2, 2);
    assert_string_equal(grown_spec(g)->name, "big");
    assert_string_equal(grown_spec(g)->under, "/");
    assert_int_equal(box_entries_in(box->target), 8); /* and left as it was */
    grown_free(g);
    site_close(site);
}

static void a_tree_lies_under_a_path(void **state)
{
    struct box *box = *state;
    struct site *site = box_site(box->target);
    struct grown *g = NULL;
    struct err err;
    char path[BOX_PATH];

    box_mkdir(box->target, "a");
    box_mkdir(box->target, "a/b");
    make_tree(box_path(path, box->target, "a/b"));
    assert_int_equal(list_tree(site, "/a/b", "big", &g, &err), 0);
    assert_int_equal(grown_files(g), 4);
    grown_free(g);
    assert_int_equal(list_tree(site, "/a", "big", &g, &err), -ENOENT);
    box_expect_error(err, "/a/big");
    assert_int_equal(list_tree(site, "/a/c", "big", &g, &err), -ENOENT);
    assert_int_equal(list_tree(site, "/a/b/big/00000002/00000001", "big", &g, &err), -ENOENT);
    assert_int_equal(list_tree(site, "/a/..", "big", &g, &err), -EINVAL);
    assert_int_equal(list_tree(site, "/", "..", &g, &err), -EINVAL);
    assert_int_equal(list_tree(site, "/", "a/b", &g, &err), -EINVAL);
    assert_int_equal(list_tree(site, "/", "", &g, &err), -EINVAL);
    assert_int_equal(site->depth, 0);
    site_close(site);
}

/* One name that is no number, or one thing that is no file or directory, and it is not such a tree. */
static void what_does_not_fit_is_named(void **state)
{
    static const char *const names[] = {"notes",     "1",        "0000001",
                                        "000000001", "00000000", "00000001.bak"};
    struct box *box = *state;
    struct site *site = box_site(box->target);
    struct grown *g = NULL;
    struct err err;
    char path[BOX_PATH];
    char name[64];

    make_tree(box->target);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(name, sizeof name, "big/00000002/%s", names[i]);
        box_write(box->target, name, "");
        assert_int_equal(list_tree(site, "/", "big", &g, &err), -EINVAL);
        box_expect_error(err, name);
        assert_int_equal(remove(box_path(path, box->target, name)), 0);
    }
    box_path(path, box->target, "big/00000009");
    assert_int_equal(symlink(box->outside, path), 0);
    assert_int_equal(list_tree(site, "/", "big", &g, &err), -EINVAL);
    box_expect_error(err, "big/00000009 is neither");
    assert_int_equal(remove(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(list_tree(site, "/", "big", &g, &err), -EINVAL);
    box_expect_error(err, "big/00000009 is neither");
    box_write(box->target, "plain", "");
    assert_int_equal(list_tree(site, "/", "plain", &g, &err), -EINVAL);
    box_expect_error(err, "plain is not a directory");
    assert_null(g);
    site_close(site);
}

/* A tree reached through a symlink could be anybody's. */
static void a_link_is_not_followed(void **state)
{
    struct box *box = *state;
    struct site *site = box_site(box->target);
    struct grown *g = NULL;
    struct err err;
    char path[BOX_PATH];

    make_tree(box->target);
    assert_int_equal(symlink("big", box_path(path, box->target, "link")), 0);
    assert_int_equal(list_tree(site, "/", "link", &g, &err), -EINVAL);
    box_expect_error(err, "link is not a directory");
    assert_int_equal(symlink(".", box_path(path, box->target, "here")), 0);
    assert_true(list_tree(site, "/here", "big", &g, &err) < 0);
    assert_null(g);
    site_close(site);
}

static void too_deep_is_told(void **state)
{
    struct box *box = *state;
    struct site *site = box_site(box->target);
    struct grown *g = NULL;
    struct err err;
    char path[2 * BOX_PATH];
    size_t n = (size_t)snprintf(path, sizeof path, "%s/deep", box->target);

    assert_int_equal(mkdir(path, 0777), 0);
    for (unsigned i = 0; i <= GROWN_DEPTH_MAX + 1; i++) {
        n += (size_t)snprintf(path + n, sizeof path - n, "/00000001");
        assert_int_equal(mkdir(path, 0777), 0);
    }
    assert_int_equal(list_tree(site, "/", "deep", &g, &err), -EINVAL);
    box_expect_error(err, "deeper than a set can be");
    assert_int_equal(site->depth, 0);
    site_close(site);
}

static void reading_can_be_stopped(void **state)
{
    struct box *box = *state;
    struct site *site = box_site(box->target);
    struct grown *g = NULL;
    struct err err = {0};
    const atomic_int stop = 1;

    make_tree(box->target);
    assert_int_equal(site_list_tree(site, "/", "big", &g, &stop, &err), -EINTR);
    assert_null(g);
    site_close(site);
}

static void what_the_target_refuses_is_told(void **state)
{
    struct box *box = *state;
    char address[BOX_PATH + 64];
    struct grown *g = NULL;
    struct err err;

    make_tree(box->target);
    snprintf(address, sizeof address, "fault:%s?error=EIO@readdir:2", box->target);
    struct site *site = box_site(address);
    assert_int_equal(list_tree(site, "/", "big", &g, &err), -EIO);
    box_expect_error(err, "/big");
    site_close(site);
    site = box_site("null:");
    assert_int_equal(list_tree(site, "/", "big", &g, &err), -ENOENT);
    site_close(site);
}

#define box_test(f) cmocka_unit_test_setup_teardown(f, box_setup, box_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        box_test(a_tree_is_taken_as_it_is),
        box_test(a_tree_lies_under_a_path),
        box_test(what_does_not_fit_is_named),
        box_test(a_link_is_not_followed),
        box_test(too_deep_is_told),
        box_test(reading_can_be_stopped),
        box_test(what_the_target_refuses_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
