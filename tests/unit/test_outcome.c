/* engine.h: passes of one plan are pooled, nothing is lost on the way; facts.c: counters as
 * differences. */
#include "engine/engine_priv.h"
#include "result/result_priv.h"
#include "truth/truth.h"

#define VIRTUAL "fault:null:?latency=fixed:1ms&clock=virtual"

static void run_pass(struct measured *m, uint32_t streams, const char *faults)
{
    char address[160];
    snprintf(address, sizeof address, "%s%s", VIRTUAL, faults);
    truth_run(m,
              truth_reads((struct reads){.streams = streams,
                                         .rate_per_s = 500,
                                         .measure_ns = 2 * (uint64_t)SEC_NS,
                                         .interval_ns = 100 * MS_NS}),
              address);
}

static void merge(struct engine_outcome *into, const struct measured *from)
{
    assert_int_equal(engine_outcome_merge(into, &from->out), 0);
}

/* An empty struct becomes what is merged into it. */
static void one_pass_pools_to_itself(void **state)
{
    (void)state;
    struct measured m;
    struct engine_outcome pool = {0};
    run_pass(&m, 3, "");
    merge(&pool, &m);
    assert_int_equal(pool.passes, 1);
    assert_int_equal(pool.elapsed_ns, m.out.elapsed_ns);
    assert_int_equal(pool.pass_ns[0], m.out.elapsed_ns);
    assert_memory_equal(pool.total->line, m.out.total->line, sizeof(struct samples_line));
    assert_int_equal(pool.series.used, m.out.series.used);
    assert_int_equal(pool.streams, 3);
    assert_memory_equal(pool.stream, m.out.stream, 3 * sizeof pool.stream[0]);
    assert_int_equal(pool.arrivals, m.out.arrivals);
    assert_int_equal(pool.unfinished, m.out.unfinished);
    assert_string_equal(pool.clock, m.out.clock);
    assert_int_equal(pool.facts.n, m.out.facts.n);
    engine_outcome_fini(&pool);
    truth_fini(&m);
}

/* Sums are sums, times are kept one by one, and the second pass lies behind the first. */
static void passes_add_up(void **state)
{
    (void)state;
    struct measured a, b;
    struct engine_outcome pool = {0};
    run_pass(&a, 3, "");
    run_pass(&b, 3, "&stall=300ms@1s");
    merge(&pool, &a);
    merge(&pool, &b);
    const struct samples_line *x = &a.out.total->line[0];
    const struct samples_line *y = &b.out.total->line[0];
    const struct samples_line *sum = engine_outcome_line(&pool, a.plan, "read");
    assert_non_null(sum);
    assert_int_equal(pool.passes, 2);
    assert_int_equal(pool.elapsed_ns, a.out.elapsed_ns + b.out.elapsed_ns);
    assert_int_equal(pool.pass_ns[0], a.out.elapsed_ns);
    assert_int_equal(pool.pass_ns[1], b.out.elapsed_ns);
    assert_int_equal(sum->samples, x->samples + y->samples);
    assert_int_equal(sum->ops, x->ops + y->ops);
    assert_int_equal(sum->bytes, x->bytes + y->bytes);
    assert_int_equal(sum->service.sum, x->service.sum + y->service.sum);
    assert_int_equal(sum->response.max, y->response.max);
    assert_int_equal(pool.arrivals, a.out.arrivals + b.out.arrivals);
    assert_int_equal(pool.unfinished, a.out.unfinished + b.out.unfinished);
    assert_int_equal(pool.series.used, a.out.series.used + b.out.series.used);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(pool.stream[i].ops, a.out.stream[i].ops + b.out.stream[i].ops);
    engine_outcome_fini(&pool);
    truth_fini(&a);
    truth_fini(&b);
}

/* Errors of one kind are one, the first of them the earliest; other kinds stay apart. */
static void errors_of_passes_are_counted_together(void **state)
{
    (void)state;
    struct measured a, b;
    struct engine_outcome pool = {0};
    run_pass(&a, 2, "&error=EIO@read:100&error=EIO@read:200");
    run_pass(&b, 2, "&error=EIO@read:51&error=ENOSPC@read:60");
    merge(&pool, &a);
    merge(&pool, &b);
    assert_int_equal(pool.errors, 2);
    assert_int_equal(engine_error_count(&pool), 4);
    assert_int_equal(pool.error[0].code, -EIO);
    assert_int_equal(pool.error[0].count, 3);
    assert_int_equal(pool.error[0].first_ns, b.out.error[0].first_ns);
    assert_int_equal(pool.error[1].code, -ENOSPC);
    assert_int_equal(pool.error[1].count, 1);
    engine_outcome_fini(&pool);
    truth_fini(&a);
    truth_fini(&b);
}

/* What was wrong: with 48 kinds told apart, the 48th also counted what belonged to no kind it knew. */
static void errors_without_a_place_of_their_own_are_other(void **state)
{
    (void)state;
    enum { KINDS = 60, KEPT = ENGINE_ERRORS_MAX - 1 };
    struct err err = {0};
    struct plan *plan = truth_freeze(truth_reads((struct reads){.measure_ns = SEC_NS}), "null:");
    struct run run = {.plan = plan};
    struct slot slot = {.unit = PLAN_UNIT_FILE};
    struct stream s = {.pc = plan->group[0].body, .slot = &slot};
    struct worker *w = calloc(1, sizeof *w);
    assert_non_null(w);
    assert_int_equal(fileset_map_init(&run.map, "", plan->set, plan->sets, &err), 0);
    w->run = &run;
    w->phase = PHASE_BODY;
    for (int round = 0; round < 2; round++)
        for (int code = 1; code <= KINDS; code++)
            worker_record_error(w, &s, OP_READ, -code);
    assert_int_equal(w->errors, ENGINE_ERRORS_MAX);
    for (int i = 0; i < KEPT; i++) {
        assert_int_equal(w->error[i].code, -(i + 1));
        assert_int_equal(w->error[i].count, 2);
    }
    assert_int_equal(w->error[KEPT].code, ENGINE_ERROR_OTHER);
    assert_int_equal(w->error[KEPT].count, 2 * (KINDS - KEPT));
    free(w);
    fileset_map_fini(&run.map);
    plan_free(plan);
}

_Static_assert(ENGINE_KINDS_MAX <= RESULT_ERRORS_MAX, "a result holds all errors of an outcome");

/* What two lines have in common is not one kind, and there is a bound to what a result gets. */
static void errors_of_lines_stay_apart_as_far_as_there_is_room(void **state)
{
    (void)state;
    enum { KINDS = 1100, KEPT = ENGINE_KINDS_MAX - 1 };
    struct engine_outcome pool = {0};
    struct measured m;
    run_pass(&m, 1, "&error=EIO@read:100");
    assert_int_equal(m.out.error[0].line, PLAN_NO_LINE); /* its line has no type of flowop */
    for (int pass = 0; pass < 2; pass++) {
        for (uint16_t line = 0; line < KINDS; line++) {
            m.out.error[0].line = line;
            merge(&pool, &m);
        }
    }
    assert_int_equal(pool.errors, ENGINE_KINDS_MAX);
    for (uint16_t i = 0; i < KEPT; i++) {
        assert_int_equal(pool.error[i].line, i);
        assert_int_equal(pool.error[i].count, 2);
    }
    assert_int_equal(pool.error[KEPT].code, ENGINE_ERROR_OTHER);
    assert_int_equal(pool.error[KEPT].line, PLAN_NO_LINE);
    assert_int_equal(pool.error[KEPT].count, 2 * (KINDS - KEPT));
    engine_outcome_fini(&pool);
    truth_fini(&m);
}

/* What is not done at the end: numbers add up, the oldest of all passes is the oldest. */
static void what_is_left_of_passes_adds_up(void **state)
{
    (void)state;
    struct engine_outcome pool = {0};
    struct measured a, b;
    run_pass(&a, 1, "");
    run_pass(&b, 1, "");
    a.out.backlog_at_open = 5;
    b.out.backlog_at_open = 7;
    a.out.in_flight =
        (struct engine_in_flight){.ops = 2, .oldest_ns = 90, .sum_ns = 100, .detached_ns = 60};
    b.out.in_flight = (struct engine_in_flight){
        .ops = 3, .oldest_ns = 80, .oldest_line = 1, .sum_ns = 200, .detached_ns = 7};
    merge(&pool, &b);
    merge(&pool, &a);
    assert_int_equal(pool.backlog_at_open, 12);
    assert_int_equal(pool.in_flight.ops, 5);
    assert_int_equal(pool.in_flight.sum_ns, 300);
    assert_int_equal(pool.in_flight.detached_ns, 67);
    assert_int_equal(pool.in_flight.oldest_ns, 90);
    assert_int_equal(pool.in_flight.oldest_line, 0);
    engine_outcome_fini(&pool);
    truth_fini(&a);
    truth_fini(&b);
}

/* A pass that did not end well marks the pool, whichever it was. */
static void the_worst_end_is_kept(void **state)
{
    (void)state;
    struct measured good, bad;
    run_pass(&good, 2, "");
    truth_run_job(&bad, truth_reads((struct reads){.measure_ns = 2 * (uint64_t)SEC_NS}),
                  VIRTUAL "&hang=op:9", (struct engine_job){.stall_ns = 100 * MS_NS});
    assert_int_equal(bad.out.end, ENGINE_STALLED);
    for (unsigned i = 0; i < 2; i++) {
        struct engine_outcome pool = {0};
        merge(&pool, i ? &good : &bad);
        merge(&pool, i ? &bad : &good);
        assert_int_equal(pool.end, ENGINE_STALLED);
        assert_true(pool.stuck.found);
        assert_string_equal(pool.stuck.what, bad.out.stuck.what);
        engine_outcome_fini(&pool);
    }
    truth_fini(&good);
    truth_fini(&bad);
}

/* ---- counters ---- */

static void put(struct engine_facts *facts, const char *key, const char *value)
{
    assert_int_equal(facts_put(facts, key, value, "B"), 0);
}

static void assert_fact(const struct engine_facts *facts, unsigned i, const char *key,
                        const char *value)
{
    assert_true(i < facts->n);
    assert_string_equal(facts->fact[i].key, key);
    assert_string_equal(facts->fact[i].value, value);
    assert_string_equal(facts->fact[i].unit, "B");
}

/* Numbers are subtracted by key, whatever their order; words and what is new stay as they are. */
static void counters_are_differences(void **state)
{
    (void)state;
    struct engine_facts before = {0}, after = {0}, out = {0};
    put(&before, "read", "100");
    put(&before, "written", "18446744073709551000");
    put(&before, "state", "clean");
    put(&after, "written", "18446744073709551615");
    put(&after, "read", "4196");
    put(&after, "state", "dirty");
    put(&after, "new", "7");
    assert_int_equal(facts_difference(&out, &before, &after), 0);
    assert_int_equal(out.n, 4);
    assert_fact(&out, 0, "written", "615");
    assert_fact(&out, 1, "read", "4096");
    assert_fact(&out, 2, "state", "dirty");
    assert_fact(&out, 3, "new", "7");
    facts_fini(&before);
    facts_fini(&after);
    facts_fini(&out);
}

static void counters_of_passes_are_sums(void **state)
{
    (void)state;
    struct engine_facts into = {0}, from = {0};
    put(&from, "read", "10");
    put(&from, "state", "clean");
    assert_int_equal(facts_sum(&into, &from), 0);
    assert_int_equal(facts_sum(&into, &from), 0);
    assert_int_equal(facts_sum(&into, &from), 0);
    assert_int_equal(into.n, 2);
    assert_fact(&into, 0, "read", "30");
    assert_fact(&into, 1, "state", "clean");
    facts_fini(&into);
    facts_fini(&from);
}

static void many_facts_are_all_kept(void **state)
{
    (void)state;
    struct engine_facts facts = {0};
    struct target_sink sink = facts_sink(&facts);
    char key[16];
    for (unsigned i = 0; i < 100; i++) {
        snprintf(key, sizeof key, "key%u", i);
        sink.put(sink.ctx, key, "1", "B");
    }
    assert_int_equal(facts.n, 100);
    assert_false(facts.failed);
    assert_fact(&facts, 99, "key99", "1");
    facts_fini(&facts);
    assert_int_equal(facts.n, 0);
}

static void expect_counter(const struct engine_facts *facts, const char *key, const char *value)
{
    for (unsigned i = 0; i < facts->n; i++)
        if (strcmp(facts->fact[i].key, key) == 0) {
            assert_string_equal(facts->fact[i].value, value);
            return;
        }
    fail_msg("no counter %s", key);
}

/* facts_priv.h: of the longest of something the larger stays, and it is none of the window's when it was there
 * before; a counter that begins anew is no huge number. */
static void the_longest_is_no_sum(void **state)
{
    (void)state;
    struct engine_facts a = {0}, b = {0}, window = {0};
    assert_int_equal(facts_put(&a, "outage_longest_ns", "30", "ns"), 0);
    assert_int_equal(facts_put(&a, "other_longest_ns", "30", "ns"), 0);
    assert_int_equal(facts_put(&a, "outage_ns", "30", "ns"), 0);
    assert_int_equal(facts_put(&a, "tcp_retransmits", "9", ""), 0);
    assert_int_equal(facts_put(&a, "tcp_retransmits_worst", "5", ""), 0);
    assert_int_equal(facts_put(&b, "outage_longest_ns", "50", "ns"), 0);
    assert_int_equal(facts_put(&b, "other_longest_ns", "30", "ns"), 0);
    assert_int_equal(facts_put(&b, "outage_ns", "80", "ns"), 0);
    assert_int_equal(facts_put(&b, "tcp_retransmits", "2", ""), 0);
    assert_int_equal(facts_put(&b, "tcp_retransmits_worst", "7", ""), 0);
    assert_int_equal(facts_difference(&window, &a, &b), 0);
    expect_counter(&window, "outage_longest_ns", "50");
    expect_counter(&window, "other_longest_ns", "0");
    expect_counter(&window, "outage_ns", "50");
    expect_counter(&window, "tcp_retransmits", "2");
    assert_int_equal(facts_sum(&b, &a), 0);
    expect_counter(&b, "outage_longest_ns", "50");
    expect_counter(&b, "outage_ns", "110");
    expect_counter(&b, "tcp_retransmits_worst", "7");
    facts_fini(&a);
    facts_fini(&b);
    facts_fini(&window);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_pass_pools_to_itself),
        cmocka_unit_test(passes_add_up),
        cmocka_unit_test(errors_of_passes_are_counted_together),
        cmocka_unit_test(errors_without_a_place_of_their_own_are_other),
        cmocka_unit_test(errors_of_lines_stay_apart_as_far_as_there_is_room),
        cmocka_unit_test(what_is_left_of_passes_adds_up),
        cmocka_unit_test(the_worst_end_is_kept),
        cmocka_unit_test(counters_are_differences),
        cmocka_unit_test(counters_of_passes_are_sums),
        cmocka_unit_test(many_facts_are_all_kept),
        cmocka_unit_test(the_longest_is_no_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
