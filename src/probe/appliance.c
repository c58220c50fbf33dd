#include "probe/appliance_priv.h"

#include "base/nearest.h"
#include "base/units.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NS_PER_S  1000000000ll
#define DAY_S     86400ll
#define YEARS_MAX 4000000000ll /* s: the year 2096 */

/* The next cell, without blanks and quotes around it; NULL behind the last. What is quoted has no comma in it. */
static char *next_cell(char **line)
{
    char *cell = strsep(line, ",;");

    if (cell == NULL)
        return NULL;
    cell += strspn(cell, " \t\"");
    for (size_t len = strlen(cell); len > 0 && strchr(" \t\r\"", cell[len - 1]) != NULL;)
        cell[--len] = '\0';
    return cell;
}

/* ---- header ---- */

static int no_kind(const char *name, struct err *err)
{
    struct nearest near = {.wish = name};

    for (unsigned k = 0; k < TRACK_KINDS; k++)
        nearest_try(&near, track_kind_name((enum track_kind)k));
    return err_set(err, -EINVAL,
                   "a column \"%.40s\" is not known%s%s%s; a column is KIND:NAME, such as cpu:0 or "
                   "nic-out:igb0=1.25e9 with its capacity",
                   name, near.best != NULL ? "; did you mean " : "",
                   near.best != NULL ? near.best : "", near.best != NULL ? "?" : "");
}

static int parse_column(char *cell, struct csv_column *out, struct err *err)
{
    char *capacity = strrchr(cell, '=');
    char *name = strchr(cell, ':');
    char *end = NULL;

    *out = (struct csv_column){.capacity = 0};
    if (capacity != NULL) {
        *capacity++ = '\0';
        out->capacity = strtod(capacity, &end);
        if (end == capacity || *end != '\0' || !(out->capacity > 0) || !isfinite(out->capacity))
            return err_set(err, -EINVAL, "a capacity \"%.40s\" is no number above 0", capacity);
    }
    if (name != NULL && name < cell + strlen(cell))
        *name++ = '\0';
    else
        name = cell + strlen(cell);
    if (track_kind_of(cell, &out->kind) < 0)
        return no_kind(cell, err);
    if (strlen(name) >= sizeof out->name)
        return err_set(err, -EINVAL, "the name \"%.40s...\" is too long", name);
    memcpy(out->name, name, strlen(name) + 1);
    return 0;
}

static bool is_twice(const struct csv_table *table, const struct csv_column *column)
{
    for (unsigned i = 0; i < table->n; i++) {
        if (table->column[i].kind == column->kind &&
            strcmp(table->column[i].name, column->name) == 0)
            return true;
    }
    return false;
}

int csv_header_parse(char *line, struct csv_table *out, struct err *err)
{
    const char *first = next_cell(&line);
    char *cell;
    int rc;

    out->n = 0;
    if (first == NULL || strcmp(first, "time") != 0)
        return err_set(err, -EINVAL,
                       "the first line is no header: it begins with time, then a column for each "
                       "series, such as time,cpu:0,nic-out:igb0=1.25e9");
    while ((cell = next_cell(&line)) != NULL) {
        struct csv_column *column = &out->column[out->n];

        if (out->n == CSV_COLUMNS_MAX)
            return err_set(err, -EINVAL, "more than %d columns", CSV_COLUMNS_MAX);
        rc = parse_column(cell, column, err);
        if (rc < 0)
            return rc;
        if (is_twice(out, column))
            return err_set(err, -EINVAL, "the column %s:%s comes twice",
                           track_kind_name(column->kind), column->name);
        out->n++;
    }
    return out->n > 0 ? 0 : err_set(err, -EINVAL, "there is no column beside the time");
}

/* ---- times ---- */

static int no_time(const char *text, struct err *err)
{
    return err_set(err, -EINVAL,
                   "\"%.40s\" is no time; give 2026-12-01T15:00:00Z, or seconds since 1970", text);
}

/* ".5" */
static const char *parse_fraction(const char *at, int64_t *ns)
{
    int64_t unit = NS_PER_S;

    *ns = 0;
    if (*at != '.')
        return at;
    for (at++; *at >= '0' && *at <= '9'; at++) {
        unit /= 10;
        *ns += (*at - '0') * unit;
    }
    return at;
}

/* "Z", "+01:00", "" */
static bool parse_zone(const char *at, int64_t *seconds)
{
    unsigned hours, minutes;
    int used = 0;

    *seconds = 0;
    if (*at == '\0' || strcmp(at, "Z") == 0 || strcmp(at, "UTC") == 0)
        return true;
    if ((*at != '+' && *at != '-') || sscanf(at + 1, "%2u:%2u%n", &hours, &minutes, &used) != 2 ||
        used != 5 || at[6] != '\0' || hours > 14 || minutes > 59)
        return false;
    *seconds = (*at == '-' ? -1 : 1) * (int64_t)(hours * 3600 + minutes * 60);
    return true;
}

static int parse_date(const char *text, int64_t *wall_ns, struct err *err)
{
    struct tm tm = {0};
    int64_t fraction_ns, zone_s;
    const char *at = strptime(text, "%Y-%m-%d", &tm);

    if (at != NULL && (*at == 'T' || *at == ' '))
        at = strptime(at + 1, "%H:%M:%S", &tm);
    else
        at = NULL;
    if (at == NULL)
        return no_time(text, err);
    at = parse_fraction(at, &fraction_ns);
    at += strspn(at, " ");
    int64_t s = timegm(&tm);
    if (!parse_zone(at, &zone_s) || s < DAY_S || s > YEARS_MAX)
        return no_time(text, err);
    *wall_ns = (s - zone_s) * NS_PER_S + fraction_ns;
    return 0;
}

int csv_time_parse(const char *text, int64_t *wall_ns, struct err *err)
{
    size_t digits = strspn(text, "0123456789");
    int64_t fraction_ns;

    if (text[digits] == '-')
        return parse_date(text, wall_ns, err);
    if (digits == 0 || digits > 10 || *parse_fraction(text + digits, &fraction_ns) != '\0')
        return no_time(text, err);
    int64_t s = strtoll(text, NULL, 10);
    if (s > YEARS_MAX)
        return no_time(text, err);
    *wall_ns = s * NS_PER_S + fraction_ns;
    return 0;
}

int csv_ahead_parse(const char *text, int64_t *ns, struct err *err)
{
    uint64_t size_ns = 0;
    bool back = *text == '-';

    if (units_parse_ns(text + (back || *text == '+'), &size_ns, NULL) < 0 ||
        size_ns > INT64_MAX / 4)
        return err_set(err, -EINVAL,
                       "\"%.40s\" is no time that a clock is ahead; give +2s or -300ms", text);
    *ns = back ? -(int64_t)size_ns : (int64_t)size_ns;
    return 0;
}

/* ---- rows ---- */

static int parse_value(const char *cell, double *value, struct err *err)
{
    char *end;

    *value = NAN;
    if (*cell == '\0')
        return 0;
    *value = strtod(cell, &end);
    if (*end == '%' && end != cell) {
        *value /= 100;
        end++;
    }
    if (end == cell || *end != '\0' || !isfinite(*value) || *value < 0)
        return err_set(err, -EINVAL, "\"%.40s\" is no number from 0 on", cell);
    return 0;
}

int csv_row_parse(const struct csv_table *table, char *line, int64_t *wall_ns, double *value,
                  struct err *err)
{
    const char *cell = next_cell(&line);
    int rc = csv_time_parse(cell != NULL ? cell : "", wall_ns, err);

    for (unsigned i = 0; i < table->n && rc == 0; i++) {
        cell = next_cell(&line);
        rc = cell != NULL ? parse_value(cell, &value[i], err)
                          : err_set(err, -EINVAL, "%u values, and the header has %u", i, table->n);
    }
    if (rc == 0 && line != NULL)
        rc = err_set(err, -EINVAL, "more values than the header's %u", table->n);
    return rc;
}
