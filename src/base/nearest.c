#include "base/nearest.h"

#include <string.h>

#define WORD_MAX 32

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
    unsigned least = a < b ? a : b;
    return least < c ? least : c;
}

/* Levenshtein distance; words above WORD_MAX are far from all. */
static unsigned edit_distance(const char *a, const char *b)
{
    unsigned row[WORD_MAX + 1];
    size_t len_a = strlen(a), len_b = strlen(b);
    if (len_a > WORD_MAX || len_b > WORD_MAX)
        return WORD_MAX;
    for (unsigned j = 0; j <= len_b; j++)
        row[j] = j;
    for (unsigned i = 1; i <= len_a; i++) {
        unsigned diagonal = row[0];
        row[0] = i;
        for (unsigned j = 1; j <= len_b; j++) {
            unsigned above = row[j];
            row[j] = min3(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[len_b];
}

void nearest_try(struct nearest *n, const char *candidate)
{
    size_t len = strlen(n->wish);
    unsigned distance = edit_distance(n->wish, candidate);
    if (len >= 2 && strncmp(candidate, n->wish, len) == 0)
        distance = 1;
    if (distance > 1 + len / 4 || (n->best && distance >= n->distance))
        return;
    n->best = candidate;
    n->distance = distance;
}
