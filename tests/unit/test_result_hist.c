/* Histograms in a document can be merged again, and nothing that is none is taken for one. */
#include "result/result_priv.h"
#include "unit/sample_result.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static char *hist_text(const struct hist *h)
{
    json_t *v = NULL;
    assert_int_equal(result_print_hist(h, &v, NULL), 0);
    char *text = json_dumps(v, JSON_COMPACT);
    json_decref(v);
    return text;
}

static int hist_from(const char *text, struct hist *h, struct err *err)
{
    json_t *v = json_loads(text, 0, NULL);
    assert_non_null(v);
    int rc = result_read_hist(v, h, err);
    json_decref(v);
    return rc;
}

/* The worked example of docs/results-format.md. */
static void the_documented_example_holds(void **state)
{
    (void)state;
    static struct hist h;
    static struct hist back;
    static const uint64_t values[] = {100, 100, 300, 5000};
    for (size_t i = 0; i < 4; i++)
        hist_record(&h, values[i]);
    char *text = hist_text(&h);
    assert_string_equal(text, "{\"scheme\":\"log-linear-7\",\"sum_ns\":5500,\"min_ns\":100,"
                              "\"max_ns\":5000,\"overflow\":0,"
                              "\"buckets\":[100,2,178,1,518,1]}");
    assert_int_equal(hist_from(text, &back, NULL), 0);
    assert_memory_equal(&h, &back, sizeof h);
    assert_int_equal(hist_bucket_low(278), 300);
    assert_int_equal(hist_bucket_high(278), 301);
    assert_int_equal(hist_bucket_low(796), 4992);
    assert_int_equal(hist_bucket_high(796), 5023);
    assert_int_equal(hist_quantile(&h, 0.75), 300);
    free(text);
}

static void two_documents_merge_into_one(void **state)
{
    (void)state;
    static struct hist a;
    static struct hist b;
    static struct hist both;
    static struct hist merged;
    for (uint64_t v = 1; v < (1ull << 46); v = v * 3 + 1) {
        hist_record(v & 1 ? &a : &b, v);
        hist_record(&both, v);
    }
    char *x = hist_text(&a);
    char *y = hist_text(&b);
    static struct hist from_y;
    assert_int_equal(hist_from(x, &merged, NULL), 0);
    assert_int_equal(hist_from(y, &from_y, NULL), 0);
    hist_merge(&merged, &from_y);
    assert_true(merged.overflow > 0);
    assert_memory_equal(&merged, &both, sizeof both);
    free(x);
    free(y);
}

static void an_empty_histogram_survives(void **state)
{
    (void)state;
    static struct hist h;
    static struct hist back;
    char *text = hist_text(&h);
    assert_non_null(strstr(text, "\"buckets\":[]"));
    assert_int_equal(hist_from(text, &back, NULL), 0);
    assert_memory_equal(&h, &back, sizeof h);
    free(text);
}

#define HIST(scheme, sum, min, max, overflow, buckets)                                             \
    "{\"scheme\":\"" scheme "\",\"sum_ns\":" #sum ",\"min_ns\":" #min ",\"max_ns\":" #max          \
    ",\"overflow\":" #overflow ",\"buckets\":" buckets "}"

static void what_is_no_histogram_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *json;
        const char *word;
    } bad[] = {
        {HIST("log-linear-8", 5, 5, 5, 0, "[5,1]"), "scheme"},
        {HIST("log-linear-7", 5, 5, 5, 0, "{}"), "buckets"},
        {HIST("log-linear-7", 5, 5, 5, 0, "[5]"), "buckets"},
        {HIST("log-linear-7", 5, 5, 5, 0, "[5,0]"), "counts nothing"},
        {HIST("log-linear-7", 5, 5, 5, 0, "[5,-1]"), "counts nothing"},
        {HIST("log-linear-7", 5, 5, 5, 0, "[5,\"1\"]"), "not integers"},
        {HIST("log-linear-7", 5, 5, 5, 0, "[-1,1]"), "no such bucket"},
        {HIST("log-linear-7", 5, 5, 5, 0, "[4864,1]"), "no such bucket"},
        {HIST("log-linear-7", 5, 5, 5, 0, "[5,1,4859,1]"), "no such bucket"},
        {HIST("log-linear-7", 5, 5, 5, 0, "[5,1,9223372036854775807,1]"), "no such bucket"},
        {HIST("log-linear-7", 10, 5, 5, 0, "[5,1,0,1]"), "do not belong together"},
        {HIST("log-linear-7", 5, 4, 5, 0, "[5,1]"), "do not belong together"},
        {HIST("log-linear-7", 5, 5, 900, 0, "[5,1]"), "do not belong together"},
        {HIST("log-linear-7", 5, 0, 0, 0, "[]"), "do not belong together"},
        {HIST("log-linear-7", 5, 5, 5, 1, "[5,1]"), "do not belong together"},
        {HIST("log-linear-7", 5, 5, 5, 0,
              "[5,9223372036854775807,1,9223372036854775807,1,9223372036854775807]"),
         "do not belong together"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        static struct hist h;
        struct err err = {0};
        assert_int_equal(hist_from(bad[i].json, &h, &err), -EINVAL);
        if (!strstr(err.text, bad[i].word))
            fail_msg("%s: \"%s\" does not say \"%s\"", bad[i].json, err.text, bad[i].word);
        assert_int_equal(hist_count(&h), 0);
    }
}

static json_t *intervals_of(const struct series *s)
{
    json_t *v = NULL;
    assert_int_equal(result_print_intervals(s, &v, NULL), 0);
    return v;
}

static int intervals_from(json_t *v, unsigned used, struct err *err)
{
    struct series s;
    series_init(&s, 2, 1);
    s.used = used;
    int rc = result_read_intervals(v, &s, err);
    series_fini(&s);
    return rc;
}

static void quiet_intervals_are_left_out(void **state)
{
    (void)state;
    struct result *r = sample_result("k3f9a2bc", 1);
    json_t *v = intervals_of(&r->series);
    assert_int_equal(json_array_size(v), 3); /* of 3 intervals × 2 lines */
    struct series back;
    series_init(&back, 2, r->series.width_ns);
    back.used = 3;
    assert_int_equal(result_read_intervals(v, &back, NULL), 0);
    assert_int_equal(series_at(&back, 0, 0)->samples, 501);
    assert_int_equal(series_at(&back, 1, 0)->samples, 0);
    assert_int_equal(series_at(&back, 2, 1)->samples, 1);
    series_fini(&back);
    json_decref(v);
    result_free(r);
}

/* A series that was read can go on: reports append and widen it. */
static void a_series_that_was_read_can_be_appended_to(void **state)
{
    (void)state;
    struct result *r = sample_result("k3f9a2bc", 1);
    json_t *v = intervals_of(&r->series);
    struct series back;
    series_init(&back, 2, r->series.width_ns);
    back.used = 3;
    assert_int_equal(result_read_intervals(v, &back, NULL), 0);
    assert_int_equal(series_append(&back, &r->series), 0);
    assert_int_equal(back.used, 6);
    assert_int_equal(series_at(&back, 3, 0)->samples, 501);
    series_fini(&back);
    json_decref(v);
    result_free(r);
}

static void intervals_out_of_place_are_refused(void **state)
{
    (void)state;
    struct result *r = sample_result("k3f9a2bc", 1);
    struct err err = {0};
    json_t *v = intervals_of(&r->series);
    assert_int_equal(intervals_from(v, 3, &err), 0);
    assert_int_equal(intervals_from(v, 2, &err), -EINVAL);
    assert_non_null(strstr(err.text, "no such interval"));
    json_array_append(v, json_array_get(v, 2));
    assert_int_equal(intervals_from(v, 3, &err), -EINVAL);
    assert_non_null(strstr(err.text, "[3]: not in rising order"));
    json_array_remove(v, 3);
    json_t *quiet = json_deep_copy(json_array_get(v, 2));
    json_object_set(quiet, "service", json_object_get(quiet, "response"));
    json_object_set_new(quiet, "ops", json_integer(0));
    json_object_set_new(quiet, "bytes", json_integer(0));
    json_array_set_new(v, 2, quiet);
    assert_int_equal(intervals_from(v, 3, &err), -EINVAL);
    assert_non_null(strstr(err.text, "quiet"));
    json_decref(v);
    result_free(r);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_documented_example_holds),
    cmocka_unit_test(two_documents_merge_into_one),
    cmocka_unit_test(an_empty_histogram_survives),
    cmocka_unit_test(what_is_no_histogram_is_refused),
    cmocka_unit_test(quiet_intervals_are_left_out),
    cmocka_unit_test(a_series_that_was_read_can_be_appended_to),
    cmocka_unit_test(intervals_out_of_place_are_refused),
};

int main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}
