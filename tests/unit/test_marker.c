#include "fileset/site.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t lengths[] = {2, 4096, 1572864};

static struct site_shape sample(void)
{
    return (struct site_shape){.id = "k3x9Q0aZ",
                               .study = "dirtest",
                               .seed = UINT64_MAX,
                               .spec = {.shape = FILESET_TREE,
                                        .trees = 16,
                                        .levels = 3,
                                        .branches = 4,
                                        .files = 4,
                                        .content_key = 0xfedcba9876543210u,
                                        .compress_centi = 200},
                               .lengths = 3,
                               .length_bytes = lengths,
                               .repeats = 3,
                               .trees_max = 16,
                               .kept = true,
                               .made_wall_ns = 1700000000123456789u,
                               .owner = {.host = "client.example",
                                         .boot = "9f1c",
                                         .pid_space = "pid:[4026531836]",
                                         .pid = 4711,
                                         .started_ticks = 123456}};
}

static struct site_set some_sets[] = {
    {.name = "bigfileset", .serial_most = 50000, .levels = 6},
    {.name = "log \"files\"", .serial_most = (uint64_t)1 << 32, .levels = 0},
};

static struct site_shape sample_of_sets(void)
{
    struct site_shape shape = sample();

    snprintf(shape.study, sizeof shape.study, "run");
    shape.spec = (struct fileset_spec){.trees = 0};
    shape.lengths = shape.repeats = shape.trees_max = 0;
    shape.length_bytes = NULL;
    shape.sets = 2;
    shape.set = some_sets;
    memset(shape.sets_of, 'a', 64);
    return shape;
}

static void expect_equal(const struct site_shape *a, const struct site_shape *b)
{
    assert_string_equal(a->id, b->id);
    assert_string_equal(a->study, b->study);
    assert_string_equal(a->owner.host, b->owner.host);
    assert_string_equal(a->owner.boot, b->owner.boot);
    assert_string_equal(a->owner.pid_space, b->owner.pid_space);
    assert_int_equal(a->owner.started_ticks, b->owner.started_ticks);
    assert_true(a->seed == b->seed && a->owner.pid == b->owner.pid &&
                a->made_wall_ns == b->made_wall_ns);
    assert_true(a->spec.shape == b->spec.shape && a->spec.content_key == b->spec.content_key);
    assert_true(a->spec.trees == b->spec.trees && a->spec.levels == b->spec.levels);
    assert_true(a->spec.branches == b->spec.branches && a->spec.files == b->spec.files);
    assert_true(a->spec.size_bytes == b->spec.size_bytes);
    assert_int_equal(a->spec.compress_centi, b->spec.compress_centi);
    assert_true(a->repeats == b->repeats && a->trees_max == b->trees_max && a->kept == b->kept);
    assert_int_equal(a->lengths, b->lengths);
    for (unsigned i = 0; i < a->lengths; i++)
        assert_true(a->length_bytes[i] == b->length_bytes[i]);
    assert_int_equal(a->sets, b->sets);
    assert_string_equal(a->sets_of, b->sets_of);
    for (unsigned i = 0; i < a->sets; i++) {
        assert_string_equal(a->set[i].name, b->set[i].name);
        assert_true(a->set[i].serial_most == b->set[i].serial_most);
        assert_int_equal(a->set[i].levels, b->set[i].levels);
    }
}

static void round_trip(const struct site_shape *shape)
{
    struct site_shape back = {0};
    struct err err = {0};
    char *text = NULL;

    assert_int_equal(site_shape_print(shape, &text), 0);
    assert_int_equal(site_shape_parse(text, strlen(text), &back, &err), 0);
    expect_equal(shape, &back);
    site_shape_fini(&back);
    free(text);
}

/* What is printed is read back the same, to the last bit of every number. */
static void what_is_printed_is_read_back(void **state)
{
    struct site_shape shape = sample();
    struct site_shape io = {
        .id = "00000000",
        .study = "io",
        .spec = {.shape = FILESET_FLAT, .trees = 1, .files = 32, .size_bytes = (uint64_t)1 << 40}};

    struct site_shape sets = sample_of_sets();

    (void)state;
    round_trip(&shape);
    round_trip(&io);
    round_trip(&sets);
    sets.sets_of[0] = '\0';
    round_trip(&sets);
}

/* What came before sets can go on removing what it can have made, and leaves alone what it cannot. */
static void only_sets_need_the_newer_version(void **state)
{
    struct site_shape shape = sample();
    struct site_shape sets = sample_of_sets();
    char *text = NULL;

    (void)state;
    assert_int_equal(site_shape_print(&shape, &text), 0);
    assert_non_null(strstr(text, "\"version\": 1,"));
    free(text);
    assert_int_equal(site_shape_print(&sets, &text), 0);
    assert_non_null(strstr(text, "\"version\": 2,"));
    free(text);
}

/* The longest list of the longest lengths fits the marker's limit. */
static void the_largest_marker_is_read_back(void **state)
{
    struct site_shape shape = sample();

    (void)state;
    shape.spec = (struct fileset_spec){.shape = FILESET_FLAT, .trees = 1, .files = 1};
    shape.lengths = SITE_LENGTHS_MAX;
    shape.length_bytes = calloc(SITE_LENGTHS_MAX, sizeof *shape.length_bytes);
    assert_non_null(shape.length_bytes);
    for (unsigned i = 0; i < shape.lengths; i++)
        shape.length_bytes[i] = ((uint64_t)1 << 50) - i;
    round_trip(&shape);
    site_shape_fini(&shape);
}

/* So do the most sets of the longest names, each character of which is written as two. */
static void the_largest_marker_of_sets_is_read_back(void **state)
{
    struct site_shape shape = sample_of_sets();

    (void)state;
    shape.sets = SITE_SETS_MAX;
    shape.set = calloc(SITE_SETS_MAX, sizeof *shape.set);
    assert_non_null(shape.set);
    for (unsigned i = 0; i < shape.sets; i++) {
        shape.set[i] = (struct site_set){.serial_most = (uint64_t)1 << 32, .levels = 49};
        memset(shape.set[i].name, '"', GROWN_NAME_MAX - 1);
        for (unsigned digit = 0, rest = i; digit < 3; digit++, rest /= 10)
            shape.set[i].name[digit] = (char)('0' + rest % 10);
    }
    round_trip(&shape);
    site_shape_fini(&shape);
}

static void refused(const char *text, size_t len, const char *word)
{
    struct site_shape out = {.owner.pid = 99};
    struct err err = {0};

    assert_int_equal(site_shape_parse(text, len, &out, &err), -EINVAL);
    assert_int_equal(out.owner.pid, 99);
    if (strstr(err.text, word) == NULL)
        fail_msg("'%s' does not say '%s'", err.text, word);
}

/* Every marker that has been cut is refused. */
static void a_cut_marker_is_refused(void **state)
{
    struct site_shape shape = sample();
    char *text = NULL;

    (void)state;
    assert_int_equal(site_shape_print(&shape, &text), 0);
    for (size_t len = 0; len + 2 < strlen(text); len++)
        refused(text, len, "JSON");
    free(text);
}

/* Replaces `from` in a good marker by `to`. */
static void spoilt_of(struct site_shape shape, const char *from, const char *to, const char *word)
{
    char *text = NULL;
    char *other = malloc(4096);

    assert_non_null(other);
    assert_int_equal(site_shape_print(&shape, &text), 0);
    char *at = strstr(text, from);
    if (at == NULL)
        fail_msg("no '%s' in the marker", from);
    snprintf(other, 4096, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    refused(other, strlen(other), word);
    free(other);
    free(text);
}

static void spoilt(const char *from, const char *to, const char *word)
{
    spoilt_of(sample(), from, to, word);
}

static void spoilt_sets(const char *from, const char *to, const char *word)
{
    spoilt_of(sample_of_sets(), from, to, word);
}

static void each_bad_value_of_sets_is_named(void **state)
{
    (void)state;
    spoilt_sets("\"version\": 2", "\"version\": 1", "shape");
    spoilt_sets("\"sets\",", "\"tree\",", "shape");
    spoilt_sets("\"bigfileset\"", "\"..\"", "name of a set");
    spoilt_sets("\"bigfileset\"", "\".\"", "name of a set");
    spoilt_sets("\"bigfileset\"", "\"\"", "name of a set");
    spoilt_sets("\"bigfileset\"", "\"a/b\"", "name of a set");
    spoilt_sets("\"bigfileset\"", "\"a\\u001bb\"", "name of a set");
    spoilt_sets("\"bigfileset\"", "7", "name");
    spoilt_sets("\"bigfileset\"", "\"log \\\"files\\\"\"", "two sets");
    spoilt_sets("\"serial_most\": 50000", "\"serial_most\": -1", "serial_most");
    spoilt_sets("\"serial_most\": 50000", "\"serial_most\": 4294967297", "serial_most");
    spoilt_sets("\"levels\": 6", "\"levels\": 50", "levels");
    spoilt_sets("\"levels\": 6", "\"levels\": \"6\"", "levels");
    spoilt_sets("\"levels\": 6", "\"steps\": 6", "levels");
    spoilt_sets("aaaa", "aaa", "sets_of");
    spoilt_sets("aaaa", "Aaaa", "sets_of");
    spoilt_sets("aaaa", "aaaaa", "sets_of");
    spoilt_sets("\"sets\": [", "\"sets\": [7, ", "name");
    spoilt_sets("\"sets\": [", "\"sets\": [], \"x\": [", "sets is missing");
    spoilt_sets("\"sets\": [", "\"x\": [", "sets is missing");
    spoilt_sets("\"kept\": true", "\"kept\": 1", "kept");
}

/* No value is believed that the shape may not have; the words name it. */
static void each_bad_value_is_named(void **state)
{
    (void)state;
    spoilt("loadline marker", "another marker", "format");
    spoilt("\"version\": 1", "\"version\": 0", "version 0");
    spoilt("k3x9Q0aZ", "../../..", "id");
    spoilt("k3x9Q0aZ", "short", "id");
    spoilt("k3x9Q0aZ", "k3x9Q0aZk3x9Q0aZ", "id");
    spoilt("\"dirtest\"", "\"\"", "study");
    spoilt("\"dirtest\"", "\"\\u001b[2J\"", "study");
    spoilt("client.example", "\\u0000", "JSON");
    spoilt("client.example", "h\\nst", "host");
    spoilt("\"18446744073709551615\"", "\"18446744073709551616\"", "seed");
    spoilt("\"18446744073709551615\"", "\" 1\"", "seed");
    spoilt("\"18446744073709551615\"", "\"-1\"", "seed");
    spoilt("\"18446744073709551615\"", "1", "seed");
    spoilt("\"tree\"", "\"star\"", "shape");
    spoilt("\"trees\": 16", "\"trees\": -1", "trees");
    spoilt("\"trees\": 16", "\"trees\": 4294967296", "trees");
    spoilt("\"levels\": 3", "\"levels\": 17", "levels");
    spoilt("\"levels\": 3", "\"levels\": 3.0", "levels");
    spoilt("\"branches\": 4", "\"branches\": 1025", "branches");
    spoilt("\"files\": 4", "\"files\": 4294967295", "files");
    spoilt("\"files\": 4", "\"files\": 99999999999999999999", "JSON");
    spoilt("\"repeats\": 3", "\"repeats\": 65536", "repeats");
    spoilt("\"repeats\": 3", "\"repeats\": 0", "repeats");
    spoilt("\"trees_max\": 16", "\"trees_max\": 65536", "trees_max");
    spoilt("\"compress_centi\": 200", "\"compress_centi\": 1", "compress");
    spoilt("\"compress_centi\": 200", "\"compress_centi\": \"2\"", "compress_centi");
    spoilt("\"kept\": true", "\"kept\": 1", "kept");
    spoilt("\"pid\": 4711", "\"pid\": 99999999999", "pid");
    spoilt("4096", "-4096", "length_bytes");
    spoilt("4096", "\"4096\"", "length_bytes");
    spoilt("4096", "1125899906842625", "length");
    spoilt("4096,", "4096, [],", "length_bytes");
    spoilt("\"9f1c\"", "\"\\u001b\"", "boot");
    spoilt("\"9f1c\"", "7", "boot");
    spoilt("pid:[", "pid:\\n[", "pid_space");
    spoilt("_ticks\": 123456", "_ticks\": -1", "pid_started_ticks");
    spoilt("\"host\"", "\"hosts\"", "host");
    spoilt("\"pid\"", "\"repeats\": 1, \"pid\"", "JSON");
}

/* Sizes and counts are bounded before anything is allocated for them. */
static void too_much_is_refused(void **state)
{
    struct site_shape shape = sample();
    const size_t room = 300 * 1024;
    char *text = NULL;
    char *big = malloc(room);

    (void)state;
    assert_non_null(big);
    assert_int_equal(site_shape_print(&shape, &text), 0);
    memset(big, ' ', room);
    memcpy(big, text, strlen(text));
    refused(big, room, "longer");
    free(text);
    free(big);

    char *many = malloc(room);
    assert_non_null(many);
    size_t n = 0;
    for (unsigned i = 0; i < SITE_LENGTHS_MAX; i++)
        n += (size_t)snprintf(many + n, room - n, "2, ");
    snprintf(many + n, room - n, "2");
    struct site_shape out = {0};
    struct err err = {0};
    char *whole = malloc(room);
    assert_non_null(whole);
    assert_int_equal(site_shape_print(&shape, &text), 0);
    char *at = strstr(text, "4096");
    assert_non_null(at);
    snprintf(whole, room, "%.*s%s%s", (int)(at - text), text, many, at + 4);
    assert_int_equal(site_shape_parse(whole, strlen(whole), &out, &err), -EINVAL);
    assert_non_null(strstr(err.text, "length_bytes"));
    free(whole);
    free(many);
    free(text);
}

/* A shape that could not be read back is not printed. */
static void a_bad_shape_is_not_printed(void **state)
{
    struct site_shape shape = sample();
    char *text = NULL;

    (void)state;
    shape.id[0] = '/';
    assert_int_equal(site_shape_print(&shape, &text), -EINVAL);
    assert_null(text);

    shape = sample_of_sets(); /* sets have no lengths */
    shape.lengths = 3;
    shape.length_bytes = lengths;
    assert_int_equal(site_shape_print(&shape, &text), -EINVAL);
    assert_null(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_printed_is_read_back),
        cmocka_unit_test(the_largest_marker_is_read_back),
        cmocka_unit_test(only_sets_need_the_newer_version),
        cmocka_unit_test(the_largest_marker_of_sets_is_read_back),
        cmocka_unit_test(each_bad_value_of_sets_is_named),
        cmocka_unit_test(a_cut_marker_is_refused),
        cmocka_unit_test(each_bad_value_is_named),
        cmocka_unit_test(too_much_is_refused),
        cmocka_unit_test(a_bad_shape_is_not_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
