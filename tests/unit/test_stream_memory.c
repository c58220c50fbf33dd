/* engine.h, memory.c: what a stream costs besides what it asks for, and which streams share a buffer. */
#include "unit/worker_rig.h"

#define STREAM_BYTES_MAX 512 /* with what its client keeps of an op under way: 1 KiB */

static struct plan_builder *reads(uint32_t streams, bool verify)
{
    struct plan_builder *b = plan_new(1);
    const struct plan_window window = {.measure_ns = SEC_NS, .interval_ns = SEC_NS};
    const struct fileset_spec spec = {
        .shape = FILESET_FLAT, .trees = 1, .files = streams, .size_bytes = 65536};
    assert_non_null(b);
    struct plan_step read = t_io(OP_READ, plan_add_line(b, "read", OP_READ, false), 4096);
    read.whole = read.verify = verify;
    plan_window(b, &window);
    plan_add_set(b, &spec);
    plan_begin_group(b, "g", streams, 1);
    t_add(b, t_pick(PLAN_UNIT_FILE, PLAN_ORDER_OWN, 0));
    t_add(b, t_op(OP_OPEN, PLAN_NO_LINE, 0));
    plan_end_section(b);
    t_add(b, read);
    t_add(b, t_loop(0, 0, 0));
    plan_end_section(b);
    plan_end_section(b);
    return b;
}

static struct target_caps caps_of(bool blocking)
{
    struct target_caps caps = truth_caps("null:");
    caps.keeps_nothing = false;
    caps.blocking = blocking;
    return caps;
}

static struct plan *freeze(struct plan_builder *b, const struct target_caps *caps)
{
    struct plan *plan = NULL;
    struct err err = {0};
    if (plan_freeze(b, caps, &plan, &err) < 0)
        fail_msg("%s", err.text);
    return plan;
}

static uint64_t memory(uint32_t streams, bool verify, const struct target_caps *caps)
{
    struct plan *plan = freeze(reads(streams, verify), caps);
    uint64_t bytes = engine_memory(plan, caps, 1);
    plan_free(plan);
    return bytes;
}

/* 10,000 streams of 4 KiB reads that nobody looks at have one buffer together. */
static void ten_thousand_streams_take_little(void **state)
{
    (void)state;
    struct target_caps caps = caps_of(false);
    uint64_t each = (memory(10001, false, &caps) - memory(1, false, &caps)) / 10000;
    assert_true(each <= STREAM_BYTES_MAX + sizeof(struct slot) + sizeof(uint32_t) +
                            280 /* of an open file */);
    assert_true(sizeof(struct stream) <= STREAM_BYTES_MAX - 2 * sizeof(void *));
}

/* Where the content is looked at, and where each stream has a thread, each has its own. */
static void who_looks_has_a_buffer(void **state)
{
    (void)state;
    struct target_caps caps = caps_of(false);
    assert_true((memory(11, true, &caps) - memory(1, true, &caps)) / 10 >= 4096);
    caps = caps_of(true);
    assert_true((memory(11, false, &caps) - memory(1, false, &caps)) / 10 >= 4096);
}

/* The same memory, and no more of it than one of them needs. */
static void streams_that_share_have_the_same(void **state)
{
    (void)state;
    struct rig rig;
    rig_begin(&rig, reads(3, false));
    rig.run.caps.keeps_nothing = false;
    rig_set_up(&rig, 0, 3);
    const struct worker *w = rig.worker;
    assert_int_equal(w->room.buffers_bytes, 4096);
    for (unsigned i = 0; i < 3; i++)
        assert_ptr_equal(w->stream[i].buf, w->room.buffers);
    rig_fini(&rig);
}

/* A group that writes keeps its own beside one that only reads. */
static void groups_share_or_not_each_by_itself(void **state)
{
    (void)state;
    struct rig rig;
    struct plan_builder *b = reads(2, false);
    plan_begin_group(b, "writers", 2, 1);
    t_add(b, t_pick(PLAN_UNIT_FILE, PLAN_ORDER_STRIDE, 0));
    t_add(b, t_op(OP_OPEN, PLAN_NO_LINE, 0));
    plan_end_section(b);
    t_add(b, t_io(OP_WRITE, plan_add_line(b, "write", OP_WRITE, false), 8192));
    t_add(b, t_loop(0, 0, 0));
    plan_end_section(b);
    plan_end_section(b);
    rig_begin(&rig, b);
    rig.run.caps.keeps_nothing = false;
    rig_set_up(&rig, 0, 4);
    const struct stream *s = rig.worker->stream;
    assert_int_equal(rig.worker->room.buffers_bytes, 4096 + 2 * 8192);
    assert_ptr_equal(s[0].buf, s[1].buf);
    assert_ptr_equal(s[2].buf, s[0].buf + 4096);
    assert_ptr_equal(s[3].buf, s[2].buf + 8192);
    rig_fini(&rig);
}

/* Where data is not kept none is made, and nobody has memory for it, writers neither. */
static void what_keeps_no_data_needs_no_buffers(void **state)
{
    (void)state;
    struct rig rig;
    struct plan_builder *b = plan_new(1);
    const struct fileset_spec spec = {
        .shape = FILESET_FLAT, .trees = 1, .files = 2, .size_bytes = 65536};
    plan_add_set(b, &spec);
    plan_begin_group(b, "writers", 2, 1);
    t_add(b, t_pick(PLAN_UNIT_FILE, PLAN_ORDER_STRIDE, 0));
    t_add(b, t_op(OP_OPEN, PLAN_NO_LINE, 0));
    plan_end_section(b);
    t_add(b, t_io(OP_WRITE, plan_add_line(b, "write", OP_WRITE, false), 8192));
    t_add(b, t_loop(0, 0, 0));
    plan_end_section(b);
    plan_end_section(b);
    rig_begin(&rig, b);
    rig.run.caps.keeps_nothing = false;
    rig.run.caps.keeps_no_data = true;
    rig_set_up(&rig, 0, 2);
    assert_int_equal(rig.worker->room.buffers_bytes, 0);
    assert_null(rig.worker->stream[0].buf);
    assert_null(rig.worker->stream[1].op.buf);
    rig_fini(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_thousand_streams_take_little),
        cmocka_unit_test(who_looks_has_a_buffer),
        cmocka_unit_test(streams_that_share_have_the_same),
        cmocka_unit_test(groups_share_or_not_each_by_itself),
        cmocka_unit_test(what_keeps_no_data_needs_no_buffers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
