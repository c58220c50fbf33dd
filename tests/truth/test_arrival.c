/* schedule_priv.h: gaps between arrivals against the law that was asked. */
#include "engine/engine_priv.h"
#include "truth/truth.h"

#include <math.h>

#define ARRIVALS 200000u
#define CELLS    50u
#define RATE     10000.0 /* per second: a mean gap of 100 us */

/* Cell of a gap among CELLS that each expect the same share of exponential gaps. */
static unsigned cell_of(double gap_ns, double rate)
{
    double u = 1 - exp(-gap_ns * rate / 1e9);
    unsigned cell = (unsigned)(u * CELLS);
    return cell < CELLS ? cell : CELLS - 1;
}

static void begin(struct schedule *s, enum plan_arrival arrival, double rate, uint64_t seed)
{
    const struct plan_schedule plan = {.arrival = arrival, .rate_per_s = rate};
    schedule_init(s, &plan, seed);
}

static double deviate(const unsigned *count, unsigned cells, double n)
{
    double chi2 = 0, expected = n / cells;
    for (unsigned i = 0; i < cells; i++)
        chi2 += (count[i] - expected) * (count[i] - expected) / expected;
    return (chi2 - (cells - 1)) / sqrt(2.0 * (cells - 1));
}

static double gaps_deviate(enum plan_arrival arrival, double rate, uint64_t seed)
{
    unsigned count[CELLS] = {0};
    struct schedule s;
    begin(&s, arrival, rate, seed);
    uint64_t last = schedule_take(&s);
    for (unsigned i = 0; i < ARRIVALS; i++) {
        uint64_t due = schedule_take(&s);
        count[cell_of((double)(due - last), rate)]++;
        last = due;
    }
    return deviate(count, CELLS, ARRIVALS);
}

static void poisson_gaps_are_exponential(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++)
        for (double rate = 1; rate < 1e5; rate *= 37) /* due times are whole ns */
            assert_true(gaps_deviate(PLAN_ARRIVAL_POISSON, rate, seed) < 5);
}

static void constant_gaps_are_not(void **state)
{
    (void)state;
    assert_true(gaps_deviate(PLAN_ARRIVAL_CONSTANT, RATE, 1) > 100);
}

/* Of a Poisson process the number of arrivals in a time has a variance like its mean. */
static void counts_have_the_variance_of_their_mean(void **state)
{
    enum { TIMES = 20000 };
    static unsigned n[TIMES];
    double mean = 0, variance = 0;
    struct schedule s;
    (void)state;
    begin(&s, PLAN_ARRIVAL_POISSON, RATE, 3);
    for (;;) {
        uint64_t at = schedule_take(&s) / MS_NS;
        if (at >= TIMES)
            break;
        n[at]++;
    }
    for (unsigned i = 0; i < TIMES; i++)
        mean += (double)n[i] / TIMES;
    for (unsigned i = 0; i < TIMES; i++)
        variance += (n[i] - mean) * (n[i] - mean) / TIMES;
    assert_true(fabs(mean - RATE / 1000) < 0.1);
    assert_true(fabs(variance / mean - 1) < 0.05);
}

/* Pairs of gaps, of one schedule and the next in it, and of two seeds: the joint cells are even. */
static double pairs_deviate(uint64_t seed_a, uint64_t seed_b, unsigned ahead)
{
    enum { SIDE = 8 };
    unsigned count[SIDE * SIDE] = {0};
    struct schedule a, b;
    begin(&a, PLAN_ARRIVAL_POISSON, RATE, seed_a);
    begin(&b, PLAN_ARRIVAL_POISSON, RATE, seed_b);
    for (unsigned i = 0; i < ahead; i++)
        schedule_take(&b);
    uint64_t last_a = schedule_take(&a), last_b = schedule_take(&b);
    for (unsigned i = 0; i < ARRIVALS; i++) {
        uint64_t due_a = schedule_take(&a), due_b = schedule_take(&b);
        unsigned x = cell_of((double)(due_a - last_a), RATE) * SIDE / CELLS;
        unsigned y = cell_of((double)(due_b - last_b), RATE) * SIDE / CELLS;
        count[x * SIDE + y]++;
        last_a = due_a;
        last_b = due_b;
    }
    /* CELLS is no multiple of SIDE, so neither are the shares equal: expected by their margins. */
    double chi2 = 0;
    for (unsigned i = 0; i < SIDE * SIDE; i++) {
        double row = 0, column = 0;
        for (unsigned k = 0; k < SIDE; k++) {
            row += count[i / SIDE * SIDE + k];
            column += count[k * SIDE + i % SIDE];
        }
        double expected = row * column / ARRIVALS;
        chi2 += (count[i] - expected) * (count[i] - expected) / expected;
    }
    double df = (SIDE - 1) * (SIDE - 1);
    return (chi2 - df) / sqrt(2 * df);
}

static void gaps_do_not_know_of_each_other(void **state)
{
    (void)state;
    for (unsigned ahead = 1; ahead < 6; ahead++)
        assert_true(pairs_deviate(7, 7, ahead) < 5);
    assert_true(pairs_deviate(7, 7, 0) > 1000); /* the test can see it */
}

static void seeds_do_not_know_of_each_other(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++)
        assert_true(pairs_deviate(seed, seed + 1, 0) < 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poisson_gaps_are_exponential),
        cmocka_unit_test(constant_gaps_are_not),
        cmocka_unit_test(counts_have_the_variance_of_their_mean),
        cmocka_unit_test(gaps_do_not_know_of_each_other),
        cmocka_unit_test(seeds_do_not_know_of_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
