/* The study as a whole, and one run of it. */
#include "report/limits_report_priv.h"

#include "report/trust_priv.h"

#include <stdio.h>
#include <string.h>

static void about_side(struct text *out, const struct limits_view *v, unsigned target)
{
    const struct result *r = limits_result_of(v, target);
    const char *fs_type = r ? result_fact_get(&r->target_facts, "fs_type") : NULL;
    const char *title = r ? result_fact_get(&r->target_facts, "model_title") : NULL;
    char label[CELL_MAX] = "target";

    if (v->c->targets > 1)
        snprintf(label, sizeof label, "target %c", report_side_letter(target + 1));
    if (title)
        report_fact(out, v->width, label, "%s (MODELLED: %s)", v->c->target[target], title);
    else if (fs_type && *fs_type && strcmp(fs_type, "none") != 0)
        report_fact(out, v->width, label, "%s (%s)", v->c->target[target], fs_type);
    else
        report_fact(out, v->width, label, "%s", v->c->target[target]);
}

static void about_cache(struct text *out, const struct limits_view *v, unsigned target)
{
    const struct result *r = limits_result_of(v, target);
    uint64_t cache = r ? report_option_count(r, "cache_bytes", 0) : 0;
    uint64_t flash = r ? report_option_count(r, "flash_bytes", 0) : 0;
    char size[CELL_MAX], more[CELL_MAX];

    if (cache == 0)
        return;
    report_fact(out, v->width, "cache", "%s (%s)%s%s", report_cell_bytes(size, cache),
                report_option(r, "cache_from"), flash ? ", flash " : "",
                flash ? report_cell_bytes(more, flash) : "");
}

static void head(struct text *out, const struct limits_view *v)
{
    const struct result *r = v->results[0];
    char date[CELL_MAX];

    report_title(out, v->width, "limits %s  begun %s  loadline %s", r->study_id,
                 report_cell_date(date, r->begun_wall_ns), report_or_dash(r->tool_version));
    for (unsigned i = 0; i < v->c->targets; i++) {
        about_side(out, v, i);
        about_cache(out, v, i);
    }
    if (*report_or_empty(r->system))
        report_fact(out, v->width, "system", "%s", r->system);
    if (*report_or_empty(r->software))
        report_fact(out, v->width, "software", "%s", r->software);
    if (*report_or_empty(r->label))
        report_fact(out, v->width, "label", "%s", r->label);
}

static void ending(struct text *out, const struct limits_view *v)
{
    struct result *first[LIMITS_SIDES_MAX] = {NULL};
    const struct result *r = v->results[0];
    unsigned n = 0;

    for (unsigned i = 0; i < v->n && n < LIMITS_SIDES_MAX; i++)
        if (v->results[i] == limits_result_of(v, n))
            first[n++] = v->results[i];
    report_about_errors(out, v->results, v->n, v->width);
    report_about_caveats(out, first, n, v->width);
    report_about_states(out, v->results, v->n, v->width);
    if (report_is_wide(v->width))
        report_about_facts(out, "this machine", &r->machine, v->width);
}

static void whole(struct text *out, const struct limits_view *v)
{
    head(out, v);
    limits_table(out, v);
    limits_details(out, v);
    ending(out, v);
}

static bool is_quick(struct result *const *results)
{
    return strcmp(report_option(results[0], "quick"), "yes") == 0;
}

int report_limits(struct text *out, struct result *const *results, unsigned n,
                  const struct report_style *style, struct err *err)
{
    struct limits_view v;
    int rc = limits_view_init(&v, results, n, style, err);

    if (rc < 0)
        goto out;
    if (style->format == REPORT_JSON)
        rc = limits_json(out, &v, err);
    else if (style->format == REPORT_CSV)
        limits_csv(out, &v);
    else if (is_quick(results) && !style->wide)
        limits_quick(out, &v);
    else
        whole(out, &v);
out:
    limits_view_fini(&v);
    return rc;
}
