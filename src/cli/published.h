/* cli/published.h — numbers that others published, shipped as results.
 * Shape    a name in, the results of one study out: a run per published row, state complete, with
 *          what the post says of the shape in its options and nothing that it does not say.
 * Units    bytes, ms of one tree.
 * Limits   the post leaves chunk, content, sync and cache unknown (option "not_stated"), so its
 *          workload hash is that of no plan: systems of one post can be compared with each other
 *          only. The day of the runs is unknown too: begun is 0.
 * Errors   -ENOMEM.                              Threads  constant tables.
 * Source   data/dirtest-2001.csv, made into C by cmake/published.cmake; tests/cli/test_compare.py. */
#ifndef LOADLINE_CLI_PUBLISHED_H
#define LOADLINE_CLI_PUBLISHED_H

#include "result/result.h"

struct published_row {
    const char *name; /* "2001-netapp840" */
    const char *system;
    const char *phase; /* "write" "read" */
    unsigned length_bytes;
    unsigned elapsed_ms;
    /* As the posts print them; nothing here is made of them: they are what the arithmetic must give. */
    const char *space_kib; /* "10.5" */
    unsigned kib_per_s;
};

/* Rows of one name stand together, "write" first. */
extern const struct published_row published_row[];
extern const unsigned published_rows;

/* Of the shipped names the `index`th; NULL behind the last. */
const char *published_name(unsigned index);
bool published_is(const char *name);
/* *out and what is in it are freed with store_results_free. */
__attribute__((warn_unused_result)) int published_load(const char *name, struct result ***out,
                                                       unsigned *n);

/* How many rows come out as published, space and throughput, of their length and time; the first that does not is
 * *differs, else NULL. */
unsigned published_recompute(const struct published_row **differs);

#endif
