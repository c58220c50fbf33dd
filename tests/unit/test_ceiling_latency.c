/* verdict/ceilings_priv.h: modes are hills that stand by themselves, and chance makes none. */
#include "unit/limits_by_hand.h"

#include "base/rng.h"
#include "verdict/ceilings_priv.h"

static void spread_evenly(struct hist *h, struct rng *rng, uint64_t low, uint64_t high, unsigned n)
{
    while (n-- > 0)
        hist_record(h, low + rng_below(rng, high - low + 1));
}

struct modes_case {
    struct hill {
        uint64_t low, high;
        unsigned n;
    } hill[3];
    unsigned modes;
};

/* Memory, flash and disk as one sees them from a client. */
static const struct modes_case cases[] = {
    {{{18000, 24000, 5000}}, 1},
    {{{18000, 24000, 5000}, {140000, 200000, 5000}}, 2},
    {{{18000, 24000, 2000}, {140000, 200000, 5000}, {4000000, 9000000, 3000}}, 3},
    /* Fewer than a twentieth are an outlier, not a mode. */
    {{{18000, 24000, 300}, {140000, 200000, 9700}}, 1},
    /* Two that touch are one. */
    {{{100000, 150000, 5000}, {150000, 210000, 5200}}, 1},
    /* A hollow to six tenths is none, and what is level is one. */
    {{{270000, 330000, 6000}, {330001, 430000, 6000}, {430001, 520000, 9000}}, 1},
    {{{131072, 131072, 1000}, {147456, 147456, 1000}}, 1},
    {{{100, 100, 1000}}, 1},
    {{{0, 0, 0}}, 0},
};

static void hills_are_counted(void **state)
{
    (void)state;
    struct hist *h = calloc(1, sizeof *h);
    struct ceiling_latency found;
    struct rng rng;
    rng_seed(&rng, 7);

    assert_non_null(h);
    for (unsigned i = 0; i < HAND_COUNT(cases); i++) {
        hist_clear(h);
        for (unsigned k = 0; k < 3; k++)
            if (cases[i].hill[k].n > 0)
                spread_evenly(h, &rng, cases[i].hill[k].low, cases[i].hill[k].high,
                              cases[i].hill[k].n);
        ceiling_latency_of(h, &found);
        if (found.modes != cases[i].modes)
            fail_msg("case %u has %u modes", i, found.modes);
        for (unsigned k = 0; k < found.modes && found.modes == 3; k++)
            assert_in_range(found.mode_ns[k], cases[i].hill[k].low, cases[i].hill[k].high);
    }
    free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(hills_are_counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
