#include "report/limits_published.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names of systems, and of the models made after them. */
static const struct {
    const char *name;
    const char *model;
    const char *system;
} shipped[] = {
    {"2009-barcelona", "sun7410-barcelona", "barcelona"},
    {"2009-istanbul", "sun7410-istanbul", "istanbul"},
};

#define SHIPPED (sizeof shipped / sizeof shipped[0])

static const struct {
    const char *word;
    double times; /* to bytes/s, ops/s, ns */
} units[] = {{"GiB/s", 1073741824.0}, {"MiB/s", 1048576.0}, {"IOPS", 1}, {"us", 1000}};

static const struct {
    const char *op;
    unsigned io_bytes;
    const char *from;
    const char *row;
} rows[] = {
    {"read", 0, "dram", "stream-read-cache"},  {"read", 0, "disk", "stream-read-disk"},
    {"write", 0, "disk", "stream-write-disk"}, {"read", 1, "dram", "read-1b-cache"},
    {"read", 4096, "dram", "read-4k-cache"},   {"read", 512, "flash", "read-512-flash"},
    {"write", 512, "log", "write-512-sync"},
};

static const char *row_of(const struct limits_shipped_row *s)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].io_bytes == s->io_bytes && strcmp(rows[i].op, s->op) == 0 &&
            strcmp(rows[i].from, s->from) == 0)
            return rows[i].row;
    return "";
}

static bool unit_of(const char *word, double *times)
{
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        *times = units[i].times;
        if (strcmp(units[i].word, word) == 0)
            return true;
    }
    return false;
}

const char *limits_published_name(unsigned index)
{
    return index < SHIPPED ? shipped[index].name : NULL;
}

static void take_shipped(struct limits_published *out, const struct limits_shipped_row *s)
{
    double times;

    if (out->n == LIMITS_PUBLISHED_MAX || !unit_of(s->unit, &times))
        return;
    struct limits_published_row *row = &out->row[out->n++];
    snprintf(row->protocol, sizeof row->protocol, "%s", s->protocol);
    snprintf(row->row, sizeof row->row, "%s", row_of(s));
    row->low = s->low * times;
    row->high = s->high * times;
    row->about = s->about;
}

bool limits_published_find(const char *name, struct limits_published *out)
{
    for (size_t i = 0; i < SHIPPED; i++) {
        if (strcmp(shipped[i].name, name) != 0 && strcmp(shipped[i].model, name) != 0)
            continue;
        *out = (struct limits_published){.n = 0};
        snprintf(out->name, sizeof out->name, "%s", shipped[i].name);
        for (unsigned k = 0; k < limits_shipped_rows; k++)
            if (strcmp(limits_shipped_row[k].system, shipped[i].system) == 0)
                take_shipped(out, &limits_shipped_row[k]);
        return true;
    }
    return false;
}

/* Whole number of `word`, as C reads it without signs, hex, "nan". */
static bool read_number(const char *word, double *out)
{
    char *end;

    *out = strtod(word, &end);
    return *word && word[strspn(word, "0123456789.eE+")] == '\0' && *end == '\0' &&
           isfinite(*out) && *out > 0;
}

static int refuse(const struct limits_published *p, unsigned line, const char *what,
                  struct err *err)
{
    return err_set(err, -EINVAL, "%s, line %u: %s; a line is protocol,row,unit,low,high", p->name,
                   line, what);
}

/* Cuts `line` at its commas; false: not five fields. */
static bool cut(char *line, char *field[5])
{
    char *at = line;

    for (unsigned i = 0; i < 5; i++) {
        field[i] = strsep(&at, ",");
        if (!field[i] || !*field[i])
            return false;
        field[i] += strspn(field[i], " ");
    }
    return at == NULL;
}

static int take_line(struct limits_published *out, unsigned number, char *line, struct err *err)
{
    struct limits_published_row *row = &out->row[out->n];
    char *field[5];
    double times;

    if (!cut(line, field))
        return refuse(out, number, "not five fields", err);
    if (out->n == LIMITS_PUBLISHED_MAX)
        return refuse(out, number, "too many rows", err);
    if (!unit_of(field[2], &times))
        return refuse(out, number, "the unit is none of GiB/s, MiB/s, IOPS, us", err);
    if (!read_number(field[3], &row->low) || !read_number(field[4], &row->high) ||
        row->high < row->low)
        return refuse(out, number, "low and high are no numbers above 0, in that order", err);
    if (strlen(field[0]) >= sizeof row->protocol || strlen(field[1]) >= sizeof row->row)
        return refuse(out, number, "no protocol or row has so long a name", err);
    snprintf(row->protocol, sizeof row->protocol, "%s", field[0]);
    snprintf(row->row, sizeof row->row, "%s", field[1]);
    row->low *= times;
    row->high *= times;
    out->n++;
    return 0;
}

int limits_published_parse(const char *name, const char *text, struct limits_published *out,
                           struct err *err)
{
    char *copy = strdup(text), *at = copy, *line;
    unsigned number = 0;
    int rc = copy ? 0 : err_set(err, -ENOMEM, "out of memory");

    *out = (struct limits_published){.n = 0};
    snprintf(out->name, sizeof out->name, "%s", name);
    while (rc == 0 && (line = strsep(&at, "\n")) != NULL) {
        number++;
        line[strcspn(line, "\r")] = '\0';
        if (*line == '\0' || *line == '#' || (out->n == 0 && strncmp(line, "protocol,", 9) == 0))
            continue;
        rc = take_line(out, number, line, err);
    }
    if (rc == 0 && out->n == 0)
        rc = err_set(err, -EINVAL, "%s: holds no row", name);
    free(copy);
    return rc;
}

const struct limits_published_row *limits_published_get(const struct limits_published *p,
                                                        const char *protocol, const char *row)
{
    for (unsigned i = 0; p && i < p->n; i++)
        if (strcmp(p->row[i].protocol, protocol) == 0 && strcmp(p->row[i].row, row) == 0)
            return &p->row[i];
    return NULL;
}
