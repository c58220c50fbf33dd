/* Ceilings as words for the cells of a table. */
#include "report/limits_report_priv.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define GIB 1073741824.0
#define MIB 1048576.0

static char *cell_word(char buf[CELL_MAX], const char *word)
{
    snprintf(buf, CELL_MAX, "%s", word);
    return buf;
}

/* Three digits, from a hundred thousand on all before the point, by threes: "506,000". */
static void put_number(char buf[CELL_MAX], double value)
{
    uint64_t whole = (uint64_t)(value + 0.5);

    if (value < 99999.5)
        report_cell_number(buf, value);
    else if (whole < 1000000)
        snprintf(buf, CELL_MAX, "%" PRIu64 ",%03" PRIu64, whole / 1000, whole % 1000);
    else if (whole < 1000000000)
        snprintf(buf, CELL_MAX, "%" PRIu64 ",%03" PRIu64 ",%03" PRIu64, whole / 1000000,
                 whole / 1000 % 1000, whole % 1000);
    else
        report_cell_number(buf, value);
}

static char *cell_rate(char buf[CELL_MAX], double value, const char *unit)
{
    char number[CELL_MAX];

    put_number(number, value);
    snprintf(buf, CELL_MAX, "%.30s%s", number, unit);
    return buf;
}

char *limits_cell_value(char buf[CELL_MAX], enum ceiling_metric metric, double value)
{
    if (!isfinite(value) || value < 0)
        return cell_word(buf, "-");
    if (metric == CEILING_LATENCY)
        return report_cell_ns(buf, (uint64_t)(value + 0.5));
    if (metric == CEILING_OPS)
        return cell_rate(buf, value, "/s");
    return value >= GIB ? cell_rate(buf, value / GIB, " GiB/s")
                        : cell_rate(buf, value / MIB, " MiB/s");
}

/* One unit for both ends, the larger one's: "128-260 us". */
char *limits_cell_band(char buf[CELL_MAX], double low_ns, double high_ns)
{
    static const struct {
        double ns;
        const char *unit;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
    char low[CELL_MAX], high[CELL_MAX];
    size_t i = 0;

    while (i < 3 && high_ns < units[i].ns)
        i++;
    report_cell_number(low, low_ns / units[i].ns);
    report_cell_number(high, high_ns / units[i].ns);
    snprintf(buf, CELL_MAX, "%.15s-%.15s %s", low, high, units[i].unit);
    return buf;
}

char *limits_cell_of(char buf[CELL_MAX], const struct ceiling *c)
{
    char value[CELL_MAX];

    if (!limits_has_value(c))
        return cell_word(buf, "-");
    limits_cell_value(value, c->metric, c->value);
    snprintf(buf, CELL_MAX, "%s%.40s",
             limits_unproven(c)      ? "?"
             : limits_lower_bound(c) ? ">"
                                     : "",
             value);
    return buf;
}

char *limits_cell_band_of(char buf[CELL_MAX], const struct ceiling *c)
{
    char band[CELL_MAX];

    limits_cell_band(band, (double)c->latency.p5_ns, (double)c->latency.p95_ns);
    snprintf(buf, CELL_MAX, "%s%.40s", limits_unproven(c) ? "?" : "", band);
    return buf;
}

char *limits_cell_half(char buf[CELL_MAX], const struct ceiling *c)
{
    return report_cell_half(buf, limits_has_value(c) && c->value > 0 ? c->half / c->value : NAN);
}

char *limits_cell_published(char buf[CELL_MAX], const struct limits_published_row *row,
                            enum ceiling_metric metric)
{
    char value[CELL_MAX];

    if (!row)
        return cell_word(buf, "-");
    if (metric == CEILING_LATENCY && row->high > row->low)
        return limits_cell_band(buf, row->low, row->high);
    limits_cell_value(value, metric, (row->low + row->high) / 2);
    snprintf(buf, CELL_MAX, "%s%.40s", row->about ? "~" : "", value);
    return buf;
}

char *limits_cell_off(char buf[CELL_MAX], double off_frac)
{
    if (!isfinite(off_frac))
        return cell_word(buf, "-");
    if (fabs(off_frac) < 0.0005)
        return cell_word(buf, "0.0%");
    snprintf(buf, CELL_MAX, "%+.*f%%", fabs(off_frac) < 0.0995 ? 1 : 0, off_frac * 100);
    return buf;
}

/* 99.96 % are not all of it. */
char *limits_cell_share(char buf[CELL_MAX], double frac)
{
    snprintf(buf, CELL_MAX, "%.1f%%", floor(frac * 1000 + 1e-9) / 10);
    return buf;
}

const char *limits_cell_stopped(const struct ceiling *c)
{
    switch (c->state) {
    case CEILING_INCOMPLETE:
        return "INCOMPLETE";
    case CEILING_NOT_PROVEN:
        return "NOT PROVEN";
    case CEILING_STARVED:
        return "NOT PROVEN";
    case CEILING_RISING:
        return c->limiter ? c->limiter->words : "still rising";
    case CEILING_FOUND:
        return c->limiter ? c->limiter->words : c->metric == CEILING_LATENCY ? "-" : "unknown";
    case CEILING_SKIPPED:
        return "skipped";
    case CEILING_NOT_APPLICABLE:
        break;
    }
    return "";
}
