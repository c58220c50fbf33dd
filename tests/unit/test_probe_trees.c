/* local_priv.h: what is read out of trees like /proc and /sys. */
#include "probe/probe_priv.h"
#include "unit/fake_tree.h"

#include <math.h>

struct machine {
    struct tree proc;
    struct tree sys;
    struct probe_source source;
    struct sights sights;
};

static int open_machine(void **state)
{
    struct machine *m = calloc(1, sizeof *m);
    struct err err;

    assert_non_null(m);
    tree_open(&m->proc);
    tree_open(&m->sys);
    assert_int_equal(source_local_open(m->proc.path, m->sys.path, &m->source, &err), 0);
    *state = m;
    return 0;
}

static int close_machine(void **state)
{
    struct machine *m = *state;

    m->source.close(m->source.ctx);
    sights_fini(&m->sights);
    tree_close(&m->proc);
    tree_close(&m->sys);
    free(m);
    return 0;
}

static void look(struct machine *m)
{
    struct err err;

    sights_clear(&m->sights);
    assert_int_equal(m->source.look(m->source.ctx, &m->sights, &err), 0);
}

static const struct sight *find(const struct machine *m, enum track_kind kind, const char *name)
{
    for (unsigned i = 0; i < m->sights.n; i++) {
        const struct sight *s = &m->sights.sight[i];
        if (s->end == TRACK_CLIENT && s->kind == kind && strcmp(s->name, name) == 0)
            return s;
    }
    return NULL;
}

static const struct sight *seen(const struct machine *m, enum track_kind kind, const char *name)
{
    const struct sight *s = find(m, kind, name);
    if (!s)
        fail_msg("no %s of '%s'", track_kind_name(kind), name);
    return s;
}

static void assert_seen(const struct machine *m, enum track_kind kind, const char *name,
                        double value, double per, double capacity)
{
    const struct sight *s = seen(m, kind, name);

    if (fabs(s->value - value) > 1e-9 * fabs(value) || s->per != per ||
        fabs(s->capacity - capacity) > 1e-9 * capacity)
        fail_msg("%s of '%s' is %.9g by %.9g of %.9g", track_kind_name(kind), name, s->value,
                 s->per, s->capacity);
}

static void nothing_there_is_nothing_seen(void **state)
{
    struct machine *m = *state;
    look(m);
    assert_int_equal(m->sights.n, 0);
}

static void roots_that_cannot_be_read_are_refused(void **state)
{
    struct machine *m = *state;
    struct probe_source source;
    struct err err;
    assert_int_equal(source_local_open("/no/such/proc", m->sys.path, &source, &err), -ENOENT);
    assert_non_null(strstr(err.text, "/no/such/proc"));
}

/* user nice system idle iowait irq softirq steal guest guest_nice; guest is in user already. */
static void a_core_is_busy_by_its_ticks(void **state)
{
    struct machine *m = *state;
    tree_file(&m->proc, "stat",
              "cpu  300 3 60 1500 90 6 30 21 15 0\n"
              "cpu0 100 1 20 500 30 2 10 7 5 0\n"
              "cpu11 200 2 40 1000 60 4 20 14 10 0\n"
              "intr 12345 0 9\nctxt 99\n");
    look(m);
    assert_seen(m, TRACK_CPU, "0", 133, 670, 0);
    assert_seen(m, TRACK_SOFTIRQ, "0", 10, 670, 0);
    assert_seen(m, TRACK_STEAL, "0", 7, 670, 0);
    assert_seen(m, TRACK_CPU, "11", 266, 1340, 0);
    assert_null(find(m, TRACK_CPU, ""));
}

static void pressure_is_of_those_that_wait_at_all(void **state)
{
    struct machine *m = *state;
    tree_file(&m->proc, "pressure/cpu", "some avg10=1.00 avg60=0.50 avg300=0.10 total=2500000\n");
    tree_file(&m->proc, "pressure/io",
              "some avg10=0.00 avg60=0.00 avg300=0.00 total=1500000\n"
              "full avg10=0.00 avg60=0.00 avg300=0.00 total=700000\n");
    look(m);
    assert_seen(m, TRACK_PRESSURE_CPU, "", 2.5, 0, 0);
    assert_seen(m, TRACK_PRESSURE_IO, "", 1.5, 0, 0);
    assert_null(find(m, TRACK_PRESSURE_MEMORY, ""));
}

/* Files in RAM stand in Cached, and are no cache. */
static void cached_and_dirty_pages(void **state)
{
    struct machine *m = *state;
    tree_file(&m->proc, "meminfo",
              "MemTotal:       16000 kB\nBuffers:          100 kB\nCached:          5000 kB\n"
              "SwapCached:        7 kB\nDirty:             40 kB\nWriteback:          2 kB\n"
              "Shmem:           1000 kB\nWritebackTmp:       9 kB\n");
    look(m);
    assert_seen(m, TRACK_CACHED, "", 4100 * 1024, 0, 0);
    assert_seen(m, TRACK_DIRTY, "", 42 * 1024, 0, 0);
}

static void ports(struct machine *m, unsigned long long rx, unsigned long long tx)
{
    char text[1024];
    snprintf(text, sizeof text,
             "Inter-|   Receive                                                |  Transmit\n"
             " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets "
             "errs drop fifo colls carrier compressed\n"
             "    lo: 500 5 0 0 0 0 0 0 500 5 0 0 0 0 0 0\n"
             "  eth0:%llu 10 1 2 4 0 0 0 %llu 20 1 8 16 0 0 0\n"
             "eth0:1: 1 1 0 0 0 0 0 0 1 1 0 0 0 0 0 0\n",
             rx, tx);
    tree_file(&m->proc, "net/dev", text);
}

static void a_port_has_its_line_rate_and_no_track_while_idle(void **state)
{
    struct machine *m = *state;
    tree_file(&m->sys, "class/net/eth0/speed", "10000\n");
    tree_file(&m->sys, "class/net/lo/speed", "-1\n");
    ports(m, 12000000000ull, 34);
    look(m);
    assert_true(seen(m, TRACK_NIC_IN, "eth0")->idle);
    ports(m, 12000000000ull, 35);
    look(m);
    assert_seen(m, TRACK_NIC_IN, "eth0", 12e9, 0, 1.25e9);
    assert_seen(m, TRACK_NIC_OUT, "eth0", 35, 0, 1.25e9);
    assert_seen(m, TRACK_NIC_DROPS, "eth0", 30, 0, 0);
    assert_seen(m, TRACK_NIC_OUT, "lo", 500, 0, 0);
    assert_seen(m, TRACK_NIC_IN, "eth0:1", 1, 0, 0);
    assert_false(seen(m, TRACK_NIC_IN, "eth0")->idle);
    assert_true(seen(m, TRACK_NIC_IN, "lo")->idle);
}

static void segments_are_found_by_the_names_of_their_columns(void **state)
{
    struct machine *m = *state;
    tree_file(&m->proc, "net/snmp",
              "Ip: Forwarding DefaultTTL\nIp: 1 64\n"
              "Tcp: RtoAlgorithm MaxConn InSegs OutSegs RetransSegs InErrs\n"
              "Tcp: 1 -1 1000 2000 3 4\n"
              "Udp: OutSegs\nUdp: 77\n");
    tree_file(&m->proc, "net/netstat",
              "TcpExt: SyncookiesSent TCPBacklogDrop TCPRcvQDrop\nTcpExt: 9 5 6\n"
              "IpExt: InOctets\nIpExt: 1\n");
    tree_file(&m->proc, "net/softnet_stat",
              "0000ffff 00000002 00000001 0\n00000001 0000000f 0 0\n");
    look(m);
    assert_seen(m, TRACK_TCP_SENT, "", 2000, 0, 0);
    assert_seen(m, TRACK_TCP_RESENT, "", 3, 0, 0);
    assert_seen(m, TRACK_NIC_DROPS, "tcp", 11, 0, 0);
    assert_seen(m, TRACK_NIC_DROPS, "softnet", 17, 0, 0);
}

static void put_rdma(struct machine *m, const char *port, const char *link, const char *rate)
{
    static const char *const of[] = {"link_layer", "rate", "counters/port_rcv_data",
                                     "counters/port_xmit_data"};
    const char *const text[] = {link, rate, "1", "1"};
    char name[128];
    for (unsigned i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "class/infiniband/%s/ports/1/%s", port, of[i]);
        tree_file(&m->sys, name, text[i]);
    }
}

/* What was wrong: EDR and later ones, which are called by what they carry, were held to be full at 92 %, and 40 Gb/s
 * of Ethernet at 32. */
static void a_name_of_a_port_counts_the_wire_or_what_it_carries(void **state)
{
    struct machine *m = *state;
    put_rdma(m, "qdr", "InfiniBand\n", "40 Gb/sec (4X QDR)\n");
    put_rdma(m, "fdr", "InfiniBand\n", "56 Gb/sec (4X FDR)\n");
    put_rdma(m, "fdr10", "InfiniBand\n", "40 Gb/sec (4X FDR10)\n");
    put_rdma(m, "hdr", "InfiniBand\n", "200 Gb/sec (4X HDR)\n");
    put_rdma(m, "roce", "Ethernet\n", "40 Gb/sec (4X QDR)\n");
    look(m);
    assert_seen(m, TRACK_RDMA_IN, "qdr/1", 4, 0, 4e9);
    assert_seen(m, TRACK_RDMA_IN, "fdr/1", 4, 0, 7e9 * 64 / 66);
    assert_seen(m, TRACK_RDMA_IN, "fdr10/1", 4, 0, 5e9);
    assert_seen(m, TRACK_RDMA_IN, "hdr/1", 4, 0, 25e9);
    assert_seen(m, TRACK_RDMA_IN, "roce/1", 4, 0, 5e9);
}

/* Counters are in words of four bytes. */
static void rdma_ports(void **state)
{
    struct machine *m = *state;
    tree_file(&m->sys, "class/infiniband/mlx4_0/ports/1/rate", "40 Gb/sec (4X QDR)\n");
    tree_file(&m->sys, "class/infiniband/mlx4_0/ports/1/counters/port_rcv_data", "1000\n");
    tree_file(&m->sys, "class/infiniband/mlx4_0/ports/1/counters/port_xmit_data", "2000\n");
    tree_file(&m->sys, "class/infiniband/mlx5_0/ports/2/rate", "100 Gb/sec (4X EDR)\n");
    tree_file(&m->sys, "class/infiniband/mlx5_0/ports/2/counters/port_rcv_data", "1\n");
    tree_file(&m->sys, "class/infiniband/mlx5_0/ports/2/counters/port_xmit_data", "2\n");
    look(m);
    assert_seen(m, TRACK_RDMA_IN, "mlx4_0/1", 4000, 0, 4e9);
    assert_seen(m, TRACK_RDMA_OUT, "mlx4_0/1", 8000, 0, 4e9);
    assert_seen(m, TRACK_RDMA_OUT, "mlx5_0/2", 8, 0, 12.5e9);
}

#define DISKS                                                                                      \
    "   8       0 sda 100 1 2000 300 40 2 800 500 3 600 900 0 0 0 0 7 8\n"                         \
    "   8       1 sda1 100 1 2000 300 40 2 800 500 3 600 900\n"                                    \
    " 104       0 cciss/c0d0 %u 0 8 1 0 0 0 0 0 1 1\n"                                             \
    "   7       0 loop0 0 0 0 0 0 0 0 0 0 0 0\n"

static void disks(struct machine *m, unsigned reads)
{
    char text[1024];
    snprintf(text, sizeof text, DISKS, reads);
    tree_file(&m->proc, "diskstats", text);
}

static void whole_disks_only_and_what_they_hold(void **state)
{
    struct machine *m = *state;
    tree_file(&m->sys, "block/sda/size", "1000\n");
    tree_file(&m->sys, "block/sda/queue/nr_requests", "256\n");
    tree_file(&m->sys, "block/sda/mq/0/nr_tags", "128\n");
    tree_file(&m->sys, "block/sda/device/queue_depth", "32\n");
    tree_file(&m->sys, "block/cciss!c0d0/size", "1000\n");
    tree_file(&m->sys, "block/cciss!c0d0/queue/nr_requests", "100\n");
    tree_file(&m->sys, "block/cciss!c0d0/mq/0/nr_tags", "1023\n");
    tree_file(&m->sys, "block/cciss!c0d0/mq/1/nr_tags", "50\n");
    disks(m, 4);
    look(m);
    assert_true(seen(m, TRACK_DISK_READS, "cciss/c0d0")->idle);
    disks(m, 5);
    look(m);
    assert_seen(m, TRACK_DISK_READ, "sda", 2000 * 512, 0, 0);
    assert_seen(m, TRACK_DISK_WRITE, "sda", 800 * 512, 0, 0);
    assert_seen(m, TRACK_DISK_READS, "sda", 100, 0, 0);
    assert_seen(m, TRACK_DISK_WRITES, "sda", 40, 0, 0);
    assert_seen(m, TRACK_DISK_BUSY, "sda", 0.6, 0, 0);
    assert_seen(m, TRACK_DISK_QUEUE, "sda", 0.9, 0, 32);
    assert_seen(m, TRACK_DISK_QUEUE, "cciss/c0d0", 0.001, 0, 150);
    assert_false(seen(m, TRACK_DISK_QUEUE, "cciss/c0d0")->idle);
    assert_null(find(m, TRACK_DISK_READ, "sda1"));
    assert_null(find(m, TRACK_DISK_READ, "loop0"));
}

static void a_group_above_ours_may_limit_a_disk_v2(void **state)
{
    struct machine *m = *state;
    tree_file(&m->sys, "block/sda/size", "1000\n");
    tree_file(&m->proc, "self/cgroup", "0::/a/b\n");
    tree_file(&m->sys, "fs/cgroup/cgroup.controllers", "cpu io memory\n");
    tree_file(&m->sys, "fs/cgroup/a/io.max", "8:0 rbps=1048576 wbps=max riops=500 wiops=max\n");
    tree_file(&m->sys, "fs/cgroup/a/b/io.max",
              "8:16 rbps=1 wbps=1 riops=1 wiops=1\n8:0 rbps=2097152 wbps=max riops=400 wiops=7\n");
    tree_file(&m->sys, "fs/cgroup/a/b/cpu.stat", "usage_usec 10\nnr_periods 9\nnr_throttled 3\n");
    tree_file(&m->sys, "fs/cgroup/a/cpu.stat", "usage_usec 10\nnr_periods 9\nnr_throttled 4\n");
    disks(m, 4);
    look(m);
    assert_seen(m, TRACK_DISK_READ, "sda", 2000 * 512, 0, 1048576);
    assert_seen(m, TRACK_DISK_WRITE, "sda", 800 * 512, 0, 0);
    assert_seen(m, TRACK_DISK_READS, "sda", 100, 0, 400);
    assert_seen(m, TRACK_DISK_WRITES, "sda", 40, 0, 7);
    assert_seen(m, TRACK_THROTTLED, "cgroup cpu", 7, 0, 0);
}

static void a_group_above_ours_may_limit_a_disk_v1(void **state)
{
    struct machine *m = *state;
    tree_file(&m->sys, "block/sda/size", "1000\n");
    tree_file(&m->proc, "self/cgroup",
              "7:blkio:/slow/inner\n4:memory:/x\n2:cpu,cpuacct:/\n0::/elsewhere\n");
    tree_file(&m->sys, "fs/cgroup/blkio/slow/blkio.throttle.read_bps_device", "8:0 4194304\n");
    tree_file(&m->sys, "fs/cgroup/blkio/slow/inner/blkio.throttle.write_iops_device", "8:0 90\n");
    tree_file(&m->sys, "fs/cgroup/cpu,cpuacct/cpu.stat", "nr_periods 2\nnr_throttled 1\n");
    disks(m, 4);
    look(m);
    assert_seen(m, TRACK_DISK_READ, "sda", 2000 * 512, 0, 4194304);
    assert_seen(m, TRACK_DISK_WRITES, "sda", 40, 0, 90);
    assert_seen(m, TRACK_DISK_WRITE, "sda", 800 * 512, 0, 0);
    assert_seen(m, TRACK_THROTTLED, "cgroup cpu", 1, 0, 0);
}

static void heat_slows_cores(void **state)
{
    struct machine *m = *state;
    tree_file(&m->sys, "devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "2\n");
    tree_file(&m->sys, "devices/system/cpu/cpu0/thermal_throttle/package_throttle_count", "5\n");
    tree_file(&m->sys, "devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "1\n");
    look(m);
    assert_seen(m, TRACK_THROTTLED, "thermal", 8, 0, 0);
}

#define MOUNT(on, type, vers, links)                                                               \
    "device server:/export mounted on " on " with fstype " type " statvers=1.1\n"                  \
    "\topts:\trw,vers=" vers ",rsize=1048576,wsize=1048576,proto=tcp,nconnect=2\n"                 \
    "\tage:\t99\n"                                                                                 \
    "\tevents:\t1 2 3\n"                                                                           \
    "\tbytes:\t9 9 9 9 9 9 9 9\n"                                                                  \
    "\tRPC iostats version: 1.1  p/v: 100003/3 (nfs)\n" links "\tper-op statistics\n"              \
    "\t        NULL: 1 1 0 44 24 0 0 0 0\n"                                                        \
    "\t        READ: 100 101 0 15000 800000 50 400 460 0\n"                                        \
    "\t       WRITE: 20 20 0 15000 800000 30 100 140 0\n"                                          \
    "\t      COMMIT: 3 3 0 15000 800000 1 80 90 0\n"                                               \
    "\t     GETATTR: 6 6 0 15000 800000 2 3 5 0\n\n"

#define TCP "\txprt:\ttcp 876 1 1 0 5 1000 999 0 7000 300 16 9 9\n"

static void slots_backlog_and_round_trips_of_a_mount(void **state)
{
    struct machine *m = *state;
    tree_file(&m->proc, "self/mountstats",
              "device proc mounted on /proc with fstype proc\n" MOUNT(
                  "/mnt/a b", "nfs", "3", TCP TCP) MOUNT("/mnt/four", "nfs4", "4.1", TCP)
                  MOUNT("/mnt/rdma", "nfs", "3", "\txprt:\trdma 0 1 1 0 5 50 50 0 60 70 1 2\n")
                      MOUNT("/mnt/old", "nfs4", "4.0",
                            "\txprt:\tudp 876 1 50 50 0 60 70 1 2\n") "device /dev/sda1 mounted on "
                                                                      "/ with fstype ext4\n");
    tree_file(&m->proc, "sys/sunrpc/tcp_max_slot_table_entries", "65536\n");
    tree_file(&m->proc, "sys/sunrpc/rdma_slot_table_entries", "128\n");
    tree_file(&m->proc, "sys/sunrpc/udp_slot_table_entries", "16\n");
    look(m);
    assert_seen(m, TRACK_RPC_SLOTS, "/mnt/a b", 28000, 2000, 131072);
    assert_seen(m, TRACK_RPC_BACKLOG, "/mnt/a b", 1200, 2000, 0);
    assert_seen(m, TRACK_RPC_QUEUE, "/mnt/a b", 83e6, 130, 0);
    assert_seen(m, TRACK_RPC_RTT, "/mnt/a b", 583e6, 130, 0);
    assert_seen(m, TRACK_RPC_CALLS, "/mnt/a b READ", 100, 0, 0);
    assert_seen(m, TRACK_RPC_CALLS, "/mnt/a b WRITE", 20, 0, 0);
    assert_seen(m, TRACK_RPC_CALLS, "/mnt/a b COMMIT", 3, 0, 0);
    assert_seen(m, TRACK_RPC_CALLS, "/mnt/a b other", 7, 0, 0);
    assert_seen(m, TRACK_RPC_SLOTS, "/mnt/four", 7000, 1000, 64);
    assert_seen(m, TRACK_RPC_SLOTS, "/mnt/rdma", 60, 50, 128);
    assert_seen(m, TRACK_RPC_SLOTS, "/mnt/old", 60, 50, 16);
    assert_seen(m, TRACK_RPC_BACKLOG, "/mnt/old", 70, 50, 0);
    tree_file(&m->sys, "module/nfs/parameters/max_session_slots", "180\n");
    for (unsigned i = 0; i < 8; i++)
        look(m);
    assert_seen(m, TRACK_RPC_SLOTS, "/mnt/four", 7000, 1000, 180);
}

static void a_long_mount_point_keeps_its_end(void **state)
{
    struct machine *m = *state;
#define LONG "/srv/exports/of/a/department/with/a/very/long/name/scratch"
    tree_file(&m->proc, "self/mountstats", MOUNT(LONG, "nfs", "3", TCP));
    look(m);
    seen(m, TRACK_RPC_SLOTS, &LONG[sizeof LONG - TRACK_NAME_MAX]);
}

static void wait_of(struct machine *m, unsigned tid, unsigned long long ns)
{
    char name[64], text[64];
    snprintf(name, sizeof name, "self/task/%u/schedstat", tid);
    snprintf(text, sizeof text, "5 %llu 3\n", ns);
    tree_file(&m->proc, name, text);
}

/* The clock here is the machine's own, so only what does not hang on it is asked: one thread in four waited, so the
 * worst waited four times the mean, whatever the time between was. */
static void the_wait_of_few_threads_is_read_at_every_look(void **state)
{
    struct machine *m = *state;
    for (unsigned tid = 1; tid <= 4; tid++)
        wait_of(m, tid, 1000);
    look(m);
    assert_seen(m, TRACK_RUN_WAIT, "", 0, 0, 0);
    wait_of(m, 2, 1000000);
    look(m);
    double mean = seen(m, TRACK_RUN_WAIT, "")->value,
           worst = seen(m, TRACK_RUN_WAIT, "worst")->value;
    assert_true(mean > 0);
    if (!(worst > 1.5 * mean))
        fail_msg("worst %.9g, mean %.9g", worst, mean);
}

/* Of 200 threads no more than 64 are asked at a look, and within so many looks each twice. */
static void many_threads_take_turns(void **state)
{
    struct machine *m = *state;
    unsigned found = 0;
    for (unsigned tid = 1; tid <= 200; tid++)
        wait_of(m, tid, 0);
    look(m);
    for (unsigned i = 1; i <= 8; i++) {
        double before = seen(m, TRACK_RUN_WAIT, "")->value;
        wait_of(m, 77, i * 1000);
        look(m);
        found += seen(m, TRACK_RUN_WAIT, "")->value > before;
    }
    assert_in_range(found, 1, 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_machine, close_machine)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nothing_there_is_nothing_seen),
        TEST(roots_that_cannot_be_read_are_refused),
        TEST(a_core_is_busy_by_its_ticks),
        TEST(pressure_is_of_those_that_wait_at_all),
        TEST(cached_and_dirty_pages),
        TEST(a_port_has_its_line_rate_and_no_track_while_idle),
        TEST(segments_are_found_by_the_names_of_their_columns),
        TEST(rdma_ports),
        TEST(a_name_of_a_port_counts_the_wire_or_what_it_carries),
        TEST(whole_disks_only_and_what_they_hold),
        TEST(a_group_above_ours_may_limit_a_disk_v2),
        TEST(a_group_above_ours_may_limit_a_disk_v1),
        TEST(heat_slows_cores),
        TEST(slots_backlog_and_round_trips_of_a_mount),
        TEST(a_long_mount_point_keeps_its_end),
        TEST(the_wait_of_few_threads_is_read_at_every_look),
        TEST(many_threads_take_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
