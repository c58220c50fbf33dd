/* rpc.h: calls are written and replies read as RFC 5531 has them, and nothing else is taken for one. */
#include "nfs/rpc.h"
#include "wire.h"

#include <errno.h>

static void a_call_is_ten_words_around_its_credential(void **state)
{
    static const gid_t groups[] = {5, 6};
    struct rpc_cred cred;
    unsigned char buf[RPC_CALL_HEAD_MAX];
    struct xdr_out out = xdr_out(buf, sizeof buf);

    (void)state;
    rpc_cred_sys(&cred, "host1", 1000, 100, groups, 2);
    rpc_put_call(&out, 0xabcd, 100003, 3, 6, &cred);
    WIRE_IS(buf, &out, 0xabcd, 0, 2, 100003, 3, 6,                   /* call */
            1, 36, 0, 5, 0x686f7374, 0x31000000, 1000, 100, 2, 5, 6, /* credential */
            0, 0);
}

static void a_credential_of_none_is_empty(void **state)
{
    struct rpc_cred none = {.flavor = RPC_AUTH_NONE};
    unsigned char buf[RPC_CALL_HEAD_MAX];
    struct xdr_out out = xdr_out(buf, sizeof buf);

    (void)state;
    rpc_put_call(&out, 1, 100000, 2, 3, &none);
    WIRE_IS(buf, &out, 1, 0, 2, 100000, 2, 3, 0, 0, 0, 0);
}

/* Hosts of 255 bytes and 16 groups are what AUTH_SYS has room for. */
static void what_auth_sys_has_no_room_for_is_left_out(void **state)
{
    char host[301];
    gid_t groups[20];
    struct rpc_cred cred;

    (void)state;
    memset(host, 'h', 300);
    host[300] = '\0';
    for (gid_t i = 0; i < 20; i++)
        groups[i] = i;
    rpc_cred_sys(&cred, host, 1, 2, groups, 20);
    assert_int_equal(cred.len, 4 + 4 + 256 + 4 + 4 + 4 + 16 * 4);

    struct xdr_in in = xdr_in(cred.body, cred.len);
    uint32_t len;

    (void)xdr_get_u32(&in);
    assert_non_null(xdr_get_opaque(&in, 255, &len));
    assert_int_equal(len, 255);
    (void)xdr_get_u64(&in);
    assert_int_equal(xdr_get_u32(&in), 16);
    (void)xdr_take(&in, 15 * 4);
    assert_int_equal(xdr_get_u32(&in), 15);
    assert_int_equal(xdr_left(&in), 0);

    unsigned char buf[RPC_CALL_HEAD_MAX];
    struct xdr_out out = xdr_out(buf, sizeof buf);

    cred.len = RPC_CRED_MAX;
    rpc_put_call(&out, 1, 2, 3, 4, &cred);
    assert_ptr_equal(out.at, out.end);
    assert_false(out.bad);
}

static int read_words(struct rpc_reply *out, struct xdr_in *x, const uint32_t *words, size_t n)
{
    static struct wire w;

    w.len = 0;
    wire_add(&w, words, n);
    *x = wire_in(&w);
    memset(out, 0xee, sizeof *out);
    return rpc_get_reply(x, out);
}

#define READ(out, x, ...)                                                                          \
    read_words(out, x, (const uint32_t[]){__VA_ARGS__},                                            \
               sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static void success_leaves_the_cursor_at_the_results(void **state)
{
    struct rpc_reply r;
    struct xdr_in x;

    (void)state;
    assert_int_equal(READ(&r, &x, 77, 1, 0, 0, 0, 0, 0x1234), 0);
    assert_int_equal(r.xid, 77);
    assert_int_equal(r.verdict, RPC_SUCCESS);
    assert_int_equal(xdr_get_u32(&x), 0x1234);
    assert_int_equal(READ(&r, &x, 78, 1, 0, 6, 8, 1, 2, 0, 0x1234), 0); /* with a verifier */
    assert_int_equal(xdr_get_u32(&x), 0x1234);
}

static void refusals_keep_what_they_say(void **state)
{
    struct rpc_reply r;
    struct xdr_in x;

    (void)state;
    for (uint32_t stat = 1; stat <= 5; stat++) {
        assert_int_equal(READ(&r, &x, 1, 1, 0, 0, 0, stat, 4, 5), 0);
        assert_int_equal(r.verdict, stat);
        assert_int_equal(r.low, stat == RPC_PROG_MISMATCH ? 4 : 0);
        assert_int_equal(r.high, stat == RPC_PROG_MISMATCH ? 5 : 0);
    }
    assert_int_equal(READ(&r, &x, 1, 1, 1, 0, 2, 3), 0);
    assert_int_equal(r.verdict, RPC_MISMATCH);
    assert_int_equal(r.low, 2);
    assert_int_equal(r.high, 3);
    assert_int_equal(READ(&r, &x, 1, 1, 1, 1, 5), 0);
    assert_int_equal(r.verdict, RPC_AUTH_ERROR);
    assert_int_equal(r.auth, 5);
}

static void what_is_no_reply_is_refused_with_its_xid(void **state)
{
    struct rpc_reply r;
    struct xdr_in x;

    (void)state;
    assert_int_equal(READ(&r, &x, 7, 0, 0, 0, 0, 0), -EBADMSG); /* a call */
    assert_int_equal(r.xid, 7);
    assert_int_equal(READ(&r, &x, 7, 1, 2, 0, 0, 0), -EBADMSG);   /* neither accepted nor denied */
    assert_int_equal(READ(&r, &x, 7, 1, 0, 0, 0, 6), -EBADMSG);   /* no such verdict */
    assert_int_equal(READ(&r, &x, 7, 1, 1, 2, 0), -EBADMSG);      /* denied for no such reason */
    assert_int_equal(READ(&r, &x, 7, 1, 0, 0, 404, 0), -EBADMSG); /* verifier above its bound */
    assert_int_equal(READ(&r, &x, 7, 1, 0, 0, 0xffffffff, 0), -EBADMSG);
    assert_int_equal(r.xid, 7);
}

static void no_cut_reply_is_one(void **state)
{
    static const uint32_t whole[] = {1, 1, 0, 0, 4, 9, 2, 3, 4};
    struct wire w = {.len = 0};
    struct rpc_reply r;

    (void)state;
    wire_add(&w, whole, 9);
    for (size_t len = 0; len < w.len; len++) {
        struct xdr_in x = xdr_in(w.bytes, len);

        assert_int_equal(rpc_get_reply(&x, &r), -EBADMSG);
    }

    struct xdr_in x = wire_in(&w);

    assert_int_equal(rpc_get_reply(&x, &r), 0);
}

static void a_reply_written_is_read_back(void **state)
{
    (void)state;
    for (unsigned v = RPC_SUCCESS; v <= RPC_AUTH_ERROR; v++) {
        unsigned char buf[64];
        struct rpc_reply put = {.xid = 5, .verdict = (enum rpc_verdict)v};
        struct rpc_reply got;
        struct xdr_out out = xdr_out(buf, sizeof buf);

        if (v == RPC_MISMATCH || v == RPC_PROG_MISMATCH)
            put.low = 2, put.high = 3;
        if (v == RPC_AUTH_ERROR)
            put.auth = 1;
        rpc_put_reply(&out, &put);

        struct xdr_in in = xdr_in(buf, (size_t)(out.at - buf));

        assert_int_equal(rpc_get_reply(&in, &got), 0);
        assert_int_equal(xdr_left(&in), 0);
        assert_memory_equal(&put, &got, sizeof put);
    }
}

static void a_call_written_is_read_back(void **state)
{
    unsigned char buf[RPC_CALL_HEAD_MAX + 4];
    struct xdr_out out = xdr_out(buf, sizeof buf);
    struct rpc_cred cred;
    struct rpc_call call;

    (void)state;
    rpc_cred_sys(&cred, "abc", 1, 2, NULL, 0);
    rpc_put_call(&out, 9, 10, 11, 12, &cred);
    xdr_put_u32(&out, 0x1234);

    size_t len = (size_t)(out.at - buf);
    struct xdr_in in = xdr_in(buf, len);

    assert_int_equal(rpc_get_call(&in, &call), 0);
    assert_int_equal(call.xid, 9);
    assert_int_equal(call.rpc_version, RPC_VERSION);
    assert_int_equal(call.program, 10);
    assert_int_equal(call.version, 11);
    assert_int_equal(call.procedure, 12);
    assert_int_equal(xdr_get_u32(&in), 0x1234);
    for (size_t cut = 0; cut < len - 4; cut++) {
        in = xdr_in(buf, cut);
        assert_int_equal(rpc_get_call(&in, &call), -EBADMSG);
    }
    buf[7] = 1; /* a reply */
    in = xdr_in(buf, len);
    assert_int_equal(rpc_get_call(&in, &call), -EBADMSG);
}

/* Of another version of RPC nothing but the version is known. */
static void a_call_of_another_rpc_is_told(void **state)
{
    struct wire w = {.len = 0};
    struct rpc_call call;

    (void)state;
    WIRE_ADD(&w, 1, 0, 3);

    struct xdr_in in = wire_in(&w);

    assert_int_equal(rpc_get_call(&in, &call), 0);
    assert_int_equal(call.rpc_version, 3);
}

static void verdicts_have_names_and_codes(void **state)
{
    static const struct {
        enum rpc_verdict verdict;
        const char *name;
        int code;
    } cases[] = {
        {RPC_SUCCESS, "SUCCESS", 0},
        {RPC_PROG_UNAVAIL, "PROG_UNAVAIL", -EPROTONOSUPPORT},
        {RPC_PROG_MISMATCH, "PROG_MISMATCH", -EPROTONOSUPPORT},
        {RPC_PROC_UNAVAIL, "PROC_UNAVAIL", -EOPNOTSUPP},
        {RPC_GARBAGE_ARGS, "GARBAGE_ARGS", -EPROTO},
        {RPC_SYSTEM_ERR, "SYSTEM_ERR", -EREMOTEIO},
        {RPC_MISMATCH, "RPC_MISMATCH", -EPROTO},
        {RPC_AUTH_ERROR, "AUTH_ERROR", -EACCES},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_string_equal(rpc_verdict_name(cases[i].verdict), cases[i].name);
        assert_int_equal(rpc_verdict_errno(cases[i].verdict), cases[i].code);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_is_ten_words_around_its_credential),
        cmocka_unit_test(a_credential_of_none_is_empty),
        cmocka_unit_test(what_auth_sys_has_no_room_for_is_left_out),
        cmocka_unit_test(success_leaves_the_cursor_at_the_results),
        cmocka_unit_test(refusals_keep_what_they_say),
        cmocka_unit_test(what_is_no_reply_is_refused_with_its_xid),
        cmocka_unit_test(no_cut_reply_is_one),
        cmocka_unit_test(a_reply_written_is_read_back),
        cmocka_unit_test(a_call_written_is_read_back),
        cmocka_unit_test(a_call_of_another_rpc_is_told),
        cmocka_unit_test(verdicts_have_names_and_codes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
