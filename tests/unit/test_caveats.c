/* verdict/caveats.h: which facts of a set-up make a number mean something else, and which do not. */
#include "verdict/caveats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WRITES = 1, OVERWRITES = 2, DIRECT = 4, SYNCED = 8 };

struct fact {
    const char *key;
    const char *value;
};

struct caveat_case {
    struct fact fact[3]; /* keys that begin with cpu_ are the machine's */
    unsigned did;
    const char *label; /* NULL: nothing is said */
    const char *words;
};

static const struct caveat_case cases[] = {
    {{{"modelled", "netapp-f840"}}, WRITES, "MODELLED", "netapp-f840 is a model"},
    /* Its times are none of this machine's. */
    {{{"modelled", "netapp-f840"}, {"cpu_governor", "powersave"}}, 0, "MODELLED", "a model"},
    {{{"cpu_governor", "performance"}}, WRITES, NULL, NULL},
    {{{"cpu_governor", "powersave"}}, 0, "governor", "powersave"},
    {{{"cpu_governor", "powersave"}, {"cpu_driver", "acpi-cpufreq"}}, 0, "governor", "held low"},
    /* With these drivers powersave is the name of the usual way to choose. */
    {{{"cpu_governor", "powersave"}, {"cpu_driver", "intel_pstate"}}, 0, NULL, NULL},
    {{{"cpu_governor", "powersave"}, {"cpu_driver", "amd-pstate-epp"}}, 0, NULL, NULL},
    {{{"cpu_governor", "powersave"}, {"cpu_driver", "intel_pstate"}, {"cpu_preference", "power"}},
     0,
     "governor",
     "powersave"},
    {{{"fs_compression", "no"}, {"fs_encryption", "no"}}, WRITES, NULL, NULL},
    {{{"fs_compression", "unknown"}, {"fs_encryption", "unknown"}}, WRITES, NULL, NULL},
    {{{"fs_compression", "zstd:3"}}, 0, "compressed", "(zstd:3)"},
    {{{"fs_compression", "no"}, {"device_compression", "vdo (dm-2)"}}, 0, "compressed", "vdo"},
    {{{"fs_encryption", "fscrypt"}}, 0, "encrypted", "fscrypt"},
    {{{"fs_encryption", "no"}, {"device_encryption", "dm-crypt (dm-0)"}}, 0, "encrypted", "dm-0"},
    {{{"fs_type", "btrfs"}, {"fs_copy_on_write", "yes"}}, WRITES, NULL, NULL},
    {{{"fs_type", "btrfs"}, {"fs_copy_on_write", "yes"}},
     WRITES | OVERWRITES,
     "copy on write",
     "btrfs"},
    {{{"fs_type", "btrfs"}, {"fs_copy_on_write", "no"}}, WRITES | OVERWRITES, NULL, NULL},
    {{{"device_thin", "dm-thin (dm-3)"}}, WRITES, "thin", "dm-thin (dm-3)"},
    {{{"device_thin", "dm-thin (dm-3)"}}, 0, NULL, NULL},
    {{{"device_thin", "dm-thin (dm-3)"}}, WRITES | OVERWRITES, NULL, NULL},
    {{{"device_write_cache", "write back"}}, WRITES | DIRECT, "write cache", "volatile"},
    {{{"device_write_cache", "write back"}}, WRITES | DIRECT | SYNCED, NULL, NULL},
    {{{"device_write_cache", "write back"}}, WRITES, NULL, NULL},
    {{{"device_write_cache", "write back"}}, DIRECT, NULL, NULL},
    {{{"device_write_cache", "write through"}}, WRITES | DIRECT, NULL, NULL},
    {{{"mount_options", "rw,relatime,sync"}}, WRITES, "mount option", "mounted sync"},
    {{{"mount_options", "rw,dirsync,relatime"}}, WRITES, "mount option", "mounted dirsync"},
    {{{"mount_options", "rw,async,syncall,nosync"}}, WRITES, NULL, NULL},
    {{{"mount_options", "rw,sync"}}, 0, NULL, NULL},
    {{{"mount_options", "nobarrier,rw"}}, WRITES, "mount option", "without barriers"},
    {{{"mount_options", "rw,barrier=0"}}, WRITES, "mount option", "without barriers"},
    {{{"mount_options", "rw,barrier=01"}}, WRITES, NULL, NULL},
    {{{"mount_options", "rw,data=journal"}}, WRITES, "mount option", "written twice"},
};

static void put(struct result *r, const struct fact *fact)
{
    bool machine = strncmp(fact->key, "cpu_", 4) == 0;
    assert_int_equal(
        result_fact_put(machine ? &r->machine : &r->target_facts, fact->key, fact->value, ""), 0);
}

static void check(const struct caveat_case *c)
{
    struct caveat found[CAVEATS_MAX];
    struct result *r = result_new();

    assert_non_null(r);
    for (unsigned i = 0; i < 3 && c->fact[i].key; i++)
        put(r, &c->fact[i]);
    const struct caveat_facts of = {.target = &r->target_facts,
                                    .machine = &r->machine,
                                    .writes = c->did & WRITES,
                                    .overwrites = c->did & OVERWRITES,
                                    .direct = c->did & DIRECT,
                                    .synced = c->did & SYNCED};
    unsigned n = caveats_of(&of, found);
    if (n != (c->label != NULL))
        fail_msg("%s=%s: %u caveats, %s", c->fact[0].key, c->fact[0].value, n,
                 n ? found[0].words : "");
    if (n > 0) {
        assert_string_equal(found[0].label, c->label);
        if (!strstr(found[0].words, c->words))
            fail_msg("'%s' does not say '%s'", found[0].words, c->words);
    }
    result_free(r);
}

static void each_fact_is_said_where_it_bears_on_what_was_done(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(&cases[i]);
}

/* However much there is to say, it has room. */
static void all_of_them_at_once_fit(void **state)
{
    static const struct fact all[] = {
        {"cpu_governor", "powersave"},
        {"fs_type", "btrfs"},
        {"fs_copy_on_write", "yes"},
        {"fs_compression", "a word far longer than any method of compression has ever had"},
        {"fs_encryption", "fscrypt"},
        {"device_thin", "dm-thin (dm-3)"},
        {"device_write_cache", "write back"},
        {"mount_options", "sync,nobarrier,data=journal"},
    };
    struct caveat found[CAVEATS_MAX];
    struct result *r = result_new();

    (void)state;
    assert_non_null(r);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        put(r, &all[i]);
    const struct caveat_facts of = {&r->target_facts, &r->machine, true, true, true, false};
    unsigned n = caveats_of(&of, found);
    assert_int_equal(n, 9);
    for (unsigned i = 0; i < n; i++) {
        assert_true(strlen(found[i].label) <= 13);
        assert_true(strlen(found[i].words) < sizeof found[i].words - 1);
    }
    result_free(r);
}

/* What was wrong: a run whose lines are "write 4k" and "write 64k" had not written, and one whose
 * writes were synced was said to end in the device's cache. */
static void what_a_run_did_is_read_from_its_result(void **state)
{
    struct result *r = result_new();

    (void)state;
    assert_non_null(r);
    r->line = calloc(1, sizeof *r->line);
    assert_non_null(r->line);
    r->lines = 1;
    snprintf(r->line[0].name, sizeof r->line[0].name, "write 4k");
    snprintf(r->line[0].op, sizeof r->line[0].op, "write");
    assert_int_equal(result_fact_put(&r->options, "direct", "yes", ""), 0);
    assert_true(caveat_facts_of(r).writes);
    assert_false(caveat_facts_of(r).synced);
    assert_int_equal(result_fact_put(&r->options, "sync", "data", ""), 0);
    assert_true(caveat_facts_of(r).synced);
    snprintf(r->line[0].op, sizeof r->line[0].op, "read");
    assert_false(caveat_facts_of(r).writes);
    result_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_fact_is_said_where_it_bears_on_what_was_done),
        cmocka_unit_test(all_of_them_at_once_fit),
        cmocka_unit_test(what_a_run_did_is_read_from_its_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
