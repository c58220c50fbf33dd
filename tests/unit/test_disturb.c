/* study/disturb.c: what happened to a machine during a run, from readings at its edges. */
#include "study/disturb_priv.h"
#include "study/study_priv.h"
#include "unit/fake_machine.h"

#include <sched.h>

#define MS              1000000ull
#define SEC             1000000000ull
#define HEAT(cpu, what) "devices/system/cpu/cpu" cpu "/thermal_throttle/" what "_throttle_count"
#define TICK_NS         (SEC / (uint64_t)sysconf(_SC_CLK_TCK))

static const struct disturb_cpus looked_at = {.n = 3, .number = {0, 4, 9}};

static int open_fake(void **state)
{
    struct fake_machine *fake = calloc(1, sizeof *fake);

    assert_non_null(fake);
    fake_machine_open(fake);
    *state = fake;
    return 0;
}

static int close_fake(void **state)
{
    fake_machine_close(*state);
    free(*state);
    return 0;
}

static void put_stat(const struct fake_machine *fake, unsigned user, unsigned system, unsigned idle,
                     unsigned steal)
{
    char line[128];

    snprintf(line, sizeof line, "cpu  %u 1 %u %u 7 1 2 %u 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n", user,
             system, idle, steal);
    tree_file(&fake->proc, "stat", line);
}

static double number(const struct disturbance *d, const char *key)
{
    struct result *r = result_new();
    struct fact_pen pen;

    assert_non_null(r);
    pen = (struct fact_pen){.facts = &r->counters};
    disturb_facts(d, &pen);
    assert_int_equal(pen.rc, 0);
    double value = result_fact_number(&r->counters, key, -1);
    result_free(r);
    return value;
}

static void a_machine_that_tells_nothing_leaves_no_fact(void **state)
{
    struct fake_machine *fake = *state;
    struct disturbance d = {0};

    assert_true(number(&d, "suspended_ns") < 0);
    disturb_begin(&fake->view, &looked_at, &d);
    disturb_end(&fake->view, &looked_at, &d);
    assert_true(number(&d, "suspended_ns") == 0);
    assert_true(number(&d, "clock_step_ns") == 0);
    assert_true(number(&d, "steal_frac") < 0);
    assert_true(number(&d, "throttled") < 0);
    assert_true(number(&d, "cpu_mean_khz") < 0);
}

/* Of the time that processors were wanted; waiting for disks is not wanting one. */
static void steal_is_a_share_of_the_time_wanted(void **state)
{
    struct fake_machine *fake = *state;
    struct disturbance d = {0};

    put_stat(fake, 100, 50, 1000, 10);
    disturb_begin(&fake->view, &looked_at, &d);
    put_stat(fake, 160, 80, 9000, 20);
    disturb_end(&fake->view, &looked_at, &d);
    assert_true(number(&d, "machine_busy_ns") == 90 * (double)TICK_NS);
    assert_true(number(&d, "machine_steal_ns") == 10 * (double)TICK_NS);
    assert_true(number(&d, "steal_frac") == 0.1);
    double others = number(&d, "others_cpu_ns");
    assert_true(others > 0 && others <= 90 * (double)TICK_NS);
    /* A second pass adds up; the time between them belongs to none. */
    put_stat(fake, 900, 900, 9000, 900);
    disturb_begin(&fake->view, &looked_at, &d);
    put_stat(fake, 1000, 900, 9000, 890);
    disturb_end(&fake->view, &looked_at, &d);
    assert_true(number(&d, "machine_busy_ns") == 190 * (double)TICK_NS);
    assert_true(number(&d, "machine_steal_ns") == 10 * (double)TICK_NS);
}

static void a_pass_that_could_not_be_asked_leaves_the_sum_unknown(void **state)
{
    struct fake_machine *fake = *state;
    struct disturbance d = {0};

    put_stat(fake, 100, 50, 1000, 10);
    disturb_begin(&fake->view, &looked_at, &d);
    disturb_end(&fake->view, &looked_at, &d);
    assert_true(number(&d, "machine_busy_ns") == 0);
    disturb_begin(&fake->view, &looked_at, &d);
    tree_file(&fake->proc, "stat", "cpu  1 2 3\n");
    fake->now.gap_ns = SEC;
    disturb_end(&fake->view, &looked_at, &d);
    assert_true(number(&d, "machine_busy_ns") < 0);
    assert_true(number(&d, "suspended_ns") < 0);
}

static void sleep_adds_up_and_the_largest_step_stays(void **state)
{
    static const int64_t step_ms[] = {20, -500, 30};
    struct fake_machine *fake = *state;
    struct disturbance d = {0};

    for (unsigned i = 0; i < 3; i++) {
        disturb_begin(&fake->view, &looked_at, &d);
        fake->now.monotonic_ns += SEC;
        fake->now.boottime_ns += 4 * SEC;
        fake->now.wall_ns += 4 * SEC + (uint64_t)(step_ms[i] * (int64_t)MS);
        disturb_end(&fake->view, &looked_at, &d);
        fake->now.wall_ns += 3600 * SEC;
    }
    assert_true(number(&d, "suspended_ns") == 9e9);
    assert_true(number(&d, "clock_step_ns") == -500e6);
}

static void heat_is_counted_of_core_and_package(void **state)
{
    struct fake_machine *fake = *state;
    struct disturbance d = {0};

    tree_file(&fake->sys, HEAT("0", "core"), "5\n");
    tree_file(&fake->sys, HEAT("0", "package"), "7\n");
    tree_file(&fake->sys, HEAT("4", "core"), "1\n");
    tree_file(&fake->sys, HEAT("5", "core"), "1\n");
    disturb_begin(&fake->view, &looked_at, &d);
    tree_file(&fake->sys, HEAT("0", "package"), "9\n");
    tree_file(&fake->sys, HEAT("4", "core"), "2\n");
    tree_file(&fake->sys, HEAT("5", "core"), "100\n"); /* not looked at */
    disturb_end(&fake->view, &looked_at, &d);
    assert_true(number(&d, "throttled") == 3);
}

static void put_khz(const struct fake_machine *fake, unsigned cpu, const char *khz)
{
    char name[96];

    snprintf(name, sizeof name, "devices/system/cpu/cpu%u/cpufreq/scaling_cur_freq", cpu);
    tree_file(&fake->sys, name, khz);
}

/* One that has no frequency to tell is left out, and reading is no oftener than once a second. */
static void frequencies_are_looked_at_once_a_second(void **state)
{
    struct fake_machine *fake = *state;
    struct disturbance d = {0};

    put_khz(fake, 0, "1000000\n");
    put_khz(fake, 4, "3000000\n");
    disturb_begin(&fake->view, &looked_at, &d);
    disturb_sample(&fake->view, &looked_at, &d);
    fake->now.monotonic_ns += DISTURB_SAMPLE_NS - 1;
    disturb_sample(&fake->view, &looked_at, &d);
    assert_int_equal(d.frequency.rounds, 1);
    put_khz(fake, 4, "2000000\n");
    fake->now.monotonic_ns += 1;
    disturb_sample(&fake->view, &looked_at, &d);
    disturb_end(&fake->view, &looked_at, &d);
    assert_true(number(&d, "cpu_khz_rounds") == 2);
    assert_true(number(&d, "cpu_min_khz") == 1e6);
    assert_true(number(&d, "cpu_max_khz") == 3e6);
    assert_true(number(&d, "cpu_mean_khz") == 1.75e6);
    assert_true(number(&d, "cpu_fastest_khz") == 2.5e6);
}

/* The collector must not stand still for it. */
static void a_kernel_that_is_slow_to_tell_is_not_asked_on(void **state)
{
    struct fake_machine *fake = *state;
    struct disturbance d = {0};

    put_khz(fake, 0, "1000000\n");
    put_khz(fake, 4, "3000000\n");
    disturb_begin(&fake->view, &looked_at, &d);
    fake->each.monotonic_ns = DISTURB_ROUND_NS + 1;
    disturb_sample(&fake->view, &looked_at, &d);
    assert_int_equal(d.frequency.samples, 1);
    fake->now.monotonic_ns += 10 * SEC;
    disturb_sample(&fake->view, &looked_at, &d);
    assert_int_equal(d.frequency.samples, 1);
    fake->each.monotonic_ns = 0;
    disturb_begin(&fake->view, &looked_at, &d);
    disturb_sample(&fake->view, &looked_at, &d);
    assert_int_equal(d.frequency.samples, 3);
    disturb_end(&fake->view, &looked_at, &d);
    assert_true(number(&d, "cpu_fastest_khz") == 2e6);
}

static void only_processors_we_may_use_are_looked_at(void **state)
{
    struct disturb_cpus cpus;
    cpu_set_t set;

    (void)state;
    disturb_cpus_allowed(&cpus);
    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    assert_true(cpus.n > 0 && cpus.n <= DISTURB_CPUS_MAX);
    for (unsigned i = 0; i < cpus.n; i++) {
        assert_true(CPU_ISSET(cpus.number[i], &set));
        assert_true(i == 0 || cpus.number[i] > cpus.number[i - 1]);
    }
}

#define fake_test(f) cmocka_unit_test_setup_teardown(f, open_fake, close_fake)

int main(void)
{
    const struct CMUnitTest tests[] = {
        fake_test(a_machine_that_tells_nothing_leaves_no_fact),
        fake_test(steal_is_a_share_of_the_time_wanted),
        fake_test(a_pass_that_could_not_be_asked_leaves_the_sum_unknown),
        fake_test(sleep_adds_up_and_the_largest_step_stays),
        fake_test(heat_is_counted_of_core_and_package),
        fake_test(frequencies_are_looked_at_once_a_second),
        fake_test(a_kernel_that_is_slow_to_tell_is_not_asked_on),
        cmocka_unit_test(only_processors_we_may_use_are_looked_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
