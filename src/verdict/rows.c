#include "verdict/rows.h"

#include "base/shown.h"
#include "base/units.h"
#include "verdict/rows_priv.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_RAW_MAX 320

static const struct {
    const char *name;
    bool more_is_better;
    double resolution_frac;
} metrics[ROWS_METRICS] = {
    [ROWS_OPS] = {"ops", true, 0},
    [ROWS_BYTES] = {"bytes", true, 0},
    [ROWS_TIME] = {"time", false, 0},
    [ROWS_P50] = {"p50", false, 0.5 / (1 << HIST_SUB_BITS)},
    [ROWS_P95] = {"p95", false, 0.5 / (1 << HIST_SUB_BITS)},
    [ROWS_P99] = {"p99", false, 0.5 / (1 << HIST_SUB_BITS)},
    [ROWS_P999] = {"p99.9", false, 0.5 / (1 << HIST_SUB_BITS)},
    [ROWS_MAX] = {"max", false, 0},
};

const char *rows_metric_name(enum rows_metric metric)
{
    return metrics[metric].name;
}

bool rows_metric_more_is_better(enum rows_metric metric)
{
    return metrics[metric].more_is_better;
}

double rows_metric_resolution_frac(enum rows_metric metric)
{
    return metrics[metric].resolution_frac;
}

int rows_metric_find(const char *name, size_t len, enum rows_metric *out, struct err *err)
{
    for (unsigned i = 0; i < ROWS_METRICS; i++) {
        if (strlen(metrics[i].name) == len && memcmp(metrics[i].name, name, len) == 0) {
            *out = (enum rows_metric)i;
            return 0;
        }
    }
    return err_set(err, -EINVAL,
                   "\"%.*s\" is not a metric: there are ops, bytes, time, p50, p95, p99, p99.9 and "
                   "max",
                   (int)(len < 40 ? len : 40), name);
}

/* ---- names ---- */

static const char *skip_blanks(const char *s)
{
    while (isspace((unsigned char)*s))
        s++;
    return s;
}

/* The next letter of a name: capitals are small, a run of blanks is one, and none stands at the
 * end. */
static char next_letter(const char **s)
{
    const char *at = skip_blanks(*s);
    bool blank = at > *s;

    *s = blank || *at == '\0' ? at : at + 1;
    return blank && *at ? ' ' : (char)tolower((unsigned char)*at);
}

bool rows_same_name(const char *a, const char *b)
{
    char letter;

    a = skip_blanks(a);
    b = skip_blanks(b);
    do {
        letter = next_letter(&a);
        if (letter != next_letter(&b))
            return false;
    } while (letter != '\0');
    return true;
}

static uint64_t length_of(const struct result *r)
{
    double length = result_fact_number(&r->options, "length_bytes", 0);

    return length >= 0 && length < 1.8e19 ? (uint64_t)length : 0;
}

/* Rounded to two decimals two lengths could look alike; then it is told in KiB or bytes. */
static void print_length(uint64_t bytes, char *buf, size_t room)
{
    char words[UNITS_PRINT_MAX];
    uint64_t back;

    if (bytes % 1024 != 0)
        snprintf(buf, room, "%" PRIu64 " B", bytes);
    else if (units_parse_bytes(units_print_bytes(words, bytes), &back, NULL) == 0 && back == bytes)
        snprintf(buf, room, "%s", words);
    else
        snprintf(buf, room, "%" PRIu64 " KiB", bytes / 1024);
}

/* Results come from other machines too: what a name may not do to a terminal is written out. */
static void shown_name(const char *name, char out[ROWS_NAME_MAX])
{
    char shown[SHOWN_MAX];
    size_t at = 0;

    for (size_t len; (len = shown_next(name, shown)) > 0; name += len) {
        size_t more = strlen(shown);
        if (at + more >= ROWS_NAME_MAX)
            break;
        memcpy(out + at, shown, more);
        at += more;
    }
    out[at] = '\0';
}

static void tree_name(const struct result *r, char name[ROWS_NAME_MAX])
{
    char length[UNITS_PRINT_MAX], raw[ROWS_NAME_MAX];

    print_length(length_of(r), length, sizeof length);
    snprintf(raw, sizeof raw, "%s %s", length, r->phase[0] ? r->phase : r->study);
    shown_name(raw, name);
}

/* "varmail", of a further run in one file "varmail run 2"; behind it the flowop. */
static void workload_name(const struct result *r, const char *line, char name[ROWS_NAME_MAX])
{
    const char *workload = result_fact_get(&r->options, "workload");
    double run = result_fact_number(&r->options, "script_run", 1);
    char raw[ROWS_RAW_MAX], number[32] = "";

    if (run > 1 && run < 1e9)
        snprintf(number, sizeof number, " run %u", (unsigned)run);
    snprintf(raw, sizeof raw, "%s%s%s%s", workload ? workload : r->study, number,
             line[0] ? " " : "", line);
    shown_name(raw, name);
}

/* ---- building ---- */

/* A row on its way, with what it is sorted by. */
struct draft {
    struct row row;
    unsigned group; /* phase or line, by first appearance */
    uint64_t length;
};

struct drafts {
    unsigned n;
    struct draft *draft;
};

/* The group of rows that differ in length only: those of the draft's phase, or a new one. */
static unsigned group_of(const struct drafts *d, const struct result *r)
{
    unsigned next = 0;

    for (unsigned i = 0; i < d->n; i++) {
        const struct draft *at = &d->draft[i];
        const struct result *first = at->row.run[0].result;
        if (row_is_tree(r) && row_is_tree(first) && strcmp(first->phase, r->phase) == 0)
            return at->group;
        next = at->group >= next ? at->group + 1 : next;
    }
    return next;
}

static int draft_for(struct drafts *d, const char *name, const struct result *r, struct draft **out)
{
    for (unsigned i = 0; i < d->n; i++) {
        if (rows_same_name(d->draft[i].row.name, name)) {
            *out = &d->draft[i];
            return 0;
        }
    }
    struct draft *more = realloc(d->draft, (d->n + 1) * sizeof *more);
    if (!more)
        return -ENOMEM;
    d->draft = more;
    more[d->n] = (struct draft){.group = group_of(d, r), .length = length_of(r)};
    snprintf(more[d->n].row.name, ROWS_NAME_MAX, "%s", name);
    snprintf(more[d->n].row.workload_hash, sizeof more->row.workload_hash, "%s", r->workload_hash);
    more[d->n].row.one_workload = true;
    *out = &more[d->n++];
    return 0;
}

/* Words of a user may choose a result twice; counted twice it would look like a steady pair. */
static bool has_run(const struct row *row, const struct result *r)
{
    for (unsigned i = 0; i < row->n; i++)
        if (row->run[i].result->run == r->run &&
            strcmp(row->run[i].result->study_id, r->study_id) == 0)
            return true;
    return false;
}

static int add_run(struct drafts *d, const char *name, bool told, const struct row_run *run)
{
    struct draft *draft;
    int rc = draft_for(d, name, run->result, &draft);
    if (rc < 0 || has_run(&draft->row, run->result))
        return rc;
    struct row *row = &draft->row;
    struct row_run *more = realloc(row->run, (row->n + 1) * sizeof *more);
    if (!more) {
        d->n -= row->n == 0;
        return -ENOMEM;
    }
    row->run = more;
    row->run[row->n++] = *run;
    row->told = told;
    row->one_workload &= strcmp(row->workload_hash, run->result->workload_hash) == 0;
    return 0;
}

static void line_name(const struct result *r, const char *line, char name[ROWS_NAME_MAX])
{
    if (row_is_workload(r))
        workload_name(r, line, name);
    else
        shown_name(line[0] ? line : "all", name);
}

static int add_total(struct drafts *d, const struct result *r)
{
    char name[ROWS_NAME_MAX];
    struct row_run run;
    int rc = row_values_line(r, ROW_ALL_LINES, &run);

    line_name(r, "", name);
    return rc == 0 ? add_run(d, name, !row_is_workload(r), &run) : rc;
}

static int add_lines(struct drafts *d, const struct result *r)
{
    char name[ROWS_NAME_MAX];
    struct row_run run;
    int rc = 0;

    for (uint32_t l = 0; rc == 0 && l < r->lines; l++) {
        if (!row_has_line(r, l))
            continue;
        line_name(r, r->line[l].name, name);
        rc = row_values_line(r, l, &run);
        if (rc == 0)
            rc = add_run(d, name, row_is_workload(r), &run);
    }
    if (rc == 0 && (r->lines > 1 || row_is_workload(r)))
        rc = add_total(d, r);
    return rc;
}

static int add_result(struct drafts *d, const struct result *r)
{
    char name[ROWS_NAME_MAX];
    struct row_run run;

    if (!row_is_tree(r))
        return add_lines(d, r);
    tree_name(r, name);
    row_values_tree(r, &run);
    return add_run(d, name, false, &run);
}

static int by_beginning(const void *a, const void *b)
{
    const struct result *x = ((const struct row_run *)a)->result;
    const struct result *y = ((const struct row_run *)b)->result;

    if (x->begun_wall_ns != y->begun_wall_ns)
        return x->begun_wall_ns < y->begun_wall_ns ? -1 : 1;
    return x->run < y->run ? -1 : x->run > y->run;
}

static int by_place(const void *a, const void *b)
{
    const struct draft *x = a, *y = b;

    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return x->length < y->length ? -1 : x->length > y->length;
}

static int finish(struct drafts *d, struct rows *out)
{
    struct row *row = calloc(d->n ? d->n : 1, sizeof *row);
    if (!row)
        return -ENOMEM;
    qsort(d->draft, d->n, sizeof *d->draft, by_place);
    for (unsigned i = 0; i < d->n; i++) {
        row[i] = d->draft[i].row;
        qsort(row[i].run, row[i].n, sizeof *row[i].run, by_beginning);
    }
    *out = (struct rows){.n = d->n, .row = row};
    return 0;
}

int rows_of(struct result *const *results, unsigned n, struct rows *out)
{
    struct drafts d = {.draft = malloc(sizeof *d.draft)};
    int rc = d.draft ? 0 : -ENOMEM;

    for (unsigned i = 0; rc == 0 && i < n; i++)
        rc = add_result(&d, results[i]);
    if (rc == 0)
        rc = finish(&d, out);
    for (unsigned i = 0; rc < 0 && i < d.n; i++)
        free(d.draft[i].row.run);
    free(d.draft);
    return rc;
}

void rows_fini(struct rows *rows)
{
    for (unsigned i = 0; i < rows->n; i++)
        free(rows->row[i].run);
    free(rows->row);
    *rows = (struct rows){0};
}

const struct row *rows_find(const struct rows *rows, const char *name)
{
    for (unsigned i = 0; i < rows->n; i++)
        if (rows_same_name(rows->row[i].name, name))
            return &rows->row[i];
    return NULL;
}
