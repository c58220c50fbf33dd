#include "result/result_priv.h"

#include <errno.h>
#include <stdlib.h>

static int no_memory(struct err *err)
{
    return err_set(err, -ENOMEM, "no memory for a histogram");
}

uint64_t result_sparse_count(const struct sparse_hist *s)
{
    uint64_t count = s->overflow;
    for (unsigned i = 0; i < s->used; i++)
        count += s->count[i];
    return count;
}

/* Distances, not numbers: neighbouring buckets are most of a histogram, and "1" is short. */
int result_print_buckets(const struct sparse_hist *s, json_t **out, struct err *err)
{
    json_t *list = json_array();
    int rc = list ? 0 : no_memory(err);
    unsigned before = 0;
    for (unsigned i = 0; rc >= 0 && i < s->used; i++) {
        if (s->count[i] > INT64_MAX)
            rc = err_set(err, -EINVAL, "a count above 2^63-1");
        else if (json_array_append_new(list, json_integer(s->bucket[i] - before)) < 0 ||
                 json_array_append_new(list, json_integer((json_int_t)s->count[i])) < 0)
            rc = no_memory(err);
        before = s->bucket[i];
    }
    if (rc < 0)
        json_decref(list);
    else
        *out = list;
    return rc;
}

int result_print_sparse(const struct sparse_hist *s, json_t **out, struct err *err)
{
    struct hist all = {0};
    if (sparse_hist_to(&all, s) < 0)
        return err_set(err, -EINVAL, "its sum, ends and buckets do not belong together");
    return result_print_shape(&result_sparse_shape, s, out, err);
}

int result_print_hist(const struct hist *h, json_t **out, struct err *err)
{
    struct sparse_hist s = {0};
    int rc = sparse_hist_add(&s, h);
    rc = rc < 0 ? no_memory(err) : result_print_sparse(&s, out, err);
    sparse_hist_fini(&s);
    return rc;
}

static int read_bucket(json_t *step, json_t *count, unsigned before, uint16_t *bucket, uint64_t *n,
                       struct err *err)
{
    if (!json_is_integer(step) || !json_is_integer(count))
        return err_set(err, -EINVAL, "not integers");
    if (json_integer_value(step) < 0 || json_integer_value(step) >= HIST_BUCKETS - (int)before)
        return err_set(err, -EINVAL, "no such bucket");
    if (json_integer_value(count) <= 0)
        return err_set(err, -EINVAL, "counts nothing");
    *bucket = (uint16_t)(before + (unsigned)json_integer_value(step));
    *n = (uint64_t)json_integer_value(count);
    return 0;
}

int result_read_buckets(json_t *v, struct sparse_hist *s, struct err *err)
{
    size_t n = json_array_size(v);
    if (!json_is_array(v) || n % 2 != 0 || n / 2 > HIST_BUCKETS)
        return err_set(err, -EINVAL, "not a list of distances and counts");
    if (n == 0)
        return 0;
    s->bucket = calloc(n / 2, sizeof *s->bucket);
    s->count = calloc(n / 2, sizeof *s->count);
    if (!s->bucket || !s->count)
        return no_memory(err);
    s->room = (unsigned)(n / 2);
    for (unsigned i = 0; i < n / 2; i++) {
        unsigned before = i > 0 ? s->bucket[i - 1] : 0;
        int rc = read_bucket(json_array_get(v, 2 * i), json_array_get(v, 2 * i + 1), before,
                             &s->bucket[i], &s->count[i], err);
        if (rc < 0) {
            err_prefix(err, "[%u]", 2 * i);
            return rc;
        }
        s->used = i + 1;
    }
    return 0;
}

int result_read_sparse(json_t *v, struct sparse_hist *s, struct err *err)
{
    struct hist all = {0};
    int rc = result_read_shape(&result_sparse_shape, v, s, err);
    if (rc >= 0 && sparse_hist_to(&all, s) < 0)
        rc = err_set(err, -EINVAL, "its sum, ends and buckets do not belong together");
    return rc;
}

int result_read_hist(json_t *v, struct hist *h, struct err *err)
{
    struct sparse_hist s = {0};
    int rc = result_read_shape(&result_sparse_shape, v, &s, err);
    if (rc >= 0 && sparse_hist_to(h, &s) < 0)
        rc = err_set(err, -EINVAL, "its sum, ends and buckets do not belong together");
    sparse_hist_fini(&s);
    return rc;
}

static const struct {
    const char *key;
    double q;
} quantiles[] = {
    {"p50_ns", 0.50}, {"p95_ns", 0.95}, {"p99_ns", 0.99}, {"p999_ns", 0.999}, {"p9999_ns", 0.9999}};

static json_t *derive(const struct hist *h)
{
    json_t *obj = json_pack("{s:f}", "mean_ns", hist_mean(h));
    for (unsigned i = 0; obj && i < sizeof quantiles / sizeof *quantiles; i++) {
        json_t *v = result_print_u64(hist_quantile(h, quantiles[i].q));
        if (json_object_set_new(obj, quantiles[i].key, v) < 0) {
            json_decref(obj);
            obj = NULL;
        }
    }
    return obj;
}

/* Of nothing there is no quantile: a histogram that is empty has no member here. */
int result_print_derived(const struct result_line *line, json_t **out, struct err *err)
{
    uint64_t samples = hist_count(&line->sum.service);
    json_t *obj = json_pack("{s:o}", "samples", result_print_u64(samples));
    int rc = obj ? 0 : -1;
    if (rc == 0 && samples > 0)
        rc = json_object_set_new(obj, "service", derive(&line->sum.service));
    if (rc == 0 && hist_count(&line->sum.response) > 0)
        rc = json_object_set_new(obj, "response", derive(&line->sum.response));
    if (rc < 0) {
        json_decref(obj);
        return no_memory(err);
    }
    *out = obj;
    return 0;
}
