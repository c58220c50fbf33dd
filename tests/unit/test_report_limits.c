/* The ladder of ceilings as it is printed: from ceilings made by hand, so that no rule of the verdict is in it. */
#include "golden/exact.h"
#include "report/limits_report_priv.h"
#include "unit/limits_by_hand.h"

#include <math.h>

#define GIB 1073741824.0

static struct finding client_core = {.rule = "client-core",
                                     .weight = FINDING_LIMITS,
                                     .at_client = true,
                                     .use_frac = 0.998,
                                     .words = "core 3 of this machine",
                                     .evidence = "99.8 % busy, mean of 5 s",
                                     .advice = "more clients"};
static struct finding server_nic = {.rule = "server-nic",
                                    .weight = FINDING_LIMITS,
                                    .use_frac = 0.99,
                                    .words = "server port0 at line rate",
                                    .evidence = "1.15 of 1.16 GiB/s out"};
static const struct finding sparse = {.rule = "sparse",
                                      .weight = FINDING_DOUBTS,
                                      .words = "the files are sparse",
                                      .evidence = "2 % of their bytes are stored"};

static struct ceiling found(const char *protocol, const char *row, enum ceiling_metric metric,
                            double value)
{
    struct ceiling c = {
        .metric = metric,
        .value = value,
        .half = value / 200,
        .finals = 5,
        .knee_streams = 16,
        .top_streams = 32,
        .most_streams = 128,
        .latency = {.p5_ns = 130000, .p50_ns = 163000, .p95_ns = 255000, .p99_ns = 1280000},
        .place_frac = NAN};
    snprintf(c.row, sizeof c.row, "%s", row);
    snprintf(c.protocol, sizeof c.protocol, "%s", protocol);
    return c;
}

static void put_place(struct ceiling *c, const char *place, double frac, const char *proof)
{
    snprintf(c->place, sizeof c->place, "%s", place);
    snprintf(c->proof, sizeof c->proof, "%s", proof);
    c->place_frac = frac;
}

/* One of each state. */
static unsigned make_local(struct ceiling c[7])
{
    c[0] = found("local", "stream-read-cache", CEILING_BYTES, 9.81 * GIB);
    put_place(&c[0], "page cache, this machine", 1, "device bytes 0.0 %");
    c[0].limiter = &client_core;
    c[1] = found("local", "stream-write-disk", CEILING_BYTES, 480e6);
    put_place(&c[1], "disk", 0.996, "device bytes 99.6 %");
    c[1].finding[c[1].findings++] = sparse;
    c[2] = found("local", "read-1b-cache", CEILING_OPS, 1234567);
    c[2].state = CEILING_RISING;
    c[3] = found("local", "read-4k-disk", CEILING_OPS, 412000);
    c[3].state = CEILING_NOT_PROVEN;
    put_place(&c[3], "disk", 0.84, "from this machine's memory 15.6 %");
    snprintf(c[3].why, sizeof c[3].why, "from this machine's memory 15.6 %%");
    c[4] = found("local", "write-512-sync", CEILING_LATENCY, 163000);
    c[4].top_streams = c[4].knee_streams = 1;
    c[4].latency.modes = 2;
    c[4].latency.mode_ns[0] = 140000;
    c[4].latency.mode_ns[1] = 210000;
    c[5] = found("local", "read-512-flash", CEILING_LATENCY, NAN);
    c[5].state = CEILING_SKIPPED;
    snprintf(c[5].why, sizeof c[5].why, "give --server-flash");
    c[6] = found("local", "stat", CEILING_OPS, NAN);
    c[6].state = CEILING_NOT_APPLICABLE;
    snprintf(c[6].why, sizeof c[6].why, "it has no names");
    return 7;
}

static unsigned make_sides(struct ceiling c[5])
{
    c[0] = found("nfs", "stream-read-cache", CEILING_BYTES, 1.91 * GIB);
    c[1] = found("nfs", "read-512-flash", CEILING_LATENCY, 163000);
    c[2] = found("nfs", "stream-read-cache", CEILING_BYTES, 3.30 * GIB);
    c[3] = found("nfs", "read-4k-cache", CEILING_OPS, 404100);
    c[4] = found("nfs-rdma", "stream-read-disk", CEILING_BYTES, 2.10 * GIB);
    for (unsigned i = 2; i < 5; i++)
        c[i].target = 1;
    c[2].limiter = &server_nic;
    return 5;
}

typedef void printer(struct text *out, const struct limits_view *v);

/* Prints and compares; `published`: names, one a target. */
static void print(const char *name, printer *how, unsigned width, struct ceiling *row, unsigned n,
                  const char *const *published, unsigned targets)
{
    static const struct limit_row any = {"nfs", "read-4k-cache", "ops", "cache", "read", 4096};
    char *target[] = {(char[]){"nfs://filer/a"}, (char[]){"nfs://filer/b"}};
    struct ceilings c = {.targets = targets, .target = target, .n = n, .row = row, .at_client = 1};
    struct side s = {0};
    struct text out;

    limit_add(&s, &any, "final", 16, 1000);
    struct limits_view v = {.c = &c, .results = s.result, .n = s.n, .width = width};
    for (unsigned i = 0; i < targets && published; i++) {
        v.published[i] = malloc(sizeof *v.published[i]);
        assert_non_null(v.published[i]);
        assert_true(limits_published_find(published[i], v.published[i]));
    }
    text_init(&out);
    how(&out, &v);
    assert_false(out.failed);
    exact(name, out.s);
    for (unsigned i = 0; i < LIMITS_SIDES_MAX; i++)
        free(v.published[i]);
    text_fini(&out);
    side_free(&s);
}

static void table_and_details(struct text *out, const struct limits_view *v)
{
    limits_table(out, v);
    limits_details(out, v);
}

static void one_target_to_the_letter(void **state)
{
    struct ceiling c[7];
    unsigned n = make_local(c);

    (void)state;
    print("limits_one", table_and_details, REPORT_WIDTH, c, n, NULL, 1);
    print("limits_one_md", table_and_details, REPORT_MD_SHORT, c, n, NULL, 1);
    print("limits_one_csv", limits_csv, REPORT_WIDTH, c, n, NULL, 1);
    print("limits_quick", limits_quick, REPORT_WIDTH, c, 4, NULL, 1);
}

static void published_stands_beside(void **state)
{
    static const char *const names[] = {"2009-barcelona", "2009-istanbul"};
    struct ceiling c[5];
    unsigned n = make_sides(c);

    (void)state;
    print("limits_published", table_and_details, REPORT_WIDTH, c, 2, names, 1);
    print("limits_sides_published", table_and_details, REPORT_WIDTH, c, n, names, 2);
    print("limits_sides", table_and_details, REPORT_WIDTH, c, n, NULL, 2);
}

static void a_band_is_as_far_off_as_its_worse_end(void **state)
{
    const struct limits_published_row row = {.low = 100000, .high = 250000};
    struct ceiling c = found("nfs", "read-512-flash", CEILING_LATENCY, 163000);

    (void)state;
    assert_true(fabs(limits_off_frac(&row, &c) - 0.30) < 1e-9);
    c.latency.p5_ns = 101000;
    c.latency.p95_ns = 200000;
    assert_true(fabs(limits_off_frac(&row, &c) + 0.20) < 1e-9);
    c.state = CEILING_SKIPPED;
    assert_true(isnan(limits_off_frac(&row, &c)));
    assert_true(isnan(limits_off_frac(NULL, &c)));
}

static void what_stopped_at_this_client_is_a_lower_bound(void **state)
{
    char cell[CELL_MAX];
    struct ceiling c = found("nfs", "read-4k-cache", CEILING_OPS, 506000);

    (void)state;
    assert_string_equal(limits_cell_of(cell, &c), "506,000/s");
    c.limiter = &client_core;
    assert_string_equal(limits_cell_of(cell, &c), ">506,000/s");
    c.limiter = &server_nic;
    assert_string_equal(limits_cell_of(cell, &c), "506,000/s");
    c.state = CEILING_RISING;
    assert_string_equal(limits_cell_of(cell, &c), ">506,000/s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_target_to_the_letter),
        cmocka_unit_test(published_stands_beside),
        cmocka_unit_test(a_band_is_as_far_off_as_its_worse_end),
        cmocka_unit_test(what_stopped_at_this_client_is_a_lower_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
