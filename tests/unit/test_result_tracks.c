/* result.h: tracks and marks survive the way through the document, and what they cannot be is refused. */
#include "unit/result_docs.h"

#include <errno.h>
#include <math.h>

static json_t *track_at(json_t *doc, size_t i)
{
    return at(json_object_get(doc, "tracks"), "track", i);
}

/* What was seen comes back as it was, and what was not seen as that. */
static void tracks_come_back_with_their_gaps(void **state)
{
    (void)state;
    struct result *r = sample_result("k3f9a2bc", 1);
    char *json = sealed(r);
    struct result *back = parsed(json);
    const struct track *cpu = tracks_find(&back->tracks, TRACK_CLIENT, TRACK_CPU, "3");
    const struct track *port = tracks_find(&back->tracks, TRACK_SERVER, TRACK_NIC_OUT, "eth0");
    assert_non_null(cpu);
    assert_non_null(port);
    assert_int_equal(back->tracks.first_ns, -1000000000);
    assert_int_equal(cpu->n, 3);
    assert_true(cpu->value[0] == 0.1f && isnan(cpu->value[1]) && cpu->value[2] == 0.98f);
    assert_true(port->capacity == 1.25e9 && port->mean == r->tracks.track[1].mean);
    assert_int_equal(back->marks, 2);
    assert_int_equal(back->mark[0].at_ns, -5);
    assert_string_equal(back->mark[1].text, "log device off");
    /* It can be added to: the room that it has is known. */
    for (unsigned i = 0; i < 40; i++) {
        char name[8];
        snprintf(name, sizeof name, "%u", 100 + i);
        assert_non_null(tracks_get(&back->tracks, TRACK_CLIENT, TRACK_CPU, name));
    }
    free(json);
    result_free(r);
    result_free(back);
}

static void tracks_that_cannot_be(void **state)
{
    static const struct {
        const char *key;
        const char *json;
        const char *words;
    } bad[] = {
        {"end", "\"both\"", "neither client nor server"},
        {"kind", "\"tape\"", "no kind of track"},
        {"capacity", "-1", "a value that cannot be"},
        {"capacity", "null", "a value that cannot be"},
        {"full_frac", "1.5", "a value that cannot be"},
        {"value", "[1e39]", "a value that cannot be"},
        {"value", "[\"1\"]", "neither a number nor null"},
        {"value", "7", "not a list of at most 256 values"},
        {"mean", "true", "neither a number nor null"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        json_t *doc = sample_doc();
        json_object_set_new(track_at(doc, 0), bad[i].key,
                            json_loads(bad[i].json, JSON_DECODE_ANY, NULL));
        assert_refused(doc, -EINVAL, bad[i].words);
    }
    json_t *doc = sample_doc();
    json_array_append(json_object_get(json_object_get(doc, "tracks"), "track"), track_at(doc, 0));
    assert_refused(doc, -EINVAL, "tracks: cpu \"3\" twice");
    doc = sample_doc();
    json_object_set_new(json_object_get(doc, "tracks"), "period_ns", json_integer(0));
    assert_refused(doc, -EINVAL, "tracks: without a period");
    doc = sample_doc();
    json_object_set_new(at(doc, "marks", 1), "at_ns", json_integer(-6));
    assert_refused(doc, -EINVAL, "marks: [1]: before the one in front of it");
    doc = sample_doc();
    json_object_set_new(at(doc, "marks", 0), "text", json_string(""));
    assert_refused(doc, -EINVAL, "marks: [0]: no text");
}

static void tracks_and_marks_are_there_or_not_at_all(void **state)
{
    (void)state;
    struct result *r = sample_result("k3f9a2bc", 1);
    tracks_fini(&r->tracks);
    r->marks = 0;
    char *json = sealed(r);
    assert_null(strstr(json, "\"tracks\""));
    assert_null(strstr(json, "\"marks\""));
    free(json);
    result_free(r);
    json_t *doc = sample_doc();
    json_array_clear(json_object_get(json_object_get(doc, "tracks"), "track"));
    assert_refused(doc, -EINVAL, "tracks: empty");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tracks_come_back_with_their_gaps),
        cmocka_unit_test(tracks_that_cannot_be),
        cmocka_unit_test(tracks_and_marks_are_there_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
