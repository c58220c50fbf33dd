/* Stations against the textbook: Erlang's formulas, Pollaczek and Khinchine's, Little's law, exact mean-value
 * analysis. All in virtual time, so each number comes out the same everywhere. */
#include "base/draw_math.h"
#include "target/sim_net_priv.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MILLION    1000000u
#define SERVICE_NS 100000u
#define CUSTOMERS  50u

static void assert_within(const char *what, double got, double expected, double part)
{
    if (fabs(got - expected) > part * expected)
        fail_msg("%s: %.6g, expected is %.6g within %.2g %%", what, got, expected, part * 100);
}

static struct sim_net *net_new(uint64_t seed, unsigned room)
{
    struct sim_net *net;

    assert_int_equal(sim_net_new(seed, &net), 0);
    assert_int_equal(sim_net_room(net, room), 0);
    return net;
}

static unsigned station(struct sim_net *net, const char *name, unsigned servers,
                        enum sim_spread spread)
{
    struct sim_station_spec spec = {.servers = servers, .spread = spread};

    snprintf(spec.name, sizeof spec.name, "%s", name);
    int number = sim_net_station(net, &spec);
    assert_true(number >= 0);
    return (unsigned)number;
}

static struct sim_station_sum sum_of(const struct sim_net *net, const char *name)
{
    struct sim_station_sum sum;

    for (unsigned i = 0; sim_net_sum(net, i, &sum); i++)
        if (strcmp(sum.name, name) == 0)
            return sum;
    fail_msg("no station %s", name);
    return sum;
}

static uint64_t drawn_ns(struct sim_net *net, double mean_ns)
{
    double below_one = (double)(rng_next(sim_net_rng(net)) >> 11) * 0x1p-53;

    return (uint64_t)(-draw_log(1 - below_one) * mean_ns + 0.5);
}

/* ---- one station, arrivals at random ---- */

struct source {
    struct sim_event event;
    struct sim_net *net;
    unsigned station;
    double gap_ns;
    unsigned left;
};

static void arrive(struct sim_event *e, uint64_t now_ns)
{
    struct source *s = (struct source *)e;

    sim_net_visit(s->net, s->station, SERVICE_NS);
    if (--s->left > 0)
        sim_net_at(s->net, e, now_ns + drawn_ns(s->net, s->gap_ns));
}

/* The probability that an arrival has to wait. */
static double erlang_c(unsigned servers, double offered)
{
    double blocked = 1; /* Erlang's B, by its recurrence */

    for (unsigned k = 1; k <= servers; k++)
        blocked = offered * blocked / (k + offered * blocked);
    double load = offered / servers;
    return blocked / (1 - load * (1 - blocked));
}

static void check_station(unsigned servers, enum sim_spread spread, double load, unsigned arrivals)
{
    struct sim_net *net = net_new(3, 1);
    struct source s = {.event = {arrive},
                       .net = net,
                       .station = station(net, "s", servers, spread),
                       .gap_ns = SERVICE_NS / (load * servers),
                       .left = arrivals};
    double wait_ns = erlang_c(servers, load * servers) * SERVICE_NS / (servers * (1 - load));

    if (spread == SIM_FIXED) {
        assert_int_equal(servers, 1);
        wait_ns /= 2; /* Pollaczek and Khinchine: no spread, half the wait */
    }
    sim_net_at(net, &s.event, 0);
    while (sim_net_step(net, SIM_NEVER))
        ;
    struct sim_station_sum sum = sum_of(net, "s");
    double visits = (double)sum.visits;
    assert_int_equal(sum.visits, arrivals);
    assert_within("wait", (double)sum.wait_ns / visits, wait_ns, 0.01);
    assert_within("inside", (double)sum.inside_ns / visits, wait_ns + SERVICE_NS, 0.01);
    assert_within("utilisation", (double)sum.busy_ns / ((double)sim_net_now(net) * servers), load,
                  0.01);
    sim_net_free(net);
}

/* So many arrivals that the mean wait of a sample is within 1 % of the true one: the more, the rarer or the longer
 * the waits are. */
static void one_server_queues_as_theory_says(void **state)
{
    (void)state;
    check_station(1, SIM_EXPONENTIAL, 0.5, 2 * MILLION);
    check_station(1, SIM_EXPONENTIAL, 0.8, 8 * MILLION);
}

static void many_servers_queue_as_theory_says(void **state)
{
    (void)state;
    check_station(4, SIM_EXPONENTIAL, 0.7, 6 * MILLION);
    check_station(16, SIM_EXPONENTIAL, 0.8, 8 * MILLION);
}

static void a_fixed_service_queues_as_theory_says(void **state)
{
    (void)state;
    check_station(1, SIM_FIXED, 0.5, 2 * MILLION);
    check_station(1, SIM_FIXED, 0.8, 4 * MILLION);
}

/* ---- closed loops ---- */

struct loop {
    struct sim_net *net;
    unsigned station[3];
    uint64_t service_ns[3];
    unsigned stations;
    double think_ns;
    uint64_t cycles;
    uint64_t cycle_ns; /* of all cycles, from leaving one's thoughts to returning to them */
    uint64_t think_sum_ns;
};

struct customer {
    struct sim_event event;
    struct loop *loop;
    unsigned at;
    uint64_t left_ns;
};

static void go_on(struct sim_event *e, uint64_t now_ns)
{
    struct customer *c = (struct customer *)e;
    struct loop *l = c->loop;

    if (c->at == 0)
        c->left_ns = now_ns;
    if (c->at < l->stations) {
        unsigned at = c->at++;
        sim_net_at(l->net, e, sim_net_visit(l->net, l->station[at], l->service_ns[at]));
        return;
    }
    uint64_t think_ns = drawn_ns(l->net, l->think_ns);
    l->cycles++;
    l->cycle_ns += now_ns - c->left_ns;
    l->think_sum_ns += think_ns;
    c->at = 0;
    sim_net_at(l->net, e, now_ns + think_ns);
}

static void run_loop(struct loop *l, struct customer *c, unsigned customers, uint64_t until_ns)
{
    for (unsigned i = 0; i < customers; i++) {
        c[i] = (struct customer){.event = {go_on}, .loop = l};
        sim_net_at(l->net, &c[i].event, 0);
    }
    while (sim_net_step(l->net, until_ns))
        ;
}

/* Stations whose service is told apart: several servers, a fixed and an exponential one, one much slowed. */
static void a_closed_loop_obeys_littles_law(void **state)
{
    const uint64_t until_ns = 200000000000;
    struct customer c[CUSTOMERS];
    struct loop l = {.net = net_new(7, CUSTOMERS), .stations = 3, .think_ns = 2000000};

    (void)state;
    l.station[0] = station(l.net, "cpu", 4, SIM_EXPONENTIAL);
    l.station[1] = station(l.net, "bus", 1, SIM_FIXED);
    l.station[2] = station(l.net, "disk", 16, SIM_EXPONENTIAL);
    memcpy(l.service_ns, (uint64_t[]){200000, 70000, 1500000}, sizeof l.service_ns);
    run_loop(&l, c, CUSTOMERS, until_ns);
    double inside = 0;
    struct sim_station_sum sum;
    for (unsigned i = 0; sim_net_sum(l.net, i, &sum); i++)
        inside += (double)sum.inside_ns / (double)until_ns;
    inside += (double)l.think_sum_ns / (double)until_ns;
    assert_within("sum of the mean numbers inside", inside, CUSTOMERS, 0.001);
    double per_ns = (double)l.cycles / (double)until_ns;
    double round_ns = (double)(l.cycle_ns + l.think_sum_ns) / (double)l.cycles;
    assert_within("throughput · time of a round", per_ns * round_ns, CUSTOMERS, 0.001);
    sim_net_free(l.net);
}

/* Rounds per ns of n customers, of exponential stations of one server each. */
static double mean_value_analysis(const struct loop *l, unsigned customers)
{
    double queue[3] = {0};
    double rate = 0;

    for (unsigned n = 1; n <= customers; n++) {
        double time[3];
        double round_ns = l->think_ns;
        for (unsigned i = 0; i < l->stations; i++)
            round_ns += time[i] = (double)l->service_ns[i] * (1 + queue[i]);
        rate = n / round_ns;
        for (unsigned i = 0; i < l->stations; i++)
            queue[i] = rate * time[i];
    }
    return rate;
}

static void a_closed_loop_has_the_throughput_of_theory(void **state)
{
    const uint64_t until_ns = 1000000000000;

    (void)state;
    for (unsigned customers = 1; customers <= 16; customers *= 4) {
        struct customer c[16];
        struct loop l = {.net = net_new(3, customers), .stations = 3, .think_ns = 1000000};
        l.station[0] = station(l.net, "a", 1, SIM_EXPONENTIAL);
        l.station[1] = station(l.net, "b", 1, SIM_EXPONENTIAL);
        l.station[2] = station(l.net, "c", 1, SIM_EXPONENTIAL);
        memcpy(l.service_ns, (uint64_t[]){300000, 200000, 250000}, sizeof l.service_ns);
        run_loop(&l, c, customers, until_ns);
        assert_within("rounds", (double)l.cycles,
                      mean_value_analysis(&l, customers) * (double)until_ns, 0.01);
        sim_net_free(l.net);
    }
}

/* ---- what a station says at any moment ---- */

static void stay(struct sim_event *e, uint64_t now_ns)
{
    (void)e;
    (void)now_ns;
}

static void only_what_has_passed_is_busy(void **state)
{
    struct sim_net *net = net_new(1, 1);
    unsigned s = station(net, "s", 2, SIM_FIXED);

    (void)state;
    for (unsigned i = 0; i < 3; i++)
        sim_net_visit(net, s, 100); /* until 100, 100 and 200 */
    assert_int_equal(sum_of(net, "s").busy_ns, 0);
    assert_int_equal(sum_of(net, "s").wait_ns, 100);
    assert_false(sim_net_step(net, 70));
    assert_int_equal(sum_of(net, "s").busy_ns, 140);
    assert_false(sim_net_step(net, 150));
    assert_int_equal(sum_of(net, "s").busy_ns, 250);
    assert_int_equal(sim_net_free_at(net, s), 150);
    assert_false(sim_net_step(net, 500));
    assert_int_equal(sum_of(net, "s").busy_ns, 300);
    assert_int_equal(sum_of(net, "s").inside_ns, 400);
    sim_net_free(net);
}

static void stations_of_a_name_are_told_together(void **state)
{
    struct sim_net *net = net_new(1, 1);
    unsigned a = station(net, "disk", 1, SIM_FIXED);
    unsigned cpu = station(net, "cpu", 4, SIM_FIXED);
    unsigned b = station(net, "disk", 2, SIM_FIXED);
    struct sim_station_sum sum;

    (void)state;
    sim_net_visit(net, a, 10);
    sim_net_visit(net, b, 50);
    sim_net_visit(net, cpu, 7);
    assert_false(sim_net_step(net, 100));
    assert_true(sim_net_sum(net, 0, &sum));
    assert_string_equal(sum.name, "disk");
    assert_int_equal(sum.stations, 2);
    assert_int_equal(sum.servers, 3);
    assert_int_equal(sum.visits, 2);
    assert_int_equal(sum.busy_ns, 60);
    assert_int_equal(sum.worst_busy_ns, 25); /* 50 of two servers, against 10 of one */
    assert_true(sim_net_sum(net, 1, &sum));
    assert_string_equal(sum.name, "cpu");
    assert_false(sim_net_sum(net, 2, &sum));
    sim_net_free(net);
}

/* In the window the other of two was the busiest: the difference of their maxima was what neither had been. */
static void the_busiest_is_that_of_the_time_between_two_marks(void **state)
{
    struct sim_net *net = net_new(1, 1);
    unsigned before = station(net, "disk", 1, SIM_FIXED);
    unsigned within = station(net, "disk", 1, SIM_FIXED);

    (void)state;
    sim_net_visit(net, before, 1000);
    assert_false(sim_net_step(net, 1000));
    sim_net_mark(net);
    assert_int_equal(sum_of(net, "disk").worst_busy_ns, 1000);
    sim_net_visit(net, before, 100);
    sim_net_visit(net, within, 300);
    assert_false(sim_net_step(net, 2000));
    assert_int_equal(sum_of(net, "disk").worst_busy_ns, 1300);
    sim_net_mark(net);
    assert_int_equal(sum_of(net, "disk").worst_busy_ns, 1300);
    assert_int_equal(sum_of(net, "disk").busy_ns, 1400);
    sim_net_free(net);
}

static void a_slow_station_takes_longer(void **state)
{
    struct sim_net *net = net_new(1, 1);
    struct sim_station_spec spec = {.name = "disk", .servers = 1, .slow_by = 5, .slow_of = 2};

    (void)state;
    int slow = sim_net_station(net, &spec);
    assert_true(slow >= 0);
    assert_int_equal(sim_net_visit(net, (unsigned)slow, 100), 250);
    sim_net_free(net);
}

static void a_pause_begins_nothing_and_prolongs_what_it_meets(void **state)
{
    struct sim_net *net = net_new(1, 1);
    unsigned s = station(net, "s", 1, SIM_FIXED);

    (void)state;
    assert_int_equal(sim_net_pause(net, s, 100, 200), 0);
    assert_int_equal(sim_net_pause(net, s, 500, 600), 0);
    assert_int_equal(sim_net_pause(net, s, 150, 250), 0); /* with the first: 100 to 250 */
    assert_int_equal(sim_net_visit(net, s, 60), 60);
    assert_int_equal(sim_net_visit(net, s, 60), 270); /* 40 before, 20 after */
    assert_false(sim_net_step(net, 300));
    assert_int_equal(sum_of(net, "s").busy_ns, 120);
    assert_int_equal(sim_net_visit(net, s, 200), 500); /* all before the next */
    assert_int_equal(sim_net_free_at(net, s), 600);
    assert_int_equal(sim_net_visit(net, s, 10), 610);
    assert_false(sim_net_step(net, 550));
    assert_int_equal(sum_of(net, "s").busy_ns, 320);
    assert_false(sim_net_step(net, 605));
    assert_int_equal(sum_of(net, "s").busy_ns, 325);
    sim_net_free(net);
}

static void stations_that_cannot_be_are_refused(void **state)
{
    struct sim_net *net = net_new(1, 1);
    struct sim_station_spec spec = {.name = "s"};

    (void)state;
    assert_int_equal(sim_net_station(net, &spec), -EINVAL);
    spec.servers = 65536;
    assert_int_equal(sim_net_station(net, &spec), -EINVAL);
    spec.servers = 65535;
    spec.slow_by = 1;
    assert_int_equal(sim_net_station(net, &spec), -EINVAL);
    spec.slow_of = 1;
    assert_int_equal(sim_net_station(net, &spec), 0);
    spec.servers = 1;
    for (int i = 1; i < SIM_STATIONS_MAX; i++)
        assert_int_equal(sim_net_station(net, &spec), i);
    assert_int_equal(sim_net_station(net, &spec), -EINVAL);
    sim_net_free(net);
}

static void the_clock_goes_as_far_as_it_is_told(void **state)
{
    struct sim_net *net = net_new(1, 2);
    struct sim_event e = {stay};

    (void)state;
    sim_net_at(net, &e, 100);
    assert_false(sim_net_step(net, 99));
    assert_int_equal(sim_net_now(net), 99);
    assert_true(sim_net_step(net, 100));
    assert_int_equal(sim_net_now(net), 100);
    assert_false(sim_net_step(net, SIM_NEVER));
    assert_int_equal(sim_net_now(net), 100);
    assert_false(sim_net_step(net, 50)); /* never back */
    assert_int_equal(sim_net_now(net), 100);
    sim_net_free(net);
}

/* Times that did not fit went round to the beginning, and the clock back. */
static void what_takes_too_long_ends_at_the_latest(void **state)
{
    struct sim_station_spec slow = {.name = "slow", .servers = 1, .slow_by = 1000, .slow_of = 1};
    struct sim_station_spec drawn = {.name = "drawn", .servers = 1, .spread = SIM_EXPONENTIAL};
    struct sim_net *net = net_new(1, 2);
    uint64_t before_ns[2] = {0, 0};

    (void)state;
    assert_int_equal(sim_net_station(net, &slow), 0);
    assert_int_equal(sim_net_station(net, &drawn), 1);
    for (unsigned i = 0; i < 1000; i++) {
        for (unsigned station = 0; station < 2; station++) {
            uint64_t end_ns = sim_net_visit(net, station, UINT64_MAX / 3);
            assert_in_range(end_ns, before_ns[station], SIM_LATEST_NS);
            before_ns[station] = end_ns;
        }
    }
    assert_int_equal(before_ns[0], SIM_LATEST_NS);
    assert_int_equal(before_ns[1], SIM_LATEST_NS);
    sim_net_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_server_queues_as_theory_says),
        cmocka_unit_test(many_servers_queue_as_theory_says),
        cmocka_unit_test(a_fixed_service_queues_as_theory_says),
        cmocka_unit_test(a_closed_loop_obeys_littles_law),
        cmocka_unit_test(a_closed_loop_has_the_throughput_of_theory),
        cmocka_unit_test(only_what_has_passed_is_busy),
        cmocka_unit_test(stations_of_a_name_are_told_together),
        cmocka_unit_test(the_busiest_is_that_of_the_time_between_two_marks),
        cmocka_unit_test(a_slow_station_takes_longer),
        cmocka_unit_test(a_pause_begins_nothing_and_prolongs_what_it_meets),
        cmocka_unit_test(stations_that_cannot_be_are_refused),
        cmocka_unit_test(the_clock_goes_as_far_as_it_is_told),
        cmocka_unit_test(what_takes_too_long_ends_at_the_latest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
