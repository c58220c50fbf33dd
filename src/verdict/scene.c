/* What rules ask of a run. */
#include "verdict/findings_priv.h"

#include "base/units.h"
#include "verdict/ceilings_priv.h"

#include <stdio.h>
#include <string.h>

/* Of what it is now: full whatever is asked. */
#define ALWAYS_FRAC 0.9
/* A core is full of interrupts when half of what it does is that (check 15). */
#define SOFTIRQ_FRAC 0.5

void scene_of(const struct result *r, const struct result *quiet, struct scene *out)
{
    const char *protocol = ceiling_option(r, "protocol");
    const struct result_line *line = ceiling_line(r);

    *out = (struct scene){.r = r,
                          .quiet = quiet,
                          .line = line,
                          .claim = ceiling_option(r, "claim"),
                          .modelled = result_modelled(r) != NULL,
                          .flat = ceiling_option_is(r, "ramp_end", "flat"),
                          .seconds = (double)r->elapsed_ns / 1e9};
    out->local =
        !out->modelled && (strcmp(protocol, "local") == 0 || strcmp(protocol, "block") == 0 ||
                           strcmp(protocol, "null") == 0);
    out->streams = scene_option(out, "streams");
    if (!line || r->elapsed_ns == 0)
        return;
    out->writes = strcmp(line->op, "write") == 0;
    out->moves = line->sum.bytes > 0;
    out->ops = (double)line->sum.ops / out->seconds;
    out->bytes = (double)line->sum.bytes / out->seconds;
}

double scene_option(const struct scene *s, const char *key)
{
    return result_fact_number(&s->r->options, key, NAN);
}

double scene_counter(const struct scene *s, const char *key)
{
    return result_fact_number(&s->r->counters, key, NAN);
}

bool scene_option_is(const struct scene *s, const char *key, const char *value)
{
    return ceiling_option_is(s->r, key, value);
}

const char *scene_target(const struct scene *s, const char *key)
{
    const char *value = result_fact_get(&s->r->target_facts, key);

    return value ? value : "";
}

bool scene_is_lower_bound(const struct scene *s)
{
    return !s->local || (strcmp(s->claim, "cache") != 0 && strcmp(s->claim, "names") != 0);
}

static bool ends_in(const char *name, const char *ending)
{
    size_t len = strlen(name), tail = strlen(ending);

    return len >= tail && strcmp(name + len - tail, ending) == 0;
}

struct group scene_group(const struct scene *s, enum track_end end, enum track_kind kind,
                         const char *ending)
{
    struct group g = {.use = NAN, .others_use = NAN};
    double sum = 0, most = -INFINITY;

    for (unsigned i = 0; i < s->r->tracks.n; i++) {
        const struct track *one = &s->r->tracks.track[i];
        double use = track_use(one);
        if (one->end != end || one->kind != kind || isnan(use) || use > SCENE_OVER_FRAC ||
            (ending && !ends_in(one->name, ending)))
            continue;
        g.n++;
        g.full += use >= FINDING_FULL_FRAC;
        sum += use;
        if (use > most) {
            most = use;
            g.busiest = one;
        }
    }
    if (g.n > 0)
        g.use = sum / g.n;
    if (g.n > 1)
        g.others_use = (sum - most) / (g.n - 1);
    return g;
}

bool scene_is_always_full(const struct scene *s, const struct track *one)
{
    const struct track *then =
        s->quiet ? tracks_find(&s->quiet->tracks, one->end, one->kind, one->name) : NULL;

    return then && track_use(then) >= ALWAYS_FRAC * track_use(one);
}

static const struct track *interrupted_core(const struct scene *s, enum track_end end,
                                            double *softirq)
{
    const struct tracks *t = &s->r->tracks;
    const struct track *worst = NULL;

    for (unsigned i = 0; i < t->n; i++) {
        const struct track *one = &t->track[i];
        const struct track *core = one->end == end && one->kind == TRACK_SOFTIRQ
                                       ? tracks_find(t, end, TRACK_CPU, one->name)
                                       : NULL;
        if (!core || !(one->mean >= SOFTIRQ_FRAC) || !(track_use(core) >= FINDING_FULL_FRAC) ||
            scene_is_always_full(s, core) || (worst && one->mean <= *softirq))
            continue;
        worst = core;
        *softirq = one->mean;
    }
    return worst;
}

bool scene_is_interrupted(const struct scene *s, enum track_end end, struct finding *f)
{
    struct group cores = scene_group(s, end, TRACK_CPU, NULL);
    double softirq = 0;
    const struct track *core = interrupted_core(s, end, &softirq);

    if (!core || cores.use >= FINDING_FULL_FRAC)
        return false;
    f->at_client = end == TRACK_CLIENT;
    f->use_frac = track_use(core);
    snprintf(f->words, sizeof f->words, "core %.40s of %s, by interrupts", core->name,
             end == TRACK_CLIENT ? "this machine" : "the server");
    snprintf(f->evidence, sizeof f->evidence,
             "busy %.1f %%, of it %.1f %% in interrupts; all cores %.1f %%", 100 * f->use_frac,
             100 * softirq, 100 * cores.use);
    snprintf(f->advice, sizeof f->advice,
             "spread the port's queues over cores; more connections (nconnect)");
    return true;
}

double scene_sum(const struct scene *s, enum track_end end, enum track_kind kind)
{
    return tracks_sum(&s->r->tracks, end, kind);
}

char *scene_number(char buf[SCENE_NUMBER_MAX], enum track_kind kind, double value)
{
    const char *unit = track_kind_unit(kind);
    char bytes[UNITS_PRINT_MAX];

    if (strncmp(unit, "bytes", 5) == 0)
        snprintf(buf, SCENE_NUMBER_MAX, "%s%s", units_print_bytes(bytes, (uint64_t)value),
                 unit + 5);
    else if (strcmp(unit, "frac") == 0)
        snprintf(buf, SCENE_NUMBER_MAX, "%.1f %%", 100 * value);
    else if (strcmp(unit, "ns") == 0)
        units_print_ns(buf, (uint64_t)value);
    else
        snprintf(buf, SCENE_NUMBER_MAX, value < 100 ? "%.1f%s" : "%.0f%s", value, unit);
    return buf;
}

void scene_tell_use(const struct scene *s, const struct track *one, struct finding *f)
{
    char mean[SCENE_NUMBER_MAX], capacity[SCENE_NUMBER_MAX];
    bool share = strcmp(track_kind_unit(one->kind), "frac") == 0;

    f->use_frac = track_use(one);
    if (share)
        snprintf(f->evidence, sizeof f->evidence, "busy %.1f %%, mean of %.3g s", 100 * f->use_frac,
                 s->seconds);
    else
        snprintf(f->evidence, sizeof f->evidence, "%s of %s (%.1f %%), mean of %.3g s",
                 scene_number(mean, one->kind, one->mean),
                 scene_number(capacity, one->kind, one->capacity), 100 * f->use_frac, s->seconds);
}
