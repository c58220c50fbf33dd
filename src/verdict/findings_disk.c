/* What stops at a disk of this machine. */
#include "verdict/findings_priv.h"

#include <stdio.h>
#include <string.h>

/* Of the data of the row, at the device: else the ops do not wait there for what is measured. */
#define MOVED_FRAC 0.9
/* Limits of control groups are kept by slices of time, not to the byte. */
#define CAP_OVER_FRAC 1.1
/* They are lost from slice to slice as well: short queues at a limit get 80 % of it. */
#define CAP_NEAR_FRAC 0.5

static bool is_of_disk(const struct scene *s)
{
    return s->local && (strcmp(s->claim, "disk") == 0 || strcmp(s->claim, "log") == 0);
}

/* Ours alone where the kernel counts it: a limit of our group does not hold for others. */
static double ours(const struct scene *s, const struct track *disk)
{
    bool bytes = disk->kind == TRACK_DISK_READ || disk->kind == TRACK_DISK_WRITE;
    double own = scene_counter(s, s->writes ? "own_write_bytes" : "own_read_bytes") / s->seconds;

    return bytes && own < disk->mean ? own : disk->mean;
}

/* A device of which a control group gives us at least so much of what it may, but no more than all of it; what the device
 * could do is not known. */
static const struct track *capped(const struct scene *s, double least, double most,
                                  struct finding *f)
{
    const enum track_kind kinds[] = {s->writes ? TRACK_DISK_WRITE : TRACK_DISK_READ,
                                     s->writes ? TRACK_DISK_WRITES : TRACK_DISK_READS};
    const struct track *best = NULL;
    char mean[SCENE_NUMBER_MAX], cap[SCENE_NUMBER_MAX];

    for (unsigned i = 0; s->local && i < s->r->tracks.n; i++) {
        const struct track *one = &s->r->tracks.track[i];
        double use = one->capacity > 0 ? ours(s, one) / one->capacity : NAN;
        if (one->end == TRACK_CLIENT && (one->kind == kinds[0] || one->kind == kinds[1]) &&
            use >= least && use <= most && use > f->use_frac) {
            best = one;
            f->use_frac = use;
        }
    }
    if (!best)
        return NULL;
    f->use_frac = fmin(f->use_frac, 1);
    snprintf(f->evidence, sizeof f->evidence, "%s, and %s allowed",
             scene_number(mean, best->kind, ours(s, best)),
             scene_number(cap, best->kind, best->capacity));
    snprintf(f->advice, sizeof f->advice,
             "lift the limit (io.max, blkio.throttle) to see the disk");
    return best;
}

static bool disk_cap(const struct scene *s, struct finding *f)
{
    const struct track *disk = capped(s, FINDING_FULL_FRAC, CAP_OVER_FRAC, f);
    size_t told = strlen(f->evidence);

    if (!disk)
        return false;
    f->at_client = true;
    snprintf(f->words, sizeof f->words, "a control group's limit on %.40s", disk->name);
    snprintf(f->evidence + told, sizeof f->evidence - told, ": throttled, not slow");
    return true;
}

static bool near_cap(const struct scene *s, struct finding *f)
{
    const struct track *disk = capped(s, CAP_NEAR_FRAC, FINDING_FULL_FRAC, f);

    if (!disk)
        return false;
    snprintf(f->words, sizeof f->words, "a control group limits %.40s: it may be throttled",
             disk->name);
    return true;
}

/* The one that the data of the row goes through; of several, as with a volume and its disks, the one where most
 * requests are. */
static const struct track *queue_of_row(const struct scene *s)
{
    const struct tracks *t = &s->r->tracks;
    const struct track *best = NULL;

    for (unsigned i = 0; i < t->n; i++) {
        const struct track *queue = &t->track[i];
        if (queue->end != TRACK_CLIENT || queue->kind != TRACK_DISK_QUEUE || isnan(queue->mean))
            continue;
        const struct track *moved = tracks_find(
            t, TRACK_CLIENT, s->writes ? TRACK_DISK_WRITE : TRACK_DISK_READ, queue->name);
        if (moved && moved->mean >= MOVED_FRAC * s->bytes && (!best || queue->mean > best->mean))
            best = queue;
    }
    return best;
}

/* By Little's law the requests that are at a device on average are the streams times the share of their time that they
 * spend there. When nearly all of it is spent there, and more streams have given no more, it is the device that stops
 * them; busy time alone says nothing of a device that serves many at once. What waits outside of it, since it has all
 * that it can hold, is seen by its being full. Completions that wait for a core count as time at the device. */
static bool local_disk(const struct scene *s, struct finding *f)
{
    const struct track *queue = is_of_disk(s) && s->flat ? queue_of_row(s) : NULL;
    struct group cores = scene_group(s, TRACK_CLIENT, TRACK_CPU, NULL);

    if (!queue || cores.use >= FINDING_FULL_FRAC || !(s->streams > 0))
        return false;
    bool holds_less = queue->capacity > 0 && queue->capacity < s->streams;
    double most = holds_less ? queue->capacity : s->streams;
    double use = queue->mean / most;
    if (!(use >= FINDING_FULL_FRAC))
        return false;
    f->use_frac = fmin(use, 1);
    snprintf(f->words, sizeof f->words, "disk %.40s", queue->name);
    snprintf(f->evidence, sizeof f->evidence,
             "%.1f requests at it, of %.0f that %s; more streams gave no more", queue->mean, most,
             holds_less ? "it can hold" : "are under way");
    return true;
}

const struct rule findings_disk_rules[] = {
    {"disk-cap", FINDING_LIMITS, disk_cap},
    {"local-disk", FINDING_LIMITS, local_disk},
    {"near-cap", FINDING_DOUBTS, near_cap},
    {NULL, FINDING_NOTES, NULL},
};
