/* worker_priv.h: a session is told what will be asked of it, and every write says how it is made again. */
#include "unit/worker_rig.h"

#define SEEN_MAX 64

/* The null target, with what it is told kept. */
static struct {
    const struct target_table *real;
    struct session_spec spec;
    unsigned n;
    struct op op[SEEN_MAX];
    unsigned remade; /* writes whose bytes came out the same */
} seen;

static int seen_open(struct target *t, const struct session_spec *spec, struct session **out,
                     struct err *err)
{
    seen.spec = *spec;
    return seen.real->session_open(t, spec, out, err);
}

static bool is_remade(const struct op *op)
{
    const struct target_remake *remake = &seen.spec.remake;
    unsigned char *again = malloc(op->len + 1);
    uint64_t off = op->kind == OP_APPEND ? 0 : op->off;
    assert_non_null(again);
    /* Whole, and a part of it from the middle. */
    remake->fill(remake->ctx, op->origin, off, again, op->len);
    bool same = memcmp(again, op->buf, op->len) == 0;
    remake->fill(remake->ctx, op->origin, off + op->len / 3, again, op->len / 3);
    same &= memcmp(again, (char *)op->buf + op->len / 3, op->len / 3) == 0;
    free(again);
    return same;
}

static int seen_submit(struct session *s, struct op *const ops[], unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        const struct op *op = ops[i];
        assert_true(seen.n < SEEN_MAX);
        seen.op[seen.n++] = *op;
        if (op->flags & OP_FLAG_ORIGIN)
            seen.remade += is_remade(op);
    }
    return seen.real->submit(s, ops, n);
}

/* The setup of streams first … of the plan, on a target that keeps what it is given. */
static void set_up(struct rig *rig, struct plan_builder *b, unsigned first, unsigned streams)
{
    memset(&seen, 0, sizeof seen);
    rig_begin(rig, b);
    seen.real = rig->real;
    rig->table.session_open = seen_open;
    rig->table.submit = seen_submit;
    rig->run.caps.keeps_nothing = false;
    rig->run.caps.uncached = true;
    assert_int_equal(content_open(&rig->run.content, rig->plan->seed, 0), 0);
    rig_set_up(rig, first, streams);
}

static struct plan_builder *begin(uint64_t file_bytes, bool resolve_always)
{
    struct plan_builder *b = plan_new(7);
    const struct fileset_spec set = {
        .shape = FILESET_FLAT, .trees = 1, .files = 8, .size_bytes = file_bytes, .content_key = 3};
    const struct plan_instrument instrument = {
        .scheme = "null", .resolve_always = resolve_always, .cache = PLAN_CACHE_UNCACHED};
    assert_non_null(b);
    plan_instrument(b, &instrument);
    plan_add_set(b, &set);
    return b;
}

static void add_file(struct plan_builder *b, enum op_kind open)
{
    t_add(b, t_pick(PLAN_UNIT_FILE, PLAN_ORDER_OWN, 0));
    t_add(b, t_op(open, PLAN_NO_LINE, 0));
}

static void end_group(struct plan_builder *b)
{
    plan_end_section(b); /* setup */
    t_add(b, t_op(OP_NOP, PLAN_NO_LINE, 0));
    plan_end_section(b);
    plan_end_section(b);
}

static struct plan_step whole_write(uint64_t piece)
{
    struct plan_step step = t_io(OP_WRITE, PLAN_NO_LINE, piece);
    step.whole = true;
    return step;
}

static struct plan_builder *writes(uint64_t file_bytes, struct plan_step step)
{
    struct plan_builder *b = begin(file_bytes, false);
    plan_begin_group(b, "g", 1, 1);
    add_file(b, OP_CREATE);
    t_add(b, step);
    end_group(b);
    return b;
}

static unsigned writes_seen(uint32_t flag)
{
    unsigned n = 0;
    for (unsigned i = 0; i < seen.n; i++)
        if (seen.op[i].kind == OP_WRITE || seen.op[i].kind == OP_APPEND)
            n += (seen.op[i].flags & flag) == flag;
    return n;
}

static void expect_writes(uint64_t file_bytes, struct plan_step step, unsigned n, unsigned all)
{
    struct rig rig;
    set_up(&rig, writes(file_bytes, step), 0, 1);
    assert_int_equal(writes_seen(0), n);
    assert_int_equal(writes_seen(OP_FLAG_ORIGIN), n);
    assert_int_equal(seen.remade, n);
    assert_int_equal(writes_seen(OP_FLAG_ALL), all);
    rig_fini(&rig);
}

/* target.h: OP_FLAG_ORIGIN, session_spec.remake: the same bytes once more, and any part of them. */
static void every_write_can_be_made_again(void **state)
{
    (void)state;
    struct plan_step behind = t_io(OP_WRITE, PLAN_NO_LINE, 3000);
    struct plan_step drawn = t_io(OP_WRITE, PLAN_NO_LINE, 4096);
    behind.at.where = PLAN_AT_POSITION;
    drawn.at.where = PLAN_AT_UNIFORM;
    expect_writes(10000, whole_write(4096), 3, 0);
    expect_writes(65536, drawn, 1, 0);
    expect_writes(2000, behind, 1, 0); /* goes on behind the file's nominal end */
    expect_writes(65536, t_io(OP_APPEND, PLAN_NO_LINE, 5000), 1, 0);
}

/* OP_FLAG_ALL: one op that is all of the file; a piece of a longer one is not. */
static void an_op_that_is_all_of_the_file_says_so(void **state)
{
    (void)state;
    expect_writes(4096, whole_write(4096), 1, 1);
    expect_writes(100, whole_write(4096), 1, 1);
    expect_writes(4097, whole_write(4096), 2, 0);
    expect_writes(4096, t_io(OP_WRITE, PLAN_NO_LINE, 4096), 1, 0); /* others may follow */
}

/* op_kinds are those of all steps, the closing sync too, and no others. */
static void kinds_are_those_of_the_plan(void **state)
{
    (void)state;
    struct rig rig;
    struct plan_builder *b = writes(4096, whole_write(4096));
    plan_sync_at_end(b, plan_add_line(b, "sync", OP_SYNCFS, false));
    set_up(&rig, b, 0, 1);
    assert_int_equal(seen.spec.op_kinds,
                     1u << OP_CREATE | 1u << OP_WRITE | 1u << OP_NOP | 1u << OP_SYNCFS);
    rig_fini(&rig);
}

/* clients: those of the worker's own streams; an op's client lies among them. */
static void clients_are_those_of_the_workers_streams(void **state)
{
    (void)state;
    struct rig rig;
    struct plan_builder *b = begin(4096, true);
    plan_begin_group(b, "g", 8, 4);
    add_file(b, OP_OPEN);
    end_group(b);
    set_up(&rig, b, 3, 3); /* streams 3, 4 and 5: clients 1 and 2 */
    assert_int_equal(seen.spec.client_first, 1);
    assert_int_equal(seen.spec.clients, 2);
    for (unsigned i = 0; i < seen.n; i++)
        assert_in_range(seen.op[i].client, 1, 2);
    assert_true(seen.spec.resolve_always);
    rig_fini(&rig);
}

/* A client of our own keeps every directory of the plan, since each it forgets costs a call. */
static void all_directories_are_kept_where_none_is_open(void **state)
{
    (void)state;
    const struct fileset_spec tree = {
        .shape = FILESET_TREE, .trees = 2, .levels = 3, .branches = 10, .files = 1};
    struct plan plan = {.sets = 1, .set = (struct fileset_spec *)(uintptr_t)&tree};
    struct target_caps caps = {.uncached = true};
    assert_true(engine_dirs_max(&plan, &caps, 1) >= 2 * (1 + 10 + 100 + 1000));
    caps.uncached = false;
    assert_int_equal(engine_dirs_max(&plan, &caps, 1), 64);
    assert_int_equal(engine_dirs_max(&plan, &caps, 100), 200);
    assert_int_equal(engine_dirs_max(&plan, &caps, 1000000), 4096);
    caps.blocking = true;
    assert_int_equal(engine_dirs_max(&plan, &caps, 1), 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_write_can_be_made_again),
        cmocka_unit_test(an_op_that_is_all_of_the_file_says_so),
        cmocka_unit_test(kinds_are_those_of_the_plan),
        cmocka_unit_test(clients_are_those_of_the_workers_streams),
        cmocka_unit_test(all_directories_are_kept_where_none_is_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
