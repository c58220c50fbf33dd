/* What a run proves that differs from another one in one thing. */
#include "verdict/findings_priv.h"

#include "verdict/ceilings_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As many as the share that is left, with what runs of one and the same differ by. */
#define SAME_SHARE 1.10
/* Knee.h: the top is what gives so much. */
#define SAME_FRAC 0.97
#define MORE_FRAC 1.03
/* Ports of a server, or paths of a network, where it is not known how many: fewer clients may leave one of them idle. */
#define PORTS 4

struct change_of_load {
    struct scene base;
    struct scene now;
    double was; /* of the option that differs */
    double is;
    double rate; /* of what the row counts: now, by base */
};

static void tell(const struct change_of_load *c, const char *what, struct finding *f)
{
    enum track_kind kind =
        scene_option_is(&c->base, "metric", "bytes") ? TRACK_DISK_READ : TRACK_DISK_READS;
    char was[SCENE_NUMBER_MAX], is[SCENE_NUMBER_MAX];
    bool bytes = kind == TRACK_DISK_READ;

    snprintf(f->evidence, sizeof f->evidence, "%.0f %s give %s, %.0f give %s (%.0f %%)", c->was,
             what, scene_number(was, kind, bytes ? c->base.bytes : c->base.ops), c->is,
             scene_number(is, kind, bytes ? c->now.bytes : c->now.ops), 100 * c->rate);
}

/* The streams are as many as before, so what became less is what each client can do. */
static bool by_clients(const struct change_of_load *c, struct finding *f)
{
    double share = c->is / c->was;
    double ports = result_fact_number(&c->base.r->target_facts, "model_ports", PORTS);

    if (c->base.streams != c->now.streams || !(share < 1) || c->is < ports)
        return false;
    if (c->rate <= share * SAME_SHARE) {
        *f = (struct finding){.rule = "clients", .weight = FINDING_LIMITS, .at_client = true};
        snprintf(f->words, sizeof f->words, "the clients: the rate goes with how many there are");
        snprintf(f->advice, sizeof f->advice, "more machines that ask");
    } else if (c->rate >= SAME_FRAC) {
        *f = (struct finding){.rule = "not-clients", .weight = FINDING_NOTES};
        snprintf(f->words, sizeof f->words, "not the clients: fewer of them give as much");
    } else {
        return false;
    }
    tell(c, "clients", f);
    return true;
}

static bool by_size(const struct change_of_load *c, struct finding *f)
{
    double ops = c->now.ops / c->base.ops, bytes = c->now.bytes / c->base.bytes;

    if (c->base.streams != c->now.streams || !(c->is < c->was))
        return false;
    *f = (struct finding){.rule = "per-op", .weight = FINDING_NOTES};
    if (bytes >= SAME_FRAC && bytes <= MORE_FRAC) {
        f->rule = "per-byte";
        snprintf(f->words, sizeof f->words, "what stops it counts bytes, not operations");
    } else if (ops >= SAME_FRAC && ops <= MORE_FRAC) {
        snprintf(f->words, sizeof f->words, "what stops it counts operations, not bytes");
    } else {
        return false;
    }
    snprintf(f->evidence, sizeof f->evidence,
             "%.0f bytes an op instead of %.0f: %.0f %% of the ops, %.0f %% of the bytes", c->is,
             c->was, 100 * ops, 100 * bytes);
    return true;
}

static bool by_streams(const struct change_of_load *c, struct finding *f)
{
    if (!(c->is > c->was) || !(c->rate > MORE_FRAC))
        return false;
    *f = (struct finding){.rule = "streams", .weight = FINDING_LIMITS, .at_client = true};
    snprintf(f->words, sizeof f->words, "too few streams: the rate still rises with them");
    snprintf(f->advice, sizeof f->advice, "more --streams, or more machines that ask");
    tell(c, "streams", f);
    return true;
}

static const struct {
    const char *option;
    bool (*proves)(const struct change_of_load *c, struct finding *f);
} changes[] = {
    {"clients", by_clients},
    {"io_bytes", by_size},
    {"streams", by_streams},
};

static bool is_sound(const struct scene *s)
{
    return s->r->state == RESULT_COMPLETE && s->ops > 0 && result_error_count(s->r) == 0 &&
           !scene_option_is(s, "steady", "no");
}

unsigned findings_changed(const struct result *base, const struct result *changed,
                          struct finding out[FINDINGS_MAX])
{
    const char *what = ceiling_option(changed, "changed");
    const char *value = strchr(what, '=');
    struct change_of_load c;

    scene_of(base, NULL, &c.base);
    scene_of(changed, NULL, &c.now);
    if (!value || !is_sound(&c.base) || !is_sound(&c.now))
        return 0;
    c.rate = scene_option_is(&c.base, "metric", "bytes") ? c.now.bytes / c.base.bytes
                                                         : c.now.ops / c.base.ops;
    for (unsigned i = 0; i < sizeof changes / sizeof *changes; i++) {
        size_t len = strlen(changes[i].option);
        if ((size_t)(value - what) != len || strncmp(what, changes[i].option, len) != 0)
            continue;
        c.was = scene_option(&c.base, changes[i].option);
        c.is = scene_option(&c.now, changes[i].option);
        return changes[i].proves(&c, out);
    }
    return 0;
}
