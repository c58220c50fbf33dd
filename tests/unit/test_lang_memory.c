/* lang.h: without memory for any one of its allocations, or for all from there on, lang_parse says
 * -ENOMEM, leaves no tree and nothing behind. The sanitizers have an allocator of their own, which
 * cannot be made to fail: with them the text is parsed as it is. */
#include "lang/lang.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static unsigned long calls;
static unsigned long fail_at; /* 0: none */
static bool fail_on;          /* all behind it as well */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

#ifdef SANITIZED
static long in_use(void)
{
    return 0;
}
#else
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void __libc_free(void *p);

static long live;

static bool fails(void)
{
    bool now = ++calls == fail_at || (fail_on && fail_at && calls > fail_at);
    if (now)
        errno = ENOMEM;
    return now;
}

static void *counted(void *p)
{
    live += p != NULL;
    return p;
}

void *malloc(size_t size)
{
    return fails() ? NULL : counted(__libc_malloc(size));
}

void *calloc(size_t n, size_t size)
{
    return fails() ? NULL : counted(__libc_calloc(n, size));
}

void *realloc(void *p, size_t size)
{
    if (fails())
        return NULL;
    return p ? __libc_realloc(p, size) : counted(__libc_realloc(p, size));
}

void free(void *p)
{
    live -= p != NULL;
    __libc_free(p);
}

static long in_use(void)
{
    return live;
}
#endif

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
