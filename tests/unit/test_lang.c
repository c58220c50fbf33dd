/* lang.h: limits, positions, remarks, signs and the kinds of values; what trees look like in whole is
 * in tests/golden/lang. */
#include "lang/lang.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct parsed {
    int rc;
    struct lang_tree *tree;
    struct lang_remarks remarks;
    struct text said;
};

static struct parsed parse_bytes(const char *text, size_t len, const struct lang_loader *loader)
{
    struct parsed p = {.rc = 0};
    text_init(&p.said);
    p.rc = lang_parse("x.f", text, len, loader, &p.tree, &p.remarks);
    lang_remarks_text(&p.remarks, &p.said);
    return p;
}

static struct parsed parse(const char *text)
{
    return parse_bytes(text, strlen(text), NULL);
}

static void done(struct parsed *p)
{
    lang_free(p->tree);
    lang_remarks_fini(&p->remarks);
    text_fini(&p->said);
}

static void assert_said(const char *text, const char *said)
{
    struct parsed p = parse(text);
    assert_string_equal(p.said.s, said);
    done(&p);
}

static char *repeated(const char *s, size_t n, size_t *len)
{
    struct text t;
    text_init(&t);
    for (size_t i = 0; i < n; i++)
        text_add(&t, s);
    *len = t.len;
    return text_take(&t);
}

/* ---- trees ---- */

static void things_have_their_place_in_the_file(void **state)
{
    (void)state;
    struct parsed p = parse("# first\n  set $a=5\ndefine process name=p {\n\tthread name=t {\n"
                            "    flowop read name=r, iosize=\n 4k } }");
    assert_int_equal(p.rc, 0);
    const struct lang_command *set = &p.tree->command[0], *process = &p.tree->command[1];
    assert_int_equal(set->at.line, 2);
    assert_int_equal(set->at.column, 3);
    assert_int_equal(set->value.at.column, 10);
    const struct lang_thread *thread = &process->thread[0];
    assert_int_equal(thread->at.line, 4);
    assert_int_equal(thread->at.column, 2);
    const struct lang_attr *iosize = lang_attr_find(&thread->flowop[0].attrs, "iosize");
    assert_int_equal(thread->flowop[0].at.column, 12);
    assert_int_equal(iosize->at.column, 25);
    assert_int_equal(iosize->value.at.line, 6);
    assert_int_equal(iosize->value.at.column, 2);
    assert_int_equal(p.tree->files, 1);
    assert_string_equal(p.tree->file[0], "x.f");
    done(&p);
}

static void of_a_repeated_attribute_the_last_counts(void **state)
{
    (void)state;
    struct parsed p = parse("define process name=p { thread name=t {\n"
                            "flowop x name=a,iosize=1,$iosize=3,iosize=2,filesetname=s,random } }");
    const struct lang_attrs *attrs = &p.tree->command[0].thread[0].flowop[0].attrs;
    assert_int_equal(lang_attr_find(attrs, "iosize")->value.integer, 2);
    assert_null(lang_attr_find(attrs, "filesetname"));
    assert_string_equal(lang_attr_find(attrs, "filename")->value.text, "s");
    const struct lang_attr *random = lang_attr_find(attrs, "random");
    assert_false(random->given);
    assert_int_equal(random->value.kind, LANG_BOOL);
    assert_true(random->value.boolean);
    assert_null(lang_attr_find(attrs, "fd"));
    done(&p);
}

static void assert_set(const char *value, enum lang_value_kind kind, bool quoted)
{
    struct text t;
    text_init(&t);
    text_addf(&t, "set $v=%s", value);
    struct parsed p = parse(t.s);
    assert_int_equal(p.rc, 0);
    assert_int_equal(p.tree->command[0].value.kind, kind);
    assert_int_equal(p.tree->command[0].value.quoted, quoted);
    done(&p);
    text_fini(&t);
}

static void values_are_of_the_kind_that_they_look_like(void **state)
{
    (void)state;
    assert_set("5k", LANG_INT, false);
    assert_set("\"5k\"", LANG_TEXT, true);
    assert_set("false", LANG_BOOL, false);
    assert_set("\"false\"", LANG_TEXT, true);
    assert_set("falsehood", LANG_TEXT, false);
    assert_set("$x", LANG_VAR, false);
    assert_set("\"$x\"", LANG_VAR, true);
    assert_set("$x$y", LANG_JOIN, false);
    assert_set("\"$x \"", LANG_JOIN, true);
    assert_set("$x + 1", LANG_ARITH, false);
    assert_set("randvar (min=1)", LANG_RANDVAR, false);
    assert_set("cvar(type=cvar-uniform)", LANG_CVAR, false);
}

static void a_shown_text_is_text_or_pieces(void **state)
{
    (void)state;
    struct parsed p = parse("echo $x echo 5 echo true echo \"$x\" echo \"a\"");
    const enum lang_value_kind kind[] = {LANG_JOIN, LANG_TEXT, LANG_TEXT, LANG_JOIN, LANG_TEXT};
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(p.tree->command[i].value.kind, kind[i]);
    assert_int_equal(p.tree->command[0].value.n, 1);
    done(&p);
}

static void assert_signs(const char *text, unsigned signs)
{
    struct parsed p = parse(text);
    assert_int_equal(p.rc, 0);
    if (p.tree->signs != signs)
        fail_msg("%s: signs %u, not %u", text, p.tree->signs, signs);
    done(&p);
}

static void what_one_dialect_has_alone_is_its_sign(void **state)
{
    (void)state;
    static const char *const new_ones[] = {"set $x=cvar(type=t)", "set $x=randvar(min=1)",
                                           "enable lathist", "psrun 10"};
    static const char *const old_ones[] = {"usage \"text\"",
                                           "define randvar name=$x,min=1",
                                           "set ${x}=1",
                                           "echo \"${x}\"",
                                           "set $x.mean=5",
                                           "echo \"$x.mean\"",
                                           "set $a=$b * 2",
                                           "stats clear",
                                           "create processes",
                                           "shutdown processes",
                                           "warmup 5",
                                           "fsflush fstype=zfs",
                                           "fsflush",
                                           "define file name=f,path=/,cached=0",
                                           "define fileset name=f,path=/,filesizegamma=0"};
    static const char *const neither[] = {
        "set $a=$b",
        "foreach $i in 1,2 { run 5 }",
        "create files",
        "set $a=$b/c$(d)",
        "define fileset name=f,path=/,entries=5,size=16k,prealloc=80,reuse",
        "vars log \"x\"",
        "eventgen rate=5",
        "set mode quit alldone",
        "shutdown files"};
    for (unsigned i = 0; i < sizeof new_ones / sizeof *new_ones; i++)
        assert_signs(new_ones[i], LANG_SIGN_15);
    for (unsigned i = 0; i < sizeof old_ones / sizeof *old_ones; i++)
        assert_signs(old_ones[i], LANG_SIGN_14);
    for (unsigned i = 0; i < sizeof neither / sizeof *neither; i++)
        assert_signs(neither[i], 0);
    assert_signs("usage \"x\" psrun", LANG_SIGN_14 | LANG_SIGN_15);
}

/* ---- remarks ---- */

static struct lang_pos at(uint32_t file, uint32_t line, uint32_t column)
{
    return (struct lang_pos){file, line, column};
}

static void remarks_are_shown_in_the_order_of_the_file(void **state)
{
    (void)state;
    struct parsed p = parse("set $a=5");
    lang_error(&p.remarks, at(0, 3, 1), "third");
    lang_warn(&p.remarks, at(0, 2, 9), "second");
    lang_error(&p.remarks, at(0, 2, 1), "first '%s'", "\x1b[0m");
    lang_error(&p.remarks, at(0, 0, 0), "of the whole");
    text_clear(&p.said);
    lang_remarks_text(&p.remarks, &p.said);
    assert_string_equal(p.said.s, "x.f: error: of the whole\n"
                                  "x.f:2:1: error: first '\\x1b[0m'\n"
                                  "x.f:2:9: warning: second\n"
                                  "x.f:3:1: error: third\n");
    assert_int_equal(p.remarks.errors, 3);
    done(&p);
}

static void an_error_is_not_hidden_behind_warnings(void **state)
{
    struct lang_remarks r = {0};
    struct text said;
    (void)state;
    for (uint32_t i = 1; i <= LANG_REMARKS_MAX + 5; i++)
        lang_warn(&r, at(0, i, 1), "warning");
    assert_int_equal(r.n, LANG_REMARKS_MAX);
    assert_int_equal(r.more, 5);
    for (uint32_t i = 1; i <= LANG_REMARKS_MAX; i++)
        lang_error(&r, at(0, i, 1), "error");
    lang_error(&r, at(0, 1, 1), "too many");
    assert_int_equal(r.n, LANG_REMARKS_MAX);
    assert_int_equal(r.more, 5 + LANG_REMARKS_MAX + 1);
    assert_int_equal(r.errors, LANG_REMARKS_MAX + 1);
    for (unsigned i = 0; i < r.n; i++)
        assert_false(r.remark[i].warning);
    text_init(&said);
    lang_remarks_text(&r, &said);
    assert_non_null(strstr(said.s, "error: error\nand 56 more\n"));
    assert_null(strstr(said.s, "too many"));
    text_fini(&said);
    lang_remarks_fini(&r);
}

static void a_long_word_is_cut_where_it_is_shown(void **state)
{
    (void)state;
    assert_said(
        "0123456789012345678901234567890123456789x",
        "x.f:1:1: error: '0123456789012345678901234567890123456789...' was found, a command "
        "was expected\n");
}

/* ---- limits ---- */

static void loops_nest_as_deep_as_promised(void **state)
{
    size_t len;
    (void)state;
    for (unsigned deep = LANG_NEST_MAX; deep <= LANG_NEST_MAX + 1; deep++) {
        char *begin = repeated("foreach $i in 1 { ", deep, &len);
        char *end = repeated("}", deep, &len);
        struct text t;
        text_init(&t);
        text_addf(&t, "%s run %s", begin, end);
        struct parsed p = parse(t.s);
        assert_int_equal(p.rc, deep > LANG_NEST_MAX ? -EINVAL : 0);
        assert_true((p.rc == 0) == (strstr(p.said.s, "nested more than 64 deep") == NULL));
        assert_int_equal(p.remarks.errors, deep > LANG_NEST_MAX);
        done(&p);
        text_fini(&t);
        free(begin);
        free(end);
    }
}

static void texts_are_as_long_as_promised(void **state)
{
    (void)state;
    char *text = malloc(LANG_TEXT_MAX + 1);
    memset(text, ' ', LANG_TEXT_MAX + 1);
    struct parsed p = parse_bytes(text, LANG_TEXT_MAX, NULL);
    assert_int_equal(p.rc, 0);
    done(&p);
    p = parse_bytes(text, LANG_TEXT_MAX + 1, NULL);
    assert_int_equal(p.rc, -EINVAL);
    assert_non_null(strstr(p.said.s, "at most 16 MiB"));
    done(&p);
    free(text);
}

static void there_are_as_many_parts_as_promised(void **state)
{
    size_t len;
    (void)state;
    char *text = repeated("run ", LANG_PARTS_MAX + 1, &len);
    struct parsed p = parse_bytes(text, 4ul * LANG_PARTS_MAX, NULL);
    assert_int_equal(p.rc, 0);
    assert_int_equal(p.tree->commands, LANG_PARTS_MAX);
    done(&p);
    p = parse_bytes(text, len, NULL);
    assert_int_equal(p.rc, -EINVAL);
    assert_int_equal(p.remarks.errors, 1);
    done(&p);
    free(text);
}

/* What would take hours were any of it read again for every part of it. */
static void no_text_takes_long(void **state)
{
    static const char *const pieces[] = {"\"",
                                         "{",
                                         "}",
                                         "$",
                                         "${a",
                                         "$a",
                                         "a,",
                                         "a=",
                                         "foreach ",
                                         "foreach $a in a{",
                                         "define process name=a{",
                                         "\x01",
                                         "\"$a",
                                         "set $a=randvar(randtable={{",
                                         "flowop ",
                                         "-",
                                         "define flowop name=a {",
                                         "thread name=a {",
                                         "runn\n"};
    size_t len;
    (void)state;
    for (unsigned i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        char *text = repeated(pieces[i], 1000000 / strlen(pieces[i]), &len);
        struct parsed p = parse_bytes(text, len, NULL);
        assert_true(p.rc == 0 || p.remarks.errors > 0);
        done(&p);
        free(text);
    }
}

/* ---- loading ---- */

static int load(void *ctx, const char *name, char **text, size_t *len, char **shown_as,
                struct err *err)
{
    unsigned *times = ctx;
    if (strcmp(name, "nothing") == 0)
        return err_set(err, -ENOENT, "no such thing");
    ++*times;
    *text = strdup("set $loaded=1");
    *len = strlen(*text);
    *shown_as = strcmp(name, "plain") == 0 ? NULL : strdup("shown.f");
    return 0;
}

static void what_is_loaded_stands_where_it_was_loaded(void **state)
{
    unsigned times = 0;
    const struct lang_loader loader = {.load = load, .ctx = &times};
    const char *text = "set $a=1\nload other set $b=2 load other load plain";
    (void)state;
    struct parsed p = parse_bytes(text, strlen(text), &loader);
    assert_int_equal(p.rc, 0);
    assert_int_equal(times, 3);
    assert_int_equal(p.tree->commands, 5);
    assert_string_equal(p.tree->command[1].name, "loaded");
    assert_int_equal(p.tree->command[1].at.file, 1);
    assert_int_equal(p.tree->command[2].at.line, 2);
    assert_int_equal(p.tree->command[2].at.file, 0);
    assert_int_equal(p.tree->files, 3);
    assert_string_equal(p.tree->file[1], "shown.f");
    assert_string_equal(p.tree->file[2], "plain");
    done(&p);
}

static void what_cannot_be_loaded_is_said(void **state)
{
    unsigned times = 0;
    const struct lang_loader loader = {.load = load, .ctx = &times};
    size_t len;
    (void)state;
    struct parsed p = parse_bytes("load nothing", 12, &loader);
    assert_string_equal(p.said.s, "x.f:1:6: error: cannot load 'nothing': no such thing\n");
    done(&p);
    assert_said("load x", "x.f:1:6: error: cannot load 'x': nothing can be loaded here\n");
    char *many = repeated("load x\n", 1002, &len);
    p = parse_bytes(many, len, &loader);
    assert_int_equal(p.rc, -EINVAL);
    assert_int_equal(times, 1000);
    assert_int_equal(p.remarks.errors, 2);
    done(&p);
    free(many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(things_have_their_place_in_the_file),
        cmocka_unit_test(of_a_repeated_attribute_the_last_counts),
        cmocka_unit_test(values_are_of_the_kind_that_they_look_like),
        cmocka_unit_test(a_shown_text_is_text_or_pieces),
        cmocka_unit_test(what_one_dialect_has_alone_is_its_sign),
        cmocka_unit_test(remarks_are_shown_in_the_order_of_the_file),
        cmocka_unit_test(an_error_is_not_hidden_behind_warnings),
        cmocka_unit_test(a_long_word_is_cut_where_it_is_shown),
        cmocka_unit_test(loops_nest_as_deep_as_promised),
        cmocka_unit_test(texts_are_as_long_as_promised),
        cmocka_unit_test(there_are_as_many_parts_as_promised),
        cmocka_unit_test(no_text_takes_long),
        cmocka_unit_test(what_is_loaded_stands_where_it_was_loaded),
        cmocka_unit_test(what_cannot_be_loaded_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
