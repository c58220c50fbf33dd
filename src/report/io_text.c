#include "report/io_report_priv.h"

#include "stats/spread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BACKLOG_WORDS_MAX 128

static const char *backlog_words(char buf[BACKLOG_WORDS_MAX], double backlog)
{
    *buf = '\0';
    if (backlog > 0)
        snprintf(buf, BACKLOG_WORDS_MAX,
                 "; BACKLOG: %.0f more fell due before the window and were not done when it opened",
                 backlog);
    return buf;
}

static void about_loop(struct text *out, struct result *const *results, unsigned n,
                       const struct io_sum *sum, unsigned width)
{
    char asked[CELL_MAX], arrived[CELL_MAX], words[BACKLOG_WORDS_MAX];
    const struct result *first = results[0];
    uint64_t arrivals = 0, unfinished = 0;
    double backlog = 0;

    if (!sum->open_loop) {
        report_fact(out, width, "closed loop",
                    "response = service: a stream asks again when it was answered, so a slow "
                    "target is asked less");
        return;
    }
    for (unsigned i = 0; i < n; i++) {
        arrivals += results[i]->arrivals;
        unfinished += results[i]->unfinished;
        backlog += result_fact_number(&results[i]->own, "backlog_at_open", 0);
    }
    report_fact(
        out, width, "open loop",
        "asked %s/s, %s; arrived %s/s: %llu arrivals in the window%s, %llu of them not done at "
        "its end (their age counts as response)%s",
        report_cell_number(asked, result_fact_number(&first->options, "rate_per_s", -1)),
        strcmp(report_io_chosen(first, "arrival", "constant"), "poisson") == 0
            ? "at random as from many users (poisson)"
            : "in equal steps",
        report_cell_number(arrived, io_per_second(results, n, (double)arrivals)),
        (unsigned long long)arrivals, n > 1 ? " of all runs" : "", (unsigned long long)unfinished,
        backlog_words(words, backlog));
}

static void about_slowest(struct text *out, const struct result *r, unsigned width)
{
    struct report_slowest slowest = report_slowest_of(r);
    char most[CELL_MAX], from[CELL_MAX], to[CELL_MAX];

    if (!slowest.line)
        return;
    report_cell_ns(most, slowest.ns);
    if (slowest.found)
        report_fact(out, width, "slowest", "%s, %s: done %s to %s into the window", most,
                    slowest.line->name, report_cell_ns(from, slowest.from_ns),
                    report_cell_ns(to, slowest.to_ns));
    else if (slowest.under_way || (slowest.line->open_loop && r->unfinished > 0))
        report_fact(out, width, "slowest", "%s, %s: not done when the window closed", most,
                    slowest.line->name);
}

static void about_p9999(struct text *out, const struct result *r, unsigned width)
{
    struct text words;
    char cell[CELL_MAX];

    text_init(&words);
    for (unsigned i = 0; i < r->lines; i++) {
        const struct result_line *line = &r->line[i];

        if (hist_count(&line->sum.response) > 0)
            text_addf(&words, "%s response %s; ", line->name,
                      report_cell_ns(cell, hist_quantile(&line->sum.response, 0.9999)));
        if (hist_count(&line->sum.service) > 0)
            text_addf(&words, "%s service %s; ", line->name,
                      report_cell_ns(cell, hist_quantile(&line->sum.service, 0.9999)));
    }
    if (words.len > 0)
        report_fact(out, width, "p99.99", "%.*s", (int)words.len - 2, words.s);
    out->failed = out->failed || words.failed;
    text_fini(&words);
}

static void about_everything(struct text *out, const struct result *r, unsigned width)
{
    if (!report_is_wide(width))
        return;
    about_p9999(out, r, width);
    report_about_content(out, r, width);
    report_about_facts(out, "about target", &r->target_facts, width);
    report_about_facts(out, "counters", &r->counters, width);
    report_about_facts(out, "this machine", &r->machine, width);
    report_about_facts(out, "loadline", &r->own, width);
}

static void about_streams(struct text *out, const struct result *r, unsigned width)
{
    const struct result_streams *s = &r->streams;
    bool uneven = (double)s->min_ops < REPORT_SLOWEST_FRAC * (double)s->median_ops;
    char share[CELL_MAX], client[48] = "";

    if (s->n == 0)
        return;
    if (uneven && s->slowest_n > 0 && report_option_count(r, "clients", 1) > 1)
        snprintf(client, sizeof client, "; it is of client %u", s->slowest[0].client + 1);
    report_fact(out, width, "streams", "%u: ops min %llu, median %llu, max %llu%s%s%s%s", s->n,
                (unsigned long long)s->min_ops, (unsigned long long)s->median_ops,
                (unsigned long long)s->max_ops, uneven ? "; UNEVEN: the slowest did " : "",
                uneven ? report_cell_percent(share, (double)s->min_ops / (double)s->median_ops)
                       : "",
                uneven ? " of the median" : "", client);
}

/* CPU is counted while the gate is open, so it is divided by all ops since then. */
static uint64_t ops_since_gate(const struct result *r, const struct io_sum *sum)
{
    uint64_t ops = 0;

    for (size_t i = 0; i < (size_t)r->series.used * r->series.lines; i++)
        ops += r->series.line[i].ops;
    return ops ? ops : sum->ops;
}

static void about_cpu(struct text *out, const struct result *r, const struct io_sum *sum,
                      unsigned width)
{
    double user_ns = result_fact_number(&r->own, "cpu_user_ns", -1);
    double sys_ns = result_fact_number(&r->own, "cpu_sys_ns", -1);
    uint64_t ops = ops_since_gate(r, sum);
    char user[CELL_MAX], sys[CELL_MAX];
    const char *workers = report_or_dash(result_fact_get(&r->own, "workers"));

    if (user_ns < 0 || sys_ns < 0)
        return;
    report_fact(out, width, "own CPU", "%s user + %s system an op; workers %s; clock %s",
                report_cell_ratio_ns(user, (uint64_t)user_ns, ops),
                report_cell_ratio_ns(sys, (uint64_t)sys_ns, ops), workers,
                report_or_dash(result_fact_get(&r->own, "clock")));
}

static void about_end(struct text *out, struct result *const *results, unsigned n, unsigned width)
{
    bool complete = true, errors = false;

    for (unsigned i = 0; i < n; i++) {
        complete &= results[i]->state == RESULT_COMPLETE;
        errors |= result_error_count(results[i]) > 0;
    }
    if (complete)
        report_fact(out, width, "state", "%s", errors ? "ERR: complete, with errors" : "complete");
    report_about_states(out, results, n, width);
    report_about_lost(out, results, n, width);
    report_about_errors(out, results, n, width);
}

/* What is told of a single run alone. */
static void about_one(struct text *out, struct result *r, const struct io_sum *sum, unsigned width)
{
    report_io_rate_over_time(out, r, width);
    about_slowest(out, r, width);
    if (sum->open_loop)
        report_about_lateness(out, r, &sum->response, width);
    report_about_delay(out, r, width);
    about_streams(out, r, width);
    report_about_at_target(out, r, width);
    report_about_under_way(out, r, width);
    report_about_cache_proof(out, r, width);
    report_about_dirty(out, r, width);
    about_cpu(out, r, sum, width);
}

/* Throughput by its mean over runs; latencies are pooled in the table. */
static void about_runs(struct text *out, struct result *const *results, unsigned n, unsigned width)
{
    const struct result *const *all = (const struct result *const *)results;
    const struct result *worst = report_most_from_memory(all, n);
    double *value = calloc(n, sizeof *value);
    char mean[CELL_MAX], half[CELL_MAX], low[CELL_MAX], high[CELL_MAX];
    struct spread spread;

    for (unsigned i = 0; value && i < n; i++)
        value[i] = io_per_second(&results[i], 1, (double)results[i]->bytes / 1048576);
    if (!value || spread_of(value, n, &spread) < 0)
        out->failed = true;
    else
        report_fact(out, width, "runs", "%u: mean %s MiB/s ±%s (95 %%), lowest %s, highest %s", n,
                    report_cell_number(mean, spread.mean),
                    report_cell_percent(half, spread.mean > 0 ? spread.half_95 / spread.mean : 0),
                    report_cell_number(low, spread.min), report_cell_number(high, spread.max));
    free(value);
    report_about_cache_proof(out, worst, width);
    report_about_dirty(out, report_most_dirty(all, n), width);
    report_fact(out, width, "one run", "loadline show %s.%u%s", worst->study_id, worst->run,
                worst->cache.applies
                    ? "; it has most from this machine's memory, and the cache proof above is of it"
                    : "");
}

void report_io_text(struct text *out, struct result *const *results, unsigned n, unsigned width)
{
    struct io_sum *sum = io_sum_of(results, n, NULL);

    if (!sum) {
        out->failed = true;
        return;
    }
    report_about_run(out, results, n, width);
    report_io_asked(out, results[0], width);
    report_about_client(out, results[0], width);
    report_about_client_cache(out, results[0], width);
    about_loop(out, results, n, sum, width);
    report_io_table(out, results, n, width);
    if (n == 1)
        about_one(out, results[0], sum, width);
    else
        about_runs(out, results, n, width);
    report_about_calls(out, (const struct result *const *)results, n, width);
    report_about_overhead(out, results[0], width);
    about_everything(out, results[0], width);
    report_about_trust(out, results, n, width);
    about_end(out, results, n, width);
    free(sum);
}
