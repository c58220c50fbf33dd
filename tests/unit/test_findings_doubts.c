/* verdict/findings.h: planted lies are caught, and honest runs are not doubted. */
#include "unit/finding_case.h"

static const struct limit_row in_memory = {"local", "read-4k-cache", "ops", "cache", "read", 4096};
static const struct limit_row cached = {"nfs", "read-4k-cache", "ops", "cache", "read", 4096};
static const struct limit_row from_disk = {"local", "read-4k-disk", "ops", "disk", "read", 4096};
static const struct limit_row to_disk = {"local", "write-4k-disk", "ops", "disk", "write", 4096};

#define BYTES (1000.0 * LIMIT_SECONDS * 4096) /* of a case's run at the top */

/* A run that says of itself what an honest one says. */
static void honest(struct result *r)
{
    limit_own(r, "content_entropy_bits_per_byte", 7.99);
    limit_target(r, "fs_type", "ext4");
    limit_target(r, "sample_size_bytes", "1000000");
    limit_target(r, "sample_stored_bytes", "1000000");
    limit_counter(r, "own_read_bytes", BYTES);
    limit_counter(r, "device_read_bytes", BYTES * 1.01);
    limit_counter(r, "own_write_bytes", BYTES);
    limit_counter(r, "device_write_bytes", BYTES * 0.01);
    limit_counter(r, "direct_cached_bytes", 0);
    limit_counter(r, "direct_set_bytes", 1 << 30);
    limit_counter(r, "touched_bytes", BYTES * 0.98);
    hand_option(r, "working_set_bytes", 64.0 * (1 << 30));
    limit_word(r, "pattern", "random");
    limit_word(r, "steady", "yes");
    limit_word(r, "place", "disk");
    r->streams = (struct result_streams){
        .n = 64, .min_ops = 140, .median_ops = 156, .max_ops = 170, .slowest_n = 8};
    for (unsigned i = 0; i < 8; i++)
        r->streams.slowest[i] =
            (struct result_stream){.ops = 140 + i, .client = i, .stream = 8 * i};
}

static void case_honest(struct finding_case *c, const struct limit_row *row)
{
    case_new(c, row);
    honest(c->r);
}

static void an_honest_run_is_not_doubted(void **state)
{
    (void)state;
    struct finding_case c;
    case_honest(&c, &from_disk);
    c.n = findings_among(c.r, c.quiet, c.found);
    for (unsigned i = 0; i < c.n; i++)
        fail_msg("%s: %s", c.found[i].rule, c.found[i].evidence);
    case_free(&c);
}

static void a_sparse_file_is_caught(void **state)
{
    (void)state;
    struct finding_case c;
    case_honest(&c, &from_disk);
    limit_target(c.r, "sample_stored_bytes", "30000");
    assert_says(case_says(&c, "sparse")->evidence, "3.0 % of its size");
    case_free(&c);
}

static void memory_called_a_disk_is_caught(void **state)
{
    (void)state;
    struct finding_case c;
    case_honest(&c, &from_disk);
    limit_target(c.r, "fs_type", "tmpfs");
    case_says(&c, "memory-disk");
    limit_target(c.r, "fs_type", "ext4");
    limit_target(c.r, "device_backed_by", "zram0");
    assert_says(case_says(&c, "memory-disk")->evidence, "zram0");
    case_free(&c);
    case_new(&c, &in_memory);
    limit_target(c.r, "fs_type", "tmpfs");
    case_silent(&c, "memory-disk");
    case_free(&c);
}

static void content_that_compresses_is_caught(void **state)
{
    (void)state;
    struct finding_case c;
    case_honest(&c, &to_disk);
    limit_own(c.r, "content_entropy_bits_per_byte", 4.1);
    assert_says(case_says(&c, "compressible")->evidence, "4.10 of 8 bits");
    case_free(&c);
}

static void a_page_cached_disk_read_is_caught(void **state)
{
    (void)state;
    struct finding_case c;
    case_honest(&c, &from_disk);
    limit_counter(c.r, "own_read_bytes", BYTES * 0.4);
    assert_says(case_says(&c, "not-from-there")->evidence, "device bytes 40.0 %");
    limit_counter(c.r, "own_read_bytes", BYTES);
    limit_counter(c.r, "direct_cached_bytes", 1 << 28);
    assert_says(case_says(&c, "page-cache")->evidence, "25.0 %");
    limit_counter(c.r, "direct_cached_bytes", 0);
    c.r->cache = (struct result_cache){.mode = "drop",
                                       .applies = true,
                                       .resident_known = true,
                                       .resident_bytes = 900,
                                       .asked_bytes = 1000};
    assert_says(case_says(&c, "page-cache")->evidence, "90.0 %");
    case_free(&c);
}

static void a_cache_row_that_reads_a_disk_is_caught(void **state)
{
    (void)state;
    struct finding_case c;
    case_honest(&c, &cached);
    limit_track(c.r, TRACK_SERVER, TRACK_DISK_READ, "sda", 4096000 * 0.12, 0);
    assert_says(case_says(&c, "cache-misses")->evidence, "server's disk bytes 12.0 %");
    limit_track(c.r, TRACK_SERVER, TRACK_DISK_READ, "sda", 4096000 * 0.005, 0);
    case_silent(&c, "cache-misses");
    case_free(&c);
}

static void one_slow_stream_among_many_is_caught(void **state)
{
    (void)state;
    struct finding_case c;
    case_honest(&c, &from_disk);
    c.r->streams.min_ops = 20;
    c.r->streams.slowest[0] = (struct result_stream){.ops = 20, .client = 6, .stream = 41};
    assert_says(case_says(&c, "slow-stream")->words, "number 42, of client 7");
    /* So few ops differ by chance. */
    c.r->streams.median_ops = 49;
    c.r->streams.min_ops = 0;
    case_silent(&c, "slow-stream");
    case_free(&c);
}

static void a_slow_client_is_told_from_unequal_streams(void **state)
{
    (void)state;
    struct finding_case c;
    case_honest(&c, &from_disk);
    c.r->streams.min_ops = 20;
    for (unsigned i = 0; i < 3; i++)
        c.r->streams.slowest[i] = (struct result_stream){.ops = 20 + i, .client = 6, .stream = i};
    /* Of one client all streams are its own. */
    assert_says(case_says(&c, "slow-stream")->words, "3 of 64 are slow");
    hand_option(c.r, "clients", 8);
    assert_says(case_says(&c, "slow-stream")->words, "one client: number 7");
    c.r->streams.slowest[1].client = 2;
    assert_says(case_says(&c, "slow-stream")->words, "3 of 64 are slow");
    for (unsigned i = 3; i < 8; i++)
        c.r->streams.slowest[i].ops = 30;
    assert_says(case_says(&c, "slow-stream")->words, "at least 8 of 64");
    case_free(&c);
}

/* 10,000 ops of so long, where 64 streams have 640 s for them. */
static void all_take(struct result *r, uint64_t service_ns)
{
    hist_clear(&r->line[0].sum.service);
    hist_record_n(&r->line[0].sum.service, service_ns, 10000);
}

static void littles_law_is_held_against_the_run(void **state)
{
    (void)state;
    struct finding_case c;
    case_honest(&c, &from_disk);
    all_take(c.r, 57600000);
    assert_says(case_says(&c, "little")->evidence, "90.0 % of the streams");
    all_take(c.r, 83200000);
    assert_says(case_says(&c, "little")->words, "does not add up");
    limit_word(c.r, "claim", "names");
    case_silent(&c, "little");
    limit_word(c.r, "claim", "disk");
    all_take(c.r, 66000000);
    case_silent(&c, "little");
    /* One in fifty is as long as a third of the window: so much may have begun before it. */
    all_take(c.r, 19200000);
    hist_record_n(&c.r->line[0].sum.service, 3000000000, 200);
    case_silent(&c, "little");
    case_free(&c);
}

static void errors_and_unsteady_runs_are_told(void **state)
{
    (void)state;
    struct finding_case c;
    case_honest(&c, &from_disk);
    c.r->error = calloc(1, sizeof *c.r->error);
    assert_non_null(c.r->error);
    c.r->errors = 1;
    c.r->error[0] = (struct result_error){.op = "read", .code = "EIO", .count = 3};
    assert_says(case_says(&c, "errors")->evidence, "3, the first kind read: EIO");
    limit_word(c.r, "steady", "no");
    case_says(&c, "not-steady");
    case_free(&c);
}

static void what_happens_beside_it_is_told(void **state)
{
    (void)state;
    struct finding_case c;
    case_honest(&c, &from_disk);
    limit_counter(c.r, "device_read_bytes", BYTES * 1.5);
    assert_says(case_says(&c, "neighbour-disk")->words, "neighbour");
    assert_int_equal(result_fact_put(&c.r->counters, "steal_frac", "0.08", ""), 0);
    case_says(&c, "steal");
    limit_counter(c.r, "others_cpu_ns", 4e10 * 0.3);
    assert_int_equal(result_fact_put(&c.r->machine, "cpus_online", "4", ""), 0);
    assert_says(case_says(&c, "neighbour-cpu")->evidence, "30 %");
    limit_track(c.r, TRACK_CLIENT, TRACK_THROTTLED, "thermal", 0.5, 0);
    assert_says(case_says(&c, "throttled")->evidence, "5 times");
    limit_track(c.r, TRACK_CLIENT, TRACK_PRESSURE_MEMORY, "", 0.02, 0);
    case_says(&c, "memory-pressure");
    limit_track(c.r, TRACK_CLIENT, TRACK_RUN_WAIT, "", 0.02, 0);
    case_says(&c, "run-wait");
    limit_track(c.r, TRACK_SERVER, TRACK_STEAL, "0", 0.06, 0);
    case_says(&c, "server-steal");
    case_free(&c);
}

/* Journals and metadata are ours, though threads of the kernel write them. */
static void a_row_that_writes_has_no_neighbour(void **state)
{
    (void)state;
    struct finding_case c;
    case_honest(&c, &to_disk);
    limit_counter(c.r, "device_read_bytes", BYTES * 3);
    limit_counter(c.r, "device_write_bytes", BYTES * 3);
    case_silent(&c, "neighbour-disk");
    case_free(&c);
}

static void lost_packets_are_told_of_what_a_network_lies_before(void **state)
{
    (void)state;
    struct finding_case c;
    case_honest(&c, &cached);
    limit_track(c.r, TRACK_CLIENT, TRACK_TCP_SENT, "", 100000, 0);
    limit_track(c.r, TRACK_CLIENT, TRACK_TCP_RESENT, "", 9, 0);
    case_silent(&c, "retransmits");
    limit_track(c.r, TRACK_CLIENT, TRACK_TCP_RESENT, "", 50, 0);
    assert_says(case_says(&c, "retransmits")->evidence, "0.050 %");
    case_free(&c);
    case_honest(&c, &from_disk);
    limit_track(c.r, TRACK_CLIENT, TRACK_TCP_SENT, "", 100000, 0);
    limit_track(c.r, TRACK_CLIENT, TRACK_TCP_RESENT, "", 50, 0);
    case_silent(&c, "retransmits");
    case_free(&c);
}

static void a_working_set_that_shrinks_with_the_load_is_caught(void **state)
{
    (void)state;
    struct finding_case c;
    case_honest(&c, &from_disk);
    limit_counter(c.r, "touched_bytes", BYTES / 4);
    case_says(&c, "touched");
    /* 40 MB drawn at random of 40 MB meet 63 % of them, in order all. */
    hand_option(c.r, "working_set_bytes", BYTES);
    limit_counter(c.r, "touched_bytes", BYTES * 0.62);
    case_silent(&c, "touched");
    limit_word(c.r, "pattern", "seq");
    case_says(&c, "touched");
    case_free(&c);
}

static void a_first_fill_is_told(void **state)
{
    (void)state;
    struct finding_case c;
    case_honest(&c, &to_disk);
    limit_word(c.r, "preconditioned", "no");
    case_says(&c, "not-preconditioned");
    limit_word(c.r, "preconditioned", "yes");
    case_silent(&c, "not-preconditioned");
    case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_honest_run_is_not_doubted),
        cmocka_unit_test(a_sparse_file_is_caught),
        cmocka_unit_test(memory_called_a_disk_is_caught),
        cmocka_unit_test(content_that_compresses_is_caught),
        cmocka_unit_test(a_page_cached_disk_read_is_caught),
        cmocka_unit_test(a_cache_row_that_reads_a_disk_is_caught),
        cmocka_unit_test(one_slow_stream_among_many_is_caught),
        cmocka_unit_test(a_slow_client_is_told_from_unequal_streams),
        cmocka_unit_test(littles_law_is_held_against_the_run),
        cmocka_unit_test(errors_and_unsteady_runs_are_told),
        cmocka_unit_test(what_happens_beside_it_is_told),
        cmocka_unit_test(a_row_that_writes_has_no_neighbour),
        cmocka_unit_test(lost_packets_are_told_of_what_a_network_lies_before),
        cmocka_unit_test(a_working_set_that_shrinks_with_the_load_is_caught),
        cmocka_unit_test(a_first_fill_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
