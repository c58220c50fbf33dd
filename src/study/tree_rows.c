#include "study/tree_priv.h"

#include "stats/spread.h"
#include "stats/trend.h"

#include <errno.h>
#include <stdlib.h>

static void tell(struct tree_study *t, struct tree_row *row)
{
    study_row_done(&t->side[0].s, &row->write);
    study_row_done(&t->side[0].s, &row->read);
}

void tree_rows_tell(struct tree_study *t, bool all)
{
    while (t->told < t->options.lengths && (all || t->row[t->told].left == 0)) {
        if (t->row[t->told].left > 0)
            tree_join_past(t, t->told);
        tell(t, &t->row[t->told++]);
    }
}

/* As the row's ± is printed: of the mean time of a tree, whose inverse is throughput; and a row that
 * drifts has none. */
static int is_narrow(const struct study_row *row, unsigned side, double frac, bool *narrow)
{
    double *ns = calloc(row->n + 1, sizeof *ns);
    struct spread spread = {0};
    struct trend trend = {0};
    size_t n = 0;

    if (!ns)
        return -ENOMEM;
    for (unsigned i = 0; i < row->n; i++) {
        const struct result *r = row->result[i];
        if ((unsigned)result_fact_number(&r->options, "side", 0) == side && r->passes > 0)
            ns[n++] = (double)r->elapsed_ns / (double)r->passes;
    }
    int rc = n == 0 ? 0 : spread_of(ns, n, &spread);
    if (rc == 0 && n > 0)
        rc = trend_of(ns, n, &trend);
    if (n > 0)
        *narrow &= spread.has_interval && spread.half_95 <= frac * spread.mean && !trend.found;
    free(ns);
    return rc;
}

static int row_is_narrow(const struct tree_study *t, const struct tree_row *row, bool *narrow)
{
    double frac = t->options.until_frac;
    int rc = 0;

    *narrow = true;
    for (unsigned i = 0; rc == 0 && i < t->sides; i++) {
        rc = is_narrow(&row->write, t->side[i].number, frac, narrow);
        if (rc == 0)
            rc = is_narrow(&row->read, t->side[i].number, frac, narrow);
    }
    return rc;
}

int tree_count_turn(struct tree_study *t, const struct tree_turn *turn, struct err *err)
{
    struct tree_row *row = &t->row[turn->row];
    bool narrow;

    row->left--;
    if (t->options.until_frac == 0 || turn->repeat < TREE_UNTIL_MIN)
        return 0;
    if (row_is_narrow(t, row, &narrow) < 0)
        return err_set(err, -ENOMEM, "no memory for %u repeats", turn->repeat);
    if (narrow)
        row->left = 0;
    t->wide += row->left == 0 && !narrow;
    return 0;
}

void tree_rows_wide(struct tree_study *t)
{
    if (t->wide > 0)
        study_warn(&t->side[0].s, "%u of %u lengths are not within ±%.3g %% after %u repeats",
                   t->wide, t->options.lengths, t->options.until_frac * 100, t->options.repeats);
}

/* With until_frac a guess: as many as are needed before an interval is believed, then one more. */
static unsigned likely_left(const struct tree_study *t, const struct tree_row *row)
{
    unsigned done = t->options.repeats - row->left;
    if (t->options.until_frac == 0 || row->left == 0)
        return row->left;
    return done < TREE_UNTIL_MIN ? TREE_UNTIL_MIN - done : 1;
}

static double row_left_ns(const struct tree_side *side, unsigned row, unsigned repeats)
{
    const struct tree_counts *counts = &side->counts[row];
    struct tree_options o = side->options;
    uint64_t length = o.length_bytes[row];

    if (counts->passes == 0) {
        o.repeats = repeats;
        return (double)tree_pace_row_ns(&side->pace, &o, side->files, length);
    }
    double tree_ns = tree_pace_ns(&side->pace, side->files, side->files * length);
    unsigned passes = o.write_only ? counts->trees : counts->passes;
    return tree_ns * tree_pace_cycles(counts->trees, passes) * repeats;
}

uint64_t tree_left_ns(const struct tree_study *t)
{
    double ns = 0;
    for (unsigned i = 0; i < t->sides; i++)
        for (unsigned row = 0; row < t->options.lengths; row++)
            if (t->row[row].left > 0)
                ns += row_left_ns(&t->side[i], row, likely_left(t, &t->row[row]));
    return (uint64_t)ns;
}
