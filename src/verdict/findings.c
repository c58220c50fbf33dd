/* Runs the rules over a run. */
#include "verdict/findings_priv.h"

#include <stdio.h>

/* Two ends that are full are the same wire: then the server is at its limit too. */
#define SAME_USE 0.01

/* Twice the streams, up to the most there may be, still gave more: the ramp itself is the changed load (check 18). */
static bool too_few_streams(const struct scene *s, struct finding *f)
{
    if (!scene_option_is(s, "ramp_end", "rising") || scene_option_is(s, "metric", "latency"))
        return false;
    double most = scene_option(s, "streams_most");
    f->at_client = true;
    snprintf(f->words, sizeof f->words, "too few streams: the rate still rises with them");
    snprintf(f->evidence, sizeof f->evidence,
             "%.0f streams, the most there may be, still gave more",
             isnan(most) ? s->streams : most);
    snprintf(f->advice, sizeof f->advice, "more --streams, or more machines that ask");
    return true;
}

static const struct rule ramp_rules[] = {
    {"streams", FINDING_LIMITS, too_few_streams},
    {NULL, FINDING_NOTES, NULL},
};

static unsigned run(const struct rule *rule, const struct scene *s, struct finding *out, unsigned n)
{
    for (; rule->name && n < FINDINGS_MAX; rule++) {
        out[n] = (struct finding){.rule = rule->name, .weight = rule->weight};
        n += rule->applies(s, &out[n]);
    }
    return n;
}

unsigned findings_among(const struct result *r, const struct result *quiet,
                        struct finding out[FINDINGS_MAX])
{
    static const struct rule *const limits[] = {findings_server_rules, findings_client_rules,
                                                findings_disk_rules, ramp_rules};
    static const struct rule *const others[] = {findings_data_rules, findings_run_rules};
    struct scene s;
    unsigned n = 0;

    scene_of(r, quiet, &s);
    /* Of a run with a wrong byte no number counts. */
    if (r->state == RESULT_VOID || !s.line || s.line->sum.ops == 0)
        return 0;
    /* One op at a time is stopped by the time it takes, and by no resource. */
    for (unsigned i = 0; !scene_option_is(&s, "metric", "latency") && i < 4; i++)
        n = run(limits[i], &s, out, n);
    for (unsigned i = 0; i < 2; i++)
        n = run(others[i], &s, out, n);
    return n;
}

unsigned findings_of(const struct result *r, struct finding out[FINDINGS_MAX])
{
    return findings_among(r, NULL, out);
}

static bool is_before(const struct finding *a, const struct finding *b)
{
    if (fabs(a->use_frac - b->use_frac) <= SAME_USE && a->at_client != b->at_client)
        return b->at_client;
    return a->use_frac > b->use_frac;
}

const struct finding *findings_limiter(const struct finding *f, unsigned n)
{
    const struct finding *limiter = NULL;

    for (unsigned i = 0; i < n; i++)
        if (f[i].weight == FINDING_LIMITS && (!limiter || is_before(&f[i], limiter)))
            limiter = &f[i];
    return limiter;
}
