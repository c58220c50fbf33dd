/* conform/contract.h — submit, reap and wake: the same sentences of target.h hold for every target.
 * Shape    CONTRACT_TESTS is a table of tests, for rig_run.          Threads  see rig.h. */
#ifndef LOADLINE_CONFORM_CONTRACT_H
#define LOADLINE_CONFORM_CONTRACT_H

#include "rig.h"

#include <errno.h>
#include <pthread.h>

static void fill_nops(struct op *ops, struct op **list, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        ops[i] = (struct op){.kind = OP_NOP, .res = 77, .user = &ops[i]};
        list[i] = &ops[i];
    }
}

/* An accepted op completes exactly once, through reap of the session that accepted it. */
static void accepted_op_completes_exactly_once(void **state)
{
    enum { OPS = 1000 };
    struct rig *r = *state;
    static struct op ops[OPS];
    static struct op *list[OPS];
    static unsigned seen[OPS];
    unsigned offered = 0;
    unsigned reaped = 0;

    fill_nops(ops, list, OPS);
    memset(seen, 0, sizeof seen);
    while (reaped < OPS) {
        unsigned want = 1 + offered % 7;
        struct op *done[RIG_OPS_MAX];
        int n;

        if (want > OPS - offered)
            want = OPS - offered;
        n = r->table->submit(r->session, &list[offered], want);
        assert_in_range(n, 0, want);
        offered += (unsigned)n;
        n = r->table->reap(r->session, done, offered > reaped, RIG_OPS_MAX, UINT64_MAX);
        assert_in_range(n, 0, RIG_OPS_MAX);
        for (int i = 0; i < n; i++)
            seen[(struct op *)done[i]->user - ops]++;
        reaped += (unsigned)n;
        assert_true(reaped <= offered);
    }
    for (unsigned i = 0; i < OPS; i++) {
        assert_int_equal(seen[i], 1);
        assert_int_equal(ops[i].res, 0);
    }
    assert_int_equal(r->table->reap(r->session, list, 0, OPS, UINT64_MAX), 0);
}

/* Submit takes ops[0 … k−1]; the rest is untouched, and taken when offered again after a reap. */
static void refusal_is_a_partial_accept(void **state)
{
    enum { OPS = RIG_OPS_MAX + 2 };
    struct rig *r = *state;
    struct op ops[OPS];
    struct op *list[OPS];
    struct op *done[OPS];
    unsigned room = r->caps.blocking ? 1 : RIG_OPS_MAX;
    int n;

    fill_nops(ops, list, OPS);
    assert_int_equal(r->table->submit(r->session, list, OPS), room);
    for (unsigned i = room; i < OPS; i++)
        assert_int_equal(ops[i].res, 77);
    assert_int_equal(r->table->submit(r->session, &list[room], OPS - room), 0);
    n = r->table->reap(r->session, done, 1, OPS, UINT64_MAX);
    assert_in_range(n, 1, room);
    assert_true(r->table->submit(r->session, &list[room], OPS - room) > 0);
}

static void what_was_asked_is_untouched(void **state)
{
    struct rig *r = *state;
    char buf[16];
    struct op op = {.kind = OP_READ,
                    .flags = 0x80,
                    .client = 9,
                    .node = 3,
                    .leaf = "leaf",
                    .buf = buf,
                    .off = 11,
                    .len = sizeof buf,
                    .handle = RIG_BAD_FD,
                    .user = &buf};

    rig_do(r, &op);
    assert_int_equal(op.kind, OP_READ);
    assert_int_equal(op.flags, 0x80);
    assert_int_equal(op.client, 9);
    assert_int_equal(op.node, 3);
    assert_string_equal(op.leaf, "leaf");
    assert_ptr_equal(op.buf, buf);
    assert_int_equal(op.off, 11);
    assert_int_equal(op.len, sizeof buf);
    assert_true(op.handle == RIG_BAD_FD);
    assert_ptr_equal(op.user, &buf);
    assert_int_equal(op.extra, 0);
}

/* Up to max, and no more. */
static void reap_takes_at_most_max(void **state)
{
    struct rig *r = *state;
    struct op ops[3];
    struct op *list[3];
    struct op *done[3];
    unsigned held;

    fill_nops(ops, list, 3);
    held = (unsigned)r->table->submit(r->session, list, 3);
    assert_int_equal(r->table->reap(r->session, done, 0, 0, UINT64_MAX), 0);
    for (; held > 0; held--)
        assert_int_equal(r->table->reap(r->session, done, 1, 1, UINT64_MAX), 1);
    assert_int_equal(r->table->reap(r->session, done, 0, 3, UINT64_MAX), 0);
}

/* Fewer than min when nothing more is held: it would wait for ever otherwise. */
static void reap_returns_when_all_is_done(void **state)
{
    struct rig *r = *state;
    struct op ops[3];
    struct op *list[3];
    struct op *done[8];
    int held;

    fill_nops(ops, list, 3);
    held = r->table->submit(r->session, list, 3);
    assert_int_equal(r->table->reap(r->session, done, 8, 8, UINT64_MAX), held);
}

static void reap_of_nothing_waits_until_the_time(void **state)
{
    struct rig *r = *state;
    struct op *done[1];
    uint64_t until_ns = rig_now(r) + 3000000;

    assert_int_equal(r->table->reap(r->session, done, 1, 1, until_ns), 0);
    assert_true(rig_now(r) >= until_ns);
    if (r->caps.own_clock)
        assert_int_equal(rig_now(r), until_ns);
}

static void reap_returns_when_the_time_has_passed(void **state)
{
    struct rig *r = *state;
    struct op *done[1];
    uint64_t now_ns = rig_now(r);

    assert_int_equal(r->table->reap(r->session, done, 1, 1, 0), 0);
    assert_int_equal(r->table->reap(r->session, done, 0, 1, UINT64_MAX), 0);
    assert_true(rig_now(r) >= now_ns);
    if (r->caps.own_clock)
        assert_int_equal(rig_now(r), now_ns);
}

/* Any number of wakes make one reap return, and not the one after it. */
static void wake_is_sticky_and_taken_once(void **state)
{
    struct rig *r = *state;
    struct op *done[1];
    uint64_t until_ns;

    r->table->wake(r->session);
    r->table->wake(r->session);
    assert_int_equal(r->table->reap(r->session, done, 1, 1, UINT64_MAX), 0);
    until_ns = rig_now(r) + 2000000;
    assert_int_equal(r->table->reap(r->session, done, 1, 1, until_ns), 0);
    assert_true(rig_now(r) >= until_ns);
}

static void *wake_it(void *rig)
{
    struct rig *r = rig;
    struct timespec little = {.tv_nsec = 5000000};

    nanosleep(&little, NULL);
    r->table->wake(r->session);
    return NULL;
}

static void wake_reaches_a_waiting_reap(void **state)
{
    struct rig *r = *state;
    struct op *done[1];
    pthread_t thread;

    for (int i = 0; i < 3; i++) {
        assert_int_equal(pthread_create(&thread, NULL, wake_it, r), 0);
        assert_int_equal(r->table->reap(r->session, done, 1, 1, UINT64_MAX), 0);
        pthread_join(thread, NULL);
    }
}

/* Preparing with target_do between a wake and the reap that it is meant for. */
static void wake_survives_target_do(void **state)
{
    struct rig *r = *state;
    struct op *done[1];

    r->table->wake(r->session);
    assert_int_equal(rig_on_node(r, OP_NOP, 0), 0);
    assert_int_equal(r->table->reap(r->session, done, 1, 1, UINT64_MAX), 0);
}

static void unknown_kind_is_not_supported(void **state)
{
    struct rig *r = *state;

    assert_int_equal(rig_on_node(r, OP_KINDS, 0), -EOPNOTSUPP);
    for (unsigned kind = 0; kind < OP_KINDS; kind++) {
        int64_t res;

        if (kind == OP_STAT || kind == OP_SYNCFS)
            continue; /* would act on the root */
        res = rig_on_handle(r, (enum op_kind)kind, RIG_BAD_FD, 0, 0);
        assert_int_equal(res == -EOPNOTSUPP, (r->caps.op_kinds >> kind & 1) == 0);
    }
}

/* A session belongs to the thread that opens it; two at once are independent. */
static void *open_and_do(void *rig)
{
    const struct rig *r = rig;
    struct rig own = *r;

    own.session = rig_session(r, RIG_OPS_MAX);
    for (int i = 0; i < 100; i++)
        assert_int_equal(rig_on_node(&own, OP_NOP, 0), 0);
    own.table->session_close(own.session);
    return NULL;
}

/* Time that one session moves has passed for the other; what is done meanwhile is handed out to whose it is. */
static void share_a_clock(struct rig *r, struct session *second)
{
    struct op op = {.kind = OP_NOP};
    struct op *list = &op;
    struct op *done = NULL;
    uint64_t until_ns = rig_now(r) + 10000000000u;

    assert_int_equal(r->table->submit(second, &list, 1), 1);
    assert_int_equal(r->table->reap(r->session, &done, 1, 1, until_ns), 0);
    assert_int_equal(rig_now(r), until_ns);
    assert_int_equal(r->table->reap(second, &done, 1, 1, UINT64_MAX), 1);
    assert_ptr_equal(done, &op);
    assert_true(rig_now(r) >= until_ns);
}

static void sessions_are_independent(void **state)
{
    struct rig *r = *state;
    struct session_spec spec = rig_spec(1);
    struct session *second = NULL;
    struct err err = {0};
    pthread_t thread;

    if (r->caps.own_clock) {
        int rc = r->table->session_open(r->target, &spec, &second, &err);

        if (rc < 0) { /* one only, and none is made */
            assert_int_equal(rc, -EBUSY);
            assert_null(second);
            assert_int_equal(err.code, -EBUSY);
            r->table->session_close(r->session);
            r->session = NULL;
        } else {
            share_a_clock(r, second);
            r->table->session_close(second);
        }
    }
    assert_int_equal(pthread_create(&thread, NULL, open_and_do, r), 0);
    pthread_join(thread, NULL);
}

struct facts {
    unsigned n;
};

static void take_fact(void *ctx, const char *key, const char *value, const char *unit)
{
    struct facts *facts = ctx;

    assert_true(key[0] != '\0' && strlen(key) < 48 && strpbrk(key, " \n") == NULL);
    assert_non_null(value);
    assert_null(strchr(value, '\n'));
    assert_true(strcmp(unit, "") == 0 || strcmp(unit, "bytes") == 0 || strcmp(unit, "ops") == 0 ||
                strcmp(unit, "ns") == 0);
    facts->n++;
}

static void describe_gives_keys_values_and_units(void **state)
{
    struct rig *r = *state;
    struct facts facts = {0};
    const struct target_sink sink = {.put = take_fact, .ctx = &facts};

    r->table->describe(r->target, &sink);
    assert_true(facts.n > 0);
    if (r->table->counters != NULL)
        r->table->counters(r->target, &sink);
}

static const struct CMUnitTest contract_tests[] = {
    cmocka_unit_test(accepted_op_completes_exactly_once),
    cmocka_unit_test(refusal_is_a_partial_accept),
    cmocka_unit_test(what_was_asked_is_untouched),
    cmocka_unit_test(reap_takes_at_most_max),
    cmocka_unit_test(reap_returns_when_all_is_done),
    cmocka_unit_test(reap_of_nothing_waits_until_the_time),
    cmocka_unit_test(reap_returns_when_the_time_has_passed),
    cmocka_unit_test(wake_is_sticky_and_taken_once),
    cmocka_unit_test(wake_reaches_a_waiting_reap),
    cmocka_unit_test(wake_survives_target_do),
    cmocka_unit_test(unknown_kind_is_not_supported),
    cmocka_unit_test(sessions_are_independent),
    cmocka_unit_test(describe_gives_keys_values_and_units),
};

#endif
