/* verdict/ceilings.h: a table made of results alone. */
#include "unit/limits_by_hand.h"

#include <errno.h>

static const struct limit_row cached = {"nfs", "read-4k-cache", "ops", "cache", "read", 4096};
static const struct limit_row stream = {"nfs", "stream-read-disk", "bytes", "disk", "read", 131072};
static const struct limit_row flash = {"nfs", "read-512-flash", "latency", "flash", "read", 512};

/* 1, 2, 4 … 32 streams: rises until 8, flat from there; five finals around 1,000/s. */
static void add_ladder(struct side *s, const struct limit_row *row)
{
    static const double ramp[] = {300, 580, 900, 1010, 1004, 1001};
    static const double finals[] = {990, 995, 1000, 1005, 1010};

    for (unsigned i = 0; i < HAND_COUNT(finals); i++)
        limit_word(limit_add(s, row, "final", 16, finals[i]), "ramp_end", "flat");
    for (unsigned i = 0; i < HAND_COUNT(ramp); i++)
        limit_add(s, row, "ramp", 1u << i, ramp[i]);
    limit_add(s, row, "refine", 6, 985);
}

static void the_value_is_the_mean_of_the_finals_with_its_interval(void **state)
{
    (void)state;
    struct side s = {0};
    add_ladder(&s, &cached);
    struct ceilings *c = limit_ceilings(&s);

    assert_int_equal(c->n, 1);
    assert_int_equal(c->targets, 1);
    assert_string_equal(c->target[0], "nfs://filer/export");
    assert_int_equal(c->row[0].state, CEILING_FOUND);
    assert_int_equal(c->row[0].metric, CEILING_OPS);
    assert_close(c->row[0].value, 1000, 1e-9);
    assert_close(c->row[0].half, 2.776 * 7.9057 / sqrt(5),
                 0.01); /* t of 4 degrees, s of 5 values */
    assert_int_equal(c->row[0].finals, 5);
    assert_int_equal(c->row[0].top_streams, 16);
    assert_int_equal(c->row[0].most_streams, 32);
    /* The refining run has 97.5 % of the top with the fewest streams. */
    assert_int_equal(c->row[0].knee_streams, 6);
    ceilings_free(c);
    side_free(&s);
}

static void points_stand_by_streams_with_finals_and_proofs_last(void **state)
{
    (void)state;
    static const unsigned streams[] = {1, 2, 4, 6, 8, 16, 32, 16, 16, 16, 16, 16, 16};
    struct side s = {0};
    add_ladder(&s, &cached);
    limit_add(&s, &cached, "prove", 16, 500);
    struct ceilings *c = limit_ceilings(&s);

    assert_int_equal(c->row[0].points, HAND_COUNT(streams));
    for (unsigned i = 0; i < HAND_COUNT(streams); i++)
        assert_int_equal(c->row[0].point[i].streams, streams[i]);
    assert_string_equal(c->row[0].point[12].step, "prove");
    assert_close(c->row[0].value, 1000, 1e-9);
    assert_close(c->row[0].point[0].rate, 300, 1e-9);
    assert_close(c->row[0].point[0].little_frac, 0, 0.01);
    ceilings_free(c);
    side_free(&s);
}

/* Half of the streams' time is spent in closes, a tenth in what failed; what remains was nobody's. */
static void littles_law_is_over_all_that_streams_do(void **state)
{
    (void)state;
    static const char *const lines[] = {"read", "close"};
    struct side s = {0};
    struct result *r = limit_add(&s, &cached, "final", 4, 100);
    free(r->line);
    hand_lines(r, 2, lines);
    r->line[0].sum.ops = 1000;
    hist_record_n(&r->line[0].sum.service, 12000000, 1000);
    hist_record_n(&r->line[1].sum.service, 20000000, 1000);
    limit_own(r, "failed_time_frac", 0.1);
    struct ceilings *c = limit_ceilings(&s);

    assert_close(c->row[0].point[0].little_frac, 0.3 + 0.5 + 0.1 - 1, 1e-9);
    ceilings_free(c);
    side_free(&s);
}

static void rows_stand_by_protocol_ladder_and_target(void **state)
{
    (void)state;
    static const struct limit_row smb = {"smb", "read-4k-cache", "ops", "cache", "read", 4096};
    struct side s = {0};
    limit_word(limit_add(&s, &cached, "final", 1, 10), "side", "2");
    limit_add(&s, &cached, "final", 1, 20);
    limit_add(&s, &smb, "final", 1, 30);
    limit_add(&s, &stream, "final", 1, 40);
    struct ceilings *c = limit_ceilings(&s);

    assert_int_equal(c->n, 4);
    assert_int_equal(c->targets, 2);
    assert_string_equal(c->row[0].row, "stream-read-disk");
    assert_close(c->row[0].value, 40 * 131072.0, 1e-6);
    assert_int_equal(c->row[1].target, 0); /* the side that came first */
    assert_close(c->row[1].value, 10, 1e-9);
    assert_int_equal(c->row[2].target, 1);
    assert_string_equal(c->row[3].protocol, "smb");
    assert_int_equal(c->found, 4);
    ceilings_free(c);
    side_free(&s);
}

static void two_studies_are_two_targets(void **state)
{
    (void)state;
    struct side s = {0};
    limit_add(&s, &cached, "final", 1, 10);
    snprintf(limit_add(&s, &cached, "final", 1, 20)->study_id, RESULT_ID_MAX, "bbbb2222");
    struct ceilings *c = limit_ceilings(&s);

    assert_int_equal(c->targets, 2);
    assert_int_equal(c->n, 2);
    ceilings_free(c);
    side_free(&s);
}

static void rows_without_results_say_why(void **state)
{
    (void)state;
    struct side s = {0};
    struct result *r = limit_add(&s, &cached, "final", 1, 10);
    limit_word(r, "skip.nfs.read-512-flash", "skipped: give --server-flash");
    limit_word(r, "skip.nfs.read-block-disk", "not applicable: no block of a server is known");
    limit_word(r, "skip.nfs.read-4k-cache", "skipped: but it was run after all");
    struct ceilings *c = limit_ceilings(&s);

    assert_int_equal(c->n, 3);
    assert_int_equal(c->found, 1);
    assert_int_equal(c->row[0].state, CEILING_FOUND);
    assert_string_equal(c->row[0].why, "");
    assert_int_equal(c->row[1].state, CEILING_SKIPPED);
    assert_string_equal(c->row[1].why, "give --server-flash");
    assert_int_equal(c->row[2].state, CEILING_NOT_APPLICABLE);
    assert_string_equal(c->row[2].why, "no block of a server is known");
    assert_true(isnan(c->row[2].value));
    ceilings_free(c);
    side_free(&s);
}

static void a_ramp_that_never_was_flat_is_a_lower_bound(void **state)
{
    (void)state;
    struct side s = {0};
    limit_add(&s, &cached, "ramp", 256, 900);
    limit_word(limit_add(&s, &cached, "final", 256, 910), "ramp_end", "rising");
    struct ceilings *c = limit_ceilings(&s);

    assert_int_equal(c->row[0].state, CEILING_RISING);
    assert_says(c->row[0].why, "256 streams");
    assert_non_null(c->row[0].limiter);
    assert_string_equal(c->row[0].limiter->rule, "streams");
    assert_int_equal(c->at_client, 1);
    ceilings_free(c);
    side_free(&s);
}

/* It was said to be at the most streams there may be. */
static void a_ramp_that_had_no_time_is_a_lower_bound_for_want_of_it(void **state)
{
    (void)state;
    struct side s = {0};
    limit_add(&s, &cached, "ramp", 32, 900);
    limit_word(limit_add(&s, &cached, "final", 32, 910), "ramp_end", "cut");
    struct ceilings *c = limit_ceilings(&s);

    assert_int_equal(c->row[0].state, CEILING_RISING);
    assert_says(c->row[0].why, "its time was over when 32 streams");
    assert_null(c->row[0].limiter);
    assert_int_equal(c->at_client, 0);
    ceilings_free(c);
    side_free(&s);
}

static void runs_that_looked_for_a_size_are_no_points(void **state)
{
    (void)state;
    struct side s = {0};
    limit_add(&s, &cached, "size", 1, 5000);
    limit_add(&s, &cached, "final", 4, 1000);
    struct ceilings *c = limit_ceilings(&s);

    assert_int_equal(c->row[0].points, 1);
    ceilings_free(c);
    side_free(&s);
}

/* The knee is of the curve with its finals in it. */
static void finals_that_give_more_than_the_ramp_move_the_knee(void **state)
{
    (void)state;
    struct side s = {0};
    limit_add(&s, &cached, "ramp", 8, 960);
    limit_add(&s, &cached, "ramp", 16, 980);
    limit_add(&s, &cached, "final", 16, 1000);
    struct ceilings *c = limit_ceilings(&s);

    assert_int_equal(c->row[0].knee_streams, 16);
    ceilings_free(c);
    side_free(&s);
}

static void full_core(struct result *r, double busy)
{
    limit_track(r, TRACK_SERVER, TRACK_CPU, "0", busy, 1);
}

/* One of five may have met something of its own. */
static void a_limiter_is_one_of_most_finals(void **state)
{
    (void)state;
    struct side s = {0};
    for (unsigned i = 0; i < 5; i++)
        full_core(limit_add(&s, &cached, "final", 4, 1000 + i), i == 2 ? 0.99 : 0.5);
    struct ceilings *c = limit_ceilings(&s);
    assert_null(c->row[0].limiter);
    ceilings_free(c);

    full_core(s.result[0], 0.99);
    full_core(s.result[4], 0.99);
    c = limit_ceilings(&s);
    assert_string_equal(c->row[0].limiter->rule, "server-cpu");
    assert_int_equal(c->at_client, 0);
    ceilings_free(c);
    side_free(&s);
}

/* With half the load at the most. */
static void what_is_full_whatever_is_asked_is_known_by_the_ramp(void **state)
{
    (void)state;
    struct side s = {0};
    full_core(limit_add(&s, &cached, "ramp", 1, 600), 0.97);
    full_core(limit_add(&s, &cached, "final", 4, 1000), 0.99);
    struct ceilings *c = limit_ceilings(&s);
    assert_non_null(c->row[0].limiter);
    ceilings_free(c);

    full_core(limit_add(&s, &cached, "ramp", 2, 300), 0.97);
    c = limit_ceilings(&s);
    assert_null(c->row[0].limiter);
    ceilings_free(c);
    side_free(&s);
}

/* Proofs are held against the finals. */
static void a_proof_names_the_limiter(void **state)
{
    (void)state;
    struct side s = {0};
    hand_option(limit_add(&s, &cached, "final", 64, 1000), "clients", 10);
    struct result *r = limit_add(&s, &cached, "prove", 64, 500);
    hand_option(r, "clients", 5);
    limit_word(r, "changed", "clients=5");
    struct ceilings *c = limit_ceilings(&s);

    assert_string_equal(c->row[0].limiter->rule, "clients");
    assert_int_equal(c->at_client, 1);
    ceilings_free(c);
    side_free(&s);
}

static void a_row_that_was_cut_short_keeps_its_best_point(void **state)
{
    (void)state;
    struct side s = {0};
    limit_add(&s, &cached, "ramp", 1, 300);
    limit_add(&s, &cached, "ramp", 4, 900);
    limit_add(&s, &cached, "ramp", 2, 600);
    struct result *cut = limit_add(&s, &cached, "ramp", 8, 5000);
    cut->state = RESULT_INCOMPLETE;
    cut->reason = strdup("the server went away");
    struct ceilings *c = limit_ceilings(&s);

    assert_int_equal(c->row[0].state, CEILING_INCOMPLETE);
    assert_string_equal(c->row[0].why, "the server went away");
    assert_close(c->row[0].value, 900, 1e-9);
    assert_true(isnan(c->row[0].half));
    assert_int_equal(c->row[0].top_streams, 4);
    assert_int_equal(c->row[0].finals, 0);
    ceilings_free(c);
    side_free(&s);
}

static void a_run_with_a_wrong_byte_has_no_number(void **state)
{
    (void)state;
    struct side s = {0};
    struct result *r = limit_add(&s, &cached, "final", 1, 300);
    r->state = RESULT_VOID;
    r->reason = strdup("f1 at 4096 is wrong");
    struct ceilings *c = limit_ceilings(&s);

    assert_int_equal(c->row[0].state, CEILING_INCOMPLETE);
    assert_true(isnan(c->row[0].value));
    assert_int_equal(c->found, 0);
    ceilings_free(c);
    side_free(&s);
}

static void a_latency_row_is_the_band_of_all_finals(void **state)
{
    (void)state;
    struct side s = {0};
    for (unsigned i = 0; i < 3; i++) {
        struct result *r = limit_add(&s, &flash, "final", 1, 1000);
        hist_clear(&r->line[0].sum.service);
        hist_record_n(&r->line[0].sum.service, 150000 + 1000 * i, 9000);
        hist_record_n(&r->line[0].sum.service, 20000, 1000);
    }
    struct ceilings *c = limit_ceilings(&s);

    assert_int_equal(c->row[0].metric, CEILING_LATENCY);
    assert_close(c->row[0].value, 151000, 600);
    assert_close((double)c->row[0].latency.p5_ns, 20000, 80);
    assert_close((double)c->row[0].latency.p95_ns, 152000, 600);
    assert_int_equal(c->row[0].latency.modes, 2);
    assert_close((double)c->row[0].latency.mode_ns[0], 20000, 80);
    assert_close((double)c->row[0].latency.mode_ns[1], 151000, 1600);
    ceilings_free(c);
    side_free(&s);
}

/* Published bands were taken in the server, of reads from flash alone. */
static void of_a_modelled_server_the_band_is_its_own_time(void **state)
{
    (void)state;
    struct side s = {0};
    struct result *r = limit_add(&s, &flash, "final", 1, 1000);
    limit_target(r, "modelled", "sun7410");
    r->calls.kind = calloc(2, sizeof *r->calls.kind);
    assert_non_null(r->calls.kind);
    r->calls.n = 2;
    snprintf(r->calls.kind[0].name, sizeof r->calls.kind[0].name, "read from dram");
    snprintf(r->calls.kind[1].name, sizeof r->calls.kind[1].name, "read from flash");
    hist_record_n(&r->calls.kind[0].time, 5000, 1000);
    hist_record_n(&r->calls.kind[1].time, 200000, 9000);
    struct ceilings *c = limit_ceilings(&s);

    assert_close((double)c->row[0].latency.p5_ns, 200000, 800);
    ceilings_free(c);
    side_free(&s);
}

static void results_of_other_studies_are_refused(void **state)
{
    (void)state;
    struct side s = {0};
    struct ceilings *c = NULL;
    struct err err = {0};
    side_add(&s, hand_io("cccc3333", 1, 10));

    assert_int_equal(ceilings_of(s.result, s.n, &c, &err), -EINVAL);
    assert_says(err.text, "cccc3333.1");
    side_free(&s);
}

static void every_row_of_the_ladder_has_a_title(void **state)
{
    (void)state;
    assert_string_equal(ceiling_title("stream-read-cache"), "stream read, cache");
    assert_string_equal(ceiling_title("unlink"), "unlink");
    assert_null(ceiling_title("read-5k-cache"));
    assert_string_equal(ceiling_state_name(CEILING_SKIPPED), "skipped");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_value_is_the_mean_of_the_finals_with_its_interval),
        cmocka_unit_test(points_stand_by_streams_with_finals_and_proofs_last),
        cmocka_unit_test(littles_law_is_over_all_that_streams_do),
        cmocka_unit_test(rows_stand_by_protocol_ladder_and_target),
        cmocka_unit_test(two_studies_are_two_targets),
        cmocka_unit_test(rows_without_results_say_why),
        cmocka_unit_test(a_ramp_that_never_was_flat_is_a_lower_bound),
        cmocka_unit_test(a_ramp_that_had_no_time_is_a_lower_bound_for_want_of_it),
        cmocka_unit_test(runs_that_looked_for_a_size_are_no_points),
        cmocka_unit_test(finals_that_give_more_than_the_ramp_move_the_knee),
        cmocka_unit_test(a_limiter_is_one_of_most_finals),
        cmocka_unit_test(what_is_full_whatever_is_asked_is_known_by_the_ramp),
        cmocka_unit_test(a_proof_names_the_limiter),
        cmocka_unit_test(a_row_that_was_cut_short_keeps_its_best_point),
        cmocka_unit_test(a_run_with_a_wrong_byte_has_no_number),
        cmocka_unit_test(a_latency_row_is_the_band_of_all_finals),
        cmocka_unit_test(of_a_modelled_server_the_band_is_its_own_time),
        cmocka_unit_test(results_of_other_studies_are_refused),
        cmocka_unit_test(every_row_of_the_ladder_has_a_title),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
