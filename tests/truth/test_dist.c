/* plan.h, place.c: which blocks of which files the target is asked for, held against the law that was
 * asked. */
#include "truth/ledger.h"

#include <math.h>

#define BLOCK 4096u

/* A deviate of about 1: (χ² − df) / √(2 df), cells that expect too little left out. */
static double deviate(const unsigned *count, const double *share, unsigned cells, double n)
{
    double chi2 = 0;
    unsigned df = 0;
    for (unsigned i = 0; i < cells; i++) {
        double expected = share[i] * n;
        if (expected < 10)
            continue;
        chi2 += (count[i] - expected) * (count[i] - expected) / expected;
        df++;
    }
    assert_true(df > 1);
    return (chi2 - (df - 1)) / sqrt(2.0 * (df - 1));
}

static struct plan_step read_at(struct plan_place at)
{
    struct plan_step read = t_io(OP_READ, 0, BLOCK);
    read.at = at;
    return read;
}

/* The files of the set in one slot, opened before the gate: all by each stream, or by each its own. */
static struct plan_builder *on_files(enum plan_order order, uint32_t files, uint64_t size_bytes,
                                     uint32_t streams, struct plan_step step, uint32_t count)
{
    const struct fileset_spec spec = {
        .shape = FILESET_FLAT, .trees = 1, .files = files, .size_bytes = size_bytes};
    struct plan_builder *b = begin(&spec, streams, 1);
    plan_add_line(b, "line", step.op, false);
    t_add(b, t_pick(PLAN_UNIT_ALL, order, 0));
    t_add(b, t_op(OP_OPEN, PLAN_NO_LINE, 0));
    plan_step_to(b, 0, 2);
    plan_end_section(b);
    t_add(b, step);
    t_add(b, t_loop(0, count, 0));
    plan_end_section(b);
    t_add(b, t_op(OP_CLOSE, PLAN_NO_LINE, 0));
    plan_end_section(b);
    return b;
}

static struct plan_builder *on_all_files(uint32_t files, uint64_t size_bytes, uint32_t streams,
                                         struct plan_step step, uint32_t count)
{
    return on_files(PLAN_ORDER_OWN, files, size_bytes, streams, step, count);
}

/* The target names each open file by what it was opened as, so that reads can be told apart. */
static int64_t by_name(const struct op *op)
{
    struct op *asked = (struct op *)(uintptr_t)op;
    if (op->kind == OP_OPEN)
        asked->handle = strtoull(op->leaf + 1, NULL, 10);
    return op->kind == OP_READ || op->kind == OP_WRITE ? (int64_t)op->len : 0;
}

/* Of the reads: how often each block was asked for, over all files one behind the other. */
static unsigned count_blocks(unsigned *count, unsigned per_file, unsigned files)
{
    unsigned n = 0;
    memset(count, 0, per_file * files * sizeof *count);
    for (unsigned i = 0; i < ledger.n; i++) {
        const struct asked *a = &ledger.op[i];
        if (a->kind != OP_READ)
            continue;
        assert_int_equal(a->off % BLOCK, 0);
        assert_true(a->off / BLOCK < per_file && a->handle < files);
        count[a->handle * per_file + a->off / BLOCK]++;
        n++;
    }
    return n;
}

static void zipf_by_rank(double skew, unsigned n, double *share)
{
    double all = 0;
    for (unsigned k = 0; k < n; k++)
        all += share[k] = pow(k + 1, -skew);
    for (unsigned k = 0; k < n; k++)
        share[k] /= all;
}

/* The block of rank k is known from the plan: what it is asked for has to be its share. */
static void zipf_draws_ranks_over_one_file(void **state)
{
    static const double skew[] = {0.8, 1, 1.1, 2};
    static unsigned count[1000], by_rank[1000];
    static double share[1000];
    (void)state;
    for (unsigned i = 0; i < TRUTH_COUNT(skew); i++) {
        const struct plan_place at = {.where = PLAN_AT_ZIPF, .skew = skew[i]};
        run_plan(on_open_file(1000 * BLOCK + 17, 2, read_at(at), 90000));
        unsigned n = count_blocks(count, 1000, 1);
        const struct plan_step *step = &bench.run.plan->step[bench.run.plan->group[0].body];
        for (unsigned k = 0; k < 1000; k++)
            by_rank[k] = count[scatter_place(&step->at.scatter, k)];
        zipf_by_rank(skew[i], 1000, share);
        assert_true(deviate(by_rank, share, 1000, n) < 5);
        bench_free();
    }
}

/* What was wrong: nothing saw that the last rank of many was never drawn, nor that the last block of a
 * stream's own file was never asked for. Of so few each is a good part of all. */
static void of_few_blocks_none_is_left_out(void **state)
{
    static const struct plan_place law[] = {
        {.where = PLAN_AT_UNIFORM},
        {.where = PLAN_AT_ZIPF, .skew = 1},
        {.where = PLAN_AT_ZIPF, .skew = 1.1},
        {.where = PLAN_AT_HOT, .hot_ops = 60, .hot_blocks = 40},
    };
    unsigned count[7], in_order[7];
    double share[7];
    (void)state;
    for (unsigned i = 0; i < TRUTH_COUNT(law); i++) {
        for (unsigned blocks = 2; blocks <= 7; blocks++) {
            run_plan(on_open_file(blocks * BLOCK, 1, read_at(law[i]), 90000));
            unsigned n = count_blocks(count, blocks, 1);
            const struct plan_place *at = &bench.run.plan->step[bench.run.plan->group[0].body].at;
            bool zipf = at->where == PLAN_AT_ZIPF;
            unsigned hot = blocks * 40 / 100 ? blocks * 40 / 100 : 1;
            zipf_by_rank(zipf ? at->skew : 0, blocks, share);
            for (unsigned k = 0; k < blocks; k++) {
                in_order[k] = count[zipf ? scatter_place(&at->scatter, k) : k];
                if (at->where == PLAN_AT_HOT)
                    share[k] = k < hot ? 0.6 / hot : 0.4 / (blocks - hot);
                /* Five standard deviations of that block alone. */
                double expected = share[k] * n;
                assert_true(fabs(in_order[k] - expected) < 5 * sqrt(expected));
            }
            bench_free();
        }
    }
}

/* The hottest hundred of 20 files of 50 blocks do not all lie in one of them. */
static void zipf_goes_over_all_blocks_of_all_files(void **state)
{
    enum { FILES = 20, PER_FILE = 50, ALL = FILES * PER_FILE };
    static unsigned count[ALL], by_rank[ALL];
    static double share[ALL];
    unsigned hot_in[FILES] = {0};
    const struct plan_place at = {.where = PLAN_AT_ZIPF, .skew = 1.1};
    (void)state;
    bench_make(truth_freeze(on_all_files(FILES, PER_FILE * BLOCK, 3, read_at(at), 60000), "null:"));
    ledger.answer = by_name;
    bench_run();
    unsigned n = count_blocks(count, PER_FILE, FILES);
    assert_int_equal(n, 3 * 60000);
    assert_int_equal(bench_line(0)->samples, n);
    const struct plan_step *step = &bench.run.plan->step[bench.run.plan->group[0].body];
    for (unsigned k = 0; k < ALL; k++) {
        uint64_t block = scatter_place(&step->at.scatter, k);
        by_rank[k] = count[block];
        if (k < 100)
            hot_in[block / PER_FILE]++;
    }
    zipf_by_rank(1.1, ALL, share);
    assert_true(deviate(by_rank, share, ALL, n) < 5);
    for (unsigned f = 0; f < FILES; f++)
        assert_true(hot_in[f] < 25);
    bench_free();
}

static void hot_part_gets_its_share_and_the_rest_the_rest(void **state)
{
    static const unsigned wish[][2] = {{90, 10}, {50, 50}, {99, 1}, {1, 99}};
    static unsigned count[400];
    static double share[400];
    (void)state;
    for (unsigned i = 0; i < TRUTH_COUNT(wish); i++) {
        const struct plan_place at = {
            .where = PLAN_AT_HOT, .hot_ops = wish[i][0], .hot_blocks = wish[i][1]};
        unsigned hot = 400 * wish[i][1] / 100;
        run_plan(on_open_file(400 * BLOCK, 1, read_at(at), 190000));
        unsigned n = count_blocks(count, 400, 1);
        for (unsigned k = 0; k < 400; k++)
            share[k] = k < hot ? wish[i][0] / 100.0 / hot : (1 - wish[i][0] / 100.0) / (400 - hot);
        assert_true(deviate(count, share, 400, n) < 5);
        bench_free();
    }
}

static void uniform_over_all_files_is_even(void **state)
{
    static unsigned count[7 * 30];
    static double share[7 * 30];
    (void)state;
    bench_make(
        truth_freeze(on_all_files(7, 30 * BLOCK + 9, 2,
                                  read_at((struct plan_place){.where = PLAN_AT_UNIFORM}), 50000),
                     "null:"));
    ledger.answer = by_name;
    bench_run();
    unsigned n = count_blocks(count, 30, 7);
    for (unsigned k = 0; k < 210; k++)
        share[k] = 1.0 / 210;
    assert_true(deviate(count, share, 210, n) < 5);
    bench_free();
}

/* 3 files of 5 blocks among 2 streams: 7 and 8 blocks in a row, each again and again, no block of
 * both. */
static void in_order_each_stream_walks_its_own_part_of_all_files(void **state)
{
    unsigned next[2] = {0, 7};
    (void)state;
    bench_make(truth_freeze(
        on_all_files(3, 5 * BLOCK, 2, read_at((struct plan_place){.where = PLAN_AT_NEXT}), 40),
        "null:"));
    ledger.answer = by_name;
    bench_run();
    unsigned reads = 0;
    for (unsigned i = 0; i < ledger.n; i++) {
        const struct asked *a = &ledger.op[i];
        if (a->kind != OP_READ)
            continue;
        assert_int_equal(a->handle * 5 + a->off / BLOCK, next[a->stream]);
        if (++next[a->stream] == (a->stream ? 15 : 7))
            next[a->stream] = a->stream ? 7 : 0;
        reads++;
    }
    assert_int_equal(reads, 80);
    bench_free();
}

/* Blocks of two sizes: none of them crosses the end of a file. */
static void in_order_blocks_of_two_sizes_stay_in_their_file(void **state)
{
    const struct fileset_spec spec = {
        .shape = FILESET_FLAT, .trees = 1, .files = 4, .size_bytes = 8 * BLOCK};
    struct plan_builder *b = begin(&spec, 2, 1);
    struct plan_step large = t_io(OP_READ, 0, 4 * BLOCK);
    (void)state;
    plan_add_line(b, "line", OP_READ, false);
    t_add(b, t_pick(PLAN_UNIT_ALL, PLAN_ORDER_OWN, 0));
    t_add(b, t_op(OP_OPEN, PLAN_NO_LINE, 0));
    plan_step_to(b, 0, 2);
    plan_end_section(b);
    t_add(b, t_io(OP_READ, 0, BLOCK));
    t_add(b, large);
    t_add(b, t_io(OP_READ, 0, BLOCK));
    t_add(b, t_loop(0, 100, 0));
    plan_end_section(b);
    plan_end_section(b);
    bench_make(truth_freeze(b, "null:"));
    ledger.answer = by_name;
    bench_run();
    for (unsigned i = 0; i < ledger.n; i++) {
        const struct asked *a = &ledger.op[i];
        if (a->kind != OP_READ)
            continue;
        assert_true(a->off + a->len <= 8 * BLOCK);
        assert_int_equal(a->handle / 2, a->stream);
    }
    bench_free();
}

/* Before the gate each file once, in order; after it each once, and nothing stays open. */
static void all_files_are_opened_once_and_closed_once(void **state)
{
    unsigned opened[5] = {0}, closed[5] = {0};
    (void)state;
    bench_make(truth_freeze(
        on_all_files(5, BLOCK, 1, read_at((struct plan_place){.where = PLAN_AT_UNIFORM}), 3),
        "null:"));
    ledger.answer = by_name;
    bench_run();
    assert_int_equal(ledger.n, 5 + 3);
    worker_finish(&bench.worker);
    for (unsigned i = 0; i < ledger.n; i++) {
        if (ledger.op[i].kind == OP_OPEN)
            opened[strtoul(ledger.op[i].leaf + 1, NULL, 10)]++;
        if (ledger.op[i].kind == OP_CLOSE)
            closed[ledger.op[i].handle]++;
    }
    for (unsigned f = 0; f < 5; f++) {
        assert_int_equal(opened[f], 1);
        assert_int_equal(closed[f], 1);
    }
    bench_free();
}

/* One that cannot be closed is an error, and no reason to leave the others open. */
static int64_t second_close_fails(const struct op *op)
{
    return op->kind == OP_CLOSE && op->handle == 2 ? -EIO : by_name(op);
}

static void a_close_that_fails_is_counted_and_the_others_go_on(void **state)
{
    unsigned closes = 0;
    (void)state;
    bench_make(truth_freeze(
        on_all_files(4, BLOCK, 1, read_at((struct plan_place){.where = PLAN_AT_UNIFORM}), 3),
        "null:"));
    ledger.answer = second_close_fails;
    bench_run();
    worker_finish(&bench.worker);
    for (unsigned i = 0; i < ledger.n; i++)
        closes += ledger.op[i].kind == OP_CLOSE;
    assert_int_equal(closes, 4);
    assert_int_equal(bench.worker.errors, 1);
    assert_string_equal(bench.worker.error[0].first_path, "f2");
    bench_free();
}

/* Of `files` dealt out to `streams`: each is opened once, by the stream that it falls to, and nobody else reads
 * it. `count` gets how often each block was asked for. */
static unsigned run_dealt(uint32_t files, unsigned per_file, uint32_t streams,
                          enum plan_where where, unsigned ops, unsigned *count)
{
    bool opened[16] = {false};
    bench_make(truth_freeze(on_files(PLAN_ORDER_STRIDE, files, per_file * BLOCK + 9, streams,
                                     read_at((struct plan_place){.where = where}), ops),
                            "null:"));
    ledger.answer = by_name;
    bench_run();
    for (unsigned i = 0; i < ledger.n; i++) {
        const struct asked *a = &ledger.op[i];
        bool opens = a->kind == OP_OPEN;
        unsigned file = opens ? (unsigned)strtoul(a->leaf + 1, NULL, 10) : (unsigned)a->handle;
        assert_int_equal(file % streams, a->stream);
        assert_false(opens && opened[file]);
        opened[file] |= opens;
    }
    for (unsigned f = 0; f < files; f++)
        assert_true(opened[f]);
    return count_blocks(count, per_file, files);
}

/* Whatever the number of streams, and whether or not it divides that of files: in as many ops as there are
 * blocks in the most files that one has, every block of every file, and the first ones twice of who has fewer. */
static void in_order_all_streams_reach_every_block_of_dealt_files(void **state)
{
    enum { FILES = 11, PER_FILE = 5 };
    static const uint32_t streams[] = {1, 2, 3, 4, 10, 11};
    unsigned count[FILES * PER_FILE];
    (void)state;
    for (unsigned i = 0; i < TRUTH_COUNT(streams); i++) {
        unsigned most = (FILES + streams[i] - 1) / streams[i];
        (void)run_dealt(FILES, PER_FILE, streams[i], PLAN_AT_NEXT, most * PER_FILE, count);
        for (unsigned k = 0; k < FILES * PER_FILE; k++) {
            unsigned number = k / PER_FILE % streams[i];
            bool again = number >= FILES - streams[i] * (most - 1) && k / PER_FILE == number;
            assert_int_equal(count[k], again ? 2 : 1);
        }
        bench_free();
    }
}

/* Each stream's own files evenly, to the last block of the last one. */
static void uniform_over_dealt_files_is_even_for_each_stream(void **state)
{
    enum { FILES = 11, PER_FILE = 20, OPS = 15000 };
    static const uint32_t streams[] = {1, 3, 4, 10};
    static unsigned count[FILES * PER_FILE];
    static double share[FILES * PER_FILE];
    (void)state;
    for (unsigned i = 0; i < TRUTH_COUNT(streams); i++) {
        unsigned n = run_dealt(FILES, PER_FILE, streams[i], PLAN_AT_UNIFORM, OPS, count);
        assert_int_equal(n, streams[i] * OPS);
        for (unsigned k = 0; k < FILES * PER_FILE; k++) {
            unsigned number = k / PER_FILE % streams[i];
            unsigned own = (FILES - number - 1) / streams[i] + 1;
            share[k] = 1.0 / streams[i] / (own * PER_FILE);
        }
        assert_true(deviate(count, share, FILES * PER_FILE, n) < 5);
        bench_free();
    }
}

/* Each is closed once, by who had it open, also where some have fewer than others. */
static void dealt_files_are_closed_once(void **state)
{
    unsigned closed[5] = {0};
    (void)state;
    bench_make(truth_freeze(on_files(PLAN_ORDER_STRIDE, 5, BLOCK, 3,
                                     read_at((struct plan_place){.where = PLAN_AT_UNIFORM}), 3),
                            "null:"));
    ledger.answer = by_name;
    bench_run();
    worker_finish(&bench.worker);
    for (unsigned i = 0; i < ledger.n; i++)
        if (ledger.op[i].kind == OP_CLOSE) {
            assert_int_equal(ledger.op[i].handle % 3, ledger.op[i].stream);
            closed[ledger.op[i].handle]++;
        }
    for (unsigned f = 0; f < 5; f++)
        assert_int_equal(closed[f], 1);
    bench_free();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zipf_draws_ranks_over_one_file),
        cmocka_unit_test(of_few_blocks_none_is_left_out),
        cmocka_unit_test(zipf_goes_over_all_blocks_of_all_files),
        cmocka_unit_test(hot_part_gets_its_share_and_the_rest_the_rest),
        cmocka_unit_test(uniform_over_all_files_is_even),
        cmocka_unit_test(in_order_each_stream_walks_its_own_part_of_all_files),
        cmocka_unit_test(in_order_blocks_of_two_sizes_stay_in_their_file),
        cmocka_unit_test(all_files_are_opened_once_and_closed_once),
        cmocka_unit_test(a_close_that_fails_is_counted_and_the_others_go_on),
        cmocka_unit_test(in_order_all_streams_reach_every_block_of_dealt_files),
        cmocka_unit_test(uniform_over_dealt_files_is_even_for_each_stream),
        cmocka_unit_test(dealt_files_are_closed_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
