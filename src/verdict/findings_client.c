/* What stops at the machines that ask. */
#include "verdict/findings_priv.h"

#include <stdio.h>
#include <string.h>

/* Of ours: a port, or processors, that are full of somebody else's have less of it. */
#define OURS_FRAC 0.25
/* A server that has no queue of its own answers as fast as with little load, about. */
#define RTT_GROWTH 1.5

/* A model's machines do nothing else. */
static bool others_have_them(const struct scene *s)
{
    double all_ns =
        result_fact_number(&s->r->machine, "cpus_online", NAN) * (double)s->r->window_close_ns;

    return !s->modelled && scene_counter(s, "others_cpu_ns") > (1 - OURS_FRAC) * all_ns;
}

/* All processors. With several machines that ask, of all of them. */
static bool client_cpu(const struct scene *s, struct finding *f)
{
    struct group cores = scene_group(s, TRACK_CLIENT, TRACK_CPU, NULL);

    if (!(cores.use >= FINDING_FULL_FRAC) || others_have_them(s) ||
        scene_is_always_full(s, cores.busiest))
        return false;
    f->at_client = scene_is_lower_bound(s);
    f->use_frac = cores.use;
    snprintf(f->words, sizeof f->words,
             s->modelled ? "processors of the machines that ask" : "this machine's processors");
    snprintf(f->evidence, sizeof f->evidence,
             "%u of %u %s at 95 %% or more, %.1f %% busy on average", cores.full, cores.n,
             s->modelled ? "machines" : "cores", 100 * cores.use);
    if (f->at_client)
        snprintf(f->advice, sizeof f->advice, "more machines that ask, or faster ones");
    return true;
}

static double worker_frac(const struct result *r, double *workers)
{
    double cpu_ns = result_fact_number(&r->own, "cpu_user_ns", NAN) +
                    result_fact_number(&r->own, "cpu_sys_ns", NAN);

    *workers = result_fact_number(&r->own, "workers", NAN);
    return r->window_close_ns > 0 ? cpu_ns / (*workers * (double)r->window_close_ns) : NAN;
}

/* Many streams on few threads that never rest. Where each stream is a thread, the ramp has shown whether more of them
 * give more. */
static bool tool(const struct scene *s, struct finding *f)
{
    double workers, then_workers;
    double use = worker_frac(s->r, &workers);

    if (s->modelled || !(use >= FINDING_FULL_FRAC) || !(workers < s->streams))
        return false;
    if (s->quiet && worker_frac(s->quiet, &then_workers) >= 0.9 * use)
        return false;
    f->at_client = true;
    f->use_frac = fmin(use, 1);
    snprintf(f->words, sizeof f->words, "loadline itself: %.0f thread%s for %.0f streams", workers,
             workers == 1 ? "" : "s", s->streams);
    snprintf(f->evidence, sizeof f->evidence, "%s busy %.1f %% of the time",
             workers == 1 ? "it was" : "they were", 100 * f->use_frac);
    snprintf(f->advice, sizeof f->advice, "more machines that ask");
    return true;
}

/* Interrupts of a port that end on one core. */
static bool client_core(const struct scene *s, struct finding *f)
{
    return !s->local && scene_is_interrupted(s, TRACK_CLIENT, f);
}

/* The port that our data comes in by, or goes out by; both, where ops move none. */
static const struct track *full_port(const struct scene *s, enum track_kind in, enum track_kind out)
{
    const struct track *best = NULL;
    double ours = OURS_FRAC * s->bytes;

    for (unsigned i = 0; i < 2; i++) {
        const struct track *port = scene_group(s, TRACK_CLIENT, i == 0 ? in : out, NULL).busiest;
        if ((s->moves && (i == 0) == s->writes) || !port || port->mean < ours ||
            !(track_use(port) >= FINDING_FULL_FRAC) || scene_is_always_full(s, port))
            continue;
        if (!best || track_use(port) > track_use(best))
            best = port;
    }
    return best;
}

static bool client_nic(const struct scene *s, struct finding *f)
{
    const struct track *port = full_port(s, TRACK_NIC_IN, TRACK_NIC_OUT);

    if (!port)
        port = full_port(s, TRACK_RDMA_IN, TRACK_RDMA_OUT);
    if (s->local || !port)
        return false;
    f->at_client = true;
    snprintf(f->words, sizeof f->words, "port %.40s of this machine at line rate", port->name);
    scene_tell_use(s, port, f);
    snprintf(f->advice, sizeof f->advice, "a faster port, or more machines that ask");
    return true;
}

/* Links of all machines that ask, or this one's buses. One full link of many is a slow client, no limit of the sum. */
static bool client_link(const struct scene *s, struct finding *f)
{
    static const char *const ways[] = {":in", ":out", ""};

    for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct group links = scene_group(s, TRACK_CLIENT, TRACK_LINK, ways[i]);
        bool machines = *ways[i] != '\0';
        double use = machines ? links.use : links.n > 0 ? track_use(links.busiest) : NAN;
        if (!(use >= FINDING_FULL_FRAC) || machines != (strchr(links.busiest->name, ':') != NULL))
            continue;
        f->at_client = true;
        f->use_frac = use;
        if (machines)
            snprintf(f->words, sizeof f->words, "links of the machines that ask");
        else
            snprintf(f->words, sizeof f->words, "PCIe link of %.40s", links.busiest->name);
        snprintf(f->evidence, sizeof f->evidence,
                 "busy %.1f %% on average, %u of %u at 95 %% or more", 100 * use, links.full,
                 links.n);
        snprintf(f->advice, sizeof f->advice,
                 machines ? "more machines that ask, or faster links"
                          : "a wider slot, or a second card");
        return true;
    }
    return false;
}

/* All slots in use is what any server that is asked too much looks like. They are the limit when calls wait for one
 * and the server answers those that have one as quickly as ever (checks 20, 21). */
static bool rpc_slots(const struct scene *s, struct finding *f)
{
    const struct track *slots = scene_group(s, TRACK_CLIENT, TRACK_RPC_SLOTS, NULL).busiest;

    if (s->local || !s->quiet || !slots || !(track_use(slots) >= FINDING_FULL_FRAC))
        return false;
    const struct tracks *now = &s->r->tracks, *then = &s->quiet->tracks;
    const struct track *backlog = tracks_find(now, TRACK_CLIENT, TRACK_RPC_BACKLOG, slots->name);
    const struct track *rtt = tracks_find(now, TRACK_CLIENT, TRACK_RPC_RTT, slots->name);
    const struct track *was = tracks_find(then, TRACK_CLIENT, TRACK_RPC_RTT, slots->name);
    char a[SCENE_NUMBER_MAX], b[SCENE_NUMBER_MAX];

    if (!backlog || !rtt || !was || !(backlog->mean >= 1) || !(rtt->mean <= RTT_GROWTH * was->mean))
        return false;
    f->at_client = true;
    f->use_frac = fmin(track_use(slots), 1);
    snprintf(f->words, sizeof f->words, "RPC slots of %.40s", slots->name);
    snprintf(
        f->evidence, sizeof f->evidence,
        "%.0f of %.0f in use, %.1f calls wait; the server answers in %s, in %s with little load",
        slots->mean, slots->capacity, backlog->mean, scene_number(a, TRACK_RPC_RTT, rtt->mean),
        scene_number(b, TRACK_RPC_RTT, was->mean));
    snprintf(f->advice, sizeof f->advice, "more connections (nconnect), or more slots");
    return true;
}

const struct rule findings_client_rules[] = {
    {"client-cpu", FINDING_LIMITS, client_cpu},
    {"tool", FINDING_LIMITS, tool},
    {"client-core", FINDING_LIMITS, client_core},
    {"client-nic", FINDING_LIMITS, client_nic},
    {"client-link", FINDING_LIMITS, client_link},
    {"rpc-slots", FINDING_LIMITS, rpc_slots},
    {NULL, FINDING_NOTES, NULL},
};
