#include "stats/knee.h"

static bool higher(const struct knee_point *a, const struct knee_point *b)
{
    return a->rate > b->rate || (a->rate == b->rate && a->load < b->load);
}

static bool lighter(const struct knee_point *a, const struct knee_point *b)
{
    return a->load < b->load || (a->load == b->load && a->rate > b->rate);
}

bool knee_of(const struct knee_point *point, unsigned n, struct knee *out)
{
    struct knee k;
    unsigned top = n;

    for (unsigned i = 0; i < n; i++)
        if (point[i].rate > 0 && (top == n || higher(&point[i], &point[top])))
            top = i;
    if (top == n)
        return false;
    k = (struct knee){.top = top, .knee = top};
    for (unsigned i = 0; i < n; i++)
        if (point[i].rate >= KNEE_FRAC * point[top].rate && lighter(&point[i], &point[k.knee]))
            k.knee = i;
    *out = k;
    return true;
}
