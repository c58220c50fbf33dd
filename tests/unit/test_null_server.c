/* null_server.h: what the responder says reaches whoever asks, however the bytes come and go. */
#include "nfs/null_server.h"
#include "nfs/rpc.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

static struct null_server *server;
static pthread_t thread;

static void *serve(void *arg)
{
    struct err err = {0};

    (void)arg;
    return null_server_run(server, &err) == 0 ? NULL : server;
}

static int start(void **state, bool ipv6)
{
    struct err err = {0};

    (void)state;
    if (null_server_open(0, ipv6, &server, &err) < 0)
        fail_msg("%s", err.text);
    return pthread_create(&thread, NULL, serve, NULL);
}

static int start4(void **state)
{
    return start(state, false);
}

static int stop(void **state)
{
    void *failed;

    (void)state;
    null_server_stop(server);
    assert_int_equal(pthread_join(thread, &failed), 0);
    null_server_close(server);
    return failed != NULL;
}

static int dial(bool ipv6)
{
    struct sockaddr_in in = {.sin_family = AF_INET,
                             .sin_port = htobe16(null_server_port(server)),
                             .sin_addr.s_addr = htobe32(INADDR_LOOPBACK)};
    struct sockaddr_in6 in6 = {
        .sin6_family = AF_INET6, .sin6_port = in.sin_port, .sin6_addr = in6addr_loopback};
    int fd = socket(ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    int on = 1;

    assert_true(fd >= 0);
    assert_int_equal(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on), 0);
    assert_int_equal(ipv6 ? connect(fd, (struct sockaddr *)&in6, sizeof in6)
                          : connect(fd, (struct sockaddr *)&in, sizeof in),
                     0);
    return fd;
}

static void say(int fd, const void *bytes, size_t len)
{
    for (const unsigned char *at = bytes; len > 0;) {
        ssize_t n = send(fd, at, len, MSG_NOSIGNAL);

        assert_true(n > 0);
        at += n;
        len -= (size_t)n;
    }
}

static void hear(int fd, void *bytes, size_t len)
{
    for (unsigned char *at = bytes; len > 0;) {
        ssize_t n = recv(fd, at, len, 0);

        assert_true(n > 0);
        at += n;
        len -= (size_t)n;
    }
}

/* The next reply; it is a success. Returns its length; *xid of it. */
static size_t hear_reply(int fd, uint32_t *xid)
{
    static unsigned char reply[(1 << 20) + RESPONDER_REPLY_MAX];
    struct xdr_in x = xdr_in(reply, RPC_MARK_BYTES);
    struct rpc_reply head;

    hear(fd, reply, RPC_MARK_BYTES);

    uint32_t mark = xdr_get_u32(&x);
    size_t len = mark & ~RPC_MARK_LAST;

    assert_true((mark & RPC_MARK_LAST) != 0 && len <= sizeof reply);
    hear(fd, reply, len);
    x = xdr_in(reply, len);
    assert_int_equal(rpc_get_reply(&x, &head), 0);
    assert_int_equal(head.verdict, RPC_SUCCESS);
    *xid = head.xid;
    return xdr_left(&x);
}

struct sent {
    unsigned char bytes[RPC_MARK_BYTES + 256];
    size_t len;
};

static const struct nfs3_fh file = {.len = 16, .data = {0, 0, 0, NFS3_REG, 0, 0, 0, 0, 9}};

static struct xdr_out begin(struct sent *s, uint32_t xid, enum nfs3_proc proc)
{
    static const struct rpc_cred none = {.flavor = RPC_AUTH_NONE};
    struct xdr_out x = xdr_out(s->bytes + RPC_MARK_BYTES, sizeof s->bytes - RPC_MARK_BYTES);

    rpc_put_call(&x, xid, NFS3_PROGRAM, NFS3_VERSION, proc, &none);
    return x;
}

static void end(struct sent *s, const struct xdr_out *x, uint32_t data)
{
    struct xdr_out mark = xdr_out(s->bytes, RPC_MARK_BYTES);

    s->len = (size_t)(x->at - s->bytes);
    xdr_put_u32(&mark, RPC_MARK_LAST | ((uint32_t)(s->len - RPC_MARK_BYTES) + data));
}

static struct sent a_read(uint32_t xid, uint32_t len)
{
    struct sent s;
    struct xdr_out x = begin(&s, xid, NFS3_READ);

    nfs3_put_read(&x, &file, 0, len);
    end(&s, &x, 0);
    return s;
}

/* What stands in front of the data of a READ that succeeded. */
#define READ_HEAD (4 + 4 + 84 + 12)

static void replies_come_in_order_of_any_length(void **state)
{
    static const uint32_t lens[] = {0, 1, 4096, 8192, 8193, 65537, 1 << 20};
    int fd = dial(false);

    (void)state;
    for (uint32_t i = 0; i < 700; i++) {
        struct sent s = a_read(i, lens[i % 7]);

        say(fd, s.bytes, s.len);
        if (i % 7 == 6) {
            for (uint32_t k = i - 6; k <= i; k++) {
                uint32_t xid;

                assert_int_equal(hear_reply(fd, &xid), READ_HEAD + ((lens[k % 7] + 3) & ~3u));
                assert_int_equal(xid, k);
            }
        }
    }
    close(fd);
}

/* Far more than the buffers of both sides hold: it waits, and forgets nothing. */
static void many_calls_ahead_are_all_answered(void **state)
{
    enum { CALLS = 5000 };
    int fd = dial(false);
    static unsigned char all[CALLS * sizeof(struct sent)];
    size_t len = 0;

    (void)state;
    for (uint32_t i = 0; i < CALLS; i++) {
        struct sent s = a_read(i, 4096);

        memcpy(all + len, s.bytes, s.len);
        len += s.len;
    }

    size_t done = 0;

    for (uint32_t heard = 0; heard < CALLS; heard++) {
        uint32_t xid;

        while (done < len) { /* as much as it takes */
            ssize_t n = send(fd, all + done, len - done, MSG_NOSIGNAL | MSG_DONTWAIT);

            if (n <= 0)
                break;
            done += (size_t)n;
        }
        assert_int_equal(hear_reply(fd, &xid), READ_HEAD + 4096);
        assert_int_equal(xid, heard);
    }
    close(fd);
}

static void calls_may_come_byte_by_byte(void **state)
{
    int fd = dial(false);
    struct sent s = a_read(7, 10);
    uint32_t xid;

    (void)state;
    for (size_t i = 0; i < s.len; i++)
        say(fd, s.bytes + i, 1);
    assert_int_equal(hear_reply(fd, &xid), READ_HEAD + 12);
    assert_int_equal(xid, 7);
    close(fd);
}

static void long_writes_are_taken_whole(void **state)
{
    static unsigned char data[1 << 20];
    static const uint32_t lens[] = {4, 4096, 16384, 20000, 262144, 1 << 20};
    int fd = dial(false);

    (void)state;
    memset(data, 0xff, sizeof data);
    for (uint32_t i = 0; i < 60; i++) {
        uint32_t len = lens[i % 6];
        struct sent s;
        struct xdr_out x = begin(&s, i, NFS3_WRITE);
        uint32_t xid;

        nfs3_put_write(&x, &file, 0, len, NFS3_UNSTABLE);
        end(&s, &x, len);

        struct sent behind = a_read(1000 + i, 1);

        say(fd, s.bytes, s.len);
        say(fd, data, len);
        say(fd, behind.bytes, behind.len);
        (void)hear_reply(fd, &xid);
        assert_int_equal(xid, i);
        (void)hear_reply(fd, &xid);
        assert_int_equal(xid, 1000 + i);
    }
    close(fd);
}

/* Nothing comes but the end. */
static void assert_ends(int fd)
{
    char byte;

    assert_true(recv(fd, &byte, 1, 0) <= 0);
    close(fd);
}

static void what_is_no_call_ends_its_connection_only(void **state)
{
    static const unsigned char reply[] = {0x80, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0, 1};
    static const unsigned char fragment[] = {0, 0, 0, 4, 0, 0, 0, 1};
    static const unsigned char huge[] = {0xff, 0xff, 0xff, 0xff, 0, 0, 0, 1};
    int other = dial(false);
    uint32_t xid;
    struct sent s = a_read(3, 1);

    (void)state;
    for (int i = 0; i < 3; i++) {
        int fd = dial(false);

        if (i == 0)
            say(fd, reply, sizeof reply);
        else
            say(fd, i == 1 ? fragment : huge, sizeof huge);
        assert_ends(fd);
    }
    say(other, s.bytes, s.len);
    (void)hear_reply(other, &xid);
    assert_int_equal(xid, 3);
    close(other);
}

static void connections_come_and_go(void **state)
{
    int fds[100];
    uint32_t xid;

    (void)state;
    for (int i = 0; i < 100; i++)
        fds[i] = dial(false);
    for (int i = 0; i < 100; i += 2)
        close(fds[i]);
    for (int i = 1; i < 100; i += 2) {
        struct sent s = a_read((uint32_t)i, 1);

        say(fds[i], s.bytes, s.len);
        (void)hear_reply(fds[i], &xid);
        assert_int_equal(xid, i);
        close(fds[i]);
    }
}

static void it_listens_on_ipv6_when_asked(void **state)
{
    uint32_t xid;
    struct sent s = a_read(3, 1);

    assert_int_equal(start(state, true), 0);

    int fd = dial(true);

    say(fd, s.bytes, s.len);
    (void)hear_reply(fd, &xid);
    close(fd);
    stop(state);
}

static void a_taken_port_is_told(void **state)
{
    struct null_server *second = NULL;
    struct err err = {0};

    (void)state;
    assert_int_equal(null_server_open(null_server_port(server), false, &second, &err), -EADDRINUSE);
    assert_null(second);
    assert_non_null(strstr(err.text, "port"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(replies_come_in_order_of_any_length, start4, stop),
        cmocka_unit_test_setup_teardown(many_calls_ahead_are_all_answered, start4, stop),
        cmocka_unit_test_setup_teardown(calls_may_come_byte_by_byte, start4, stop),
        cmocka_unit_test_setup_teardown(long_writes_are_taken_whole, start4, stop),
        cmocka_unit_test_setup_teardown(what_is_no_call_ends_its_connection_only, start4, stop),
        cmocka_unit_test_setup_teardown(connections_come_and_go, start4, stop),
        cmocka_unit_test(it_listens_on_ipv6_when_asked),
        cmocka_unit_test_setup_teardown(a_taken_port_is_told, start4, stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
