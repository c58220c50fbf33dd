/* plan.h: what each step means, seen from the target: which ops, in which order, at which places. */
#include "truth/ledger.h"

#include <math.h>

static double chi2_even(const unsigned *count, unsigned classes, double n)
{
    double chi2 = 0;
    for (unsigned i = 0; i < classes; i++)
        chi2 += pow(count[i] - n / classes, 2) / (n / classes);
    return chi2;
}

/* ---- places of reads and writes ---- */

/* A uniformly drawn multiple of io_bytes that fits into the file: 64 of them, and never the 1000
 * bytes behind the last (chi-square with 63 degrees of freedom is above 113 once in 10,000). */
static void uniform_offsets_are_multiples_that_fit_evenly(void **state)
{
    (void)state;
    unsigned count[64] = {0};
    struct plan_step read = t_io(OP_READ, 0, 4096);
    read.at.where = PLAN_AT_UNIFORM;
    run_plan(on_open_file(64 * 4096 + 1000, 4, read, 20000));
    assert_int_equal(ledger.n, 4 + 4 * 20000);
    for (unsigned i = 4; i < ledger.n; i++) {
        assert_int_equal(ledger.op[i].len, 4096);
        assert_int_equal(ledger.op[i].off % 4096, 0);
        assert_true(ledger.op[i].off / 4096 < 64);
        count[ledger.op[i].off / 4096]++;
    }
    assert_true(chi2_even(count, 64, 4 * 20000) < 113);
    bench_free();
}

/* Streams draw from numbers of their own: two of them do not go hand in hand. */
static void streams_draw_apart(void **state)
{
    (void)state;
    unsigned together = 0;
    struct plan_step read = t_io(OP_READ, 0, 4096);
    read.at.where = PLAN_AT_UNIFORM;
    run_plan(on_open_file(64 * 4096, 2, read, 6400));
    for (unsigned i = 2; i < ledger.n; i += 2)
        together += ledger.op[i].off == ledger.op[i + 1].off;
    assert_in_range(together, 50, 150);
    bench_free();
}

/* At the slot's position, which moves on and wraps at the file's size. */
static void sequential_offsets_wrap_where_no_whole_piece_fits(void **state)
{
    (void)state;
    run_plan(on_open_file(3 * 4096 + 100, 1, t_io(OP_WRITE, 0, 4096), 7));
    for (unsigned i = 0; i < 7; i++)
        assert_int_equal(ledger.op[1 + i].off, i % 3 * 4096);
    assert_int_equal(bench_line(0)->ops, 7);
    assert_int_equal(bench_line(0)->bytes, 7 * 4096);
    bench_free();
}

/* whole: from 0 to the file's size in pieces of io_bytes, one sample. */
static void a_whole_file_is_pieces_and_one_sample(void **state)
{
    (void)state;
    struct plan_step read = t_io(OP_READ, 0, 4096);
    read.whole = true;
    run_plan(on_open_file(2 * 4096 + 100, 1, read, 2));
    static const uint64_t off[] = {0, 4096, 8192, 0, 4096, 8192};
    static const uint64_t len[] = {4096, 4096, 100, 4096, 4096, 100};
    assert_int_equal(ledger.n, 7);
    for (unsigned i = 0; i < 6; i++) {
        assert_int_equal(ledger.op[1 + i].off, off[i]);
        assert_int_equal(ledger.op[1 + i].len, len[i]);
    }
    assert_int_equal(bench_line(0)->samples, 2);
    assert_int_equal(bench_line(0)->ops, 6);
    assert_int_equal(bench_line(0)->bytes, 2 * (2 * 4096 + 100));
    assert_int_equal(hist_min(&bench_line(0)->service), 3 * OP_NS);
    bench_free();
}

static int64_t read_until_8292(const struct op *op)
{
    if (op->kind != OP_READ)
        return 0;
    uint64_t left = op->off < 8292 ? 8292 - op->off : 0;
    return (int64_t)(op->len < left ? op->len : left);
}

/* Direct reads end on a sector: the last piece asks for a whole block and gets the file's rest. */
static void a_direct_whole_read_asks_for_whole_pieces(void **state)
{
    (void)state;
    struct plan_step read = t_io(OP_READ, 0, 4096);
    read.whole = true;
    struct plan_builder *b = on_open_file(8292, 1, read, 1);
    plan_instrument(b, &(struct plan_instrument){.direct = true});
    bench_make(truth_freeze(b, "null:"));
    ledger.answer = read_until_8292;
    bench_run();
    assert_int_equal(ledger.n, 4);
    assert_int_equal(ledger.op[3].off, 8192);
    assert_int_equal(ledger.op[3].len, 4096);
    assert_int_equal(bench_line(0)->bytes, 8292);
    assert_int_equal(bench.worker.errors, 0);
    bench_free();
}

static void a_whole_read_of_an_empty_file_is_one_op(void **state)
{
    (void)state;
    struct plan_step read = t_io(OP_READ, 0, 4096);
    read.whole = true;
    run_plan(on_open_file(0, 1, read, 1));
    assert_int_equal(ledger.n, 2);
    assert_int_equal(ledger.op[1].len, 0);
    assert_int_equal(bench_line(0)->samples, 1);
    assert_int_equal(bench_line(0)->bytes, 0);
    assert_int_equal(bench.worker.errors, 0);
    bench_free();
}

/* ---- which file ---- */

/* Every stream picks and stats until the order is exhausted. */
static void visit_all(const struct fileset_spec *spec, enum plan_unit unit, enum plan_order order,
                      uint32_t streams)
{
    struct plan_builder *b = begin(spec, streams, 1);
    uint16_t line = plan_add_line(b, "line", OP_STAT, false);
    struct plan_step pick = t_pick(unit, order, 0);
    pick.to = 3;
    plan_end_section(b);
    t_add(b, pick);
    t_add(b, t_op(OP_STAT, line, 0));
    t_add(b, t_loop(0, 0, 0));
    plan_end_section(b);
    plan_end_section(b);
    run_plan(b);
}

static int by_place(const void *a, const void *b)
{
    const struct asked *x = a;
    const struct asked *y = b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return strcmp(x->leaf, y->leaf);
}

static void assert_each_once(uint64_t n)
{
    assert_int_equal(ledger.n, n);
    qsort(ledger.op, ledger.n, sizeof ledger.op[0], by_place);
    for (unsigned i = 1; i < ledger.n; i++)
        if (by_place(&ledger.op[i - 1], &ledger.op[i]) == 0)
            fail_msg("node %" PRIu64 " %s twice", ledger.op[i].node, ledger.op[i].leaf);
}

/* Fewer trees than streams, as many, and more; both orders; files, directories and roots. */
static void every_order_visits_everything_exactly_once(void **state)
{
    (void)state;
    static const uint32_t streams[] = {1, 2, 5, 8};
    for (uint32_t trees = 1; trees <= 11; trees++) {
        const struct fileset_spec spec = {.shape = FILESET_TREE,
                                          .trees = trees,
                                          .levels = 2,
                                          .branches = 3,
                                          .files = 2,
                                          .size_bytes = 1};
        for (unsigned i = 0; i < 2 * TRUTH_COUNT(streams); i++) {
            enum plan_order order = i % 2 ? PLAN_ORDER_OWN : PLAN_ORDER_STRIDE;
            visit_all(&spec, PLAN_UNIT_FILE, order, streams[i / 2]);
            assert_each_once(trees * 24);
            bench_free();
            visit_all(&spec, PLAN_UNIT_DIR, order, streams[i / 2]);
            assert_each_once(trees * 12);
            bench_free();
            visit_all(&spec, PLAN_UNIT_ROOT, order, streams[i / 2]);
            assert_each_once(trees);
            bench_free();
        }
    }
}

static void flat_sets_are_visited_exactly_once(void **state)
{
    (void)state;
    for (uint32_t files = 1; files <= 30; files++) {
        const struct fileset_spec spec = {
            .shape = FILESET_FLAT, .trees = 1, .files = files, .size_bytes = 1};
        for (uint32_t streams = 1; streams <= 16; streams += 5) {
            visit_all(&spec, PLAN_UNIT_FILE, PLAN_ORDER_OWN, streams);
            assert_each_once(files);
            bench_free();
            visit_all(&spec, PLAN_UNIT_FILE, PLAN_ORDER_STRIDE, streams);
            assert_each_once(files);
            bench_free();
        }
    }
}

/* OWN: stream i has trees i, i + streams …, each in rising order. */
static void own_trees_come_whole_and_rising(void **state)
{
    (void)state;
    const struct fileset_spec spec = {
        .shape = FILESET_TREE, .trees = 5, .levels = 1, .branches = 3, .files = 2, .size_bytes = 1};
    visit_all(&spec, PLAN_UNIT_FILE, PLAN_ORDER_OWN, 2);
    const struct fileset *set = &bench.run.map.set[0];
    for (uint32_t stream = 0; stream < 2; stream++) {
        uint32_t tree = stream;
        uint64_t file = 0;
        for (unsigned i = 0; i < ledger.n; i++) {
            char leaf[FILESET_LEAF_MAX];
            if (ledger.op[i].stream != stream)
                continue;
            assert_int_equal(ledger.op[i].node, fileset_file(set, tree, file, leaf));
            assert_string_equal(ledger.op[i].leaf, leaf);
            if (++file == 6) {
                file = 0;
                tree += 2;
            }
        }
        assert_int_equal(file, 0);
        assert_true(tree >= 5);
    }
    bench_free();
}

/* STRIDE: stream i has i, i + streams, i + 2·streams … over all trees. */
static void stride_goes_through_all_trees(void **state)
{
    (void)state;
    const struct fileset_spec spec = {
        .shape = FILESET_TREE, .trees = 3, .levels = 1, .branches = 5, .files = 1, .size_bytes = 1};
    visit_all(&spec, PLAN_UNIT_FILE, PLAN_ORDER_STRIDE, 4);
    const struct fileset *set = &bench.run.map.set[0];
    unsigned seen[4] = {0};
    for (unsigned i = 0; i < ledger.n; i++) {
        const struct asked *a = &ledger.op[i];
        uint64_t all = a->stream + 4 * (uint64_t)seen[a->stream]++;
        char leaf[FILESET_LEAF_MAX];
        assert_int_equal(a->node, fileset_file(set, (uint32_t)(all / 5), all % 5, leaf));
    }
    bench_free();
}

/* A slot counts for itself: what one picks does not move the other on. */
static void slots_pick_apart(void **state)
{
    (void)state;
    const struct fileset_spec spec = {
        .shape = FILESET_FLAT, .trees = 1, .files = 4, .size_bytes = 1};
    struct plan_builder *b = begin(&spec, 1, 1);
    uint16_t line = plan_add_line(b, "line", OP_STAT, false);
    plan_end_section(b);
    for (uint16_t slot = 0; slot < 2; slot++) {
        struct plan_step pick = t_pick(PLAN_UNIT_FILE, PLAN_ORDER_OWN, slot);
        pick.to = 5;
        t_add(b, pick);
        t_add(b, t_op(OP_STAT, line, slot));
    }
    t_add(b, t_loop(0, 0, 0));
    plan_end_section(b);
    plan_end_section(b);
    run_plan(b);
    assert_int_equal(ledger.n, 8);
    for (unsigned i = 0; i < 8; i += 2)
        assert_string_equal(ledger.op[i].leaf, ledger.op[i + 1].leaf);
    bench_free();
}

/* plan.h: streams are dealt out to the clients in equal blocks. */
static void clients_have_equal_blocks_of_streams(void **state)
{
    (void)state;
    const struct fileset_spec spec = {
        .shape = FILESET_FLAT, .trees = 1, .files = 12, .size_bytes = 1};
    struct plan_builder *b = begin(&spec, 12, 3);
    uint16_t line = plan_add_line(b, "line", OP_STAT, false);
    plan_end_section(b);
    t_add(b, t_pick(PLAN_UNIT_FILE, PLAN_ORDER_OWN, 0));
    t_add(b, t_op(OP_STAT, line, 0));
    plan_step_to(b, 0, 2);
    plan_end_section(b);
    plan_end_section(b);
    run_plan(b);
    assert_int_equal(ledger.n, 12);
    for (unsigned i = 0; i < 12; i++)
        assert_int_equal(ledger.op[i].client, ledger.op[i].stream / 4);
    bench_free();
}

/* ---- loops and branches ---- */

/* LOOP goes back count − 1 times; loops nest, and count anew each time they are entered. */
static void loops_with_counts_nest(void **state)
{
    (void)state;
    struct plan_builder *b = begin(&one_file, 3, 1);
    uint16_t inner = plan_add_line(b, "inner", OP_NOP, false);
    uint16_t outer = plan_add_line(b, "outer", OP_NOP, false);
    plan_end_section(b);
    t_add(b, t_op(OP_NOP, inner, 0));
    t_add(b, t_loop(0, 4, 0));
    t_add(b, t_op(OP_NOP, outer, 0));
    t_add(b, t_loop(0, 5, 1));
    t_add(b, t_loop(0, 2, 2));
    plan_end_section(b);
    plan_end_section(b);
    run_plan(b);
    assert_int_equal(bench_line(inner)->samples, 3 * 4 * 5 * 2);
    assert_int_equal(bench_line(outer)->samples, 3 * 5 * 2);
    bench_free();
}

/* What was wrong: a teardown went on with the counts that the body had been stopped at. */
static void a_section_begins_with_fresh_counters(void **state)
{
    (void)state;
    struct plan_builder *b = begin(&one_file, 1, 1);
    plan_end_section(b);
    t_add(b, t_op(OP_NOP, PLAN_NO_LINE, 0));
    t_add(b, t_loop(0, 10, 0));
    plan_end_section(b);
    t_add(b, t_op(OP_NOP, PLAN_NO_LINE, 0));
    t_add(b, t_loop(0, 6, 0));
    plan_end_section(b);
    bench_make(truth_freeze(b, "null:"));
    ledger.halt_after = &bench.run.halt;
    ledger.halt_at = 4;
    bench_run();
    assert_int_equal(ledger.n, 4);
    worker_finish(&bench.worker);
    assert_int_equal(ledger.n, 4 + 6);
    bench_free();
}

/* BRANCH goes to `to` with probability chance / 2^32: 70 and 30 of 100 here, over 8 streams, each
 * with its own share right (|z| above 4 once in 16,000). */
static void branches_are_taken_in_their_share(void **state)
{
    (void)state;
    enum { STREAMS = 8, EACH = 20000 };
    struct plan_builder *b = begin(&one_file, STREAMS, 1);
    struct plan_step branch = {
        .kind = PLAN_BRANCH, .to = 3, .chance = (uint32_t)(0.7 * 4294967296.0)};
    plan_end_section(b);
    t_add(b, branch);
    t_add(b, t_op(OP_NOP, PLAN_NO_LINE, 0));
    t_add(b, t_loop(4, 0, 1)); /* on to the end of the round */
    struct plan_step sync = t_op(OP_SYNCFS, PLAN_NO_LINE, 1);
    t_add(b, sync);
    t_add(b, t_loop(0, EACH, 0));
    plan_end_section(b);
    t_add(b, t_pick(PLAN_UNIT_ROOT, PLAN_ORDER_OWN, 1));
    plan_end_section(b);
    run_plan(b);
    unsigned taken[STREAMS] = {0}, all[STREAMS] = {0};
    for (unsigned i = 0; i < ledger.n; i++) {
        all[ledger.op[i].stream]++;
        taken[ledger.op[i].stream] += ledger.op[i].kind == OP_SYNCFS;
    }
    for (unsigned i = 0; i < STREAMS; i++) {
        assert_int_equal(all[i], EACH);
        assert_true(fabs(taken[i] - 0.7 * EACH) < 4 * sqrt(EACH * 0.7 * 0.3));
    }
    bench_free();
}

static void branches_of_no_and_of_almost_every_chance(void **state)
{
    (void)state;
    static const uint32_t chance[] = {0, UINT32_MAX};
    for (unsigned i = 0; i < 2; i++) {
        struct plan_builder *b = begin(&one_file, 1, 1);
        plan_end_section(b);
        t_add(b, t_op(OP_NOP, PLAN_NO_LINE, 0));
        t_add(b, (struct plan_step){.kind = PLAN_BRANCH, .to = 0, .chance = chance[i]});
        plan_end_section(b);
        plan_end_section(b);
        bench_make(truth_freeze(b, "null:"));
        ledger.halt_after = &bench.run.halt;
        ledger.halt_at = 10000;
        bench_run();
        assert_int_equal(ledger.n, i ? 10000 : 1);
        bench_free();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniform_offsets_are_multiples_that_fit_evenly),
        cmocka_unit_test(streams_draw_apart),
        cmocka_unit_test(sequential_offsets_wrap_where_no_whole_piece_fits),
        cmocka_unit_test(a_whole_file_is_pieces_and_one_sample),
        cmocka_unit_test(a_direct_whole_read_asks_for_whole_pieces),
        cmocka_unit_test(a_whole_read_of_an_empty_file_is_one_op),
        cmocka_unit_test(every_order_visits_everything_exactly_once),
        cmocka_unit_test(flat_sets_are_visited_exactly_once),
        cmocka_unit_test(own_trees_come_whole_and_rising),
        cmocka_unit_test(stride_goes_through_all_trees),
        cmocka_unit_test(slots_pick_apart),
        cmocka_unit_test(clients_have_equal_blocks_of_streams),
        cmocka_unit_test(loops_with_counts_nest),
        cmocka_unit_test(a_section_begins_with_fresh_counters),
        cmocka_unit_test(branches_are_taken_in_their_share),
        cmocka_unit_test(branches_of_no_and_of_almost_every_chance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
