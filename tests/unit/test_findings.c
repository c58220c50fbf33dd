/* verdict/findings.h: what stops a run is named at 95 % of a resource, and not where something else explains it. */
#include "unit/finding_case.h"

static const struct limit_row cached = {"nfs",  "stream-read-cache", "bytes", "cache", "read",
                                        1048576};
static const struct limit_row small = {"nfs", "read-4k-cache", "ops", "cache", "read", 4096};
static const struct limit_row written = {"nfs", "stream-write-disk", "bytes", "disk", "write",
                                         131072};
static const struct limit_row local = {"local", "read-4k-disk", "ops", "disk", "read", 4096};
static const struct limit_row local_cache = {"local", "read-4k-cache", "ops",
                                             "cache", "read",          4096};

static void processors_are_named_from_95_percent(void **state)
{
    (void)state;
    struct finding_case c;
    case_new(&c, &small);
    case_cores(c.r, TRACK_SERVER, 4, 0.949);
    case_unknown(&c);
    case_cores(c.r, TRACK_SERVER, 4, 0.96);
    const struct finding *f = case_says(&c, "server-cpu");
    assert_false(f->at_client);
    assert_close(f->use_frac, 0.96, 1e-9);
    assert_says(f->evidence, "4 cores busy 96.0 %");
    case_free(&c);

    case_new(&c, &small);
    case_cores(c.r, TRACK_CLIENT, 4, 0.96);
    assert_true(case_says(&c, "client-cpu")->at_client);
    case_free(&c);
}

/* Named as the limit of a throttled disk, while compilers had nearly all of them. */
static void processors_that_others_keep_busy_are_no_limit_of_ours(void **state)
{
    (void)state;
    struct finding_case c;
    case_new(&c, &local);
    case_cores(c.r, TRACK_CLIENT, 4, 1);
    assert_int_equal(result_fact_put(&c.r->machine, "cpus_online", "4", ""), 0);
    limit_counter(c.r, "others_cpu_ns", 4 * (double)c.r->window_close_ns * 0.5);
    case_says(&c, "client-cpu");
    case_free(&c);

    case_new(&c, &local);
    case_cores(c.r, TRACK_CLIENT, 4, 1);
    assert_int_equal(result_fact_put(&c.r->machine, "cpus_online", "4", ""), 0);
    limit_counter(c.r, "others_cpu_ns", 4 * (double)c.r->window_close_ns * 0.9);
    assert_null(case_limiter(&c));
    case_free(&c);
}

/* Poll-mode drivers spin whatever is asked. */
static void what_is_as_full_with_little_load_is_not_named(void **state)
{
    (void)state;
    struct finding_case c;
    case_new(&c, &small);
    case_cores(c.r, TRACK_SERVER, 4, 1);
    case_cores(c.quiet, TRACK_SERVER, 4, 0.97);
    limit_track(c.r, TRACK_SERVER, TRACK_NIC_OUT, "eth0", 1.24e9, 1.25e9);
    limit_track(c.quiet, TRACK_SERVER, TRACK_NIC_OUT, "eth0", 1.23e9, 1.25e9);
    case_unknown(&c);
    case_free(&c);
}

/* What a page cache gives is what this machine's processors give; a disk could give more. */
static void of_a_local_cache_this_machine_is_the_ceiling_itself(void **state)
{
    (void)state;
    struct finding_case c;
    case_new(&c, &local_cache);
    case_cores(c.r, TRACK_CLIENT, 4, 0.99);
    assert_false(case_says(&c, "client-cpu")->at_client);
    case_free(&c);
    case_new(&c, &local);
    case_cores(c.r, TRACK_CLIENT, 4, 0.99);
    assert_true(case_says(&c, "client-cpu")->at_client);
    case_free(&c);
}

static void one_core_is_named_when_interrupts_fill_it(void **state)
{
    (void)state;
    struct finding_case c;
    case_new(&c, &small);
    case_cores(c.r, TRACK_SERVER, 8, 0.3);
    limit_track(c.r, TRACK_SERVER, TRACK_CPU, "3", 0.99, 1);
    case_unknown(&c);
    limit_track(c.r, TRACK_SERVER, TRACK_SOFTIRQ, "3", 0.3, 0);
    case_unknown(&c);
    limit_track(c.r, TRACK_SERVER, TRACK_SOFTIRQ, "3", 0.9, 0);
    assert_says(case_says(&c, "server-core")->words, "core 3 of the server");
    limit_track(c.r, TRACK_CLIENT, TRACK_SOFTIRQ, "0", 0.9, 0);
    limit_track(c.r, TRACK_CLIENT, TRACK_CPU, "0", 0.97, 1);
    limit_track(c.r, TRACK_CLIENT, TRACK_CPU, "1", 0.1, 1);
    assert_true(case_says(&c, "client-core")->at_client);
    case_free(&c);
}

static void a_port_is_named_in_the_way_that_the_data_takes(void **state)
{
    (void)state;
    struct finding_case c;
    case_new(&c, &cached);
    limit_track(c.r, TRACK_SERVER, TRACK_NIC_IN, "eth0", 1.24e9, 1.25e9);
    case_unknown(&c);
    limit_track(c.r, TRACK_SERVER, TRACK_NIC_OUT, "eth0", 1.24e9, 1.25e9);
    const struct finding *f = case_says(&c, "server-nic");
    assert_says(f->words, "eth0");
    assert_says(f->evidence, "1.15 GiB/s of 1.16 GiB/s (99.2 %)");
    case_free(&c);

    case_new(&c, &written);
    limit_track(c.r, TRACK_SERVER, TRACK_NIC_OUT, "eth0", 1.24e9, 1.25e9);
    case_unknown(&c);
    limit_track(c.r, TRACK_CLIENT, TRACK_NIC_OUT, "eth1", 1.24e9, 1.25e9);
    assert_true(case_says(&c, "client-nic")->at_client);
    case_free(&c);
}

/* 1,000 reads of 1 MiB a second are not what fills a port of 100 MB/s, and a port that carries more than its line
 * rate has another one. */
static void ports_of_others_and_made_up_line_rates_are_no_limit(void **state)
{
    (void)state;
    struct finding_case c;
    case_new(&c, &cached);
    limit_track(c.r, TRACK_SERVER, TRACK_NIC_OUT, "mgmt0", 0.99e8, 1e8);
    limit_track(c.r, TRACK_CLIENT, TRACK_NIC_IN, "mgmt0", 0.99e8, 1e8);
    limit_track(c.r, TRACK_CLIENT, TRACK_NIC_IN, "veth0", 1.4e9, 1.25e9);
    case_unknown(&c);
    case_free(&c);
}

static void of_two_full_ends_of_one_wire_the_server_is_named(void **state)
{
    (void)state;
    struct finding_case c;
    case_new(&c, &cached);
    limit_track(c.r, TRACK_SERVER, TRACK_NIC_OUT, "eth0", 1.240e9, 1.25e9);
    limit_track(c.r, TRACK_CLIENT, TRACK_NIC_IN, "eth0", 1.245e9, 1.25e9);
    assert_string_equal(case_limiter(&c)->rule, "server-nic");
    case_free(&c);
}

static void the_fullest_resource_is_the_limiter(void **state)
{
    (void)state;
    struct finding_case c;
    case_new(&c, &cached);
    case_cores(c.r, TRACK_SERVER, 4, 0.96);
    limit_track(c.r, TRACK_SERVER, TRACK_LINK, "bus", 0.995, 1);
    limit_word(c.r, "ramp_end", "rising");
    assert_string_equal(case_limiter(&c)->rule, "server-link");
    case_free(&c);
}

static void a_starved_port_is_told_with_what_the_others_do(void **state)
{
    (void)state;
    struct finding_case c;
    case_new(&c, &cached);
    limit_track(c.r, TRACK_SERVER, TRACK_NIC_OUT, "port0", 1.24e9, 1.25e9);
    limit_track(c.r, TRACK_SERVER, TRACK_NIC_OUT, "port1", 0.1e9, 1.25e9);
    const struct finding *f = case_says(&c, "server-nic");
    assert_says(f->evidence, "the others 8.0 %");
    assert_says(f->advice, "evenly");
    case_free(&c);
}

static void links_of_all_machines_are_a_limit_and_one_is_none(void **state)
{
    (void)state;
    struct finding_case c;
    case_new(&c, &cached);
    limit_track(c.r, TRACK_CLIENT, TRACK_LINK, "client1:in", 0.99, 1);
    limit_track(c.r, TRACK_CLIENT, TRACK_LINK, "client2:in", 0.50, 1);
    limit_track(c.r, TRACK_CLIENT, TRACK_LINK, "client1:out", 0.01, 1);
    case_unknown(&c);
    limit_track(c.r, TRACK_CLIENT, TRACK_LINK, "client2:in", 0.97, 1);
    const struct finding *f = case_says(&c, "client-link");
    assert_true(f->at_client);
    assert_says(f->words, "links of the machines that ask");
    case_free(&c);
}

static void slots(struct result *r, double in_use, double backlog, double rtt_ns)
{
    limit_track(r, TRACK_CLIENT, TRACK_RPC_SLOTS, "/mnt", in_use, 128);
    limit_track(r, TRACK_CLIENT, TRACK_RPC_BACKLOG, "/mnt", backlog, 0);
    limit_track(r, TRACK_CLIENT, TRACK_RPC_RTT, "/mnt", rtt_ns, 0);
}

/* A slow server fills them too. */
static void slots_are_a_limit_where_the_server_is_as_quick_as_ever(void **state)
{
    (void)state;
    struct finding_case c;
    case_new(&c, &small);
    slots(c.r, 127, 60, 900000);
    slots(c.quiet, 1, 0, 200000);
    case_unknown(&c);
    slots(c.r, 127, 60, 250000);
    assert_true(case_says(&c, "rpc-slots")->at_client);
    slots(c.r, 127, 0.2, 250000);
    case_unknown(&c);
    case_free(&c);
}

static void workers(struct result *r, unsigned n, double busy)
{
    limit_own(r, "workers", n);
    limit_own(r, "cpu_user_ns", busy * n * (double)r->window_close_ns * 0.3);
    limit_own(r, "cpu_sys_ns", busy * n * (double)r->window_close_ns * 0.7);
}

static void loadline_itself_is_named_where_few_threads_drive_many_streams(void **state)
{
    (void)state;
    struct finding_case c;
    case_new(&c, &small);
    workers(c.quiet, 1, 0.05);
    workers(c.r, 1, 0.94);
    case_unknown(&c);
    workers(c.r, 1, 0.98);
    const struct finding *f = case_says(&c, "tool");
    assert_true(f->at_client);
    assert_says(f->words, "1 thread for 64 streams");
    /* One thread a stream: the ramp has shown what more of them give. */
    workers(c.r, 64, 0.98);
    case_unknown(&c);
    /* Busy as ever. */
    workers(c.r, 1, 0.98);
    workers(c.quiet, 1, 0.97);
    case_unknown(&c);
    case_free(&c);
}

static void busy(struct result *r, unsigned disks, double use, double capacity)
{
    for (unsigned i = 1; i <= disks; i++) {
        char name[16];
        snprintf(name, sizeof name, "disk%u", i % 1000);
        limit_track(r, TRACK_SERVER, TRACK_DISK_BUSY, name, use, capacity);
    }
}

static void disks_of_a_server_are_named_where_busy_means_full(void **state)
{
    (void)state;
    static const struct limit_row read = {"nfs", "read-4k-disk", "ops", "disk", "read", 4096};
    struct finding_case c;
    case_new(&c, &read);
    limit_track(c.r, TRACK_SERVER, TRACK_DISK_READ, "disks", 4096000, 0);
    busy(c.r, 10, 0.98, 0); /* how many it serves at once is not known */
    case_unknown(&c);
    case_says(&c, "server-disks-busy");
    busy(c.r, 10, 0.98, 1);
    assert_says(case_says(&c, "server-disks")->evidence, "10 of 10 disks");
    case_silent(&c, "slow-disk");
    case_silent(&c, "server-disks-busy");
    busy(c.r, 10, 0.2, 1);
    limit_track(c.r, TRACK_SERVER, TRACK_DISK_BUSY, "disk3", 0.99, 1);
    assert_says(case_says(&c, "slow-disk")->words, "disk3");
    case_silent(&c, "server-disks");
    /* Was called the limit of all disks: one at twice its time keeps the others half busy. */
    busy(c.r, 10, 0.52, 1);
    limit_track(c.r, TRACK_SERVER, TRACK_DISK_BUSY, "disk3", 0.99, 1);
    assert_says(case_says(&c, "slow-disk")->words, "disk3");
    case_silent(&c, "server-disks");
    busy(c.r, 10, 0.9, 1);
    limit_track(c.r, TRACK_SERVER, TRACK_DISK_BUSY, "disk3", 0.99, 1);
    assert_says(case_says(&c, "server-disks")->evidence, "1 of 10 disks");
    case_silent(&c, "slow-disk");
    busy(c.r, 10, 0.2, 1);
    limit_track(c.r, TRACK_SERVER, TRACK_DISK_BUSY, "disk3", 0.99, 1);
    /* A scrub: hardly any of it is read for us. */
    limit_track(c.r, TRACK_SERVER, TRACK_DISK_READ, "disks", 10000, 0);
    case_unknown(&c);
    case_free(&c);
}

static void flash_and_log_are_named_where_the_row_needs_them(void **state)
{
    (void)state;
    struct finding_case c;
    case_new(&c, &small);
    limit_track(c.r, TRACK_SERVER, TRACK_LOG, "log", 0.99, 1);
    case_unknown(&c);
    limit_track(c.r, TRACK_SERVER, TRACK_FLASH, "flash", 0.99, 1);
    case_says(&c, "server-flash");
    case_free(&c);
    case_new(&c, &written);
    limit_track(c.r, TRACK_SERVER, TRACK_FLASH, "flash", 0.99, 1);
    case_unknown(&c);
    limit_track(c.r, TRACK_SERVER, TRACK_LOG, "log", 0.99, 1);
    case_says(&c, "server-log");
    case_free(&c);
}

static void one_op_at_a_time_has_no_limiter(void **state)
{
    (void)state;
    static const struct limit_row synced = {"nfs", "write-512-sync", "latency",
                                            "log", "write",          512};
    struct finding_case c;
    case_new(&c, &synced);
    limit_track(c.r, TRACK_SERVER, TRACK_LOG, "log", 0.99, 1);
    case_unknown(&c);
    case_free(&c);
}

/* Nobody on a real system has it. */
static void truth_is_never_read(void **state)
{
    (void)state;
    struct finding_case c;
    case_new(&c, &small);
    limit_target(c.r, "modelled", "sun7410");
    c.r->truth.station = calloc(1, sizeof *c.r->truth.station);
    assert_non_null(c.r->truth.station);
    c.r->truth.n = 1;
    c.r->truth.station[0] =
        (struct result_station){"cpu", 4, 1000, 40000000000, 10000000000, 30, 8030};
    case_unknown(&c);
    case_free(&c);
}

static void nothing_is_said_of_a_run_of_which_nothing_is_known(void **state)
{
    (void)state;
    struct finding_case c;
    case_new(&c, &small);
    assert_int_equal(findings_among(c.r, c.quiet, c.found), 0);
    case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processors_are_named_from_95_percent),
        cmocka_unit_test(processors_that_others_keep_busy_are_no_limit_of_ours),
        cmocka_unit_test(what_is_as_full_with_little_load_is_not_named),
        cmocka_unit_test(of_a_local_cache_this_machine_is_the_ceiling_itself),
        cmocka_unit_test(one_core_is_named_when_interrupts_fill_it),
        cmocka_unit_test(a_port_is_named_in_the_way_that_the_data_takes),
        cmocka_unit_test(ports_of_others_and_made_up_line_rates_are_no_limit),
        cmocka_unit_test(of_two_full_ends_of_one_wire_the_server_is_named),
        cmocka_unit_test(the_fullest_resource_is_the_limiter),
        cmocka_unit_test(a_starved_port_is_told_with_what_the_others_do),
        cmocka_unit_test(links_of_all_machines_are_a_limit_and_one_is_none),
        cmocka_unit_test(slots_are_a_limit_where_the_server_is_as_quick_as_ever),
        cmocka_unit_test(loadline_itself_is_named_where_few_threads_drive_many_streams),
        cmocka_unit_test(disks_of_a_server_are_named_where_busy_means_full),
        cmocka_unit_test(flash_and_log_are_named_where_the_row_needs_them),
        cmocka_unit_test(one_op_at_a_time_has_no_limiter),
        cmocka_unit_test(truth_is_never_read),
        cmocka_unit_test(nothing_is_said_of_a_run_of_which_nothing_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
