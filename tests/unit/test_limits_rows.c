/* study/limits_priv.h, limits_rows.c: which rows make sense where, and on how many bytes; study/limits_options.h:
 * what cannot be asked. */
#include "study/limits_priv.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define KIB UINT64_C(1024)
#define MIB (KIB * 1024)
#define GIB (MIB * 1024)

static const uint32_t everything =
    1u << OP_READ | 1u << OP_WRITE | 1u << OP_CREATE | 1u << OP_STAT | 1u << OP_UNLINK;
static const struct limits_sizes plenty = {.cache_bytes = 16 * GIB, .max_bytes = 1024 * GIB};

static struct limits_where directory(void)
{
    return (struct limits_where){.protocol = "local",
                                 .local = true,
                                 .direct = true,
                                 .block_bytes = 512,
                                 .op_kinds = everything,
                                 .writes = true};
}

static struct limits_where server(void)
{
    return (struct limits_where){.protocol = "nfs", .op_kinds = everything, .writes = true};
}

static const struct limits_row *row(const char *id)
{
    for (unsigned i = 0; i < limits_ladder_rows; i++)
        if (strcmp(limits_ladder[i].id, id) == 0)
            return &limits_ladder[i];
    fail_msg("no row %s", id);
    return NULL;
}

static void fits(const char *id, const struct limits_where *where, const struct limits_sizes *sizes,
                 enum limits_fit fit, const char *words)
{
    char why[160];
    enum limits_fit is = limits_row_fit(row(id), where, sizes, why);
    if (is != fit || strcmp(why, words) != 0)
        fail_msg("%s: %d '%s' instead of %d '%s'", id, is, why, fit, words);
}

static struct limits_set set_of(const char *id, const struct limits_where *where,
                                const struct limits_sizes *sizes, uint32_t files)
{
    struct limits_set set;
    limits_row_set(row(id), where, sizes, files, &set);
    return set;
}

static void what_runs_in_a_directory(void **state)
{
    const struct limits_where where = directory();
    char why[160];
    (void)state;
    for (unsigned i = 0; i < limits_ladder_rows; i++) {
        const struct limits_row *one = &limits_ladder[i];
        bool flash = one->place == LIMITS_FLASH;
        assert_int_equal(limits_row_fit(one, &where, &plenty, why),
                         flash ? LIMITS_NOT_APPLICABLE : LIMITS_RUNS);
    }
    fits("read-512-flash", &where, &plenty, LIMITS_NOT_APPLICABLE,
         "no cache in flash before a disk of this machine");
}

static void a_device_has_no_names_and_is_written_to_only_when_given_up(void **state)
{
    struct limits_where where = directory();
    (void)state;
    where.one_file = true;
    where.writes = false;
    fits("create", &where, &plenty, LIMITS_NOT_APPLICABLE, "a block device has no names");
    fits("stream-write-disk", &where, &plenty, LIMITS_SKIPPED,
         "give --destroy: it writes to the device");
    fits("read-block-disk", &where, &plenty, LIMITS_RUNS, "");
    where.writes = true;
    fits("stream-write-disk", &where, &plenty, LIMITS_RUNS, "");
}

static void rows_that_would_say_the_same_twice_or_nothing(void **state)
{
    struct limits_where where = directory();
    (void)state;
    where.block_bytes = 4096;
    fits("read-block-disk", &where, &plenty, LIMITS_NOT_APPLICABLE,
         "a logical block is 4 KiB here: as read-4k-disk");
    where.direct = false;
    fits("read-block-disk", &where, &plenty, LIMITS_NOT_APPLICABLE, "no direct I/O here");
    where.in_memory = true;
    fits("read-4k-disk", &where, &plenty, LIMITS_NOT_APPLICABLE,
         "this file system is memory, with no disk behind it");
    fits("write-512-sync", &where, &plenty, LIMITS_NOT_APPLICABLE, "nothing is stable in memory");
    fits("read-4k-cache", &where, &plenty, LIMITS_RUNS, "");
    where = server();
    fits("read-block-disk", &where, &plenty, LIMITS_NOT_APPLICABLE,
         "a row of this machine's own disks");
    where.protocol = "null";
    fits("read-4k-cache", &where, &plenty, LIMITS_RUNS, "");
    fits("read-4k-disk", &where, &plenty, LIMITS_NOT_APPLICABLE, "this target keeps nothing");
    where.op_kinds = 1u << OP_READ;
    fits("stat", &where, &plenty, LIMITS_NOT_APPLICABLE, "this target has no stat");
}

static void a_fact_that_lacks_is_named_by_its_option(void **state)
{
    struct limits_where where = server();
    const struct limits_sizes unknown = {.max_bytes = GIB};
    struct limits_sizes flash = {.max_bytes = GIB, .flash_bytes = GIB};
    (void)state;
    fits("read-512-flash", &where, &plenty, LIMITS_SKIPPED, "give --server-flash");
    fits("read-512-flash", &where, &flash, LIMITS_SKIPPED,
         "give --server-cache: no sweep found where it ends");
    fits("stream-read-disk", &where, &unknown, LIMITS_SKIPPED,
         "give --server-cache: no sweep found where it ends");
    fits("read-1b-cache", &where, &unknown, LIMITS_SKIPPED,
         "give --server-cache: no sweep found where it ends");
    fits("write-512-sync", &where, &unknown, LIMITS_RUNS, "");
    where.own_clock = true;
    fits("read-512-flash", &where, &plenty, LIMITS_NOT_APPLICABLE,
         "the modelled system has no cache in flash");
    where = directory();
    fits("read-4k-disk", &where, &unknown, LIMITS_RUNS, "");
    where.direct = false;
    fits("read-4k-disk", &where, &unknown, LIMITS_SKIPPED,
         "the size of this machine's cache is not known");
}

static void working_sets_of_a_server_are_multiples_of_its_cache(void **state)
{
    struct limits_where where = server();
    struct limits_sizes sizes = {
        .cache_bytes = 100 * GIB, .flash_bytes = 600 * GIB, .max_bytes = 4096 * GIB};
    (void)state;
    assert_int_equal(set_of("stream-read-cache", &where, &sizes, 1).bytes / GIB, 78);
    assert_int_equal(set_of("read-4k-cache", &where, &sizes, 1).bytes / GIB, 50);
    assert_int_equal(set_of("stream-read-disk", &where, &sizes, 1).bytes, 800 * GIB);
    assert_int_equal(set_of("stream-write-disk", &where, &sizes, 1).bytes, 400 * GIB);
    assert_int_equal(set_of("read-512-flash", &where, &sizes, 1).bytes, 400 * GIB);
    assert_int_equal(set_of("write-512-sync", &where, &sizes, 1).bytes, GIB);
    assert_int_equal(set_of("stat", &where, &sizes, 1).bytes, 0);
    assert_string_equal(set_of("read-1b-cache", &where, &sizes, 1).place, "server RAM");
    /* Direct I/O passes by this machine's cache, not the server's. */
    where.direct = true;
    assert_int_equal(set_of("stream-read-disk", &where, &sizes, 1).bytes, 800 * GIB);
    assert_true(set_of("read-1b-cache", &where, &sizes, 1).direct);
    sizes.cache_bytes = 64 * MIB;
    assert_int_equal(set_of("read-4k-disk", &where, &sizes, 1).bytes, 8 * GIB);
}

static void past_this_machines_cache_no_multiple_of_memory_is_needed(void **state)
{
    struct limits_where where = directory();
    (void)state;
    assert_int_equal(set_of("read-4k-disk", &where, &plenty, 16).bytes, 8 * GIB);
    assert_true(set_of("read-4k-disk", &where, &plenty, 16).direct);
    assert_int_equal(set_of("read-4k-cache", &where, &plenty, 16).bytes, 2 * GIB);
    assert_false(set_of("read-4k-cache", &where, &plenty, 16).direct);
    where.block_bytes = 4096;
    assert_false(set_of("write-512-sync", &where, &plenty, 1).direct);
    where.direct = false;
    assert_int_equal(set_of("read-4k-disk", &where, &plenty, 16).bytes, 128 * GIB);
    assert_false(set_of("read-4k-disk", &where, &plenty, 16).direct);
    where = directory();
    where.one_file = true;
    assert_int_equal(set_of("read-4k-disk", &where, &plenty, 1).bytes, plenty.max_bytes);
    assert_string_equal(set_of("read-4k-disk", &where, &plenty, 1).place, "device");
}

static void a_set_that_the_cap_made_too_small_is_starved(void **state)
{
    struct limits_where where = server();
    struct limits_sizes sizes = {.cache_bytes = 10 * GIB, .flash_bytes = 20 * GIB};
    (void)state;
    sizes.max_bytes = 40 * GIB;
    assert_false(set_of("read-4k-disk", &where, &sizes, 1).starved);
    sizes.max_bytes = 40 * GIB - 1;
    assert_true(set_of("read-4k-disk", &where, &sizes, 1).starved);
    sizes.max_bytes = 20 * GIB;
    assert_false(set_of("read-512-flash", &where, &sizes, 1).starved);
    sizes.max_bytes = 20 * GIB - 1;
    assert_true(set_of("read-512-flash", &where, &sizes, 1).starved);
    assert_false(set_of("stream-read-cache", &where, &sizes, 1).starved);
    /* Where direct I/O goes to the disk its bytes prove it; a cache is to be more than the processor's. */
    where = directory();
    sizes.max_bytes = MIB;
    assert_false(set_of("read-4k-disk", &where, &sizes, 1).starved);
    sizes.max_bytes = 64 * MIB - 1;
    assert_true(set_of("read-1b-cache", &where, &sizes, 1).starved);
}

static void files_share_it_in_whole_ops(void **state)
{
    const struct limits_where where = server();
    struct limits_sizes sizes = {.cache_bytes = GIB, .max_bytes = 1000 * MIB};
    struct limits_set set = set_of("stream-read-disk", &where, &sizes, 3);
    (void)state;
    assert_int_equal(set.bytes % (3 * 128 * KIB), 0);
    assert_true(set.bytes <= sizes.max_bytes && set.bytes > sizes.max_bytes - MIB);
    set = set_of("stream-read-cache", &where, &sizes, 4096);
    assert_int_equal(set.files, 798); /* 0.78 of 1 GiB, in MiB */
    assert_int_equal(set.bytes, 798 * MIB);
    assert_int_equal(limits_row_io(row("stream-read-disk"), &where), 128 * KIB);
}

static void files_read_in_order_from_disks_are_long_where_the_cap_allows_it(void **state)
{
    const struct limits_where where = server();
    struct limits_sizes sizes = {.cache_bytes = GIB, .max_bytes = 1024 * GIB};
    struct limits_set set = set_of("stream-read-disk", &where, &sizes, 4096);
    (void)state;
    assert_int_equal(set.files, 256);
    assert_int_equal(set.bytes / set.files, 32 * MIB);
    assert_int_equal(set_of("read-4k-disk", &where, &sizes, 4096).files, 4096);
    /* All 4096 are as long as these: they may not come to more than the cap. */
    sizes.max_bytes = 16 * GIB;
    set = set_of("stream-read-disk", &where, &sizes, 4096);
    assert_int_equal(set.bytes / set.files, 4 * MIB);
}

/* ---- options ---- */

static void refused(const struct limits_options *o, const char *words)
{
    struct err err = {0};
    assert_int_equal(limits_options_check(o, &err), -EINVAL);
    if (!strstr(err.text, words))
        fail_msg("'%s' is not in '%s'", words, err.text);
}

static void what_makes_no_sense_is_refused_by_name(void **state)
{
    const struct limits_options good = {.budget_ns = LIMITS_BUDGET_NS};
    struct limits_options o = good;
    struct err err;
    (void)state;
    assert_int_equal(limits_options_check(&o, &err), 0);
    o.only[0] = o.only[1] = "stat";
    o.onlys = 2;
    refused(&o, "--only: stat stands there twice");
    o.only[0] = "read";
    refused(&o, "--only read: no such row; there are stream-read-cache, ");
    refused(&o, ", unlink");
    o = good;
    o.streams_from = 8;
    o.streams_to = 4;
    refused(&o, "--streams 8..4: goes down");
    o.streams_to = 65537;
    refused(&o, "--streams: accepted are 1 to 65536");
    o.streams_from = o.streams_to = 4;
    o.clients = 5;
    refused(&o, "--clients 5 with at most 4 streams: some would have none");
    o = good;
    o.budget_ns = 1;
    refused(&o, "--budget");
    o = good;
    o.max_bytes = 4096;
    refused(&o, "--max-bytes: accepted are 1 MiB and more");
    o = good;
    o.server_metrics = "host:9100";
    refused(&o, "--server-metrics host:9100: accepted are http://");
    o.server_metrics = "model";
    assert_int_equal(limits_options_check(&o, &err), 0);
    o.server_csv = "a.csv";
    refused(&o, "one of them");
    o = good;
    o.hook_end = "";
    refused(&o, "--hook-end: names no command");
}

static void ids_are_those_of_the_ladder(void **state)
{
    (void)state;
    assert_string_equal(limits_row_id(0), "stream-read-cache");
    assert_string_equal(limits_row_id(limits_ladder_rows - 1), "unlink");
    assert_null(limits_row_id(limits_ladder_rows));
    assert_true(limits_ladder_rows <= LIMITS_ROWS_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_runs_in_a_directory),
        cmocka_unit_test(a_device_has_no_names_and_is_written_to_only_when_given_up),
        cmocka_unit_test(rows_that_would_say_the_same_twice_or_nothing),
        cmocka_unit_test(a_fact_that_lacks_is_named_by_its_option),
        cmocka_unit_test(working_sets_of_a_server_are_multiples_of_its_cache),
        cmocka_unit_test(past_this_machines_cache_no_multiple_of_memory_is_needed),
        cmocka_unit_test(a_set_that_the_cap_made_too_small_is_starved),
        cmocka_unit_test(files_share_it_in_whole_ops),
        cmocka_unit_test(files_read_in_order_from_disks_are_long_where_the_cap_allows_it),
        cmocka_unit_test(what_makes_no_sense_is_refused_by_name),
        cmocka_unit_test(ids_are_those_of_the_ladder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
