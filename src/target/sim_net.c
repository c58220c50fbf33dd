#include "target/sim_net_priv.h"

#include "base/draw_math.h"
#include "target/sim_heap_priv.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SERVERS_MAX    65535
#define SERVICE_MAX_NS (SIM_LATEST_NS / 64) /* drawn, less than 38 times that */

struct pause {
    uint64_t from_ns;
    uint64_t to_ns;
};

struct station {
    struct sim_station_spec spec;
    unsigned name;       /* of net->name */
    uint64_t *free_ns;   /* of each server, a binary heap: the first is the first to be free */
    uint64_t one_ns;     /* free_ns of a single server: no other line of the cache is touched */
    struct pause *pause; /* in order, apart from each other, none of the past when one was added */
    unsigned pauses;
    uint64_t visits;
    uint64_t busy_ns; /* booked */
    uint64_t wait_ns;
    uint64_t inside_ns;
    uint64_t marked_ns; /* each server's busy time up to the last mark */
    uint64_t worst_ns;  /* of the first station of a name: of the busiest, mark by mark */
};

struct sim_net {
    uint64_t now_ns;
    struct sim_heap heap;
    struct rng rng;
    struct station **station;
    unsigned stations;
    unsigned names;
    unsigned first_of[SIM_STATIONS_MAX]; /* the first station of each name */
};

int sim_net_new(uint64_t seed, struct sim_net **out)
{
    struct sim_net *net = calloc(1, sizeof *net);

    if (net == NULL)
        return -ENOMEM;
    net->station = calloc(SIM_STATIONS_MAX, sizeof(struct station *));
    if (net->station == NULL) {
        free(net);
        return -ENOMEM;
    }
    rng_seed(&net->rng, seed);
    *out = net;
    return 0;
}

static void station_free(struct station *s)
{
    if (s == NULL)
        return;
    if (s->free_ns != &s->one_ns)
        free(s->free_ns);
    free(s->pause);
    free(s);
}

void sim_net_free(struct sim_net *net)
{
    if (net == NULL)
        return;
    for (unsigned i = 0; i < net->stations; i++)
        station_free(net->station[i]);
    free(net->station);
    sim_heap_fini(&net->heap);
    free(net);
}

uint64_t sim_net_now(const struct sim_net *net)
{
    return net->now_ns;
}

struct rng *sim_net_rng(struct sim_net *net)
{
    return &net->rng;
}

/* ---- stations ---- */

static bool spec_is_good(const struct sim_station_spec *spec)
{
    return spec->servers > 0 && spec->servers <= SERVERS_MAX && spec->slow_by > 0 &&
           spec->slow_of > 0 && memchr(spec->name, '\0', sizeof spec->name) != NULL;
}

static unsigned name_of(struct sim_net *net, const char *name)
{
    for (unsigned i = net->names; i > 0; i--)
        if (strcmp(net->station[net->first_of[i - 1]]->spec.name, name) == 0)
            return i - 1;
    net->first_of[net->names] = net->stations;
    return net->names++;
}

int sim_net_station(struct sim_net *net, const struct sim_station_spec *spec)
{
    struct sim_station_spec full = *spec;

    if (full.slow_by == 0 && full.slow_of == 0)
        full.slow_by = full.slow_of = 1;
    if (!spec_is_good(&full) || net->stations == SIM_STATIONS_MAX)
        return -EINVAL;
    struct station *s = calloc(1, sizeof *s);
    if (s == NULL)
        return -ENOMEM;
    s->spec = full;
    s->free_ns = full.servers == 1 ? &s->one_ns : calloc(full.servers, sizeof *s->free_ns);
    if (s->free_ns == NULL) {
        free(s);
        return -ENOMEM;
    }
    net->station[net->stations] = s;
    s->name = name_of(net, spec->name);
    return (int)net->stations++;
}

static uint64_t max_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

uint64_t sim_exponential_ns(struct rng *rng, uint64_t mean_ns)
{
    double below_one = (double)(rng_next(rng) >> 11) * 0x1p-53;

    return (uint64_t)(-draw_log(1 - below_one) * (double)mean_ns + 0.5);
}

static uint64_t service_of(struct sim_net *net, const struct station *s, uint64_t asked_ns)
{
    unsigned __int128 ns = asked_ns;

    if (s->spec.slow_by != s->spec.slow_of)
        ns = ns * s->spec.slow_by / s->spec.slow_of;
    asked_ns = ns < SERVICE_MAX_NS ? (uint64_t)ns : SERVICE_MAX_NS;
    return s->spec.spread == SIM_EXPONENTIAL ? sim_exponential_ns(&net->rng, asked_ns) : asked_ns;
}

static uint64_t begins_at(const struct station *s, uint64_t now_ns)
{
    uint64_t at_ns = max_of(now_ns, s->free_ns[0]);

    for (unsigned i = 0; i < s->pauses && at_ns >= s->pause[i].from_ns; i++)
        at_ns = max_of(at_ns, s->pause[i].to_ns);
    return at_ns;
}

static uint64_t ends_at(const struct station *s, uint64_t begin_ns, uint64_t service_ns)
{
    uint64_t at_ns = begin_ns + service_ns;

    for (unsigned i = 0; i < s->pauses && at_ns > s->pause[i].from_ns; i++)
        if (s->pause[i].from_ns >= begin_ns)
            at_ns += s->pause[i].to_ns - s->pause[i].from_ns;
    return at_ns;
}

/* The first server is busy until then: it goes down to its place. */
static void book(struct station *s, uint64_t until_ns)
{
    uint64_t *free_ns = s->free_ns;
    unsigned n = s->spec.servers;
    unsigned i = 0;

    for (unsigned child = 1; child < n; child = 2 * i + 1) {
        if (child + 1 < n && free_ns[child + 1] < free_ns[child])
            child++;
        if (free_ns[child] >= until_ns)
            break;
        free_ns[i] = free_ns[child];
        i = child;
    }
    free_ns[i] = until_ns;
}

uint64_t sim_net_visit(struct sim_net *net, unsigned station, uint64_t service_ns)
{
    struct station *s = net->station[station];
    uint64_t spread_ns = service_of(net, s, service_ns);
    uint64_t begin_ns = begins_at(s, net->now_ns);
    uint64_t end_ns = ends_at(s, begin_ns, spread_ns);
    uint64_t latest_ns = max_of(net->now_ns, SIM_LATEST_NS);

    begin_ns = begin_ns < latest_ns ? begin_ns : latest_ns;
    end_ns = end_ns < latest_ns ? end_ns : latest_ns;

    book(s, end_ns);
    s->visits++;
    s->busy_ns += spread_ns;
    s->wait_ns += begin_ns - net->now_ns;
    s->inside_ns += end_ns - net->now_ns;
    return end_ns;
}

uint64_t sim_net_free_at(const struct sim_net *net, unsigned station)
{
    return begins_at(net->station[station], net->now_ns);
}

/* Pauses that touch become one, those that are over go. */
int sim_net_pause(struct sim_net *net, unsigned station, uint64_t from_ns, uint64_t to_ns)
{
    struct station *s = net->station[station];
    struct pause added = {from_ns, to_ns};
    unsigned kept = 0;
    bool placed = false;

    if (from_ns >= to_ns || to_ns <= net->now_ns)
        return 0;
    struct pause *list = calloc(s->pauses + 1u, sizeof *list);
    if (list == NULL)
        return -ENOMEM;
    for (unsigned i = 0; i < s->pauses; i++) {
        const struct pause *p = &s->pause[i];
        if (p->to_ns <= net->now_ns)
            continue;
        if (p->to_ns >= added.from_ns && p->from_ns <= added.to_ns) {
            added.from_ns = p->from_ns < added.from_ns ? p->from_ns : added.from_ns;
            added.to_ns = max_of(p->to_ns, added.to_ns);
            continue;
        }
        if (p->from_ns > added.to_ns && !placed) {
            list[kept++] = added;
            placed = true;
        }
        list[kept++] = *p;
    }
    if (!placed)
        list[kept++] = added;
    free(s->pause);
    s->pause = list;
    s->pauses = kept;
    return 0;
}

/* ---- sums ---- */

/* Service that lies between the present and until_ns: what is not pause. */
static uint64_t ahead(const struct station *s, uint64_t now_ns, uint64_t until_ns)
{
    if (until_ns <= now_ns)
        return 0;
    uint64_t booked_ns = until_ns - now_ns;
    for (unsigned i = 0; i < s->pauses; i++) {
        uint64_t from_ns = max_of(s->pause[i].from_ns, now_ns);
        uint64_t to_ns = s->pause[i].to_ns < until_ns ? s->pause[i].to_ns : until_ns;
        if (from_ns < to_ns)
            booked_ns -= to_ns - from_ns;
    }
    return booked_ns;
}

static uint64_t busy_until_now(const struct station *s, uint64_t now_ns)
{
    uint64_t busy_ns = s->busy_ns;

    for (unsigned i = 0; i < s->spec.servers; i++)
        busy_ns -= ahead(s, now_ns, s->free_ns[i]);
    return busy_ns;
}

void sim_net_mark(struct sim_net *net)
{
    struct sim_station_sum sum;

    for (unsigned i = 0; sim_net_sum(net, i, &sum); i++)
        net->station[net->first_of[i]]->worst_ns = sum.worst_busy_ns;
    for (unsigned k = 0; k < net->stations; k++) {
        struct station *s = net->station[k];
        s->marked_ns = busy_until_now(s, net->now_ns) / s->spec.servers;
    }
}

bool sim_net_one(const struct sim_net *net, unsigned station, struct sim_station_sum *out)
{
    if (station >= net->stations)
        return false;
    const struct station *s = net->station[station];
    uint64_t busy_ns = busy_until_now(s, net->now_ns);

    *out = (struct sim_station_sum){.name = s->spec.name,
                                    .stations = 1,
                                    .servers = s->spec.servers,
                                    .visits = s->visits,
                                    .busy_ns = busy_ns,
                                    .worst_busy_ns = busy_ns / s->spec.servers,
                                    .wait_ns = s->wait_ns,
                                    .inside_ns = s->inside_ns};
    return true;
}

bool sim_net_sum(const struct sim_net *net, unsigned i, struct sim_station_sum *out)
{
    if (i >= net->names)
        return false;
    const struct station *first = net->station[net->first_of[i]];
    *out = (struct sim_station_sum){.name = first->spec.name};
    uint64_t worst_ns = 0;
    for (unsigned k = net->first_of[i]; k < net->stations; k++) {
        struct sim_station_sum one;
        if (net->station[k]->name != i || !sim_net_one(net, k, &one))
            continue;
        out->stations++;
        out->servers += one.servers;
        out->visits += one.visits;
        out->busy_ns += one.busy_ns;
        worst_ns = max_of(worst_ns, one.worst_busy_ns - net->station[k]->marked_ns);
        out->wait_ns += one.wait_ns;
        out->inside_ns += one.inside_ns;
    }
    out->worst_busy_ns = first->worst_ns + worst_ns;
    return true;
}

/* ---- events ---- */

int sim_net_room(struct sim_net *net, unsigned events)
{
    return sim_heap_room(&net->heap, events);
}

void sim_net_at(struct sim_net *net, struct sim_event *e, uint64_t at_ns)
{
    assert(at_ns >= net->now_ns && net->heap.used < net->heap.room + net->heap.open);
    sim_heap_add(&net->heap, e, at_ns);
}

void sim_net_forget(struct sim_net *net, struct sim_event *e)
{
    sim_heap_remove(&net->heap, e);
}

bool sim_net_step(struct sim_net *net, uint64_t until_ns)
{
    if (net->heap.used == 0 || net->heap.entry[0].at_ns > until_ns) {
        if (until_ns != SIM_NEVER)
            net->now_ns = max_of(net->now_ns, until_ns);
        return false;
    }
    net->now_ns = net->heap.entry[0].at_ns;
    struct sim_event *e = sim_heap_lift(&net->heap);
    e->fire(e, net->now_ns);
    sim_heap_close(&net->heap);
    return true;
}
