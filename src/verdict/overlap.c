#include "verdict/compare_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool has(const struct compare_side *side, const struct result *r)
{
    for (unsigned i = 0; i < side->n; i++)
        if (side->results[i]->run == r->run && strcmp(side->results[i]->study_id, r->study_id) == 0)
            return true;
    return false;
}

/* Takes out of `side` what `other` has too, if something is left. */
static int keep_own(struct comparison *c, struct compare_side *side,
                    const struct compare_side *other)
{
    unsigned n = 0;

    for (unsigned i = 0; i < side->n; i++)
        n += !has(other, side->results[i]);
    if (n == 0 || n == side->n)
        return 0;
    c->own = calloc(n, sizeof(struct result *));
    if (!c->own)
        return -ENOMEM;
    c->shared = side->n - n;
    n = 0;
    for (unsigned i = 0; i < side->n; i++)
        if (!has(other, side->results[i]))
            c->own[n++] = side->results[i];
    side->results = c->own;
    side->n = n;
    return 0;
}

int compare_part_sides(struct comparison *c)
{
    int rc = keep_own(c, &c->a, &c->b);

    return rc < 0 || c->shared > 0 ? rc : keep_own(c, &c->b, &c->a);
}
