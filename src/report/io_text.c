#include "report/report_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    START_KIND = 6,
    END_IOPS = 23,
    END_MIB = 32,
    END_P50 = 41,
    END_P95 = 51,
    END_P99 = 61,
    END_P999 = 71,
    END_MAX = 80,
};

/* All lines of a run together. */
struct io_sum {
    uint64_t ops;
    uint64_t bytes;
    bool open_loop;
    struct hist service;
    struct hist response; /* of closed-loop lines: their service */
};

static uint64_t window_ns(const struct result *r)
{
    return r->window_close_ns > r->window_open_ns ? r->window_close_ns - r->window_open_ns
                                                  : r->elapsed_ns;
}

static double per_second(const struct result *r, double what)
{
    return window_ns(r) == 0 ? -1 : what * 1e9 / (double)window_ns(r);
}

static struct io_sum *sum_of(const struct result *r)
{
    struct io_sum *sum = calloc(1, sizeof *sum);

    if (!sum)
        return NULL;
    for (unsigned i = 0; i < r->lines; i++) {
        const struct result_line *line = &r->line[i];

        sum->ops += line->sum.ops;
        sum->bytes += line->sum.bytes;
        sum->open_loop |= line->open_loop;
        hist_merge(&sum->service, &line->sum.service);
        hist_merge(&sum->response, line->open_loop ? &line->sum.response : &line->sum.service);
    }
    return sum;
}

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

static void about_loop(struct text *out, const struct result *r, const struct io_sum *sum,
                       unsigned width)
{
    char asked[CELL_MAX], arrived[CELL_MAX], words[BACKLOG_WORDS_MAX];

    if (!sum->open_loop) {
        report_fact(out, width, "closed loop",
                    "response = service: a stream asks again when it was answered, so a slow "
                    "target is asked less");
        return;
    }
    report_fact(
        out, width, "open loop",
        "asked %s/s, %s; arrived %s/s: %llu arrivals in the window, %llu of them not done at "
        "its end (their age counts as response)%s",
        report_cell_number(asked, result_fact_number(&r->options, "rate_per_s", -1)),
        strcmp(report_io_chosen(r, "arrival", "constant"), "poisson") == 0
            ? "at random as from many users (poisson)"
            : "in equal steps",
        report_cell_number(arrived, per_second(r, (double)r->arrivals)),
        (unsigned long long)r->arrivals, (unsigned long long)r->unfinished,
        backlog_words(words, result_fact_number(&r->own, "backlog_at_open", 0)));
}

static void latency_head(struct text *out, unsigned width)
{
    struct report_columns c = report_columns_begin(out, width);

    text_add(out, "\n");
    report_columns_left(&c, 0, "");
    report_columns_left(&c, START_KIND, "");
    report_columns_right(&c, END_IOPS, "IOPS");
    report_columns_right(&c, END_MIB, "MiB/s");
    report_columns_right(&c, END_P50, "p50");
    report_columns_right(&c, END_P95, "p95");
    report_columns_right(&c, END_P99, "p99");
    report_columns_right(&c, END_P999, "p99.9");
    report_columns_right(&c, END_MAX, "max");
    report_columns_head_end(&c);
    report_columns_rule(&c, 0, 14);
    report_columns_rule(&c, 15, END_IOPS);
    report_columns_rule(&c, END_IOPS + 1, END_MIB);
    report_columns_rule(&c, END_MIB + 1, END_P50);
    report_columns_rule(&c, END_P50 + 1, END_P95);
    report_columns_rule(&c, END_P95 + 1, END_P99);
    report_columns_rule(&c, END_P99 + 1, END_P999);
    report_columns_rule(&c, END_P999 + 1, END_MAX);
    report_columns_end(&c);
}

/* Under way for longer than any that was done: it takes that long or longer. */
static const char *max_cell(char buf[CELL_MAX], const struct hist *h, uint64_t under_way_ns)
{
    char age[CELL_MAX];

    if (under_way_ns <= h->max)
        return hist_count(h) > 0 ? report_cell_ns(buf, h->max) : "-";
    snprintf(buf, CELL_MAX, ">%.*s", CELL_MAX - 2, report_cell_ns(age, under_way_ns));
    return buf;
}

static void put_latency(struct report_columns *c, const struct hist *h, uint64_t under_way_ns)
{
    static const struct {
        unsigned end;
        double q;
    } cell_of[] = {{END_P50, 0.5}, {END_P95, 0.95}, {END_P99, 0.99}, {END_P999, 0.999}};
    bool any = hist_count(h) > 0;
    char cell[CELL_MAX];

    for (size_t i = 0; i < sizeof cell_of / sizeof cell_of[0]; i++)
        report_columns_right(c, cell_of[i].end,
                             any ? report_cell_ns(cell, hist_quantile(h, cell_of[i].q)) : "-");
    report_columns_right(c, END_MAX, max_cell(cell, h, under_way_ns));
    report_columns_end(c);
}

struct io_row {
    const char *name;
    uint64_t ops;
    uint64_t bytes;
    bool open_loop;
    uint64_t under_way_ns; /* closed loop: the oldest op at the end of the window */
    const struct hist *service;
    const struct hist *response;
};

static void latency_row(struct text *out, const struct result *r, const struct io_row *row,
                        unsigned width)
{
    struct report_columns c = report_columns_begin(out, width);
    char cell[CELL_MAX];

    report_columns_left(&c, 0, row->name);
    if (!c.md && strlen(row->name) >= START_KIND) /* "write 128k" */
        report_columns_end(&c);
    report_columns_left(&c, START_KIND, row->open_loop ? "response" : "service");
    report_columns_right(&c, END_IOPS, report_cell_number(cell, per_second(r, (double)row->ops)));
    report_columns_right(&c, END_MIB,
                         report_cell_number(cell, per_second(r, (double)row->bytes / 1048576)));
    put_latency(&c, row->open_loop ? row->response : row->service, row->under_way_ns);
    if (!row->open_loop)
        return;
    report_columns_left(&c, 0, "");
    report_columns_left(&c, START_KIND, "service");
    report_columns_left(&c, END_IOPS, "");
    report_columns_left(&c, END_MIB, "");
    put_latency(&c, row->service, 0);
}

static void latency_table(struct text *out, const struct result *r, const struct io_sum *sum,
                          unsigned width)
{
    struct report_under_way under_way = report_under_way_of(r);

    latency_head(out, width);
    for (unsigned i = 0; i < r->lines; i++) {
        const struct result_line *line = &r->line[i];

        latency_row(out, r,
                    &(struct io_row){line->name, line->sum.ops, line->sum.bytes, line->open_loop,
                                     line == under_way.line ? under_way.oldest_ns : 0,
                                     &line->sum.service, &line->sum.response},
                    width);
    }
    if (r->lines > 1)
        latency_row(out, r,
                    &(struct io_row){"total", sum->ops, sum->bytes, sum->open_loop,
                                     under_way.oldest_ns, &sum->service, &sum->response},
                    width);
    text_add(out, "\n");
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
    char share[CELL_MAX];

    if (s->n == 0)
        return;
    report_fact(out, width, "streams", "%u: ops min %llu, median %llu, max %llu%s%s%s", s->n,
                (unsigned long long)s->min_ops, (unsigned long long)s->median_ops,
                (unsigned long long)s->max_ops, uneven ? "; UNEVEN: the slowest did " : "",
                uneven ? report_cell_percent(share, (double)s->min_ops / (double)s->median_ops)
                       : "",
                uneven ? " of the median" : "");
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

static void about_end(struct text *out, struct result *r, unsigned width)
{
    struct result *const one[] = {r};

    if (r->state == RESULT_COMPLETE)
        report_fact(out, width, "state", "%s",
                    result_error_count(r) ? "ERR: complete, with errors" : "complete");
    report_about_states(out, one, 1, width);
    report_about_lost(out, one, 1, width);
    report_about_errors(out, one, 1, width);
}

void report_io_text(struct text *out, struct result *r, unsigned width)
{
    struct io_sum *sum = sum_of(r);
    struct result *const one[] = {r};

    if (!sum) {
        out->failed = true;
        return;
    }
    report_about_run(out, r, width);
    report_io_asked(out, r, width);
    report_about_client_cache(out, r, width);
    about_loop(out, r, sum, width);
    latency_table(out, r, sum, width);
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
    report_about_overhead(out, r, width);
    about_everything(out, r, width);
    report_about_trust(out, one, 1, width);
    about_end(out, r, width);
    free(sum);
}
