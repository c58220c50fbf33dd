/* cli/study_values.h — options that several commands share, and their tables.
 * Shape    one struct of values per table group; the tables point into it by offset.
 * Units    ns, bytes.                            Threads  values. */
#ifndef LOADLINE_CLI_STUDY_VALUES_H
#define LOADLINE_CLI_STUDY_VALUES_H

#include "cli/options.h"
#include "report/report.h"

/* What --stall accepts. */
#define STALL_MIN_NS UINT64_C(100000000)
#define STALL_MAX_NS (7 * UINT64_C(86400000000000))

#define LENGTHS_MAX 256

/* Where results are kept and how they are shown. */
struct output_values {
    const char *db; /* NULL: the usual place; "none" */
    const char *file;
    bool force;
    bool wide;
    bool quiet;
    int format; /* enum report_format */
};

extern const struct option_table output_db_table;     /* --db */
extern const struct option_table output_format_table; /* --format --wide */
extern const struct option_table output_file_table;   /* -o --force */
extern const struct option_table output_quiet_table;  /* --quiet */

/* What every study is told. */
struct study_values {
    const char *label;
    const char *system;
    const char *software;
    uint64_t seed;
    uint64_t stall_ns;
    uint64_t max_memory_bytes;
    uint64_t workers;
    int resolve; /* enum study_resolve */
};

extern const struct option_table study_table;
extern const unsigned study_given_seed;

extern const char *const cache_words[]; /* enum study_client_cache */

struct length_list {
    unsigned n;
    uint64_t bytes[LENGTHS_MAX];
};

/* "2,4k,1m", "2..1536k" (those of 2001 in between), or both mixed; for OPTION_OWN_PARSER. */
int length_list_parse(const char *text, void *list, struct err *err);
#define LENGTH_LIST_ACCEPTS                                                                        \
    "sizes from 1 to 1t such as 2,4k,1m, or 2..64k for those of the forty lengths of 2001 "        \
    "in between"

/* "5%" or "5", as a fraction (double); for OPTION_OWN_PARSER. */
int until_ci_parse(const char *text, void *frac, struct err *err);
#define UNTIL_CI_ACCEPTS "a percentage from 0.1% to 100%"

#endif
