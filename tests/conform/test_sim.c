/* target.h on modelled systems: submit and reap, and what each op kind does as far as a target that keeps names and
 * sizes only can do it. */
#include "contract.h"
#include "namespace.h"

/* A file of ours is a marker: its content is kept, whatever others are. */
static void markers_are_kept(void **state)
{
    struct rig *r = *state;
    char buf[8] = "marker", got[8] = "";
    uint64_t h = rig_file(r, OP_CREATE, 0, 0, ".loadline");

    assert_int_equal(rig_move(r, OP_WRITE, h, buf, 0, 6), 6);
    assert_int_equal(rig_move(r, OP_READ, h, got, 0, 8), 6);
    assert_string_equal(got, "marker");
    assert_int_equal(rig_shut(r, h), 0);
}

#define LOCAL "sim:nvme-local"

/* Opens of one address are one system, as long as one of them is open. */
static void opens_of_one_address_share_a_system(void **state)
{
    struct rig one, other = {.target = NULL};
    uint64_t now_ns;

    (void)state;
    rig_open(&one, LOCAL, RIG_OPS_MAX);
    make_file(&one, 0, "shared", 5000);
    now_ns = rig_now(&one);
    rig_open_target(&other, LOCAL);
    other.session = rig_session(&other, RIG_OPS_MAX);
    assert_int_equal(rig_now(&other), now_ns);
    rig_close(&one);
    assert_int_equal(stat_of(&other, 0, "shared").size_bytes, 5000);
    assert_true(rig_now(&other) > now_ns);
    rig_close(&other);
    rig_open(&one, LOCAL, RIG_OPS_MAX);
    assert_int_equal(rig_on_name(&one, OP_STAT, 0, "shared"), -ENOENT);
    rig_close(&one);
}

/* What a session holds when it is closed is the caller's again, wherever it was; the others go on. */
static void closing_a_session_gives_up_its_ops(void **state)
{
    struct rig *r = *state;
    struct session *second = rig_session(r, 1000);
    static struct op ops[1000];
    struct op *list[1000];
    uint64_t until_ns = rig_now(r);

    fill_nops(ops, list, 1000);
    for (unsigned i = 0; i < 1000; i++)
        ops[i].client = i;
    assert_int_equal(r->table->submit(second, list, 1000), 1000);
    assert_int_equal(r->table->reap(r->session, list, 1, 1, until_ns + 30000), 0);
    r->table->session_close(second);
    for (unsigned i = 0; i < 1000; i++)
        ops[i].res = 55;
    assert_int_equal(r->table->reap(r->session, list, 1, 1, until_ns + 5000000000u), 0);
    for (unsigned i = 0; i < 1000; i++)
        assert_int_equal(ops[i].res, 55);
    assert_int_equal(rig_on_node(r, OP_NOP, 0), 0);
}

/* A handle of before is not that of the file that has its place now; what is under way when its file is closed goes
 * to its end. */
static void a_file_closed_under_way_goes_when_all_is_done(void **state)
{
    struct rig *r = *state;
    static char buf[1 << 16];
    struct op write = {.kind = OP_WRITE, .buf = buf, .len = sizeof buf};
    struct op shut = {.kind = OP_CLOSE};
    struct op unlink = {.kind = OP_UNLINK, .leaf = "f"};
    struct op *list[] = {&write, &shut, &unlink};
    struct op *done[3];
    uint64_t h = rig_file(r, OP_CREATE, 0, 0, "f");

    write.handle = shut.handle = h;
    assert_int_equal(r->table->submit(r->session, list, 3), 3);
    assert_int_equal(r->table->reap(r->session, done, 3, 3, UINT64_MAX), 3);
    assert_int_equal(write.res, sizeof buf);
    assert_int_equal(shut.res, 0);
    assert_int_equal(unlink.res, 0);
    assert_int_equal(rig_move(r, OP_WRITE, h, buf, 0, 1), -EBADF);
    assert_true(rig_file(r, OP_CREATE, 0, 0, "f") != h);
}

int main(void)
{
    static const struct CMUnitTest own[] = {
        cmocka_unit_test(markers_are_kept),
        cmocka_unit_test(file_without_a_name_is_open_still),
        cmocka_unit_test(lock_is_exclusive_until_close),
        cmocka_unit_test(closing_a_session_gives_up_its_ops),
        cmocka_unit_test(a_file_closed_under_way_goes_when_all_is_done),
    };
    static const struct CMUnitTest alone[] = {
        cmocka_unit_test(opens_of_one_address_share_a_system),
    };
    static struct rig_case cases[] = {{"sim:netapp-f840"},
                                      {LOCAL},
                                      {"fault:sim:netapp-f840"},
                                      {"sim:sun7410-barcelona?protocol=smb"},
                                      {"fault:sim:netapp-f840?latency=exp:1ms"}};

    return rig_run("contract", contract_tests, RIG_COUNT(contract_tests), cases, 5) +
           rig_run("namespace", namespace_tests, RIG_COUNT(namespace_tests), cases, 3) +
           rig_run("of sim", own, RIG_COUNT(own), cases, 2) +
           cmocka_run_group_tests(alone, NULL, NULL);
}
