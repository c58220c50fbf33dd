/* Runs the rules over a run. */
#include "verdict/findings_priv.h"

#include "verdict/ceilings_priv.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

double look_option(const struct look *l, const char *key)
{
    return result_fact_number(&l->r->options, key, NAN);
}

double look_counter(const struct look *l, const char *key)
{
    return result_fact_number(&l->r->counters, key, NAN);
}

bool look_option_is(const struct look *l, const char *key, const char *value)
{
    return ceiling_option_is(l->r, key, value);
}

/* The most streams there may be gave more than half of them: the ramp itself is the changed load (check 18). */
static bool too_few_streams(const struct look *l, struct finding *f)
{
    if (!look_option_is(l, "ramp_end", "rising") || look_option_is(l, "metric", "latency"))
        return false;
    f->at_client = true;
    snprintf(f->words, sizeof f->words, "too few streams: the rate still rises with them");
    snprintf(f->evidence, sizeof f->evidence,
             "%.0f streams, the most there may be, still gave more", l->streams);
    snprintf(f->advice, sizeof f->advice, "more --streams, or more machines that ask");
    return true;
}

static const struct rule curve_rules[] = {
    {"streams", FINDING_LIMITS, too_few_streams},
    {NULL, FINDING_NOTES, NULL},
};

static void look_of(const struct result *r, struct look *l)
{
    const char *protocol = ceiling_option(r, "protocol");
    const struct result_line *line = ceiling_line(r);

    *l = (struct look){.r = r,
                       .line = line,
                       .claim = ceiling_option(r, "claim"),
                       .modelled = result_modelled(r) != NULL,
                       .local = strcmp(protocol, "local") == 0 || strcmp(protocol, "block") == 0,
                       .seconds = (double)r->elapsed_ns / 1e9};
    l->streams = look_option(l, "streams");
    if (!line || r->elapsed_ns == 0)
        return;
    l->writes = strcmp(line->op, "write") == 0;
    l->moves = line->sum.bytes > 0;
    l->ops = (double)line->sum.ops / l->seconds;
    l->bytes = (double)line->sum.bytes / l->seconds;
}

static unsigned run(const struct rule *rule, const struct look *l, struct finding out[FINDINGS_MAX],
                    unsigned n)
{
    for (; rule->name && n < FINDINGS_MAX; rule++) {
        out[n] = (struct finding){.rule = rule->name, .weight = rule->weight};
        n += rule->applies(l, &out[n]);
    }
    return n;
}

unsigned findings_of(const struct result *r, struct finding out[FINDINGS_MAX])
{
    struct look l;

    if (r->state == RESULT_VOID)
        return 0;
    look_of(r, &l);
    return run(curve_rules, &l, out, 0);
}

unsigned findings_changed(const struct result *base, const struct result *changed,
                          struct finding out[FINDINGS_MAX])
{
    (void)base;
    (void)changed;
    (void)out;
    return 0;
}

const struct finding *findings_limiter(const struct finding *f, unsigned n)
{
    const struct finding *limiter = NULL;

    for (unsigned i = 0; i < n; i++)
        if (f[i].weight == FINDING_LIMITS && (!limiter || f[i].use_frac > limiter->use_frac))
            limiter = &f[i];
    return limiter;
}
