/* study/evidence_priv.h: what a run's numbers say about each other. */
#include "study/evidence_priv.h"
#include "truth/truth.h"

#include <math.h>

#define VIRTUAL "fault:null:?latency=fixed:1ms&clock=virtual"

static void run_reads(struct measured *m, struct reads reads)
{
    reads.measure_ns = 2 * (uint64_t)SEC_NS;
    reads.interval_ns = 100 * MS_NS;
    truth_run(m, truth_reads(reads), VIRTUAL);
}

static void assert_near(double got, double right, double within)
{
    if (!(fabs(got - right) <= within))
        fail_msg("%g, not %g", got, right);
}

/* ---- series against streams ---- */

/* Warm-up is in the series and in no total. */
static void series_and_streams_count_the_same(void **state)
{
    (void)state;
    struct measured m;
    run_reads(&m, (struct reads){.streams = 3, .warmup_ns = 500 * MS_NS});
    assert_int_equal(m.out.window_open_ns, 500 * MS_NS);
    assert_true(evidence_series_frac(&m.out, m.plan) == 1);
    truth_fini(&m);
}

/* A block that was booked in the wrong interval, or lost, shows; also where only bytes differ. */
static void what_the_series_lacks_shows(void **state)
{
    (void)state;
    struct measured m;
    run_reads(&m, (struct reads){.streams = 2});
    struct series_line *half = &m.out.series.line[0];
    uint64_t all_bytes = m.out.stream[0].bytes + m.out.stream[1].bytes;
    uint64_t bytes = half->bytes;
    half->bytes = 0;
    assert_near(evidence_series_frac(&m.out, m.plan), 1 - (double)bytes / (double)all_bytes, 1e-9);
    half->bytes = bytes;
    uint64_t all_ops = m.out.stream[0].ops + m.out.stream[1].ops;
    half->ops += all_ops;
    assert_near(evidence_series_frac(&m.out, m.plan), 2, 1e-9);
    truth_fini(&m);
}

/* A window that opens inside an interval has its part of it. */
static void the_interval_the_window_opens_in_counts_in_part(void **state)
{
    (void)state;
    struct series_line line[2] = {{.ops = 100}, {.ops = 100}};
    struct engine_stream stream = {.ops = 125};
    struct plan_line lines[2] = {0};
    struct plan plan = {.line = lines};
    struct engine_outcome out = {
        .series = {.width_ns = 1000, .lines = 1, .used = 2, .line = line},
        .window_open_ns = 750,
        .streams = 1,
        .stream = &stream,
    };
    assert_near(evidence_series_frac(&out, &plan), 1, 1e-9);
    out.window_open_ns = 1500;
    stream.ops = 50;
    assert_near(evidence_series_frac(&out, &plan), 1, 1e-9);
}

static void the_closing_sync_is_of_no_stream(void **state)
{
    (void)state;
    struct series_line line[2] = {{.ops = 4}, {.ops = 1}};
    struct engine_stream stream = {.ops = 4};
    struct plan_line lines[2] = {0};
    struct plan plan = {.line = lines, .sync_at_end = true, .sync_line = 1};
    struct engine_outcome out = {
        .series = {.width_ns = 1000, .lines = 2, .used = 1, .line = line},
        .streams = 1,
        .stream = &stream,
    };
    assert_true(evidence_series_frac(&out, &plan) == 1);
}

static void of_a_stalled_run_nothing_is_said(void **state)
{
    (void)state;
    struct measured m;
    run_reads(&m, (struct reads){.streams = 2});
    m.out.end = ENGINE_STALLED;
    assert_true(evidence_series_frac(&m.out, m.plan) < 0);
    assert_true(evidence_at_target_frac(&m.out, m.plan) < 0);
    truth_fini(&m);
}

/* ---- Little's law ---- */

/* Ops of 1 ms, one after another: all the time of all streams. */
static void a_closed_loop_is_at_the_target_all_the_time(void **state)
{
    (void)state;
    struct measured m;
    run_reads(&m, (struct reads){.streams = 5});
    assert_near(evidence_at_target_frac(&m.out, m.plan), 1, 0.002);
    truth_fini(&m);
}

static void time_between_ops_is_not_at_the_target(void **state)
{
    (void)state;
    struct measured m;
    run_reads(&m, (struct reads){.streams = 5});
    m.out.elapsed_ns *= 2;
    assert_near(evidence_at_target_frac(&m.out, m.plan), 0.5, 0.001);
    truth_fini(&m);
}

/* An op that failed after its time has no sample, and that time was said to be loadline's own work. */
static void time_of_ops_that_failed_is_at_the_target(void **state)
{
    (void)state;
    struct measured m;
    struct reads reads = {
        .streams = 1, .warmup_ns = 500 * MS_NS, .measure_ns = 2 * (uint64_t)SEC_NS};
    reads.interval_ns = 100 * MS_NS;
    truth_run(&m, truth_reads(reads),
              VIRTUAL "&stall=1s@1s&error=EIO@read:999&error=EIO@read:1000&error=EIO@read:1001"
                      "&error=EIO@read:100");
    assert_int_equal(engine_error_count(&m.out), 4);
    assert_near(evidence_at_target_frac(&m.out, m.plan), 1, 0.005);
    /* A second of two; what failed in the warm-up is not of the window. */
    assert_near(evidence_failed_frac(&m.out), 0.5, 0.002);
    truth_fini(&m);
    run_reads(&m, (struct reads){.streams = 5});
    assert_true(evidence_failed_frac(&m.out) < 0);
    truth_fini(&m);
}

/* What a detached op takes at the target is no time of the stream that went on: it made a share of 249 %. */
static void detached_ops_are_in_no_streams_time(void **state)
{
    (void)state;
    struct measured m;
    run_reads(&m, (struct reads){.streams = 5});
    snprintf(m.plan->line[0].type, sizeof m.plan->line[0].type, "%s", FLOWOP_DONE);
    assert_near(evidence_at_target_frac(&m.out, m.plan), 0, 0.002);
    assert_near(evidence_series_frac(&m.out, m.plan), 0, 0.001);
    m.out.in_flight = (struct engine_in_flight){
        .ops = 50, .sum_ns = 50 * (uint64_t)SEC_NS, .detached_ns = 50 * (uint64_t)SEC_NS};
    assert_near(evidence_at_target_frac(&m.out, m.plan), 0, 0.002);
    truth_fini(&m);
}

static void an_open_loop_has_no_share(void **state)
{
    (void)state;
    struct measured m;
    run_reads(&m, (struct reads){.streams = 5, .rate_per_s = 100});
    assert_true(evidence_at_target_frac(&m.out, m.plan) < 0);
    truth_fini(&m);
}

/* ---- the null target's rate ---- */

static void the_null_rate_is_per_processor_used(void **state)
{
    (void)state;
    struct measured m;
    run_reads(&m, (struct reads){.streams = 5});
    double ops = (double)truth_line(&m, "read")->ops;
    m.out.workers = 4;
    assert_near(evidence_of_null_frac(&m.out, 100, 2), ops * 100 / (2 * 2e9), 1e-12);
    m.out.workers = 1;
    assert_near(evidence_of_null_frac(&m.out, 100, 2), ops * 100 / 2e9, 1e-12);
    assert_true(evidence_of_null_frac(&m.out, -1, 2) < 0);
    assert_true(evidence_of_null_frac(&m.out, 100, 0) < 0);
    truth_fini(&m);
}

/* ---- content ---- */

static void entropy_is_shannons(void **state)
{
    (void)state;
    unsigned char bytes[1024];
    memset(bytes, 7, sizeof bytes);
    assert_near(evidence_entropy(bytes, sizeof bytes), 0, 1e-12);
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = i % 2 ? 3 : 200;
    assert_near(evidence_entropy(bytes, sizeof bytes), 1, 1e-12);
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)i;
    assert_near(evidence_entropy(bytes, sizeof bytes), 8, 1e-12);
    /* Three of four are the same: 2 - 0.75·log2 3. */
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = i % 4 == 0;
    assert_near(evidence_entropy(bytes, sizeof bytes), 0.811278124459, 1e-9);
}

/* At every length, also where files are shorter than what is stamped. */
static void what_is_written_is_incompressible(void **state)
{
    (void)state;
    static const uint64_t lengths[] = {1, 2, 100, 512, 4096, 3 << 20};
    for (size_t i = 0; i < TRUTH_COUNT(lengths); i++) {
        const struct fileset_spec spec = {.shape = FILESET_FLAT,
                                          .trees = 1,
                                          .files = 4,
                                          .size_bytes = lengths[i],
                                          .content_key = 9};
        double bits = evidence_content_entropy(42, &spec);
        if (!(bits > 7.99 && bits <= 8))
            fail_msg("%g bits a byte in files of %" PRIu64, bits, lengths[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(series_and_streams_count_the_same),
        cmocka_unit_test(what_the_series_lacks_shows),
        cmocka_unit_test(the_interval_the_window_opens_in_counts_in_part),
        cmocka_unit_test(the_closing_sync_is_of_no_stream),
        cmocka_unit_test(of_a_stalled_run_nothing_is_said),
        cmocka_unit_test(a_closed_loop_is_at_the_target_all_the_time),
        cmocka_unit_test(time_of_ops_that_failed_is_at_the_target),
        cmocka_unit_test(time_between_ops_is_not_at_the_target),
        cmocka_unit_test(detached_ops_are_in_no_streams_time),
        cmocka_unit_test(an_open_loop_has_no_share),
        cmocka_unit_test(the_null_rate_is_per_processor_used),
        cmocka_unit_test(entropy_is_shannons),
        cmocka_unit_test(what_is_written_is_incompressible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
