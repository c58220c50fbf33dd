/* build.h: the canonical form of plans, and the two hashes over it. */
#include "base/digest.h"
#include "golden/exact.h"
#include "truth/trees.h"

static void assert_exact(struct plan *plan, const char *name)
{
    char file[64];
    struct text text;
    snprintf(file, sizeof file, "../plan/%s", name);
    text_init(&text);
    plan_text(plan, PLAN_FORM_WHOLE, &text);
    exact(file, text.s);
    text_fini(&text);
    plan_free(plan);
}

static const struct fileset_spec small_tree = {
    .shape = FILESET_TREE, .trees = 16, .levels = 3, .branches = 4, .files = 4, .size_bytes = 1024};

static uint16_t add_read_line(struct plan_builder *b)
{
    return plan_add_line(b, "read", OP_READ, false);
}

/* ---- golden ---- */

static void add_root_section(struct plan_builder *b)
{
    struct plan_step pick = t_pick(PLAN_UNIT_ROOT, PLAN_ORDER_OWN, 2);
    pick.to = 2;
    struct plan_step make = t_op(OP_MKDIR, PLAN_NO_LINE, 2);
    make.absent_ok = true;
    t_add(b, pick);
    t_add(b, make);
    plan_end_section(b);
}

/* Writing a tree, the files of each directory behind its making; one sync at the end. */
static void a_tree_is_written(void **state)
{
    (void)state;
    struct plan_builder *b = plan_new(2001);
    plan_instrument(b, &(struct plan_instrument){.scheme = "posix"});
    plan_add_set(b, &small_tree);
    plan_begin_group(b, "write", 16, 1);
    add_root_section(b);
    struct plan_step dir = t_pick(PLAN_UNIT_DIR, PLAN_ORDER_OWN, 0);
    struct plan_step file = t_pick(PLAN_UNIT_FILE, PLAN_ORDER_OWN, 1);
    struct plan_step write = t_op(OP_WRITE, plan_add_line(b, "write", OP_WRITE, false), 1);
    dir.to = file.to = 8;
    write.io_bytes = 1024;
    write.whole = true;
    t_add(b, dir);
    t_add(b, t_op(OP_MKDIR, plan_add_line(b, "mkdir", OP_MKDIR, false), 0));
    t_add(b, file);
    t_add(b, t_op(OP_CREATE, plan_add_line(b, "create", OP_CREATE, false), 1));
    t_add(b, write);
    t_add(b, t_op(OP_CLOSE, plan_add_line(b, "close", OP_CLOSE, false), 1));
    t_add(b, t_loop(2, 4, 0));
    t_add(b, t_loop(0, 0, 1));
    plan_end_section(b);
    plan_end_section(b);
    plan_sync_at_end(b, plan_add_line(b, "sync", OP_SYNCFS, false));
    assert_exact(truth_freeze(b, "posix:/"), "tree_write");
}

static void a_tree_is_read_and_verified(void **state)
{
    (void)state;
    struct plan_builder *b = plan_new(2001);
    plan_instrument(b, &(struct plan_instrument){
                           .scheme = "posix", .direct = true, .cache = PLAN_CACHE_DIRECT});
    plan_add_set(b, &small_tree);
    plan_begin_group(b, "read", 16, 4);
    plan_end_section(b);
    struct plan_step file = t_pick(PLAN_UNIT_FILE, PLAN_ORDER_STRIDE, 0);
    struct plan_step open = t_op(OP_OPEN, plan_add_line(b, "open", OP_OPEN, false), 0);
    struct plan_step read = t_io(OP_READ, add_read_line(b), 512);
    file.to = 5;
    open.op_flags = OP_FLAG_READ | OP_FLAG_DIRECT | OP_FLAG_DSYNC;
    read.whole = true;
    read.verify = true;
    t_add(b, file);
    t_add(b, open);
    t_add(b, read);
    t_add(b, t_op(OP_CLOSE, PLAN_NO_LINE, 0));
    t_add(b, t_loop(0, 0, 0));
    plan_end_section(b);
    plan_end_section(b);
    assert_exact(truth_freeze(b, "posix:/"), "tree_read");
}

/* 70 % reads, 30 % writes, at a rate; two schedules, two groups. */
static void a_tree_is_walked(void **state)
{
    (void)state;
    struct plan_builder *b = tree_walk(&small_tree, 32768);
    plan_instrument(b, &(struct plan_instrument){.scheme = "posix"});
    assert_exact(truth_freeze(b, "posix:/"), "tree_walk");
}

static void a_rated_mix(void **state)
{
    (void)state;
    const struct fileset_spec spec = {
        .shape = FILESET_FLAT, .trees = 1, .files = 8, .size_bytes = 1 << 20};
    struct plan_builder *b = truth_reads((struct reads){.streams = 3,
                                                        .rate_per_s = 333.25,
                                                        .arrival = PLAN_ARRIVAL_POISSON,
                                                        .warmup_ns = SEC_NS,
                                                        .measure_ns = 5 * (uint64_t)SEC_NS,
                                                        .seed = 42,
                                                        .where = PLAN_AT_UNIFORM});
    uint16_t set = plan_add_set(b, &spec);
    struct plan_step pick = t_pick(PLAN_UNIT_FILE, PLAN_ORDER_OWN, 0);
    struct plan_step branch = {.kind = PLAN_BRANCH, .to = 4, .chance = 3006477107u};
    struct plan_step arrive = {.kind = PLAN_ARRIVE};
    arrive.schedule = plan_add_schedule(b, &(struct plan_schedule){.rate_per_s = 5000});
    pick.set = set;
    plan_begin_group(b, "mix", 8, 2);
    t_add(b, pick);
    t_add(b, t_op(OP_OPEN, PLAN_NO_LINE, 0));
    plan_step_to(b, 0, 2);
    plan_end_section(b);
    t_add(b, arrive);
    t_add(b, branch);
    t_add(b, t_io(OP_WRITE, plan_add_line(b, "write", OP_WRITE, true), 8192));
    t_add(b, t_loop(0, 0, 0));
    t_add(b, t_io(OP_READ, plan_add_line(b, "read", OP_READ, true), 8192));
    t_add(b, t_loop(0, 0, 0));
    plan_end_section(b);
    t_add(b, t_op(OP_CLOSE, PLAN_NO_LINE, 0));
    plan_end_section(b);
    assert_exact(truth_freeze(b, "null:"), "rated_mix");
}

/* Every kind of step and op that a plan can hold is written down by name. */
static void all_ops(void **state)
{
    (void)state;
    struct plan_builder *b = plan_new(UINT64_MAX);
    plan_add_set(b, &small_tree);
    plan_begin_group(b, "ops", 1, 1);
    t_add(b, t_pick(PLAN_UNIT_FILE, PLAN_ORDER_OWN, 0));
    plan_end_section(b);
    for (unsigned op = 0; op < OP_KINDS; op++) {
        if (op == OP_APPEND || op == OP_DISCARD || op == OP_RENAME || op == OP_READDIR)
            continue;
        struct plan_step step = t_op((enum op_kind)op, PLAN_NO_LINE, 0);
        step.io_bytes = 256;
        t_add(b, step);
    }
    plan_end_section(b);
    plan_end_section(b);
    assert_exact(truth_freeze(b, "posix:/"), "all_ops");
}

/* ---- hashes ---- */

struct variant {
    uint64_t seed;
    struct plan_instrument instrument;
    uint32_t open_flags;
    uint64_t block;
    uint32_t streams;
    uint64_t interval_ns;
    uint16_t counter;
    uint64_t whole; /* file size; 0: blocks of a large file */
};

static const struct variant usual = {.seed = 1,
                                     .instrument = {.scheme = "posix"},
                                     .block = 4096,
                                     .streams = 2,
                                     .interval_ns = 100 * MS_NS};

static struct plan *make(struct variant v)
{
    const struct plan_window window = {.measure_ns = SEC_NS, .interval_ns = v.interval_ns};
    const struct fileset_spec spec = {
        .shape = FILESET_FLAT, .trees = 1, .files = 2, .size_bytes = v.whole ? v.whole : 1 << 20};
    struct plan_builder *b = plan_new(v.seed);
    struct plan_step read = t_io(OP_READ, 0, v.block);
    struct plan_step open = t_op(OP_OPEN, PLAN_NO_LINE, 0);
    open.op_flags = v.open_flags;
    plan_instrument(b, &v.instrument);
    plan_window(b, &window);
    plan_add_set(b, &spec);
    plan_begin_group(b, "g", v.streams, 1);
    t_add(b, t_pick(PLAN_UNIT_FILE, PLAN_ORDER_OWN, 0));
    t_add(b, open);
    plan_end_section(b);
    read.line = add_read_line(b);
    read.whole = v.whole > 0;
    t_add(b, read);
    t_add(b, t_loop(0, 3, 0));
    t_add(b, t_loop(0, 3, v.counter));
    plan_end_section(b);
    plan_end_section(b);
    return truth_freeze(b, "posix:/");
}

static void assert_hashes_of(struct variant u, struct variant v, bool same_workload, bool same_plan)
{
    struct plan *a = make(u);
    struct plan *b = make(v);
    assert_int_equal(strcmp(a->workload_hash, b->workload_hash) == 0, same_workload);
    assert_int_equal(strcmp(a->plan_hash, b->plan_hash) == 0, same_plan);
    plan_free(a);
    plan_free(b);
}

static void assert_hashes(struct variant v, bool same_workload, bool same_plan)
{
    assert_hashes_of(usual, v, same_workload, same_plan);
}

/* The workload hash covers what is asked and the seed; the plan hash adds the
 * instrument. */
static void the_instrument_changes_the_plan_hash_alone(void **state)
{
    (void)state;
    struct variant v = usual;
    assert_hashes(v, true, true);
    snprintf(v.instrument.scheme, sizeof v.instrument.scheme, "uring");
    assert_hashes(v, true, false);
    v = usual;
    v.instrument.direct = true;
    assert_hashes(v, true, false);
    v = usual;
    v.instrument.cache = PLAN_CACHE_DROP;
    assert_hashes(v, true, false);
    v = usual;
    v.instrument.resolve_always = true;
    assert_hashes(v, true, false);
    v = usual;
    v.open_flags = OP_FLAG_DIRECT;
    assert_hashes(v, true, false);
}

/* What was wrong: files of 100 bytes read directly, in whole sectors, were another workload, and so
 * never comparable with the same files read through the cache. */
static void whole_sectors_behind_the_end_are_the_instruments(void **state)
{
    (void)state;
    struct variant cached = usual, direct = usual;
    cached.whole = direct.whole = 100;
    cached.block = 100;
    direct.open_flags = OP_FLAG_DIRECT;
    assert_hashes_of(cached, direct, true, false);
    cached.whole = direct.whole = 100000;
    assert_hashes_of(cached, direct, false, false);
}

static void the_seed_changes_both(void **state)
{
    (void)state;
    struct variant v = usual;
    v.seed = 2;
    assert_hashes(v, false, false);
}

static void what_is_asked_changes_both(void **state)
{
    (void)state;
    struct variant v = usual;
    v.block = 8192;
    assert_hashes(v, false, false);
    v = usual;
    v.streams = 3;
    assert_hashes(v, false, false);
    v = usual;
    v.open_flags = OP_FLAG_DSYNC;
    assert_hashes(v, false, false);
    v = usual;
    v.open_flags = OP_FLAG_READ;
    assert_hashes(v, false, false);
}

/* What was wrong: nested loops that share a counter do something else, and had the same text. */
static void the_counters_of_loops_change_both(void **state)
{
    (void)state;
    struct variant v = usual;
    v.counter = 1;
    assert_hashes(v, false, false);
}

/* How finely a run is recorded is not what was asked of the target. */
static void the_interval_changes_neither(void **state)
{
    (void)state;
    struct variant v = usual;
    v.interval_ns = 50 * MS_NS;
    assert_hashes(v, true, true);
}

/* build.h: one form is under the workload hash, one under the plan hash. */
static void the_hashes_are_those_of_the_text(void **state)
{
    (void)state;
    struct plan *plan = make(usual);
    char hex[DIGEST_HEX_MAX];
    struct text text;
    text_init(&text);
    plan_text(plan, PLAN_FORM_WORKLOAD, &text);
    assert_string_equal(plan->workload_hash, digest_sha256(text.s, text.len, hex));
    assert_null(strstr(text.s, "instrument"));
    text_clear(&text);
    plan_text(plan, PLAN_FORM_WHOLE, &text);
    assert_string_equal(plan->plan_hash, digest_sha256(text.s, text.len, hex));
    text_fini(&text);
    plan_free(plan);
}

static void caches_have_names(void **state)
{
    (void)state;
    static const char *const names[] = {"keep",       "drop",     "direct", "ram",
                                        "unverified", "uncached", "none"};
    for (unsigned i = 0; i < TRUTH_COUNT(names); i++)
        assert_string_equal(plan_cache_name((enum plan_cache)i), names[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tree_is_written),
        cmocka_unit_test(a_tree_is_read_and_verified),
        cmocka_unit_test(a_tree_is_walked),
        cmocka_unit_test(a_rated_mix),
        cmocka_unit_test(all_ops),
        cmocka_unit_test(the_instrument_changes_the_plan_hash_alone),
        cmocka_unit_test(whole_sectors_behind_the_end_are_the_instruments),
        cmocka_unit_test(the_seed_changes_both),
        cmocka_unit_test(what_is_asked_changes_both),
        cmocka_unit_test(the_counters_of_loops_change_both),
        cmocka_unit_test(the_interval_changes_neither),
        cmocka_unit_test(the_hashes_are_those_of_the_text),
        cmocka_unit_test(caches_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
