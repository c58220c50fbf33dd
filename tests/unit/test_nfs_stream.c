/* Bytes of the NFS client's connections: every call goes out whole and once, however little the socket
 * takes at a time; every reply is read, however it is cut into pieces and fragments; and nothing that a
 * server sends makes the client read more than it asked for or write where it may not. */
#include "calls_server.h"

static void a_call_is_one_record_with_its_header_and_arguments(void **state)
{
    struct request r;

    (void)state;
    calls_rig_open(4, 0, 1, 1000);
    struct nfs_call *call = rig_post(&rig.job[0], NFS3_GETATTR, NULL, 0);
    nfs_flush(rig.calls);
    rig_request(0, &r);
    assert_int_equal(r.xid, call->xid);
    assert_int_equal(r.proc, NFS3_GETATTR);

    unsigned char expected[512];
    struct xdr_out x = xdr_out(expected, sizeof expected);
    struct nfs3_fh fh = {.len = 8, .data = "fhandle"};
    rpc_put_call(&x, call->xid, NFS3_PROGRAM, NFS3_VERSION, NFS3_GETATTR, &rig.target.cred);
    nfs3_put_fh(&x, &fh);
    assert_int_equal(r.len, x.at - expected);
    assert_memory_equal(r.body, expected, r.len);

    rig_send(0, rig_wire, rig_plain(r.xid, 5));
    rig_turn();
    assert_int_equal(rig.hears, 1);
    assert_ptr_equal(rig.heard[0].job, &rig.job[0]);
    assert_int_equal(rig.heard[0].status, 5);
    assert_int_equal(rig.heard[0].sent, 1);
    calls_rig_close();
}

static void calls_posted_together_go_out_in_one_send_and_are_answered_in_any_order(void **state)
{
    struct request r[8];

    (void)state;
    calls_rig_open(8, 0, 1, 1000);
    for (int i = 0; i < 8; i++)
        rig_post(&rig.job[i], NFS3_GETATTR, NULL, 0);
    nfs_flush(rig.calls);
    assert_int_equal(COUNT(sends), 1);
    for (int i = 0; i < 8; i++)
        rig_request(0, &r[i]);
    for (int i = 7; i >= 0; i--)
        rig_send(0, rig_wire, rig_plain(r[i].xid, (uint32_t)i));
    rig_turn();
    assert_int_equal(rig.hears, 8);
    for (unsigned i = 0; i < 8; i++) {
        assert_ptr_equal(rig.heard[i].job, &rig.job[7 - i]);
        assert_int_equal(rig.heard[i].status, 7 - i);
    }
    assert_int_equal(COUNT(receives), 1);
    calls_rig_close();
}

static void read_data_lands_where_the_call_wants_it_however_it_comes(void **state)
{
    static unsigned char data[1048576 + 1];
    static const uint32_t lens[] = {0, 1, 4095, 4096, 65537, 1048576};
    static const size_t pieces[] = {1, 3, 131, 133, 4096, 100000, sizeof rig_wire};

    (void)state;
    calls_rig_open(4, 0, 1, 10000);
    for (size_t l = 0; l < sizeof lens / sizeof lens[0]; l++) {
        for (size_t p = 0; p < sizeof pieces / sizeof pieces[0]; p++) {
            struct request r;
            uint32_t len = lens[l];
            size_t piece = pieces[p];

            if (len / piece > 20000)
                continue;
            memset(data, 0xee, sizeof data);
            rig.hears = 0;
            rig_post(&rig.job[0], NFS3_READ, data, len);
            nfs_flush(rig.calls);
            rig_request(0, &r);
            size_t all = rig_read(r.xid, len, len);
            for (size_t at = 0; at < all;) {
                size_t n = all - at < piece ? all - at : piece;
                ssize_t sent = send(rig.peer[0], rig_wire + at, n, MSG_NOSIGNAL | MSG_DONTWAIT);
                if (sent > 0)
                    at += (size_t)sent;
                nfs_turn(rig.calls, 0);
            }
            if (rig.hears == 0)
                rig_turn();
            assert_int_equal(rig.hears, 1);
            assert_int_equal(rig.heard[0].what, RIG_ANSWER);
            assert_int_equal(rig.heard[0].landed, len);
            for (uint32_t i = 0; i < len; i++)
                if (data[i] != rig_byte(i))
                    fail_msg("byte %u of %u in pieces of %zu", i, len, piece);
            assert_int_equal(data[len], 0xee);
        }
    }
    assert_int_equal(COUNT(replies_bad) + COUNT(outages) + COUNT(replies_unknown), 0);
    calls_rig_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_is_one_record_with_its_header_and_arguments),
        cmocka_unit_test(calls_posted_together_go_out_in_one_send_and_are_answered_in_any_order),
        cmocka_unit_test(read_data_lands_where_the_call_wants_it_however_it_comes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
