/* tree_priv.h, io_priv.h, study_priv.h: which plans the options of a study become. */
#include "golden/exact.h"
#include "study/io_priv.h"
#include "study/tree_priv.h"

#include <errno.h>

static const uint64_t lengths[] = {3000, 3 * 1048576};

static const struct study_common common = {.target = "/t", .tool_version = "0", .seed = 7};

static struct tree_side tree(void)
{
    struct tree_side t = {
        .options = {.threads = 2,
                    .levels = 2,
                    .branches = 3,
                    .files = 4,
                    .length_bytes = lengths,
                    .lengths = 2,
                    .repeats = 1,
                    .chunk_bytes = 1048576},
        .s = {.common = &common,
              .caps = {.op_kinds = UINT32_MAX, .blocking = true},
              .instrument = {.scheme = "posix", .cache = PLAN_CACHE_DROP},
              .shape = {.seed = 7,
                        .spec = {.shape = FILESET_TREE,
                                 .trees = 2,
                                 .levels = 2,
                                 .branches = 3,
                                 .files = 4}}},
    };
    return t;
}

static void assert_exact(struct plan *plan, const char *name)
{
    char file[64];
    struct text text;
    snprintf(file, sizeof file, "../study/%s", name);
    text_init(&text);
    plan_text(plan, PLAN_FORM_WHOLE, &text);
    exact(file, text.s);
    text_fini(&text);
    plan_free(plan);
}

static struct plan *write_plan(const struct tree_side *t, struct tree_name name)
{
    const struct fileset_spec spec = tree_spec(t, &name);
    struct plan *plan = NULL;
    struct err err = {0};
    if (tree_plan_write(t, &spec, &plan, &err) < 0)
        fail_msg("%s", err.text);
    return plan;
}

static struct plan *read_plan(const struct tree_side *t, struct tree_name name)
{
    const struct fileset_spec spec = tree_spec(t, &name);
    struct plan *plan = NULL;
    struct err err = {0};
    if (tree_plan_read(t, &spec, &plan, &err) < 0)
        fail_msg("%s", err.text);
    return plan;
}

static const struct tree_name small = {.length_bytes = 3000, .repeat = 1, .tree = 1};
static const struct tree_name large = {.length_bytes = 3 * 1048576, .repeat = 2, .tree = 3};

/* Depth first, files right after their directory, each thread in a tree of its own. */
static void dirtest_writes(void **state)
{
    (void)state;
    struct tree_side t = tree();
    assert_exact(write_plan(&t, small), "tree_write");
}

static void every_file_is_synced_if_asked(void **state)
{
    (void)state;
    struct tree_side t = tree();
    t.options.fsync = STUDY_FSYNC_FILE;
    assert_exact(write_plan(&t, large), "tree_write_fsync_file");
}

static void one_sync_ends_the_tree_if_asked(void **state)
{
    (void)state;
    struct tree_side t = tree();
    t.options.fsync = STUDY_FSYNC_END;
    struct plan *plan = write_plan(&t, small);
    assert_true(plan->sync_at_end);
    assert_string_equal(plan->line[plan->sync_line].name, "sync");
    plan_free(plan);
}

static void readtest_reads_in_the_order_of_writing(void **state)
{
    (void)state;
    struct tree_side t = tree();
    assert_exact(read_plan(&t, small), "tree_read");
}

/* O_DIRECT reads whole blocks; a file of 3000 bytes is one of 4096, answered with 3000. */
static void direct_reads_are_of_whole_blocks(void **state)
{
    (void)state;
    struct tree_side t = tree();
    t.s.instrument.cache = PLAN_CACHE_DIRECT;
    t.options.verify = true;
    assert_exact(read_plan(&t, small), "tree_read_direct");
}

/* k trees and n repeats are passes of one plan: only what is written differs. */
static void trees_of_a_row_have_one_plan(void **state)
{
    (void)state;
    struct tree_side t = tree();
    struct plan *first = write_plan(&t, small);
    struct plan *other = write_plan(
        &t, (struct tree_name){.length_bytes = small.length_bytes, .repeat = 3, .tree = 2});
    struct plan *longer = write_plan(&t, large);
    assert_string_equal(first->plan_hash, other->plan_hash);
    assert_true(first->set[0].content_key != other->set[0].content_key);
    assert_true(strcmp(first->workload_hash, longer->workload_hash) != 0);
    plan_free(first);
    plan_free(other);
    plan_free(longer);
}

/* How the cache is kept out is the instrument, not the workload. */
static void cache_mode_is_in_the_plan_hash_only(void **state)
{
    (void)state;
    struct tree_side t = tree();
    struct plan *drop = read_plan(&t, small);
    t.s.instrument.cache = PLAN_CACHE_KEEP;
    struct plan *keep = read_plan(&t, small);
    assert_string_equal(drop->workload_hash, keep->workload_hash);
    assert_true(strcmp(drop->plan_hash, keep->plan_hash) != 0);
    plan_free(drop);
    plan_free(keep);
}

static void a_target_that_cannot_is_refused_before(void **state)
{
    (void)state;
    struct tree_side t = tree();
    const struct fileset_spec spec = tree_spec(&t, &small);
    struct plan *plan = NULL;
    struct err err = {0};
    t.s.caps.op_kinds &= ~(1u << OP_MKDIR);
    assert_int_equal(tree_plan_write(&t, &spec, &plan, &err), -EOPNOTSUPP);
    assert_non_null(strstr(err.text, "mkdir"));
    assert_null(plan);
}

/* ---- sweeps ---- */

static void a_sweep_opens_every_file_once(void **state)
{
    (void)state;
    struct tree_side t = tree();
    const struct fileset_spec spec = tree_spec(&t, &small);
    struct plan *plan = NULL;
    struct err err = {0};
    assert_int_equal(study_plan_sweep(&t.s, &spec, STUDY_SWEEP_RESIDENT, &plan, &err), 0);
    assert_exact(plan, "sweep_resident");
}

/* ---- the plain mix ---- */

static struct io_options mix(void)
{
    return (struct io_options){.read_percent = 70,
                               .blocks = 1,
                               .block = {{8192, 100}},
                               .streams = 3,
                               .size_bytes = 100000,
                               .time_ns = 2000000000,
                               .warmup_ns = 500000000};
}

static struct plan *io_plan(const struct io_options *o)
{
    struct tree_side t = tree();
    struct fileset_spec spec = {.shape = FILESET_FLAT,
                                .trees = 1,
                                .files = io_file_count(o),
                                .content_key = 1,
                                .compress_centi = o->compress_centi};
    struct plan *plan = NULL;
    struct err err = {0};
    int rc = io_file_bytes(o, &spec.size_bytes, &err);
    if (rc == 0)
        rc = io_plan_run(&t.s, o, &spec, &plan, &err);
    if (rc < 0)
        fail_msg("%s", err.text);
    return plan;
}

static void a_mix_branches_by_its_percentage(void **state)
{
    (void)state;
    struct io_options o = mix();
    assert_exact(io_plan(&o), "io_mix");
}

static void a_rate_waits_for_arrivals(void **state)
{
    (void)state;
    struct io_options o = mix();
    o.rate_per_s = 1000;
    o.dist.where = IO_SEQ;
    o.read_percent = 100;
    assert_exact(io_plan(&o), "io_rated_reads");
}

static void nothing_but_writes_needs_no_branch(void **state)
{
    (void)state;
    struct io_options o = mix();
    o.read_percent = 0;
    o.direct = true;
    assert_exact(io_plan(&o), "io_direct_writes");
}

/* One branch per choice but the last, the shares as they are typed; a line for each size. */
static void a_mix_of_sizes_has_a_line_for_each(void **state)
{
    (void)state;
    struct io_options o = mix();
    o.blocks = 2;
    o.block[0] = (struct io_block){4096, 60};
    o.block[1] = (struct io_block){16384, 40};
    o.sync = IO_SYNC_FULL;
    assert_exact(io_plan(&o), "io_block_mix");
}

static void files_that_are_shared_are_opened_by_each_stream(void **state)
{
    (void)state;
    struct io_options o = mix();
    o.files = 2;
    o.dist = (struct io_dist){.where = IO_ZIPF, .skew = 1.1};
    o.compress_centi = 200;
    o.rate_per_s = 1000;
    o.arrival = IO_POISSON;
    o.sync = IO_SYNC_DATA;
    assert_exact(io_plan(&o), "io_zipf_shared");
}

static void files_are_shares_in_whole_blocks(void **state)
{
    (void)state;
    struct io_options o = mix();
    struct err err = {0};
    uint64_t bytes = 0;
    assert_int_equal(io_file_bytes(&o, &bytes, &err), 0);
    assert_int_equal(bytes, 4 * 8192);
    o.size_bytes = 3 * 8192 - 1;
    assert_int_equal(io_file_bytes(&o, &bytes, &err), -EINVAL);
    assert_non_null(strstr(err.text, "--size"));
    assert_int_equal(bytes, 4 * 8192);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dirtest_writes),
        cmocka_unit_test(every_file_is_synced_if_asked),
        cmocka_unit_test(one_sync_ends_the_tree_if_asked),
        cmocka_unit_test(readtest_reads_in_the_order_of_writing),
        cmocka_unit_test(direct_reads_are_of_whole_blocks),
        cmocka_unit_test(trees_of_a_row_have_one_plan),
        cmocka_unit_test(cache_mode_is_in_the_plan_hash_only),
        cmocka_unit_test(a_target_that_cannot_is_refused_before),
        cmocka_unit_test(a_sweep_opens_every_file_once),
        cmocka_unit_test(a_mix_branches_by_its_percentage),
        cmocka_unit_test(a_rate_waits_for_arrivals),
        cmocka_unit_test(nothing_but_writes_needs_no_branch),
        cmocka_unit_test(a_mix_of_sizes_has_a_line_for_each),
        cmocka_unit_test(files_that_are_shared_are_opened_by_each_stream),
        cmocka_unit_test(files_are_shares_in_whole_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
