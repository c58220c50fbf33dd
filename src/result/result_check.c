#include "result/result_priv.h"

#include "base/flowop.h"

#include <errno.h>
#include <string.h>

static int check_facts(const char *name, const struct result_facts *facts, struct err *err)
{
    for (unsigned i = 0; i < facts->n; i++) {
        for (unsigned k = 0; k < i; k++) {
            if (strcmp(facts->fact[i].key, facts->fact[k].key) == 0)
                return err_set(err, -EINVAL, "%s: \"%s\" twice", name, facts->fact[i].key);
        }
    }
    return 0;
}

static int check_lines(const struct result *r, struct err *err)
{
    for (unsigned i = 0; i < r->lines; i++) {
        const struct result_line *line = &r->line[i];
        if (line->name[0] == '\0')
            return err_set(err, -EINVAL, "lines: [%u]: no name", i);
        if (result_line_find(r, line->name) != line)
            return err_set(err, -EINVAL, "lines: \"%s\" twice", line->name);
        if (line->sum.samples != hist_count(&line->sum.service))
            return err_set(err, -EINVAL, "lines: \"%s\": samples that its histogram does not hold",
                           line->name);
    }
    return 0;
}

static int check_calls(const struct result *r, struct err *err)
{
    if (r->calls.n > RESULT_CALLS_MAX)
        return err_set(err, -EINVAL, "calls: %u kinds, at most %d", r->calls.n, RESULT_CALLS_MAX);
    for (unsigned i = 0; i < r->calls.n; i++) {
        if (r->calls.kind[i].name[0] == '\0')
            return err_set(err, -EINVAL, "calls: [%u]: no name", i);
        for (unsigned k = 0; k < i; k++)
            if (strcmp(r->calls.kind[i].name, r->calls.kind[k].name) == 0)
                return err_set(err, -EINVAL, "calls: \"%s\" twice", r->calls.kind[i].name);
    }
    return 0;
}

static int check_truth(const struct result *r, struct err *err)
{
    if (r->truth.n > RESULT_STATIONS_MAX)
        return err_set(err, -EINVAL, "truth: %u stations, at most %d", r->truth.n,
                       RESULT_STATIONS_MAX);
    for (unsigned i = 0; i < r->truth.n; i++) {
        if (r->truth.station[i].name[0] == '\0')
            return err_set(err, -EINVAL, "truth: [%u]: no name", i);
        for (unsigned k = 0; k < i; k++)
            if (strcmp(r->truth.station[i].name, r->truth.station[k].name) == 0)
                return err_set(err, -EINVAL, "truth: \"%s\" twice", r->truth.station[i].name);
    }
    return 0;
}

static int check_series(const struct result *r, struct err *err)
{
    const struct series *s = &r->series;
    if (s->lines != 0 && s->lines != r->lines)
        return err_set(err, -EINVAL, "series: %u lines, the result has %u", s->lines, r->lines);
    if (s->used > 0 && (s->lines == 0 || s->width_ns == 0))
        return err_set(err, -EINVAL, "series: intervals without lines or width");
    if (s->used > SERIES_MAX || s->doublings >= 64)
        return err_set(err, -EINVAL, "series: %u intervals, doubled %llu times", s->used,
                       (unsigned long long)s->doublings);
    return 0;
}

static bool in_order(uint64_t min, uint64_t median, uint64_t max)
{
    return min <= median && median <= max;
}

static int check_streams(const struct result_streams *s, struct err *err)
{
    if (s->slowest_n > s->n || s->slowest_n > sizeof s->slowest / sizeof s->slowest[0])
        return err_set(err, -EINVAL, "streams: %u slowest of %u", s->slowest_n, s->n);
    if (!in_order(s->min_ops, s->median_ops, s->max_ops) ||
        !in_order(s->min_bytes, s->median_bytes, s->max_bytes))
        return err_set(err, -EINVAL, "streams: min, median and max are not in this order");
    return 0;
}

/* A window is not held against the series: the end of a run may be quiet. */
static int check_sums(const struct result *r, struct err *err)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < r->lines; i++)
        if (flowop_reads(r->line[i].op) || flowop_writes(r->line[i].op))
            bytes += r->line[i].sum.bytes;
    if (bytes != r->bytes)
        return err_set(err, -EINVAL, "bytes: %llu, but reads and writes moved %llu",
                       (unsigned long long)r->bytes, (unsigned long long)bytes);
    if (r->unfinished > r->arrivals)
        return err_set(err, -EINVAL, "unfinished: %llu of %llu arrivals",
                       (unsigned long long)r->unfinished, (unsigned long long)r->arrivals);
    return 0;
}

int result_check(const struct result *r, struct err *err)
{
    int rc = 0;
    if (r->study_id[0] == '\0' || r->run == 0)
        return err_set(err, -EINVAL, "study_id, run: a result without a name");
    if ((unsigned)r->state > RESULT_VOID)
        return err_set(err, -EINVAL, "state: %u, which has no name", (unsigned)r->state);
    if (r->lines > RESULT_LINES_MAX)
        return err_set(err, -EINVAL, "lines: %u, at most %d", r->lines, RESULT_LINES_MAX);
    if (r->window_close_ns < r->window_open_ns)
        return err_set(err, -EINVAL, "window_close_ns: before window_open_ns");
    rc = check_lines(r, err);
    if (rc >= 0)
        rc = check_calls(r, err);
    if (rc >= 0)
        rc = check_truth(r, err);
    if (rc >= 0)
        rc = result_check_tracks(r, err);
    if (rc >= 0)
        rc = check_sums(r, err);
    if (rc >= 0)
        rc = check_streams(&r->streams, err);
    if (rc >= 0)
        rc = check_series(r, err);
    if (rc >= 0)
        rc = check_facts("options", &r->options, err);
    if (rc >= 0)
        rc = check_facts("target_facts", &r->target_facts, err);
    if (rc >= 0)
        rc = check_facts("counters", &r->counters, err);
    if (rc >= 0)
        rc = check_facts("machine", &r->machine, err);
    if (rc >= 0)
        rc = check_facts("own", &r->own, err);
    return rc;
}
