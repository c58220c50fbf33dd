/* base/nearest.h — the nearest of several words, for "did you mean".
 * Shape    start with {.wish = …}, then nearest_try for each candidate; best is NULL when none is
 *          near.
 * Limits   near is one letter wrong, and one more for every four that were typed; or the beginning
 *          of the candidate, two letters at least. Words above 32 bytes are near to none.
 * Threads  single owner; `best` is borrowed from whoever tried it.
 * Source   tests/unit/test_nearest.c. */
#ifndef LOADLINE_BASE_NEAREST_H
#define LOADLINE_BASE_NEAREST_H

struct nearest {
    const char *wish;
    const char *best;
    unsigned distance;
};

void nearest_try(struct nearest *n, const char *candidate);

#endif
