#include "report/report_priv.h"

#include "base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char *cell_word(char buf[CELL_MAX], const char *word)
{
    snprintf(buf, CELL_MAX, "%s", word);
    return buf;
}

static char *dash(char buf[CELL_MAX])
{
    return cell_word(buf, "-");
}

/* No column has room for more digits: 5.71e9. */
#define CELL_DIGITS_FROM 99999999.5

static char *cell_exponent(char buf[CELL_MAX], double value)
{
    char digits[CELL_MAX];
    char *e;

    snprintf(digits, sizeof digits, "%.2e", value);
    e = strchr(digits, 'e');
    snprintf(buf, CELL_MAX, "%.4se%ld", digits, e ? strtol(e + 1, NULL, 10) : 0);
    return buf;
}

char *report_cell_number(char buf[CELL_MAX], double value)
{
    /* The limits are where rounding would show a fourth digit. */
    static const double limit[] = {99.95, 9.995, 0.9995, 0.09995, 0.009995, 0.0009995};
    int decimals = 0;

    if (!isfinite(value) || value < 0 || value >= 1e18)
        return dash(buf);
    while (decimals < 6 && value > 0 && value < limit[decimals])
        decimals++;
    if (value >= CELL_DIGITS_FROM)
        return cell_exponent(buf, value);
    snprintf(buf, CELL_MAX, "%.*f", decimals, value);
    return buf;
}

char *report_cell_count(char buf[CELL_MAX], uint64_t count)
{
    snprintf(buf, CELL_MAX, "%" PRIu64, count);
    return buf;
}

char *report_cell_percent(char buf[CELL_MAX], double frac)
{
    if (!isfinite(frac) || frac < 0 || frac > 1e9)
        return dash(buf);
    snprintf(buf, CELL_MAX, "%.*f%%", frac < 0.0995 ? 1 : 0, frac * 100);
    return buf;
}

char *report_cell_half(char buf[CELL_MAX], double frac)
{
    return isfinite(frac) && frac > 1 ? cell_word(buf, ">100%") : report_cell_percent(buf, frac);
}

char *report_cell_length(char buf[CELL_MAX], uint64_t bytes)
{
    char words[UNITS_PRINT_MAX];

    if (bytes % 1024 != 0)
        snprintf(buf, CELL_MAX, "%llu B", (unsigned long long)bytes);
    else
        snprintf(buf, CELL_MAX, "%s", units_print_bytes(words, bytes));
    return buf;
}

char *report_cell_ns(char buf[CELL_MAX], uint64_t ns)
{
    char words[UNITS_PRINT_MAX];

    snprintf(buf, CELL_MAX, "%s", units_print_ns(words, ns));
    return buf;
}

char *report_cell_bytes(char buf[CELL_MAX], uint64_t bytes)
{
    char words[UNITS_PRINT_MAX];

    snprintf(buf, CELL_MAX, "%s", units_print_bytes(words, bytes));
    return buf;
}

char *report_cell_ratio_ns(char buf[CELL_MAX], uint64_t ns, uint64_t per)
{
    return per == 0 ? dash(buf) : report_cell_ns(buf, ns / per);
}

char *report_cell_date(char buf[CELL_MAX], uint64_t wall_ns)
{
    time_t seconds = (time_t)(wall_ns / 1000000000u);
    struct tm tm;

    if (wall_ns == 0 || !gmtime_r(&seconds, &tm))
        return dash(buf);
    strftime(buf, CELL_MAX, "%Y-%m-%d %H:%M:%S UTC", &tm);
    return buf;
}

/* Nothing of what was written can be left here. */
bool report_without_cache(const struct result *r)
{
    return strcmp(r->cache.mode, "none") == 0 || strcmp(r->cache.mode, "uncached") == 0;
}

static char *cell_dirty(char buf[CELL_MAX], const struct result *r)
{
    char share[CELL_MAX];

    if (strcmp(r->cache.mode, "ram") == 0)
        return cell_word(buf, "ram");
    if (!r->cache.dirty_known)
        return report_without_cache(r) ? dash(buf) : cell_word(buf, "n/v");
    if (r->bytes == 0)
        return dash(buf);
    report_cell_percent(share, (double)r->cache.dirty_bytes / (double)r->bytes);
    snprintf(buf, CELL_MAX, "%.*s d", CELL_MAX - 3, share);
    return buf;
}

char *report_cell_ram(char buf[CELL_MAX], const struct result *r)
{
    double share;

    if (!r->cache.applies)
        return cell_dirty(buf, r);
    if (strcmp(r->cache.mode, "ram") == 0)
        return cell_word(buf, "ram");
    if (!result_cache_share(r, &share))
        return cell_word(buf, "n/v");
    return report_cell_percent(buf, share);
}

const char *report_or_empty(const char *s)
{
    return s ? s : "";
}

const char *report_or_dash(const char *s)
{
    return s && *s ? s : "-";
}

const char *report_option(const struct result *r, const char *key)
{
    return report_or_dash(result_fact_get(&r->options, key));
}

const char *report_not_stated(const struct result *r)
{
    return result_fact_get(&r->options, "not_stated");
}

uint64_t report_option_count(const struct result *r, const char *key, uint64_t otherwise)
{
    double value = result_fact_number(&r->options, key, (double)otherwise);

    return value >= 0 && value < 1.8e19 ? (uint64_t)value : otherwise;
}

const char *report_state_word(enum result_state state)
{
    static const char *const words[] = {"complete", "incomplete", "void"};

    return (unsigned)state < 3 ? words[state] : "-";
}
