#include "verdict/compare.h"

#include "base/shown.h"
#include "verdict/compare_priv.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *compare_noise_words(enum compare_noise noise)
{
    static const char *const words[] = {
        "unknown between runs: it takes five runs of the first side, or turns",
        "from runs that took turns",
        "from studies of the first side; a study counts once, as the mean of its repeats",
        "from repeats of the first side; what differs from study to study looks like a change"};
    return words[noise];
}

/* ---- a cell ---- */

static int judge_units(const struct units *a, const struct units *b, bool turns,
                       enum rows_metric metric, struct compare_cell *cell)
{
    struct side_values va = {0}, vb = {0};
    int rc = side_values_of(a, &va);

    if (rc == 0)
        rc = side_values_of(b, &vb);
    if (rc == 0)
        rc = compare_judge(&va, &vb, turns, metric, cell);
    side_values_fini(&va);
    side_values_fini(&vb);
    return rc;
}

/* Of what is not comparable the values are worth seeing all the same. */
static double mean_of(const struct units *u)
{
    double logs = 0;

    for (unsigned i = 0; i < u->n; i++)
        logs += u->unit[i].mean;
    return u->n > 0 ? exp(logs / u->n) : 0;
}

static int fill_cell(const struct comparison *c, const struct row_pair *pair,
                     enum rows_metric metric, struct compare_cell *cell)
{
    bool by_study = c->noise == COMPARE_FROM_STUDIES;
    bool turns = c->noise == COMPARE_FROM_TURNS;
    struct units a = {0}, b = {0};
    int rc = pair->a ? units_of(pair->a, metric, by_study, &a) : 0;

    if (rc == 0 && pair->b)
        rc = units_of(pair->b, metric, by_study, &b);
    if (rc == 0 && turns)
        units_pair(&a, &b);
    if (rc == 0 && by_study)
        units_pool_within(&a, &b);
    cell->n_a = a.n;
    cell->n_b = b.n;
    cell->word = COMPARE_NOT;
    if (rc == 0 && a.n > 0 && b.n > 0)
        rc = judge_units(&a, &b, turns, metric, cell);
    if (rc == 0 && cell->word == COMPARE_NOT)
        cell->change = (struct change){.mean_a = mean_of(&a), .mean_b = mean_of(&b)};
    units_fini(&a);
    units_fini(&b);
    return rc;
}

/* ---- a row ---- */

static void tell_too_few(const struct comparison *c, const struct compare_cell *cell,
                         struct text *out)
{
    text_addf(out, "n = %u: it takes %d runs of ", cell->n_a, CHANGE_RUNS_MIN);
    text_add_shown_cut(out, c->a.name, COMPARE_NAME_CUT);
    text_add(out, ", or turns");
}

static void tell_who_drifts(const struct comparison *c, const struct compare_cell *cell,
                            struct text *out)
{
    if (!cell->alone_a && !cell->alone_b) {
        text_add(out, "both together drift, neither alone");
        return;
    }
    text_add(out, "drifts: ");
    if (cell->alone_a)
        text_add_shown_cut(out, c->a.name, COMPARE_NAME_CUT);
    text_add(out, cell->alone_a && cell->alone_b ? ", " : "");
    if (cell->alone_b)
        text_add_shown_cut(out, c->b.name, COMPARE_NAME_CUT);
}

static void tell_cannot(const struct comparison *c, const struct compare_cell *cell,
                        struct text *out)
{
    bool turns = c->noise == COMPARE_FROM_TURNS;

    if (cell->change.noise == CHANGE_NOISE_UNKNOWN && turns)
        text_add(out, "one pair: it takes two to know the noise");
    else if (cell->change.noise == CHANGE_NOISE_UNKNOWN)
        tell_too_few(c, cell, out);
    else if (turns)
        text_add(out, "their difference drifts from turn to turn");
    else
        tell_who_drifts(c, cell, out);
}

/* In a row that is comparable. */
static void tell_not(const struct comparison *c, const struct compare_cell *cell,
                     enum rows_metric metric, struct text *out)
{
    const char *lack = metric >= ROWS_P50 ? "too few samples" : "no such value";

    if (cell->n_a > 0 && cell->n_b > 0)
        text_add(out, "a value of 0");
    else
        text_add(out, lack);
    if ((cell->n_a > 0) != (cell->n_b > 0)) {
        text_add(out, " in ");
        text_add_shown_cut(out, cell->n_a > 0 ? c->b.name : c->a.name, COMPARE_NAME_CUT);
    }
}

static void put_reason(const struct comparison *c, const struct compare_row *row,
                       enum rows_metric metric, struct compare_cell *cell)
{
    struct text text;

    text_init(&text);
    if (cell->word == COMPARE_CANNOT)
        tell_cannot(c, cell, &text);
    else if (cell->word == COMPARE_NOT && row->comparable)
        tell_not(c, cell, metric, &text);
    else if (cell->word == COMPARE_NOT)
        text_add(&text, row->reason);
    compare_put_reason(cell->reason, &text);
    text_fini(&text);
}

static int fill_row(const struct comparison *c, const struct row_pair *pair,
                    struct compare_row *row)
{
    bool comparable = compare_reason(c, pair, row);

    snprintf(row->name, sizeof row->name, "%s", (pair->a ? pair->a : pair->b)->name);
    for (unsigned m = 0; m < ROWS_METRICS; m++) {
        struct compare_cell *cell = &row->cell[m];
        int rc = fill_cell(c, pair, (enum rows_metric)m, cell);
        if (rc < 0)
            return rc;
        if (!comparable)
            cell->word = COMPARE_NOT;
        put_reason(c, row, (enum rows_metric)m, cell);
    }
    return 0;
}

/* Rows in the order of a, then what only b has. */
static struct row_pair *pair_rows(const struct rows *a, const struct rows *b, unsigned *n)
{
    struct row_pair *pair = calloc(a->n + b->n + 1, sizeof *pair);

    *n = 0;
    for (unsigned i = 0; pair && i < a->n; i++)
        pair[(*n)++] = (struct row_pair){&a->row[i], rows_find(b, a->row[i].name)};
    for (unsigned i = 0; pair && i < b->n; i++)
        if (!rows_find(a, b->row[i].name))
            pair[(*n)++] = (struct row_pair){NULL, &b->row[i]};
    return pair;
}

static int fill_rows(struct comparison *c, const struct rows *a, const struct rows *b)
{
    struct row_pair *pair = pair_rows(a, b, &c->rows);
    int rc = 0;

    c->row = calloc(c->rows + 1, sizeof *c->row);
    if (!pair || !c->row)
        rc = -ENOMEM;
    for (unsigned i = 0; rc == 0 && i < c->rows; i++)
        rc = fill_row(c, &pair[i], &c->row[i]);
    if (rc == 0)
        rc = compare_summarise(c, pair);
    free(pair);
    return rc;
}

/* ---- the whole ---- */

static unsigned studies_of(const struct compare_side *side)
{
    unsigned studies = 0;

    for (unsigned i = 0; i < side->n; i++) {
        unsigned j = 0;
        while (j < i && strcmp(side->results[j]->study_id, side->results[i]->study_id) != 0)
            j++;
        studies += j == i;
    }
    return studies;
}

/* Which of several targets of its study a result is of; 0 where it had one. */
static double turn_of(const struct result *r)
{
    return result_fact_number(&r->options, "side", 0);
}

/* Is each side one of the targets of one and the same study, and not the same one? */
static bool took_turns(const struct compare_side *a, const struct compare_side *b)
{
    const struct result *first_a = a->results[0], *first_b = b->results[0];

    for (unsigned i = 0; i < a->n + b->n; i++) {
        const struct result *r = i < a->n ? a->results[i] : b->results[i - a->n];
        const struct result *first = i < a->n ? first_a : first_b;
        if (strcmp(r->study_id, first_a->study_id) != 0 || turn_of(r) != turn_of(first))
            return false;
    }
    return turn_of(first_a) > 0 && turn_of(first_b) > 0 && turn_of(first_a) != turn_of(first_b);
}

static unsigned most_runs(const struct rows *rows)
{
    unsigned most = 0;

    for (unsigned i = 0; i < rows->n; i++)
        most = rows->row[i].n > most ? rows->row[i].n : most;
    return most;
}

static enum compare_noise noise_of(const struct comparison *c, const struct rows *a)
{
    if (took_turns(&c->a, &c->b))
        return COMPARE_FROM_TURNS;
    if (studies_of(&c->a) >= CHANGE_RUNS_MIN)
        return COMPARE_FROM_STUDIES;
    return most_runs(a) >= CHANGE_RUNS_MIN ? COMPARE_FROM_REPEATS : COMPARE_FROM_NOTHING;
}

static int check_sides(const struct compare_side *a, const struct compare_side *b, struct err *err)
{
    const char *empty = a->n == 0 ? a->name : b->name;

    if (a->n > 0 && b->n > 0)
        return 0;
    return err_set(err, -EINVAL, "%.100s has no results to compare", empty);
}

int compare_of(const struct compare_side *a, const struct compare_side *b, struct comparison *out,
               struct err *err)
{
    struct comparison c = {.a = *a, .b = *b};
    struct rows rows_a = {0}, rows_b = {0};
    int rc = check_sides(a, b, err);

    if (rc < 0)
        return rc;
    rc = compare_part_sides(&c);
    if (rc == 0)
        rc = rows_of(c.a.results, c.a.n, &rows_a);
    if (rc == 0)
        rc = rows_of(c.b.results, c.b.n, &rows_b);
    if (rc == 0) {
        c.noise = noise_of(&c, &rows_a);
        rc = fill_rows(&c, &rows_a, &rows_b);
    }
    if (rc == 0)
        rc = compare_setups(&c);
    rows_fini(&rows_a);
    rows_fini(&rows_b);
    if (rc < 0) {
        compare_fini(&c);
        return err_set(err, rc, "no memory to compare");
    }
    *out = c;
    return 0;
}

void compare_fini(struct comparison *c)
{
    for (unsigned i = 0; i < c->setups; i++) {
        free(c->setup[i].what);
        free(c->setup[i].a);
        free(c->setup[i].b);
    }
    free(c->setup);
    free(c->row);
    free(c->own);
    *c = (struct comparison){0};
}
