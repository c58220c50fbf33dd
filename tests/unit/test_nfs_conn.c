/* A connection of the NFS client: who is sent where, when it is given up, how it is made again, and that
 * each call ends exactly once whatever the server does; what that took is in the counts. */
#include "calls_server.h"

#include <pthread.h>

#define FOREVER_MS 600000

static void turns(unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        nfs_turn(rig.calls, nfs_clock_ns() + CALLS_RIG_MS);
}

/* Turns until `n` things were heard; a test that waits in vain fails by its time limit. */
static void turn_until_heard(unsigned n)
{
    while (rig.hears < n)
        rig_turn();
    assert_int_equal(rig.hears, n);
}

static void turn_until_connected(unsigned n)
{
    while (rig.connects < n || rig.calls->conn[0].state != NFS_CONN_UP)
        turns(1);
    assert_int_equal(rig.connects, n);
    turns(2);
}

static void answer(unsigned i, const struct request *r)
{
    rig_send(i, rig_wire, rig_plain(r->xid, 0));
}

static void clients_have_connections_of_their_own_used_in_turn(void **state)
{
    struct request r;

    (void)state;
    calls_rig_open(16, 3, 2, FOREVER_MS);
    assert_int_equal(rig.connects, 6);
    for (unsigned i = 0; i < 12; i++) {
        struct nfs_call *call = nfs_call_new(rig.calls, &rig.job[i], NFS3_GETATTR);
        uint32_t client = i % 3;

        nfs_call_post(rig.calls, call, 7 + client);
        nfs_turn(rig.calls, 0);
        rig_request(client * 2 + (i / 3) % 2, &r);
        assert_int_equal(r.xid, call->xid);
    }
    for (unsigned i = 0; i < 6; i++)
        assert_false(rig_readable(i));
    calls_rig_close();
}

static void who_found_no_call_is_told_when_there_is_one(void **state)
{
    struct request r;

    (void)state;
    calls_rig_open(2, 0, 1, FOREVER_MS);
    for (unsigned i = 0; i < 2 + NFS_CALLS_SPARE; i++)
        assert_non_null(rig_post(&rig.job[i], NFS3_GETATTR, NULL, 0));
    assert_null(nfs_call_new(rig.calls, &rig.job[63], NFS3_GETATTR));
    nfs_flush(rig.calls);
    rig_request(0, &r);
    answer(0, &r);
    turn_until_heard(2);
    assert_int_equal(rig.heard[0].what, RIG_ANSWER);
    assert_int_equal(rig.heard[1].what, RIG_SPARE);
    assert_non_null(nfs_call_new(rig.calls, &rig.job[63], NFS3_GETATTR));
    rig_request(0, &r);
    answer(0, &r);
    turn_until_heard(3); /* told once */
    calls_rig_close();
}

static void every_use_of_a_place_has_an_xid_of_its_own(void **state)
{
    uint32_t seen[500];
    struct request r;

    (void)state;
    calls_rig_open(1, 0, 1, FOREVER_MS);
    for (unsigned i = 0; i < 250; i++) {
        rig.hears = 0;
        rig_post(&rig.job[0], NFS3_GETATTR, NULL, 0);
        nfs_flush(rig.calls);
        rig_request(0, &r);
        for (unsigned k = 0; k < i; k++)
            assert_true(seen[k] != r.xid);
        seen[i] = r.xid;
        answer(0, &r);
        turn_until_heard(1);
    }
    calls_rig_close();
}

/* A stream with one call at a time used one place over and over, and its xids came round again within
 * seconds, while servers still remember the call before by them. */
static void xids_come_again_as_late_as_can_be(void **state)
{
    struct request r;
    unsigned places;

    (void)state;
    calls_rig_open(1, 0, 1, FOREVER_MS);
    places = rig.calls->calls;
    for (unsigned i = 0; i < 3 * places; i++) {
        rig.hears = 0;
        rig_post(&rig.job[0], NFS3_GETATTR, NULL, 0);
        nfs_flush(rig.calls);
        rig_request(0, &r);
        answer(0, &r);
        turn_until_heard(1);
    }
    for (unsigned i = 0; i < places; i++)
        assert_int_equal((rig.calls->call[i].xid - rig.calls->base_xid) >> rig.calls->place_bits,
                         3);
    calls_rig_close();
}

static void an_answer_may_post_the_next_call(void **state)
{
    struct request r;

    (void)state;
    calls_rig_open(1, 0, 1, FOREVER_MS);
    rig.post_again = 100;
    rig_post(&rig.job[0], NFS3_GETATTR, NULL, 0);
    nfs_flush(rig.calls);
    for (unsigned i = 1; i <= 101; i++) {
        rig_request(0, &r);
        answer(0, &r);
        turn_until_heard(i);
        nfs_flush(rig.calls);
    }
    assert_false(rig_readable(0));
    calls_rig_close();
}

#define FAR_NS (UINT64_C(3600) * 1000000000u)

static void times_from_call_to_reply_are_kept_by_procedure_while_asked_for(void **state)
{
    const char *name = NULL;
    struct request r;
    unsigned n = 0;

    (void)state;
    calls_rig_open(4, 0, 1, FOREVER_MS);
    for (int round = 0; round < 4; round++) {
        uint64_t now_ns = nfs_clock_ns();
        uint64_t far_ns = now_ns + FAR_NS;
        /* Not yet, now, not any more, and once more. */
        nfs_calls_window(rig.calls, round == 0 ? far_ns : 0, round == 2 ? now_ns : UINT64_MAX);
        rig.hears = 0;
        rig_post(&rig.job[0], round < 2 ? NFS3_GETATTR : NFS3_COMMIT, NULL, 0);
        nfs_flush(rig.calls);
        rig_request(0, &r);
        answer(0, &r);
        turn_until_heard(1);
    }
    for (const struct hist *h; (h = nfs_calls_hist(rig.calls, n, &name)) != NULL; n++) {
        assert_string_equal(name, nfs3_proc_name((enum nfs3_proc)n));
        assert_int_equal(hist_count(h), n == NFS3_GETATTR || n == NFS3_COMMIT);
    }
    assert_int_equal(n, NFS3_PROCS);
    assert_true(hist_min(nfs_calls_hist(rig.calls, NFS3_COMMIT, &name)) > 0);
    assert_int_equal(COUNT(calls[NFS3_GETATTR]), 2);
    assert_int_equal(COUNT(calls[NFS3_COMMIT]), 2);
    calls_rig_close();
}

static void *wake_it(void *c)
{
    nfs_wake(c);
    return NULL;
}

static void a_wake_ends_the_running_or_the_next_turn_once(void **state)
{
    pthread_t thread;

    (void)state;
    calls_rig_open(1, 0, 1, FOREVER_MS);
    assert_false(nfs_turn(rig.calls, 0));
    nfs_wake(rig.calls);
    nfs_wake(rig.calls);
    assert_true(nfs_turn(rig.calls, UINT64_MAX));
    assert_false(nfs_turn(rig.calls, 0));
    assert_int_equal(pthread_create(&thread, NULL, wake_it, rig.calls), 0);
    assert_true(nfs_turn(rig.calls, UINT64_MAX));
    pthread_join(thread, NULL);
    assert_false(nfs_turn(rig.calls, nfs_clock_ns() + 10 * CALLS_RIG_MS));
    calls_rig_close();
}

static void a_turn_ends_when_its_time_has_passed(void **state)
{
    uint64_t until_ns;

    (void)state;
    calls_rig_open(1, 0, 1, FOREVER_MS);
    until_ns = nfs_clock_ns() + 3 * CALLS_RIG_MS;
    assert_false(nfs_turn(rig.calls, until_ns));
    assert_true(nfs_clock_ns() >= until_ns);
    assert_int_equal(rig.hears, 0);
    calls_rig_close();
}

static void timers_come_due_once_in_their_order_unless_taken_back(void **state)
{
    uint64_t from_ns = nfs_clock_ns() + 2 * CALLS_RIG_MS;
    unsigned order[32];
    unsigned n = 0;

    (void)state;
    calls_rig_open(40, 0, 1, FOREVER_MS);
    for (unsigned i = 0; i < 32; i++) {
        nfs_timer(rig.calls, &rig.job[i], from_ns + (i * 13 % 32) * 1000);
        order[i * 13 % 32] = i;
    }
    nfs_timer(rig.calls, &rig.job[order[5]], 0);
    nfs_timer(rig.calls, &rig.job[order[0]], 0);
    nfs_timer(rig.calls, &rig.job[order[31]], 0);
    nfs_timer(rig.calls, &rig.job[order[9]], from_ns + 100000); /* moved to the end */
    while (rig.hears < 29)
        rig_turn();
    for (unsigned i = 0; i < 32; i++)
        if (i != 0 && i != 5 && i != 9 && i != 31)
            assert_ptr_equal(rig.heard[n++].job, &rig.job[order[i]]);
    assert_ptr_equal(rig.heard[n].job, &rig.job[order[9]]);
    assert_false(nfs_turn(rig.calls, nfs_clock_ns() + CALLS_RIG_MS));
    assert_int_equal(rig.hears, 29);
    assert_int_equal(rig.job[3].due_ns, 0);
    calls_rig_close();
}

static void calls_of_a_lost_connection_go_out_again_as_they_were(void **state)
{
    struct request before[8], r;

    (void)state;
    calls_rig_open(8, 0, 1, FOREVER_MS);
    for (int i = 0; i < 8; i++)
        rig_post(&rig.job[i], NFS3_GETATTR, NULL, 0);
    nfs_flush(rig.calls);
    for (int i = 0; i < 8; i++)
        rig_request(0, &before[i]);
    answer(0, &before[3]);
    turn_until_heard(1);
    rig_hang_up(0);
    turn_until_connected(2);
    for (int i = 0; i < 8; i++) {
        if (i == 3)
            continue;
        rig_request(1, &r);
        assert_int_equal(r.xid, before[i].xid);
        assert_int_equal(r.len, before[i].len);
        assert_memory_equal(r.body, before[i].body, r.len);
        answer(1, &r);
    }
    assert_false(rig_readable(1));
    turn_until_heard(8);
    for (int i = 1; i < 8; i++) {
        assert_int_equal(rig.heard[i].what, RIG_ANSWER);
        assert_int_equal(rig.heard[i].sent, 2);
    }
    assert_int_equal(COUNT(outages), 1);
    assert_int_equal(COUNT(outage_calls), 7);
    assert_int_equal(COUNT(retransmits), 7);
    assert_int_equal(COUNT(reconnects), 1);
    assert_int_equal(COUNT(timeouts), 0);
    assert_true(COUNT(outage_ns) > 0);
    assert_int_equal(COUNT(outage_ns), COUNT(outage_longest_ns));
    calls_rig_close();
}

/* What the server had not got whole is sent again, and does not count as sent before. */
static void a_call_that_was_half_out_was_not_sent(void **state)
{
    static unsigned char data[1000000];
    int little = 4096;
    struct request r = {0};

    (void)state;
    calls_rig_open(8, 0, 1, FOREVER_MS);
    assert_int_equal(
        setsockopt(rig.calls->conn[0].fd, SOL_SOCKET, SO_SNDBUF, &little, sizeof little), 0);
    rig_post(&rig.job[0], NFS3_WRITE, data, sizeof data);
    nfs_flush(rig.calls);
    rig_hang_up(0);
    while (rig.connects < 2)
        turns(1);
    while (!rig_readable(1))
        turns(1);
    /* Both sides are this thread: what is sent is read as it comes. */
    for (size_t left = sizeof data + 4 + 140; left > 0;) {
        unsigned char some[65536];
        ssize_t n = recv(rig.peer[1], some, sizeof some, MSG_DONTWAIT);

        if (left == sizeof data + 4 + 140 && n > 8) {
            struct xdr_in x = xdr_in(some, 8);
            left = (xdr_get_u32(&x) & ~RPC_MARK_LAST) + 4;
            r.xid = xdr_get_u32(&x);
        }
        if (n > 0)
            left -= (size_t)n;
        nfs_turn(rig.calls, 0);
    }
    answer(1, &r);
    turn_until_heard(1);
    assert_int_equal(rig.heard[0].sent, 1);
    assert_int_equal(COUNT(retransmits), 0);
    assert_int_equal(COUNT(outages), 1);
    calls_rig_close();
}

/* Data of the reply that was cut off are overwritten by the one that comes. */
static void a_reply_that_breaks_off_is_asked_for_again(void **state)
{
    static unsigned char data[70000];
    struct request r;

    (void)state;
    for (size_t cut = 2; cut < 70000; cut = cut * 3 + 1) {
        calls_rig_open(4, 0, 1, FOREVER_MS);
        memset(data, 0, sizeof data);
        rig_post(&rig.job[0], NFS3_READ, data, sizeof data);
        nfs_flush(rig.calls);
        rig_request(0, &r);
        size_t all = rig_read(r.xid, sizeof data, sizeof data);
        rig_send(0, rig_wire, cut);
        turns(2);
        rig_hang_up(0);
        turn_until_connected(2);
        rig_request(1, &r);
        for (size_t at = 0; at < all;) {
            ssize_t n = send(rig.peer[1], rig_wire + at, all - at, MSG_DONTWAIT);
            at += n > 0 ? (size_t)n : 0;
            nfs_turn(rig.calls, 0);
        }
        turn_until_heard(1);
        assert_int_equal(rig.heard[0].landed, sizeof data);
        for (uint32_t i = 0; i < sizeof data; i++)
            assert_int_equal(data[i], rig_byte(i));
        calls_rig_close();
    }
}

static void losing_an_idle_connection_is_no_outage(void **state)
{
    struct request r;

    (void)state;
    calls_rig_open(8, 0, 1, FOREVER_MS);
    rig_hang_up(0);
    turn_until_connected(2);
    rig_post(&rig.job[0], NFS3_GETATTR, NULL, 0);
    nfs_flush(rig.calls);
    rig_request(1, &r);
    answer(1, &r);
    turn_until_heard(1);
    assert_int_equal(rig.heard[0].sent, 1);
    assert_int_equal(COUNT(outages), 0);
    assert_int_equal(COUNT(outage_ns), 0);
    assert_int_equal(COUNT(reconnects), 1);
    calls_rig_close();
}

static void a_call_posted_without_a_connection_waits_in_an_outage(void **state)
{
    struct request r;

    (void)state;
    calls_rig_open(8, 0, 1, FOREVER_MS);
    rig.refuse = 3;
    rig_hang_up(0);
    while (rig.refuse == 3)
        turns(1);
    rig_post(&rig.job[0], NFS3_GETATTR, NULL, 0);
    turn_until_connected(2);
    rig_request(1, &r);
    answer(1, &r);
    turn_until_heard(1);
    assert_int_equal(COUNT(connect_failures), 3);
    assert_int_equal(COUNT(outages), 1);
    assert_int_equal(COUNT(outage_calls), 1);
    assert_true(COUNT(outage_ns) > 0);
    calls_rig_close();
}

/* Tries of a server that is away come ever more seldom, so that waiting costs nothing. */
static void tries_are_spaced_ever_wider(void **state)
{
    uint64_t until_ns;

    (void)state;
    calls_rig_open(8, 0, 1, FOREVER_MS);
    rig.refuse = 1000;
    rig_post(&rig.job[0], NFS3_GETATTR, NULL, 0);
    nfs_flush(rig.calls);
    rig_hang_up(0);
    until_ns = nfs_clock_ns() + 400 * CALLS_RIG_MS;
    nfs_turn(rig.calls, until_ns);
    /* 10, 20, 40, 80, 160 ms behind each other, and the first try. */
    assert_in_range(COUNT(connect_failures), 1, 7);
    assert_true(COUNT(waits) < 30);
    calls_rig_close();
}

/* What is asked for in the middle of an outage knows of it up to then, however far off the next try is. */
static void an_outage_is_counted_while_it_goes_on(void **state)
{
    uint64_t before_ns;

    (void)state;
    calls_rig_open(8, 0, 1, FOREVER_MS);
    rig.refuse = 1000;
    rig_post(&rig.job[0], NFS3_GETATTR, NULL, 0);
    nfs_flush(rig.calls);
    rig_hang_up(0);
    while (COUNT(connect_failures) < 6)
        turns(1);
    before_ns = COUNT(outage_ns);
    nfs_turn(rig.calls, nfs_clock_ns() + 3 * NFS_TELL_NS);
    assert_true(COUNT(outage_ns) > before_ns);
    assert_int_equal(COUNT(outage_ns), COUNT(outage_longest_ns));
    calls_rig_close();
}

/* So it is where the connection is there again and nobody answers on it. */
static void an_outage_is_counted_while_the_server_is_silent(void **state)
{
    uint64_t before_ns;

    (void)state;
    calls_rig_open(8, 0, 1, FOREVER_MS);
    rig_post(&rig.job[0], NFS3_GETATTR, NULL, 0);
    nfs_flush(rig.calls);
    rig_hang_up(0);
    turn_until_connected(2);
    before_ns = COUNT(outage_ns);
    nfs_turn(rig.calls, nfs_clock_ns() + 3 * NFS_TELL_NS);
    assert_true(COUNT(outage_ns) > before_ns);
    assert_int_equal(COUNT(outages), 1);
    calls_rig_close();
}

/* So are those of one that takes connections and drops them. */
static void a_server_that_takes_connections_and_drops_them_is_not_hammered(void **state)
{
    uint64_t until_ns;

    (void)state;
    calls_rig_open(8, 0, 1, FOREVER_MS);
    rig_post(&rig.job[0], NFS3_GETATTR, NULL, 0);
    nfs_flush(rig.calls);
    until_ns = nfs_clock_ns() + 300 * CALLS_RIG_MS;
    for (unsigned dropped = 0; nfs_clock_ns() < until_ns; turns(1))
        while (dropped < rig.connects)
            rig_hang_up(dropped++);
    assert_in_range(rig.connects, 2, 8);
    assert_int_equal(rig.hears, 0);
    assert_int_equal(COUNT(outages), 1);
    calls_rig_close();
}

static void a_silent_server_is_left_after_timeo_and_the_call_fails_after_its_tries(void **state)
{
    struct request r;
    uint32_t xid = 0;

    (void)state;
    calls_rig_open(8, 0, 1, 200);
    rig_post(&rig.job[0], NFS3_GETATTR, NULL, 0);
    rig_post(&rig.job[1], NFS3_GETATTR, NULL, 0);
    turn_until_heard(2);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(rig.heard[i].what, RIG_FAILED);
        assert_int_equal(rig.heard[i].code, -ETIMEDOUT);
        assert_ptr_equal(rig.heard[i].job, &rig.job[i]);
        assert_int_equal(rig.heard[i].sent, 3);
    }
    for (unsigned i = 0; i < 3; i++) {
        rig_request(i, &r);
        assert_true(i == 0 || r.xid == xid);
        xid = r.xid;
        rig_request(i, &r);
        assert_false(rig_readable(i) && recv(rig.peer[i], &r, 1, MSG_DONTWAIT) > 0);
    }
    assert_int_equal(COUNT(timeouts), 6);
    assert_int_equal(COUNT(retransmits), 4);
    assert_int_equal(COUNT(outages), 1);
    assert_true(COUNT(outage_ns) >= 600 * CALLS_RIG_MS);
    turns(3);
    assert_int_equal(rig.hears, 2);
    /* The next call meets the server again. */
    turn_until_connected(4);
    rig_post(&rig.job[2], NFS3_GETATTR, NULL, 0);
    nfs_flush(rig.calls);
    rig_request(3, &r);
    answer(3, &r);
    turn_until_heard(3);
    assert_int_equal(rig.heard[2].what, RIG_ANSWER);
    calls_rig_close();
}

static void a_server_that_is_never_there_again_fails_the_calls_all_the_same(void **state)
{
    (void)state;
    calls_rig_open(8, 0, 1, 20);
    rig_post(&rig.job[0], NFS3_GETATTR, NULL, 0);
    nfs_flush(rig.calls);
    rig.refuse = 1000000;
    rig_hang_up(0);
    turns(1);
    rig_post(&rig.job[1], NFS3_GETATTR, NULL, 0);
    turn_until_heard(2);
    assert_int_equal(rig.heard[0].code, -ETIMEDOUT);
    assert_int_equal(rig.heard[1].code, -ETIMEDOUT);
    assert_int_equal(rig.heard[1].sent, 0);
    calls_rig_close();
}

/* A slow server is not a silent one: what it answers shows that it is there. */
static void a_server_that_answers_one_call_after_the_other_is_not_left(void **state)
{
    struct request r;

    (void)state;
    calls_rig_open(16, 0, 1, 600);
    for (int i = 0; i < 8; i++)
        rig_post(&rig.job[i], NFS3_GETATTR, NULL, 0);
    nfs_flush(rig.calls);
    for (unsigned i = 0; i < 8; i++) {
        rig_request(0, &r);
        nfs_turn(rig.calls, nfs_clock_ns() + 100 * CALLS_RIG_MS);
        answer(0, &r);
        turn_until_heard(i + 1);
    }
    assert_int_equal(rig.connects, 1);
    assert_int_equal(COUNT(timeouts) + COUNT(outages), 0);
    calls_rig_close();
}

/* Nor is one whose long reply comes in pieces: it was left, though it spoke all the time. */
static void a_long_reply_that_comes_slowly_is_no_silence(void **state)
{
    enum { PIECES = 8 };
    struct request r;

    (void)state;
    for (unsigned fragments = 0; fragments < 2; fragments++) {
        calls_rig_open(16, 0, 1, 600);
        rig_post(&rig.job[0], NFS3_READDIRPLUS, NULL, 0);
        nfs_flush(rig.calls);
        rig_request(0, &r);
        struct xdr_out x = rig_reply_begin(r.xid);
        x.at += 16000;
        size_t all = rig_reply_end(&x) - 4;
        for (unsigned i = 0; i < PIECES; i++) {
            size_t from = all * i / PIECES, to = all * (i + 1) / PIECES;
            uint32_t mark = htobe32((i + 1 == PIECES ? RPC_MARK_LAST : 0) | (uint32_t)(to - from));

            if (fragments > 0)
                rig_send(0, &mark, sizeof mark);
            else if (i == 0)
                rig_send(0, rig_wire, 4);
            rig_send(0, rig_wire + 4 + from, to - from);
            for (uint64_t until = nfs_clock_ns() + 100 * CALLS_RIG_MS; nfs_clock_ns() < until;)
                nfs_turn(rig.calls, until);
        }
        turn_until_heard(1);
        assert_int_equal(rig.heard[0].what, RIG_ANSWER);
        assert_int_equal(rig.heard[0].sent, 1);
        assert_int_equal(COUNT(timeouts) + COUNT(outages), 0);
        calls_rig_close();
    }
}

/* What nobody asked for is: a server could keep a call waiting with it for ever. */
static void a_reply_to_nobody_is_silence_however_long(void **state)
{
    struct request r;

    (void)state;
    calls_rig_open(16, 0, 1, 100);
    rig_post(&rig.job[0], NFS3_READDIRPLUS, NULL, 0);
    nfs_flush(rig.calls);
    rig_request(0, &r);
    struct xdr_out x = rig_reply_begin(r.xid ^ 0x40000000u);
    x.at += 100000;
    size_t all = rig_reply_end(&x);
    for (size_t at = 0; at < all && rig.connects == 1; at += 100) {
        (void)!send(rig.peer[0], rig_wire + at, 100, MSG_NOSIGNAL | MSG_DONTWAIT);
        turns(1);
    }
    assert_int_equal(rig.connects, 2);
    assert_int_equal(COUNT(timeouts), 1);
    calls_rig_close();
}

/* One that forgets a call and goes on with others is. */
static void a_call_that_others_sent_timeo_later_have_overtaken_goes_out_again(void **state)
{
    struct request forgotten, r;

    (void)state;
    calls_rig_open(16, 0, 1, 200);
    rig_post(&rig.job[0], NFS3_GETATTR, NULL, 0);
    nfs_flush(rig.calls);
    rig_request(0, &forgotten);
    for (unsigned i = 0; rig.connects < 2 && i < 240; i++) {
        rig_post(&rig.job[1], NFS3_GETATTR, NULL, 0);
        nfs_flush(rig.calls);
        /* Unless it has just been left. */
        if (rig.calls->conn[0].state == NFS_CONN_UP && rig.connects == 1 && rig_readable(0)) {
            rig_request(0, &r);
            answer(0, &r);
        }
        turns(4);
    }
    assert_int_equal(rig.connects, 2);
    assert_true(rig.hears > 5);
    turn_until_connected(2);
    rig_request(1, &r);
    assert_int_equal(r.xid, forgotten.xid);
    answer(1, &r);
    unsigned before = rig.hears;
    turn_until_heard(before + 1);
    assert_ptr_equal(rig.heard[before].job, &rig.job[0]);
    assert_int_equal(rig.heard[before].sent, 2);
    assert_true(COUNT(timeouts) >= 1);
    calls_rig_close();
}

/* What this machine lacks; a server that is away is waited for (test_nfs_away.c). */
static void a_connection_that_cannot_be_made_at_first_is_an_error_in_words(void **state)
{
    (void)state;
    rig.refuse = 1;
    rig.refusal = -EMFILE;
    assert_int_equal(calls_rig_try(4, 2, 2, 1000), -EMFILE);
    rig.refusal = 0;
    for (unsigned i = 0; i < rig.connects; i++)
        rig_hang_up(i);
}

static void a_session_closes_whatever_is_under_way(void **state)
{
    static unsigned char data[2][1000000];

    (void)state;
    calls_rig_open(8, 2, 2, FOREVER_MS);
    rig_post(&rig.job[0], NFS3_READ, data[0], sizeof data[0]);
    rig_post(&rig.job[1], NFS3_WRITE, data[1], sizeof data[1]);
    nfs_flush(rig.calls);
    rig_post(&rig.job[2], NFS3_GETATTR, NULL, 0);
    nfs_timer(rig.calls, &rig.job[3], nfs_clock_ns());
    rig.refuse = 100;
    rig_hang_up(0);
    calls_rig_close();
    assert_int_equal(rig.hears, 0);
}

static void facts_count_connections_while_the_session_works(void **state)
{
    struct nfs_conn_facts facts;

    (void)state;
    calls_rig_open(8, 2, 2, FOREVER_MS);
    nfs_calls_facts(rig.calls, &facts);
    assert_int_equal(facts.connections, 4);
    assert_int_equal(facts.reserved, 4);
    assert_int_equal(facts.tcp_retransmits, 0);
    assert_non_null(facts.why_not_uring);
    calls_rig_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clients_have_connections_of_their_own_used_in_turn),
        cmocka_unit_test(who_found_no_call_is_told_when_there_is_one),
        cmocka_unit_test(every_use_of_a_place_has_an_xid_of_its_own),
        cmocka_unit_test(xids_come_again_as_late_as_can_be),
        cmocka_unit_test(an_answer_may_post_the_next_call),
        cmocka_unit_test(times_from_call_to_reply_are_kept_by_procedure_while_asked_for),
        cmocka_unit_test(a_wake_ends_the_running_or_the_next_turn_once),
        cmocka_unit_test(a_turn_ends_when_its_time_has_passed),
        cmocka_unit_test(timers_come_due_once_in_their_order_unless_taken_back),
        cmocka_unit_test(calls_of_a_lost_connection_go_out_again_as_they_were),
        cmocka_unit_test(a_call_that_was_half_out_was_not_sent),
        cmocka_unit_test(a_reply_that_breaks_off_is_asked_for_again),
        cmocka_unit_test(losing_an_idle_connection_is_no_outage),
        cmocka_unit_test(a_call_posted_without_a_connection_waits_in_an_outage),
        cmocka_unit_test(an_outage_is_counted_while_it_goes_on),
        cmocka_unit_test(an_outage_is_counted_while_the_server_is_silent),
        cmocka_unit_test(tries_are_spaced_ever_wider),
        cmocka_unit_test(a_server_that_takes_connections_and_drops_them_is_not_hammered),
        cmocka_unit_test(a_silent_server_is_left_after_timeo_and_the_call_fails_after_its_tries),
        cmocka_unit_test(a_server_that_is_never_there_again_fails_the_calls_all_the_same),
        cmocka_unit_test(a_server_that_answers_one_call_after_the_other_is_not_left),
        cmocka_unit_test(a_long_reply_that_comes_slowly_is_no_silence),
        cmocka_unit_test(a_reply_to_nobody_is_silence_however_long),
        cmocka_unit_test(a_call_that_others_sent_timeo_later_have_overtaken_goes_out_again),
        cmocka_unit_test(a_connection_that_cannot_be_made_at_first_is_an_error_in_words),
        cmocka_unit_test(a_session_closes_whatever_is_under_way),
        cmocka_unit_test(facts_count_connections_while_the_session_works),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
