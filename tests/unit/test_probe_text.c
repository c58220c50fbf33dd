/* probe.h and metrics_priv.h: which text is one of metrics, and what two of them say happened in between. */
#include "probe/probe.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define S_NS 1000000000u

static struct probe_text good(const char *text)
{
    struct probe_text out;
    struct err err = {0};

    if (probe_text_parse(text, strlen(text), &out, &err) < 0)
        fail_msg("%s", err.text);
    return out;
}

/* Over ten seconds. */
static struct tracks between(const char *before, const char *after)
{
    struct probe_text a = good(before), b = good(after);
    struct tracks out = {0};

    assert_int_equal(probe_metrics_between(a.metric, a.n, b.metric, b.n, UINT64_C(10) * S_NS, &out),
                     0);
    probe_text_free(&a);
    probe_text_free(&b);
    return out;
}

static const struct track *of(const struct tracks *t, enum track_end end, enum track_kind kind,
                              const char *name)
{
    const struct track *one = tracks_find(t, end, kind, name);

    if (one == NULL)
        fail_msg("no %s %s \"%s\"", track_end_name(end), track_kind_name(kind), name);
    return one;
}

static void assert_mean(const struct tracks *t, enum track_end end, enum track_kind kind,
                        const char *name, double mean)
{
    double is = of(t, end, kind, name)->mean;

    if (!(fabs(is - mean) <= 1e-6 * fabs(mean) + 1e-9))
        fail_msg("%s \"%s\": %g, not %g", track_kind_name(kind), name, is, mean);
}

/* ---- texts ---- */

static void a_text_is_taken_apart(void **state)
{
    (void)state;
    struct probe_text text =
        good("# HELP a what it is\n# TYPE a counter\n\n"
             "a 1\n"
             "a_b:c{d=\"e\",f=\"g, \\\"h\\\" } \\\\\"} -2.5e3 1700000000000\r\n"
             "  b{} +Inf\n"
             "c{x = \"y\" , } NaN\n"
             "last 7");

    assert_int_equal(text.n, 5);
    assert_string_equal(text.metric[0].key, "a");
    assert_true(text.metric[0].value == 1);
    assert_string_equal(text.metric[1].key, "a_b:c{d=\"e\",f=\"g, \\\"h\\\" } \\\\\"}");
    assert_true(text.metric[1].value == -2500);
    assert_true(isinf(text.metric[2].value));
    assert_true(isnan(text.metric[3].value));
    assert_string_equal(text.metric[4].key, "last");
    probe_text_free(&text);
}

static void what_is_no_metric_is_refused_with_its_line(void **state)
{
    (void)state;
    static const char *const wrong[] = {"<html><body>404</body></html>",
                                        "a",
                                        "a{b=\"c} 1",
                                        "a{b=c} 1",
                                        "a{b=\"c\" 1",
                                        "a{=\"c\"} 1",
                                        "a b",
                                        "a 1 x",
                                        "1a 2",
                                        "a{b=\"c\"}1",
                                        "{\"status\":\"ok\"}",
                                        "a 0x"};

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[100];
        struct probe_text out = {.n = 77};
        struct err err = {0};

        int len = snprintf(text, sizeof text, "good 1\n%s\n", wrong[i]);
        if (probe_text_parse(text, (size_t)len, &out, &err) != -EINVAL)
            fail_msg("%s is accepted", wrong[i]);
        assert_non_null(strstr(err.text, "line 2 is no metric: "));
        assert_int_equal(out.n, 77);
    }
    struct probe_text out;
    assert_int_equal(probe_text_parse("a 1\0b 2", 7, &out, NULL), -EINVAL);
}

/* ---- what they mean ---- */

static void processors_are_shares_of_their_own_seconds(void **state)
{
    (void)state;
    /* The server was asked late: 12 s of its own lie between. */
    struct tracks t = between("node_cpu_seconds_total{cpu=\"0\",mode=\"idle\"} 100\n"
                              "node_cpu_seconds_total{cpu=\"0\",mode=\"system\"} 10\n"
                              "node_cpu_seconds_total{cpu=\"0\",mode=\"softirq\"} 1\n"
                              "node_cpu_seconds_total{cpu=\"1\",mode=\"user\"} 50\n",
                              "node_cpu_seconds_total{cpu=\"0\",mode=\"idle\"} 103\n"
                              "node_cpu_seconds_total{cpu=\"0\",mode=\"system\"} 17\n"
                              "node_cpu_seconds_total{cpu=\"0\",mode=\"softirq\"} 3\n"
                              "node_cpu_seconds_total{cpu=\"1\",mode=\"user\"} 51\n");

    assert_mean(&t, TRACK_SERVER, TRACK_CPU, "0", 0.75);
    assert_mean(&t, TRACK_SERVER, TRACK_SOFTIRQ, "0", 0.2);
    /* Whose idle time is not told: of the ten seconds. */
    assert_mean(&t, TRACK_SERVER, TRACK_CPU, "1", 0.1);
    tracks_fini(&t);
}

static void capacities_belong_to_what_they_are_of(void **state)
{
    (void)state;
    struct tracks t = between("node_network_speed_bytes{device=\"eth0\"} 1.25e9\n"
                              "node_network_speed_bytes{device=\"eth1\"} -125000\n"
                              "node_network_receive_bytes_total{device=\"eth0\"} 0\n"
                              "node_network_receive_bytes_total{device=\"eth1\"} 0\n"
                              "node_network_transmit_bytes_total{device=\"eth0\"} 5e9\n",
                              "node_network_speed_bytes{device=\"eth0\"} 1.25e9\n"
                              "node_network_speed_bytes{device=\"eth1\"} -125000\n"
                              "node_network_receive_bytes_total{device=\"eth0\"} 1e6\n"
                              "node_network_receive_bytes_total{device=\"eth1\"} 1e7\n"
                              "node_network_transmit_bytes_total{device=\"eth0\"} 17.25e9\n");
    const struct track *out = of(&t, TRACK_SERVER, TRACK_NIC_OUT, "eth0");

    assert_mean(&t, TRACK_SERVER, TRACK_NIC_OUT, "eth0", 1.225e9);
    assert_true(out->capacity == 1.25e9);
    assert_true(fabs(track_use(out) - 0.98) < 1e-6);
    assert_true(out->full_frac == 1);
    assert_true(of(&t, TRACK_SERVER, TRACK_NIC_IN, "eth1")->capacity == 0);
    tracks_fini(&t);
}

static void a_client_is_told_from_a_server(void **state)
{
    (void)state;
    struct tracks t =
        between("node_network_receive_bytes_total{device=\"l0\",instance=\"client7\"} 0\n"
                "node_network_receive_bytes_total{device=\"l0\",instance=\"filer:9100\"} 0\n",
                "node_network_receive_bytes_total{device=\"l0\",instance=\"client7\"} 10\n"
                "node_network_receive_bytes_total{device=\"l0\",instance=\"filer:9100\"} 20\n");

    assert_mean(&t, TRACK_CLIENT, TRACK_NIC_IN, "client7:l0", 1);
    assert_mean(&t, TRACK_SERVER, TRACK_NIC_IN, "filer:9100:l0", 2);
    tracks_fini(&t);
}

static void each_family_has_its_kind(void **state)
{
    (void)state;
    static const struct {
        const char *key;
        enum track_kind kind;
        const char *name;
    } family[] = {
        {"node_network_receive_drop_total{device=\"e\"}", TRACK_NIC_DROPS, "e"},
        {"node_netstat_Tcp_OutSegs", TRACK_TCP_SENT, ""},
        {"node_netstat_Tcp_RetransSegs", TRACK_TCP_RESENT, ""},
        {"node_infiniband_port_data_received_bytes_total{device=\"m\",port=\"2\"}", TRACK_RDMA_IN,
         "m/2"},
        {"node_infiniband_port_data_transmitted_bytes_total{device=\"m\",port=\"1\"}",
         TRACK_RDMA_OUT, "m/1"},
        {"node_disk_read_bytes_total{device=\"sda\"}", TRACK_DISK_READ, "sda"},
        {"node_disk_written_bytes_total{device=\"sda\"}", TRACK_DISK_WRITE, "sda"},
        {"node_disk_reads_completed_total{device=\"sda\"}", TRACK_DISK_READS, "sda"},
        {"node_disk_writes_completed_total{device=\"sda\"}", TRACK_DISK_WRITES, "sda"},
        {"node_disk_io_time_seconds_total{device=\"sda\"}", TRACK_DISK_BUSY, "sda"},
        {"node_disk_io_time_weighted_seconds_total{device=\"sda\"}", TRACK_DISK_QUEUE, "sda"},
        {"model_link_busy_seconds_total{device=\"path\"}", TRACK_LINK, "path"},
        {"model_flash_busy_seconds_total{device=\"0\"}", TRACK_FLASH, "0"},
        {"model_log_busy_seconds_total{device=\"0\"}", TRACK_LOG, "0"},
        {"node_pressure_cpu_waiting_seconds_total", TRACK_PRESSURE_CPU, ""},
        {"node_pressure_io_waiting_seconds_total", TRACK_PRESSURE_IO, ""},
        {"node_pressure_memory_waiting_seconds_total", TRACK_PRESSURE_MEMORY, ""},
        {"node_nfsd_requests_total{proto=\"3\",method=\"Read\"}", TRACK_RPC_CALLS, "Read"},
        {"node_zfs_arc_hits", TRACK_CACHE_HITS, ""},
        {"node_zfs_arc_misses", TRACK_CACHE_MISSES, ""},
        {"node_zfs_arc_l2_hits", TRACK_FLASH_HITS, ""},
        {"node_zfs_arc_l2_misses", TRACK_FLASH_MISSES, ""},
        {"node_zfs_zil_zil_commit_count", TRACK_LOG_WRITES, ""},
    };

    for (size_t i = 0; i < sizeof family / sizeof family[0]; i++) {
        char before[200], after[200];

        snprintf(before, sizeof before, "%s 1\n", family[i].key);
        snprintf(after, sizeof after, "%s 6\n", family[i].key);
        struct tracks t = between(before, after);
        assert_int_equal(t.n, 1);
        assert_mean(&t, TRACK_SERVER, family[i].kind, family[i].name, 0.5);
        tracks_fini(&t);
    }
    struct tracks t = between("node_memory_Dirty_bytes 10\nnode_memory_Cached_bytes 4e9\n",
                              "node_memory_Dirty_bytes 20\nnode_memory_Cached_bytes 4e9\n");
    assert_mean(&t, TRACK_SERVER, TRACK_DIRTY, "", 15);
    assert_mean(&t, TRACK_SERVER, TRACK_CACHED, "", 4e9);
    tracks_fini(&t);
}

static void counters_that_began_anew_or_are_gone_are_not_seen(void **state)
{
    (void)state;
    struct tracks t = between("node_disk_read_bytes_total{device=\"sda\"} 100\n"
                              "node_disk_read_bytes_total{device=\"sdb\"} 100\n"
                              "node_disk_read_bytes_total{device=\"sdd\"} 100\n",
                              "node_disk_read_bytes_total{device=\"sda\"} 3\n"
                              "node_disk_read_bytes_total{device=\"sdb\"} NaN\n"
                              "node_disk_read_bytes_total{device=\"sdc\"} 100\n"
                              "node_disk_read_bytes_total{device=\"sdd\"} 200\n");

    assert_true(isnan(of(&t, TRACK_SERVER, TRACK_DISK_READ, "sda")->mean));
    assert_true(isnan(of(&t, TRACK_SERVER, TRACK_DISK_READ, "sdb")->mean));
    assert_true(isnan(of(&t, TRACK_SERVER, TRACK_DISK_READ, "sdc")->mean));
    assert_mean(&t, TRACK_SERVER, TRACK_DISK_READ, "sdd", 10);
    tracks_fini(&t);
}

static void what_was_seen_already_stays(void **state)
{
    (void)state;
    struct tracks out = {.period_ns = S_NS};
    struct track *mine = tracks_get(&out, TRACK_CLIENT, TRACK_CPU, "0");
    struct probe_metric before = {"node_zfs_arc_hits", 0}, after = {"node_zfs_arc_hits", 50};

    for (unsigned i = 0; i < 10; i++)
        assert_int_equal(track_put(&out, mine, i, 0.5), 0);
    assert_int_equal(probe_metrics_between(&before, 1, &after, 1, UINT64_C(10) * S_NS, &out), 0);
    assert_int_equal(out.period_ns, S_NS);
    assert_int_equal(of(&out, TRACK_CLIENT, TRACK_CPU, "0")->n, 10);
    assert_mean(&out, TRACK_SERVER, TRACK_CACHE_HITS, "", 5);
    tracks_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_is_taken_apart),
        cmocka_unit_test(what_is_no_metric_is_refused_with_its_line),
        cmocka_unit_test(processors_are_shares_of_their_own_seconds),
        cmocka_unit_test(capacities_belong_to_what_they_are_of),
        cmocka_unit_test(a_client_is_told_from_a_server),
        cmocka_unit_test(each_family_has_its_kind),
        cmocka_unit_test(counters_that_began_anew_or_are_gone_are_not_seen),
        cmocka_unit_test(what_was_seen_already_stays),
    };
    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
