#include "cli/history.h"

#include "cli/console.h"

#include "stats/spread.h"
#include "stats/trend.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void history_open(struct history *h, const char *db, const char *row, enum rows_metric metric,
                  unsigned last)
{
    *h = (struct history){.row = row, .metric = metric, .last = last};
    select_open(&h->selector, db);
    text_init(&h->rows);
}

void history_close(struct history *h)
{
    for (unsigned i = 0; i < h->n; i++)
        selection_fini(&h->entry[i].selection);
    free(h->entry);
    text_fini(&h->rows);
    select_close(&h->selector);
}

/* ---- collecting ---- */

static int values_of(const struct row *row, enum rows_metric metric, struct history_entry *e)
{
    double *value = calloc(row->n, sizeof *value);
    struct spread spread;
    struct trend trend;
    int rc = 0;
    if (!value)
        return -ENOMEM;
    for (unsigned i = 0; i < row->n; i++)
        if (isfinite(row->run[i].value[metric]) && compare_run_is_good(row->run[i].result))
            value[e->n++] = row->run[i].value[metric];
    if (e->n > 0)
        rc = spread_of(value, e->n, &spread);
    if (e->n > 0 && rc == 0)
        rc = trend_of(value, e->n, &trend);
    if (e->n > 0 && rc == 0) {
        e->mean = spread.mean;
        if (spread.has_interval && spread.mean > 0 && !trend.found)
            e->half_frac = spread.half_95 / spread.mean;
    }
    free(value);
    return rc;
}

static bool known_row(const struct history *h, const char *name)
{
    size_t len = strlen(name);
    for (const char *line = h->rows.s; *line; line += strcspn(line, "\n") + 1)
        if (strncmp(line, name, len) == 0 && line[len] == '\n')
            return true;
    return false;
}

/* Takes the selection when it has the row, else ends it. 1 taken, 0 not. */
static int take(struct history *h, struct selection *selection, struct err *err)
{
    struct history_entry entry = {.mean = NAN, .half_frac = -1};
    struct rows rows = {.n = 0};
    int rc = rows_of(selection->result, selection->n, &rows);
    if (rc < 0) {
        selection_fini(selection);
        return err_set(err, rc, "no memory for the rows of a study");
    }
    h->studies++;
    for (unsigned i = 0; i < rows.n; i++)
        if (!known_row(h, rows.row[i].name))
            text_addf(&h->rows, "%s\n", rows.row[i].name);
    const struct row *row = rows_find(&rows, h->row);
    struct history_entry *more = NULL;
    if (row) {
        memcpy(h->name, row->name, sizeof h->name);
        h->trees |= result_fact_get(&row->run[0].result->options, "length_bytes") != NULL;
        rc = values_of(row, h->metric, &entry);
        more = rc < 0 ? NULL : realloc(h->entry, (h->n + 1) * sizeof *more);
    }
    if (more) {
        if (select_targets(selection) > 1)
            console_warn("%s: the row is of several targets, which are taken together here",
                         selection->result[0]->study_id);
        entry.selection = *selection;
        h->entry = more;
        h->entry[h->n++] = entry;
    } else {
        selection_fini(selection);
    }
    rows_fini(&rows);
    if (row && !more)
        return err_set(err, -ENOMEM, "no memory for a study");
    return more != NULL;
}

static int take_study(struct history *h, const char *id, const struct selection *of,
                      struct err *err)
{
    struct selection one = {.kind = SELECT_STUDY, .run = of->run, .side = of->side, .studies = 1};
    one.id = calloc(1, sizeof *one.id);
    if (!one.id)
        return err_set(err, -ENOMEM, "no memory for a name");
    memcpy(one.id[0], id, sizeof *one.id);
    int rc = select_load(&h->selector, &one, err);
    if (rc < 0) {
        selection_fini(&one);
        return rc;
    }
    return take(h, &one, err);
}

int history_add_stored(struct history *h, const struct store_filter *filter, struct err *err)
{
    const struct selection whole = {.run = 0};
    struct store_study *all = NULL;
    unsigned n = 0;
    int rc = select_studies(&h->selector, filter, &all, &n, err);
    for (unsigned i = 0; rc >= 0 && i < n && h->n < h->last; i++)
        if (all[i].runs > 0)
            rc = take_study(h, all[i].id, &whole, err);
    h->newest_first = true;
    store_studies_free(all, n);
    return rc < 0 ? rc : 0;
}

int history_add_named(struct history *h, const char *word, struct err *err)
{
    struct selection found = {.n = 0};
    int rc = select_find(&h->selector, word, SELECT_SEVERAL, h->last, &found, err);
    if (rc < 0)
        return rc;
    if (found.studies == 0)
        return take(h, &found, err) < 0 ? -ENOMEM : 0;
    for (unsigned i = 0; rc >= 0 && i < found.studies; i++)
        rc = take_study(h, found.id[i], &found, err);
    selection_fini(&found);
    return rc < 0 ? rc : 0;
}

static void turn_round(struct history *h)
{
    for (unsigned i = 0; h->newest_first && i < h->n / 2; i++) {
        struct history_entry other = h->entry[i];
        h->entry[i] = h->entry[h->n - 1 - i];
        h->entry[h->n - 1 - i] = other;
    }
    h->newest_first = false;
}

static bool anybody_has_value(const struct history *h)
{
    for (unsigned i = 0; i < h->n; i++)
        if (h->entry[i].n > 0)
            return true;
    return false;
}

/* "fsync2" of "varmail fsync2". */
static bool ends_in(const char *line, size_t len, const char *word)
{
    size_t tail = strlen(word);
    return len > tail && line[len - tail - 1] == ' ' && memcmp(line + len - tail, word, tail) == 0;
}

static unsigned list_rows(const struct history *h, bool close, struct text *names)
{
    unsigned n = 0;
    for (const char *line = h->rows.s; *line; line += strcspn(line, "\n") + 1) {
        size_t len = strcspn(line, "\n");
        if (!close || ends_in(line, len, h->row))
            text_addf(names, "%s%.*s", n++ > 0 ? ", " : "", (int)len, line);
    }
    return n;
}

int history_check(struct history *h, struct err *err)
{
    struct text names;
    turn_round(h);
    if (h->n > 0 && anybody_has_value(h))
        return 0;
    if (h->n > 0)
        return err_set(err, -EINVAL,
                       "--metric %s: no run of '%s' has it; those with errors, incomplete or void "
                       "do not count",
                       rows_metric_name(h->metric), h->name);
    if (h->studies == 0)
        return err_set(err, -ENOENT,
                       "no study with a run to tell of; `loadline list` shows what "
                       "there is");
    text_init(&names);
    bool close = list_rows(h, true, &names) > 0;
    if (!close)
        (void)list_rows(h, false, &names);
    /* All of them, however many: an error's words would be cut. */
    console_error("no study has a row '%s'; %s: %s", h->row, close ? "did you mean" : "there are",
                  names.s);
    text_fini(&names);
    return -EINVAL;
}

/* ---- comparing ---- */

static int compare_entry(const struct history *h, const struct compare_side *a,
                         struct history_entry *e, struct err *err)
{
    const struct compare_side b = {
        .name = "this", .results = e->selection.result, .n = e->selection.n};
    struct comparison c;
    int rc = compare_of(a, &b, &c, err);
    if (rc < 0)
        return rc;
    for (unsigned i = 0; i < c.rows; i++) {
        if (!rows_same_name(c.row[i].name, h->row))
            continue;
        e->compared = true;
        e->cell = c.row[i].cell[h->metric];
    }
    compare_fini(&c);
    return 0;
}

int history_compare(struct history *h, const char *baseline, struct err *err)
{
    struct selection base = {.n = 0};
    int rc = 0;
    h->baseline = baseline;
    if (baseline) {
        rc = select_find(&h->selector, baseline, SELECT_SEVERAL, 0, &base, err);
        if (rc >= 0)
            rc = select_load(&h->selector, &base, err);
    }
    for (unsigned i = baseline ? 0 : 1; rc >= 0 && i < h->n; i++) {
        const struct selection *against = baseline ? &base : &h->entry[i - 1].selection;
        const struct compare_side a = {.name = baseline ? baseline : "the one before",
                                       .results = against->result,
                                       .n = against->n};
        rc = compare_entry(h, &a, &h->entry[i], err);
    }
    selection_fini(&base);
    return rc < 0 ? rc : 0;
}
