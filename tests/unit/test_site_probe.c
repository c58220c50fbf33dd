/* fileset/site.h: what is found out about this machine's cache, by trying. */
#include "fileset/site_priv.h"
#include "unit/site_box.h"
#include <linux/magic.h>
#include <sys/vfs.h>

static enum site_cache probe(const char *address, const struct site_shape *shape)
{
    struct site *site = box_site(address);
    struct site_shape taken = {0};
    struct err err = {0};
    struct site_witness witness = {.cache = SITE_CACHE_NONE};

    if (site_adopt(site, shape->id, &taken, &err) != 0 ||
        site_cache_probe(site, &taken, false, &witness, &err) != 0)
        fail_msg("%s", err.text);
    site_shape_fini(&taken);
    site_close(site);
    return witness.cache;
}

static enum site_cache cache_by_fs(const char *path)
{
    struct statfs fs;

    assert_int_equal(statfs(path, &fs), 0);
    return fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC ? SITE_CACHE_RAM : SITE_CACHE_DROP;
}

/* A target in front of the real one that lies about the cache as some file systems do. */
static struct {
    const struct target_table *real;
    bool blind;        /* no page is ever there */
    bool refuses;      /* O_DIRECT */
    bool caches;       /* what was read with it */
    uint64_t read;     /* so far, bytes */
    uint64_t per_read; /* counted of 4 bytes read */
    uint64_t evicted;
    const char *fs_type; /* NULL: the real one's */
} liar;

static int liar_submit(struct session *s, struct op *const ops[], unsigned n)
{
    if (liar.refuses && (ops[0]->flags & OP_FLAG_DIRECT))
        ops[0]->leaf = ""; /* names no file */
    int taken = liar.real->submit(s, ops, n);

    if (taken == 1 && ops[0]->kind == OP_RESIDENT && liar.blind)
        ops[0]->res = 0;
    if (taken == 1 && ops[0]->kind == OP_RESIDENT && liar.caches)
        ops[0]->res = 4096;
    if (taken == 1 && ops[0]->kind == OP_READ && ops[0]->res > 0)
        liar.read += (uint64_t)ops[0]->res;
    if (taken == 1 && liar.refuses && (ops[0]->flags & OP_FLAG_DIRECT))
        ops[0]->res = -EINVAL;
    liar.evicted += ops[0]->kind == OP_EVICT;
    return taken;
}

static void liar_counters(struct target *t, const struct target_sink *sink)
{
    char text[24];

    (void)t;
    snprintf(text, sizeof text, "%llu", (unsigned long long)(liar.read * liar.per_read / 4));
    sink->put(sink->ctx, "rchar", "17", "bytes");
    sink->put(sink->ctx, "read_bytes", text, "bytes");
}

static void liar_describe(struct target *t, const struct target_sink *sink)
{
    (void)t;
    sink->put(sink->ctx, "fs_type", liar.fs_type, "");
    sink->put(sink->ctx, "device_backed_by", "page cache of this machine (loop7)", "");
}

static struct site *lying_site(const char *address, struct target_table *table)
{
    struct site *site = box_site(address);

    *table = *site->table;
    memset(&liar, 0, sizeof liar);
    liar.real = site->table;
    liar.per_read = 4;
    table->submit = liar_submit;
    table->counters = liar_counters;
    site->table = table;
    return site;
}

static void lying_close(struct site *site)
{
    site->table = liar.real;
    site_close(site);
}

static struct site_witness witness_of(struct site *site, const struct site_shape *shape, bool keep)
{
    struct site_witness witness;
    struct err err = {0};

    if (site_cache_probe(site, shape, keep, &witness, &err) != 0)
        fail_msg("%s", err.text);
    return witness;
}

/* A file system with a cache of its own never shows pages in this machine's: that no page is left
 * proves nothing there, whatever the mode. */
static void unseen_pages_prove_nothing(void **state)
{
    struct box *box = *state;
    struct site_shape shape = box_tree(BOX_ID);
    struct target_table table;
    struct site *site = lying_site(box->target, &table);

    if (cache_by_fs(box->target) == SITE_CACHE_RAM)
        fail_msg("%s: this test needs a file system that is not memory", box->target);
    box_begin(site, &shape);
    for (int keep = 0; keep < 2; keep++) {
        liar.blind = false;
        assert_true(witness_of(site, &shape, keep).pages_seen);
        assert_int_equal(witness_of(site, &shape, keep).cache, SITE_CACHE_DROP);
        liar.blind = true;
        assert_false(witness_of(site, &shape, keep).pages_seen);
        assert_int_equal(witness_of(site, &shape, keep).cache, SITE_CACHE_UNVERIFIED);
    }
    lying_close(site);
}

/* read_bytes says nothing where it stands still (FUSE) or moves by half of what is read. */
static void the_counter_is_tried(void **state)
{
    static const struct {
        uint64_t per_read;
        bool counted;
    } cases[] = {{0, false}, {2, false}, {4, true}, {6, true}, {20, false}};
    struct box *box = *state;
    struct site_shape shape = box_tree(BOX_ID);
    struct target_table table;
    struct site *site = lying_site(box->target, &table);

    box_begin(site, &shape);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        liar.per_read = cases[i].per_read;
        assert_int_equal(witness_of(site, &shape, false).reads_counted, cases[i].counted);
    }
    table.counters = NULL;
    assert_false(witness_of(site, &shape, false).reads_counted);
    lying_close(site);
}

static void the_device_behind_is_told(void **state)
{
    struct box *box = *state;
    struct site_shape shape = box_tree(BOX_ID);
    struct target_table table;
    struct site *site = lying_site(box->target, &table);

    box_begin(site, &shape);
    assert_string_equal(witness_of(site, &shape, false).backed_by, "");
    liar.fs_type = "ext4";
    table.describe = liar_describe;
    assert_string_equal(witness_of(site, &shape, false).backed_by,
                        "page cache of this machine (loop7)");
    lying_close(site);
}

/* Refused in the file system's name, and no probe stays. */
static void direct_is_tried(void **state)
{
    struct box *box = *state;
    struct site_shape shape = box_tree(BOX_ID);
    struct target_table table;
    struct site *site = lying_site(box->target, &table);
    struct err err = {0};

    box_begin(site, &shape);
    int before = box_entries_in(box->target);
    assert_int_equal(site_direct_probe(site, &shape, 4096, &err), 0);
    liar.refuses = true;
    liar.fs_type = "anyfs";
    table.describe = liar_describe;
    assert_int_equal(site_direct_probe(site, &shape, 4096, &err), -EOPNOTSUPP);
    box_expect_error(err, "direct refused by anyfs");
    /* btrfs served blocks below its sector from the cache, and "direct yes" was printed. */
    liar.refuses = false;
    liar.caches = true;
    assert_int_equal(site_direct_probe(site, &shape, 4096, &err), -EOPNOTSUPP);
    box_expect_error(err, "goes through the page cache there");
    assert_int_equal(box_entries_in(box->target), before);
    lying_close(site);
}

/* With `keep` files that are there already stay in the cache as they are. */
static void kept_files_are_not_evicted(void **state)
{
    struct box *box = *state;
    struct site_shape shape = box_tree(BOX_ID);
    struct target_table table;
    char address[BOX_PATH + 64];
    char path[BOX_PATH];
    struct site *site = box_site(box->target);
    struct err err = {0};

    box_begin(site, &shape);
    box_fill(box, site, &shape, 4096, 1, 1, path);
    site_close(site);
    snprintf(address, sizeof address, "fault:%s?error=EROFS@create:1&error=EROFS@create:2",
             box->target);
    site = lying_site(address, &table);
    struct site_shape taken = {0};
    assert_int_equal(site_adopt(site, shape.id, &taken, &err), 0);
    assert_false(witness_of(site, &taken, true).pages_seen);
    assert_int_equal(liar.read + liar.evicted, 0);
    assert_true(witness_of(site, &taken, false).pages_seen);
    assert_true(liar.evicted > 0);
    site_shape_fini(&taken);
    lying_close(site);
}

/* On a disk's file system pages can be dropped; where they cannot, that is found by trying; memory
 * is called memory. The probe leaves no file. */
static void the_cache_is_tried(void **state)
{
    struct box *box = *state;
    struct box *memory = box_open_in("/dev/shm");
    struct site_shape shape = box_tree(BOX_ID);
    struct site *site = box_site(box->target);
    char address[BOX_PATH + 64];
    char path[BOX_PATH];

    box_begin(site, &shape);
    box_fill(box, site, &shape, 4096, 1, 1, path);
    site_close(site);
    int before = box_entries_in(box->target);
    assert_int_equal(probe(box->target, &shape), cache_by_fs(box->target));
    assert_int_equal(box_entries_in(box->target), before);

    site = box_site(memory->target);
    box_begin(site, &shape);
    site_close(site);
    assert_int_equal(probe(memory->target, &shape), SITE_CACHE_RAM);
    assert_int_equal(box_entries_in(memory->target), 2);
    box_close(memory);

    if (cache_by_fs(box->target) == SITE_CACHE_DROP) {
        snprintf(address, sizeof address, "fault:%s?error=EIO@evict:1", box->target);
        assert_int_equal(probe(address, &shape), SITE_CACHE_DIRECT);
        snprintf(address, sizeof address, "fault:%s?error=EIO@resident:1&error=EIO@resident:2",
                 box->target);
        assert_int_equal(probe(address, &shape), SITE_CACHE_UNVERIFIED);
        /* Nothing may be written: a file of the tree is tried instead. */
        snprintf(address, sizeof address, "fault:%s?error=EROFS@create:1", box->target);
        assert_int_equal(probe(address, &shape), SITE_CACHE_DROP);
    }
    assert_int_equal(box_entries_in(box->target), before);
}

/* caps.uncached: there is nothing to try, for the cache and for O_DIRECT, and nothing is written. */
static void a_client_of_our_own_is_not_probed(void **state)
{
    struct box *box = *state;
    struct site_shape shape = box_tree(BOX_ID);
    struct target_table table;
    struct site *site = lying_site(box->target, &table);
    struct err err = {0};

    box_begin(site, &shape);
    site->caps.uncached = true;
    table.submit = NULL; /* what asks for an op fails loudly */
    struct site_witness witness = witness_of(site, &shape, false);
    assert_int_equal(witness.cache, SITE_CACHE_UNCACHED);
    assert_false(witness.pages_seen);
    assert_int_equal(site_direct_probe(site, &shape, 4096, &err), 0);
    table.submit = liar_submit;
    lying_close(site);
}

#define box_test(f) cmocka_unit_test_setup_teardown(f, box_setup, box_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        box_test(a_client_of_our_own_is_not_probed), box_test(the_cache_is_tried),
        box_test(unseen_pages_prove_nothing),        box_test(the_counter_is_tried),
        box_test(the_device_behind_is_told),         box_test(direct_is_tried),
        box_test(kept_files_are_not_evicted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
