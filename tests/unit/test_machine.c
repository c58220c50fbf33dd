/* study/machine.c: what a machine tells of itself, from trees like /proc and /sys. */
#include "study/machine_priv.h"
#include "unit/fake_machine.h"

#define CPU  "devices/system/cpu/"
#define FREQ CPU "cpu0/cpufreq/"

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

static void facts_of(const struct fake_machine *fake, struct result_facts *facts)
{
    struct machine m;

    machine_read(&fake->view, &m);
    assert_int_equal(machine_facts(&m, facts), 0);
}

static void expect(const struct fake_machine *fake, const char *key, const char *right)
{
    struct result *r = result_new();

    assert_non_null(r);
    facts_of(fake, &r->machine);
    const char *value = result_fact_get(&r->machine, key);
    if (!right)
        assert_null(value);
    else if (!value || strcmp(value, right) != 0)
        fail_msg("%s is %s, not %s", key, value ? value : "not there", right);
    result_free(r);
}

static void what_is_not_there_becomes_no_fact(void **state)
{
    static const char *const keys[] = {"cpu_model",       "cpu_governor", "cpu_driver",
                                       "cpu_boost",       "smt",          "numa_nodes",
                                       "cpu_nominal_khz", "clocksource"};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        expect(*state, keys[i], NULL);
    expect(*state, "virtualised", "no");
}

static void processors_are_described(void **state)
{
    const struct fake_machine *fake = *state;

    tree_file(&fake->proc, "cpuinfo",
              "processor\t: 0\nmodel name\t: Wheel 9\nflags\t\t: fpu hypervisor tsc\n");
    tree_file(&fake->sys, "class/dmi/id/sys_vendor", "Cloud\n");
    tree_file(&fake->sys, FREQ "scaling_governor", "powersave\n");
    tree_file(&fake->sys, FREQ "scaling_driver", "intel_pstate\n");
    tree_file(&fake->sys, FREQ "energy_performance_preference", "power\n");
    tree_file(&fake->sys, CPU "smt/active", "1\n");
    tree_file(&fake->sys, "devices/system/node/node0/cpulist", "0\n");
    tree_file(&fake->sys, "devices/system/node/node1/cpulist", "1\n");
    tree_file(&fake->sys, "devices/system/node/has_cpu", "0-1\n");
    expect(fake, "cpu_model", "Wheel 9");
    expect(fake, "virtualised", "Cloud");
    expect(fake, "cpu_governor", "powersave");
    expect(fake, "cpu_driver", "intel_pstate");
    expect(fake, "cpu_preference", "power");
    expect(fake, "smt", "on");
    expect(fake, "numa_nodes", "2");
    tree_file(&fake->sys, CPU "smt/active", "0\n");
    expect(fake, "smt", "off");
}

static void boost_is_read_from_either_driver(void **state)
{
    const struct fake_machine *fake = *state;

    tree_file(&fake->sys, CPU "cpufreq/boost", "1\n");
    expect(fake, "cpu_boost", "on");
    tree_file(&fake->sys, CPU "cpufreq/boost", "0\n");
    expect(fake, "cpu_boost", "off");
    tree_file(&fake->sys, CPU "intel_pstate/no_turbo", "0\n");
    expect(fake, "cpu_boost", "on");
    tree_file(&fake->sys, CPU "intel_pstate/no_turbo", "1\n");
    expect(fake, "cpu_boost", "off");
}

/* The highest frequency is the nominal one only where there is no boost. */
static void the_nominal_frequency_is_not_guessed(void **state)
{
    const struct fake_machine *fake = *state;

    tree_file(&fake->sys, FREQ "cpuinfo_max_freq", "3000000\n");
    expect(fake, "cpu_nominal_khz", NULL);
    tree_file(&fake->sys, CPU "cpufreq/boost", "1\n");
    expect(fake, "cpu_nominal_khz", NULL);
    tree_file(&fake->sys, CPU "cpufreq/boost", "0\n");
    expect(fake, "cpu_nominal_khz", "3000000");
    tree_file(&fake->sys, CPU "cpu0/acpi_cppc/nominal_freq", "2500\n");
    expect(fake, "cpu_nominal_khz", "2500000");
    tree_file(&fake->sys, FREQ "base_frequency", "2400000\n");
    expect(fake, "cpu_nominal_khz", "2400000");
    tree_file(&fake->sys, FREQ "base_frequency", "<unknown>\n");
    expect(fake, "cpu_nominal_khz", "2500000");
}

#define fake_test(f) cmocka_unit_test_setup_teardown(f, open_fake, close_fake)

int main(void)
{
    const struct CMUnitTest tests[] = {
        fake_test(what_is_not_there_becomes_no_fact),
        fake_test(processors_are_described),
        fake_test(boost_is_read_from_either_driver),
        fake_test(the_nominal_frequency_is_not_guessed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
