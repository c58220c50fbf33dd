/* Many connections of the NFS client, waited for by io_uring: the same bytes, the same promises; and where
 * the kernel refuses it, by epoll, with the reason. */
#include "calls_server.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { CLIENTS = 20, FOREVER_MS = 600000 };

static void open_many(uint64_t timeo_ms)
{
    struct nfs_conn_facts facts;

    calls_rig_open(CLIENTS, CLIENTS, 1, timeo_ms);
    nfs_calls_facts(rig.calls, &facts);
    assert_true(facts.by_uring);
    assert_string_equal(facts.why_not_uring, "");
    assert_int_equal(facts.connections, CLIENTS);
}

static void post_to(unsigned client, enum nfs3_proc proc, void *data, uint32_t len)
{
    struct nfs_call *call = nfs_call_new(rig.calls, &rig.job[client], proc);

    assert_non_null(call);
    call->data = data;
    call->len = len;
    nfs_call_post(rig.calls, call, 7 + client);
}

static void turns_until_readable(unsigned i)
{
    for (int n = 0; n < 2000 && !rig_readable(i); n++)
        nfs_turn(rig.calls, nfs_clock_ns() + CALLS_RIG_MS);
    assert_true(rig_readable(i));
}

static void turn_until_heard(unsigned n)
{
    while (rig.hears < n)
        rig_turn();
    assert_int_equal(rig.hears, n);
}

static void send_slowly(unsigned i, size_t all, size_t piece)
{
    for (size_t at = 0; at < all;) {
        size_t n = all - at < piece ? all - at : piece;
        ssize_t sent = send(rig.peer[i], rig_wire + at, n, MSG_NOSIGNAL | MSG_DONTWAIT);

        at += sent > 0 ? (size_t)sent : 0;
        nfs_turn(rig.calls, 0);
    }
}

static void all_connections_are_served_in_one_turn(void **state)
{
    static unsigned char data[CLIENTS][4096];
    struct request r;

    (void)state;
    open_many(FOREVER_MS);
    for (unsigned round = 0; round < 50; round++) {
        uint64_t waits = COUNT(waits);

        rig.hears = 0;
        memset(data, 0, sizeof data);
        for (unsigned i = 0; i < CLIENTS; i++)
            post_to(i, NFS3_READ, data[i], 4096);
        nfs_turn(rig.calls, 0);
        for (unsigned i = 0; i < CLIENTS; i++) {
            rig_request(i, &r);
            rig_send(i, rig_wire, rig_read(r.xid, 4096, 4096));
        }
        turn_until_heard(CLIENTS);
        assert_true(COUNT(waits) - waits <= 4);
        for (unsigned i = 0; i < CLIENTS; i++)
            for (uint32_t k = 0; k < 4096; k++)
                assert_int_equal(data[i][k], rig_byte(k));
    }
    assert_int_equal(COUNT(replies_bad) + COUNT(replies_unknown) + COUNT(outages), 0);
    calls_rig_close();
}

static void long_data_land_too_however_they_come(void **state)
{
    static unsigned char data[1048576 + 1];
    static const uint32_t lens[] = {1, 8192, 20000, 65536, 1048576};
    static const size_t pieces[] = {133, 5000, 100000, sizeof rig_wire};
    struct request r;

    (void)state;
    open_many(FOREVER_MS);
    for (size_t l = 0; l < sizeof lens / sizeof lens[0]; l++) {
        for (size_t p = 0; p < sizeof pieces / sizeof pieces[0]; p++) {
            if (lens[l] / pieces[p] > 1000)
                continue;
            rig.hears = 0;
            memset(data, 0xee, sizeof data);
            post_to(3, NFS3_READ, data, lens[l]);
            turns_until_readable(3);
            rig_request(3, &r);
            send_slowly(3, rig_read(r.xid, lens[l], lens[l]), pieces[p]);
            turn_until_heard(1);
            assert_int_equal(rig.heard[0].landed, lens[l]);
            for (uint32_t k = 0; k < lens[l]; k++)
                if (data[k] != rig_byte(k))
                    fail_msg("byte %u of %u", k, lens[l]);
            assert_int_equal(data[lens[l]], 0xee);
        }
    }
    assert_int_equal(COUNT(replies_bad) + COUNT(outages), 0);
    calls_rig_close();
}

static void a_write_goes_out_whole_through_a_socket_that_takes_little(void **state)
{
    static unsigned char data[500001];
    static unsigned char got[500001 + 3 + 200];
    int little = 4096;
    size_t all = 0;

    (void)state;
    open_many(FOREVER_MS);
    assert_int_equal(
        setsockopt(rig.calls->conn[5].fd, SOL_SOCKET, SO_SNDBUF, &little, sizeof little), 0);
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i * 3);
    post_to(5, NFS3_WRITE, data, sizeof data);
    for (size_t at = 0, whole = sizeof got; at < whole; all = whole) {
        nfs_turn(rig.calls, 0);
        ssize_t n = recv(rig.peer[5], got + at, whole - at, MSG_DONTWAIT);
        at += n > 0 ? (size_t)n : 0;
        if (at >= 4) {
            struct xdr_in x = xdr_in(got, 4);
            whole = (xdr_get_u32(&x) & ~RPC_MARK_LAST) + 4;
        }
    }
    assert_memory_equal(got + all - sizeof data - 3, data, sizeof data);
    assert_int_equal(COUNT(retransmits), 0);
    calls_rig_close();
}

/* Some lose their connection with a reply half there; all are answered once. */
static void lost_connections_are_made_again(void **state)
{
    static unsigned char data[CLIENTS][70000];
    struct request r;

    (void)state;
    open_many(FOREVER_MS);
    for (unsigned i = 0; i < CLIENTS; i++)
        post_to(i, NFS3_READ, data[i], 70000);
    nfs_turn(rig.calls, 0);
    for (unsigned i = 0; i < CLIENTS; i++) {
        rig_request(i, &r);
        rig_read(r.xid, 70000, 70000);
        rig_send(i, rig_wire, 1000 + i * 2000);
    }
    for (int n = 0; n < 5; n++)
        nfs_turn(rig.calls, nfs_clock_ns() + CALLS_RIG_MS);
    for (unsigned i = 0; i < CLIENTS; i++)
        rig_hang_up(i);
    while (rig.connects < 2 * CLIENTS)
        rig_turn();
    for (unsigned i = CLIENTS; i < 2 * CLIENTS; i++) {
        turns_until_readable(i);
        rig_request(i, &r);
        send_slowly(i, rig_read(r.xid, 70000, 70000), 30000);
    }
    turn_until_heard(CLIENTS);
    for (unsigned i = 0; i < CLIENTS; i++) {
        assert_int_equal(rig.heard[i].sent, 2);
        assert_int_equal(rig.heard[i].landed, 70000);
        for (uint32_t k = 0; k < 70000; k++)
            assert_int_equal(data[i][k], rig_byte(k));
    }
    assert_int_equal(COUNT(outages), CLIENTS);
    assert_int_equal(COUNT(reconnects), CLIENTS);
    calls_rig_close();
}

static void silence_ends_calls_and_sessions_close_at_any_time(void **state)
{
    static unsigned char data[CLIENTS][100000];

    (void)state;
    open_many(20);
    for (unsigned i = 0; i < CLIENTS; i++)
        post_to(i, i % 2 ? NFS3_READ : NFS3_WRITE, data[i], 100000);
    turn_until_heard(CLIENTS);
    for (unsigned i = 0; i < CLIENTS; i++)
        assert_int_equal(rig.heard[i].code, -ETIMEDOUT);
    for (unsigned i = 0; i < CLIENTS; i++)
        post_to(i, i % 2 ? NFS3_READ : NFS3_WRITE, data[i], 100000);
    nfs_flush(rig.calls);
    calls_rig_close();
    assert_int_equal(rig.hears, CLIENTS);
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
    open_many(FOREVER_MS);
    for (int i = 0; i < 3; i++) {
        nfs_wake(rig.calls);
        assert_true(nfs_turn(rig.calls, UINT64_MAX));
        assert_false(nfs_turn(rig.calls, 0));
        assert_int_equal(pthread_create(&thread, NULL, wake_it, rig.calls), 0);
        assert_true(nfs_turn(rig.calls, UINT64_MAX));
        pthread_join(thread, NULL);
        assert_false(nfs_turn(rig.calls, nfs_clock_ns() + CALLS_RIG_MS));
    }
    calls_rig_close();
}

static void refuse_uring(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {.len = sizeof code / sizeof code[0], .filter = code};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) < 0)
        _exit(2);
}

static void where_it_is_refused_epoll_waits_and_the_reason_is_told(void **state)
{
    int status;
    pid_t child = fork();

    (void)state;
    assert_true(child >= 0);
    if (child == 0) {
        struct nfs_conn_facts facts;
        struct request r;

        refuse_uring();
        calls_rig_open(CLIENTS, CLIENTS, 1, FOREVER_MS);
        nfs_calls_facts(rig.calls, &facts);
        post_to(2, NFS3_GETATTR, NULL, 0);
        nfs_flush(rig.calls);
        rig_request(2, &r);
        rig_send(2, rig_wire, rig_plain(r.xid, 0));
        turn_until_heard(1);
        _exit(!facts.by_uring && strcmp(facts.why_not_uring, "Operation not permitted") == 0 ? 0
                                                                                             : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_connections_are_served_in_one_turn),
        cmocka_unit_test(long_data_land_too_however_they_come),
        cmocka_unit_test(a_write_goes_out_whole_through_a_socket_that_takes_little),
        cmocka_unit_test(lost_connections_are_made_again),
        cmocka_unit_test(silence_ends_calls_and_sessions_close_at_any_time),
        cmocka_unit_test(a_wake_ends_the_running_or_the_next_turn_once),
        cmocka_unit_test(where_it_is_refused_epoll_waits_and_the_reason_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
