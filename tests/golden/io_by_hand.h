/* golden/io_by_hand.h — results of io made up for the tests of report, beside those of trees.
 * Errors   a failed allocation fails the test.   Threads  single owner. */
#ifndef LOADLINE_GOLDEN_IO_BY_HAND_H
#define LOADLINE_GOLDEN_IO_BY_HAND_H

#include "golden/results_by_hand.h"

static inline struct result *hand_io(struct hand *hand, const char *rate_per_s)
{
    static const char *const words[][2] = {
        {"read_percent", "70"},   {"block_bytes", "8192"},      {"streams", "32"},
        {"files", "32"},          {"size_bytes", "1073741824"}, {"time_ns", "60000000000"},
        {"pattern", "random"},    {"warmup_ns", "5000000000"},  {"direct", "no"},
        {"client_cache", "drop"},
    };
    struct result *r = hand_new(hand, "io", "m4qx");

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        hand_option(r, words[i][0], words[i][1]);
    hand_option(r, "rate_per_s", rate_per_s);
    r->passes = 1;
    r->elapsed_ns = 60000000000u;
    r->window_open_ns = 5000000000u;
    r->window_close_ns = 65000000000u;
    r->streams =
        (struct result_streams){.n = 32, .min_ops = 1500, .median_ops = 1875, .max_ops = 1950};
    snprintf(r->cache.mode, sizeof r->cache.mode, "drop");
    return r;
}

/* One interval a second, from the gate on: `ops` of each line in turn. */
static inline void hand_series(struct result *r, unsigned intervals,
                               uint64_t (*ops)(unsigned interval))
{
    r->series.width_ns = 1000000000;
    r->series.lines = r->lines;
    r->series.used = r->series.room = intervals;
    r->series.line = calloc((size_t)intervals * r->lines, sizeof *r->series.line);
    assert_non_null(r->series.line);
    for (unsigned i = 0; i < intervals; i++) {
        for (unsigned line = 0; line < r->lines; line++)
            r->series.line[i * r->lines + line].ops = ops(i) / r->lines;
    }
}

/* Puts one sample of `ns` into a line's interval. */
static inline void hand_slowest(struct result *r, unsigned line, unsigned interval, uint64_t ns)
{
    struct series_line *at = &r->series.line[interval * r->lines + line];
    struct hist *one = calloc(1, sizeof *one);

    assert_non_null(one);
    hist_record(one, ns);
    assert_int_equal(0, sparse_hist_add(&at->service, one));
    if (r->line[line].open_loop)
        assert_int_equal(0, sparse_hist_add(&at->response, one));
    at->samples++;
    free(one);
}

#endif
