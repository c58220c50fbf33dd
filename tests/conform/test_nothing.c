/* target.h, targets that keep nothing: every op is answered, none has an effect. */
#include "rig.h"

#include <errno.h>

static void data_ops_return_len(void **state)
{
    static const enum op_kind kinds[] = {OP_READ, OP_WRITE, OP_APPEND};
    struct rig *r = *state;
    char buf[8] = "as it is";

    assert_true(r->caps.keeps_nothing);
    for (size_t i = 0; i < RIG_COUNT(kinds); i++)
        assert_int_equal(rig_move(r, kinds[i], 1, buf, 1 << 30, sizeof buf), sizeof buf);
    assert_memory_equal(buf, "as it is", sizeof buf);
}

static void open_and_create_give_handles(void **state)
{
    struct rig *r = *state;
    uint64_t first = rig_file(r, OP_CREATE, 0, 0, "f");
    uint64_t second = rig_file(r, OP_OPEN, 0, 99, "f");

    assert_true(first != second);
    assert_int_equal(rig_shut(r, first), 0);
    assert_int_equal(rig_shut(r, second), 0);
}

static void all_other_ops_succeed_but_for_the_cache(void **state)
{
    struct rig *r = *state;

    for (unsigned kind = 0; kind < OP_KINDS; kind++) {
        int64_t lacks = kind == OP_EVICT || kind == OP_RESIDENT ? -EOPNOTSUPP : 0;

        assert_int_equal(rig_on_node(r, (enum op_kind)kind, 1), lacks);
        assert_int_equal(r->caps.op_kinds >> kind & 1, lacks == 0);
    }
}

static void stat_answers_something_defined(void **state)
{
    struct rig *r = *state;
    struct target_stat st;
    struct op op = {.kind = OP_STAT, .buf = &st};

    memset(&st, 0xff, sizeof st);
    assert_int_equal(rig_do(r, &op), 0);
    assert_int_equal(st.size_bytes, 0);
    assert_int_equal(st.type, TARGET_TYPE_OTHER);
}

#define MANY 10000

/* One session holds as many ops as it was opened for. */
static void ten_thousand_ops_are_held_at_once(void **state)
{
    struct rig *r = *state;
    struct op *ops = calloc(MANY, sizeof *ops);
    struct op **list = calloc(MANY, sizeof *list);
    struct op **done = calloc(MANY, sizeof *done);
    int n = 0;

    assert_true(ops && list && done);
    r->table->session_close(r->session);
    r->session = rig_session(r, MANY);
    for (int i = 0; i < MANY; i++) {
        ops[i] = (struct op){.kind = OP_READ, .len = (uint64_t)i};
        list[i] = &ops[i];
    }
    assert_int_equal(r->table->submit(r->session, list, MANY), MANY);
    assert_int_equal(r->table->submit(r->session, list, 1), 0);
    while (n < MANY)
        n += r->table->reap(r->session, done + n, 1, (unsigned)(MANY - n), UINT64_MAX);
    for (int i = 0; i < MANY; i++)
        assert_int_equal(ops[i].res, i);
    free(ops);
    free(list);
    free(done);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_ops_return_len),
        cmocka_unit_test(open_and_create_give_handles),
        cmocka_unit_test(all_other_ops_succeed_but_for_the_cache),
        cmocka_unit_test(stat_answers_something_defined),
        cmocka_unit_test(ten_thousand_ops_are_held_at_once),
    };
    static struct rig_case cases[] = {
        {"null:"},
        {"fault:null:"},
        {"fault:null:?clock=virtual"},
        {"fault:null:?latency=exp:1ms&clock=virtual"},
    };

    return rig_run("nothing", tests, RIG_COUNT(tests), cases, RIG_COUNT(cases));
}
