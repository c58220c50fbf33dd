/* What a session of the NFS client keeps: handles that end, directories that are forgotten in the order of
 * their use, and records of writes that go together where they can. */
#include "target/nfs_kept_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static struct nfs3_fh handle_of(uint64_t n)
{
    struct nfs3_fh fh = {.len = sizeof n};

    memcpy(fh.data, &n, sizeof n);
    return fh;
}

static void handle_of_a_closed_file_is_nobodys(void **state)
{
    struct nfs_files f;
    uint64_t handle[3];
    uint32_t place;

    (void)state;
    assert_int_equal(nfs_files_init(&f, 2), 0);
    for (unsigned i = 0; i < 3; i++) {
        place = nfs_files_take(&f, i);
        assert_int_not_equal(place, NFS_NONE);
        handle[i] = nfs_files_handle(&f, place);
        assert_int_equal(nfs_files_find(&f, handle[i]), NFS_NONE); /* being opened */
        f.file[place].fh = handle_of(i);
        assert_int_equal(nfs_files_find(&f, handle[i]), place);
        assert_int_equal(f.file[place].flags, i);
        if (i == 1) {
            nfs_files_give(&f, place);
            assert_int_equal(nfs_files_find(&f, handle[1]), NFS_NONE);
        }
    }
    assert_int_equal(nfs_files_take(&f, 0), NFS_NONE);
    assert_int_equal(nfs_files_find(&f, handle[1]), NFS_NONE); /* another file has its place */
    assert_true(handle[1] != handle[2]);
    assert_int_equal(nfs_files_find(&f, UINT64_MAX), NFS_NONE);
    nfs_files_fini(&f);
}

static void directories_go_in_the_order_of_their_use(void **state)
{
    struct nfs3_fh root = handle_of(0);
    struct nfs_dirs d;

    (void)state;
    assert_int_equal(nfs_dirs_init(&d, &root, 1), 0); /* 8 at least */
    for (uint64_t n = 1; n <= 8; n++) {
        struct nfs3_fh fh = handle_of(n);

        nfs_dirs_keep(&d, n, &fh);
    }
    assert_non_null(nfs_dirs_find(&d, 1)); /* now 2 is the oldest */
    for (uint64_t n = 100; n < 107; n++) {
        struct nfs3_fh fh = handle_of(n);

        nfs_dirs_keep(&d, n, &fh);
        assert_memory_equal(&nfs_dirs_find(&d, n)->fh, &fh, 1 + fh.len);
        assert_non_null(nfs_dirs_find(&d, 1));
        assert_null(nfs_dirs_find(&d, n - 98));
    }
    nfs_dirs_forget(&d, 1);
    nfs_dirs_forget(&d, 1);
    assert_null(nfs_dirs_find(&d, 1));
    nfs_dirs_forget(&d, TARGET_NODE_ROOT);
    assert_memory_equal(&nfs_dirs_find(&d, TARGET_NODE_ROOT)->fh, &root, 1 + root.len);
    nfs_dirs_fini(&d);
}

/* A listing that goes on needs the verifier of the page before, whoever looked the directory up meanwhile. */
static void directory_known_anew_keeps_its_listing(void **state)
{
    struct nfs3_fh fh = handle_of(5);
    struct nfs3_fh other = handle_of(6);
    struct nfs_dirs d;

    (void)state;
    assert_int_equal(nfs_dirs_init(&d, &fh, 8), 0);
    nfs_dirs_keep(&d, 5, &fh);
    nfs_dirs_find(&d, 5)->verf[0] = 9;
    nfs_dirs_keep(&d, 5, &fh);
    assert_int_equal(nfs_dirs_find(&d, 5)->verf[0], 9);
    nfs_dirs_keep(&d, 5, &other);
    assert_int_equal(nfs_dirs_find(&d, 5)->verf[0], 0);
    nfs_dirs_fini(&d);
}

static const unsigned char verf[2][NFS3_VERF_BYTES] = {{1}, {2}};

static void add(struct nfs_unstable *u, struct nfs_records *r, uint64_t seed, uint64_t off,
                uint32_t len, unsigned which)
{
    struct op op = {.kind = OP_WRITE, .flags = OP_FLAG_ORIGIN, .off = off, .origin = {seed}};

    assert_int_equal(nfs_unstable_add(u, r, &op, 0, off, len, verf[which]), 0);
}

static void writes_that_go_on_are_one_record(void **state)
{
    struct nfs_records r = NFS_NO_RECORDS;
    struct nfs_unstable u;

    (void)state;
    assert_int_equal(nfs_unstable_init(&u, 1000), 0);
    for (uint64_t i = 0; i < 100000; i++)
        add(&u, &r, 1, i << 20, 1 << 20, 0);
    assert_int_equal(u.used, 1);
    assert_int_equal(u.record[r.first].len, 100000ull << 20);
    add(&u, &r, 1, 5, 10, 0);  /* elsewhere */
    add(&u, &r, 2, 15, 10, 0); /* of something else */
    add(&u, &r, 2, 25, 10, 1); /* of another start of the server */
    assert_int_equal(u.used, 4);
    nfs_unstable_committed(&u, &r, verf[0]);
    assert_int_equal(u.used, 1);
    nfs_unstable_drop(&u, &r);
    assert_int_equal(u.used, 0);
    assert_int_equal(r.first, NFS_NONE);
    nfs_unstable_fini(&u);
}

static void what_lies_behind_a_lost_write_is_kept(void **state)
{
    struct nfs_records r = NFS_NO_RECORDS;
    struct nfs_unstable u;

    (void)state;
    assert_int_equal(nfs_unstable_init(&u, 10), 0);
    add(&u, &r, 1, 0, 10, 1);
    add(&u, &r, 2, 0, 10, 0);
    add(&u, &r, 3, 0, 10, 1);
    nfs_unstable_committed(&u, &r, verf[1]);
    assert_int_equal(u.used, 2);
    assert_int_equal(u.record[r.first].origin[0], 2);
    assert_int_equal(u.record[r.last].origin[0], 3);
    nfs_unstable_fini(&u);
}

static void copies_have_a_limit(void **state)
{
    static unsigned char bytes[1 << 20];
    struct op op = {.kind = OP_WRITE, .buf = bytes, .len = sizeof bytes};
    struct nfs_records r = NFS_NO_RECORDS;
    struct nfs_unstable u;
    unsigned n = 0;

    (void)state;
    assert_int_equal(nfs_unstable_init(&u, 1000), 0);
    for (; nfs_unstable_room(&u, 1, sizeof bytes, true); n++)
        assert_int_equal(nfs_unstable_add(&u, &r, &op, 0, (uint64_t)n << 21, sizeof bytes, verf[0]),
                         0);
    assert_int_equal(n, NFS_COPY_BYTES_MAX >> 20);
    assert_true(nfs_unstable_room(&u, 1, sizeof bytes, false));
    assert_false(nfs_unstable_room(&u, 1000, 1, false));
    nfs_unstable_cut(&u, &r, 1 << 19);
    assert_int_equal(u.used, 1);
    assert_int_equal(u.copy_bytes, 1 << 19);
    nfs_unstable_fini(&u);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(handle_of_a_closed_file_is_nobodys),
        cmocka_unit_test(directories_go_in_the_order_of_their_use),
        cmocka_unit_test(directory_known_anew_keeps_its_listing),
        cmocka_unit_test(writes_that_go_on_are_one_record),
        cmocka_unit_test(what_lies_behind_a_lost_write_is_kept),
        cmocka_unit_test(copies_have_a_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
