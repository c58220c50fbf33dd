/* report/columns_priv.h — lines of cells, facts and titles, as text or as Markdown.
 * Shape    a `columns` puts cells into a line at fixed places; report_fact wraps words behind a label.
 * Units    widths in columns of a terminal, counted in code points.
 * Limits   control characters print as '?'.
 * Errors   out of memory sets text.failed.       Threads  no state. */
#ifndef LOADLINE_REPORT_COLUMNS_PRIV_H
#define LOADLINE_REPORT_COLUMNS_PRIV_H

#include "report/report.h"

struct report_columns {
    struct text *out;
    bool md;
    unsigned at;    /* columns filled so far; cells in Markdown */
    uint64_t lefts; /* Markdown: bit i: cell i was put with report_columns_left */
};

struct report_columns report_columns_begin(struct text *out, unsigned width);

unsigned report_columns_width(const char *s);
/* Ends at column `end`; where there is no room it follows after one blank. In Markdown each call is
 * a cell, so a head needs as many as the lines below it; an empty one to the left is nothing in text. */
void report_columns_right(struct report_columns *c, unsigned end, const char *s);
void report_columns_left(struct report_columns *c, unsigned start, const char *s);
/* What has no room loses its middle; at least five columns. */
void report_columns_short(struct report_columns *c, unsigned start, unsigned end, const char *s);
void report_columns_end(struct report_columns *c);
/* Ends the line that names the columns: Markdown has its own rule below, and no other. */
void report_columns_head_end(struct report_columns *c);
void report_columns_rule(struct report_columns *c, unsigned start, unsigned end);

/* "label         words …", wrapped at `width` and indented below the first word. A word longer than
 * a line is shortened in its middle. */
void report_fact(struct text *out, unsigned width, const char *label, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* One line, without control characters, shortened in its middle; a heading in Markdown. */
void report_title(struct text *out, unsigned width, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The same, but no heading: an item of a list in Markdown. */
void report_line(struct text *out, unsigned width, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Around what is drawn with characters; nothing in text. */
void report_drawing_begin(struct text *out, unsigned width);
void report_drawing_end(struct text *out, unsigned width);
unsigned report_width(const struct report_style *style);
bool report_is_md(unsigned width);
bool report_is_wide(unsigned width); /* shows every column there is */

#endif
