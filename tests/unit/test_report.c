/* report.h: what each form prints, to the letter; and what must never be printed. */
#include "report/report.h"

#include "golden/exact.h"
#include "golden/io_by_hand.h"
#include "golden/results_by_hand.h"
#include "result/result_priv.h"

#include <errno.h>

static const struct report_style table = {.format = REPORT_TEXT};
static const struct report_style wide = {.format = REPORT_TEXT, .wide = true};
static const struct report_style classic = {.format = REPORT_TEXT, .classic = true};
static const struct report_style csv = {.format = REPORT_CSV};
static const struct report_style json = {.format = REPORT_JSON};
static const struct report_style md = {.format = REPORT_MD};
static const struct report_style md_wide = {.format = REPORT_MD, .wide = true};
static const struct report_style md_classic = {.format = REPORT_MD, .classic = true};

static void repeats_of_three(struct hand *hand)
{
    for (unsigned i = 0; i < hand->n; i++)
        hand_option(hand->result[i], "repeats", "3");
}

/* Two lengths, three repeats, all in order. Tree times are 100, 102 and 104 ms. */
static void clean_study(struct hand *hand)
{
    static const struct {
        uint64_t length_bytes;
        unsigned passes;
    } row[] = {{2, 10}, {65536, 2}};

    for (unsigned i = 0; i < 2; i++) {
        for (uint64_t repeat = 0; repeat < 3; repeat++)
            hand_tree_write(hand, row[i].length_bytes, row[i].passes, 100000000 + repeat * 2000000);
        for (uint64_t repeat = 0; repeat < 3; repeat++)
            hand_tree_read(hand, row[i].length_bytes, row[i].passes, 50000000, i ? 1 : 0);
    }
    repeats_of_three(hand);
    for (unsigned i = 0; i < hand->n; i++) {
        hand_own(hand->result[i], "overhead_null_op_ns", "38.4");
        hand_own(hand->result[i], "overhead_posix_added_ns", "25.1");
        hand_own(hand->result[i], "overhead_clock_read_ns", "17");
        hand_own(hand->result[i], "at_target_frac", i % 6 < 3 ? "0.8712" : "0.9634");
        hand_own(hand->result[i], "of_null_rate_frac", "0.0123");
        hand_own(hand->result[i], "series_over_total_frac", "1.0000");
        hand_own(hand->result[i], "content_entropy_bits_per_byte", "7.9993");
        assert_int_equal(0, result_fact_put(&hand->result[i]->target_facts, "fs_type", "ext4", ""));
    }
}

static void of_side(struct result *r, unsigned side, unsigned repeat)
{
    char text[16];

    snprintf(text, sizeof text, "%u", side);
    hand_option(r, "side", text);
    snprintf(text, sizeof text, "%u", repeat);
    hand_option(r, "repeat", text);
    free(r->target);
    r->target = strdup(side == 1 ? "/mnt/filer" : side == 2 ? "/mnt/newfiler" : "/mnt/third");
    assert_non_null(r->target);
}

/* Sides that took turns, three repeats: writing B is 10 % faster than A in each pair, while both
 * slow down together; reading all are alike; of the third, one repeat was stopped and one failed. */
static void turns_study(struct hand *hand)
{
    for (unsigned repeat = 1; repeat <= 3; repeat++) {
        uint64_t ns = 100000000 * (uint64_t)repeat;

        of_side(hand_tree_write(hand, 4096, 8, ns), 1, repeat);
        of_side(hand_tree_write(hand, 4096, 9, ns * 10 / 11 + repeat * 100000), 2, repeat);
        struct result *r = hand_tree_write(hand, 4096, 2, ns);
        of_side(r, 3, repeat);
        r->state = repeat == 2 ? RESULT_INCOMPLETE : RESULT_COMPLETE;
    }
    for (unsigned repeat = 1; repeat <= 3; repeat++) {
        of_side(hand_tree_read(hand, 4096, 20, 50000000, 0), 1, repeat);
        of_side(hand_tree_read(hand, 4096, 21, 49000000 + repeat * 500000, 3), 2, repeat);
        of_side(hand_tree_read(hand, 4096, 22, 50000000, 0), 3, repeat);
    }
    hand_error(hand->result[hand->n - 1], "read", "EIO", 1, "t00/d1/f2");
    repeats_of_three(hand);
}

/* Everything that can be wrong with a row, one row each. */
static void troubled_study(struct hand *hand)
{
    struct result *r = hand_tree_write(hand, 1048577, 1, 160000000000);

    r->cache.dirty_known = false;
    assert_int_equal(0, result_fact_put(&r->machine, "build", "not optimised", ""));
    hand_error(r, "write", "ENOSPC", 3, "t00/d1/f2");
    r = hand_tree_write(hand, 4096, 4, 90000000);
    r->state = RESULT_INCOMPLETE;
    hand_set(&r->reason, "stopped by SIGINT");
    hand_error(r, "write", "ENOSPC", 4, "t03/d0/f1");
    r = hand_tree_read(hand, 4096, 4, 9000000, 0);
    r->state = RESULT_VOID;
    r->verified = true;
    hand_set(&r->reason, "t00/d0/f0: byte 512 of a read of 4096 is wrong");
    r = hand_tree_read(hand, 16384, 16, 12345678, 100);
    r->verified = true;
    r = hand_tree_read(hand, 32768, 16, 23456789, 0);
    r->cache.resident_known = r->cache.device_known = false;
    r = hand_tree_read(hand, 65536, 1, 987654321, 0);
    snprintf(r->cache.mode, sizeof r->cache.mode, "ram");
    hand_error(r, "read", "EIO", 1, "t01/\033[31mred");
    hand_own(r, "reap_gap_max_ns", "900000");
    hand_own(r, "samples_lost", "2");
    hand_own(r, "at_target_frac", "0.3344");
    hand_own(r, "of_null_rate_frac", "0.26");
    hand_own(r, "series_over_total_frac", "0.9301");
    assert_int_equal(0, result_fact_put(&r->target_facts, "sample_size_bytes", "4194304", "bytes"));
    assert_int_equal(0,
                     result_fact_put(&r->target_facts, "sample_stored_bytes", "1572864", "bytes"));
    assert_int_equal(0, result_fact_put(&r->counters, "direct_cached_bytes", "352321536", "bytes"));
    assert_int_equal(0, result_fact_put(&r->counters, "direct_set_bytes", "352321536", "bytes"));
    r = hand_tree_read(hand, 3, 16, 700000, 3);
    hand_line(r, "sync", 1, 0, 500000000, 500000000);
    hand_set(&hand->result[0]->target,
             "nfs://filer.example.org/export/with/a/very/long/path/that/does/not/fit/into/one/"
             "line/of/a/terminal");
}

/* A machine and a set-up that left nothing out, in two runs. */
static void disturbed_study(struct hand *hand)
{
    static const char *const happened[][2] = {
        {"suspended_ns", "61000000000"},
        {"clock_step_ns", "-3600000000000"},
        {"machine_steal_ns", "2340000000"},
        {"steal_frac", "0.1234"},
        {"throttled", "12"},
        {"cpu_fastest_khz", "1200000"},
        {"cpu_khz_rounds", "9"},
    };
    static const char *const target[][2] = {
        {"mount_options", "rw,sync,nobarrier"},
        {"fs_compression", "zstd:3"},
        {"device_encryption", "dm-crypt (dm-0)"},
        {"device_thin", "dm-thin (dm-3)"},
    };
    struct result *r = hand_tree_write(hand, 4096, 4, 90000000);

    r = hand_tree_read(hand, 4096, 4, 9000000, 0);
    for (size_t i = 0; i < sizeof happened / sizeof happened[0]; i++)
        assert_int_equal(0, result_fact_put(&r->counters, happened[i][0], happened[i][1], ""));
    for (unsigned run = 0; run < hand->n; run++) {
        r = hand->result[run];
        for (size_t i = 0; i < sizeof target / sizeof target[0]; i++)
            assert_int_equal(0, result_fact_put(&r->target_facts, target[i][0], target[i][1], ""));
        assert_int_equal(0, result_fact_put(&r->machine, "cpu_governor", "powersave", ""));
        assert_int_equal(0, result_fact_put(&r->machine, "cpu_nominal_khz", "2400000", "kHz"));
    }
}

static uint64_t steady_with_a_dip(unsigned interval)
{
    return interval < 5 ? 400 : interval >= 30 && interval < 33 ? 60 : 1000 + interval % 7 * 8;
}

static void closed_io(struct hand *hand)
{
    struct result *r = hand_io(hand, "0");

    hand_line(r, "read", 42000, 42000u * 8192u, 100000, 2000000);
    hand_line(r, "write", 18000, 18000u * 8192u, 50000, 9000000);
    r->bytes = 60000u * 8192u;
    hand_series(r, 130, steady_with_a_dip);
    r->series.width_ns = 500000000;
    hand_slowest(r, 1, 60, 9000000);
    hand_own(r, "at_target_frac", "0.9731");
    snprintf(r->cache.mode, sizeof r->cache.mode, "direct");
    r->cache.applies = r->cache.resident_known = r->cache.device_known = true;
    r->cache.asked_bytes = 1073741824;
    r->cache.resident_bytes = 0;
    r->cache.device_bytes = 42000u * 8192u;
}

static uint64_t a_stall(unsigned interval)
{
    return interval == 5 ? 0 : interval == 6 ? 2000 : interval < 10 ? 1000 : 0;
}

/* 10 s at 1000/s with one second in which nothing was answered; its last two seconds silent. */
static void open_io(struct hand *hand)
{
    struct result *r = hand_io(hand, "1000");
    struct result_line *line = hand_line(r, "read", 8000, 8000u * 8192u, 100000, 900000);

    r->bytes = line->sum.bytes;
    line->open_loop = true;
    hand_samples(&line->sum.response, 8000, 100000, 1000000000);
    hand_series(r, 10, a_stall);
    hand_slowest(r, 0, 6, 1000000000);
    r->elapsed_ns = 12000000000u;
    r->window_open_ns = 0;
    r->window_close_ns = 12000000000u;
    r->arrivals = 12000;
    r->unfinished = 4000;
    hand_samples(&r->lateness, 100, 1000, 120000000);
    r->streams.min_ops = 100;
    r->state = RESULT_INCOMPLETE;
    hand_set(&r->reason, "read of f3 by stream 3 has not returned for 2 s");
    r->cache.applies = true;
    hand_error(r, "read", "ETIMEDOUT", 2, "f3");
}

static void print_exact(const char *name, void (*make)(struct hand *hand),
                        const struct report_style *style)
{
    struct hand hand = {0};
    struct text out;

    make(&hand);
    hand_print(&out, &hand, style);
    exact(name, out.s);
    text_fini(&out);
    hand_free(&hand);
}

static void every_form_to_the_letter(void **state)
{
    (void)state;
    print_exact("tree", clean_study, &table);
    print_exact("tree_wide", clean_study, &wide);
    print_exact("tree_classic", clean_study, &classic);
    print_exact("tree_csv", clean_study, &csv);
    print_exact("disturbed", disturbed_study, &table);
    print_exact("turns", turns_study, &table);
    print_exact("turns_md", turns_study, &md);
    print_exact("turns_wide", turns_study, &wide);
    print_exact("troubled", troubled_study, &table);
    print_exact("troubled_wide", troubled_study, &wide);
    print_exact("troubled_classic", troubled_study, &classic);
    print_exact("io_closed", closed_io, &table);
    print_exact("io_open", open_io, &table);
    print_exact("io_csv", open_io, &csv);
    print_exact("troubled_md", troubled_study, &md);
    print_exact("tree_md_wide", clean_study, &md_wide);
    print_exact("tree_md_classic", clean_study, &md_classic);
    print_exact("io_md", open_io, &md);
}

static void (*const studies[])(struct hand *hand) = {clean_study, troubled_study, disturbed_study,
                                                     closed_io, open_io};
#define STUDIES (sizeof studies / sizeof studies[0])

static unsigned widest(const char *s)
{
    unsigned width = 0, most = 0;

    for (; *s; s++) {
        width = *s == '\n' ? 0 : width + (((unsigned char)*s & 0xc0) != 0x80);
        most = width > most ? width : most;
    }
    return most;
}

static void no_line_is_wider_than_80_columns(void **state)
{
    (void)state;
    for (size_t i = 0; i < STUDIES; i++) {
        struct hand hand = {0};
        struct text out;

        studies[i](&hand);
        hand_print(&out, &hand, &table);
        assert_in_range(widest(out.s), 40, 80);
        text_fini(&out);
        if (strcmp(hand.result[0]->study, "io") != 0) {
            hand_print(&out, &hand, &classic);
            assert_in_range(widest(out.s), 40, 80);
            text_fini(&out);
        }
        hand_free(&hand);
    }
}

/* A file name may hold anything; a terminal must not see it. */
static void no_control_character_is_printed(void **state)
{
    struct hand hand = {0};
    struct text out;

    (void)state;
    troubled_study(&hand);
    hand_set(&hand.result[0]->label, "a\tb\rc\033]0;owned\007");
    hand_print(&out, &hand, &table);
    for (const char *s = out.s; *s; s++)
        assert_true(*s == '\n' || (unsigned char)*s >= 0x20);
    assert_non_null(strstr(out.s, "a?b?c?]0;owned?"));
    text_fini(&out);
    hand_free(&hand);
}

static void check_no_nonsense(const struct hand *hand, const struct report_style *style)
{
    struct text out;

    hand_print(&out, hand, style);
    assert_null(strstr(out.s, "nan"));
    assert_null(strstr(out.s, "inf"));
    assert_null(strstr(out.s, "(null)"));
    text_fini(&out);
}

/* No file, no time, no sample: a missing value is "-", never a division by nothing. */
static void an_empty_result_prints_dashes(void **state)
{
    static const char *const study[][2] = {
        {"dirtest", "write"}, {"dirtest", "read"}, {"readtest", "read"}, {"io", ""}};

    (void)state;
    for (size_t i = 0; i < sizeof study / sizeof study[0]; i++) {
        struct hand hand = {0};

        hand_empty(&hand, study[i][0], study[i][1]);
        check_no_nonsense(&hand, &table);
        check_no_nonsense(&hand, &wide);
        check_no_nonsense(&hand, &csv);
        check_no_nonsense(&hand, &md_wide);
        if (strcmp(study[i][0], "io") != 0)
            check_no_nonsense(&hand, &classic);
        hand_free(&hand);
    }
}

static void stream(struct text *out, const struct hand *hand, const struct report_style *style)
{
    text_init(out);
    report_tree_head(out, hand->result, 3, style);
    for (unsigned i = 0; i < hand->n; i += 3)
        report_tree_row(out, hand->result + i, 3, style);
    report_tree_foot(out, hand->result, hand->n, style);
    assert_false(out->failed);
}

/* A table printed row by row while measuring is the table that is printed later. */
static void rows_as_they_come_make_the_same_report(void **state)
{
    static const struct report_style *const styles[] = {&table, &wide, &classic, &csv,
                                                        &json,  &md,   &md_wide, &md_classic};

    (void)state;
    for (size_t i = 0; i < sizeof styles / sizeof styles[0]; i++) {
        struct hand hand = {0};
        struct text whole, streamed;

        clean_study(&hand);
        hand_print(&whole, &hand, styles[i]);
        stream(&streamed, &hand, styles[i]);
        assert_string_equal(whole.s, streamed.s);
        text_fini(&whole);
        text_fini(&streamed);
        hand_free(&hand);
    }
}

/* Cells of a line of a pipe table; 0 when it is none. */
static unsigned md_cells(const char *line, size_t len)
{
    unsigned cells = 0;

    if (len == 0 || *line != '|')
        return 0;
    for (size_t i = 1; i < len; i++)
        cells += line[i] == '|' && line[i - 1] != '\\';
    assert_int_equal('|', line[len - 1]);
    return cells;
}

static void check_md_tables(const char *s)
{
    unsigned wanted = 0, in_table = 0, tables = 0;
    bool empty = true;

    for (size_t len; *s; s += len + (s[len] == '\n')) {
        len = strcspn(s, "\n");
        unsigned cells = md_cells(s, len);

        if (cells == 0) {
            in_table = 0;
        } else if (in_table++ == 0) {
            assert_true(empty); /* else it would belong to the list above */
            wanted = cells;
            tables++;
        } else {
            assert_int_equal(wanted, cells);
            assert_true(in_table != 2 || strncmp(s, "|:---", 5) == 0 ||
                        strncmp(s, "|---:", 5) == 0);
        }
        empty = len == 0;
    }
    assert_in_range(tables, 1, 100);
}

/* Whatever names hold: every line of a table has the cells of its head. */
static void every_line_of_a_markdown_table_has_the_cells_of_its_head(void **state)
{
    static const struct report_style *const styles[] = {&md, &md_wide, &md_classic};

    (void)state;
    for (size_t i = 0; i < STUDIES * 3; i++) {
        struct hand hand = {0};
        struct text out;
        const struct report_style *style = styles[i % 3];

        studies[i / 3](&hand);
        hand_set(&hand.result[0]->label, "a|b`c\n| d\\");
        snprintf(hand.result[0]->phase, sizeof hand.result[0]->phase, "wr|ite");
        if (style->classic && strcmp(hand.result[0]->study, "io") == 0)
            style = &md;
        hand_print(&out, &hand, style);
        check_md_tables(out.s);
        text_fini(&out);
        hand_free(&hand);
    }
}

static void json_is_an_array_of_the_sealed_documents(void **state)
{
    struct hand hand = {0};
    struct err err = {0};
    struct text out, wanted;

    (void)state;
    clean_study(&hand);
    text_init(&wanted);
    for (unsigned i = 0; i < hand.n; i++) {
        char *document = NULL;

        assert_int_equal(0, result_seal(hand.result[i], &document, &err));
        text_addf(&wanted, "%s%s", i ? ",\n" : "[\n", document);
        free(document);
    }
    text_add(&wanted, "\n]\n");
    hand_print(&out, &hand, &json);
    assert_string_equal(wanted.s, out.s);
    text_fini(&wanted);
    text_fini(&out);
    hand_free(&hand);
}

/* A document that is laid out otherwise has the same seal and other letters; it was written anew. */
static void a_document_that_was_read_is_printed_to_the_letter(void **state)
{
    struct hand hand = {0};
    struct err err = {0};
    struct text out, wanted;
    char *document = NULL;
    struct result *r = NULL;

    (void)state;
    closed_io(&hand);
    assert_int_equal(0, result_seal(hand.result[0], &document, &err));
    hand_free(&hand);
    text_init(&wanted);
    text_addf(&wanted, "{ %s", document + 1);
    assert_int_equal(0, result_parse(wanted.s, wanted.len, &r, &err));
    hand.result[hand.n++] = r;
    hand_print(&out, &hand, &json);
    assert_non_null(strstr(out.s, wanted.s));
    text_fini(&out);
    text_fini(&wanted);
    free(document);
    hand_free(&hand);
}

/* Sealed by a loadline of the same schema whose documents had no p99.99: it was called changed. */
static void an_older_document_is_not_called_changed(void **state)
{
    struct hand hand = {0};
    struct err err = {0};
    struct text out;
    char seal[65];
    char *document = NULL;
    struct result *r = NULL;
    json_t *doc, *line;
    size_t i;

    (void)state;
    closed_io(&hand);
    assert_int_equal(0, result_seal(hand.result[0], &document, &err));
    hand_free(&hand);
    doc = json_loads(document, 0, NULL);
    free(document);
    json_array_foreach(json_object_get(doc, "lines"), i, line)
        json_object_del(json_object_get(json_object_get(line, "derived"), "service"), "p9999_ns");
    json_object_del(doc, "seal");
    assert_int_equal(0, result_seal_of(doc, seal, &err));
    json_object_set_new(doc, "seal", json_string(seal));
    document = json_dumps(doc, JSON_COMPACT);
    json_decref(doc);
    if (result_parse(document, strlen(document), &r, &err) < 0)
        fail_msg("%s", err.text);
    hand.result[hand.n++] = r;
    hand_print(&out, &hand, &json);
    assert_non_null(strstr(out.s, document));
    text_fini(&out);
    free(document);
    hand_free(&hand);
}

static void a_result_changed_after_its_seal_is_refused(void **state)
{
    struct hand hand = {0};
    struct err err = {0};
    struct text out;
    char *document = NULL;

    (void)state;
    closed_io(&hand);
    assert_int_equal(0, result_seal(hand.result[0], &document, &err));
    free(document);
    hand.result[0]->line[0].sum.ops++;
    text_init(&out);
    assert_int_equal(-EBADMSG, report_study(&out, hand.result, 1, &json, &err));
    assert_non_null(strstr(err.text, "m4qx.1"));
    text_fini(&out);
    hand_free(&hand);
}

/* Counts the fields of each record, as RFC 4180 reads them. Returns the number of records; fails
 * when a record has another number of fields than the first. */
static unsigned csv_records(const char *s)
{
    unsigned records = 0, fields = 1, wanted = 0;
    bool quoted = false;

    for (; *s; s++) {
        if (*s == '"')
            quoted = !quoted;
        else if (!quoted && *s == ',')
            fields++;
        if (quoted || *s != '\n')
            continue;
        if (records++ == 0)
            wanted = fields;
        assert_int_equal(wanted, fields);
        fields = 1;
    }
    assert_false(quoted);
    return records;
}

static void csv_has_one_record_a_line_and_quotes_what_must_be(void **state)
{
    struct hand hand = {0};
    struct text out;

    (void)state;
    closed_io(&hand);
    hand_set(&hand.result[0]->target, "/a,b/\"c\"\nd");
    hand_set(&hand.result[0]->label, "");
    hand_print(&out, &hand, &csv);
    assert_int_equal(1 + hand.result[0]->lines, csv_records(out.s));
    assert_non_null(strstr(out.s, ",\"/a,b/\"\"c\"\"\\x0ad\","));
    text_fini(&out);
    hand_free(&hand);
    hand_empty(&hand, "io", "");
    hand_print(&out, &hand, &csv);
    assert_int_equal(2, csv_records(out.s));
    text_fini(&out);
    hand_free(&hand);
}

static void what_does_not_belong_together_is_refused(void **state)
{
    struct hand hand = {0};
    struct err err = {0};
    struct text out;

    (void)state;
    text_init(&out);
    assert_int_equal(-EINVAL, report_study(&out, hand.result, 0, &table, &err));
    closed_io(&hand);
    assert_int_equal(-EINVAL, report_study(&out, hand.result, 1, &classic, &err));
    assert_non_null(strstr(err.text, "dirtest and readtest"));
    hand_tree_write(&hand, 2, 1, 1000);
    assert_int_equal(-EINVAL, report_study(&out, hand.result, 2, &table, &err));
    assert_non_null(strstr(err.text, "m4qx and k7d2"));
    assert_string_equal("", out.s);
    text_fini(&out);
    hand_free(&hand);
}

static void the_suffix_says_the_format(void **state)
{
    enum report_format format = REPORT_CSV;
    struct err err = {0};

    (void)state;
    assert_int_equal(0, report_format_of("a.b/out.txt", &format, &err));
    assert_int_equal(REPORT_TEXT, format);
    assert_int_equal(0, report_format_of("out.json", &format, &err));
    assert_int_equal(REPORT_JSON, format);
    assert_int_equal(0, report_format_of("OUT.CSV", &format, &err));
    assert_int_equal(REPORT_CSV, format);
    format = REPORT_TEXT;
    assert_int_equal(-EINVAL, report_format_of("dir.csv/out", &format, &err));
    assert_int_equal(-EINVAL, report_format_of("out.xml", &format, &err));
    assert_non_null(strstr(err.text, "out.xml"));
    assert_non_null(strstr(err.text, ".txt, .json, .csv or .md"));
    assert_int_equal(REPORT_TEXT, format);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_to_the_letter),
        cmocka_unit_test(no_line_is_wider_than_80_columns),
        cmocka_unit_test(no_control_character_is_printed),
        cmocka_unit_test(an_empty_result_prints_dashes),
        cmocka_unit_test(rows_as_they_come_make_the_same_report),
        cmocka_unit_test(every_line_of_a_markdown_table_has_the_cells_of_its_head),
        cmocka_unit_test(json_is_an_array_of_the_sealed_documents),
        cmocka_unit_test(a_document_that_was_read_is_printed_to_the_letter),
        cmocka_unit_test(an_older_document_is_not_called_changed),
        cmocka_unit_test(a_result_changed_after_its_seal_is_refused),
        cmocka_unit_test(csv_has_one_record_a_line_and_quotes_what_must_be),
        cmocka_unit_test(what_does_not_belong_together_is_refused),
        cmocka_unit_test(the_suffix_says_the_format),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
