/* cli/limits_values.h — the options of limits.
 * Shape    the tables fill a struct limits_values; limits_values_take makes of it what the study is asked for.
 * Units    bytes, ns.                            Threads  values. */
#ifndef LOADLINE_CLI_LIMITS_VALUES_H
#define LOADLINE_CLI_LIMITS_VALUES_H

#include "cli/options.h"
#include "study/limits_options.h"

struct limits_only {
    unsigned n;
    const char *row[LIMITS_ROWS_MAX]; /* static */
};

struct limits_span {
    uint32_t from;
    uint32_t to;
};

struct limits_values {
    struct limits_only only;
    struct limits_span streams;
    uint64_t clients;
    bool precondition;
    uint64_t budget_ns;
    uint64_t max_bytes;
    bool yes;
    bool dry_run;
    bool keep;
    const char *destroy;
    uint64_t server_cache_bytes;
    uint64_t server_flash_bytes;
    const char *server_metrics;
    const char *server_csv;
    const char *hook_start;
    const char *hook_end;
    const char *published;
};

extern const struct option_table limits_load_table;
extern const struct option_table limits_room_table;
extern const struct option_table limits_server_table;
extern const struct option_table
    limits_published_table; /* --published, as show has it too: a const char * */

/* For OPTION_OWN_PARSER. */
int limits_parse_only(const char *text, void *limits_only, struct err *err);
int limits_parse_span(const char *text, void *limits_span, struct err *err);

__attribute__((warn_unused_result)) int
limits_values_take(const struct limits_values *v, struct limits_options *out, struct err *err);

#endif
