/* script.h: without memory for any one of its allocations, or for all from there on,
 * script_compile says -ENOMEM, leaves no script and nothing behind; or it did without, and all
 * is as it would have been. */
#include "lang/lang.h"
#include "scarce_memory.h"
#include "script/script.h"
#include "target/target.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char right[] =
    "set $n=4 set $m=$n * 2 set $io=4k set $p=\"${dir}/x\"\n"
    "set $t=randvar(type=tabular,min=1,randtable={{50,1,20},{50,20,30}})\n"
    "define randvar name=$g, type=gamma, mean=$m set $g.min=2\n"
    "define fileset name=f,path=$p,entries=$n,size=$t,dirwidth=$g,prealloc,reuse\n"
    "define fileset name=d,path=$p,entries=$n,dirwidth=3,leafdirs=3\n"
    "define file name=h,path=/elsewhere,size=64k,prealloc\n"
    "define flowop name=c,$x { flowop openfile name=o,filename=$x,fd=1 flowop closefile "
    "name=k,fd=1 }\n"
    "define process name=p,instances=2 { thread name=t,memsize=64k {\n"
    "  flowop read name=r,filename=h,iosize=$io,random flowop c name=i,$x=f,iters=2\n"
    "  flowop eventlimit name=l flowop finishoncount name=e,value=100 }\n"
    "  thread name=u { flowop aiowrite name=a,filename=h,iosize=4k,random flowop aiowait name=w\n"
    "  flowop makedir name=m,filename=d,indexed=$t flowop hog name=g,value=$t,iters=$t\n"
    "  flowop semblock name=s,value=1,highwater=2 flowop print name=v,value=\"n=$n\"\n"
    "  flowop sempost name=q,value=1,target=s flowop block name=b flowop wakeup name=z,target=b\n"
    "  flowop deletefile name=x,filename=d flowop iopslimit name=y,target=a } }\n"
    "eventgen rate=$n echo \"n=$n $nope ${rate}\" warmup 2 foreach $n in 3,5 { run 5 }\n"
    "create processes sleep 5 stats snap shutdown processes psrun -1 5 vars shutdown filesets\n";

static const char wrong[] =
    "set $a=$b set $d=cvar(type=cvar-gamma,parameters=x:1)\n"
    "define fileset name=f,path=$dir,entries=$n,size=4k,dirwidth=4 define fileset "
    "name=f,path=$dir\n"
    "define process name=p { thread name=t { flowop reed name=r,filename=h,iosize=$io\n"
    "  flowop wakeup name=x,target=nobody flowop bwlimit name=y,target=z } }\n"
    "echo \"$a\" system \"true\" run 5 run $t";

static struct lang_tree *parse(const char *text)
{
    struct lang_remarks remarks = {0};
    struct lang_tree *tree = NULL;
    assert_int_equal(0, lang_parse("x.f", text, strlen(text), NULL, &tree, &remarks));
    lang_remarks_fini(&remarks);
    return tree;
}

static int compile(const struct lang_tree *tree, unsigned long at, bool on, bool *met, char **said)
{
    static const char *const set[] = {"io=8k"};
    const struct target_caps caps = {.op_kinds = UINT32_MAX, .blocking = true};
    const struct plan_instrument instrument = {.scheme = "posix"};
    const struct script_options options = {.name = "x",
                                           .seed = 1,
                                           .target = "/t",
                                           .caps = &caps,
                                           .instrument = &instrument,
                                           .set = set,
                                           .sets = 1};
    struct lang_remarks remarks = {0};
    struct script *script = NULL;
    struct err err = {0};
    calls = 0;
    fail_at = at;
    fail_on = on;
    int rc = script_compile(tree, &options, &script, &remarks, &err);
    *met = at > 0 && calls >= at;
    fail_at = 0;
    assert_true((rc == 0) == (script != NULL));
    assert_true((rc == 0) == (err.code == 0));
    struct text text;
    text_init(&text);
    if (rc != -ENOMEM)
        lang_remarks_text(&remarks, &text);
    if (script)
        script_text(script, &text);
    *said = text_take(&text);
    script_free(script);
    lang_remarks_fini(&remarks);
    return rc;
}

/* rc of the whole text is `whole`. */
static void sweep(const char *text, int whole, bool on)
{
    bool met = true;
    char *wanted = NULL;
    char *said = NULL;
    unsigned long at = 0;
    struct lang_tree *tree = parse(text);
    assert_int_equal(whole, compile(tree, 0, on, &met, &wanted));
    for (at = 1, met = true; met; at++) {
        long before = in_use();
        int rc = compile(tree, at, on, &met, &said);
        if (rc != -ENOMEM && (rc != whole || strcmp(said, wanted) != 0))
            fail_msg("allocation %lu%s: %d", at, on ? " and all behind it" : "", rc);
        free(said);
        if (in_use() != before)
            fail_msg("allocation %lu: %ld are left", at, in_use() - before);
    }
    free(wanted);
    lang_free(tree);
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
