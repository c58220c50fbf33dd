/* What disturbs a run, or speaks against its numbers. */
#include "verdict/findings_priv.h"

#include "verdict/ceilings_priv.h"

#include <stdio.h>
#include <string.h>
#include <sys/param.h>

#define LITTLE_FRAC   0.05      /* check 13 */
#define RESENT_FRAC   1e-4      /* check 22 */
#define RESENT_LEAST  10        /* segments: fewer are no habit */
#define STEAL_FRAC    0.05      /* docs/measuring.md, What happened meanwhile */
#define PRESSURE_FRAC 0.01      /* check 19 */
#define WAIT_FRAC     0.01      /* check 16 */
#define OTHERS_CPU    0.20      /* of the machine */
#define OTHERS_DISK   0.10      /* of what goes through the device */
#define OTHERS_LEAST  (1 << 20) /* bytes/s: less is logs and such */
/* Check 26; of streams with fewer ops, or by less than chance explains, nothing is said. */
#define SLOW_FRAC   0.8
#define SLOW_OPS    50
#define SLOW_SIGMAS 6

static bool little(const struct scene *s, struct finding *f)
{
    struct ceiling_point p;

    ceiling_point_of(s->r, CEILING_OPS, &p);
    /* Ops that were under way at an edge of the window may count whole. */
    double edge = (double)hist_quantile(&s->line->sum.service, 0.99) / (double)s->r->elapsed_ns;
    if (!(fabs(p.little_frac) > LITTLE_FRAC + edge))
        return false;
    snprintf(f->words, sizeof f->words,
             p.little_frac < 0 ? "fewer ops were under way than streams" : "time does not add up");
    snprintf(f->evidence, sizeof f->evidence,
             "Little's law: rate x time in ops is %.1f %% of the streams",
             100 * (1 + p.little_frac));
    if (p.little_frac < 0)
        snprintf(f->advice, sizeof f->advice, "what streams do between ops is part of this rate");
    return true;
}

static bool failed(const struct scene *s, struct finding *f)
{
    uint64_t n = result_error_count(s->r);

    if (n == 0)
        return false;
    snprintf(f->words, sizeof f->words, "ops failed: they are in no rate and no latency");
    snprintf(f->evidence, sizeof f->evidence, "%llu, the first kind %.15s: %.23s",
             (unsigned long long)n, s->r->error[0].op, s->r->error[0].code);
    return true;
}

static bool not_steady(const struct scene *s, struct finding *f)
{
    if (!scene_option_is(s, "steady", "no"))
        return false;
    snprintf(f->words, sizeof f->words, "the rate was not steady when measuring began");
    snprintf(f->advice, sizeof f->advice, "a longer --budget");
    return true;
}

static bool retransmits(const struct scene *s, struct finding *f)
{
    double most = 0;

    for (unsigned end = TRACK_CLIENT; end <= TRACK_SERVER; end++) {
        double sent = scene_sum(s, (enum track_end)end, TRACK_TCP_SENT);
        double again = scene_sum(s, (enum track_end)end, TRACK_TCP_RESENT);
        if (again * s->seconds >= RESENT_LEAST && again > RESENT_FRAC * sent)
            most = fmax(most, again / sent);
    }
    if (s->local || most == 0)
        return false;
    snprintf(f->words, sizeof f->words, "the network loses packets");
    snprintf(f->evidence, sizeof f->evidence, "%.3f %% of TCP segments were sent again",
             100 * most);
    snprintf(f->advice, sizeof f->advice, "look at the switch: drops, flow control, MTU");
    return true;
}

static bool steal(const struct scene *s, struct finding *f)
{
    double frac = scene_counter(s, "steal_frac");

    if (s->modelled || !(frac > STEAL_FRAC))
        return false;
    snprintf(f->words, sizeof f->words, "a hypervisor takes this machine's processors away");
    snprintf(f->evidence, sizeof f->evidence, "%.1f %% of the time in which one was wanted",
             100 * frac);
    return true;
}

static bool throttled(const struct scene *s, struct finding *f)
{
    const struct track *one = tracks_busiest(&s->r->tracks, TRACK_CLIENT, TRACK_THROTTLED);
    double times = one ? one->mean * s->seconds : NAN;

    if (s->modelled || !(times >= 1))
        return false;
    snprintf(f->words, sizeof f->words, "this machine was throttled: %.40s", one->name);
    snprintf(f->evidence, sizeof f->evidence, "%.0f times in %.3g s", times, s->seconds);
    return true;
}

static bool memory_pressure(const struct scene *s, struct finding *f)
{
    const struct track *one = tracks_busiest(&s->r->tracks, TRACK_CLIENT, TRACK_PRESSURE_MEMORY);

    if (s->modelled || !one || !(one->mean > PRESSURE_FRAC))
        return false;
    snprintf(f->words, sizeof f->words, "this machine is short of memory");
    snprintf(f->evidence, sizeof f->evidence, "somebody waited for it %.1f %% of the time (PSI)",
             100 * one->mean);
    return true;
}

static bool run_wait(const struct scene *s, struct finding *f)
{
    const struct track *one = tracks_find(&s->r->tracks, TRACK_CLIENT, TRACK_RUN_WAIT, "");

    if (s->modelled || !one || !(one->mean > WAIT_FRAC))
        return false;
    snprintf(f->words, sizeof f->words, "loadline's threads wait for a core");
    snprintf(f->evidence, sizeof f->evidence, "%.1f %% of the time, mean over threads",
             100 * one->mean);
    return true;
}

static bool others_cpu(const struct scene *s, struct finding *f)
{
    double cores = result_fact_number(&s->r->machine, "cpus_online", NAN);
    double frac = scene_counter(s, "others_cpu_ns") / (cores * (double)s->r->window_close_ns);

    if (s->modelled || !(frac > OTHERS_CPU))
        return false;
    snprintf(f->words, sizeof f->words, "other programs were busy on this machine");
    snprintf(f->evidence, sizeof f->evidence,
             "%.0f %% of all its processors; kernel threads count as others", 100 * fmin(frac, 1));
    return true;
}

/* In a row that reads only: what comes from the device beyond our own, and all that is written. Journals and metadata
 * of a row that writes are written by threads of the kernel, and are ours all the same. */
static bool others_disk(const struct scene *s, struct finding *f)
{
    double read = scene_counter(s, "device_read_bytes"), own = scene_counter(s, "own_read_bytes");
    double written = scene_counter(s, "device_write_bytes");
    double foreign = (fmax(read - own, 0) + (isnan(written) ? 0 : written)) / s->seconds;
    double all = (read + (isnan(written) ? 0 : written)) / s->seconds;

    if (!s->local || s->writes || !s->moves || strcmp(s->claim, "disk") != 0 ||
        !(foreign > OTHERS_LEAST) || !(foreign > OTHERS_DISK * all))
        return false;
    char rate[SCENE_NUMBER_MAX];
    snprintf(f->words, sizeof f->words, "a neighbour uses the device too");
    snprintf(f->evidence, sizeof f->evidence, "%s besides loadline's own, %.0f %% of all",
             scene_number(rate, TRACK_DISK_READ, foreign), 100 * foreign / all);
    return true;
}

/* How many of the slowest are slow; all that are listed may be, then there are more. */
static unsigned slow_streams(const struct result_streams *all, bool *one_client)
{
    unsigned n = 0;

    *one_client = true;
    while (n < all->slowest_n &&
           (double)all->slowest[n].ops < SLOW_FRAC * (double)all->median_ops) {
        *one_client = *one_client && all->slowest[n].client == all->slowest[0].client;
        n++;
    }
    return n;
}

static bool slow_stream(const struct scene *s, struct finding *f)
{
    const struct result_streams *all = &s->r->streams;
    double median = (double)all->median_ops, least = (double)all->min_ops;
    bool one_client;
    unsigned n = slow_streams(all, &one_client);

    if (all->n < 3 || n == 0 || median < SLOW_OPS || median - least < SLOW_SIGMAS * sqrt(median))
        return false;
    bool listed = n < all->slowest_n || all->slowest_n == all->n;
    if (n == 1)
        snprintf(f->words, sizeof f->words, "one slow stream among %u: number %u, of client %u",
                 all->n, all->slowest[0].stream + 1, all->slowest[0].client + 1);
    else if (one_client && scene_option(s, "clients") > 1)
        snprintf(f->words, sizeof f->words, "slow streams of one client: number %u",
                 all->slowest[0].client + 1);
    else
        snprintf(f->words, sizeof f->words, "unequal streams: %s%u of %u are slow",
                 listed ? "" : "at least ", n, all->n);
    snprintf(f->evidence, sizeof f->evidence,
             "%.0f ops, while half of the streams did %.0f or more", least, median);
    return true;
}

const struct rule findings_run_rules[] = {
    {"errors", FINDING_DOUBTS, failed},
    {"little", FINDING_DOUBTS, little},
    {"not-steady", FINDING_DOUBTS, not_steady},
    {"slow-stream", FINDING_DOUBTS, slow_stream},
    {"retransmits", FINDING_DOUBTS, retransmits},
    {"steal", FINDING_DOUBTS, steal},
    {"throttled", FINDING_DOUBTS, throttled},
    {"memory-pressure", FINDING_DOUBTS, memory_pressure},
    {"neighbour-disk", FINDING_DOUBTS, others_disk},
    {"neighbour-cpu", FINDING_NOTES, others_cpu},
    {"run-wait", FINDING_NOTES, run_wait},
    {NULL, FINDING_NOTES, NULL},
};
