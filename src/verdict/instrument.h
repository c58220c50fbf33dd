/* verdict/instrument.h — by what a run asked its target, and whether two runs were asked alike.
 * Shape    read from a result's plan text, so that it holds for results of any age.
 * Limits   instrument_differs: by whom (our own NFS client, the kernel, io_uring) and whether names were walked to
 *          for each op; the cache and direct I/O are told as set-up.
 * Errors   none: what is not told is not known, and differs from nothing.        Threads  no state.
 * Source   docs/measuring.md, "Comparing"; tests/unit/test_instrument.c. */
#ifndef LOADLINE_VERDICT_INSTRUMENT_H
#define LOADLINE_VERDICT_INSTRUMENT_H

#include "result/result.h"

#define INSTRUMENT_WORDS_MAX 240

/* The value of a word in the line of the instrument: "scheme", "resolve"; "" none. Returns buf. */
const char *instrument_word(const struct result *r, const char *word, char *buf, size_t room);
/* "A is asked by …, B by …": true where that is so. `a` and `b` are how the two are called. */
bool instrument_differs(const struct result *a, const char *name_a, const struct result *b,
                        const char *name_b, char words[INSTRUMENT_WORDS_MAX]);

#endif
