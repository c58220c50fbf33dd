/* A line a ceiling: of one target with load, latency and what stopped it; of several, or where something was
 * published, value beside value. */
#include "report/limits_report_priv.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    END_TITLE = 20, /* "synchronous write 512" is cut, nothing else */
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
        snprintf(name[i], sizeof name[i], "%c", report_side_letter(i + 1));
        put_side(&c, t, v, i, &(struct side_cells){name[i], "published", "off", "±"});
    }
    report_columns_head_end(&c);
    rule_sides(&c, t, v);
}

static const char *value_of(char buf[CELL_MAX], const struct table *t, const struct ceiling *c)
{
    if (t->published && limits_has_value(c) && c->metric == CEILING_LATENCY)
        return limits_cell_band_of(buf, c);
    return c ? limits_cell_of(buf, c) : "-";
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

        put_side(&c, t, v, i,
                 &(struct side_cells){value_of(value, t, one),
                                      limits_cell_published(published, p, of->metric),
                                      limits_cell_off(off, limits_off_frac(p, one)),
                                      one ? limits_cell_half(half, one) : "-"});
    }
    report_columns_end(&c);
}

/* One target: columns by whether something was published, which takes the place of latencies. */
struct one_place {
    unsigned value, published, off, half, streams, p50, p99, stopped;
};

static struct one_place place_one(const struct table *t)
{
    return t->published
               ? (struct one_place){.value = 32,
                                    .published = 44,
                                    .off = 51,
                                    .streams = 59,
                                    .stopped = 61}
               : (struct one_place){
                     .value = 32, .half = 38, .streams = 46, .p50 = 55, .p99 = 64, .stopped = 66};
}

static void put_at(struct report_columns *c, unsigned end, const char *s)
{
    if (end)
        report_columns_right(c, end, s);
}

struct one_cells {
    const char *value, *published, *off, *half, *streams, *p50, *p99;
};

static void put_one(struct report_columns *c, const struct one_place *at,
                    const struct one_cells *cells)
{
    put_at(c, at->value, cells->value);
    put_at(c, at->published, cells->published);
    put_at(c, at->off, cells->off);
    put_at(c, at->half, cells->half);
    put_at(c, at->streams, cells->streams);
    put_at(c, at->p50, cells->p50);
    put_at(c, at->p99, cells->p99);
}

static void rule_one(struct report_columns *c, const struct one_place *at)
{
    const unsigned end[] = {at->value,   at->published, at->off, at->half,
                            at->streams, at->p50,       at->p99};
    unsigned from = END_TITLE;

    report_columns_rule(c, 0, END_TITLE);
    for (size_t i = 0; i < sizeof end / sizeof end[0]; i++) {
        if (end[i])
            report_columns_rule(c, from + 1, end[i]);
        from = end[i] ? end[i] : from;
    }
    report_columns_rule(c, at->stopped, END_STOPPED);
    report_columns_end(c);
}

static void head_one(struct table *t, const struct limits_view *v, const char *protocol)
{
    struct report_columns c = report_columns_begin(t->out, v->width);
    const struct one_place at = place_one(t);

    report_columns_left(&c, 0, protocol);
    put_one(&c, &at,
            &(struct one_cells){"value", "published", "off", "±", "streams", "p50", "p99"});
    report_columns_left(&c, at.stopped, "stopped by");
    report_columns_head_end(&c);
    rule_one(&c, &at);
}

static void row_one(struct table *t, const struct limits_view *v, const struct ceiling *of)
{
    struct report_columns c = report_columns_begin(t->out, v->width);
    const struct one_place at = place_one(t);
    const struct limits_published_row *p = limits_published_beside(v, of);
    const char *stopped;
    char value[CELL_MAX], published[CELL_MAX], off[CELL_MAX], half[CELL_MAX];
    char streams[CELL_MAX] = "-", p50[CELL_MAX] = "-", p99[CELL_MAX] = "-";

    if (limits_has_value(of)) {
        report_cell_count(streams, of->knee_streams);
        report_cell_ns(p50, of->latency.p50_ns);
        report_cell_ns(p99, of->latency.p99_ns);
    }
    report_columns_short(&c, 0, END_TITLE, limits_title(of));
    put_one(&c, &at,
            &(struct one_cells){value_of(value, t, of),
                                limits_cell_published(published, p, of->metric),
                                limits_cell_off(off, limits_off_frac(p, of)),
                                limits_cell_half(half, of), streams, p50, p99});
    stopped = limits_cell_stopped(of);
    if (!c.md && of->limiter && stopped == of->limiter->words &&
        report_columns_width(stopped) > end_stopped(v) - at.stopped)
        stopped = of->limiter->rule; /* the words stand below */
    report_columns_short(&c, at.stopped, end_stopped(v), stopped);
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
    bool sides = v->c->targets > 1;

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
