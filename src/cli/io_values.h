/* cli/io_values.h — the options of io.
 * Shape    the tables fill a struct io_values; io_values_take checks what belongs together.
 * Units    bytes, ns, per second, per cent.      Threads  values. */
#ifndef LOADLINE_CLI_IO_VALUES_H
#define LOADLINE_CLI_IO_VALUES_H

#include "cli/study_values.h"
#include "study/study.h"

struct io_blocks {
    unsigned n;
    struct io_block block[IO_BLOCKS_MAX];
};

struct io_values {
    uint64_t read_percent;
    uint64_t mix_read_percent;
    struct io_blocks blocks;
    uint64_t streams; /* of each client */
    uint64_t clients;
    uint64_t files;
    uint64_t size_bytes;
    double rate_per_s;
    int arrival; /* enum io_arrival */
    uint64_t time_ns;
    uint64_t warmup_ns;
    struct io_dist dist;
    int sync;  /* enum io_sync */
    int cache; /* enum study_client_cache */
    uint32_t compress_centi;
    uint64_t repeats;
    uint64_t max_repeats;
    double until_ci_frac;
    bool random;
    bool sequential;
    bool direct;
    bool keep;
    const char *destroy;
    bool print_fio;
};

extern const struct option_table io_mix_table;
extern const struct option_table io_load_table;
extern const struct option_table io_run_table;

/* io_parse.c, for OPTION_OWN_PARSER: what each writes. */
int io_parse_blocks(const char *text, void *io_blocks, struct err *err);
int io_parse_dist(const char *text, void *io_dist, struct err *err);
int io_parse_mix(const char *text, void *read_percent, struct err *err); /* uint64_t */
int io_parse_compress(const char *text, void *centi, struct err *err);   /* uint32_t */

/* given: of the three tables, in that order. -EINVAL names both options. */
__attribute__((warn_unused_result)) int io_values_take(const struct io_values *v,
                                                       const unsigned given[3],
                                                       struct io_options *out, struct err *err);

/* What was not given, where time is the target's own. */
void io_values_own_clock(const unsigned given[3], struct io_options *out);

#endif
