/* verdict/compare.h: how often the word is right, where it is known what is true. Each run is a whole
 * study of io in virtual time; runs of one and the same differ by 2 % (one standard deviation), as
 * runs on real storage do. Seeds are fixed, so the rates are too. */
#include "truth/studies.h"

#include "base/rng.h"
#include "verdict/compare.h"

#include <math.h>

/* The rates need many seeds. Virtual time makes them the same in every build, so ThreadSanitizer, under
 * which all seeds take ten minutes, is given a few runs to look for races in. */
#define SEEDS_OF_RATES 400
#ifdef __SANITIZE_THREAD__
#define SEEDS 5
#else
#define SEEDS SEEDS_OF_RATES
#endif
#define REPEATS     5
#define BASELINE    10
#define BETWEEN     0.02
#define LATENCY_NS  1000000
#define WINDOW_NS   (250 * (uint64_t)MS_NS)
#define DRIFT_A_RUN 0.05
#define SIDE_MAX    BASELINE

/* Side b against side a, of which REPEATS or BASELINE runs are asked. */
enum pair {
    SAME,
    SLOWER_3,
    SLOWER_10,
    SLOWER_30,
    NOISIER, /* three times the variation, no slower */
    OUTLIER, /* one run of five half as slow again */
    APART_DRIFTING,
    TURNS_DRIFTING,
    TURNS_DRIFTING_10,
    ONE_SAME_5, /* a single run of b against a baseline of five, of ten */
    ONE_SLOWER_10_5,
    ONE_SLOWER_30_5,
    ONE_SAME_10,
    ONE_SLOWER_10_10,
    ONE_SLOWER_30_10,
    PAIRS
};

static const char *const pair_name[PAIRS] = {
    [SAME] = "identical, 5 and 5 runs",
    [SLOWER_3] = "slower by 3 %, 5 and 5",
    [SLOWER_10] = "slower by 10 %, 5 and 5",
    [SLOWER_30] = "slower by 30 %, 5 and 5",
    [NOISIER] = "three times the variation, 5 and 5",
    [OUTLIER] = "one outlier of 50 %, 5 and 5",
    [APART_DRIFTING] = "identical, drifting, one after the other",
    [TURNS_DRIFTING] = "identical, drifting, in turns",
    [TURNS_DRIFTING_10] = "slower by 10 %, drifting, in turns",
    [ONE_SAME_5] = "identical, one run against 5",
    [ONE_SLOWER_10_5] = "slower by 10 %, one run against 5",
    [ONE_SLOWER_30_5] = "slower by 30 %, one run against 5",
    [ONE_SAME_10] = "identical, one run against 10",
    [ONE_SLOWER_10_10] = "slower by 10 %, one run against 10",
    [ONE_SLOWER_30_10] = "slower by 30 %, one run against 10",
};

static const enum rows_metric metrics[] = {ROWS_OPS, ROWS_P50, ROWS_P99};
#define METRICS TRUTH_COUNT(metrics)

static unsigned counted[PAIRS][METRICS][COMPARE_NOT + 1];
static unsigned lone_words[COMPARE_NOT + 1]; /* one run each, of whatever pair */

struct side {
    struct result *run[SIDE_MAX];
    unsigned n;
};

/* ---- runs ---- */

struct world {
    struct told *told;
    struct rng rng;
    uint64_t runs;
};

static double uniform(struct rng *rng)
{
    return ((double)(rng_next(rng) >> 11) + 0.5) * 0x1p-53;
}

static double normal(struct rng *rng)
{
    double radius = sqrt(-2 * log(uniform(rng)));
    return radius * cos(2 * M_PI * uniform(rng));
}

static struct result *run_once(struct world *w, double slower)
{
    static const struct io_options options = {.read_percent = 100,
                                              .blocks = 1,
                                              .block = {{4096, 100}},
                                              .streams = 1,
                                              .size_bytes = 1 << 20,
                                              .time_ns = WINDOW_NS};
    const struct study_sink sink = told_sink(w->told);
    double ns = LATENCY_NS * slower;
    struct err err = {0};

    snprintf(w->told->address, sizeof w->told->address,
             "fault:null:?latency=uniform:%.0fns-%.0fns&clock=virtual&seed=%" PRIu64, 0.8 * ns,
             1.2 * ns, ++w->runs);
    if (study_io(&w->told->common, &options, &sink, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(w->told->n, 1);
    struct result *r = w->told->result[0];
    w->told->n = 0;
    told_forget(w->told);
    r->begun_wall_ns = w->runs;
    return r;
}

/* One run of something that is by so much slower, on a rig that varies. */
static void add_run(struct world *w, struct side *s, double slower, double between)
{
    assert_true(s->n < SIDE_MAX);
    s->run[s->n++] = run_once(w, slower * exp(between * normal(&w->rng)));
}

static struct side make_side(struct world *w, unsigned n, double slower, double between)
{
    struct side s = {.n = 0};
    while (s.n < n)
        add_run(w, &s, slower, between);
    return s;
}

static void drop_side(struct side *s)
{
    for (unsigned i = 0; i < s->n; i++)
        result_free(s->run[i]);
    s->n = 0;
}

/* As if its runs were the repeats of one study, or of one of the targets of a study. */
static void name_runs(struct side *s, const char *study, unsigned side)
{
    for (unsigned i = 0; i < s->n; i++) {
        struct result *r = s->run[i];
        snprintf(r->study_id, sizeof r->study_id, "%s", study);
        r->run = i + 1;
        assert_int_equal(result_fact_putf(&r->options, "repeat", "", "%u", i + 1), 0);
        assert_int_equal(result_fact_putf(&r->options, "side", "", "%u", side), 0);
    }
}

/* ---- counting ---- */

static void compare_runs(const struct side *a, unsigned n_a, const struct side *b, unsigned n_b,
                         struct comparison *out)
{
    const struct compare_side side_a = {"a", a->run, n_a};
    const struct compare_side side_b = {"b", b->run, n_b};
    struct err err = {0};

    if (compare_of(&side_a, &side_b, out, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(out->rows, 1);
    assert_string_equal(out->row[0].name, "read");
    assert_true(out->row[0].comparable);
}

static void count(enum pair pair, const struct side *a, unsigned n_a, const struct side *b,
                  unsigned n_b)
{
    struct comparison c;

    compare_runs(a, n_a, b, n_b, &c);
    for (unsigned m = 0; m < METRICS; m++)
        counted[pair][m][c.row[0].cell[metrics[m]].word]++;
    compare_fini(&c);
}

static void count_lone(const struct side *a, const struct side *b)
{
    struct comparison c;

    compare_runs(a, 1, b, 1, &c);
    for (unsigned m = 0; m < METRICS; m++)
        lone_words[c.row[0].cell[metrics[m]].word]++;
    compare_fini(&c);
}

/* ---- one seed ---- */

static void lone(const struct side *a, const struct side *b, unsigned off)
{
    count((enum pair)(ONE_SAME_5 + off), a, REPEATS, b, 1);
    count((enum pair)(ONE_SAME_10 + off), a, BASELINE, b, 1);
}

static void spoil_one(struct world *w, struct side *b)
{
    unsigned which = (unsigned)rng_below(&w->rng, REPEATS);
    uint64_t begun_wall_ns = b->run[which]->begun_wall_ns;

    result_free(b->run[which]);
    b->run[which] = run_once(w, 1.5 * exp(BETWEEN * normal(&w->rng)));
    b->run[which]->begun_wall_ns = begun_wall_ns;
}

static void apart(struct world *w, enum pair pair, const struct side *a, double slower,
                  double between)
{
    struct side b = make_side(w, REPEATS, slower, between);

    name_runs(&b, "B", 1);
    count(pair, a, REPEATS, &b, REPEATS);
    count_lone(a, &b);
    if (pair == SAME || pair == SLOWER_10 || pair == SLOWER_30)
        lone(a, &b, pair == SAME ? 0 : pair == SLOWER_10 ? 1 : 2);
    if (pair == SAME) {
        spoil_one(w, &b);
        name_runs(&b, "B", 1);
        count(OUTLIER, a, REPEATS, &b, REPEATS);
    }
    drop_side(&b);
}

/* Who goes first changes from turn to turn: A B, B A, A B … */
static bool is_of_b(unsigned i, bool turns)
{
    return turns ? i % 4 == 1 || i % 4 == 2 : i >= REPEATS;
}

static void count_split(const struct side *all, enum pair pair, bool turns)
{
    struct side side[2] = {{.n = 0}, {.n = 0}};

    for (unsigned i = 0; i < all->n; i++) {
        struct side *to = &side[is_of_b(i, turns)];
        to->run[to->n++] = all->run[i];
    }
    name_runs(&side[0], turns ? "T" : "A", 1);
    name_runs(&side[1], turns ? "T" : "B", 2);
    count(pair, &side[0], REPEATS, &side[1], REPEATS);
}

/* Everything gets slower by 5 % from run to run, twice what runs vary. The same ten runs stand for
 * two sides one after the other, and for two in turns. */
static void drifting(struct world *w)
{
    struct side all = {.n = 0};

    for (unsigned i = 0; i < 2 * REPEATS; i++)
        add_run(w, &all, exp(DRIFT_A_RUN * i), BETWEEN);
    count_split(&all, APART_DRIFTING, false);
    count_split(&all, TURNS_DRIFTING, true);
    for (unsigned i = 0; i < 2 * REPEATS; i++) {
        if (!is_of_b(i, true))
            continue;
        result_free(all.run[i]);
        all.run[i] = run_once(w, 1.10 * exp(DRIFT_A_RUN * i + BETWEEN * normal(&w->rng)));
    }
    count_split(&all, TURNS_DRIFTING_10, true);
    drop_side(&all);
}

static void one_seed(struct world *w, uint64_t seed)
{
    rng_seed(&w->rng, seed);
    struct side a = make_side(w, BASELINE, 1, BETWEEN);
    name_runs(&a, "A", 1);
    apart(w, SAME, &a, 1, BETWEEN);
    apart(w, SLOWER_3, &a, 1.03, BETWEEN);
    apart(w, SLOWER_10, &a, 1.10, BETWEEN);
    apart(w, SLOWER_30, &a, 1.30, BETWEEN);
    apart(w, NOISIER, &a, 1, 3 * BETWEEN);
    drop_side(&a);
    drifting(w);
}

/* ---- the rates ---- */

static double share(enum pair pair, unsigned metric, enum compare_word word)
{
    return (double)counted[pair][metric][word] / SEEDS;
}

static double different(enum pair pair, unsigned metric)
{
    return share(pair, metric, COMPARE_BETTER) + share(pair, metric, COMPARE_WORSE);
}

static void print_rates(void)
{
    printf("%-42s %-5s %7s %7s %7s %7s   of %d\n", "", "", "better", "worse", "noise", "cannot",
           SEEDS);
    for (unsigned p = 0; p < PAIRS; p++)
        for (unsigned m = 0; m < METRICS; m++)
            printf("%-42s %-5s %6.1f%% %6.1f%% %6.1f%% %6.1f%%\n", m ? "" : pair_name[p],
                   rows_metric_name(metrics[m]), 100 * share((enum pair)p, m, COMPARE_BETTER),
                   100 * share((enum pair)p, m, COMPARE_WORSE),
                   100 * share((enum pair)p, m, COMPARE_NOISE),
                   100 * share((enum pair)p, m, COMPARE_CANNOT));
}

static int run_all(void **state)
{
    struct world w = {.told = told_open()};

    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        one_seed(&w, seed);
    told_close(w.told);
    print_rates();
    return 0;
}

static void what_is_the_same_is_rarely_called_different(void **state)
{
    static const enum pair same[] = {SAME,           NOISIER,    OUTLIER,    APART_DRIFTING,
                                     TURNS_DRIFTING, ONE_SAME_5, ONE_SAME_10};
    (void)state;
    for (size_t i = 0; i < TRUTH_COUNT(same); i++)
        for (unsigned m = 0; m < METRICS; m++)
            if (different(same[i], m) > 0.07)
                fail_msg("%s: %s differs in %.1f %%", pair_name[same[i]],
                         rows_metric_name(metrics[m]), 100 * different(same[i], m));
}

static void ten_per_cent_are_found_with_five_runs_each(void **state)
{
    (void)state;
    for (unsigned m = 0; m < METRICS; m++) {
        assert_true(share(SLOWER_10, m, COMPARE_WORSE) >= 0.95);
        assert_true(share(SLOWER_30, m, COMPARE_WORSE) >= 0.99);
        assert_true(share(SLOWER_3, m, COMPARE_BETTER) <= 0.01);
    }
}

static void one_run_is_judged_against_a_baseline(void **state)
{
    (void)state;
    for (unsigned m = 0; m < METRICS; m++) {
        assert_true(share(ONE_SLOWER_30_5, m, COMPARE_WORSE) >= 0.95);
        /* A quantile is as wide as its bucket on both sides, 0.8 % of the 10. */
        assert_true(share(ONE_SLOWER_10_10, m, COMPARE_WORSE) >= (m == 0 ? 0.93 : 0.80));
        assert_true(share(ONE_SLOWER_30_10, m, COMPARE_WORSE) >= 0.99);
    }
}

static void a_drift_is_said_where_there_were_no_turns(void **state)
{
    (void)state;
    for (unsigned m = 0; m < METRICS; m++)
        assert_true(share(APART_DRIFTING, m, COMPARE_CANNOT) >= 0.90);
}

static void turns_see_through_a_drift(void **state)
{
    (void)state;
    for (unsigned m = 0; m < METRICS; m++)
        assert_true(share(TURNS_DRIFTING_10, m, COMPARE_WORSE) >= 0.50);
}

static void one_run_each_can_never_be_told(void **state)
{
    (void)state;
    assert_int_equal(lone_words[COMPARE_CANNOT], SEEDS * 5 * METRICS);
}

int main(void)
{
    const struct CMUnitTest of_any_seed[] = {
        cmocka_unit_test(one_run_each_can_never_be_told),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_the_same_is_rarely_called_different),
        cmocka_unit_test(ten_per_cent_are_found_with_five_runs_each),
        cmocka_unit_test(one_run_is_judged_against_a_baseline),
        cmocka_unit_test(a_drift_is_said_where_there_were_no_turns),
        cmocka_unit_test(turns_see_through_a_drift),
        cmocka_unit_test(one_run_each_can_never_be_told),
    };
    return SEEDS < SEEDS_OF_RATES ? cmocka_run_group_tests(of_any_seed, run_all, NULL)
                                  : cmocka_run_group_tests(tests, run_all, NULL);
}
