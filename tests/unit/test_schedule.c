/* engine_priv.h, schedule.c: due times come from seed and number alone, whoever takes them. */
#include "engine/engine_priv.h"
#include "truth/truth.h"

#include <math.h>
#include <pthread.h>

#define ARRIVALS 200000u
#define TAKERS   4u

static void begin(struct schedule *s, enum plan_arrival arrival, double rate, uint64_t seed)
{
    const struct plan_schedule plan = {.arrival = arrival, .rate_per_s = rate};
    schedule_init(s, &plan, seed);
}

/* The first arrival is due when the gate opens, the others at whole gaps. */
static void a_constant_rate_is_exact_where_the_gap_is_whole(void **state)
{
    (void)state;
    struct schedule s;
    begin(&s, PLAN_ARRIVAL_CONSTANT, 1000, 1);
    for (uint64_t i = 0; i < ARRIVALS; i++)
        assert_int_equal(schedule_take(&s), i * MS_NS);
}

/* A gap is rounded to 2^-10 ns, once for all: after n arrivals at most n/2 of those are missing. */
static void a_constant_rate_has_no_drift(void **state)
{
    (void)state;
    static const double rates[] = {0.001, 0.3, 3, 7, 333.3, 1e3 / 3, 44100, 123457, 7e6};
    for (size_t i = 0; i < TRUTH_COUNT(rates); i++) {
        struct schedule s;
        begin(&s, PLAN_ARRIVAL_CONSTANT, rates[i], 1);
        uint64_t due = 0;
        for (unsigned n = 0; n < 10000; n++)
            due = schedule_take(&s);
        double wanted = 9999 * 1e9 / rates[i];
        assert_true(fabs((double)due - wanted) <= 1 + 9999 * 0.5 / 1024 + wanted * 1e-12);
    }
}

/* What nobody took is told one by one, as schedule_take would have. */
static void the_rest_is_what_would_have_been_taken(void **state)
{
    (void)state;
    struct schedule taken;
    struct schedule rest;
    begin(&taken, PLAN_ARRIVAL_POISSON, 12345, 9);
    begin(&rest, PLAN_ARRIVAL_POISSON, 12345, 9);
    uint64_t due;
    uint64_t arrivals;
    unsigned n = 0;
    for (; schedule_rest(&rest, 1000 * MS_NS, &due, &arrivals); n++) {
        assert_int_equal(arrivals, 1);
        assert_int_equal(due, schedule_take(&taken));
    }
    assert_true(schedule_take(&taken) >= 1000 * MS_NS);
    assert_in_range(n, 12000, 12700);
}

/* A rate of 10^9/s that is not reached left 6·10^10 arrivals a minute to be told one by one. */
static void a_long_rest_is_told_in_bundles(void **state)
{
    (void)state;
    struct schedule s;
    begin(&s, PLAN_ARRIVAL_CONSTANT, 1e9, 1);
    uint64_t due;
    uint64_t arrivals;
    uint64_t sum = 0;
    uint64_t told = 0;
    uint64_t last = 0;
    for (; schedule_rest(&s, UINT64_C(60000) * MS_NS, &due, &arrivals); told++) {
        assert_true(due >= last);
        last = due;
        sum += arrivals;
    }
    assert_in_range(sum, 59999000000u, 60001000000u);
    assert_true(told < 60 * SCHEDULE_REST_MAX);
}

/* Rates beyond the resolution of the clock still move on. */
static void a_rate_without_gaps_moves_on(void **state)
{
    (void)state;
    struct schedule s;
    begin(&s, PLAN_ARRIVAL_POISSON, 1e15, 1);
    uint64_t due = 0;
    for (unsigned n = 0; n < 4096; n++)
        due = schedule_take(&s);
    assert_true(due >= 3);
}

/* plan.h: POISSON. Gaps are exponential: mean and spread are 1/rate, and each of 50 equally likely
 * classes gets its share (chi-square with 49 degrees of freedom is above 94 once in 10,000). */
static void poisson_gaps_are_exponential(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct schedule s;
        unsigned count[50] = {0};
        double sum = 0, squares = 0, chi2 = 0;
        begin(&s, PLAN_ARRIVAL_POISSON, 1000, seed);
        uint64_t last = schedule_take(&s);
        assert_int_equal(last, 0);
        for (unsigned i = 0; i < ARRIVALS; i++) {
            uint64_t due = schedule_take(&s);
            double gap = (double)(due - last) / MS_NS;
            unsigned at = (unsigned)((1 - exp(-gap)) * 50);
            count[at < 50 ? at : 49]++;
            sum += gap;
            squares += gap * gap;
            last = due;
        }
        double mean = sum / ARRIVALS;
        for (unsigned i = 0; i < 50; i++)
            chi2 += pow(count[i] - ARRIVALS / 50.0, 2) / (ARRIVALS / 50.0);
        /* Four standard errors: 1/sqrt(n) of the mean, about sqrt(8/n)/2 of the deviation. */
        assert_true(fabs(mean - 1) < 4 / sqrt(ARRIVALS));
        assert_true(fabs(sqrt(squares / ARRIVALS - mean * mean) - 1) < 4 * sqrt(2.0 / ARRIVALS));
        assert_true(chi2 < 94);
    }
}

/* Gaps that follow each other know nothing of each other: their correlation is that of noise. */
static void poisson_gaps_are_independent(void **state)
{
    (void)state;
    struct schedule s;
    double product = 0, before = 0;
    begin(&s, PLAN_ARRIVAL_POISSON, 1000, 3);
    uint64_t last = schedule_take(&s);
    for (unsigned i = 0; i < ARRIVALS; i++) {
        uint64_t due = schedule_take(&s);
        double gap = (double)(due - last) / MS_NS - 1;
        product += gap * before;
        before = gap;
        last = due;
    }
    assert_true(fabs(product / ARRIVALS) < 4 / sqrt(ARRIVALS));
}

static void other_seeds_give_other_times_and_the_same_one_the_same(void **state)
{
    (void)state;
    struct schedule a, b, c;
    unsigned equal = 0;
    begin(&a, PLAN_ARRIVAL_POISSON, 1000, 1);
    begin(&b, PLAN_ARRIVAL_POISSON, 1000, 1);
    begin(&c, PLAN_ARRIVAL_POISSON, 1000, 2);
    for (unsigned i = 0; i < 1000; i++) {
        uint64_t due = schedule_take(&a);
        assert_int_equal(due, schedule_take(&b));
        equal += due == schedule_take(&c);
    }
    assert_int_equal(equal, 1); /* the first one, at the gate */
}

/* ---- several takers ---- */

struct taker {
    struct schedule *schedule;
    uint64_t *due;
    unsigned n;
};

static void *take_many(void *arg)
{
    struct taker *t = arg;
    for (unsigned i = 0; i < t->n; i++)
        t->due[i] = schedule_take(t->schedule);
    return NULL;
}

static int by_time(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Any free stream takes the next arrival; whichever takes it, the set of due
 * times is the same. */
static void several_takers_get_the_same_times_as_one(void **state)
{
    (void)state;
    static uint64_t got[ARRIVALS];
    struct taker taker[TAKERS];
    pthread_t thread[TAKERS];
    struct schedule shared, alone;
    begin(&shared, PLAN_ARRIVAL_POISSON, 1e6, 7);
    begin(&alone, PLAN_ARRIVAL_POISSON, 1e6, 7);
    for (unsigned i = 0; i < TAKERS; i++) {
        taker[i] = (struct taker){&shared, &got[i * (ARRIVALS / TAKERS)], ARRIVALS / TAKERS};
        assert_int_equal(pthread_create(&thread[i], NULL, take_many, &taker[i]), 0);
    }
    for (unsigned i = 0; i < TAKERS; i++)
        pthread_join(thread[i], NULL);
    qsort(got, ARRIVALS, sizeof got[0], by_time);
    for (unsigned i = 0; i < ARRIVALS; i++)
        assert_int_equal(got[i], schedule_take(&alone));
}

/* Many at once are as many one by one, and fall due with the last of them. */
static void many_are_as_many_one_by_one(void **state)
{
    static const enum plan_arrival kinds[] = {PLAN_ARRIVAL_CONSTANT, PLAN_ARRIVAL_POISSON,
                                              PLAN_ARRIVAL_TENS};
    (void)state;
    for (unsigned k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        const struct plan_schedule plan = {.arrival = kinds[k], .rate_per_s = 1000};
        struct schedule one, many;
        schedule_init(&one, &plan, 7);
        schedule_init(&many, &plan, 7);
        for (unsigned n = 1; n < 40; n++) {
            uint64_t due = 0;
            for (unsigned i = 0; i < n; i++)
                due = schedule_take(&one);
            assert_int_equal(schedule_take_many(&many, n), due);
        }
    }
}

/* A part falls due with the arrival that it is a part of, as far as others have not used that up. */
static void parts_follow_each_other_within_an_arrival(void **state)
{
    const struct plan_schedule plan = {.arrival = PLAN_ARRIVAL_CONSTANT, .rate_per_s = 1000};
    struct schedule s;
    (void)state;
    schedule_init(&s, &plan, 7);
    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(schedule_take_many(&s, 0.25), i * 250000u);
    assert_int_equal(schedule_take_many(&s, 3.5), 25000000u + 2500000u);
    assert_int_equal(schedule_take(&s), 25000000u + 3500000u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_constant_rate_is_exact_where_the_gap_is_whole),
        cmocka_unit_test(a_constant_rate_has_no_drift),
        cmocka_unit_test(the_rest_is_what_would_have_been_taken),
        cmocka_unit_test(a_long_rest_is_told_in_bundles),
        cmocka_unit_test(a_rate_without_gaps_moves_on),
        cmocka_unit_test(poisson_gaps_are_exponential),
        cmocka_unit_test(poisson_gaps_are_independent),
        cmocka_unit_test(other_seeds_give_other_times_and_the_same_one_the_same),
        cmocka_unit_test(several_takers_get_the_same_times_as_one),
        cmocka_unit_test(many_are_as_many_one_by_one),
        cmocka_unit_test(parts_follow_each_other_within_an_arrival),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
