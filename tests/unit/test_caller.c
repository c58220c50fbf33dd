/* caller.h: without a word the process itself, with its groups; else who was named, with the groups that
 * the user data base has for him. */
#include "target/caller.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

static bool has(const struct target_caller *c, gid_t gid)
{
    for (unsigned i = 0; i < c->groups; i++) {
        if (c->group[i] == gid)
            return true;
    }
    return false;
}

static void the_process_itself(void **state)
{
    gid_t all[TARGET_CALLER_GROUPS];
    int n = getgroups(TARGET_CALLER_GROUPS, all);
    struct target_caller c;

    (void)state;
    target_caller(&c);
    assert_int_equal(c.uid, geteuid());
    assert_int_equal(c.gid, getegid());
    for (int i = 0; i < n; i++)
        assert_true(has(&c, all[i]));
    assert_true(n < 0 || c.groups == (unsigned)n);
}

static void who_was_named(void **state)
{
    struct target_caller c;

    (void)state;
    target_caller_set(0, 4242);
    target_caller(&c);
    assert_int_equal(c.uid, 0);
    assert_int_equal(c.gid, 4242);
    assert_true(has(&c, 4242)); /* of the user data base's answer: the given group first */
    target_caller_set(4000000000u, 4242);
    target_caller(&c);
    assert_int_equal(c.uid, 4000000000u);
    assert_int_equal(c.groups, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_process_itself),
        cmocka_unit_test(who_was_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
