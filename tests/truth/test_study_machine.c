/* study.h: what happens to the machine during a run is in its result, and what its set-up makes of the
 * numbers is said before it begins. */
#include "truth/studies.h"
#include "unit/fake_machine.h"

struct rig {
    struct told *told;
    struct fake_machine fake;
};

static int rig_open(void **state)
{
    struct rig *rig = calloc(1, sizeof *rig);

    assert_non_null(rig);
    rig->told = told_open();
    fake_machine_open(&rig->fake);
    rig->told->common.view = &rig->fake.view;
    *state = rig;
    return 0;
}

static int rig_close(void **state)
{
    struct rig *rig = *state;

    told_close(rig->told);
    fake_machine_close(&rig->fake);
    free(rig);
    return 0;
}

static const struct result *io(struct rig *rig)
{
    const struct io_options o = {.read_percent = 50,
                                 .blocks = 1,
                                 .block = {{4096, 100}},
                                 .streams = 2,
                                 .size_bytes = 32 * 4096,
                                 .time_ns = 60 * MS_NS,
                                 .cache = STUDY_CACHE_KEEP};
    const struct study_sink sink = told_sink(rig->told);
    struct err err = {0};

    if (study_io(&rig->told->common, &o, &sink, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(rig->told->n, 1);
    return rig->told->result[0];
}

static double counter(const struct result *r, const char *key)
{
    return result_fact_number(&r->counters, key, -1);
}

/* Every reading of the clocks finds that two seconds went by asleep, and the date set back by one. */
static void time_that_jumps_is_in_the_result(void **state)
{
    struct rig *rig = *state;
    const struct result *r;

    rig->fake.each =
        (struct clk_moment){.monotonic_ns = MS_NS, .boottime_ns = 2001 * MS_NS, .wall_ns = MS_NS};
    r = io(rig);
    assert_true(rig->fake.readings >= 2);
    assert_true(counter(r, "suspended_ns") >= 2e9);
    assert_true(counter(r, "clock_step_ns") <= -2e9);
}

static void a_quiet_machine_is_quiet_in_the_result(void **state)
{
    struct rig *rig = *state;
    const struct result *r;

    rig->told->common.view = NULL;
    r = io(rig);
    assert_true(counter(r, "suspended_ns") == 0);
    assert_true(counter(r, "machine_busy_ns") >= 0);
    assert_true(counter(r, "own_cpu_ns") > 0);
}

/* Virtual time is not this machine's. */
static void nothing_is_said_of_virtual_time(void **state)
{
    struct rig *rig = *state;
    const struct result *r;

    snprintf(rig->told->address, sizeof rig->told->address,
             "fault:null:?latency=fixed:1ms&clock=virtual");
    r = io(rig);
    assert_int_equal(rig->fake.readings, 0);
    assert_true(counter(r, "suspended_ns") < 0);
    assert_true(counter(r, "steal_frac") < 0);
}

static void a_caveat_is_told_before_the_study_begins(void **state)
{
    struct rig *rig = *state;
    const struct result *r;

    tree_file(&rig->fake.sys, "devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
    rig->told->begun_rc = -ECANCELED;
    const struct study_sink sink = told_sink(rig->told);
    const struct io_options o = {.read_percent = 100,
                                 .blocks = 1,
                                 .block = {{4096, 100}},
                                 .streams = 1,
                                 .size_bytes = 4096,
                                 .time_ns = 60 * MS_NS};
    struct err err = {0};
    assert_int_equal(study_io(&rig->told->common, &o, &sink, &err), -ECANCELED);
    told_says(rig->told->warned, "governor: powersave");
    told_forget(rig->told);
    rig->told->begun_rc = 0;
    r = io(rig);
    assert_string_equal(result_fact_get(&r->machine, "cpu_governor"), "powersave");
}

#define rig_test(f) cmocka_unit_test_setup_teardown(f, rig_open, rig_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        rig_test(time_that_jumps_is_in_the_result),
        rig_test(a_quiet_machine_is_quiet_in_the_result),
        rig_test(nothing_is_said_of_virtual_time),
        rig_test(a_caveat_is_told_before_the_study_begins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
