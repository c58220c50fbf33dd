/* result/result_priv.h — how a struct result and its JSON document become each other.
 * Shape    a shape is the table of a struct's members: key, kind, place. result_print_shape and
 *          result_read_shape walk it, so that what is written and what is read cannot differ; a
 *          new member is one row in result_fields.c (and one in docs/result.schema.json).
 * Units    as the members'.
 * Limits   the RESULT_*_MAX of lists; numbers above 2^63−1 are strings of digits, because JSON
 *          readers keep integers in signed 64 bits.
 * Errors   -EINVAL and where, -ENOMEM.           Threads  no state.
 * Source   tests/unit/test_result.c, tests/fuzz/fuzz_result.c. */
#ifndef LOADLINE_RESULT_RESULT_PRIV_H
#define LOADLINE_RESULT_RESULT_PRIV_H

#include "result/result.h"

#include <jansson.h>

#define RESULT_FACTS_MAX   4096
#define RESULT_ERRORS_MAX  1024
#define RESULT_SLOWEST_MAX 8
#define RESULT_HIST_SCHEME "log-linear-7" /* the 7 is HIST_SUB_BITS */

enum field_kind {
    FIELD_U64,
    FIELD_U32,
    FIELD_BOOL,
    FIELD_CHARS,     /* array of `max` chars, closed by NUL */
    FIELD_TEXT,      /* char *, owned */
    FIELD_STATE,     /* enum result_state, as a word */
    FIELD_STRUCT,    /* nested, of `shape` */
    FIELD_LIST,      /* pointer to elements of `shape`, owned; how many is at count_off */
    FIELD_SLOTS,     /* array of `max` elements of `shape`; how many are used is at count_off */
    FIELD_FACTS,     /* struct result_facts */
    FIELD_HIST,      /* struct hist */
    FIELD_SPARSE,    /* struct sparse_hist */
    FIELD_SCHEME,    /* no member: names the buckets of a histogram */
    FIELD_BUCKETS,   /* struct sparse_hist: its buckets and counts */
    FIELD_INTERVALS, /* struct series: those of its lines that are not quiet */
    FIELD_I64,
    FIELD_NUMBER,  /* double; NAN is null */
    FIELD_END,     /* enum track_end, as a word */
    FIELD_KIND,    /* enum track_kind, as a word */
    FIELD_VALUES,  /* struct track: its values */
    FIELD_DERIVED, /* struct result_line: what a reader could compute; ignored when read */
};

struct shape;

struct field {
    const char *key;
    enum field_kind kind;
    size_t off;
    size_t max; /* U32: largest value; CHARS: room; LIST, SLOTS: elements */
    size_t count_off;
    const struct shape *shape;
    bool
        optional; /* CHARS, LIST, STRUCT: there is no such member where it is "" or none, by count_off */
};

struct shape {
    const struct field *field;
    unsigned fields;
    size_t bytes; /* of the struct */
};

/* One line in one interval, as it stands in the document. */
struct interval_entry {
    uint32_t interval;
    uint32_t line;
    struct series_line body;
};

/* Of an optional field: there is nothing in it. */
bool result_field_empty(const struct field *f, const void *base);

extern const struct shape result_shape; /* without "schema" and "seal" */
extern const struct shape result_fact_shape;
extern const struct shape result_sparse_shape;
extern const struct shape result_interval_shape;

extern const char *const result_state_name[3];

__attribute__((warn_unused_result)) int
result_print_shape(const struct shape *shape, const void *base, json_t **out, struct err *err);
/* Fills a zeroed struct. On error it is half filled and still the caller's to finish. */
__attribute__((warn_unused_result)) int result_read_shape(const struct shape *shape, json_t *obj,
                                                          void *base, struct err *err);

__attribute__((warn_unused_result)) int result_print_hist(const struct hist *h, json_t **out,
                                                          struct err *err);
__attribute__((warn_unused_result)) int result_read_hist(json_t *v, struct hist *h,
                                                         struct err *err);
__attribute__((warn_unused_result)) int result_print_sparse(const struct sparse_hist *s,
                                                            json_t **out, struct err *err);
__attribute__((warn_unused_result)) int result_read_sparse(json_t *v, struct sparse_hist *s,
                                                           struct err *err);
__attribute__((warn_unused_result)) int result_print_buckets(const struct sparse_hist *s,
                                                             json_t **out, struct err *err);
__attribute__((warn_unused_result)) int result_read_buckets(json_t *v, struct sparse_hist *s,
                                                            struct err *err);
uint64_t result_sparse_count(const struct sparse_hist *s);

__attribute__((warn_unused_result)) int result_print_intervals(const struct series *s, json_t **out,
                                                               struct err *err);
__attribute__((warn_unused_result)) int result_read_intervals(json_t *v, struct series *s,
                                                              struct err *err);
__attribute__((warn_unused_result)) int result_print_derived(const struct result_line *line,
                                                             json_t **out, struct err *err);

/* result_tracks.c */
__attribute__((warn_unused_result)) int result_read_i64(json_t *v, int64_t *out, struct err *err);
/* NULL: no memory, or a number that JSON does not have. */
json_t *result_print_number(double v);
__attribute__((warn_unused_result)) int result_read_number(json_t *v, double *out, struct err *err);
__attribute__((warn_unused_result)) int result_read_end(json_t *v, enum track_end *out,
                                                        struct err *err);
__attribute__((warn_unused_result)) int result_read_kind(json_t *v, enum track_kind *out,
                                                         struct err *err);
__attribute__((warn_unused_result)) int result_print_values(const struct track *t, json_t **out,
                                                            struct err *err);
__attribute__((warn_unused_result)) int result_read_values(json_t *v, struct track *t,
                                                           struct err *err);
__attribute__((warn_unused_result)) int result_check_tracks(const struct result *r,
                                                            struct err *err);

/* NULL: no memory. */
__attribute__((warn_unused_result)) json_t *result_print_u64(uint64_t v);

/* A copy in which each byte that is not part of UTF-8 is written as \xHH, cut between characters
 * to at most `max` bytes. NULL: no memory. */
__attribute__((warn_unused_result)) char *result_utf8(const char *bytes, size_t max);

/* What no single member can tell: numbers that must agree, keys that must differ. */
__attribute__((warn_unused_result)) int result_check(const struct result *r, struct err *err);

/* The seal of a document that has none in it. */
__attribute__((warn_unused_result)) int result_seal_of(const json_t *doc, char seal[65],
                                                       struct err *err);
/* What result_parse does behind the seal. */
__attribute__((warn_unused_result)) int result_read(json_t *doc, struct result **out,
                                                    struct err *err);

#endif
