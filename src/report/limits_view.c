/* The ceilings of a study with what was published beside them. */
#include "report/limits_report_priv.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct result *limits_result_of(const struct limits_view *v, unsigned target)
{
    for (unsigned i = 0; i < v->n; i++)
        if (report_option_count(v->results[i], "side", 1) == target + 1)
            return v->results[i];
    return NULL;
}

/* Of another system nobody published anything: which protocol is spoken is all that an address may add. */
static bool is_changed(const char *address)
{
    const char *asked = strchr(address, '?');
    return asked && (strncmp(asked + 1, "protocol=", 9) != 0 || strchr(asked, '&'));
}

/* What the caller names, else what was published of a system that was modelled. */
static int take_published(struct limits_view *v, unsigned target, const struct report_style *style,
                          struct err *err)
{
    const struct result *r = limits_result_of(v, target);
    const char *model = r ? result_modelled(r) : NULL;
    struct limits_published *p;

    if (!style->published && (!model || is_changed(v->c->target[target])))
        return 0;
    p = malloc(sizeof *p);
    if (!p)
        return err_set(err, -ENOMEM, "out of memory for what was published");
    if (style->published)
        *p = *style->published;
    if (style->published || limits_published_find(model, p))
        v->published[target] = p;
    else
        free(p);
    return 0;
}

int limits_view_init(struct limits_view *v, struct result *const *results, unsigned n,
                     const struct report_style *style, struct err *err)
{
    int rc;

    *v = (struct limits_view){.results = results, .n = n, .width = report_width(style)};
    rc = ceilings_of(results, n, &v->c, err);
    if (rc == 0 && v->c->targets > LIMITS_SIDES_MAX)
        rc = err_set(err, -EINVAL, "%u targets: no more than %d stand side by side", v->c->targets,
                     LIMITS_SIDES_MAX);
    for (unsigned i = 0; rc == 0 && i < v->c->targets; i++)
        rc = take_published(v, i, style, err);
    return rc;
}

void limits_view_fini(struct limits_view *v)
{
    for (unsigned i = 0; i < LIMITS_SIDES_MAX; i++)
        free(v->published[i]);
    ceilings_free(v->c);
}

static bool same_row(const struct ceiling *c, const char *protocol, const char *row)
{
    return strcmp(c->protocol, protocol) == 0 && strcmp(c->row, row) == 0;
}

const struct ceiling *limits_row_of(const struct limits_view *v, unsigned target,
                                    const char *protocol, const char *row)
{
    for (unsigned i = 0; i < v->c->n; i++)
        if (v->c->row[i].target == target && same_row(&v->c->row[i], protocol, row))
            return &v->c->row[i];
    return NULL;
}

static bool seen_before(const struct ceilings *c, unsigned upto)
{
    for (unsigned i = 0; i < upto; i++)
        if (same_row(&c->row[i], c->row[upto].protocol, c->row[upto].row))
            return true;
    return false;
}

static bool protocol_before(const struct ceilings *c, unsigned upto)
{
    for (unsigned i = 0; i < upto; i++)
        if (strcmp(c->row[i].protocol, c->row[upto].protocol) == 0)
            return true;
    return false;
}

void limits_each_row(const struct limits_view *v,
                     void (*take)(void *ctx, const struct limits_view *v, const struct ceiling *),
                     void *ctx)
{
    const struct ceilings *c = v->c;

    for (unsigned p = 0; p < c->n; p++) {
        if (protocol_before(c, p))
            continue;
        for (unsigned i = p; i < c->n; i++)
            if (strcmp(c->row[i].protocol, c->row[p].protocol) == 0 && !seen_before(c, i))
                take(ctx, v, &c->row[i]);
    }
}

bool limits_has_value(const struct ceiling *c)
{
    return c && c->state != CEILING_NOT_APPLICABLE && c->state != CEILING_SKIPPED &&
           isfinite(c->value) && c->value > 0;
}

bool limits_lower_bound(const struct ceiling *c)
{
    return c->metric != CEILING_LATENCY &&
           (c->state == CEILING_RISING || c->state == CEILING_INCOMPLETE ||
            (c->limiter && c->limiter->at_client));
}

bool limits_unproven(const struct ceiling *c)
{
    return c->state == CEILING_NOT_PROVEN || c->state == CEILING_STARVED;
}

const char *limits_title(const struct ceiling *c)
{
    const char *title = ceiling_title(c->row);

    return title ? title : c->row;
}

const struct limits_published_row *limits_published_beside(const struct limits_view *v,
                                                           const struct ceiling *c)
{
    return c && c->target < LIMITS_SIDES_MAX
               ? limits_published_get(v->published[c->target], c->protocol, c->row)
               : NULL;
}

static double off(double value, double published)
{
    return published > 0 ? value / published - 1 : NAN;
}

double limits_off_frac(const struct limits_published_row *row, const struct ceiling *c)
{
    double low, high;

    if (!row || !limits_has_value(c))
        return NAN;
    if (c->metric != CEILING_LATENCY)
        return off(c->value, (row->low + row->high) / 2);
    low = off((double)c->latency.p5_ns, row->low);
    high = off((double)c->latency.p95_ns, row->high);
    return fabs(low) > fabs(high) ? low : high;
}
