/* sim_rig_priv.h: which lines of [rig] are kept, which are refused and with which words, and that none of them changes
 * the system it stands in. */
#include "study/limits_options.h"
#include "target/sim_profile_priv.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define LEAST                                                                                      \
    "[protocol nfs]\n[cpu]\ncores = 2\n[disks]\ncount = 6\nrate = 80m/s\n[dram]\nsize = 8g\n"
/* Its lines begin with the tenth. */
#define RIG LEAST "[rig]\n"

static int read_rigs(const char *text, struct sim_profile *p, struct err *err)
{
    int rc = sim_profile_read("t.profile", text, strlen(text), p, err);

    return rc < 0 ? rc : sim_rigs_check(p, err);
}

static struct sim_profile *good(const char *text)
{
    struct sim_profile *p = malloc(sizeof *p);
    struct err err = {0};

    assert_non_null(p);
    if (read_rigs(text, p, &err) != 0)
        fail_msg("%s", err.text);
    return p;
}

static void the_last_line_of_a_row_counts(void **state)
{
    (void)state;
    struct sim_profile *p = good(RIG "nfs.stat = clients=3\n"
                                     "nfs.read-4k-disk = dram=1g&flash=off&streams=20\n"
                                     "nfs.stat = clients=7 # as published\n");

    assert_int_equal(p->rigs.n, 2);
    assert_string_equal(p->rigs.rig[0].protocol, "nfs");
    assert_string_equal(p->rigs.rig[0].row, "stat");
    assert_string_equal(p->rigs.rig[0].params, "clients=7");
    assert_string_equal(p->rigs.rig[1].row, "read-4k-disk");
    assert_string_equal(p->rigs.rig[1].params, "dram=1g&flash=off&streams=20");
    free(p);
}

static void a_rig_changes_nothing_of_the_system(void **state)
{
    (void)state;
    struct sim_profile *with = good(RIG "nfs.stat = clients=7&dram=1g&disks=2\n");
    struct err err = {0};

    assert_int_equal(sim_profile_check(with, &err), 0);
    assert_int_equal(with->client.count, 1);
    assert_int_equal(with->dram.bytes, 8ull << 30);
    assert_int_equal(with->disks.count, 6);
    free(with);
}

static void what_is_no_rig_is_refused_with_its_line(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        const char *words;
    } wrong[] = {
        {"nfs.read-4k-dsik = dram=1g",
         "t.profile:10: there is no row \"read-4k-dsik\"; did you mean read-4k-disk?"},
        {"stat = dram=1g", "t.profile:10: \"stat\": give PROTOCOL.ROW = NAME=VALUE&..."},
        {"smb.stat = dram=1g", "t.profile:10: [rig] smb.stat: there is no [protocol smb]"},
        {"nfs.stat = dram=1g flash=off", "t.profile:10: \"dram=1g flash=off\" is not accepted: "
                                         "give NAME=VALUE&..., as behind the ? "
                                         "of an address, 79 characters at most"},
        {"nfs.stat = streams=0", "t.profile:10: [rig] nfs.stat: \"0\" is not accepted: give how "
                                 "many streams the row has, as "
                                 "streams=20"},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[400];
        struct sim_profile *p = malloc(sizeof *p);
        struct err err = {0};

        assert_non_null(p);
        snprintf(text, sizeof text, "%s%s", RIG, wrong[i].line);
        int rc = read_rigs(text, p, &err);
        if (rc != -EINVAL || err.code != -EINVAL || strcmp(err.text, wrong[i].words) != 0)
            fail_msg("%s\n  says %d: %s", wrong[i].line, rc, err.text);
        free(p);
    }
}

/* Also one that only the whole of the system forbids. */
static void a_rig_is_a_system_that_can_be(void **state)
{
    (void)state;
    struct sim_profile *p = malloc(sizeof *p);
    struct err err = {0};

    assert_non_null(p);
    assert_int_equal(read_rigs(RIG "nfs.stat = raid=5&disks=2\n", p, &err), -EINVAL);
    assert_non_null(strstr(err.text, "t.profile:10: [rig] nfs.stat: "));
    err = (struct err){0};
    assert_int_equal(read_rigs(RIG "nfs.stat = drma=1g\n", p, &err), -EINVAL);
    assert_non_null(strstr(err.text, "did you mean dram?"));
    free(p);
}

static void rows_are_those_of_limits(void **state)
{
    (void)state;
    unsigned i = 0;

    for (; sim_rig_row(i) != NULL; i++)
        assert_string_equal(sim_rig_row(i), limits_row_id(i));
    assert_null(limits_row_id(i));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_line_of_a_row_counts),
        cmocka_unit_test(a_rig_changes_nothing_of_the_system),
        cmocka_unit_test(what_is_no_rig_is_refused_with_its_line),
        cmocka_unit_test(a_rig_is_a_system_that_can_be),
        cmocka_unit_test(rows_are_those_of_limits),
    };
    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
