/* What `limits` says before and while it runs. */
#include "study/limits_study_priv.h"

#include "base/units.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/param.h>

#define BUDGET_HELD_FRAC   1.15
#define LAYOUT_NS_PER_BYTE 4 /* 250 MB/s, until the target says otherwise */

struct forecast {
    struct study_intent intent;
    struct limits_budget budget;
    bool names;
};

__attribute__((format(printf, 2, 3))) static void tell(const struct limits_study *l,
                                                       const char *fmt, ...)
{
    char text[ERR_TEXT_MAX];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (l->sink->tell)
        l->sink->tell(l->sink->ctx, text);
}

/* ---- how much, and how long ---- */

/* Rows of names have none: they make theirs. */
static bool has_files(const struct limits_study *l, const struct limits_site *site)
{
    for (unsigned i = 0; i < l->jobs; i++)
        if (l->job[i].site == site && l->job[i].fit == LIMITS_RUNS &&
            l->job[i].row->place != LIMITS_NAMES)
            return true;
    return false;
}

static void add_site(const struct limits_study *l, struct forecast *f,
                     const struct limits_site *site)
{
    const struct target_caps *caps = &site->s.caps;
    uint64_t bytes = limits_site_bytes(l, site);
    if (!has_files(l, site) || caps->keeps_nothing || caps->one_file)
        return;
    f->intent.write_bytes += bytes;
    f->intent.peak_bytes += bytes;
    f->intent.files += site->spec.files;
    if (!caps->own_clock)
        f->budget.spent_ns += bytes * LAYOUT_NS_PER_BYTE;
}

static uint64_t row_ns(const struct limits_study *l, const struct limits_job *job,
                       const struct limits_budget *budget)
{
    struct limits_times times;
    unsigned points = limits_budget_points(job->row, job->streams_from, limits_streams_most(job));
    if (job->site->s.caps.own_clock)
        return 0;
    limits_budget_row(budget, points, l->o->quick, &times);
    return limits_budget_about(&times, points);
}

/* Of a device that is given up all may be overwritten. */
static void add_row(const struct limits_study *l, struct forecast *f, const struct limits_job *job)
{
    const struct target_caps *caps = &job->site->s.caps;
    uint64_t ns = row_ns(l, job, &f->budget);
    f->budget.spent_ns += ns;
    f->budget.rows_left -= 1;
    f->names |= job->row->place == LIMITS_NAMES && !caps->keeps_nothing;
    if (job->row->op != OP_WRITE || caps->keeps_nothing)
        return;
    f->intent.overwrite_ns += ns;
    if (caps->one_file)
        f->intent.peak_bytes = MAX(f->intent.peak_bytes, caps->file_bytes);
}

static void forecast(const struct limits_study *l, struct forecast *f)
{
    const struct limits_site *first = l->site[0];
    *f = (struct forecast){
        .intent = {.id = first->s.id,
                   .kind = first->s.kind,
                   .target = l->common->target,
                   .more_target = l->common->more_target,
                   .more_targets = l->common->more_targets,
                   .own_clock = first->s.caps.own_clock},
        .budget = {.total_ns = l->o->budget_ns, .rows_left = l->jobs_left},
    };
    for (unsigned i = 0; i < l->sites; i++)
        add_site(l, f, l->site[i]);
    f->budget.spent_ns = MIN(f->budget.spent_ns, l->o->budget_ns / 3);
}

/* ---- the plan ---- */

static const char *streams_words(char buf[24], const struct limits_job *job)
{
    uint32_t from = MAX(job->streams_from, 1), to = limits_streams_most(job);
    if (from >= to)
        snprintf(buf, 24, "%" PRIu32, to);
    else
        snprintf(buf, 24, "%" PRIu32 "..%" PRIu32, from, to);
    return buf;
}

static void tell_row(const struct limits_study *l, const struct forecast *f,
                     const struct limits_job *job)
{
    char streams[24], io[UNITS_PRINT_MAX] = "", set[UNITS_PRINT_MAX] = "";
    char time[UNITS_PRINT_MAX] = "";
    uint64_t io_bytes = limits_row_io(job->row, &job->site->where);
    uint64_t ns = row_ns(l, job, &f->budget);
    if (job->fit != LIMITS_RUNS) {
        tell(l, "  %-17s %s: %s", job->row->id,
             job->fit == LIMITS_SKIPPED ? "skipped" : "not applicable", job->why);
        return;
    }
    if (io_bytes > 0) {
        units_print_bytes(io, io_bytes);
        units_print_bytes(set, job->set.bytes);
    }
    if (ns > 0)
        units_print_ns(time, ns);
    tell(l, "  %-17s %7s %7s %10s  %.*s%s%s%s", job->row->id, io, streams_words(streams, job), set,
         (int)strcspn(job->set.place, ","), job->set.place, job->set.starved ? ", starved" : "",
         ns > 0 ? ", " : "", time);
}

static void tell_head(const struct limits_study *l, const struct limits_job *job)
{
    const struct limits_site *site = job->site;
    const struct limits_sizes *sizes = &site->sizes;
    char cache[UNITS_PRINT_MAX + 48] = "its size found by a sweep",
                                 flash[UNITS_PRINT_MAX + 32] = "";
    char bytes[UNITS_PRINT_MAX];
    if (site->s.caps.keeps_nothing)
        snprintf(cache, sizeof cache, "none, it keeps nothing");
    else if (!site->sweeps && sizes->cache_bytes == 0)
        snprintf(cache, sizeof cache, "none, or not known");
    else if (!site->sweeps)
        snprintf(cache, sizeof cache, "%s (%s)", units_print_bytes(bytes, sizes->cache_bytes),
                 sizes->cache_from);
    if (sizes->flash_bytes > 0)
        snprintf(flash, sizeof flash, ", flash %s (%s)",
                 units_print_bytes(bytes, sizes->flash_bytes), sizes->flash_from);
    tell(l, "%s, %s: cache %s%s", site->typed, site->protocol, cache, flash);
    if (l->o->dry_run || !site->where.own_clock)
        tell(l, "  %-17s %7s %7s %10s  %s", "row", "op", "streams", "set", "where");
}

static bool same_ladder(const struct limits_job *a, const struct limits_job *b)
{
    return a->site->side == b->site->side && strcmp(a->site->protocol, b->site->protocol) == 0;
}

/* What has no time of this machine's is over before its plan is read, unless that is what was asked for. */
static void tell_plan(const struct limits_study *l, const struct forecast *before)
{
    struct forecast f = *before;
    for (unsigned i = 0; i < l->jobs; i++) {
        const struct limits_job *job = &l->job[i];
        if (i == 0 || !same_ladder(job, &l->job[i - 1]))
            tell_head(l, job);
        if (l->o->dry_run || !job->site->where.own_clock)
            tell_row(l, &f, job);
        if (job->fit == LIMITS_RUNS)
            add_row(l, &f, job);
    }
}

static void tell_sum(const struct limits_study *l, const struct forecast *f)
{
    const struct study_intent *intent = &f->intent;
    char bytes[UNITS_PRINT_MAX], time[UNITS_PRINT_MAX], device[UNITS_PRINT_MAX + 32] = "";
    if (intent->files == 0 && intent->peak_bytes > 0)
        snprintf(device, sizeof device, ", %s of the device overwritten",
                 units_print_bytes(bytes, intent->peak_bytes));
    tell(l, "%u row%s, %u final run%s each; %s in files at once%s%s; %s%s", l->jobs_left,
         l->jobs_left == 1 ? "" : "s", l->o->quick ? 1 : LIMITS_FINALS, l->o->quick ? "" : "s",
         units_print_bytes(bytes, intent->write_bytes), f->names ? " and many without any" : "",
         device, intent->own_clock ? "in time of its own" : "about ",
         intent->own_clock ? "" : units_print_ns(time, intent->about_ns));
}

/* Runs have a least length, so that a budget may be too small for the rows that share it. */
static void tell_too_short(const struct limits_study *l, const struct forecast *f)
{
    char budget[UNITS_PRINT_MAX];
    if (f->intent.own_clock ||
        (double)f->intent.about_ns <= BUDGET_HELD_FRAC * (double)l->o->budget_ns)
        return;
    tell(l, "  that is more than the budget of %s: %s", units_print_ns(budget, l->o->budget_ns),
         l->jobs_left > 1 && !l->o->quick ? "give a longer --budget, or fewer rows with --only"
                                          : "give a longer --budget");
}

/* A plan alone begins nothing. */
int limits_announce(const struct limits_study *l, struct err *err)
{
    struct forecast before, f;
    int rc = 0;
    forecast(l, &before);
    f = before;
    for (unsigned i = 0; i < l->jobs; i++)
        if (l->job[i].fit == LIMITS_RUNS)
            add_row(l, &f, &l->job[i]);
    f.intent.reads_too = f.intent.overwrite_ns > 0;
    f.intent.about_ns = f.intent.own_clock ? 0 : f.budget.spent_ns;
    if (f.names && f.intent.files == 0)
        f.intent.files = LIMITS_NAMES_FILES;
    if (l->sink->begun && !l->o->dry_run)
        rc = l->sink->begun(l->sink->ctx, &f.intent, err);
    if (rc < 0)
        return rc;
    tell_plan(l, &before);
    tell_sum(l, &f);
    tell_too_short(l, &f);
    return 0;
}

void limits_say(const struct limits_study *l, const struct limits_job *job,
                const struct limits_load *load)
{
    study_say(&job->site->s, limits_left_ns(l), "%s %s, %" PRIu32 " stream%s, %s",
              job->site->protocol, job->row->id, load->streams, load->streams == 1 ? "" : "s",
              load->step);
}
