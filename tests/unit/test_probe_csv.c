/* appliance_priv.h and the source of series: which tables are accepted, and that a window gets the rows of its own time. */
#include "probe/appliance_priv.h"
#include "probe/probe_priv.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define S_NS 1000000000ll

static int64_t wall(const char *text)
{
    struct err err = {0};
    int64_t ns = 0;

    if (csv_time_parse(text, &ns, &err) < 0)
        fail_msg("%s", err.text);
    return ns;
}

static void times_are_read_in_every_accepted_form(void **state)
{
    (void)state;
    const int64_t noon_ns = 1796126400ll * S_NS;

    assert_int_equal(wall("2026-12-01T12:00:00Z"), noon_ns);
    assert_int_equal(wall("2026-12-01 12:00:00"), noon_ns);
    assert_int_equal(wall("2026-12-01T12:00:00.25 UTC"), noon_ns + S_NS / 4);
    assert_int_equal(wall("2026-12-01T13:30:00+01:30"), noon_ns);
    assert_int_equal(wall("2026-12-01T07:00:00-05:00"), noon_ns);
    assert_int_equal(wall("1796126400"), noon_ns);
    assert_int_equal(wall("1796126400.000000001"), noon_ns + 1);
    static const char *const wrong[] = {"9612640050",
                                        "",
                                        "noon",
                                        "2026-12-01",
                                        "2026-12-01T12:00",
                                        "2026-13-01T12:00:00",
                                        "2026-12-01T12:00:00 CET",
                                        "2026-12-01T12:00:00+1",
                                        "12.5.2026",
                                        "99999999999",
                                        "-5"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        int64_t ns;
        if (csv_time_parse(wrong[i], &ns, NULL) != -EINVAL)
            fail_msg("\"%s\" is accepted", wrong[i]);
    }
}

static void a_header_says_of_which_track_each_column_is(void **state)
{
    (void)state;
    char line[] = "time, cpu:0 ,nic-out:igb0=1.25e9,\"rpc-calls\"\r";
    struct csv_table table;
    struct err err = {0};

    if (csv_header_parse(line, &table, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(table.n, 3);
    assert_int_equal(table.column[0].kind, TRACK_CPU);
    assert_string_equal(table.column[0].name, "0");
    assert_int_equal(table.column[1].kind, TRACK_NIC_OUT);
    assert_string_equal(table.column[1].name, "igb0");
    assert_true(table.column[1].capacity == 1.25e9);
    assert_string_equal(table.column[2].name, "");
}

/* A path of a file with that text; gone with the next one. */
static const char *file_of(const char *text)
{
    static char path[] = "/tmp/loadline_csv_XXXXXX";
    static bool made;
    int fd = made ? -1 : mkstemp(path);

    made = true;
    if (fd >= 0)
        close(fd);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    return path;
}

static void what_is_no_table_is_refused_with_its_line(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *words;
    } wrong[] = {
        {"", "there is nothing in it"},
        {"date,cpu:0\n", ":1: the first line is no header"},
        {"time\n", ":1: there is no column beside the time"},
        {"time,cpo:0\n", ":1: a column \"cpo\" is not known; did you mean cpu?"},
        {"time,cpu:0,cpu:0\n", ":1: the column cpu:0 comes twice"},
        {"time,cpu:0=x\n", ":1: a capacity \"x\" is no number above 0"},
        {"# ahead never\ntime,cpu:0\n", ":1: \"never\" is no time that a clock is ahead"},
        {"time,cpu:0\nnoon,1\n", ":2: \"noon\" is no time"},
        {"time,cpu:0\n100,1\n100,1\n", ":3: the time is not after that of the row before"},
        {"time,cpu:0\n100\n", ":2: 0 values, and the header has 1"},
        {"time,cpu:0\n100,1,2\n", ":2: more values than the header's 1"},
        {"time,cpu:0\n100,-1\n", ":2: \"-1\" is no number from 0 on"},
        {"time,cpu:0\n100,busy\n", ":2: \"busy\" is no number from 0 on"},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct probe_source source;
        struct err err = {0};

        assert_int_equal(source_csv_open(file_of(wrong[i].text), &source, &err), -EINVAL);
        if (strstr(err.text, wrong[i].words) == NULL)
            fail_msg("%s: %s", wrong[i].text, err.text);
    }
    struct probe_source source;
    assert_int_equal(source_csv_open("/nonexistent/series.csv", &source, NULL), -ENOENT);
}

/* As the source does it; the test's clock may be set meanwhile by a little. */
static uint64_t mono_of(int64_t wall_ns)
{
    struct timespec mono, now;

    clock_gettime(CLOCK_MONOTONIC, &mono);
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)(wall_ns + (mono.tv_sec - now.tv_sec) * S_NS + mono.tv_nsec - now.tv_nsec);
}

/* Ten rows, a second apart, of a clock that is an hour ahead; the last one is still being written. */
static const char *rows_from(int64_t wall_s)
{
    char text[1000];
    size_t used =
        (size_t)snprintf(text, sizeof text, "# ahead 1h\n# exported\ntime,cpu:0,nic-out:e0=1000\n");

    for (int i = 0; i < 10; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%lld,%d%%,%s\n",
                                 (long long)wall_s + 3600 + i, 10 * i, i == 5 ? "" : "500");
    snprintf(text + used, sizeof text - used, "%lld,1", (long long)wall_s + 3610);
    return file_of(text);
}

static void a_window_gets_the_rows_of_its_time(void **state)
{
    (void)state;
    int64_t wall_s = time(NULL) - 60;
    struct probe_source source;
    struct err err = {0};
    struct looks looks;
    struct tracks tracks = {0};
    uint64_t from_ns = mono_of(wall_s * S_NS) + 2 * S_NS, to_ns = from_ns + 4 * S_NS;

    if (source_csv_open(rows_from(wall_s), &source, &err) < 0)
        fail_msg("%s", err.text);
    looks_init(&looks, 0);
    if (source.recall(source.ctx, from_ns, to_ns, &looks, &err) < 0)
        fail_msg("%s", err.text);
    assert_in_range(looks.period_ns, S_NS - S_NS / 100, S_NS + S_NS / 100);
    struct look_window window = {
        .from_ns = from_ns, .to_ns = to_ns, .zero_ns = from_ns, .values = 4};
    assert_int_equal(looks_between(&looks, &window, &tracks), 0);
    const struct track *cpu = tracks_find(&tracks, TRACK_SERVER, TRACK_CPU, "0");
    const struct track *nic = tracks_find(&tracks, TRACK_SERVER, TRACK_NIC_OUT, "e0");
    assert_non_null(cpu);
    assert_non_null(nic);
    assert_true(fabs(cpu->mean - 0.4) < 0.01); /* from 20 % to 60 % */
    assert_true(nic->capacity == 1000 && fabs(nic->mean - 500) < 1);
    tracks_fini(&tracks);
    looks_fini(&looks);
    source.close(source.ctx);
}

static void a_window_of_another_time_has_no_rows(void **state)
{
    (void)state;
    int64_t wall_s = time(NULL) - 60;
    struct probe_source source;
    struct err err = {0};
    struct looks looks;
    uint64_t from_ns = mono_of(wall_s * S_NS) + 30 * S_NS;

    assert_int_equal(source_csv_open(rows_from(wall_s), &source, &err), 0);
    looks_init(&looks, 0);
    assert_int_equal(source.recall(source.ctx, from_ns, from_ns + 5 * S_NS, &looks, &err),
                     -ENODATA);
    assert_non_null(strstr(err.text, "no two rows in the window"));
    looks_fini(&looks);
    source.close(source.ctx);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(file_of(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_read_in_every_accepted_form),
        cmocka_unit_test(a_header_says_of_which_track_each_column_is),
        cmocka_unit_test(what_is_no_table_is_refused_with_its_line),
        cmocka_unit_test(a_window_gets_the_rows_of_its_time),
        cmocka_unit_test(a_window_of_another_time_has_no_rows),
    };
    alarm(60);
    return cmocka_run_group_tests(tests, NULL, remove_file);
}
