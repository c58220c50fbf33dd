#include "stats/track.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 16

static const struct {
    const char *name;
    const char *unit;
    double capacity;
} kinds[TRACK_KINDS] = {
    [TRACK_CPU] = {"cpu", "frac", 1},
    [TRACK_SOFTIRQ] = {"softirq", "frac", 0},
    [TRACK_STEAL] = {"steal", "frac", 0},
    [TRACK_NIC_IN] = {"nic-in", "bytes/s", 0},
    [TRACK_NIC_OUT] = {"nic-out", "bytes/s", 0},
    [TRACK_NIC_DROPS] = {"nic-drops", "/s", 0},
    [TRACK_TCP_SENT] = {"tcp-sent", "/s", 0},
    [TRACK_TCP_RESENT] = {"tcp-resent", "/s", 0},
    [TRACK_RDMA_IN] = {"rdma-in", "bytes/s", 0},
    [TRACK_RDMA_OUT] = {"rdma-out", "bytes/s", 0},
    [TRACK_DISK_READ] = {"disk-read", "bytes/s", 0},
    [TRACK_DISK_WRITE] = {"disk-write", "bytes/s", 0},
    [TRACK_DISK_READS] = {"disk-reads", "/s", 0},
    [TRACK_DISK_WRITES] = {"disk-writes", "/s", 0},
    [TRACK_DISK_QUEUE] = {"disk-queue", "", 0},
    [TRACK_DISK_BUSY] = {"disk-busy", "frac", 0},
    [TRACK_LINK] = {"link", "frac", 1},
    [TRACK_FLASH] = {"flash", "frac", 1},
    [TRACK_LOG] = {"log", "frac", 1},
    [TRACK_CACHED] = {"cached", "bytes", 0},
    [TRACK_DIRTY] = {"dirty", "bytes", 0},
    [TRACK_PRESSURE_CPU] = {"pressure-cpu", "frac", 0},
    [TRACK_PRESSURE_IO] = {"pressure-io", "frac", 0},
    [TRACK_PRESSURE_MEMORY] = {"pressure-memory", "frac", 0},
    [TRACK_RUN_WAIT] = {"run-wait", "frac", 0},
    [TRACK_RPC_SLOTS] = {"rpc-slots", "", 0},
    [TRACK_RPC_BACKLOG] = {"rpc-backlog", "", 0},
    [TRACK_RPC_QUEUE] = {"rpc-queue", "ns", 0},
    [TRACK_RPC_RTT] = {"rpc-rtt", "ns", 0},
    [TRACK_RPC_CALLS] = {"rpc-calls", "/s", 0},
    [TRACK_CACHE_HITS] = {"cache-hits", "/s", 0},
    [TRACK_CACHE_MISSES] = {"cache-misses", "/s", 0},
    [TRACK_FLASH_HITS] = {"flash-hits", "/s", 0},
    [TRACK_FLASH_MISSES] = {"flash-misses", "/s", 0},
    [TRACK_LOG_WRITES] = {"log-writes", "/s", 0},
    [TRACK_THROTTLED] = {"throttled", "/s", 0},
};

void tracks_fini(struct tracks *t)
{
    for (unsigned i = 0; i < t->n; i++)
        free(t->track[i].value);
    free(t->track);
    *t = (struct tracks){0};
}

/* What two mounts or disks with long names share is their beginning. */
static const char *end_of_name(const char *name)
{
    size_t len = strlen(name);

    return len < TRACK_NAME_MAX ? name : name + len - (TRACK_NAME_MAX - 1);
}

static struct track *found(const struct tracks *t, enum track_end end, enum track_kind kind,
                           const char *name)
{
    name = end_of_name(name);
    for (unsigned i = 0; i < t->n; i++)
        if (t->track[i].kind == kind && t->track[i].end == end &&
            strcmp(t->track[i].name, name) == 0)
            return &t->track[i];
    return NULL;
}

const struct track *tracks_find(const struct tracks *t, enum track_end end, enum track_kind kind,
                                const char *name)
{
    return found(t, end, kind, name);
}

static bool with_room(struct tracks *t)
{
    if (t->n < t->room)
        return true;
    if (t->n == TRACKS_MAX)
        return false;
    unsigned room = t->room ? 2 * t->room : FIRST_ROOM;
    struct track *more = realloc(t->track, room * sizeof *more);

    if (!more)
        return false;
    t->track = more;
    t->room = room;
    return true;
}

struct track *tracks_get(struct tracks *t, enum track_end end, enum track_kind kind,
                         const char *name)
{
    struct track *one = found(t, end, kind, name);

    if (one || !with_room(t))
        return one;
    one = &t->track[t->n++];
    *one = (struct track){.end = end,
                          .kind = kind,
                          .capacity = kinds[kind].capacity,
                          .mean = NAN,
                          .peak = NAN,
                          .full_frac = NAN};
    memcpy(one->name, end_of_name(name), strlen(end_of_name(name)));
    return one;
}

static float mean_seen(float a, float b)
{
    if (isnan(a))
        return b;
    return isnan(b) ? a : (a + b) / 2;
}

static void halve(struct tracks *t)
{
    for (unsigned k = 0; k < t->n; k++) {
        struct track *one = &t->track[k];
        unsigned n = (one->n + 1) / 2;
        for (unsigned i = 0; i < n; i++)
            one->value[i] =
                mean_seen(one->value[2 * i], 2 * i + 1 < one->n ? one->value[2 * i + 1] : NAN);
        one->n = n;
    }
    t->period_ns *= 2;
}

int track_put(struct tracks *t, struct track *one, unsigned i, double value)
{
    if (!one->value)
        one->value = malloc(TRACK_VALUES_MAX * sizeof *one->value);
    if (!one->value)
        return -ENOMEM;
    for (; i >= TRACK_VALUES_MAX; i /= 2)
        halve(t);
    while (one->n <= i)
        one->value[one->n++] = NAN;
    one->value[i] = (float)value;
    return 0;
}

double track_use(const struct track *one)
{
    return one->capacity > 0 ? one->mean / one->capacity : NAN;
}

/* One whose use is known stands before all others. */
static bool busier(const struct track *a, const struct track *b)
{
    double use_a = track_use(a), use_b = track_use(b);

    if (!isnan(use_a) || !isnan(use_b))
        return isnan(use_b) || use_a > use_b;
    return isnan(b->mean) || a->mean > b->mean;
}

const struct track *tracks_busiest(const struct tracks *t, enum track_end end, enum track_kind kind)
{
    const struct track *best = NULL;

    for (unsigned i = 0; i < t->n; i++) {
        const struct track *one = &t->track[i];
        if (one->end == end && one->kind == kind && (!best || busier(one, best)))
            best = one;
    }
    return best;
}

double tracks_sum(const struct tracks *t, enum track_end end, enum track_kind kind)
{
    double sum = NAN;

    for (unsigned i = 0; i < t->n; i++) {
        const struct track *one = &t->track[i];
        if (one->end == end && one->kind == kind && !isnan(one->mean))
            sum = isnan(sum) ? one->mean : sum + one->mean;
    }
    return sum;
}

const char *track_end_name(enum track_end end)
{
    return end == TRACK_CLIENT ? "client" : "server";
}

const char *track_kind_name(enum track_kind kind)
{
    return kinds[kind].name;
}

const char *track_kind_unit(enum track_kind kind)
{
    return kinds[kind].unit;
}

int track_kind_of(const char *name, enum track_kind *out)
{
    for (unsigned kind = 0; kind < TRACK_KINDS; kind++)
        if (strcmp(kinds[kind].name, name) == 0) {
            *out = (enum track_kind)kind;
            return 0;
        }
    return -EINVAL;
}
