/* Removing directories that hold grown sets: every name is a number, and files are of any length. */
#include "unit/site_box.h"

#include "fileset/site_priv.h"

#include <malloc.h>

#define FILES_DIR "loadline-" BOX_ID "/files"

static struct site_set box_set[] = {{.name = "big", .serial_most = 20000, .levels = 2},
                                    {.name = "log files", .serial_most = 1, .levels = 0}};

static struct site_shape box_sets(void)
{
    struct site_shape shape = box_tree(BOX_ID);

    shape.spec = (struct fileset_spec){.trees = 0};
    shape.lengths = shape.repeats = shape.trees_max = 0;
    shape.length_bytes = NULL;
    shape.sets = 2;
    shape.set = box_set;
    return shape;
}

/* Two sets: directories 1 and 1/2, files beside and in them, one of each length. */
static struct site *filled(const struct box *box, const struct site_shape *shape,
                           char path[BOX_PATH])
{
    struct site *site = box_site(box->target);
    struct err err = {0};
    char full[BOX_PATH];

    box_begin(site, shape);
    if (site_make_place(site, FILES_DIR, &err) != 0)
        fail_msg("%s", err.text);
    box_path(path, box->target, FILES_DIR);
    box_mkdir(path, "big");
    box_mkdir(path, "big/00000001");
    box_mkdir(path, "big/00000001/00000002");
    box_write(path, "big/00020000", "");
    box_write(path, "big/00000001/00000001", "four");
    box_write(path, "big/00000001/00000002/00000007", "");
    assert_int_equal(truncate(box_path(full, path, "big/00020000"), 1 << 30), 0);
    box_mkdir(path, "log files");
    box_write(path, "log files/00000001", "");
    return site;
}

static int remove_all(struct site *site, const struct site_shape *shape,
                      struct site_removed *removed, struct err *err)
{
    *err = (struct err){0};
    return site_remove(site, shape, NULL, removed, NULL, NULL, NULL, err);
}

static void sets_are_removed_whatever_their_lengths(void **state)
{
    struct box *box = *state;
    struct site_shape shape = box_sets();
    struct site_shape taken = {.sets = 0};
    struct site_removed removed;
    struct err err;
    char path[BOX_PATH];

    site_close(filled(box, &shape, path));
    struct site *site = box_site(box->target); /* another run: all it knows is the marker */
    assert_int_equal(site_adopt(site, BOX_ID, &taken, &err), 0);
    assert_int_equal(taken.sets, 2);
    assert_int_equal(remove_all(site, &taken, &removed, &err), 0);
    assert_int_equal(removed.files, 4);
    assert_int_equal(removed.dirs, 6);
    assert_int_equal(removed.bytes, (1 << 30) + 4);
    assert_int_equal(box_entries_in(box->target), 0);
    site_shape_fini(&taken);
    site_close(site);
}

static void the_place_of_sets_is_removed_alone(void **state)
{
    struct box *box = *state;
    struct site_shape shape = box_sets();
    struct site_removed removed;
    struct err err;
    char path[BOX_PATH];
    char place[64];
    struct site *site = filled(box, &shape, path);

    site_place(&shape, 0, 0, 0, place, sizeof place);
    assert_string_equal(place, FILES_DIR);
    assert_int_equal(site_remove(site, &shape, place, &removed, NULL, NULL, NULL, &err), 0);
    assert_int_equal(removed.files, 4);
    assert_int_equal(box_entries_in(box->target), 2); /* our directory and its marker */
    site_close(site);
}

struct plant {
    const char *where;
    enum { PLANT_FILE, PLANT_DIR, PLANT_LINK, PLANT_FIFO } what;
};

static void plant_it(const char *path, const struct plant *p, const char *link_to)
{
    char full[BOX_PATH];

    box_path(full, path, p->where);
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

/* A number of eight digits at least, no larger than the largest, no deeper than the deepest, a file or a
 * directory: nothing else is ours. */
static void what_no_set_can_hold_is_left(void **state)
{
    static const struct plant plants[] = {
        {"bigger", PLANT_DIR},
        {"big", PLANT_LINK},
        {"00000001", PLANT_DIR},
        {"big/f0", PLANT_FILE},
        {"big/1", PLANT_FILE},
        {"big/0000001", PLANT_FILE},
        {"big/000000001", PLANT_FILE},
        {"big/00000000", PLANT_FILE},
        {"big/00020001", PLANT_FILE},
        {"big/100000000", PLANT_FILE},
        {"big/99999999999999999999", PLANT_FILE},
        {"big/0000001a", PLANT_FILE},
        {"big/-0000001", PLANT_FILE},
        {"big/00000003", PLANT_LINK},
        {"big/00000003", PLANT_FIFO},
        {"big/00000001", PLANT_LINK},
        {"big/00000001/00000002/00000003", PLANT_DIR},
        {"log files/00000002", PLANT_FILE},
        {"log files/00000001", PLANT_DIR},
    };
    struct box *box = *state;
    struct site_shape shape = box_sets();

    for (size_t i = 0; i < sizeof plants / sizeof plants[0]; i++) {
        struct site_removed removed;
        struct err err;
        char path[BOX_PATH];
        char full[BOX_PATH];
        struct site *site = filled(box, &shape, path);

        plant_it(path, &plants[i], box->outside);
        assert_int_equal(remove_all(site, &shape, &removed, &err), -ENOTEMPTY);
        assert_int_equal(removed.left, 1);
        box_expect_error(err, plants[i].where);
        box_expect_outside_whole(box);
        assert_true(box_has(path, plants[i].where));
        assert_int_equal(remove(box_path(full, path, plants[i].where)), 0);
        assert_int_equal(remove_all(site, &shape, &removed, &err), 0);
        assert_int_equal(box_entries_in(box->target), 0);
        site_close(site);
    }
}

/* Numbers of more than eight digits are written with as many as they need. */
static void numbers_grow_beyond_eight_digits(void **state)
{
    uint64_t serial;

    (void)state;
    assert_true(site_serial_ok("00000001", 1, &serial));
    assert_int_equal(serial, 1);
    assert_true(site_serial_ok("2147483648", 2147483648, &serial));
    assert_true(serial == 2147483648);
    assert_false(site_serial_ok("2147483649", 2147483648, &serial));
    assert_false(site_serial_ok("02147483648", 2147483648, &serial));
    assert_false(site_serial_ok("18446744073709551617", UINT64_MAX, &serial));
    assert_false(site_serial_ok("", UINT64_MAX, &serial));
}

/* What a stream still has open goes on being read; its name goes. */
static void files_that_are_open_are_removed(void **state)
{
    struct box *box = *state;
    struct site_shape shape = box_sets();
    struct site_removed removed;
    struct err err;
    char path[BOX_PATH];
    char full[BOX_PATH];
    char text[4];
    struct site *site = filled(box, &shape, path);
    int fd = open(box_path(full, path, "big/00000001/00000001"), O_RDWR);

    assert_true(fd >= 0);
    assert_int_equal(remove_all(site, &shape, &removed, &err), 0);
    assert_int_equal(removed.files, 4);
    assert_int_equal(pread(fd, text, 4, 0), 4);
    assert_memory_equal(text, "four", 4);
    close(fd);
    site_close(site);
}

/* On NFS an open file gets another name instead; the words say when it will go. */
static void what_nfs_keeps_for_an_open_file_is_explained(void **state)
{
    struct box *box = *state;
    struct site_shape shape = box_sets();
    struct site_removed removed;
    struct err err;
    char path[BOX_PATH];
    struct site *site = filled(box, &shape, path);

    box_write(path, "big/.nfs000000000000000100000001", "");
    assert_int_equal(remove_all(site, &shape, &removed, &err), -ENOTEMPTY);
    box_expect_error(err, "still open on this machine");
    assert_int_equal(removed.left, 1);
    site_close(site);
}

static size_t most_memory;

static void watch_memory(void *ctx, const struct site_removed *so_far)
{
    size_t now = mallinfo2().uordblks;

    (void)ctx, (void)so_far;
    if (now > most_memory)
        most_memory = now;
}

/* Whatever the number of entries: memory for one buffer a level, and none for the entries. */
static void many_entries_take_no_memory(void **state)
{
    enum { FILES = 4000 };
    struct box *box = *state;
    struct site_shape shape = box_sets();
    struct site_removed removed;
    struct err err;
    char path[BOX_PATH];
    char name[64];
    struct site *site = filled(box, &shape, path);
    size_t before;

    for (unsigned i = 1; i < FILES; i++) {
        snprintf(name, sizeof name, "big/%08u", i);
        if (i > 1)
            box_write(path, name, "");
    }
    before = mallinfo2().uordblks;
    most_memory = 0;
    assert_int_equal(site_remove(site, &shape, NULL, &removed, NULL, watch_memory, NULL, &err), 0);
    assert_int_equal(removed.files, FILES + 2);
    assert_true(most_memory > 0 || before == 0); /* sanitizers keep their own accounts */
    assert_true(most_memory <= before + SITE_LIST_BYTES * (SITE_DEPTH_MAX + 1));
    site_close(site);
}

/* As deep as a set may be. */
static void the_deepest_set_is_removed(void **state)
{
    struct box *box = *state;
    struct site_shape shape = box_sets();
    struct site_set deep = {.name = "deep", .serial_most = 1, .levels = GROWN_DEPTH_MAX + 1};
    struct site_removed removed;
    struct err err = {0};
    char path[BOX_PATH * 2];
    size_t n;

    memset(deep.name, 'n', GROWN_NAME_MAX - 1); /* and with the longest name */
    shape.sets = 1;
    shape.set = &deep;
    struct site *site = box_site(box->target);
    box_begin(site, &shape);
    assert_int_equal(site_make_place(site, FILES_DIR, &err), 0);
    n = (size_t)snprintf(path, sizeof path, "%s/" FILES_DIR "/%s", box->target, deep.name);
    assert_int_equal(mkdir(path, 0777), 0);
    for (unsigned i = 0; i < deep.levels; i++) {
        n += (size_t)snprintf(path + n, sizeof path - n, "/00000001");
        assert_int_equal(mkdir(path, 0777), 0);
    }
    assert_int_equal(remove_all(site, &shape, &removed, &err), 0);
    assert_int_equal(removed.dirs, 3 + deep.levels);
    assert_int_equal(box_entries_in(box->target), 0);
    site_close(site);
}

/* What asks for one length has none to ask for. */
static void sets_have_no_one_length(void **state)
{
    struct box *box = *state;
    struct site_shape shape = box_sets();
    struct site_stored stored;
    struct site_witness witness;
    struct err err = {0};
    char path[BOX_PATH];
    struct site *site = filled(box, &shape, path);

    assert_int_equal(site_check_place(site, &shape, FILES_DIR, 0, &err), -EINVAL);
    box_expect_error(err, "no one length");
    assert_int_equal(site_ask_stored(site, &shape, FILES_DIR, 8, &stored, &err), 0);
    assert_int_equal(stored.files, 0);
    assert_int_equal(site_cache_probe(site, &shape, false, &witness, &err), 0);
    site_close(site);
}

#define box_test(f) cmocka_unit_test_setup_teardown(f, box_setup, box_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        box_test(sets_are_removed_whatever_their_lengths),
        box_test(the_place_of_sets_is_removed_alone),
        box_test(what_no_set_can_hold_is_left),
        box_test(numbers_grow_beyond_eight_digits),
        box_test(files_that_are_open_are_removed),
        box_test(what_nfs_keeps_for_an_open_file_is_explained),
        box_test(many_entries_take_no_memory),
        box_test(the_deepest_set_is_removed),
        box_test(sets_have_no_one_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
