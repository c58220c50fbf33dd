/* unit/result_docs.h — the document of a sample result: sealed, read, broken and sealed again.
 * Shape    sample_doc → change a member → assert_refused, which frees it; sealed and parsed for what is whole.
 * Errors   anything unexpected fails the test with the words of the error.
 * Threads  the test's own. */
#ifndef LOADLINE_TESTS_RESULT_DOCS_H
#define LOADLINE_TESTS_RESULT_DOCS_H

#include "result/result_priv.h"
#include "unit/sample_result.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

/* Not inlined: gcc 12 then takes the pointer for one to a variable that is gone. */
__attribute__((noinline, unused)) static char *sealed(struct result *r)
{
    struct err err = {0};
    char *json = NULL;
    if (result_seal(r, &json, &err) != 0)
        fail_msg("%s", err.text);
    return json;
}

static inline struct result *parsed(const char *json)
{
    struct err err = {0};
    struct result *r = NULL;
    if (result_parse(json, strlen(json), &r, &err) != 0)
        fail_msg("%s", err.text);
    return r;
}

/* The document of the sample, as a tree to be broken. */
static inline json_t *sample_doc(void)
{
    struct result *r = sample_result("k3f9a2bc", 4);
    char *json = sealed(r);
    json_t *doc = json_loads(json, 0, NULL);
    assert_non_null(doc);
    free(json);
    result_free(r);
    return doc;
}

/* What parsing says to the document once it is sealed again. Frees nothing. */
static inline int parse_resealed(json_t *doc, struct err *err)
{
    char seal[65];
    struct result *r = NULL;
    json_object_del(doc, "seal");
    assert_int_equal(result_seal_of(doc, seal, NULL), 0);
    assert_int_equal(json_object_set_new(doc, "seal", json_string(seal)), 0);
    char *json = json_dumps(doc, 0);
    int rc = result_parse(json, strlen(json), &r, err);
    result_free(r);
    free(json);
    return rc;
}

static inline void assert_refused(json_t *doc, int code, const char *word)
{
    struct err err = {0};
    assert_int_equal(parse_resealed(doc, &err), code);
    if (!strstr(err.text, word))
        fail_msg("\"%s\" does not name \"%s\"", err.text, word);
    json_decref(doc);
}

static inline json_t *at(json_t *doc, const char *list, size_t i)
{
    json_t *v = json_array_get(json_object_get(doc, list), i);
    assert_non_null(v);
    return v;
}

#endif
