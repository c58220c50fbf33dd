#include "base/digest.h"
#include "fileset/grown.h"
#include "plan/build.h"
#include "plan/plan_priv.h"
#include "target/target.h"

#include <errno.h>
#include <string.h>

void plan_text_quoted(struct text *out, const char *s)
{
    text_add(out, "\"");
    for (; *s != '\0'; s++) {
        unsigned char c = (unsigned char)*s;
        if (c < 0x20 || c == 0x7f || c == '"' || c == '\\')
            text_addf(out, "\\x%02x", c);
        else
            text_addf(out, "%c", c);
    }
    text_add(out, "\"");
}

/* Where it lies is no part of the workload; which of all trees it is, is. */
static void text_grown(struct text *out, unsigned i, const struct grown *grown)
{
    text_addf(out, "set %u grown ", i);
    plan_text_quoted(out, grown_spec(grown)->name);
    text_addf(out, " seed=%llu ", (unsigned long long)grown_spec(grown)->seed);
    grown_text(grown, out);
}

static void text_set(struct text *out, unsigned i, const struct fileset_spec *set)
{
    if (set->shape == FILESET_TREE)
        text_addf(out, "set %u tree trees=%u levels=%u branches=%u files=%u", i, set->trees,
                  set->levels, set->branches, set->files);
    else if (set->shape == FILESET_FLAT)
        text_addf(out, "set %u flat files=%u", i, set->files);
    else
        text_grown(out, i, set->grown);
    if (set->shape != FILESET_GROWN)
        text_addf(out, " size_bytes=%llu", (unsigned long long)set->size_bytes);
    if (set->compress_centi)
        text_addf(out, " compress_centi=%u", set->compress_centi);
    text_add(out, "\n");
}

static void text_section(struct text *out, const struct plan *plan, const char *name,
                         uint32_t start, uint32_t stop, enum plan_form form)
{
    text_addf(out, "  %s\n", name);
    for (uint32_t i = start; i < stop; i++) {
        text_addf(out, "    %u ", i - start);
        plan_text_step(out, plan, &plan->step[i], start, form);
        text_add(out, "\n");
    }
}

static void text_window(struct text *out, const struct plan_window *window)
{
    text_addf(out, "window warmup_ns=%llu measure_ns=%llu", (unsigned long long)window->warmup_ns,
              (unsigned long long)window->measure_ns);
    if (window->steady_frac > 0)
        text_addf(out, " steady_frac=%.17g steady_max_ns=%llu", window->steady_frac,
                  (unsigned long long)window->steady_max_ns);
    if (window->precise_frac > 0)
        text_addf(out, " precise_frac=%.17g precise_min_ns=%llu", window->precise_frac,
                  (unsigned long long)window->precise_min_ns);
    text_add(out, "\n");
}

static void text_objects(struct text *out, const struct plan *plan)
{
    static const char *const arrival[] = {"constant", "poisson", "tens"};
    for (unsigned i = 0; i < plan->schedules; i++)
        text_addf(out, "schedule %u %s rate_per_s=%.17g\n", i, arrival[plan->schedule[i].arrival],
                  plan->schedule[i].rate_per_s);
    for (unsigned i = 0; i < plan->draws; i++) {
        text_addf(out, "draw %u ", i);
        draw_text(&plan->draw[i], out);
        text_add(out, "\n");
    }
    if (plan->events > 0)
        text_addf(out, "events %u\n", plan->events);
    for (unsigned i = 0; i < plan->semaphores; i++)
        text_addf(out, "semaphore %u credits=%llu\n", i,
                  (unsigned long long)plan->semaphore[i].credits);
    for (unsigned i = 0; i < plan->lines; i++)
        if (plan->line[i].type[0] != '\0')
            text_addf(out, "line %s type=%s%s\n", plan->line[i].name, plan->line[i].type,
                      plan->line[i].open_loop ? " open-loop" : "");
}

static void text_group_head(struct text *out, const struct plan_group *group)
{
    text_addf(out, "group %s streams=%u clients=%u", group->name, group->streams, group->clients);
    if (group->processes != 1 || group->process != 0)
        text_addf(out, " processes=%u first=%u", group->processes, group->process);
    if (group->nice != 0)
        text_addf(out, " nice=%d", group->nice);
    if (group->io_priority >= 0)
        text_addf(out, " io_priority=%d", group->io_priority);
    if (group->pool_bytes > 0)
        text_addf(out, " pool_bytes=%llu", (unsigned long long)group->pool_bytes);
    if (group->detached > 0)
        text_addf(out, " detached=%u", group->detached);
    text_add(out, "\n");
    for (unsigned i = 0; i < group->counters; i++)
        text_addf(out, "  counter %u %s%s\n", i, group->counter[i].bytes ? "bytes" : "ops",
                  group->counter[i].process ? " process" : "");
}

void plan_text(const struct plan *plan, enum plan_form form, struct text *out)
{
    static const char *const quit[] = {"timeout", "firstdone", "alldone"};
    text_addf(out, "seed %llu\n", (unsigned long long)plan->seed);
    if (form == PLAN_FORM_WHOLE)
        text_addf(out, "instrument scheme=%s direct=%s cache=%s%s\n", plan->instrument.scheme,
                  plan->instrument.direct ? "yes" : "no", plan_cache_name(plan->instrument.cache),
                  plan->instrument.resolve_always ? " resolve=every-time" : "");
    if (form == PLAN_FORM_WHOLE && plan->touched_bytes > 0)
        text_addf(out, "touched block_bytes=%llu\n", (unsigned long long)plan->touched_bytes);
    text_window(out, &plan->window);
    if (plan->quit != PLAN_QUIT_TIMEOUT)
        text_addf(out, "quit %s\n", quit[plan->quit]);
    for (unsigned i = 0; i < plan->sets; i++)
        text_set(out, i, &plan->set[i]);
    text_objects(out, plan);
    for (unsigned i = 0; i < plan->groups; i++) {
        const struct plan_group *group = &plan->group[i];
        uint32_t stop = plan_group_stop(plan, group);
        text_group_head(out, group);
        text_section(out, plan, "setup", group->setup, group->body, form);
        text_section(out, plan, "body", group->body, group->teardown, form);
        text_section(out, plan, "teardown", group->teardown, stop, form);
    }
    if (plan->sync_at_end)
        text_addf(out, "sync line=%s\n", plan->line[plan->sync_line].name);
}

static int hash_form(const struct plan *plan, enum plan_form form, char hex[DIGEST_HEX_MAX])
{
    struct text text;
    text_init(&text);
    plan_text(plan, form, &text);
    int rc = text.failed ? -ENOMEM : 0;
    if (rc == 0)
        digest_sha256(text.s, text.len, hex);
    text_fini(&text);
    return rc;
}

int plan_hash(struct plan *plan, struct err *err)
{
    int rc = hash_form(plan, PLAN_FORM_WORKLOAD, plan->workload_hash);
    if (rc == 0)
        rc = hash_form(plan, PLAN_FORM_WHOLE, plan->plan_hash);
    return rc < 0 ? err_set(err, rc, "no memory to write the plan down") : 0;
}
