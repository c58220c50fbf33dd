/* clk.h: one clock, monotone, beside CLOCK_MONOTONIC; the TSC only when it is vouched for, and its
 * calibration right on a machine that interrupts. */
#include "base/rng.h"
#include "clk/clk.h"
#include "clk/clk_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define DAY_S 86400u

static void test_clock_never_goes_back(void **state)
{
    (void)state;
    struct clk clk;
    assert_int_equal(clk_open(&clk, NULL), 0);
    uint64_t last = clk_now(&clk);
    for (int i = 0; i < 1000000; i++) {
        uint64_t now = clk_now(&clk);
        assert_true(now >= last);
        last = now;
    }
}

/* The slack is what CLOCK_MONOTONIC may be slewed by, 500 ppm, and the error of the calibration. */
static void test_clock_reads_as_monotonic_does(void **state)
{
    (void)state;
    struct clk clk;
    uint64_t opened = clk_monotonic_ns();
    assert_int_equal(clk_open(&clk, NULL), 0);
    for (int i = 0; i < 10000; i++) {
        uint64_t before = clk_monotonic_ns();
        uint64_t now = clk_now(&clk);
        uint64_t after = clk_monotonic_ns();
        uint64_t slack = (after - opened) / 1000000 * 505 + 1000;
        assert_true(now + slack >= before);
        assert_true(now <= after + slack);
    }
    assert_true(fabs(clk_drift_ppm(&clk)) < 505);
}

/* On a machine without a trusted TSC there is no drift to tell, and 0 is the right answer. */
static void test_drift_tells_a_wrong_rate(void **state)
{
    (void)state;
    struct clk clk;
    assert_int_equal(clk_open(&clk, NULL), 0);
    clk.mult += clk.mult / 100;
    /* The longer the stretch, the less an interrupted reading of both clocks weighs in it. */
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    double drift_ppm = clk_drift_ppm(&clk);
    if (clk.source == CLK_TSC)
        assert_true(fabs(drift_ppm - 10000) < 600);
    else
        assert_true(drift_ppm == 0);
}

static void test_monotonic_source_needs_no_calibration(void **state)
{
    (void)state;
    struct clk clk = {.source = CLK_MONOTONIC};
    uint64_t before = clk_monotonic_ns();
    uint64_t now = clk_now(&clk);
    assert_true(now >= before && now <= clk_monotonic_ns());
    assert_true(clk_drift_ppm(&clk) == 0);
    assert_true(clk_cost_ns(&clk) > 0);
}

struct script {
    uint64_t now;
    unsigned reads;
};

static uint64_t script_now(void *ctx)
{
    struct script *script = ctx;
    script->reads++;
    return script->now;
}

static void test_scripted_clock_is_moved_by_its_script_alone(void **state)
{
    (void)state;
    struct script script = {.now = 7};
    struct clk clk;
    clk_scripted(&clk, script_now, &script);
    assert_int_equal(clk.source, CLK_SCRIPTED);
    assert_int_equal(clk_now(&clk), 7);
    script.now = UINT64_MAX;
    assert_true(clk_now(&clk) == UINT64_MAX);
    assert_true(clk_cost_ns(&clk) == 0);
    assert_true(clk_drift_ppm(&clk) == 0);
    assert_int_equal(script.reads, 2);
}

static void test_long_run_does_not_overflow(void **state)
{
    (void)state;
    const uint64_t days = 4000;
    const double hz = 5e9;
    struct clk clk = {.source = CLK_TSC, .base_ns = 1000, .mult = (uint64_t)(0x1p32 * 1e9 / hz)};
    uint64_t start = clk_monotonic_ns();
    clk.base_ticks = clk_ticks() - days * DAY_S * (uint64_t)hz;
    double elapsed_ns = (double)(clk_now(&clk) - clk.base_ns);
    double expected_ns = (double)(days * DAY_S) * 1e9;
    double slack_ns = (double)(clk_monotonic_ns() - start) + expected_ns * 1e-8;
    assert_true(fabs(elapsed_ns - expected_ns) <= slack_ns);
}

static void test_wall_clock_counts_from_1970(void **state)
{
    (void)state;
    time_t before = time(NULL);
    uint64_t wall_s = clk_wall_ns() / 1000000000u;
    assert_true(wall_s + 1 >= (uint64_t)before && wall_s <= (uint64_t)time(NULL) + 1);
}

static void test_sources_have_names(void **state)
{
    (void)state;
    assert_string_equal(clk_source_name(CLK_TSC), "tsc");
    assert_string_equal(clk_source_name(CLK_MONOTONIC), "monotonic");
    assert_string_equal(clk_source_name(CLK_SCRIPTED), "scripted");
}

static void write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static bool vouched(const char *source, const char *cpuinfo)
{
    char dir[] = "/tmp/test_clk.XXXXXX";
    char source_path[64];
    char cpuinfo_path[64];
    assert_non_null(mkdtemp(dir));
    snprintf(source_path, sizeof source_path, "%s/source", dir);
    snprintf(cpuinfo_path, sizeof cpuinfo_path, "%s/cpuinfo", dir);
    if (source)
        write_file(source_path, source);
    if (cpuinfo)
        write_file(cpuinfo_path, cpuinfo);
    bool result = clk_vouched(source_path, cpuinfo_path);
    unlink(source_path);
    unlink(cpuinfo_path);
    rmdir(dir);
    return result;
}

#define CPU(flags) "processor\t: 0\nflags\t\t: " flags "\nbugs\t\t: spectre\n\n"

static void test_tsc_needs_kernel_and_processor(void **state)
{
    (void)state;
    assert_true(vouched("tsc\n", CPU("fpu constant_tsc rep_good nonstop_tsc cpuid")));
    assert_true(vouched("tsc\n", CPU("nonstop_tsc constant_tsc")));
    assert_false(vouched("kvm-clock\n", CPU("constant_tsc nonstop_tsc")));
    assert_false(vouched("tsc-early\n", CPU("constant_tsc nonstop_tsc")));
    assert_false(vouched("tsc\n", CPU("constant_tsc")));
    assert_false(vouched("tsc\n", CPU("nonstop_tsc")));
    assert_false(vouched("tsc\n", CPU("constant_tsc nonstop_tsc_s3")));
    assert_false(vouched("tsc\n", CPU("constant_tsc xnonstop_tsc")));
    assert_false(vouched("tsc\n", CPU("tsc") "notes\t: constant_tsc nonstop_tsc\n"));
    assert_false(vouched("tsc\n", "processor\t: 0\nFeatures\t: fp asimd\n"));
    assert_false(vouched("tsc\n", ""));
    assert_false(vouched("tsc\n", NULL));
    assert_false(vouched(NULL, CPU("constant_tsc nonstop_tsc")));
}

/* A machine with a TSC of `hz` on which reading the pair takes at least `gap` ticks, and most reads
 * are interrupted between the clocks. */
struct noisy {
    struct rng rng;
    uint64_t ticks;
    uint64_t hz;
    uint64_t gap;
    uint64_t interrupt_ticks; /* longest interruption; 0 = none */
    unsigned waits;
};

static uint64_t noisy_ns(const struct noisy *m)
{
    return (uint64_t)((unsigned __int128)m->ticks * 1000000000u / m->hz);
}

static void noisy_step(struct noisy *m)
{
    m->ticks += m->gap / 2;
    if (m->interrupt_ticks && rng_below(&m->rng, 10) < 7)
        m->ticks += rng_below(&m->rng, m->interrupt_ticks);
}

static struct clk_pair noisy_read(void *ctx)
{
    struct noisy *m = ctx;
    uint64_t before = m->ticks;
    noisy_step(m);
    uint64_t ns = noisy_ns(m);
    noisy_step(m);
    uint64_t gap = m->ticks - before;
    return (struct clk_pair){.ticks = before + gap / 2, .ns = ns, .gap = gap};
}

static void noisy_wait(void *ctx, uint64_t ns)
{
    struct noisy *m = ctx;
    m->waits++;
    m->ticks += (uint64_t)((unsigned __int128)ns * m->hz / 1000000000u);
}

static int calibrate(struct clk *clk, struct noisy *m)
{
    rng_seed(&m->rng, 42);
    struct clk_machine machine = {.read = noisy_read, .wait = noisy_wait, .ctx = m};
    return clk_calibrate(clk, &machine);
}

static void assert_calibrated(const struct clk *clk, const struct noisy *m)
{
    double truth = 0x1p32 * 1e9 / (double)m->hz;
    double error_ppm = ((double)clk->mult - truth) / truth * 1e6;
    assert_true(fabs(error_ppm) <= CLK_ERROR_PPM);
}

static void test_calibration_survives_interruptions(void **state)
{
    (void)state;
    for (uint64_t hz = 1000000000u; hz < 5000000000u; hz += 123456789u) {
        struct noisy m = {.ticks = hz * DAY_S, .hz = hz, .gap = 60, .interrupt_ticks = hz / 1000};
        struct clk clk = {0};
        assert_int_equal(calibrate(&clk, &m), 0);
        assert_calibrated(&clk, &m);
        double base_error_ns = (double)clk.base_ns - (double)clk.base_ticks / (double)hz * 1e9;
        assert_true(fabs(base_error_ns) < 1000);
    }
}

static void test_calibration_lengthens_until_it_is_good(void **state)
{
    (void)state;
    struct noisy quiet = {.ticks = 1, .hz = 2000000000u, .gap = 100};
    struct noisy slow = {.ticks = 1, .hz = 2000000000u, .gap = 800};
    struct clk clk = {0};
    assert_int_equal(calibrate(&clk, &quiet), 0);
    assert_int_equal(quiet.waits, 1);
    assert_int_equal(calibrate(&clk, &slow), 0);
    assert_int_equal(slow.waits, 4); /* 400 ns in 80 ms are 5 ppm */
    assert_calibrated(&clk, &slow);
}

static void assert_refused(struct noisy *m)
{
    struct clk clk = {.mult = 5};
    assert_int_equal(calibrate(&clk, m), -ERANGE);
    assert_int_equal(clk.mult, 5);
}

static void test_calibration_refuses_what_it_cannot_trust(void **state)
{
    (void)state;
    assert_refused(&(struct noisy){.ticks = 1, .hz = 2000000000u, .gap = 20000});
    assert_refused(&(struct noisy){.ticks = 1, .hz = 1000000u});
    assert_refused(&(struct noisy){.ticks = 1, .hz = 100000000000u});
}

static struct clk_pair stopped_read(void *ctx)
{
    struct noisy *m = ctx;
    m->ticks++;
    return (struct clk_pair){.ticks = 77, .ns = m->ticks, .gap = 0};
}

/* Every pass of a row opens the clock: calibrating each time cost 20 ms a pass. */
static void test_a_later_clock_takes_the_rate_since_the_first(void **state)
{
    (void)state;
    const struct clk first = {
        .source = CLK_TSC, .base_ticks = 1000, .base_ns = 5000, .mult = 1ull << 31};
    const struct clk_pair now = {.ticks = 1000 + 2000200000u, .ns = 5000 + 1000000000u};
    struct clk clk;
    clk_renew(&clk, &first, &now);
    assert_int_equal(clk.source, CLK_TSC);
    assert_int_equal(clk.base_ticks, now.ticks);
    assert_int_equal(clk.base_ns, now.ns);
    /* 2,000,200,000 ticks took 1 s: 100 ppm more than the first rate said. */
    assert_in_range(clk.mult, (uint64_t)((1ull << 31) * 0.9998999),
                    (uint64_t)((1ull << 31) * 0.9999001));
}

static void test_clocks_that_have_run_apart_are_not_trusted(void **state)
{
    (void)state;
    const struct clk first = {
        .source = CLK_TSC, .base_ticks = 1000, .base_ns = 5000, .mult = 1ull << 31};
    const struct clk_pair now = {.ticks = 1000 + 2002000000u, .ns = 5000 + 1000000000u};
    struct clk clk;
    clk_renew(&clk, &first, &now);
    assert_int_equal(clk.source, CLK_MONOTONIC);
}

static void test_calibration_refuses_a_stopped_counter(void **state)
{
    (void)state;
    struct noisy m = {.hz = 1000000000u};
    struct clk_machine machine = {.read = stopped_read, .wait = noisy_wait, .ctx = &m};
    struct clk clk = {0};
    assert_int_equal(clk_calibrate(&clk, &machine), -ERANGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clock_never_goes_back),
        cmocka_unit_test(test_clock_reads_as_monotonic_does),
        cmocka_unit_test(test_drift_tells_a_wrong_rate),
        cmocka_unit_test(test_monotonic_source_needs_no_calibration),
        cmocka_unit_test(test_scripted_clock_is_moved_by_its_script_alone),
        cmocka_unit_test(test_long_run_does_not_overflow),
        cmocka_unit_test(test_wall_clock_counts_from_1970),
        cmocka_unit_test(test_sources_have_names),
        cmocka_unit_test(test_tsc_needs_kernel_and_processor),
        cmocka_unit_test(test_calibration_survives_interruptions),
        cmocka_unit_test(test_calibration_lengthens_until_it_is_good),
        cmocka_unit_test(test_calibration_refuses_what_it_cannot_trust),
        cmocka_unit_test(test_calibration_refuses_a_stopped_counter),
        cmocka_unit_test(test_a_later_clock_takes_the_rate_since_the_first),
        cmocka_unit_test(test_clocks_that_have_run_apart_are_not_trusted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
