/* report/disturbance.c: what happened to the machine is said at its limit and not before. */
#include "report/report.h"

#include "golden/io_by_hand.h"
#include "golden/results_by_hand.h"

static const struct report_style table = {.format = REPORT_TEXT};

/* Words may be wrapped: looks for them with each blank as any white space. */
static unsigned times_said(const struct hand *hand, const char *words)
{
    struct text out, flat;
    unsigned n = 0;

    hand_print(&out, hand, &table);
    text_init(&flat);
    for (const char *s = out.s; *s; s++)
        if ((*s != ' ' && *s != '\n') || (flat.len > 0 && flat.s[flat.len - 1] != ' '))
            text_addf(&flat, "%c", *s == '\n' ? ' ' : *s);
    for (const char *at = flat.s; (at = strstr(at, words)) != NULL; at++)
        n++;
    text_fini(&flat);
    text_fini(&out);
    return n;
}

static bool says(const struct hand *hand, const char *words)
{
    return times_said(hand, words) > 0;
}

static void happened(struct hand *hand, unsigned run, const char *key, const char *value)
{
    assert_int_equal(0, result_fact_put(&hand->result[run]->counters, key, value, ""));
}

static void runs_open(struct hand *hand)
{
    *hand = (struct hand){0};
    hand_tree_write(hand, 4096, 4, 9000000);
    hand_tree_read(hand, 4096, 4, 9000000, 0);
    hand_tree_read(hand, 4096, 4, 9000000, 0);
}

static void time_that_jumped_is_said_of_the_run(void **state)
{
    struct hand hand;

    (void)state;
    runs_open(&hand);
    happened(&hand, 1, "suspended_ns", "0");
    happened(&hand, 1, "clock_step_ns", "0");
    assert_false(says(&hand, "JUMP"));
    happened(&hand, 1, "suspended_ns", "12000000000");
    assert_true(says(&hand, "JUMP run 2: the machine was suspended for 12.0 s: do not believe"));
    happened(&hand, 1, "suspended_ns", "0");
    happened(&hand, 1, "clock_step_ns", "-20000000");
    assert_true(says(&hand, "JUMP run 2: the date was set back by 20.0 ms: dates are wrong"));
    happened(&hand, 2, "clock_step_ns", "3000000000");
    assert_true(says(&hand, "2 of 3 runs, worst run 3: the date was set forward by 3.00 s"));
    hand_free(&hand);
}

/* A share needs some time behind it: the kernel counts in ticks. */
static void steal_is_said_from_three_ticks_on(void **state)
{
    struct hand hand;

    (void)state;
    runs_open(&hand);
    happened(&hand, 0, "machine_steal_ns", "900000000");
    happened(&hand, 0, "steal_frac", "0.0499");
    assert_false(says(&hand, "STEAL"));
    happened(&hand, 0, "steal_frac", "0.0601");
    assert_true(says(&hand, "STEAL run 1: the hypervisor kept the processors for 6.0% of"));
    happened(&hand, 0, "machine_steal_ns", "29999999");
    happened(&hand, 0, "steal_frac", "0.9");
    assert_false(says(&hand, "STEAL"));
    hand_free(&hand);
}

static void slow_processors_are_said(void **state)
{
    struct hand hand;
    struct result_facts *machine;

    (void)state;
    runs_open(&hand);
    happened(&hand, 2, "cpu_fastest_khz", "1000000");
    happened(&hand, 2, "cpu_khz_rounds", "2");
    assert_false(says(&hand, "SLOW CPU")); /* nothing to hold it against */
    machine = &hand.result[2]->machine;
    assert_int_equal(0, result_fact_put(machine, "cpu_nominal_khz", "1110000", "kHz"));
    assert_false(says(&hand, "SLOW CPU"));
    assert_int_equal(0, result_fact_put(machine, "cpu_nominal_khz", "2000000", "kHz"));
    assert_true(says(&hand, "SLOW CPU run 3: the fastest processor ran at 50% of its nominal"));
    happened(&hand, 2, "cpu_khz_rounds", "1");
    assert_false(says(&hand, "SLOW CPU"));
    happened(&hand, 2, "throttled", "0");
    assert_false(says(&hand, "THROTTLED"));
    happened(&hand, 2, "throttled", "1");
    assert_true(says(&hand, "THROTTLED run 3: processors were slowed"));
    hand_free(&hand);
}

/* Of a mix as of a tree. */
static void a_mix_has_the_same_lines(void **state)
{
    struct hand hand = {0};

    (void)state;
    hand_line(hand_io(&hand, "0"), "write", 100, 100 * 8192, 1000, 2000);
    happened(&hand, 0, "throttled", "4");
    assert_int_equal(0,
                     result_fact_put(&hand.result[0]->target_facts, "fs_copy_on_write", "yes", ""));
    assert_int_equal(0, result_fact_put(&hand.result[0]->target_facts, "fs_type", "zfs", ""));
    assert_true(says(&hand, "THROTTLED processors were slowed"));
    assert_true(says(&hand, "copy on write zfs writes a block that is there to a new place"));
    hand_free(&hand);
}

/* What all runs share is said once, what one of several targets has beside it. */
static void a_caveat_is_said_once(void **state)
{
    struct hand hand;

    (void)state;
    runs_open(&hand);
    for (unsigned i = 0; i < hand.n; i++)
        assert_int_equal(0, result_fact_put(&hand.result[i]->target_facts, "fs_compression",
                                            i == 2 ? "lzo" : "zstd", ""));
    assert_int_equal(times_said(&hand, "compressed compression is on (zstd)"), 1);
    assert_int_equal(times_said(&hand, "compressed compression is on (lzo)"), 1);
    hand_set(&hand.result[1]->target, "/srv/other");
    assert_int_equal(times_said(&hand, "compressed /srv/filer: compression is on (zstd)"), 1);
    assert_int_equal(times_said(&hand, "compressed /srv/other: compression is on (zstd)"), 1);
    assert_int_equal(times_said(&hand, "compressed /srv/filer: compression is on (lzo)"), 1);
    hand_free(&hand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_that_jumped_is_said_of_the_run),
        cmocka_unit_test(steal_is_said_from_three_ticks_on),
        cmocka_unit_test(slow_processors_are_said),
        cmocka_unit_test(a_mix_has_the_same_lines),
        cmocka_unit_test(a_caveat_is_said_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
