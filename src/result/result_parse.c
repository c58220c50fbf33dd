#include "result/result_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int no_memory(struct err *err)
{
    return err_set(err, -ENOMEM, "no memory to read a result");
}

/* Above 2^63−1 a string of digits, and only there: one number has one form. */
static bool read_big(const char *digits, uint64_t *out)
{
    uint64_t v = 0;
    for (const char *s = digits; *s != '\0'; s++) {
        bool fits = *s >= '0' && *s <= '9' && !__builtin_mul_overflow(v, 10u, &v) &&
                    !__builtin_add_overflow(v, (uint64_t)(*s - '0'), &v);
        if (!fits)
            return false;
    }
    *out = v;
    return v > INT64_MAX && digits[0] != '0';
}

static int read_u64(json_t *v, uint64_t *out, struct err *err)
{
    if (json_is_string(v) && read_big(json_string_value(v), out))
        return 0;
    if (!json_is_integer(v) || json_integer_value(v) < 0)
        return err_set(err, -EINVAL, "not an unsigned integer");
    *out = (uint64_t)json_integer_value(v);
    return 0;
}

static int read_u32(json_t *v, size_t max, uint32_t *out, struct err *err)
{
    uint64_t wide = 0;
    int rc = read_u64(v, &wide, err);
    if (rc < 0)
        return rc;
    if (wide > max)
        return err_set(err, -EINVAL, "is %llu, at most %zu", (unsigned long long)wide, max);
    *out = (uint32_t)wide;
    return 0;
}

static int read_bool(json_t *v, bool *out, struct err *err)
{
    if (!json_is_boolean(v))
        return err_set(err, -EINVAL, "neither true nor false");
    *out = json_is_true(v);
    return 0;
}

static int read_chars(json_t *v, char *out, size_t room, struct err *err)
{
    if (!json_is_string(v))
        return err_set(err, -EINVAL, "not text");
    if (json_string_length(v) >= room)
        return err_set(err, -EINVAL, "longer than %zu bytes", room - 1);
    memcpy(out, json_string_value(v), json_string_length(v) + 1);
    return 0;
}

static int read_text(json_t *v, char **out, struct err *err)
{
    if (!json_is_string(v))
        return err_set(err, -EINVAL, "not text");
    *out = strdup(json_string_value(v));
    return *out ? 0 : no_memory(err);
}

static int read_state(json_t *v, enum result_state *out, struct err *err)
{
    for (unsigned i = 0; i < sizeof result_state_name / sizeof *result_state_name; i++) {
        if (json_is_string(v) && strcmp(json_string_value(v), result_state_name[i]) == 0) {
            *out = (enum result_state)i;
            return 0;
        }
    }
    return err_set(err, -EINVAL, "none of complete, incomplete, void");
}

static int read_scheme(json_t *v, struct err *err)
{
    if (!json_is_string(v) || strcmp(json_string_value(v), RESULT_HIST_SCHEME) != 0)
        return err_set(err, -EINVAL, "not %s", RESULT_HIST_SCHEME);
    return 0;
}

static int check_length(json_t *v, size_t max, struct err *err)
{
    if (!json_is_array(v))
        return err_set(err, -EINVAL, "not a list");
    if (json_array_size(v) > max)
        return err_set(err, -EINVAL, "%zu entries, at most %zu", json_array_size(v), max);
    return 0;
}

static int read_elements(const struct shape *shape, json_t *v, char *first, struct err *err)
{
    for (size_t i = 0; i < json_array_size(v); i++) {
        int rc = result_read_shape(shape, json_array_get(v, i), first + i * shape->bytes, err);
        if (rc < 0) {
            err_prefix(err, "[%zu]", i);
            return rc;
        }
    }
    return 0;
}

/* Elements are owned by the struct as soon as they are there, also when reading them fails. */
static int read_list(const struct field *f, json_t *v, char *base, struct err *err)
{
    char *first = base + f->off;
    int rc = check_length(v, f->max, err);
    if (rc < 0)
        return rc;
    size_t n = json_array_size(v);
    if (f->kind == FIELD_LIST && n > 0) {
        first = calloc(n, f->shape->bytes);
        if (!first)
            return no_memory(err);
        memcpy(base + f->off, &first, sizeof first);
    }
    *(unsigned *)(base + f->count_off) = (unsigned)n;
    return read_elements(f->shape, v, first, err);
}

static int read_facts(json_t *v, struct result_facts *facts, struct err *err)
{
    int rc = check_length(v, RESULT_FACTS_MAX, err);
    size_t n = json_array_size(v);
    if (rc < 0 || n == 0)
        return rc;
    facts->fact = calloc(n, sizeof *facts->fact);
    if (!facts->fact)
        return no_memory(err);
    facts->n = (unsigned)n;
    facts->room = (unsigned)n;
    return read_elements(&result_fact_shape, v, (char *)facts->fact, err);
}

/* What could be computed is computed, never believed. */
static int read_derived(json_t *v, struct result_line *line, struct err *err)
{
    line->sum.samples = hist_count(&line->sum.service);
    return json_is_object(v) ? 0 : err_set(err, -EINVAL, "not an object");
}

static int read_field(const struct field *f, json_t *v, char *base, struct err *err)
{
    char *at = base + f->off;
    switch (f->kind) {
    case FIELD_U64:
        return read_u64(v, (uint64_t *)at, err);
    case FIELD_U32:
        return read_u32(v, f->max, (uint32_t *)at, err);
    case FIELD_BOOL:
        return read_bool(v, (bool *)at, err);
    case FIELD_CHARS:
        return read_chars(v, at, f->max, err);
    case FIELD_TEXT:
        return read_text(v, (char **)at, err);
    case FIELD_STATE:
        return read_state(v, (enum result_state *)at, err);
    case FIELD_STRUCT:
        return result_read_shape(f->shape, v, at, err);
    case FIELD_LIST:
    case FIELD_SLOTS:
        return read_list(f, v, base, err);
    case FIELD_FACTS:
        return read_facts(v, (struct result_facts *)at, err);
    case FIELD_HIST:
        return result_read_hist(v, (struct hist *)at, err);
    case FIELD_SPARSE:
        return result_read_sparse(v, (struct sparse_hist *)at, err);
    case FIELD_SCHEME:
        return read_scheme(v, err);
    case FIELD_BUCKETS:
        return result_read_buckets(v, (struct sparse_hist *)at, err);
    case FIELD_INTERVALS:
        return result_read_intervals(v, (struct series *)at, err);
    case FIELD_I64:
        return result_read_i64(v, (int64_t *)at, err);
    case FIELD_NUMBER:
        return result_read_number(v, (double *)at, err);
    case FIELD_END:
        return result_read_end(v, (enum track_end *)at, err);
    case FIELD_KIND:
        return result_read_kind(v, (enum track_kind *)at, err);
    case FIELD_VALUES:
        return result_read_values(v, (struct track *)at, err);
    case FIELD_DERIVED:
        return read_derived(v, (struct result_line *)at, err);
    }
    return err_set(err, -EINVAL, "of no known kind");
}

static const struct field *field_find(const struct shape *shape, const char *key)
{
    for (unsigned i = 0; i < shape->fields; i++) {
        if (strcmp(shape->field[i].key, key) == 0)
            return &shape->field[i];
    }
    return NULL;
}

/* A member nobody knows would be lost without a word when the result is written again. */
static int check_members(const struct shape *shape, json_t *obj, struct err *err)
{
    if (!json_is_object(obj))
        return err_set(err, -EINVAL, "not an object");
    const char *key = NULL;
    json_t *v = NULL;
    json_object_foreach(obj, key, v)
    {
        if (!field_find(shape, key))
            return err_set(err, -EINVAL, "unknown member \"%s\"", key);
    }
    return 0;
}

int result_read_shape(const struct shape *shape, json_t *obj, void *base, struct err *err)
{
    int rc = check_members(shape, obj, err);
    for (unsigned i = 0; rc >= 0 && i < shape->fields; i++) {
        const struct field *f = &shape->field[i];
        json_t *v = json_object_get(obj, f->key);
        if (!v && f->optional)
            continue;
        rc = v ? read_field(f, v, base, err) : err_set(err, -EINVAL, "missing");
        if (rc >= 0 && f->optional && result_field_empty(f, base))
            rc = err_set(err, -EINVAL, "empty");
        if (rc < 0)
            err_prefix(err, "%s", f->key);
    }
    return rc;
}

int result_read(json_t *doc, struct result **out, struct err *err)
{
    struct result *r = result_new();
    int rc = r ? result_read_shape(&result_shape, doc, r, err) : no_memory(err);
    if (rc >= 0) {
        r->tracks.room = r->tracks.n;
        rc = result_check(r, err);
    }
    if (rc < 0)
        result_free(r);
    else
        *out = r;
    return rc;
}

static int check_schema(json_t *doc, struct err *err)
{
    json_t *schema = json_object_get(doc, "schema");
    json_int_t number = json_integer_value(schema);
    if (!json_is_integer(schema) || number < 1)
        return err_set(err, -EINVAL, "not a result of loadline: it has no schema number");
    if (number > RESULT_SCHEMA)
        return err_set(err, -EPROTO,
                       "written with schema %lld, this loadline knows up to %d: use a newer one",
                       (long long)number, RESULT_SCHEMA);
    return 0;
}

/* Leaves the document without "seal". */
static int take_seal(json_t *doc, char seal[65], struct err *err)
{
    const char *kept = json_string_value(json_object_get(doc, "seal"));
    char found[65] = "";
    if (!kept || strlen(kept) != sizeof found - 1)
        return err_set(err, -EBADMSG, "it has no seal");
    memcpy(found, kept, sizeof found);
    json_object_del(doc, "seal");
    int rc = result_seal_of(doc, seal, err);
    if (rc < 0)
        return rc;
    if (strcmp(seal, found) != 0)
        return err_set(err, -EBADMSG, "its seal is broken: it was changed after it was written");
    return 0;
}

static int load(const char *json, size_t len, json_t **out, struct err *err)
{
    json_error_t at;
    if (len > RESULT_JSON_MAX)
        return err_set(err, -EINVAL, "%zu bytes, at most %u", len, RESULT_JSON_MAX);
    json_t *doc = json_loadb(json, len, JSON_REJECT_DUPLICATES, &at);
    if (!doc && json_error_code(&at) == json_error_out_of_memory)
        return no_memory(err);
    if (!doc)
        return err_set(err, -EINVAL, "not JSON: line %d, column %d: %s", at.line, at.column,
                       at.text);
    *out = doc;
    return 0;
}

int result_parse(const char *json, size_t len, struct result **out, struct err *err)
{
    char seal[65];
    json_t *doc = NULL;
    struct result *r = NULL;
    int rc = load(json, len, &doc, err);
    if (rc >= 0)
        rc = check_schema(doc, err);
    if (rc >= 0)
        rc = take_seal(doc, seal, err);
    if (rc < 0)
        goto out;
    json_object_del(doc, "schema");
    rc = result_read(doc, &r, err);
    if (rc < 0)
        goto out;
    memcpy(r->seal, seal, sizeof seal);
    r->document = strndup(json, len);
    if (!r->document) {
        rc = no_memory(err);
        goto out;
    }
    *out = r;
    r = NULL;
out:
    result_free(r);
    json_decref(doc);
    if (rc < 0)
        err_prefix(err, "not a result that can be read");
    return rc;
}
