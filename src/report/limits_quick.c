/* Four rows and a verdict, to be pasted: what `quick` prints. */
#include "report/limits_report_priv.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { END_ROW = 22, END_VALUE = 34, END_LOAD = 47, END_Q50 = 62, END_Q99 = 76 };

static void put_value(struct report_columns *line, const struct ceiling *c)
{
    char cell[CELL_MAX], ns[CELL_MAX];

    report_columns_right(line, END_VALUE, limits_cell_of(cell, c));
    snprintf(cell, sizeof cell, "%u %s", c->top_streams,
             c->top_streams == 1 ? "stream" : "streams");
    report_columns_right(line, END_LOAD, cell);
    snprintf(cell, sizeof cell, "p50 %.30s", report_cell_ns(ns, c->latency.p50_ns));
    report_columns_right(line, END_Q50, cell);
    snprintf(cell, sizeof cell, "p99 %.30s", report_cell_ns(ns, c->latency.p99_ns));
    report_columns_right(line, END_Q99, cell);
}

static void put_row(void *ctx, const struct limits_view *v, const struct ceiling *c)
{
    struct report_columns line = report_columns_begin(ctx, v->width);

    if (c->state == CEILING_NOT_APPLICABLE)
        return;
    report_columns_short(&line, 0, END_ROW, limits_title(c));
    if (limits_has_value(c))
        put_value(&line, c);
    else
        report_columns_short(&line, END_ROW + 2, REPORT_WIDTH, *c->why ? c->why : "no value");
    report_columns_end(&line);
}

static void head(struct text *out, const struct limits_view *v)
{
    const struct result *r = v->results[0];
    const char *fs_type = result_fact_get(&r->target_facts, "fs_type");
    const char *model = result_fact_get(&r->target_facts, "model_title");
    char date[CELL_MAX];

    report_title(out, v->width, "loadline %s quick  %s  %s", report_or_dash(r->tool_version),
                 report_cell_date(date, r->begun_wall_ns), r->study_id);
    report_fact(out, v->width, "target", "%s (%s%s)", v->c->target[0], model ? "MODELLED: " : "",
                model ? model : report_or_dash(fs_type));
}

/* "read 4 KiB, disk: disk nvme0n1 full (99.1 % busy)". */
static void verdict_of(struct text *words, const struct ceiling *c)
{
    if (!limits_has_value(c))
        return;
    text_addf(words, "%s%s: ", words->len ? "; " : "", limits_title(c));
    if (c->state != CEILING_FOUND && *c->why)
        text_addf(words, "%s, %s", ceiling_state_name(c->state), c->why);
    else
        text_add(words, limits_cell_stopped(c));
    if (c->limiter && *c->limiter->evidence)
        text_addf(words, " (%s)", c->limiter->evidence);
}

static bool same_verdict(const struct ceilings *all)
{
    for (unsigned i = 1; i < all->n; i++)
        if (strcmp(limits_cell_stopped(&all->row[i]), limits_cell_stopped(&all->row[0])) != 0)
            return false;
    return all->n > 0;
}

static void verdict(struct text *out, const struct limits_view *v)
{
    struct text words;

    text_init(&words);
    if (same_verdict(v->c) && !v->c->row[0].limiter)
        text_addf(&words, "all rows: limiter %s", limits_cell_stopped(&v->c->row[0]));
    else
        for (unsigned i = 0; i < v->c->n; i++)
            verdict_of(&words, &v->c->row[i]);
    report_fact(out, v->width, "stopped by", "%s", words.s);
    out->failed |= words.failed;
    text_fini(&words);
}

/* Of all rows of one place the one with the least proof; NAN: one has none. */
static double least_share(const struct ceilings *all, const char *place)
{
    double least = 1;

    for (unsigned i = 0; i < all->n; i++)
        if (limits_has_value(&all->row[i]) && strcmp(all->row[i].place, place) == 0 &&
            !(all->row[i].place_frac >= least))
            least = all->row[i].place_frac;
    return least;
}

static bool first_of_place(const struct ceilings *all, unsigned at)
{
    for (unsigned i = 0; i < at; i++)
        if (limits_has_value(&all->row[i]) && strcmp(all->row[i].place, all->row[at].place) == 0)
            return false;
    return limits_has_value(&all->row[at]);
}

static void proof(struct text *out, const struct limits_view *v)
{
    struct text words;
    char share[CELL_MAX];

    text_init(&words);
    for (unsigned i = 0; i < v->c->n; i++) {
        const char *place = v->c->row[i].place;

        if (*place == '\0' || !first_of_place(v->c, i))
            continue;
        double least = least_share(v->c, place);
        if (isfinite(least))
            text_addf(&words, "%s%s %s", words.len ? ", " : "", place,
                      limits_cell_share(share, least));
        else
            text_addf(&words, "%s%s, not verified", words.len ? "; " : "", place);
    }
    report_fact(out, v->width, "bytes at", "%s", words.s);
    out->failed |= words.failed;
    text_fini(&words);
}

/* The rows with a doubt by that rule, counted from one row on. */
static unsigned rows_doubted(const struct ceilings *all, unsigned from, const char *rule)
{
    unsigned n = 0;

    for (unsigned i = from; i < all->n; i++)
        for (unsigned k = 0; k < all->row[i].findings; k++)
            n += all->row[i].finding[k].weight == FINDING_DOUBTS &&
                 strcmp(all->row[i].finding[k].rule, rule) == 0;
    return n;
}

/* Each doubt once, with the first row that it is of. */
static void doubts(struct text *out, const struct limits_view *v)
{
    const struct ceilings *all = v->c;

    for (unsigned i = 0; i < all->n; i++)
        for (unsigned k = 0; k < all->row[i].findings; k++) {
            const struct finding *f = &all->row[i].finding[k];
            unsigned n = rows_doubted(all, i, f->rule);
            char more[32] = "";

            if (f->weight != FINDING_DOUBTS || rows_doubted(all, 0, f->rule) > n)
                continue;
            if (n > 1)
                snprintf(more, sizeof more, " and %u more", n - 1);
            report_fact(out, v->width, "DOUBT", "%s%s: %s%s%s", limits_title(&all->row[i]), more,
                        f->words, *f->evidence ? ": " : "", f->evidence);
        }
}

void limits_quick(struct text *out, const struct limits_view *v)
{
    head(out, v);
    limits_each_row(v, put_row, out);
    proof(out, v);
    verdict(out, v);
    limits_about_writes(out, v);
    doubts(out, v);
}
