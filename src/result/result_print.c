#include "result/result_priv.h"

#include "base/digest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DUMP_FLAGS (JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17))

static int no_memory(struct err *err)
{
    return err_set(err, -ENOMEM, "no memory for a result's document");
}

json_t *result_print_u64(uint64_t v)
{
    char digits[24];
    if (v <= INT64_MAX)
        return json_integer((json_int_t)v);
    snprintf(digits, sizeof digits, "%" PRIu64, v);
    return json_string(digits);
}

static json_t *print_text(const char *text, size_t max)
{
    char *clean = result_utf8(text ? text : "", max);
    json_t *v = clean ? json_string(clean) : NULL;
    free(clean);
    return v;
}

static int print_elements(const struct shape *shape, const char *element, size_t n, json_t **out,
                          struct err *err)
{
    json_t *list = json_array();
    int rc = list ? 0 : no_memory(err);
    for (size_t i = 0; rc >= 0 && i < n; i++) {
        json_t *one = NULL;
        rc = result_print_shape(shape, element + i * shape->bytes, &one, err);
        if (rc < 0)
            err_prefix(err, "[%zu]", i);
        else if (json_array_append_new(list, one) < 0)
            rc = no_memory(err);
    }
    if (rc < 0)
        json_decref(list);
    else
        *out = list;
    return rc;
}

static int print_list(const struct field *f, const char *base, json_t **out, struct err *err)
{
    unsigned n = *(const unsigned *)(base + f->count_off);
    const char *first = base + f->off;
    if (n > f->max)
        return err_set(err, -EINVAL, "%u entries, at most %zu", n, f->max);
    if (f->kind == FIELD_LIST)
        memcpy(&first, base + f->off, sizeof first);
    return print_elements(f->shape, first, n, out, err);
}

static int print_facts(const struct result_facts *facts, json_t **out, struct err *err)
{
    if (facts->n > RESULT_FACTS_MAX)
        return err_set(err, -EINVAL, "%u entries, at most %d", facts->n, RESULT_FACTS_MAX);
    return print_elements(&result_fact_shape, (const char *)facts->fact, facts->n, out, err);
}

static json_t *print_scalar(const struct field *f, const char *at)
{
    switch (f->kind) {
    case FIELD_U64:
        return result_print_u64(*(const uint64_t *)at);
    case FIELD_U32:
        return json_integer(*(const uint32_t *)at);
    case FIELD_BOOL:
        return json_boolean(*(const bool *)at);
    case FIELD_CHARS:
        return print_text(at, f->max - 1);
    case FIELD_TEXT:
        return print_text(*(char *const *)at, SIZE_MAX);
    case FIELD_I64:
        return json_integer(*(const int64_t *)at);
    case FIELD_NUMBER:
        return result_print_number(*(const double *)at);
    case FIELD_END:
        return json_string(track_end_name(*(const enum track_end *)at));
    case FIELD_KIND:
        return json_string(track_kind_name(*(const enum track_kind *)at));
    case FIELD_STATE:
        return json_string(result_state_name[*(const enum result_state *)at]);
    default:
        return json_string(RESULT_HIST_SCHEME);
    }
}

static int print_field(const struct field *f, const char *base, json_t **out, struct err *err)
{
    const char *at = base + f->off;
    switch (f->kind) {
    case FIELD_STRUCT:
        return result_print_shape(f->shape, at, out, err);
    case FIELD_LIST:
    case FIELD_SLOTS:
        return print_list(f, base, out, err);
    case FIELD_FACTS:
        return print_facts((const struct result_facts *)at, out, err);
    case FIELD_HIST:
        return result_print_hist((const struct hist *)at, out, err);
    case FIELD_SPARSE:
        return result_print_sparse((const struct sparse_hist *)at, out, err);
    case FIELD_BUCKETS:
        return result_print_buckets((const struct sparse_hist *)at, out, err);
    case FIELD_INTERVALS:
        return result_print_intervals((const struct series *)at, out, err);
    case FIELD_VALUES:
        return result_print_values((const struct track *)at, out, err);
    case FIELD_DERIVED:
        return result_print_derived((const struct result_line *)at, out, err);
    default:
        *out = print_scalar(f, at);
        return *out ? 0 : no_memory(err);
    }
}

bool result_field_empty(const struct field *f, const void *base)
{
    const char *at = base;
    if (f->kind == FIELD_LIST || f->kind == FIELD_STRUCT)
        return *(const unsigned *)(const void *)(at + f->count_off) == 0;
    return at[f->off] == '\0';
}

int result_print_shape(const struct shape *shape, const void *base, json_t **out, struct err *err)
{
    json_t *obj = json_object();
    int rc = obj ? 0 : no_memory(err);
    for (unsigned i = 0; rc >= 0 && i < shape->fields; i++) {
        const struct field *f = &shape->field[i];
        json_t *v = NULL;
        if (f->optional && result_field_empty(f, base))
            continue;
        rc = print_field(f, base, &v, err);
        if (rc < 0)
            err_prefix(err, "%s", f->key);
        else if (json_object_set_new(obj, f->key, v) < 0)
            rc = no_memory(err);
    }
    if (rc < 0)
        json_decref(obj);
    else
        *out = obj;
    return rc;
}

int result_seal_of(const json_t *doc, char seal[65], struct err *err)
{
    char *bytes = json_dumps(doc, DUMP_FLAGS);
    if (!bytes)
        return no_memory(err);
    digest_sha256(bytes, strlen(bytes), seal);
    free(bytes);
    return 0;
}

static int fill_texts(struct result *r)
{
    for (unsigned i = 0; i < result_shape.fields; i++) {
        const struct field *f = &result_shape.field[i];
        if (f->kind != FIELD_TEXT)
            continue;
        char **text = (char **)((char *)r + f->off);
        if (!*text)
            *text = calloc(1, 1);
        if (!*text)
            return -ENOMEM;
    }
    return 0;
}

static int print_sealed(json_t *doc, char seal[65], char **out, struct err *err)
{
    int rc = result_seal_of(doc, seal, err);
    if (rc < 0)
        return rc;
    if (json_object_set_new(doc, "seal", json_string(seal)) < 0)
        return no_memory(err);
    char *bytes = json_dumps(doc, DUMP_FLAGS);
    if (!bytes)
        return no_memory(err);
    size_t len = strlen(bytes);
    if (len > RESULT_JSON_MAX) {
        free(bytes);
        return err_set(err, -EINVAL, "a document of %zu bytes, at most %u", len, RESULT_JSON_MAX);
    }
    *out = bytes;
    return 0;
}

int result_seal(struct result *r, char **out, struct err *err)
{
    json_t *doc = NULL;
    int rc = fill_texts(r) < 0 ? no_memory(err) : result_check(r, err);
    if (rc >= 0)
        rc = result_print_shape(&result_shape, r, &doc, err);
    if (rc < 0)
        goto out;
    if (json_object_set_new(doc, "schema", json_integer(RESULT_SCHEMA)) < 0) {
        rc = no_memory(err);
        goto out;
    }
    rc = print_sealed(doc, r->seal, out, err);
out:
    json_decref(doc);
    if (rc < 0)
        err_prefix(err, "cannot seal the result");
    return rc;
}
