#include "study/tree_priv.h"

#include "base/rng.h"

#include <errno.h>
#include <stdlib.h>

/* The order of one block depends on seed and repeat alone, so that a study that is gone on with
 * has the same one. */
static void deal(struct tree_order *o)
{
    struct rng rng;

    rng_seed(&rng, mix64_pair(o->seed, o->repeat));
    for (unsigned i = 0; i < o->rows; i++)
        o->row[i] = i;
    for (unsigned i = o->rows; o->shuffled && i > 1; i--) {
        unsigned other = (unsigned)rng_below(&rng, i);
        unsigned row = o->row[other];
        o->row[other] = o->row[i - 1];
        o->row[i - 1] = row;
    }
}

int tree_order_init(struct tree_order *o, uint64_t seed, unsigned rows, unsigned repeats,
                    bool shuffled)
{
    *o = (struct tree_order){.seed = seed,
                             .rows = rows,
                             .repeats = repeats,
                             .shuffled = shuffled,
                             .repeat = 1,
                             .row = calloc(rows, sizeof *o->row)};
    if (!o->row)
        return -ENOMEM;
    deal(o);
    return 0;
}

void tree_order_fini(struct tree_order *o)
{
    free(o->row);
    o->row = NULL;
}

static bool next_of_blocks(struct tree_order *o, struct tree_turn *turn)
{
    if (o->at == o->rows) {
        o->at = 0;
        o->repeat++;
        if (o->repeat <= o->repeats)
            deal(o);
    }
    if (o->repeat > o->repeats)
        return false;
    *turn = (struct tree_turn){.row = o->row[o->at++], .repeat = o->repeat};
    return true;
}

static bool next_as_given(struct tree_order *o, struct tree_turn *turn)
{
    if (o->repeat > o->repeats) {
        o->repeat = 1;
        o->at++;
    }
    if (o->at == o->rows)
        return false;
    *turn = (struct tree_turn){.row = o->at, .repeat = o->repeat++};
    return true;
}

bool tree_order_next(struct tree_order *o, struct tree_turn *turn)
{
    return o->shuffled ? next_of_blocks(o, turn) : next_as_given(o, turn);
}
