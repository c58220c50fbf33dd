#include "study/tree_priv.h"

static void tell(struct tree_study *t, struct tree_row *row)
{
    study_row_done(&t->side[0].s, &row->write);
    study_row_done(&t->side[0].s, &row->read);
}

void tree_rows_tell(struct tree_study *t, bool all)
{
    while (t->told < t->options.lengths && (all || t->row[t->told].left == 0))
        tell(t, &t->row[t->told++]);
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
                ns += row_left_ns(&t->side[i], row, t->row[row].left);
    return (uint64_t)ns;
}
