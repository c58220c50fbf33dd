/* A result survives the way through its document, and a document that is not whole is refused. */
#include "base/digest.h"
#include "result/result_priv.h"
#include "unit/result_docs.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void print_parse_print_is_the_identity(void **state)
{
    (void)state;
    struct result *first = sample_result("k3f9a2bc", 4);
    char *a = sealed(first);
    struct result *second = parsed(a);
    char *b = sealed(second);
    assert_string_equal(a, b);
    assert_string_equal(first->seal, second->seal);
    assert_null(strchr(a, '\n'));
    free(a);
    free(b);
    result_free(first);
    result_free(second);
}

static void an_empty_result_survives(void **state)
{
    (void)state;
    struct result *r = result_new();
    snprintf(r->study_id, sizeof r->study_id, "k3f9a2bc");
    r->run = 1;
    char *a = sealed(r);
    assert_string_equal(r->label, "");
    struct result *back = parsed(a);
    char *b = sealed(back);
    assert_string_equal(a, b);
    free(a);
    free(b);
    result_free(r);
    result_free(back);
}

static void compare_values(const struct result *a, const struct result *b)
{
    assert_string_equal(a->study_id, b->study_id);
    assert_int_equal(a->run, b->run);
    assert_string_equal(a->target, b->target);
    assert_string_equal(a->plan_text, b->plan_text);
    assert_true(a->seed == b->seed);
    assert_int_equal(a->state, b->state);
    assert_string_equal(a->reason, b->reason);
    assert_int_equal(a->window_close_ns, b->window_close_ns);
    assert_true(b->verified);
    assert_memory_equal(&a->streams, &b->streams, sizeof a->streams);
    assert_memory_equal(&a->error[0], &b->error[0], sizeof a->error[0]);
    assert_string_equal(a->cache.mode, b->cache.mode);
    assert_int_equal(a->cache.resident_bytes, b->cache.resident_bytes);
    assert_int_equal(a->cache.dirty_bytes, b->cache.dirty_bytes);
    assert_string_equal(result_fact_get(&b->machine, "kernel"),
                        result_fact_get(&a->machine, "kernel"));
}

static void every_value_comes_back(void **state)
{
    (void)state;
    struct result *a = sample_result("k3f9a2bc", 4);
    char *json = sealed(a);
    struct result *b = parsed(json);
    compare_values(a, b);
    assert_int_equal(b->lines, a->lines);
    for (unsigned l = 0; l < a->lines; l++)
        assert_memory_equal(&a->line[l], &b->line[l], sizeof a->line[l]);
    assert_memory_equal(&a->lateness, &b->lateness, sizeof a->lateness);
    assert_int_equal(b->series.used, 3);
    for (unsigned i = 0; i < 3; i++) {
        const struct series_line *x = series_at(&a->series, i, 0);
        const struct series_line *y = series_at(&b->series, i, 0);
        assert_int_equal(x->ops, y->ops);
        assert_int_equal(x->samples, y->samples);
        assert_int_equal(x->service.used, y->service.used);
        assert_int_equal(x->service.max, y->service.max);
    }
    free(json);
    result_free(a);
    result_free(b);
}

static void the_seal_is_the_hash_of_the_line_without_it(void **state)
{
    (void)state;
    struct result *r = sample_result("k3f9a2bc", 4);
    char *json = sealed(r);
    char member[80];
    char hex[DIGEST_HEX_MAX];
    snprintf(member, sizeof member, "\"seal\":\"%s\",", r->seal);
    char *cut = strstr(json, member);
    assert_non_null(cut);
    memmove(cut, cut + strlen(member), strlen(cut + strlen(member)) + 1);
    assert_string_equal(digest_sha256(json, strlen(json), hex), r->seal);
    free(json);
    result_free(r);
}

static void a_changed_document_is_refused(void **state)
{
    (void)state;
    struct err err = {0};
    struct result *r = sample_result("k3f9a2bc", 4);
    struct result *none = NULL;
    char *json = sealed(r);
    char *digit = strstr(json, "\"elapsed_ns\":3");
    assert_non_null(digit);
    digit[strlen("\"elapsed_ns\":")] = '2';
    assert_int_equal(result_parse(json, strlen(json), &none, &err), -EBADMSG);
    assert_non_null(strstr(err.text, "seal"));
    assert_null(none);
    free(json);
    result_free(r);
}

static void a_document_without_seal_is_refused(void **state)
{
    (void)state;
    struct result *none = NULL;
    json_t *doc = sample_doc();
    json_object_del(doc, "seal");
    char *json = json_dumps(doc, 0);
    assert_int_equal(result_parse(json, strlen(json), &none, NULL), -EBADMSG);
    free(json);
    json_decref(doc);
}

static void a_part_of_a_document_is_refused(void **state)
{
    (void)state;
    struct result *r = sample_result("k3f9a2bc", 4);
    struct result *none = NULL;
    char *json = sealed(r);
    for (size_t len = 0; len < strlen(json); len += 1 + len / 64)
        assert_int_equal(result_parse(json, len, &none, NULL), -EINVAL);
    assert_int_equal(result_parse(json, strlen(json) - 1, &none, NULL), -EINVAL);
    assert_null(none);
    free(json);
    result_free(r);
}

/* Layout and order of members do not belong to what is sealed. */
static void a_document_laid_out_anew_is_read(void **state)
{
    (void)state;
    json_t *doc = sample_doc();
    char *json = json_dumps(doc, JSON_INDENT(4));
    result_free(parsed(json));
    free(json);
    json_decref(doc);
}

static void a_newer_schema_is_refused_by_name(void **state)
{
    (void)state;
    static const char json[] = "{\"schema\":7,\"what\":\"ever\"}";
    struct result *none = NULL;
    struct err err = {0};
    assert_int_equal(result_parse(json, strlen(json), &none, &err), -EPROTO);
    assert_non_null(strstr(err.text, "7"));
    assert_non_null(strstr(err.text, "up to 1"));
    assert_null(none);
}

static void other_json_is_no_result(void **state)
{
    (void)state;
    static const char *const json[] = {"",
                                       "{}",
                                       "[1]",
                                       "null",
                                       "{\"schema\":0}",
                                       "{\"schema\":\"1\"}",
                                       "{\"schema\":1,\"schema\":1}"};
    for (size_t i = 0; i < sizeof json / sizeof *json; i++) {
        struct result *none = NULL;
        assert_int_equal(result_parse(json[i], strlen(json[i]), &none, NULL), -EINVAL);
    }
}

static const char *const optionals[] = {"flowop", "calls", "truth", "tracks", "marks", NULL};
static const char *const numbers[] = {"mean", "peak", "full_frac", NULL};

static bool is_one_of(const char *key, const char *const words[])
{
    for (; *words; words++)
        if (strcmp(key, *words) == 0)
            return true;
    return false;
}

static void break_one(json_t *doc, json_t *v, const char *key, json_t *member)
{
    struct err err = {0};
    bool optional = is_one_of(key, optionals);
    bool may_be_unseen = is_one_of(key, numbers);
    json_object_del(v, key);
    assert_int_equal(parse_resealed(doc, &err), optional ? 0 : -EINVAL);
    assert_true(optional || strstr(err.text, key));
    json_object_set_new(v, key, json_null());
    assert_int_equal(parse_resealed(doc, &err), may_be_unseen ? 0 : -EINVAL);
    assert_true(may_be_unseen || strstr(err.text, key));
    json_object_set(v, key, member);
}

/* Takes away, and then voids, each member below v, and puts it back: only the optionals may be
 * absent, and only numbers null. Returns how many there are. */
static unsigned break_each(json_t *doc, json_t *v)
{
    unsigned n = 0;
    const char *key = NULL;
    json_t *member = NULL;
    size_t i = 0;
    json_t *members = json_copy(v); /* what is put back goes to the end of v */
    json_array_foreach(v, i, member)
    {
        n += break_each(doc, member);
    }
    json_object_foreach(members, key, member)
    {
        if (strcmp(key, "seal") == 0 || strcmp(key, "schema") == 0)
            continue;
        if (strcmp(key, "derived") != 0)
            n += break_each(doc, member);
        break_one(doc, v, key, member);
        n++;
    }
    json_decref(members);
    return n;
}

static void each_member_is_needed_and_checked(void **state)
{
    (void)state;
    json_t *doc = sample_doc();
    unsigned n = break_each(doc, doc);
    assert_true(n > 100);
    struct err err = {0};
    assert_int_equal(parse_resealed(doc, &err), 0);
    json_decref(doc);
}

static void an_unknown_member_is_refused(void **state)
{
    (void)state;
    json_t *doc = sample_doc();
    json_object_set_new(doc, "extra_ns", json_integer(1));
    assert_refused(doc, -EINVAL, "extra_ns");
    doc = sample_doc();
    json_object_set_new(json_object_get(doc, "cache"), "extra_ns", json_integer(1));
    assert_refused(doc, -EINVAL, "cache: unknown member \"extra_ns\"");
}

static void numbers_have_bounds(void **state)
{
    (void)state;
    static const struct {
        const char *key;
        const char *json;
    } bad[] = {
        {"run", "0"},         {"run", "4294967296"},
        {"passes", "-1"},     {"elapsed_ns", "-1"},
        {"files", "1.0"},     {"bytes", "\"12\""},
        {"seed", "\"\""},     {"seed", "\"18446744073709551616\""},
        {"seed", "\"-1\""},   {"seed", "\"09223372036854775808\""},
        {"verified", "1"},    {"state", "\"done\""},
        {"study_id", "\"\""}, {"study_id", "\"0123456789abcdef\""},
        {"target", "7"},      {"errors", "{}"},
        {"options", "[[]]"},  {"window_open_ns", "3000000001"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        json_t *doc = sample_doc();
        json_t *v = json_loads(bad[i].json, JSON_DECODE_ANY, NULL);
        assert_non_null(v);
        json_object_set_new(doc, bad[i].key, v);
        assert_refused(doc, -EINVAL, bad[i].key);
    }
}

/* Results of before it was told have none, and so has an op of no line: nothing else may change. */
static void an_error_without_a_flowop_has_no_such_member(void **state)
{
    (void)state;
    struct result *r = sample_result("k3f9a2bc", 4);
    r->error[0].flowop[0] = '\0';
    char *a = sealed(r);
    assert_null(strstr(a, "\"flowop\""));
    struct result *back = parsed(a);
    char *b = sealed(back);
    assert_string_equal(back->error[0].flowop, "");
    assert_string_equal(a, b);
    free(a);
    free(b);
    result_free(r);
    result_free(back);
}

/* It would be gone when the result is written again. */
static void an_empty_flowop_is_refused(void **state)
{
    (void)state;
    json_t *doc = sample_doc();
    json_object_set_new(at(doc, "errors", 0), "flowop", json_string(""));
    assert_refused(doc, -EINVAL, "errors: [0]: flowop: empty");
}

static void large_numbers_are_text(void **state)
{
    (void)state;
    static const uint64_t seeds[] = {0, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX};
    static const char *const texts[] = {"\"seed\":0,", "\"seed\":9223372036854775807,",
                                        "\"seed\":\"9223372036854775808\",",
                                        "\"seed\":\"18446744073709551615\","};
    for (size_t i = 0; i < 4; i++) {
        struct result *r = sample_result("k3f9a2bc", 1);
        r->seed = seeds[i];
        char *json = sealed(r);
        assert_non_null(strstr(json, texts[i]));
        struct result *back = parsed(json);
        assert_true(back->seed == seeds[i]);
        free(json);
        result_free(r);
        result_free(back);
    }
}

static void lists_have_bounds(void **state)
{
    (void)state;
    struct result *r = result_new();
    struct err err = {0};
    char *json = NULL;
    snprintf(r->study_id, sizeof r->study_id, "k3f9a2bc");
    r->run = 1;
    r->line = calloc(RESULT_LINES_MAX + 1, sizeof *r->line);
    assert_non_null(r->line);
    for (unsigned i = 0; i <= RESULT_LINES_MAX; i++)
        snprintf(r->line[i].name, sizeof r->line[i].name, "line %u", i);
    r->lines = RESULT_LINES_MAX + 1;
    assert_int_equal(result_seal(r, &json, &err), -EINVAL);
    assert_null(json);
    r->lines = RESULT_LINES_MAX;
    json = sealed(r);
    json_t *doc = json_loads(json, 0, NULL);
    json_t *one_more = json_deep_copy(at(doc, "lines", 0));
    json_object_set_new(one_more, "name", json_string("one more"));
    json_array_append_new(json_object_get(doc, "lines"), one_more);
    assert_refused(doc, -EINVAL, "1025 entries, at most 1024");
    free(json);
    result_free(r);
}

static void names_differ(void **state)
{
    (void)state;
    json_t *doc = sample_doc();
    json_object_set_new(at(doc, "lines", 1), "name", json_string("read"));
    assert_refused(doc, -EINVAL, "\"read\" twice");
    doc = sample_doc();
    json_object_set_new(at(doc, "options", 1), "key", json_string("length_bytes"));
    assert_refused(doc, -EINVAL, "\"length_bytes\" twice");
    doc = sample_doc();
    json_object_set_new(at(doc, "calls", 1), "name", json_string("READ"));
    assert_refused(doc, -EINVAL, "calls: \"READ\" twice");
}

/* `calls`: of a target whose client is not our own there is no such member, and an empty one is refused. */
static void calls_are_there_or_not_at_all(void **state)
{
    (void)state;
    struct result *r = sample_result("k3f9a2bc", 1);
    r->calls.n = 0;
    char *json = sealed(r);
    assert_null(strstr(json, "\"calls\""));
    free(json);
    result_free(r);
    json_t *doc = sample_doc();
    json_object_set_new(doc, "calls", json_array());
    assert_refused(doc, -EINVAL, "calls: empty");
    doc = sample_doc();
    json_object_set_new(at(doc, "calls", 0), "name", json_string(""));
    assert_refused(doc, -EINVAL, "calls: [0]: no name");
}

/* `truth`: likewise. */
static void truth_is_there_or_not_at_all(void **state)
{
    (void)state;
    struct result *r = sample_result("k3f9a2bc", 1);
    r->truth.n = 0;
    char *json = sealed(r);
    assert_null(strstr(json, "\"truth\""));
    free(json);
    result_free(r);
    json_t *doc = sample_doc();
    json_object_set_new(doc, "truth", json_array());
    assert_refused(doc, -EINVAL, "truth: empty");
    doc = sample_doc();
    json_object_set_new(at(doc, "truth", 0), "name", json_string(""));
    assert_refused(doc, -EINVAL, "truth: [0]: no name");
    doc = sample_doc();
    json_object_set_new(at(doc, "truth", 1), "name", json_string("cpu"));
    assert_refused(doc, -EINVAL, "truth: \"cpu\" twice");
}

/* result_calls_per_op: of one kind or of all, by the counters; not told where there are none. */
static void calls_per_op_are_read_from_the_counters(void **state)
{
    (void)state;
    struct result *r = sample_result("k3f9a2bc", 1);
    double calls = -1, ops = -1;
    assert_false(result_calls_per_op(r, NULL, &calls, &ops));
    assert_int_equal(result_fact_put(&r->counters, "op_calls_read", "12", ""), 0);
    assert_int_equal(result_fact_put(&r->counters, "ops_read", "10", ""), 0);
    assert_int_equal(result_fact_put(&r->counters, "op_calls_readdir", "40", ""), 0);
    assert_int_equal(result_fact_put(&r->counters, "ops_readdir", "8", ""), 0);
    assert_true(result_calls_per_op(r, "read", &calls, &ops));
    assert_true(calls == 12 && ops == 10);
    assert_true(result_calls_per_op(r, NULL, &calls, &ops));
    assert_true(calls == 52 && ops == 18);
    assert_false(result_calls_per_op(r, "write", &calls, &ops));
    result_free(r);
}

static void what_would_not_be_read_is_not_sealed(void **state)
{
    (void)state;
    struct result *r = sample_result("k3f9a2bc", 1);
    struct err err = {0};
    char *json = NULL;
    r->line[1].sum.samples++;
    assert_int_equal(result_seal(r, &json, &err), -EINVAL);
    assert_non_null(strstr(err.text, "\"open\""));
    r->line[1].sum.samples--;
    r->series.line[0].samples++;
    assert_int_equal(result_seal(r, &json, &err), -EINVAL);
    assert_non_null(strstr(err.text, "interval 0, line 0"));
    r->series.line[0].samples--;
    r->lateness.max++;
    r->lateness.max <<= 1;
    assert_int_equal(result_seal(r, &json, &err), -EINVAL);
    assert_non_null(strstr(err.text, "lateness"));
    r->lateness.max = 900;
    r->streams.slowest_n = 9;
    assert_int_equal(result_seal(r, &json, &err), -EINVAL);
    assert_non_null(strstr(err.text, "slowest"));
    r->streams.slowest_n = 2;
    r->streams.median_bytes = r->streams.max_bytes + 1;
    assert_int_equal(result_seal(r, &json, &err), -EINVAL);
    assert_non_null(strstr(err.text, "median"));
    r->streams.median_bytes = r->streams.min_bytes;
    r->bytes++;
    assert_int_equal(result_seal(r, &json, &err), -EINVAL);
    assert_non_null(strstr(err.text, "bytes: "));
    r->bytes--;
    r->unfinished = r->arrivals + 1;
    assert_int_equal(result_seal(r, &json, &err), -EINVAL);
    assert_non_null(strstr(err.text, "unfinished"));
    assert_null(json);
    result_free(r);
}

static void foreign_bytes_are_written_in_hex(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t max;
        const char *text;
    } cases[] = {
        {"plain \xc3\xa9 \xf0\x9f\x9a\xa2", 99, "plain \xc3\xa9 \xf0\x9f\x9a\xa2"},
        {"a\xff\xfe", 99, "a\\xff\\xfe"},
        {"\xc3", 99, "\\xc3"},
        {"\xc0\x80", 99, "\\xc0\\x80"},          /* overlong */
        {"\xed\xa0\x80", 99, "\\xed\\xa0\\x80"}, /* surrogate */
        {"\xf4\x90\x80\x80", 99, "\\xf4\\x90\\x80\\x80"},
        {"ab\xc3\xa9", 3, "ab"}, /* never half a character */
        {"ab\xff", 5, "ab"},
        {"ab\xff", 6, "ab\\xff"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = result_utf8(cases[i].bytes, cases[i].max);
        assert_string_equal(text, cases[i].text);
        free(text);
    }
}

static void a_full_path_of_foreign_bytes_survives(void **state)
{
    (void)state;
    struct result *r = sample_result("k3f9a2bc", 1);
    memset(r->error[0].first_path, 0xff, sizeof r->error[0].first_path - 1);
    char *a = sealed(r);
    struct result *back = parsed(a);
    char *b = sealed(back);
    assert_string_equal(a, b);
    assert_int_equal(strlen(back->error[0].first_path), 252);
    free(a);
    free(b);
    result_free(r);
    result_free(back);
}

static void a_fact_is_put_once(void **state)
{
    (void)state;
    struct result *r = result_new();
    char key[] = "fs_type";
    assert_int_equal(result_fact_put(&r->machine, key, "ext4", ""), 0);
    key[0] = 'x';
    for (int i = 0; i < 20; i++) {
        char name[16];
        snprintf(name, sizeof name, "k%d", i);
        assert_int_equal(result_fact_putf(&r->machine, name, "ns", "%d.5", i), 0);
    }
    assert_int_equal(result_fact_put(&r->machine, "fs_type", "xfs", "new"), 0);
    assert_int_equal(r->machine.n, 21);
    assert_string_equal(result_fact_get(&r->machine, "fs_type"), "xfs");
    assert_string_equal(r->machine.fact[0].unit, "new");
    assert_null(result_fact_get(&r->machine, "none"));
    assert_true(result_fact_number(&r->machine, "k7", -1) == 7.5);
    assert_true(result_fact_number(&r->machine, "fs_type", -1) == -1);
    assert_true(result_fact_number(&r->machine, "none", -1) == -1);
    result_free(r);
}

static void lines_and_errors_are_found(void **state)
{
    (void)state;
    struct result *r = sample_result("k3f9a2bc", 1);
    assert_ptr_equal(result_line_find(r, "open"), &r->line[1]);
    assert_null(result_line_find(r, "close"));
    assert_int_equal(result_error_count(r), 3);
    result_free(r);
    result_free(NULL);
}

struct share_case {
    struct result_cache cache;
    uint64_t read_bytes;
    bool known;
    double share;
};

static void the_larger_witness_counts(void **state)
{
    (void)state;
    static const struct share_case cases[] = {
        /* mode, applies, resident known, bytes, asked, device known, bytes */
        {{"drop", true, true, 25, 100, true, 50, false, 0}, 100, true, 0.5},
        {{"drop", true, true, 75, 100, true, 50, false, 0}, 100, true, 0.75},
        {{"drop", true, true, 25, 100, false, 0, false, 0}, 100, true, 0.25},
        {{"direct", true, false, 0, 0, true, 100, false, 0}, 100, true, 0},
        {{"drop", true, true, 0, 100, true, 130, false, 0}, 100, true, 0}, /* read-ahead */
        {{"keep", true, true, 120, 100, false, 0, false, 0}, 100, true, 1},
        {{"ram", true, false, 0, 0, false, 0, false, 0}, 100, true, 1},
        {{"drop", true, false, 0, 0, false, 0, false, 0}, 100, false, 0},
        {{"drop", true, true, 0, 0, true, 0, false, 0}, 0, false, 0},
        {{"unverified", true, true, 0, 100, true, 100, false, 0}, 100, false, 0},
        {{"uncached", true, false, 0, 0, false, 0, false, 0}, 100, true, 0},
        {{"uncached", true, false, 0, 0, true, 75, false, 0}, 100, true, 0.25},
        {{"none", false, true, 50, 100, true, 0, false, 0}, 100, false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct result *r = sample_result("k3f9a2bc", 1);
        double share = -1;
        r->cache = cases[i].cache;
        r->line[0].sum.bytes = cases[i].read_bytes;
        assert_int_equal(result_cache_share(r, &share), cases[i].known);
        assert_true(share == (cases[i].known ? cases[i].share : -1));
        result_free(r);
    }
}

/* A p99 that somebody wrote into the document is not believed. */
static void derived_values_are_computed_anew(void **state)
{
    (void)state;
    json_t *doc = sample_doc();
    char seal[65];
    json_t *service = json_object_get(json_object_get(at(doc, "lines", 0), "derived"), "service");
    json_int_t p99 = json_integer_value(json_object_get(service, "p99_ns"));
    json_object_set_new(service, "p99_ns", json_integer(1));
    json_object_del(doc, "seal");
    assert_int_equal(result_seal_of(doc, seal, NULL), 0);
    json_object_set_new(doc, "seal", json_string(seal));
    char *json = json_dumps(doc, 0);
    struct result *r = parsed(json);
    assert_int_equal(r->line[0].sum.samples, hist_count(&r->line[0].sum.service));
    assert_int_equal(hist_quantile(&r->line[0].sum.service, 0.99), p99);
    free(json);
    json = sealed(r);
    assert_null(strstr(json, "\"p99_ns\":1,"));
    free(json);
    json_decref(doc);
    result_free(r);
}

static json_t *schema_resolve(json_t *root, json_t *node)
{
    const char *ref = json_string_value(json_object_get(node, "$ref"));
    if (!ref)
        return node;
    assert_memory_equal(ref, "#/$defs/", 8);
    node = json_object_get(json_object_get(root, "$defs"), ref + 8);
    assert_non_null(node);
    return node;
}

static void assert_described(json_t *root, json_t *node, json_t *v)
{
    const char *key = NULL;
    json_t *member = NULL;
    size_t i = 0;
    node = schema_resolve(root, node);
    json_t *properties = json_object_get(node, "properties");
    json_object_foreach(v, key, member)
    {
        if (!json_object_get(properties, key))
            fail_msg("the schema does not know \"%s\"", key);
        assert_described(root, json_object_get(properties, key), member);
    }
    json_array_foreach(json_object_get(node, "required"), i, member)
    {
        if (!json_object_get(v, json_string_value(member)))
            fail_msg("the schema wants \"%s\"", json_string_value(member));
    }
    json_array_foreach(v, i, member)
    {
        assert_non_null(json_object_get(node, "items"));
        assert_described(root, json_object_get(node, "items"), member);
    }
}

static void the_schema_describes_what_is_written(void **state)
{
    (void)state;
    char path[1024];
    json_error_t at_error;
    const char *source = getenv("SOURCE_DIR");
    snprintf(path, sizeof path, "%s/docs/result.schema.json", source ? source : ".");
    json_t *schema = json_load_file(path, 0, &at_error);
    if (!schema)
        fail_msg("%s: %s", path, at_error.text);
    json_t *doc = sample_doc();
    assert_described(schema, schema, doc);
    json_decref(doc);
    json_decref(schema);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(print_parse_print_is_the_identity),
    cmocka_unit_test(an_empty_result_survives),
    cmocka_unit_test(every_value_comes_back),
    cmocka_unit_test(the_seal_is_the_hash_of_the_line_without_it),
    cmocka_unit_test(a_changed_document_is_refused),
    cmocka_unit_test(a_document_without_seal_is_refused),
    cmocka_unit_test(a_part_of_a_document_is_refused),
    cmocka_unit_test(a_document_laid_out_anew_is_read),
    cmocka_unit_test(a_newer_schema_is_refused_by_name),
    cmocka_unit_test(other_json_is_no_result),
    cmocka_unit_test(each_member_is_needed_and_checked),
    cmocka_unit_test(an_unknown_member_is_refused),
    cmocka_unit_test(numbers_have_bounds),
    cmocka_unit_test(an_error_without_a_flowop_has_no_such_member),
    cmocka_unit_test(an_empty_flowop_is_refused),
    cmocka_unit_test(large_numbers_are_text),
    cmocka_unit_test(lists_have_bounds),
    cmocka_unit_test(names_differ),
    cmocka_unit_test(calls_are_there_or_not_at_all),
    cmocka_unit_test(truth_is_there_or_not_at_all),
    cmocka_unit_test(calls_per_op_are_read_from_the_counters),
    cmocka_unit_test(what_would_not_be_read_is_not_sealed),
    cmocka_unit_test(foreign_bytes_are_written_in_hex),
    cmocka_unit_test(a_full_path_of_foreign_bytes_survives),
    cmocka_unit_test(a_fact_is_put_once),
    cmocka_unit_test(lines_and_errors_are_found),
    cmocka_unit_test(the_larger_witness_counts),
    cmocka_unit_test(derived_values_are_computed_anew),
    cmocka_unit_test(the_schema_describes_what_is_written),
};

int main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}
