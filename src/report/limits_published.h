/* report/limits_published.h — ceilings that others published, to be printed beside those of limits.
 * Shape    shipped ones by name, of a model by the model's name; others from the text of a file:
 *          protocol,row,unit,low,high and any line more, units GiB/s MiB/s IOPS us; low and high are the same unless
 *          a band was published.
 * Units    as struct ceiling: bytes/s, ops/s, ns.
 * Limits   LIMITS_PUBLISHED_MAX rows of a file.
 * Errors   -EINVAL with the line, -ENOMEM.       Threads  values; shipped ones are constant.
 * Source   data/sun7410-limits.csv, made into C by cmake/published.cmake; tests/unit/test_limits_published.c. */
#ifndef LOADLINE_REPORT_LIMITS_PUBLISHED_H
#define LOADLINE_REPORT_LIMITS_PUBLISHED_H

#include "base/err.h"

#include <stdbool.h>

#define LIMITS_PUBLISHED_MAX 256

struct limits_published_row {
    char protocol[16];
    char row[32];
    double low;
    double high;
    bool about; /* published with a "~" */
};

struct limits_published {
    char name[64]; /* "2009-barcelona", or the file */
    unsigned n;
    struct limits_published_row row[LIMITS_PUBLISHED_MAX];
};

/* One row of the shipped file. */
struct limits_shipped_row {
    const char *system; /* "barcelona" */
    const char *protocol;
    const char *op;
    unsigned io_bytes; /* 0: streaming */
    const char *from;
    const char *unit;
    double low;
    double high;
    bool about;
};
extern const struct limits_shipped_row limits_shipped_row[];
extern const unsigned limits_shipped_rows;

/* The `index`th shipped name; NULL behind the last. */
const char *limits_published_name(unsigned index);
/* By a name as above, or by that of a model, "sun7410-barcelona"; false: nothing was. */
bool limits_published_find(const char *name, struct limits_published *out);
__attribute__((warn_unused_result)) int limits_published_parse(const char *name, const char *text,
                                                               struct limits_published *out,
                                                               struct err *err);
/* NULL: that row was not published. */
const struct limits_published_row *limits_published_get(const struct limits_published *p,
                                                        const char *protocol, const char *row);

#endif
