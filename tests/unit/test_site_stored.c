/* fileset/site.h, site_ask_stored: files that occupy less than they are long are seen. */
#include "unit/site_box.h"

#define TREE_FILES 24 /* of box_tree */

static void put_bytes(const char *dir, const char *name, size_t len)
{
    char path[BOX_PATH];
    FILE *file = fopen(box_path(path, dir, name), "wb");

    assert_non_null(file);
    for (size_t i = 0; i < len; i++)
        assert_true(fputc((int)(i * 7919 >> 3) & 0xff, file) != EOF);
    assert_int_equal(fclose(file), 0);
}

static struct site_stored ask(struct site *site, const struct site_shape *shape, const char *place,
                              unsigned most)
{
    struct site_stored stored;
    struct err err = {0};

    if (site_ask_stored(site, shape, place, most, &stored, &err) != 0)
        fail_msg("%s", err.text);
    return stored;
}

/* The box makes its files by truncate: nothing but holes. One of them is then really written. */
static void holes_are_not_stored(void **state)
{
    struct box *box = *state;
    struct site_shape shape = box_tree(BOX_ID);
    struct site *site = box_site(box->target);
    struct site_stored stored;
    char path[BOX_PATH];
    char place[64];

    box_begin(site, &shape);
    box_fill(box, site, &shape, 4096, 1, 1, path);
    site_place(&shape, 4096, 1, 1, place, sizeof place);
    stored = ask(site, &shape, place, 64);
    assert_int_equal(stored.files, TREE_FILES);
    assert_int_equal(stored.size_bytes, TREE_FILES * 4096);
    assert_int_equal(stored.stored_bytes, 0);

    put_bytes(path, "t01/d1/d1/f1", 4096);
    stored = ask(site, &shape, place, 64);
    assert_int_equal(stored.size_bytes, TREE_FILES * 4096);
    assert_int_equal(stored.stored_bytes, 4096);
    site_close(site);
}

/* A block more than the file needs makes up for no hole in another. */
static void a_file_counts_for_no_more_than_its_size(void **state)
{
    struct box *box = *state;
    struct site_shape shape = box_tree(BOX_ID);
    struct site *site = box_site(box->target);
    struct site_stored stored;
    char path[BOX_PATH];
    char place[64];

    box_begin(site, &shape);
    box_fill(box, site, &shape, 10, 1, 1, path);
    put_bytes(path, "t00/d0/f0", 10);
    put_bytes(path, "t01/d1/f0", 10);
    site_place(&shape, 10, 1, 1, place, sizeof place);
    stored = ask(site, &shape, place, 64);
    assert_int_equal(stored.size_bytes, TREE_FILES * 10);
    assert_int_equal(stored.stored_bytes, 20);
    site_close(site);
}

/* Two of 24: the first of each half, so the first of each tree. */
static void few_files_are_spread_over_the_place(void **state)
{
    struct box *box = *state;
    struct site_shape shape = box_tree(BOX_ID);
    struct site *site = box_site(box->target);
    struct site_stored stored;
    char path[BOX_PATH];
    char place[64];

    box_begin(site, &shape);
    box_fill(box, site, &shape, 4096, 1, 1, path);
    put_bytes(path, "t01/d0/f0", 4096);
    site_place(&shape, 4096, 1, 1, place, sizeof place);
    stored = ask(site, &shape, place, 2);
    assert_int_equal(stored.files, 2);
    assert_int_equal(stored.stored_bytes, 4096);
    site_close(site);
}

static void what_is_not_there_is_left_out(void **state)
{
    struct box *box = *state;
    struct site_shape shape = box_tree(BOX_ID);
    struct site *site = box_site(box->target);
    struct site_stored stored;
    struct err err = {0};
    char path[BOX_PATH];
    char gone[BOX_PATH];
    char place[64];

    box_begin(site, &shape);
    box_fill(box, site, &shape, 4096, 1, 1, path);
    assert_int_equal(unlink(box_path(gone, path, "t00/d1/f1")), 0);
    site_place(&shape, 4096, 1, 1, place, sizeof place);
    assert_int_equal(ask(site, &shape, place, 64).files, TREE_FILES - 1);
    site_place(&shape, 4096, 2, 1, place, sizeof place);
    assert_int_equal(ask(site, &shape, place, 64).files, 0);
    assert_int_equal(site_ask_stored(site, &shape, "elsewhere", 64, &stored, &err), -EINVAL);
    site_close(site);
}

static void a_flat_place_is_asked_too(void **state)
{
    struct box *box = *state;
    struct site_shape shape = box_tree(BOX_ID);
    struct site *site = box_site(box->target);
    struct site_stored stored;
    char path[BOX_PATH];
    char hole[BOX_PATH];
    char place[64];

    shape.lengths = 0;
    shape.spec =
        (struct fileset_spec){.shape = FILESET_FLAT, .trees = 1, .files = 3, .size_bytes = 8192};
    snprintf(shape.study, sizeof shape.study, "io");
    box_begin(site, &shape);
    box_fill(box, site, &shape, 8192, 0, 0, path);
    assert_int_equal(truncate(box_path(hole, path, "f1"), 8192), 0);
    put_bytes(path, "f2", 8192);
    site_place(&shape, 0, 0, 0, place, sizeof place);
    stored = ask(site, &shape, place, 64);
    assert_int_equal(stored.files, 3);
    assert_int_equal(stored.size_bytes, 2 * 8192);
    assert_int_equal(stored.stored_bytes, 8192);
    site_close(site);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(holes_are_not_stored, box_setup, box_teardown),
        cmocka_unit_test_setup_teardown(a_file_counts_for_no_more_than_its_size, box_setup,
                                        box_teardown),
        cmocka_unit_test_setup_teardown(few_files_are_spread_over_the_place, box_setup,
                                        box_teardown),
        cmocka_unit_test_setup_teardown(what_is_not_there_is_left_out, box_setup, box_teardown),
        cmocka_unit_test_setup_teardown(a_flat_place_is_asked_too, box_setup, box_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
