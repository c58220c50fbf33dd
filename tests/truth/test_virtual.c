/* engine.h: what is measured is what happened. In virtual time, where it is known what happened:
 * nothing here depends on the machine. */
#include "truth/truth.h"

#include <math.h>

#define RUN_NS (10 * (uint64_t)SEC_NS)

static uint64_t samples_of_all(const struct measured *m)
{
    uint64_t samples = 0;
    for (unsigned i = 0; i < m->out.lines; i++)
        samples += m->out.total->line[i].samples;
    return samples;
}

/* |got − wanted| ≤ frac · wanted */
static void assert_near(double got, double wanted, double frac)
{
    if (fabs(got - wanted) > frac * fabs(wanted))
        fail_msg("%.9g is not within %g of %.9g", got, frac, wanted);
}

/* ---- quantiles: at most 0.4 % from the true value ---- */

static void a_fixed_latency_is_told_exactly(void **state)
{
    (void)state;
    struct measured m;
    truth_run(&m, truth_reads((struct reads){.measure_ns = RUN_NS}),
              "fault:null:?latency=fixed:777us&clock=virtual");
    const struct hist *service = &truth_line(&m, "read")->service;
    for (double q = 0; q <= 1; q += 0.125)
        assert_int_equal(hist_quantile(service, q), 777000);
    assert_int_equal(hist_count(service), RUN_NS / 777000);
    assert_int_equal(m.out.elapsed_ns, RUN_NS);
    truth_fini(&m);
}

/* One stream, 1 us to 1 ms: the quantile of n samples lies within four standard errors of the
 * theory's, plus the 0.4 % of the histogram. */
static void quantiles_of_a_uniform_latency_are_those_of_theory(void **state)
{
    (void)state;
    static const double q[] = {0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999};
    struct measured m;
    truth_run(&m, truth_reads((struct reads){.measure_ns = 100 * (uint64_t)SEC_NS}),
              "fault:null:?latency=uniform:1us-1ms&clock=virtual");
    const struct hist *service = &truth_line(&m, "read")->service;
    double n = (double)hist_count(service);
    assert_true(n > 190000);
    for (size_t i = 0; i < TRUTH_COUNT(q); i++) {
        double wanted = 1000 + q[i] * 999000;
        double error = 4 * sqrt(q[i] * (1 - q[i]) / n) * 999000;
        assert_true(fabs((double)hist_quantile(service, q[i]) - wanted) < error + 0.004 * wanted);
    }
    truth_fini(&m);
}

static void quantiles_of_an_exponential_latency_are_those_of_theory(void **state)
{
    (void)state;
    static const double q[] = {0.1, 0.5, 0.9, 0.99, 0.999};
    struct measured m;
    truth_run(&m, truth_reads((struct reads){.streams = 20, .measure_ns = 20 * (uint64_t)SEC_NS}),
              "fault:null:?latency=exp:2ms&clock=virtual");
    const struct hist *service = &truth_line(&m, "read")->service;
    double n = (double)hist_count(service);
    assert_true(n > 190000);
    for (size_t i = 0; i < TRUTH_COUNT(q); i++) {
        double wanted = -log(1 - q[i]) * 2e6;
        double error = 4 * sqrt(q[i] / (1 - q[i]) / n) * 2e6;
        assert_true(fabs((double)hist_quantile(service, q[i]) - wanted) < error + 0.004 * wanted);
    }
    assert_near(hist_mean(service), 2e6, 4 / sqrt(n) + 0.001);
    truth_fini(&m);
}

/* ---- closed loop ---- */

/* Little's law: streams = throughput × time. What a stream does not spend in ops that are done is
 * the op that the window's end cuts off. */
static void a_closed_loop_obeys_littles_law(void **state)
{
    (void)state;
    static const uint32_t streams[] = {1, 3, 64};
    for (size_t i = 0; i < TRUTH_COUNT(streams); i++) {
        struct measured m;
        truth_run(&m, truth_reads((struct reads){.streams = streams[i], .measure_ns = RUN_NS}),
                  "fault:null:?latency=exp:1ms&clock=virtual");
        const struct samples_line *line = truth_line(&m, "read");
        double spent = (double)line->service.sum;
        double there = (double)streams[i] * (double)RUN_NS;
        assert_true(spent <= there);
        assert_true(there - spent <= streams[i] * 40e6);
        assert_near((double)line->samples * hist_mean(&line->service) / (double)RUN_NS, streams[i],
                    40e6 / (double)RUN_NS);
        assert_int_equal(line->response.touched, 0);
        assert_int_equal(m.out.arrivals, 0);
        assert_streams_sum_to_lines(&m);
        truth_fini(&m);
    }
}

/* ---- open loop ---- */

#define STALL "fault:null:?stall=1s@5s&clock=virtual"

static void run_stall(struct measured *m)
{
    truth_run(m, truth_reads((struct reads){.rate_per_s = 1000, .measure_ns = RUN_NS}), STALL);
}

/* A stall of 1 s at 1000/s delays the 1000 arrivals that fall into it and those that catch up: a
 * tenth of all. Response says so, service does not. */
static void a_stall_shows_in_response_and_not_in_service(void **state)
{
    (void)state;
    struct measured m;
    run_stall(&m);
    const struct samples_line *line = truth_line(&m, "read");
    assert_true(hist_quantile(&line->response, 0.99) > 800 * MS_NS);
    assert_true(hist_quantile(&line->service, 0.99) < 10 * 1000);
    assert_int_equal(line->service.max, line->response.max);
    assert_in_range(line->response.max, SEC_NS - MS_NS, SEC_NS + MS_NS);
    assert_in_range(hist_quantile(&line->response, 0.90), 1, 20 * MS_NS);
    /* The wait of arrival i of 1000 is 1 s − i ms: 500 s in all, and catching up little more. */
    assert_near((double)line->response.sum, 500.5e9, 0.01);
    truth_fini(&m);
}

static void arrivals_are_done_or_unfinished(void **state)
{
    (void)state;
    struct measured m;
    run_stall(&m);
    assert_int_equal(m.out.arrivals, 10000);
    assert_int_equal(truth_line(&m, "read")->samples + m.out.unfinished, 10000);
    assert_int_equal(hist_count(&truth_line(&m, "read")->response), 10000);
    assert_int_equal(m.out.elapsed_ns, RUN_NS);
    truth_fini(&m);
}

static void assert_same_run(const struct measured *a, const struct measured *b)
{
    assert_int_equal(a->out.lines, b->out.lines);
    assert_memory_equal(&a->out.total->lateness, &b->out.total->lateness, sizeof(struct hist));
    assert_memory_equal(a->out.total->line, b->out.total->line,
                        a->out.lines * sizeof(struct samples_line));
    assert_int_equal(a->out.series.used, b->out.series.used);
    for (unsigned i = 0; i < a->out.series.used * a->out.lines; i++) {
        assert_int_equal(a->out.series.line[i].samples, b->out.series.line[i].samples);
        assert_int_equal(a->out.series.line[i].service.sum, b->out.series.line[i].service.sum);
    }
    assert_memory_equal(a->out.stream, b->out.stream,
                        a->out.streams * sizeof(struct engine_stream));
}

/* Virtual time, exactly repeatable. */
static void a_run_in_virtual_time_repeats_to_the_bit(void **state)
{
    (void)state;
    struct measured a, b;
    run_stall(&a);
    run_stall(&b);
    assert_same_run(&a, &b);
    truth_fini(&a);
    truth_fini(&b);
    for (unsigned i = 0; i < 2; i++)
        truth_run(i ? &b : &a,
                  truth_reads((struct reads){.streams = 7,
                                             .rate_per_s = 900,
                                             .arrival = PLAN_ARRIVAL_POISSON,
                                             .measure_ns = RUN_NS,
                                             .where = PLAN_AT_UNIFORM}),
                  "fault:null:?latency=exp:5ms&clock=virtual&seed=3");
    assert_same_run(&a, &b);
    truth_fini(&a);
    truth_fini(&b);
}

/* engine.h: unfinished is due, not done at its end, and its age is in response. A stall from 9 s to
 * far behind the end: 1000 arrivals of ages 1 s, 999 ms … 1 ms. */
static void what_is_unfinished_counts_with_its_age(void **state)
{
    (void)state;
    static const uint32_t streams[] = {1, 10, 2000};
    for (size_t i = 0; i < TRUTH_COUNT(streams); i++) {
        struct measured m;
        truth_run(&m,
                  truth_reads((struct reads){
                      .streams = streams[i], .rate_per_s = 1000, .measure_ns = RUN_NS}),
                  "fault:null:?stall=20s@9s&clock=virtual");
        const struct samples_line *line = truth_line(&m, "read");
        assert_int_equal(m.out.arrivals, 10000);
        assert_int_equal(line->samples + m.out.unfinished, 10000);
        assert_in_range(m.out.unfinished, 1000, 1001);
        assert_int_equal(hist_count(&line->response), 10000);
        assert_int_equal(hist_count(&line->service), line->samples);
        assert_true(line->service.max < 10 * 1000);
        assert_in_range(line->response.max, SEC_NS, SEC_NS + MS_NS);
        assert_near((double)line->response.sum, 500.5e9, 0.003);
        truth_fini(&m);
    }
}

/* What was wrong: 11000 of 10000 arrivals were not done, since those of the warm-up counted among
 * the one and not among the other. Stall from 1 s on, window from 2 s to 12 s. */
static void the_backlog_of_the_warmup_is_told_apart(void **state)
{
    (void)state;
    struct measured m;
    truth_run(&m,
              truth_reads((struct reads){
                  .rate_per_s = 1000, .warmup_ns = 2 * (uint64_t)SEC_NS, .measure_ns = RUN_NS}),
              "fault:null:?stall=1h@1s&clock=virtual");
    const struct samples_line *line = truth_line(&m, "read");
    assert_int_equal(m.out.arrivals, 10000);
    assert_int_equal(line->samples, 0);
    assert_int_equal(m.out.unfinished, 10000);
    assert_in_range(m.out.backlog_at_open, 1000, 1001);
    assert_int_equal(hist_count(&line->response), m.out.unfinished);
    assert_in_range(line->response.max, 10 * (uint64_t)SEC_NS - MS_NS, 10 * (uint64_t)SEC_NS);
    truth_fini(&m);
}

/* The same when the target comes back: ops of the backlog are ops of the window, their response is
 * that of the warm-up. Stall from 1 s to 4 s. */
static void a_backlog_that_is_worked_off_is_in_no_response(void **state)
{
    (void)state;
    struct measured m;
    truth_run(&m,
              truth_reads((struct reads){
                  .rate_per_s = 1000, .warmup_ns = 2 * (uint64_t)SEC_NS, .measure_ns = RUN_NS}),
              "fault:null:?stall=3s@1s&clock=virtual");
    const struct samples_line *line = truth_line(&m, "read");
    assert_int_equal(m.out.arrivals, 10000);
    assert_int_equal(hist_count(&line->response), m.out.arrivals);
    assert_in_range(m.out.backlog_at_open, 1000, 1001);
    assert_int_equal(line->samples + m.out.unfinished, m.out.arrivals + m.out.backlog_at_open);
    assert_in_range(line->response.max, 2 * (uint64_t)SEC_NS, 2 * (uint64_t)SEC_NS + MS_NS);
    truth_fini(&m);
}

/* ---- the end of a run ---- */

/* What was wrong: a stall at the end of a closed loop left no trace, max was 1 ms. */
static void a_stall_at_the_end_of_a_closed_loop_is_told(void **state)
{
    (void)state;
    struct measured m;
    truth_run(&m, truth_reads((struct reads){.streams = 4, .measure_ns = RUN_NS}),
              "fault:null:?stall=5s@8s&clock=virtual&latency=fixed:1ms");
    const struct samples_line *line = truth_line(&m, "read");
    const struct engine_in_flight *left = &m.out.in_flight;
    assert_int_equal(line->service.max, MS_NS);
    assert_int_equal(left->ops, 4);
    assert_in_range(left->oldest_ns, 2 * (uint64_t)SEC_NS - MS_NS, 2 * (uint64_t)SEC_NS + MS_NS);
    assert_int_equal(line->service.sum + left->sum_ns, 4 * RUN_NS);
    truth_fini(&m);
}

/* Of an op that began before the window, only the part inside it is time of the window. */
static void what_is_under_way_counts_with_its_part_of_the_window(void **state)
{
    (void)state;
    struct measured m;
    truth_run(&m,
              truth_reads((struct reads){
                  .streams = 3, .warmup_ns = 2 * (uint64_t)SEC_NS, .measure_ns = RUN_NS}),
              "fault:null:?latency=fixed:1h&clock=virtual");
    assert_int_equal(truth_line(&m, "read")->samples, 0);
    assert_int_equal(m.out.in_flight.ops, 3);
    assert_int_equal(m.out.in_flight.oldest_ns, 12 * (uint64_t)SEC_NS);
    assert_int_equal(m.out.in_flight.sum_ns, 3 * RUN_NS);
    assert_int_equal(m.out.in_flight.detached_ns, 0);
    truth_fini(&m);
}

static atomic_int stop;

static void stop_after_5s(void *ctx, const struct engine_progress *progress)
{
    (void)ctx;
    if (progress->elapsed_ns >= 5 * (uint64_t)SEC_NS)
        atomic_store(&stop, 1);
}

static void assert_all_arrivals_told(const struct measured *m)
{
    const struct samples_line *line = truth_line(m, "read");
    uint64_t due = m->out.elapsed_ns / MS_NS;
    assert_in_range(m->out.arrivals, due, due + 1);
    assert_int_equal(line->samples + m->out.unfinished, m->out.arrivals);
    assert_int_equal(hist_count(&line->response), m->out.arrivals);
}

/* What was wrong: arrivals that had fallen due when the run was stopped were in no number: "94
 * arrivals, 0 not done". 4 streams of 8 ms an op do half of what is asked. */
static void a_stopped_open_loop_tells_what_was_due(void **state)
{
    (void)state;
    static const char *const targets[] = {"fault:null:?latency=fixed:8ms&clock=virtual",
                                          "fault:null:?latency=fixed:1us&clock=virtual"};
    for (size_t i = 0; i < TRUTH_COUNT(targets); i++) {
        struct measured m;
        atomic_store(&stop, 0);
        truth_run_job(
            &m, truth_reads((struct reads){.streams = 4, .rate_per_s = 1000, .measure_ns = RUN_NS}),
            targets[i],
            (struct engine_job){.workers = 1, .stop = &stop, .progress = stop_after_5s});
        assert_int_equal(m.out.end, ENGINE_STOPPED);
        assert_in_range(m.out.elapsed_ns, 5000 * (uint64_t)MS_NS, 5300 * (uint64_t)MS_NS);
        assert_all_arrivals_told(&m);
        if (i == 0) { /* 500 of 1000 a second are done */
            assert_in_range(m.out.unfinished, 2480, 2650);
            assert_in_range(truth_line(&m, "read")->response.max, 2400 * (uint64_t)MS_NS,
                            2700 * (uint64_t)MS_NS);
        } else {
            assert_in_range(m.out.unfinished, 0, 1);
        }
        truth_fini(&m);
    }
}

/* The same for a target that stops answering: the longest wait is as long as the stall. */
static void a_stalled_open_loop_tells_what_was_due(void **state)
{
    (void)state;
    struct measured m;
    truth_run_job(
        &m, truth_reads((struct reads){.streams = 4, .rate_per_s = 1000, .measure_ns = RUN_NS}),
        "fault:null:?stall=1h@2s&clock=virtual",
        (struct engine_job){.workers = 1, .stall_ns = 3 * (uint64_t)SEC_NS});
    assert_int_equal(m.out.end, ENGINE_STALLED);
    assert_in_range(m.out.elapsed_ns, 5000 * (uint64_t)MS_NS, 5300 * (uint64_t)MS_NS);
    assert_all_arrivals_told(&m);
    assert_in_range(m.out.unfinished, 2999, 3302);
    assert_in_range(truth_line(&m, "read")->response.max, 2999 * (uint64_t)MS_NS,
                    3302 * (uint64_t)MS_NS);
    truth_fini(&m);
}

/* Above what the target carries, response grows and the unfinished are the difference. */
static void an_overload_is_told(void **state)
{
    (void)state;
    struct measured m;
    truth_run(&m,
              truth_reads((struct reads){.streams = 4, .rate_per_s = 1000, .measure_ns = RUN_NS}),
              "fault:null:?latency=fixed:8ms&clock=virtual");
    const struct samples_line *line = truth_line(&m, "read");
    assert_int_equal(m.out.arrivals, 10000);
    assert_in_range(line->samples, 4990, 5000);
    assert_int_equal(m.out.unfinished, 10000 - line->samples);
    assert_int_equal(hist_quantile(&line->service, 1), 8 * MS_NS);
    assert_in_range(line->response.max, 4900 * (uint64_t)MS_NS, 5100 * (uint64_t)MS_NS);
    truth_fini(&m);
}

/* A constant rate through the whole engine: as many arrivals as the rate says, in every interval. */
static void a_constant_rate_is_kept_over_the_whole_run(void **state)
{
    (void)state;
    struct measured m;
    truth_run(&m,
              truth_reads((struct reads){.streams = 3,
                                         .rate_per_s = 333,
                                         .measure_ns = 1000 * (uint64_t)SEC_NS,
                                         .interval_ns = SEC_NS}),
              "fault:null:?latency=fixed:10us&clock=virtual");
    /* Gaps are rounded to 2^-10 ns: the arrival of the last ns may come before it. */
    assert_in_range(m.out.arrivals, 333000, 333001);
    assert_int_equal(m.out.series.used, 1000);
    for (unsigned i = 0; i < m.out.series.used; i++)
        assert_in_range(series_at(&m.out.series, i, 0)->samples, 332, 334);
    assert_int_equal(truth_line(&m, "read")->response.max, 10000);
    assert_int_equal(m.out.total->lateness.max, 0);
    truth_fini(&m);
}

/* Poisson arrivals at a target that answers one at a time: the mean wait of an M/D/1 queue at
 * utilisation u is service · u / (2 · (1 − u)). */
static void poisson_arrivals_queue_as_theory_says(void **state)
{
    (void)state;
    struct measured m;
    truth_run(&m,
              truth_reads((struct reads){.rate_per_s = 500,
                                         .arrival = PLAN_ARRIVAL_POISSON,
                                         .measure_ns = 1000 * (uint64_t)SEC_NS,
                                         .interval_ns = SEC_NS}),
              "fault:null:?latency=fixed:1ms&clock=virtual");
    const struct samples_line *line = truth_line(&m, "read");
    assert_near((double)m.out.arrivals, 500000, 4 / sqrt(500000));
    assert_near(hist_mean(&line->response), 1.5e6, 0.02);
    assert_int_equal(hist_quantile(&line->service, 0.5), MS_NS);
    truth_fini(&m);
}

/* Rates are reached by whatever streams are free: response does not depend on their number while
 * the target is fast enough. */
static void streams_share_one_schedule(void **state)
{
    (void)state;
    uint64_t arrivals = 0;
    for (uint32_t streams = 1; streams <= 100; streams *= 10) {
        struct measured m;
        truth_run(&m,
                  truth_reads((struct reads){.streams = streams,
                                             .rate_per_s = 700,
                                             .arrival = PLAN_ARRIVAL_POISSON,
                                             .measure_ns = RUN_NS,
                                             .seed = 11}),
                  "fault:null:?clock=virtual");
        assert_true(arrivals == 0 || arrivals == m.out.arrivals);
        arrivals = m.out.arrivals;
        assert_int_equal(truth_line(&m, "read")->samples + m.out.unfinished, arrivals);
        truth_fini(&m);
    }
}

/* ---- the ends of the scale ---- */

/* hist.h: values of 4.9 h and more count as overflow and are never clamped. */
static void latencies_above_the_scale_are_counted(void **state)
{
    (void)state;
    struct measured m;
    const uint64_t hour_ns = 3600 * (uint64_t)SEC_NS;
    truth_run(&m,
              truth_reads(
                  (struct reads){.streams = 2, .measure_ns = 6 * hour_ns, .interval_ns = hour_ns}),
              "fault:null:?latency=fixed:1s&stall=5h@10s&clock=virtual");
    const struct samples_line *line = truth_line(&m, "read");
    assert_int_equal(line->service.overflow, 2);
    assert_int_equal(line->service.max, 5 * hour_ns + SEC_NS);
    assert_int_equal(line->samples, hist_count(&line->service));
    assert_int_equal(line->service.sum, (line->samples - 2) * SEC_NS + 2 * line->service.max);
    assert_int_equal(hist_quantile(&line->service, 1), line->service.max);
    assert_true(hist_quantile(&line->service, 0.99) < 2 * (uint64_t)SEC_NS);
    truth_fini(&m);
}

/* ---- window and intervals ---- */

/* plan.h: the part of the run that counts. Ops of 1 ms end at 1, 2 … ms: those that end at the
 * opening edge or later count, those before do not, to the single op. */
static void the_warmup_is_left_out_to_the_op(void **state)
{
    (void)state;
    struct measured m;
    truth_run(&m,
              truth_reads((struct reads){.streams = 5,
                                         .warmup_ns = 300 * MS_NS,
                                         .measure_ns = SEC_NS,
                                         .interval_ns = 100 * MS_NS}),
              "fault:null:?latency=fixed:1ms&clock=virtual");
    assert_int_equal(truth_line(&m, "read")->samples, 5 * 1000);
    assert_int_equal(truth_interval_samples(&m, 0, 0, 300 * MS_NS), 5 * 299);
    assert_int_equal(truth_interval_samples(&m, 0, 300 * MS_NS, 1300 * MS_NS), 5 * 1000);
    assert_int_equal(m.out.window_open_ns, 300 * MS_NS);
    assert_int_equal(m.out.window_close_ns, 1300 * MS_NS);
    assert_int_equal(m.out.elapsed_ns, SEC_NS);
    assert_int_equal(m.out.pass_ns[0], SEC_NS);
    assert_streams_sum_to_lines(&m);
    truth_fini(&m);
}

/* What was wrong: without a measured time the edge lay inside an interval, and sums differed. */
static void the_warmup_of_a_finite_plan_is_left_out_too(void **state)
{
    (void)state;
    const struct fileset_spec spec = {
        .shape = FILESET_FLAT, .trees = 1, .files = 1, .size_bytes = 4096};
    struct plan_builder *b = plan_new(1);
    plan_window(b, &(struct plan_window){.warmup_ns = 150 * MS_NS, .interval_ns = 100 * MS_NS});
    plan_add_set(b, &spec);
    uint16_t line = plan_add_line(b, "stat", OP_STAT, false);
    plan_begin_group(b, "g", 3, 1);
    t_add(b, t_pick(PLAN_UNIT_FILE, PLAN_ORDER_STRIDE, 0));
    plan_step_to(b, 0, 1);
    plan_end_section(b);
    t_add(b, t_op(OP_STAT, line, 0));
    t_add(b, t_loop(0, 1000, 0));
    plan_end_section(b);
    plan_end_section(b);
    struct measured m;
    truth_run(&m, b, "fault:null:?latency=fixed:1ms&clock=virtual");
    assert_int_equal(truth_line(&m, "stat")->samples, 3 * 801);
    assert_int_equal(m.out.elapsed_ns, 800 * MS_NS);
    assert_streams_sum_to_lines(&m);
    truth_fini(&m);
}

/* Intervals and window totals tell the same. */
static void intervals_sum_to_the_totals(void **state)
{
    (void)state;
    struct measured m;
    truth_run(&m,
              truth_reads((struct reads){.streams = 9,
                                         .rate_per_s = 2000,
                                         .arrival = PLAN_ARRIVAL_POISSON,
                                         .warmup_ns = SEC_NS,
                                         .measure_ns = RUN_NS,
                                         .interval_ns = 250 * MS_NS}),
              "fault:null:?latency=uniform:1ms-9ms&stall=300ms@4s&clock=virtual");
    const struct samples_line *line = truth_line(&m, "read");
    uint64_t ops = 0, bytes = 0, samples = 0, sum = 0;
    assert_int_equal(m.out.series.width_ns, 250 * MS_NS);
    assert_int_equal(m.out.series.used, 44);
    for (unsigned i = 4; i < 44; i++) {
        const struct series_line *part = series_at(&m.out.series, i, 0);
        ops += part->ops;
        bytes += part->bytes;
        samples += part->samples;
        sum += part->service.sum;
    }
    assert_int_equal(ops, line->ops);
    assert_int_equal(bytes, line->bytes);
    assert_int_equal(bytes, ops * 4096);
    assert_int_equal(samples, line->samples);
    assert_int_equal(sum, line->service.sum);
    assert_streams_sum_to_lines(&m);
    assert_int_equal(samples_of_all(&m), samples);
    truth_fini(&m);
}

/* While the target stalls nothing is done, and the intervals show the hole where it was. */
static void a_stall_is_a_hole_in_the_series(void **state)
{
    (void)state;
    struct measured m;
    run_stall(&m);
    for (unsigned i = 0; i < 50; i++)
        assert_in_range(series_at(&m.out.series, i, 0)->samples, 99, 101);
    for (unsigned i = 51; i < 60; i++)
        assert_int_equal(series_at(&m.out.series, i, 0)->samples, 0);
    assert_true(series_at(&m.out.series, 60, 0)->samples > 1000);
    for (unsigned i = 62; i < 100; i++)
        assert_in_range(series_at(&m.out.series, i, 0)->samples, 99, 101);
    truth_fini(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fixed_latency_is_told_exactly),
        cmocka_unit_test(quantiles_of_a_uniform_latency_are_those_of_theory),
        cmocka_unit_test(quantiles_of_an_exponential_latency_are_those_of_theory),
        cmocka_unit_test(a_closed_loop_obeys_littles_law),
        cmocka_unit_test(a_stall_shows_in_response_and_not_in_service),
        cmocka_unit_test(arrivals_are_done_or_unfinished),
        cmocka_unit_test(a_run_in_virtual_time_repeats_to_the_bit),
        cmocka_unit_test(what_is_unfinished_counts_with_its_age),
        cmocka_unit_test(the_backlog_of_the_warmup_is_told_apart),
        cmocka_unit_test(a_backlog_that_is_worked_off_is_in_no_response),
        cmocka_unit_test(a_stall_at_the_end_of_a_closed_loop_is_told),
        cmocka_unit_test(what_is_under_way_counts_with_its_part_of_the_window),
        cmocka_unit_test(a_stopped_open_loop_tells_what_was_due),
        cmocka_unit_test(a_stalled_open_loop_tells_what_was_due),
        cmocka_unit_test(an_overload_is_told),
        cmocka_unit_test(a_constant_rate_is_kept_over_the_whole_run),
        cmocka_unit_test(poisson_arrivals_queue_as_theory_says),
        cmocka_unit_test(streams_share_one_schedule),
        cmocka_unit_test(latencies_above_the_scale_are_counted),
        cmocka_unit_test(the_warmup_is_left_out_to_the_op),
        cmocka_unit_test(the_warmup_of_a_finite_plan_is_left_out_too),
        cmocka_unit_test(intervals_sum_to_the_totals),
        cmocka_unit_test(a_stall_is_a_hole_in_the_series),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
