/* verdict/instrument.h: runs that were not asked by one instrument are never set side by side in silence. */
#include "verdict/instrument.h"

#include "report/compare_report.h"
#include "unit/rows_by_hand.h"

static struct result *asked_by(const char *line)
{
    char text[200];
    struct result *r = hand_io("abcd", 1, 100);

    snprintf(text, sizeof text, "seed 1\n%s\nwindow warmup_ns=0\n", line);
    r->plan_text = strdup(text);
    assert_non_null(r->plan_text);
    return r;
}

#define POSIX "instrument scheme=posix direct=no cache=drop"
#define NFS   "instrument scheme=nfs direct=no cache=uncached"

static void words_of_the_instrument_are_found(void **state)
{
    struct result *r = asked_by(NFS " resolve=every-time");
    char buf[32];

    (void)state;
    assert_string_equal(instrument_word(r, "scheme", buf, sizeof buf), "nfs");
    assert_string_equal(instrument_word(r, "resolve", buf, sizeof buf), "every-time");
    assert_string_equal(instrument_word(r, "cach", buf, sizeof buf), "");
    free(r->plan_text);
    r->plan_text = strdup("no instrument scheme=nfs\n");
    assert_string_equal(instrument_word(r, "scheme", buf, sizeof buf), "");
    result_free(r);
}

static void expect(const char *line_a, const char *line_b, const char *words)
{
    struct result *a = asked_by(line_a), *b = asked_by(line_b);
    char said[INSTRUMENT_WORDS_MAX] = "";

    assert_int_equal(instrument_differs(a, "A", b, "B", said), words != NULL);
    if (words)
        assert_says(said, words);
    result_free(a);
    result_free(b);
}

static void who_asked_is_told_apart(void **state)
{
    (void)state;
    expect(NFS, NFS, NULL);
    expect(POSIX, "instrument scheme=posix direct=yes cache=direct", NULL);
    expect(NFS, POSIX,
           "A is asked by loadline's own NFS client, B by the kernel, by plain calls: a");
    expect("instrument scheme=uring direct=no cache=drop", POSIX, "the kernel, by io_uring");
    expect(NFS, NFS " resolve=every-time", "B by loadline's own NFS client walking to each name");
    expect("published long ago", POSIX, NULL); /* what is not known differs from nothing */
}

/* Whatever asked: what a model answers and what a system does are two things, published rows included. */
static void a_model_is_like_no_real_system(void **state)
{
    struct result *a = asked_by("published long ago"), *b = asked_by(NFS);
    char said[INSTRUMENT_WORDS_MAX] = "";

    (void)state;
    assert_int_equal(result_fact_put(&b->target_facts, "modelled", "netapp-f840", ""), 0);
    assert_true(instrument_differs(a, "A", b, "B", said));
    assert_says(said, "B is a model in time of its own, A is not");
    assert_true(instrument_differs(b, "A", a, "B", said));
    assert_says(said, "A is a model in time of its own, B is not");
    assert_false(instrument_differs(b, "A", b, "B", said));
    result_free(a);
    result_free(b);
}

static void compare_says_it(void **state)
{
    struct side a = {.n = 0}, b = {.n = 0};
    const struct compare_style style = {.format = REPORT_TEXT, .metrics = 1, .metric = {ROWS_OPS}};
    struct compare_pair pair = {.judged = 0};
    struct text out;

    (void)state;
    side_add(&a, asked_by(NFS));
    side_add(&b, asked_by(POSIX));
    hand_compare(&a, &b, &pair.comparison);
    text_init(&out);
    report_compare(&out, &pair, 1, &style);
    assert_says(out.s, "NOT ALIKE");
    text_fini(&out);
    compare_fini(&pair.comparison);
    side_free(&a);
    side_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_the_instrument_are_found),
        cmocka_unit_test(who_asked_is_told_apart),
        cmocka_unit_test(a_model_is_like_no_real_system),
        cmocka_unit_test(compare_says_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
