/* Variables are what they are where they are used; conversions; what cannot be is said with its
 * place. */
#include "script/scope_priv.h"
#include "trees_by_hand.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct box {
    struct script_options o;
    struct lang_remarks remarks;
    struct scope *globals;
};

static void box_init(struct box *b, const char *const *set, unsigned sets)
{
    memset(b, 0, sizeof *b);
    b->o.name = "/wl/varmail.f";
    b->o.seed = 7;
    b->o.target = "/mnt/tank";
    b->o.set = set;
    b->o.sets = sets;
    assert_int_equal(0, scope_new(&b->o, &b->remarks, &b->globals));
}

static void box_fini(struct box *b)
{
    scope_free(b->globals);
    lang_remarks_fini(&b->remarks);
}

static void set(struct box *b, const struct lang_command *command)
{
    assert_int_equal(0, scope_assign(b->globals, command, &b->remarks));
}

static struct value value_of(struct box *b, struct lang_value tree)
{
    struct value v = {0};
    assert_int_equal(0, scope_value(b->globals, &tree, &b->remarks, &v));
    return v;
}

static uint64_t number_of(struct box *b, struct lang_value tree)
{
    struct value v = value_of(b, tree);
    assert_int_equal(VALUE_INT, v.kind);
    return v.integer;
}

static void refuse(struct box *b, struct lang_value tree, const char *why)
{
    struct value v = {0};
    unsigned before = b->remarks.errors;
    assert_int_equal(-EINVAL, scope_value(b->globals, &tree, &b->remarks, &v));
    assert_int_equal(before + 1, b->remarks.errors);
    assert_string_equal(why, b->remarks.remark[b->remarks.n - 1].text);
}

static void expect_print(struct box *b, struct lang_value tree, const char *wanted)
{
    struct text text;
    text_init(&text);
    assert_int_equal(0, scope_print(b->globals, &tree, &b->remarks, &text));
    assert_string_equal(wanted, text.s);
    text_fini(&text);
}

static void a_later_set_shows_in_what_refers_to_it(void **state)
{
    (void)state;
    struct box b;
    box_init(&b, NULL, 0);
    struct lang_command a = SET_("a", VAR_("n"));
    struct lang_command twice = SET_("twice", ARITH_(VAR_("a"), '*', INT_(2)));
    set(&b, &SET_("n", INT_(5)));
    set(&b, &a);
    set(&b, &twice);
    assert_int_equal(10, number_of(&b, VAR_("twice")));
    set(&b, &SET_("n", INT_(8)));
    assert_int_equal(16, number_of(&b, VAR_("twice")));
    box_fini(&b);
}

static void a_variable_may_be_made_of_what_it_was(void **state)
{
    (void)state;
    struct box b;
    box_init(&b, NULL, 0);
    set(&b, &SET_("n", INT_(5)));
    set(&b, &SET_("n", ARITH_(VAR_("n"), '+', INT_(1))));
    set(&b, &SET_("n", ARITH_(VAR_("n"), '+', INT_(1))));
    assert_int_equal(7, number_of(&b, VAR_("n")));
    box_fini(&b);
}

static void variables_may_change_their_type(void **state)
{
    (void)state;
    struct box b;
    box_init(&b, NULL, 0);
    set(&b, &SET_("x", INT_(5)));
    set(&b, &SET_("x", TEXT_("five")));
    assert_string_equal("five", value_of(&b, VAR_("x")).text);
    box_fini(&b);
}

static void circles_are_refused(void **state)
{
    (void)state;
    struct box b;
    box_init(&b, NULL, 0);
    struct lang_value of_b = VAR_("b");
    struct lang_command set_a = SET_("a", of_b);
    set(&b, &SET_("b", INT_(1)));
    set(&b, &set_a);
    struct lang_command back = SET_("b", VAR_("a")); /* of what it has been so far */
    set(&b, &back);
    assert_int_equal(1, number_of(&b, VAR_("a")));
    box_fini(&b);
}

static void what_is_not_set_has_a_place(void **state)
{
    (void)state;
    struct box b;
    box_init(&b, NULL, 0);
    refuse(&b, VAR_("nope"), "$nope is not set");
    refuse(&b, JOIN_(TEXT_("a"), VAR_("nope")), "$nope is not set");
    assert_int_equal(__LINE__ - 1, b.remarks.remark[1].at.line);
    box_fini(&b);
}

static void arithmetic_stays_within_64_bits(void **state)
{
    (void)state;
    struct box b;
    box_init(&b, NULL, 0);
    assert_int_equal(7, number_of(&b, ARITH_(INT_(3), '+', INT_(4))));
    assert_int_equal(6, number_of(&b, ARITH_(INT_(9), '-', INT_(3))));
    assert_int_equal(3, number_of(&b, ARITH_(INT_(10), '/', INT_(3))));
    refuse(&b, ARITH_(INT_(3), '-', INT_(4)), "the difference is below 0");
    refuse(&b, ARITH_(INT_(3), '/', INT_(0)), "a division by 0");
    refuse(&b, ARITH_(INT_(UINT64_MAX), '+', INT_(1)), "the sum is beyond 64 bits");
    refuse(&b, ARITH_(INT_(UINT64_MAX), '*', INT_(2)), "the product is beyond 64 bits");
    box_fini(&b);
}

static void the_command_line_pins(void **state)
{
    (void)state;
    static const char *const pins[] = {"nfiles=16k", "$mode=false", "note=a b", "spare=1"};
    struct box b;
    box_init(&b, pins, 4);
    set(&b, &SET_("nfiles", INT_(5)));
    assert_int_equal(0, b.remarks.n); /* its default, told with all others at the end */
    set(&b, &SET_("nfiles", INT_(6)));
    assert_int_equal(1, b.remarks.n);
    assert_true(b.remarks.remark[0].warning);
    assert_string_equal("$nfiles is given on the command line: this set is not heeded",
                        b.remarks.remark[0].text);
    set(&b, &SET_("dir", TEXT_("/tmp"))); /* every file does */
    assert_int_equal(1, b.remarks.n);
    assert_int_equal(16384, number_of(&b, VAR_("nfiles")));
    assert_int_equal(VALUE_BOOL, value_of(&b, VAR_("mode")).kind);
    assert_string_equal("a b", value_of(&b, VAR_("note")).text);
    assert_string_equal("/mnt/tank", value_of(&b, VAR_("dir")).text);
    scope_check_pins(b.globals, &b.remarks);
    assert_int_equal(1, b.remarks.errors);
    assert_string_equal("$spare is given on the command line, and nothing here sets or uses it",
                        b.remarks.remark[1].text);
    assert_non_null(strstr(b.remarks.remark[2].text, "so not heeded here: $nfiles (line "));
    box_fini(&b);
}

static void a_pin_is_name_and_value(void **state)
{
    (void)state;
    static const char *const pins[] = {"=5"};
    struct box b = {.o = {.set = pins, .sets = 1}};
    assert_int_equal(-EINVAL, scope_new(&b.o, &b.remarks, &b.globals));
    assert_string_equal("\"=5\": name=value was expected", b.remarks.remark[0].text);
    lang_remarks_fini(&b.remarks);
}

static const char *outside(const char *name)
{
    return strcmp(name, "HOST") == 0 ? "from outside" : NULL;
}

static void special_names_stand_behind_variables(void **state)
{
    (void)state;
    struct box b;
    box_init(&b, NULL, 0);
    refuse(&b, ENV_("HOST"), "$HOST is not set");
    b.o.environment = outside;
    assert_string_equal("from outside", value_of(&b, ENV_("HOST")).text);
    refuse(&b, ENV_("OTHER"), "$OTHER is not set");
    refuse(&b, VAR_("HOST"), "$HOST is not set");
    set(&b, &SET_("HOST", TEXT_("inside")));
    assert_string_equal("inside", value_of(&b, ENV_("HOST")).text);
    assert_string_equal("varmail", value_of(&b, VAR_("scriptname")).text);
    scope_rate(b.globals, 40);
    assert_int_equal(40, number_of(&b, VAR_("rate")));
    assert_int_equal(11, strlen(value_of(&b, VAR_("date")).text));
    assert_true(strlen(value_of(&b, VAR_("hostname")).text) > 0);
    assert_string_equal("n/v", value_of(&b, PART_("stats", "iorate")).text);
    assert_true(b.remarks.remark[b.remarks.n - 1].warning);
    box_fini(&b);
}

static void echo_prints_what_there_is(void **state)
{
    (void)state;
    struct box b;
    box_init(&b, NULL, 0);
    set(&b, &SET_("n", INT_(5)));
    set(&b, &SET_("yes", BOOL_(true)));
    set(&b, &SET_("r", RANDVAR_(ATTR_("type", TEXT_("uniform")), ATTR_("mean", INT_(5)))));
    set(&b, &SET_("c", CVAR_(ATTR_("type", TEXT_("cvar-normal")))));
    expect_print(&b,
                 JOIN_(TEXT_("n="), VAR_("n"), TEXT_(" "), VAR_("yes"), TEXT_(" "), VAR_("r"),
                       TEXT_(" "), VAR_("c"), TEXT_(" "), VAR_("nope"), ENV_("nope")),
                 "n=5 true uniform random var custom variable $nope$(nope)");
    assert_int_equal(0, b.remarks.n);
    box_fini(&b);
}

/* nfiles=abc on the command line ran on as no files at all, as it does in a file. */
static void what_is_typed_and_is_no_number_is_an_error(void **state)
{
    (void)state;
    static const char *const pins[] = {"n=abc", "m=50K"};
    struct box b;
    box_init(&b, pins, 2);
    const struct lang_attrs attrs = ATTRS_(ATTR_("entries", VAR_("n")), ATTR_("size", VAR_("m")));
    uint64_t n = 0;
    assert_int_equal(-EINVAL, attr_count(b.globals, &attrs, "entries", 9, &b.remarks, &n));
    assert_int_equal(1, b.remarks.errors);
    assert_non_null(
        strstr(b.remarks.remark[0].text, "entries: 'abc' was found on the command line"));
    assert_int_equal(0, attr_count(b.globals, &attrs, "size", 9, &b.remarks, &n));
    assert_int_equal(50 * 1024, n);
    assert_int_equal(1, b.remarks.n);
    box_fini(&b);
}

static void conversions_say_what_they_lose(void **state)
{
    (void)state;
    struct box b;
    box_init(&b, NULL, 0);
    const struct lang_attrs attrs =
        ATTRS_(ATTR_("word", TEXT_("abc")), ATTR_("flag", BOOL_(true)), ATTR_("five", INT_(5)),
               BARE_("bare"), ATTR_("quoted", TEXT_("16k")));
    uint64_t n = 1;
    bool flag = false;
    const char *word = NULL;
    assert_int_equal(0, attr_count(b.globals, &attrs, "word", 9, &b.remarks, &n));
    assert_int_equal(0, n);
    assert_string_equal("word: \"abc\" is no number, 0 is taken", b.remarks.remark[0].text);
    assert_int_equal(0, attr_count(b.globals, &attrs, "flag", 9, &b.remarks, &n));
    assert_string_equal("flag: true is no number, 0 is taken", b.remarks.remark[1].text);
    assert_int_equal(0, attr_count(b.globals, &attrs, "absent", 9, &b.remarks, &n));
    assert_int_equal(9, n);
    assert_int_equal(0, attr_count(b.globals, &attrs, "quoted", 9, &b.remarks, &n));
    assert_int_equal(16384, n);
    assert_int_equal(0, attr_flag(b.globals, &attrs, "five", false, &b.remarks, &flag));
    assert_true(flag);
    assert_int_equal(0, attr_flag(b.globals, &attrs, "bare", false, &b.remarks, &flag));
    assert_true(flag);
    assert_int_equal(2, b.remarks.n);
    assert_int_equal(0, attr_flag(b.globals, &attrs, "word", true, &b.remarks, &flag));
    assert_false(flag);
    assert_int_equal(3, b.remarks.n);
    assert_int_equal(0, attr_word(b.globals, &attrs, "five", &b.remarks, &word));
    assert_string_equal("5", word);
    assert_int_equal(0, attr_word(b.globals, &attrs, "absent", &b.remarks, &word));
    assert_null(word);
    box_fini(&b);
}

static void locals_lie_over_globals(void **state)
{
    (void)state;
    struct box b;
    struct scope *inner = NULL;
    struct scope *innermost = NULL;
    box_init(&b, NULL, 0);
    set(&b, &SET_("size", INT_(1)));
    const struct lang_attrs definition = ATTRS_(LOCAL_("size", INT_(2)), LOCAL_("set", TEXT_("a")));
    const struct lang_attrs call = ATTRS_(LOCAL_("set", VAR_("size")));
    const struct lang_attrs next = ATTRS_(LOCAL_("size", VAR_("set")), LOCAL_("more", INT_(4)));
    assert_int_equal(0, scope_enter(b.globals, &definition, &call, &b.remarks, &inner));
    struct value v = {0};
    assert_int_equal(0, scope_value(inner, &VAR_("size"), &b.remarks, &v));
    assert_int_equal(2, v.integer);
    assert_int_equal(0, scope_value(inner, &VAR_("set"), &b.remarks, &v));
    assert_int_equal(1, v.integer); /* given by the call, in the caller's scope */
    assert_int_equal(0, b.remarks.n);
    assert_int_equal(0, scope_enter(inner, &definition, &next, &b.remarks, &innermost));
    assert_int_equal(1, b.remarks.n); /* "more" is no local of it */
    assert_int_equal(0, scope_value(innermost, &VAR_("size"), &b.remarks, &v));
    assert_int_equal(1, v.integer);
    scope_leave(innermost);
    scope_leave(inner);
    assert_int_equal(1, number_of(&b, VAR_("size")));
    box_fini(&b);
}

static void one_number_of_a_distribution_is_always_the_same(void **state)
{
    (void)state;
    struct box b;
    box_init(&b, NULL, 0);
    set(&b, &SET_("r", RANDVAR_(ATTR_("type", TEXT_("uniform")), ATTR_("mean", INT_(1000000)))));
    const struct lang_attrs attrs = ATTRS_(ATTR_("entries", VAR_("r")));
    uint64_t first = 0;
    uint64_t again = 0;
    assert_int_equal(0, attr_count(b.globals, &attrs, "entries", 0, &b.remarks, &first));
    assert_int_equal(0, attr_count(b.globals, &attrs, "entries", 0, &b.remarks, &again));
    assert_int_equal(first, again);
    b.o.seed++;
    assert_int_equal(0, attr_count(b.globals, &attrs, "entries", 0, &b.remarks, &again));
    assert_int_not_equal(first, again);
    box_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_later_set_shows_in_what_refers_to_it),
        cmocka_unit_test(a_variable_may_be_made_of_what_it_was),
        cmocka_unit_test(variables_may_change_their_type),
        cmocka_unit_test(circles_are_refused),
        cmocka_unit_test(what_is_not_set_has_a_place),
        cmocka_unit_test(arithmetic_stays_within_64_bits),
        cmocka_unit_test(the_command_line_pins),
        cmocka_unit_test(a_pin_is_name_and_value),
        cmocka_unit_test(special_names_stand_behind_variables),
        cmocka_unit_test(echo_prints_what_there_is),
        cmocka_unit_test(what_is_typed_and_is_no_number_is_an_error),
        cmocka_unit_test(conversions_say_what_they_lose),
        cmocka_unit_test(locals_lie_over_globals),
        cmocka_unit_test(one_number_of_a_distribution_is_always_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
