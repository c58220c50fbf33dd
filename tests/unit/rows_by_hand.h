/* unit/rows_by_hand.h — results with no more in them than rows and comparisons look at.
 * Shape    hand_tree or hand_io → change what the test is about → side_add … side_free.
 * Errors   out of memory aborts. */
#ifndef LOADLINE_TESTS_ROWS_BY_HAND_H
#define LOADLINE_TESTS_ROWS_BY_HAND_H

#include "verdict/compare.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HAND_COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define HAND_MAX          256

static inline void hand_option(struct result *r, const char *key, double value)
{
    assert_int_equal(result_fact_putf(&r->options, key, "", "%.0f", value), 0);
}

static inline struct result *hand_new(const char *study, const char *study_id, unsigned run)
{
    struct result *r = result_new();
    assert_non_null(r);
    snprintf(r->study, sizeof r->study, "%s", study);
    snprintf(r->study_id, sizeof r->study_id, "%s", study_id);
    snprintf(r->tool_version, sizeof r->tool_version, "1.0");
    memset(r->workload_hash, 'a', 64);
    r->run = run;
    r->begun_wall_ns = 1000 + run;
    r->target = strdup("/srv/a");
    r->passes = 1;
    r->seed = 1;
    return r;
}

static inline void hand_lines(struct result *r, unsigned n, const char *const *names)
{
    r->line = calloc(n, sizeof *r->line);
    assert_non_null(r->line);
    r->lines = n;
    for (unsigned i = 0; i < n; i++) {
        snprintf(r->line[i].name, sizeof r->line[i].name, "%s", names[i]);
        snprintf(r->line[i].op, sizeof r->line[i].op, "%s", names[i]);
    }
}

/* n ops of service_ns each, 4096 bytes. */
static inline void hand_ops(struct result_line *line, uint64_t n, uint64_t service_ns)
{
    line->sum.ops += n;
    line->sum.samples += n;
    line->sum.bytes += n * 4096;
    hist_record_n(&line->sum.service, service_ns, n);
}

/* 1000 files of that length in `ms`. */
static inline struct result *hand_tree(const char *study_id, unsigned run, const char *phase,
                                       double length, double ms)
{
    struct result *r = hand_new("dirtest", study_id, run);
    const char *const names[] = {"create", phase, "close"};
    snprintf(r->phase, sizeof r->phase, "%s", phase);
    assert_int_equal(result_fact_putf(&r->options, "length_bytes", "bytes", "%.0f", length), 0);
    r->elapsed_ns = (uint64_t)(ms * 1e6);
    r->files = 1000;
    r->bytes = (uint64_t)(1000 * length);
    hand_lines(r, 3, names);
    for (unsigned i = 0; i < 3; i++)
        hand_ops(&r->line[i], 1000, 1000 * (i + 1));
    return r;
}

/* n reads in one second. */
static inline struct result *hand_io(const char *study_id, unsigned run, uint64_t n)
{
    static const char *const names[] = {"read"};
    struct result *r = hand_new("io", study_id, run);
    r->elapsed_ns = 1000000000;
    r->window_close_ns = r->elapsed_ns;
    hand_lines(r, 1, names);
    hand_ops(&r->line[0], n, 500);
    return r;
}

struct side {
    struct result *result[HAND_MAX];
    unsigned n;
};

static inline struct result *side_add(struct side *s, struct result *r)
{
    assert_true(s->n < HAND_MAX);
    s->result[s->n++] = r;
    return r;
}

static inline void side_free(struct side *s)
{
    for (unsigned i = 0; i < s->n; i++)
        result_free(s->result[i]);
    s->n = 0;
}

static inline void hand_compare(const struct side *a, const struct side *b, struct comparison *out)
{
    const struct compare_side side_a = {"old", a->result, a->n};
    const struct compare_side side_b = {"new", b->result, b->n};
    struct err err = {0};
    if (compare_of(&side_a, &side_b, out, &err) < 0)
        fail_msg("%s", err.text);
}

static inline void assert_close(double got, double wanted, double error)
{
    if (!(fabs(got - wanted) <= error))
        fail_msg("%.9g is not within %g of %.9g", got, error, wanted);
}

#define assert_says(text, word)                                                                    \
    do {                                                                                           \
        if (strstr(text, word) == NULL)                                                            \
            fail_msg("'%s' does not say '%s'", text, word);                                        \
    } while (0)

#endif
