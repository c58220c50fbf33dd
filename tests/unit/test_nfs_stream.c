/* Bytes of the NFS client's connections: every call goes out whole and once, however little the socket
 * takes at a time; every reply is read, however it is cut into pieces and fragments; and nothing that a
 * server sends makes the client read more than it asked for or write where it may not. */
#include "calls_server.h"

static void a_call_is_one_record_with_its_header_and_arguments(void **state)
{
    struct request r;

    (void)state;
    calls_rig_open(4, 0, 1, 600000);
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
    calls_rig_open(8, 0, 1, 600000);
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
    calls_rig_open(4, 0, 1, 600000);
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

/* What a test posts, and the request the server got. */
static void posted(struct request *r, enum nfs3_proc proc, void *data, uint32_t len)
{
    assert_non_null(rig_post(&rig.job[0], proc, data, len));
    nfs_flush(rig.calls);
    rig_request(rig.connects - 1, r);
}

/* Cuts the record in rig_wire into fragments of `piece` bytes with an empty one in front, and sends it. */
static void send_fragments(size_t all, size_t piece)
{
    uint32_t empty = 0;

    rig_send(0, &empty, sizeof empty);
    for (size_t at = 4; at < all; at += piece) {
        size_t n = all - at < piece ? all - at : piece;
        uint32_t mark = htobe32((uint32_t)n | (at + n == all ? RPC_MARK_LAST : 0));

        rig_send(0, &mark, sizeof mark);
        rig_send(0, rig_wire + at, n);
        nfs_turn(rig.calls, 0);
    }
}

static void a_record_may_come_in_any_number_of_fragments(void **state)
{
    static unsigned char data[70000];
    static const size_t pieces[] = {1, 5, 600, 4096, 69999, 100000};

    (void)state;
    calls_rig_open(4, 0, 1, 600000);
    for (size_t p = 0; p < sizeof pieces / sizeof pieces[0]; p++) {
        for (uint32_t len = 100; len <= 70000; len += 69900) {
            struct request r;

            if (len / pieces[p] > 20000)
                continue;
            rig.hears = 0;
            memset(data, 0, sizeof data);
            posted(&r, NFS3_READ, data, len);
            send_fragments(rig_read(r.xid, len, len), pieces[p]);
            if (rig.hears == 0)
                rig_turn();
            assert_int_equal(rig.hears, 1);
            assert_int_equal(rig.heard[0].landed, len);
            for (uint32_t i = 0; i < len; i++)
                assert_int_equal(data[i], rig_byte(i));
        }
    }
    assert_int_equal(COUNT(replies_bad) + COUNT(replies_unknown) + COUNT(replies_late), 0);
    calls_rig_close();
}

/* A listing is decoded by its job, from one piece of memory. */
static void a_long_reply_in_pieces_is_handed_out_in_one(void **state)
{
    struct request r;

    (void)state;
    calls_rig_open(4, 0, 1, 600000);
    posted(&r, NFS3_READDIRPLUS, NULL, 0);
    struct xdr_out x = rig_reply_begin(r.xid);
    for (uint32_t i = 0; i < 16000; i++)
        xdr_put_u32(&x, i);
    size_t all = rig_reply_end(&x);
    for (size_t at = 0, n; at < all; at += n) {
        n = all - at < 777 ? all - at : 777;
        rig_send(0, rig_wire + at, n);
        nfs_turn(rig.calls, 0);
    }
    if (rig.hears == 0)
        rig_turn();
    assert_int_equal(rig.hears, 1);
    assert_int_equal(rig.heard[0].body, 64000);
    calls_rig_close();
}

/* The server's kernel takes little at a time; each WRITE arrives whole, in order, padded. */
static void writes_go_out_whole_through_a_socket_that_takes_little(void **state)
{
    enum { WRITES = 6 };
    static unsigned char data[WRITES][300003];
    static unsigned char got[300003 + 3 + 1024];
    int little = 4096;

    (void)state;
    calls_rig_open(WRITES, 0, 1, 600000);
    assert_int_equal(
        setsockopt(rig.calls->conn[0].fd, SOL_SOCKET, SO_SNDBUF, &little, sizeof little), 0);
    for (unsigned w = 0; w < WRITES; w++) {
        for (size_t i = 0; i < sizeof data[w]; i++)
            data[w][i] = (unsigned char)(i * 3 + w);
        rig_post(&rig.job[w], NFS3_WRITE, data[w], (uint32_t)sizeof data[w] - w);
    }
    for (unsigned w = 0; w < WRITES; w++) {
        size_t len = sizeof data[w] - w;
        size_t head = 0;
        size_t all = RPC_MARK_BYTES;

        for (size_t at = 0; at < all;) {
            nfs_turn(rig.calls, 0);
            ssize_t n = recv(rig.peer[0], got + at, all - at, MSG_DONTWAIT);
            if (n < 0)
                continue;
            at += (size_t)n;
            if (at != RPC_MARK_BYTES || all != RPC_MARK_BYTES)
                continue;
            uint32_t mark;
            memcpy(&mark, got, sizeof mark);
            all += be32toh(mark) & ~RPC_MARK_LAST;
            assert_true(all <= sizeof got);
        }
        head = all - ((len + 3) & ~(size_t)3);
        assert_memory_equal(got + head, data[w], len);
        for (size_t i = head + len; i < all; i++)
            assert_int_equal(got[i], 0);
        struct xdr_in x = xdr_in(got + head - 4, 4);
        assert_int_equal(xdr_get_u32(&x), len);
    }
    assert_int_equal(COUNT(retransmits), 0);
    assert_true(COUNT(sends) > WRITES);
    calls_rig_close();
}

static void replies_that_nobody_waits_for_are_counted_and_read_past(void **state)
{
    static unsigned char data[100000];
    struct request first, r;

    (void)state;
    calls_rig_open(4, 0, 1, 600000);
    posted(&first, NFS3_READ, data, sizeof data);
    rig_send(0, rig_wire, rig_read(first.xid, sizeof data, sizeof data));
    rig_send(0, rig_wire, rig_read(first.xid, sizeof data, sizeof data)); /* twice */
    while (rig.hears == 0)
        rig_turn();
    posted(&r, NFS3_GETATTR, NULL, 0);
    rig_send(0, rig_wire, rig_plain(r.xid ^ 0x40000000u, 0)); /* never used */
    rig_send(0, rig_wire, rig_plain(0xffffffffu, 0));         /* no such place, or never used */
    rig_send(0, rig_wire, rig_plain(first.xid, 0));
    rig_send(0, rig_wire, rig_plain(r.xid, 0));
    while (rig.hears < 2)
        rig_turn();
    assert_int_equal(COUNT(replies_late), 2);
    assert_int_equal(COUNT(replies_unknown), 2);
    assert_int_equal(COUNT(replies_bad) + COUNT(outages), 0);
    assert_int_equal(rig.connects, 1);
    calls_rig_close();
}

/* Takes the call that was sent again on the second connection, and answers it. */
static void answered_on_the_next_connection(const struct request *r)
{
    struct request again;

    for (int i = 0; i < 1000 && rig.connects < 2; i++)
        nfs_turn(rig.calls, nfs_clock_ns() + CALLS_RIG_MS);
    assert_int_equal(rig.connects, 2);
    for (int i = 0; i < 1000 && !rig_readable(1); i++)
        nfs_turn(rig.calls, nfs_clock_ns() + CALLS_RIG_MS);
    rig_request(1, &again);
    assert_int_equal(again.xid, r->xid);
    assert_int_equal(again.len, r->len);
    assert_memory_equal(again.body, r->body, r->len < sizeof r->body ? r->len : sizeof r->body);
    rig_send(1, rig_wire, rig_plain(r->xid, 0));
    rig_turn();
}

static void a_stream_that_is_no_rpc_is_given_up_and_its_calls_sent_again(void **state)
{
    static const struct {
        uint32_t words[4];
        size_t len;
    } bad[] = {
        {{0xffffffffu}, 4},              /* 2 GiB in the last fragment */
        {{0x7fffffffu}, 4},              /* in one that is not the last */
        {{0x80000000u}, 4},              /* nothing */
        {{0x80000002u, 0}, 6},           /* less than an xid */
        {{RPC_MARK_LAST | 2000000u}, 4}, /* longer than any reply */
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct request r;
        uint32_t words[4];

        calls_rig_open(4, 0, 1, 600000);
        posted(&r, NFS3_GETATTR, NULL, 0);
        for (int w = 0; w < 4; w++)
            words[w] = htobe32(bad[i].words[w]);
        rig_send(0, words, bad[i].len);
        answered_on_the_next_connection(&r);
        assert_int_equal(rig.hears, 1);
        assert_int_equal(rig.heard[0].sent, 2);
        assert_int_equal(COUNT(replies_bad), 1);
        assert_int_equal(COUNT(outages), 1);
        assert_int_equal(COUNT(reconnects), 1);
        assert_int_equal(COUNT(retransmits), 1);
        calls_rig_close();
    }
}

/* Fails the call itself with -EBADMSG: a server that always answers so would be asked for ever. */
static void fails(size_t len)
{
    rig_send(0, rig_wire, len);
    for (int i = 0; i < 100 && (rig.hears == 0 || rig.connects < 2); i++)
        nfs_turn(rig.calls, nfs_clock_ns() + CALLS_RIG_MS);
    assert_int_equal(rig.hears, 1);
    assert_int_equal(rig.heard[0].what, RIG_FAILED);
    assert_int_equal(rig.heard[0].code, -EBADMSG);
    assert_int_equal(COUNT(replies_bad), 1);
    assert_int_equal(rig.connects, 2);
    calls_rig_close();
}

static void an_answer_that_is_none_fails_its_call(void **state)
{
    static unsigned char data[70000];
    struct request r;
    struct xdr_out x;

    (void)state;
    calls_rig_open(4, 0, 1, 600000); /* a call and no reply */
    posted(&r, NFS3_GETATTR, NULL, 0);
    rig_plain(r.xid, 0);
    rig_wire[11] = 0;
    fails(32);
    calls_rig_open(4, 0, 1, 600000); /* ends in its header */
    posted(&r, NFS3_GETATTR, NULL, 0);
    x = rig_reply_begin(r.xid);
    x.at -= 4;
    fails(rig_reply_end(&x));
    calls_rig_open(4, 0, 1, 600000); /* longer than a GETATTR is answered with */
    posted(&r, NFS3_GETATTR, NULL, 0);
    x = rig_reply_begin(r.xid);
    x.at += NFS_REPLY_MAX;
    fails(rig_reply_end(&x));
    calls_rig_open(4, 0, 1, 600000); /* the same, seen before the end of it */
    posted(&r, NFS3_GETATTR, NULL, 0);
    x = rig_reply_begin(r.xid);
    x.at += 500000;
    rig_reply_end(&x);
    fails(1000);
    calls_rig_open(4, 0, 1, 600000); /* data that are said to be there and are not */
    posted(&r, NFS3_READ, data, 1000);
    rig_read(r.xid, 1000, 1000);
    rig_wire[3] = 0xff;
    rig_wire[2] = 0;
    fails(4 + 0xff);
    calls_rig_open(4, 0, 1,
                   600000); /* the same in a record that is long enough to be read in pieces */
    posted(&r, NFS3_READ, data, 70000);
    rig_read(r.xid, 70000, 70000);
    rig_wire[1] = 0;
    rig_wire[2] = 0xff;
    fails(2000);
}

/* The data end where the call's buffer does, whatever the server says. */
static void more_data_than_asked_for_are_not_taken(void **state)
{
    static unsigned char data[2][70001];
    static const struct {
        uint32_t asked, len, count;
    } cases[] = {
        {100, 104, 104},       {100, 101, 101},   {100, 100, 99},
        {70000, 70001, 70001}, {70000, 70000, 1}, {1000, 60000, 60000},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct request r;

        memset(data, 0x5a, sizeof data);
        calls_rig_open(4, 0, 1, 600000);
        posted(&r, NFS3_READ, data[0], cases[i].asked);
        fails(rig_read(r.xid, cases[i].len, cases[i].count));
        assert_int_equal(data[0][cases[i].asked], 0x5a);
        assert_int_equal(data[1][0], 0x5a);
    }
}

static void what_rpc_refuses_fails_the_call_and_not_the_connection(void **state)
{
    struct request r;

    (void)state;
    calls_rig_open(4, 0, 1, 600000);
    posted(&r, NFS3_GETATTR, NULL, 0);
    struct xdr_out x = rig_reply_begin(r.xid);
    x.at -= 16;
    xdr_put_u32(&x, 1); /* denied */
    xdr_put_u32(&x, 1); /* authentication */
    xdr_put_u32(&x, 5); /* too weak */
    rig_send(0, rig_wire, rig_reply_end(&x));
    rig_turn();
    assert_int_equal(rig.hears, 1);
    assert_int_equal(rig.heard[0].code, -EACCES);
    assert_int_equal(COUNT(rpc_errors), 1);
    posted(&r, NFS3_GETATTR, NULL, 0);
    rig_send(0, rig_wire, rig_plain(r.xid, 0));
    rig_turn();
    assert_int_equal(rig.hears, 2);
    assert_int_equal(rig.connects, 1);
    calls_rig_close();
}

static void a_connection_whose_answers_its_reader_cannot_read_is_given_up(void **state)
{
    struct request r;

    (void)state;
    calls_rig_open(4, 0, 1, 600000);
    rig.unreadable = true;
    posted(&r, NFS3_GETATTR, NULL, 0);
    rig_send(0, rig_wire, rig_plain(r.xid, 0));
    for (int i = 0; i < 100 && rig.connects < 2; i++)
        nfs_turn(rig.calls, nfs_clock_ns() + CALLS_RIG_MS);
    assert_int_equal(rig.connects, 2);
    assert_int_equal(COUNT(replies_bad), 1);
    assert_int_equal(rig.hears, 1);
    calls_rig_close();
}

/* Nothing that is not fully out can have been answered. */
static void an_answer_to_what_is_not_yet_out_is_unknown(void **state)
{
    static unsigned char data[1000000];
    int little = 4096;
    struct nfs_call *call;

    (void)state;
    calls_rig_open(4, 0, 1, 600000);
    assert_int_equal(
        setsockopt(rig.calls->conn[0].fd, SOL_SOCKET, SO_SNDBUF, &little, sizeof little), 0);
    call = rig_post(&rig.job[0], NFS3_WRITE, data, sizeof data);
    nfs_flush(rig.calls);
    rig_send(0, rig_wire, rig_plain(call->xid, 0));
    nfs_turn(rig.calls, nfs_clock_ns() + 10 * CALLS_RIG_MS);
    assert_int_equal(COUNT(replies_unknown), 1);
    assert_int_equal(rig.hears, 0);
    calls_rig_close();
}

enum { MANY = 24 };

/* Which of MANY READs of 4 KiB is answered as the i-th, and how. */
struct course {
    const char *what;
    unsigned (*which)(unsigned i);
    uint32_t short_at; /* answers fewer bytes; MANY: none */
    uint32_t fails_at; /* answers an error */
    bool fragmented;   /* that one comes in two fragments */
    bool one_buffer;
};

static unsigned as_sent(unsigned i)
{
    return i;
}

static unsigned backwards(unsigned i)
{
    return MANY - 1 - i;
}

static unsigned pairs_swapped(unsigned i)
{
    return i ^ 1u;
}

static const struct course courses[] = {
    {"as sent", as_sent, MANY, MANY, false, false},
    {"backwards", backwards, MANY, MANY, false, false},
    {"pairs swapped", pairs_swapped, MANY, MANY, false, false},
    {"one is short", as_sent, 5, MANY, false, false},
    {"one fails", as_sent, MANY, 7, false, false},
    {"swapped, short, failed", pairs_swapped, 11, 4, false, false},
    {"one in two fragments", as_sent, 9, MANY, true, false},
    {"one buffer", as_sent, MANY, MANY, false, true},
    {"one buffer, swapped, short, failed", pairs_swapped, 3, 8, false, true},
};

static unsigned char many_wire[MANY * 5000];
static unsigned char many_data[MANY][4096];

static uint32_t many_len(const struct course *course, unsigned which)
{
    return which == course->fails_at ? 0 : which == course->short_at ? 1000 : 4096;
}

/* One reply at many_wire + at; the data of call k begin with k. */
static size_t many_reply(const struct course *course, unsigned which, uint32_t xid, size_t at)
{
    uint32_t len = many_len(course, which);
    size_t all = which == course->fails_at ? rig_plain(xid, 5) : rig_read(xid, len, len);

    if (which == course->fails_at) { /* and no attributes */
        memset(rig_wire + all, 0, 4);
        all += 4;
        rig_wire[3] += 4;
    }
    if (len > 0)
        rig_wire[all - len] = (unsigned char)which;
    if (which == course->short_at && course->fragmented) {
        uint32_t first = htobe32(300);
        uint32_t rest = htobe32(RPC_MARK_LAST | (uint32_t)(all - 304));

        memcpy(many_wire + at, &first, 4);
        memcpy(many_wire + at + 4, rig_wire + 4, 300);
        memcpy(many_wire + at + 304, &rest, 4);
        memcpy(many_wire + at + 308, rig_wire + 304, all - 304);
        return at + all + 4;
    }
    memcpy(many_wire + at, rig_wire, all);
    return at + all;
}

static void check_data(const struct course *course, const unsigned char *data, unsigned which,
                       unsigned round)
{
    for (uint32_t i = 0; i < many_len(course, which); i++)
        if (data[i] != (i == 0 ? which : rig_byte(i)))
            fail_msg("%s: byte %u of call %u in round %u", course->what, i, which, round);
}

/* A buffer of all has at the end what came last: what will be written over may be left out, and no more. */
static void check_many(const struct course *course, unsigned round)
{
    for (unsigned h = 0; h < MANY; h++) {
        const struct heard *heard = &rig.heard[h];
        unsigned which = (unsigned)(heard->job - rig.job);
        uint32_t len = many_len(course, which);

        assert_int_equal(heard->what, RIG_ANSWER);
        assert_int_equal(which, course->which(h));
        assert_int_equal(heard->status, which == course->fails_at ? 5 : 0);
        assert_int_equal(heard->landed, len);
        if (!course->one_buffer)
            check_data(course, many_data[which], which, round);
    }
    if (course->one_buffer)
        check_data(course, many_data[0], course->which(MANY - 1), round);
}

static void one_round(const struct course *course, size_t piece, unsigned round)
{
    uint32_t xid[MANY];
    size_t all = 0;
    struct request r;

    rig.hears = 0;
    memset(many_data, 0xcc, sizeof many_data);
    for (unsigned i = 0; i < MANY; i++)
        rig_post(&rig.job[i], NFS3_READ, many_data[course->one_buffer ? 0 : i], 4096);
    nfs_flush(rig.calls);
    for (unsigned i = 0; i < MANY; i++) {
        rig_request(0, &r);
        xid[i] = r.xid;
    }
    for (unsigned i = 0; i < MANY; i++)
        all = many_reply(course, course->which(i), xid[course->which(i)], all);
    for (size_t at = 0; at < all;) {
        size_t n = all - at < piece ? all - at : piece;
        ssize_t sent = send(rig.peer[0], many_wire + at, n, MSG_NOSIGNAL | MSG_DONTWAIT);

        at += sent > 0 ? (size_t)sent : 0;
        nfs_turn(rig.calls, 0);
    }
    while (rig.hears < MANY)
        rig_turn();
    check_many(course, round);
}

/* Where replies come is foreseen from the ones before; none is lost or in the wrong place when they come
 * otherwise. */
static void many_reads_are_answered_right_in_whatever_order_and_form(void **state)
{
    static const size_t pieces[] = {sizeof many_wire, 4224, 4100, 100, 20001};

    (void)state;
    for (size_t k = 0; k < sizeof courses / sizeof courses[0]; k++) {
        for (size_t p = 0; p < sizeof pieces / sizeof pieces[0]; p++) {
            calls_rig_open(MANY, 0, 1, 600000);
            for (unsigned round = 0; round < 5; round++)
                one_round(&courses[k], pieces[p], round);
            assert_int_equal(COUNT(replies_bad) + COUNT(replies_unknown) + COUNT(outages), 0);
            calls_rig_close();
        }
    }
}

/* READs that share a part of their buffers were foreseen as if they lay apart; what came otherwise was then
 * put in order from bytes that lay above each other, and the connection was given up. */
static void buffers_that_overlap_scramble_nothing(void **state)
{
    uint32_t xid[MANY];
    struct request r;
    size_t all = 0;

    (void)state;
    calls_rig_open(MANY, 0, 1, 600000);
    for (unsigned round = 0; round < 3; round++) {
        uint32_t len = round == 0 ? 4096 : 1000;

        rig.hears = 0;
        all = 0;
        for (unsigned i = 0; i < MANY; i++)
            rig_post(&rig.job[i], NFS3_READ, many_data[0] + (i % 2 > 0 ? 1000 : 0), 4096);
        nfs_flush(rig.calls);
        for (unsigned i = 0; i < MANY; i++) {
            rig_request(0, &r);
            xid[i] = r.xid;
        }
        for (unsigned i = 0; i < MANY; i++) {
            size_t n = rig_read(xid[i], len, len);

            memcpy(many_wire + all, rig_wire, n);
            all += n;
        }
        rig_send(0, many_wire, all);
        while (rig.hears < MANY)
            rig_turn();
        for (unsigned i = 0; i < MANY; i++) {
            assert_int_equal(rig.heard[i].what, RIG_ANSWER);
            assert_int_equal(rig.heard[i].landed, len);
        }
    }
    assert_int_equal(COUNT(replies_bad) + COUNT(replies_unknown) + COUNT(outages), 0);
    calls_rig_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_is_one_record_with_its_header_and_arguments),
        cmocka_unit_test(calls_posted_together_go_out_in_one_send_and_are_answered_in_any_order),
        cmocka_unit_test(read_data_lands_where_the_call_wants_it_however_it_comes),
        cmocka_unit_test(a_record_may_come_in_any_number_of_fragments),
        cmocka_unit_test(a_long_reply_in_pieces_is_handed_out_in_one),
        cmocka_unit_test(writes_go_out_whole_through_a_socket_that_takes_little),
        cmocka_unit_test(replies_that_nobody_waits_for_are_counted_and_read_past),
        cmocka_unit_test(a_stream_that_is_no_rpc_is_given_up_and_its_calls_sent_again),
        cmocka_unit_test(an_answer_that_is_none_fails_its_call),
        cmocka_unit_test(more_data_than_asked_for_are_not_taken),
        cmocka_unit_test(what_rpc_refuses_fails_the_call_and_not_the_connection),
        cmocka_unit_test(a_connection_whose_answers_its_reader_cannot_read_is_given_up),
        cmocka_unit_test(an_answer_to_what_is_not_yet_out_is_unknown),
        cmocka_unit_test(buffers_that_overlap_scramble_nothing),
        cmocka_unit_test(many_reads_are_answered_right_in_whatever_order_and_form),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
