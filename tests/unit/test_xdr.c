/* xdr.h: big endian, padded, bounded; a cursor that ran over stays bad and gives zeros. */
#include "nfs/xdr.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void numbers_are_big_endian(void **state)
{
    static const unsigned char want[] = {1,    2,    3,    4,    0x11, 0x12,
                                         0x13, 0x14, 0x15, 0x16, 0x17, 0x18};
    unsigned char buf[sizeof want];
    struct xdr_out out = xdr_out(buf, sizeof buf);

    (void)state;
    xdr_put_u32(&out, 0x01020304);
    xdr_put_u64(&out, 0x1112131415161718);
    assert_false(out.bad);
    assert_ptr_equal(out.at, out.end);
    assert_memory_equal(buf, want, sizeof want);

    struct xdr_in in = xdr_in(want, sizeof want);

    assert_int_equal(xdr_get_u32(&in), 0x01020304);
    assert_int_equal(xdr_left(&in), 8);
    assert_int_equal(xdr_get_u64(&in), 0x1112131415161718);
    assert_false(in.bad);
}

static void opaque_is_padded_with_zeros(void **state)
{
    static const unsigned char want[] = {0, 0, 0, 5, 'h', 'e', 'l', 'l', 'o', 0, 0, 0};
    unsigned char buf[sizeof want];
    struct xdr_out out = xdr_out(buf, sizeof buf);

    (void)state;
    memset(buf, 0xff, sizeof buf);
    xdr_put_string(&out, "hello");
    assert_ptr_equal(out.at, out.end);
    assert_memory_equal(buf, want, sizeof want);

    memset(buf, 0xff, sizeof buf);
    out = xdr_out(buf, sizeof buf);
    xdr_put_fixed(&out, "hello", 5);
    assert_int_equal(out.at - buf, 8);
    assert_memory_equal(buf, want + 4, 8);

    out = xdr_out(buf, sizeof buf);
    xdr_put_opaque(&out, NULL, 0);
    assert_int_equal(out.at - buf, 4);
    assert_false(out.bad);
}

static void opaque_stays_where_it_is(void **state)
{
    static const unsigned char bytes[] = {0, 0, 0, 2, 'a', 'b', 9, 9, 0, 0, 0, 7};
    struct xdr_in in = xdr_in(bytes, sizeof bytes);
    uint32_t len = 77;

    (void)state;
    assert_ptr_equal(xdr_get_opaque(&in, 2, &len), bytes + 4);
    assert_int_equal(len, 2);
    assert_int_equal(xdr_get_u32(&in), 7);
    assert_false(in.bad);

    in = xdr_in(bytes + 4, 8);
    assert_ptr_equal(xdr_get_fixed(&in, 2), bytes + 4);
    assert_int_equal(xdr_left(&in), 4);
}

/* Nothing is written beyond the end, and what is too long leaves no part of itself. */
static void no_room_makes_out_bad_for_ever(void **state)
{
    unsigned char buf[8];
    struct xdr_out out = xdr_out(buf, 7);

    (void)state;
    memset(buf, 0xee, sizeof buf);
    xdr_put_u64(&out, 0);
    assert_true(out.bad);
    assert_ptr_equal(out.at, buf);
    xdr_put_u32(&out, 0);
    assert_ptr_equal(out.at, buf);
    for (size_t i = 0; i < sizeof buf; i++)
        assert_int_equal(buf[i], 0xee);

    out = xdr_out(buf, 7);
    xdr_put_string(&out, "abcd");
    assert_true(out.bad);
    assert_int_equal(buf[7], 0xee);
    assert_int_equal(buf[4], 0xee);
}

static void what_ends_early_gives_zeros_for_ever(void **state)
{
    static const unsigned char bytes[] = {1, 1, 1, 1, 1, 1, 1};
    struct xdr_in in = xdr_in(bytes, sizeof bytes);

    (void)state;
    assert_int_equal(xdr_get_u64(&in), 0);
    assert_true(in.bad);
    assert_int_equal(xdr_get_u32(&in), 0);
    assert_false(xdr_get_bool(&in));
    assert_null(xdr_get_fixed(&in, 0));

    in = xdr_in(bytes, 3);
    assert_int_equal(xdr_get_u32(&in), 0);
    assert_true(in.bad);
}

/* Each length is one that would be read beyond the end, or is above the bound of the caller. */
static void lengths_are_bounded_before_use(void **state)
{
    static const struct {
        unsigned char bytes[8];
        uint32_t max;
    } cases[] = {
        {{0, 0, 0, 4, 'a', 'b', 'c', 'd'}, 3},     {{0, 0, 0, 5, 'a', 'b', 'c', 'd'}, 100},
        {{0xff, 0xff, 0xff, 0xff, 0}, UINT32_MAX}, {{0xff, 0xff, 0xff, 0xfc, 0}, UINT32_MAX},
        {{0x80, 0, 0, 0, 0}, UINT32_MAX},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct xdr_in in = xdr_in(cases[i].bytes, sizeof cases[i].bytes);
        uint32_t len = 77;

        assert_null(xdr_get_opaque(&in, cases[i].max, &len));
        assert_int_equal(len, 0);
        assert_true(in.bad);
    }
}

/* The padding belongs to it: without it the next item would be read from the wrong place. */
static void missing_padding_is_bad(void **state)
{
    static const unsigned char bytes[] = {0, 0, 0, 2, 'a', 'b'};
    struct xdr_in in = xdr_in(bytes, sizeof bytes);
    uint32_t len;

    (void)state;
    assert_null(xdr_get_opaque(&in, 8, &len));
    assert_true(in.bad);
}

static void a_bool_is_0_or_1(void **state)
{
    static const unsigned char bytes[] = {0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2};
    struct xdr_in in = xdr_in(bytes, sizeof bytes);

    (void)state;
    assert_false(xdr_get_bool(&in));
    assert_true(xdr_get_bool(&in));
    assert_false(in.bad);
    assert_false(xdr_get_bool(&in));
    assert_true(in.bad);
}

/* A record of no bytes may have no memory; the sanitizers would see an offset to it. */
static void nothing_may_lie_nowhere(void **state)
{
    struct xdr_in in = xdr_in(NULL, 0);

    (void)state;
    assert_int_equal(xdr_left(&in), 0);
    assert_int_equal(xdr_get_u32(&in), 0);
    assert_true(in.bad);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_big_endian),
        cmocka_unit_test(opaque_is_padded_with_zeros),
        cmocka_unit_test(opaque_stays_where_it_is),
        cmocka_unit_test(no_room_makes_out_bad_for_ever),
        cmocka_unit_test(what_ends_early_gives_zeros_for_ever),
        cmocka_unit_test(lengths_are_bounded_before_use),
        cmocka_unit_test(missing_padding_is_bad),
        cmocka_unit_test(a_bool_is_0_or_1),
        cmocka_unit_test(nothing_may_lie_nowhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
