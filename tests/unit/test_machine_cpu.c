/* study/machine_cpu.c: processor time over a part of a run, from samples of the whole. */
#include "study/machine_cpu_priv.h"
#include "unit/fake_machine.h"

#define MS  1000000ull
#define SEC 1000000000ull

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

static void put_busy(const struct fake_machine *fake, uint64_t ns)
{
    char line[128];
    unsigned long long ticks = ns * (uint64_t)sysconf(_SC_CLK_TCK) / SEC;
    snprintf(line, sizeof line, "cpu  %llu 0 0 900 7 0 0 3 0 0\n", ticks);
    tree_file(&fake->proc, "stat", line);
}

/* Two processors are busy from 1 s on, none before. */
static uint64_t busy_ns(uint64_t at_ns)
{
    return 50 * SEC + (at_ns > SEC ? 2 * (at_ns - SEC) : 0);
}

static void run_for(struct fake_machine *fake, struct machine_cpu *cpu, uint64_t ns, uint64_t step)
{
    put_busy(fake, busy_ns(0));
    machine_cpu_begin(&fake->view, cpu);
    for (uint64_t at = step; at <= ns; at += step) {
        fake->now.monotonic_ns += step;
        put_busy(fake, busy_ns(at));
        machine_cpu_sample(&fake->view, cpu);
    }
}

static void assert_near(uint64_t got, uint64_t wanted, uint64_t off)
{
    if (got + off < wanted || got > wanted + off)
        fail_msg("%llu is not within %llu of %llu", (unsigned long long)got,
                 (unsigned long long)off, (unsigned long long)wanted);
}

static void the_warmup_is_left_out(void **state)
{
    struct fake_machine *fake = *state;
    struct machine_cpu cpu;
    uint64_t ns;
    run_for(fake, &cpu, 5 * SEC, 250 * MS);
    assert_true(machine_cpu_between(&cpu, 0, 5 * SEC, &ns));
    assert_near(ns, 8 * SEC, 20 * MS);
    assert_true(machine_cpu_between(&cpu, 3 * SEC, 5 * SEC, &ns));
    assert_near(ns, 4 * SEC, 20 * MS);
    assert_true(machine_cpu_between(&cpu, 0, SEC, &ns));
    assert_near(ns, 0, 20 * MS);
    /* Between two samples, and behind the last one. */
    assert_true(machine_cpu_between(&cpu, 2125 * MS, 3125 * MS, &ns));
    assert_near(ns, 2 * SEC, 20 * MS);
    assert_true(machine_cpu_between(&cpu, 4 * SEC, 9 * SEC, &ns));
    assert_near(ns, 2 * SEC, 20 * MS);
}

/* The first sample comes a little after the gate: the window that opens with it lies before. */
static void a_window_may_open_before_the_first_sample(void **state)
{
    struct fake_machine *fake = *state;
    struct machine_cpu cpu;
    uint64_t ns;
    fake->each.monotonic_ns = 100;
    run_for(fake, &cpu, 2 * SEC, 250 * MS);
    assert_true(cpu.sample[0].at_ns > 0);
    assert_true(machine_cpu_between(&cpu, 0, 2 * SEC, &ns));
    assert_near(ns, 2 * SEC, 20 * MS);
}

static void a_long_run_needs_no_more_room(void **state)
{
    struct fake_machine *fake = *state;
    struct machine_cpu cpu;
    uint64_t ns;
    run_for(fake, &cpu, 900 * SEC, 250 * MS);
    assert_true(cpu.n <= MACHINE_CPU_SAMPLES);
    assert_true(machine_cpu_between(&cpu, 300 * SEC, 900 * SEC, &ns));
    assert_near(ns, 1200 * SEC, SEC);
}

static void a_machine_that_does_not_tell_is_not_guessed_at(void **state)
{
    struct fake_machine *fake = *state;
    struct machine_cpu cpu;
    uint64_t ns;
    machine_cpu_begin(&fake->view, &cpu);
    fake->now.monotonic_ns += SEC;
    put_busy(fake, SEC);
    machine_cpu_sample(&fake->view, &cpu);
    assert_false(machine_cpu_between(&cpu, 0, SEC, &ns));
    put_busy(fake, 0);
    machine_cpu_begin(&fake->view, &cpu);
    fake->now.monotonic_ns += SEC;
    machine_cpu_sample(&fake->view, &cpu);
    assert_false(machine_cpu_between(&cpu, 0, SEC, &ns));
}

#define fake_test(f) cmocka_unit_test_setup_teardown(f, open_fake, close_fake)

int main(void)
{
    const struct CMUnitTest tests[] = {
        fake_test(the_warmup_is_left_out),
        fake_test(a_window_may_open_before_the_first_sample),
        fake_test(a_long_run_needs_no_more_room),
        fake_test(a_machine_that_does_not_tell_is_not_guessed_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
