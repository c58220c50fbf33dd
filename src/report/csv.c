#include "report/csv_priv.h"

#include "base/shown.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define NUMBER_MAX 48

void report_csv_field(struct report_csv *rec, const char *s)
{
    char shown[SHOWN_MAX];
    bool quoted = strpbrk(s, ",\"");

    if (rec->begun)
        text_add(rec->out, ",");
    rec->begun = true;
    text_add(rec->out, quoted ? "\"" : "");
    for (size_t len; (len = shown_next(s, shown)) > 0; s += len)
        text_add(rec->out, *s == '"' ? "\"\"" : shown);
    text_add(rec->out, quoted ? "\"" : "");
}

void report_csv_count(struct report_csv *rec, uint64_t value)
{
    char buf[NUMBER_MAX];

    snprintf(buf, sizeof buf, "%" PRIu64, value);
    report_csv_field(rec, buf);
}

void report_csv_known(struct report_csv *rec, bool known, uint64_t value)
{
    if (known)
        report_csv_count(rec, value);
    else
        report_csv_field(rec, "");
}

void report_csv_number(struct report_csv *rec, bool known, double value)
{
    char buf[NUMBER_MAX];

    if (!known || !isfinite(value)) {
        report_csv_field(rec, "");
        return;
    }
    snprintf(buf, sizeof buf, "%.6g", value);
    report_csv_field(rec, buf);
}
