#include "report/report_priv.h"

#include <stdio.h>
#include <string.h>

static void about_words(struct text *out, const char *label, const char *words, unsigned width)
{
    if (*report_or_empty(words))
        report_fact(out, width, label, "%s", words);
}

void report_about_target(struct text *out, const struct result *r, unsigned width)
{
    const char *fs_type = result_fact_get(&r->target_facts, "fs_type");
    char label[CELL_MAX] = "target";

    if (report_side(r) > 0)
        snprintf(label, sizeof label, "target %c", report_side_letter(report_side(r)));
    if (result_modelled(r)) {
        const char *title = result_fact_get(&r->target_facts, "model_title");
        report_fact(out, width, label,
                    "%s (MODELLED: %s. No system was measured, and time is the model's own)",
                    report_or_dash(r->target), title ? title : result_modelled(r));
        return;
    }
    if (result_fact_get(&r->target_facts, "client"))
        report_fact(out, width, label, "%s (%s)", report_or_dash(r->target),
                    result_fact_get(&r->target_facts, "client"));
    else if (*report_or_empty(fs_type) && strcmp(fs_type, "none") != 0)
        report_fact(out, width, label, "%s (%s)", report_or_dash(r->target), fs_type);
    else
        report_fact(out, width, label, "%s", report_or_dash(r->target));
}

void report_about_run(struct text *out, struct result *const *results, unsigned n, unsigned width)
{
    const struct result *r = report_first_side(results, n);
    const char *build = result_fact_get(&r->machine, "build");
    char date[CELL_MAX];

    report_title(out, width, "%s %s  begun %s  loadline %s", r->study, r->study_id,
                 report_cell_date(date, r->begun_wall_ns), report_or_dash(r->tool_version));
    report_about_sides(out, results, n, width);
    about_words(out, "system", r->system, width);
    about_words(out, "software", r->software, width);
    about_words(out, "label", r->label, width);
    if (build && strcmp(build, "optimised") != 0 && !result_modelled(r))
        report_fact(out, width, "build", "%s: loadline's own share of each number is larger",
                    build);
}

void report_about_facts(struct text *out, const char *label, const struct result_facts *facts,
                        unsigned width)
{
    struct text words;

    if (facts->n == 0)
        return;
    text_init(&words);
    for (unsigned i = 0; i < facts->n; i++) {
        const struct result_fact *fact = &facts->fact[i];

        text_addf(&words, "%s%s=%s%s%s", i ? ", " : "", fact->key, fact->value,
                  *report_or_empty(fact->unit) ? " " : "", report_or_empty(fact->unit));
    }
    report_fact(out, width, label, "%s", words.s);
    out->failed = out->failed || words.failed;
    text_fini(&words);
}

static const char *cache_mode_words(const char *mode)
{
    static const struct {
        const char *mode;
        const char *words;
    } known[] = {
        {"drop", "drop: one syncfs, then each file's pages are given up before it is read, "
                 "outside the timed part"},
        {"direct", "direct: files are opened with O_DIRECT"},
        {"keep", "keep: nothing is dropped; reads may come from this machine's memory"},
        {"ram", "ram: the target itself lies in this machine's memory"},
        {"unverified", "not verified: neither dropping pages nor O_DIRECT was seen to work on this "
                       "target"},
        {"uncached", "none: loadline's own client keeps none, so every byte read came from the "
                     "server"},
        {"modelled",
         "none of this machine's; the server's times say what came from the model's memory"},
        {"modelled keep",
         "keep: what the modelled machine's memory holds is read from there; the server's "
         "times say how much was"},
        {"none", "none: this target keeps no data, so no read comes from a cache"},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(known[i].mode, mode) == 0)
            return known[i].words;
    }
    return mode;
}

static const char *cache_mode(const struct result *r)
{
    if (result_modelled(r))
        return strcmp(r->cache.mode, "keep") == 0 ? "modelled keep" : "modelled";
    return *r->cache.mode ? r->cache.mode : report_option(r, "client_cache");
}

void report_about_client_cache(struct text *out, const struct result *r, unsigned width)
{
    report_fact(out, width, "client cache", "%s", cache_mode_words(cache_mode(r)));
}

struct caches {
    struct text *out;
    unsigned width;
    const char *mode; /* of the first side */
    bool differ;
};

static void compare_cache(void *ctx, struct result *const *results, unsigned n)
{
    struct caches *caches = ctx;

    (void)n;
    caches->mode = caches->mode ? caches->mode : cache_mode(results[0]);
    caches->differ |= strcmp(caches->mode, cache_mode(results[0])) != 0;
}

static void about_cache_of_side(void *ctx, struct result *const *results, unsigned n)
{
    const struct caches *caches = ctx;

    (void)n;
    report_fact(caches->out, caches->width, "client cache", "%c: %s",
                report_side_letter(report_side(results[0])),
                cache_mode_words(cache_mode(results[0])));
}

void report_about_client_caches(struct text *out, struct result *const *results, unsigned n,
                                unsigned width)
{
    struct caches caches = {.out = out, .width = width};

    out->failed |= report_sides_each(results, n, compare_cache, &caches) < 0;
    if (caches.differ)
        out->failed |= report_sides_each(results, n, about_cache_of_side, &caches) < 0;
    else
        report_about_client_cache(out, report_first_side(results, n), width);
}

static const char *own_fact(const struct result *r, const char *key, char buf[CELL_MAX])
{
    return report_cell_number(buf, result_fact_number(&r->own, key, -1));
}

/* The difference of two measurements can come out below nothing on a noisy machine. */
static const char *report_added(char buf[CELL_MAX], double ns)
{
    char number[CELL_MAX];

    if (ns < 0)
        return "too little to measure";
    snprintf(buf, CELL_MAX, "%s ns", report_cell_number(number, ns));
    return buf;
}

void report_about_overhead(struct text *out, const struct result *r, unsigned width)
{
    char null_op[CELL_MAX], added[CELL_MAX], clock[CELL_MAX];
    double added_ns = result_fact_number(&r->own, "overhead_posix_added_ns", -1);

    if (result_modelled(r))
        return; /* nothing of it is in times that are the model's */
    if (!result_fact_get(&r->own, "overhead_null_op_ns")) {
        report_fact(out, width, "own overhead", "not measured here (loadline selftest overhead)");
        return;
    }
    report_fact(out, width, "own overhead",
                "%s ns of CPU an op through the null target; adds %s to a bare system call; "
                "%s ns a clock read",
                own_fact(r, "overhead_null_op_ns", null_op), report_added(added, added_ns),
                own_fact(r, "overhead_clock_read_ns", clock));
}

static bool same_error(const struct result_error *a, const struct result_error *b)
{
    return strcmp(a->op, b->op) == 0 && strcmp(a->code, b->code) == 0 &&
           strcmp(a->flowop, b->flowop) == 0;
}

/* True when result i or an earlier error of it has this kind already. */
static bool error_seen(struct result *const *results, unsigned run, unsigned at)
{
    const struct result_error *error = &results[run]->error[at];

    for (unsigned i = 0; i <= run; i++) {
        unsigned upto = i == run ? at : results[i]->errors;

        for (unsigned j = 0; j < upto; j++) {
            if (same_error(&results[i]->error[j], error))
                return true;
        }
    }
    return false;
}

static uint64_t error_sum(struct result *const *results, unsigned n,
                          const struct result_error *error)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < n; i++) {
        for (unsigned j = 0; j < results[i]->errors; j++) {
            if (same_error(&results[i]->error[j], error))
                sum += results[i]->error[j].count;
        }
    }
    return sum;
}

void report_about_errors(struct text *out, struct result *const *results, unsigned n,
                         unsigned width)
{
    char at[CELL_MAX];

    for (unsigned i = 0; i < n; i++) {
        for (unsigned j = 0; j < results[i]->errors; j++) {
            const struct result_error *error = &results[i]->error[j];

            if (error_seen(results, i, j))
                continue;
            report_fact(out, width, "ERR", "%s%s%s %s: %llu in all; first in run %u after %s, %s",
                        error->flowop, *error->flowop ? ": " : "", error->op, error->code,
                        (unsigned long long)error_sum(results, n, error), results[i]->run,
                        report_cell_ns(at, error->first_ns), report_or_dash(error->first_path));
        }
    }
}

void report_about_states(struct text *out, struct result *const *results, unsigned n,
                         unsigned width)
{
    for (unsigned i = 0; i < n; i++) {
        const struct result *r = results[i];

        if (r->state != RESULT_COMPLETE)
            report_fact(out, width, r->state == RESULT_VOID ? "VOID" : "INC", "run %u: %s", r->run,
                        report_or_dash(r->reason));
    }
}

void report_about_lost(struct text *out, struct result *const *results, unsigned n, unsigned width)
{
    for (unsigned i = 0; i < n; i++) {
        double lost = result_fact_number(&results[i]->own, "samples_lost", 0);

        if (lost > 0)
            report_fact(out, width, "lost", "run %u: %.0f samples were done but are in no number",
                        results[i]->run, lost);
    }
}

bool report_about_own_delay(const struct result *r)
{
    double gap_ns = result_fact_number(&r->own, "reap_gap_max_ns", 0);

    for (unsigned i = 0; i < r->lines; i++) {
        const struct samples_line *sum = &r->line[i].sum;

        if (sum->samples > 0 &&
            gap_ns > REPORT_OWN_DELAY_FRAC * (double)hist_quantile(&sum->service, 0.5))
            return true;
    }
    return false;
}
