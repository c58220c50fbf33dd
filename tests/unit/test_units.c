/* units.h: what people write becomes exactly the number they mean, and back; the rest is refused in
 * words. */
#include "base/units.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

struct accepted {
    const char *text;
    uint64_t value;
};

typedef int parser(const char *text, uint64_t *out, struct err *err);

static void accepts(parser *parse, const struct accepted *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct err err = {0};
        uint64_t value = 77;
        if (parse(cases[i].text, &value, &err) != 0) {
            fail_msg("\"%s\": %s", cases[i].text, err.text);
        }
        if (value != cases[i].value) {
            fail_msg("\"%s\" became %llu", cases[i].text, (unsigned long long)value);
        }
        assert_int_equal(err.code, 0);
    }
}

/* Each text is refused with `code`, named in the words, and leaves the number alone. */
static void refuses(parser *parse, int code, const char *const *texts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct err err = {0};
        uint64_t value = 77;
        if (parse(texts[i], &value, &err) != code) {
            fail_msg("\"%s\" was not refused with %s", texts[i], err_name(code));
        }
        assert_int_equal(value, 77);
        assert_int_equal(err.code, code);
        assert_non_null(strstr(err.text, texts[i]));
        assert_non_null(strstr(err.text, "give "));
    }
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void bytes_are_binary_unless_spelt_decimal(void **state)
{
    (void)state;
    static const struct accepted cases[] = {
        {"0", 0},
        {"1", 1},
        {"4096", 4096},
        {"2B", 2},
        {"8k", 8192},
        {"8K", 8192},
        {"8KiB", 8192},
        {"8KB", 8000},
        {"1.5m", 1572864},
        {"1.5 MiB", 1572864},
        {"1.5MB", 1500000},
        {"2g", 2147483648},
        {"2GiB", 2147483648},
        {"2GB", 2000000000},
        {"3t", 3298534883328},
        {"3TiB", 3298534883328},
        {"3TB", 3000000000000},
        {"1536k", 1572864},
    };
    accepts(units_parse_bytes, cases, COUNT(cases));
}

static void fractions_round_to_the_nearest_byte(void **state)
{
    (void)state;
    static const struct accepted cases[] = {
        {"0.1k", 102},  /* 102.4 */
        {"0.7k", 717},  /* 716.8 */
        {"0.0005k", 1}, /* 0.512 */
        {"0.0k", 0},    {"1.000000000000000001k", 1024},
    };
    accepts(units_parse_bytes, cases, COUNT(cases));
}

static void the_largest_size_is_the_largest_number(void **state)
{
    (void)state;
    static const struct accepted cases[] = {
        {"18446744073709551615", UINT64_MAX},
        {"16777215t", 18446742974197923840u},
    };
    static const char *const too_large[] = {
        "18446744073709551616",       "99999999999999999999999", "16777216t",
        "16777215.9999999999999999t", "18446744073709552KB",
    };
    accepts(units_parse_bytes, cases, COUNT(cases));
    refuses(units_parse_bytes, -ERANGE, too_large, COUNT(too_large));
}

static void what_is_no_size_is_refused_in_words(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",      " ",   "-1",    "+1",   "k",       ".5k",
        "1.k",   "1.5", "1.5B1", "8kb",  "8kB",     "8 ",
        "8  k",  " 8k", "8k ",   "0x10", "1e3",     "1.2.3k",
        "8q",    "8ki", "8Ki",   "8kk",  "8k4",     "1,5m",
        "1_000", "8s",  "ten",   "0.1B", "0.0001k", "0.1234567890123456789k",
    };
    refuses(units_parse_bytes, -EINVAL, texts, COUNT(texts));
}

static void times_have_units_and_bare_numbers_are_seconds(void **state)
{
    (void)state;
    static const struct accepted cases[] = {
        {"60", 60000000000},
        {"0", 0},
        {"1ns", 1},
        {"1us", 1000},
        {"250ms", 250000000},
        {"0.1s", 100000000},
        {"1.5 s", 1500000000},
        {"5m", 300000000000},
        {"1.5h", 5400000000000},
        {"2d", 172800000000000},
        {"0.000000001s", 1},
    };
    static const char *const not_times[] = {
        "", "-1s", "1.5", "5min", "5sec", "5S", "5k", "1m30s", "0.1ns", "s", "1e3",
    };
    static const char *const too_large[] = {"18446744074", "600000d"};
    accepts(units_parse_ns, cases, COUNT(cases));
    refuses(units_parse_ns, -EINVAL, not_times, COUNT(not_times));
    refuses(units_parse_ns, -ERANGE, too_large, COUNT(too_large));
}

static void counts_are_plain_digits(void **state)
{
    (void)state;
    static const struct accepted cases[] = {
        {"0", 0},
        {"16", 16},
        {"007", 7},
        {"18446744073709551615", UINT64_MAX},
    };
    static const char *const not_counts[] = {"", "-16", "16k", "1.5", "16.0", "sixteen", "16 "};
    static const char *const too_large[] = {"18446744073709551616"};
    accepts(units_parse_count, cases, COUNT(cases));
    refuses(units_parse_count, -EINVAL, not_counts, COUNT(not_counts));
    refuses(units_parse_count, -ERANGE, too_large, COUNT(too_large));
}

static void rates_are_per_second_and_decimal(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double per_s;
    } cases[] = {
        {"5000/s", 5000}, {"5k/s", 5000}, {"2.5k/s", 2500}, {"1m/s", 1e6},
        {"1g/s", 1e9},    {"300/min", 5}, {"7200/h", 2},    {"0.5/s", 0.5},
        {"5000", 5000},   {"5k", 5000},   {"0", 0},         {"90k/min", 1500},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct err err = {0};
        double per_s = -1;
        assert_int_equal(units_parse_rate(cases[i].text, &per_s, &err), 0);
        assert_true(per_s == cases[i].per_s);
    }
}

static void what_is_no_rate_is_refused_in_words(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",    "-5/s", "5/",    "/s",  "5/d",   "5KiB/s", "5K/s",
        "1.5", "5 /s", "5/s/s", "nan", "inf/s", "1e9/s",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct err err = {0};
        double per_s = -1;
        if (units_parse_rate(texts[i], &per_s, &err) != -EINVAL) {
            fail_msg("\"%s\" was accepted", texts[i]);
        }
        assert_true(per_s == -1);
        assert_non_null(strstr(err.text, texts[i]));
        assert_non_null(strstr(err.text, "5000/s"));
    }
    double per_s = -1;
    assert_int_equal(units_parse_rate("18446744073709551615g/s", &per_s, NULL), -ERANGE);
    assert_true(per_s == -1);
}

static void sizes_print_exactly_where_they_can(void **state)
{
    (void)state;
    static const struct {
        uint64_t bytes;
        const char *text;
    } cases[] = {
        {0, "0 B"},
        {2, "2 B"},
        {1023, "1023 B"},
        {1024, "1 KiB"},
        {1536, "1536 B"},
        {4096, "4 KiB"},
        {1047552, "1023 KiB"},
        {1048575, "1048575 B"},
        {1048576, "1 MiB"},
        {(1ull << 30) - 1, "1.00 GiB"}, /* not 1024.00 MiB */
        {(1ull << 40) - 1, "1.00 TiB"},
        {(1ull << 40) - (1ull << 33), "1016 GiB"},
        {1048577, "1.00 MiB"},
        {1572864, "1.5 MiB"},
        {1310720, "1.25 MiB"},
        {1299200, "1.24 MiB"},
        {3221225472, "3 GiB"},
        {1099511627776, "1 TiB"},
        {UINT64_MAX, "16777216.00 TiB"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char buf[UNITS_PRINT_MAX];
        assert_ptr_equal(units_print_bytes(buf, cases[i].bytes), buf);
        assert_string_equal(buf, cases[i].text);
    }
}

static void times_print_with_three_digits(void **state)
{
    (void)state;
    static const struct {
        uint64_t ns;
        const char *text;
    } cases[] = {
        {0, "0 ns"},
        {850, "850 ns"},
        {999, "999 ns"},
        {1000, "1.00 us"},
        {9996, "10.0 us"},
        {12345, "12.3 us"},
        {999499, "999 us"},
        {999500, "1.00 ms"},
        {4560000, "4.56 ms"},
        {999499999, "999 ms"},
        {999500000, "1.00 s"},
        {1500000000, "1.50 s"},
        {59900000000, "59.9 s"},
        {59950000000, "1 m 00 s"},
        {125000000000, "2 m 05 s"},
        {3599499999999, "59 m 59 s"},
        {3599500000000, "1 h 00 m"},
        {11100000000000, "3 h 05 m"},
        {86369999999999, "23 h 59 m"},
        {86370000000000, "1 d 00 h"},
        {183600000000000, "2 d 03 h"},
        {UINT64_MAX, "213504 d 00 h"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char buf[UNITS_PRINT_MAX];
        assert_ptr_equal(units_print_ns(buf, cases[i].ns), buf);
        assert_string_equal(buf, cases[i].text);
    }
}

static void what_is_printed_exactly_reads_back_the_same(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {0, 1, 1023, 1536, 4096, 1572864, 1310720, 3221225472};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        char buf[UNITS_PRINT_MAX];
        uint64_t back = 0;
        assert_int_equal(units_parse_bytes(units_print_bytes(buf, sizes[i]), &back, NULL), 0);
        assert_int_equal(back, sizes[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_binary_unless_spelt_decimal),
        cmocka_unit_test(fractions_round_to_the_nearest_byte),
        cmocka_unit_test(the_largest_size_is_the_largest_number),
        cmocka_unit_test(what_is_no_size_is_refused_in_words),
        cmocka_unit_test(times_have_units_and_bare_numbers_are_seconds),
        cmocka_unit_test(counts_are_plain_digits),
        cmocka_unit_test(rates_are_per_second_and_decimal),
        cmocka_unit_test(what_is_no_rate_is_refused_in_words),
        cmocka_unit_test(sizes_print_exactly_where_they_can),
        cmocka_unit_test(times_print_with_three_digits),
        cmocka_unit_test(what_is_printed_exactly_reads_back_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
