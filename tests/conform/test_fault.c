/* target/fault: each parameter does what its line in the help says, on both kinds of target. */
#include "rig.h"

#include <errno.h>
#include <pthread.h>

#define US 1000u
#define MS 1000000u
#define S  1000000000u

/* ---- errors ---- */

static void error_hits_the_nth_op_only(void **state)
{
    static const char *const addresses[] = {"fault:null:?error=ENOSPC@op:3",
                                            "fault:null:?error=ENOSPC@op:3&clock=virtual",
                                            "fault:%s?error=ENOSPC@op:3"};
    struct rig r;

    (void)state;
    for (size_t i = 0; i < RIG_COUNT(addresses); i++) {
        rig_open(&r, addresses[i], 4);
        for (int n = 1; n <= 6; n++)
            assert_int_equal(rig_on_node(&r, OP_NOP, 0), n == 3 ? -ENOSPC : 0);
        rig_close(&r);
    }
}

static void error_hits_the_nth_op_of_a_kind(void **state)
{
    struct rig r;

    (void)state;
    rig_open(&r, "fault:%s?error=EIO@create:2&error=EDQUOT@mkdir:1", 4);
    assert_int_equal(rig_on_node(&r, OP_MKDIR, 1), -EDQUOT);
    assert_int_equal(rig_on_node(&r, OP_LOOKUP, 1), -ENOENT); /* it was not made */
    assert_int_equal(rig_on_node(&r, OP_MKDIR, 1), 0);
    assert_int_equal(rig_on_name(&r, OP_CREATE, 1, "a"), 0);
    assert_int_equal(rig_on_name(&r, OP_CREATE, 1, "b"), -EIO);
    assert_int_equal(rig_on_name(&r, OP_OPEN, 1, "b"), -ENOENT);
    assert_int_equal(rig_on_name(&r, OP_CREATE, 1, "b"), 0);
    rig_close(&r);
}

/* The handle is gone even when CLOSE fails. */
static void failed_close_closes(void **state)
{
    struct rig r;
    uint64_t h;
    char byte;

    (void)state;
    rig_open(&r, "fault:%s?error=EIO@close:1", 4);
    h = rig_file(&r, OP_CREATE, 0, 0, "f");
    assert_int_equal(rig_shut(&r, h), -EIO);
    assert_int_equal(rig_move(&r, OP_READ, h, &byte, 0, 1), -EBADF);
    rig_close(&r);
}

static void ops_are_counted_over_all_sessions(void **state)
{
    struct rig r;
    struct rig second;

    (void)state;
    rig_open(&r, "fault:null:?error=EIO@op:5", 4);
    second = r;
    second.session = rig_session(&r, 4);
    for (int n = 1; n <= 4; n++)
        assert_int_equal(rig_on_node(&r, OP_NOP, 0), 0);
    assert_int_equal(rig_on_node(&second, OP_NOP, 0), -EIO);
    assert_int_equal(rig_on_node(&second, OP_NOP, 0), 0);
    r.table->session_close(second.session);
    rig_close(&r);
}

static void short_cuts_the_kth_read_or_write(void **state)
{
    struct rig r;
    char buf[64] = {0};
    uint64_t h;

    (void)state;
    rig_open(&r, "fault:%s?short=10@op:2&short=0@op:3", 4);
    h = rig_file(&r, OP_CREATE, 0, 0, "f");
    assert_int_equal(rig_move(&r, OP_WRITE, h, buf, 0, 64), 64);
    memset(buf, 1, sizeof buf);
    assert_int_equal(rig_on_handle(&r, OP_FSYNC, h, 0, 0), 0);
    assert_int_equal(rig_move(&r, OP_READ, h, buf, 0, 64), 10);
    assert_int_equal(buf[9], 0);
    assert_int_equal(buf[10], 1); /* the rest was not read */
    assert_int_equal(rig_move(&r, OP_READ, h, buf, 0, 64), 0);
    assert_int_equal(rig_move(&r, OP_READ, h, buf, 0, 64), 64);
    assert_int_equal(rig_shut(&r, h), 0);
    rig_close(&r);
}

/* ---- a lost session ---- */

static void dead_session_fails_all_it_holds(void **state)
{
    enum { HELD = 5 };
    struct rig r;
    struct op ops[HELD];
    struct op *list[HELD];
    struct op *done[HELD];

    (void)state;
    /* Four delayed for an hour or hanging; the fifth kills the session. */
    rig_open(&r, "fault:null:?latency=fixed:1h&hang=op:2&dead=op:5", HELD);
    for (int i = 0; i < HELD; i++) {
        ops[i] = (struct op){.kind = OP_NOP, .res = 77};
        list[i] = &ops[i];
    }
    assert_int_equal(r.table->submit(r.session, list, 4), 4);
    assert_int_equal(r.table->reap(r.session, done, 1, HELD, 0), 0);
    assert_int_equal(r.table->submit(r.session, &list[4], 1), 1);
    assert_int_equal(r.table->reap(r.session, done, HELD, HELD, UINT64_MAX), HELD);
    for (int i = 0; i < HELD; i++)
        assert_int_equal(ops[i].res, -EIO);
    assert_int_equal(r.table->reap(r.session, done, 0, HELD, UINT64_MAX), 0);
    rig_close(&r);
}

static void dead_session_stays_dead_alone(void **state)
{
    static const char *const addresses[] = {"fault:null:?dead=op:3", "fault:%s?dead=op:3"};
    struct rig r;
    struct rig other;

    (void)state;
    for (size_t i = 0; i < RIG_COUNT(addresses); i++) {
        rig_open(&r, addresses[i], 4);
        other = r;
        other.session = rig_session(&r, 4);
        for (int n = 1; n <= 10; n++)
            assert_int_equal(rig_on_node(&r, OP_NOP, 0), n < 3 ? 0 : -EIO);
        assert_int_equal(rig_on_node(&other, OP_NOP, 0), 0);
        r.table->session_close(other.session);
        rig_close(&r);
    }
}

/* ---- ops that do not return ---- */

static void hanging_op_is_held_for_ever(void **state)
{
    struct rig r;
    struct op ops[2] = {{.kind = OP_NOP}, {.kind = OP_NOP}};
    struct op *list[2] = {&ops[0], &ops[1]};
    struct op *done[2];

    (void)state;
    rig_open(&r, "fault:null:?hang=op:1&clock=virtual", 2);
    assert_int_equal(r.table->submit(r.session, list, 2), 2);
    assert_int_equal(r.table->reap(r.session, done, 2, 2, 3600ull * S), 1);
    assert_ptr_equal(done[0], &ops[1]);
    assert_int_equal(rig_now(&r), 3600ull * S);
    r.table->wake(r.session);
    assert_int_equal(r.table->reap(r.session, done, 1, 2, UINT64_MAX), 0);
    rig_close(&r);
}

struct hanging {
    struct rig r;
    _Atomic int state;
};

static void *submit_and_hang(void *arg)
{
    struct hanging *h = arg;

    h->r.session = rig_session(&h->r, 1);
    h->state = 1;
    rig_on_node(&h->r, OP_NOP, 0);
    h->state = 2;
    return NULL;
}

/* The thread is left behind on purpose, as by a call that the kernel does not return from. */
static void hanging_submit_does_not_return(void **state)
{
    static struct hanging h; /* outlives this test, with the thread */
    struct timespec little = {.tv_nsec = 20 * MS};
    pthread_t thread;

    (void)state;
    rig_make_dir(&h.r);
    rig_open_target(&h.r, "fault:%s?hang=nop:1");
    assert_int_equal(pthread_create(&thread, NULL, submit_and_hang, &h), 0);
    pthread_detach(thread);
    while (h.state == 0)
        nanosleep(&little, NULL);
    h.r.table->wake(h.r.session);
    nanosleep(&little, NULL);
    assert_int_equal(h.state, 1);
    rig_remove_dir(&h.r);
}

/* ---- time ---- */

/* Service time of one op on the virtual clock. */
static uint64_t virtual_service_ns(const struct rig *r)
{
    uint64_t start_ns = rig_now(r);

    assert_int_equal(rig_on_node(r, OP_NOP, 0), 0);
    return rig_now(r) - start_ns;
}

static void virtual_op_takes_a_microsecond_at_least(void **state)
{
    struct rig r;

    (void)state;
    rig_open(&r, "fault:null:?clock=virtual", 1);
    assert_true(rig_now(&r) > 0);
    for (int i = 0; i < 100; i++)
        assert_int_equal(virtual_service_ns(&r), 1 * US);
    rig_close(&r);
}

static void fixed_latency_is_exact(void **state)
{
    struct rig r;

    (void)state;
    rig_open(&r, "fault:null:?latency=fixed:123us&clock=virtual", 1);
    for (int i = 0; i < 100; i++)
        assert_int_equal(virtual_service_ns(&r), 123 * US);
    rig_close(&r);
}

static void drawn_latency_has_its_distribution(void **state)
{
    enum { DRAWS = 100000 };
    struct rig r;
    double sum = 0;
    unsigned low = 0;

    (void)state;
    rig_open(&r, "fault:null:?latency=uniform:100us-300us&clock=virtual", 1);
    for (int i = 0; i < DRAWS; i++) {
        uint64_t ns = virtual_service_ns(&r);

        assert_in_range(ns, 100 * US, 300 * US);
        sum += (double)ns;
        low += ns < 150 * US;
    }
    rig_close(&r);
    /* Six standard errors: 200 us ± 0.183·6, a quarter ± 0.00137·6. */
    assert_in_range((uint64_t)(sum / DRAWS), 198900, 201100);
    assert_in_range(low, 24178, 25822);

    sum = 0;
    low = 0;
    rig_open(&r, "fault:null:?latency=exp:1ms&clock=virtual", 1);
    for (int i = 0; i < DRAWS; i++) {
        uint64_t ns = virtual_service_ns(&r);

        sum += (double)ns;
        low += ns < 693147;
    }
    rig_close(&r);
    assert_in_range((uint64_t)(sum / DRAWS), 981000, 1019000); /* 1 ms ± 3.16·6 us */
    assert_in_range(low, 49051, 50949);                        /* half are below the median */
}

static uint64_t draws_hash(const char *address)
{
    struct rig r;
    uint64_t hash = 0;

    rig_open(&r, address, 1);
    for (int i = 0; i < 100; i++)
        hash = hash * 31 + virtual_service_ns(&r);
    rig_close(&r);
    return hash;
}

static void seed_repeats_the_draws(void **state)
{
    uint64_t first = draws_hash("fault:null:?latency=exp:1ms&seed=7&clock=virtual");

    (void)state;
    assert_true(first == draws_hash("fault:null:?seed=7&latency=exp:1ms&clock=virtual"));
    assert_true(first != draws_hash("fault:null:?latency=exp:1ms&seed=8&clock=virtual"));
}

/* One op a millisecond; *slow counts those of more than the 1 us, *most is the longest. */
static void paced_run(const struct rig *r, unsigned ops, unsigned *slow, uint64_t *most)
{
    uint64_t due_ns = rig_now(r);
    struct op *none;

    *slow = 0;
    *most = 0;
    for (unsigned i = 0; i < ops; i++, due_ns += MS) {
        uint64_t ns;

        if (due_ns > rig_now(r))
            assert_int_equal(r->table->reap(r->session, &none, 1, 1, due_ns), 0);
        ns = virtual_service_ns(r);
        *slow += ns > US;
        if (ns > *most)
            *most = ns;
    }
}

/* Every op submitted between T and T + D is done at T + D: of a paced stream that is one op. */
static void stall_holds_ops_until_it_ends(void **state)
{
    struct rig r;
    unsigned slow;
    uint64_t most;

    (void)state;
    rig_open(&r, "fault:null:?stall=1s@5s&clock=virtual", 1);
    paced_run(&r, 10000, &slow, &most);
    assert_int_equal(slow, 1);
    assert_int_equal(most, S);
    rig_close(&r);
    rig_open(&r, "fault:null:?stall=200ms@3s&stall=0.1s@1s&clock=virtual", 1);
    paced_run(&r, 5000, &slow, &most);
    assert_int_equal(slow, 2);
    assert_int_equal(most, 200 * MS);
    rig_close(&r);
}

static void stall_holds_all_ops_alike(void **state)
{
    struct rig r;
    struct op ops[3] = {{.kind = OP_NOP}, {.kind = OP_NOP}, {.kind = OP_NOP}};
    struct op *list[3] = {&ops[0], &ops[1], &ops[2]};
    struct op *done[3];
    uint64_t start_ns;

    (void)state;
    /* Accepted at 0 and due at 2 s, in the middle of the stall: held as well. */
    rig_open(&r, "fault:null:?stall=3s@1s&latency=fixed:2s&clock=virtual", 3);
    start_ns = rig_now(&r);
    assert_int_equal(r.table->submit(r.session, list, 2), 2);
    assert_int_equal(r.table->reap(r.session, done, 1, 3, start_ns + 3 * (uint64_t)S), 0);
    assert_int_equal(r.table->submit(r.session, &list[2], 1), 1); /* due at 5 s, after it */
    assert_int_equal(r.table->reap(r.session, done, 1, 3, UINT64_MAX), 2);
    assert_int_equal(rig_now(&r) - start_ns, 4 * (uint64_t)S);
    assert_int_equal(r.table->reap(r.session, done, 1, 3, UINT64_MAX), 1);
    assert_int_equal(rig_now(&r) - start_ns, 5 * (uint64_t)S);
    rig_close(&r);
}

/* Stalls count from the first op that moves data or is a NOP. */
static void preparing_does_not_use_up_a_stall(void **state)
{
    struct rig r;
    struct op *none;

    (void)state;
    rig_open(&r, "fault:null:?stall=1s@0s&clock=virtual", 1);
    assert_int_equal(rig_on_name(&r, OP_CREATE, 0, "f"), 0);
    assert_int_equal(r.table->reap(r.session, &none, 1, 1, rig_now(&r) + 10 * (uint64_t)S), 0);
    assert_int_equal(virtual_service_ns(&r), S);
    assert_int_equal(virtual_service_ns(&r), US);
    rig_close(&r);
}

/* In real time only what cannot be otherwise: no op is done before its time. */
static void real_time_is_really_waited_for(void **state)
{
    static const char *const addresses[] = {"fault:null:?latency=fixed:5ms",
                                            "fault:null:?stall=5ms@0s",
                                            "fault:%s?latency=fixed:5ms", "fault:%s?stall=5ms@0s"};
    struct rig r;

    (void)state;
    for (size_t i = 0; i < RIG_COUNT(addresses); i++) {
        struct op op = {.kind = OP_NOP};
        struct op *list = &op;
        uint64_t start_ns;

        rig_open(&r, addresses[i], 1);
        start_ns = rig_now(&r);
        assert_int_equal(r.table->submit(r.session, &list, 1), 1);
        if (r.caps.blocking) /* then submit does all of the op */
            assert_true(rig_now(&r) - start_ns >= 5 * MS);
        assert_int_equal(r.table->reap(r.session, &list, 1, 1, UINT64_MAX), 1);
        assert_true(rig_now(&r) - start_ns >= 5 * MS);
        rig_close(&r);
    }
}

/* An op's latency depends on its number alone, so a run one by one tells when each must be done. */
static void each_op_is_done_when_it_is_due(void **state)
{
    enum { OPS = 500 };
    static const char address[] = "fault:null:?latency=uniform:1ms-9ms&clock=virtual";
    static struct op ops[OPS];
    static struct op *list[OPS];
    static uint64_t service_ns[OPS];
    struct op *done[OPS];
    struct rig r;
    uint64_t start_ns;

    (void)state;
    rig_open(&r, address, 1);
    for (int i = 0; i < OPS; i++)
        service_ns[i] = virtual_service_ns(&r);
    rig_close(&r);
    rig_open(&r, address, OPS);
    for (int i = 0; i < OPS; i++) {
        ops[i] = (struct op){.kind = OP_NOP};
        list[i] = &ops[i];
    }
    start_ns = rig_now(&r);
    assert_int_equal(r.table->submit(r.session, list, OPS), OPS);
    for (int n = 0; n < OPS;) {
        int got = r.table->reap(r.session, done, 1, OPS, UINT64_MAX);

        assert_true(got > 0);
        for (int i = 0; i < got; i++)
            assert_int_equal(rig_now(&r) - start_ns, service_ns[done[i] - ops]);
        n += got;
    }
    rig_close(&r);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(error_hits_the_nth_op_only),
        cmocka_unit_test(error_hits_the_nth_op_of_a_kind),
        cmocka_unit_test(failed_close_closes),
        cmocka_unit_test(ops_are_counted_over_all_sessions),
        cmocka_unit_test(short_cuts_the_kth_read_or_write),
        cmocka_unit_test(dead_session_fails_all_it_holds),
        cmocka_unit_test(dead_session_stays_dead_alone),
        cmocka_unit_test(hanging_op_is_held_for_ever),
        cmocka_unit_test(hanging_submit_does_not_return),
        cmocka_unit_test(virtual_op_takes_a_microsecond_at_least),
        cmocka_unit_test(fixed_latency_is_exact),
        cmocka_unit_test(drawn_latency_has_its_distribution),
        cmocka_unit_test(seed_repeats_the_draws),
        cmocka_unit_test(stall_holds_ops_until_it_ends),
        cmocka_unit_test(stall_holds_all_ops_alike),
        cmocka_unit_test(preparing_does_not_use_up_a_stall),
        cmocka_unit_test(real_time_is_really_waited_for),
        cmocka_unit_test(each_op_is_done_when_it_is_due),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
