/* Below the table: of each ceiling where its bytes came from, what stopped it and what speaks against it. */
#include "report/limits_report_priv.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PUBLISHED_CLOSE_FRAC 0.05

struct details {
    struct text *out;
    unsigned off_n;     /* published rows that were found */
    unsigned close;     /* of them within PUBLISHED_CLOSE_FRAC */
    double worst;       /* the one that is farthest off, signed */
    char worst_row[80]; /* and which it is */
};

/* Below their row; Markdown has its own way to say so. */
static const char *label(const struct limits_view *v, const char *words)
{
    return report_is_md(v->width) ? words + strspn(words, " ") : words;
}

static void about_place(struct text *out, const struct limits_view *v, const struct ceiling *c)
{
    char share[CELL_MAX];

    if (*c->place == '\0' || strcmp(c->place, "names") == 0)
        return;
    report_fact(out, v->width, label(v, c->state == CEILING_NOT_PROVEN ? "  NOT PROVEN" : "  from"),
                "%s: %s", c->place,
                *c->proof                 ? c->proof
                : isfinite(c->place_frac) ? limits_cell_share(share, c->place_frac)
                                          : "not verified");
}

static void about_band(struct text *out, const struct limits_view *v, const struct ceiling *c)
{
    char band[CELL_MAX], mode[CELL_MAX];
    struct text modes;

    if (c->metric != CEILING_LATENCY || !limits_has_value(c))
        return;
    text_init(&modes);
    for (unsigned i = 0; c->latency.modes > 1 && i < c->latency.modes; i++)
        text_addf(&modes, "%s%s", i ? ", " : "; modes at ",
                  report_cell_ns(mode, c->latency.mode_ns[i]));
    report_fact(out, v->width, label(v, "  band"), "%s (p5 to p95)%s",
                limits_cell_band(band, (double)c->latency.p5_ns, (double)c->latency.p95_ns),
                modes.s);
    out->failed |= modes.failed;
    text_fini(&modes);
}

static const char *label_of(const struct finding *f)
{
    return f->weight == FINDING_LIMITS   ? "  also full"
           : f->weight == FINDING_DOUBTS ? "  DOUBT"
                                         : "  note";
}

static void about_finding(struct text *out, const struct limits_view *v, const char *head,
                          const struct finding *f)
{
    report_fact(out, v->width, label(v, head), "%s%s%s%s%s", f->words, *f->evidence ? ": " : "",
                f->evidence, *f->advice ? "; try: " : "", f->advice);
}

/* The finals say how the way up to them ended. */
static bool ramp_ended(const struct ceiling *c, const char *how)
{
    for (unsigned i = 0; i < c->points; i++)
        if (strcmp(report_option(c->point[i].result, "ramp_end"), how) == 0)
            return true;
    return false;
}

static bool already_rising(const struct ceiling *c)
{
    return c->state == CEILING_RISING && c->limiter && strstr(c->limiter->words, "rising") != NULL;
}

static void about_stop(struct text *out, const struct limits_view *v, const struct ceiling *c)
{
    if (c->state == CEILING_RISING && !already_rising(c))
        report_fact(out, v->width, label(v, "  LOWER BOUND"), "still rising at %u streams; try: %s",
                    c->most_streams, ramp_ended(c, "cut") ? "a longer --budget" : "more --streams");
    if (*c->why && c->state != CEILING_FOUND && strcmp(c->why, c->proof) != 0)
        report_fact(out, v->width, label(v, "  state"), "%s: %s", ceiling_state_name(c->state),
                    c->why);
    if (c->limiter)
        about_finding(out, v, "  stopped by", c->limiter);
    for (unsigned i = 0; i < c->findings; i++)
        if (&c->finding[i] != c->limiter &&
            (c->finding[i].weight != FINDING_NOTES || report_is_wide(v->width)))
            about_finding(out, v, label_of(&c->finding[i]), &c->finding[i]);
}

static void about_curve(struct text *out, const struct limits_view *v, const struct ceiling *c)
{
    char rate[CELL_MAX], p99[CELL_MAX];
    struct text words;

    if (!report_is_wide(v->width) || c->points == 0)
        return;
    text_init(&words);
    for (unsigned i = 0; i < c->points; i++)
        if (strcmp(c->point[i].step, "final") != 0)
            text_addf(&words, "%s%u: %s p99 %s", words.len ? ", " : "", c->point[i].streams,
                      limits_cell_value(rate,
                                        c->metric == CEILING_LATENCY ? CEILING_OPS : c->metric,
                                        c->point[i].rate),
                      report_cell_ns(p99, c->point[i].p99_ns));
    if (words.len)
        report_fact(out, v->width, label(v, "  curve"), "%s", words.s);
    out->failed |= words.failed;
    text_fini(&words);
}

static void about_load(struct text *out, const struct limits_view *v, const struct ceiling *c)
{
    char value[CELL_MAX], half[CELL_MAX], p50[CELL_MAX], p99[CELL_MAX];

    report_fact(out, v->width, label(v, "  value"),
                "%s ±%s at %u stream%s (knee %u), p50 %s, p99 %s", limits_cell_of(value, c),
                limits_cell_half(half, c), c->top_streams, c->top_streams == 1 ? "" : "s",
                c->knee_streams, report_cell_ns(p50, c->latency.p50_ns),
                report_cell_ns(p99, c->latency.p99_ns));
}

/* Of several targets the proofs stand in one line, unless all is asked for. */
static bool is_brief(const struct limits_view *v)
{
    return v->c->targets > 1 && !report_is_wide(v->width);
}

static bool is_doubted(const struct ceiling *c)
{
    for (unsigned i = 0; i < c->findings; i++)
        if (c->finding[i].weight != FINDING_NOTES)
            return true;
    return c->limiter != NULL;
}

/* Whether anything below the table is worth a heading of its own. */
static bool tells(const struct limits_view *v, const struct ceiling *c)
{
    bool place = *c->place && strcmp(c->place, "names") != 0;

    if (!limits_has_value(c))
        return false;
    if (report_is_wide(v->width) || c->state != CEILING_FOUND || is_doubted(c))
        return true;
    return place && (!is_brief(v) || !isfinite(c->place_frac));
}

static void take_one(struct details *d, const struct limits_view *v, const struct ceiling *c)
{
    bool many = v->c->targets > 1;
    char side[8] = "";

    if (!tells(v, c))
        return;
    if (many)
        snprintf(side, sizeof side, "%c  ", report_side_letter(c->target + 1));
    report_line(d->out, v->width, "%s%s, %s", side, c->protocol, limits_title(c));
    if (!is_brief(v) && (many || limits_published_beside(v, c)))
        about_load(d->out, v, c);
    about_band(d->out, v, c);
    about_place(d->out, v, c);
    about_stop(d->out, v, c);
    about_curve(d->out, v, c);
}

static void count_published(struct details *d, const struct limits_view *v, const struct ceiling *c)
{
    double off = limits_off_frac(limits_published_beside(v, c), c);

    if (!isfinite(off))
        return;
    d->off_n++;
    d->close += fabs(off) <= PUBLISHED_CLOSE_FRAC;
    if (d->off_n > 1 && fabs(off) <= fabs(d->worst))
        return;
    d->worst = off;
    snprintf(d->worst_row, sizeof d->worst_row, "%s %s%s%c", c->protocol, limits_title(c),
             v->c->targets > 1 ? ", " : "",
             v->c->targets > 1 ? report_side_letter(c->target + 1) : '\0');
}

static void about_published(struct details *d, const struct limits_view *v)
{
    char off[CELL_MAX];
    const char *a = NULL, *b = NULL;

    for (unsigned i = 0; i < LIMITS_SIDES_MAX; i++) {
        if (!v->published[i] || (a && strcmp(a, v->published[i]->name) == 0))
            continue;
        b = a ? v->published[i]->name : b;
        a = a ? a : v->published[i]->name;
    }
    for (unsigned i = 0; i < v->c->n; i++)
        count_published(d, v, &v->c->row[i]);
    if (d->off_n > 0)
        report_fact(d->out, v->width, "published",
                    "%s%s%s: %u of %u rows within 5 %%; farthest off %s (%s)", a, b ? ", " : "",
                    b ? b : "", d->close, d->off_n, limits_cell_off(off, d->worst), d->worst_row);
}

static unsigned with_value(const struct limits_view *v)
{
    unsigned n = 0;

    for (unsigned i = 0; i < v->c->n; i++)
        n += limits_has_value(&v->c->row[i]);
    return n;
}

void limits_about_writes(struct text *out, const struct limits_view *v)
{
    for (unsigned i = 0; i < v->n; i++)
        if (strcmp(report_option(v->results[i], "preconditioned"), "no") == 0 &&
            !result_modelled(v->results[i])) {
            report_fact(out, v->width, "writes",
                        "not preconditioned: new flash may slow down later");
            return;
        }
}

static unsigned still_rising(const struct limits_view *v)
{
    unsigned n = 0;

    for (unsigned i = 0; i < v->c->n; i++)
        n += v->c->row[i].state == CEILING_RISING && limits_has_value(&v->c->row[i]);
    return n;
}

static unsigned unproven(const struct limits_view *v)
{
    unsigned n = 0;

    for (unsigned i = 0; i < v->c->n; i++)
        n += limits_has_value(&v->c->row[i]) && limits_unproven(&v->c->row[i]);
    return n;
}

/* Rows whose value is not what the target can give, but the least that it can. */
static void about_bounds(struct text *out, const struct limits_view *v)
{
    unsigned rising = still_rising(v), values = with_value(v);

    if (v->c->at_client > 0)
        report_fact(out, v->width, ">", "%u of %u rows stop at this client: lower bounds",
                    v->c->at_client, values);
    if (rising > 0)
        report_fact(out, v->width, ">", "%u of %u rows were still rising: lower bounds", rising,
                    values);
    if (unproven(v) > 0)
        report_fact(out, v->width, "?", "%u of %u rows are not proven to be from where they say",
                    unproven(v), values);
}

static bool is_unknown(const struct ceiling *c)
{
    return c->state == CEILING_FOUND && limits_has_value(c) && !c->limiter &&
           c->metric != CEILING_LATENCY;
}

/* That nothing was seen to be full is an answer; what might show it is the same for all. */
static void about_unknown(struct text *out, const struct limits_view *v)
{
    const struct result *r = v->results[0];
    const char *try =
        result_modelled(r) ? "; try: --server-metrics model"
        : strcmp(v->c->row[0].protocol, "local") == 0 || strcmp(v->c->row[0].protocol, "block") == 0
            ? ""
            : "; try: --server-metrics http://SERVER:9100/metrics";
    unsigned n = 0, fixed = 0;

    for (unsigned i = 0; i < v->c->n; i++)
        if (is_unknown(&v->c->row[i])) {
            n++;
            fixed += ramp_ended(&v->c->row[i], "fixed");
        }
    if (n > 0)
        report_fact(out, v->width, "unknown",
                    "in %u of %u rows the limiter is unknown: %snothing that was watched is full%s",
                    n, with_value(v), fixed ? "" : "more load gave no more, and ", try);
}

static void about_all(struct details *d, const struct limits_view *v)
{
    struct text *out = d->out;
    unsigned finals = 0;

    for (unsigned i = 0; i < v->c->n; i++)
        finals = v->c->row[i].finals > finals ? v->c->row[i].finals : finals;
    if (finals > 1)
        report_fact(out, v->width, "±",
                    "95 %% interval of the mean of %u finals; streams: the least "
                    "load with 97 %% of the top, p50 and p99 at the top",
                    finals);
    about_bounds(out, v);
    about_unknown(out, v);
    about_published(d, v);
    limits_about_writes(out, v);
}

static bool has_reason(const struct ceiling *c)
{
    return c->state == CEILING_NOT_APPLICABLE || c->state == CEILING_SKIPPED;
}

static bool same_reason(const struct ceiling *a, const struct ceiling *b)
{
    return has_reason(a) && has_reason(b) && strcmp(a->row, b->row) == 0 &&
           strcmp(a->why, b->why) == 0;
}

/* A line for each row and reason, wherever it holds. */
static void about_reason(struct text *out, const struct limits_view *v, unsigned at)
{
    const struct ceiling *c = &v->c->row[at];

    for (unsigned i = 0; i < at; i++)
        if (same_reason(&v->c->row[i], c))
            return;
    if (has_reason(c))
        report_fact(out, v->width, c->state == CEILING_SKIPPED ? "skipped" : "not here", "%s: %s",
                    limits_title(c), c->why);
}

static bool is_proven(const struct ceiling *c)
{
    return c->state == CEILING_FOUND && limits_has_value(c) && isfinite(c->place_frac);
}

/* "server RAM, 100.0% or more in 14 rows". */
static void add_proven(struct text *words, const struct limits_view *v, unsigned at)
{
    const char *place = v->c->row[at].place;
    double least = 1;
    unsigned n = 0;
    char share[CELL_MAX];

    for (unsigned i = 0; i < v->c->n; i++) {
        const struct ceiling *c = &v->c->row[i];

        if (!is_proven(c) || strcmp(c->place, place) != 0)
            continue;
        if (i < at)
            return;
        least = c->place_frac < least ? c->place_frac : least;
        n++;
    }
    if (n > 0)
        text_addf(words, "%s%s %s%s of the bytes (%u row%s)", words->len ? "; " : "", place,
                  limits_cell_share(share, least), least < 1 ? " or more" : "", n,
                  n == 1 ? "" : "s");
}

static void about_proven(struct text *out, const struct limits_view *v)
{
    struct text words;

    text_init(&words);
    for (unsigned i = 0; i < v->c->n; i++)
        if (is_proven(&v->c->row[i]))
            add_proven(&words, v, i);
    if (words.len)
        report_fact(out, v->width, "from", "%s", words.s);
    out->failed |= words.failed;
    text_fini(&words);
}

void limits_details(struct text *out, const struct limits_view *v)
{
    struct details d = {.out = out};

    about_all(&d, v);
    for (unsigned i = 0; i < v->c->n; i++)
        about_reason(out, v, i);
    if (is_brief(v))
        about_proven(out, v);
    text_add(out, "\n");
    for (unsigned i = 0; i < v->c->n; i++)
        take_one(&d, v, &v->c->row[i]);
}
