/* unit/limits_by_hand.h — results of `limits` with no more in them than ceilings and findings look at.
 * Shape    a set of results; limit_add makes one of LIMIT_SECONDS seconds → change what the test is about → limits_free.
 * Errors   out of memory aborts. */
#ifndef LOADLINE_TESTS_LIMITS_BY_HAND_H
#define LOADLINE_TESTS_LIMITS_BY_HAND_H

#include "unit/rows_by_hand.h"
#include "verdict/ceilings.h"

#define LIMIT_SECONDS 10

static inline void limit_word(struct result *r, const char *key, const char *value)
{
    assert_int_equal(result_fact_put(&r->options, key, value, ""), 0);
}

static inline void limit_target(struct result *r, const char *key, const char *value)
{
    assert_int_equal(result_fact_put(&r->target_facts, key, value, ""), 0);
}

static inline void limit_counter(struct result *r, const char *key, double value)
{
    assert_int_equal(result_fact_putf(&r->counters, key, "", "%.0f", value), 0);
}

static inline void limit_own(struct result *r, const char *key, double value)
{
    assert_int_equal(result_fact_putf(&r->own, key, "", "%.4f", value), 0);
}

/* What a row is, before it is run: "nfs", "read-4k-cache", 4096. */
struct limit_row {
    const char *protocol;
    const char *row;
    const char *metric;
    const char *claim;
    const char *op;
    unsigned io_bytes;
};

/* `rate` ops a second in all, each as long as so many streams take for it. */
static inline struct result *limit_add(struct side *s, const struct limit_row *row,
                                       const char *step, unsigned streams, double rate)
{
    const char *const lines[] = {row->op};
    struct result *r = side_add(s, hand_new("limits", "aaaa1111", s->n + 1));
    uint64_t ops = (uint64_t)(rate * LIMIT_SECONDS);

    limit_word(r, "protocol", row->protocol);
    limit_word(r, "row", row->row);
    limit_word(r, "metric", row->metric);
    limit_word(r, "claim", row->claim);
    limit_word(r, "step", step);
    limit_word(r, "line", row->op);
    limit_word(r, "side", "1");
    limit_word(r, "address", "nfs://filer/export");
    hand_option(r, "streams", streams);
    hand_option(r, "io_bytes", row->io_bytes);
    r->elapsed_ns = LIMIT_SECONDS * UINT64_C(1000000000);
    r->window_close_ns = r->elapsed_ns;
    hand_lines(r, 1, lines);
    r->line[0].sum.ops = ops;
    r->line[0].sum.samples = ops;
    r->line[0].sum.bytes = ops * row->io_bytes;
    hist_record_n(&r->line[0].sum.service, (uint64_t)(streams * 1e9 / rate), ops);
    return r;
}

static inline struct track *limit_track(struct result *r, enum track_end end, enum track_kind kind,
                                        const char *name, double mean, double capacity)
{
    struct track *one = tracks_get(&r->tracks, end, kind, name);

    assert_non_null(one);
    one->mean = mean;
    one->peak = mean;
    one->capacity = capacity;
    one->full_frac = mean >= TRACK_FULL_FRAC * capacity;
    return one;
}

static inline struct ceilings *limit_ceilings(const struct side *s)
{
    struct ceilings *c = NULL;
    struct err err = {0};

    if (ceilings_of(s->result, s->n, &c, &err) < 0)
        fail_msg("%s", err.text);
    return c;
}

#endif
