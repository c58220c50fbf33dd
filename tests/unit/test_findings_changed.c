/* verdict/findings.h: what a run proves that differs in one thing, and that two things prove nothing. */
#include "unit/finding_case.h"

static const struct limit_row stream = {"nfs",  "stream-read-cache", "bytes", "cache", "read",
                                        1048576};

static struct result *changed(struct finding_case *c, const char *what, double rate)
{
    struct result *r = limit_add(&c->runs, &stream, "prove", 64, rate);

    limit_word(r, "changed", what);
    hand_option(c->r, "clients", 10);
    hand_option(r, "clients", 10);
    return r;
}

static const struct finding *proves(struct finding_case *c, const struct result *r)
{
    c->n = findings_changed(c->r, r, c->found);
    return c->n == 0 ? NULL : &c->found[0];
}

static void half_the_clients_prove_what_each_can_do(void **state)
{
    (void)state;
    struct finding_case c;
    case_new(&c, &stream);
    struct result *r = changed(&c, "clients=5", 510);
    hand_option(r, "clients", 5);
    const struct finding *f = proves(&c, r);
    assert_non_null(f);
    assert_string_equal(f->rule, "clients");
    assert_int_equal(f->weight, FINDING_LIMITS);
    assert_true(f->at_client);
    assert_ptr_equal(findings_limiter(c.found, c.n), f);
    assert_says(f->evidence, "10 clients give 1000 MiB/s, 5 give 510 MiB/s (51 %)");

    r = changed(&c, "clients=5", 990);
    hand_option(r, "clients", 5);
    f = proves(&c, r);
    assert_string_equal(f->rule, "not-clients");
    assert_int_equal(f->weight, FINDING_NOTES);

    r = changed(&c, "clients=5", 700); /* neither */
    hand_option(r, "clients", 5);
    assert_null(proves(&c, r));
    case_free(&c);
}

/* Two clients of a server with four ports leave two of them idle; other streams than before are another change. */
static void a_change_of_two_things_proves_nothing(void **state)
{
    (void)state;
    struct finding_case c;
    case_new(&c, &stream);
    struct result *r = changed(&c, "clients=3", 300);
    hand_option(r, "clients", 3);
    assert_null(proves(&c, r));

    r = changed(&c, "clients=5", 500);
    hand_option(r, "clients", 5);
    hand_option(r, "streams", 32);
    assert_null(proves(&c, r));

    r = changed(&c, "clients=5", 500);
    hand_option(r, "clients", 5);
    limit_word(r, "steady", "no");
    assert_null(proves(&c, r));

    r = changed(&c, "clients=5", 500);
    hand_option(r, "clients", 5);
    limit_target(c.r, "model_ports", "8");
    assert_null(proves(&c, r));
    case_free(&c);
}

static void half_the_size_tells_bytes_from_operations(void **state)
{
    (void)state;
    struct finding_case c;
    case_new(&c, &stream);
    struct result *r = changed(&c, "io_bytes=524288", 2000);
    hand_option(r, "io_bytes", 524288);
    r->line[0].sum.bytes = c.r->line[0].sum.bytes;
    assert_string_equal(proves(&c, r)->rule, "per-byte");
    assert_null(findings_limiter(c.found, c.n)); /* it is no resource */

    r = changed(&c, "io_bytes=524288", 1000);
    hand_option(r, "io_bytes", 524288);
    r->line[0].sum.bytes = c.r->line[0].sum.bytes / 2;
    assert_string_equal(proves(&c, r)->rule, "per-op");
    case_free(&c);
}

static void more_streams_that_give_more_prove_too_few(void **state)
{
    (void)state;
    struct finding_case c;
    case_new(&c, &stream);
    struct result *r = changed(&c, "streams=128", 1100);
    hand_option(r, "streams", 128);
    assert_string_equal(proves(&c, r)->rule, "streams");
    r = changed(&c, "streams=128", 1010);
    hand_option(r, "streams", 128);
    assert_null(proves(&c, r));
    case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_the_clients_prove_what_each_can_do),
        cmocka_unit_test(a_change_of_two_things_proves_nothing),
        cmocka_unit_test(half_the_size_tells_bytes_from_operations),
        cmocka_unit_test(more_streams_that_give_more_prove_too_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
