/* lang.h: without memory for any one of its allocations, or for all from there on, lang_parse says
 * -ENOMEM, leaves no tree and nothing behind. The sanitizers have an allocator of their own, which
 * cannot be made to fail: with them the text is parsed as it is. */
#include "lang/lang.h"
#include "scarce_memory.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char right[] =
    "set $dir=/tmp set $n=$a * 2 set $p=\"${dir}/x\" set $r.mean=5K\n"
    "set $t=randvar(type=tabular,randtable={{50,1,2},{20,2,3},{10,3,4},{10,4,5},{10,5,6}})\n"
    "define randvar name=$g,type=gamma define fileset name=f,path=$dir/sub,entries=5,namelength=1\n"
    "define flowop name=c,$x { flowop read name=r,filename=$x }\n"
    "define process name=p { thread name=t { flowop c name=i,$x=f flowop c name=j,$x=f } }\n"
    "load other foreach $i in 1,a,\"b $i\" { run $i echo \"again\" } psrun -5 10 enable_osprof";

static const char wrong[] =
    "defin x=5 set $a= set dir=5 define fileset nam=x load \"a$b\" foreach $i in , { }\n"
    "set $t=randvar(randtable={{50,1,2},{20}},min=1) run 5x echo \"never $ends\n"
    "define process name=p { thread name=t { flowop read name=r iosize=5 flowp x\n";

static int load(void *ctx, const char *name, char **out, size_t *len, char **shown_as,
                struct err *err)
{
    (void)ctx;
    char *copy = strdup("set $loaded=1");
    char *shown = strdup(name);
    if (!copy || !shown) {
        free(copy);
        free(shown);
        return err_set(err, -ENOMEM, "out of memory");
    }
    *out = copy;
    *shown_as = shown;
    *len = strlen(copy);
    return 0;
}

static int parse(const char *text, unsigned long at, bool on, bool *met)
{
    const struct lang_loader loader = {.load = load};
    struct lang_remarks remarks = {0};
    struct lang_tree *tree = NULL;
    calls = 0;
    fail_at = at;
    fail_on = on;
    int rc = lang_parse("x.f", text, strlen(text), &loader, &tree, &remarks);
    *met = at > 0 && calls >= at;
    fail_at = 0;
    assert_true((rc == 0) == (tree != NULL));
    lang_free(tree);
    lang_remarks_fini(&remarks);
    return rc;
}

/* rc of the whole text is `whole`. */
static void sweep(const char *text, int whole, bool on)
{
    bool met = true;
    unsigned long at = 0;
    assert_int_equal(parse(text, 0, on, &met), whole);
    for (at = 1, met = true; met; at++) {
        long before = in_use();
        int rc = parse(text, at, on, &met);
        if (rc != (met ? -ENOMEM : whole))
            fail_msg("allocation %lu%s: %d", at, on ? " and all behind it" : "", rc);
        if (in_use() != before)
            fail_msg("allocation %lu: %ld are left", at, in_use() - before);
    }
#ifndef SANITIZED
    assert_true(at > 20);
#endif
}

static void one_allocation_that_fails_is_told(void **state)
{
    (void)state;
    sweep(right, 0, false);
    sweep(wrong, -EINVAL, false);
}

static void no_memory_from_there_on_is_told(void **state)
{
    (void)state;
    sweep(right, 0, true);
    sweep(wrong, -EINVAL, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_allocation_that_fails_is_told),
        cmocka_unit_test(no_memory_from_there_on_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
