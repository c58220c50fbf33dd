/* verdict/ceilings.h: the place of a row's bytes is proven by who can tell, and a row that is not from there says so. */
#include "unit/limits_by_hand.h"

static const struct limit_row local_disk = {"local", "read-4k-disk", "ops", "disk", "read", 4096};
static const struct limit_row local_write = {"local", "write-4k-disk", "ops",
                                             "disk",  "write",         4096};
static const struct limit_row local_cache = {"local", "read-1b-cache", "ops", "cache", "read", 1};
static const struct limit_row disk = {"nfs", "read-4k-disk", "ops", "disk", "read", 4096};
static const struct limit_row stream = {"nfs",  "stream-read-disk", "bytes", "disk", "read",
                                        1048576};
static const struct limit_row cache = {"nfs", "read-4k-cache", "ops", "cache", "read", 4096};
static const struct limit_row flash = {"nfs", "read-512-flash", "latency", "flash", "read", 512};
static const struct limit_row synced = {"nfs", "write-512-sync", "latency", "log", "write", 512};

#define RATE 1000.0
#define OPS  (RATE * LIMIT_SECONDS)

struct row_box {
    struct side s;
    struct result *r;
    struct ceilings *c;
};

static struct result *put(struct row_box *b, const struct limit_row *row)
{
    memset(b, 0, sizeof *b);
    b->r = limit_add(&b->s, row, "final", 8, RATE);
    limit_word(b->r, "place", "the place");
    return b->r;
}

/* The row as it is by now; valid until the next call. */
static const struct ceiling *made(struct row_box *b)
{
    ceilings_free(b->c);
    b->c = limit_ceilings(&b->s);
    return &b->c->row[0];
}

static void done(struct row_box *b)
{
    ceilings_free(b->c);
    side_free(&b->s);
}

static void device_bytes_prove_a_local_disk(void **state)
{
    (void)state;
    struct row_box b;
    limit_counter(put(&b, &local_disk), "own_read_bytes", OPS * 4096 * 0.996);
    assert_int_equal(made(&b)->state, CEILING_FOUND);
    assert_string_equal(b.c->row[0].place, "the place");
    assert_string_equal(b.c->row[0].proof, "device bytes 99.6 %");
    assert_close(b.c->row[0].place_frac, 0.996, 1e-4);
    /* Of two accounts the one that saw less. */
    limit_counter(b.r, "device_read_bytes", OPS * 4096 * 0.90);
    assert_int_equal(made(&b)->state, CEILING_NOT_PROVEN);
    assert_string_equal(b.c->row[0].why, "device bytes 90.0 %");
    done(&b);
    limit_counter(put(&b, &local_write), "own_write_bytes", OPS * 4096 * 2);
    assert_close(made(&b)->place_frac, 1, 1e-9);
    done(&b);
}

/* A page is 4,096 times the byte that was asked for. */
static void a_local_cache_is_proven_by_pages_that_no_device_gave(void **state)
{
    (void)state;
    struct row_box b;
    limit_counter(put(&b, &local_cache), "own_read_bytes", OPS * 4096 * 0.005);
    assert_int_equal(made(&b)->state, CEILING_FOUND);
    assert_string_equal(b.c->row[0].proof, "device bytes 0.5 %");
    limit_counter(b.r, "own_read_bytes", OPS * 4096 * 0.02);
    assert_int_equal(made(&b)->state, CEILING_NOT_PROVEN);
    done(&b);
}

/* What the client did not ask the server for came from its own memory, whatever the server has. */
static void the_wire_disproves_but_does_not_prove(void **state)
{
    (void)state;
    struct row_box b;
    limit_counter(put(&b, &disk), "wire_read_data_bytes", OPS * 4096);
    assert_true(isnan(made(&b)->place_frac));
    assert_string_equal(b.c->row[0].proof, "");
    limit_counter(b.r, "wire_read_data_bytes", OPS * 4096 * 0.4);
    assert_int_equal(made(&b)->state, CEILING_NOT_PROVEN);
    assert_string_equal(b.c->row[0].proof, "on the wire 40.0 %");
    done(&b);
}

static void a_servers_disks_prove_streams_by_bytes_and_small_reads_by_ops(void **state)
{
    (void)state;
    struct row_box b;
    limit_track(put(&b, &stream), TRACK_SERVER, TRACK_DISK_READ, "sda", RATE * 1048576 * 0.97, 0);
    assert_string_equal(made(&b)->proof, "server's disk bytes 97.0 %");
    assert_int_equal(b.c->row[0].state, CEILING_FOUND);
    done(&b);
    /* Each miss brings in a record of 128 KiB: bytes enough, and yet half of the reads were hits. */
    limit_track(put(&b, &disk), TRACK_SERVER, TRACK_DISK_READ, "sda", RATE / 2 * 131072, 0);
    limit_track(b.r, TRACK_SERVER, TRACK_DISK_READS, "sda", RATE / 2, 0);
    assert_int_equal(made(&b)->state, CEILING_NOT_PROVEN);
    assert_close(b.c->row[0].place_frac, 0.5, 1e-9);
    done(&b);
}

static void misses_that_flash_answered_are_no_disk(void **state)
{
    (void)state;
    struct row_box b;
    limit_track(put(&b, &disk), TRACK_SERVER, TRACK_CACHE_MISSES, "", RATE, 0);
    limit_track(b.r, TRACK_SERVER, TRACK_CACHE_HITS, "", 20 * RATE, 0); /* metadata */
    assert_int_equal(made(&b)->state, CEILING_FOUND);
    assert_string_equal(b.c->row[0].proof, "missed the server's cache 100.0 %");
    limit_track(b.r, TRACK_SERVER, TRACK_FLASH_HITS, "", RATE / 4, 0);
    assert_close(made(&b)->place_frac, 0.75, 1e-9);
    assert_int_equal(b.c->row[0].state, CEILING_NOT_PROVEN);
    done(&b);
}

static void a_servers_memory_is_proven_by_disks_that_rest(void **state)
{
    (void)state;
    struct row_box b;
    limit_track(put(&b, &cache), TRACK_SERVER, TRACK_DISK_READ, "sda", RATE * 4096 * 0.002, 0);
    assert_string_equal(made(&b)->proof, "server's disk bytes 0.2 %");
    assert_close(b.c->row[0].place_frac, 0.998, 1e-9);
    limit_track(b.r, TRACK_SERVER, TRACK_CACHE_HITS, "", RATE * 0.9, 0);
    limit_track(b.r, TRACK_SERVER, TRACK_CACHE_MISSES, "", RATE * 0.1, 0);
    assert_int_equal(made(&b)->state, CEILING_NOT_PROVEN);
    assert_string_equal(b.c->row[0].proof, "missed the server's cache 10.0 %");
    done(&b);
}

static void a_model_tells_by_its_counters(void **state)
{
    (void)state;
    struct row_box b;
    limit_target(put(&b, &disk), "modelled", "sun7410");
    limit_counter(b.r, "dram_hits", OPS * 0.85);
    limit_counter(b.r, "flash_hits", 0);
    limit_counter(b.r, "cache_misses", OPS * 0.15);
    assert_int_equal(made(&b)->state, CEILING_NOT_PROVEN);
    assert_close(b.c->row[0].place_frac, 0.15, 1e-9);
    done(&b);
    limit_target(put(&b, &flash), "modelled", "sun7410");
    limit_counter(b.r, "dram_hits", OPS * 0.1);
    limit_counter(b.r, "flash_hits", OPS * 0.9);
    limit_counter(b.r, "cache_misses", 0);
    assert_int_equal(made(&b)->state, CEILING_FOUND);
    assert_string_equal(b.c->row[0].proof, "found in flash 90.0 %");
    /* Its own times are those of flash alone, whatever share they are of. */
    limit_track(b.r, TRACK_SERVER, TRACK_FLASH_HITS, "", RATE * 0.6, 0);
    assert_int_equal(made(&b)->state, CEILING_FOUND);
    done(&b);
    limit_track(put(&b, &flash), TRACK_SERVER, TRACK_FLASH_HITS, "", RATE * 0.9, 0);
    assert_int_equal(made(&b)->state, CEILING_FOUND);
    assert_string_equal(b.c->row[0].finding[0].rule, "mixed-band");
    limit_track(b.r, TRACK_SERVER, TRACK_FLASH_HITS, "", RATE * 0.96, 0);
    assert_int_equal(made(&b)->findings, 0);
    limit_track(b.r, TRACK_SERVER, TRACK_FLASH_HITS, "", RATE * 0.8, 0);
    assert_int_equal(made(&b)->state, CEILING_NOT_PROVEN);
    done(&b);
    limit_target(put(&b, &synced), "modelled", "sun7410");
    limit_counter(b.r, "log_bytes", OPS * 4096);
    assert_string_equal(made(&b)->proof, "to the log 100.0 %");
    done(&b);
}

static void without_a_witness_the_working_set_stands(void **state)
{
    (void)state;
    struct row_box b;
    hand_option(put(&b, &disk), "working_set_bytes", 4e9);
    hand_option(b.r, "cache_bytes", 1e9);
    assert_string_equal(made(&b)->proof, "working set 4.0 x cache");
    assert_true(isnan(b.c->row[0].place_frac));
    assert_int_equal(b.c->row[0].state, CEILING_FOUND);
    hand_option(b.r, "working_set_bytes", 3.9e9);
    limit_word(b.r, "starved", "yes");
    assert_string_equal(made(&b)->proof, "");
    assert_int_equal(b.c->row[0].state, CEILING_STARVED);
    done(&b);
}

static void all_finals_are_heard(void **state)
{
    (void)state;
    struct row_box b;
    limit_counter(put(&b, &local_disk), "own_read_bytes", OPS * 4096);
    struct result *second = limit_add(&b.s, &local_disk, "final", 8, RATE);
    limit_counter(second, "own_read_bytes", OPS * 4096 * 0.8);
    limit_counter(limit_add(&b.s, &local_disk, "ramp", 1, 10), "own_read_bytes", 0);
    assert_close(made(&b)->place_frac, 0.9, 1e-9);
    done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(device_bytes_prove_a_local_disk),
        cmocka_unit_test(a_local_cache_is_proven_by_pages_that_no_device_gave),
        cmocka_unit_test(the_wire_disproves_but_does_not_prove),
        cmocka_unit_test(a_servers_disks_prove_streams_by_bytes_and_small_reads_by_ops),
        cmocka_unit_test(misses_that_flash_answered_are_no_disk),
        cmocka_unit_test(a_servers_memory_is_proven_by_disks_that_rest),
        cmocka_unit_test(a_model_tells_by_its_counters),
        cmocka_unit_test(without_a_witness_the_working_set_stands),
        cmocka_unit_test(all_finals_are_heard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
