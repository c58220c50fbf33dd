/* study_run_priv.h, study_watch.c: what is seen of a run at its window's edges, over a tree like /proc. What was
 * wrong: what was read while a command of --hook-start ran was missing from the device's bytes, a command of
 * --hook-end lay in the window of the tracks, and a counter that went back was a difference of 18 EB. */
#include "probe/probe.h"
#include "study/study_priv.h"
#include "unit/fake_machine.h"

#include <math.h>

struct rig {
    struct fake_machine fake;
    struct study_common common;
    struct study_sink sink;
    struct study study;
    struct plan plan;
    struct study_run run;
    struct engine_fact device;
    struct engine_outcome out;
    char hooks[16];
    uint64_t close_ns_at_end;
};

/* `kib` of each read since the machine began, twice as much written, and 1 KiB a segment sent. */
static void put_counters(const struct rig *rig, unsigned kib)
{
    char text[256];
    snprintf(text, sizeof text,
             "rchar: 7\nread_bytes: %u\nwrite_bytes: %u\ncancelled_write_bytes: 99\n", kib * 1024,
             kib * 2048);
    tree_file(&rig->fake.proc, "self/io", text);
    snprintf(text, sizeof text,
             "   8       0 sda 9 9 999 9 9 9 999 9 0 9 9\n"
             "   8       1 sda1 1 0 %u 3 4 5 %u 7 0 9 9\n",
             kib * 2, kib * 4);
    tree_file(&rig->fake.proc, "diskstats", text);
    snprintf(text, sizeof text, "Tcp: OutSegs RetransSegs\nTcp: %u 0\n", kib);
    tree_file(&rig->fake.proc, "net/snmp", text);
}

/* A command beside which the load goes on, and one behind it that reads for itself. */
static void on_hook(void *ctx, const char *command)
{
    struct rig *rig = ctx;
    rig->hooks[strlen(rig->hooks)] = command[0];
    rig->close_ns_at_end = rig->run.watch.close_ns;
    put_counters(rig, strcmp(command, "a") == 0 ? 300 : 5000);
}

static int open_rig(void **state)
{
    struct rig *rig = calloc(1, sizeof *rig);
    struct err err;
    assert_non_null(rig);
    fake_machine_open(&rig->fake);
    put_counters(rig, 100);
    rig->device = (struct engine_fact){.key = "device_name", .value = "sda1", .unit = ""};
    rig->common =
        (struct study_common){.view = &rig->fake.view, .hook_start = "a", .hook_end = "b"};
    rig->sink = (struct study_sink){.hook = on_hook, .ctx = rig};
    rig->study = (struct study){.common = &rig->common, .sink = &rig->sink, .measured = &rig->run};
    rig->run.plan = &rig->plan;
    rig->run.sum.facts = (struct engine_facts){.n = 1, .fact = &rig->device};
    assert_int_equal(study_watch_begin(&rig->study, &err), 0);
    *state = rig;
    return 0;
}

static int close_rig(void **state)
{
    struct rig *rig = *state;
    study_watch_end(&rig->study);
    study_watch_fini(&rig->run.watch);
    fake_machine_close(&rig->fake);
    free(rig);
    return 0;
}

static void pass(struct rig *rig, unsigned kib_at_close)
{
    struct err err;
    study_watch_edge(&rig->study, true);
    put_counters(rig, kib_at_close);
    study_watch_edge(&rig->study, false);
    assert_int_equal(study_watch_done(&rig->study, &rig->run, &rig->plan, &rig->out, &err), 0);
}

static double fact(struct rig *rig, const char *key)
{
    struct result *r = result_new();
    assert_non_null(r);
    struct fact_pen pen = {.facts = &r->counters};
    study_watch_facts(&rig->study, &rig->run, &pen);
    assert_int_equal(pen.rc, 0);
    double number = result_fact_number(&r->counters, key, NAN);
    result_free(r);
    return number;
}

static void what_is_moved_beside_the_first_hook_counts_and_beside_the_last_does_not(void **state)
{
    struct rig *rig = *state;
    pass(rig, 1100);
    assert_string_equal(rig->hooks, "ab");
    assert_true(fact(rig, "own_read_bytes") == 1000 * 1024);
    assert_true(fact(rig, "own_write_bytes") == 1000 * 2048);
    assert_true(fact(rig, "device_read_bytes") == 1000 * 1024);
    assert_true(fact(rig, "device_write_bytes") == 1000 * 2048);
}

static void the_last_hook_is_behind_the_window_of_the_tracks(void **state)
{
    struct rig *rig = *state;
    pass(rig, 1100);
    assert_true(rig->close_ns_at_end > 0 && rig->close_ns_at_end == rig->run.watch.close_ns);
    const struct track *sent =
        tracks_find(&rig->run.watch.tracks, TRACK_CLIENT, TRACK_TCP_SENT, "");
    assert_non_null(sent);
    double seconds = (double)(rig->run.watch.close_ns - rig->run.watch.open_ns) / 1e9;
    assert_true(sent->mean * seconds > 900); /* the edges of looks lie a little inside */
}

static void counters_that_went_back_are_not_known(void **state)
{
    struct rig *rig = *state;
    pass(rig, 50);
    assert_true(isnan(fact(rig, "own_read_bytes")) && isnan(fact(rig, "own_write_bytes")));
    assert_true(isnan(fact(rig, "device_read_bytes")) && isnan(fact(rig, "device_write_bytes")));
}

static void a_device_that_is_not_told_of_has_no_bytes(void **state)
{
    struct rig *rig = *state;
    rig->device.value = "sdb";
    pass(rig, 1100);
    assert_true(isnan(fact(rig, "device_read_bytes")));
    assert_true(fact(rig, "own_read_bytes") == 1000 * 1024);
}

static void a_pass_whose_window_never_opened_has_nothing_of_the_one_before(void **state)
{
    struct rig *rig = *state;
    struct err err;
    pass(rig, 1100);
    assert_true(rig->run.watch.tracks.n > 0);
    study_watch_fini(&rig->run.watch);
    assert_int_equal(study_watch_done(&rig->study, &rig->run, &rig->plan, &rig->out, &err), 0);
    assert_int_equal(rig->run.watch.tracks.n, 0);
    assert_true(isnan(fact(rig, "own_read_bytes")) && isnan(fact(rig, "device_read_bytes")));
}

static void a_model_whose_window_never_opened_has_no_tracks(void **state)
{
    struct rig *rig = *state;
    struct engine_fact metric = {.key = "node_zfs_arc_hits", .value = "7", .unit = ""};
    struct err err;
    study_watch_end(&rig->study);
    rig->study.caps.own_clock = true;
    rig->common.model_metrics = true;
    rig->out.metrics_close = (struct engine_facts){.n = 1, .fact = &metric};
    assert_int_equal(study_watch_begin(&rig->study, &err), 0);
    assert_null(rig->study.watch.probe);
    assert_int_equal(study_watch_done(&rig->study, &rig->run, &rig->plan, &rig->out, &err), 0);
    assert_int_equal(rig->run.watch.tracks.n, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_rig, close_rig)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_moved_beside_the_first_hook_counts_and_beside_the_last_does_not),
        TEST(the_last_hook_is_behind_the_window_of_the_tracks),
        TEST(counters_that_went_back_are_not_known),
        TEST(a_device_that_is_not_told_of_has_no_bytes),
        TEST(a_pass_whose_window_never_opened_has_nothing_of_the_one_before),
        TEST(a_model_whose_window_never_opened_has_no_tracks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
