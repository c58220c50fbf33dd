/* A line a ceiling: of one target with load, latency and what stopped it; of several, or where something was
 * published, value beside value. */
#include "report/limits_report_priv.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    END_TITLE = 20, /* "synchronous write 512" is cut, nothing else */
    END_VALUE = 32,
    END_HALF = 38,
    END_STREAMS = 46,
    END_P50 = 55,
    END_P99 = 64,
    START_STOPPED = 65,
    END_STOPPED = 80,
};

/* Of each side, from where the one before ends. */
enum { SIDE_VALUE = 12, SIDE_PUBLISHED = 12, SIDE_OFF = 6, SIDE_HALF = 7 };

struct table {
    struct text *out;
    const char *protocol; /* of the head that was printed last */
    bool published;
};

static unsigned end_stopped(const struct limits_view *v)
{
    return report_is_wide(v->width) ? 200 : END_STOPPED;
}

static bool anything_published(const struct limits_view *v)
{
    for (unsigned i = 0; i < v->c->n; i++)
        if (limits_published_beside(v, &v->c->row[i]))
            return true;
    return false;
}

/* Four sides have room for their values, three for how far off they are, two for all. */
static bool shows_published(const struct table *t, const struct limits_view *v)
{
    return t->published && (v->c->targets <= 2 || report_is_wide(v->width));
}

static bool shows_off(const struct table *t, const struct limits_view *v)
{
    return t->published && (v->c->targets <= 3 || report_is_wide(v->width));
}

static bool shows_half(const struct table *t, const struct limits_view *v)
{
    return !t->published && (v->c->targets <= 3 || report_is_wide(v->width));
}

static unsigned side_width(const struct table *t, const struct limits_view *v)
{
    return SIDE_VALUE + (shows_published(t, v) ? SIDE_PUBLISHED : 0) +
           (shows_off(t, v) ? SIDE_OFF : 0) + (shows_half(t, v) ? SIDE_HALF : 0);
}

struct side_cells {
    const char *value;
    const char *published;
    const char *off;
    const char *half;
};

static void put_side(struct report_columns *c, const struct table *t, const struct limits_view *v,
                     unsigned side, const struct side_cells *cells)
{
    unsigned end = END_TITLE + side * side_width(t, v) + SIDE_VALUE;

    report_columns_right(c, end, cells->value);
    if (shows_published(t, v))
        report_columns_right(c, end += SIDE_PUBLISHED, cells->published);
    if (shows_off(t, v))
        report_columns_right(c, end += SIDE_OFF, cells->off);
    if (shows_half(t, v))
        report_columns_right(c, end += SIDE_HALF, cells->half);
}

static void rule_sides(struct report_columns *c, const struct table *t, const struct limits_view *v)
{
    report_columns_rule(c, 0, END_TITLE);
    for (unsigned i = 0; i < v->c->targets; i++)
        report_columns_rule(c, END_TITLE + i * side_width(t, v) + 1,
                            END_TITLE + (i + 1) * side_width(t, v));
    report_columns_end(c);
}

static void head_sides(struct table *t, const struct limits_view *v, const char *protocol)
{
    struct report_columns c = report_columns_begin(t->out, v->width);
    char name[LIMITS_SIDES_MAX][CELL_MAX];

    report_columns_left(&c, 0, protocol);
    for (unsigned i = 0; i < v->c->targets; i++) {
        snprintf(name[i], sizeof name[i], v->c->targets > 1 ? "%c" : "value",
                 report_side_letter(i + 1));
        put_side(&c, t, v, i, &(struct side_cells){name[i], "published", "off", "±"});
    }
    report_columns_head_end(&c);
    rule_sides(&c, t, v);
}

static void row_sides(struct table *t, const struct limits_view *v, const struct ceiling *of)
{
    struct report_columns c = report_columns_begin(t->out, v->width);
    char value[CELL_MAX], published[CELL_MAX], off[CELL_MAX], half[CELL_MAX];

    report_columns_short(&c, 0, END_TITLE, limits_title(of));
    for (unsigned i = 0; i < v->c->targets; i++) {
        const struct ceiling *one = limits_row_of(v, i, of->protocol, of->row);
        const struct limits_published_row *p =
            limits_published_get(v->published[i], of->protocol, of->row);

        if (limits_has_value(one) && one->metric == CEILING_LATENCY)
            limits_cell_band(value, (double)one->latency.p5_ns, (double)one->latency.p95_ns);
        else if (one)
            limits_cell_of(value, one);
        put_side(&c, t, v, i,
                 &(struct side_cells){one ? value : "-",
                                      limits_cell_published(published, p, of->metric),
                                      limits_cell_off(off, limits_off_frac(p, one)),
                                      one ? limits_cell_half(half, one) : "-"});
    }
    report_columns_end(&c);
}

static void head_one(struct table *t, const struct limits_view *v, const char *protocol)
{
    struct report_columns c = report_columns_begin(t->out, v->width);

    report_columns_left(&c, 0, protocol);
    report_columns_right(&c, END_VALUE, "value");
    report_columns_right(&c, END_HALF, "±");
    report_columns_right(&c, END_STREAMS, "streams");
    report_columns_right(&c, END_P50, "p50");
    report_columns_right(&c, END_P99, "p99");
    report_columns_left(&c, START_STOPPED, "stopped by");
    report_columns_head_end(&c);
    report_columns_rule(&c, 0, END_TITLE);
    report_columns_rule(&c, END_TITLE + 1, END_VALUE);
    report_columns_rule(&c, END_VALUE + 1, END_HALF);
    report_columns_rule(&c, END_HALF + 1, END_STREAMS);
    report_columns_rule(&c, END_STREAMS + 1, END_P50);
    report_columns_rule(&c, END_P50 + 1, END_P99);
    report_columns_rule(&c, START_STOPPED, END_STOPPED);
    report_columns_end(&c);
}

static void row_one(struct table *t, const struct limits_view *v, const struct ceiling *of)
{
    struct report_columns c = report_columns_begin(t->out, v->width);
    char cell[CELL_MAX];

    report_columns_short(&c, 0, END_TITLE, limits_title(of));
    if (of->state == CEILING_SKIPPED) {
        snprintf(cell, sizeof cell, "skipped: %.30s", of->why);
        report_columns_right(&c, END_VALUE, "-");
        for (unsigned i = 0; c.md && i < 4; i++)
            report_columns_right(&c, END_VALUE, "");
        report_columns_short(&c, END_VALUE + 1, end_stopped(v), of->why);
        report_columns_end(&c);
        return;
    }
    report_columns_right(&c, END_VALUE, limits_cell_of(cell, of));
    report_columns_right(&c, END_HALF, limits_cell_half(cell, of));
    report_columns_right(&c, END_STREAMS, report_cell_count(cell, of->knee_streams));
    report_columns_right(&c, END_P50, report_cell_ns(cell, of->latency.p50_ns));
    report_columns_right(&c, END_P99, report_cell_ns(cell, of->latency.p99_ns));
    report_columns_short(&c, START_STOPPED, end_stopped(v), limits_cell_stopped(of));
    report_columns_end(&c);
}

/* What makes no sense anywhere is told in one line below. */
static bool stands(const struct limits_view *v, const struct ceiling *of)
{
    for (unsigned i = 0; i < v->c->targets; i++) {
        const struct ceiling *one = limits_row_of(v, i, of->protocol, of->row);
        if (one && one->state != CEILING_NOT_APPLICABLE)
            return true;
    }
    return false;
}

static void take_row(void *ctx, const struct limits_view *v, const struct ceiling *of)
{
    struct table *t = ctx;
    bool sides = v->c->targets > 1 || t->published;

    if (!stands(v, of))
        return;
    if (!t->protocol || strcmp(t->protocol, of->protocol) != 0) {
        text_add(t->out, "\n");
        sides ? head_sides(t, v, of->protocol) : head_one(t, v, of->protocol);
    }
    t->protocol = of->protocol;
    sides ? row_sides(t, v, of) : row_one(t, v, of);
}

void limits_table(struct text *out, const struct limits_view *v)
{
    struct table t = {.out = out, .published = anything_published(v)};

    limits_each_row(v, take_row, &t);
    text_add(out, "\n");
}
