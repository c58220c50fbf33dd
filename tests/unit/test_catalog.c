/* catalog.h and what each target takes from its address: the right table, or a refusal in words. */
#include "target/catalog.h"
#include "target/target.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void every_target_has_what_the_contract_demands(void **state)
{
    const struct target_table *const *list;
    size_t n = target_catalog(&list);

    (void)state;
    assert_true(n >= 3);
    for (size_t i = 0; i < n; i++) {
        const struct target_table *t = list[i];

        assert_true(strlen(t->scheme) > 0 && strlen(t->scheme) < 16);
        assert_true(strlen(t->help) > 0 && strchr(t->help, '\n') == NULL);
        assert_non_null(t->params);
        assert_true(t->caps && t->open && t->close && t->describe);
        assert_true(t->session_open && t->session_close && t->submit && t->reap && t->wake);
    }
}

static void address_names_its_target(void **state)
{
    static const struct {
        const char *address;
        const char *scheme;
        const char *rest;
    } cases[] = {
        {"/dir", "posix", "/dir"},
        {".", "posix", "."},
        {"..", "posix", ".."},
        {"dir/sub", "posix", "dir/sub"},
        {"dir", "posix", "dir"},
        {"./null:", "posix", "./null:"},
        {"/a:b", "posix", "/a:b"},
        {"dir/a:b", "posix", "dir/a:b"},
        {"posix:/dir?x", "posix", "/dir?x"},
        {"null:", "null", ""},
        {"nfs://filer:2049/export?uid=1", "nfs", "//filer:2049/export?uid=1"},
        {"fault:/dir?stall=1s@5s", "fault", "/dir?stall=1s@5s"},
        {"fault:null:", "fault", "null:"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct target_table *table = NULL;
        const char *rest = NULL;

        assert_int_equal(target_find(cases[i].address, &table, &rest, NULL), 0);
        assert_string_equal(table->scheme, cases[i].scheme);
        assert_string_equal(rest, cases[i].rest);
    }
}

static void unknown_scheme_lists_the_known_ones(void **state)
{
    static const char *const bad[] = {"zzz:/dir", ":", ":x", "NULL:", "nul:", "nulls:", ""};
    const struct target_table *const *list;
    size_t n = target_catalog(&list);

    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        const struct target_table *table = NULL;
        const char *rest = NULL;
        struct err err = {0};

        if (bad[i][0] == ':')
            continue; /* a path: nothing stands before the colon */
        assert_int_equal(target_find(bad[i], &table, &rest, &err), -EINVAL);
        assert_null(table);
        assert_null(rest);
        assert_int_equal(err.code, -EINVAL);
        for (size_t k = 0; k < n && bad[i][0] != '\0'; k++)
            assert_non_null(strstr(err.text, list[k]->scheme));
    }
}

static void what_mount_is_told_is_turned_into_a_url(void **state)
{
    const struct target_table *table;
    const char *rest;
    struct err err = {0};
    struct target *target;

    (void)state;
    assert_int_equal(target_find("filer:/export", &table, &rest, &err), -EINVAL);
    assert_non_null(strstr(err.text, "nfs://filer/..."));
    assert_int_equal(target_find("smb://filer/share", &table, &rest, &err), -EINVAL);
    assert_null(strstr(err.text, "nfs://smb"));
    assert_non_null(strstr(err.text, "mount it, and give the directory"));
    assert_int_equal(target_find("filer.example:/no/such", &table, &rest, &err), 0);
    assert_int_equal(table->open(rest, &target, &err), -ENOENT);
    assert_non_null(strstr(err.text, "nfs://filer.example/no/such"));
}

struct taken {
    char text[256];
    unsigned n;
    unsigned stop_at;
};

static int take(void *ctx, const char *name, const char *value, struct err *err)
{
    struct taken *taken = ctx;
    size_t used = strlen(taken->text);

    snprintf(taken->text + used, sizeof taken->text - used, "%s>%s;", name, value);
    return ++taken->n == taken->stop_at ? err_set(err, -ERANGE, "enough") : 0;
}

static void params_are_cut_behind_the_last_question_mark(void **state)
{
    static const struct {
        const char *rest;
        const char *taken;
        size_t path_len;
    } cases[] = {
        {"/dir", "", 4},
        {"/dir?", "", 4},
        {"/dir?a=1", "a>1;", 4},
        {"/dir?a=1&b=x@y:2", "a>1;b>x@y:2;", 4},
        {"/d?r?a=1=2", "a>1=2;", 4},
        {"?a=1&", "a>1;", 0},
        {"", "", 0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct taken taken = {.n = 0};
        size_t path_len = 99;

        assert_int_equal(target_params(cases[i].rest, &path_len, take, &taken, NULL), 0);
        assert_string_equal(taken.text, cases[i].taken);
        assert_int_equal(path_len, cases[i].path_len);
    }
}

static void params_stop_at_the_first_error(void **state)
{
    struct taken taken = {.stop_at = 2};
    struct err err = {0};
    size_t path_len;

    (void)state;
    assert_int_equal(target_params("x?a=1&b=2&c=3", &path_len, take, &taken, &err), -ERANGE);
    assert_string_equal(taken.text, "a>1;b>2;");
    assert_string_equal(err.text, "enough");
}

static void params_that_are_not_name_and_value_are_refused(void **state)
{
    static const char *const bad[] = {"x?a", "x?=1", "x?a=", "x?a=1&&b=2", "x?&a=1", "x?a=1&b"};
    char longest[400] = "x?a=";

    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct taken taken = {.n = 0};
        struct err err = {0};
        size_t path_len;

        assert_int_equal(target_params(bad[i], &path_len, take, &taken, &err), -EINVAL);
        assert_non_null(strstr(err.text, "name=value"));
    }
    memset(longest + 4, '1', sizeof longest - 5);
    assert_int_equal(target_params(longest, &(size_t){0}, take, &(struct taken){.n = 0}, NULL),
                     -EINVAL);
}

/* ---- what the targets make of their addresses ---- */

static void caps_are_known_without_touching_the_target(void **state)
{
    struct target_caps caps;

    (void)state;
    assert_int_equal(target_caps_of("/there/is/no/such/directory", &caps, NULL), 0);
    assert_true(caps.blocking && !caps.own_clock && !caps.keeps_nothing);
    assert_int_equal(caps.op_kinds, (1u << OP_KINDS) - 1);
    assert_int_equal(target_caps_of("null:", &caps, NULL), 0);
    assert_true(!caps.blocking && !caps.own_clock && caps.keeps_nothing);
    assert_int_equal(caps.op_kinds & (1u << OP_EVICT | 1u << OP_RESIDENT), 0);
    assert_int_equal(target_caps_of("fault:/none?error=EIO@op:1", &caps, NULL), 0);
    assert_true(caps.blocking && !caps.own_clock && !caps.keeps_nothing);
    assert_int_equal(target_caps_of("fault:null:?clock=virtual", &caps, NULL), 0);
    assert_true(!caps.blocking && caps.own_clock && caps.keeps_nothing);
    assert_int_equal(target_caps_of("fault:fault:null:?clock=virtual?seed=1", &caps, NULL), 0);
    assert_true(caps.own_clock);
}

static void good_fault_parameters_are_accepted(void **state)
{
    static const char *const good[] = {
        "fault:null:?stall=1s@5s",
        "fault:null:?stall=1s@5s&stall=2@0s&stall=3ms@1.5s",
        "fault:null:?error=EIO@op:1&error=ENOSPC@write:12&error=EIO@mkdir:1",
        "fault:null:?latency=fixed:1ms",
        "fault:null:?latency=uniform:1us-1us",
        "fault:null:?latency=exp:2ms&seed=99",
        "fault:null:?short=0@op:1&short=4k@op:2",
        "fault:null:?hang=op:1&hang=@op:2&hang=read:3",
        "fault:null:?dead=op:7",
        "fault:null:?dead=@op:7",
        "fault:/dir?with/odd?seed=1",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(good); i++) {
        struct target_caps caps;
        struct err err = {0};

        if (target_caps_of(good[i], &caps, &err) != 0)
            fail_msg("%s: %s", good[i], err.text);
    }
}

/* Each refusal names what is wrong (`named`). */
static void bad_addresses_are_refused_by_name(void **state)
{
    static const struct {
        const char *address;
        const char *named;
    } bad[] = {
        {"posix:", "directory"},
        {"null:x", "\"x\""},
        {"fault:", "target behind it"},
        {"fault:?seed=1", "target behind it"},
        {"fault:zzz:", "\"zzz:\""},
        {"fault:null:?", NULL},
        {"fault:null:?speed=1", "\"speed\""},
        {"fault:null:?stall=1s", "stall=1s"},
        {"fault:null:?stall=0s@1s", "stall=0s@1s"},
        {"fault:null:?stall=-1s@1s", "stall=-1s@1s"},
        {"fault:null:?stall=1s@", "stall=1s@"},
        {"fault:null:?stall=100000000h@1s", "stall="},
        {"fault:null:?error=EIO", "error=EIO"},
        {"fault:null:?error=EWHAT@op:1", "EWHAT"},
        {"fault:null:?error=EIO@op:0", "op:0"},
        {"fault:null:?error=EIO@op:x", "op:x"},
        {"fault:null:?error=EIO@fly:1", "fly:1"},
        {"fault:null:?latency=1ms", "latency=1ms"},
        {"fault:null:?latency=fixed:", "latency=fixed:"},
        {"fault:null:?latency=odd:1ms", "odd"},
        {"fault:null:?latency=uniform:2ms-1ms", "uniform:2ms-1ms"},
        {"fault:null:?latency=uniform:2ms", "uniform:2ms"},
        {"fault:null:?short=1@read:1", "read:1"},
        {"fault:null:?short=x@op:1", "short=x"},
        {"fault:null:?hang=1", "hang=1"},
        {"fault:null:?dead=read:1", "dead=read:1"},
        {"fault:null:?seed=x", "seed=x"},
        {"fault:null:?clock=real", "clock=real"},
        {"fault:/dir?clock=virtual", "/dir"},
        {"fault:fault:null:?clock=virtual?clock=virtual", "clock of its own"},
        {"fault:fault:fault:fault:fault:null:", "nested"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct target_caps caps;
        struct err err = {0};

        if (bad[i].named == NULL) {
            assert_int_equal(target_caps_of(bad[i].address, &caps, &err), 0);
            continue;
        }
        if (target_caps_of(bad[i].address, &caps, &err) != -EINVAL)
            fail_msg("%s was not refused", bad[i].address);
        if (strstr(err.text, bad[i].named) == NULL || strchr(err.text, '\n') != NULL)
            fail_msg("%s: %s", bad[i].address, err.text);
    }
}

static void more_parts_than_there_is_room_for_are_refused(void **state)
{
    char address[1024] = "fault:null:?seed=1";
    struct target_caps caps;
    struct err err = {0};

    (void)state;
    for (int i = 0; i < 16; i++)
        snprintf(address + strlen(address), sizeof address - strlen(address), "&stall=1s@%ds", i);
    assert_int_equal(target_caps_of(address, &caps, &err), 0);
    snprintf(address + strlen(address), sizeof address - strlen(address), "&stall=1s@0s");
    assert_int_equal(target_caps_of(address, &caps, &err), -EINVAL);
    assert_non_null(strstr(err.text, "16 times"));
}

static void every_kind_of_op_has_a_name(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < OP_KINDS; kind++) {
        assert_non_null(op_kind_name((enum op_kind)kind));
        for (unsigned other = 0; other < kind; other++)
            assert_string_not_equal(op_kind_name((enum op_kind)kind),
                                    op_kind_name((enum op_kind)other));
    }
    assert_string_equal(op_kind_name(OP_READ), "read");
    assert_string_equal(op_kind_name(OP_KINDS), "unknown");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_target_has_what_the_contract_demands),
        cmocka_unit_test(address_names_its_target),
        cmocka_unit_test(unknown_scheme_lists_the_known_ones),
        cmocka_unit_test(what_mount_is_told_is_turned_into_a_url),
        cmocka_unit_test(params_are_cut_behind_the_last_question_mark),
        cmocka_unit_test(params_stop_at_the_first_error),
        cmocka_unit_test(params_that_are_not_name_and_value_are_refused),
        cmocka_unit_test(caps_are_known_without_touching_the_target),
        cmocka_unit_test(good_fault_parameters_are_accepted),
        cmocka_unit_test(bad_addresses_are_refused_by_name),
        cmocka_unit_test(more_parts_than_there_is_room_for_are_refused),
        cmocka_unit_test(every_kind_of_op_has_a_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
