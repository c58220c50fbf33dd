/* report/csv_priv.h — one record of CSV being written.
 * Shape    {.out = text}, then a field after another; the caller ends the line.
 * Limits   RFC 4180 quoting; records end in a line feed alone, for the tools of this platform.
 * Errors   those of base/text.h.                 Threads  no state. */
#ifndef LOADLINE_REPORT_CSV_PRIV_H
#define LOADLINE_REPORT_CSV_PRIV_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

struct report_csv {
    struct text *out;
    bool begun;
};

void report_csv_field(struct report_csv *rec, const char *s);
void report_csv_count(struct report_csv *rec, uint64_t value);
/* Empty where the value is not known. */
void report_csv_known(struct report_csv *rec, bool known, uint64_t value);
void report_csv_number(struct report_csv *rec, bool known, double value);

#endif
