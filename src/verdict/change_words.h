/* verdict/change_words.h — a change and its interval as people read them, alike wherever they stand.
 * Shape    a fraction into "+12.3%"; both ends of an interval into "-1.2 … +3.4%".
 * Units    fractions in, per cent out.
 * Limits   one decimal below 100 %: more would be noise, fewer would hide what a gate looks at. What
 *          rounds to nothing has no sign. A change that is not finite or above 1e6 is "-".
 * Errors   none.                                 Threads  no state.
 * Source   tests/unit/test_gate.c, tests/golden/report/compare.exact. */
#ifndef LOADLINE_VERDICT_CHANGE_WORDS_H
#define LOADLINE_VERDICT_CHANGE_WORDS_H

#define CHANGE_WORDS_MAX 48

char *change_words(char buf[CHANGE_WORDS_MAX], double frac);
char *change_words_interval(char buf[CHANGE_WORDS_MAX], double low, double high);

#endif
