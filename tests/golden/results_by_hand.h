/* golden/results_by_hand.h — results made up for the tests of report: small, and every figure in
 * them chosen, so that what is printed can be recomputed by hand.
 * Errors   a failed allocation fails the test.   Threads  single owner. */
#ifndef LOADLINE_GOLDEN_RESULTS_BY_HAND_H
#define LOADLINE_GOLDEN_RESULTS_BY_HAND_H

#include "report/report.h"
#include "result/result.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HAND_RESULTS_MAX 24

/* The results of one study. */
struct hand {
    struct result *result[HAND_RESULTS_MAX];
    unsigned n;
};

static inline void hand_free(struct hand *hand)
{
    for (unsigned i = 0; i < hand->n; i++)
        result_free(hand->result[i]);
    hand->n = 0;
}

static inline char *hand_words(const char *s)
{
    char *copy = strdup(s);

    assert_non_null(copy);
    return copy;
}

static inline void hand_set(char **words, const char *s)
{
    free(*words);
    *words = hand_words(s);
}

static inline void hand_option(struct result *r, const char *key, const char *value)
{
    assert_int_equal(0, result_fact_put(&r->options, key, value, ""));
}

static inline void hand_own(struct result *r, const char *key, const char *value)
{
    assert_int_equal(0, result_fact_put(&r->own, key, value, "ns"));
}

static inline struct result *hand_new(struct hand *hand, const char *study, const char *id)
{
    struct result *r = result_new();

    assert_non_null(r);
    assert_true(hand->n < HAND_RESULTS_MAX);
    hand->result[hand->n++] = r;
    snprintf(r->study, sizeof r->study, "%s", study);
    snprintf(r->study_id, sizeof r->study_id, "%s", id);
    snprintf(r->tool_version, sizeof r->tool_version, "0.1.0");
    r->run = hand->n;
    r->seed = 42;
    r->begun_wall_ns = 1000000000000000000u; /* 2001-09-09 01:46:40 UTC */
    hand_set(&r->target, "/srv/filer");
    hand_own(r, "cpu_user_ns", "48000000");
    hand_own(r, "cpu_sys_ns", "96000000");
    hand_own(r, "workers", "16");
    hand_own(r, "clock", "tsc");
    return r;
}

/* Nothing in it but what must be there. */
static inline void hand_empty(struct hand *hand, const char *study, const char *phase)
{
    struct result *r = result_new();

    assert_non_null(r);
    snprintf(r->study, sizeof r->study, "%s", study);
    snprintf(r->phase, sizeof r->phase, "%s", phase);
    hand->result[hand->n++] = r;
}

/* `n` samples from `low_ns` on, in even steps up to `high_ns`. */
static inline void hand_samples(struct hist *h, uint64_t n, uint64_t low_ns, uint64_t high_ns)
{
    for (uint64_t i = 0; i < n; i++)
        hist_record(h, low_ns + (n > 1 ? (high_ns - low_ns) * i / (n - 1) : 0));
}

static inline struct result_line *hand_line(struct result *r, const char *name, uint64_t samples,
                                            uint64_t bytes, uint64_t low_ns, uint64_t high_ns)
{
    struct result_line *more = realloc(r->line, (r->lines + 1) * sizeof *more);
    struct result_line *line;

    assert_non_null(more);
    r->line = more;
    line = &more[r->lines++];
    memset(line, 0, sizeof *line);
    snprintf(line->name, sizeof line->name, "%s", name);
    snprintf(line->op, sizeof line->op, "%s", name);
    line->sum.ops = samples;
    line->sum.samples = samples;
    line->sum.bytes = bytes;
    /* Of a tree the bytes are set before its lines. */
    if (strcmp(r->study, "io") == 0)
        r->bytes += bytes;
    hand_samples(&line->sum.service, samples, low_ns, high_ns);
    return line;
}

static inline void hand_error(struct result *r, const char *op, const char *code, uint64_t count,
                              const char *path)
{
    struct result_error *more = realloc(r->error, (r->errors + 1) * sizeof *more);
    struct result_error *error;

    assert_non_null(more);
    r->error = more;
    error = &more[r->errors++];
    memset(error, 0, sizeof *error);
    snprintf(error->op, sizeof error->op, "%s", op);
    snprintf(error->code, sizeof error->code, "%s", code);
    snprintf(error->first_path, sizeof error->first_path, "%s", path);
    error->count = count;
    error->first_ns = 1500000000;
}

static inline void hand_flowop_error(struct result *r, const char *flowop, const char *op,
                                     const char *code, uint64_t count, const char *path)
{
    hand_error(r, op, code, count, path);
    snprintf(r->error[r->errors - 1].flowop, sizeof r->error[0].flowop, "%s", flowop);
}

static inline void hand_tree_shape(struct result *r, uint64_t length_bytes, unsigned repeat,
                                   unsigned repeats)
{
    static const char *const words[][2] = {
        {"threads", "16"},          {"levels", "3"},          {"branches", "4"},
        {"files_per_dir", "4"},     {"dirs", "1344"},         {"files", "5376"},
        {"fsync", "none"},          {"client_cache", "drop"}, {"verify", "no"},
        {"chunk_bytes", "1048576"},
    };

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        hand_option(r, words[i][0], words[i][1]);
    assert_int_equal(0, result_fact_putf(&r->options, "length_bytes", "B", "%llu",
                                         (unsigned long long)length_bytes));
    assert_int_equal(0, result_fact_putf(&r->options, "repeat", "", "%u", repeat));
    assert_int_equal(0, result_fact_putf(&r->options, "repeats", "", "%u", repeats));
}

/* One run of `passes` trees of 5376 files, `tree_ns` each. */
static inline struct result *hand_tree(struct hand *hand, const char *phase, uint64_t length_bytes,
                                       unsigned passes, uint64_t tree_ns)
{
    struct result *r = hand_new(hand, "dirtest", "k7d2");
    uint64_t files = 5376u * (uint64_t)passes;

    snprintf(r->phase, sizeof r->phase, "%s", phase);
    hand_tree_shape(r, length_bytes, 1, 1);
    r->passes = passes;
    r->files = files;
    r->bytes = files * length_bytes;
    r->elapsed_ns = tree_ns * passes;
    r->window_close_ns = r->elapsed_ns;
    r->streams =
        (struct result_streams){.n = 16, .min_ops = 900, .median_ops = 1000, .max_ops = 1040};
    snprintf(r->cache.mode, sizeof r->cache.mode, "drop");
    return r;
}

static inline struct result *hand_tree_write(struct hand *hand, uint64_t length_bytes,
                                             unsigned passes, uint64_t tree_ns)
{
    struct result *r = hand_tree(hand, "write", length_bytes, passes, tree_ns);

    hand_line(r, "mkdir", 1344u * (uint64_t)passes, 0, 20000, 90000);
    hand_line(r, "create", r->files, 0, 25000, 1200000);
    hand_line(r, "write", r->files, r->bytes, 4000, 40000);
    hand_line(r, "close", r->files, 0, 800, 3000);
    hand_option(r, "removed_before_files", "5376");
    hand_option(r, "removed_before_age_s", "12.5");
    r->cache.dirty_known = true;
    r->cache.dirty_bytes = r->bytes / 100 * 98;
    return r;
}

/* `cached_percent` of the bytes lay in memory. */
static inline struct result *hand_tree_read(struct hand *hand, uint64_t length_bytes,
                                            unsigned passes, uint64_t tree_ns,
                                            unsigned cached_percent)
{
    struct result *r = hand_tree(hand, "read", length_bytes, passes, tree_ns);

    hand_line(r, "lookup", 1344u * (uint64_t)passes, 0, 2000, 9000);
    hand_line(r, "open", r->files, 0, 3000, 12000);
    hand_line(r, "read", r->files, r->bytes, 40000, 850000);
    hand_line(r, "close", r->files, 0, 700, 2500);
    hand_option(r, "removed_before_files", "0");
    r->cache.applies = true;
    r->cache.resident_known = true;
    r->cache.asked_bytes = r->files * ((length_bytes + 4095) / 4096 * 4096);
    r->cache.resident_bytes = r->cache.asked_bytes / 100 * cached_percent;
    r->cache.device_known = length_bytes >= 4096;
    r->cache.device_bytes = r->cache.asked_bytes - r->cache.resident_bytes;
    return r;
}

/* The whole report; a refusal fails the test. */
static inline void hand_print(struct text *out, const struct hand *hand,
                              const struct report_style *style)
{
    struct err err = {0};

    text_init(out);
    if (report_study(out, hand->result, hand->n, style, &err) < 0)
        fail_msg("%s", err.text);
    assert_false(out->failed);
}

#endif
