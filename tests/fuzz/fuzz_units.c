/* units.h under any text: no crash; a refusal has words and leaves the number alone; an accepted
 * size that prints exactly reads back the same. The first byte picks the parser. */
#include "base/units.h"
#include "fuzz/fuzz.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t untouched = 0xfeedfacecafebeefu;

static void check_words(int rc, const struct err *err)
{
    if (rc == 0) {
        FUZZ_CHECK(err->code == 0);
        return;
    }
    FUZZ_CHECK(rc == -EINVAL || rc == -ERANGE);
    FUZZ_CHECK(err->code == rc);
    FUZZ_CHECK(strstr(err->text, "give ") != NULL);
    FUZZ_CHECK(strchr(err->text, '\n') == NULL);
}

static void check_printed(uint64_t value)
{
    char buf[UNITS_PRINT_MAX];
    FUZZ_CHECK(strlen(units_print_ns(buf, value)) < UNITS_PRINT_MAX);
    units_print_bytes(buf, value);
    uint64_t back = 0;
    FUZZ_CHECK(strlen(buf) < UNITS_PRINT_MAX);
    int rc = units_parse_bytes(buf, &back, NULL);
    if (rc == -ERANGE) { /* rounded up past the largest number */
        FUZZ_CHECK(value > UINT64_MAX / 1000 * 999);
        return;
    }
    /* Two decimals of the unit it was printed in, which is at most the value itself. */
    uint64_t off = back > value ? back - value : value - back;
    FUZZ_CHECK(rc == 0 && off <= value / 100);
    if (value < 1024 * 1024) {
        FUZZ_CHECK(off == 0);
    }
}

static void parse_whole(const char *text, int (*parse)(const char *, uint64_t *, struct err *))
{
    struct err err = {0};
    uint64_t value = untouched;
    int rc = parse(text, &value, &err);
    check_words(rc, &err);
    FUZZ_CHECK(rc == 0 || value == untouched);
    if (rc == 0) {
        check_printed(value);
    }
}

static void parse_rate(const char *text)
{
    struct err err = {0};
    double per_s = -1;
    int rc = units_parse_rate(text, &per_s, &err);
    check_words(rc, &err);
    FUZZ_CHECK(rc == 0 ? per_s >= 0 && per_s < 0x1p64 : per_s == -1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    char *text = strndup((const char *)data + 1, size - 1);
    if (!text) {
        return 0;
    }
    switch (data[0] & 3) {
    case 0:
        parse_whole(text, units_parse_bytes);
        break;
    case 1:
        parse_whole(text, units_parse_ns);
        break;
    case 2:
        parse_whole(text, units_parse_count);
        break;
    default:
        parse_rate(text);
        break;
    }
    free(text);
    return 0;
}
