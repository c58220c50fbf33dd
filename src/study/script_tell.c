/* What is said before and while a script is carried out, and what each result says was asked. */
#include "study/script_study_priv.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/param.h>

#define FILE_NS 200000u /* to make, sync and remove one */

void script_tell(struct script_study *x, const char *fmt, ...)
{
    struct text words;
    va_list ap;
    text_init(&words);
    va_start(ap, fmt);
    text_addv(&words, fmt, ap);
    va_end(ap);
    if (x->s.sink->tell && !words.failed)
        x->s.sink->tell(x->s.sink->ctx, words.s);
    text_fini(&words);
}

static double mean_width(const struct grown *g)
{
    const struct draw *width = &grown_spec(g)->width;
    return width->kind == DRAW_FIXED ? width->a : draw_mean(width);
}

void script_tell_set(struct script_study *x, unsigned set)
{
    const struct grown *g = script_grown(x, set);
    if (x->script->set[set].single)
        return;
    script_tell(x,
                "%s populated: %" PRIu64 " files, avg. dir. width = %.0f, avg. dir. depth = %.1f, "
                "%" PRIu64 " leafdirs, %.3fMB total size",
                x->script->set[set].name, grown_files(g), mean_width(g), grown_mean_depth(g),
                grown_leafs(g), (double)grown_bytes(g) / 1048576);
}

/* ---- the whole study ---- */

static uint64_t run_ns(const struct plan *plan)
{
    return plan->window.measure_ns ? plan->window.warmup_ns + plan->window.measure_ns : 0;
}

static bool step_writes(const struct plan *plan)
{
    for (unsigned i = 0; i < plan->lines; i++)
        if (flowop_writes(plan->line[i].type))
            return true;
    return false;
}

static bool step_reads(const struct plan *plan)
{
    for (unsigned i = 0; i < plan->lines; i++)
        if (flowop_reads(plan->line[i].type))
            return true;
    return false;
}

static bool script_writes(const struct script *script)
{
    for (unsigned i = 0; i < script->steps; i++)
        if (script->step[i].kind == SCRIPT_RUN && step_writes(script->step[i].plan))
            return true;
    return false;
}

/* What each repeat makes anew: script_clear removes it before. */
static uint64_t made_anew_bytes(const struct script *script)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < script->sets; i++) {
        const struct script_set *set = &script->set[i];
        if (set->grown && script_clears(set))
            bytes += (uint64_t)((double)grown_bytes(set->grown) * set->exists_percent / 100);
    }
    return MIN(bytes, script->bytes);
}

static void add_script(const struct script *script, unsigned repeats, struct study_intent *intent,
                       uint64_t *all_ns)
{
    for (unsigned i = 0; i < script->steps; i++) {
        const struct script_step *step = &script->step[i];
        *all_ns += step->kind == SCRIPT_SLEEP ? repeats * step->ns : 0;
        if (step->kind != SCRIPT_RUN)
            continue;
        *all_ns += repeats * run_ns(step->plan);
        intent->overwrite_ns += step_writes(step->plan) ? repeats * run_ns(step->plan) : 0;
        intent->reads_too |= step_reads(step->plan);
    }
    intent->write_bytes += script->bytes + (repeats - 1) * made_anew_bytes(script);
    intent->files = MAX(intent->files, script->files);
    intent->peak_bytes = MAX(intent->peak_bytes, script->bytes);
}

/* Making, syncing and removing at 250 MB/s, until the disk says otherwise. */
int script_announce(struct script_study *x, struct err *err)
{
    const struct study_sink *sink = x->s.sink;
    struct study_intent intent = {.id = x->s.id, .kind = x->s.kind, .target = x->s.common->target};
    if (x->wish->suite)
        intent.workload = x->wish->suite;
    else if (x->wish->scripts == 1)
        intent.workload = x->wish->script[0]->name;
    uint64_t all_ns = 0;
    for (unsigned i = 0; i < x->wish->scripts; i++)
        add_script(x->wish->script[i], x->wish->repeats[i], &intent, &all_ns);
    intent.reads_too &= intent.overwrite_ns > 0;
    x->about_ns = all_ns;
    if (x->s.caps.keeps_nothing || !script_has_site(x))
        intent.write_bytes = intent.peak_bytes = intent.files = 0;
    for (unsigned i = 0; x->s.caps.one_file && i < x->wish->scripts; i++)
        if (script_writes(x->wish->script[i]))
            intent.peak_bytes = x->s.caps.file_bytes;
    if (x->s.caps.keeps_nothing)
        intent.overwrite_ns = 0;
    if (x->s.adopted)
        intent.write_bytes = 0;
    intent.own_clock = x->s.caps.own_clock;
    if (!x->s.caps.own_clock)
        intent.about_ns = x->about_ns + 4 * intent.write_bytes + intent.files * FILE_NS;
    return sink->begun ? sink->begun(sink->ctx, &intent, err) : 0;
}

void script_say(struct script_study *x, const char *fmt, ...)
{
    char words[96];
    uint64_t left = x->about_ns - MIN(x->spent_ns, x->about_ns);
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(words, sizeof words, fmt, ap);
    va_end(ap);
    study_say(&x->s, left, "%s", words);
}

/* ---- results ---- */

static const char *dialect_name(enum script_dialect dialect)
{
    static const char *const name[] = {"auto", "sun", "1.4", "1.5"};
    return name[dialect];
}

static const char *quit_name(enum plan_quit quit)
{
    static const char *const name[] = {"timeout", "firstdone", "alldone"};
    return name[quit];
}

/* A variable that is named twice has the value that it had last. */
static void put_variables(struct fact_pen *pen, const struct script *script)
{
    char key[160];
    for (unsigned i = 0; i < script->variables; i++) {
        snprintf(key, sizeof key, "var_%s", script->variable[i].name);
        fact_word(pen, key, script->variable[i].value);
    }
}

static void put_window(struct fact_pen *pen, const struct plan *plan, const struct result *r)
{
    fact_count(pen, "time_ns", plan->window.measure_ns, "ns");
    fact_count(pen, "warmup_ns", r->window_open_ns, "ns");
    if (plan->window.steady_frac > 0)
        fact_number(pen, "until_steady_frac", plan->window.steady_frac, "");
}

static bool any_listed(const struct script_study *x)
{
    for (unsigned i = 0; i < x->script->sets; i++)
        if (x->live[i].listed)
            return true;
    return false;
}

int script_put_options(const struct script_study *x, const struct script_step *step,
                       struct result *r, const char *ended)
{
    struct fact_pen pen = {.facts = &r->options};
    const struct script *script = x->script;
    if (x->wish->suite)
        fact_word(&pen, "suite", x->wish->suite);
    fact_word(&pen, "workload", script->name);
    fact_count(&pen, "script", x->number, "");
    fact_count(&pen, "script_run", x->run, "");
    fact_count(&pen, "repeat", x->repeat, "");
    fact_count(&pen, "repeats", x->wish->repeats[x->number - 1], "");
    fact_word(&pen, "dialect", dialect_name(script->dialect));
    fact_word(&pen, "mode", quit_name(step->plan->quit));
    fact_word(&pen, "ended", ended);
    fact_count(&pen, "streams", step->plan->streams, "");
    fact_count(&pen, "processes", step->plan->processes, "");
    put_window(&pen, step->plan, r);
    fact_word(&pen, "client_cache", x->wish->cache == STUDY_CACHE_KEEP ? "keep" : "drop");
    fact_resolve(&pen, &x->s);
    fact_word(&pen, "reused_files", x->s.adopted || any_listed(x) ? "yes" : "no");
    fact_word(&pen, "latency_histogram", script->latency_histogram ? "yes" : "no");
    put_variables(&pen, script);
    return pen.rc;
}
