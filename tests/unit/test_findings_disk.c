/* verdict/findings.h: what stops at a disk of this machine, and what only looks so. */
#include "unit/finding_case.h"

static const struct limit_row local = {"local", "read-4k-disk", "ops", "disk", "read", 4096};

static void at_disk(struct result *r, const char *name, double queue, double holds, double bytes)
{
    limit_track(r, TRACK_CLIENT, TRACK_DISK_QUEUE, name, queue, holds);
    limit_track(r, TRACK_CLIENT, TRACK_DISK_READ, name, bytes, 0);
}

static void a_local_disk_is_named_when_the_ops_are_at_it(void **state)
{
    (void)state;
    struct finding_case c;
    case_new(&c, &local);
    at_disk(c.r, "sda", 63, 0, 4096000);
    const struct finding *f = case_says(&c, "local-disk");
    assert_false(f->at_client);
    assert_says(f->words, "disk sda");
    assert_close(f->use_frac, 63.0 / 64, 1e-9);
    /* Half of the time they are elsewhere. */
    at_disk(c.r, "sda", 32, 0, 4096000);
    case_unknown(&c);
    /* It holds no more; the rest waits for it. */
    at_disk(c.r, "sda", 32, 32, 4096000);
    assert_says(case_says(&c, "local-disk")->evidence, "it can hold");
    /* More streams have not been shown to give no more. */
    limit_word(c.r, "ramp_end", "fixed");
    case_unknown(&c);
    limit_word(c.r, "ramp_end", "flat");
    /* Another device. */
    at_disk(c.r, "sda", 63, 0, 100000);
    case_unknown(&c);
    case_free(&c);
}

/* What waits for a core to complete counts as being at the device. */
static void a_disk_is_not_named_while_processors_are_full(void **state)
{
    (void)state;
    struct finding_case c;
    case_new(&c, &local);
    at_disk(c.r, "nvme0n1", 63.9, 0, 4096000);
    case_cores(c.r, TRACK_CLIENT, 2, 0.96);
    assert_string_equal(case_limiter(&c)->rule, "client-cpu");
    case_free(&c);
}

static void a_control_groups_limit_is_no_slow_disk(void **state)
{
    (void)state;
    struct finding_case c;
    case_new(&c, &local);
    limit_track(c.r, TRACK_CLIENT, TRACK_DISK_READ, "loop0", 4096000, 4194304);
    const struct finding *f = case_says(&c, "disk-cap");
    assert_true(f->at_client);
    assert_says(f->evidence, "throttled, not slow");
    limit_track(c.r, TRACK_CLIENT, TRACK_DISK_READ, "loop0", 4096000, 6e6);
    assert_int_equal(case_says(&c, "near-cap")->weight, FINDING_DOUBTS);
    case_unknown(&c);
    limit_track(c.r, TRACK_CLIENT, TRACK_DISK_READ, "loop0", 4096000, 8388608);
    case_silent(&c, "near-cap");
    case_unknown(&c);
    /* Of 9 MB/s at the device others have the half: our own limit is not reached. */
    limit_track(c.r, TRACK_CLIENT, TRACK_DISK_READ, "loop0", 9e6, 9.2e6);
    limit_counter(c.r, "own_read_bytes", 4.5e6 * LIMIT_SECONDS);
    case_unknown(&c);
    /* By number of ops. */
    limit_track(c.r, TRACK_CLIENT, TRACK_DISK_READS, "loop0", 1200, 1000);
    case_unknown(&c);
    limit_track(c.r, TRACK_CLIENT, TRACK_DISK_READS, "loop0", 1000, 1000);
    case_says(&c, "disk-cap");
    case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_local_disk_is_named_when_the_ops_are_at_it),
        cmocka_unit_test(a_disk_is_not_named_while_processors_are_full),
        cmocka_unit_test(a_control_groups_limit_is_no_slow_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
