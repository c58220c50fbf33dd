/* What speaks against a number: one line each, and nothing when all is well. */
#include "report/trust_priv.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct report_found report_look_for(struct result *const *results, unsigned n,
                                    double (*beyond)(const struct result *r))
{
    struct report_found found = {0};

    for (unsigned i = 0; i < n; i++) {
        double by = beyond(results[i]);

        if (!(by > 0))
            continue;
        if (!found.worst || by > found.most) {
            found.worst = results[i];
            found.most = by;
        }
        found.n++;
    }
    return found;
}

const char *report_where(char buf[REPORT_WHERE_MAX], const struct report_found *found, unsigned n)
{
    *buf = '\0';
    if (found->n > 1)
        snprintf(buf, REPORT_WHERE_MAX, "%u of %u runs, worst run %u: ", found->n, n,
                 found->worst->run);
    else if (n > 1)
        snprintf(buf, REPORT_WHERE_MAX, "run %u: ", found->worst->run);
    return buf;
}

static double own(const struct result *r, const char *key)
{
    return result_fact_number(&r->own, key, -1);
}

static double series_beyond(const struct result *r)
{
    double frac = own(r, "series_over_total_frac");

    return frac < 0 ? 0 : fabs(frac - 1) - REPORT_SERIES_FRAC;
}

static double little_beyond(const struct result *r)
{
    return own(r, "at_target_frac") - REPORT_LITTLE_MOST_FRAC;
}

static double null_beyond(const struct result *r)
{
    return own(r, "of_null_rate_frac") - REPORT_NULL_FRAC;
}

static double idle_beyond(const struct result *r)
{
    double frac = own(r, "at_target_frac");

    return frac < 0 ? 0 : REPORT_TREE_AT_TARGET_FRAC - frac;
}

static double stored_frac(const struct result *r)
{
    double size = result_fact_number(&r->target_facts, "sample_size_bytes", 0);

    return size > 0 ? result_fact_number(&r->target_facts, "sample_stored_bytes", size) / size : 1;
}

static double holes_beyond(const struct result *r)
{
    return REPORT_STORED_FRAC - stored_frac(r);
}

double report_direct_cached_frac(const struct result *r)
{
    double cached = result_fact_number(&r->counters, "direct_cached_bytes", 0);
    double set = result_fact_number(&r->counters, "direct_set_bytes", 0);
    double could = (double)r->bytes < set ? (double)r->bytes : set;

    return could > 0 ? cached / could : 0;
}

static double direct_beyond(const struct result *r)
{
    return report_direct_cached_frac(r) - REPORT_RAM_FRAC;
}

static void about_counting(struct text *out, struct result *const *results, unsigned n,
                           unsigned width)
{
    struct report_found series = report_look_for(results, n, series_beyond);
    struct report_found little = report_look_for(results, n, little_beyond);
    char at[REPORT_WHERE_MAX], cell[CELL_MAX];

    if (series.n)
        report_fact(out, width, "WRONG",
                    "%sthe rate over time adds up to %s of what the streams counted: do not "
                    "believe either",
                    report_where(at, &series, n),
                    report_cell_percent(cell, own(series.worst, "series_over_total_frac")));
    if (little.n)
        report_fact(out, width, "WRONG",
                    "%sops took %s of the time of all streams: some began long before the window, "
                    "or the clock is not to be believed",
                    report_where(at, &little, n),
                    report_cell_percent(cell, own(little.worst, "at_target_frac")));
}

static void about_cheap_bytes(struct text *out, struct result *const *results, unsigned n,
                              unsigned width)
{
    struct report_found holes = report_look_for(results, n, holes_beyond);
    struct report_found direct = report_look_for(results, n, direct_beyond);
    char at[REPORT_WHERE_MAX], cell[CELL_MAX];

    if (holes.n)
        report_fact(out, width, "CHEAP", "%sa sample of the files occupies %s of its size: %s",
                    report_where(at, &holes, n),
                    report_cell_percent(cell, stored_frac(holes.worst)),
                    result_fact_number(&holes.worst->options, "compress_ratio", 1) > 1
                        ? "the target compresses, as --compress wants it to; devices move fewer "
                          "bytes than are counted here"
                        : "sparse or compressed, so reads may not have reached a device");
    if (direct.n)
        report_fact(
            out, width, "NOT DIRECT",
            "%s%s came into this machine's cache although files were opened with "
            "O_DIRECT: reads may have come from memory",
            report_where(at, &direct, n),
            report_cell_bytes(cell, (uint64_t)result_fact_number(&direct.worst->counters,
                                                                 "direct_cached_bytes", 0)));
}

void report_about_trust(struct text *out, struct result *const *results, unsigned n, unsigned width)
{
    struct report_found null = report_look_for(results, n, null_beyond);
    char at[REPORT_WHERE_MAX], cell[CELL_MAX];

    about_counting(out, results, n, width);
    about_cheap_bytes(out, results, n, width);
    report_about_disturbance(out, results, n, width);
    report_about_caveats(out, results, n, width);
    report_about_backing(out, results, n, width);
    if (null.n)
        report_fact(out, width, "own limit",
                    "%s%s of the rate that loadline reaches on this machine when nothing is done: "
                    "loadline itself may be part of this number",
                    report_where(at, &null, n),
                    report_cell_percent(cell, own(null.worst, "of_null_rate_frac")));
}

void report_about_idle_streams(struct text *out, struct result *const *results, unsigned n,
                               unsigned width)
{
    struct report_found idle = report_look_for(results, n, idle_beyond);
    char at[REPORT_WHERE_MAX], cell[CELL_MAX], wait[REPORT_WHERE_MAX] = "";

    if (idle.n == 0)
        return;
    const struct result_streams *s = &idle.worst->streams;
    double cpus = result_fact_number(&idle.worst->machine, "cpus", 0);

    if (cpus > 0 && cpus < s->n)
        snprintf(wait, sizeof wait, "waited for one of %.0f processors, ", cpus);
    report_fact(out, width, "at target",
                "%son average only %s of %u threads were in an op; the others %swere done before "
                "the last, or did loadline's own work",
                report_where(at, &idle, n),
                report_cell_number(cell, own(idle.worst, "at_target_frac") * s->n), s->n, wait);
}

/* `share` is how the share is printed. */
static const char *rest_words(double frac, const char *share)
{
    if (strcmp(share, "100%") == 0)
        return "";
    if (frac > 1)
        return "; above 100% because an op that was under way when the window opened counts whole";
    return "; the rest is loadline's own work and waiting for a processor";
}

/* An outage that ended in errors is in no latency. */
static const char *failed_words(const struct result *r, char words[REPORT_WHERE_MAX])
{
    double frac = own(r, "failed_time_frac");
    char share[CELL_MAX];

    words[0] = '\0';
    if (frac >= REPORT_FAILED_TIME_FRAC)
        snprintf(words, REPORT_WHERE_MAX, " (%s in ops that failed, and in no latency)",
                 report_cell_percent(share, frac));
    return words;
}

/* Little's law: of N streams X·R ops are under way on average. */
void report_about_at_target(struct text *out, const struct result *r, unsigned width)
{
    double frac = own(r, "at_target_frac");
    bool low = frac < REPORT_AT_TARGET_FRAC;
    char share[CELL_MAX], ops[CELL_MAX], in_failed[REPORT_WHERE_MAX];

    if (frac < 0)
        return;
    report_cell_percent(share, frac);
    report_fact(out, width, "at target", "%s of the time of %u streams%s%s%s%s%s", share,
                r->streams.n, failed_words(r, in_failed), low ? "; LOW: only " : "",
                low ? report_cell_number(ops, frac * r->streams.n) : "",
                low ? " ops were under way on average" : "", rest_words(frac, share));
}

struct report_under_way report_under_way_of(const struct result *r)
{
    const char *name = result_fact_get(&r->own, "in_flight_oldest_line");
    struct report_under_way under_way = {.ops = own(r, "in_flight_ops")};

    if (!(under_way.ops > 0))
        return (struct report_under_way){0};
    under_way.oldest_ns = (uint64_t)result_fact_number(&r->own, "in_flight_oldest_ns", 0);
    under_way.line = name ? result_line_find(r, name) : NULL;
    return under_way;
}

/* In no sample, yet a target that stops answering must not look as fast as what it answered. */
void report_about_under_way(struct text *out, const struct result *r, unsigned width)
{
    struct report_under_way under_way = report_under_way_of(r);
    char age[CELL_MAX];

    if (under_way.ops > 0)
        report_fact(out, width, "under way", "%.0f %s under way at the end, the oldest for %s%s",
                    under_way.ops, under_way.ops > 1 ? "ops" : "op",
                    report_cell_ns(age, under_way.oldest_ns),
                    report_slowest_of(r).under_way ? "; LONGER than any that was done" : "");
}

void report_about_content(struct text *out, const struct result *r, unsigned width)
{
    double bits = own(r, "content_entropy_bits_per_byte");

    if (bits >= 0)
        report_fact(out, width, "content",
                    "%.2f bits of entropy a byte, measured over what is written (8 at most)", bits);
}
