/* What happened to this machine while it measured, and what its set-up makes of the numbers: one line
 * each, and nothing when all is well. */
#include "report/trust_priv.h"

#include "verdict/caveats.h"

#include <math.h>
#include <string.h>

static double counter(const struct result *r, const char *key)
{
    return result_fact_number(&r->counters, key, 0);
}

static double suspended_beyond(const struct result *r)
{
    return counter(r, "suspended_ns");
}

static double step_beyond(const struct result *r)
{
    return fabs(counter(r, "clock_step_ns"));
}

static double steal_beyond(const struct result *r)
{
    bool counts = counter(r, "machine_steal_ns") >= REPORT_STEAL_NS;

    return counts ? counter(r, "steal_frac") - REPORT_STEAL_FRAC : 0;
}

static double throttled_beyond(const struct result *r)
{
    return counter(r, "throttled");
}

static double clock_frac(const struct result *r)
{
    double nominal = result_fact_number(&r->machine, "cpu_nominal_khz", 0);
    double fastest = counter(r, "cpu_fastest_khz");
    bool known = nominal > 0 && fastest > 0 && counter(r, "cpu_khz_rounds") >= REPORT_CLOCK_ROUNDS;

    return known ? fastest / nominal : 1;
}

static double clock_beyond(const struct result *r)
{
    return REPORT_CLOCK_FRAC - clock_frac(r);
}

static void about_time(struct text *out, struct result *const *results, unsigned n, unsigned width)
{
    struct report_found slept = report_look_for(results, n, suspended_beyond);
    struct report_found step = report_look_for(results, n, step_beyond);
    char at[REPORT_WHERE_MAX], cell[CELL_MAX];

    if (slept.n)
        report_fact(out, width, "JUMP",
                    "%sthe machine was suspended for %s: do not believe times and rates",
                    report_where(at, &slept, n), report_cell_ns(cell, (uint64_t)slept.most));
    if (step.n)
        report_fact(out, width, "JUMP",
                    "%sthe date was set %s by %s: dates are wrong by that, times and rates are not",
                    report_where(at, &step, n),
                    counter(step.worst, "clock_step_ns") < 0 ? "back" : "forward",
                    report_cell_ns(cell, (uint64_t)step.most));
}

static void about_processors(struct text *out, struct result *const *results, unsigned n,
                             unsigned width)
{
    struct report_found steal = report_look_for(results, n, steal_beyond);
    struct report_found hot = report_look_for(results, n, throttled_beyond);
    struct report_found slow = report_look_for(results, n, clock_beyond);
    char at[REPORT_WHERE_MAX], cell[CELL_MAX];

    if (steal.n)
        report_fact(out, width, "STEAL",
                    "%sthe hypervisor kept the processors for %s of the time they were wanted; "
                    "what that delays counts as service",
                    report_where(at, &steal, n),
                    report_cell_percent(cell, counter(steal.worst, "steal_frac")));
    if (hot.n)
        report_fact(
            out, width, "THROTTLED",
            "%sprocessors were slowed for heat or power (events: %.0f): rates may have been "
            "higher while they were cool",
            report_where(at, &hot, n), hot.most);
    if (slow.n)
        report_fact(out, width, "SLOW CPU",
                    "%sthe fastest processor ran at %s of its nominal frequency on average, so "
                    "times of small ops are longer",
                    report_where(at, &slow, n), report_cell_percent(cell, clock_frac(slow.worst)));
}

void report_about_disturbance(struct text *out, struct result *const *results, unsigned n,
                              unsigned width)
{
    about_time(out, results, n, width);
    about_processors(out, results, n, width);
}

/* ---- the set-up ---- */

#define TOLD_MAX 32

struct told {
    unsigned n;
    struct {
        const char *target;
        struct caveat caveat;
    } at[TOLD_MAX];
};

/* Runs of one target share nearly all of it; what was said is not said again. */
static bool is_news(struct told *told, const char *target, const struct caveat *caveat)
{
    for (unsigned i = 0; i < told->n; i++)
        if (strcmp(told->at[i].target, target) == 0 &&
            strcmp(told->at[i].caveat.words, caveat->words) == 0)
            return false;
    if (told->n == TOLD_MAX)
        return false;
    told->at[told->n].target = target;
    told->at[told->n++].caveat = *caveat;
    return true;
}

static bool of_several_targets(struct result *const *results, unsigned n)
{
    for (unsigned i = 1; i < n; i++)
        if (strcmp(report_or_empty(results[i]->target), report_or_empty(results[0]->target)) != 0)
            return true;
    return false;
}

void report_about_caveats(struct text *out, struct result *const *results, unsigned n,
                          unsigned width)
{
    bool several = of_several_targets(results, n);
    struct caveat caveat[CAVEATS_MAX];
    struct told told = {0};

    for (unsigned i = 0; i < n; i++) {
        const struct caveat_facts of = caveat_facts_of(results[i]);
        const char *target = report_or_empty(results[i]->target);
        unsigned found = caveats_of(&of, caveat);

        for (unsigned c = 0; c < found; c++)
            if (is_news(&told, target, &caveat[c]))
                report_fact(out, width, caveat[c].label, "%s%s%s", several ? target : "",
                            several ? ": " : "", caveat[c].words);
    }
}
