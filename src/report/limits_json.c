/* {"results":[…],"ceilings":[…]}: the runs first, so that whoever reads results reads them out of it. */
#include "base/words.h"
#include "report/limits_report_priv.h"

#include <math.h>
#include <string.h>

static void word(struct text *out, const char *key, const char *value)
{
    text_addf(out, ",\"%s\":", key);
    text_add_json_string(out, report_or_empty(value));
}

static void number(struct text *out, const char *key, double value)
{
    if (isfinite(value))
        text_addf(out, ",\"%s\":%.9g", key, value);
    else
        text_addf(out, ",\"%s\":null", key);
}

static void count(struct text *out, const char *key, uint64_t value)
{
    text_addf(out, ",\"%s\":%llu", key, (unsigned long long)value);
}

static void put_finding(struct text *out, const struct finding *f)
{
    static const char *const weight[] = {"limits", "doubts", "notes"};

    text_add(out, "{\"rule\":");
    text_add_json_string(out, f->rule);
    word(out, "weight", weight[f->weight]);
    text_addf(out, ",\"at_client\":%s", f->at_client ? "true" : "false");
    number(out, "use_frac", f->use_frac);
    word(out, "words", f->words);
    word(out, "evidence", f->evidence);
    word(out, "advice", f->advice);
    text_add(out, "}");
}

static void put_findings(struct text *out, const struct ceiling *c)
{
    text_add(out, ",\"limiter\":");
    if (c->limiter)
        put_finding(out, c->limiter);
    else
        text_add(out, "null");
    text_add(out, ",\"findings\":[");
    for (unsigned i = 0; i < c->findings; i++) {
        text_add(out, i ? "," : "");
        put_finding(out, &c->finding[i]);
    }
    text_add(out, "]");
}

static void put_latency(struct text *out, const struct ceiling_latency *l)
{
    text_addf(out, ",\"latency\":{\"p5_ns\":%llu", (unsigned long long)l->p5_ns);
    count(out, "p50_ns", l->p50_ns);
    count(out, "p95_ns", l->p95_ns);
    count(out, "p99_ns", l->p99_ns);
    text_add(out, ",\"mode_ns\":[");
    for (unsigned i = 0; i < l->modes; i++)
        text_addf(out, "%s%llu", i ? "," : "", (unsigned long long)l->mode_ns[i]);
    text_add(out, "]}");
}

static void put_points(struct text *out, const struct ceiling *c)
{
    text_add(out, ",\"points\":[");
    for (unsigned i = 0; i < c->points; i++) {
        const struct ceiling_point *p = &c->point[i];

        text_addf(out, "%s{\"streams\":%u", i ? "," : "", p->streams);
        number(out, "rate", p->rate);
        count(out, "p50_ns", p->p50_ns);
        count(out, "p99_ns", p->p99_ns);
        number(out, "little_frac", p->little_frac);
        word(out, "step", p->step);
        if (p->result)
            text_addf(out, ",\"result\":\"%s.%u\"", p->result->study_id, p->result->run);
        text_add(out, "}");
    }
    text_add(out, "]");
}

static void put_published(struct text *out, const struct limits_view *v, const struct ceiling *c)
{
    const struct limits_published_row *p = limits_published_beside(v, c);

    text_add(out, ",\"published\":");
    if (!p) {
        text_add(out, "null");
        return;
    }
    text_addf(out, "{\"low\":%.9g", p->low);
    number(out, "high", p->high);
    text_addf(out, ",\"about\":%s", p->about ? "true" : "false");
    number(out, "off_frac", limits_off_frac(p, c));
    word(out, "name", v->published[c->target]->name);
    text_add(out, "}");
}

static void put_row(struct text *out, const struct limits_view *v, const struct ceiling *c)
{
    bool any = limits_has_value(c);

    text_add(out, "{\"target\":");
    text_add_json_string(out, v->c->target[c->target]);
    word(out, "address", limits_address(v, c));
    word(out, "protocol", c->protocol);
    word(out, "row", c->row);
    word(out, "title", limits_title(c));
    word(out, "state", ceiling_state_name(c->state));
    word(out, "why", c->why);
    word(out, "metric", limits_metric_name(c->metric));
    word(out, "unit", limits_metric_unit(c->metric));
    number(out, "value", any ? c->value : NAN);
    number(out, "half", any ? c->half : NAN);
    text_addf(out, ",\"lower_bound\":%s", limits_lower_bound(c) ? "true" : "false");
    count(out, "finals", c->finals);
    count(out, "knee_streams", c->knee_streams);
    count(out, "top_streams", c->top_streams);
    count(out, "most_streams", c->most_streams);
    put_latency(out, &c->latency);
    word(out, "place", c->place);
    number(out, "place_frac", c->place_frac);
    word(out, "proof", c->proof);
    put_findings(out, c);
    put_published(out, v, c);
    put_points(out, c);
    text_add(out, "}");
}

int limits_json(struct text *out, const struct limits_view *v, struct err *err)
{
    text_add(out, "{\"results\":");
    int rc = report_json_array(out, v->results, v->n, err);

    text_add(out, ",\"ceilings\":[");
    for (unsigned i = 0; i < v->c->n; i++) {
        text_add(out, i ? ",\n" : "\n");
        put_row(out, v, &v->c->row[i]);
    }
    text_add(out, "\n]}\n");
    return rc;
}
