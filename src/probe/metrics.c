#include "probe/metrics_priv.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum family_form {
    FAMILY_COUNTED,
    FAMILY_LEVEL,
    FAMILY_CAPACITY, /* of tracks of the same name */
    FAMILY_CPU,      /* seconds by mode */
};

/* Which of a metric's labels say what it is of. */
#define OF_DEVICE "device"
#define OF_NONE   ""

struct family {
    const char *name; /* "*_…": whatever stands in front */
    enum family_form form;
    enum track_kind kind;
    const char *label;
};

static const struct family families[] = {
    {"node_cpu_seconds_total", FAMILY_CPU, TRACK_CPU, "cpu"},

    {"node_network_receive_bytes_total", FAMILY_COUNTED, TRACK_NIC_IN, OF_DEVICE},
    {"node_network_transmit_bytes_total", FAMILY_COUNTED, TRACK_NIC_OUT, OF_DEVICE},
    {"node_network_speed_bytes", FAMILY_CAPACITY, TRACK_NIC_IN, OF_DEVICE},
    {"node_network_speed_bytes", FAMILY_CAPACITY, TRACK_NIC_OUT, OF_DEVICE},
    {"node_network_receive_drop_total", FAMILY_COUNTED, TRACK_NIC_DROPS, OF_DEVICE},
    {"node_network_transmit_drop_total", FAMILY_COUNTED, TRACK_NIC_DROPS, OF_DEVICE},
    {"node_netstat_Tcp_OutSegs", FAMILY_COUNTED, TRACK_TCP_SENT, OF_NONE},
    {"node_netstat_Tcp_RetransSegs", FAMILY_COUNTED, TRACK_TCP_RESENT, OF_NONE},
    {"node_infiniband_port_data_received_bytes_total", FAMILY_COUNTED, TRACK_RDMA_IN, OF_DEVICE},
    {"node_infiniband_port_data_transmitted_bytes_total", FAMILY_COUNTED, TRACK_RDMA_OUT,
     OF_DEVICE},
    {"node_infiniband_rate_bytes_per_second", FAMILY_CAPACITY, TRACK_RDMA_IN, OF_DEVICE},
    {"node_infiniband_rate_bytes_per_second", FAMILY_CAPACITY, TRACK_RDMA_OUT, OF_DEVICE},

    {"node_disk_read_bytes_total", FAMILY_COUNTED, TRACK_DISK_READ, OF_DEVICE},
    {"node_disk_written_bytes_total", FAMILY_COUNTED, TRACK_DISK_WRITE, OF_DEVICE},
    {"node_disk_reads_completed_total", FAMILY_COUNTED, TRACK_DISK_READS, OF_DEVICE},
    {"node_disk_writes_completed_total", FAMILY_COUNTED, TRACK_DISK_WRITES, OF_DEVICE},
    {"node_disk_io_time_seconds_total", FAMILY_COUNTED, TRACK_DISK_BUSY, OF_DEVICE},
    {"node_disk_io_time_weighted_seconds_total", FAMILY_COUNTED, TRACK_DISK_QUEUE, OF_DEVICE},
    {"*_disk_at_once", FAMILY_CAPACITY, TRACK_DISK_BUSY, OF_DEVICE},
    {"*_link_busy_seconds_total", FAMILY_COUNTED, TRACK_LINK, OF_DEVICE},
    {"*_flash_busy_seconds_total", FAMILY_COUNTED, TRACK_FLASH, OF_DEVICE},
    {"*_log_busy_seconds_total", FAMILY_COUNTED, TRACK_LOG, OF_DEVICE},

    {"node_memory_Cached_bytes", FAMILY_LEVEL, TRACK_CACHED, OF_NONE},
    {"node_memory_Dirty_bytes", FAMILY_LEVEL, TRACK_DIRTY, OF_NONE},
    {"node_pressure_cpu_waiting_seconds_total", FAMILY_COUNTED, TRACK_PRESSURE_CPU, OF_NONE},
    {"node_pressure_io_waiting_seconds_total", FAMILY_COUNTED, TRACK_PRESSURE_IO, OF_NONE},
    {"node_pressure_memory_waiting_seconds_total", FAMILY_COUNTED, TRACK_PRESSURE_MEMORY, OF_NONE},

    {"node_nfsd_requests_total", FAMILY_COUNTED, TRACK_RPC_CALLS, "method"},
    {"node_zfs_arc_hits", FAMILY_COUNTED, TRACK_CACHE_HITS, OF_NONE},
    {"node_zfs_arc_misses", FAMILY_COUNTED, TRACK_CACHE_MISSES, OF_NONE},
    {"node_zfs_arc_l2_hits", FAMILY_COUNTED, TRACK_FLASH_HITS, OF_NONE},
    {"node_zfs_arc_l2_misses", FAMILY_COUNTED, TRACK_FLASH_MISSES, OF_NONE},
    {"node_zfs_zil_zil_commit_count", FAMILY_COUNTED, TRACK_LOG_WRITES, OF_NONE},
    {"node_zfs_arcstats_hits_total", FAMILY_COUNTED, TRACK_CACHE_HITS, OF_NONE},
    {"node_zfs_arcstats_misses_total", FAMILY_COUNTED, TRACK_CACHE_MISSES, OF_NONE},
};

#define FAMILIES (sizeof families / sizeof families[0])

static bool is_family(const char *name, const struct metric_name *metric)
{
    size_t skip = name[0] == '*', len = strlen(name) - skip;

    return (skip ? metric->len > len : metric->len == len) &&
           strncmp(metric->name + metric->len - len, name + skip, len) == 0;
}

/* "client3": a machine that asks. */
static bool is_client(const char *instance)
{
    size_t lead = strlen("client");

    return strncmp(instance, "client", lead) == 0 && instance[lead] != '\0' &&
           instance[lead + strspn(instance + lead, "0123456789")] == '\0';
}

/* "eth0", "mlx5_0/1", "client3:link0": one name for each thing that is told of. */
static void name_it(const struct family *family, const struct metric_name *metric,
                    char name[2 * METRIC_LABEL_MAX])
{
    const char *instance = metric_label(metric, "instance");
    const char *port = family->kind == TRACK_RDMA_IN || family->kind == TRACK_RDMA_OUT
                           ? metric_label(metric, "port")
                           : "";

    snprintf(name, 2 * (size_t)METRIC_LABEL_MAX, "%.30s%s%.40s%s%.8s", instance,
             *instance != '\0' ? ":" : "", metric_label(metric, family->label),
             *port != '\0' ? "/" : "", port);
}

/* A processor is the share of its own seconds that were not idle, whatever the clock here says that lies between. */
static void add_cpu(struct sights *out, enum track_end end, const char *name, const char *mode,
                    double seconds)
{
    static const struct {
        const char *mode;
        enum track_kind kind;
    } parts[] = {{"softirq", TRACK_SOFTIRQ}, {"steal", TRACK_STEAL}};
    bool idle = strcmp(mode, "idle") == 0 || strcmp(mode, "iowait") == 0;
    struct sight *cpu = sights_get(out, end, TRACK_CPU, SIGHT_RATIO, name);

    cpu->per += seconds;
    cpu->value += idle || strcmp(mode, "steal") == 0 ? 0 : seconds;
    if (strcmp(mode, "idle") == 0)
        cpu->capacity = 1;
    for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (strcmp(mode, parts[i].mode) == 0)
            sights_get(out, end, parts[i].kind, SIGHT_COUNTED, name)->value += seconds;
    }
}

static void add_metric(struct sights *out, const struct family *family,
                       const struct metric_name *metric, double value)
{
    enum track_end end = is_client(metric_label(metric, "instance")) ? TRACK_CLIENT : TRACK_SERVER;
    char name[2 * METRIC_LABEL_MAX];

    name_it(family, metric, name);
    switch (family->form) {
    case FAMILY_CPU:
        add_cpu(out, end, name, metric_label(metric, "mode"), value);
        break;
    case FAMILY_COUNTED:
        sights_get(out, end, family->kind, SIGHT_COUNTED, name)->value += value;
        break;
    case FAMILY_LEVEL:
        sights_get(out, end, family->kind, SIGHT_LEVEL, name)->value += value;
        break;
    case FAMILY_CAPACITY:
        break;
    }
}

/* Of things that are there: an interface that is down has a speed of -1. */
static void add_capacity(struct sights *out, const struct family *family,
                         const struct metric_name *metric, double value)
{
    char name[2 * METRIC_LABEL_MAX];

    name_it(family, metric, name);
    for (unsigned i = 0; i < out->n; i++) {
        struct sight *one = &out->sight[i];

        if (one->kind == family->kind && strcmp(one->name, name) == 0 && value > 0)
            one->capacity = value;
    }
}

/* Capacities after what they are of, in whatever order a server tells. */
static void add_all(const struct probe_metric *metric, unsigned n, bool capacities,
                    struct sights *out)
{
    for (unsigned i = 0; i < n && !out->failed; i++) {
        struct metric_name name;

        if (!isfinite(metric[i].value) || metric_key_parse(metric[i].key, &name) == NULL)
            continue;
        for (unsigned k = 0; k < FAMILIES; k++) {
            const struct family *family = &families[k];

            if ((family->form == FAMILY_CAPACITY) != capacities || !is_family(family->name, &name))
                continue;
            if (capacities)
                add_capacity(out, family, &name, metric[i].value);
            else
                add_metric(out, family, &name, metric[i].value);
        }
    }
}

int metrics_sights(const struct probe_metric *metric, unsigned n, struct sights *out)
{
    add_all(metric, n, false, out);
    add_all(metric, n, true, out);
    /* Whose idle time is not told is not known to be busy all the time. */
    for (unsigned i = 0; i < out->n; i++) {
        struct sight *one = &out->sight[i];

        if (one->kind == TRACK_CPU && one->form == SIGHT_RATIO && one->capacity == 0)
            one->form = SIGHT_COUNTED;
    }
    return out->failed ? -ENOMEM : 0;
}

/* ---- two texts ---- */

/* Where there is something already, its times are other ones: then the mean says it. */
static int add_tracks(struct tracks *out, const struct tracks *from)
{
    for (unsigned i = 0; i < from->n; i++) {
        const struct track *one = &from->track[i];
        struct track *into = tracks_get(out, one->end, one->kind, one->name);

        if (into == NULL)
            return out->n == TRACKS_MAX ? -ENOSPC : -ENOMEM;
        into->capacity = one->capacity;
        into->mean = one->mean;
        into->peak = one->peak;
        into->full_frac = one->full_frac;
    }
    return 0;
}

int probe_metrics_between(const struct probe_metric *before, unsigned n_before,
                          const struct probe_metric *after, unsigned n_after, uint64_t elapsed_ns,
                          struct tracks *out)
{
    struct sights open = {.at_ns = 1}, close = {.at_ns = 1 + elapsed_ns};
    struct look_window window = {.from_ns = 1, .to_ns = 1 + elapsed_ns, .zero_ns = 1, .values = 1};
    struct tracks mine = {0};
    struct looks looks;
    int rc = metrics_sights(before, n_before, &open);

    looks_init(&looks, elapsed_ns);
    if (rc == 0)
        rc = metrics_sights(after, n_after, &close);
    if (rc == 0)
        rc = looks_keep(&looks, &open, true);
    if (rc == 0)
        rc = looks_keep(&looks, &close, true);
    if (rc == 0)
        rc = looks_between(&looks, &window, out->n > 0 ? &mine : out);
    if (rc == 0 && mine.n > 0)
        rc = add_tracks(out, &mine);
    tracks_fini(&mine);
    looks_fini(&looks);
    sights_fini(&open);
    sights_fini(&close);
    return rc;
}
