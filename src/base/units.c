#include "base/units.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KIB 1024ull
#define MIB (KIB * KIB)
#define GIB (KIB * MIB)
#define TIB (KIB * GIB)

#define US  1000ull
#define MS  (1000 * US)
#define SEC (1000 * MS)
#define MIN (60 * SEC)
#define HR  (60 * MIN)
#define DAY (24 * HR)

/* Beyond 18 digits the product of a fraction and a unit would leave 128 bits. */
#define FRACTION_DIGITS_MAX 18

#define ACCEPT_BYTES "give bytes as 4096, binary as 8k 1.5m 2g 1t or 8KiB, decimal as 10MB"
#define ACCEPT_NS    "give ns us ms s m h d as 250ms or 1.5h, or whole seconds as 60"
#define ACCEPT_RATE  "give 5000/s, 2.5k/s (2500 per second), 300/min, 10/h or 5000"
#define ACCEPT_COUNT "give a whole number as 16"

typedef unsigned __int128 wide;

struct unit {
    const char *name;
    uint64_t scale;
};

static const struct unit units_bytes[] = {
    {"", 1},    {"B", 1},   {"KB", 1000}, {"MB", 1000000}, {"GB", 1000 * MS}, {"TB", 1000 * SEC},
    {"k", KIB}, {"K", KIB}, {"KiB", KIB}, {"m", MIB},      {"M", MIB},        {"MiB", MIB},
    {"g", GIB}, {"G", GIB}, {"GiB", GIB}, {"t", TIB},      {"T", TIB},        {"TiB", TIB},
    {NULL, 0},
};

static const struct unit units_ns[] = {
    {"", SEC},  {"ns", 1}, {"us", US}, {"ms", MS}, {"s", SEC},
    {"m", MIN}, {"h", HR}, {"d", DAY}, {NULL, 0},
};

static const struct unit units_none[] = {{"", 1}, {NULL, 0}};

static const struct unit units_decimal[] = {
    {"", 1}, {"k", 1000}, {"m", 1000000}, {"g", 1000000000}, {NULL, 0},
};

/* What one per second is divided by. */
static const struct unit units_per[] = {
    {"", 1}, {"/s", 1}, {"/min", 60}, {"/h", 3600}, {NULL, 0},
};

/* A decimal number without sign or exponent: whole + part / part_of. */
struct number {
    uint64_t whole;
    uint64_t part;
    uint64_t part_of; /* a power of ten; 1 when there was no fraction */
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Returns what follows the number, or NULL with *code set. */
static const char *number_parse(const char *text, struct number *out, int *code)
{
    struct number n = {.part_of = 1};
    const char *p = text;
    *code = -EINVAL;
    if (!is_digit(*p)) {
        return NULL;
    }
    for (; is_digit(*p); p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        if (n.whole > (UINT64_MAX - digit) / 10) {
            *code = -ERANGE;
            return NULL;
        }
        n.whole = n.whole * 10 + digit;
    }
    if (*p == '.') {
        int digits = 0;
        for (p++; is_digit(*p); p++) {
            if (++digits > FRACTION_DIGITS_MAX) {
                return NULL;
            }
            n.part = n.part * 10 + (uint64_t)(*p - '0');
            n.part_of *= 10;
        }
        if (digits == 0) {
            return NULL;
        }
    }
    *out = n;
    return p;
}

static const struct unit *unit_find(const struct unit *units, const char *name, size_t len)
{
    for (; units->name; units++) {
        if (strlen(units->name) == len && memcmp(units->name, name, len) == 0) {
            return units;
        }
    }
    return NULL;
}

static int refuse(struct err *err, int code, const char *text, const char *kind, const char *accept)
{
    const char *why = code == -ERANGE ? "is too large for" : "is not";
    return err_set(err, code, "\"%.40s\" %s %s: %s", text, why, kind, accept);
}

/* Number and unit to a whole number of the smallest unit, rounded to nearest. */
static int scaled(const struct number *n, uint64_t scale, uint64_t *out)
{
    wide value = (wide)n->whole * scale + ((wide)n->part * scale + n->part_of / 2) / n->part_of;
    if (value > UINT64_MAX) {
        return -ERANGE;
    }
    /* "0.1ns" is not nothing: better refused than silently zero. */
    if (value == 0 && n->part != 0) {
        return -EINVAL;
    }
    *out = (uint64_t)value;
    return 0;
}

static int parse(const char *text, const struct unit *units, uint64_t *out)
{
    struct number n;
    int code;
    const char *rest = number_parse(text, &n, &code);
    if (!rest) {
        return code;
    }
    if (rest[0] == ' ' && rest[1] != '\0') {
        rest++;
    }
    const struct unit *unit = unit_find(units, rest, strlen(rest));
    if (!unit || (n.part_of != 1 && *unit->name == '\0')) {
        return -EINVAL;
    }
    return scaled(&n, unit->scale, out);
}

int units_parse_bytes(const char *text, uint64_t *out_bytes, struct err *err)
{
    int rc = parse(text, units_bytes, out_bytes);
    return rc == 0 ? 0 : refuse(err, rc, text, "a size", ACCEPT_BYTES);
}

int units_parse_ns(const char *text, uint64_t *out_ns, struct err *err)
{
    int rc = parse(text, units_ns, out_ns);
    return rc == 0 ? 0 : refuse(err, rc, text, "a time", ACCEPT_NS);
}

int units_parse_count(const char *text, uint64_t *out, struct err *err)
{
    int rc = parse(text, units_none, out);
    return rc == 0 ? 0 : refuse(err, rc, text, "a count", ACCEPT_COUNT);
}

static int parse_rate(const char *text, double *out_per_s)
{
    struct number n;
    int code;
    const char *rest = number_parse(text, &n, &code);
    if (!rest) {
        return code;
    }
    const char *slash = strchrnul(rest, '/');
    const struct unit *factor = unit_find(units_decimal, rest, (size_t)(slash - rest));
    const struct unit *per = unit_find(units_per, slash, strlen(slash));
    if (!factor || !per || (n.part_of != 1 && *rest == '\0')) {
        return -EINVAL;
    }
    double value = (double)n.whole + (double)n.part / (double)n.part_of;
    double per_s = value * (double)factor->scale / (double)per->scale;
    if (per_s >= 0x1p64) {
        return -ERANGE;
    }
    *out_per_s = per_s;
    return 0;
}

int units_parse_rate(const char *text, double *out_per_s, struct err *err)
{
    int rc = parse_rate(text, out_per_s);
    return rc == 0 ? 0 : refuse(err, rc, text, "a rate", ACCEPT_RATE);
}

/* Three significant digits, never an exponent: %g would print 1e+03. The decimal exponent is read
 * from printf so that it is that of the rounded number: 9.999 is "10.0". */
static void print_three(char buf[UNITS_PRINT_MAX], double value)
{
    char scientific[UNITS_PRINT_MAX];
    snprintf(scientific, sizeof scientific, "%.2e", value);
    const char *e = strchr(scientific, 'e');
    int exponent = e ? (int)strtol(e + 1, NULL, 10) : 0;
    int decimals = 2 - exponent;
    snprintf(buf, UNITS_PRINT_MAX, "%.*f", decimals > 0 ? decimals : 0, value);
}

static char *print_with_unit(char buf[UNITS_PRINT_MAX], double value, const char *unit)
{
    char number[UNITS_PRINT_MAX];
    print_three(number, value);
    snprintf(buf, UNITS_PRINT_MAX, "%.24s %s", number, unit);
    return buf;
}

/* At most two decimals when that is the exact value; else two decimals at least, so that trailing
 * zeros tell a rounded value from an exact one. */
static char *print_binary(char buf[UNITS_PRINT_MAX], uint64_t bytes, uint64_t unit,
                          const char *name)
{
    wide hundredths = (wide)bytes * 100;
    if (hundredths % unit != 0) {
        snprintf(buf, UNITS_PRINT_MAX, "%.2f %s", (double)bytes / (double)unit, name);
        return buf;
    }
    uint64_t whole = bytes / unit;
    unsigned part = (unsigned)(hundredths / unit % 100);
    if (part == 0) {
        snprintf(buf, UNITS_PRINT_MAX, "%llu %s", (unsigned long long)whole, name);
    } else if (part % 10 == 0) {
        snprintf(buf, UNITS_PRINT_MAX, "%llu.%u %s", (unsigned long long)whole, part / 10, name);
    } else {
        snprintf(buf, UNITS_PRINT_MAX, "%llu.%02u %s", (unsigned long long)whole, part, name);
    }
    return buf;
}

char *units_print_bytes(char buf[UNITS_PRINT_MAX], uint64_t bytes)
{
    /* The next unit from where rounding would show 1024.00 of this one. */
    if (bytes >= TIB - GIB / 200) {
        return print_binary(buf, bytes, TIB, "TiB");
    }
    if (bytes >= GIB - MIB / 200) {
        return print_binary(buf, bytes, GIB, "GiB");
    }
    if (bytes >= MIB) {
        return print_binary(buf, bytes, MIB, "MiB");
    }
    if (bytes >= KIB && bytes % KIB == 0) {
        return print_binary(buf, bytes, KIB, "KiB");
    }
    return print_binary(buf, bytes, 1, "B");
}

/* Two units of a time of a minute or more, the smaller one rounded: "2 m 05 s". */
static char *print_pair(char buf[UNITS_PRINT_MAX], uint64_t ns, uint64_t small, unsigned in_large,
                        const char *large_name, const char *small_name)
{
    uint64_t n = ns / small + (ns % small >= small / 2 ? 1 : 0);
    snprintf(buf, UNITS_PRINT_MAX, "%llu %s %02u %s", (unsigned long long)(n / in_large),
             large_name, (unsigned)(n % in_large), small_name);
    return buf;
}

char *units_print_ns(char buf[UNITS_PRINT_MAX], uint64_t ns)
{
    /* Each limit is where rounding would show the next unit's 1. */
    if (ns < US) {
        snprintf(buf, UNITS_PRINT_MAX, "%u ns", (unsigned)ns);
        return buf;
    }
    if (ns < MS - US / 2) {
        return print_with_unit(buf, (double)ns / (double)US, "us");
    }
    if (ns < SEC - MS / 2) {
        return print_with_unit(buf, (double)ns / (double)MS, "ms");
    }
    if (ns < MIN - 50 * MS) {
        return print_with_unit(buf, (double)ns / (double)SEC, "s");
    }
    if (ns < HR - SEC / 2) {
        return print_pair(buf, ns, SEC, 60, "m", "s");
    }
    if (ns < DAY - MIN / 2) {
        return print_pair(buf, ns, MIN, 60, "h", "m");
    }
    return print_pair(buf, ns, HR, 24, "d", "h");
}
