/* report/report_priv.h — what the parts of report share: cells, columns, paragraphs, rows.
 * Shape    cells are short strings in the caller's buffer; a `columns` puts them into a line at
 *          fixed places; report_fact wraps words behind a label; a tree_row is what all repeats of
 *          one length and phase say together. The same calls make Markdown where `width` says so:
 *          lines of cells become rows of a table, facts a list, a title a heading.
 * Units    width: columns of a terminal, counted in code points, or one of REPORT_MD_….
 * Limits   a missing value is "-"; nothing prints nan or inf; control characters print as '?'.
 * Errors   out of memory sets text.failed.       Threads  no state. */
#ifndef LOADLINE_REPORT_REPORT_PRIV_H
#define LOADLINE_REPORT_REPORT_PRIV_H

#include "report/columns_priv.h"
#include "report/report.h"

#define CELL_MAX        48
#define REPORT_WIDTH    80
#define REPORT_NO_LIMIT 4096
/* Markdown: what reads it breaks the lines. */
#define REPORT_MD_SHORT 8192
#define REPORT_MD_WIDE  8193
/* Above these a row or a run is marked (docs/measuring.md). */
#define REPORT_RAM_FRAC         0.02
#define REPORT_OWN_DELAY_FRAC   0.10
#define REPORT_SLOWEST_FRAC     0.80
#define REPORT_SERIES_FRAC      0.02 /* rate over time against what streams counted, either way */
#define REPORT_NULL_FRAC        0.10
#define REPORT_LITTLE_MOST_FRAC 1.05
/* Below these. A tree ends with its slowest thread, so less is no surprise there. */
#define REPORT_AT_TARGET_FRAC      0.95
#define REPORT_FAILED_TIME_FRAC    0.005
#define REPORT_TREE_AT_TARGET_FRAC 0.80
#define REPORT_STORED_FRAC         0.99
#define REPORT_SHORT_FRAC          0.90 /* of --min-time */

/* cells.c. All return buf. */
char *report_cell_number(char buf[CELL_MAX],
                         double value); /* three digits, or all before the point */
char *report_cell_count(char buf[CELL_MAX], uint64_t count);
char *report_cell_percent(char buf[CELL_MAX], double frac);   /* "1.2%", "57%" */
char *report_cell_length(char buf[CELL_MAX], uint64_t bytes); /* exact */
char *report_cell_ns(char buf[CELL_MAX], uint64_t ns);
char *report_cell_bytes(char buf[CELL_MAX], uint64_t bytes);
char *report_cell_ratio_ns(char buf[CELL_MAX], uint64_t ns, uint64_t per);
char *report_cell_date(char buf[CELL_MAX], uint64_t wall_ns);
/* Half an interval: as a percentage, but ">100%" above what a mean can bear. */
char *report_cell_half(char buf[CELL_MAX], double frac);
/* The share from RAM of a read, "0.0%", or of what is still dirty of a write, "98% d"; "ram", "n/v",
 * "-". */
char *report_cell_ram(char buf[CELL_MAX], const struct result *r);
/* No page of this machine is between the run and the target. */
bool report_without_cache(const struct result *r);
const char *report_or_empty(const char *s);
const char *report_or_dash(const char *s);
const char *report_option(const struct result *r, const char *key); /* "-" when absent */
/* What a published result leaves unsaid; NULL where all that was asked is known. */
const char *report_not_stated(const struct result *r);
uint64_t report_option_count(const struct result *r, const char *key, uint64_t otherwise);
const char *report_state_word(enum result_state state); /* "complete" "incomplete" "void" */

/* about.c: what heads and feet of all studies say. */
void report_about_run(struct text *out, struct result *const *results, unsigned n, unsigned width);
void report_about_target(struct text *out, const struct result *r, unsigned width);
void report_about_client_cache(struct text *out, const struct result *r, unsigned width);
/* A line for each side where they differ: one target may have a cache, and another none. */
void report_about_client_caches(struct text *out, struct result *const *results, unsigned n,
                                unsigned width);
void report_about_overhead(struct text *out, const struct result *r, unsigned width);
void report_about_errors(struct text *out, struct result *const *results, unsigned n,
                         unsigned width);
void report_about_states(struct text *out, struct result *const *results, unsigned n,
                         unsigned width);
/* Samples that were done and are in no number. */
void report_about_lost(struct text *out, struct result *const *results, unsigned n, unsigned width);
/* The longest time in which no completion was taken, above REPORT_OWN_DELAY_FRAC of service p50. */
bool report_about_own_delay(const struct result *r);

/* about_client.c: quiet where nothing is between, a local file system. */
bool report_has_own_client(const struct result *r);
void report_about_client(struct text *out, const struct result *r, unsigned width);
/* All results together: RPCs an op and their times, outages, and whatever else was no plain answer; of the
 * kernel's client what went over the wire. */
void report_about_calls(struct text *out, const struct result *const *results, unsigned n,
                        unsigned width);
/* Both, of each side there is. */
void report_about_clients(struct text *out, struct result *const *results, unsigned n,
                          unsigned width);

/* "key=value unit, …" */
void report_about_facts(struct text *out, const char *label, const struct result_facts *facts,
                        unsigned width);

/* cache_proof.c: of one run, whether it read; whether it wrote. */
void report_about_cache_proof(struct text *out, const struct result *r, unsigned width);
void report_about_dirty(struct text *out, const struct result *r, unsigned width);
/* Of several the one to be doubted: with most from this machine's memory, with most dirty of what could
 * be; not verified is more than any. */
const struct result *report_most_from_memory(const struct result *const *results, unsigned n);
const struct result *report_most_dirty(const struct result *const *results, unsigned n);
/* Why nothing of all this can be known; quiet where it can. */
void report_about_backing(struct text *out, struct result *const *results, unsigned n,
                          unsigned width);

/* trust.c: what speaks against the numbers; quiet when nothing does. */
void report_about_trust(struct text *out, struct result *const *results, unsigned n,
                        unsigned width);
void report_about_idle_streams(struct text *out, struct result *const *results, unsigned n,
                               unsigned width);
/* Of one run, always. */
void report_about_at_target(struct text *out, const struct result *r, unsigned width);
void report_about_under_way(struct text *out, const struct result *r, unsigned width);
/* Ops of a closed loop that were not done when the window closed; all zero: none. */
struct report_under_way {
    double ops;
    uint64_t oldest_ns;
    const struct result_line *line; /* of the oldest */
};
struct report_under_way report_under_way_of(const struct result *r);
void report_about_content(struct text *out, const struct result *r, unsigned width);
/* Bytes that came into the cache of direct reads, of those that could have. */
double report_direct_cached_frac(const struct result *r);

/* tree_row.c */
struct report_row {
    struct result *const *repeats;
    unsigned n;
    uint64_t length_bytes;
    bool has_numbers;          /* false: every repeat is void */
    enum result_state counted; /* totals and quantiles are over the repeats of this state */
    unsigned counted_n;
    double ms; /* a tree; this and the rates: all counted repeats, work summed over time summed */
    double kib_per_s;
    double files_per_s;
    double half_frac;              /* of the repeats' ms; < 0: no interval */
    bool drifts;                   /* so it has none */
    unsigned passes;               /* the most of a counted repeat: trees written, or passes read */
    const struct result *lines_of; /* has the row's flowops in their order */
    const struct result *most_ram; /* the repeat with the largest share from RAM */
    bool any_incomplete;
    bool any_void;
    bool any_short;
    uint64_t errors;
};

struct report_flowop {
    const char *name;
    uint64_t ops;
    uint64_t bytes;
    uint64_t samples;
    struct hist service;
};

/* -ENOMEM. */
__attribute__((warn_unused_result)) int report_row_of(struct report_row *row,
                                                      struct result *const *repeats, unsigned n);
bool report_row_counts(const struct report_row *row, const struct result *r);
double report_tree_ms(const struct result *r);
double report_tree_kib_per_s(const struct result *r);
double report_tree_files_per_s(const struct result *r);
/* Complete, yet shorter than REPORT_SHORT_FRAC of --min-time: k had its bound, or the pilot was
 * slow. */
bool report_tree_short(const struct result *r);
/* All counted repeats of the line with that name. */
void report_row_pool(const struct report_row *row, const char *name, struct report_flowop *out);
/* The flowop with the largest p99; false when nothing was sampled. -ENOMEM. */
__attribute__((warn_unused_result)) int report_row_slowest(const struct report_row *row,
                                                           const char **name, uint64_t *p99_ns);
/* Has not the ± that --until-ci asked for. */
bool report_row_wide(const struct report_row *row);
/* "verified RAM", "INC ERR", "SHORT" …; "" when there is nothing to say. */
void report_row_marks(const struct report_row *row, char buf[CELL_MAX]);

/* Calls `take` with the repeats of each row, as they were measured; rows in the order asked, or of
 * their first appearance where that is not told. phase NULL: any. -ENOMEM. */
__attribute__((warn_unused_result)) int
report_rows_each(struct result *const *results, unsigned n, const char *phase,
                 void (*take)(void *ctx, struct result *const *repeats, unsigned n), void *ctx);

/* The forms. */
void report_table_head(struct text *out, struct result *const *results, unsigned n, unsigned width);
void report_table_columns(struct text *out, unsigned width);
void report_table_row(struct text *out, const struct report_row *row, unsigned width);
void report_table_foot(struct text *out, struct result *const *results, unsigned n, unsigned width);
/* tree_turns.c: sides count from 1, A; 0: the results of a study with one target. */
unsigned report_side(const struct result *r);
char report_side_letter(unsigned side);
unsigned report_sides(struct result *const *results, unsigned n);
/* The first result of the first side there is; n > 0. */
const struct result *report_first_side(struct result *const *results, unsigned n);
/* Calls `take` with the results of each side there is. -ENOMEM. */
__attribute__((warn_unused_result)) int
report_sides_each(struct result *const *results, unsigned n,
                  void (*take)(void *ctx, struct result *const *repeats, unsigned n), void *ctx);
void report_turns_columns(struct text *out, unsigned sides, unsigned width);
/* A line for each side. */
void report_turns_row(struct text *out, struct result *const *repeats, unsigned n, unsigned width);
void report_turns_foot(struct text *out, struct result *const *results, unsigned n, unsigned width);
/* The target, or that of each side. */
void report_about_sides(struct text *out, struct result *const *results, unsigned n,
                        unsigned width);
/* Begins with an empty line. */
void report_wide_row(struct text *out, const struct report_row *row, unsigned width);
void report_tree_about(struct text *out, struct result *const *results, unsigned n, unsigned width);
void report_classic_head(struct text *out, const struct result *first, unsigned width);
void report_classic_row(struct text *out, struct result *const *repeats, unsigned n,
                        unsigned width);
void report_classic_foot(struct text *out, struct result *const *results, unsigned n,
                         unsigned width);
/* In classic form the rows of the study's other phase make a table of their own in the foot. */
bool report_classic_row_waits(const struct result *r);
void report_io_text(struct text *out, struct result *const *results, unsigned n, unsigned width);
/* A study of workload files. */
bool report_is_run(const struct result *r);
void report_run_text(struct text *out, struct result *const *results, unsigned n, unsigned width);
void report_run_filebench(struct text *out, const struct result *r,
                          const struct report_style *style);
/* io_asked.c: what was asked for; `otherwise` where the result is older than the option, or it says "none". */
void report_io_asked(struct text *out, const struct result *r, unsigned width);
const char *report_io_chosen(const struct result *r, const char *key, const char *otherwise);
/* io_late.c: of an open loop; of an asynchronous target. */
void report_about_lateness(struct text *out, const struct result *r, const struct hist *response,
                           unsigned width);
void report_about_delay(struct text *out, const struct result *r, unsigned width);
/* When the slowest op was done. */
struct report_slowest {
    const struct result_line *line;
    uint64_t ns;
    bool under_way; /* not done when the window closed: ns is how long by then */
    bool found;     /* in an interval; what was not done when the window closed is in none */
    uint64_t from_ns;
    uint64_t to_ns; /* into the window */
};
/* By response where there is one; line NULL: no sample. */
struct report_slowest report_slowest_of(const struct result *r);
void report_io_rate_over_time(struct text *out, const struct result *r, unsigned width);
/* How often samples of one interval were counted in the one before. */
double report_intervals_smeared(const struct result *r);
void report_csv_head(struct text *out);
void report_csv_rows(struct text *out, const struct result *r);
__attribute__((warn_unused_result)) int
report_json_array(struct text *out, struct result *const *results, unsigned n, struct err *err);

#endif
