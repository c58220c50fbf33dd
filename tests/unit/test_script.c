/* Bounds of a script, what it says of itself, and what holds whatever the workload. */
#include "script_box.h"

#include <errno.h>
#include <stdio.h>

#define FILE_F "define file name=f,path=$dir,size=64k,prealloc\n"
#define PROCESS_P                                                                                  \
    "define process name=p { thread name=t { flowop read name=r,filename=f,iosize=4k } }\n"

static void refused_with(struct script_box *b, const char *text, const char *words)
{
    assert_int_equal(-EINVAL, script_box_compile(b, text));
    assert_null(b->script);
    assert_int_not_equal(0, b->err.code);
    char *said = script_box_remarks(b);
    if (!strstr(said, words))
        fail_msg("\"%s\" was expected, and said was\n%s", words, said);
    free(said);
}

static void steps_are_bounded(void **state)
{
    (void)state;
    struct script_box b;
    struct text text;
    script_box_init(&b);
    text_init(&text);
    text_add(&text, "foreach $n in 1");
    for (unsigned i = 1; i < 100; i++)
        text_addf(&text, ",%u", i);
    text_add(&text, " { foreach $m in 1");
    for (unsigned i = 1; i < 100; i++)
        text_addf(&text, ",%u", i);
    text_add(&text, " { echo \"x\" } }\n");
    assert_int_equal(0, script_box_compile(&b, text.s));
    assert_int_equal(SCRIPT_STEPS_MAX, b.script->steps);
    text_add(&text, "echo \"one more\"\n");
    refused_with(&b, text.s, "more than 10000 steps");
    assert_int_equal(1, b.remarks.errors);
    text_fini(&text);
    script_box_fini(&b);
}

static void loops_without_steps_are_bounded(void **state)
{
    (void)state;
    static const char items[] = "1,2,3,4,5,6,7,8,9,10";
    struct script_box b;
    struct text text;
    script_box_init(&b);
    text_init(&text);
    for (char name = 'a'; name < 'g'; name++)
        text_addf(&text, "foreach $%c in %s {\n", name, items);
    text_add(&text, "set $x=1 set $y=2\n} } } } } }\n");
    refused_with(&b, text.s, "loops come to more than 1000000 commands in all");
    assert_int_equal(1, b.remarks.errors);
    text_fini(&text);
    script_box_fini(&b);
}

static void sets_are_bounded(void **state)
{
    (void)state;
    struct script_box b;
    struct text text;
    script_box_init(&b);
    text_init(&text);
    for (unsigned i = 0; i < SCRIPT_SETS_MAX; i++)
        text_addf(&text, "define file name=f%u,path=$dir\n", i);
    text_add(&text, "create files\n");
    assert_int_equal(0, script_box_compile(&b, text.s));
    assert_int_equal(SCRIPT_SETS_MAX, b.script->sets);
    text_add(&text, "define file name=more,path=$dir\ncreate files\n");
    refused_with(&b, text.s, "more than 1024 sets of files");
    text_fini(&text);
    script_box_fini(&b);
}

static void references_are_bounded(void **state)
{
    (void)state;
    struct script_box b;
    struct text text;
    script_box_init(&b);
    text_init(&text);
    text_add(&text, "set $v0=1\n");
    for (unsigned i = 1; i < 100; i++)
        text_addf(&text, "set $v%u=$v%u\n", i, i - 1);
    text_add(&text, "echo \"$v99\"\n");
    refused_with(&b, text.s, "refer to each other more than 64 deep");
    text_fini(&text);
    script_box_fini(&b);
}

static void doubling_comes_to_an_end(void **state)
{
    (void)state;
    struct script_box b;
    struct text text;
    script_box_init(&b);
    text_init(&text);
    text_add(&text, "set $a=\"xy\"\n");
    for (unsigned i = 0; i < 40; i++)
        text_add(&text, "set $a=\"$a$a\"\n"); /* of what it has been so far */
    refused_with(&b, text.s, "a text of more than 65536 bytes");
    text_clear(&text);
    text_add(&text, "set $v0=\"\"\nset $w0=0\n");
    for (unsigned i = 1; i < 30; i++)
        text_addf(&text, "set $v%u=\"$v%u$v%u\"\nset $w%u=$w%u+$w%u\n", i, i - 1, i - 1, i, i - 1,
                  i - 1);
    text_add(&text, "echo \"$w29\"\necho \"$v29\"\n");
    refused_with(&b, text.s, "more than 50000000 values are evaluated in all");
    text_fini(&text);
    script_box_fini(&b);
}

static void variables_are_bounded(void **state)
{
    (void)state;
    struct script_box b;
    struct text text;
    script_box_init(&b);
    text_init(&text);
    for (unsigned i = 0; i < 4095; i++) /* and $dir */
        text_addf(&text, "set $v%u=1\n", i);
    assert_int_equal(0, script_box_compile(&b, text.s));
    text_add(&text, "set $more=1\n");
    refused_with(&b, text.s, "$more: there are 4096 variables already");
    text_fini(&text);
    script_box_fini(&b);
}

static void what_is_made_is_summed_up_at_its_most(void **state)
{
    (void)state;
    struct script_box b;
    script_box_init(&b);
    assert_int_equal(
        0, script_box_compile(&b, "set $n=10\ndefine fileset name=a,path=$dir,entries=$n,size=1k,"
                                  "dirwidth=4,dirgamma=0,prealloc=25\ncreate files\n"
                                  "set $n=4\n" FILE_F PROCESS_P "run 1\n"));
    assert_int_equal(3, b.script->files);            /* of 10; later 1 of 4, and f … */
    assert_int_equal(1024 + 65536, b.script->bytes); /* … with more bytes */
    assert_int_equal(0,
                     script_box_compile(&b, "set $n=10\ndefine fileset name=a,path=$dir,entries=$n,"
                                            "size=1k,dirwidth=4,dirgamma=0,prealloc\n"
                                            "create files\nset $n=1\ncreate files\n"));
    assert_int_equal(10240, b.script->bytes);
    script_box_fini(&b);
}

static void errors_leave_no_script_and_warnings_do(void **state)
{
    (void)state;
    struct script_box b;
    script_box_init(&b);
    assert_int_equal(0, script_box_compile(&b, FILE_F PROCESS_P));
    assert_int_equal(0, b.remarks.errors);
    assert_int_equal(1, b.remarks.n);
    assert_int_equal(1, b.script->runs);
    refused_with(&b, FILE_F PROCESS_P "run $t\n", "case.f:3:5: error: $t is not set");
    script_box_fini(&b);
}

static void what_the_target_cannot_do_is_told_apart(void **state)
{
    (void)state;
    struct script_box b;
    script_box_init(&b);
    b.caps.op_kinds &= ~(1u << OP_READ);
    assert_int_equal(-EOPNOTSUPP, script_box_compile(&b, FILE_F PROCESS_P "run 1\n"));
    assert_int_equal(-EOPNOTSUPP, b.err.code);
    assert_int_equal(1, b.remarks.errors);
    script_box_fini(&b);
}

static void the_command_line_sets_the_window(void **state)
{
    (void)state;
    struct script_box b;
    script_box_init(&b);
    assert_int_equal(0, script_box_compile(&b, FILE_F PROCESS_P "psrun 3 30\n"));
    assert_int_equal(3000000000u, b.script->step[1].plan->window.period_ns);
    assert_int_equal(0, 3000000000u % b.script->step[1].plan->window.interval_ns);
    b.o.time_ns = 5000000000u;
    b.o.warmup_ns = 2000000000u;
    b.o.steady_frac = 0.05;
    b.o.steady_max_ns = 9000000000u;
    assert_int_equal(0, script_box_compile(&b, FILE_F PROCESS_P "warmup 60\nrun 30\n"));
    const struct plan_window *window = &b.script->step[1].plan->window;
    assert_int_equal(5000000000u, window->measure_ns);
    assert_int_equal(2000000000u, window->warmup_ns);
    assert_true(window->steady_frac == 0.05);
    assert_int_equal(9000000000u, window->steady_max_ns);
    script_box_fini(&b);
}

/* Intervals were fitted to the period and then to the time, which left neither at an edge. */
static void reports_and_the_end_come_at_edges(void **state)
{
    (void)state;
    static const uint64_t second = 1000000000;
    struct script_box b;
    script_box_init(&b);
    for (unsigned period = 1; period <= 12; period++)
        for (unsigned time = 1; time <= 61; time += 4) {
            char text[400];
            snprintf(text, sizeof text, FILE_F PROCESS_P "psrun %u %u\n", period, time);
            assert_int_equal(0, script_box_compile(&b, text));
            const struct plan_window *window = &b.script->step[1].plan->window;
            assert_int_equal(time * second, window->measure_ns);
            assert_int_equal(0, time * second % window->interval_ns);
            assert_int_equal(0, period * second % window->interval_ns);
        }
    script_box_fini(&b);
}

static void a_seed_gives_the_same_script(void **state)
{
    (void)state;
    static const char text[] = "define fileset name=f,path=$dir,entries=50,size=64k,dirwidth=5,"
                               "prealloc\n" PROCESS_P "run 1\n";
    struct script_box a, b;
    script_box_init(&a);
    script_box_init(&b);
    assert_int_equal(0, script_box_compile(&a, text));
    assert_int_equal(0, script_box_compile(&b, text));
    assert_string_equal(a.script->step[1].plan->workload_hash,
                        b.script->step[1].plan->workload_hash);
    b.o.seed = 2;
    assert_int_equal(0, script_box_compile(&b, text));
    assert_string_not_equal(a.script->step[1].plan->workload_hash,
                            b.script->step[1].plan->workload_hash);
    script_box_fini(&a);
    script_box_fini(&b);
}

static int load(void *ctx, const char *name, char **text, size_t *len, char **shown_as,
                struct err *err)
{
    (void)name;
    (void)err;
    *text = strdup(ctx);
    *len = strlen(ctx);
    *shown_as = strdup("loaded.f");
    return *text && *shown_as ? 0 : -ENOMEM;
}

static void whoever_loads_a_file_runs_it(void **state)
{
    (void)state;
    char loaded[] = "set $n=10\n" FILE_F PROCESS_P "run 60\n";
    const struct lang_loader loader = {load, loaded};
    struct script_box b;
    script_box_init(&b);
    b.loader = &loader;
    assert_int_equal(0, script_box_compile(&b, "load loaded\n"));
    assert_int_equal(1, b.script->runs);
    assert_int_equal(0, b.remarks.n);
    assert_int_equal(0, script_box_compile(&b, "load loaded\nset $n=5\nrun 300\n"));
    assert_int_equal(1, b.script->runs);
    assert_int_equal(300000000000u, b.script->step[1].plan->window.measure_ns);
    assert_int_equal(1, b.remarks.n);
    assert_string_equal("the run of a loaded file is left out: the file that loads it has its own",
                        b.remarks.remark[0].text);
    assert_int_equal(0, script_box_compile(&b, "foreach $i in 1,2 { load loaded }\n"
                                               "create processes sleep 9 shutdown processes\n"));
    assert_int_equal(1, b.script->runs);
    script_box_fini(&b);
}

static void a_file_describes_itself(void **state)
{
    (void)state;
    struct script_box b;
    struct text usage, variables;
    script_box_init(&b);
    assert_int_equal(-EINVAL,
                     script_box_compile(&b, "set $dir=/tmp\nset $n=1k\nset $m=$n * 2\n"
                                            "set $r=randvar(type=uniform,mean=5)\n"
                                            "usage \"set \\$dir, defaults to $dir\"\n"
                                            "usage \"set \\$n, defaults to $n of $other\"\n"
                                            "system \"true\" run 5\n"));
    text_init(&usage);
    text_init(&variables);
    assert_int_equal(0, script_describe(b.tree, &usage, &variables));
    assert_string_equal("set $dir, defaults to /tmp\nset $n, defaults to 1024 of $other\n",
                        usage.s);
    assert_string_equal("dir=/tmp\nn=1024\nm=2048\nr=uniform low=0 high=10\n", variables.s);
    text_fini(&usage);
    text_fini(&variables);
    script_box_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_bounded),
        cmocka_unit_test(loops_without_steps_are_bounded),
        cmocka_unit_test(sets_are_bounded),
        cmocka_unit_test(references_are_bounded),
        cmocka_unit_test(doubling_comes_to_an_end),
        cmocka_unit_test(variables_are_bounded),
        cmocka_unit_test(what_is_made_is_summed_up_at_its_most),
        cmocka_unit_test(errors_leave_no_script_and_warnings_do),
        cmocka_unit_test(what_the_target_cannot_do_is_told_apart),
        cmocka_unit_test(the_command_line_sets_the_window),
        cmocka_unit_test(reports_and_the_end_come_at_edges),
        cmocka_unit_test(a_seed_gives_the_same_script),
        cmocka_unit_test(whoever_loads_a_file_runs_it),
        cmocka_unit_test(a_file_describes_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
