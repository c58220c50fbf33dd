/* What stops at the server, by what it tells of itself. */
#include "verdict/findings_priv.h"

#include <stdio.h>
#include <string.h>

/* Traffic of ours, at the least, for a port or disks to be what our ops wait for. */
#define OURS_FRAC 0.25
/* One disk is slow, not all of them short, when the others have so much time left. */
#define OTHERS_FRAC 0.5
/* And so when it alone is full: at twice its time for an op the others of a stripe are just half busy. */
#define OTHERS_OF_ONE_FULL_FRAC 0.75
/* Of measuring's check 16 and of a table of what happened meanwhile. */
#define STEAL_FRAC 0.05

static bool server_cpu(const struct scene *s, struct finding *f)
{
    struct group cores = scene_group(s, TRACK_SERVER, TRACK_CPU, NULL);

    if (!(cores.use >= FINDING_FULL_FRAC) || scene_is_always_full(s, cores.busiest))
        return false;
    f->use_frac = cores.use;
    snprintf(f->words, sizeof f->words, "server processors");
    snprintf(f->evidence, sizeof f->evidence,
             "%u cores busy %.1f %% on average, %u of them at 95 %% or more", cores.n,
             100 * cores.use, cores.full);
    return true;
}

static bool server_core(const struct scene *s, struct finding *f)
{
    return scene_is_interrupted(s, TRACK_SERVER, f);
}

/* The way that our data takes; both, where ops move none. */
static bool full_port(const struct scene *s, enum track_kind in, enum track_kind out,
                      struct group *ports)
{
    double use = 0;

    for (unsigned i = 0; i < 2; i++) {
        struct group g = scene_group(s, TRACK_SERVER, i == 0 ? in : out, NULL);
        if ((s->moves && (i == 0) != s->writes) || g.n == 0 ||
            g.busiest->mean < OURS_FRAC * s->bytes / g.n ||
            !(track_use(g.busiest) >= FINDING_FULL_FRAC) || scene_is_always_full(s, g.busiest) ||
            track_use(g.busiest) <= use)
            continue;
        *ports = g;
        use = track_use(g.busiest);
    }
    return use > 0;
}

static bool server_nic(const struct scene *s, struct finding *f)
{
    struct group ports;

    if (s->local || (!full_port(s, TRACK_NIC_IN, TRACK_NIC_OUT, &ports) &&
                     !full_port(s, TRACK_RDMA_IN, TRACK_RDMA_OUT, &ports)))
        return false;
    snprintf(f->words, sizeof f->words, "server port %.40s at line rate", ports.busiest->name);
    scene_tell_use(s, ports.busiest, f);
    if (ports.others_use < OTHERS_FRAC) {
        size_t len = strlen(f->evidence);
        snprintf(f->evidence + len, sizeof f->evidence - len, "; the others %.1f %%",
                 100 * ports.others_use);
        snprintf(f->advice, sizeof f->advice, "deal the machines out evenly to the server's ports");
    } else {
        snprintf(f->advice, sizeof f->advice, "another port");
    }
    return true;
}

static bool server_link(const struct scene *s, struct finding *f)
{
    const struct track *link = scene_group(s, TRACK_SERVER, TRACK_LINK, NULL).busiest;

    if (!link || !(track_use(link) >= FINDING_FULL_FRAC))
        return false;
    snprintf(f->words, sizeof f->words, "server %.40s", link->name);
    scene_tell_use(s, link, f);
    return true;
}

static bool server_flash(const struct scene *s, struct finding *f)
{
    const struct track *flash = scene_group(s, TRACK_SERVER, TRACK_FLASH, NULL).busiest;

    if (!flash || s->writes || !(track_use(flash) >= FINDING_FULL_FRAC))
        return false;
    snprintf(f->words, sizeof f->words, "server flash cache");
    scene_tell_use(s, flash, f);
    return true;
}

static bool server_log(const struct scene *s, struct finding *f)
{
    const struct track *log = scene_group(s, TRACK_SERVER, TRACK_LOG, NULL).busiest;

    if (!log || (s->moves && !s->writes) || !(track_use(log) >= FINDING_FULL_FRAC))
        return false;
    snprintf(f->words, sizeof f->words, "server log device");
    scene_tell_use(s, log, f);
    return true;
}

/* A scrub keeps disks busy too: what goes through them has to be about ours. */
static bool disks_are_ours(const struct scene *s)
{
    double moved = scene_sum(s, TRACK_SERVER, s->writes ? TRACK_DISK_WRITE : TRACK_DISK_READ);

    return !s->moves || moved >= OURS_FRAC * s->bytes;
}

static bool one_is_behind(const struct group *disks)
{
    return disks->others_use < (disks->full == 1 ? OTHERS_OF_ONE_FULL_FRAC : OTHERS_FRAC);
}

/* Busy time is use only of disks that serve so many at once as is known: tracks without a capacity are left out. */
static bool server_disks(const struct scene *s, struct finding *f)
{
    struct group disks = scene_group(s, TRACK_SERVER, TRACK_DISK_BUSY, NULL);

    if (disks.n == 0 || !disks_are_ours(s) || one_is_behind(&disks) ||
        !(track_use(disks.busiest) >= FINDING_FULL_FRAC))
        return false;
    scene_tell_use(s, disks.busiest, f);
    snprintf(f->words, sizeof f->words, "server disks");
    snprintf(f->evidence, sizeof f->evidence,
             "%u of %u disks at 95 %% or more, %.1f %% busy on average", disks.full, disks.n,
             100 * disks.use);
    snprintf(f->advice, sizeof f->advice, "more disks");
    return true;
}

static bool slow_disk(const struct scene *s, struct finding *f)
{
    struct group disks = scene_group(s, TRACK_SERVER, TRACK_DISK_BUSY, NULL);

    if (disks.n == 0 || !disks_are_ours(s) || !one_is_behind(&disks) ||
        !(track_use(disks.busiest) >= FINDING_FULL_FRAC))
        return false;
    scene_tell_use(s, disks.busiest, f);
    snprintf(f->words, sizeof f->words, "one disk of the server, %.40s: slow, or asked more",
             disks.busiest->name);
    snprintf(f->evidence, sizeof f->evidence, "busy %.1f %%, the other %u %.1f %% on average",
             100 * f->use_frac, disks.n - 1, 100 * disks.others_use);
    snprintf(f->advice, sizeof f->advice, "look at that disk: errors, retries, what else uses it");
    return true;
}

/* Of disks of which is not known how many requests they serve at once. */
static bool busy_disks(const struct scene *s, struct finding *f)
{
    const struct track *disk = tracks_busiest(&s->r->tracks, TRACK_SERVER, TRACK_DISK_BUSY);

    if (!disk || disk->capacity > 0 || !disks_are_ours(s) || !s->moves ||
        !(disk->mean >= FINDING_FULL_FRAC))
        return false;
    snprintf(f->words, sizeof f->words, "disk %.40s of the server always has something to do",
             disk->name);
    snprintf(f->evidence, sizeof f->evidence,
             "%.1f %% of the time; whether it could do more at once is not known",
             100 * disk->mean);
    return true;
}

static bool server_steal(const struct scene *s, struct finding *f)
{
    const struct track *core = tracks_busiest(&s->r->tracks, TRACK_SERVER, TRACK_STEAL);

    if (!core || !(core->mean > STEAL_FRAC))
        return false;
    snprintf(f->words, sizeof f->words, "the server's processors are taken away by its hypervisor");
    snprintf(f->evidence, sizeof f->evidence, "core %.40s for %.1f %% of the time", core->name,
             100 * core->mean);
    return true;
}

const struct rule findings_server_rules[] = {
    {"server-cpu", FINDING_LIMITS, server_cpu},
    {"server-core", FINDING_LIMITS, server_core},
    {"server-nic", FINDING_LIMITS, server_nic},
    {"server-link", FINDING_LIMITS, server_link},
    {"server-flash", FINDING_LIMITS, server_flash},
    {"server-log", FINDING_LIMITS, server_log},
    {"server-disks", FINDING_LIMITS, server_disks},
    {"slow-disk", FINDING_LIMITS, slow_disk},
    {"server-disks-busy", FINDING_NOTES, busy_disks},
    {"server-steal", FINDING_DOUBTS, server_steal},
    {NULL, FINDING_NOTES, NULL},
};
