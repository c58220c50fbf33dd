/* study/limits_priv.h, limits_prove.c: which runs, changed in one thing, may say what stops a row. */
#include "study/limits_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define KIB 1024

static const struct limits_row stream = {
    .op = OP_READ, .io_bytes = 1024 * KIB, .sequential = true, .place = LIMITS_CACHE};
static const struct limits_row small = {.op = OP_READ, .io_bytes = 4 * KIB, .place = LIMITS_DISK};
static const struct limits_where server = {.protocol = "nfs"};

static void one_thing_is_changed_at_a_time(void **state)
{
    struct limits_change change[LIMITS_CHANGES_MAX];
    (void)state;
    assert_int_equal(limits_changes(&stream, &server, 40, 20, change), 2);
    assert_int_equal(change[0].clients, 10);
    assert_int_equal(change[0].io_bytes, 1024 * KIB);
    assert_string_equal(change[0].changed, "clients=10");
    assert_int_equal(change[1].clients, 20);
    assert_int_equal(change[1].io_bytes, 512 * KIB);
    assert_string_equal(change[1].changed, "io_bytes=524288");
}

static void clients_are_halved_where_enough_are_left_and_all_have_streams(void **state)
{
    struct limits_change change[LIMITS_CHANGES_MAX];
    (void)state;
    assert_int_equal(limits_changes(&small, &server, 8, 8, change), 2);
    assert_int_equal(change[0].clients, 4);
    assert_int_equal(limits_changes(&small, &server, 7, 8, change), 1);
    assert_int_equal(limits_changes(&small, &server, 64, 6, change), 1);
    assert_int_equal(limits_changes(&small, &server, 64, 9, change), 1); /* 4 of 9 are no half */
    assert_string_equal(change[0].changed, "io_bytes=2048");
}

static void ops_that_cannot_be_smaller_are_left_alone(void **state)
{
    const struct limits_row byte = {.op = OP_READ, .io_bytes = 1, .place = LIMITS_CACHE};
    const struct limits_row sync = {
        .op = OP_WRITE, .io_bytes = 4 * KIB, .place = LIMITS_LOG, .latency = true};
    const struct limits_row names = {.op = OP_STAT, .place = LIMITS_NAMES};
    struct limits_where where = {.protocol = "local", .local = true, .direct = true};
    struct limits_change change[LIMITS_CHANGES_MAX];
    (void)state;
    assert_int_equal(limits_changes(&byte, &server, 64, 1, change), 0);
    assert_int_equal(limits_changes(&sync, &server, 64, 20, change), 0);
    assert_int_equal(limits_changes(&names, &server, 64, 20, change), 1);
    where.block_bytes = 4 * KIB;
    assert_int_equal(limits_changes(&small, &where, 64, 1, change), 0);
    where.block_bytes = 512;
    assert_int_equal(limits_changes(&small, &where, 64, 1, change), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_thing_is_changed_at_a_time),
        cmocka_unit_test(clients_are_halved_where_enough_are_left_and_all_have_streams),
        cmocka_unit_test(ops_that_cannot_be_smaller_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
