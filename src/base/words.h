/* base/words.h — words as JSON: one as a string, a command line as an array of them, and back.
 * Shape    text_add_json_string, words_print → text; words_parse → a list closed by NULL.
 * Limits   a word is any bytes but NUL. A byte of what base/shown.h would not show becomes \u00HH,
 *          or from 0x80 up \udcHH, a lone half of a surrogate pair, as in Python: it comes back,
 *          and stands for nothing else.
 * Errors   -EINVAL not such an array, -ENOMEM.   Threads  no state.
 * Source   tests/unit/test_words.c. */
#ifndef LOADLINE_BASE_WORDS_H
#define LOADLINE_BASE_WORDS_H

#include "base/text.h"

/* With its quotes. */
void text_add_json_string(struct text *t, const char *s);
/* `first` and then the others; NULL: only those. */
void words_print(struct text *t, const char *first, char *const *word, unsigned n);

/* *out is a list of *n words with a NULL behind them, freed with words_free. */
__attribute__((warn_unused_result)) int words_parse(const char *json, char ***out, unsigned *n);
void words_free(char **word);

#endif
