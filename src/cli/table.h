/* cli/table.h — a short list of things as text, CSV, JSON and Markdown.
 * Shape    columns are declared once; table_init, table_add… row by row, table_print. A column has a
 *          heading for people, a key for machines, or both.
 * Limits   text: columns as wide as what stands in them; those marked `gives` are cut in their middle
 *          so that lines fit 80, the last one first, but none below 8.
 * Errors   out of memory shows in text.failed of what is printed.       Threads  values. */
#ifndef LOADLINE_CLI_TABLE_H
#define LOADLINE_CLI_TABLE_H

#include "base/text.h"
#include "report/report.h"

#include <stdint.h>

struct table_column {
    const char *head; /* NULL: not for people */
    const char *key;  /* NULL: not for machines */
    bool right;
    bool number; /* unquoted in JSON; "" is null */
    bool gives;
};

struct table {
    const struct table_column *column;
    unsigned columns;
    unsigned cells;
    unsigned room;
    char **cell; /* row by row */
    bool failed;
};

void table_init(struct table *t, const struct table_column *column, unsigned columns);
void table_fini(struct table *t);
/* Copies. NULL is "". */
void table_add(struct table *t, const char *cell);
void table_addf(struct table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void table_add_count(struct table *t, uint64_t count);
/* As "2026-11-30 21:45", of this place; "-" when 0. */
void table_add_when(struct table *t, uint64_t wall_ns);
void table_print(struct text *out, const struct table *t, enum report_format format, bool wide);

#endif
