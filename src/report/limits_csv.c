/* A record a ceiling; its runs are `show ID.n --format csv`. */
#include "report/csv_priv.h"
#include "report/limits_report_priv.h"

#include <math.h>
#include <stddef.h>

static const char *const heads[] = {
    "study_id",
    "target",
    "address",
    "protocol",
    "row",
    "state",
    "why",
    "metric",
    "unit",
    "value",
    "half_95",
    "finals",
    "knee_streams",
    "top_streams",
    "most_streams",
    "p5_ns",
    "p50_ns",
    "p95_ns",
    "p99_ns",
    "place",
    "place_frac",
    "proof",
    "limiter",
    "limiter_use_frac",
    "limiter_at_client",
    "limiter_words",
    "limiter_evidence",
    "lower_bound",
    "published_low",
    "published_high",
    "off_frac",
    "doubts",
};

const char *limits_metric_name(enum ceiling_metric metric)
{
    static const char *const name[] = {"bytes", "ops", "latency"};

    return name[metric];
}

const char *limits_metric_unit(enum ceiling_metric metric)
{
    static const char *const unit[] = {"bytes/s", "/s", "ns"};

    return unit[metric];
}

const char *limits_address(const struct limits_view *v, const struct ceiling *c)
{
    const struct result *r = c->points > 0 ? c->point[c->points - 1].result : NULL;

    return r && r->target ? r->target : v->c->target[c->target];
}

static void who(struct report_csv *rec, const struct limits_view *v, const struct ceiling *c)
{
    report_csv_field(rec, v->results[0]->study_id);
    report_csv_field(rec, v->c->target[c->target]);
    report_csv_field(rec, limits_address(v, c));
    report_csv_field(rec, c->protocol);
    report_csv_field(rec, c->row);
    report_csv_field(rec, ceiling_state_name(c->state));
    report_csv_field(rec, c->why);
}

static void numbers(struct report_csv *rec, const struct ceiling *c)
{
    bool any = limits_has_value(c);

    report_csv_field(rec, limits_metric_name(c->metric));
    report_csv_field(rec, limits_metric_unit(c->metric));
    report_csv_number(rec, any, c->value);
    report_csv_number(rec, any && isfinite(c->half), c->half);
    report_csv_known(rec, any, c->finals);
    report_csv_known(rec, any, c->knee_streams);
    report_csv_known(rec, any, c->top_streams);
    report_csv_known(rec, any, c->most_streams);
    report_csv_known(rec, any, c->latency.p5_ns);
    report_csv_known(rec, any, c->latency.p50_ns);
    report_csv_known(rec, any, c->latency.p95_ns);
    report_csv_known(rec, any, c->latency.p99_ns);
}

static void evidence(struct report_csv *rec, const struct ceiling *c)
{
    const struct finding *l = c->limiter;

    report_csv_field(rec, c->place);
    report_csv_number(rec, isfinite(c->place_frac), c->place_frac);
    report_csv_field(rec, c->proof);
    report_csv_field(rec, l ? l->rule : "");
    report_csv_number(rec, l && l->use_frac > 0, l ? l->use_frac : 0);
    report_csv_field(rec, !l ? "" : l->at_client ? "yes" : "no");
    report_csv_field(rec, l ? l->words : "");
    report_csv_field(rec, l ? l->evidence : "");
    report_csv_field(rec, limits_lower_bound(c) ? "yes" : "no");
}

static void beside(struct report_csv *rec, const struct limits_view *v, const struct ceiling *c)
{
    const struct limits_published_row *p = limits_published_beside(v, c);
    double off = limits_off_frac(p, c);
    struct text doubts;

    report_csv_number(rec, p != NULL, p ? p->low : 0);
    report_csv_number(rec, p != NULL, p ? p->high : 0);
    report_csv_number(rec, isfinite(off), off);
    text_init(&doubts);
    for (unsigned i = 0; i < c->findings; i++)
        if (c->finding[i].weight == FINDING_DOUBTS)
            text_addf(&doubts, "%s%s", doubts.len ? " " : "", c->finding[i].rule);
    report_csv_field(rec, doubts.s);
    rec->out->failed |= doubts.failed;
    text_fini(&doubts);
}

void limits_csv(struct text *out, const struct limits_view *v)
{
    struct report_csv head = {.out = out};

    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        report_csv_field(&head, heads[i]);
    text_add(out, "\n");
    for (unsigned i = 0; i < v->c->n; i++) {
        struct report_csv rec = {.out = out};

        who(&rec, v, &v->c->row[i]);
        numbers(&rec, &v->c->row[i]);
        evidence(&rec, &v->c->row[i]);
        beside(&rec, v, &v->c->row[i]);
        text_add(out, "\n");
    }
}
